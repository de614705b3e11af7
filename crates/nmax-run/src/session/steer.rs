//! A run does what is asked for in its directory, and says so.

use std::sync::Arc;
use std::time::Duration;

use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;
use nmax_store::StoreError;

use super::{Session, manifest};
use crate::control::{Action, NOT_STEERED, STEERED, Wish};

impl Session<'_, '_> {
    /// Does what was asked for since the last look.
    pub(super) fn take_wishes(&mut self) {
        for wish in self.inbox.look() {
            let now = self.fleet.run().now();
            match wish.and_then(|wish| self.fulfil(&wish)) {
                Ok((at, text)) => self.note(at, STEERED, &text),
                Err(why) => self.note(now, NOT_STEERED, &why),
            }
        }
    }

    /// From when on the wish is done, and what is said of it; or why it is not.
    fn fulfil(&mut self, wish: &Wish) -> Result<(Nanos, String), String> {
        let who = if wish.by.is_empty() { wish.label() } else { format!("{} by {}", wish.label(), wish.by) };
        let not_done = |why: &dyn std::fmt::Display| format!("{who} was not done: {why}");
        if self.fold.interrupted || self.trouble.is_some() {
            return Err(not_done(&"the load has been stopped"));
        }
        let (to, ramp) = match wish.action {
            Action::Load { level, ramp } => (Some(level), ramp),
            Action::Hold => (None, Duration::ZERO),
            Action::Stop => {
                self.stop();
                self.wished = Some(format!("as asked for: {who}"));
                return Ok((
                    self.fleet.run().now(),
                    format!("{who}: the load was stopped, requests under way may end"),
                ));
            }
        };
        let plan = Arc::clone(self.fleet.run_mut().steer(to, ramp).map_err(|error| not_done(&error))?);
        let hold = self.fleet.run().times().hold;
        self.fold.steer(&plan, hold);
        self.sides.iter_mut().for_each(|sides| sides.steer(hold));
        if let Err(error) = self.write_plan(&plan) {
            self.break_off(error);
        }
        let change = plan.steered.as_ref().and_then(|steered| steered.changes.last().copied());
        let change = change.ok_or_else(|| not_done(&"it changes nothing"))?;
        Ok((change.at.into(), format!("{who}: {}", plan.said_of(&change))))
    }

    /// Writes down what is run from now on.
    fn write_plan(&mut self, plan: &Plan) -> Result<(), StoreError> {
        let steered = manifest::steered(plan);
        self.writer.steered(&steered)?;
        self.manifest.steer(steered);
        Ok(())
    }
}
