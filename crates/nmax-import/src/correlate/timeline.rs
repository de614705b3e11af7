//! The order in which a plan does what was recorded: what a request can know when it is sent.

use std::collections::HashMap;

use crate::journey::Journey;
use crate::parts::split;
use crate::recording::{Entry, Recording, header};

/// The journey as a sequence.
pub(super) struct Timeline<'a> {
    recording: &'a Recording,
    /// Entries of the journey in order.
    pub sequence: Vec<usize>,
    /// Where each entry of the recording stands in the journey.
    places: Vec<Option<Spot>>,
    /// Positions in the sequence by the URL that is requested there.
    by_url: HashMap<&'a str, Vec<usize>>,
}

/// Where an entry stands in the journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// Position in the sequence.
    pub order: usize,
    /// Number of its step.
    pub step: usize,
    /// The step's own request is 0, its redirects follow; resources of its page have `None`.
    pub hop: Option<usize>,
    /// The step shows a page.
    is_page: bool,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(recording: &'a Recording, journey: &Journey) -> Self {
        let mut timeline = Self {
            recording,
            sequence: Vec::new(),
            places: vec![None; recording.entries.len()],
            by_url: HashMap::new(),
        };
        for (number, step) in journey.steps.iter().enumerate() {
            let hops = std::iter::once(&step.entry).chain(&step.redirects);
            let hops = hops.enumerate().map(|(hop, entry)| (*entry, Some(hop)));
            let resources = step.resources.iter().map(|entry| (*entry, None));
            for (entry, hop) in hops.chain(resources) {
                let order = timeline.sequence.len();
                if let Some(place @ None) = timeline.places.get_mut(entry) {
                    *place = Some(Spot { order, step: number, hop, is_page: step.is_page });
                    let url = recording.entries[entry].request.url.as_str();
                    timeline.by_url.entry(url).or_default().push(order);
                    timeline.sequence.push(entry);
                }
            }
        }
        timeline
    }

    pub(super) fn entry(&self, entry: usize) -> &'a Entry {
        &self.recording.entries[entry]
    }

    /// Where an entry of the sequence stands.
    pub(super) fn spot(&self, entry: usize) -> Spot {
        self.places[entry].expect("entries that are asked about are of the journey")
    }

    /// Whether the reply of one was there when the other was sent.
    pub(super) fn is_before(&self, source: usize, of: usize) -> bool {
        let (first, second) = (self.spot(source), self.spot(of));
        if first.order >= second.order {
            return false;
        }
        let are_parallel = first.step == second.step && first.hop.is_none();
        !are_parallel || self.entry(source).done_us() <= self.entry(of).sent_us
    }

    /// Whether the entry is a resource of a page.
    pub(super) fn is_resource(&self, entry: usize) -> bool {
        self.spot(entry).hop.is_none()
    }

    /// The redirect that led to an entry.
    pub(super) fn redirect_to(&self, entry: usize) -> Option<usize> {
        let spot = self.spot(entry);
        let is_hop = spot.hop.is_some_and(|hop| hop > 0);
        is_hop.then(|| self.sequence[spot.order - 1])
    }

    /// The page on which the user was: what the `referer` names, else the last page before.
    pub(super) fn page_before(&self, entry: usize) -> Option<usize> {
        let spot = self.spot(entry);
        let referer = header(&self.entry(entry).request.headers, "referer");
        // Policies shorten it to its origin, which names no page.
        let named = referer.filter(|url| split(url).path_and_query != "/");
        let named = named.and_then(|url| {
            let known = self.by_url.get(url)?;
            let last = known[..known.partition_point(|order| *order < spot.order)].last()?;
            Some(self.sequence[*last])
        });
        let is_page = |known: &usize| {
            let spot = self.spot(*known);
            spot.is_page && spot.hop.is_some()
        };
        named.or_else(|| self.sequence[..spot.order].iter().rev().copied().find(is_page))
    }
}
