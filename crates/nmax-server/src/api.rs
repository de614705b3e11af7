//! What is asked and answered. Each type is declared once: its JSON, its part of the OpenAPI document and so the types of the
//! page follow from it.

use nmax_json::schemars::{JsonSchema, Schema, SchemaGenerator};
use nmax_json::serde::de::DeserializeOwned;
use nmax_json::serde::{Deserialize, Serialize};

/// What is answered.
pub(crate) trait Out: Serialize + JsonSchema + 'static {
    /// Its JSON.
    fn json(&self) -> String {
        serde_json::to_string(self).expect("keys are texts, and nothing else can fail")
    }
}

impl<T: Serialize + JsonSchema + 'static> Out for T {}

/// What is asked.
pub(crate) trait In: DeserializeOwned + JsonSchema + 'static {
    /// Reads it, or says what is wrong with it.
    fn read(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body).map_err(|error| error.to_string())
    }
}

impl<T: DeserializeOwned + JsonSchema + 'static> In for T {}

/// The part of the OpenAPI document that describes a type.
pub(crate) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Declares types that are answered (`out`) or asked (`in`).
macro_rules! types {
    () => {};
    ($(#[$meta:meta])* out $name:ident { $($(#[$of:meta])* $field:ident: $kind:ty,)* } $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Serialize, JsonSchema)]
        #[serde(crate = "nmax_json::serde")]
        #[schemars(crate = "nmax_json::schemars")]
        pub(crate) struct $name { $($(#[$of])* pub(crate) $field: $kind,)* }
        types! { $($rest)* }
    };
    ($(#[$meta:meta])* in $name:ident { $($(#[$of:meta])* $field:ident: $kind:ty,)* } $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(crate = "nmax_json::serde", default, deny_unknown_fields)]
        #[schemars(crate = "nmax_json::schemars")]
        pub(crate) struct $name { $($(#[$of])* pub(crate) $field: $kind,)* }
        types! { $($rest)* }
    };
    ($(#[$meta:meta])* words $name:ident { $($(#[$of:meta])* $variant:ident,)* } $($rest:tt)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(crate = "nmax_json::serde", rename_all = "snake_case")]
        #[schemars(crate = "nmax_json::schemars")]
        pub(crate) enum $name { $($(#[$of])* $variant,)* }
        types! { $($rest)* }
    };
}

pub(crate) mod fleet;

types! {
    /// Why something was not done.
    out Failure {
        /// What is wrong.
        error: String,
        /// What to do; may be empty.
        help: String,
    }

    /// What this viewer may do.
    out Session {
        version: String,
        /// Whether this browser came by the printed address.
        may_change: bool,
        /// Whether plans may be started.
        may_start: bool,
        /// Whether plans may run commands.
        may_exec: bool,
        /// Whether visits may be recorded.
        may_record: bool,
        /// Whether this server shows a fleet.
        has_fleet: bool,
        /// Folder of the plans; null where there is none.
        plans: Option<String>,
        /// Sent as the header `X-Nmax-Key` with everything that changes something.
        key: Option<String>,
    }
    /// The secret of the printed address.
    in Login {
        token: String,
    }

    /// Runs, the newest first.
    out RunList {
        runs: Vec<RunRow>,
        /// There are more than were asked for.
        more: bool,
        /// Every tag.
        tags: Vec<String>,
        /// Every name.
        names: Vec<String>,
    }
    /// A run or a campaign in a list.
    out RunRow {
        id: String,
        name: String,
        kind: Kind,
        /// RFC 3339 UTC.
        started_at: String,
        target: String,
        note: String,
        tags: Vec<String>,
        state: State,
        is_interrupted: bool,
        /// Its load was changed while it ran.
        is_steered: bool,
        duration_s: Option<f64>,
        /// Iterations started per second in the hold.
        rate: Option<f64>,
        /// 95th percentile of the response time in the hold, ms; null where the report withholds it.
        p95_ms: Option<f64>,
        /// Failed exchanges of all in the hold, 0 to 1.
        failure_rate: Option<f64>,
        /// Exchanges per second over time; empty until it is known.
        sparkline: Vec<f64>,
    }
    words Kind { #[default] Run, Scale, }
    /// The verdict, or how far it came without one.
    words State { #[default] Running, Pass, Fail, Invalid, CutOff, Done, }

    /// Beginning and end of a part of a run.
    out Hold {
        from_s: f64,
        /// Null without a planned end.
        until_s: Option<f64>,
    }
    /// A stage of the plan on the time axis.
    out Stage {
        kind: StageKind,
        from_s: f64,
        /// Null without an end.
        until_s: Option<f64>,
        from_level: f64,
        to_level: f64,
    }
    words StageKind { WarmUp, RampUp, #[default] Hold, RampDown, }
    /// By what exchanges can be told apart.
    out Facets {
        request: Vec<String>,
        status: Vec<String>,
        tag: Vec<String>,
        location: Vec<String>,
    }
    /// A run, without its numbers.
    out RunPage {
        row: RunRow,
        is_running: bool,
        /// Whether it is a run of the fleet that goes on: its load cannot be changed.
        is_of_fleet: bool,
        /// As far as it is written.
        duration_s: f64,
        planned_end_s: Option<f64>,
        hold: Hold,
        workload: Workload,
        /// `1/s` or `VUs`.
        level_unit: String,
        /// The planned level now; null of a run that has ended.
        level_now: Option<f64>,
        /// Number of the last change of its load.
        revision: u64,
        stages: Vec<Stage>,
        facets: Facets,
        /// The command that made it.
        command: String,
        /// The plan as resolved, without secrets.
        plan: String,
    }
    words Workload { #[default] Open, Closed, }

    /// A report, in the words and the markup of the report file.
    out Report {
        title: String,
        /// `PASS`, `FAIL`, `INVALID`, or empty.
        word: String,
        mark: ReportMark,
        meaning: String,
        /// Reasons and notes of the answer.
        banner_html: String,
        head_html: String,
        sections: Vec<ReportSection>,
        /// What holds for all numbers.
        footer: String,
    }
    words ReportMark { Pass, Fail, Invalid, #[default] None, }
    out ReportSection {
        id: String,
        title: String,
        aside: String,
        is_appendix: bool,
        html: String,
    }

    /// A run over time.
    out Course {
        from_s: f64,
        until_s: f64,
        /// Of the times in `starts_s`; the last one may be shorter.
        width_s: f64,
        starts_s: Vec<f64>,
        lines: Vec<Line>,
        heat: Heat,
        events: Vec<Event>,
        stages: Vec<Stage>,
    }
    /// A figure over time: as many values as the course has starts.
    out Line {
        /// Same in live frames.
        id: String,
        /// Which chart it belongs to.
        panel: String,
        /// Title of the chart.
        panel_title: String,
        title: String,
        /// `1/s`, `ms`, `cores`, `ratio`, `bytes`, `bytes/s`, `count`.
        unit: String,
        values: Vec<Option<f64>>,
    }
    /// Exchanges by response time.
    out Heat {
        /// One more than there are counts in a column.
        edges_ms: Vec<f64>,
        columns: Vec<Vec<u64>>,
    }
    out Event {
        at_s: f64,
        code: String,
        text: String,
    }

    /// One window of a running run.
    out Frame {
        start_s: f64,
        width_s: f64,
        /// By id of the line.
        values: std::collections::BTreeMap<String, Option<f64>>,
        /// Counts by the edges of `heat_edges_ms`.
        heat: Vec<u64>,
        heat_edges_ms: Vec<f64>,
        level_now: f64,
        planned_end_s: Option<f64>,
        /// What comes next.
        next: String,
    }
    /// What may be said of a run that goes on.
    out Standing {
        mark: ReportMark,
        /// `INVALID so far`, ..
        word: String,
        reasons: Vec<StandingReason>,
        thresholds: Vec<StandingThreshold>,
        errors: Vec<StandingError>,
        /// Of a run on several.
        injectors: Vec<StandingInjector>,
        rate: Option<f64>,
        p95_ms: Option<f64>,
        failure_rate: Option<f64>,
        revision: u64,
    }
    /// How one of several injectors does so far.
    out StandingInjector {
        name: String,
        region: Option<String>,
        mark: ReportMark,
        /// What `mark` means, in words.
        word: String,
        /// Of all starts, 0 to 1.
        started_share: Option<f64>,
        /// Exchanges per second.
        rate: Option<f64>,
        lag_p99_ms: Option<f64>,
        /// 0 to 1.
        cpu_utilization: Option<f64>,
        clock_error_ms: Option<f64>,
        /// Time of which its report is missing.
        lost_s: f64,
    }
    out StandingReason {
        code: String,
        text: String,
        decides: bool,
    }
    out StandingThreshold {
        text: String,
        value: String,
        holds: bool,
    }
    out StandingError {
        kind: String,
        count: Option<u64>,
        remedy: String,
        example: Option<ErrorExample>,
    }
    out ErrorExample {
        at_s: f64,
        request: String,
        status: String,
        text: String,
    }

    /// Two to six runs, the first one is the one before.
    out Comparison {
        rows: Vec<RunRow>,
        /// The first beside the last.
        report: Report,
        courses: Vec<OneCourse>,
    }
    out OneCourse {
        id: String,
        course: Course,
    }
    /// A figure of all runs of a name.
    out Trend {
        points: Vec<TrendPoint>,
        report: Report,
    }
    out TrendPoint {
        id: String,
        started_at: String,
        value: Option<f64>,
        /// A lasting change begins here.
        is_change: bool,
    }

    /// A campaign.
    out ScalePage {
        row: RunRow,
        report: Report,
        /// What N counts.
        dimension: String,
        /// Of X.
        unit: String,
        points: Vec<ScalePoint>,
        curve: Vec<CurvePoint>,
        law: Option<Law>,
    }
    out ScalePoint {
        n: f64,
        x: f64,
        is_used: bool,
        /// The run of this level.
        run: String,
    }
    out CurvePoint {
        n: f64,
        x: f64,
        low: Option<f64>,
        high: Option<f64>,
    }
    /// Coefficients of the Universal Scalability Law.
    out Law {
        alpha: f64,
        beta: f64,
        gamma: f64,
        peak_n: Option<f64>,
        peak_x: Option<f64>,
    }
    /// A law with other coefficients.
    out WhatIf {
        law: Law,
        curve: Vec<CurvePoint>,
        /// What it comes to, in words.
        text: String,
        /// Throughput at the N that was asked for.
        x_at: Option<f64>,
    }

    out PlanList {
        plans: Vec<PlanRow>,
    }
    out PlanRow {
        name: String,
        kind: PlanKind,
        /// RFC 3339 UTC.
        changed_at: String,
    }
    /// What a document is about.
    words PlanKind {
        #[default]
        Load,
        Capacity,
    }
    /// What a question of capacity comes to.
    out CapacityPage {
        name: String,
        report: Report,
        /// Values that may be moved.
        sliders: Vec<Slider>,
        /// Whether it states a day that can be simulated.
        has_day: bool,
        /// Whether fewer days were simulated than the document asks for.
        is_quick: bool,
    }
    out Slider {
        /// In the query.
        id: String,
        name: String,
        value: f64,
        /// In the document.
        stated: f64,
        least: f64,
        most: f64,
        unit: String,
        about: String,
    }
    out PlanFile {
        name: String,
        kind: PlanKind,
        text: String,
        /// Changes with the text.
        etag: String,
    }
    in PlanText {
        text: String,
        /// That of the text which was changed; null for a new file.
        etag: Option<String>,
    }
    in CheckText {
        text: String,
    }
    out Checked {
        problems: Vec<Problem>,
        summary: Option<PlanSummary>,
    }
    out Problem {
        /// From 1; 0 where it is about the whole.
        line: u32,
        /// From 1.
        column: u32,
        text: String,
        help: String,
        is_warning: bool,
    }
    out PlanSummary {
        target: String,
        workload: String,
        duration_s: Option<f64>,
        requests: Vec<String>,
    }

    /// A run to be made.
    in Start {
        /// A plan of the list, or null to repeat a run.
        plan: Option<String>,
        /// The run to repeat.
        repeat: Option<String>,
        note: String,
        tags: Vec<String>,
        /// Values of the plan: path and value.
        set: std::collections::BTreeMap<String, String>,
    }
    out Started {
        id: String,
    }
    in Wish {
        /// That of the last change which is known.
        revision: u64,
        action: Action,
        /// With `load`: iterations per second or VUs.
        level: Option<f64>,
        /// With `load`: how long the change takes.
        ramp_s: Option<f64>,
    }
    words Action { Load, #[default] Hold, Stop, }
    out Steered {
        revision: u64,
        text: String,
    }
    /// How a run of the fleet is ended.
    in Ending {
        how: fleet::FleetEnd,
    }
    /// What was done, in words.
    out Told {
        text: String,
    }
    in Label {
        note: Option<String>,
        tags: Option<Vec<String>>,
    }

    in Visit {
        /// First page.
        url: String,
        /// Name of the plan.
        name: String,
    }
    in Names {
        /// By id of the step; an empty name takes one back.
        names: std::collections::BTreeMap<String, String>,
    }
    /// What needs no words.
    in Nothing {
    }
    /// A visit that is recorded.
    #[derive(Default)]
    out Recording {
        id: String,
        state: RecordingState,
        url: String,
        /// The plan that it becomes.
        plan: String,
        /// Where clients send their requests: host and port.
        proxy: String,
        /// Whether a browser was opened on the machine of this server; else a client is pointed at the proxy.
        has_browser: bool,
        steps: Vec<RecordedStep>,
        /// Why it failed, or what to keep in mind.
        trouble: String,
    }
    words RecordingState { #[default] Recording, Saved, Failed, }
    out RecordedStep {
        /// When it was sent, us since 1970.
        id: u64,
        /// What the person did from here on; empty without a name.
        name: String,
        method: String,
        url: String,
        /// 0 without a reply.
        status: u64,
        at_s: f64,
        /// Exchanges, those that the page brought along included.
        requests: u64,
    }
}
