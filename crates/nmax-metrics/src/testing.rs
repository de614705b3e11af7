//! Random exchanges and windows for the laws of this crate and of those that store and print windows (feature `testing`).

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::aggregate::count_address;
use crate::{Code, ErrorKind, NameId, Nanos, Network, Outcome, Sample, Section, Window};

/// One random exchange and its section; four request names.
pub fn sample() -> impl Strategy<Value = (Section, Sample)> {
    let outcome = prop_oneof![
        Just(Outcome::Ok),
        Just(Outcome::Failed),
        (0..ErrorKind::ALL.len()).prop_map(|index| Outcome::Error(ErrorKind::ALL[index])),
    ];
    let section = prop_oneof![Just(Section::Hold), Just(Section::Outside)];
    let span = prop_oneof![0..2_000_000_u64, 0..5_000_000_000_u64, 0..5_000_000_000_000_u64];
    let spans = [span.clone(), span.clone(), span];
    let status = prop_oneof![
        (200..503_u16).prop_map(Code::new),
        "[0-9A-Z]{5}|[a-z]{1,5}".prop_map(|text| Code::parse(&text).expect("letters and digits"))
    ];
    (section, 0..4_u32, outcome, spans, 0..3_u8, status).prop_map(|(section, name, outcome, spans, depth, status)| {
        let intended = Nanos(1_000_000_000);
        let sent = intended + Nanos(spans[0]);
        let first_byte = sent + Nanos(spans[1]);
        let sample = Sample {
            name: NameId(name),
            scenario: (name % 2) as u16,
            outcome,
            status: (!matches!(outcome, Outcome::Error(_))).then_some(status),
            intended,
            sent: (depth > 0).then_some(sent),
            first_byte: (depth > 1).then_some(first_byte),
            done: first_byte + Nanos(spans[2]),
            network: Network {
                dns: Nanos(spans[0] / 8 * (spans[0] % 2)),
                connect: Nanos(spans[0] / 2),
                tls: Nanos(spans[0] / 8 * (spans[0] % 3 / 2)),
            },
            send: Nanos(spans[1] / 3 * (spans[1] % 2)),
            slot_wait: Nanos(spans[0] / 4),
            bytes_received: spans[1] % 5_000,
            bytes_sent: 100,
            bytes_decoded: spans[1] % 9_000,
        };
        (section, sample)
    })
}

/// A random window with everything in it that a window can hold.
pub fn window(index: u64) -> impl Strategy<Value = Window> {
    proptest::collection::vec(sample(), 0..8).prop_map(move |samples| {
        let mut window = Window::new(index, Nanos(1_000_000_000));
        for (section, sample) in &samples {
            fill(&mut window, *section, sample);
        }
        window
    })
}

fn fill(window: &mut Window, section: Section, sample: &Sample) {
    let aggregate = &mut window.aggregate;
    let response = sample.response_time().0;
    let ended = if response.is_multiple_of(3) { Section::Outside } else { Section::Hold };
    aggregate.record_between(section, ended, sample);
    if ended == Section::Hold {
        let scenario = usize::from(sample.scenario);
        aggregate.scenarios.get_mut(ended, scenario).ended_within += 1;
        aggregate.transactions.get_mut(ended, 0).ended_within += 2;
        aggregate.transitions.get_mut(ended, 0).ended_within += 3;
        aggregate.pages.get_mut(ended, 0).pages.ended_within += 4;
        let location = aggregate.locations.get_mut(ended, 0);
        location.exchanges.ended_within += 5;
        location.iterations.ended_within += 6;
        location.pages.ended_within += 7;
    }
    aggregate.checks.get_mut(section, 0).passed += response % 3;
    aggregate.checks.get_mut(section, 0).failed += response % 2;
    let scenario = aggregate.scenarios.get_mut(section, usize::from(sample.scenario));
    scenario.started += 2;
    scenario.interrupted += 1;
    if sample.sent.is_some() {
        scenario.completed += 1;
        scenario.failed += u64::from(sample.outcome != Outcome::Ok);
        scenario.iteration_time.record(response);
    }
    let load = aggregate.load_mut(section);
    load.due += 3;
    load.started += 2;
    load.waited += 1;
    load.dropped_injector += response % 5;
    load.dropped_in_flight_limit += response % 7;
    if sample.first_byte.is_none() {
        load.censored.record(response);
    }
    load.in_flight_ns += u128::from(response) << 40;
    load.in_flight_max = load.in_flight_max.max(response % 100);
    load.cpu = load.cpu + Nanos(response / 10);
    load.worker_time = load.worker_time + Nanos(response);
    load.connections += 1;
    load.retries += response % 2;
    load.informational += response % 4;
    load.redirects += response % 3;
    load.tls_handshakes += 1;
    load.tls_resumed += response % 2;
    load.count_address([10, 0, 0, (response % 3) as u8].into(), 1);
    load.count_address([0_u16, 0, 0, 0, 0, 0, 0, 1].into(), 1);
    count_address(&mut load.passed_over, [10, 0, 1, (response % 2) as u8].into(), 2);
    load.held.record(response);
    load.held_open += response % 2;
    load.samples_left_out += response % 11;
    load.start_delay_ns += u128::from(response);
    load.run_wait = load.run_wait + Nanos(response % 1_000);
    load.users += response % 7;
    load.unserved.record(response);
    load.stalled = load.stalled + Nanos(response % 3_000);
    load.pickup_delay.record(response % 90_000_000);
    let transaction = aggregate.transactions.get_mut(section, 0);
    transaction.count += 1;
    transaction.failed += response % 2;
    transaction.time.record(response);
    aggregate.transitions.get_mut(section, 0).record(!response.is_multiple_of(3), response / 2);
    let page = aggregate.pages.get_mut(section, (response % 2) as usize);
    page.pages.record(!response.is_multiple_of(5), response);
    page.resources += 6;
    page.cached += response % 4;
    page.unchanged += response % 3;
    page.resources_failed += response % 2;
    page.left_out += response % 7;
    page.bytes_received += response % 1_000;
    let location = aggregate.locations.get_mut(section, (response % 2) as usize);
    location.exchanges.record(true, response);
    location.iterations.record(!response.is_multiple_of(2), response);
    location.pages.record(true, response / 3);
    let metric = aggregate.metrics.get_mut(section, (response % 2) as usize);
    let value = (response % 9_000_000) as f64 / 7.0 - 400_000.0;
    metric.record(sample.done, (!response.is_multiple_of(4)).then_some(value * 3.0));
}

/// The same few windows each time, with some of everything in them.
pub fn windows(count: u64) -> Vec<Window> {
    let runner = &mut TestRunner::deterministic();
    (0..count).map(|index| window(index).new_tree(runner).expect("the strategy refuses nothing").current()).collect()
}
