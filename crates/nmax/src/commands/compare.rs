//! `nmax compare`: before and after, from runs and access logs.
//!
//! # Layout
//! - this file: which runs, whether they may be compared, what is written where
//! - `run`: a run's figures from its directory; `log`: those of an access log; `names`: which requests of both are the same

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use nmax_analysis::compare::{Kind, Measured, Metric, Origin, Question, Said, caveats, compare};
use nmax_report::comparison::ComparisonView;
use nmax_report::terminal::Style;
use nmax_report::{html, json, markdown, terminal};
use nmax_store::{Manifest, StoreError};

use super::run::{complain, writable, write};
use crate::args::BeforeAfterArgs;
use crate::exit::Exit;
use crate::{live, say};

mod log;
mod names;
pub(super) mod run;

/// Most runs on a side.
const RUNS_MAX: usize = 200;
/// Most other runs that tell how much equal runs differ.
const HISTORY_MAX: usize = 50;
/// Runs on a side up to which parts of runs are looked at.
const FEW: usize = 8;

/// What a side is made of.
enum Part {
    /// The directory of a run.
    Run(PathBuf),
    /// An access log, or the profile of one.
    Log(PathBuf),
}

/// A side as it is compared.
#[derive(Default)]
struct Side {
    origins: Vec<Origin>,
    measured: Vec<Measured>,
}

/// Compares.
pub fn before_after(args: &BeforeAfterArgs) -> Exit {
    match compared(args) {
        Ok(exit) => exit.forgiven(args.exit_zero),
        Err((text, exit)) => complain(&text, exit.forgiven(args.exit_zero)),
    }
}

fn compared(args: &BeforeAfterArgs) -> Result<Exit, (String, Exit)> {
    let usage = |text: String| (text, Exit::Usage);
    for file in &args.output {
        writable(file).map_err(usage)?;
    }
    let (before, after) = sides(args).map_err(usage)?;
    let view = view(args, &before, &after)?;
    for file in &args.output {
        write(file, &page(file, &view)).map_err(usage)?;
    }
    if args.json {
        say::line(format_args!("{:#}", json::comparison(&view)));
    } else {
        say::text(terminal::comparison(&view, style()));
    }
    Ok(match view.answer.said() {
        Said::Worse => Exit::Failed,
        _ if args.strict && view.answer.count(Said::Inconclusive) > 0 => Exit::Invalid,
        _ => Exit::Pass,
    })
}

/// How standard output is written.
pub(super) fn style() -> Style {
    let is_terminal = std::io::stdout().is_terminal();
    Style {
        color: is_terminal && live::use_color(),
        width: if is_terminal { live::terminal_width() } else { 80 },
        wide: false,
    }
}

/// The comparison in the form that the file's ending names.
fn page(file: &Path, view: &ComparisonView) -> String {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("md") => markdown::comparison(view),
        Some("json") => format!("{:#}\n", json::comparison(view)),
        _ => html::comparison(view),
    }
}

/// What is on each side.
fn sides(args: &BeforeAfterArgs) -> Result<(Vec<Part>, Vec<Part>), String> {
    let (before, after): (&[String], &[String]) = match args.sides.as_slice() {
        [] if !args.before.is_empty() => (&args.before, &args.after),
        [before, after] => (std::slice::from_ref(before), std::slice::from_ref(after)),
        given => {
            let lacks = if given.is_empty() {
                "no runs are given"
            } else {
                "one side alone has nothing to be compared with"
            };
            let help = "give two, as in `nmax compare 3f2a last`, or several: `nmax compare --before A B --after C D`";
            return Err(format!("{lacks}\n  help: {help}"));
        }
    };
    let (before, after) = (parts(args, before), parts(args, after));
    match (before, after) {
        (Ok(before), Ok(after)) => Ok((before, after)),
        (before, after) => {
            let problems: Vec<String> = [before.err(), after.err()].into_iter().flatten().collect();
            Err(problems.join("\nerror: "))
        }
    }
}

