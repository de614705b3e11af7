//! What is known about the traffic at the end: the values that are printed, stored, planned from and compared with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::distribution::Dist;

/// Version of the document that a [`Profile`] is written as.
pub const SCHEMA_VERSION: u32 = 1;

/// A stretch of time: from `from_us` on, up to and without `to_us`, in µs since 1970 (UTC).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Period {
    /// First instant.
    pub from_us: i64,
    /// First instant after it.
    pub to_us: i64,
}

impl Period {
    /// Length in s, at least 1 µs.
    pub fn length_s(&self) -> f64 {
        (self.to_us.saturating_sub(self.from_us)).max(1) as f64 / 1e6
    }

    /// Whether an instant lies in it.
    pub fn contains(&self, at_us: i64) -> bool {
        (self.from_us..self.to_us).contains(&at_us)
    }
}

/// Traffic as a log shows it; also the baseline that runs are compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The time that everything but `season` is about. Where none was chosen, from the first to the last record.
    pub period: Period,
    /// Arrival of the first record of the period.
    pub first_us: i64,
    /// Arrival of the last one.
    pub last_us: i64,
    /// Records in the period, and strays.
    pub requests: u64,
    /// Bytes of replies, where records have them.
    pub bytes: u64,
    /// Records by status; 0 = unknown.
    pub by_status: BTreeMap<u16, u64>,
    /// Records by method; beyond 32 methods the rest is `other`.
    pub by_method: BTreeMap<String, u64>,
    /// Records that were set apart, and why.
    pub apart: Apart,
    /// Whether records said how long the server took: without it, pauses contain load times and there is no baseline.
    pub has_durations: bool,
    /// Resolution of the stamps, in µs; the coarsest one.
    pub resolution_us: u32,
    /// Request types, most frequent first.
    pub types: Vec<RequestType>,
    /// Records of types that are too many to be told apart.
    pub other_requests: u64,
    /// Visits.
    pub sessions: Sessions,
    /// Pauses between the end of a page and the next step.
    pub think: Think,
    /// Which step follows which, most frequent first; over all sessions.
    pub transitions: Vec<Transition>,
    /// The few scenarios behind the sessions, most frequent first.
    pub scenarios: Vec<Cluster>,
    /// How requests and sessions arrive.
    pub arrivals: Arrivals,
    /// Hours, weekdays and weeks, of all records whatever the period.
    pub season: Season,
    /// Who and what makes much of it, robots included.
    pub heavy: Heavy,
    /// What a reader of these numbers should know.
    pub warnings: Vec<String>,
    /// Request types with steps that the plan made from this does not send.
    #[serde(default)]
    pub left_out: Vec<String>,
}

/// Records that count in totals, but are no steps of sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// By robots: the agent says so, or the session asked for `/robots.txt`.
    pub robots: u64,
    /// By load tests of nmax, as the agent says.
    #[serde(default)]
    pub load_tests: u64,
    /// Style sheets, scripts, images, fonts that belong to a page.
    pub resources: u64,
    /// Stamped before or after what stands around them by more than the window: counted, but in no session.
    pub late: u64,
    /// Of those that are counted, stamped far from all others ([`Season::strays`]): in no rate. Most of them are `late`, too.
    #[serde(default)]
    pub strays: u64,
    /// How often the log jumped back in time for good, as where files are read in the wrong order.
    pub restarts: u64,
    /// No method and path, as of a TLS handshake on a plain port.
    pub without_request: u64,
    /// Of other hosts than the chosen one.
    pub other_hosts: u64,
    /// Outside the chosen period.
    pub out_of_period: u64,
}

/// Requests of one method and path template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestType {
    /// Method and template: `GET /item/{id}`.
    pub name: String,
    /// Method.
    pub method: String,
    /// Path template.
    pub template: String,
    /// Static content: style sheet, script, image, font.
    pub is_resource: bool,
    /// Records, robots included.
    pub count: u64,
    /// Steps of sessions.
    pub steps: u64,
    /// Records by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Bytes of replies.
    pub bytes: Dist,
    /// How long the server took, in µs: the production baseline.
    pub time_us: Dist,
    /// Which targets, and how often.
    pub popularity: Popularity,
    /// Query parameters, most frequent first.
    pub parameters: Vec<Parameter>,
    /// Resources that came with it, most frequent first.
    pub resources: Vec<Attached>,
}

/// How requests of a type spread over its targets (path and query), without robots.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Popularity {
    /// Requests counted.
    pub count: u64,
    /// Different targets; an estimate (± 3 %) where they were too many to keep.
    pub distinct: u64,
    /// It is an estimate.
    #[serde(default)]
    pub is_estimate: bool,
    /// Exponent s of Zipf's law, the r-th most popular having a share ∝ r^−s; `None` where there is too little to tell.
    pub exponent: Option<f64>,
    /// Standard error of the exponent.
    pub exponent_error: Option<f64>,
    /// The most popular targets, falling.
    pub top: Vec<Counted>,
}

/// A text and how often it came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The text.
    pub text: String,
    /// How often, at most.
    pub count: u64,
    /// By how much `count` may be too high.
    #[serde(default)]
    pub error: u64,
}

/// A query parameter of a type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, as written.
    pub name: String,
    /// Requests that have it.
    pub count: u64,
}

/// A resource of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// Request type of the resource, by its number in [`Profile::types`].
    pub request: usize,
    /// How often it came with the page.
    pub count: u64,
}

