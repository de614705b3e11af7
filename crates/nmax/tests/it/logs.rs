//! Access logs: what is counted, what is planned, what is sent again, and what bad ones get.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::bench::{Bench, Ended, count, lines};
use crate::peers::{Listener, target};
use crate::schema::assert_schema;

/// A line of combined format, `s` seconds after midnight.
fn line(s: u64, client: u64, request: &str, status: u16) -> String {
    let (h, m, s) = (s / 3600, s / 60 % 60, s % 60);
    format!(
        "10.0.0.{client} - - [20/Nov/2026:{h:02}:{m:02}:{s:02} +0000] \"{request} HTTP/1.1\" {status} 512 \"-\" \
         \"Mozilla/5.0\"\n"
    )
}

/// Visits of three pages each, one a second from midnight on.
fn visits(count: u64) -> String {
    (0..count)
        .flat_map(|visit| {
            let (client, item) = (visit % 200, visit % 7);
            [
                line(visit, client, "GET /", 200),
                line(visit + 4, client, &format!("GET /item/{item}"), 200),
                line(visit + 9, client, "GET /about", 404),
            ]
        })
        .collect()
}

fn imported(bench: &Bench, args: &str) -> Value {
    let mut all = vec!["import", "log"];
    all.extend(args.split(' '));
    all.extend(["--json", "--force"]);
    let found = bench.nmax(&all).exits(0).json();
    assert_schema(&found, "import-log");
    found
}

#[track_caller]
fn assert_adds_up(found: &Value) {
    let of = |key: &str| count(&found[key]);
    assert_eq!(of("lines"), of("parsed") + of("rejected") + of("comments") + of("blank"), "{found:#}");
    let sum = |key: &str| found[key].as_object().unwrap().values().map(count).sum::<u64>();
    assert_eq!(sum("by_status"), of("requests"), "{found:#}");
}

#[test]
fn a_log_becomes_a_plan_that_checks() {
    let bench = Bench::new();
    bench.write("access.log", &visits(300));
    let found = imported(&bench, "access.log --target http://127.0.0.1:9");
    assert_adds_up(&found);
    assert_eq!((&found["format"], count(&found["lines"])), (&json!("combined"), 900));
    assert_eq!(found["by_status"], json!({ "200": 600, "404": 300 }));
    assert_eq!(found["by_method"], json!({ "GET": 900 }));
    assert_eq!(
        (count(&found["bytes"]), count(&found["sessions"])),
        (900 * 512, 200),
        "whoever comes back within half an hour goes on"
    );
    assert_eq!((&found["first"], &found["last"]), (&json!("2026-11-20T00:00:00Z"), &json!("2026-11-20T00:05:08Z")));
    assert_eq!(found["written"][0], "access.yaml");
    for file in found["written"].as_array().unwrap() {
        assert!(bench.path(file.as_str().unwrap()).exists(), "{file}");
    }
    let checked = bench.nmax(&["check", "access.yaml", "--quick"]).exits(0);
    checked.shows(&["source: access.traffic.json", "GET /item/{id}"]);
    bench.nmax(&["import", "log", "access.log"]).exits(2).says(&["access.yaml is there already", "--force"]);
    let text = bench.nmax(&["import", "log", "access.log", "-o", "plans/other"]).exits(0);
    let text = text.shows(&["GET /item/{id}", "Scenarios", "plans/other.yaml"]);
    assert!(!text.stdout.contains("Season"), "five minutes have none");
}

/// Packed, in pieces, in the wrong order, from standard input: the same lines give the same numbers.
#[test]
fn it_does_not_matter_how_the_log_comes() {
    let bench = Bench::new();
    let text = visits(200);
    bench.write("access.log", &text);
    let whole = imported(&bench, "access.log -o whole");
    let all: Vec<&str> = text.lines().collect();
    let (early, late) = all.split_at(250);
    bench.write("b.log", &format!("{}\n", late.join("\n")));
    let mut packed = Vec::new();
    for part in early.chunks(100) {
        // Logs are packed piece by piece, too.
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(format!("{}\n", part.join("\n")).as_bytes()).unwrap();
        packed.extend(packer.finish().unwrap());
    }
    std::fs::write(bench.path("a.log.gz"), packed).unwrap();
    let pieces = imported(&bench, "b.log a.log.gz -o pieces");
    let piped = bench.shell("cat access.log | \"$NMAX\" import log - -o piped --json").exits(0).json();
    for key in ["format", "lines", "parsed", "by_status", "by_method", "bytes", "first", "last", "sessions"] {
        assert_eq!(pieces[key], whole[key], "{key}");
        assert_eq!(piped[key], whole[key], "{key}");
    }
    assert!(pieces["notes"].to_string().contains("a.log.gz, b.log"), "{pieces:#}");
}

