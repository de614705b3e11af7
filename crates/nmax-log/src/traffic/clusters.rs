//! The few scenarios behind many sessions: which kinds of requests a session makes, clustered.
//!
//! A session is a point: the square root of the share of each request type in its steps, so that distances are those of
//! Hellinger and a single visit of the checkout counts among many of the catalog. Points are put into k clusters by
//! k-means (S. Lloyd 1982) from seeds far apart (k-means++, D. Arthur and S. Vassilvitskii 2007), for k up to
//! [`CLUSTERS_MAX`]. How well they are apart is the simplified silhouette (P. J. Rousseeuw 1987, with distances to centers:
//! E. R. Hruschka et al. 2004). The same is done with sessions of the same lengths whose steps are drawn from the mix of
//! all, so that nothing is there to be found (as in the gap statistic, R. Tibshirani et al. 2001). The least k is taken
//! whose silhouette is above that by [`GAP_MIN`], and within [`GAP_NEAR`] of the best, else all sessions are one scenario.

use nmax_plan::choice::Stream;

/// Most scenarios.
pub(crate) const CLUSTERS_MAX: usize = 5;
/// Least silhouette above that of sessions without clusters.
const GAP_MIN: f64 = 0.1;
/// Fewer clusters are taken where they are worse by no more than this.
const GAP_NEAR: f64 = 0.02;
/// Least share of the sessions that make a scenario.
const SHARE_MIN: f64 = 0.01;
/// Sessions that centers are looked for with; all are assigned to them.
const POINTS_MAX: usize = 2_000;
/// Request types that are told apart here; the rest counts as one.
const DIMENSIONS: usize = 64;
/// Tries with other seeds for each k.
const TRIES: usize = 4;
/// Rounds of a try.
const ROUNDS_MAX: usize = 40;

type Point = Vec<(usize, f64)>;
type Center = [f64; DIMENSIONS + 1];

/// Number of the cluster of each session, the largest cluster first. Sessions are types in order; `ranks` gives each
/// type's place by frequency. Deterministic for a seed. O(sessions · k · steps).
pub(crate) fn assign<'a>(sessions: impl Iterator<Item = &'a [usize]>, ranks: &[usize], seed: u64) -> Vec<usize> {
    let dimension = |step: &usize| ranks.get(*step).copied().unwrap_or(DIMENSIONS).min(DIMENSIONS);
    let steps: Vec<Vec<usize>> = sessions.map(|steps| steps.iter().map(dimension).collect()).collect();
    let points: Vec<Point> = steps.iter().map(|steps| point(steps)).collect();
    let chosen = chosen(points.len(), seed);
    let few: Vec<&Point> = chosen.iter().map(|at| &points[*at]).collect();
    let alike = alike(&chosen.iter().map(|at| &steps[*at]).collect::<Vec<_>>(), seed);
    let alike: Vec<&Point> = alike.iter().collect();
    let found: Vec<(f64, Vec<(Center, f64)>)> = (2..=CLUSTERS_MAX)
        .filter_map(|k| {
            let found = centers(&few, k, seed)?;
            // Sessions without clusters that do not even make k groups have none.
            let without = centers(&alike, k, seed).map_or(0.0, |centers| silhouette(&alike, &centers));
            Some((silhouette(&few, &found) - without, found))
        })
        .collect();
    let best = found.iter().map(|(gap, _)| *gap).fold(GAP_MIN, f64::max);
    let Some((_, centers)) = found.into_iter().find(|(gap, _)| *gap >= GAP_MIN && *gap >= best - GAP_NEAR) else {
        return vec![0; points.len()];
    };
    let found: Vec<usize> = points.iter().map(|point| nearest(point, &centers).0).collect();
    by_size(found, centers.len())
}

/// Numbers of the sessions that centers are looked for with, drawn without repetition.
fn chosen(count: usize, seed: u64) -> Vec<usize> {
    let mut random = Stream::new(seed);
    let mut all: Vec<usize> = (0..count).collect();
    let few = count.min(POINTS_MAX);
    for at in 0..few {
        all.swap(at, at + random.below((count - at) as u64) as usize);
    }
    all.truncate(few);
    all
}

/// Sessions of the same lengths, their steps drawn from the mix of all.
fn alike(points: &[&Vec<usize>], seed: u64) -> Vec<Point> {
    let pool: Vec<usize> = points.iter().flat_map(|steps| steps.iter().copied()).collect();
    let mut random = Stream::new(!seed);
    let mut drawn = Vec::new();
    let one = |steps: &&Vec<usize>| {
        drawn.clear();
        drawn.extend((0..steps.len()).map(|_| pool[random.below(pool.len() as u64) as usize]));
        point(&drawn)
    };
    points.iter().map(one).collect()
}

