//! `nmax agent`

use nmax_agent::{AgentArgs, Failure};
use nmax_run::Exit;

use super::run::complain;
use crate::say;

/// Watches this host until a signal or the given time; prints the URL for the plan.
pub fn agent(args: &AgentArgs) -> Exit {
    match nmax_agent::run(args, |text| say::line(text.to_string()), |text| say::note(text)) {
        Ok(()) => Exit::Pass,
        Err(Failure::Usage(text)) => complain(&text, Exit::Usage),
        Err(Failure::Internal(text)) => complain(&text, Exit::Internal),
    }
}
