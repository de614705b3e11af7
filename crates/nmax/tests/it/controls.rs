//! What steers a terminal or turns text around reaches neither terminal nor report, wherever it comes from.

use std::fs;

use nmax_text::{is_hidden, shown};
use serde_json::Value;

use crate::bench::{Bench, Ended};
use crate::peers::Listener;

/// Sets the title, clears, colors as nmax itself does, turns text, breaks a line, C1, hides: none of it may stay.
const HOSTILE: &str =
    "\x1b]0;title\x07\x1b[2J\x1b[1;32mPASS\x1b[0m\u{202e}txt\u{2066}\u{61c}\u{2028}\u{9b}31m\u{7f}\u{200b}";

/// Nothing hidden but the ends of lines.
#[track_caller]
fn is_clean(what: &str, text: &str) {
    let found: Vec<char> =
        text.replace("\r\n", "\n").chars().filter(|c| is_hidden(*c) && !"\n\t".contains(*c)).collect();
    assert!(found.is_empty(), "{what}: {found:?} in {text:?}");
}

#[track_caller]
fn says_cleanly(what: &str, ended: &Ended) {
    is_clean(what, &ended.stdout);
    is_clean(what, &ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{what}: {}", ended.stderr);
}

/// A server whose reply and its parts are hostile.
fn server() -> Listener {
    let body = format!("<b>{HOSTILE}</b>\r\n");
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nx-odd: \u{202e}\u{2066}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    Listener::answering(move |_| reply.clone())
}

/// A plan that repeats what the server sent, and has hostile names of its own.
fn plan(url: &str) -> String {
    let quoted = |c: char| format!("\\U{:08X}", u32::from(c));
    let name: String = HOSTILE.chars().map(quoted).collect();
    // A scenario's name holds no control characters.
    let scenario: String = HOSTILE.chars().filter(|c| !c.is_control()).map(quoted).collect();
    format!(
        r#"nmax: 1
target: {url}
scenarios:
  "{scenario}":
    steps:
      - get: /
        name: "n {name}"
        extract: {{ odd: {{ regex: "(?s)<b>(.*)</b>" }} }}
      - get: "/second"
        expect: {{ contains: "never ${{odd}}" }}
      - fail: "it was ${{odd}}"
workload: {{ closed: {{ vus: 1 }}, iterations: 3 }}
"#
    )
}

#[test]
fn replies_and_names_of_a_plan_are_escaped_everywhere() {
    let (bench, server) = (Bench::new(), server());
    bench.write("plan.yaml", &plan(&server.url()));
    let once = bench.nmax(&["check", "plan.yaml", "--once"]);
    says_cleanly("check --once", &once);
    assert!(once.stdout.contains("\\u001b]0;title\\u0007"), "it is there to read: {}{}", once.stdout, once.stderr);
    let json = bench.nmax(&["check", "plan.yaml", "--once", "--json"]);
    says_cleanly("check --once --json", &json);
    let told = json.json();
    assert!(strings(&told).iter().any(|text| text.contains(HOSTILE)), "JSON keeps its data: {told}");
    says_cleanly("check --print", &bench.nmax(&["check", "plan.yaml", "--print"]));
    for flags in [["--note", HOSTILE], ["--tag", HOSTILE]] {
        says_cleanly("run", &bench.nmax(&[&["run", "plan.yaml", "--exit-zero"], &flags[..]].concat()));
    }
    says_cleanly("run --wire", &bench.nmax(&["run", "plan.yaml", "--wire"]));
    for verb in
        [&["show"][..], &["show", "--json"], &["runs"], &["runs", "--json"], &["compare", "last~1", "last"], &["trend"]]
    {
        says_cleanly(verb[0], &bench.nmax(verb));
    }
    for format in ["html", "junit", "csv", "text", "json"] {
        let report = bench.nmax(&["report", "last", "--format", format, "-o", "-"]).exits(0);
        says_cleanly(format, &report);
        assert!(report.stdout.contains("\\u202e"), "{format}: {}", report.stdout);
    }
    let page = fs::read_to_string(bench.runs().pop().unwrap().join("report.html")).unwrap();
    is_clean("report.html", &page);
}

#[test]
fn errors_repeat_nothing_raw() {
    let bench = Bench::new();
    let name = HOSTILE.replace('/', "");
    bench.write(
        "key.yaml",
        &format!("nmax: 1\n\"{}\": 1\n", name.replace('\x1b', "\\e").replace(['\x07', '\u{7f}'], "")),
    );
    bench.write(&name, "nmax: 1\nscenarios: [\n");
    bench.write(
        "odd.log",
        &format!("1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] \"GET /{name}?q=1 HTTP/1.1\" 200 12\n{name}\n").repeat(20),
    );
    bench.write("odd.csv", &format!("{name},b\n{name},1\n"));
    let told: &[&[&str]] = &[
        &["check", "key.yaml"],
        &["check", &name],
        &["run", &name],
        &["check", HOSTILE],
        &[HOSTILE],
        &["run", "--no-such", HOSTILE],
        &["run", "http://127.0.0.1:9/", "--threshold", HOSTILE],
        &["run", "http://127.0.0.1:9/", "-c", HOSTILE],
        &["import", "curl", "--", "curl", HOSTILE, HOSTILE],
        &["import", "har", &name],
        &["import", "log", "odd.log", "--dry-run"],
        &["slice", "odd.log", "--by", "path", "--csv"],
        &["slice", "odd.log", "--by", "path"],
        &["slice", "odd.log", "--by", "path", "--json"],
        &["slice", "odd.log", "--by", HOSTILE],
        &["data", "check", "odd.csv"],
        &["usl", "fit", "odd.csv"],
        &["show", HOSTILE],
        &["explain", HOSTILE],
        &["compare", HOSTILE, HOSTILE],
        &["report", HOSTILE, "-o", HOSTILE],
    ];
    for arguments in told {
        let ended = bench.nmax(arguments);
        says_cleanly(&format!("{:?}", shown(&arguments.join(" "))), &ended);
        assert!(!format!("{}{}", ended.stdout, ended.stderr).is_empty(), "{arguments:?}");
    }
}

/// All strings of a value.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
