//! Before and after, from runs and access logs: which runs, whether they may be compared, what came of it.
//!
//! # Layout
//! - `chosen`: what words mean; `run`: a run's figures from its directory; `log`: those of an access log; `names`: which
//!   requests of both are the same

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nmax_analysis::compare::{Caveat, Comparison, Kind, Measured, Metric, Origin, Question, caveats, compare, odd};
use nmax_report::comparison::ComparisonView;
use nmax_store::Manifest;

use chosen::{Part, sides};

use crate::{Trouble, logs};

mod chosen;
mod log;
mod names;
pub(crate) mod run;

/// Change that still counts as none, unless somebody says otherwise.
pub const MARGIN: f64 = 0.05;
/// Difference of failure rates that still counts as none.
pub const FAILURE_MARGIN: f64 = 0.005;
/// Most other runs that tell how much equal runs differ.
const HISTORY_MAX: usize = 50;
/// Runs on a side up to which parts of runs are looked at.
const FEW: usize = 8;

/// Most runs that a message asks to leave out, by name.
const ODD_MAX: usize = 10;

/// What is compared, and how.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Two sides of one run or log each, where [`Self::before`] is empty.
    pub sides: Vec<String>,
    /// Runs before the change.
    pub before: Vec<String>,
    /// Runs after it.
    pub after: Vec<String>,
    /// Change that still counts as none, a share.
    pub margin: f64,
    /// Difference of failure rates that still counts as none.
    pub failure_margin: f64,
    /// Only these metrics; empty for the usual ones.
    pub metric: Vec<Metric>,
    /// Only these requests; empty for all.
    pub request: Vec<String>,
    /// Whether other runs tell how much equal runs differ.
    pub with_history: bool,
    /// Whether what may not be compared is compared as well.
    pub force: bool,
    /// Format of access logs.
    pub format: Option<String>,
    /// Seconds that stamps of access logs that name no zone lie east of Greenwich.
    pub zone_s: i32,
    /// Where runs are kept.
    pub runs_dir: PathBuf,
}

/// Somebody who is told what a comparison leaves out, and how far it is with logs.
pub trait Listener: logs::Listener {
    /// Something that is left out.
    fn note(&mut self, text: &str);

    /// Something may be wrong with a log.
    fn warning(&mut self, text: &str);
}

/// Both sides, held against each other.
#[derive(Debug)]
pub struct Compared {
    /// Everything that a report shows.
    pub view: ComparisonView,
    /// Why they may not be compared, and what to do about it.
    pub refusal: Option<String>,
}

/// A side as it is compared.
#[derive(Default)]
struct Side {
    origins: Vec<Origin>,
    measured: Vec<Measured>,
}

/// Holds what was after against what was before.
///
/// # Errors
/// What cannot be read, and what that means for the exit code.
pub fn before_after(ask: &Ask, listener: &mut dyn Listener) -> Result<Compared, Trouble> {
    let (before, after) = sides(ask, listener)?;
    let (before, after) = read(ask, &before, &after, listener)?;
    let found = caveats(&before.origins, &after.origins);
    let refusal = refusal(&before, &after, &found).filter(|_| !ask.force);
    let answer = match &refusal {
        Some(_) => Comparison::default(),
        None => answer(ask, &before, &after)?,
    };
    let view = ComparisonView {
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        before: before.origins,
        after: after.origins,
        caveats: [found, answer.caveats()].concat(),
        answer,
    };
    Ok(Compared { view, refusal })
}

/// What `asked` means as a baseline: the directory of a run, or all runs of a label or name, as they were written.
///
/// # Errors
/// There is no such run.
pub fn baseline_named(runs_dir: &Path, asked: &str) -> Result<String, Trouble> {
    let is_meant = |run: &nmax_store::RunEntry| match asked.split_once(':') {
        Some(("tag", tag)) => Some(run.tags.iter().any(|known| known == tag)),
        Some(("name", name)) => Some(run.name == name),
        _ => None,
    };
    match nmax_store::list(runs_dir)?.iter().filter_map(is_meant).reduce(|one, other| one || other) {
        Some(true) => Ok(asked.to_owned()),
        // Where it is no label, the error names the runs.
        _ => Ok(nmax_store::find(runs_dir, asked)?.to_string_lossy().into_owned()),
    }
}

