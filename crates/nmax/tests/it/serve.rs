//! `nmax serve` as one looks at it: what it answers is what the files of the runs say, of runs that have ended and of those
//! that go on.

use std::fs;
use std::net::TcpListener;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::bench::{Bench, count, exchanges, lines, number, until};
use crate::compare::{copy, original};
use crate::peers::shop;
use crate::schema::assert_fits;
use crate::serving::{Event, LONG, Serving, ids, plan};

#[test]
pub(crate) fn runs_are_found_by_words_tags_names_and_verdicts() {
    let bench = Bench::new();
    let place = original(&bench);
    for at in 0..5 {
        copy(&bench, &place, at, 1.0, |manifest, summary| {
            manifest["tags"] = if at < 2 { json!(["Nightly", "cache"]) } else { json!(["cache"]) };
            manifest["note"] = json!(format!("Attempt {}", ["zero", "one", "two", "three", "four"][at]));
            manifest["name"] = json!(if at == 4 { "other" } else { "shop" });
            summary["verdict"] = json!(if at == 3 { "fail" } else { "pass" });
        });
    }
    fs::create_dir(bench.path("runs/not-a-run")).unwrap();
    let server = Serving::start(&bench, &[]);
    let cases = [
        ("", &["copy004", "copy003", "copy002", "copy001", "copy000"][..], "the newest first"),
        ("?search=attempt+ONE", &["copy001"], "words of the note, in any case"),
        ("?search=NIGHTLY%20attempt", &["copy001", "copy000"], "all words"),
        ("?search=copy002", &["copy002"], "an id"),
        ("?search=nothing", &[], "none"),
        ("?tag=Nightly", &["copy001", "copy000"], "a tag"),
        ("?verdict=fail", &["copy003"], "a verdict"),
        ("?name=other", &["copy004"], "a name"),
        ("?name=shop&verdict=pass&tag=cache&search=attempt", &["copy002", "copy001", "copy000"], "all of them"),
        ("?limit=2", &["copy004", "copy003"], "a limit"),
        ("?limit=0", &[], "nothing"),
    ];
    for (query, want, why) in cases {
        let list = server.get(&format!("/api/runs{query}"));
        assert_eq!(ids(&list), want, "{why}: {query}");
        assert_eq!(list["more"], query.starts_with("?limit"), "{query}");
        assert_eq!((&list["tags"], &list["names"]), (&json!(["Nightly", "cache"]), &json!(["other", "shop"])));
    }
    server.ask("GET /api/runs?limit=many", &[], "").is(400);
    let trend = server.get("/api/trend?name=shop&figure=p95");
    let points: Vec<f64> = trend["points"].as_array().unwrap().iter().map(|point| number(&point["value"])).collect();
    assert_eq!(points, [10.0; 4]);
    let compared = server.get("/api/compare?runs=copy000,copy001");
    assert_eq!(compared["courses"].as_array().unwrap().len(), 2);
    for (runs, status) in [("copy000", 400), ("copy000,none", 404), ("a,b,c,d,e,f,g", 400)] {
        server.ask(&format!("GET /api/compare?runs={runs}"), &[], "").is(status);
    }
    // What goes leaves the list.
    let mut list = server.stream("", None);
    fs::remove_dir_all(bench.path("runs/copy001")).unwrap();
    assert_eq!(list.until(&["gone"]).data, "copy001");
    assert!(!ids(&server.get("/api/runs")).contains(&"copy001"));
}

/// Exchanges of a course: the sum of what its lines say.
fn counted(course: &Value, is_counted: impl Fn(&str) -> bool) -> f64 {
    let starts = course["starts_s"].as_array().unwrap().iter().map(number);
    // The last of them may be shorter.
    let widths = starts.map(|start| number(&course["width_s"]).min(number(&course["until_s"]) - start));
    let widths: Vec<f64> = widths.collect();
    let lines = course["lines"].as_array().unwrap().iter().filter(|line| is_counted(line["id"].as_str().unwrap()));
    let counts = lines.flat_map(|line| line["values"].as_array().unwrap().iter().zip(&widths));
    counts.filter_map(|(value, width)| Some(value.as_f64()? * width)).sum()
}

#[track_caller]
fn assert_near(one: f64, other: f64, what: &str) {
    assert!((one - other).abs() < 1e-6 * one.abs().max(1.0), "{what}: {one} is not {other}");
}

