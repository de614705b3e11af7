use super::*;

fn even(stages: &[Stage]) -> Open {
    Open::new(stages, Arrivals::Even).expect("valid stages")
}

fn arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![Just(Arrivals::Even), any::<u64>().prop_map(|seed| Arrivals::Poisson { seed })]
}

/// Schedules of stages, with either law, some with an unbounded end, some cut short.
fn schedules() -> impl Strategy<Value = Open> {
    prop_oneof![4 => planned(), 1 => listed(), 2 => steered().prop_map(|(_, _, steered, ..)| steered)]
}

/// A schedule, an instant in it, the same with other stages from then on, these, and the law of both.
fn steered() -> impl Strategy<Value = (Open, u64, Open, Vec<Stage>, Arrivals)> {
    let last = prop_oneof![Just(None), (1e-3..1e6_f64).prop_map(Some)];
    let parts = (stages(1e6), last, stages(1e6), arrivals(), 0.0..1.0_f64, any::<bool>());
    parts.prop_filter_map("an instant before the end", |(planned, last, others, arrivals, fraction, twice)| {
        let planned: Vec<Stage> = planned.into_iter().chain(last.map(forever)).collect();
        let mut open = Open::new(&planned, arrivals).expect("valid stages");
        let end_ns = open.end_ns().unwrap_or(100 * S);
        let at_ns = (end_ns as f64 * fraction) as u64;
        if twice {
            open = open.then(at_ns / 2, &others, arrivals).expect("valid stages");
        }
        let is_within = open.end_ns().is_none_or(|end_ns| at_ns < end_ns);
        let steered = open.clone().then(at_ns, &others, arrivals).expect("valid stages");
        is_within.then_some((open, at_ns, steered, others, arrivals))
    })
}

/// Schedules of instants in a list, several of them often the same, some ending long after the last.
fn listed() -> impl Strategy<Value = Open> {
    let instants = prop_oneof![prop::collection::vec(0..40_u64, 0..60), prop::collection::vec(0..100 * S, 0..60)];
    let limit = prop_oneof![3 => Just(u64::MAX), 1 => 0..80_u64];
    (instants, 0..200 * S, limit).prop_map(|(mut starts, end_ns, limit)| {
        starts.sort_unstable();
        Open::listed(starts.into(), end_ns).limit(limit)
    })
}

fn planned() -> impl Strategy<Value = Open> {
    let last = prop_oneof![Just(None), Just(Some(0.0)), (1e-3..1e6_f64).prop_map(Some)];
    let limit = prop_oneof![3 => Just(u64::MAX), 1 => 0..2_000_u64];
    (stages(1e10), last, arrivals(), limit).prop_map(|(stages, last, arrivals, limit)| {
        let stages: Vec<Stage> = stages.into_iter().chain(last.map(forever)).collect();
        Open::new(&stages, arrivals).expect("valid stages").limit(limit)
    })
}

