//! A campaign from its order to its end.

use nmax_run::Trouble;
use nmax_run::signals::Interrupts;

use crate::listener::Listener;
use crate::order::{Finished, Order};
use crate::{answer, conduct, knobs, prepare};

/// Runs levels until the law is known or a limit is reached, writes everything and tells the listener on the way.
///
/// # Errors
/// Why there is no result, and what that means for the exit code.
pub fn run(order: Order, interrupts: &Interrupts, listener: &mut dyn Listener) -> Result<Finished, Trouble> {
    let mut job = prepare::prepare(order, interrupts, listener)?;
    let done = match job.task.axes.knobs.is_empty() {
        true => conduct::conduct(&mut job),
        false => knobs::conduct(&mut job),
    };
    let done = done.map_err(|Trouble { text, exit }| {
        let kept = job.rig.folder.path().display();
        Trouble { text: format!("{text}\n  help: what was measured so far is in {kept}"), exit }
    })?;
    answer::finish(&job, done).map_err(Trouble::unreachable)
}
