//! How often the intervals within a run hold the truth: `cargo run --release -p nmax-analysis --example coverage [RUNS]`.
//!
//! Runs of a simulated M/M/1 queue, whose quantiles are known, from fixed seeds, so the tables repeat to the digit. The
//! program fails when intervals that are given in one run of ten or more hold the truth in less than 93 or more than
//! 97 % of them, by more than two standard errors of these shares; or when a run of 240,000 exchanges at 70 % load has
//! them less often than four times in five.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

use std::process::ExitCode;

use nmax_analysis::batches::Line;
use nmax_metrics::Histogram;

#[path = "../src/batches/queue.rs"]
mod queue;

use queue::Queue;

/// Runs for each line, unless the command line says otherwise.
const RUNS: u64 = 1_000;
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)];

fn main() -> ExitCode {
    let runs = match std::env::args().nth(1).map(|text| text.parse::<u64>()) {
        None => RUNS,
        Some(Ok(runs)) if runs > 1 => runs,
        Some(_) => {
            eprintln!("usage: coverage [RUNS]   a number above 1; {RUNS} without it");
            return ExitCode::from(2);
        }
    };
    println!("Intervals given, and those of them that hold the truth; {runs} runs for each line, nominal 95 %\n");
    print!("{:>5}{:>11}{:>9}", "load", "exchanges", "windows");
    for (name, _) in QUANTILES {
        print!("{:>16}{:>8}", format!("{name}: given"), "hold");
    }
    println!("{:>15}{:>10}", "n_eff: truth", "estimate");
    let mut wrong = 0;
    for (exchanges, windows) in [(1_000.0, 10), (1_000.0, 60), (24_000.0, 120), (240_000.0, 120), (240_000.0, 1_200)] {
        for load in [0.0, 0.3, 0.7, 0.8, 0.9, 0.95] {
            wrong += line(Queue { load, exchanges, windows }, runs);
        }
    }
    if wrong > 0 {
        println!("\n{wrong} of the shares are not as they have to be.");
        return ExitCode::from(3);
    }
    println!("\nAll shares are as they have to be.");
    ExitCode::SUCCESS
}

/// Prints a line of the table; gives how many of its shares are not as they have to be.
fn line(queue: Queue, runs: u64) -> usize {
    let truth = QUANTILES.map(|(_, q)| queue.quantile_ns(q));
    let (mut given, mut held) = ([0_u64; 3], [0_u64; 3]);
    let (mut squares, mut estimates) = (0.0, Vec::new());
    for seed in 0..runs {
        let (mut batches, mut histogram) = (Line::default(), Histogram::new());
        queue.run(seed, |window, ns| {
            histogram.record(ns);
            batches.add(window, ns, 1);
        });
        for (place, (_, q)) in QUANTILES.into_iter().enumerate() {
            let Ok((low, high)) = batches.ranks(q) else { continue };
            let ends = histogram.values_at_ranks_ns(&[low, high]);
            let (Some(low_ns), Some(high_ns)) = (ends[0], ends[1]) else { continue };
            given[place] += 1;
            held[place] += u64::from((low_ns as f64..=high_ns as f64).contains(&truth[place]));
        }
        squares += (histogram.mean_ns().unwrap_or_default() / queue.mean_ns() - 1.0).powi(2);
        estimates.extend(batches.dependence().map(|dependence| dependence.effective));
    }
    print!("{:>4.0}%{:>11}{:>9}", queue.load * 100.0, queue.exchanges, queue.windows);
    let mut wrong = 0;
    for (given, held) in given.into_iter().zip(held) {
        let share = held as f64 / given as f64;
        let seldom = given * 10 < runs;
        let hold = if seldom { "–".to_owned() } else { format!("{:.1}%", share * 100.0) };
        print!("{:>15.1}%{hold:>8}", given as f64 / runs as f64 * 100.0);
        let error = (0.95 * 0.05 / given as f64).sqrt();
        wrong += usize::from(!seldom && !(0.93 - 2.0 * error..=0.97 + 2.0 * error).contains(&share));
        let is_promised = queue.load == 0.7 && queue.exchanges == 240_000.0;
        wrong += usize::from(is_promised && given * 5 < runs * 4);
    }
    estimates.sort_unstable_by(f64::total_cmp);
    let typical = estimates.get(estimates.len() / 2).copied().unwrap_or(f64::NAN);
    println!("{:>15.0}{typical:>10.0}", runs as f64 / squares);
    wrong
}
