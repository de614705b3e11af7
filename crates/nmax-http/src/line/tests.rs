use std::rc::Rc;

use proptest::collection::vec;
use proptest::{prop_assert, prop_assert_eq, proptest};

use super::*;

/// A clock that a test moves.
#[derive(Clone, Default)]
struct Hand(Rc<Cell<Nanos>>);

impl Clock for Hand {
    fn now(&self) -> Nanos {
        self.0.get()
    }
}

const RULES: LineRules = LineRules {
    down_bytes_per_s: Some(32_000.0),
    up_bytes_per_s: Some(8_000.0),
    round_trip: Nanos::from_millis(60),
    jitter: Nanos::ZERO,
};

fn line(rules: LineRules) -> Line {
    Line::new(rules, Hand::default(), || 0.0)
}

proptest! {
    /// Law: a line is busy without a gap since some batch found it free, whichever that was:
    /// through(n) = max over k ≤ n of (at(k) + bytes(k..n) / rate).
    #[test]
    fn bytes_queue_behind_each_other(batches in vec((0..50_000_000_u64, 1..20_000_usize), 1..20)) {
        let line = line(RULES);
        let (mut now, mut sent, mut last) = (0, Vec::new(), Nanos::ZERO);
        for (gap_ns, bytes) in batches {
            now += gap_ns;
            sent.push((now as f64 / 1e9, bytes as f64 / 32_000.0));
            last = line.carry_down(Nanos(now), bytes);
        }
        let busy = |from: usize| sent[from].0 + sent[from..].iter().map(|(_, span_s)| span_s).sum::<f64>();
        let want_s = (0..sent.len()).map(busy).fold(0.0, f64::max) + 0.030;
        prop_assert!((last.0 as f64 / 1e9 - want_s).abs() < 1e-6, "{last:?}, not {want_s} s");
    }
}

/// Worked by hand: 60 ms of round trip, 32 kB/s down, 8 kB/s up; the directions know nothing of each other.
#[test]
fn each_direction_has_its_rate() {
    let line = line(RULES);
    let ms = Nanos::from_millis;
    assert_eq!(line.carry_down(ms(0), 64 * 1024), Nanos(2_048_000_000) + ms(30));
    assert_eq!(line.carry_up(ms(0), 800), ms(100 + 30));
    assert_eq!(line.carry_up(ms(50), 400), ms(150 + 30), "waits for those before it");
    assert_eq!(line.carry_up(ms(500), 8), ms(501 + 30), "and not without need");
    assert_eq!(line.round_trip(), ms(60));
    let free = LineRules { down_bytes_per_s: None, ..RULES };
    assert_eq!(self::line(free).carry_down(ms(7), 1 << 30), ms(7 + 30));
}

/// Standard normal draws, by the sum of twelve uniforms.
fn normal() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    move || {
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }
}

/// Law: round trips have the deviation of the rules, and are never negative.
#[test]
fn round_trips_jitter() {
    let rules = LineRules { jitter: Nanos::from_millis(6), ..RULES };
    let line = Line::new(rules, Hand::default(), normal());
    let trips: Vec<f64> = (0..20_000).map(|_| line.round_trip().0 as f64 / 1e6).collect();
    let mean = trips.iter().sum::<f64>() / trips.len() as f64;
    let variance = trips.iter().map(|trip| (trip - mean).powi(2)).sum::<f64>() / trips.len() as f64;
    assert!((mean - 60.0).abs() < 0.3, "mean {mean} ms");
    assert!((variance.sqrt() - 6.0).abs() < 0.2, "deviation {} ms", variance.sqrt());
    let wild = LineRules { round_trip: Nanos::ZERO, jitter: Nanos::from_secs(1), ..RULES };
    let line = Line::new(wild, Hand::default(), normal());
    assert!((0..1000).any(|_| line.round_trip() == Nanos::ZERO));
}

/// Whoever asks first is first; who had a turn is last; who does not come for it loses it.
#[test]
fn connections_take_turns() {
    let (clock, ms) = (Hand::default(), Nanos::from_millis);
    let line = Line::new(RULES, clock, || 0.0);
    let (a, b) = (line.join(), line.join());
    assert_eq!(line.take_turn(a, ms(0)), Ok(()));
    line.carry_down(ms(0), 2 * PACKET_BYTES); // Busy for 90.5 ms, open for the next packet after 45.25 ms.
    let open_at = Nanos(45_250_000);
    assert_eq!(line.take_turn(b, ms(1)), Err(open_at));
    assert_eq!(line.take_turn(a, ms(2)), Err(open_at));
    assert_eq!(line.take_turn(a, ms(46)), Err(ms(47)), "b was first");
    assert_eq!(line.take_turn(b, ms(47)), Ok(()));
    assert_eq!(line.take_turn(a, ms(47)), Ok(()), "nobody is before it now");
    line.carry_down(ms(91), PACKET_BYTES);
    assert!(line.take_turn(b, ms(80)).is_err() && line.take_turn(a, ms(80)).is_err());
    assert_eq!(line.take_turn(a, ms(120)), Ok(()), "b did not come");
}

/// A visitor asks once for a name as long as the answer holds.
#[test]
fn names_are_asked_for_once() {
    let (line, s) = (line(RULES), Nanos::from_secs);
    assert!(line.asks_for("a.test", s(0), Some(s(10))));
    assert!(!line.asks_for("a.test", s(9), Some(s(10))));
    assert!(line.asks_for("b.test", s(9), None) && line.asks_for("a.test", s(10), None));
    line.forget();
    assert!(line.asks_for("a.test", s(11), None));
}

proptest! {
    /// Law: bytes come out of a pipe in order, none before its instant, all in the end.
    #[test]
    fn a_pipe_keeps_order(pieces in vec((1..40_usize, 0..100_u64), 1..30), takes in vec((0..100_u64, 1..50_usize), 1..60)) {
        let mut pipe = shaped::Pipe::default();
        let (mut put, mut arrival) = (Vec::new(), Vec::new());
        for (number, (length, at)) in pieces.iter().enumerate() {
            let bytes = vec![number as u8; *length];
            pipe.push(&bytes, Nanos(*at));
            put.extend(bytes);
            let latest = arrival.last().copied().unwrap_or(0).max(*at);
            arrival.extend(std::iter::repeat_n(latest, *length));
        }
        let (mut got, mut now) = (Vec::<u8>::new(), 0);
        for (gap, most) in takes.into_iter().chain([(u64::from(u32::MAX), usize::MAX); 2]) {
            now += gap;
            let due = pipe.due(Nanos(now));
            let length = due.len().min(most);
            got.extend(&due[..length]);
            pipe.consume(length);
            prop_assert!(arrival[..got.len()].iter().all(|at| *at <= now));
        }
        prop_assert!(got == put, "{got:?}");
        prop_assert_eq!((pipe.len(), pipe.next_at()), (0, None));
    }
}
