//! How long the model of traffic takes for a record: visitors with sessions, a long tail of items, pages with resources.
//!
//! ```text
//! cargo bench -p nmax-log --bench add_records [-- RECORDS]
//! ```
//!
//! The work of making records is measured by itself and subtracted.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::fmt::Write;
use std::time::Instant;

use nmax_log::record::Record;
use nmax_log::traffic::{Options, Traffic};
use nmax_plan::choice::Stream;

const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0",
    "Mozilla/5.0 (compatible; Examplebot/2.1; +http://example.test/bot.html)",
];

/// Makes records and hands them on: 2,000 a second, of 50,000 visitors at a time, who change each hour.
fn records(count: u64, mut take: impl FnMut(&Record)) {
    let mut numbers = Stream::new(1);
    let (mut client, mut target) = (String::new(), String::new());
    for n in 0..count {
        let random = numbers.next_u64();
        let at_us = n as i64 * 500 - (random >> 40 & 0xf_ffff) as i64;
        let visitor = random % 50_000 + n / 7_200_000 * 50_000;
        client.clear();
        target.clear();
        let _ = write!(client, "10.{}.{}.{}", visitor >> 16, visitor >> 8 & 255, visitor & 255);
        let draw = numbers.next_u64();
        // Items have Zipf's tail with an exponent of about 1.
        let item = (f64::exp((draw >> 11) as f64 / (1_u64 << 53) as f64 * 11.0)) as u64;
        let _ = match draw % 10 {
            0 => write!(target, "/"),
            1 | 2 => write!(target, "/search?q={item}&page=1"),
            3..=6 => write!(target, "/item/{item}"),
            7 => write!(target, "/static/app.css?v=17"),
            8 => write!(target, "/img/{item}.jpg"),
            _ => write!(target, "/api/cart/items"),
        };
        take(&Record {
            arrival_us: 1_767_225_600_000_000 + at_us,
            is_arrival: true,
            resolution_us: 1_000_000,
            duration_us: Some(random >> 48),
            method: b"GET",
            target: target.as_bytes(),
            status: 200,
            bytes: Some(draw >> 50),
            client: client.as_bytes(),
            agent: AGENTS[(visitor % 4) as usize].as_bytes(),
            referer: b"https://shop.test/item/17",
            ..Record::default()
        });
    }
}

fn main() {
    let count = std::env::args().skip(1).find_map(|text| text.parse().ok()).unwrap_or(5_000_000);
    let start = Instant::now();
    let mut bytes = 0;
    records(count, |record| bytes += record.target.len() + record.client.len());
    let making = start.elapsed();
    let mut traffic = Traffic::new(Options::default());
    let start = Instant::now();
    records(count, |record| traffic.add(record));
    let summing = start.elapsed().saturating_sub(making);
    let retained = traffic.retained();
    let start = Instant::now();
    let profile = traffic.finish();
    println!(
        "{count} records ({bytes} bytes of targets and clients): {:.0} ns each, {} ms at the end; {} sessions, {retained} \
         visitors retained, {} types, {} scenarios",
        summing.as_nanos() as f64 / count as f64,
        start.elapsed().as_millis(),
        profile.sessions.count,
        profile.types.len(),
        profile.scenarios.len()
    );
}
