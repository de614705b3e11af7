//! `nmax report` of several runs, in several formats, beside others, and of what cannot be read.

use std::fs;

use nmax_target::Running;
use serde_json::Value;

use crate::bench::Bench;
use crate::peers::target;
use crate::schema::assert_schema;

/// Replies of the target; a status of 500 is a failure.
const GOOD: &str = "/delay/5ms";
const BAD: &str = "/status/500";

fn plan(url: &str, path: &str, count: u32) -> String {
    format!(
        "nmax: 1\nname: shop\ntarget: {url}\nscenarios: {{ s: {{ steps: [{{ get: {path}, name: home }}] }} }}\n\
         workload: {{ closed: {{ vus: 1 }}, iterations: {count} }}\n"
    )
}

/// Three small runs with the label `rel`: 4 good requests, 2 failed ones, 3 good ones with a note. Their ids.
fn three_runs() -> (Bench, Running, [String; 3]) {
    let (bench, target) = (Bench::new(), target());
    for (path, count, note) in [(GOOD, 4, "first"), (BAD, 2, "broken"), (GOOD, 3, "mended <b>|x")] {
        bench.write("plan.yaml", &plan(&target.url(), path, count));
        bench.nmax(&["run", "plan.yaml", "--tag", "rel", "--note", note, "--exit-zero"]).exits(0);
    }
    let runs = bench.nmax(&["runs", "--json"]).exits(0).json();
    let ids = [2, 1, 0].map(|place: usize| runs["runs"][place]["id"].as_str().unwrap().to_owned());
    (bench, target, ids)
}

#[test]
fn a_series_is_one_summary_in_every_format() {
    let (bench, _target, ids) = three_runs();
    let files = ["s.html", "s.md", "s.csv", "s.json", "s.xml", "s.txt", "s.pdf"];
    let outputs = files.iter().flat_map(|file| ["-o", file]);
    let command: Vec<&str> = ["report", "--campaign", "rel"].into_iter().chain(outputs).collect();
    // Two requests of two failed, and so few cannot make a run INVALID.
    bench.nmax(&command).exits(3).shows(&files);
    for file in files {
        let bytes = fs::read(bench.path(file)).unwrap();
        let Ok(text) = String::from_utf8(bytes.clone()) else {
            assert!(file == "s.pdf" && bytes.starts_with(b"%PDF-"), "{file}");
            continue;
        };
        assert!(ids.iter().all(|id| text.contains(id)), "{file}: {text}");
        let is_markup = ["s.html", "s.md", "s.xml"].contains(&file) && text.contains("<b>");
        assert!(!is_markup && !text.contains('\x1b'), "{file}: notes are text");
    }
    let json: Value = serde_json::from_slice(&fs::read(bench.path("s.json")).unwrap()).unwrap();
    assert_schema(&json, "series");
    assert_eq!(json["verdict"], "fail");
    let of = |key: &str| Vec::from_iter(json["runs"].as_array().unwrap().iter().map(|run| run[key].clone()));
    assert_eq!(of("id"), ids);
    assert_eq!(of("count"), [4, 2, 3]);
    assert_eq!(of("note"), ["first", "broken", "mended <b>|x"]);
    assert_eq!(of("verdict")[1], "fail");
    let since = &json["runs"][1]["since"];
    assert_eq!(since["run"], ids[0]);
    let changes = since["changes"].as_array().unwrap();
    let change = |what: &str| changes.iter().find(|change| change["what"] == what).expect(what);
    let path = change("plan scenarios.s.steps.get");
    assert_eq!((&path["before"], &path["after"]), (&GOOD.into(), &BAD.into()));
    assert_eq!(change("plan workload.iterations")["after"], "2");
    let moved = since["moved"].as_array().unwrap();
    assert!(moved.iter().any(|figure| figure["metric"] == "failure_rate" && figure["after"] == 1.0), "{since}");
    let csv = fs::read_to_string(bench.path("s.csv")).unwrap();
    assert_eq!((csv.lines().count(), csv.lines().nth(2).unwrap().contains(",fail,")), (4, true), "{csv}");
    let xml = fs::read_to_string(bench.path("s.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"1\"") && xml.contains("<failure type=\"FAIL\""), "{xml}");
    bench.nmax(&["report", &ids[0], &ids[1], "--format", "json", "--exit-zero"]).exits(0).shows(&["\"2 runs: "]);
    bench.nmax(&["report", "--campaign", "none"]).exits(2).says(&["no run in runs has the label `none`", "help: "]);
}

/// What cannot be read is said, with what is known of it, and keeps nothing else from being written.
#[test]
fn a_run_that_cannot_be_read_has_a_row_and_stops_no_other() {
    let (bench, _target, ids) = three_runs();
    let runs = bench.runs();
    // The one that failed was cut off, one has a file that is not what it should be.
    fs::remove_file(runs[1].join("summary.json")).unwrap();
    fs::remove_file(runs[0].join("summary.json")).unwrap();
    fs::write(runs[0].join("windows.jsonl"), "{\"not\": \"a window\"}\n".repeat(9)).unwrap();
    let ended = bench.nmax(&["report", "--campaign", "rel", "--format", "json"]);
    assert!([3, 4].contains(&ended.code), "{}", ended.stderr);
    let json = ended.json();
    assert_schema(&json, "series");
    let incomplete = |place: usize| json["runs"][place]["incomplete"].as_str().unwrap_or_default().to_owned();
    assert!(incomplete(1).starts_with("cut off after"), "{json:#}");
    assert!(!incomplete(0).is_empty() && json["runs"][0]["id"] == ids[0], "{json:#}");
    assert_eq!(incomplete(2), "");
    for run in &runs {
        let _ = fs::remove_file(run.join("report.html"));
    }
    let some = bench.nmax(&["report", "no-such-run", &ids[2], &ids[1]]).exits(2);
    some.says(&["error: no run `no-such-run`"]).shows(&[&ids[2], &ids[1]]);
    assert!([1, 2].iter().all(|place: &usize| runs[*place].join("report.html").is_file()));
}

