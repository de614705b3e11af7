//! `nmax replay`: a log as an exact schedule, sent and compared with itself.

use std::sync::Arc;

use nmax_log::record::Record;
use nmax_log::replay::{Methods, Options, Pace, Replay, STRAYS, Schedule};
use nmax_log::traffic::{Options as TrafficOptions, Profile, Traffic, Types};
use nmax_plan::units::format_duration;
use nmax_report::number;
use nmax_run::Exit;
use nmax_run::fidelity::{Source, Visitors};
use nmax_run::load;
use nmax_run::logs::{Counts, Logs};
use nmax_secrets::targets::Hider;

use super::run::{complain, conduct};
use crate::args::ReplayArgs;
use crate::logs::Progress;
use crate::{logs, say};

/// Longest name of a plan, characters.
const NAME_CHARS_MAX: usize = 64;
/// What a replay is, in the events of its run.
const REPLAY: &str = "REPLAY";
/// What a replay leaves out, there.
const LEFT_OUT: &str = "REPLAY_LEFT_OUT";

/// Replays logs; prints the result.
pub fn replay(args: &ReplayArgs) -> Exit {
    let (schedule, logs, counts) = match schedule(args) {
        Ok(read) => read,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let mut run = args.run();
    run.plan.target = run.plan.target.or_else(|| schedule.origin().map(str::to_owned));
    if run.plan.target.is_none() {
        let host = schedule.host();
        let why = match host {
            Some(host) => format!("the log names the host {host}, but not whether to reach it by http or https"),
            None => "the log does not say which server to send it to".to_owned(),
        };
        let host = host.unwrap_or("127.0.0.1:8080");
        let help = format!("give one that may be loaded by --target, as in --target http://{host}");
        return complain(&format!("{why}\n  help: {help}"), Exit::Usage);
    }
    let profile = profile(&schedule);
    let types = Types::of(&profile);
    let name = name(&logs.names(), schedule.pace);
    let file = logs.names().first().cloned().unwrap_or_default();
    let text = schedule.document(&name, &file, &args.headers);
    let mut plan = match load::plan_of_log(&text, &run.plan.changes()) {
        Ok(plan) => plan,
        Err(error) => return complain(&error, Exit::Usage),
    };
    if !schedule.fill(&mut plan, |method, target| types.name(method, target)) {
        let help = "replay a part of the log: --from, --to, --day, --peak-hour";
        return complain(&format!("the log has too many different targets\n  help: {help}"), Exit::Usage);
    }
    let told = told(&schedule, &counts, &logs);
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
    let source = Source {
        name: format!("{}{pace}", logs.names().join(", ")),
        profile,
        note: source_note(schedule.pace),
        visitors: Visitors::Log(Arc::new(schedule)),
    };
    conduct(&run, plan, Some(Arc::new(source)), told)
}

/// Reads the logs into a schedule.
fn schedule(args: &ReplayArgs) -> Result<(Schedule, Logs, Counts), String> {
    let read = args.read.ask();
    let is_quiet = args.output.quiet;
    let mut logs = Logs::open(&read).map_err(|error| error.to_string())?;
    logs.notes.iter().for_each(say::note);
    let period = logs.period(&read, &mut Progress::new(is_quiet)).map_err(|error| error.to_string())?;
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
    logs::warn(&counts.warnings());
    let schedule = replay.finish();
    if schedule.is_empty() {
        let reasons: Vec<String> =
            schedule.left_out.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        let of = counts.parsed + counts.rejected;
        let help = "choose another time, name the --format, or let --all-methods send what may change data";
        return Err(format!(
            "nothing to replay: {} of {of} lines are requests; {}\n  help: {help}",
            counts.parsed,
            reasons.join(", ")
        ));
    }
    Ok((schedule, logs, counts))
}

/// The traffic that is planned: the log as it will be sent.
fn profile(schedule: &Schedule) -> Profile {
    let mut traffic = Traffic::new(TrafficOptions { with_robots: true, ..TrafficOptions::default() });
    let mut hider = Hider::default();
    schedule.records().for_each(|record| {
        let target = hider.hide(record.target);
        traffic.add(&Record { target, ..record });
    });
    traffic.finish()
}

/// What became of the source's figures, where they are not those of the log.
fn source_note(pace: Pace) -> Option<String> {
    let changed = match pace {
        Pace::Original => return None,
        Pace::Compressed(factor) => format!("its times are those of the log divided by {factor}"),
        Pace::Copies(copies) => format!("its rates are those of the log times {copies}"),
        Pace::Thinned(share) => format!("its rates are those of the log times {share}"),
    };
    Some(format!("the source is the log as it was to be sent: {changed}; latency and sizes are those of the log"))
}

/// What the plan is called: its log and its pace.
fn name(files: &[String], pace: Pace) -> String {
    let first = files.first().map_or("log", |file| file.rsplit(['/', '\\']).next().unwrap_or(file));
    let more = if files.len() > 1 { " ..." } else { "" };
    let pace = format!("{more}, {}", pace.name());
    let room = NAME_CHARS_MAX.saturating_sub(pace.chars().count());
    let first: String = first.chars().filter(|c| !c.is_control()).take(room).collect();
    let name = format!("{}{pace}", first.trim());
    name.trim().to_owned()
}

/// What belongs beside the numbers of the run.
fn told(schedule: &Schedule, counts: &Counts, logs: &Logs) -> Vec<(&'static str, String)> {
    let length = format_duration(std::time::Duration::from_millis(schedule.length_ns() / 1_000_000));
    let stamp = |us: i64| jiff::Timestamp::from_microsecond(us).unwrap_or_default();
    let mut told = vec![(
        REPLAY,
        format!(
            "{} requests of {} ({} from {} on), {}, in {length}",
            number::count(schedule.len() as u64),
            logs.names().join(", "),
            logs.format(),
            stamp(schedule.period.from_us),
            schedule.pace.name()
        ),
    )];
    let reasons = schedule.left_out.iter();
    told.extend(reasons.map(|(reason, count)| (LEFT_OUT, format!("{} requests: {reason}", number::count(*count)))));
    if counts.rejected > 0 {
        told.push((LEFT_OUT, format!("{} lines that are no requests", number::count(counts.rejected))));
    }
    told
}
