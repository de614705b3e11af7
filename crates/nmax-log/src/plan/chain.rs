//! A scenario as an absorbing Markov chain: visits per session, and states taken out so that the visits of the others stay.

use crate::traffic::{Cluster, Lognormal};

/// 95 % of a normal law lie below mean + 1.645 standard deviations.
const Z95: f64 = 1.644_853_626_951_472_2;

/// From one state to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Link {
    /// Chance of this link where it begins.
    pub(crate) chance: f64,
    /// Mean and mean square of the logarithm of the pause in s.
    log_mean: f64,
    log_square: f64,
    /// Whether there is a pause at all.
    has_pause: bool,
}

impl Link {
    fn new(chance: f64, think: Option<Lognormal>) -> Self {
        let Some(think) = think else {
            return Self { chance, ..Self::default() };
        };
        let mean = think.median_s.max(1e-6).ln();
        let deviation = ((think.p95_s.max(1e-6).ln() - mean) / Z95).max(0.0);
        Self { chance, log_mean: mean, log_square: mean * mean + deviation * deviation, has_pause: true }
    }

    /// The pause as a lognormal law.
    pub(crate) fn think(&self) -> Option<Lognormal> {
        self.has_pause.then(|| {
            let deviation = (self.log_square - self.log_mean * self.log_mean).max(0.0).sqrt();
            Lognormal { median_s: self.log_mean.exp(), p95_s: (self.log_mean + Z95 * deviation).exp() }
        })
    }

    /// Either of two ways: chances add up, logarithms of pauses are weighed.
    fn or(self, other: Self) -> Self {
        let chance = self.chance + other.chance;
        let weigh = |link: &Self| if link.has_pause { link.chance } else { 0.0 };
        let (mine, theirs) = (weigh(&self), weigh(&other));
        let total = mine + theirs;
        if total <= 0.0 {
            return Self { chance, ..if self.has_pause { self } else { other } };
        }
        Self {
            chance,
            log_mean: (mine * self.log_mean + theirs * other.log_mean) / total,
            log_square: (mine * self.log_square + theirs * other.log_square) / total,
            has_pause: true,
        }
    }

    /// One after the other, `chance` in all: the lognormal law with mean and variance of both pauses (L. F. Fenton 1960).
    fn then(self, other: Self, chance: f64) -> Self {
        match (self.has_pause, other.has_pause) {
            (false, _) => Self { chance, ..other },
            (_, false) => Self { chance, ..self },
            _ => {
                let moments = |link: &Self| {
                    let square = (link.log_square - link.log_mean * link.log_mean).clamp(0.0, 25.0);
                    let mean = (link.log_mean + square / 2.0).exp();
                    (mean, mean * mean * square.exp_m1())
                };
                let (one, two) = (moments(&self), moments(&other));
                let (mean, variance) = (one.0 + two.0, one.1 + two.1);
                let square = (variance / (mean * mean)).ln_1p();
                let log_mean = mean.ln() - square / 2.0;
                Self { chance, log_mean, log_square: log_mean * log_mean + square, has_pause: true }
            }
        }
    }
}

/// States with their request types, and the links between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    /// Request type of each state.
    pub(crate) states: Vec<usize>,
    /// `links[from][to]`; `from` = number of states: the session begins; `to` = number of states: it ends.
    pub(crate) links: Vec<Vec<Link>>,
}

impl Chain {
    /// The chain of a scenario.
    pub(crate) fn from_cluster(cluster: &Cluster) -> Self {
        let mut states: Vec<usize> = cluster.transitions.iter().filter_map(|link| link.to).collect();
        states.sort_unstable();
        states.dedup();
        let n = states.len();
        let place = |kind: Option<usize>| kind.map_or(Some(n), |kind| states.binary_search(&kind).ok());
        let mut counts = vec![0.0; n + 1];
        for link in &cluster.transitions {
            if let Some(from) = place(link.from) {
                counts[from] += link.count as f64;
            }
        }
        let mut links = vec![vec![Link::default(); n + 1]; n + 1];
        for link in &cluster.transitions {
            if let (Some(from), Some(to)) = (place(link.from), place(link.to)) {
                links[from][to] = links[from][to].or(Link::new(link.count as f64 / counts[from], link.think));
            }
        }
        Self { states, links }
    }

