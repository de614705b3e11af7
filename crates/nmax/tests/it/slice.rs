//! `nmax slice`: figures of a run are those of its summary and of its rows as somebody else reads them; logs; what is kept
//! under a name; what bad input gets.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::bench::{Bench, count};
use crate::peers::shop;
use crate::schema::assert_schema;

/// A short run of the shop.
fn run(bench: &Bench, samples: &str) -> PathBuf {
    let shop = shop();
    bench.nmax(&["init", "plan.yaml"]).exits(0);
    let target = format!("http://{}", shop.address());
    let args = [
        "run", "plan.yaml", "--target", &target, "-d", "2s", "--set", "warm_up=100ms", "--samples", samples, "-q",
        "--exit-zero",
    ];
    bench.nmax(&args).exits(0);
    bench.run()
}

fn sliced(bench: &Bench, args: &[&str]) -> Value {
    let all: Vec<&str> = ["slice"].into_iter().chain(args.iter().copied()).chain(["--json"]).collect();
    let found = bench.nmax(&all).exits(0).json();
    assert_schema(&found, "slice");
    found
}

/// `tests/parquet` of the repository.
fn reader() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parquet");
    let package = folder.join("node_modules/hyparquet");
    assert!(package.is_dir(), "{} is missing: run scripts/install-test-deps.sh", package.display());
    folder.join("rows.mjs")
}

