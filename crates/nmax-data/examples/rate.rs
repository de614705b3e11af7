//! How many people one core writes in a second: `cargo run --release -p nmax-data --example rate`
//!
//! Unit of work: one record with all columns as CSV, into memory; then one masked value. It decides whether
//! generated data keeps up with the disk and with a feeder.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and prints")]

use std::time::Instant;

use nmax_data::{Format, Generator, MaskKind, Masker, RecordWriter, Spec};

const RECORDS: u64 = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (kind, unique) in [("person", None), ("person", Some("email")), ("search_term", None), ("account", None)] {
        let generator =
            Generator::new(Spec { kind: kind.to_owned(), locale: None, unique: unique.map(str::to_owned) })?;
        let columns: Vec<usize> = (0..generator.columns().len()).collect();
        // Tables are built at the first use.
        RecordWriter::new(&generator, 1, 0..1, &columns, &Format::Csv).write(1, &mut Vec::new());
        let mut fastest = f64::INFINITY;
        let mut bytes = 0;
        for _ in 0..5 {
            let mut writer = RecordWriter::new(&generator, 1, 0..RECORDS, &columns, &Format::Csv);
            let (mut out, begin) = (Vec::with_capacity(1 << 20), Instant::now());
            bytes = 0;
            while writer.write(2000, &mut out) > 0 {
                bytes += out.len();
                out.clear();
            }
            fastest = fastest.min(begin.elapsed().as_secs_f64());
        }
        let unique = unique.map_or(String::new(), |column| format!(", unique {column}"));
        println!(
            "{kind}{unique}: {:.2} million records/s, {} bytes each",
            RECORDS as f64 / fastest / 1e6,
            bytes as u64 / RECORDS
        );
    }
    masking();
    Ok(())
}

/// Values masked in a second; each is another one.
fn masking() {
    let masker = Masker::new([7; 16]);
    for (kind, value) in [
        (MaskKind::Text, "212-555-0142"),
        (MaskKind::Name, "Mary Smith"),
        (MaskKind::Email, "mary.smith84@shop.test"),
        (MaskKind::Iban, "DE89370400440532013000"),
    ] {
        let (mut out, begin) = (String::with_capacity(64), Instant::now());
        for _ in 0..RECORDS / 10 {
            out.clear();
            masker.mask(kind, std::hint::black_box(value), &mut out);
        }
        let rate = RECORDS as f64 / 10.0 / begin.elapsed().as_secs_f64() / 1e6;
        println!("masked as {}: {rate:.2} million values/s", kind.name());
    }
}
