//! A running run is steered by its directory, whoever made it.

use std::path::Path;
use std::time::Duration;

use nmax_run::control::{self, Asked, Refused};

use crate::api::{Action, Steered, Wish};
use crate::refusal::Refusal;

/// How long the process of a run may take to answer.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// Who asks, in the words of the run.
const BY: &str = "the page";

/// Number of the last change that somebody wished for.
pub(crate) fn revision(directory: &Path) -> u64 {
    control::read(directory).ok().and_then(|wishes| Some(wishes.last()?.revision)).unwrap_or(0)
}

/// Hands a wish on, and waits for what came of it.
pub(crate) fn steer(directory: &Path, wish: &Wish) -> Result<Steered, Refusal> {
    let action = match (wish.action, wish.level) {
        (Action::Load, Some(level)) => {
            let ramp = Duration::try_from_secs_f64(wish.ramp_s.unwrap_or_default());
            control::Action::Load { level, ramp: ramp.map_err(|_| Refusal::bad("ramp_s is not a length", ""))? }
        }
        (Action::Load, None) => return Err(Refusal::bad("`load` needs a level", "")),
        (Action::Hold, _) => control::Action::Hold,
        (Action::Stop, _) => control::Action::Stop,
    };
    let of = control::Wish { revision: wish.revision.saturating_add(1), action, by: BY.into() };
    let asked: Asked = control::ask(directory, &of).map_err(refusal)?;
    match asked.wait(ANSWER_MAX) {
        Some(answer) if answer.is_done => Ok(Steered { revision: asked.revision, text: answer.text }),
        Some(answer) => Err(Refusal::bad(answer.text, "")),
        None => Err(Refusal::conflict("the run has not answered", "look at its events, whether it does later")),
    }
}

fn refusal(refused: Refused) -> Refusal {
    let text = refused.to_string();
    match refused {
        Refused::Ended => Refusal::conflict(text, ""),
        Refused::Overtaken { .. } => Refusal::conflict(text, "the page shows how it is now"),
        Refused::Wrong(_) => Refusal::bad(text, ""),
        Refused::Full | Refused::Io(_) => text.into(),
    }
}
