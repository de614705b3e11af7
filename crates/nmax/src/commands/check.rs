//! `nmax check`: the plan as resolved, how much it will send and how, whether this machine can, how much testing it deserves.
//! Nothing is sent to the target; what the plan observes is asked once.

use std::sync::Arc;

use nmax_run::secrets::Shown;
use nmax_run::{Exit, check};

use super::run::complain;
use super::{once, prove, wire};
use crate::args::CheckArgs;
use crate::{load, say};

mod machine;

/// Checks a plan; sends something only with `--once`, `--prove` or `--wire`.
pub fn check(args: &CheckArgs) -> Exit {
    let plan = match load::plan(&args.what, &args.plan, &args.planless) {
        Ok(loaded) => loaded,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let shown = Shown::new(args.show_secrets, &plan.redactor);
    if args.wire.wire {
        return wire::wire(&args.wire, &args.safety, plan, &shown);
    }
    if args.once {
        return once::once(args, plan, &shown);
    }
    if args.prove {
        return prove::prove(args, plan, &shown);
    }
    let plan = Arc::new(plan);
    let measure = (!args.quick).then_some(machine::measure as fn(u32) -> _);
    let checked = match check::check(&plan, &shown, measure, &mut |warning| say::warning(warning)) {
        Ok(checked) => checked,
        Err(error) => return complain(&error, Exit::Usage),
    };
    if args.json {
        say::line(format_args!("{:#}", checked.json()));
    } else {
        say::text(checked.text());
    }
    match checked.failed() {
        0 => Exit::Pass,
        _ => Exit::Failed,
    }
}