/// A run beside those that it is held against. Where they may not be compared, or one has no result, the view says so.
///
/// # Errors
/// There is no such baseline.
pub fn baseline(
    runs_dir: &Path,
    asked: &str,
    run: &Path,
    listener: &mut dyn Listener,
) -> Result<ComparisonView, Trouble> {
    let before = baseline_named(runs_dir, asked)?;
    let ask = Ask {
        sides: vec![before.clone(), run.to_string_lossy().into_owned()],
        before: Vec::new(),
        after: Vec::new(),
        margin: MARGIN,
        failure_margin: FAILURE_MARGIN,
        metric: Vec::new(),
        request: Vec::new(),
        with_history: true,
        force: false,
        format: None,
        zone_s: 0,
        runs_dir: runs_dir.to_owned(),
    };
    let lacks = |trouble: Trouble| {
        let text = trouble.text.lines().next().unwrap_or_default().to_owned();
        let caveats = vec![Caveat { text, refuses: true }];
        let known = nmax_store::entry(Path::new(&before));
        let origin = known.map(|run| Origin { label: run.id, name: run.name, ..Origin::default() });
        let before = Vec::from_iter(origin);
        ComparisonView { nmax_version: env!("CARGO_PKG_VERSION").into(), before, caveats, ..ComparisonView::default() }
    };
    Ok(before_after(&ask, listener).map_or_else(lacks, |compared| compared.view))
}

/// Reads both sides.
fn read(ask: &Ask, before: &[Part], after: &[Part], listener: &mut dyn Listener) -> Result<(Side, Side), String> {
    let with_blocks = before.len().min(after.len()) < FEW;
    let runs = |parts: &[Part]| -> Result<(Side, Vec<names::Known>), String> {
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
    let ((mut one, of_one), (mut other, of_other)) = (runs(before)?, runs(after)?);
    let known = [of_one, of_other].concat();
    for (parts, side) in [(before, &mut one), (after, &mut other)] {
        for part in parts {
            if let Part::Log(file) = part {
                let (origin, measured) = log::read(file, ask, &known, listener)?;
                side.origins.push(origin);
                side.measured.push(measured);
            }
        }
    }
    Ok((one, other))
}

/// Why these sides may not be compared, and what to do about it.
fn refusal(before: &Side, after: &Side, found: &[Caveat]) -> Option<String> {
    let reasons: Vec<&str> = found.iter().filter(|caveat| caveat.refuses).map(|caveat| caveat.text.as_str()).collect();
    let odd = odd(&before.origins, &after.origins);
    let rest = |side: &Side| -> String {
        let kept = side.origins.iter().filter(|origin| !odd.contains(&origin.label));
        kept.map(|origin| format!(" {}", origin.label)).collect()
    };
    let without = match odd.len() {
        0 => String::new(),
        1..=ODD_MAX => {
            format!("without {}: `nmax compare --before{} --after{}`; ", odd.join(", "), rest(before), rest(after))
        }
        more => format!("leave out the {more} runs that differ from most; "),
    };
    (!reasons.is_empty()).then(|| {
        format!(
            "this may not be compared: {}\n  help: {without}--force compares them all the same",
            reasons.join("\n  and ")
        )
    })
}

/// Compares both sides.
fn answer(ask: &Ask, one: &Side, other: &Side) -> Result<Comparison, String> {
    let history = if ask.with_history { history(&ask.runs_dir, one, other) } else { Vec::new() };
    let has_log = one.origins.iter().chain(&other.origins).any(|origin| origin.kind == Kind::Log);
    let usual: &[Metric] = if has_log { &Metric::OF_LOGS } else { &Metric::OF_RUNS };
    let answer = compare(&Question {
        before: &one.measured,
        after: &other.measured,
        history: &history,
        metrics: if ask.metric.is_empty() { usual } else { &ask.metric },
        only: &ask.request,
        margin: ask.margin,
        failure_margin: ask.failure_margin,
    });
    if answer.rows.is_empty() {
        return Err(nothing(ask, one, other));
    }
    Ok(answer)
}

/// Why there is no row.
fn nothing(ask: &Ask, before: &Side, after: &Side) -> String {
    let names = |side: &Side| {
        let mut names: Vec<&str> =
            side.measured.iter().flat_map(|run| run.requests.keys().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(10);
        names.join(", ")
    };
    let what = if ask.request.is_empty() {
        "no request is on both sides"
    } else {
        "--request: no such request is on both sides"
    };
    format!("{what}\n  help: before there are {}; after there are {}", names(before), names(after))
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