#[test]
fn a_part_of_the_log_is_chosen() {
    let bench = Bench::new();
    // 10 visits a minute from midnight, 60 from 2:00 on for an hour, all on one day; one visit the day after.
    let mut text = String::new();
    for minute in 0..180_u64 {
        let many = if minute >= 120 { 60 } else { 10 };
        (0..many).for_each(|n| text.push_str(&line(minute * 60 + n, n, "GET /", 200)));
    }
    text.push_str(&line(0, 1, "GET /", 200).replace("20/Nov", "21/Nov"));
    bench.write("access.log", &text);
    let total = 120 * 10 + 60 * 60;
    let cases = [
        ("", total + 1),
        ("--peak-hour", 3_600),
        ("--day", total),
        ("--day 2026-11-21", 1),
        ("--from 2026-11-20T02:00:00Z --to 2026-11-20T02:10:00Z", 600),
        ("--from 2026-11-20T03:00 --to 2026-11-20T03:10 --zone +01:00", 600),
        ("--from 2026-11-20T02:00:00Z", 3_600),
        ("--from 2026-11-20T02:00:00Z --to 2026-11-22", 3_601),
    ];
    for (flags, want) in cases {
        let args = format!("{flags} access.log -o part").trim().to_owned();
        let found = imported(&bench, &args);
        assert_eq!(count(&found["requests"]), want, "{flags}: {found:#}");
        assert_eq!(count(&found["parsed"]), total + 1, "{flags}: all lines are read");
    }
    let text = bench.nmax(&["import", "log", "access.log", "-o", "part", "--force"]).exits(0);
    text.shows(&["Season", "1 stamped far from all others"]);
    let wrong = ["--from", "2026-11-20T03:00:00Z", "--to", "2026-11-20T02:00:00Z"];
    let ended = bench.nmax(&[&["import", "log", "access.log", "-o", "x"], &wrong[..]].concat());
    ended.exits(2).says(&["ends before it begins"]);
    let ended = bench.nmax(&["import", "log", "access.log", "-o", "x", "--day", "2020-01-01"]);
    ended.exits(2).says(&["no request to make a plan of", "--zone"]);
}

/// One line of another year makes no other plan, wherever it stands, and its place is named.
#[test]
fn a_stray_stamp_is_named_and_sets_no_rate() {
    let bench = Bench::new();
    let text = visits(2_000);
    bench.write("access.log", &text);
    let whole = imported(&bench, "access.log -o whole");
    let stray = line(9, 1, "GET /far", 200).replace("2026", "2099");
    let lines: Vec<&str> = text.lines().collect();
    for at in [0, 3_000, lines.len()] {
        let (before, after) = lines.split_at(at);
        let strayed = [before, &[stray.trim_end()], after].concat().join("\n");
        bench.write("access.log", &format!("{strayed}\n"));
        let found = imported(&bench, "access.log -o strayed");
        assert_adds_up(&found);
        for key in ["first", "last"] {
            assert_eq!(found[key], whole[key], "{key} with a stray at {at}");
        }
        let rates = [&found, &whole].map(|found| found["sessions_per_s"].as_f64().unwrap());
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.01, "{rates:?} with a stray at {at}");
        let said = found["warnings"].to_string();
        let place = format!("access.log:{} (2099-11-20T00:00:09Z)", at + 1);
        assert!(said.contains("stamped far from all others") && said.contains(&place), "{said}");
    }
    // Nor does a replay wait for it.
    bench.write("access.log", &format!("{stray}{}", visits(30)));
    let listener = Listener::start();
    let url = listener.url();
    let args = ["replay", "access.log", "--target", &url, "--speed", "40", "--exit-zero"];
    bench
        .nmax(&args)
        .exits(0)
        .says(&["left out: 1 requests: stamped far from all others", "access.log:1 (2099-11-20T00:00:09Z)"]);
    assert_eq!(listener.heard().len(), 90);
}

