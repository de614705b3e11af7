//! What is gathered by name: scenarios, transactions, pages, transitions, locations.

use nmax_analysis::summary::{GroupRow, LocationRow, PageRow, ScenarioRow};
use nmax_json::{Micro, records};

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
}
