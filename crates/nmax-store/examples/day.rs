//! Writes a long run that was never made, by the writer that runs use: what `make bench` reports on.
//!
//! `day ROOT HOURS NAMES RATE [SECONDS]` writes a run below ROOT and prints its directory. With SECONDS it goes on for so
//! long, a window each second, and prints which one it has written, and when (s since 1970).
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used, reason = "an example for benchmarks")]

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nmax_store::fixture::LongRun;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |place: usize| args[place].parse::<u64>().unwrap();
    let (past, root) = (number(2) * 3_600, Path::new(&args[1]));
    let on = if args.len() > 5 { number(5) } else { 0 };
    let run = LongRun { seconds: past + on, names: number(3) as u32, rate_per_s: number(4) };
    if on == 0 {
        return println!("{}", run.write(root, "").unwrap().display());
    }
    let mut writer = run.begin(root, "").unwrap();
    let catalog = run.catalog();
    (0..past).for_each(|second| run.second(&mut writer, &catalog, second).unwrap());
    println!("{}", writer.path().display());
    for second in past..past + on {
        std::thread::sleep(Duration::from_secs(1));
        run.second(&mut writer, &catalog, second).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        println!("{second} {}", now.as_secs_f64());
    }
    run.end(&mut writer).unwrap();
}
