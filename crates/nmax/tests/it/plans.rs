//! Plans: what a document says is what is sent, with the values given from outside.

use nmax_testkit::servers::{BadServer, Habit};
use serde_json::Value;

use crate::bench::{Bench, count, exchanges, lines, number};
use crate::peers::{Listener, arrived, shop};
use crate::schema::{assert_schema, assert_summary};

/// The shop, three visits for each new account.
const SHOP: &str = r#"
nmax: 1
name: shop
target: http://127.0.0.1:1
data: { terms: { csv: terms.csv, pick: sequential } }
scenarios:
  browse:
    steps:
      - get: /
      - get: /search
        name: search
        query: { q: "${terms.q}" }
        extract: { item: { css: "a.item@href", pick: random } }
      - get: ${item}
        name: item
  sign-up:
    steps:
      - get: /signup
        extract: { csrf: { css: "input[name=csrf]@value" } }
      - post: /signup
        name: sign up
        form: { name: "${env.WHO}", email: "${env.WHO}-${iteration}@shop.test", password: "a b&c", csrf: "${csrf}" }
        expect: { status: 302 }
workload: { mix: { browse: 3, sign-up: 1 }, open: { rate: 1/s } }
duration: 1s
"#;

fn shop_bench() -> Bench {
    let bench = Bench::new();
    bench.write("shop.yaml", SHOP);
    bench.write("terms.csv", "q\noak\nsteel lamp\n");
    bench
}

#[test]
fn an_open_plan_puts_exactly_its_load_on_the_shop() {
    let (bench, target) = (shop_bench(), shop());
    let url = target.url();
    let args = ["run", "shop.yaml", "--json", "--exit-zero", "-e", "WHO=ann"];
    let rate = ["--target", &url, "--set", "workload.open.rate=40/s"];
    let summary = bench.nmax(&[&args[..], &rate].concat()).exits(0).json();
    assert_summary(&summary);
    let of = |kind: &str, name: &str, key: &str| count(&summary[kind][name][key]);
    // 40 iterations, 3 of 4 browse; the mix is exact.
    assert_eq!(of("scenarios", "browse", "iterations"), 30, "{summary:#}");
    assert_eq!(of("scenarios", "sign-up", "iterations"), 10);
    // Their first requests are due within the second; the steps after them may fall behind its end.
    for (name, want) in [("GET /", 30), ("GET /signup", 10)] {
        assert_eq!(of("requests", name, "ok"), want, "{name}: {summary:#}");
        assert_eq!(of("requests", name, "count"), want, "{name}");
    }
    assert_eq!(count(&summary["total"]["count"]), count(&summary["total"]["ok"]), "{summary:#}");
    let windows = lines(&bench.run().join("windows.jsonl"));
    assert_eq!(windows.iter().map(exchanges).sum::<u64>(), 30 * 3 + 10 * 2);
    assert_eq!(arrived(&target), 30 * 3 + 10 * 2);
    assert_eq!(number(&summary["intended_rate_per_s"]), 40.0);
    assert_eq!(number(&summary["achieved_rate_per_s"]), 40.0);
    assert_eq!(number(&summary["phase"]["end_s"]), 1.0);
}

#[test]
fn a_closed_plan_does_exactly_its_iterations() {
    let (bench, target) = (shop_bench(), shop());
    let args = ["run", "shop.yaml", "--json", "--exit-zero", "--target", &target.url()];
    let closed = ["--set", "workload.closed.vus=3", "--set", "workload.iterations=12"];
    let text = SHOP.replace("open: { rate: 1/s }", "closed: { vus: 1 }").replace("duration: 1s", "");
    bench.write("shop.yaml", &text);
    let summary = bench.nmax(&[&args[..], &closed, &["-e", "WHO=bob"]].concat()).exits(0).json();
    assert_summary(&summary);
    // Each user keeps the mix in its own order, and how many iterations it gets depends on how fast it is.
    let [browse, sign_up] = ["browse", "sign-up"].map(|name| count(&summary["scenarios"][name]["iterations"]));
    assert_eq!(browse + sign_up, 12, "{summary:#}");
    assert!(browse > sign_up, "{summary:#}");
    assert_eq!(count(&summary["total"]["ok"]), browse * 3 + sign_up * 2);
    assert_eq!(arrived(&target), browse * 3 + sign_up * 2);
    assert_eq!(summary["intended_rate_per_s"], Value::Null);
}

