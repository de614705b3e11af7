use proptest::prelude::*;

use super::*;

#[test]
fn conditions_worked_by_hand() {
    let total = (Scope::Total, Within::Hold);
    let request = |name: &str| Scope::Request(name.into());
    let cases = [
        ("rate >= 99%", Metric::Rate, Stat::Value, Op::AtLeast, Limit::Ratio(0.99), total.clone()),
        ("rate > 2k/s", Metric::Rate, Stat::Value, Op::Above, Limit::PerSecond(2000.0), total.clone()),
        (
            "iterations count >= 1000",
            Metric::Iterations,
            Stat::Count,
            Op::AtLeast,
            Limit::Number(1000.0),
            total.clone(),
        ),
        ("checks > 99%", Metric::Checks, Stat::Value, Op::Above, Limit::Ratio(0.99), total.clone()),
        ("failure_rate<0.1%", Metric::FailureRate, Stat::Value, Op::Below, Limit::Ratio(0.001), total.clone()),
        ("dropped < 10", Metric::Dropped, Stat::Value, Op::Below, Limit::Number(10.0), total.clone()),
        ("bytes <= 1MiB", Metric::Bytes, Stat::Value, Op::AtMost, Limit::Number(1_048_576.0), total.clone()),
        ("response_time count > 5", Metric::ResponseTime, Stat::Count, Op::Above, Limit::Number(5.0), total),
        (
            "response_time p95 < 400ms for request search in last 30s",
            Metric::ResponseTime,
            Stat::Quantile(0.95),
            Op::Below,
            Limit::Nanos(4e8),
            (request("search"), Within::Last(Duration::from_secs(30))),
        ),
        (
            "service_time p99.9 <= 1.5s for request GET /item/${id} in whole",
            Metric::ServiceTime,
            Stat::Quantile(0.999),
            Op::AtMost,
            Limit::Nanos(1.5e9),
            (request("GET /item/${id}"), Within::Whole),
        ),
        (
            "send_lag max < 1ms for request sign in now",
            Metric::SendLag,
            Stat::Max,
            Op::Below,
            Limit::Nanos(1e6),
            (request("sign in now"), Within::Hold),
        ),
        (
            "ttfb mean < 1ms for scenario \"log in hold\" in hold",
            Metric::Ttfb,
            Stat::Mean,
            Op::Below,
            Limit::Nanos(1e6),
            (Scope::Scenario("log in hold".into()), Within::Hold),
        ),
        (
            "transaction_time p95 <= 2s for transaction log in in last 10s",
            Metric::TransactionTime,
            Stat::Quantile(0.95),
            Op::AtMost,
            Limit::Nanos(2e9),
            (Scope::Transaction("log in".into()), Within::Last(Duration::from_secs(10))),
        ),
        (
            "failure_rate < 1% for transaction sign-up",
            Metric::FailureRate,
            Stat::Value,
            Op::Below,
            Limit::Ratio(0.01),
            (Scope::Transaction("sign-up".into()), Within::Hold),
        ),
        (
            "page_time p90 < 3s for request home in whole",
            Metric::PageTime,
            Stat::Quantile(0.9),
            Op::Below,
            Limit::Nanos(3e9),
            (request("home"), Within::Whole),
        ),
        (
            "page_time count > 5",
            Metric::PageTime,
            Stat::Count,
            Op::Above,
            Limit::Number(5.0),
            (Scope::Total, Within::Hold),
        ),
        (
            "response_time p95 < 1s for tag big files in last 10s",
            Metric::ResponseTime,
            Stat::Quantile(0.95),
            Op::Below,
            Limit::Nanos(1e9),
            (Scope::Tag("big files".into()), Within::Last(Duration::from_secs(10))),
        ),
        (
            "ttfb min < 1ms in whole",
            Metric::Ttfb,
            Stat::Min,
            Op::Below,
            Limit::Nanos(1e6),
            (Scope::Total, Within::Whole),
        ),
    ];
    for (text, metric, stat, op, limit, (scope, within)) in cases {
        let want = Threshold { text: text.into(), metric, stat, op, limit, scope, within, abort: None };
        assert_eq!(parse(text), Ok(want), "{text}");
    }
}

