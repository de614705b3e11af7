use nmax_metrics::{Code, KeepReason, NameId, Network, Outcome};

use super::retained::Reservoir;
use super::*;

fn item(number: u64) -> RawSample {
    let sample = Sample {
        name: NameId(0),
        scenario: 0,
        outcome: Outcome::Ok,
        status: Some(Code::new(200)),
        intended: Nanos(number),
        sent: Some(Nanos(number)),
        first_byte: None,
        done: Nanos(number),
        network: Network::default(),
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: 0,
        bytes_sent: 0,
        bytes_decoded: 0,
    };
    RawSample { sample, worker: 0, vu: 0, iteration: number, why: KeepReason::Random }
}

fn meter() -> (Meter, Receiver<Report>) {
    let (reports_in, reports) = std::sync::mpsc::sync_channel(8);
    let (_, recycled) = std::sync::mpsc::sync_channel(1);
    let settings = MeterSettings {
        width: Nanos::from_secs(1),
        hold: (Nanos::from_secs(2), Nanos::from_secs(5)),
        keep: KeepSamples::None,
        seed: 1,
    };
    let link = Link { worker: 3, reports: reports_in, recycled };
    (Meter::new(settings, link, ThreadTime::default()), reports)
}

/// A socket that is held counts where its reply did, also when that is only known after the hold.
#[test]
fn held_sockets_belong_to_the_section_of_their_reply() {
    let (mut meter, _reports) = meter();
    let s = Nanos::from_secs;
    let notes = Notes { held: vec![s(1), s(5)], held_open: vec![s(2)], ..Notes::default() };
    meter.note(s(6), &notes);
    let of = |meter: &mut Meter, section| {
        let load = meter.window().aggregate.load(section);
        (load.held.count(), load.held_open)
    };
    assert_eq!(of(&mut meter, Section::Hold), (1, 1), "the one of 4 s, which is open");
    assert_eq!(of(&mut meter, Section::Outside), (2, 0), "those of 5 s and 1 s");
}

#[test]
fn addresses_that_were_passed_over_add_up() {
    let (mut meter, _reports) = meter();
    let address = |last: u8| std::net::IpAddr::from([10, 0, 0, last]);
    let notes = |passed_over| Notes { passed_over, ..Notes::default() };
    meter.note(Nanos::from_secs(6), &notes(vec![(address(5), 2), (address(6), 1)]));
    meter.note(Nanos::from_secs(6), &notes(vec![(address(5), 10)]));
    let all = Section::ALL.map(|section| meter.window().aggregate.load(section).passed_over.clone());
    assert_eq!(all.concat(), [(address(5), 12), (address(6), 1)]);
}

/// However many and large failures are, their examples stay within the room of a worker, and the last one says so.
#[test]
fn examples_are_bounded_together_and_say_so() {
    let (mut meter, _reports) = meter();
    let example = |kind: &str| FailureExample {
        at: Nanos::ZERO,
        name: "n".into(),
        scenario: "s".into(),
        outcome: Outcome::Failed,
        kind: kind.into(),
        after: None,
        status: Some(Code::new(500)),
        text: "t".into(),
        request: "q".repeat(64 << 10),
        reply: "r".repeat(64 << 10),
        response_time: Nanos::ZERO,
    };
    let (mut kept, mut last) = (0, String::new());
    for kind in 0..20 {
        for _ in 0..2 * EXAMPLES_PER_KIND {
            let kind = format!("status {kind}");
            if meter.wants_example(&kind) {
                meter.keep_example(example(&kind));
                let added = meter.failures.pop().unwrap();
                kept += added.request.len() + added.reply.len();
                last = added.text;
            }
        }
    }
    assert!(kept <= EXAMPLES_BYTES_MAX + (128 << 10), "{kept}");
    assert!(kept > EXAMPLES_BYTES_MAX / 2, "{kept}");
    assert!(last.contains("64 MiB") && last.contains("worker 3"), "{last}");
}

/// Each of 1,000 items is kept with probability 0.1: over 2,000 windows each tenth of the stream gets a tenth.
#[test]
fn the_reservoir_is_uniform_over_its_window() {
    let mut reservoir = Reservoir::new(7, 0, 100);
    let mut tenths = [0_u32; 10];
    for _ in 0..2_000 {
        for number in 0..1_000 {
            if reservoir.wants() {
                reservoir.put(item(number));
            }
        }
        let kept = reservoir.restart();
        assert_eq!(kept.len(), 100);
        kept.drain(..).for_each(|raw| tenths[(raw.iteration / 100) as usize] += 1);
    }
    // 20,000 expected in each, standard deviation about 134.
    assert!(tenths.iter().all(|count| count.abs_diff(20_000) < 700), "{tenths:?}");
}

/// Where all exchanges are wanted and there are too many, what is missing is counted, and it is missing everywhere alike.
#[test]
fn what_is_left_out_of_all_is_counted_and_drawn() {
    let (meter, _reports) = meter();
    let mut kept = RetainedSamples::limited(&MeterSettings { keep: KeepSamples::All, ..meter.settings }, 0, 1_000);
    for (seen, left_out) in [(999, 0), (1_000, 0), (1_001, 1), (5_000, 4_000), (0, 0), (1_000, 0)] {
        (0..seen).for_each(|number| kept.consider(&item(number).sample, 0, number));
        let (raw, missing) = kept.take();
        assert_eq!((raw.len() as u64 + missing, missing), (seen, left_out));
        assert!(raw.is_sorted_by_key(|raw| raw.sample.done) && raw.iter().all(|raw| raw.why == KeepReason::All));
        if seen == 5_000 {
            // 500 of each half expected, standard deviation about 14.
            let early = raw.iter().filter(|raw| raw.iteration < 2_500).count();
            assert!(early.abs_diff(500) < 75, "{early} of 1,000 are of the first half");
        }
    }
}
