//! What the measurements may be believed for: quantile intervals, validity gates, thresholds and the verdict.
//!
//! Everything here is a pure function of [`Evidence`]. A gate, a threshold result and the verdict are built
//! only from the value that was tested.
//!
//! # Layout
//! - [`evidence`]: what a run measured, as handed in
//! - [`culprits`]: what took the injector's time
//! - [`fold`](mod@fold): windows, readings and events in, evidence out; [`series`]: the run over time
//! - [`verdict`]: the judgement, as handed out; [`judged`]: it beside the [`summary`](mod@summary), every number of a report
//! - [`interval`]: how far a quantile of independent values may be off
//! - [`lag`]: what the injector's own lag did to reported quantiles
//! - [`gates`]: whether the injector, not the target, shaped the numbers
//! - [`thresholds`]: whether the conditions of the plan hold
//! - [`judge`]: the verdict and its reasons
//! - [`course`]: how the numbers changed over the run
//! - [`batches`]: how much exchanges depend on each other, and intervals that allow for it
//! - [`steady`]: whether the hold stands still; [`transient`]: whether a short level does
//! - `arrivals`: whether Poisson arrivals are as irregular as they should be
//! - [`answer`]: what a run says to the question of its profile
//! - [`effect`]: what an intervention did
//! - [`compare`](mod@compare): before and after; [`history`](mod@history): a figure over many runs
//! - [`breakdown`](mod@breakdown): response times taken apart, beside a server's log
//! - [`suspect`]: what to look at first when a system is slow, and what nobody watched
//! - `trend`, `change`, `period`: slopes, change points and cycles of a series
//! - [`explain`]: what every code means, in plain words
//! - `scope`: which figures belong to a request name or a scenario
//! - `wording`: figures as a person reads them

pub mod answer;
mod arrivals;
pub mod batches;
pub mod breakdown;
mod change;
pub mod compare;
pub mod course;
pub mod culprits;
pub mod effect;
pub mod evidence;
pub mod explain;
pub mod fold;
pub mod gates;
pub mod history;
pub mod interval;
pub mod judge;
pub mod judged;
pub mod lag;
mod period;
mod scope;
pub mod series;
pub mod steady;
pub mod summary;
pub mod suspect;
pub mod thresholds;
pub mod transient;
mod trend;
pub mod verdict;
mod wording;

#[cfg(test)]
mod tests;

pub use answer::{Answer, Finding, answer};
pub use batches::{Batches, NoInterval};
pub use breakdown::{Breakdown, Dimension, Stretches, breakdown};
pub use course::{Course, CourseBuilder, Latency, Observation, Point, Spread, Use};
pub use effect::{Effect, Figures, Recovery, effects};
pub use evidence::{Evidence, InjectorFacts, InterventionRecord, Own, Tail, held_ns};
pub use fold::Fold;
pub use gates::gates;
pub use interval::{CONFIDENCE, QuantileBounds, quantile_bounds, quantile_ranks, samples_needed};
pub use judge::{Standing, judge};
pub use judged::{Ending, Judged, Judgement};
pub use lag::{EFFECT_MAX, QUANTILES, Withheld};
pub use series::{Bin, Series, SeriesBuilder};
pub use steady::{SeriesTest, Steadiness, steadiness};
pub use summary::{Event, Summary};
pub use thresholds::{thresholds, violated};
pub use transient::{Settled, find_steady_part};
pub use verdict::{Gate, Reason, ThresholdResult, Verdict};
