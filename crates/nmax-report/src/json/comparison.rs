//! Comparisons and histories as JSON.

use nmax_analysis::compare::{self, Conclusion, Kind, Load, Metric, Scale};
use nmax_analysis::history::Step;
use nmax_json::{Micro, Pico, Version, Word, records};
use serde_json::Value;

use super::ABOUT;
use crate::comparison::{ComparisonView, HistoryRun, HistoryView, unit};

/// The comparison; [`comparison_schema`] describes it.
pub fn comparison(view: &ComparisonView) -> Value {
    nmax_json::value::<Comparison, _>(view)
}

/// The schema of `nmax compare --json`. Every key is required; what is unknown is null.
pub fn comparison_schema() -> Value {
    nmax_json::schema::<Comparison>("nmax compare", ABOUT)
}

/// The history; [`history_schema`] describes it.
pub fn history(view: &HistoryView) -> Value {
    nmax_json::value::<History, _>(view)
}

/// The schema of `nmax trend --json`. Every key is required.
pub fn history_schema() -> Value {
    nmax_json::schema::<History>("nmax trend", ABOUT)
}

const UNITS: [&str; 4] = ["ms", "/s", "ratio", "bytes"];

records! {
    struct Comparison(view: &ComparisonView) {
        schema_version: Version = Version;
        nmax_version: String;
        said: Word = view.answer.conclusion().name(), in Conclusion::ALL.map(Conclusion::name), "The whole in one word; worse when a row is.";
        weak: bool = view.answer.is_weak(), "Too few runs for ranks in some row.";
        margin: Micro = view.answer.margin, "Share that counts as the same.";
        failure_margin: Micro = view.answer.failure_margin, "The same for differences of failure rates.";
        family: u64 = view.answer.family, "Rows that Holm's correction is for.";
        runs_needed: u64 = view.answer.runs_needed, "Runs a side from which on ranks can tell among so many rows.";
        history: u64 = view.answer.history, "Other runs that say how much equal runs differ.";
        before: Vec<Origin>;
        after: Vec<Origin>;
        caveats: Vec<CaveatRow>;
        only_before: Vec<String> = &view.answer.only_before;
        only_after: Vec<String> = &view.answer.only_after;
        left_out: u64 = view.answer.left_out;
        rows_silent: u64 = view.answer.silent, "Rows that cannot tell a change and are not among these.";
        rows: Vec<Row> = &view.answer.rows;
    }
    struct CaveatRow(caveat: &compare::Caveat) {
        text: String;
        refuses: bool;
    }
    struct Origin(origin: &compare::Origin) {
        label: String;
        kind: Word = if origin.kind == Kind::Run { "run" } else { "log" }, in ["run", "log"];
        name: String;
        note: String;
        tags: Vec<String>;
        started_at: String;
        target: String;
        verdict: Option<String> = (origin.kind == Kind::Run).then_some(&origin.verdict);
        plan_sha256: String;
        hold_s: Micro;
        rate_per_s: Option<Micro> = if let Load::Open(rate) = origin.load { Some(rate) } else { None },
            "Iterations per second of an open workload.";
        vus: Option<Micro> = if let Load::Closed(vus) = origin.load { Some(vus) } else { None },
            "Virtual users of a closed one.";
        profile: Option<String>;
    }
    struct Row(row: &compare::Row) {
        request: String, "`total` is all of them.";
        metric: Word = row.metric.name(), in Metric::ALL.map(Metric::name);
        unit: Word = unit(row.metric), in UNITS;
        scale: Word = if row.metric.scale() == Scale::Ratio { "ratio" } else { "difference" }, in ["ratio", "difference"],
            "`change` is after over before, or after less before.";
        before: Micro;
        after: Micro;
        change: Option<Micro>;
        interval: Option<[Micro; 2]> = row.interval;
        p: Pico, "Of this row alone.";
        p_adjusted: Pico, "In view of all rows (Holm).";
        weak: bool = row.is_weak;
        said: Word = row.said.name(), in Conclusion::ALL.map(Conclusion::name);
    }
    struct History(view: &HistoryView) {
        schema_version: Version = Version;
        nmax_version: String;
        title: String;
        metric: Word = view.metric.name(), in Metric::ALL.map(Metric::name);
        unit: Word = unit(view.metric), in UNITS;
        request: String;
        margin: Micro;
        runs: Vec<Run>;
        levels: Vec<Level> = &view.history.levels, "Runs from one place to the one before another, between changes.";
        changes: Vec<Change> = view.history.steps.iter().map(|step| (view, step)).collect::<Vec<_>>();
        notes: Vec<String>;
    }
    struct Run(run: &HistoryRun) {
        id: String;
        name: String;
        started_at: String;
        note: String;
        tags: Vec<String>;
        verdict: String;
        target: String;
        plan_sha256: String;
        value: Micro;
    }
    struct Level(level: &(usize, usize, f64)) {
        from: u64 = level.0;
        to: u64 = level.1;
        median: Micro = level.2;
    }
    struct Change(of: (&HistoryView, &Step)) {
        run: String = &of.0.runs[of.1.at].id, "Id of the first run after it.";
        at: u64 = of.1.at, "Its place in `runs`, from 0.";
        change: Micro = of.1.change;
        interval: [Micro; 2] = of.1.interval;
        p: Pico = of.1.p, "Times the places where it could have been.";
        said: Word = of.1.said.name(), in Conclusion::ALL.map(Conclusion::name);
    }
}
