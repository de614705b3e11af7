use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::names::{Catalog, IdMap, Names, NamesSent};
use crate::testing::sample;
use crate::{Code, Histogram, Nanos, Network, Outcome};

fn aggregate(samples: &[(Section, Sample)]) -> Aggregate {
    let mut aggregate = Aggregate::default();
    for (section, sample) in samples {
        aggregate.record(*section, sample);
        aggregate.checks.get_mut(*section, 1).passed += 1;
        aggregate.load_mut(*section).started += 1;
        let scenario = aggregate.scenarios.get_mut(*section, 2);
        scenario.started += 1;
        scenario.iteration_time.record(sample.response_time().0);
        let transaction = aggregate.transactions.get_mut(*section, 1);
        transaction.count += 1;
        transaction.failed += u64::from(sample.outcome != Outcome::Ok);
        transaction.time.record(sample.service_time().unwrap_or_default().0);
        let load = aggregate.load_mut(*section);
        load.redirects += 1;
        load.count_address([127, 0, 0, sample.name.0 as u8].into(), 1);
        count_address(&mut load.passed_over, [127, 0, 1, sample.name.0 as u8].into(), 2);
        load.held.record(sample.response_time().0);
    }
    aggregate
}

/// Status codes and addresses are kept in order of first occurrence, which merging may change.
fn sorted(mut aggregate: Aggregate) -> Aggregate {
    aggregate.load.iter_mut().for_each(|load| {
        load.addresses.sort_unstable();
        load.passed_over.sort_unstable();
    });
    aggregate.requests.all_mut().flatten().for_each(|stats| stats.status.sort_unstable());
    aggregate
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law: merging is associative and commutative, and equals recording everything in one place.
    #[test]
    fn merge_is_union(samples in proptest::collection::vec(sample(), 0..40), cut in 0..40_usize, second in 0..40_usize) {
        let cut = cut.min(samples.len());
        let second = second.clamp(cut, samples.len());
        let (a, b, c) = (aggregate(&samples[..cut]), aggregate(&samples[cut..second]), aggregate(&samples[second..]));
        let (mut left, mut right) = (a.clone(), c.clone());
        left.merge(&b);
        left.merge(&c);
        let mut tail = b.clone();
        tail.merge(&a);
        right.merge(&tail);
        let (left, right, union) = (sorted(left), sorted(right), sorted(aggregate(&samples)));
        prop_assert_eq!(&left.load, &union.load);
        for section in Section::ALL {
            prop_assert_eq!(left.transactions.get(section, 1), union.transactions.get(section, 1));
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
        let whole = aggregate(&samples).whole().total(Section::Hold);
        prop_assert_eq!(whole.count(), samples.len() as u64);
        prop_assert_eq!(whole.errors(), whole.errors.iter().sum::<u64>());
        prop_assert_eq!(whole.latencies().response.count(), samples.len() as u64);
    }

    /// Law: by status, the response times are those of the valid replies with it, whatever was merged with what; also of
    /// the usual status, of which nothing is kept.
    #[test]
    fn times_by_status_are_those_of_the_samples(samples in proptest::collection::vec(sample(), 0..60), cut in 0..60_usize) {
        let statuses = [Code::new(200), Code::new(404), Code::parse("40P01").unwrap()];
        let samples: Vec<(Section, Sample)> = samples
            .into_iter()
            .map(|(section, sample)| (section, Sample { status: sample.status.map(|_| statuses[sample.bytes_received as usize % 3]), ..sample }))
            .collect();
        let mut whole = aggregate(&samples[..cut.min(samples.len())]);
        whole.merge(&aggregate(&samples[cut.min(samples.len())..]));
        let total = whole.whole().total(Section::Hold);
        prop_assert!(total.tells_status_times());
        for status in statuses {
            let mut times: Vec<u64> = samples
                .iter()
                .filter(|(_, sample)| sample.status == Some(status))
                .map(|(_, sample)| sample.response_time().0.min(crate::histogram::HIGHEST_NS))
                .collect();
            times.sort_unstable();
            let found = total.response_of(status).unwrap();
            prop_assert_eq!(found.count(), times.len() as u64);
            prop_assert_eq!(found.exact().sum_ns, times.iter().map(|time| u128::from(*time)).sum::<u128>());
            let median = found.value_at_rank_ns(times.len().div_ceil(2) as u64);
            let exact = (!times.is_empty()).then(|| times[times.len().div_ceil(2) - 1]);
            let is_near = median.zip(exact).is_none_or(|(median, exact)| median.abs_diff(exact) <= exact / 500 + 1_000);
            prop_assert!(is_near && median.is_some() == exact.is_some(), "{median:?}, should be {exact:?}");
        }
    }

    /// Law: each phase holds the spans that were not zero, and `wait` is `ttfb − send` of every exchange with a byte.
    #[test]
    fn phases_are_the_spans_of_the_samples(samples in proptest::collection::vec(sample(), 0..40)) {
        let total = aggregate(&samples).whole().total(Section::Hold);
        let phases = total.phases.clone().unwrap_or_default();
        let spans = |span: fn(&Sample) -> Nanos| {
            let mut histogram = Histogram::new();
            let spans = samples.iter().map(|(_, sample)| span(sample).0).filter(|span| *span > 0);
            spans.for_each(|span| histogram.record(span));
            histogram
        };
        prop_assert_eq!(&phases.dns, &spans(|sample| sample.network.dns));
        prop_assert_eq!(&phases.connect, &spans(|sample| sample.network.connect));
        prop_assert_eq!(&phases.tls, &spans(|sample| sample.network.tls));
        prop_assert_eq!(&phases.send, &spans(|sample| sample.send));
        prop_assert_eq!(&phases.receive, &spans(|sample| sample.receive().unwrap_or_default()));
        let mut waits = Histogram::new();
        for (_, sample) in &samples {
            sample.ttfb().into_iter().for_each(|ttfb| waits.record(ttfb.since(sample.send).0));
        }
        let wait = total.wait();
        prop_assert!(wait.recorded().eq(waits.recorded()));
        prop_assert_eq!(wait.exact().sum_ns, waits.exact().sum_ns);
    }

    /// Law: the smallest and the largest body are those of the samples, however these are spread; empty ones are none.
    #[test]
    fn bodies_have_their_smallest_and_largest(samples in proptest::collection::vec(sample(), 0..40), at in 0..40_usize) {
        let (first, second) = samples.split_at(at.min(samples.len()));
        let stats = |samples: &[(Section, Sample)]| {
            let mut stats = RequestStats::default();
            samples.iter().for_each(|(_, sample)| stats.record(sample));
            stats
        };
        let mut merged = stats(first);
        merged.merge(&stats(second));
        let sizes = || samples.iter().map(|(_, sample)| sample.bytes_decoded).filter(|bytes| *bytes > 0);
        prop_assert_eq!(merged.body_bytes_max, sizes().max().unwrap_or(0));
        prop_assert_eq!(merged.body_bytes_min, sizes().min().unwrap_or(0));
    }

    /// Law: each sum over exchanges is that of the samples.
    #[test]
    fn sums_are_those_of_the_samples(samples in proptest::collection::vec(sample(), 0..40)) {
        let total = aggregate(&samples).whole().total(Section::Hold);
        prop_assert_eq!(RequestStats::sums().count(), Sample::SUMS.len());
        for (counter, of) in RequestStats::sums().zip(Sample::SUMS) {
            let sum: u64 = samples.iter().map(|(_, sample)| of(sample)).sum();
            prop_assert_eq!((counter.get)(&total), u128::from(sum), "{}", counter.name);
        }
    }

    /// Law: quantiles of the response times less the lag of each exchange are those of the samples, to 1/64; they are
    /// never above the response times.
    #[test]
    fn response_without_lag_is_that_of_the_samples(samples in proptest::collection::vec(sample(), 1..40)) {
        let total = aggregate(&samples).whole().total(Section::Hold);
        let (with, without) = (total.latencies().response, total.response_without_lag());
        prop_assert_eq!(without.count(), with.count());
        let less = |sample: &Sample| sample.response_time().since(sample.injector_lag().unwrap_or_default()).0;
        let mut oracle: Vec<u64> = samples.iter().map(|(_, sample)| less(sample)).collect();
        oracle.sort_unstable();
        for (rank, want) in (1..).zip(oracle.iter().map(|ns| *ns.min(&crate::histogram::HIGHEST_NS) as f64)) {
            let found = without.value_at_rank_ns(rank).unwrap() as f64;
            prop_assert!(found <= with.value_at_rank_ns(rank).unwrap() as f64 * 1.002 + 1_000.0);
            prop_assert!((found - want).abs() <= want / 60.0 + 1_000.0, "rank {}: {} for {}", rank, found, want);
        }
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
    let samples = proptest::collection::vec(sample(), 40..41).new_tree(runner).unwrap().current();
    let mut aggregate = aggregate(&samples);
    aggregate.reset();
    assert_eq!(aggregate.whole().total(Section::Hold), RequestStats { ..Default::default() });
    assert_eq!(aggregate.whole().load(Section::Hold), &LoadStats::default());
    assert_eq!(aggregate.whole().transactions.get(Section::Hold, 1), Some(&TransactionStats::default()));
    let mut again = Aggregate::default();
    again.merge(&aggregate);
    assert!(again.requests(Section::Hold).next().is_none(), "an emptied aggregate merges as nothing");
}

/// A small exchange on a kept connection has no phases, also after a window that had some.
#[test]
fn phases_cost_nothing_where_there_are_none() {
    let sample = Sample {
        name: NameId(0),
        scenario: 0,
        outcome: Outcome::Ok,
        status: Some(Code::new(200)),
        intended: Nanos(10),
        sent: Some(Nanos(20)),
        first_byte: Some(Nanos(50_000)),
        done: Nanos(50_000),
        network: Network::default(),
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: 1,
        bytes_sent: 1,
        bytes_decoded: 1,
    };
    let connecting = Sample { network: Network { connect: Nanos(5_000), ..Network::default() }, ..sample };
    let mut worker = Aggregate::default();
    worker.record(Section::Hold, &connecting);
    worker.reset();
    worker.record(Section::Hold, &sample);
    let mut window = Aggregate::default();
    window.merge(&worker);
    let stats = window.request(Section::Hold, NameId(0)).unwrap();
    assert_eq!(stats.phases, None);
    assert_eq!(stats.wait(), stats.latencies().ttfb);
}

#[test]
fn addresses_beyond_the_cap_are_only_in_the_total() {
    let mut load = LoadStats::default();
    (0..100_u8).for_each(|host| load.count_address([10, 0, 0, host].into(), 2));
    load.count_address([10, 0, 0, 1].into(), 1);
    assert_eq!(load.addresses.len(), ADDRESSES_MAX);
    assert_eq!(load.addresses[1], ([10, 0, 0, 1].into(), 3));
}

/// Law: what ended within the hold is counted once, whenever it was due, and everything ended within the whole.
#[test]
fn throughput_is_of_what_ended() {
    let sample = sample().new_tree(&mut Default::default()).unwrap().current().1;
    let mut aggregate = Aggregate::default();
    // Due in warm-up and hold, ended in hold and drain.
    aggregate.record_between(Section::Outside, Section::Hold, &sample);
    aggregate.record_between(Section::Hold, Section::Hold, &sample);
    aggregate.record_between(Section::Hold, Section::Outside, &sample);
    aggregate.record_between(Section::Outside, Section::Outside, &sample);
    let mut merged = Aggregate::default();
    merged.merge(&aggregate);
    let counts = |aggregate: &Aggregate, section| {
        let stats = aggregate.request(section, sample.name).unwrap();
        (stats.count(), stats.ended_within)
    };
    assert_eq!((counts(&merged, Section::Hold), counts(&merged, Section::Outside)), ((2, 2), (2, 0)));
    assert_eq!(counts(&merged.whole(), Section::Hold), (4, 4));
    // A name whose exchanges were all due before the hold is not lost, nor kept when emptied.
    let mut early = Aggregate::default();
    early.record_between(Section::Outside, Section::Hold, &sample);
    let mut sum = Aggregate::default();
    sum.merge(&early);
    assert_eq!(counts(&sum, Section::Hold), (0, 1));
    early.reset();
    assert_eq!(counts(&early, Section::Hold), (0, 0));
}

/// Law: all that is counted comes back as it was, and no distribution is left where it was: 500 names in 60 windows with ten
/// exchanges each take less than 100 MB.
#[test]
fn hollow_sums_are_small_and_count_the_same() {
    let (mut whole, mut back) = (Aggregate::default(), Aggregate::default());
    for window in crate::testing::windows(40) {
        whole.merge(&window.aggregate);
        Hollow::new(window.aggregate).add_to(&mut back);
    }
    for section in Section::ALL {
        let (mine, theirs) = (back.total(section), whole.total(section));
        assert_eq!((mine.count(), mine.failed(), mine.errors()), (theirs.count(), theirs.failed(), theirs.errors()));
        let (mine, theirs) = (back.load(section), whole.load(section));
        assert_eq!((mine.due, mine.censored.count()), (theirs.due, theirs.censored.count()));
        let exact = |set: &LatencySet| [&set.response, &set.service, &set.send_lag, &set.ttfb].map(Histogram::exact);
        assert_eq!(exact(&back.total(section).latencies()), exact(&whole.total(section).latencies()));
        assert_eq!(
            back.scenarios.get(section, 0).map(|stats| stats.completed),
            whole.scenarios.get(section, 0).map(|stats| stats.completed)
        );
    }
    let base = sample().new_tree(&mut Default::default()).unwrap().current().1;
    let mut window = Aggregate::default();
    for name in 0..500 {
        for n in 0..10_u64 {
            let done = base.intended + Nanos(1_000_000 << (n / 2)) + Nanos(n * 1_000);
            let times = Sample { sent: Some(base.intended), first_byte: Some(done), done, ..base };
            window.record(Section::Hold, &Sample { name: NameId(name), outcome: Outcome::Ok, ..times });
        }
    }
    let hollow = Hollow::new(window);
    // What is left of a name without its distributions is below 2 kB.
    let bytes = 60 * (hollow.cells() * 8 + 500 * 2_000);
    assert!(hollow.cells() <= 500 * 5 * 10 && bytes < 100_000_000, "{bytes} in {} cells", hollow.cells());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law: by name, the sum over catalogs that number names otherwise is that of one catalog.
    #[test]
    fn names_not_ids_are_merged(samples in proptest::collection::vec((sample(), 0..3_usize), 0..40)) {
        let catalogs = ["dcba", "abcd", "cadb"].map(|order| {
            let mut catalog = Catalog::default();
            for name in order.chars() {
                catalog.requests.intern(&name.to_string());
            }
            catalog.checks = vec!["check 0".into(), "check 1".into()];
            catalog.scenarios = ["s", "t", "u"].map(str::to_owned).to_vec();
            catalog.transactions = vec!["t0".into(), "t1".into()];
            catalog
        });
        let of = |which: usize, part: Option<usize>| {
            let own = samples.iter().filter(|(_, taken)| part.is_none_or(|part| part == *taken));
            let own = own.map(|((section, sample), _)| {
                let name = catalogs[which].requests.find(&"abcd"[sample.name.0 as usize..][..1]).unwrap();
                (*section, Sample { name, ..*sample })
            });
            let mut aggregate = aggregate(&own.collect::<Vec<_>>());
            // Made of ids by the test.
            aggregate.load.iter_mut().for_each(|load| (load.addresses, load.passed_over) = Default::default());
            aggregate
        };
        let mut all = Catalog { requests: Names::default(), ..catalogs[0].clone() };
        let mut sum = Aggregate::default();
        for (part, catalog) in catalogs.iter().enumerate() {
            let mut ids = IdMap::default();
            all.adopt(&mut ids, &catalog.new_names(&mut NamesSent::default())).unwrap();
            sum.merge(&of(part, Some(part)).remap(&ids).unwrap());
        }
        prop_assert_eq!(all.requests.list(), catalogs[0].requests.list());
        prop_assert_eq!(sorted(sum), sorted(of(0, None)));
    }
}
