//! What `nmax serve` does for those who may, and what it refuses to others; its API as a whole.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};

use crate::bench::{Bench, count, lines, number, until};
use crate::compare::{copy, original};
use crate::peers::{shop, target};
use crate::schema::assert_fits;
use crate::serving::{Event, Events, LONG, Reply, Serving, ids, lawful, plan, visitor};

/// Viewers that are let in.
const VIEWERS: usize = 200;
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, u16, &'a str);

#[test]
fn what_comes_from_elsewhere_or_is_too_much_is_refused() {
    let (bench, shop) = (Bench::new(), shop());
    bench.write("plan.yaml", &plan(&shop.url(), 20, "duration: 1s\n"));
    bench.nmax(&["run", "plan.yaml", "--exit-zero"]).exits(0);
    bench.write("secret.txt", "outside");
    fs::create_dir(bench.path("plans")).unwrap();
    std::os::unix::fs::symlink(bench.path("secret.txt"), bench.path("plans/link.yaml")).unwrap();
    let server = Serving::start(&bench, &["--plans", "plans", "--host", "load.test"]);
    let visitor = server.visitor();
    let id = ids(&server.get("/api/runs"))[0].to_owned();
    let own = format!("http://{}", server.host);
    let (list, session) = ("GET /api/runs", "POST /api/session");
    let (label, note) = (format!("PATCH /api/runs/{id}"), r#"{"note":"x"}"#);
    let none: &[(&str, &str)] = &[];
    let wrong_key = [("cookie", visitor.cookie.as_str()), ("x-nmax-key", "wrong")];
    let forged = format!("{}x", visitor.cookie);
    let forged = [("cookie", forged.as_str()), ("x-nmax-key", visitor.key.as_str())];
    let known = visitor.headers();
    let foreign = [&known[..], &[("origin", "http://evil.test")]].concat();
    let same = [&known[..], &[("origin", own.as_str()), ("sec-fetch-site", "same-origin")]].concat();
    let cross = [&known[..], &[("sec-fetch-site", "cross-site")]].concat();
    let sibling = [&known[..], &[("sec-fetch-site", "same-site")]].concat();
    let long = format!("/{}", "x".repeat(64 << 10));
    let (long, big) = (format!("GET {long}"), "x".repeat(3 << 20));
    // What, headers, body, status, why.
    let cases: &[Case<'_>] = &[
        (list, none, "", 200, "reading is free on the loopback"),
        (list, &[("host", "localhost:1")], "", 200, "a name of this machine"),
        (list, &[("host", "load.test")], "", 200, "a name that it was given"),
        (list, &[("host", "evil.test")], "", 421, "a name that was bound again"),
        (list, &[("host", "127.0.0.1.evil.test")], "", 421, "a name that looks like an address"),
        (list, &[("origin", "http://evil.test")], "", 403, "a script of another site"),
        (list, &[("origin", "null")], "", 403, "a page without an origin"),
        (list, &[("sec-fetch-site", "cross-site")], "", 200, "a link on another site"),
        (list, &[("origin", &own), ("sec-fetch-site", "same-origin")], "", 200, "the page"),
        (session, &[("origin", "http://evil.test")], "{}", 403, "a session from another site"),
        (&label, none, note, 401, "no session"),
        (&label, &forged, note, 401, "another signature"),
        (&label, &known[..1], note, 403, "no key"),
        (&label, &wrong_key, note, 403, "another key"),
        (&label, &foreign, note, 403, "another origin"),
        (&label, &cross, note, 403, "another site"),
        (&label, &sibling, note, 403, "another host of the site"),
        (&label, &[("authorization", "Bearer ")], note, 401, "an empty token, where there is none"),
        (&label, &same, note, 200, "the page"),
        ("DELETE /api/runs", &known, "", 405, "another method"),
        ("GET /api/nothing", none, "", 404, "another path"),
        (&label, &known, r#"{"unknown":1}"#, 400, "an unknown key"),
        (&label, &known, "{", 400, "no JSON"),
        ("GET /api/plans/plan.yaml", none, "", 401, "plans may hold secrets"),
        ("POST /api/check", none, "{}", 401, "a check reads files"),
        ("GET /api/runs/..", none, "", 400, "out of the folder"),
        ("GET /api/runs/%2e%2e", none, "", 400, "out of the folder, in disguise"),
        ("GET /api/runs/..%2f..%2fetc%2fpasswd", none, "", 400, "far out of the folder"),
        ("GET /api/runs/%00/report", none, "", 400, "no character"),
        ("GET /../secret.txt", none, "", 404, "a file"),
        ("GET /api/plans/..%2fplan.yaml", &known, "", 400, "a plan out of the folder"),
        ("GET /api/plans/%2fetc%2fpasswd", &known, "", 400, "a file by its path"),
        ("GET /api/plans/.hidden.yaml", &known, "", 400, "a hidden file"),
        ("GET /api/plans/secret.txt", &known, "", 400, "a file that is not a plan"),
        ("GET /api/plans/link.yaml", &known, "", 400, "a link out of the folder"),
        ("PUT /api/plans/..%2fevil.yaml", &known, r#"{"text":"x"}"#, 400, "to write out of the folder"),
        ("PUT /api/plans/link.yaml", &known, r#"{"text":"x"}"#, 400, "to write by a link"),
        ("POST /api/runs", &known, r#"{"plan":"../plan.yaml"}"#, 400, "to start what lies elsewhere"),
        ("POST /api/runs", &known, r#"{"repeat":"..%2f"}"#, 400, "to repeat what lies elsewhere"),
        (&long, none, "", 431, "a long head"),
        ("POST /api/check", &known, &big, 413, "a long body"),
    ];
    for (what, headers, body, status, why) in cases {
        let reply = server.ask(what, headers, body);
        assert_eq!(reply.status, *status, "{why}: {} {headers:?}: {reply:?}", &what[..what.len().min(80)]);
        assert!(!reply.body.contains("outside"), "{why}");
        // What is wrong with the head is found before there is an answer.
        if *status != 431 {
            assert!(reply.header("content-security-policy").unwrap().starts_with("default-src 'none'"), "{why}");
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{why}");
            assert!(reply.header("access-control-allow-origin").is_none(), "{why}");
        }
        if *status >= 400 && *status != 431 {
            assert!(!reply.json()["error"].as_str().unwrap().is_empty(), "{why}");
        }
    }
    assert!(!bench.path("evil.yaml").exists());
    assert_eq!(fs::read_to_string(bench.path("secret.txt")).unwrap(), "outside");

    let viewers: Vec<Events> = (0..VIEWERS).map(|_| server.stream("", None)).collect();
    assert!(viewers.iter().all(|viewer| viewer.status == 200));
    assert_eq!(server.stream("", None).status, 503);
    assert_eq!(ids(&server.get("/api/runs")), [id], "others are answered");
    drop(viewers);
    until("there is room again", || server.stream("", None).status == 200);
}

#[test]
fn sessions_begin_once_and_any_instance_verifies_them() {
    let bench = Bench::new();
    let server = Serving::start(&bench, &[]);
    let first = server.tokens().remove(0);
    server.begin("wrong").is(401);
    let begun = server.begin(&first).is(200);
    let cookie = begun.header("set-cookie").unwrap();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    let attributes: Vec<&str> = attributes.split("; ").collect();
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(attributes.contains(&attribute), "{attribute}: {cookie}");
    }
    assert!(attributes.iter().any(|attribute| attribute.starts_with("Max-Age=")), "{cookie}");
    until("a new address", || server.tokens().len() == 2);
    server.begin(&first).is(401);
    let may_change = |server: &Serving, headers: &[(&str, &str)]| {
        let session = server.ask("GET /api/session", headers, "").is(200).json();
        session["may_change"] == true && session["key"] == begun.json()["key"]
    };
    assert!(may_change(&server, &[("cookie", pair)]));
    assert!(!may_change(&server, &[]));
    let second = Serving::start(&bench, &[]);
    assert!(may_change(&second, &[("cookie", pair)]), "another instance of the same runs");
    second.begin(&server.tokens()[1]).is(401);
    server.begin(&server.tokens()[1]).is(200);

    let other = Serving::start(&bench, &["--runs-dir", "elsewhere"]);
    assert!(!may_change(&other, &[("cookie", pair)]), "other runs, other keys");
    let wall = Serving::start(&bench, &["--read-only"]);
    assert!(wall.tokens().is_empty(), "{}", wall.job.printed());
    wall.ask("GET /api/plans", &[], "").is(403);
}

#[test]
fn beyond_this_machine_the_token_is_asked_for() {
    let bench = Bench::new();
    let args = ["serve", "--listen", "0.0.0.0:0"];
    bench.nmax(&args).exits(2).says(&["NMAX_SERVE_TOKEN", "0.0.0.0"]);
    bench.nmax_with(&[("NMAX_SERVE_TOKEN", "short")], &args).exits(2).says(&["fewer than 16 characters"]);
    let token = "a-long-token-of-this-test";
    let line = format!("NMAX_SERVE_TOKEN={token} exec \"$NMAX\" serve --listen 0.0.0.0:0");
    let server = Serving::of(bench.shell_job(&line));
    assert!(!server.job.printed().contains(token));
    until("it advises", || server.job.stderr_so_far().contains("TLS"));
    let bearer = format!("Bearer {token}");
    for path in ["/api/runs", "/api/plans", "/api/stream", "/api/openapi.json", "/api/schema", "/metrics"] {
        server.ask(&format!("GET {path}"), &[], "").is(401);
        server.ask(&format!("GET {path}"), &[("authorization", "Bearer wrong-token-of-this-test")], "").is(401);
    }
    server.ask("GET /api/runs", &[("authorization", &bearer)], "").is(200);
    server.ask("GET /", &[], "").is(200);
    server.ask("PUT /api/plans/a.yaml", &[("authorization", &bearer)], r#"{"text":"x"}"#).is(200);
    server.ask("POST /api/check", &[], r#"{"text":"x"}"#).is(401);
    // The token begins sessions too, and again.
    let cookie = |reply: &Reply| reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let cookies = [(); 2].map(|()| cookie(&server.begin(token).is(200)));
    server.ask("GET /api/runs", &[("cookie", &cookies[1])], "").is(200);
}

/// What `nmax check` says of a plan: line, column, words, help.
fn checked(bench: &Bench) -> Vec<(u64, u64, String, String)> {
    let said = bench.nmax(&["check", "plan.yaml"]).exits(2).stderr;
    let errors = said.split("error: plan.yaml:").skip(1);
    let of = |error: &str| {
        let (place, help) = error.split_once("\n  help: ").unwrap();
        let mut parts = place.splitn(3, ':');
        let mut number = || parts.next().unwrap().parse().unwrap();
        (number(), number(), parts.next().unwrap().trim().to_owned(), help.lines().next().unwrap().to_owned())
    };
    errors.map(of).collect()
}

#[test]
fn plans_are_checked_kept_and_started() {
    let (bench, shop) = (Bench::new(), shop());
    let text = plan(&shop.url(), 20, LONG);
    bench.write("plan.yaml", &text);
    let server = Serving::start(&bench, &[]);
    let visitor = server.visitor();
    let check = |text: &str| server.change(&visitor, "POST /api/check", &json!({"text": text})).is(200).json();

    let good = check(&text);
    assert_eq!(good["summary"]["requests"], json!(["home", "search"]));
    assert_eq!(good["summary"]["duration_s"], 300.0);
    for wrong in ["nmax: 1\ntarget: x\nfoo: 3\n", "nmax: 1\n  bad: [\n", "", &text.replace("rate: 20/s", "rate: 0/s")] {
        bench.write("plan.yaml", wrong);
        let problems = check(wrong)["problems"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let told = problems.iter().filter(|one| one["is_warning"] == false);
        let told = told.map(|one| (count(&one["line"]), count(&one["column"]), text(&one["text"]), text(&one["help"])));
        assert_eq!(told.collect::<Vec<_>>(), checked(&bench), "{wrong}");
    }
    bench.write("plan.yaml", &text);

    let kept = server.read(&visitor, "/api/plans/plan.yaml");
    assert_eq!((&kept["text"], &kept["name"]), (&json!(text), &json!("plan.yaml")));
    let put = |name: &str, text: &str, etag: &Value| {
        server.change(&visitor, &format!("PUT /api/plans/{name}"), &json!({"text": text, "etag": etag}))
    };
    put("plan.yaml", "mine", &Value::Null).is(409);
    let changed = put("plan.yaml", &format!("{text}# changed\n"), &kept["etag"]).is(200).json();
    put("plan.yaml", "mine", &kept["etag"]).is(409);
    put("new.yaml", "nmax: 1\n", &Value::Null).is(200);
    put("plan.yaml", &text, &changed["etag"]).is(200);
    let listed = server.read(&visitor, "/api/plans");
    let mut names: Vec<&str> =
        listed["plans"].as_array().unwrap().iter().map(|plan| plan["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["new.yaml", "plan.yaml"]);

    let start = |body: Value| server.change(&visitor, "POST /api/runs", &body);
    assert!(start(json!({"plan": "new.yaml"})).is(422).json()["error"].as_str().unwrap().contains("scenarios"));
    assert!(start(json!({"plan": "missing.yaml"})).status >= 400);
    start(json!({})).is(400);
    assert!(bench.runs().is_empty(), "nothing began");
    let set = json!({"workload.open.rate": "30/s"});
    let begun = start(json!({"plan": "plan.yaml", "note": "--quiet", "tags": ["a b"], "set": set})).is(200).json();
    let id = begun["id"].as_str().unwrap();
    let page = server.get(&format!("/api/runs/{id}"));
    assert_eq!(
        (&page["is_running"], &page["level_now"], &page["row"]["note"]),
        (&json!(true), &json!(30.0), &json!("--quiet"))
    );
    let other = start(json!({"plan": "plan.yaml"})).is(409).json();
    assert!(!other["help"].as_str().unwrap().is_empty());

    let path = format!("PATCH /api/runs/{id}");
    let row = server.change(&visitor, &path, &json!({"note": "why <b>"})).is(200).json();
    assert_eq!((&row["note"], &row["tags"]), (&json!("why <b>"), &json!(["a b"])));
    let row = server.change(&visitor, &path, &json!({"tags": ["x", "y"]})).is(200).json();
    assert_eq!((&row["note"], &row["tags"]), (&json!("why <b>"), &json!(["x", "y"])));
    assert_eq!(ids(&server.get("/api/runs?tag=y&search=why")), [id]);
    let shown = bench.nmax(&["runs", "--json"]).exits(0).stdout;
    assert!(shown.contains("why <b>"), "{shown}");

    let cursed = Serving::start(&bench, &["--read-only"]);
    cursed.ask("POST /api/runs", &visitor.headers(), r#"{"plan":"plan.yaml"}"#).is(403);
}

/// Law: a server knows the run that it started, also among those that others start at the same time.
#[test]
fn runs_that_two_servers_start_at_once_are_told_apart() {
    let (bench, shop) = (Bench::new(), shop());
    bench.write("plan.yaml", &plan(&shop.url(), 20, LONG));
    let servers = [(); 2].map(|()| Serving::start(&bench, &[]));
    let start = |server: &Serving, note: &str| {
        let visitor = server.visitor();
        let body = json!({"plan": "plan.yaml", "note": note});
        server.change(&visitor, "POST /api/runs", &body).is(200).json()["id"].as_str().unwrap().to_owned()
    };
    let notes = ["one", "two"];
    let (servers, start) = (&servers, &start);
    let ids = std::thread::scope(|scope| {
        let started = [0, 1].map(|at| scope.spawn(move || start(&servers[at], notes[at])));
        started.map(|one| one.join().unwrap())
    });
    for (id, note) in ids.iter().zip(notes) {
        let page = servers[0].get(&format!("/api/runs/{id}"));
        assert_eq!(page["row"]["note"], note, "{ids:?}");
        assert!(!page["command"].as_str().unwrap().contains(id.as_str()), "{page}");
    }
}

#[test]
fn a_running_run_is_steered_and_the_second_who_does_is_told() {
    let (bench, shop) = (Bench::new(), shop());
    bench.write("plan.yaml", &plan(&shop.url(), 20, LONG));
    let server = Serving::start(&bench, &[]);
    let visitor = server.visitor();
    // A run of another process, as well as one that was started here.
    let job = bench.spawn(&["run", "plan.yaml", "-q", "--exit-zero"]);
    let id = server.running();
    let mut events = server.stream(&format!("?run={id}&after=0"), None);
    events.until(&["frame"]);
    let steer = |body: Value| server.change(&visitor, &format!("POST /api/runs/{id}/steer"), &body);
    let before = count(&server.get(&format!("/api/runs/{id}"))["revision"]);
    for wrong in [json!({"action": "load"}), json!({"action": "load", "level": -1}), json!({"action": "faster"})] {
        let mut wrong = wrong;
        wrong["revision"] = json!(before);
        steer(wrong).is(400);
    }
    let more = json!({"revision": before, "action": "load", "level": 60, "ramp_s": 0.5});
    let done = steer(more.clone()).is(200).json();
    assert!(events.until(&["event"]).data["code"] == "STEERED");
    let late = steer(more).is(409).json();
    assert!(!late["error"].as_str().unwrap().is_empty(), "{late}");
    let is_more = |event: &Event| event.name == "frame" && number(&event.data["level_now"]) > 59.0;
    events.find(is_more).expect("the level is reached");
    let page = server.get(&format!("/api/runs/{id}"));
    assert_eq!((&page["row"]["is_steered"], &page["revision"]), (&json!(true), &done["revision"]));
    assert_eq!(page["level_now"], 60.0);
    steer(json!({"revision": done["revision"], "action": "stop"})).is(200);
    events.until(&["end"]);
    job.wait().exits(130);
    assert_eq!(server.get(&format!("/api/runs/{id}"))["row"]["is_steered"], true);
    steer(json!({"revision": 2, "action": "hold"})).is(409);
}

/// nmax prints the address on standard error; without a terminal the server ends with the run.
#[test]
fn a_run_serves_its_own_page() {
    let (bench, shop) = (Bench::new(), shop());
    bench.write("shop.yaml", &plan(&shop.url(), 20, LONG));
    let job = bench.spawn(&["run", "shop.yaml", "--ui=127.0.0.1:0"]);
    until("it serves", || job.stderr_so_far().contains("#token=") || !job.is_alive());
    let said = job.stderr_so_far();
    let address = said.split("watch it at http://").nth(1).unwrap_or_else(|| panic!("{said}")).to_owned();
    let server = Serving { job, host: address.split('/').next().unwrap().to_owned() };
    let runs = || server.get("/api/runs")["runs"].as_array().cloned().unwrap_or_default();
    until("the run is listed", || runs().iter().any(|run| run["state"] == "running"));
    let id = runs()[0]["id"].as_str().unwrap().to_owned();
    let token = address.split("#token=").nth(1).unwrap().split(['&', '\n']).next().unwrap();
    let visitor = visitor(&server.begin(token).is(200));
    let stop = json!({"revision": 0, "action": "stop"});
    server.change(&visitor, &format!("POST /api/runs/{id}/steer"), &stop).is(200);
    let Serving { job, host } = server;
    job.wait().exits(130);
    assert!(TcpStream::connect(host).is_err(), "the page went with the run");
}

#[test]
fn a_visit_is_recorded_named_and_kept_as_a_plan() {
    let (bench, shop) = (Bench::new(), shop());
    let server = Serving::start(&bench, &[]);
    let visitor = server.visitor();
    let begin = json!({"url": shop.url(), "name": "visit"});
    let begun = server.change(&visitor, "POST /api/recordings", &begin).is(200).json();
    let path = format!("/api/recordings/{}", begun["id"].as_str().unwrap());
    let now = || server.change(&visitor, &format!("GET {path}"), &Value::Null).is(200).json();
    server.ask(&format!("GET {path}"), &[], "").is(401);
    let proxy = begun["proxy"].as_str().unwrap();
    let mut visit = TcpStream::connect(proxy.trim_start_matches("http://")).unwrap();
    let host = shop.address();
    write!(visit, "GET {}/search?q=oak HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n", shop.url()).unwrap();
    visit.read_to_end(&mut Vec::new()).unwrap();
    until("the step is shown", || now()["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    let step = now()["steps"][0].clone();
    let names = json!({"names": {step["id"].to_string(): "look for oak"}});
    let named = server.change(&visitor, &format!("PATCH {path}"), &names).is(200).json();
    assert_eq!(named["steps"][0]["name"], "look for oak");
    server.change(&visitor, &format!("POST {path}/stop"), &json!({})).is(200);
    until("it is kept", || now()["state"] == "saved");
    let kept = server.read(&visitor, "/api/plans");
    let name = kept["plans"][0]["name"].as_str().unwrap().to_owned();
    let text = server.read(&visitor, &format!("/api/plans/{name}"))["text"].as_str().unwrap().to_owned();
    assert!(text.contains("look for oak"), "{text}");
    bench.nmax(&["check", &name, "--quick"]).exits(0);
}

/// The example that the documentation shows, as it is.
#[test]
fn the_example_client_starts_follows_and_tells_the_verdict() {
    let (bench, shop) = (Bench::new(), shop());
    bench.write("plan.yaml", &plan(&shop.url(), 20, "duration: 2s\n"));
    let server = Serving::start(&bench, &[]);
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/api/client.py");
    let said = bench.shell(&format!("exec python3 {client} '{}' plan.yaml", server.opening())).exits(0).stdout;
    let summary: Value = serde_json::from_slice(&fs::read(bench.run().join("summary.json")).unwrap()).unwrap();
    assert_eq!(said.lines().last(), summary["verdict"].as_str(), "{said}");
    let frames: Vec<&str> = said.lines().filter(|line| line.contains("iterations/s")).collect();
    assert_eq!(frames.len(), lines(&bench.run().join("windows.jsonl")).len(), "{said}");
    assert_eq!(summary["run"]["tags"], json!(["api"]));
}

/// Demand without a series.
pub(crate) const ASSUMED: &str = "now: 3000/s, growth: 2% per week, low: 1% per week, high: 3% per week";

/// A question of capacity with a short day.
pub(crate) fn question(demand: &str) -> String {
    format!(
        "capacity: 1\nname: shop\nobjective: response_time p99 < 200ms\nsupply:\n  usable: 1200/s\n  \
         nodes: {{ alpha: [0.01, 0.03, 0.05], beta: 0.0005 }}\n  now: 8\n  price: 0.50/h\ndemand: {{ {demand} }}\n\
         plan: {{ today: 2026-11-24, horizon: 26 weeks, lead_time: 4 weeks }}\n\
         day:\n  length: 1h\n  seeds: 9\n  demand: {{ peak: 3000/s }}\n  strategies: {{ standing: {{ nodes: 6 }} }}\n"
    )
}

/// Days until the pessimistic demand meets supply, 0 for today; `None` when it does not within the horizon.
fn met(page: &Value) -> Option<i64> {
    let meaning = page["report"]["meaning"].as_str().unwrap();
    let (_, rest) = meaning.split_once("meets supply ")?;
    let day = rest.strip_prefix("on ").map(|rest| rest[..10].parse::<jiff::civil::Date>().unwrap());
    Some(day.map_or(0, |day| (day - jiff::civil::date(2026, 11, 24)).get_days().into()))
}

/// Laws: more growth, more demand, more headroom never give a later date; a slider that stands where the document stands
/// changes nothing.
#[test]
fn questions_of_capacity_are_answered_with_other_values() {
    let bench = Bench::new();
    bench.write("shop.yaml", &question(ASSUMED));
    bench.write("load.yaml", "nmax: 1\n");
    bench.write("wrong.yaml", &question("now: 3000/s, grows: 2%"));
    let server = Serving::start(&bench, &[]);
    for path in ["/api/capacity/shop.yaml", "/api/capacity/shop.yaml/day"] {
        server.ask(&format!("GET {path}"), &[], "").is(401);
    }
    let visitor = server.visitor();
    let listed = server.read(&visitor, "/api/plans");
    let kind = |name: &str| {
        listed["plans"].as_array().unwrap().iter().find(|plan| plan["name"] == name).unwrap()["kind"].clone()
    };
    assert_eq!([kind("shop.yaml"), kind("load.yaml")], ["capacity", "load"]);

    let page = |query: &str| server.read(&visitor, &format!("/api/capacity/shop.yaml{query}"));
    let stated = page("");
    assert_eq!((&stated["has_day"], &stated["is_quick"]), (&json!(true), &json!(false)));
    let of = |page: &Value, id: &str| {
        page["sliders"].as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().clone()
    };
    assert_eq!(page("?growth=0&demand=1&headroom=0&lag=1&price=1"), stated);
    for (id, values) in
        [("growth", [-1.0, 0.0, 1.0, 4.0]), ("demand", [0.8, 1.0, 1.2, 2.0]), ("headroom", [0.0, 10.0, 25.0, 90.0])]
    {
        let pages = values.map(|value| page(&format!("?{id}={value}")));
        for (page, value) in pages.iter().zip(values) {
            let slider = of(page, id);
            assert!((number(&slider["value"]) - value).abs() < 1e-9, "{slider}");
            assert_eq!(slider["stated"], of(&stated, id)["stated"]);
        }
        let dates = pages.each_ref().map(|page| met(page).unwrap_or(i64::MAX));
        assert!(dates.is_sorted_by(|one, other| one >= other), "{id}: {dates:?}");
        assert!(dates[0] > dates[3], "{id}: {dates:?}");
    }
    let day = page("/day?quick=1");
    assert_eq!(day["is_quick"], true, "{day}");
    let fault = |query: &str| server.change(&visitor, &format!("GET /api/capacity/{query}"), &Value::Null);
    let wrong = fault("wrong.yaml").is(422).json();
    let line = question("").lines().position(|line| line.starts_with("demand")).unwrap() + 1;
    assert!(wrong["error"].as_str().unwrap().starts_with(&format!("line {line}, column ")), "{wrong}");
    let problems =
        server.change(&visitor, "POST /api/check", &json!({"text": question("now: 3000/s, grows: 2%")})).is(200).json();
    assert!(problems["problems"].as_array().unwrap().iter().any(|one| one["line"] == line), "{problems}");
    // Logs are counted again when they change.
    let log = |days: i64, requests: i64| -> String {
        let line =
            |day: i64| format!("192.0.2.1 - - [{:02}/Nov/2026:12:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n", day + 1);
        (0..days).map(|day| line(day).repeat((requests + day) as usize)).collect()
    };
    bench.write("access.log", &log(21, 30));
    bench.write("logs.yaml", &question("log: [access.log]"));
    let counted = || fault("logs.yaml").is(200).json();
    let first = counted();
    assert_eq!(counted(), first);
    bench.write("access.log", &log(21, 300));
    assert_ne!(counted(), first);
    fault("load.yaml").is(422);
    fault("none.yaml").is(404);
    fault("shop.yaml?growth=x").is(400);
    fault("shop.yaml?lag=-1").is(422);
}

/// A path of the document with its holes filled, its method, and what is sent.
fn sample(path: &str, method: &str, run: &str, scale: &str, etag: &Value) -> (String, Value) {
    let body = match (method, path) {
        ("put", "/api/plans/{name}") => json!({"text": "nmax: 1\n", "etag": etag}),
        ("post", "/api/check") => json!({"text": "nmax: 1\n"}),
        ("patch", "/api/runs/{id}") => json!({"note": "kept"}),
        _ => Value::Null,
    };
    let query = match path {
        "/api/compare" => format!("?runs={run},{run}"),
        "/api/trend" => "?name=shop".to_owned(),
        "/api/runs/{id}/course" => "?by=request".to_owned(),
        "/api/scales/{id}/what-if" => "?alpha=0.1&beta=0&gamma=100&n=10".to_owned(),
        _ => String::new(),
    };
    let id = if path.contains("scales") { scale } else { run };
    let name = if path.contains("capacity") { "capacity.yaml" } else { "new.yaml" };
    (path.replace("{id}", id).replace("{name}", name) + &query, body)
}

/// Law: every way of the OpenAPI document is there and answers what its schema says; every answer has the policy of the
/// page, and none has a secret of a plan.
#[test]
fn the_api_is_as_its_document_says_and_tells_no_secret() {
    let (bench, target) = (Bench::new(), target());
    let place = original(&bench);
    (0..2).for_each(|at| drop(copy(&bench, &place, at, 1.0, |_, _| {})));
    let secrets = ["s3cret-auth", "s3cret-query", "s3cret-json", "s3cret-env"];
    let text = format!(
        "nmax: 1\nname: secret\ntarget: {}\ndefaults:\n  headers: {{ authorization: Bearer s3cret-auth }}\nscenarios:\n  a:\n    \
         steps:\n      - {{ post: '/?token=s3cret-query', name: one, json: {{ password: s3cret-json }} }}\n      \
         - {{ get: '/missing/${{env.API_TOKEN}}', name: two }}\nworkload: {{ open: {{ rate: 20/s }} }}\nduration: 2s\n",
        target.url()
    );
    bench.write("secret.yaml", &text);
    bench.nmax_with(&[("API_TOKEN", "s3cret-env")], &["run", "secret.yaml", "--exit-zero"]).exits(0);
    fs::create_dir(bench.path("plans")).unwrap();
    bench.write("plans/capacity.yaml", &question(ASSUMED));
    bench.nmax(&["scale", &target.url(), "--budget", "4s", "--level-time", "500ms", "--warm-up", "100ms"]);
    lawful(&bench.runs().into_iter().find(|run| run.join("campaign.json").is_file()).unwrap());
    let server = Serving::start(&bench, &["--plans", "plans"]);
    let visitor = server.visitor();
    let list = server.get("/api/runs");
    let of = |key: &str, value: &str| {
        let rows = list["runs"].as_array().unwrap();
        rows.iter().find(|row| row[key] == value).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let (run, scale) = (of("name", "secret"), of("kind", "scale"));
    let put = json!({"text": "nmax: 1\n", "etag": null});
    let etag = server.change(&visitor, "PUT /api/plans/new.yaml", &put).is(200).json()["etag"].clone();
    let document = server.get("/api/openapi.json");
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/openapi.json");
    assert_eq!(document, serde_json::from_str::<Value>(&fs::read_to_string(committed).unwrap()).unwrap());
    let is_clean = |what: &str, reply: &Reply| {
        for secret in secrets {
            assert!(!reply.body.contains(secret) && !reply.head.contains(secret), "{secret} in {what}");
        }
        let policy = reply.header("content-security-policy").unwrap_or_else(|| panic!("{what}: no policy"));
        assert!(!policy.contains("unsafe"), "{policy}");
    };
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let (filled, body) = sample(path, method, &run, &scale, &etag);
            let what = format!("{} {filled}", method.to_uppercase());
            if path == "/api/stream" {
                let mut events = server.stream(&format!("?run={run}"), None);
                assert_eq!(events.status, 200);
                events.until(&["end"]);
                continue;
            }
            let reply = server.change(&visitor, &what, &body);
            is_clean(&what, &reply);
            let answers = &operation["responses"];
            // Of these the doing is tested elsewhere: here they say why not.
            let is_done = body != Value::Null || method == "get" && !path.starts_with("/api/recordings/");
            let answer = if is_done { &answers["200"] } else { &answers["default"] };
            assert_eq!(reply.status == 200, is_done, "{what}: {reply:?}");
            assert_fits(&reply.json(), &answer["content"]["application/json"]["schema"], &document, &what);
        }
    }
    for file in ["/", "/index.html", "/app.js", "/app.css", "/api/schema", "/none"] {
        is_clean(file, &server.ask(&format!("GET {file}"), &[], ""));
    }
    let page = server.ask("GET /", &[], "").is(200);
    let tag = page.header("etag").unwrap();
    server.ask("GET /", &[("if-none-match", tag)], "").is(304);
}
