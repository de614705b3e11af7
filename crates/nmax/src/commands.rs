//! What each verb does.

pub mod agent;
pub mod capacity;
pub mod check;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod explain;
pub mod fidelity;
pub mod fleet;
pub mod import;
pub mod import_log;
mod man;
pub mod prove;
pub mod record;
pub mod rehearsal;
pub mod replay;
pub mod report;
pub mod results;
pub mod run;
pub mod scale;
pub mod serve;
pub mod slice;
pub mod small;
pub mod steer;
pub mod target;
pub mod trend;
pub mod usl;
pub mod wire;

use nmax_run::{Exit, Trouble};

use crate::say;

/// What a command ended with.
pub type Ended = Result<Exit, Trouble>;

/// Says on standard error why a command ended without its result.
pub fn complain(trouble: Trouble) -> Exit {
    say::note(format_args!("error: {}", without_secrets(&trouble.text)));
    trouble.exit
}

/// Whatever quotes a URL must not quote its password, nor a value of the plan that is secret. Help is in words of our own.
fn without_secrets(error: &str) -> String {
    let masked = |line: &str| match line.starts_with("  help: ") {
        true => line.to_owned(),
        false => say::without_secrets(line),
    };
    error.lines().map(masked).collect::<Vec<_>>().join("\n")
}
