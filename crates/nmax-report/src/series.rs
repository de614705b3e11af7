//! Several runs in one summary, such as those of a test series from smoke to flood: a row each, what changed between them,
//! and one verdict.

use nmax_analysis::Verdict;
use nmax_analysis::compare::{Load, Metric};

use crate::comparison::{self, day};
use crate::doc::table::{Cell, Table};
use crate::doc::{Banner, Document, Item, Mark, Section};
use crate::number::{self, UNKNOWN};
use crate::report::verdict;
use crate::view::since::{RunFigures, Since};

/// Most lines of what changed between two runs.
const CHANGES_MAX: usize = 12;

/// Runs, and what they are together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesView {
    /// Version of nmax.
    pub nmax_version: String,
    /// Which runs these are, in words.
    pub title: String,
    /// The runs, oldest first.
    pub runs: Vec<SeriesRun>,
}

/// A run of a series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesRun {
    /// The run.
    pub figures: RunFigures,
    /// Why it is not a PASS: sentences.
    pub reasons: Vec<String>,
    /// What changed since the run before it in the series.
    pub since: Option<Since>,
}

impl SeriesRun {
    /// Its verdict; `None` of a run that has none, as one that cannot be read.
    pub fn verdict(&self) -> Option<Verdict> {
        [Verdict::Pass, Verdict::Fail, Verdict::Invalid]
            .into_iter()
            .find(|verdict| verdict.name() == self.figures.origin.verdict)
    }

    /// The load as asked for: `40/s`, `10 users`.
    pub fn intended(&self) -> String {
        match self.figures.origin.load {
            Load::Unplanned => UNKNOWN.into(),
            Load::Open(rate) => number::rate(rate),
            Load::Closed(vus) => format!("{} users", number::digits(vus)),
        }
    }

    /// Its name, and its profile where the name does not say it.
    pub fn name(&self) -> String {
        let origin = &self.figures.origin;
        match &origin.profile {
            Some(profile) if !origin.name.contains(profile.as_str()) => format!("{} {profile}", origin.name),
            _ => origin.name.clone(),
        }
    }

    /// A figure of all its requests, with its unit.
    pub fn figure(&self, metric: Metric) -> String {
        self.figures.values.get(metric).map_or_else(|| UNKNOWN.into(), |value| comparison::value(metric, value))
    }

    /// Its verdict, or what stands for it, with its mark.
    fn said(&self) -> (Mark, &'static str) {
        match self.verdict() {
            Some(known) => verdict(known),
            None => (Mark::Unknown, "no result"),
        }
    }
}

impl SeriesView {
    /// FAIL when a run fails; else INVALID when one is INVALID or did not come to its end; else PASS. A run that fails is
    /// valid, so others that judge nothing do not take it back.
    pub fn verdict(&self) -> Verdict {
        let is_whole = |run: &SeriesRun| run.verdict() == Some(Verdict::Pass) && run.figures.incomplete.is_none();
        if self.runs.iter().any(|run| run.verdict() == Some(Verdict::Fail)) {
            Verdict::Fail
        } else if self.runs.iter().all(is_whole) && !self.runs.is_empty() {
            Verdict::Pass
        } else {
            Verdict::Invalid
        }
    }

    /// How many runs there are of each verdict: `5 runs: 3 PASS, 1 FAIL, 1 without a result`.
    pub fn headline(&self) -> String {
        let count = |wanted: Option<Verdict>| self.runs.iter().filter(|run| run.verdict() == wanted).count();
        let words = [
            (Some(Verdict::Pass), "PASS"),
            (Some(Verdict::Fail), "FAIL"),
            (Some(Verdict::Invalid), "INVALID"),
            (None, "without a result"),
        ];
        let counts = words.map(|(wanted, word)| (count(wanted), word));
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        format!("{}: {}", comparison::runs(self.runs.len()), counts.join(", "))
    }

    /// The summary as it is written everywhere.
    pub fn document(&self) -> Document {
        let (mark, word) = verdict(self.verdict());
        Document {
            title: format!("Test series: {}", self.title),
            banner: Banner {
                mark,
                word: word.into(),
                meaning: self.headline(),
                reasons: self.runs.iter().filter_map(reason).collect(),
                notes: Vec::new(),
            },
            sections: vec![self.table(), self.changes()].into_iter().filter_map(Section::said).collect(),
            footer: "Figures are of all requests in the hold of each run. Figures that moved are a hint, not a proof: \
                     one run on each side. `nmax compare` decides.",
            nmax_version: self.nmax_version.clone(),
            ..Document::default()
        }
    }

    fn table(&self) -> Section {
        let of = |metric: Metric| move |run: &SeriesRun| run.figure(metric);
        let table = Table::from_rows(&self.runs)
            .word("run", |run| Cell::from(run.figures.origin.label.as_str()).small(day(&run.figures.origin.started_at)))
            .short("run", 12)
            .word("name", SeriesRun::name)
            .short("name", 0)
            .word("verdict", |run| {
                let (mark, word) = run.said();
                Cell::mark(mark, word)
            })
            .short("verdict", 10)
            .number("load asked", SeriesRun::intended)
            .short("asked", 9)
            .number("load made", |run| run.figures.achieved_per_s.map_or_else(|| UNKNOWN.into(), number::rate))
            .short("made", 8)
            .number("p50", of(Metric::ResponseP50))
            .number("p95", of(Metric::ResponseP95))
            .short("p95", 8)
            .number("p99", of(Metric::ResponseP99))
            .short("p99", 8)
            .number("failures", of(Metric::FailureRate))
            .short("failed", 7)
            .sentence("note", |run| run.figures.origin.note.clone());
        Section::new("runs", "Runs").aside("response times of all requests, in the hold").with(|body| {
            body.table(table);
        })
    }

    fn changes(&self) -> Section {
        Section::new("changes", "What changed from run to run").with(|body| {
            for run in &self.runs {
                let Some(since) = &run.since else { continue };
                let origin = &run.figures.origin;
                body.heading(format!(
                    "{} ({}) after {}",
                    run.name(),
                    origin.label.as_str(),
                    since.before.origin.label.as_str()
                ));
                let note = Some(&origin.note).filter(|note| !note.is_empty());
                let note = note.map(|note| Item::plain(note).title("why:"));
                let moved = since.moved.iter().map(|moved| Item::new(Mark::Changed, moved.text()));
                let changed = since.lines().into_iter().map(|line| Item::new(Mark::Point, line));
                body.some_items(note.into_iter().chain(moved).chain(changed), CHANGES_MAX, "changes");
            }
        })
    }
}

/// Why a run keeps the series from a PASS.
fn reason(run: &SeriesRun) -> Option<Item> {
    let (mark, word) = run.said();
    let reasons = run.reasons.iter().chain(&run.figures.incomplete);
    let reasons: Vec<&str> = reasons.map(String::as_str).collect();
    let text = if reasons.is_empty() { word.to_owned() } else { format!("{word}: {}", reasons.join("; ")) };
    let is_whole = run.verdict() == Some(Verdict::Pass) && run.figures.incomplete.is_none();
    (!is_whole).then(|| Item::new(mark, text).title(format!("{} {}", run.figures.origin.label.as_str(), run.name())))
}