#[test]
fn bad_lines_are_counted_and_shown() {
    let bench = Bench::new();
    let mut text = String::from("\n#Version: 1.0 of something else\n");
    text.push_str(&visits(100));
    let _ = writeln!(text, "{}", "x".repeat(1 << 20 | 5));
    text.push_str("\u{1}\u{2}\u{1b}[2J garbage\n");
    // Younger ones come first, and one has a clock of its own.
    text.push_str(&line(3, 1, "GET /late", 200));
    text.push_str(&line(3, 1, "GET /ancient", 200).replace("2026", "1999"));
    bench.write("access.log", &text);
    let found = imported(&bench, "access.log");
    assert_adds_up(&found);
    assert_eq!(count(&found["parsed"]), 302);
    assert_eq!(count(&found["blank"]), 1);
    let rejections = found["rejections"].to_string();
    for part in ["access.log:303", "1 MiB or more", "access.log:304"] {
        assert!(rejections.contains(part), "{part}: {rejections}");
    }
    assert!(rejections.contains("\\\\u001b[2J garbage"), "nothing that moves the cursor: {rejections}");
    assert!(found["warnings"].as_array().unwrap().iter().all(|text| !text.to_string().contains("could not be read")));
    // Above one in a hundred it is loud.
    bench.write("access.log", &format!("{}{}", visits(30), "nonsense\n".repeat(5)));
    let ended = bench.nmax(&["import", "log", "access.log", "--force"]).exits(0);
    ended.says(&["warning: 5 of 95 lines (5.26 %) could not be read", "--format"]).shows(&["access.log:91: nonsense"]);
}

#[test]
fn logs_that_are_none_get_an_answer() {
    let bench = Bench::new();
    bench.write("empty.log", "");
    bench.write("blank.log", "\n\n\n");
    bench.write("prose.log", "It was a dark and stormy night;\nthe rain fell in torrents.\n");
    bench.write("good.log", &visits(3));
    std::fs::write(bench.path("cut.log.gz"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]).unwrap();
    let cases = [
        ("empty.log", "the file is empty"),
        ("blank.log", "the file is empty"),
        ("prose.log", "no known log format fits"),
        ("nothere.log", "cannot read the log"),
        ("cut.log.gz", "cut.log.gz"),
        (".", "is a folder"),
        ("good.log --format $nonsense", "--format"),
        ("good.log --from yesterday", "--from: `yesterday` is not a time"),
        ("good.log --day 2026-02-30", "--day: `2026-02-30` is not a time"),
    ];
    for (args, said) in cases {
        for verb in ["import log", "replay"] {
            let target = if verb == "replay" { " --target http://127.0.0.1:9" } else { "" };
            let line = format!("{verb} {args}{target}");
            let args: Vec<&str> = line.split(' ').collect();
            bench.nmax(&args).exits(2).says(&[said]);
        }
    }
    assert!(bench.runs().is_empty(), "nothing was sent");
    for time in ["0s", "300ms", "200h"] {
        let ended = bench.nmax(&["import", "log", "good.log", "--session-timeout", time]);
        ended.exits(2).says(&["a visit ends after a break of 1s to 168h"]);
    }
}

/// Requests at their milliseconds: (ms, method, target, status, seconds taken).
fn timed(requests: &[(u64, &str, &str, u16)]) -> String {
    let line = |(ms, method, target, status): &(u64, &str, &str, u16)| {
        let ms = 1_795_000_000_000 + ms;
        let (s, ms) = (ms / 1_000, ms % 1_000);
        format!("10.0.0.1 [{s}.{ms:03}] \"{method} {target} HTTP/1.1\" {status} 0.000\n")
    };
    requests.iter().map(line).collect()
}

const TIMED: &str = "$remote_addr [$msec] \"$request\" $status $request_time";

