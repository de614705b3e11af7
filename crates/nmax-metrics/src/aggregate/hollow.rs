//! An aggregate whose distributions are kept in cells of 2 %, for sums that are kept many times over.

use super::{Aggregate, LatencySet, LoadStats, Section};
use crate::histogram::Thin;
use crate::{Histogram, NameId};

/// An [`Aggregate`] in little memory: some hundred bytes for each name, and 8 for each cell of a distribution.
///
/// A window with all of its histograms takes some 210 kB for each name at 50 ms. Counts stay exact; for distributions see
/// [`Thin`].
#[derive(Clone, Debug)]
pub struct Hollow {
    /// All but the distributions.
    aggregate: Aggregate,
    thin: Vec<(Place, Thin)>,
}

/// Where a distribution is.
#[derive(Clone, Copy, Debug)]
struct Place {
    of: Of,
    section: Section,
    index: u32,
    /// Which one of several.
    part: u16,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    /// By outcome and time.
    Request,
    Phases,
    /// By status code.
    Status,
    Scenario,
    Transaction,
    Transition,
    Page,
    Location,
    Load,
}

impl Hollow {
    /// Empties what `aggregate` holds. O(names · buckets).
    pub fn of(mut aggregate: Aggregate) -> Self {
        let mut thin = Vec::new();
        aggregate.visit(|place, histogram| {
            if !histogram.is_empty() {
                thin.push((place, Thin::of(histogram)));
            }
            *histogram = Histogram::new();
        });
        Self { aggregate, thin }
    }

    /// Adds it to `sum`. O(names · cells).
    pub fn add_to(&self, sum: &mut Aggregate) {
        sum.merge(&self.aggregate);
        for (place, thin) in &self.thin {
            if let Some(histogram) = sum.locate(*place) {
                thin.add_to(histogram);
            }
        }
    }

    /// Cells of all distributions.
    pub fn cells(&self) -> usize {
        self.thin.iter().map(|(_, thin)| thin.cells()).sum()
    }
}

impl Aggregate {
    /// Every distribution with its place.
    fn visit(&mut self, mut visit: impl FnMut(Place, &mut Histogram)) {
        for section in Section::ALL {
            let at = section as usize;
            let place = |of, index: usize, part| Place { of, section, index: index as u32, part };
            for (index, pair) in self.requests.iter_mut().enumerate() {
                let Some(stats) = &mut pair[at] else { continue };
                for (class, set) in stats.outcomes.iter_mut().enumerate() {
                    for (part, times) in set.iter_mut().flat_map(|set| times_of(set)).enumerate() {
                        visit(place(Of::Request, index, (4 * class + part) as u16), times);
                    }
                }
                for (part, times) in stats.phases.iter_mut().flat_map(|phases| phases.all_mut()).enumerate() {
                    visit(place(Of::Phases, index, part as u16), times);
                }
                stats.status_times.iter_mut().for_each(|(code, times)| visit(place(Of::Status, index, *code), times));
            }
            for (index, pair) in self.scenarios.iter_mut().enumerate() {
                visit(place(Of::Scenario, index, 0), &mut pair[at].iteration_time);
            }
            for (index, pair) in self.transactions.iter_mut().enumerate() {
                visit(place(Of::Transaction, index, 0), &mut pair[at].time);
            }
            for (index, pair) in self.transitions.iter_mut().enumerate() {
                visit(place(Of::Transition, index, 0), &mut pair[at].time);
            }
            for (index, pair) in self.pages.iter_mut().enumerate() {
                visit(place(Of::Page, index, 0), &mut pair[at].pages.time);
            }
            for (index, pair) in self.locations.iter_mut().enumerate() {
                let stats = &mut pair[at];
                let parts = [&mut stats.exchanges, &mut stats.iterations, &mut stats.pages];
                for (part, stats) in parts.into_iter().enumerate() {
                    visit(place(Of::Location, index, part as u16), &mut stats.time);
                }
            }
            for (part, times) in delays_of(&mut self.load[at]).into_iter().enumerate() {
                visit(place(Of::Load, 0, part as u16), times);
            }
        }
    }

    /// The distribution at a place; `None` where too many statuses are told apart already.
    fn locate(&mut self, Place { of, section, index, part }: Place) -> Option<&mut Histogram> {
        let (index, nth) = (index as usize, usize::from(part));
        Some(match of {
            Of::Request => {
                let outcomes = &mut self.request_mut(section, NameId(index as u32)).outcomes;
                times_of(outcomes.get_mut(nth / 4)?.get_or_insert_default()).into_iter().nth(nth % 4)?
            }
            Of::Phases => {
                let phases = &mut self.request_mut(section, NameId(index as u32)).phases;
                phases.get_or_insert_default().all_mut().into_iter().nth(nth)?
            }
            Of::Status => self.request_mut(section, NameId(index as u32)).times_of(part)?,
            Of::Scenario => &mut self.scenario_mut(section, index).iteration_time,
            Of::Transaction => &mut self.transaction_mut(section, index).time,
            Of::Transition => &mut self.transition_mut(section, index).time,
            Of::Page => &mut self.page_mut(section, index).pages.time,
            Of::Location => {
                let stats = self.location_mut(section, index);
                let parts = [&mut stats.exchanges, &mut stats.iterations, &mut stats.pages];
                &mut parts.into_iter().nth(nth)?.time
            }
            Of::Load => delays_of(self.load_mut(section)).into_iter().nth(nth)?,
        })
    }
}

fn times_of(set: &mut LatencySet) -> [&mut Histogram; 4] {
    let LatencySet { response, service, send_lag, ttfb } = set;
    [response, service, send_lag, ttfb]
}

fn delays_of(load: &mut LoadStats) -> [&mut Histogram; 5] {
    [&mut load.censored, &mut load.injector_lag, &mut load.pickup_delay, &mut load.unserved, &mut load.held]
}
