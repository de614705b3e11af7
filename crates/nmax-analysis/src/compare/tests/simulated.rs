//! Simulated systems, equal or not: how often a comparison tells them apart.

use super::*;

/// Equal systems are called better or worse in at most 5 % of 200 pairs: single runs without and with a history, three
/// and eight runs a side, in quiet and in noisy places.
#[test]
fn equal_systems_are_not_told_apart() {
    let noisy = System { between: 0.08, within: 0.1, ..QUIET };
    for (name, system) in [("quiet", QUIET), ("noisy", noisy)] {
        for (count, history) in [(1, 0), (1, 8), (3, 0), (8, 0)] {
            let mut random = Random::new(17);
            let wrong = (0..200).filter(|_| {
                let known = runs(&mut random, system, history);
                let (before, after) = (runs(&mut random, system, count), runs(&mut random, system, count));
                is_told_apart(&ask(&before, &after, &known))
            });
            let wrong = wrong.count();
            assert!(wrong <= 10, "{name}, {count} runs a side, {history} before: {wrong} of 200");
        }
    }
}

/// Files that a browser fetches once and keeps: four exchanges of the first second before, three after. Where the parts of a
/// run do not tell how much they differ, the fewer exchanges, the less is said; the release is faster, not worse.
#[test]
fn a_request_of_a_few_exchanges_tells_nothing() {
    let mut random = Random::new(29);
    let faster = System { slowness: 0.4, ..QUIET };
    let rare = |count: u64, time_ms: f64| {
        let of = |seconds: f64| {
            let mut values = Values::default();
            FIGURES.iter().for_each(|(metric, ..)| values.set(*metric, Some(time_ms)));
            values.set(Metric::FailureRate, Some(0.0));
            values.set(Metric::Throughput, Some(count as f64 / seconds));
            values.set(Metric::Bytes, Some(512.0));
            values
        };
        let mut blocks = vec![Values::default(); BLOCKS];
        blocks[0] = of(1.0);
        Figures { count, values: of(BLOCKS as f64), blocks }
    };
    let (mut before, mut after) = (run(&mut random, QUIET, 4_000), run(&mut random, faster, 4_000));
    for number in 0..20 {
        let name = format!("image {number}");
        before.requests.insert(name.clone(), rare(4, 1.0));
        after.requests.insert(name, rare(3, 3.4));
    }
    let found = ask(&[before], &[after], &[]);
    assert_eq!(found.conclusion(), Conclusion::Better, "{found:#?}");
    let of_images = found.rows.iter().filter(|row| row.request.starts_with("image"));
    for row in of_images {
        assert_ne!(row.said, Conclusion::Worse, "{row:#?}");
    }
}

/// Runs of 2 s without parts, which differ by 20 % in times and throughput, are not told apart either.
#[test]
fn short_runs_of_equal_systems_are_not_told_apart() {
    let system = System { between: 0.2, ..QUIET };
    let short = |random: &mut Random| {
        let mut run = run(random, system, 400);
        let all = std::iter::once(&mut run.total).chain(run.requests.values_mut());
        for figures in all {
            // As many users as before: who waits longer asks less often.
            let mean = figures.values.get(Metric::ResponseMean).unwrap();
            figures.values.set(Metric::Throughput, Some(1e4 / mean));
            figures.blocks.clear();
        }
        Measured { hold_s: 2.0, ..run }
    };
    let mut random = Random::new(19);
    let wrong = (0..200).filter(|_| is_told_apart(&ask(&[short(&mut random)], &[short(&mut random)], &[])));
    let wrong = wrong.count();
    assert!(wrong <= 10, "{wrong} of 200");
}

/// Shorter or disturbed runs make the interval wider, never narrower.
#[test]
fn short_and_disturbed_runs_are_known_less_well() {
    let mut random = Random::new(53);
    let (before, after) = (run(&mut random, QUIET, 4_000), run(&mut random, QUIET, 4_000));
    let width = |hold_s: f64, is_disturbed: bool| {
        let changed = Measured { hold_s, is_disturbed, ..after.clone() };
        let answer = ask(std::slice::from_ref(&before), &[changed], &[]);
        let (low, high) = answer.rows[0].interval.unwrap();
        high / low
    };
    let widths = [width(60.0, false), width(10.0, false), width(10.0, true), width(2.0, true)];
    assert!(widths.is_sorted_by(|a, b| a < b), "{widths:?}");
    assert_eq!(width(0.0, false), width(60.0, false), "unknown is no reason");
}

