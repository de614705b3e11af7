//! Access logs, sliced.

use std::sync::Arc;

use nmax_log::counts::Counts;
use nmax_log::traffic::Templates;
use nmax_report::slices::SliceView;
use nmax_run::Trouble;
use nmax_run::logs::Logs;
use nmax_run::slices::Wanted;
use nmax_slice::logs::{Gather, needs_templates, schema};
use nmax_slice::{Request, Slice, Tally};
use serde_json::json;

use crate::args::SliceArgs;
use crate::logs::Progress;

/// ns in a µs.
const NS_PER_US: i64 = 1_000;

/// Reads a slice of access logs.
pub(super) fn read(args: &SliceArgs, request: &Request) -> Result<SliceView, Trouble> {
    if args.parquet.is_some() || args.source != Wanted::Any || args.phase.is_some() {
        let help = "leave it out, or name a run";
        return Err(Trouble::usage("--parquet, --source and --phase are for runs, and these are access logs", help));
    }
    let schema = schema(args.zone);
    let slice = Slice::bound(request, &schema).map(Arc::new)?;
    let is_quiet = args.quiet || args.json || args.csv;
    let read_args = args.logs();
    let mut logs = Logs::open(&read_args)?;
    let period = logs.period(&read_args, &mut Progress::new(is_quiet))?;
    let needs = slice.needs();
    let is_stdin = args.what.iter().any(|file| file == std::path::Path::new("-"));
    let mut templates = Templates::with_holes(&args.template);
    if needs_templates(&needs) && !is_stdin {
        logs.read(&mut Progress::new(is_quiet), |record| {
            templates.place(record.method, record.target, record.status);
        });
    }
    let mut pass = |tally: Tally| {
        let mut gather = Gather::new(&needs, args.zone, templates.clone(), tally);
        let counts = logs.read(&mut Progress::new(is_quiet), |record| {
            if period.is_none_or(|period| (period.from_us..period.to_us).contains(&record.arrival_us)) {
                gather.add(record);
            }
        });
        (gather.finish(), counts)
    };
    let (first, counts) = pass(Tally::new(&slice));
    let (tally, ends) = match first.0.again().filter(|_| !is_stdin) {
        Some(second) => pass(second).0,
        None => first,
    };
    if tally.seen() == 0 {
        return Err(nothing(&logs, &counts));
    }
    // A stamp of whole seconds stands for all of that second.
    let whole = ends.map(|(first, last)| (first, last.saturating_add(1_000_000_000)));
    let chosen =
        period.map(|period| (period.from_us.saturating_mul(NS_PER_US), period.to_us.saturating_mul(NS_PER_US)));
    let span = match (whole, chosen) {
        (Some(whole), Some(chosen)) => Some((whole.0.max(chosen.0), whole.1.min(chosen.1))),
        (whole, _) => whole,
    };
    let mut answer = tally.answer(span);
    answer.notes.extend(logs.notes.iter().cloned());
    if counts.rejected > 0 {
        let text = nmax_report::number::count(counts.rejected);
        answer.notes.push(format!("{text} lines could not be read; `nmax import log` shows why"));
    }
    Ok(SliceView {
        answer,
        title: format!("{} ({})", logs.names().join(", "), logs.format()),
        source: json!({
            "kind": "log", "files": logs.names(), "format": logs.format(), "lines": counts.lines, "parsed": counts.parsed,
            "rejected": counts.rejected,
        }),
        warnings: nmax_report::traffic::doubts(&counts),
    })
}

fn nothing(logs: &Logs, counts: &Counts) -> Trouble {
    let names = logs.names().join(", ");
    let hosts = logs.other_hosts();
    let help = match counts.parsed {
        0 => "name the format with --format, as the server's configuration says it".to_owned(),
        _ if !hosts.is_empty() => format!("choose another --host: the log names {}", hosts.join(", ")),
        _ => "choose another time by --from and --to".to_owned(),
    };
    let Counts { parsed, lines, .. } = counts;
    Trouble::usage(format_args!("{names}: no request to slice; {parsed} of {lines} lines are requests"), help)
}