/// Rows of Parquet files, as a reader that is not ours sees them.
fn rows(files: &[PathBuf]) -> Vec<Value> {
    let output = Command::new("node").arg(reader()).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn figures_are_those_of_the_summary_and_of_the_rows() {
    let bench = Bench::new();
    let directory = run(&bench, "all");
    let summary: Value = serde_json::from_str(&fs::read_to_string(directory.join("summary.json")).unwrap()).unwrap();
    // The rate of a slice is of what was due in the hold, that of the summary of what ended in it.
    let show = "count,failures,mean,p50,p95,service.p95,lag.max,bytes";
    for source in ["samples", "windows"] {
        let found = sliced(&bench, &["--by", "name", "--show", show, "--source", source]);
        assert_eq!(found["rows"].as_array().unwrap().len(), summary["requests"].as_object().unwrap().len());
        for row in found["rows"].as_array().unwrap() {
            let (values, name) = (&row["values"], row["key"]["name"].as_str().unwrap());
            let stats = &summary["requests"][name];
            let pairs = [
                ("count", &stats["count"]),
                ("mean", &stats["response_time_ms"]["mean"]),
                ("p50", &stats["response_time_ms"]["p50"]),
                ("p95", &stats["response_time_ms"]["p95"]),
                ("service.p95", &stats["service_time_ms"]["p95"]),
                ("lag.max", &stats["send_lag_ms"]["max"]),
                ("bytes", &stats["bytes_received"]),
            ];
            for (measure, want) in pairs {
                let (found, want) = (values[measure].as_f64().unwrap(), want.as_f64().unwrap());
                assert!(
                    (found - want).abs() <= 2e-3 * want.abs() + 1e-3,
                    "{source}, {name}, {measure}: {found}, {want}"
                );
            }
        }
    }

    // The same by a reader of somebody else.
    let mut segments: Vec<PathBuf> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    segments.retain(|path| path.extension().is_some_and(|ending| ending == "parquet"));
    segments.sort();
    let all = rows(&segments);
    let found =
        sliced(&bench, &["--phase", "whole", "--by", "name,status", "--show", "count,max,bytes", "--top", "100"]);
    assert_eq!(count(&found["seen"]), all.len() as u64);
    let mut groups: BTreeMap<(String, u64), (u64, i64, u64)> = BTreeMap::new();
    for row in &all {
        let key = (row["request"].as_str().unwrap().to_owned(), count(&row["status"]));
        let time = row["done_ns"].as_i64().unwrap() - row["intended_ns"].as_i64().unwrap();
        let group = groups.entry(key).or_default();
        *group = (group.0 + 1, group.1.max(time), group.2 + count(&row["bytes_received"]));
    }
    assert_eq!(found["rows"].as_array().unwrap().len(), groups.len());
    for row in found["rows"].as_array().unwrap() {
        let want = groups[&(row["key"]["name"].as_str().unwrap().to_owned(), count(&row["key"]["status"]))];
        let values = &row["values"];
        assert_eq!((count(&values["count"]), count(&values["bytes"])), (want.0, want.2), "{row}");
        assert!((values["max"].as_f64().unwrap() * 1e6 - want.1 as f64).abs() < 1.0, "{row}");
    }

    // Chosen rows, written for others.
    let chosen = sliced(
        &bench,
        &["--where", "response > 0.1ms and method = GET", "--show", "count", "--parquet", "some.parquet"],
    );
    let written = rows(&[bench.path("some.parquet")]);
    assert_eq!(written.len() as u64, count(&chosen["total"]["values"]["count"]));
    assert!(!written.is_empty() && written.iter().all(|row| all.contains(row)), "rows as they were");
    assert!(!bench.path("some.parquet.tmp").exists());
    // A link stays one, and what it leads to is written.
    std::os::unix::fs::symlink(bench.path("some.parquet"), bench.path("link.parquet")).unwrap();
    sliced(&bench, &["--where", "method = NONE", "--show", "count", "--parquet", "link.parquet"]);
    assert!(bench.path("link.parquet").is_symlink() && rows(&[bench.path("some.parquet")]).is_empty());

    // Over time, the points add up to the row.
    let found = sliced(&bench, &["--by", "scenario", "--show", "count", "--every", "500ms"]);
    for row in found["rows"].as_array().unwrap() {
        let points: u64 = row["series"].as_array().unwrap().iter().map(|point| count(&point["values"]["count"])).sum();
        assert_eq!(points, count(&row["values"]["count"]), "{row}");
    }

    for line in bench.nmax(&["slice", "--by", "name,status,scenario", "-t"]).exits(0).stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // A segment that was never closed is told.
    fs::write(directory.join("samples-0007.parquet.tmp"), "half").unwrap();
    let torn = bench.nmax(&["slice", "--by", "name"]).exits(0);
    assert!(torn.stderr.contains("samples-0007.parquet.tmp was never closed"), "{}", torn.stderr);
    let part = bench.nmax(&["slice", segments[0].to_str().unwrap()]).exits(2);
    assert!(part.stderr.contains("a part of a run"), "{}", part.stderr);
    fs::write(&segments[0], "no Parquet at all").unwrap();
    let broken = bench.nmax(&["slice", "--by", "name"]).exits(2);
    assert!(broken.stderr.contains("is not a whole Parquet file"), "{}", broken.stderr);
}

#[test]
fn what_was_kept_is_never_taken_for_all() {
    let bench = Bench::new();
    let directory = run(&bench, "some");
    let found = sliced(&bench, &["--by", "name", "--show", "count,rate"]);
    assert_eq!(found["source"]["from"], "windows", "sums can tell");
    let kept = sliced(&bench, &["--by", "vu", "--show", "count,rate"]);
    assert_eq!(kept["source"]["from"], "kept_samples");
    assert!(kept["total"]["values"]["rate"].is_null(), "a rate would be one of the choice");
    assert!(kept["warnings"][0].as_str().unwrap().contains("only some exchanges were kept"), "{}", kept["warnings"]);
    let refused = bench.nmax(&["slice", "--by", "vu", "--source", "windows"]).exits(2);
    assert!(
        refused.stderr.contains("do not tell `vu`") && refused.stderr.contains("--samples all"),
        "{}",
        refused.stderr
    );
    // A second is the least that sums can tell.
    let refused = bench.nmax(&["slice", "--every", "1500ms"]).exits(2);
    assert!(
        refused.stderr.contains("sums of windows of 1s") && refused.stderr.contains("take 2s"),
        "{}",
        refused.stderr
    );
    let within = sliced(&bench, &["--where", "time >= 500ms", "--show", "rate"]);
    let note = within["notes"][0].as_str().unwrap();
    assert!(note.contains("means the end of it"), "{note}");
    // By status, times are known too, and add up with the whole.
    let status = sliced(&bench, &["--by", "status", "--show", "count,p50"]);
    assert!(status["rows"].as_array().unwrap().iter().all(|row| row["values"]["p50"].is_number()), "{status:#}");
    assert_eq!(status["total"]["values"]["count"], found["total"]["values"]["count"]);
    let refused = bench.nmax(&["slice", "--source", "windows", "--parquet", "x.parquet"]).exits(2);
    assert!(refused.stderr.contains("are not exchanges"), "{}", refused.stderr);
    for file in fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|ending| ending == "parquet") {
            fs::remove_file(file).unwrap();
        }
    }
    let none = bench.nmax(&["slice", "--source", "samples"]).exits(2);
    assert!(none.stderr.contains("no exchanges one by one"), "{}", none.stderr);
}

