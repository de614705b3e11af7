//! Measurements against the calibrated target, with nothing else running. Generous limits: this is a debug build on
//! whatever machine; the exact ones are the benchmark's.

use nmax_target::{Options, spawn};
use serde_json::Value;

use crate::bench::{Bench, count, lines, number, skip};
use crate::peers::{arrived, truth};
use crate::schema::assert_summary;

/// The summary of a run of `url` with these flags.
fn measure(bench: &Bench, url: &str, flags: &str) -> Value {
    let flags: Vec<&str> = flags.split(' ').collect();
    let args = [&["run", url, "--json", "--exit-zero"], &flags[..]].concat();
    let summary = bench.nmax(&args).exits(0).json();
    assert_summary(&summary);
    summary
}

/// Runs 200/s for 5 s against replies of 5 ms; panics when a valid run is wrong.
///
/// Beside 1 % + 300 us, the median may be above the truth by two wake-ups, the target's and the client's, which the
/// target cannot see. The send lag tells how long one takes on this machine.
fn is_measured(bench: &Bench) -> bool {
    let target = spawn(Options { services: vec!["fixed:5ms".parse().unwrap()], ..Options::default() }).unwrap();
    let summary = measure(bench, &format!("{}/hello", target.url()), "-r 200/s -d 5s");
    let total = &summary["total"];
    assert_eq!(count(&total["ok"]), 1_000);
    assert_eq!(arrived(&target), 1_000);
    let median_ms = |time: &str| number(&total[time]["p50"]);
    let true_ms = number(&truth(&target)["service_time_ms"]["p50"]);
    let seen_ms = median_ms("service_time_ms");
    assert!(true_ms >= 5.0, "{true_ms} ms");
    assert!(seen_ms >= true_ms - 0.01 * true_ms, "true {true_ms} ms, seen {seen_ms} ms");
    assert!(median_ms("response_time_ms") >= seen_ms, "it begins before the request is sent");
    if summary["verdict"] == "invalid" {
        eprintln!("INVALID: {:#}", summary["reasons"]);
        return false;
    }
    let rate_per_s = number(&summary["achieved_rate_per_s"]);
    assert!((rate_per_s - 200.0).abs() <= 4.0, "{rate_per_s}/s");
    let allowed_ms = 0.01 * true_ms + 0.3 + 2.0 * median_ms("send_lag_ms");
    assert!(seen_ms - true_ms <= allowed_ms, "true {true_ms} ms, seen {seen_ms} ms, allowed {allowed_ms} ms more");
    true
}

/// With nothing else running.
mod serial {
    use super::*;

    /// At most three runs: one that judges itself INVALID says nothing about the measurement.
    #[test]
    fn a_known_service_time_and_rate_are_measured() {
        let bench = Bench::exclusive();
        if !(0..3).any(|_| is_measured(&bench)) {
            skip("this machine is too busy to measure");
        }
    }

    #[test]
    fn a_stall_shows_in_response_times_and_nothing_is_lost_or_invented() {
        let bench = Bench::exclusive();
        let target =
            spawn(Options { stalls: vec!["at=1500ms,for=1s".parse().unwrap()], ..Options::default() }).unwrap();
        let summary = measure(&bench, &format!("{}/hello", target.url()), "-r 1000/s -c 100 -d 4s");
        let total = &summary["total"];
        let (ended, censored) = (count(&total["count"]), count(&summary["censored"]));
        assert_eq!(ended + count(&summary["dropped"]["total"]) + censored, 4_000, "{summary:#}");
        assert_eq!(arrived(&target), ended + censored, "each sample is a request that the server saw");
        for time in ["response_time_ms", "service_time_ms", "send_lag_ms"] {
            assert_eq!(count(&total[time]["count"]), ended, "{time}");
        }
        let windows = lines(&bench.run().join("windows.jsonl"));
        let due: u64 = windows.iter().map(|window| count(&window["hold"]["load"]["due"])).sum();
        assert_eq!(due, 4_000);
        // The request that the stall met first waits for all of it; those behind it wait for a slot too.
        let longest_ms = number(&total["response_time_ms"]["max"]);
        assert!(longest_ms >= 900.0, "{longest_ms} ms");
        // No more than 100 can be inside; of the 1,000 due in the stall the others wait before they are sent.
        let late_ms = number(&total["send_lag_ms"]["max"]);
        assert!(late_ms >= 500.0, "{late_ms} ms");
        let at_once = windows.iter().map(|window| count(&window["hold"]["load"]["in_flight_max"])).max();
        assert!(at_once <= Some(100), "{at_once:?}");
    }
}
