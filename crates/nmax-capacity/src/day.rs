//! A day, second by second, under a policy: demand, nodes that come late or never, queues, clients that leave and retry.
//!
//! The day is a fluid: what arrives in a second is a cohort of requests, and each pool serves its cohorts in their order
//! with all the capacity that it has in that second. Within a second all rates are constant, so waits are exact for a fluid.
//! Pure: [`simulate()`] gives the same day for the same world, policy and seed. O(seconds + cohorts that wait).
//!
//! What a fluid does not know is the random part of a wait below saturation. There the day trusts the usable capacity of a
//! node, which was measured at the objective: a second with more load than that is out of the objective. Where no usable
//! capacity was measured, [`usable_of_queue`] takes it from M/M/c.
//!
//! # Layout
//! - [`demand`]: the rate of every second; [`world`]: nodes, regions, failures, clients, provisioning, prices
//! - [`policy`]: what is done about it; [`setting`]: both, as a document states them
//! - `nodes`: nodes of a pool over time; `clients`: retries and their quota; `queue`: cohorts that wait
//! - [`seeds`]: many days, with intervals; [`search`]: the cheapest policy at a risk; [`breaking`](mod@breaking): what breaks the
//!   day first
//! - [`simulate`](mod@simulate): one day; [`outcome`]: what came of it
//! - [`study`](mod@study): all of it for a document
//! - [`overload`](mod@overload): twice and three times the load: sheds, collapses, or stays collapsed

pub mod breaking;
pub(crate) mod clients;
pub mod demand;
#[cfg(test)]
mod events;
mod nodes;
pub mod outcome;
pub mod overload;
pub mod policy;
mod queue;
pub mod search;
pub mod seeds;
pub mod setting;
pub mod simulate;
pub mod study;
#[cfg(test)]
mod tests;
pub mod world;

pub use breaking::{Breaking, Limit, Variable, breaking, headroom_s};
pub use demand::{Base, Course, Curve, Event, Shape};
pub use outcome::{Outcome, Point};
pub use overload::{Overload, Verdict, amplification, overload};
pub use policy::{Answer, Autoscale, Cache, Policy};
pub use search::{Cheapest, Risk, cheapest, misses};
pub use seeds::{Compared, Difference, Estimate, Strategy, compare};
pub use setting::{Draft, Given, Setting};
pub use simulate::simulate;
pub use study::{Study, study};
pub use world::{Clients, Failure, Loss, Node, Objective, Prices, Provisioning, Region, World, usable_of_queue};
