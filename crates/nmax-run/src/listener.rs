//! Who is told of a run while it goes on.

use nmax_analysis::Fold;
use nmax_engine::Complete;
use nmax_metrics::{Catalog, Nanos};
use nmax_plan::plan::Plan;
use nmax_store::Manifest;

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What was known of the run before it began: id, name, when it began.
    pub manifest: &'a Manifest,
    /// What is run.
    pub plan: &'a Plan,
    /// When it ends, since its origin; `None` when that is not planned.
    pub end: Option<Nanos>,
    /// The window that has just ended.
    pub complete: &'a Complete,
    /// Everything so far, that window included.
    pub fold: &'a Fold,
    /// The names behind its numbers.
    pub catalog: &'a Catalog,
}

/// Somebody who is told of a run while it goes on, on the thread that keeps its results: who takes long holds it up.
pub trait Listener {
    /// A window has ended.
    fn window(&mut self, progress: &Progress<'_>);

    /// Something happened that a person should know at once.
    ///
    /// - `at`: since the run's origin
    /// - `code`: one of `events.jsonl`, or a word for what is not written down there
    fn event(&mut self, at: Nanos, code: &str, text: &str);

    /// What it has to say of itself since it was asked last, as events of the run: codes and words.
    fn events(&mut self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Everything has ended and was undone; the judgement follows.
    fn ended(&mut self);
}
