//! `nmax agent`

use nmax_agent::{AgentArgs, Failure};
use nmax_run::Exit;

use super::{Ended, Trouble};
use crate::say;

/// Watches this host until a signal or the given time; prints the URL for the plan.
pub fn agent(args: &AgentArgs) -> Ended {
    match nmax_agent::run(args, |text| say::line(text.to_string()), |text| say::note(text)) {
        Ok(()) => Ok(Exit::Pass),
        Err(Failure::Usage(text)) => Err(text.into()),
        Err(Failure::Internal(text)) => Err(Trouble::internal(text)),
    }
}
