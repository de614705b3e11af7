//! A fleet, as it is answered: `nmax fleet status` and `nmax fleet ls` say the same.

use nmax_json::schemars::JsonSchema;
use nmax_json::serde::{Deserialize, Serialize};

/// A fleet as it is now.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[serde(crate = "nmax_json::serde")]
#[schemars(crate = "nmax_json::schemars")]
pub struct FleetPage {
    /// Its NATS servers, without passwords; empty of a server that shows no fleet.
    pub address: String,
    /// Whether the connection is up; what is shown is what was heard last.
    pub is_connected: bool,
    /// What is wrong; empty when nothing is.
    pub trouble: String,
    /// Whether this server has the key that ends runs.
    pub can_end: bool,
    /// By id; those that fell silent too.
    pub injectors: Vec<FleetInjector>,
    /// The newest first.
    pub runs: Vec<FleetRun>,
    /// Ids of those that are in the folder of this server.
    pub here: Vec<String>,
}

/// An injector.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(crate = "nmax_json::serde")]
#[schemars(crate = "nmax_json::schemars")]
pub struct FleetInjector {
    /// Its id, of its process alone.
    pub id: String,
    /// Its host.
    pub host: String,
    /// Its version of nmax.
    pub version: String,
    /// Where it is; null where that was not said.
    pub region: Option<String>,
    /// Processors.
    pub cores: u32,
    /// Requests per second that it can send.
    pub capacity_per_s: u32,
    /// Its wall clock against that of NATS, ms; null before it is known.
    pub clock_offset_ms: Option<f64>,
    /// How uncertain its clock is against that of NATS, ms; null before it is known.
    pub clock_error_ms: Option<f64>,
    /// The run that it takes part in.
    pub run: Option<String>,
    /// Whether it takes no further run.
    pub draining: bool,
    /// Since it last said something, s; injectors do so every 5 s.
    pub silent_s: f64,
    /// How it is.
    pub health: Health,
    /// How it is, in words.
    pub state: String,
}

/// How an injector is; of several, what is worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(crate = "nmax_json::serde", rename_all = "snake_case")]
#[schemars(crate = "nmax_json::schemars")]
pub enum Health {
    /// It waits for runs.
    Free,
    /// It takes part in a run.
    Loads,
    /// It takes no further run.
    Draining,
    /// Its clock is too uncertain to take part in a run.
    ClockUncertain,
    /// It says nothing any more.
    Silent,
}

/// A run of a fleet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(crate = "nmax_json::serde")]
#[schemars(crate = "nmax_json::schemars")]
pub struct FleetRun {
    /// Its id.
    pub run: String,
    /// RFC 3339 UTC.
    pub offered_at: String,
    /// How many injectors share it.
    pub injectors: u32,
    /// How many of them came to their end.
    pub ended: u32,
    /// How far it came, in words.
    pub state: String,
    /// Whether it may still put on load.
    pub goes_on: bool,
    /// Why it did not begin.
    pub reasons: Vec<String>,
}

/// How a run is to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "nmax_json::serde", rename_all = "snake_case")]
#[schemars(crate = "nmax_json::schemars")]
pub enum FleetEnd {
    /// Nothing more starts; what is under way may end.
    #[default]
    Stop,
    /// Everything is cut off.
    Cut,
}