fn replayed(bench: &Bench, url: &str, flags: &[&str]) -> Ended {
    let args = ["replay", "access.log", "--format", TIMED, "--target", url, "--workers", "1", "--exit-zero"];
    bench.nmax(&[&args, flags].concat())
}

/// First lines of what a server heard, without the version.
fn heard(listener: &Listener) -> Vec<String> {
    let first = |text: String| text.lines().next().unwrap_or_default().replace(" HTTP/1.1", "");
    listener.heard().into_iter().map(first).collect()
}

#[test]
fn a_replay_sends_the_log() {
    let bench = Bench::new();
    let listener = Listener::start();
    let requests: Vec<(u64, String)> = (0..30).map(|n| (n * 17 % 500, format!("/page/{n}?a=%20b"))).collect();
    let rows: Vec<(u64, &str, &str, u16)> =
        requests.iter().map(|(ms, target)| (*ms, "GET", target.as_str(), 200)).collect();
    bench.write("access.log", &timed(&rows));
    let summary = replayed(&bench, &listener.url(), &["--json"]).exits(0).json();
    assert_eq!(count(&summary["total"]["count"]), 30, "{summary:#}");
    let mut want: Vec<String> = requests.iter().map(|(_, target)| format!("GET {target}")).collect();
    let mut got = heard(&listener);
    want.sort();
    got.sort();
    assert_eq!(got, want, "each once");
    let names: Vec<&String> = summary["requests"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["GET /page/{id}"], "one name for one kind of request");
    assert_eq!(summary["run"]["name"], "access.log, original pace");
    let planned_s = summary["phase"]["end_s"].as_f64().unwrap();
    assert!((planned_s - 0.494).abs() < 0.01, "from the first to the last: {planned_s}");
    let text = bench.nmax(&["fidelity", "last", "--wide"]).exits(0);
    text.shows(&["Fidelity (this run beside access.log)", "mix of requests"]);
    let shown = bench.nmax(&["show", "last"]).exits(0);
    shown.shows(&["access.log, original pace", "Fidelity (this run beside access.log)"]);
    let report = std::fs::read_to_string(bench.run().join("report.html")).unwrap();
    assert!(report.contains(">Fidelity</a>"));
}

/// What a log has is asked for byte for byte, by its plan as by its replay.
#[test]
fn odd_targets_are_sent_as_they_stand() {
    let bench = Bench::new();
    let want = "GET /%zz/100%?a[]=[1]";
    let text: String = (0..20).map(|n| line(n, n, want, 200)).collect();
    bench.write("access.log", &text);
    let listener = Listener::start();
    imported(&bench, &format!("access.log --target {}", listener.url()));
    bench.nmax(&["check", "access.yaml", "--once"]).exits(0);
    assert_eq!(heard(&listener), [want]);
    let listener = Listener::start();
    let url = listener.url();
    let args = ["replay", "access.log", "--target", &url, "--speed", "40", "--exit-zero"];
    bench.nmax(&args).exits(0);
    assert_eq!(heard(&listener), vec![want; 20]);
}

#[test]
fn only_what_changes_nothing_is_sent_unless_asked_for() {
    let bench = Bench::new();
    let rows = [
        (0, "GET", "/a", 200),
        (10, "POST", "/order", 201),
        (20, "HEAD", "/a", 200),
        (30, "DELETE", "/order/1", 204),
        (40, "BREW", "/pot", 418),
    ];
    bench.write("access.log", &timed(&rows));
    let cases: [(&[&str], &[&str]); 3] = [
        (&[], &["GET /a", "HEAD /a"]),
        (&["--methods", "DELETE"], &["DELETE /order/1"]),
        (&["--all-methods"], &["DELETE /order/1", "GET /a", "HEAD /a", "POST /order"]),
    ];
    for (flags, want) in cases {
        let listener = Listener::start();
        let ended = replayed(&bench, &listener.url(), flags).exits(0);
        ended.says(&["left out: 1 requests: method BREW, which nmax does not speak"]);
        let mut got = heard(&listener);
        got.sort();
        assert_eq!(got, want, "{flags:?}");
        let events = lines(&bench.run().join("events.jsonl"));
        let left_out = events.iter().filter(|event| event["code"] == "REPLAY_LEFT_OUT").count();
        let methods = 5 - want.len();
        assert_eq!(left_out, methods, "{flags:?}: a reason each: {events:#?}");
        std::fs::remove_dir_all(bench.run()).unwrap();
    }
}

