//! `nmax replay`: a log as an exact schedule, sent and compared with itself.

use std::sync::Arc;

use nmax_log::counts::Counts;
use nmax_log::replay::{Methods, Options, Pace, Replay, STRAYS, Schedule};
use nmax_log::traffic::Types;
use nmax_report::traffic::{LEFT_OUT, doubts, replayed};
use nmax_run::fidelity::{Reference, Visitors};
use nmax_run::logs::Logs;
use nmax_run::{Trouble, load};

use super::Ended;
use super::run::conduct;
use crate::args::ReplayArgs;
use crate::logs::Progress;
use crate::{logs, say};

/// Replays logs; prints the result.
pub fn replay(args: &ReplayArgs) -> Ended {
    let (schedule, logs, counts) = schedule(args)?;
    let mut run = args.run();
    run.plan.target = run.plan.target.or_else(|| schedule.origin().map(str::to_owned));
    if run.plan.target.is_none() {
        let host = schedule.host();
        let why = match host {
            Some(host) => format!("the log names the host {host}, but not whether to reach it by http or https"),
            None => "the log does not say which server to send it to".to_owned(),
        };
        let host = host.unwrap_or("127.0.0.1:8080");
        let help = format_args!("give one that may be loaded by --target, as in --target http://{host}");
        return Err(Trouble::usage(why, help));
    }
    let profile = schedule.traffic();
    let types = Types::from_profile(&profile);
    let name = schedule.pace.title(&logs.names());
    let file = logs.names().first().cloned().unwrap_or_default();
    let text = schedule.document(&name, &file, &args.headers);
    let mut plan = load::plan_of_log(&text, &run.plan.changes())?;
    if !schedule.fill(&mut plan, |method, target| types.name(method, target)) {
        let help = "replay a part of the log: --from, --to, --day, --peak-hour";
        return Err(Trouble::usage("the log has too many different targets", help));
    }
    let told = replayed(&schedule, &counts, (&logs.names(), &logs.format()));
    for (code, text) in &told {
        say::note(format_args!("{}{text}", if *code == LEFT_OUT { "left out: " } else { "" }));
    }
    logs::warn(&schedule.warnings);
    if schedule.left_out.contains_key(STRAYS) {
        logs::warn(&Vec::from_iter(counts.strays(schedule.period)));
    }
    let pace = match schedule.pace {
        Pace::Original => String::new(),
        pace => format!(", {}", pace.name()),
    };
    let source = Reference {
        name: format!("{}{pace}", logs.names().join(", ")),
        profile,
        note: schedule.pace.note(),
        visitors: Visitors::Log(Arc::new(schedule)),
    };
    conduct(&run, plan, Some(Arc::new(source)), told)
}

/// Reads the logs into a schedule.
fn schedule(args: &ReplayArgs) -> Result<(Schedule, Logs, Counts), Trouble> {
    let read = args.read.ask();
    let is_quiet = args.output.quiet;
    let mut logs = Logs::open(&read)?;
    logs.notes.iter().for_each(say::note);
    let period = logs.period(&read, &mut Progress::new(is_quiet))?;
    let mut replay = Replay::new(Options {
        period,
        methods: match (args.all_methods, args.methods.as_slice()) {
            (true, _) => Methods::All,
            (false, []) => Methods::Safe,
            (false, methods) => Methods::Only(methods.to_vec()),
        },
        pace: match (args.speed, args.copies, args.thin) {
            (Some(factor), ..) => Pace::Compressed(factor),
            (_, Some(copies), _) => Pace::Copies(copies),
            (.., Some(share)) => Pace::Thinned(share),
            _ => Pace::Original,
        },
        rewrites: args.rewrite.clone(),
        parameters: args.set_param.clone(),
        own_host: args.rewrite_host,
        seed: args.seed.unwrap_or(nmax_plan::document::SEED_DEFAULT),
    });
    let counts = logs.read(&mut Progress::new(is_quiet), |record| replay.add(record));
    logs::warn(&doubts(&counts));
    let schedule = replay.finish();
    if schedule.is_empty() {
        let reasons: Vec<String> =
            schedule.left_out.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let of = counts.parsed + counts.rejected;
        let help = "choose another time, name the --format, or let --all-methods send what may change data";
        let parsed = counts.parsed;
        let why = format!("nothing to replay: {parsed} of {of} lines are requests; {}", reasons.join(", "));
        return Err(Trouble::usage(why, help));
    }
    Ok((schedule, logs, counts))
}
