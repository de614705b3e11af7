//! The answer first: what was found, in one line, and the load to run the system at.

use crate::analysis::levels::Level;
use crate::analysis::wording::{list, number, rough, unit, units};
use crate::analysis::{Analysis, Headline};
use crate::finding::blocking;
use crate::ladder::{self, Winner};
use crate::model::{Curve, Model};
use crate::observation::Dimension;

/// Share of the largest throughput that is as good as all of it.
const NEARLY_ALL: f64 = 0.95;
/// Growth of N without growth of X from which throughput counts as level.
const LEVEL_FROM: f64 = 1.5;

/// The first of these that holds: data that forbid conclusions, a cap, a peak, a level, a rise.
pub(crate) fn headline(analysis: &Analysis, levels: &[Level]) -> Headline {
    let blocks = blocking(&analysis.findings);
    let (Some((n_best, x_best)), Some(last)) = (analysis.best, levels.last()) else {
        return Headline {
            text: "Nothing was measured".into(),
            advice: "Give rows with a load and a throughput.".into(),
        };
    };
    let dimension = analysis.options.dimension;
    let (x, n_hi) = (number(x_best), last.n);
    let enough = levels.iter().find(|level| level.x >= NEARLY_ALL * x_best).map_or(n_best, |level| level.n);
    if !blocks.is_empty() {
        let blocks = list(blocks.into_iter().map(str::to_owned));
        return Headline {
            text: format!("No conclusion yet: {blocks}"),
            advice: "Correct what these findings name, then measure again.".into(),
        };
    }
    if let Some((bend, cap)) = cap(analysis).filter(|(bend, _)| *bend < n_hi) {
        let text = format!("Capped at {}/s from {} on", number(cap), load(dimension, bend.max(1.0)));
        return Headline { text, advice: run_at(dimension, (NEARLY_ALL * bend).ceil(), bend.ceil()) };
    }
    if let Some(peak) = analysis.observed_peak {
        let at = load(dimension, peak.concurrency);
        let text = format!("Peak of {}/s at {at}: more load does less", number(peak.throughput));
        return Headline { text, advice: run_at(dimension, enough.min(peak.concurrency), peak.concurrency) };
    }
    if enough * LEVEL_FROM <= n_hi {
        let text = format!(
            "Levels off at about {x}/s from {} on; a fall beyond {} is not measured",
            load(dimension, enough),
            load(dimension, n_hi)
        );
        return Headline { text, advice: run_at(dimension, enough, enough) };
    }
    let text = format!("Still rising at {}, the most that was measured: {x}/s", load(dimension, n_hi));
    let advice = match &analysis.peak {
        Some(peak) => {
            format!("By the law it rises up to {}: measure beyond that.", load(dimension, peak.concurrency.estimate))
        }
        None => "Measure more load to find where it ends.".into(),
    };
    Headline { text, advice }
}

/// Where the straight line meets the cap, and the cap per second, when that model leads.
fn cap(analysis: &Analysis) -> Option<(f64, f64)> {
    let knee = ladder::rung(&analysis.ladder, Model::Knee)?;
    match (analysis.winner, knee.curve) {
        (Winner::One(Model::Knee), Curve::Knee { unit_throughput, cap }) => Some((cap / unit_throughput, cap)),
        _ => None,
    }
}

/// `4 virtual users`, or `N = 4.08` where it is not known what N counts, nor so whether it is whole.
fn load(dimension: Dimension, n: f64) -> String {
    match (dimension, n.round()) {
        (Dimension::Other, _) => format!("N = {}", rough(n)),
        (_, 1.0) => format!("1 {}", unit(dimension)),
        (_, whole) => format!("{} {}", number(whole), units(dimension)),
    }
}

fn run_at(dimension: Dimension, low: f64, high: f64) -> String {
    let range = if low < high { format!("{} to ", number(low)) } else { String::new() };
    format!("Run it at {range}{}: more load only waits longer.", load(dimension, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Observation, Options, analyse};

    fn found(points: &[(f64, f64)], dimension: Dimension) -> Analysis {
        let row = |(index, (n, x)): (usize, &(f64, f64))| Observation {
            n: *n,
            x: *x,
            r_s: None,
            weight: 1.0,
            row: index + 1,
            count: None,
        };
        let rows: Vec<Observation> = points.iter().enumerate().map(row).collect();
        analyse(&rows, &Options { dimension, ..Options::default() })
    }

    #[test]
    fn what_was_found_comes_with_the_load_to_run_at() {
        let capped: Vec<_> = (0..7).map(|i| f64::from(1 << i)).map(|n| (n, (24.5 * n).min(100.0))).collect();
        let usl = |n: f64| 1000.0 * n / (1.0 + 0.02 * (n - 1.0) + 0.002 * n * (n - 1.0));
        let peaked: Vec<_> = (0..8).map(|i| f64::from(1 << i)).map(|n| (n, usl(n))).collect();
        let amdahl: Vec<_> =
            (0..8).map(|i| f64::from(1 << i)).map(|n| (n, 1000.0 * n / (1.0 + 0.3 * (n - 1.0)))).collect();
        let linear: Vec<_> = (1..8).map(|n| (f64::from(n), 500.0 * f64::from(n))).collect();
        // points, what N counts, what the text names, what the advice names
        let cases = [
            (&capped, Dimension::Vus, vec!["Capped at 100/s", "from 4 virtual users on"], vec!["4 to 5 virtual users"]),
            (&capped, Dimension::Other, vec!["from N = 4.08"], vec!["4 to N = 5"]),
            (&peaked, Dimension::Vus, vec!["Peak of ", "at 16 virtual users"], vec!["16 virtual users"]),
            (&amdahl, Dimension::Vus, vec!["Levels off", "beyond 128"], vec!["Run it at 64 virtual users"]),
            (&linear, Dimension::Vus, vec!["Still rising at 7 virtual users", "3,500/s"], vec!["more load"]),
        ];
        for (points, dimension, text, advice) in cases {
            let Headline { text: found, advice: advised } = found(points, dimension).headline;
            assert!(text.iter().all(|part| found.contains(part)), "{found}, not {text:?}");
            assert!(advice.iter().all(|part| advised.contains(part)), "{advised}, not {advice:?}");
        }
    }

    #[test]
    fn findings_about_a_law_that_lost_are_not_shown() {
        // A cap, measured twice: replicates agree so well that the bend of the law is seen to be wrong.
        let noisy = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].map(|n: f64| (n, (24.9 * n).min(100.0)));
        let noisy: Vec<_> = noisy.iter().flat_map(|(n, x)| [(*n, x * 1.001), (*n, x * 0.999)]).collect();
        let analysis = found(&noisy, Dimension::Vus);
        assert_eq!(analysis.winner, Winner::One(Model::Knee));
        let shown: Vec<Code> = analysis.findings_of_winner().map(|finding| finding.code).collect();
        assert!(shown.contains(&Code::ShapeChange), "{shown:?}");
        assert!(!shown.contains(&Code::Outlier) && !shown.contains(&Code::NegativeCoefficient), "{shown:?}");
        assert!(analysis.findings.len() > shown.len(), "the JSON has all of them: {:?}", analysis.findings);
    }
}