/// The count of a row of the table of requests.
fn told(report: &Value, row: &str) -> f64 {
    let sections = report["sections"].as_array().unwrap();
    let html = sections.iter().find(|section| section["id"] == "requests").unwrap()["html"].as_str().unwrap();
    let cell = html.split(&format!("title=\"{row}\"")).nth(1).unwrap().split("data-t=\"count\">").nth(1).unwrap();
    cell.split('<').next().unwrap().replace(|char: char| !char.is_ascii_digit(), "").parse().unwrap()
}

/// Law: the same number is the same number, in files, report, course and list, of the whole and of each part.
#[test]
fn the_same_number_is_the_same_number() {
    let bench = Bench::new();
    let shop = nmax_target::spawn(nmax_target::Options {
        shop: true,
        errors: "10%:503".parse().unwrap(),
        ..nmax_target::Options::default()
    });
    let shop = shop.unwrap();
    bench.write("plan.yaml", &plan(&shop.url(), 50, "duration: 4s\n"));
    bench.nmax(&["run", "plan.yaml", "--exit-zero", "--tag", "one"]).exits(0);
    let server = Serving::start(&bench, &[]);
    let run = bench.run();
    let windows = lines(&run.join("windows.jsonl"));
    let summary: Value = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
    let id = summary["run"]["id"].as_str().unwrap();
    let of = |rest: &str| server.get(&format!("/api/runs/{id}{rest}"));

    let row = of("")["row"].clone();
    assert_eq!(row["rate"], summary["achieved_rate_per_s"]);
    assert_eq!(row["duration_s"], summary["duration_s"]);
    let total = &summary["total"];
    assert_eq!(row["state"], summary["verdict"]);
    assert_eq!((&row["tags"], &row["name"]), (&json!(["one"]), &json!("shop")));
    // What the report withholds, as mostly the lag of a busy machine, the list withholds too.
    let is_p95 = |one: &Value| one["request"].is_null() && one["quantile"] == "p95";
    let p95 = match summary["withheld"].as_array().unwrap().iter().any(is_p95) {
        true => &Value::Null,
        false => &total["response_time_ms"]["p95"],
    };
    assert_eq!(row["p95_ms"], *p95);
    let bad = number(&total["failed"]) + number(&total["errors"]);
    assert_near(number(&row["failure_rate"]), bad / number(&total["count"]), "failure rate");

    let is_exchange = |id: &str| ["ok", "failed", "errors"].contains(&id);
    let written = |from: u64, until: u64| {
        let within = windows.iter().filter(|window| (from..until).contains(&(count(&window["start_ns"]) / 1_000_000)));
        within.map(exchanges).sum::<u64>() as f64
    };
    let whole = of("/course?points=2000");
    assert_near(counted(&whole, is_exchange), written(0, u64::MAX), "the whole");
    for outcome in ["ok", "failed", "errors"] {
        assert_near(counted(&whole, |id| id == outcome), number(&total[outcome]), outcome);
    }
    let heat = whole["heat"]["columns"].as_array().unwrap().iter().flat_map(|column| column.as_array().unwrap());
    assert_eq!(heat.map(count).sum::<u64>() as f64, number(&total["response_time_ms"]["count"]), "the heat map");
    // Fewer points are the same exchanges, and an axis of its own.
    assert_near(counted(&of("/course?points=7"), is_exchange), written(0, u64::MAX), "few points");

    for (from, until) in [(1.0, 3.0), (0.5, 0.8), (3.9, 4.0)] {
        let range = format!("?from={from}&until={until}");
        let part = of(&format!("/course{range}&points=2000"));
        let want = written((from * 1e3) as u64, (until * 1e3) as u64);
        assert_near(counted(&part, is_exchange), want, &range);
        assert_near(told(&of(&format!("/report{range}")), "total"), want, &range);
    }
    for range in ["?from=x", "?from=-1", "?until=1e300", "?from=nan"] {
        server.ask(&format!("GET /api/runs/{id}/course{range}"), &[], "").is(400);
    }

    let facets = of("")["facets"].clone();
    assert_eq!(facets["request"], json!(["home", "search"]));
    assert_eq!(facets["tag"], json!(["back", "front"]));
    for by in ["request", "status", "tag"] {
        let mut sum = 0.0;
        for value in facets[by].as_array().unwrap() {
            let value = value.as_str().unwrap();
            let one = counted(&of(&format!("/course?by={by}&value={value}&points=2000")), is_exchange);
            let split = of(&format!("/course?by={by}&points=2000"));
            assert_near(counted(&split, |id| id == format!("rate {value}")), one, &format!("{by} {value}"));
            let want = match by {
                "request" => &summary["requests"][value]["count"],
                "status" => &total["status"][value],
                _ => &summary["requests"][if value == "front" { "home" } else { "search" }]["count"],
            };
            assert_near(one, number(want), &format!("{by} {value}"));
            sum += one;
        }
        assert_near(sum, number(&total["count"]), by);
    }

    let report = of("/report");
    let file = fs::read_to_string(run.join("report.html")).unwrap();
    for section in report["sections"].as_array().unwrap() {
        let (id, html) = (section["id"].as_str().unwrap(), section["html"].as_str().unwrap());
        let there = file.split(&format!("id=\"{id}\"")).nth(1).unwrap_or_default();
        assert!(
            file.contains(html),
            "{id} is another than in the file: {html}\n\n{}",
            &there[..html.len().min(there.len())]
        );
    }
    assert!(file.contains(report["banner_html"].as_str().unwrap()));
    assert_eq!(told(&report, "total"), number(&total["count"]));
    assert_eq!(report["word"].as_str().unwrap().to_lowercase(), summary["verdict"]);
}

