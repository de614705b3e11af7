//! What is gathered by name: scenarios, transactions, pages, transitions, locations.

use nmax_analysis::summary::{GroupRow, InjectorRow, LocationRow, MetricRow, PageRow, ScenarioRow};
use nmax_json::{JsonFrom, Keyed, Keys, Micro, Word, records};
use nmax_metrics::MetricKind;

use super::stats::Dist;

records! {
    pub(super) struct Scenario(row: &ScenarioRow) {
        iterations: u64;
        failed: u64;
        rate_per_s: Option<Micro>;
        iteration_time_ms: Dist = &row.iteration_time;
    }
    pub(super) struct Group(row: &GroupRow) {
        count: u64, "Those that reached their end, failed ones included.";
        failed: u64;
        rate_per_s: Option<Micro>;
    }
    pub(super) struct Transaction(row: &GroupRow) {
        #[serde(flatten)] group: Group = row;
        transaction_time_ms: Dist = &row.time;
    }
    pub(super) struct Transition(row: &GroupRow) {
        #[serde(flatten)] group: Group = row;
        transition_time_ms: Dist = &row.time;
    }
    pub(super) struct Page(row: &PageRow) {
        #[serde(flatten)] pages: Group;
        page_time_ms: Dist = &row.pages.time;
        resources: u64, "What belonged to the pages beside their documents.";
        cached: u64, "Of those, from the cache without an exchange.";
        unchanged: u64, "Of those, unchanged by the server's word (304).";
        resources_failed: u64;
        bytes_received: u64, "Documents and resources, heads included.";
    }
    pub(super) struct Location(row: &LocationRow) {
        exchanges: u64 = row.exchanges.count, "Those that reached their end, failed ones included.";
        failed: u64 = row.exchanges.failed;
        response_time_ms: Dist = &row.exchanges.time;
        iterations: u64 = row.iterations.count, "Those that reached their end, failed ones included.";
        iteration_time_ms: Dist = &row.iterations.time;
        pages: u64 = row.pages.count, "Those that reached their end, failed ones included.";
        page_time_ms: Dist = &row.pages.time;
    }
    pub(super) struct Injector(row: &InjectorRow) {
        name: String;
        region: Option<String>, "Null where none was given.";
        shard: u64, "Which part of the load it had, from 0.";
        workers: u64;
        started: u64, "Iterations started in the phase.";
        started_share: Option<Micro>, "Of all that were started, 0 to 1; null without any.";
        #[serde(flatten)] exchanges: Exchanges = &row.exchanges;
        injector_lag_ms: Dist = &row.lag;
        cpu_utilization: Option<Micro>, "Of the busiest worker, 0 to 1.";
        clock_error_s: Option<Micro>, "Largest uncertainty of its clock against the others; null where it was not compared.";
        clock_jump_s: Option<Micro>, "Largest jump of its clock; null where it was not compared.";
        lost_s: Micro, "Time of its part of the load that it did not report, in the whole run.";
        fails: Vec<Word> = &row.fails, "Codes of the gates that it fails.";
    }
    pub(super) struct Region(row: &GroupRow) {
        region: Option<String> = Some(row.name.clone()).filter(|name| !name.is_empty()), "Null for injectors without one.";
        #[serde(flatten)] exchanges: Exchanges = row;
    }
    pub(super) struct Exchanges(row: &GroupRow) {
        #[serde(flatten)] group: Group = row;
        response_time_ms: Dist = &row.time;
    }
    pub(super) struct Metric(row: &MetricRow) {
        name: String = &row.metric.name;
        kind: Word = row.metric.kind.word(), in MetricKind::WORDS.map(|(word, _)| word);
        unit: String = &row.metric.unit, "Empty where the plan gives none.";
        tag: Option<String> = &row.metric.tag, "The tag of steps whose numbers these are; null for all of the metric.";
        count: u64, "Numbers.";
        unread: u64, "Times there was none: nothing was found, or a text that is not a number.";
        clamped: u64, "Numbers beyond 3.6e12 in size, counted as that.";
        #[serde(flatten)] figures: Keyed<Figures, Option<Micro>> =
            row.figures.iter().map(|(name, value)| (*name, value.map(JsonFrom::json_from))).collect::<Keyed<_, _>>();
    }
}

/// Figures of a metric of the user's own.
pub(super) struct Figures;
impl Keys for Figures {
    fn keys() -> Vec<(&'static str, &'static str)> {
        MetricRow::figures()
    }
}