/// 404 is fine where the log has it, 503 where the log had 200 is not.
#[test]
fn replies_may_be_no_worse_than_the_logs() {
    let (bench, target) = (Bench::new(), target());
    let rows = [
        (0, "GET", "/hello", 200),
        (10, "GET", "/status/404", 404),
        (20, "GET", "/status/503", 503),
        (30, "GET", "/status/404", 200),
        (40, "GET", "/status/503", 404),
        (50, "GET", "/hello", 500),
    ];
    bench.write("access.log", &timed(&rows));
    let summary = replayed(&bench, &target.url(), &["--json"]).exits(0).json();
    let total = &summary["total"];
    assert_eq!((count(&total["ok"]), count(&total["failed"])), (4, 2), "{summary:#}");
}

#[test]
fn paces_are_tests_of_their_own() {
    let bench = Bench::new();
    let targets: Vec<String> = (0..40).map(|n| format!("/{}", n % 4)).collect();
    let rows: Vec<(u64, &str, &str, u16)> =
        (0..).zip(&targets).map(|(n, target)| (20 * n, "GET", target.as_str(), 200)).collect();
    bench.write("access.log", &timed(&rows));
    let cases: [(&[&str], &str, u64, f64); 4] = [
        (&[], "original pace", 40, 0.78),
        (&["--speed", "4"], "time compressed 4 times", 40, 0.195),
        (&["--copies", "3"], "3 copies overlaid", 120, 0.78),
        (&["--thin", "50%"], "thinned to 50 %", 20, 0.78),
    ];
    for (flags, name, want, length_s) in cases {
        let listener = Listener::start();
        let summary = replayed(&bench, &listener.url(), &[flags, &["--json", "--seed", "3"]].concat()).exits(0).json();
        assert_eq!(summary["run"]["name"], format!("access.log, {name}"));
        let planned_s = summary["phase"]["end_s"].as_f64().unwrap();
        assert!((planned_s - length_s).abs() < 0.01, "{name}: {planned_s} for {length_s}");
        let mut by_target: BTreeMap<String, u64> = BTreeMap::new();
        heard(&listener).into_iter().for_each(|line| *by_target.entry(line).or_default() += 1);
        let sent: u64 = by_target.values().sum();
        match name {
            "thinned to 50 %" => assert!(sent.abs_diff(want) < 12, "{sent}"),
            _ => {
                assert_eq!(sent, want, "{name}");
                assert!(by_target.values().all(|count| *count == want / 4), "{name}: {by_target:?}");
            }
        }
    }
}

#[test]
fn hosts_targets_and_headers_are_changed_as_asked() {
    let bench = Bench::new();
    let format = "$host $remote_addr [$msec] \"$request\" $status \"$http_user_agent\"";
    let log = "shop.example 10.0.0.1 [1795000000.000] \"GET /v1/a?token=old HTTP/1.1\" 200 \"Lynx\"\n\
               shop.example 10.0.0.1 [1795000000.010] \"GET //v1/b HTTP/1.1\" 200 \"-\"\n";
    bench.write("access.log", log);
    let listener = Listener::start();
    let authority = listener.url().replace("http://", "");
    let run = |flags: &[&str]| {
        let url = listener.url();
        let args = ["replay", "access.log", "--format", format, "--target", &url, "--exit-zero", "--quiet"];
        bench.nmax(&[&args, flags].concat()).exits(0);
        let mut heard = listener.heard();
        heard.sort();
        heard
    };
    let plain = run(&[]);
    assert!(plain.iter().all(|text| text.contains("host: shop.example\r\n")), "{plain:#?}");
    assert!(plain[0].starts_with("GET //v1/b HTTP/1.1\r\n") && plain[0].contains("user-agent: nmax\r\n"), "{plain:#?}");
    assert!(plain[1].starts_with("GET /v1/a?token=old HTTP/1.1\r\n") && plain[1].contains("user-agent: Lynx\r\n"));
    let flags = ["--rewrite-host", "--rewrite", "/v1/=>/v2/", "--set-param", "token=new", "-H", "x-test: 1"];
    let changed = run(&flags)[2..].to_vec().into_iter().chain(plain).collect::<Vec<_>>();
    let of = |start: &str| changed.iter().find(|text| text.starts_with(start)).cloned().unwrap_or_default();
    let first = of("GET /v2/a?token=new HTTP/1.1\r\n");
    assert!(first.contains(&format!("host: {authority}\r\n")) && first.contains("x-test: 1\r\n"), "{changed:#?}");
    bench
        .nmax(&["replay", "access.log", "--format", format])
        .exits(2)
        .says(&["not whether to reach it by http", "--target"]);
    bench
        .nmax(&["replay", "access.log", "--rewrite", "no arrow", "--target", "http://127.0.0.1:9"])
        .exits(2)
        .says(&["has no `=>`"]);
}

