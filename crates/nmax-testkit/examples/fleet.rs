//! What a fleet costs and whether its sums hold, as lines of JSON. The first argument says what: `wire`, `fold`, `hour` or
//! `exchanges`.

#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use nmax_fleet::batch::Content;
use nmax_fleet::{Batch, BatchId, Item, Results};
use nmax_metrics::names::NamesSent;
use nmax_metrics::{Aggregate, Catalog, Code, Frame, NameId, Nanos, Outcome, Sample, Section, Window};
use nmax_testkit::fleet::chance::mixed;
use nmax_testkit::fleet::exchanges::{Exchanged, exchanged};
use nmax_testkit::fleet::laws::check;
use nmax_testkit::fleet::matrix::World;
use nmax_testkit::fleet::world::{RUN, spec};

const S: u64 = 1_000_000_000;
const NAMES: u32 = 50;
/// How often a fold is measured: the fewer injectors, the oftener.
const ROUNDS: u32 = 2_000;

/// A world without faults, of so many injectors and requests per second.
fn world(injectors: usize, rate: f64, seconds: u64) -> World {
    let world =
        World { rate, names: NAMES, end: seconds * S, horizon: (seconds + 600) * S, ..World::calm(1, injectors) };
    world.with_lines()
}

/// The windows of an injector with its part of 5,000 requests per second, as batches.
fn batches(shard: u32, windows: u64) -> Vec<Vec<u8>> {
    let mut catalog = Catalog::default();
    let mut batch = |index: u64| {
        let mut aggregate = Aggregate::default();
        for number in 0..5_000_u64 {
            let iteration = (u64::from(shard) * windows + index) * 5_000 + number;
            // Injectors meet names in different orders.
            let name = catalog
                .requests
                .intern(&format!("GET /resource/{}", (iteration + u64::from(shard)) % u64::from(NAMES)));
            record(&mut aggregate, name, iteration, Nanos(index * S + number * 200_000));
        }
        let window = Window { index, width: Nanos(S), aggregate };
        let frame = Frame { injector: shard, names: catalog.new_names(&mut NamesSent::default()), window }.encode();
        let item = Item::Window { index, window: Content { frame, notes: String::new() } };
        Batch { run: RUN.into(), id: BatchId { shard, epoch: 1, sequence: index }, item }.encode()
    };
    (0..windows).map(&mut batch).collect()
}

/// An exchange of some milliseconds on a kept connection: a service time that is log-normal (median 5 ms, sigma 0.5), and tens
/// of microseconds of the injector.
fn record(aggregate: &mut Aggregate, name: NameId, iteration: u64, due: Nanos) {
    let part = |salt: u64| (mixed(iteration ^ salt << 48) >> 11) as f64 / (1_u64 << 53) as f64;
    // Box and Muller.
    let normal = (-2.0 * (1.0 - part(1)).ln()).sqrt() * (std::f64::consts::TAU * part(2)).cos();
    let service = Nanos((5e6 * (0.5 * normal).exp()) as u64);
    let sent = due + Nanos(20_000 + (part(3) * 40_000.0) as u64);
    let sample = Sample {
        name,
        scenario: 0,
        outcome: Outcome::Ok,
        status: Some(Code::new(200)),
        intended: due,
        sent: Some(sent),
        first_byte: Some(sent + service),
        done: sent + service,
        network: Default::default(),
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: 1_000,
        bytes_sent: 200,
        bytes_decoded: 800,
    };
    aggregate.record(Section::Hold, &sample);
    let load = aggregate.load_mut(Section::Hold);
    (load.due, load.started) = (load.due + 1, load.started + 1);
}

fn wire() {
    let bytes: Vec<usize> = batches(0, 3).iter().map(Vec::len).collect();
    println!("{{\"what\":\"wire\",\"names\":{NAMES},\"requests\":5000,\"bytes\":{}}}", bytes.iter().max().unwrap());
}

/// How much time of a processor a window of all injectors takes the manager: the fastest of those after the first, which meets
/// the names.
fn fold(injectors: u32, windows: u64) {
    let world = world(injectors as usize, 5_000.0, windows);
    let of: Vec<_> = (0..injectors).map(|shard| batches(shard, windows)).collect();
    let mut best = f64::INFINITY;
    for _ in 0..(ROUNDS / injectors).clamp(10, 500) {
        let mut results = Results::new(&spec(&world), Catalog::default());
        let (mut whole, mut merged) = (Aggregate::default(), 0);
        for window in 0..windows as usize {
            let begin = Instant::now();
            for batches in &of {
                let taken = results.take(Batch::decode(&batches[window]).unwrap(), None).unwrap();
                merged += taken.merged.len() as u64;
                taken.merged.iter().for_each(|window| whole.merge(&window.window.aggregate));
            }
            best = if window == 0 { best } else { best.min(begin.elapsed().as_secs_f64()) };
        }
        let started: u64 = Section::ALL.iter().map(|section| whole.load(*section).started).sum();
        assert_eq!((merged, started), (windows, u64::from(injectors) * windows * 5_000));
    }
    println!("{{\"what\":\"fold\",\"injectors\":{injectors},\"names\":{NAMES},\"cpu_s\":{best:.6}}}");
}

/// A simulated hour of 1 M requests per second, at window level.
fn hour(injectors: usize, seconds: u64) {
    let world = World { names: 2, is_each: false, ..world(injectors, 1e6, seconds) };
    let begin = Instant::now();
    let summary = check(&world).unwrap();
    assert!(summary.is_whole && summary.received == 1_000_000 * seconds, "{summary:?}");
    println!(
        "{{\"what\":\"hour\",\"injectors\":{injectors},\"seconds\":{seconds},\"sent\":{},\"folded\":{},\"wall_s\":{:.2}}}",
        summary.received,
        summary.folded,
        begin.elapsed().as_secs_f64()
    );
}

fn exchanges(injectors: u32, rate: u64, seconds: u64, with_one: bool) {
    let begin = Instant::now();
    let Exchanged { sent, received, folded, is_equal } = exchanged(injectors, rate, seconds, with_one);
    assert!(sent == rate * seconds && sent == received && sent == folded, "{sent}, {received}, {folded}");
    assert_ne!(is_equal, Some(false), "quantiles of the fleet are those of one injector");
    println!(
        "{{\"what\":\"exchanges\",\"injectors\":{injectors},\"sent\":{sent},\"received\":{received},\"folded\":{folded},\
         \"equal_to_one\":{},\"wall_s\":{:.1}}}",
        is_equal.map_or("null".into(), |is_equal| is_equal.to_string()),
        begin.elapsed().as_secs_f64()
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, or: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(or);
    match words.first().map(String::as_str) {
        Some("wire") => wire(),
        Some("fold") => fold(number(1, 200) as u32, number(2, 6)),
        Some("hour") => hour(number(1, 200) as usize, number(2, 3_600)),
        Some("exchanges") => exchanges(number(1, 20) as u32, number(2, 1_000_000), number(3, 10), number(4, 0) == 1),
        _ => println!(
            "one of: wire, fold [INJECTORS [WINDOWS]], hour [INJECTORS [SECONDS]], exchanges [INJECTORS [RATE [SECONDS [1]]]]"
        ),
    }
}
