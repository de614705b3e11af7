//! Where to measure: designs of experiments for the law, and the campaign that finds a peak by itself.
//!
//! A run at N tells about the coefficients what its [sensitivity](information::sensitivity) allows. From that follow
//! the precision of any set of levels before it is measured, the levels that are best ([`d_optimal`]), and the one run
//! that helps most ([`choose`]). A [`Campaign`] puts them in order: a ramp, then replicates around the peak in random
//! order, then single runs where they help most, until a rule stops it.
//!
//! Everything here is arithmetic: the caller runs the trials and keeps the time. A campaign repeats from its rules and
//! the outcomes that were recorded.
//!
//! # Layout
//!
//! - [`information`]: what a design will tell, and the D-optimal design.
//! - [`choice`]: the run that lowers a variance most.
//! - [`rules`]: what a campaign is asked for, and the words between it and the program that measures.
//! - [`campaign`]: the order of trials.

pub mod campaign;
pub mod choice;
pub(crate) mod desk;
pub mod information;
pub mod rules;

pub use campaign::Campaign;
pub use choice::{Choice, Question, choose};
pub use information::{Information, Spread, d_optimal, spread};
pub use rules::{Dropped, Outcome, Precision, Purpose, Rules, RulesError, Step, Stop, TimeLeft, Trial};