/// Frames, by the start of their window in ms: how many exchanges.
fn frame(event: &Event) -> (u64, u64) {
    let values = &event.data["values"];
    let rate = ["ok", "failed", "errors"].iter().map(|line| values[line].as_f64().unwrap()).sum::<f64>();
    let width_s = number(&event.data["width_s"]);
    let shown = event.data["heat"].as_array().unwrap().iter().map(count).sum::<u64>();
    let exchanges = (rate * width_s).round() as u64;
    assert!(shown <= exchanges, "{event:?}");
    ((number(&event.data["start_s"]) * 1e3).round() as u64, exchanges)
}

#[test]
fn a_run_of_another_process_is_followed_without_loss_or_doubling() {
    let (bench, shop) = (Bench::new(), shop());
    let server = Serving::start(&bench, &[]);
    let mut list = server.stream("", None);
    bench.write("plan.yaml", &plan(&shop.url(), 40, "duration: 6s\n"));
    let job = bench.spawn(&["run", "plan.yaml", "--exit-zero", "-q"]);
    let row = list.until(&["runs"]).data;
    let id = row["id"].as_str().unwrap();
    assert_eq!((&row["state"], &row["name"]), (&json!("running"), &json!("shop")));
    // A viewer that leaves and comes back twice, and one that stays.
    let mut staying = server.stream(&format!("?run={id}&after=0"), None);
    let mut seen = Vec::new();
    let mut last: Option<String> = None;
    for _ in 0..2 {
        let query = if last.is_some() { format!("?run={id}") } else { format!("?run={id}&after=0") };
        let mut events = server.stream(&query, last.as_deref());
        for _ in 0..8 {
            let event = events.until(&["frame"]);
            seen.push(frame(&event));
            last = event.id;
        }
    }
    let mut events = server.stream(&format!("?run={id}"), last.as_deref());
    let mut gates = 0;
    let document = server.get("/api/openapi.json");
    loop {
        let event = events.until(&["frame", "gates", "end"]);
        match event.name.as_str() {
            "frame" => seen.push(frame(&event)),
            "gates" => {
                assert_fits(&event.data, &document["components"]["schemas"]["Standing"], &document, "gates");
                gates += 1;
            }
            _ => break,
        }
    }
    assert!(gates > 0);
    job.wait().exits(0);
    let run = bench.run();
    let written = lines(&run.join("windows.jsonl"));
    let of = |window: &Value| (count(&window["start_ns"]) / 1_000_000, exchanges(window));
    let written: Vec<(u64, u64)> = written.iter().map(of).collect();
    assert_eq!(seen, written);
    let mut stayed = Vec::new();
    loop {
        let event = staying.until(&["frame", "end"]);
        match event.name.as_str() {
            "frame" => stayed.push(frame(&event)),
            _ => break,
        }
    }
    assert_eq!(stayed, written);
    // Who is told of the end finds it.
    let ended = server.get(&format!("/api/runs/{id}"));
    assert_ne!(ended["row"]["state"], "running");
    assert_eq!((&ended["is_running"], &ended["row"]["id"]), (&json!(false), &json!(id)));
    // Of a run that has ended there is nothing to wait for.
    server.stream(&format!("?run={id}"), None).until(&["end"]);
    // One that nobody followed from its beginning on has to be read again.
    let job = bench.spawn(&["run", "plan.yaml", "--exit-zero", "-q", "--set", "duration=300s"]);
    let late = server.running();
    let page = |id: &str| number(&server.get(&format!("/api/runs/{id}"))["duration_s"]);
    until("the run is old", || page(&late) > 8.0);
    server.stream(&format!("?run={late}&after=100"), None).until(&["resync"]);
    drop(job);
}