/// Renumbers clusters by size, the largest first.
fn by_size(found: Vec<usize>, clusters: usize) -> Vec<usize> {
    let mut sizes = vec![0_usize; clusters];
    found.iter().for_each(|cluster| sizes[*cluster] += 1);
    let mut order: Vec<usize> = (0..clusters).collect();
    order.sort_by_key(|cluster| std::cmp::Reverse(sizes[*cluster]));
    let mut numbers = vec![0; clusters];
    for (number, cluster) in order.into_iter().enumerate() {
        numbers[cluster] = number;
    }
    found.into_iter().map(|cluster| numbers[cluster]).collect()
}

fn point(steps: &[usize]) -> Point {
    let mut counts: Vec<(usize, f64)> = Vec::new();
    for step in steps {
        match counts.iter_mut().find(|(known, _)| known == step) {
            Some((_, count)) => *count += 1.0,
            None => counts.push((*step, 1.0)),
        }
    }
    let total = steps.len().max(1) as f64;
    counts.iter_mut().for_each(|(_, count)| *count = (*count / total).sqrt());
    counts
}

/// Squared distance of a point, whose length is 1, from a center.
fn distance(point: &Point, center: &Center, center_square: f64) -> f64 {
    let product: f64 = point.iter().map(|(at, value)| value * center[*at]).sum();
    (1.0 - 2.0 * product + center_square).max(0.0)
}

fn square(center: &Center) -> f64 {
    center.iter().map(|value| value * value).sum()
}

/// The nearest center, its squared distance, and that of the second nearest.
fn nearest(point: &Point, centers: &[(Center, f64)]) -> (usize, f64, f64) {
    let mut best = (0, f64::INFINITY, f64::INFINITY);
    for (at, (center, center_square)) in centers.iter().enumerate() {
        let distance = distance(point, center, *center_square);
        if distance < best.1 {
            best = (at, distance, best.1);
        } else if distance < best.2 {
            best.2 = distance;
        }
    }
    best
}

/// The best centers of several tries; `None` when they do not make k clusters of some size.
fn centers(points: &[&Point], k: usize, seed: u64) -> Option<Vec<(Center, f64)>> {
    let mut random = Stream::new(seed ^ k as u64);
    let tries = (0..TRIES).filter_map(|_| lloyd(points, k, &mut random));
    let best = tries.reduce(|best, next| if next.0 < best.0 { next } else { best })?;
    let mut sizes = vec![0_usize; k];
    points.iter().for_each(|point| sizes[nearest(point, &best.1).0] += 1);
    let least = (SHARE_MIN * points.len() as f64).max(1.0);
    sizes.iter().all(|size| *size as f64 >= least).then_some(best.1)
}

fn lloyd(points: &[&Point], k: usize, random: &mut Stream) -> Option<(f64, Vec<(Center, f64)>)> {
    let mut centers = seeds(points, k, random)?;
    let mut inertia = f64::INFINITY;
    for _ in 0..ROUNDS_MAX {
        let mut sums = vec![([0.0; DIMENSIONS + 1], 0.0_f64); k];
        let mut now = 0.0;
        for point in points {
            let (cluster, distance, _) = nearest(point, &centers);
            now += distance;
            let (sum, count) = &mut sums[cluster];
            point.iter().for_each(|(at, value)| sum[*at] += value);
            *count += 1.0;
        }
        if now >= inertia * (1.0 - 1e-9) {
            break;
        }
        inertia = now;
        for ((sum, count), center) in sums.into_iter().zip(&mut centers) {
            if count > 0.0 {
                let mean = sum.map(|value| value / count);
                *center = (mean, square(&mean));
            }
        }
    }
    Some((inertia, centers))
}

/// Points as first centers, each with a chance that grows with its squared distance from those before.
fn seeds(points: &[&Point], k: usize, random: &mut Stream) -> Option<Vec<(Center, f64)>> {
    let as_center = |point: &Point| {
        let mut center = [0.0; DIMENSIONS + 1];
        point.iter().for_each(|(at, value)| center[*at] = *value);
        (center, square(&center))
    };
    let first = points.get(random.below(points.len() as u64) as usize)?;
    let mut centers = vec![as_center(first)];
    while centers.len() < k {
        let distances: Vec<f64> = points.iter().map(|point| nearest(point, &centers).1).collect();
        let total: f64 = distances.iter().sum();
        if total <= 1e-9 {
            return None;
        }
        let mut rest = random.unit() * total;
        let chosen = distances.iter().position(|distance| {
            rest -= distance;
            rest < 0.0
        });
        centers.push(as_center(points[chosen.unwrap_or(points.len() - 1)]));
    }
    Some(centers)
}

/// Mean of (b − a)/max(a, b): a the distance to the own center, b to the nearest other one.
fn silhouette(points: &[&Point], centers: &[(Center, f64)]) -> f64 {
    let one = |point: &&Point| {
        let (_, own, other) = nearest(point, centers);
        let (own, other) = (own.sqrt(), other.sqrt());
        if other > 0.0 { (other - own) / other } else { 0.0 }
    };
    points.iter().map(one).sum::<f64>() / points.len().max(1) as f64
}

#[cfg(test)]
mod tests;
