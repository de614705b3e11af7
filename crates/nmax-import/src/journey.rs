//! What the user did, step by step: requests grouped into pages, with pauses and names.
//!
//! - A document that takes the place of the one before is a step, and so is every request that is no GET.
//! - What a page needs belongs to it: by `Referer` and initiator, else by time.
//! - A call of a script is a resource of the page while that is loading and nothing else was done; afterwards it is a
//!   step, for then the user caused it.
//! - A redirect belongs to the request that it follows from, whatever the clocks say.
//! - The pause before a step goes from the last arrival of the step before to its own sending, so loading is no part of it.

use std::time::Duration;

use crate::options::{Options, Think};
use crate::recording::{Mark, Recording};
use crate::select::Selection;

mod chain;
mod group;
mod names;

pub use names::template_path;

/// Shorter gaps are no pauses of a person.
pub const PAUSE_MIN: Duration = Duration::from_millis(100);

/// A recorded visit as steps. Indices are positions in the recording's list of entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journey {
    /// Name of the scenario.
    pub name: String,
    /// Steps in order.
    pub steps: Vec<Step>,
}

/// A request that the user caused, and what came with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The request.
    pub entry: usize,
    /// Where redirects led from it, in order; the last one has the final status.
    pub redirects: Vec<usize>,
    /// What the page needed, in parallel.
    pub resources: Vec<usize>,
    /// Pause of the user before it: from the last arrival of the step before to its own sending.
    pub think: Option<Duration>,
    /// Name that the person gave to what begins here.
    pub mark: Option<String>,
    /// Name under which it is measured, such as `GET /item/{id}`.
    pub name: String,
    /// Segments of its path that another recording of the same journey has otherwise.
    pub varying: Vec<usize>,
    /// It shows a document, so its resources and its time are those of a page.
    pub is_page: bool,
}

impl Step {
    /// The entry whose reply the step ends with.
    pub fn last(&self) -> usize {
        self.redirects.last().copied().unwrap_or(self.entry)
    }

    /// The request and where redirects led, in order.
    pub fn hops(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.entry).chain(self.redirects.iter().copied())
    }
}

/// Groups what was kept into steps. O(entries) but for the search of pages by referer, which is O(entries · steps).
pub fn build(recording: &Recording, selection: &Selection, options: &Options) -> Journey {
    let mut steps = group::steps(recording, &selection.kept, options.gap);
    pauses(recording, &mut steps, options);
    marks(&recording.marks, recording, &mut steps);
    names::name(recording, &mut steps);
    Journey { name: recording.name.clone(), steps }
}

impl Journey {
    /// Takes for identifiers the segments, one list for each step, that another recording has otherwise.
    pub fn vary(&mut self, recording: &Recording, varying: &[Vec<usize>]) {
        for (step, own) in self.steps.iter_mut().zip(varying) {
            step.varying.clone_from(own);
        }
        names::name(recording, &mut self.steps);
    }

    /// Makes steps of resources that cannot be fetched as such, right after their page: those for which `is_own` holds.
    pub fn promote(&mut self, recording: &Recording, is_own: impl Fn(usize) -> bool) {
        let mut steps = Vec::with_capacity(self.steps.len());
        for mut step in self.steps.drain(..) {
            let (own, resources): (Vec<usize>, Vec<usize>) = step.resources.drain(..).partition(|&entry| is_own(entry));
            step.resources = resources;
            steps.push(step);
            steps.extend(own.into_iter().map(|entry| Step { entry, ..Step::default() }));
        }
        self.steps = steps;
        names::name(recording, &mut self.steps);
    }
}

/// Gives each step the pause before it.
fn pauses(recording: &Recording, steps: &mut [Step], options: &Options) {
    let gap_us = i64::try_from(options.gap.as_micros()).unwrap_or(i64::MAX);
    let mut before: Option<i64> = None;
    for step in steps {
        let sent = recording.entries[step.entry].sent_us;
        let pause = before.map(|arrived| sent.saturating_sub(arrived).max(0));
        let pause = pause.map(|us| Duration::from_micros(us.unsigned_abs()));
        step.think = pause.filter(|pause| *pause >= PAUSE_MIN).and_then(|pause| match options.think {
            Think::Recorded => Some(pause),
            Think::Fixed(fixed) => Some(fixed).filter(|fixed| !fixed.is_zero()),
        });
        let arrived = arrival(recording, step, gap_us);
        before = Some(before.map_or(arrived, |before| before.max(arrived)));
    }
}

/// When the step's last byte had come. What was fetched later than the gap, such as pictures after scrolling, does not
/// count: at replay it comes with the rest.
fn arrival(recording: &Recording, step: &Step, gap_us: i64) -> i64 {
    let mut arrived = step.hops().map(|hop| recording.entries[hop].done_us()).max().unwrap_or(0);
    for &resource in &step.resources {
        let entry = &recording.entries[resource];
        if entry.sent_us.saturating_sub(arrived) < gap_us {
            arrived = arrived.max(entry.done_us());
        }
    }
    arrived
}

/// Gives marks to the first step that was sent after them; of several the last one counts.
fn marks(marks: &[Mark], recording: &Recording, steps: &mut [Step]) {
    let mut marks: Vec<&Mark> = marks.iter().collect();
    marks.sort_by_key(|mark| mark.at_us);
    for mark in marks {
        let sent = |step: &Step| recording.entries[step.entry].sent_us;
        let name = mark.name.trim();
        if let Some(step) = steps.iter_mut().find(|step| sent(step) >= mark.at_us)
            && !name.is_empty()
        {
            step.mark = Some(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
