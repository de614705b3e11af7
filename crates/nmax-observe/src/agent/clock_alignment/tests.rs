use nmax_sources::Unit;
use nmax_sources::figures::BUSY_CORES;
use proptest::prelude::*;

use super::*;
use nmax_metrics::clock::Stamps;

const S: u64 = 1_000_000_000;

/// One exchange at `run` s on the run's clock, with an agent's clock that is `ahead` s of it then. It takes 2 ms.
fn exchanged(clock: &mut OtherClock, run: f64, ahead: f64) -> Answered {
    let at = |seconds: f64| Nanos((seconds * 1e9) as u64);
    let stamps = Stamps {
        sent: at(run),
        arrived: at(run + ahead + 0.001),
        answered: at(run + ahead + 0.001),
        received: at(run + 0.002),
    };
    clock.exchanged(&stamps);
    Answered { asked: stamps.sent, received: stamps.received, offset: clock.offset(stamps.received).unwrap() }
}

fn shot(at_s: f64, value: f64) -> Shot {
    Shot { at: Nanos((at_s * 1e9) as u64), readings: vec![Reading::new("cpu", BUSY_CORES, value)], notes: Vec::new() }
}

/// Values that were taken, and where they lie, s.
fn taken(placed: &AlignedReadings) -> Vec<(f64, f64)> {
    let of = |reading: &Reading| (reading.value, reading.at.unwrap().as_secs_f64());
    placed.readings.iter().map(of).collect()
}

#[track_caller]
fn assert_taken(placed: &AlignedReadings, want: &[(f64, f64)], left_out: usize) {
    let found = taken(placed);
    let is_near = |(a, b): (&(f64, f64), &(f64, f64))| a.0 == b.0 && (a.1 - b.1).abs() < 0.01;
    assert!(found.len() == want.len() && found.iter().zip(want).all(is_near), "{found:?}, not {want:?}");
    assert_eq!(placed.left_out, left_out);
}

#[test]
fn lines_lie_between_the_questions() {
    let (mut clock, mut alignment) = (OtherClock::default(), ClockAlignment::default());
    let answered = exchanged(&mut clock, 5.0, 300.0);
    let lines = vec![shot(299.5, 1.0), shot(300.5, 2.0), shot(304.5, 3.0), shot(306.0, 4.0)];
    // The first was before the run; the last will be a second after the answer.
    assert_taken(&alignment.place(lines, &clock, &answered), &[(2.0, 0.5), (3.0, 4.5)], 1);
    let answered = exchanged(&mut clock, 30.0, 300.0);
    let lines = vec![shot(304.5, 3.0), shot(294.0, 5.0), shot(304.8, 6.0), shot(329.0, 7.0)];
    // Said before; older than the newest; stamped just before the last question, and read for long; plain.
    assert_taken(&alignment.place(lines, &clock, &answered), &[(6.0, 4.8), (7.0, 29.0)], 0);
    let answered = exchanged(&mut clock, 50.0, 300.0);
    assert_eq!(alignment.error_s(&clock, &answered), answered.offset.error_s);
}

#[test]
fn a_jump_is_followed_and_what_it_misplaces_is_left_out() {
    let (mut clock, mut alignment) = (OtherClock::default(), ClockAlignment::default());
    let answered = exchanged(&mut clock, 20.0, 300.0);
    assert_taken(&alignment.place(vec![shot(319.5, 1.0)], &clock, &answered), &[(1.0, 19.5)], 0);
    // Set back by a minute between two lines.
    let answered = exchanged(&mut clock, 22.0, 240.0);
    assert!((alignment.error_s(&clock, &answered) - 12.0).abs() < 0.1, "two seconds, and ten for a slow reading");
    let lines = vec![shot(320.5, 2.0), shot(261.5, 3.0)];
    assert_taken(&alignment.place(lines, &clock, &answered), &[(3.0, 21.5)], 1);
    // And forward again.
    let answered = exchanged(&mut clock, 24.0, 300.0);
    let lines = vec![shot(262.5, 4.0), shot(323.5, 5.0)];
    assert_taken(&alignment.place(lines, &clock, &answered), &[(5.0, 23.5)], 1);
    let answered = exchanged(&mut clock, 25.0, 300.0);
    assert!(alignment.error_s(&clock, &answered) < 0.01, "it stood still since");
    // A small jump puts readings off by no more than itself.
    let answered = exchanged(&mut clock, 26.0, 300.5);
    assert!((alignment.error_s(&clock, &answered) - 0.5).abs() < 0.01);
}

