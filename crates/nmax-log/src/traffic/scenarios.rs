//! The scenarios of the sampled sessions: clusters, their chains and their names.

use super::clusters::{self, CLUSTERS_MAX};
use super::finish::{ProfileIndices, Sums};
use super::hash::{IdMap, pair};
use super::paths::{NOT_FOUND, OTHER};
use super::profile::{Cluster, RequestType, Transition};
use super::sample::Stride;
use super::visits::Pauses;

/// The scenarios of the sampled sessions.
pub(super) fn scenarios(
    sample: &[Vec<Stride>],
    types: &[RequestType],
    indices: &ProfileIndices,
    seed: u64,
) -> Vec<Cluster> {
    let sessions: Vec<Vec<(usize, u32)>> = sample
        .iter()
        .map(|steps| steps.iter().filter_map(|(kind, pause)| Some((indices.get(*kind)?, *pause))).collect())
        .filter(|steps: &Vec<_>| !steps.is_empty())
        .collect();
    let kinds: Vec<Vec<usize>> = sessions.iter().map(|steps| steps.iter().map(|(kind, _)| *kind).collect()).collect();
    let assigned = clusters::assign(kinds.iter().map(Vec::as_slice), &ranks(types), seed);
    let steps_total: usize = kinds.iter().map(Vec::len).sum();
    let shares = Shares::new(&kinds, &assigned, types.len());
    let mut names: Vec<String> = Vec::new();
    (0..CLUSTERS_MAX)
        .filter_map(|cluster| {
            let own: Vec<&Vec<(usize, u32)>> = of_cluster(&sessions, &assigned, cluster);
            if own.is_empty() {
                return None;
            }
            let steps: usize = own.iter().map(|steps| steps.len()).sum();
            let name = unused(&names, name(cluster, &shares, types, &names), '-');
            names.push(name.clone());
            Some(Cluster {
                name,
                sessions_share: own.len() as f64 / sessions.len() as f64,
                requests_share: steps as f64 / steps_total as f64,
                steps_mean: steps as f64 / own.len() as f64,
                transitions: chain(&own),
            })
        })
        .collect()
}

fn of_cluster<'a, T>(sessions: &'a [T], assigned: &[usize], cluster: usize) -> Vec<&'a T> {
    let own = sessions.iter().zip(assigned).filter(|(_, assigned)| **assigned == cluster);
    own.map(|(session, _)| session).collect()
}

/// Place of each type by the number of its steps.
fn ranks(types: &[RequestType]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..types.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(types[*at].steps));
    let mut ranks = vec![0; types.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

fn chain(sessions: &[&Vec<(usize, u32)>]) -> Vec<Transition> {
    let mut sums = Sums::default();
    let none = Pauses::default();
    for steps in sessions {
        let mut before = None;
        for (kind, pause_ms) in *steps {
            let mut pauses = Pauses::default();
            if before.is_some() {
                pauses.add(*pause_ms);
            }
            sums.add(before, Some(*kind), 1, &pauses);
            before = Some(*kind);
        }
        sums.add(before, None, 1, &none);
    }
    let mut all = sums.finish();
    all.sort_by_key(|transition| (transition.from, std::cmp::Reverse(transition.count)));
    all
}

/// Sessions of each cluster that have a step of each type.
struct Shares {
    having: Vec<Vec<f64>>,
    sizes: [f64; CLUSTERS_MAX],
}

impl Shares {
    fn new(kinds: &[Vec<usize>], assigned: &[usize], types: usize) -> Self {
        let mut seen: IdMap<()> = IdMap::default();
        let mut shares = Self { having: vec![vec![0.0; types]; CLUSTERS_MAX], sizes: [0.0; CLUSTERS_MAX] };
        for (session, (steps, cluster)) in kinds.iter().zip(assigned).enumerate() {
            shares.sizes[*cluster] += 1.0;
            for kind in steps {
                if seen.insert(pair(session as u32, *kind as u32), ()).is_none() {
                    shares.having[*cluster][*kind] += 1.0;
                }
            }
        }
        shares
    }

    /// Shares of the sessions inside and outside of a cluster that have a step of a type.
    fn inside_and_outside(&self, cluster: usize, kind: usize) -> (f64, f64) {
        let having: f64 = self.having.iter().map(|having| having[kind]).sum();
        let size: f64 = self.sizes.iter().sum();
        let (own, own_size) = (self.having[cluster][kind], self.sizes[cluster]);
        (own / own_size.max(1.0), (having - own) / (size - own_size).max(1.0))
    }
}

/// Of requests that tell a scenario nearly as well as the best, so much is enough to prefer one that no other is named by.
const TELLING_ENOUGH: f64 = 0.5;

/// Name of a scenario: that of the page which tells it best from the others, by p·ln(p/q) with the shares p and q of
/// sessions inside and outside that have it.
fn name(cluster: usize, shares: &Shares, types: &[RequestType], taken: &[String]) -> String {
    let telling = |kind: usize| {
        let (inside, outside) = shares.inside_and_outside(cluster, kind);
        inside * ((inside + 0.01) / (outside + 0.01)).ln()
    };
    let may_name = |kind: &usize| ![OTHER, NOT_FOUND].contains(&types[*kind].template.as_str());
    let mut named: Vec<usize> = (0..types.len()).filter(may_name).collect();
    // Whoever reads a name thinks of pages, not of what comes with them.
    let is_page = |kind: &usize| !types[*kind].is_resource;
    if named.iter().any(|kind| is_page(kind) && shares.inside_and_outside(cluster, *kind).0 > 0.0) {
        named.retain(is_page);
    }
    // Of equally telling ones a page says more than what it sends, and a frequent one more than a rare one.
    let order = |kind: &usize| (types[*kind].method != "GET", *kind);
    named.sort_by(|a, b| telling(*b).total_cmp(&telling(*a)).then_with(|| order(a).cmp(&order(b))));
    let Some(best) = named.first() else {
        return "visit".to_owned();
    };
    let enough = TELLING_ENOUGH * telling(*best);
    let free = named
        .iter()
        .take_while(|kind| telling(**kind) >= enough)
        .map(|kind| short_name(&types[*kind]))
        .find(|name| !taken.contains(name));
    free.unwrap_or_else(|| short_name(&types[*best]))
}

/// A short name of a request type for keys of a document: `item`, `post-login`, `home`.
pub(crate) fn short_name(kind: &RequestType) -> String {
    let mut names = kind.template.split('/').filter(|part| !part.is_empty() && !part.starts_with("{id}"));
    let last = names.next_back().unwrap_or("home");
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let mut name = if kind.method == "GET" { String::new() } else { format!("{}-", kind.method.to_lowercase()) };
    for letter in stem.chars().take(40) {
        match letter {
            'a'..='z' | '0'..='9' | '_' => name.push(letter),
            'A'..='Z' => name.push(letter.to_ascii_lowercase()),
            _ if !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    let name = name.trim_matches('-');
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name.to_owned() } else { format!("page-{name}") }
        .trim_end_matches('-')
        .to_owned()
}

/// The name, with the first number behind `dash` with which it is free when it is taken.
pub(crate) fn unused(taken: &[String], name: String, dash: char) -> String {
    let numbered = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}{dash}{n}")));
    numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or(name)
}

#[cfg(test)]
mod tests;
