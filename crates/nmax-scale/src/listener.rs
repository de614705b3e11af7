//! Who is told of a campaign while it goes on.

use std::time::Duration;

use nmax_report::scalability::Level;
use nmax_usl::{Observation, Options};

use crate::axis::Load;

/// A level that begins.
#[derive(Clone, Copy, Debug)]
pub struct LevelStarted {
    /// Its number, from 1.
    pub number: usize,
    /// What is varied.
    pub load: Load,
    /// How much of it.
    pub level: f64,
    /// What it is run for: `ramp`, `refine`, ..
    pub purpose: &'static str,
    /// Time that the campaign has used.
    pub spent: Duration,
    /// Time that the level takes.
    pub takes: Duration,
}

/// What is fitted so far.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// The levels.
    pub observations: &'a [Observation],
    /// How they are fitted.
    pub options: &'a Options,
    /// What N counts, in words.
    pub n_label: &'a str,
    /// Unit of throughput.
    pub x_unit: &'a str,
}

/// Somebody who is told of a campaign while it goes on, between its levels.
pub trait Listener {
    /// Something may spoil the measurement, or is not as it seems.
    fn warning(&mut self, text: &str);

    /// On whose authority the target is loaded, and what is asked of others.
    fn authority(&mut self, text: &str);

    /// What is special about this campaign; it stands beside the result too.
    fn remark(&mut self, text: &str);

    /// Something is done, was done or is left out.
    fn note(&mut self, text: &str);

    /// What the next levels are to tell; the same may be said again.
    fn learns(&mut self, what: &str);

    /// A level begins.
    fn begins(&mut self, begun: &LevelStarted);

    /// A level has ended.
    fn ended(&mut self, load: Load, level: &Level);

    /// There is more to fit.
    fn grows(&mut self, curve: &Curve<'_>);

    /// A search for levels has come to its end.
    fn searched(&mut self);

    /// A person has asked for the end, and somebody else may have said so.
    fn interrupted(&mut self);
}
