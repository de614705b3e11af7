//! `nmax import`: plans from what users really did.

use super::run::complain;
use crate::args::{CurlArgs, HarArgs, ImportArgs, ImportVerb};
use crate::exit::Exit;

/// Makes a plan of recordings, of a command, or of logs.
pub fn import(args: &ImportArgs) -> Exit {
    match &args.what {
        ImportVerb::Har(args) => har(args),
        ImportVerb::Curl(args) => curl(args),
        ImportVerb::Log(args) => super::import_log::import_log(args),
    }
}

fn har(args: &HarArgs) -> Exit {
    complain(
        &format!("{} files: cannot be imported yet", args.files.len()),
        Exit::Internal,
    )
}

fn curl(args: &CurlArgs) -> Exit {
    complain(&format!("{}: cannot be imported yet", args.command), Exit::Internal)
}