#[test]
fn a_run_that_is_killed_deleted_or_damaged_is_told() {
    let (bench, shop) = (Bench::new(), shop());
    let server = Serving::start(&bench, &[]);
    bench.write("plan.yaml", &plan(&shop.url(), 20, LONG));
    let job = bench.spawn(&["run", "plan.yaml", "-q"]);
    let killed = server.running();
    let mut events = server.stream(&format!("?run={killed}&after=0"), None);
    events.until(&["frame"]);
    job.signal(Signal::KILL);
    events.until(&["end"]);
    assert_eq!(server.get(&format!("/api/runs/{killed}"))["row"]["state"], "cut_off");
    until("the list knows", || ids(&server.get("/api/runs?verdict=cut_off")) == [killed.as_str()]);
    let report = server.get(&format!("/api/runs/{killed}/report"));
    assert!(report["banner_html"].as_str().unwrap().contains("INTERRUPTED"), "{report:#}");
    drop(job);

    let job = bench.spawn(&["run", "plan.yaml", "-q"]);
    let deleted = server.running();
    let mut events = server.stream(&format!("?run={deleted}&after=0"), None);
    events.until(&["frame"]);
    let place = bench.runs().into_iter().find(|run| run.to_string_lossy().ends_with(&deleted)).unwrap();
    fs::remove_dir_all(&place).unwrap();
    events.until(&["gone"]);
    let after = server.ask(&format!("GET /api/runs/{deleted}"), &[], "").status;
    assert!([404, 410].contains(&after), "{after}");
    drop(job);
    let _ = fs::remove_dir_all(&place);

    let whole = bench.runs().into_iter().find(|run| run.to_string_lossy().ends_with(&killed)).unwrap();
    for file in ["windows.jsonl", "names.json", "events.jsonl", "resources.jsonl", "manifest.json"] {
        let text = fs::read(whole.join(file)).unwrap();
        fs::write(whole.join(file), &text[..text.len() / 2]).unwrap();
        for path in ["", "/report", "/course", "/course?by=request"] {
            let reply = server.ask(&format!("GET /api/runs/{killed}{path}"), &[], "");
            assert!([200, 404, 422].contains(&reply.status), "half of {file}: {path}: {reply:?}");
        }
        server.get("/api/runs");
        fs::write(whole.join(file), text).unwrap();
    }
}

#[test]
fn a_port_in_use_is_passed_over_and_an_end_ends_everything() {
    let (bench, shop) = (Bench::new(), shop());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    bench.write("plan.yaml", &plan(&shop.url(), 20, LONG));
    let server = Serving::of(bench.spawn(&["serve", "--listen", &port]));
    assert!(!server.host.ends_with(&format!(":{port}")), "{}", server.host);
    let said = format!("port {port} is in use; this is port {}", server.host.rsplit(':').next().unwrap());
    until("it says so", || server.job.stderr_so_far().contains(&said));
    let visitor = server.visitor();
    let id = server.change(&visitor, "POST /api/runs", &json!({"plan": "plan.yaml"})).is(200).json()["id"].clone();
    let mut events = server.stream(&format!("?run={}", id.as_str().unwrap()), None);
    let mut list = server.stream("", None);
    events.until(&["frame"]);
    server.job.signal(Signal::INT);
    assert!(events.all(|event| event.name != "nothing"), "the stream ends");
    assert!(list.all(|event| event.name != "nothing"), "the list ends");
    server.job.wait().exits(0);
    // The run ended as by Ctrl-C, and has its report.
    let run = bench.run();
    let summary: Value = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
    assert!(summary.to_string().contains("INTERRUPTED"), "{summary:#}");
    assert!(run.join("report.html").is_file());
}
