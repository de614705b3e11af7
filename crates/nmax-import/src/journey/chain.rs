//! Redirects: which entry follows from which.

use std::collections::HashMap;

use crate::parts::without_fragment;
use crate::recording::Recording;
use crate::select::location;

/// Most redirects in a row.
const HOPS_MAX: usize = 20;

/// By the entry that it begins with, the entries that a chain of redirects leads to, in order.
pub(super) type Chains = HashMap<usize, Vec<usize>>;

/// Finds for each redirect the request that it caused: the first later one of that URL which no later redirect caused. So a
/// request belongs to the last redirect before it, and one that was not followed has none.
pub(super) fn chains(recording: &Recording, kept: &[usize]) -> Chains {
    let mut by_url: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, &index) in kept.iter().enumerate() {
        let url = recording.entries[index].request.url.as_str();
        by_url.entry(without_fragment(url)).or_default().push(position);
    }
    let mut next: HashMap<usize, usize> = HashMap::new();
    let mut taken = vec![false; kept.len()];
    for (position, &index) in kept.iter().enumerate().rev() {
        let entry = &recording.entries[index];
        let Some(location) = location(entry) else { continue };
        let candidates = by_url.get(without_fragment(&location)).map_or(&[][..], Vec::as_slice);
        let sent = |position: usize| recording.entries[kept[position]].sent_us;
        // Clocks of browsers are coarse: what was sent in the same instant may stand before.
        let found = candidates.iter().copied().find(|&candidate| {
            let is_later = candidate > position || sent(candidate) == sent(position);
            candidate != position && is_later && !taken[candidate] && !leads_to(&next, candidate, position)
        });
        if let Some(found) = found {
            taken[found] = true;
            next.insert(position, found);
        }
    }
    collect(kept, &next, &taken)
}

/// Whether following redirects from one position comes to another, which would close a ring.
fn leads_to(next: &HashMap<usize, usize>, from: usize, to: usize) -> bool {
    let mut at = from;
    while let Some(&following) = next.get(&at) {
        if following == to {
            return true;
        }
        at = following;
    }
    false
}

fn collect(kept: &[usize], next: &HashMap<usize, usize>, taken: &[bool]) -> Chains {
    let mut chains = Chains::new();
    for (position, &index) in kept.iter().enumerate() {
        if taken[position] {
            continue;
        }
        let mut first = index;
        let mut at = position;
        while let Some(&following) = next.get(&at) {
            let hops = chains.entry(first).or_default();
            if hops.len() >= HOPS_MAX {
                // A longer one goes on as a step of its own.
                first = kept[following];
                chains.insert(first, Vec::new());
            } else {
                hops.push(kept[following]);
            }
            at = following;
        }
    }
    chains
}
