//! How long a day of 10,000 requests per second takes to simulate: prints seconds of the fastest of five for an easy day and for
//! one with outages, retries and autoscaling.

#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use nmax_capacity::day::{Given, simulate};
use nmax_plan::document::Options;

const EASY: &str = "capacity: 1
supply: { usable: 900/s, saturation: 1100/s, nodes: { alpha: 0.005 }, now: 16 }
day: { demand: { constant: 10000/s }, strategies: { standing: { nodes: 16 } } }
";
const HARD: &str = "capacity: 1
supply: { usable: 900/s, saturation: 1100/s, nodes: { alpha: 0.005 }, now: 12 }
day:
  demand: { peak: 10000/s }
  events: [{ at: '12:00', factor: 3, doubling: 20m, lasts: 1h, decays: 30m }]
  failures: [{ lost: management, at: '15:30', for: 4h30m }, { lost: zone, at: '15:30', for: 4h30m }]
  provisioning: { takes: 2m, never: 1%, crowded: 3 }
  clients: { timeout: 10s, retries: 3, by_hand: 20% }
  strategies: { autoscaled: { nodes: 12, autoscale: { target: 60%, max: 60 } } }
";

fn main() {
    for (name, text) in [("easy", EASY), ("hard", HARD)] {
        let document = nmax_capacity::parse(text, &Options::standalone(name)).unwrap();
        let tier = nmax_capacity::answer::plan(&document).supply.unwrap().tiers.remove(0);
        let given = Given {
            usable_per_s: Some(tier.usable.value),
            saturation_per_s: tier.saturation_per_s,
            nodes: Some(tier.now as usize),
            ..Given::default()
        };
        let (world, policies) = document.day.unwrap().world(&given).unwrap();
        let time = |seed| {
            let begin = Instant::now();
            let day = simulate(&world, &policies[0], seed);
            assert!(day.requests > 1e8);
            begin.elapsed().as_secs_f64()
        };
        println!("{name} {}", (1..=5).map(time).fold(f64::INFINITY, f64::min));
    }
}
