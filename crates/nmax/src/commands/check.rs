//! `nmax check`: the plan as resolved, how much it will send and how, whether this machine can, how much testing it deserves.
//! Nothing is sent to the target; what the plan observes is asked once.

use std::sync::Arc;

use nmax_run::secrets::Shown;
use nmax_run::{Exit, check};

use super::{Ended, prove, rehearsal, wire};
use crate::args::CheckArgs;
use crate::{load, say};

mod machine;

/// Checks a plan; sends something only with `--once`, `--prove` or `--wire`.
pub fn check(args: &CheckArgs) -> Ended {
    let plan = load::plan(&args.what, &args.plan, &args.planless)?;
    let shown = Shown::new(args.show_secrets, &plan.redactor);
    if args.wire.wire {
        return wire::wire(&args.wire, &args.safety, plan, &shown);
    }
    if args.once {
        return rehearsal::show_rehearsal(args, plan, &shown);
    }
    if args.prove {
        return prove::prove(args, plan, &shown);
    }
    let plan = Arc::new(plan);
    let measure = (!args.quick).then_some(machine::measure as fn(u32) -> _);
    let checked = check::check(&plan, &shown, measure, &mut |warning| say::warning(warning))?;
    if args.json {
        say::line(format_args!("{:#}", checked.json()));
    } else {
        say::text(checked.text());
    }
    Ok(if checked.failed() == 0 { Exit::Pass } else { Exit::Failed })
}