    fn end(&self) -> usize {
        self.states.len()
    }

    /// Takes a state out: whoever came through it goes on to where it leads. The visits of the others stay.
    ///
    /// ```text
    /// p'(i,j) = p(i,j) + p(i,s)·p(s,j) / (1 − p(s,s))
    /// ```
    ///
    /// Source: J. G. Kemeny, J. L. Snell, *Finite Markov Chains* (1960), §6.1. The pauses before and after it add up. A state
    /// that is never left ends the session.
    pub(crate) fn without(mut self, state: usize) -> Self {
        let out = self.links.remove(state);
        let leave = 1.0 - out[state].chance;
        for row in &mut self.links {
            let way_in = row[state];
            if way_in.chance > 0.0 {
                for (to, way_out) in out.iter().enumerate().filter(|(to, _)| *to != state) {
                    let chance = if leave > 1e-12 {
                        way_in.chance * way_out.chance / leave
                    } else if to == out.len() - 1 {
                        way_in.chance
                    } else {
                        0.0
                    };
                    if chance > 0.0 {
                        row[to] = row[to].or(way_in.then(*way_out, chance));
                    }
                }
            }
            row.remove(state);
        }
        self.states.remove(state);
        self
    }

    /// Share of the sessions that have no state left, taken out of the beginning.
    pub(crate) fn drop_empty(&mut self) -> f64 {
        let end = self.end();
        let begin = &mut self.links[end];
        let empty = begin[end].chance;
        begin[end] = Link::default();
        let rest: f64 = begin.iter().map(|link| link.chance).sum();
        if rest > 0.0 {
            begin.iter_mut().for_each(|link| link.chance /= rest);
        }
        empty
    }

    /// Takes out links with less than `least` of the chance where they begin, if others remain there.
    pub(crate) fn pruned(&self, least: f64) -> Self {
        let mut chain = self.clone();
        for row in &mut chain.links {
            let kept: f64 = row.iter().map(|link| link.chance).filter(|chance| *chance >= least).sum();
            if kept <= 0.0 {
                continue;
            }
            for link in row.iter_mut() {
                *link =
                    if link.chance >= least { Link { chance: link.chance / kept, ..*link } } else { Link::default() };
            }
        }
        chain
    }

    /// Mean visits of each state in a session: v = b·(I − P)⁻¹, with b the beginnings and P the links between states.
    ///
    /// Source: Kemeny and Snell, theorem 3.2.4. Solved by elimination with the largest pivot, O(n³). `None` when sessions
    /// would never end.
    pub(crate) fn visits(&self) -> Option<Vec<f64>> {
        let n = self.states.len();
        // (I − P)ᵀ·v = b
        let mut rows: Vec<Vec<f64>> = (0..n)
            .map(|to| {
                let mut row: Vec<f64> =
                    (0..n).map(|from| f64::from(u8::from(from == to)) - self.links[from][to].chance).collect();
                row.push(self.links[n][to].chance);
                row
            })
            .collect();
        for column in 0..n {
            let pivot = (column..n).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
            rows.swap(column, pivot);
            if rows[column][column].abs() < 1e-12 {
                return None;
            }
            let pivot = rows[column].clone();
            for (at, row) in rows.iter_mut().enumerate() {
                let factor = row[column] / pivot[column];
                if at != column && factor != 0.0 {
                    row.iter_mut().zip(&pivot).skip(column).for_each(|(value, pivot)| *value -= factor * pivot);
                }
            }
        }
        Some((0..n).map(|at| (rows[at][n] / rows[at][at]).max(0.0)).collect())
    }
}

#[cfg(test)]
mod tests;
