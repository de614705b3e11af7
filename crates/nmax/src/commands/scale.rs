//! `nmax scale`: load at several levels, and the law behind them.
//!
//! # Layout
//! - [`axis`], [`price`], [`flags`], [`prepare`]: what was asked for, checked before anything is sent
//! - [`data`]: whether the rows of the plan last for its levels
//! - [`level`]: the plan of one level; [`think`]: the pauses of its users
//! - [`apply`]: the command that sets a knob of the system under test
//! - [`rig`]: runs levels; [`measure`]: what one measured; [`judge`]: what that means; [`progress`]: what is said
//!   meanwhile
//! - [`conduct`]: which levels are run; [`find`]: the highest load that holds an objective; [`knobs`]: the same at each setting of the system; [`demand`]: what a completion
//!   asks of a processor
//! - [`folder`]: the directory; [`head`]: what is known before the first level; [`answer`]: the result and how it is
//!   printed; [`stored`]: the same, read back

mod answer;
mod apply;
mod axis;
mod conduct;
mod data;
mod demand;
mod find;
mod flags;
mod folder;
mod head;
mod judge;
mod knobs;
mod level;
mod measure;
mod prepare;
mod price;
mod progress;
mod rig;
pub mod stored;
mod think;

use nmax_run::Exit;

use super::run::complain;
use crate::args::ScaleArgs;

/// Measures; prints the law.
pub fn scale(args: &ScaleArgs) -> Exit {
    let mut job = match prepare::prepare(args) {
        Ok(job) => job,
        Err((error, exit)) => return complain(&error, exit).forgiven(args.exit_zero),
    };
    let found = match job.axes.knobs.is_empty() {
        true => conduct::conduct(&mut job),
        false => knobs::conduct(&mut job),
    };
    let found = match found {
        Ok(found) => found,
        Err((error, exit)) => {
            let kept = job.rig.folder.path().display();
            let error = format!("{error}\n  help: what was measured so far is in {kept}");
            return complain(&error, exit).forgiven(args.exit_zero);
        }
    };
    answer::tell(&job, found, args).forgiven(args.exit_zero)
}
