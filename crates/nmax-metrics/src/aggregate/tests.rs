use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::Network;

fn sample() -> impl Strategy<Value = (Section, Sample)> {
    let outcome = prop_oneof![
        Just(Outcome::Ok),
        Just(Outcome::Failed),
        (0..ErrorKind::ALL.len()).prop_map(|index| Outcome::Error(ErrorKind::ALL[index])),
    ];
    let section = prop_oneof![Just(Section::Hold), Just(Section::Outside)];
    (
        section,
        0..4_u32,
        outcome,
        proptest::array::uniform3(0..2_000_000_000_u64),
        any::<bool>(),
        200..503_u16,
    )
        .prop_map(|(section, name, outcome, spans, is_sent, status)| {
            let intended = Nanos(1_000_000_000);
            let sent = intended + Nanos(spans[0]);
            let first_byte = sent + Nanos(spans[1]);
            let sample = Sample {
                name: NameId(name),
                scenario: 0,
                outcome,
                status: (!matches!(outcome, Outcome::Error(_))).then_some(status),
                intended,
                sent: is_sent.then_some(sent),
                first_byte: is_sent.then_some(first_byte),
                done: first_byte + Nanos(spans[2]),
                network: Network {
                    connect: Nanos(spans[0] / 2),
                    ..Network::default()
                },
                send: Nanos::ZERO,
                slot_wait: Nanos(spans[0] / 4),
                bytes_received: spans[1] % 5_000,
                bytes_sent: 100,
                bytes_decoded: 0,
            };
            (section, sample)
        })
}

fn of(samples: &[(Section, Sample)]) -> Aggregate {
    let mut aggregate = Aggregate::default();
    for (section, sample) in samples {
        aggregate.record(*section, sample);
        aggregate.check_mut(*section, 1).passed += 1;
        aggregate.load_mut(*section).started += 1;
        let scenario = aggregate.scenario_mut(*section, 2);
        scenario.started += 1;
        scenario.iteration_time.record(sample.response_time().0);
    }
    aggregate
}

/// Status codes are kept in order of first occurrence, which merging may change.
fn sorted(mut aggregate: Aggregate) -> Aggregate {
    aggregate
        .requests
        .iter_mut()
        .flatten()
        .flatten()
        .for_each(|stats| stats.status.sort_unstable());
    aggregate
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law: merging is associative and commutative, and equals recording everything in one place.
    #[test]
    fn merge_is_union(samples in proptest::collection::vec(sample(), 0..40), cut in 0..40_usize, second in 0..40_usize) {
        let cut = cut.min(samples.len());
        let second = second.clamp(cut, samples.len());
        let (a, b, c) = (of(&samples[..cut]), of(&samples[cut..second]), of(&samples[second..]));
        let (mut left, mut right) = (a.clone(), c.clone());
        left.merge(&b);
        left.merge(&c);
        let mut tail = b.clone();
        tail.merge(&a);
        right.merge(&tail);
        let (left, right, union) = (sorted(left), sorted(right), sorted(of(&samples)));
        prop_assert_eq!(&left.load, &union.load);
        for section in Section::ALL {
            prop_assert_eq!(&left.total(section).latencies(), &union.total(section).latencies());
            for name in 0..4 {
                prop_assert_eq!(left.request(section, NameId(name)), union.request(section, NameId(name)));
                prop_assert_eq!(right.request(section, NameId(name)), union.request(section, NameId(name)));
            }
        }
        prop_assert_eq!(&right.load, &union.load);
    }

    /// Law: count = ok + failed + errors = number of samples; no sample is invented or lost.
    #[test]
    fn counts_are_the_samples(samples in proptest::collection::vec(sample(), 0..60)) {
        let whole = of(&samples).whole().total(Section::Hold);
        prop_assert_eq!(whole.count(), samples.len() as u64);
        prop_assert_eq!(whole.errors(), whole.errors.iter().sum::<u64>());
        prop_assert_eq!(whole.latencies().response.count(), samples.len() as u64);
    }

    /// Law: 0 ≤ service ≤ response, and injector lag ≤ send lag.
    #[test]
    fn instants_are_ordered((_, sample) in sample()) {
        prop_assert!(sample.service_time().unwrap_or_default() <= sample.response_time());
        prop_assert!(sample.injector_lag().unwrap_or_default() <= sample.send_lag().unwrap_or_default());
    }
}

#[test]
fn reset_leaves_nothing_behind() {
    let runner = &mut proptest::test_runner::TestRunner::deterministic();
    let samples = proptest::collection::vec(sample(), 40..41)
        .new_tree(runner)
        .unwrap()
        .current();
    let mut aggregate = of(&samples);
    aggregate.reset();
    assert_eq!(
        aggregate.whole().total(Section::Hold),
        RequestStats { ..Default::default() }
    );
    let mut again = Aggregate::default();
    again.merge(&aggregate);
    assert!(
        again.requests(Section::Hold).next().is_none(),
        "an emptied aggregate merges as nothing"
    );
}
