//! `diagnosis` of the summary: what the run waited for.

use nmax_analysis::suspect::{self, Cell, Kind, Label};
use nmax_json::{Micro, Nano, Word, records};

records! {
    pub(super) struct Diagnosis(diagnosis: &suspect::Diagnosis) {
        refused: Vec<String>, "Why nothing is said of the system; empty when something is.";
        slow_request: Option<SlowRequest>, "The request that takes most of all time, where one does.";
        suspects: Vec<Suspect>, "At most three, the first to look at first.";
        others: Vec<Suspect>;
        budget: Option<Budget>;
        bounds: Option<Bounds>;
        coverage: Vec<Coverage>;
    }
    pub(super) struct Resource(resource: &suspect::Resource) {
        host: String;
        kind: Word = resource.kind.name(), in Kind::ALL.map(Kind::name);
        name: String, "Which of its kind; empty where there is one.";
    }
    pub(super) struct SlowRequest(slow: &suspect::SlowRequest) {
        name: String;
        rate_per_s: Micro;
        mean_s: Nano, "Mean service time.";
        share: Micro, "Of the sum of all service times, 0 to 1.";
    }
    pub(super) struct Budget(budget: &suspect::Budget) {
        response_s: Nano;
        throughput_per_s: Micro;
        parts: Vec<Part>;
        unexplained_s: Nano,
            "What is left of the response time; negative when resources worked for others too.";
    }
    pub(super) struct Part(part: &suspect::Part) {
        #[serde(flatten)] resource: Resource;
        service_s: Nano;
        waiting_s: Nano;
    }
    pub(super) struct Bounds(bounds: &suspect::Bounds) {
        #[serde(flatten)] resource: Resource;
        demand_s: Nano;
        throughput_max_per_s: Micro;
        knee: Option<Micro>;
    }
    pub(super) struct Suspect(suspect: &suspect::Suspect) {
        #[serde(flatten)] resource: Resource;
        label: Word = suspect.label.name(), in Label::ALL.map(Label::name);
        residence_s: Option<Nano>, "Seconds of each request that are spent in it.";
        demand_s: Option<Nano>, "Seconds of service that each request asks of it.";
        utilization: Option<Micro>;
        findings: Vec<Finding>;
        falsify: String;
    }
    pub(super) struct Finding(finding: &suspect::Finding) {
        kind: Word;
        text: String;
        source: Word;
    }
    pub(super) struct Coverage(row: &suspect::Coverage) {
        #[serde(flatten)] resource: Resource;
        utilization: Option<State> = state(&row.utilization);
        saturation: Option<State> = state(&row.saturation);
        errors: Option<State> = state(&row.errors);
        remedy: String;
    }
    pub(super) struct State(cell: (Word, &str)) {
        state: Word = cell.0, in ["observed", "gap", "not_observed"];
        text: String = cell.1;
    }
}

fn state(cell: &Cell) -> Option<(Word, &str)> {
    match cell {
        Cell::Observed(figure) => Some(("observed", figure)),
        Cell::Gap(why) => Some(("gap", why)),
        Cell::NotObserved => Some(("not_observed", "")),
        Cell::None => None,
    }
}
