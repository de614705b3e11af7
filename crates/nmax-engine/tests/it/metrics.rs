//! Metrics of the user's own, from the numbers of a server that are known.

use nmax_metrics::{MetricStats, Section};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, Options, Simulated, reply_with, simulate};

use crate::ms;

/// Carts of 0, 1, 2, .. in the order of requests; every fourth says nothing, and every tenth something that is no number.
fn run(keys: &str) -> Simulated {
    let steps = "[{ get: /cart, tags: [shop, checkout], metric: {
        total: { json: \"$.total\", as: trend, unit: EUR },
        delta: { json: \"$.delta\", as: gauge },
        items: { header: x-items, match: '^[0-9]+', as: counter },
        hit: { json: \"$.hit\", as: rate } } }]";
    let server = |call: &Call<'_>| {
        let n = call.number;
        let body = match n {
            _ if n % 10 == 9 => r#"{"total":"many","hit":null}"#.to_owned(),
            _ if n % 4 == 3 => "{}".to_owned(),
            _ => format!(r#"{{"total":{n}.5,"delta":{},"hit":{}}}"#, 10.25 - n as f64, n % 4 % 2),
        };
        Answer::Bytes(call.at + ms(7), reply_with(200, "x-items: 3 pcs\r\n", &body))
    };
    simulate(&requests("http://h.test", steps, keys), server, &Options::all())
}

fn of<'a>(run: &'a Simulated, name: &str) -> &'a MetricStats {
    let number = run.catalog.metrics.iter().position(|known| known == name).expect("it had numbers");
    run.totals.metrics.get(Section::Hold, number).unwrap()
}

#[test]
fn numbers_of_replies_are_summed_by_name_and_tag() {
    let run = run("workload: { closed: { vus: 1 }, iterations: 100 }");
    let n: Vec<u64> = (0..100).filter(|n| n % 10 != 9 && n % 4 != 3).collect();
    for tag in ["", " #shop", " #checkout"] {
        let total = of(&run, &format!("trend total EUR{tag}"));
        assert_eq!((total.values, total.unread), (n.len() as u64, 100 - n.len() as u64));
        assert_eq!(total.sum(), n.iter().map(|n| *n as f64 + 0.5).sum::<f64>());
        let median = n[n.len().div_ceil(2) - 1] as f64 + 0.5;
        assert!((total.quantile(0.5).unwrap() - median).abs() <= median / 1_000.0);
        assert_eq!((total.quantile(0.0), total.quantile(1.0)), (Some(0.5), Some(98.5)));
        let delta = of(&run, &format!("gauge delta{tag}"));
        assert_eq!((delta.last(), delta.quantile(0.0), delta.quantile(1.0)), (Some(-87.75), Some(-87.75), Some(10.25)));
        assert_eq!((of(&run, &format!("counter items{tag}")).sum(), of(&run, "counter items").unread), (300.0, 0));
        let hit = of(&run, &format!("rate hit{tag}"));
        assert_eq!((hit.values, hit.non_zero), (n.len() as u64, n.iter().filter(|n| *n % 4 == 1).count() as u64));
    }
    assert_eq!((run.catalog.metrics.len(), run.failures.len()), (12, 0), "a reply without a number does not fail");
}

/// Numbers are of the section in which their exchange was due, and those of a setup are of none that counts.
#[test]
fn numbers_belong_to_the_hold_of_their_exchange() {
    let run = run("workload: { open: { rate: 10/s } }\nwarm_up: 2s\nduration: 5s");
    let number = run.catalog.metrics.iter().position(|known| known == "counter items").unwrap();
    let sums = Section::ALL.map(|section| run.totals.metrics.get(section, number).unwrap().sum());
    assert_eq!(sums, [150.0, 60.0]);
}