/// A log of a request a second, alternately an image and a page.
fn log() -> String {
    let line = |s: u64| {
        let (path, status, bytes) = if s.is_multiple_of(2) {
            (format!("/images/{s}.png"), 200, 1_000)
        } else {
            (format!("/item/{s}?token=abc"), 200 + 300 * (s % 5 / 4), 10)
        };
        let (h, m, s) = (s / 3_600, s / 60 % 60, s % 60);
        format!(
            "10.0.0.1 - - [20/Nov/2026:{h:02}:{m:02}:{s:02} +0000] \"GET {path} HTTP/1.1\" {status} {bytes} \"-\" \"Mozilla/5.0\"\n"
        )
    };
    (0..6_000).map(line).collect()
}

#[test]
fn logs_are_sliced() {
    let bench = Bench::new();
    let log = log();
    let (first, second) = log.split_at(log.len() / 2);
    let cut = first.rfind('\n').unwrap() + 1;
    bench.write("access.log.1", &log[..cut]);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&log.as_bytes()[cut..]).unwrap();
    fs::write(bench.path("access.log.gz"), packed.finish().unwrap()).unwrap();
    assert!(!second.is_empty());
    let found = sliced(
        &bench,
        &["access.log.1", "access.log.gz", "--by", r"images=\.(png|jpg)$", "--show", "count,failures,bytes,rate"],
    );
    let rows = found["rows"].as_array().unwrap();
    let of = |key: &str| rows.iter().find(|row| row["key"]["images"] == key).map(|row| &row["values"]).unwrap();
    assert_eq!((count(&of("png")["count"]), count(&of("png")["bytes"])), (3_000, 3_000_000));
    assert_eq!((count(&of("no")["count"]), count(&of("no")["failures"])), (3_000, 600));
    assert!((of("no")["rate"].as_f64().unwrap() - 0.5).abs() < 1e-3);
    let template = sliced(
        &bench,
        &["access.log.1", "access.log.gz", "--by", "template,class", "--where", "class = 5xx", "--over", "time"],
    );
    assert_eq!(template["rows"][0]["key"]["template"], "/item/{id}");
    assert_eq!(template["point_s"], 300, "sixty points at most");
    // Many values: the largest are told apart, the rest is together, and said; secrets are not shown.
    bench.write("many.log", &log);
    let many = bench.nmax(&["slice", "many.log", "--by", "path,query", "--top", "3", "-q"]).exits(0);
    assert!(many.stdout.contains("(others)") && many.stdout.contains("more groups than fit"), "{}", many.stdout);
    assert!(!many.stdout.contains("abc"), "{}", many.stdout);
    let csv = bench.nmax(&["slice", "many.log", "--by", "hour", "--show", "count", "--csv"]).exits(0);
    assert_eq!(csv.stdout, "hour,count\n0,3600\n1,2400\n");
    let early = sliced(&bench, &["many.log", "--where", "time < '2026-11-20 00:10'", "--show", "count"]);
    assert_eq!(count(&early["total"]["values"]["count"]), 600);
    let refused = bench.nmax(&["slice", "many.log", "--parquet", "x"]).exits(2);
    assert!(refused.stderr.contains("are for runs"), "{}", refused.stderr);
    bench.write("empty.log", "");
    assert!(bench.nmax(&["slice", "empty.log"]).exits(2).stderr.contains("nothing to read"));
    let missing = bench.nmax(&["slice", "nothing.log"]).exits(2);
    assert!(missing.stderr.contains("there is no file `nothing.log`"), "{}", missing.stderr);
}

#[test]
fn slices_are_kept_under_a_name() {
    let bench = Bench::new();
    bench.write("access.log", &log());
    let slice = |args: &str| {
        let all: Vec<&str> = ["slice", "access.log", "-q"].into_iter().chain(args.split(' ')).collect();
        bench.nmax(&all)
    };
    let first = slice("--by class --show count --where status>=500 --save bad").exits(0);
    let again = slice("--saved bad").exits(0);
    assert_eq!(first.stdout, again.stdout);
    assert!(slice("--saved bad --by method").exits(0).stdout.contains("GET"), "flags replace parts");
    assert!(slice("--by nothing --save wrong").exits(2).stderr.contains("no column"));
    let list = bench.nmax(&["slice", "--list"]).exits(0).stdout;
    assert_eq!(list, "bad  --by class --where 'status>=500' --show count\n", "what did not work is not kept");
    let list = bench.nmax(&["slice", "--list", "--json"]).exits(0).json();
    assert_schema(&list, "slices");
    assert_eq!(list["slices"][0]["where"][0], "status>=500");
    assert!(slice("--saved bat").exits(2).stderr.contains("there are bad"));
    assert!(slice("--save a/b").exits(2).stderr.contains("cannot be the name"));
    bench.write("runs/slices.toml", "[bad]\nbye = 'x'\n");
    assert!(slice("--saved bad").exits(2).stderr.contains("slices.toml, line 2: unknown key `bye`"));
}
