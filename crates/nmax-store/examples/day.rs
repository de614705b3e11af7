//! Writes a long run that was never made, by the writer that runs use: what `make bench` reports on.
//!
//! `day ROOT HOURS NAMES RATE` writes a run below ROOT and prints its directory.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example for benchmarks")]

use std::path::Path;

use nmax_store::fixture::LongRun;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |place: usize| args[place].parse::<u64>().unwrap();
    let run = LongRun { seconds: number(2) * 3_600, names: number(3) as u32, rate_per_s: number(4) };
    println!("{}", run.write(Path::new(&args[1]), "").unwrap().display());
}