/// Few other runs, and others of a system that changed, say nothing: the answer is the one without them.
#[test]
fn a_history_that_is_short_or_has_a_change_is_left_out() {
    let slow = System { slowness: 4.6, ..QUIET };
    let mut random = Random::new(47);
    let (before, after) = (runs(&mut random, slow, 1), runs(&mut random, QUIET, 1));
    let alone = ask(&before, &after, &[]);
    assert_eq!(alone.conclusion(), Conclusion::Better);
    for (slows, quicks) in [(1, 1), (2, 2), (2, 3), (4, 2), (6, 6)] {
        let mixed = [runs(&mut random, slow, slows), runs(&mut random, QUIET, quicks)].concat();
        let answer = ask(&before, &after, &mixed);
        let of = |answer: &Comparison| {
            let rows = answer.rows.iter().filter(|row| row.metric == Metric::ResponseMean);
            rows.map(|row| (row.interval, row.said)).collect::<Vec<_>>()
        };
        assert_eq!(of(&answer), of(&alone), "{slows} and {quicks} runs");
    }
    let enough = ask(&before, &after, &runs(&mut random, QUIET, HISTORY_MIN));
    assert_eq!(enough.history, HISTORY_MIN);
}

/// A change by 5 % is found by 10 runs a side that differ by 2 %, in at least 80 %, and never with the wrong sign.
#[test]
fn five_percent_are_found_by_ten_runs() {
    let slower = System { slowness: 1.05, ..QUIET };
    let mut random = Random::new(23);
    let mut found = [0, 0];
    for _ in 0..100 {
        let (before, after) = (runs(&mut random, QUIET, 10), runs(&mut random, slower, 10));
        for (place, (x, y, want, never)) in [
            (&before, &after, Conclusion::Worse, Conclusion::Better),
            (&after, &before, Conclusion::Better, Conclusion::Worse),
        ]
        .iter()
        .enumerate()
        {
            let answer = ask(x, y, &[]);
            assert!(!answer.is_weak());
            assert_eq!(answer.count(*never), 0);
            let mean = answer.rows.iter().find(|row| row.metric == Metric::ResponseMean).unwrap();
            found[place] += usize::from(mean.said == *want);
        }
    }
    assert!(found.iter().all(|found| *found >= 80), "{found:?} of 100, by the mean of all requests");
}

/// A large change is found by one run a side, and labelled weak.
#[test]
fn single_runs_tell_large_changes() {
    let slower = System { slowness: 2.0, failures: 0.2, ..QUIET };
    let mut random = Random::new(29);
    for _ in 0..20 {
        let answer = ask(&runs(&mut random, QUIET, 1), &runs(&mut random, slower, 1), &[]);
        assert!(answer.is_weak() && answer.rows.iter().all(|row| row.is_weak));
        assert_eq!(answer.conclusion(), Conclusion::Worse);
        let of = |metric: Metric| answer.rows.iter().find(|row| row.metric == metric).unwrap();
        let median = of(Metric::ResponseP50);
        assert!((1.8..2.2).contains(&median.change.unwrap()), "{median:?}");
        assert_eq!(of(Metric::FailureRate).said, Conclusion::Worse);
        assert!(answer.rows.iter().all(|row| row.metric != Metric::Bytes), "they did not change");
    }
}

/// A history of equal runs makes single runs tell smaller changes; they are still weak.
#[test]
fn history_makes_single_runs_sharper() {
    let slower = System { slowness: 1.18, ..QUIET };
    let mut random = Random::new(31);
    let mut found = [0, 0];
    for _ in 0..40 {
        let known = runs(&mut random, QUIET, 12);
        let (before, after) = (runs(&mut random, QUIET, 1), runs(&mut random, slower, 1));
        for (place, history) in [&[][..], &known].into_iter().enumerate() {
            let answer = ask(&before, &after, history);
            assert!(answer.is_weak());
            found[place] += usize::from(answer.count(Conclusion::Worse) > 0);
        }
    }
    assert!(found[1] >= 30 && found[1] > found[0], "{found:?} of 40, without and with a history");
}

/// Equal systems with ten quiet runs a side are called equivalent, in most rows.
#[test]
fn equal_systems_are_found_equivalent() {
    let mut random = Random::new(37);
    let quiet = System { between: 0.01, within: 0.01, ..QUIET };
    let answer = ask(&runs(&mut random, quiet, 10), &runs(&mut random, quiet, 10), &[]);
    assert!(2 * answer.count(Conclusion::Equivalent) > answer.rows.len(), "{answer:#?}");
    assert_eq!(answer.runs_needed, 7, "family of {}", answer.family);
}
