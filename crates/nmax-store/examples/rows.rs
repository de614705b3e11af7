//! Writes a run of very many raw exchanges by the writer that runs use: what `make bench` slices.
//!
//! `rows ROOT ROWS` writes a run below ROOT and prints its directory. Exchanges are made of their number, so the same
//! arguments give the same rows.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example for benchmarks")]

use std::path::Path;

use nmax_metrics::{Catalog, Code, KeepReason, NameId, Nanos, Network, Outcome, RawSample, Sample};
use nmax_store::RunWriter;
use nmax_store::fixture::{manifest, mixed};

/// Exchanges per second of the run.
const PER_S: u64 = 10_000;
/// Rows handed over at once.
const BATCH: u64 = 10_000;
const NAMES: u64 = 40;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rows: u64 = args[2].parse().unwrap();
    let seconds = rows.div_ceil(PER_S);
    let plan = "nmax: 1\ntarget: http://127.0.0.1:9\nworkload: { open: { rate: 10k/s } }\nscenarios:\n  shop:\n    steps:\n      - get: /\n        name: home\n";
    let manifest = manifest("rows", plan, (0, seconds));
    let mut catalog = Catalog { scenarios: manifest.scenarios.clone(), ..Catalog::default() };
    (0..NAMES).for_each(|number| {
        catalog.requests.intern(&format!("GET /resource/{number}"));
    });
    let mut writer = RunWriter::create(Path::new(&args[1]), &manifest).unwrap();
    for start in (0..rows).step_by(BATCH as usize) {
        let batch: Vec<RawSample> = (start..rows.min(start + BATCH)).map(row).collect();
        writer.samples(&batch, &catalog).unwrap();
    }
    println!("{}", writer.path().display());
    writer.finish(&format!("{{\"duration_s\": {seconds}}}\n"), "").unwrap();
}

fn row(number: u64) -> RawSample {
    let bits = mixed(number);
    // Two in a hundred fail; times are between 1 ms and some seconds, most of them short.
    let (status, outcome) = match bits % 100 {
        0 => (500, Outcome::Failed),
        1 => (404, Outcome::Failed),
        _ => (200, Outcome::Ok),
    };
    let lag = bits >> 8 & 0xffff;
    let service = 1_000_000 + (1 << (bits >> 24 & 31)) + (bits >> 32 & 0xf_ffff);
    let intended = Nanos(number * (1_000_000_000 / PER_S));
    let sent = intended + Nanos(lag);
    let done = sent + Nanos(service);
    let sample = Sample {
        name: NameId((bits >> 40) as u32 % NAMES as u32),
        scenario: (bits >> 48 & 1) as u16,
        outcome,
        status: Some(Code::new(status)),
        intended,
        sent: Some(sent),
        first_byte: Some(sent + Nanos(service / 2)),
        done,
        network: Network::default(),
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: 200 + (bits >> 50),
        bytes_sent: 120,
        bytes_decoded: bits >> 50,
    };
    RawSample {
        sample,
        worker: (number % 2) as u32,
        vu: (number % 1_000) as u32,
        iteration: number,
        why: KeepReason::All,
    }
}
