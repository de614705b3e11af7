//! Published data sets, and reading them.

use nmax_usl::Observation;

/// Rows of a CSV file with a header `n,x`.
pub(crate) fn rows(csv: &str) -> Vec<Observation> {
    let pairs = csv.lines().skip(1).filter(|line| !line.trim().is_empty()).map(|line| {
        let (n, x) = line.split_once(',').expect("two columns");
        (n.trim().parse().expect("N"), x.trim().parse().expect("X"))
    });
    observations(&pairs.collect::<Vec<_>>())
}

/// Observations of equal weight.
pub(crate) fn observations(points: &[(f64, f64)]) -> Vec<Observation> {
    let row = |(index, &(n, x))| Observation { n, x, r_s: None, weight: 1.0, row: index + 1, count: None };
    points.iter().enumerate().map(row).collect()
}

/// SPEC SDM91 on a SPARCcenter 2000.
pub(crate) fn specsdm91() -> Vec<Observation> {
    rows(include_str!("../../../../testdata/usl/specsdm91.csv"))
}

/// MySQL on a Cisco UCS.
pub(crate) fn cisco() -> Vec<Observation> {
    rows(include_str!("../../../../testdata/usl/cisco.csv"))
}

/// BRL-CAD on an SGI Origin 2000.
pub(crate) fn raytracer() -> Vec<Observation> {
    rows(include_str!("../../../../testdata/usl/raytracer.csv"))
}

/// memcached 1.2.8 by threads.
pub(crate) fn memcached() -> Vec<Observation> {
    rows(include_str!("../../../../testdata/usl/memcached-1.2.8.csv"))
}

/// sysbench CPU on four hardware threads: a knee.
pub(crate) fn sysbench() -> Vec<Observation> {
    rows(include_str!("../../../../testdata/usl/sysbench-cpu.csv"))
}

/// Points of α = β = .02, γ = 1, rounded to four decimals.
pub(crate) fn synthetic() -> Vec<Observation> {
    rows(include_str!("../../../../testdata/usl/synthetic.csv"))
}