#[test]
fn wrong_conditions_say_what_to_write() {
    let cases = [
        ("fast", "`fast` compares nothing"),
        ("rate = 5/s", "`=` is not a comparison of measured values"),
        ("< 5", "the condition has no metric"),
        ("rate >=", "`rate >=` has no limit"),
        ("response_time < 400ms", "`response_time` has many values and the condition does not say which"),
        ("response_tme p95 < 400ms", "`response_tme` is not a metric"),
        ("page_time p95 < 4s for scenario a", "`page_time` belongs to pages, not to scenarios"),
        ("page_time p95 < 4s for transaction a", "`page_time` is not measured for transactions"),
        ("page_time < 4s", "`page_time` has many values and the condition does not say which"),
        ("response_time p100 < 4s", "`p100` is not a statistic"),
        ("response_time p < 4s", "`p` is not a statistic"),
        ("response_time p95 < 400", "`400` has no unit of time"),
        ("failure_rate p95 < 1%", "`failure_rate` has one value, so `p95` says nothing"),
        ("failure_rate count < 1", "`failure_rate` has no `count`"),
        ("failure_rate < 0.01", "`0.01` has no `%`"),
        ("errors < 1%", "`errors` is a number of exchanges, not a share"),
        ("response_time the best > 1s", "`the` is not a statistic"),
        ("rate >= 99% of plan", "`of plan` is not understood"),
        ("rate >= 99% for scenario a", "`rate` is measured for the whole run only"),
        ("iterations > 5 for request a", "`iterations` belongs to scenarios, not to requests"),
        ("errors < 5 for transaction a", "`errors` is not measured for transactions"),
        (
            "transaction_time p95 < 1s for request a",
            "`transaction_time` belongs to transactions, not to requests, scenarios or tags",
        ),
        (
            "transaction_time < 1s for transaction a",
            "`transaction_time` has many values and the condition does not say which",
        ),
        (
            "transaction_time p95 < 1s for tag a",
            "`transaction_time` belongs to transactions, not to requests, scenarios or tags",
        ),
        ("rate >= 99% for tag a", "`rate` is measured for the whole run only"),
        ("errors < 5 for page a", "a page is named like its request"),
        ("errors < 5 for location a", "a location is a tag of what its users do"),
        ("errors < 5 for user a", "`user` is none of `request`, `scenario`, `transaction` and `tag`"),
        ("errors < 5 for request", "`for request` has no name"),
        ("errors < 5 in june", "`in june` is not a part of the run"),
        ("errors < 5 in last 0s", "`in last 0s` holds no samples"),
        ("errors < -5", "`-5` is not a count"),
    ];
    for (text, message) in cases {
        let wrong = parse(text).unwrap_err();
        assert_eq!(wrong.message, message, "{text}");
        assert!(!wrong.remedy.is_empty(), "{text}");
    }
}

fn threshold() -> impl Strategy<Value = Threshold> {
    let op = prop_oneof![Just(Op::Below), Just(Op::AtMost), Just(Op::Above), Just(Op::AtLeast)];
    let name = "[a-z/${}]{1,5}( in [a-z]{1,4})?";
    let scope = prop_oneof![
        Just(Scope::Total),
        name.prop_map(Scope::Request),
        name.prop_map(Scope::Scenario),
        name.prop_map(Scope::Tag)
    ];
    let within = prop_oneof![
        Just(Within::Hold),
        Just(Within::Whole),
        (1..1_000_000_u64).prop_map(|us| Within::Last(Duration::from_micros(us)))
    ];
    let time = prop_oneof![
        Just(Stat::Mean),
        Just(Stat::Max),
        (1..1_000_000_u64).prop_map(|q| Stat::Quantile(format!("{q}e-6").parse().unwrap()))
    ];
    let measured = prop_oneof![
        (time, 0..1_u64 << 50).prop_map(|(stat, ns)| (Metric::ResponseTime, stat, Limit::Nanos(ns as f64))),
        (0.0..1.0_f64).prop_map(|ratio| (Metric::FailureRate, Stat::Value, Limit::Ratio(ratio))),
        (0.0..1e6_f64).prop_map(|rate| (Metric::Throughput, Stat::Value, Limit::PerSecond(rate))),
        (0..1_u64 << 53).prop_map(|bytes| (Metric::Bytes, Stat::Value, Limit::Number(bytes as f64))),
        (0..1_u64 << 53).prop_map(|count| (Metric::Errors, Stat::Count, Limit::Number(count as f64))),
    ];
    let by_transaction = (measured.clone(), "[a-z]{1,9}( in )?[a-z]{1,9}").prop_map(|(measured, name)| {
        let (_, stat, limit) = measured;
        match limit {
            Limit::Nanos(_) => ((Metric::TransactionTime, stat, limit), Scope::Transaction(name)),
            Limit::Ratio(_) => (measured, Scope::Transaction(name)),
            _ => (measured, Scope::Total),
        }
    });
    let about = prop_oneof![(measured, scope), by_transaction];
    (about, op, within).prop_map(|(((metric, stat, limit), scope), op, within)| Threshold {
        text: String::new(),
        metric,
        stat,
        op,
        limit,
        scope,
        within,
        abort: None,
    })
}

proptest! {
    /// Law: parse(display(t)) = t, for any condition.
    #[test]
    fn conditions_come_back(want in threshold()) {
        let back = parse(&want.to_string()).map(|back| Threshold { text: String::new(), ..back });
        prop_assert_eq!(back, Ok(want));
    }

    /// Law: any text is answered without a panic.
    #[test]
    fn any_text_is_answered(text in "(rate|errors|ttfb)? ?(p9?)?[<>=]{0,2} ?[0-9]{0,3}[%a-z/]{0,3}( (for|in|last) ?[a-z\"]{0,4}){0,3}|\\PC{0,30}") {
        let _ = parse(&text);
    }
}
