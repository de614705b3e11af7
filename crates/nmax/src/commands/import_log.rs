//! `nmax import log`: a plan and a traffic profile of access logs.

use super::run::complain;
use crate::args::LogArgs;
use crate::exit::Exit;

/// Reads the logs and writes the plan.
pub fn import_log(args: &LogArgs) -> Exit {
    complain(
        &format!("{} logs: cannot be imported yet", args.files.len()),
        Exit::Internal,
    )
}