/// Visits: what one visitor asks for without a long break.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sessions {
    /// Break that ends a session, in s.
    pub timeout_s: u64,
    /// Sessions that began in the period.
    pub count: u64,
    /// How many there would be with other breaks.
    pub at: Vec<AtTimeout>,
    /// Steps per session.
    pub steps: Dist,
    /// Requests per session, resources included.
    pub requests: Dist,
    /// First arrival to last arrival, in ms.
    pub duration_ms: Dist,
    /// Share of the requests by how the visitor was told from others: `session`, `user`, `client and agent`.
    pub by_identity: BTreeMap<String, u64>,
    /// Sessions that the scenarios were found from.
    pub sampled: u64,
}

/// Sessions if another break would end them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AtTimeout {
    /// The break, in min.
    pub timeout_min: u64,
    /// Sessions.
    pub count: u64,
    /// Mean steps of a session.
    pub steps_mean: f64,
}

/// A lognormal law by two of its quantiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lognormal {
    /// Half are shorter, in s.
    pub median_s: f64,
    /// One in twenty is longer, in s.
    pub p95_s: f64,
}

/// Pauses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Think {
    /// All pauses, in ms.
    pub dist_ms: Dist,
    /// The law that fits them.
    pub fit: Option<Lognormal>,
}

/// One step after another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// Request type by number; `None` = the session begins.
    pub from: Option<usize>,
    /// Request type by number; `None` = the session ends.
    pub to: Option<usize>,
    /// How often.
    pub count: u64,
    /// Pause between them.
    pub think: Option<Lognormal>,
}

/// A scenario: sessions that are alike, as a Markov chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// After its most telling request.
    pub name: String,
    /// Share of the sessions, 0 to 1.
    pub sessions_share: f64,
    /// Share of the steps, 0 to 1.
    pub requests_share: f64,
    /// Mean steps of a session.
    pub steps_mean: f64,
    /// Its transitions, by `from`, most frequent first.
    pub transitions: Vec<Transition>,
}

/// How requests and sessions arrive in the period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// Requests per s, mean.
    pub requests_per_s: f64,
    /// Sessions per s, mean.
    pub sessions_per_s: f64,
    /// Most requests in one second.
    pub second_max: u64,
    /// Burstiness of requests, by width of the count.
    pub requests: Vec<Dispersion>,
    /// Burstiness of session starts, by width of the count.
    pub sessions: Vec<Dispersion>,
}

/// Index of dispersion of counts: 1 for a Poisson process, more for bursts, less for clockwork.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dispersion {
    /// Width of one count, in s.
    pub width_s: u64,
    /// Σ(nᵢ₊₁ − nᵢ)² / Σ(nᵢ₊₁ + nᵢ).
    pub index: f64,
    /// Standard error of the index if the process were Poisson.
    pub error: f64,
    /// Counts that it is computed from.
    pub windows: u64,
}

/// Hours, weekdays and weeks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Season {
    /// What was added to UTC for the hours and days of this table, in s.
    pub utc_offset_s: i32,
    /// Requests of each hour in which there were any, by its beginning.
    pub hours: Vec<HourCount>,
    /// Mean requests per hour by weekday (0 = Monday) and hour; `None` where the log has no such hour.
    pub week: Vec<[Option<f64>; 24]>,
    /// Growth per week as a share of the median week, by Theil and Sen; `None` below three whole weeks.
    pub trend_per_week: Option<f64>,
    /// Busiest hour over the mean hour between first and last record.
    pub peak_to_mean: f64,
    /// The hour with the most requests.
    pub busiest_hour: Option<HourCount>,
    /// The day with the most requests.
    pub busiest_day: Option<HourCount>,
    /// The minute with the most requests.
    pub busiest_minute: Option<HourCount>,
    /// Records in hours beyond those that can be kept.
    pub beyond: u64,
    /// Hours far before or after all others, as where a clock was wrong for a moment: nothing else here is about them.
    #[serde(default)]
    pub strays: Vec<HourCount>,
    /// First arrival without strays.
    #[serde(default)]
    pub first_us: i64,
    /// Last arrival without strays.
    #[serde(default)]
    pub last_us: i64,
}

/// Requests from an instant on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HourCount {
    /// When it begins, in µs since 1970 (UTC).
    pub from_us: i64,
    /// Requests.
    pub count: u64,
}

/// Who and what makes much of the traffic; each falling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heavy {
    /// Addresses.
    pub clients: Vec<Counted>,
    /// Agents.
    pub agents: Vec<Counted>,
    /// Paths without query.
    pub paths: Vec<Counted>,
    /// Hosts that were asked for.
    pub hosts: Vec<Counted>,
}

impl Profile {
    /// Mean steps of a session.
    pub fn steps_mean(&self) -> f64 {
        self.sessions.steps.mean().unwrap_or(0.0)
    }
}

impl Season {
    /// From the first to the last arrival without strays.
    pub fn span(&self) -> Period {
        Period { from_us: self.first_us, to_us: self.last_us.saturating_add(1) }
    }

    /// The busiest hour as a period.
    pub fn peak_hour(&self) -> Option<Period> {
        self.busiest_hour.map(|hour| Period { from_us: hour.from_us, to_us: hour.from_us + 3_600_000_000 })
    }

    /// The busiest day as a period.
    pub fn peak_day(&self) -> Option<Period> {
        self.busiest_day.map(|day| Period { from_us: day.from_us, to_us: day.from_us + 86_400_000_000 })
    }
}