/// What these words mean; all that is wrong at once.
fn parts(args: &BeforeAfterArgs, asked: &[String]) -> Result<Vec<Part>, String> {
    let (mut parts, mut problems) = (Vec::new(), Vec::new());
    for one in asked {
        match part(args, one) {
            Ok(found) => parts.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    if parts.len() > RUNS_MAX {
        problems.push(format!(
            "{} runs on one side are too many\n  help: give at most {RUNS_MAX}",
            parts.len()
        ));
    }
    if problems.is_empty() {
        Ok(parts)
    } else {
        Err(problems.join("\nerror: "))
    }
}

fn part(args: &BeforeAfterArgs, asked: &str) -> Result<Vec<Part>, String> {
    let chosen = match asked.split_once(':') {
        Some(("tag", tag)) => Some((tag, true)),
        Some(("name", name)) => Some((name, false)),
        _ => None,
    };
    if let Some((word, is_tag)) = chosen {
        let list = nmax_store::list(&args.runs_dir).map_err(|error| error.to_string())?;
        let is_meant = |run: &&nmax_store::RunEntry| match is_tag {
            true => run.tags.iter().any(|tag| tag == word),
            false => run.name == word,
        };
        // What judges nothing is no choice of a person here.
        let is_sound = |run: &&nmax_store::RunEntry| {
            let is_whole = run.finished && !run.running && !run.interrupted && !run.aborted;
            is_whole && run.verdict.as_deref() != Some("invalid")
        };
        let meant: Vec<_> = list.iter().filter(is_meant).collect();
        let sound: Vec<Part> = meant
            .iter()
            .filter(|run| is_sound(run))
            .map(|run| Part::Run(run.path.clone()))
            .collect();
        let left_out = meant.len() - sound.len();
        if left_out > 0 {
            say::note(format_args!(
                "note: {asked}: {left_out} runs that are INVALID or did not come to their end are left out"
            ));
        }
        if sound.is_empty() {
            let folder = args.runs_dir.display();
            return Err(format!(
                "{asked}: no such run in {folder} judges anything\n  help: `nmax runs` lists them"
            ));
        }
        return Ok(sound);
    }
    match nmax_store::find(&args.runs_dir, asked) {
        Ok(directory) => Ok(vec![Part::Run(directory)]),
        Err(StoreError::NotFound { .. }) if Path::new(asked).is_file() => Ok(vec![Part::Log(PathBuf::from(asked))]),
        Err(StoreError::NotFound { .. }) if Path::new(asked).is_dir() => Err(format!(
            "{asked}: this is no run: it has no manifest.json\n  help: give the directory of a run, as `nmax runs` lists them"
        )),
        Err(error) => Err(error.to_string()),
    }
}

/// Reads both sides and compares them.
fn view(args: &BeforeAfterArgs, before: &[Part], after: &[Part]) -> Result<ComparisonView, (String, Exit)> {
    let usage = |text: String| (text, Exit::Usage);
    let with_blocks = before.len().min(after.len()) < FEW;
    let read = |parts: &[Part]| -> Result<(Side, Vec<names::Known>), String> {
        let (mut side, mut known) = (Side::default(), Vec::new());
        for part in parts {
            if let Part::Run(directory) = part {
                let read = run::read(directory, with_blocks)?;
                known.extend(read.known);
                side.origins.push(read.origin);
                side.measured.push(read.measured);
            }
        }
        Ok((side, known))
    };
    let ((mut one, of_one), (mut other, of_other)) = (read(before).map_err(usage)?, read(after).map_err(usage)?);
    let known = [of_one, of_other].concat();
    for (parts, side) in [(before, &mut one), (after, &mut other)] {
        for part in parts {
            if let Part::Log(file) = part {
                let (origin, measured) = log::read(file, args, &known).map_err(usage)?;
                side.origins.push(origin);
                side.measured.push(measured);
            }
        }
    }
    let found = caveats(&one.origins, &other.origins);
    let refused: Vec<&str> = found
        .iter()
        .filter(|caveat| caveat.refuses)
        .map(|caveat| caveat.text.as_str())
        .collect();
    if !refused.is_empty() && !args.force {
        let help = "--force compares them all the same";
        return Err((
            format!("this may not be compared: {}\n  help: {help}", refused.join("\n  and ")),
            Exit::Invalid,
        ));
    }
    let history = if args.no_history {
        Vec::new()
    } else {
        history(&args.runs_dir, &one, &other)
    };
    let has_log = one
        .origins
        .iter()
        .chain(&other.origins)
        .any(|origin| origin.kind == Kind::Log);
    let usual: &[Metric] = if has_log { &Metric::OF_LOGS } else { &Metric::OF_RUNS };
    let answer = compare(&Question {
        before: &one.measured,
        after: &other.measured,
        history: &history,
        metrics: if args.metric.is_empty() { usual } else { &args.metric },
        only: &args.request,
        margin: args.margin,
        failure_margin: args.failure_margin,
    });
    if answer.rows.is_empty() {
        return Err(usage(nothing(args, &one, &other)));
    }
    Ok(ComparisonView {
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        before: one.origins,
        after: other.origins,
        caveats: found,
        answer,
    })
}

/// Why there is no row.
fn nothing(args: &BeforeAfterArgs, before: &Side, after: &Side) -> String {
    let names = |side: &Side| {
        let mut names: Vec<&str> = side
            .measured
            .iter()
            .flat_map(|run| run.requests.keys().map(String::as_str))
            .collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(10);
        names.join(", ")
    };
    let what = if args.request.is_empty() {
        "no request is on both sides"
    } else {
        "--request: no such request is on both sides"
    };
    format!(
        "{what}\n  help: before there are {}; after there are {}",
        names(before),
        names(after)
    )
}

/// Other sound runs of the same plan on the same target, of the name and labels of a run that is compared: how much equal
/// runs differ. A group for each name with its labels, oldest first.
fn history(runs_dir: &Path, before: &Side, after: &Side) -> Vec<Vec<Measured>> {
    let all = || before.origins.iter().chain(&after.origins);
    let Some(first) = all().find(|origin| origin.kind == Kind::Run) else {
        return Vec::new();
    };
    let Ok(list) = nmax_store::list(runs_dir) else {
        return Vec::new();
    };
    let is_like = |run: &&nmax_store::RunEntry| {
        let is_sound = run.finished && !run.running && !run.interrupted && !run.aborted;
        is_sound
            && run.verdict.as_deref() != Some("invalid")
            && run.target == first.target
            && all().all(|origin| origin.label != run.id)
            && all().any(|origin| origin.name == run.name && sorted(&origin.tags) == sorted(&run.tags))
    };
    let is_same_plan = |run: &&nmax_store::RunEntry| {
        Manifest::read(&run.path).is_ok_and(|other| other.plan_sha256 == first.plan_sha256)
    };
    let others = list.iter().filter(is_like).filter(is_same_plan).take(HISTORY_MAX);
    let mut groups: BTreeMap<(&str, Vec<&str>), Vec<Measured>> = BTreeMap::new();
    for other in others {
        if let Ok(read) = run::read(&other.path, false) {
            let group = groups.entry((other.name.as_str(), sorted(&other.tags))).or_default();
            group.push(read.measured);
        }
    }
    // The list has the newest first.
    groups.values_mut().for_each(|group| group.reverse());
    groups.into_values().collect()
}

fn sorted(tags: &[String]) -> Vec<&str> {
    let mut tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    tags.sort_unstable();
    tags
}
