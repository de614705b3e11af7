//! `summary.json`: times in milliseconds with microsecond digits, rates per second, unknown = null.

use nmax_analysis::{Gate, Reason, ThresholdResult, Withheld};
use nmax_json::{Map, Micro, Seconds, Version, Word, records};
use serde_json::Value;

use crate::run::RunInfo;
use crate::view::View;
use nmax_analysis::summary;

mod answers;
mod breakdown;
mod capacity;
mod comparison;
mod diagnosis;
mod groups;
mod scale;
mod series;
mod stats;
mod usl;
mod versions;
pub use capacity::{capacity_day, capacity_day_schema, capacity_plan, capacity_plan_schema};
pub use comparison::{comparison, comparison_schema, history, history_schema};
pub use scale::{level, scale, scale_schema};
pub use series::{series, series_schema};
pub use usl::{asked_model, predict, usl, usl_predict_schema, usl_schema};
pub use versions::{compare, usl_compare_schema, usl_what_if_schema, what_if};

/// Version of the shape. Readers refuse versions they do not know.
pub const SCHEMA_VERSION: u32 = 1;

/// The summary of a run; [`schema`] describes it.
pub fn summary(view: &View) -> Value {
    nmax_json::value::<Summary, _>(view)
}

/// The schema of the summary. Every key is required; what is unknown is null. Readers must ignore keys they do not know.
pub fn schema() -> Value {
    nmax_json::schema::<Summary>("summary.json of nmax", ABOUT)
}

/// What all answers about runs have in common.
const ABOUT: &str = "Times are milliseconds, rates per second, instants RFC 3339 UTC. Unknown is null.";

