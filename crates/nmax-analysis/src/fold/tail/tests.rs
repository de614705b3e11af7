use super::*;

fn plan() -> Plan {
    Plan::minimal("http://127.0.0.1:8080")
}

const WIDTH: Nanos = Nanos::from_millis(1_000);

/// A window with so many starts; each of the first sixty has a bit of its own in its number of connections.
fn window(index: u64, count: u64) -> Window {
    let mut window = Window::new(index, WIDTH);
    let load = window.aggregate.load_mut(Section::Hold);
    (load.started, load.due) = (count, count);
    load.connections = if index < 60 { 1 << index } else { 0 };
    window
}

fn last(asked: Duration, windows: u64, hold_end: Nanos) -> Tail {
    let hold = (Nanos::ZERO, Nanos::from_secs(100_000));
    let mut last = Last::new(asked, WIDTH, WIDTH);
    (0..windows).for_each(|index| last.push(&window(index, 10), hold));
    last.conclude((Nanos::ZERO, hold_end), &plan())
}

fn started(tail: &Tail) -> u64 {
    tail.aggregate.load(Section::Hold).started
}

/// A rule that takes only windows that begin within the span sums up less than was asked for.
#[test]
fn the_last_part_is_never_shorter_than_asked_for() {
    for (asked_ms, end_ms) in [(2_000, 10_000), (2_000, 10_400), (1_500, 10_400), (300, 10_100), (2_500, 9_999)] {
        let tail = last(Duration::from_millis(asked_ms), 11, Nanos::from_millis(end_ms));
        let length_ms = tail.length.as_millis() as u64;
        assert!((asked_ms..asked_ms + 1_000).contains(&length_ms), "{asked_ms} {end_ms}: {length_ms}");
        let first = (end_ms - length_ms) / 1_000;
        assert_eq!(started(&tail), 10 * (11 - first), "windows {first} to 10: {asked_ms} {end_ms}");
    }
}

#[test]
fn a_hold_shorter_than_asked_for_counts_as_a_whole() {
    let tail = last(Duration::from_secs(60), 4, Nanos::from_millis(3_500));
    assert_eq!((started(&tail), tail.length), (40, Duration::from_millis(3_500)));
}

/// What ends after the load pushes nothing out, however long it takes.
#[test]
fn the_drain_pushes_nothing_out() {
    let hold = (Nanos::ZERO, Nanos::from_secs(100));
    let mut last = Last::new(Duration::from_secs(2), WIDTH, WIDTH);
    (0..10).for_each(|index| last.push(&window(index, 10), hold));
    (10..40).for_each(|index| last.push(&window(index, 0), hold));
    let tail = last.conclude((Nanos::ZERO, Nanos::from_secs(10)), &plan());
    assert_eq!((started(&tail), tail.length), (20, Duration::from_secs(2)));
    let seen = tail.aggregate.load(Section::Hold).connections;
    assert_eq!(seen, (1 << 40) - (1 << 8), "what came during the drain counts");
}

/// An hour of windows takes no more memory than a minute of them.
#[test]
fn memory_is_bounded_whatever_is_asked_for() {
    let hold = (Nanos::ZERO, Nanos::from_secs(100_000));
    for seconds in [1, 59, 60, 61, 119, 3_600] {
        let mut last = Last::new(Duration::from_secs(seconds), WIDTH, WIDTH);
        for index in 0..3 * seconds + 10 {
            last.push(&window(index, 1), hold);
            assert!(last.pieces.len() as u64 <= 2 * PIECES + 3, "{} pieces for {seconds} s", last.pieces.len());
        }
        let tail = last.conclude((Nanos::ZERO, Nanos::from_secs(3 * seconds + 10)), &plan());
        let length_s = tail.length.as_secs();
        assert!((seconds..=seconds + seconds / PIECES).contains(&length_s), "{length_s} of {seconds} s");
        assert_eq!(started(&tail), length_s);
    }
}

/// Distributions are in full in the last piece only, and all of them count.
#[test]
fn pieces_are_kept_in_little_memory() {
    let mut last = Last::new(Duration::from_secs(60), WIDTH, WIDTH);
    for index in 0..200_u64 {
        let mut window = window(index, 1);
        for name in 0..50 {
            let stats = window.aggregate.request_mut(Section::Hold, nmax_metrics::NameId(name));
            let set = stats.outcomes[0].get_or_insert_default();
            (0..20).for_each(|n| set.response.record(50_000_000 + n * 1_000_000));
        }
        last.push(&window, (Nanos::ZERO, Nanos::from_secs(1_000)));
    }
    let cells: usize = last.pieces.iter().map(|piece| piece.sums.cells()).sum();
    assert!(cells <= 61 * 50 * 20, "{cells} cells of 8 bytes");
    let tail = last.conclude((Nanos::ZERO, Nanos::from_secs(200)), &plan());
    let response = tail.aggregate.total(Section::Hold).latencies().response;
    assert_eq!((response.count(), response.min_ns(), response.max_ns()), (60_000, Some(50_000_000), Some(69_000_000)));
    let median = response.quantile_ns(0.5).unwrap() as f64 / 1e6;
    assert!((median / 59.0 - 1.0).abs() < 0.02, "{median}");
}