#[test]
fn the_plan_of_a_replay_is_no_plan_to_run() {
    let bench = Bench::new();
    let plan = "nmax: 1\ntarget: http://127.0.0.1:9\nscenarios: { a: { steps: [{ get: / }] } }\n\
                workload: { open: { rate: 1/s, arrivals: listed } }\n";
    bench.write("plan.yaml", plan);
    bench.nmax(&["run", "plan.yaml"]).exits(2).says(&["`arrivals: listed`", "nmax replay LOG"]);
    bench.write(
        "plan.yaml",
        &plan.replace(", arrivals: listed", "").replace("nmax: 1", "nmax: 1\nsource: nothere.json"),
    );
    bench.nmax(&["run", "plan.yaml"]).exits(2).says(&["nothere.json", "nmax import log"]);
    bench.write("plan.yaml", &plan.replace(", arrivals: listed", "").replace("nmax: 1", "nmax: 1\nsource: plan.yaml"));
    bench.nmax(&["run", "plan.yaml"]).exits(2).says(&["plan.yaml: no traffic profile"]);
    bench.nmax(&["fidelity", "last"]).exits(2);
}

/// Whatever is stored of a log, the tokens in its targets are not; a replay sends them.
#[test]
fn secrets_in_targets_are_sent_and_not_stored() {
    let bench = Bench::new();
    let listener = Listener::start();
    let targets: Vec<String> = (0..30).map(|n| format!("/a?page={n}&token=sEcReT{n}")).collect();
    let rows: Vec<(u64, &str, &str, u16)> =
        (0..).zip(&targets).map(|(n, target)| (10 * n, "GET", target.as_str(), 200)).collect();
    bench.write("access.log", &timed(&rows));
    bench.nmax(&["import", "log", "access.log", "--format", TIMED]).exits(0).says(&["replaced by REDACTED"]);
    replayed(&bench, &listener.url(), &["--samples", "all"]).exits(0);
    assert!(heard(&listener).iter().all(|line| line.contains("token=sEcReT")));
    let folder = bench.run();
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.extend(["access.yaml", "access.traffic.json"].map(|name| bench.path(name)));
    assert!(files.len() > 8);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("sEcReT"), "{}", file.display());
    }
}

#[test]
fn what_leads_to_nothing_is_told() {
    let bench = Bench::new();
    let text = visits(20);
    bench.write("access.log", &text);
    let said = |args: &str, part: &str| {
        let all: Vec<&str> = args.split(' ').collect();
        bench.nmax(&all).exits(2).says(&[part]);
    };
    said("import log access.log -o x --day 2020-01-01", "the log is of 2026-11-20 00:00:00 to 2026-11-20 01:00:00");
    // A line that never ends is no empty file, and hides no other lines.
    bench.write("long.log", &"A".repeat(1 << 20));
    said("import log long.log", "AAAA");
    bench.write("begun.log", &format!("{}\n{text}", "A".repeat(3 << 20)));
    let found = imported(&bench, "begun.log");
    assert_eq!((count(&found["rejected"]), count(&found["parsed"])), (1, 60));
    // The host of the log is what a replay and a choice of hosts are about.
    let hosts: String = text.lines().map(|line| format!("shop.test:80 {line}\n")).collect();
    bench.write("hosts.log", &hosts);
    said("import log hosts.log --host nosuch", "the log names shop.test");
    said("replay hosts.log", "--target http://shop.test");
}