/// A line from before a clock was set forward would lie long before the last question.
#[test]
fn what_a_jump_forward_misplaces_is_left_out() {
    let (mut clock, mut alignment) = (OtherClock::default(), ClockAlignment::default());
    let answered = exchanged(&mut clock, 100.0, 300.0);
    assert_taken(&alignment.place(vec![shot(399.5, 1.0)], &clock, &answered), &[(1.0, 99.5)], 0);
    let answered = exchanged(&mut clock, 102.0, 330.0);
    let lines = vec![shot(400.5, 2.0), shot(431.5, 3.0)];
    assert_taken(&alignment.place(lines, &clock, &answered), &[(3.0, 101.5)], 1);
}

#[test]
fn another_process_may_tell_of_all_of_the_run() {
    let (mut clock, mut alignment) = (OtherClock::default(), ClockAlignment::default());
    let answered = exchanged(&mut clock, 40.0, 0.0);
    assert_taken(&alignment.place(vec![shot(39.0, 1.0)], &clock, &answered), &[(1.0, 39.0)], 0);
    alignment.forget();
    let answered = exchanged(&mut clock, 41.0, 0.0);
    assert_taken(&alignment.place(vec![shot(3.0, 2.0)], &clock, &answered), &[(2.0, 3.0)], 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: an honest agent loses no line and none comes twice, whatever its offset, whenever it is asked, and when it says
    /// lines again.
    #[test]
    fn an_honest_agent_loses_nothing(ahead_s in 0_u32..100_000, gaps in proptest::collection::vec(1_u64..50, 1..20), again in 0_u64..5) {
        let (mut clock, mut alignment) = (OtherClock::default(), ClockAlignment::default());
        let ahead_s = f64::from(ahead_s);
        let (mut told, mut now) = (0, 0);
        let mut all = Vec::new();
        for gap in gaps {
            now += gap;
            let answered = exchanged(&mut clock, now as f64, ahead_s);
            // A line at each half second.
            let lines = (told.max(again) - again..now).map(|line| shot(line as f64 + 0.5 + ahead_s, line as f64)).collect();
            told = now;
            let placed = alignment.place(lines, &clock, &answered);
            prop_assert_eq!(placed.left_out, 0);
            all.extend(taken(&placed));
        }
        prop_assert_eq!(all.len() as u64, now);
        for (line, (value, at_s)) in all.into_iter().enumerate() {
            prop_assert_eq!(value, line as f64);
            prop_assert!((at_s - value - 0.5).abs() < 0.2, "{} s: {}", value + 0.5, at_s);
        }
    }

    /// Law: whatever an agent says, its readings lie in the run and not after now, and no figure has two values of an instant;
    /// of several in an answer the last one counts.
    #[test]
    fn readings_lie_in_the_run(answers in proptest::collection::vec(
        (0_u64..1_000, proptest::collection::vec((0_u64..1_040, 0_u64..9, 0..3_usize), 0..20)), 1..10))
    {
        let (mut clock, mut alignment) = (OtherClock::default(), ClockAlignment::default());
        for (number, (ahead, lines)) in (1..).zip(answers) {
            let answered = exchanged(&mut clock, number as f64 * 10.0, ahead as f64);
            let shots: Vec<Shot> = lines
                .iter()
                .map(|(at, value, metric)| Shot {
                    at: Nanos(at * S),
                    readings: vec![Reading::named("cpu", ["a", "b", "c"][*metric], *value as f64, Unit::Cores)],
                    notes: Vec::new(),
                })
                .collect();
            let placed = alignment.place(shots, &clock, &answered);
            let mut seen = HashMap::new();
            for reading in &placed.readings {
                let at = reading.at.unwrap();
                prop_assert!(at <= answered.received);
                prop_assert!(seen.insert((at, reading.metric.clone()), reading.value).is_none(), "twice: {reading:?}");
            }
            // The oracle takes the instant back to the agent's clock, to the second.
            for ((at, metric), value) in seen {
                let second = (at.as_secs_f64() + answered.offset.offset_s).round() as u64;
                let is_same = |line: &&(u64, u64, usize)| line.0 == second && ["a", "b", "c"][line.2] == metric;
                let last = lines.iter().rev().find(is_same);
                prop_assert_eq!(last.map(|line| line.1 as f64), Some(value));
            }
        }
    }
}
