//! What one exchange measured, and sums of it: pure values, no clock, no socket, no file.
//!
//! # Layout
//! - [`time`]: nanoseconds since the start of a run, and the clock that the shells implement; [`clock`]: where another host's stands
//! - [`outcome`]: how an exchange ended
//! - [`sample`]: one exchange as measured; [`code`]: the status of its reply
//! - [`histogram`]: latencies, mergeable without loss
//! - [`aggregate`]: all that is counted, of one window or of a whole run
//! - [`window`]: an aggregate with its place in time; [`rollup`]: several added up; [`frame`], [`wire`]: as bytes, for the way between processes
//! - [`join`]: windows of several workers or injectors joined; [`merger`]: those of injectors, by name
//! - [`fence`]: from when on nothing is started or sent
//! - [`failure`]: a failed exchange, kept whole for study
//! - [`raw`]: exchanges kept one by one; [`logged`]: requests as logs have them
//! - [`resource`]: readings of hosts; [`readings`]: all of a run, over time
//! - `testing`: random windows for tests, behind a feature
//! - [`metric`]: metrics of the user's own
//! - [`names`]: request names, their ids, and the cap on their number

pub mod aggregate;
pub mod clock;
pub mod code;
pub mod failure;
pub mod fence;
pub mod frame;
pub mod histogram;
pub mod join;
pub mod logged;
pub mod merger;
pub mod metric;
pub mod names;
pub mod outcome;
pub mod raw;
pub mod readings;
pub mod resource;
pub mod rollup;
pub mod sample;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod time;
pub mod window;
pub mod wire;

pub use aggregate::{
    Aggregate, CheckStats, Declared, Dropped, FailureStats, Group, Grouped, LatencySet, LoadStats, LocationStats,
    MetricStats, PageStats, Phases, RequestStats, ScenarioStats, Section, Statistic, Table, TransactionStats,
};
pub use code::Code;
pub use failure::FailureExample;
pub use fence::Fence;
pub use frame::Frame;
pub use histogram::Histogram;
pub use merger::Merger;
pub use metric::{Metric, MetricKind};
pub use names::{Catalog, NameId, Names, suggest_template};
pub use outcome::{ErrorKind, Outcome};
pub use raw::{KeepReason, RawSample};
pub use readings::{Bin, Reading, Readings, Track, TrackKey};
pub use resource::Resource;
pub use rollup::{Rolled, Rollup};
pub use sample::{Network, Sample};
pub use time::{Clock, Nanos};
pub use window::Window;
