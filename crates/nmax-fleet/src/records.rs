//! What injectors and manager agree on, as JSON. Each is written once and never changed.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of these records and of batches: injectors of another one take no part.
pub const PROTOCOL: u32 = 1;

/// Why bytes are not the record that they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the record `{key}` of the run cannot be read: {reason}\n  help: use the same version of nmax everywhere")]
pub struct RecordError {
    /// Where it stands.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A record as bytes.
pub fn encode<T: Serialize>(record: &T) -> Vec<u8> {
    serde_json::to_vec(record).unwrap_or_default()
}

/// The record that bytes are.
///
/// # Errors
/// When they are none.
pub fn decode<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T, RecordError> {
    serde_json::from_slice(bytes).map_err(|error| RecordError { key: key.into(), reason: error.to_string() })
}

/// A run that is offered to injectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// [`PROTOCOL`] of the nmax that wrote it.
    pub protocol: u32,
    /// Version of nmax that wrote it.
    pub version: String,
    /// Id of the run.
    pub run: String,
    /// SHA-256 of the plan as resolved and of its files, hex.
    pub plan: String,
    /// Where these are, sealed; `None` where the injector has them.
    pub bundle: Option<String>,
    /// Region of each shard; `None` for anywhere. As many as there are shards.
    pub shards: Vec<Option<String>>,
    /// Threads that each injector uses, of those that it has; `None` for all of them.
    pub workers: Option<u32>,
    /// What happens to the part of an injector that is lost.
    pub policy: Policy,
    /// Width of windows, ns.
    pub window_ns: u64,
    /// When the load ends as planned, ns since the origin of the run.
    pub end_ns: u64,
    /// When everything ends, whatever happens, ns since the origin of the run.
    pub hard_stop_ns: u64,
    /// Least time from the decision to start to the origin of the run, ns.
    pub lead_ns: u64,
    /// Largest uncertainty of an injector's clock, ns.
    pub skew_max_ns: u64,
    /// The signed permission of the run; `None` for one that stays in its process.
    pub warrant: Option<String>,
}

/// What happens to the part of an injector that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Each goes on until the hard stop, also when everything else is dead; what an injector loses stays lost.
    Continue,
    /// Parts are leased for this long, ns; another injector takes over what is not renewed.
    Takeover {
        /// How long a lease lasts after it was renewed.
        ttl_ns: u64,
    },
}

/// What an injector says before the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Readiness {
    /// Its id.
    pub injector: String,
    /// Its host.
    pub host: String,
    /// Its region.
    pub region: Option<String>,
    /// Requests per second that it can send, as calibrated.
    pub capacity: u32,
    /// How uncertain its clock is against that of the broker, ns.
    pub clock_error_ns: u64,
    /// Why it takes no part, if so.
    pub refusal: Option<String>,
}

/// How a run begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// It does.
    Go {
        /// The origin of the run on the broker's clock, ns since 1970.
        origin_ns: u64,
        /// Weight of each shard.
        weights: Vec<u32>,
        /// Values of the plan's setup, by slot.
        values: Vec<String>,
    },
    /// It does not, for these reasons.
    Refused(Vec<String>),
}

/// Who has a shard in an epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Id of the injector.
    pub injector: String,
    /// Its first window.
    pub from: u64,
}

/// What a person asks of a run that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Nothing more starts; what is under way may end.
    Stop,
    /// Everything is cut off.
    Cut,
}
