//! A fleet with every exchange: the engine of each injector in its own simulated world, and a fold of what they send.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use nmax_engine::program::catalog;
use nmax_fleet::batch::Content;
use nmax_fleet::{Batch, BatchId, Item, Results};
use nmax_metrics::names::NAMES_MAX;
use nmax_metrics::{Aggregate, Frame, Nanos, Section};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;

use super::chance::mixed;
use super::matrix::World;
use super::world::{RUN, spec};
use crate::plans;
use crate::sim::{Answer, Call, Options, Simulated, reply, simulate};

/// What became of every exchange.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged {
    /// Exchanges that injectors measured.
    pub sent: u64,
    /// Requests that targets got.
    pub received: u64,
    /// Exchanges in the fold.
    pub folded: u64,
    /// Whether all latencies are those of one injector alone, where that was asked for.
    pub is_equal: Option<bool>,
}

/// Simulates a rate for some seconds on so many injectors, and folds their windows: each comes twice, the last first.
///
/// # Panics
/// When the simulation is stuck.
pub fn exchanged(injectors: u32, rate_per_s: u64, seconds: u64, with_one: bool) -> Exchanged {
    let keys = format!("workload: {{ open: {{ rate: {rate_per_s}/s, max_in_flight: 50000 }} }}\nduration: {seconds}s");
    let plan = plans::home_page(&keys);
    let world = World { end: seconds * 1_000_000_000, ..World::calm(1, injectors as usize) };
    let mut results = Results::new(&spec(&world), catalog(&plan, NAMES_MAX));
    let weights = vec![1_u32; injectors as usize];
    let (mut sent, mut received, mut frames) = (0, 0, Vec::new());
    for shard in 0..injectors {
        let share = Share::for_injector(shard, &weights).expect("each has a weight");
        let (run, got) = simulated(&plan, share, Some(shard));
        (sent, received) = (sent + run.exchanges(), received + got);
        frames.extend(run.frames.into_iter().enumerate().map(|(sequence, frame)| (shard, sequence as u64, frame)));
    }
    let mut whole = Aggregate::default();
    for (shard, sequence, frame) in frames.iter().rev().chain(&frames) {
        let index = Frame::decode(frame).expect("a frame of an injector can be read").window.index;
        let item = Item::Window { index, window: Content { frame: frame.clone(), notes: String::new() } };
        let id = BatchId { shard: *shard, epoch: 1, sequence: *sequence };
        let taken = results.take(Batch { run: RUN.into(), id, item }, None).unwrap_or_default();
        taken.merged.iter().chain(&taken.late).for_each(|merged| whole.merge(&merged.window.aggregate));
    }
    results.close().merged.iter().for_each(|merged| whole.merge(&merged.window.aggregate));
    let of = |aggregate: &Aggregate| aggregate.whole().total(Section::Hold).latencies();
    let is_equal = with_one.then(|| of(&simulated(&plan, Share::whole(), None).0.totals) == of(&whole));
    let folded = Section::ALL.iter().map(|section| whole.total(*section).count()).sum();
    Exchanged { sent, received, folded, is_equal }
}

/// A share of the plan, and what its target got.
fn simulated(plan: &Arc<Plan>, share: Share, sends: Option<u32>) -> (Simulated, u64) {
    let received = Rc::new(Cell::new(0));
    let (count, ok) = (Rc::clone(&received), reply(200));
    let server = move |call: &Call<'_>| {
        count.set(count.get() + 1);
        // Equal for what is due at an instant, whoever sends it.
        Answer::Bytes(call.at + Nanos(1_000_000 + mixed(call.at.0) % 20_000_000), Rc::clone(&ok))
    };
    let run = simulate(plan, server, &Options { share, sends, ..Options::sum() });
    (run, received.get())
}