records! {
    struct Summary(view: &View) {
        schema_version: Version = Version;
        nmax_version: String = &view.run.nmax_version;
        run: Run;
        verdict: Word = view.judgement.verdict.name(), in ["pass", "fail", "invalid"];
        reasons: Vec<ReasonRow> = &view.judgement.reasons;
        phase: Phase = &view.summary.phase;
        duration_s: Micro = view.summary.duration_s;
        intended_rate_per_s: Option<Micro> = view.summary.intended_rate_per_s,
            "Iterations per second; null for closed workloads.";
        achieved_rate_per_s: Option<Micro> = view.summary.achieved_rate_per_s,
            "Iterations started per second in the phase.";
        dropped: Dropped = &view.summary.dropped;
        censored: u64 = view.summary.censored, "Exchanges unfinished at the end of the run.";
        total: stats::Stats = &view.summary.total;
        requests: Map<stats::Stats> = &view.summary.requests;
        withheld: Vec<WithheldRow> = &view.judgement.withheld,
            "Quantiles of the response time of which more than a tenth is the injector's own lag.";
        scenarios: Map<groups::Scenario> = Map::by(&view.summary.scenarios, |row| &row.name);
        background: Vec<String> = &view.summary.background,
            "Scenarios that ran beside the mix; the intended rate is without them.";
        transactions: Map<groups::Transaction> = Map::by(&view.summary.transactions, |row| &row.name);
        pages: Map<groups::Page> = Map::by(&view.summary.pages, |row| &row.pages.name);
        transitions: Map<groups::Transition> = Map::by(&view.summary.transitions, |row| &row.name),
            "Pages by the page before, as `from -> to`.";
        locations: Map<groups::Location> = Map::by(&view.summary.locations, |row| &row.exchanges.name);
        checks: Map<Check> = Map::by(&view.summary.checks, |row| &row.name);
        #[serde(skip_serializing_if = "Vec::is_empty")]
        metrics: Vec<groups::Metric> = &view.summary.metrics,
            "Metrics of the user's own, by name and tag; absent without any.";
        thresholds: Vec<Threshold> = &view.judgement.thresholds;
        gates: Vec<GateRow> = &view.judgement.gates;
        steady: Option<answers::Steady> = &view.judgement.steadiness,
            "Whether the hold stood still; null without a hold.";
        profile: Option<answers::Profile> = &view.judgement.answer, "What the run says to the question of its profile.";
        compress: Micro = view.summary.compress, "How many times shorter than written the run was; 1 = as written.";
        steered: bool = !view.summary.steered.is_empty(),
            "Whether the load was changed while the run, or the one that it repeats, went on.";
        stages: Vec<Stage> = &view.summary.stages, "What was run, changes of the load included.";
        timeline: Vec<answers::Intervention> = &view.judgement.effects;
        observed: Vec<answers::Observed> = &view.summary.observed;
        breakdown: breakdown::Breakdown = &view.judgement.breakdown;
        hosts: Vec<breakdown::Host> = &view.summary.hosts,
            "Means and maxima in the phase of everything that was read, by host.";
        log_errors: Vec<breakdown::LogErrors> = &view.summary.log_errors,
            "Errors in the phase of every followed log of an application.";
        diagnosis: diagnosis::Diagnosis = &view.judgement.diagnosis;
        connections: Connections = &view.summary.connections;
        injector: Injector = &view.summary.injector, "Of several injectors, sums and the worst.";
        #[serde(skip_serializing_if = "Vec::is_empty")]
        injectors: Vec<groups::Injector> = &view.summary.injectors, "By injector; absent for a run on one.";
        #[serde(skip_serializing_if = "Vec::is_empty")]
        regions: Vec<groups::Region> = &view.summary.regions,
            "By region of the injectors; absent for a run on one, and where no region was given.";
        events: Vec<EventRow> = &view.summary.events;
        limits_hit: Vec<String> = &view.summary.limits_hit;
    }
    struct Run(run: &RunInfo) {
        id: String;
        name: String;
        note: String;
        tags: Vec<String>;
        started_at: String;
        seed: u64;
        plan_sha256: String;
        target: String;
        machine: Map<String>;
    }
    struct ReasonRow(reason: &Reason) {
        code: Word;
        text: String;
        evidence: Map<String>;
        decides: bool, "False for a warning that does not change the verdict.";
    }
    struct Phase(phase: &summary::Phase) {
        name: Word, in ["hold", "whole"];
        start_s: Micro;
        end_s: Micro;
    }
    struct Stage(stage: &summary::Span) {
        name: Word, in ["warm-up", "ramp-up", "hold", "ramp-down"];
        start_s: Micro;
        end_s: Micro;
        from: Micro, "Level at its beginning: iterations per second, or virtual users of a closed workload.";
        to: Micro, "Level at its planned end.";
    }
    struct Dropped(dropped: &nmax_metrics::Dropped) {
        total: u64 = dropped.total();
        injector: u64;
        in_flight_limit: u64;
    }
    struct WithheldRow(one: &Withheld) {
        request: Option<String>, "Null for all requests together.";
        quantile: Word;
        value_ms: Micro, "As measured, the injector's lag included.";
        own_ms: Micro, "How much of it disappears without the lag.";
    }
    struct Check(row: &summary::CheckRow) {
        passed: u64;
        failed: u64;
    }
    struct Threshold(result: &ThresholdResult) {
        condition: String;
        value: Option<Micro>;
        limit: Micro;
        unit: Word = unit(result.unit), "Of value and limit: `ms`, `ratio` (0 to 1), `/s`, or empty for counts.";
        margin: Option<Micro>, "Distance to the limit relative to it, positive when it holds.";
        holds: bool;
    }
    struct GateRow(gate: &Gate) {
        code: Word;
        name: Word;
        value: Option<Micro>;
        limit: Option<Micro>;
        unit: Word = unit(gate.unit), "Of value and limit: `ms`, `ratio` (0 to 1), or empty for counts.";
        holds: bool;
        text: String;
    }
    struct Injector(injector: &summary::Injector) {
        workers: u64;
        pacing_slack_us: Option<Micro> = injector.pacing_slack_ns.map(|ns| ns / 1e3),
            "Starts due within this time share a wake-up; null in closed workloads.";
        cpu_utilization: Option<Micro>, "Mean over workers, 0 to 1.";
        injector_lag_ms: stats::Dist = &injector.lag;
        pickup_delay_ms: stats::Dist = &injector.pickup_delay,
            "What a complete reply that comes at a random instant waits for nmax.";
        stalled_max_s: Option<Micro>, "Time that the worst worker stood still in the phase.";
        open_files_max: Option<u64>;
        ports_used_max: Option<u64>;
        time_wait_max: Option<u64>, "Of the whole host, not of nmax alone.";
    }
    struct Connections(all: &summary::Connections) {
        opened: u64, "In the phase, like all but `addresses`, `passed_over` and `held`.";
        policy: Word, in ["keep-alive", "per-iteration", "per-request"];
        retries: u64, "Exchanges repeated because a kept connection had been closed.";
        informational: u64, "Interim (1xx) replies.";
        redirects: u64, "Redirects followed.";
        tls_handshakes: u64, "TLS handshakes that succeeded.";
        tls_resumed: u64, "Of those, how many resumed a session.";
        resumed_share: Option<Micro>, "0 to 1; null without a handshake.";
        addresses: Map<u64>, "Connections opened by server address, whole run, at most 64 addresses.";
        passed_over: Map<u64>, "Connections that an address did not take, refusing or silent, although another \
            address of its name then did, by address, whole run, at most 64 addresses.";
        held: Held = all, "Sockets that servers kept open for 100 ms and longer after complete replies that should have \
            ended them, whole run.";
    }
    struct Held(all: &summary::Connections) {
        count: u64 = all.held.count;
        still_open: u64 = all.held_open, "Of `count`, those that were still open when nmax gave them up.";
        seconds: HeldTime = &all.held;
    }
    struct HeldTime(held: &summary::Dist) {
        mean: Option<Seconds> = held.mean_ns;
        p50: Option<Seconds> = held.p50();
        max: Option<Seconds> = held.max_ns;
    }
    struct EventRow(event: &summary::Event) {
        at_s: Micro;
        code: String;
        text: String;
    }
}

/// Shares stay from 0 to 1 here, so they are ratios and no percentages.
fn unit(unit: &'static str) -> &'static str {
    match unit {
        "%" => "ratio",
        "%/h" => "ratio/h",
        unit => unit,
    }
}
