use proptest::prelude::*;

use super::*;

#[test]
fn counts_what_arrives_and_how_it_ends() {
    let truth = Truth::new(0);
    let first = truth.arrive();
    let second = truth.arrive();
    let third = truth.arrive();
    assert_eq!((first.number, second.number, third.number), (0, 1, 2));
    assert_eq!(truth.to_json(0)["in_flight"], 3);
    first.replied(2_000_000, Ending::Reply);
    second.replied(4_000_000, Ending::Error);
    third.connection_reset();
    let json = truth.to_json(1_500_000_000);
    assert_eq!(json["since_reset_s"], 1.5);
    assert_eq!(json["requests"], 3);
    assert_eq!(json["in_flight"], 0);
    assert_eq!(json["in_flight_max"], 3);
    assert_eq!(json["errors"], 1);
    assert_eq!(json["resets"], 1);
    assert_eq!(json["service_time_ms"]["count"], 2);
    assert_eq!(json["service_time_ms"]["mean"], 3.0);
}

#[test]
fn a_reset_forgets_requests_of_before() {
    let truth = Truth::new(0);
    let before = truth.arrive();
    truth.reset(7);
    assert_eq!(truth.origin_ns(), 7);
    assert_eq!(truth.to_json(7)["in_flight"], 1, "it is still there");
    before.replied(1, Ending::Error);
    let json = truth.to_json(7);
    assert_eq!((&json["requests"], &json["in_flight"]), (&json!(0), &json!(0)));
    assert_eq!((&json["errors"], &json["service_time_ms"]["count"]), (&json!(0), &json!(0)));
    assert_eq!(truth.arrive().number, 0, "numbers start again");
}

proptest! {
    /// Law: quantiles are within 0.1 % of the brute-force ones; the rest is exact.
    #[test]
    fn quantiles_are_true(mut times_ns in prop::collection::vec(1_000_000_u64..100_000_000_000, 1..200)) {
        let truth = Truth::new(0);
        for time_ns in &times_ns {
            truth.arrive().replied(*time_ns, Ending::Reply);
        }
        times_ns.sort_unstable();
        let json = truth.to_json(0);
        let found = |key: &str| json["service_time_ms"][key].as_f64().unwrap();
        for (key, q) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
            let rank = (q * times_ns.len() as f64).ceil() as usize;
            let want = times_ns[rank - 1] as f64 / 1e6;
            prop_assert!((found(key) / want - 1.0).abs() <= 0.0011, "{key}: {} for {want}", found(key));
        }
        prop_assert!((found("min") - times_ns[0] as f64 / 1e6).abs() < 0.001);
        prop_assert!((found("max") - times_ns[times_ns.len() - 1] as f64 / 1e6).abs() < 0.001);
    }
}