#[test]
fn the_extension_names_the_format_unless_a_flag_does() {
    let (bench, _target, ids) = three_runs();
    let known = [".html", ".pdf", ".md", ".csv", ".json", ".xml", ".txt"];
    let refused = bench.nmax(&["report", "last", "-o", "a.html", "-o", "report.docx"]).exits(2);
    refused.says(&["report.docx: no format has this extension", "--format"]).says(&known);
    assert!(!bench.path("a.html").exists(), "nothing is written");
    bench.nmax(&["report", "last", "-o", "report.docx", "--format", "csv"]).exits(0).shows(&["report.docx"]);
    assert!(fs::read_to_string(bench.path("report.docx")).unwrap().starts_with("request,"));
    bench.nmax(&["report", "last", "-o", "R.MD", "-o", "-"]).exits(0).shows(&["R.MD", "</html>"]);
    assert!(fs::read_to_string(bench.path("R.MD")).unwrap().contains("## "));
    bench.nmax(&["report", "last", "-o", "-", "-o", "-"]).exits(2).says(&["standard output takes one report"]);
    let written = bench.nmax(&["report", "last", "--format", "pdf"]).exits(0).stdout;
    assert!(
        written.trim_end().ends_with("/report.pdf") && fs::metadata(bench.path(written.trim())).unwrap().len() > 1000
    );
    let listed = bench.nmax(&["report", &ids[0], &ids[1]]).exits(0);
    assert_eq!(listed.stdout.lines().count(), 2, "a page each: {}", listed.stdout);
}

/// The report of a run holds it against one before, or says why it does not.
#[test]
fn a_baseline_is_a_part_of_the_report() {
    let (bench, _target, ids) = three_runs();
    let page = |args: &[&str]| {
        bench.nmax(&[&["report"], args, &["-o", "page.html", "-o", "page.json"]].concat()).exits(0);
        fs::read_to_string(bench.path("page.html")).unwrap()
    };
    assert!(!page(&[&ids[2]]).contains("Compared with the baseline"));
    let twice = page(&[&ids[2], "--baseline", "last"]);
    assert!(twice.contains("a run is not a replication of itself"), "a refusal is a text");
    let compared = page(&[&ids[2], "--baseline", &ids[0]]);
    assert!(compared.contains("Compared with the baseline") && compared.contains(&ids[0]));
    assert!(page(&[&ids[2], "--baseline", "name:shop"]).contains("Compared with the baseline"), "all of a name");
    fs::remove_file(bench.runs()[0].join("summary.json")).unwrap();
    assert!(page(&[&ids[2], "--baseline", &ids[0]]).contains("the run has no summary.json"));
    bench.nmax(&["report", "last", "--baseline", "zzz"]).exits(2).says(&["no run `zzz`"]);
    bench.nmax(&["report", "last", "--baseline", "tag:zzz"]).exits(2).says(&["no run `tag:zzz`"]);
    let again = ["run", "plan.yaml", "--exit-zero", "--baseline"];
    bench.nmax(&[&again[..], &["zzz"]].concat()).exits(2).says(&["no run `zzz`"]);
    assert_eq!(bench.runs().len(), 3, "nothing is sent");
    bench.nmax(&[&again[..], &["last"]].concat()).exits(0);
    let page = fs::read_to_string(bench.runs()[3].join("report.html")).unwrap();
    assert!(page.contains("Compared with the baseline") && page.contains(&ids[2]), "`last` is the one before this run");
}

/// A run says what changed since the run before it of the same name, when it ends and when it is read again.
#[test]
fn what_changed_since_the_run_before_is_told() {
    let (bench, _target, ids) = three_runs();
    let told = bench.nmax(&["show", &ids[1], "--wide"]).exits(0);
    told.shows(&[&ids[0], &format!("plan scenarios.s.steps.get: {GOOD} → {BAD}")]);
    let first = bench.nmax(&["show", &ids[0], "--wide"]).exits(0).stdout;
    assert!(!first.contains("Since the run before"), "{first}");
    let pages: Vec<String> =
        bench.runs().iter().map(|run| fs::read_to_string(run.join("report.html")).unwrap()).collect();
    for (page, before) in pages[1..].iter().zip(&ids) {
        assert!(page.contains("Since the run before") && page.contains(before));
    }
    // A run of another name is not the run before, nor is one that did not come to its end.
    fs::remove_file(bench.runs()[2].join("summary.json")).unwrap();
    bench.nmax(&["run", "plan.yaml", "--name", "other", "--exit-zero"]).exits(0);
    bench.nmax(&["run", "plan.yaml", "--exit-zero"]).exits(0);
    bench.nmax(&["show", "last", "--wide"]).exits(0).shows(&[&format!("Since the run before ({}", ids[1])]);
    bench.nmax(&["run", "plan.yaml", "--exit-zero"]).exits(0);
    let shown = bench.nmax(&["report", "last", "--format", "md"]).exits(0);
    shown.shows(&["nothing that nmax knows of"]);
}
