use super::*;

fn closed(stages: &[Stage]) -> Closed {
    Closed::new(stages).expect("valid stages")
}

/// Independent oracle: the line just after `t_ns`, rounded up.
fn line(stages: &[Stage], t_ns: u64) -> f64 {
    let mut start_ns = 0;
    for stage in stages {
        let length_ns = stage.length_ns.expect("bounded");
        if t_ns < start_ns + length_ns {
            let fraction = (t_ns - start_ns) as f64 / length_ns as f64;
            return stage.from + (stage.to - stage.from) * fraction;
        }
        start_ns += length_ns;
    }
    0.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Law: the level is the line, rounded up; never above the maximum, which is reached.
    #[test]
    fn levels_follow_the_line(stages in stages(5e3), fraction in 0.0..1.0_f64) {
        let closed = closed(&stages);
        let end_ns = closed.end_ns().expect("bounded");
        let t_ns = (end_ns as f64 * fraction) as u64;
        let (level, line) = (closed.level_at(t_ns) as f64, line(&stages, t_ns));
        prop_assert!(level >= line - 1e-6 && level <= line + 1.0 + 1e-6, "{} for {}", level, line);
        prop_assert!(closed.level_at(t_ns) <= closed.vus_max());
        prop_assert_eq!(closed.level_at(end_ns), 0);
        if closed.vus_max() > 0 {
            let v = closed.vus_max() - 1;
            prop_assert!(closed.active(v, 0) || closed.next_change(v, 0).is_some(), "VU {} never runs", v);
        }
    }

    /// Law: between now and the next change a VU stays what it is, and there it turns.
    #[test]
    fn changes_are_the_next(stages in stages(5e3), fraction in 0.0..1.0_f64, inside in 0.0..1.0_f64, rank in 0.0..1.2_f64) {
        let closed = closed(&stages);
        let end_ns = closed.end_ns().expect("bounded");
        let t_ns = (end_ns as f64 * fraction) as u64;
        let v = (closed.vus_max() as f64 * rank) as u64;
        let is_active = closed.active(v, t_ns);
        match closed.next_change(v, t_ns) {
            Some(change_ns) => {
                prop_assert!(change_ns > t_ns && change_ns <= end_ns);
                prop_assert_eq!(closed.active(v, change_ns), !is_active);
                prop_assert_eq!(closed.active(v, change_ns - 1), is_active);
                let between_ns = t_ns + ((change_ns - 1 - t_ns) as f64 * inside) as u64;
                prop_assert_eq!(closed.active(v, between_ns), is_active);
            }
            None => {
                prop_assert!(!is_active, "every VU stops at the end at the latest");
                let later_ns = t_ns + (end_ns.saturating_sub(t_ns) as f64 * inside) as u64;
                prop_assert!(!closed.active(v, later_ns));
            }
        }
    }

    /// Law: up to the instant at which it is steered a schedule is what it was, and from then on it is the new stages.
    #[test]
    fn steering_changes_nothing_before_its_instant(
        planned in stages(5e3), others in stages(5e3), fraction in 0.0..1.0_f64, inside in 0.0..1.0_f64, rank in 0.0..1.2_f64,
    ) {
        let before = closed(&planned);
        let at_ns = (before.end_ns().expect("bounded") as f64 * fraction) as u64;
        let steered = before.clone().then(at_ns, &others).expect("valid stages");
        let v = (steered.vus_max() as f64 * rank) as u64;
        let t_ns = (at_ns as f64 * inside) as u64;
        if t_ns < at_ns {
            prop_assert_eq!(steered.level_at(t_ns), before.level_at(t_ns));
            let next = |closed: &Closed| closed.next_change(v, t_ns).filter(|change_ns| *change_ns < at_ns);
            prop_assert_eq!(next(&steered), next(&before));
        }
        let after = closed(&others);
        let t_ns = (after.end_ns().expect("bounded") as f64 * inside) as u64;
        prop_assert_eq!(steered.level_at(at_ns + t_ns), after.level_at(t_ns));
        prop_assert_eq!(steered.next_change(v, at_ns + t_ns), after.next_change(v, t_ns).map(|change_ns| at_ns + change_ns));
        prop_assert_eq!(steered.end_ns(), after.end_ns().map(|end_ns| at_ns + end_ns));
    }

    /// Law: a ramp to N and back, N whole, starts and stops one VU after the other at even distances.
    #[test]
    fn ramps_are_even(vus in 1..200_u64, step_ns in 1..1_000_000_u64) {
        let length_ns = vus * step_ns;
        let closed = closed(&[stage(0.0, vus as f64, length_ns), stage(vus as f64, 0.0, length_ns)]);
        for v in 0..vus {
            let start_ns = if closed.active(v, 0) { Some(0) } else { closed.next_change(v, 0) };
            prop_assert_eq!(start_ns, Some(v * step_ns));
            prop_assert_eq!(closed.next_change(v, v * step_ns), Some(2 * length_ns - v * step_ns));
        }
        prop_assert_eq!(closed.vus_max(), vus);
    }
}

#[test]
fn levels_over_time() {
    let shape = closed(&[stage(0.0, 10.0, 10 * S), stage(10.0, 10.0, 5 * S), stage(10.0, 0.0, 10 * S)]);
    // t, level, why this row
    let cases = [
        (0, 1, "the first VU starts at once"),
        (S - 1, 1, "and is alone for a second"),
        (S, 2, "then one more"),
        (9 * S, 10, "the last one starts a second before the hold"),
        (12 * S, 10, "hold"),
        (15 * S, 10, "at the beginning of the ramp all are there"),
        (16 * S - 1, 10, "for a second"),
        (16 * S, 9, "then one stops"),
        (25 * S - 1, 1, "the first VU stays to the end"),
        (25 * S, 0, "nobody after it"),
    ];
    for (t_ns, level, why) in cases {
        assert_eq!(shape.level_at(t_ns), level, "{why}: {t_ns}");
    }
}

#[test]
fn edges() {
    assert_eq!(closed(&[stage(0.0, 0.0, S)]).vus_max(), 0, "zero means zero");
    assert_eq!(closed(&[stage(9.0, 9.0, 0), stage(2.5, 2.5, S)]).vus_max(), 3, "no length, no VU; fractions round up");
    assert_eq!(closed(&[]).level_at(0), 0);
    assert_eq!((closed(&[]).end_ns(), closed(&[]).next_change(0, 0)), (Some(0), None));
    let endless = closed(&[stage(0.0, 2.0, 2 * S), forever(2.0)]);
    assert_eq!((endless.end_ns(), endless.vus_max(), endless.level_at(u64::MAX)), (None, 2, 2));
    assert_eq!((endless.next_change(1, 0), endless.next_change(1, S)), (Some(S), None));
    let flood = closed(&[stage(5_000.0, 5_000.0, S)]);
    assert_eq!((flood.level_at(0), flood.next_change(4_999, 0)), (5_000, Some(S)), "all users at once");
}
