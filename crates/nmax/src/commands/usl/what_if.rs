//! `nmax usl what-if`: the curve if a coefficient were another one, and the load to come.
//!
//! What is assumed never changes what was measured, and nothing is shown beyond twice of it.

use nmax_report::scalability::WhatIfView;
use nmax_report::{csv, json, svg};
use nmax_run::Exit;
use nmax_usl::{Growth, Measured, Override, WhatIf};

use super::output::{self, Forms};
use super::{Trouble, analysed, as_given};
use crate::args::WhatIfArgs;

/// Shows assumptions beside what is known.
pub(super) fn what_if(args: &WhatIfArgs) -> Result<Exit, Trouble> {
    output::check(&args.output)?;
    let question = question(args)?;
    let (title, base, analysis) = match (&args.file, args.coefficients) {
        (None, Some(law)) => (as_given(&law), law, None),
        (file, _) => {
            let (measured, analysis) = analysed(file.as_deref(), "what-if", "--alpha 0.005", &args.read, &args.law)?;
            let base = nmax_usl::what_if::base(&analysis).map_err(|why| Trouble {
                text: format!("{}: no law to begin with: {why}\n  help: `nmax usl fit` shows more", measured.name),
                exit: Exit::Invalid.forgiven(args.output.exit_zero),
            })?;
            (measured.name, base, Some(analysis))
        }
    };
    let measured = analysis.as_ref().map(Measured::from_analysis);
    let outlook = nmax_usl::what_if(&base, measured, &question).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Trouble::usage(errors.join("\n  "), "0 <= alpha <= 1, beta >= 0 and gamma > 0 describe systems")
    })?;
    let view = WhatIfView::new(title, env!("CARGO_PKG_VERSION").into(), &outlook, analysis, &question);
    let forms = Forms {
        document: nmax_report::report::scalability::what_if(&view),
        json: &|| json::what_if(&view),
        svg: &|| svg::what_if(&view),
        csv: &|| csv::curves(&outlook),
    };
    output::print(&args.output, &forms)?;
    Ok(Exit::Pass)
}

/// What is assumed.
fn question(args: &WhatIfArgs) -> Result<WhatIf, Trouble> {
    let question = WhatIf {
        assumed: Override { contention: args.alpha, coherency: args.beta, unit_throughput: args.gamma },
        optimistic: args.optimistic,
        realistic: args.realistic,
        growth: args.growth.zip(args.load).map(|(factor, load)| Growth {
            per_week: factor - 1.0,
            weeks: args.weeks as usize,
            load,
        }),
    };
    if question == WhatIf::default() {
        let help = "add --alpha, --beta or --gamma, --optimistic and --realistic, or --growth and --load";
        return Err(Trouble::usage("nothing is assumed", help));
    }
    Ok(question)
}