/// Some iteration of the schedule.
fn some_iteration(open: &Open, fraction: f64) -> u64 {
    let Total::Finite(total) = open.total() else {
        return (fraction * 1e7) as u64;
    };
    ((fraction * total as f64) as u64).min(total.saturating_sub(1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Law: count_at(t) ≥ n exactly when offset_ns(n − 1) ≤ t.
    #[test]
    fn offsets_and_counts_are_a_galois_pair(open in schedules(), fraction in 0.0..1.0_f64, nearby in -2..3_i64, t_ns: u64) {
        let n = some_iteration(&open, fraction);
        let due_ns = open.offset_ns(n);
        let near_ns = due_ns.map_or(t_ns, |due_ns| due_ns.saturating_add_signed(nearby));
        let end_ns = open.end_ns().unwrap_or(u64::MAX);
        let within_ns = (end_ns as f64 * fraction) as u64;
        for t_ns in [near_ns, within_ns, end_ns, t_ns, 0] {
            let count = open.count_at(t_ns);
            for n in [n, count, count.saturating_sub(1), count + 1] {
                let is_due = open.offset_ns(n).is_some_and(|due_ns| due_ns <= t_ns);
                prop_assert_eq!(count > n, is_due, "count {} at {}, iteration {} at {:?}", count, t_ns, n, open.offset_ns(n));
            }
        }
    }

    /// Law: up to the instant at which it is steered a schedule is what it was, and from then on it starts what the new
    /// stages say.
    #[test]
    fn steering_changes_nothing_before_its_instant(
        (open, at_ns, steered, others, arrivals) in steered(), fraction in 0.0..1.0_f64) {
        let kept = at_ns.checked_sub(1).map_or(0, |last_ns| open.count_at(last_ns));
        let before_ns = (at_ns as f64 * fraction) as u64;
        if before_ns < at_ns {
            prop_assert_eq!(steered.count_at(before_ns), open.count_at(before_ns));
        }
        for n in [0, (kept as f64 * fraction) as u64, kept.saturating_sub(1)] {
            if n < kept {
                prop_assert_eq!(steered.offset_ns(n), open.offset_ns(n), "iteration {} of {}", n, kept);
            }
        }
        prop_assert!(steered.offset_ns(kept).is_none_or(|due_ns| due_ns >= at_ns));
        let length_ns: u64 = others.iter().filter_map(|stage| stage.length_ns).sum();
        let after_ns = (length_ns as f64 * fraction) as u64;
        for after_ns in [after_ns, length_ns] {
            if arrivals == Arrivals::Even || after_ns == length_ns {
                let started = steered.count_at(at_ns + after_ns) - kept;
                let planned = integral(&others, after_ns);
                prop_assert!((started as f64 - planned).abs() <= 2.0 + planned * 1e-9, "{} for {}", started, planned);
            }
        }
    }

    /// Law: exactly the iterations below the total exist, in order.
    #[test]
    fn totals_are_exact(open in schedules(), fraction in 0.0..1.0_f64) {
        let n = some_iteration(&open, fraction);
        if let Total::Finite(total) = open.total() {
            prop_assert_eq!(open.offset_ns(total), None);
            prop_assert_eq!(open.count_at(u64::MAX), total);
            if total > 0 && let Some(end_ns) = open.end_ns() {
                let last_ns = open.offset_ns(total - 1);
                prop_assert!(last_ns.is_some_and(|last_ns| last_ns <= end_ns), "{:?} after {}", last_ns, end_ns);
                prop_assert_eq!(open.count_at(end_ns), total);
            }
        }
        if let (Some(this), Some(next)) = (open.offset_ns(n), open.offset_ns(n + 1)) {
            prop_assert!(this <= next);
        }
    }

    /// Law: cursors read what the schedule says, forwards, by strides and after jumps.
    #[test]
    fn cursors_agree(open in schedules(), fraction in 0.0..1.0_f64, stride in 1..40_u64) {
        let from = some_iteration(&open, fraction);
        let mut cursor = open.cursor();
        for n in (0..100).map(|i| from + i * stride).chain([from / 2, 0, from + 1]) {
            prop_assert_eq!(cursor.offset_ns(n), open.offset_ns(n), "iteration {}", n);
        }
        let offsets: Vec<u64> = offsets_from(&open, from).take(50).collect();
        let expected: Vec<u64> = (from..from + 50).map_while(|n| open.offset_ns(n)).collect();
        prop_assert_eq!(offsets, expected);
    }

    /// Law: the count is the integral of the rate, at every instant, within one start.
    #[test]
    fn counts_follow_the_integral(stages in stages(1e5), fraction in 0.0..=1.0_f64) {
        let open = even(&stages);
        let end_ns = open.end_ns().expect("bounded");
        let planned = integral(&stages, end_ns);
        let noise = 1e-6 + planned * 1e-9;
        let Total::Finite(total) = open.total() else { panic!("bounded") };
        prop_assert!((total as f64) > planned - noise && (total as f64) < planned + 1.0 + noise, "{} for {}", total, planned);
        let t_ns = (end_ns as f64 * fraction) as u64;
        let here = integral(&stages, t_ns);
        let slack = noise + 2.0 * open.rate_at(t_ns) / 1e9;
        let count = open.count_at(t_ns) as f64;
        // One start leads the integral, because iteration 0 is due at 0; a stage boundary can hold it back.
        prop_assert!(count >= here - slack && count <= here + 1.0 + slack, "{} at {}, integral {}", count, t_ns, here);
    }

    /// Law: starts are due where an independent numeric integral reaches their number.
    #[test]
    fn offsets_match_bisection(stages in stages(1e4), fraction in 0.0..1.0_f64) {
        let open = even(&stages);
        let n = some_iteration(&open, fraction);
        if n == 0 {
            return Ok(()); // Iteration 0 has no instant at which the integral reaches it.
        }
        let due_ns = open.offset_ns(n).expect("planned");
        // A rate near zero makes the instant sensitive, so compare integrals, not instants.
        let noise = 1e-6 + n as f64 * 1e-9;
        prop_assert!(integral(&stages, due_ns + 1) >= n as f64 - noise);
        prop_assert!(integral(&stages, due_ns.saturating_sub(2)) <= n as f64 + noise);
    }

    /// Law: a schedule of whole counts is its stages' schedules, one after the other.
    #[test]
    fn stages_add_up(counts in prop::collection::vec((0..50_u64, 1..10_u64), 1..5), arrivals in arrivals()) {
        let stages: Vec<Stage> = counts.iter().map(|&(rate, seconds)| stage(rate as f64, rate as f64, seconds * S)).collect();
        let open = Open::new(&stages, arrivals).expect("valid");
        let (mut start_ns, mut first) = (0, 0);
        for (&(rate, seconds), &stage) in counts.iter().zip(&stages) {
            let count = rate * seconds;
            let end_ns = start_ns + seconds * S;
            for n in first..first + count {
                let due_ns = open.offset_ns(n).expect("planned");
                prop_assert!((start_ns..=end_ns).contains(&due_ns), "iteration {} at {}", n, due_ns);
                if arrivals == Arrivals::Even {
                    prop_assert_eq!(Some(due_ns - start_ns), even(&[stage]).offset_ns(n - first));
                }
            }
            (start_ns, first) = (end_ns, first + count);
        }
        prop_assert_eq!(open.total(), Total::Finite(first));
    }
}

#[test]
fn due_times() {
    // from/s  to/s  length  index  due            why this row
    let cases = [
        (0.0, 8.0, S, 1, Some(500 * MS), "0/s means none yet, not unlimited"),
        (8.0, 0.0, S, 3, Some(500 * MS), "a falling ramp has its own root"),
        (8.0, 0.0, S, 4, None, "4 starts are planned: 0 to 3"),
        (40.0, 40.0, 500 * MS, 19, Some(475 * MS), "lengths under a second count"),
        (40.0, 40.0, 500 * MS, 20, None, "20 starts are planned: 0 to 19"),
        (0.0, 0.0, 3_600 * S, 0, None, "rate zero means zero"),
        (5.0, 5.0, 0, 0, None, "no time, no start"),
        (3.0, 3.0, S, 1, Some(333_333_334), "the least whole nanosecond"),
        (1.0, 1.0, S, 0, Some(0), "the first is due at once"),
        (33.3, 33.3, 10 * S, 333, None, "floating point noise is not a start"),
        (0.5, 0.5, 3 * S, 1, Some(2 * S), "a fraction of a start counts as one"),
    ];
    for (from, to, length_ns, index, want, why) in cases {
        let open = even(&[stage(from, to, length_ns)]);
        assert_eq!(open.offset_ns(index), want, "{why}: {from}/s to {to}/s in {length_ns} ns, index {index}");
    }
}

#[test]
fn an_hour_has_its_count() {
    for rate in [1_u32, 7, 200, 33_333, 50_000] {
        for arrivals in [Arrivals::Even, Arrivals::Poisson { seed: 5 }] {
            let open = Open::new(&[stage(f64::from(rate), f64::from(rate), 3_600 * S)], arrivals).unwrap();
            assert_eq!(open.total(), Total::Finite(u64::from(rate) * 3_600));
            assert_eq!(open.count_at(3_600 * S), u64::from(rate) * 3_600);
        }
    }
    let read = offsets_from(&even(&[stage(1_000.0, 1_000.0, 3_600 * S)]), 0).count();
    assert_eq!(read, 3_600_000, "one by one");
}

#[test]
fn pauses_start_nothing() {
    let open =
        even(&[stage(0.0, 0.0, S), stage(40.0, 40.0, 500 * MS), stage(0.0, 0.0, 10 * S), stage(40.0, 40.0, 500 * MS)]);
    assert_eq!(open.offset_ns(0), Some(S), "not in the leading pause");
    assert_eq!(open.offset_ns(19), Some(1_475 * MS));
    assert_eq!(open.offset_ns(20), Some(11_500 * MS), "not in the pause, though the integral is there already");
    assert_eq!(open.count_at(11_500 * MS - 1), 20);
    assert_eq!(open.rate_at(5 * S), 0.0);
    assert_eq!(open.rate_at(1_200 * MS), 40.0);
    assert_eq!(open.rate_at(13 * S), 0.0);
}

#[test]
fn fractions_carry_over() {
    let open = even(&[stage(0.5, 0.5, S), stage(0.5, 0.5, S), stage(1.0, 3.0, 2 * S)]);
    assert_eq!(open.total(), Total::Finite(5), "0.5 + 0.5 + 4");
    assert_eq!(open.offset_ns(1), Some(2 * S));
    assert_eq!(open.rate_at(3 * S), 2.0);
}

#[test]
fn unbounded_schedules_end_by_their_limit() {
    let open = even(&[forever(10.0)]);
    assert_eq!((open.total(), open.end_ns()), (Total::Unbounded, None));
    let open = open.limit(21);
    assert_eq!((open.total(), open.end_ns()), (Total::Finite(21), Some(2 * S)));
    assert_eq!((open.offset_ns(20), open.offset_ns(21)), (Some(2 * S), None));
    assert_eq!(open.limit(0).end_ns(), Some(0));
    assert_eq!(even(&[forever(0.0)]).total(), Total::Finite(0), "for ever nothing is nothing");
    assert_eq!(even(&[stage(2.0, 2.0, S)]).limit(100).end_ns(), Some(S), "a limit above the total changes nothing");
}

#[test]
fn extremes_are_exact_enough() {
    let years = 100 * 365 * 86_400;
    let open = even(&[stage(10.0, 10.0, years * S)]);
    assert_eq!(open.total(), Total::Finite(10 * years));
    let due_ns = open.offset_ns(5 * years).unwrap();
    assert!(due_ns.abs_diff(years / 2 * S) < 10_000, "10 µs in 50 years: {due_ns}");
    let fast = even(&[stage(1e10, 1e10, 100)]);
    assert_eq!(fast.total(), Total::Finite(1_000));
    assert_eq!(fast.offset_ns(995), Some(100), "ten starts in each nanosecond");
    assert_eq!(even(&[stage(1e12, 0.0, u64::MAX)]).total(), Total::Finite(STARTS_MAX));
    assert_eq!(even(&[]).total(), Total::Finite(0));
    assert_eq!(even(&[]).end_ns(), Some(0));
}

#[test]
fn a_list_is_the_schedule() {
    let starts: std::sync::Arc<[u64]> = [5, 5, 9, 2_000].into();
    let open = Open::listed(std::sync::Arc::clone(&starts), 3_000);
    let offsets: Vec<u64> = offsets_from(&open, 0).collect();
    assert_eq!(offsets, *starts);
    assert_eq!((open.total(), open.end_ns()), (Total::Finite(4), Some(3_000)));
    assert_eq!([0, 5, 8, 1_999, 2_000].map(|t_ns| open.count_at(t_ns)), [0, 2, 2, 3, 4]);
    assert_eq!(Open::listed(starts, 0).end_ns(), Some(2_000), "the last start is within it");
    assert_eq!(Open::listed([].into(), 7).total(), Total::Finite(0));
}
