//! `--wire`: one request of a plan and every byte of its conversation. No run is kept.

use nmax_plan::plan::Plan;
use nmax_run::secrets::Shown;
use nmax_run::wire::{self, Listener};

use super::Ended;
use crate::args::{SafetyArgs, WireArgs};
use crate::say;

/// Prints a conversation.
struct Printed;

impl Listener for Printed {
    fn note(&mut self, text: &str) {
        say::note(text);
    }

    fn shows(&mut self, lines: &str) {
        say::text(lines);
    }
}

/// Sends the request and shows its bytes as they come.
pub fn wire(args: &WireArgs, safety: &SafetyArgs, plan: Plan, shown: &Shown) -> Ended {
    wire::wire(plan, args.request.as_deref(), &safety.consent(), shown, &mut Printed)
}