/// Programs get what was read also where no plan can be made of it.
#[test]
fn figures_are_printed_without_a_plan() {
    let bench = Bench::new();
    let posts: String = (0..9).map(|n| line(n, 1, "POST /cart", 200)).collect();
    bench.write("posts.log", &format!("{posts}garbage\n"));
    // Flags, requests, part of the reason.
    let cases = [("", 9, "--include-writes"), ("--day 2020-01-01", 0, "choose another time")];
    for (flags, requests, reason) in cases {
        let ended = bench.shell(&format!("\"$NMAX\" import log posts.log --json {flags}")).exits(2);
        let found = ended.says(&[reason]).json();
        assert_schema(&found, "import-log");
        assert_eq!((count(&found["lines"]), count(&found["rejected"])), (10, 1), "{found:#}");
        assert_eq!((count(&found["requests"]), &found["plan"]), (requests, &Value::Null), "{found:#}");
        assert!(found["reason"].as_str().unwrap().contains(reason), "{found:#}");
        assert_eq!(found["first"].is_null(), requests == 0, "{found:#}");
        assert!(!bench.path("posts.yaml").exists());
    }
}

/// Bytes that are not UTF-8 are sent as they came.
#[test]
fn targets_keep_their_bytes() {
    let bench = Bench::new();
    let text: String = (0..30).map(|n| line(n * 9, n % 9, "GET /caf~", 200)).collect();
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'~' { 0xe9 } else { byte }).collect();
    std::fs::write(bench.path("access.log"), bytes).unwrap();
    imported(&bench, "access.log");
    let plan = std::fs::read_to_string(bench.path("access.yaml")).unwrap();
    assert!(plan.contains("- get: /caf%E9"), "{plan}");
}

/// Articles of a short log are one request in its plan and in its slices.
#[test]
fn paths_have_the_same_templates_everywhere() {
    let bench = Bench::new();
    let slugs = ["p6-9d1c81", "p1-6dbf9a", "p8-f2eebf", "p5-f4fe29", "p10-e3b0c4"];
    let words = ["oak", "pine", "elm"];
    let text: String = (0..60)
        .flat_map(|n| {
            let client = n % 30;
            let page = |path: String, at: u64| line(n * 20 + at, client, &format!("GET {path}"), 200);
            let (slug, word) = (slugs[n as usize % slugs.len()], words[n as usize % words.len()]);
            [page("/".into(), 0), page(format!("/products/{slug}"), 4), page(format!("/woods/{word}"), 9)]
        })
        .collect();
    bench.write("access.log", &text);
    // Flags, templates.
    let cases = [
        ("", vec!["/", "/products/{id}", "/woods/elm", "/woods/oak", "/woods/pine"]),
        ("--template /woods/*", vec!["/", "/products/{id}", "/woods/{id}"]),
    ];
    for (flags, want) in cases {
        let sliced = bench.shell(&format!("\"$NMAX\" slice access.log --by template --json {flags}")).exits(0).json();
        let mut groups: Vec<&str> =
            sliced["rows"].as_array().unwrap().iter().map(|row| row["key"]["template"].as_str().unwrap()).collect();
        groups.sort_unstable();
        assert_eq!(groups, want, "{flags}");
        imported(&bench, format!("access.log -o made {flags}").trim());
        let plan = std::fs::read_to_string(bench.path("made.yaml")).unwrap();
        let name =
            |line: &str| line.trim().strip_prefix("name: ")?.trim_matches('"').strip_prefix("GET ").map(str::to_owned);
        let names: std::collections::BTreeSet<String> = plan.lines().filter_map(name).collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), want, "{flags}: {plan}");
    }
    bench.nmax(&["slice", "access.log", "--template", "/woods/o*"]).exits(2).says(&["whole segments", "/products/*"]);
}

#[test]
fn a_file_that_is_given_twice_is_read_once() {
    let bench = Bench::new();
    bench.write("access.log", &visits(20));
    let found = imported(&bench, "access.log ./access.log");
    assert_eq!(count(&found["lines"]), 60);
    assert!(found["notes"].to_string().contains("given twice"), "{found:#}");
}
