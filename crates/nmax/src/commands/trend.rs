//! `nmax trend`: a figure over many runs, and where it changed for good.

use nmax_analysis::compare::Conclusion;
use nmax_report::{html, json};
use nmax_run::trend::{self, Ask, Trend};
use nmax_run::{Exit, Trouble};

use super::Ended;
use super::run::{writable, write};
use crate::args::TrendArgs;
use crate::say;

/// Shows the history of a figure.
pub fn trend(args: &TrendArgs) -> Ended {
    for file in &args.output {
        writable(file)?;
        if file.extension().is_some_and(|ending| ending == "md") {
            let text = format!("{}: a trend has no Markdown", file.display());
            return Err(Trouble::usage(text, "write .html or .json"));
        }
    }
    let Trend { view, is_failing } = trend::trend(&Ask {
        name: args.name.clone(),
        of: args.of.which(),
        metric: args.metric,
        request: args.request.clone(),
        margin: args.margin,
        runs_dir: args.runs_dir.clone(),
    })?;
    for file in &args.output {
        let page = match file.extension().and_then(|ending| ending.to_str()) {
            Some("json") => format!("{:#}\n", json::history(&view)),
            _ => html::write(&nmax_report::report::comparison::history(&view)),
        };
        write(file, &page)?;
    }
    if args.json {
        say::line(format_args!("{:#}", json::history(&view)));
    } else {
        say::document(&nmax_report::report::comparison::history(&view), false);
    }
    let exit = match view.last() {
        _ if !args.gate => Exit::Pass,
        _ if view.is_too_short() => Exit::Invalid,
        Some(Conclusion::Worse) => Exit::Failed,
        _ if is_failing => Exit::Failed,
        _ => Exit::Pass,
    };
    Ok(exit.forgiven(args.exit_zero))
}
