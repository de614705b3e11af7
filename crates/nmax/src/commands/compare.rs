//! `nmax compare`: before and after, from runs and access logs.

use std::path::Path;

use nmax_analysis::compare::Conclusion;
use nmax_report::comparison::ComparisonView;
use nmax_report::{html, json, markdown};
use nmax_run::Exit;
use nmax_run::compare::{self, Ask, Compared};

use super::run::{writable, write};
use super::{Ended, Trouble};
use crate::args::BeforeAfterArgs;
use crate::logs::Progress;
use crate::say;

/// Compares.
pub fn before_after(args: &BeforeAfterArgs) -> Ended {
    let ended = compared(args).map(|exit| exit.forgiven(args.exit_zero));
    ended.map_err(|trouble| trouble.forgiven(args.exit_zero))
}

fn compared(args: &BeforeAfterArgs) -> Ended {
    for file in &args.output {
        writable(file)?;
    }
    let Compared { view, refusal } = compare::before_after(&ask(args), &mut Progress::new(args.json))?;
    for file in &args.output {
        write(file, &page(file, &view))?;
    }
    if let Some(text) = refusal {
        return Err(Trouble { text, exit: Exit::Invalid });
    }
    if args.json {
        say::line(format_args!("{:#}", json::comparison(&view)));
    } else {
        // Who names rows wants to see them.
        let wide = args.wide || !args.metric.is_empty() || !args.request.is_empty();
        say::document(&nmax_report::report::comparison::comparison(&view), wide);
    }
    Ok(match view.answer.conclusion() {
        Conclusion::Worse => Exit::Failed,
        _ if args.strict && view.answer.count(Conclusion::Inconclusive) > 0 => Exit::Invalid,
        _ => Exit::Pass,
    })
}

fn ask(args: &BeforeAfterArgs) -> Ask {
    Ask {
        sides: args.sides.clone(),
        before: args.before.clone(),
        after: args.after.clone(),
        margin: args.margin,
        failure_margin: args.failure_margin,
        metric: args.metric.clone(),
        request: args.request.clone(),
        with_history: !args.no_history,
        force: args.force,
        format: args.format.clone(),
        zone_s: args.zone,
        runs_dir: args.runs_dir.clone(),
    }
}

/// The comparison in the form that the file's ending names.
fn page(file: &Path, view: &ComparisonView) -> String {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("md") => markdown::write(&nmax_report::report::comparison::comparison(view)),
        Some("json") => format!("{:#}\n", json::comparison(view)),
        _ => html::write(&nmax_report::report::comparison::comparison(view)),
    }
}
