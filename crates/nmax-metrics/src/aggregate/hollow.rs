//! An aggregate whose distributions are kept in cells of 2 %, for sums that are kept many times over.

use super::declare::Declared;
use super::{Aggregate, Group, LatencySet, LoadStats, Phases, Section};
use crate::histogram::Thin;
use crate::{Code, Histogram, NameId};

/// An [`Aggregate`] in little memory: some hundred bytes for each name, and 8 for each cell of a distribution.
///
/// A window with all of its histograms takes some 210 kB for each name at 50 ms. Counts stay exact; for distributions see
/// [`Thin`].
#[derive(Clone, Debug)]
pub struct Hollow {
    /// All but the distributions.
    aggregate: Aggregate,
    thin: Vec<(DistributionKey, Thin)>,
}

/// Distributions of an outcome.
const OUTCOME_PARTS: usize = LatencySet::TIMES.len();

/// Where a distribution is.
#[derive(Clone, Copy, Debug)]
struct DistributionKey {
    subject: Subject,
    section: Section,
    index: u32,
    /// Which one of several.
    part: u16,
}

#[derive(Clone, Copy, Debug)]
enum Subject {
    /// By outcome and time.
    Request,
    Phases,
    /// By status code.
    Status(Code),
    Group(Group),
    Load,
}

impl Hollow {
    /// Empties what `aggregate` holds. O(names · buckets).
    pub fn new(mut aggregate: Aggregate) -> Self {
        let mut thin = Vec::new();
        aggregate.visit(|key, histogram| {
            if !histogram.is_empty() {
                thin.push((key, Thin::from_histogram(histogram)));
            }
            *histogram = Histogram::new();
        });
        Self { aggregate, thin }
    }

    /// Adds it to `sum`. O(names · cells).
    pub fn add_to(&self, sum: &mut Aggregate) {
        sum.merge(&self.aggregate);
        for (key, thin) in &self.thin {
            if let Some(histogram) = sum.locate(*key) {
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
    fn visit(&mut self, mut visit: impl FnMut(DistributionKey, &mut Histogram)) {
        for section in Section::ALL {
            let key = |subject, index: usize, part: usize| DistributionKey {
                subject,
                section,
                index: index as u32,
                part: part as u16,
            };
            for (index, stats) in self.requests.of_mut(section).enumerate() {
                let Some(stats) = stats else { continue };
                for (class, set) in stats.outcomes.iter_mut().enumerate() {
                    let Some(set) = set else { continue };
                    for (part, time) in LatencySet::TIMES.iter().enumerate() {
                        visit(key(Subject::Request, index, OUTCOME_PARTS * class + part), (time.get_mut)(set));
                    }
                }
                for (part, time) in Phases::TIMES.iter().enumerate() {
                    if let Some(phases) = &mut stats.phases {
                        visit(key(Subject::Phases, index, part), (time.get_mut)(phases));
                    }
                }
                for (code, times) in &mut stats.status_times {
                    visit(key(Subject::Status(*code), index, 0), times);
                }
            }
            for group in Group::ALL {
                let table = self.table_mut(group);
                let words = table.distribution_names().len();
                for (index, word) in (0..table.len()).flat_map(|index| (0..words).map(move |word| (index, word))) {
                    if let Some(times) = table.time_mut(section, index, word) {
                        visit(key(Subject::Group(group), index, word), times);
                    }
                }
            }
            for (part, time) in LoadStats::TIMES.iter().enumerate() {
                visit(key(Subject::Load, 0, part), (time.get_mut)(self.load_mut(section)));
            }
        }
    }

    /// The distribution at a place; `None` where too many statuses are told apart already.
    fn locate(&mut self, DistributionKey { subject, section, index, part }: DistributionKey) -> Option<&mut Histogram> {
        let (index, nth) = (index as usize, usize::from(part));
        Some(match subject {
            Subject::Request => {
                let outcomes = &mut self.request_mut(section, NameId(index as u32)).outcomes;
                let set = outcomes.get_mut(nth / OUTCOME_PARTS)?.get_or_insert_default();
                (LatencySet::TIMES.get(nth % OUTCOME_PARTS)?.get_mut)(set)
            }
            Subject::Phases => {
                let phases = &mut self.request_mut(section, NameId(index as u32)).phases;
                (Phases::TIMES.get(nth)?.get_mut)(phases.get_or_insert_default())
            }
            Subject::Status(code) => self.request_mut(section, NameId(index as u32)).times_of(code)?,
            Subject::Group(group) => self.table_mut(group).time_mut(section, index, nth)?,
            Subject::Load => (LoadStats::TIMES.get(nth)?.get_mut)(self.load_mut(section)),
        })
    }
}