#[test]
fn values_come_from_flags_before_the_environment() {
    let bench = Bench::new();
    let plan = "nmax: 1\ntarget: http://127.0.0.1:1\nscenarios: { s: { steps: [{ get: \"/${env.WHO}/${env.WHAT}\" }] } }\n\
                workload: { closed: { vus: 1 }, iterations: 1 }\nthresholds: [failure_rate < 50%]\n";
    bench.write("plan.yaml", plan);
    let listener = Listener::start();
    let args = ["run", "plan.yaml", "-e", "WHO=flag", "--target", &listener.url(), "--exit-zero"];
    let env = [("WHO", "environment"), ("WHAT", "both")];
    bench.nmax_with(&env, &args).exits(0);
    assert!(listener.heard()[0].starts_with("GET /flag/both HTTP/1.1\r\n"), "{:?}", listener.heard());
    let args = ["check", "plan.yaml", "-e", "WHO=flag"];
    bench.nmax_with(&env[..1], &args).exits(2).says(&["plan.yaml:3:", "has no `WHAT`", "-e WHAT="]);
    let set = ["check", "plan.yaml", "-e", "WHO=a", "-e", "WHAT=b", "--json", "--set"];
    let check = bench.nmax(&[&set[..], &["workload.iterations=17"]].concat()).exits(0).json();
    assert_eq!(count(&check["requests"]), 17, "{check:#}");
    bench.nmax(&[&set[..], &["workload.iteration=17"]].concat()).exits(2).says(&["did you mean `iterations`?"]);
}

#[test]
fn check_never_connects() {
    let bench = shop_bench();
    let server = BadServer::start(Habit::Silent);
    let check = ["check", "shop.yaml", "-e", "WHO=ann", "--target", &server.url()];
    bench.nmax(&check).exits(0).shows(&["browse", "iterations  1\n"]);
    let json = bench.nmax(&[&check[..], &["--json"]].concat()).exits(0).json();
    assert_schema(&json, "check");
    assert_eq!(count(&json["iterations"]), 1, "{json:#}");
    bench.nmax(&["check", "shop.yaml", "-e", "WHO=ann", "--target", "http://nonexistent.invalid"]).exits(0);
    assert_eq!(server.connections(), 0);
    assert!(bench.runs().is_empty());
}

#[test]
fn check_once_shows_each_request_and_reply() {
    let (bench, target) = (shop_bench(), shop());
    let url = target.url();
    let once = ["check", "shop.yaml", "--once", "-e", "WHO=ann", "--target", &url];
    let shown = bench.nmax(&once).exits(0).shows(&["scenario browse", "scenario sign-up"]);
    let sent =
        ["> GET / HTTP/1.1", "> GET /search?q=", "> GET /item/", "> GET /signup HTTP/1.1", "> POST /signup HTTP/1.1"];
    let shown =
        shown.shows(&sent).shows(&["> name=ann&email=ann-0%40shop.test&password=REDACTED", "< HTTP/1.1 302 Found"]);
    assert_eq!(shown.stdout.matches("< HTTP/1.1 ").count(), 5, "{}", shown.stdout);
    assert_eq!(arrived(&target), 5);
    assert!(bench.runs().is_empty(), "nothing is recorded");
    // The account is there now: the same visitor again is refused.
    bench.nmax(&once).exits(3).shows(&["✗ sign up: status 409"]);
    let json = bench.nmax(&[&once[..], &["--json"]].concat()).exits(3).json();
    assert_schema(&json, "once");
    assert_eq!(json["ok"], false);
    assert_eq!(json["scenarios"][0]["exchanges"][2]["outcome"], "ok");
    assert_eq!(json["scenarios"][1]["exchanges"][1]["outcome"], "failed");
}

#[test]
fn init_writes_a_valid_plan_and_nothing_over_another_file() {
    let bench = Bench::new();
    bench.nmax(&["init", "new.yaml"]).exits(0).shows(&["new.yaml"]);
    bench.nmax(&["check", "new.yaml"]).exits(0);
    bench.write("mine.yaml", "precious");
    bench.nmax(&["init", "mine.yaml"]).exits(2).says(&["mine.yaml", "never overwritten"]);
    assert_eq!(std::fs::read_to_string(bench.path("mine.yaml")).unwrap(), "precious");
    bench.nmax(&["init", "no/such/folder.yaml"]).exits(2).says(&["no/such/folder.yaml"]);
}
