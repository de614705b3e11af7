//! `nmax usl`: published measurements and bad files, as a real process reads them.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::bench::{Bench, Ended, number};
use crate::schema::assert_schema;

/// A published table.
fn published(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/usl");
    folder.join(name).to_str().unwrap().to_owned()
}

fn usl(bench: &Bench, args: &str) -> Ended {
    let args: Vec<String> = args.split(' ').map(|arg| arg.replace('~', " ")).collect();
    bench.nmax(&[vec!["usl".to_owned()], args].concat())
}

#[track_caller]
fn close(found: &Value, want: f64, relative: f64) {
    let found = number(found);
    assert!((found - want).abs() <= relative * want.abs(), "{found}, expected {want}");
}

/// Peer defect 9: labels of coefficients are not swapped on the way from one command to the next, and a file without
/// a header keeps its first row.
#[test]
fn coefficients_go_round() {
    let bench = Bench::new();
    let file = published("cisco.csv");
    let fitted = usl(&bench, &format!("fit {file} --json")).exits(0).json();
    assert_eq!(number(&fitted["n"]), 32.0);
    close(&fitted["alpha"]["estimate"], 0.020_453_91, 1e-4);
    close(&fitted["beta"]["estimate"], 0.000_890_960_2, 1e-4);
    close(&fitted["gamma"]["estimate"], 960.1509, 1e-4);
    close(&fitted["peak"]["concurrency"]["estimate"], 33.1576, 1e-4);
    assert_eq!(fitted["class"], "D");
    let text = fs::read_to_string(&file).unwrap();
    bench.write("bare.txt", &text.lines().skip(1).collect::<Vec<_>>().join("\r\n"));
    let bare = usl(&bench, "fit bare.txt --json").exits(0).json();
    assert_eq!(bare["alpha"], fitted["alpha"]);
    assert_eq!(bare["points"], fitted["points"]);
    let [alpha, beta, gamma] = ["alpha", "beta", "gamma"].map(|name| number(&fitted[name]["estimate"]));
    for given in [format!("{alpha},{beta},{gamma}"), format!("gamma={gamma},alpha={alpha},beta={beta}")] {
        let by_law = usl(&bench, &format!("predict --coefficients {given} --at 20 --json")).exits(0).json();
        let by_file = usl(&bench, &format!("predict {file} --at 20 --json")).exits(0).json();
        assert_schema(&by_law, "usl-predict");
        let x = |answer: &Value| number(&answer["predictions"][0]["throughput"]["estimate"]);
        assert!((x(&by_law) - x(&by_file)).abs() < 1e-6, "{by_law}");
        assert_eq!(number(&by_law["coefficients"]["beta"]["estimate"]), beta);
    }
}

/// The verdicts that the reference expects, at the level of the command.
#[test]
fn published_measurements_get_their_verdicts() {
    let bench = Bench::new();
    //  file                  flags            class                           peak   model                 why this row
    let cases = [
        ("specsdm91.csv", "", None, false, "knee", "knee leads by 5"),
        ("cisco.csv", "", Some("D"), true, "not_distinguishable", "the ln-variant ties"),
        ("cisco.csv", " --rows 1..10", None, false, "", "nothing past the peak"),
        ("raytracer.csv", "", None, false, "amdahl", "no coherency to be seen"),
        ("raytracer.csv", " --rows 1..6", None, false, "amdahl", "a peak that looks sure"),
        ("memcached-1.2.8.csv", "", Some("undetermined"), false, "not_distinguishable", "a knee ties"),
        ("sysbench-cpu.csv", "", None, false, "knee", "a cap"),
        ("synthetic.csv", "", Some("D"), true, "usl", "the law itself"),
    ];
    for (name, flags, class, has_peak, model, why) in cases {
        let answer = usl(&bench, &format!("fit {}{flags} --json", published(name))).exits(0).json();
        assert_eq!(!answer["peak"].is_null(), has_peak, "{name}{flags}: {why}: {}", answer["peak_refused"]);
        if let Some(class) = class {
            assert_eq!(answer["class"], class, "{name}{flags}: {why}");
        }
        if !model.is_empty() && name != "raytracer.csv" {
            assert_eq!(answer["model"], model, "{name}{flags}: {why}");
        }
        assert!(!answer["meaning"].as_array().unwrap().is_empty());
    }
    let slides = usl(&bench, &format!("fit {} --method ols2 --json", published("memcached-1.2.8.csv"))).exits(0).json();
    close(&slides["alpha"]["estimate"], 0.0255, 2e-3);
    close(&slides["beta"]["estimate"], 0.0210, 3e-3);
    close(&slides["observed_peak"]["concurrency"], 8.0, 0.0);
    assert_eq!(slides["observed_peak"]["between"], serde_json::json!([4.0, 10.0]));
}

/// Nothing bad makes it panic, or print a number that looks like an answer.
#[test]
fn bad_files_get_clear_messages() {
    let bench = Bench::new();
    //  text                                exit  words                                          why this row
    let cases: [(&str, i32, &[&str], &str); 14] = [
        ("", 2, &["there is nothing in it"], "empty"),
        ("n,x\n", 2, &["there is a header and no row"], "no rows"),
        ("n,x\n1,fast\n2,20\nx,30\n", 2, &["row 1 (line 2), `x`: `fast`", "row 3 (line 4), `n`: `x`"], "text"),
        ("n,x\n1,nan\n2,inf\n", 2, &["`nan` is not a measured value", "`inf` is not a measured value"], "words"),
        ("n,x\n1,1e999\n", 2, &["`1e999` is too large"], "too large"),
        ("n;x\n1;10,5\n2;20,5\n", 2, &["`10,5` has a comma", "decimal point"], "decimal commas"),
        ("users,speed\n1,10\n2,20\n", 2, &["no column is named like X", "`users`, `speed`", "--x NAME"], "a column"),
        ("n,x\n1,10,3\n2\n", 2, &["row 1 (line 2): 3 cells", "row 2 (line 3): 1 cell"], "ragged"),
        ("7\n8\n9\n", 2, &["there is one column"], "no separator"),
        ("1,2,3\n4,5,6\n", 2, &["3 columns without a header", "--n 1 --x 2"], "which is which"),
        ("\0\u{1}\u{2}n,x", 2, &["this is a binary file"], "binary"),
        ("n,x\n1,\"10\n2,20\n", 2, &["line 2: a quote is not closed"], "a quote"),
        ("n,x\n1,10\n", 4, &[], "one point"),
        ("n,x\n4,10\n4,11\n4,12\n4,10\n", 4, &[], "equal points"),
    ];
    for (text, exit, words, why) in cases {
        bench.write("bad.csv", text);
        let ended = usl(&bench, "fit bad.csv").exits(exit).says(words);
        if exit == 2 {
            assert_eq!(ended.stdout, "", "{why}");
            assert!(ended.stderr.starts_with("error: bad.csv: ") && ended.stderr.contains("\n  help: "), "{why}");
        } else {
            let answer = usl(&bench, "fit bad.csv --json").exits(4).json();
            let keys = ["alpha", "beta", "peak", "limit"];
            assert!(keys.iter().all(|key| answer[*key].is_null()), "{why}: {answer:#}");
            assert!(!answer["findings"].as_array().unwrap().is_empty(), "{why}");
            usl(&bench, "fit bad.csv --exit-zero").exits(0);
            usl(&bench, "predict bad.csv --at 2").exits(4).says(&["nothing is predicted"]);
            usl(&bench, "what-if bad.csv --alpha 0").exits(4).says(&["no law to begin with"]);
        }
    }
    usl(&bench, "fit none.csv").exits(2).says(&["none.csv: cannot read", "help: give a CSV file"]);
    usl(&bench, "fit .").exits(2).says(&["this directory has no points.csv"]);
    usl(&bench, "fit").exits(2).says(&["no measurements are given", "nmax usl fit points.csv"]);
    usl(&bench, "fit --json --csv - x.csv").exits(2).says(&["both write on standard output"]);
}

/// Zero and below are findings with their rows, huge numbers are numbers; none of them is a panic or a NaN.
#[test]
fn impossible_values_are_findings() {
    let bench = Bench::new();
    let good = "1,10\n2,19\n4,36\n8,66\n16,110\n32,150\n";
    bench.write("zero.csv", &format!("n,x\n{good}0,5\n-3,10\n48,0\n64,-1\n"));
    let answer = usl(&bench, "fit zero.csv --json").json();
    let rows: Vec<u64> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|finding| finding["rows"].as_array().unwrap().iter().map(|row| row.as_u64().unwrap()))
        .collect();
    assert!((7..=10).all(|row| rows.contains(&row)), "{answer:#}");
    bench.write("huge.csv", "n,x\n1e300,1e300\n1,1e-300\n1e308,1e308\n2,1\n3,1e308\n1e-300,7\n");
    let huge = usl(&bench, "fit huge.csv --json");
    assert!([0, 4].contains(&huge.code), "{}", huge.stderr);
    huge.json();
    for verb in ["fit huge.csv", "predict huge.csv --at 1,2,1e300", "what-if huge.csv --alpha 0.1"] {
        let ended = usl(&bench, verb);
        let all = format!("{}{}", ended.stdout, ended.stderr);
        assert!([0, 2, 4].contains(&ended.code) && !all.contains("NaN") && !all.contains("panicked"), "{verb}: {all}");
    }
}

/// Peer defect 8: N of 1.9 stays 1.9. Peer defect 7: a handful of points is no panic.
#[test]
fn fractions_and_few_points() {
    let bench = Bench::new();
    bench.write("few.csv", "n,x\n1,10\n1.9,18\n3.4,30\n");
    let answer = usl(&bench, "fit few.csv --json").json();
    let points = answer["points"].as_array().unwrap();
    assert!(points.iter().any(|point| number(&point["n"]) == 1.9), "{answer:#}");
    let rows = "1,10\n2,19\n4,36\n8,66\n16,110\n";
    for count in [0, 1, 2, 3, 5] {
        let text: String = rows.lines().take(count).map(|line| format!("{line}\n")).collect();
        bench.write("points.csv", &format!("n,x\n{text}"));
        let ended = usl(&bench, "fit points.csv --json");
        let want = if count == 0 { 2 } else { 4 };
        assert!(ended.code == want || count >= 3 && ended.code == 0, "{count}: {}", ended.stderr);
    }
}

#[test]
fn predictions_know_their_limits() {
    let bench = Bench::new();
    let file = published("cisco.csv");
    let answer = usl(
        &bench,
        &format!("predict {file} --method ols --model usl --at 20,65 --throughput 11048,13000 --response-time 2ms,30ms --json"),
    )
    .exits(0)
    .json();
    assert_schema(&answer, "usl-predict");
    let all = answer["predictions"].as_array().unwrap();
    let refused: Vec<bool> = all.iter().map(|one| !one["refused"].is_null()).collect();
    assert_eq!(refused, [false, true, false, true, false, true]);
    close(&all[2]["concurrency"]["estimate"], 19.9239, 1e-4);
    close(&all[2]["response_time_ms"]["estimate"], 1.803_39, 1e-4);
    close(&all[2]["also_at"], 63.5164, 1e-4);
    close(&all[4]["throughput"]["estimate"], 11_616.94, 1e-4);
    let band = &all[0]["throughput"];
    assert!(number(&band["low"]) < number(&band["estimate"]) && number(&band["estimate"]) < number(&band["high"]));
    assert!(all[3]["throughput"].is_null() && all[3]["concurrency"].is_null());
    usl(&bench, &format!("predict {file} --at 65,1000")).exits(4).shows(&["not predicted: N = 1,000 is beyond twice"]);
    usl(&bench, &format!("predict {file}")).exits(2).says(&["nothing is asked for", "--at N"]);
    usl(&bench, "predict --at 3").exits(2).says(&["no measurements are given"]);
    usl(&bench, "predict --coefficients 0.02,-1,100 --at 3").exits(2).says(&["without bounds"]);
    usl(&bench, "predict --coefficients 1,2 --at 3").exits(2).says(&["write α, β and γ"]);
    // A cap that leads the ladder is what predicts.
    let knee = usl(&bench, &format!("predict {} --at 16 --json", published("sysbench-cpu.csv"))).exits(0).json();
    assert_schema(&knee, "usl-predict");
    assert_eq!(knee["model"], "knee");
    close(&knee["predictions"][0]["throughput"]["estimate"], 27_345.7, 1e-4);
}

/// Oracle 14 of capacity planning: what each change of a coefficient moves.
#[test]
fn changes_of_coefficients_move_the_peak() {
    let bench = Bench::new();
    //  change             N_peak     X_peak
    let cases = [
        ("--alpha 0.005", 44.609_42, 20_362.69),
        ("--alpha 0.015", 44.384_68, 16_982.35),
        ("--beta 0.00025", 62.289_65, 16_421.76),
        ("--gamma 1250", 44.045_43, 16_996.30),
    ];
    for (change, n, x) in cases {
        let answer = usl(&bench, &format!("what-if --coefficients 0.03,0.0005,1000 {change} --json")).exits(0).json();
        assert_schema(&answer, "usl-what-if");
        close(&answer["peak"]["concurrency"], 44.045_43, 1e-6);
        close(&answer["peak"]["throughput"], 13_597.04, 1e-6);
        close(&answer["assumed_peak"]["concurrency"], n, 1e-6);
        close(&answer["assumed_peak"]["throughput"], x, 1e-6);
        let said = answer["notes"].to_string();
        assert!(said.contains("ssumed"), "{said}");
    }
    let growing = usl(
        &bench,
        "what-if --coefficients 0.03,0.0005,1000 --optimistic a=0.005 --growth 10%/week --weeks 20 --load 20 --json",
    );
    let growing = growing.exits(0).json();
    assert_schema(&growing, "usl-what-if");
    let weeks = growing["weeks"].as_array().unwrap();
    assert_eq!(weeks.len(), 21);
    close(&weeks[0]["x"]["base"], 11_363.64, 1e-6);
    close(&weeks[0]["x"]["optimistic"], 15_564.20, 1e-6);
    // Twice what was measured, and no further.
    let file = published("cisco.csv");
    let limited = usl(&bench, &format!("what-if {file} --alpha 0 --growth 20%/week --weeks 20 --load 30 --json"));
    let limited = limited.exits(0).json();
    assert_schema(&limited, "usl-what-if");
    for week in limited["weeks"].as_array().unwrap() {
        let is_beyond = number(&week["n"]) > 64.0;
        assert_eq!(week["x"]["assumed"].is_null(), is_beyond, "{week}");
    }
    usl(&bench, &format!("what-if {file}")).exits(2).says(&["nothing is assumed"]);
    usl(&bench, &format!("what-if {file} --alpha 2")).exits(2).says(&["at most 1"]);
    usl(&bench, &format!("what-if {file} --growth 3%/week")).exits(2).says(&["--load"]);
}

/// Two versions of one law, with little noise: what changed is said, what did not is not claimed.
#[test]
fn versions_are_told_apart() {
    let bench = Bench::new();
    let write = |name: &str, alpha: f64, beta: f64, seed: u32| {
        let mut text = String::from("threads;tps\n");
        for (at, n) in (0_u32..).zip([1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0]) {
            let noise = f64::from((at * 7919 + seed * 104_729) % 201) / 100.0 - 1.0;
            let x = 1000.0 * n / (1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0)) * (1.0 + 0.01 * noise);
            text.push_str(&format!("{n};{x}\n"));
        }
        bench.write(name, &text);
    };
    write("before.csv", 0.05, 0.0005, 1);
    write("after.csv", 0.02, 0.0005, 2);
    let answer = usl(&bench, "compare before.csv patched=after.csv --json").exits(0).json();
    assert_schema(&answer, "usl-compare");
    let names: Vec<&Value> = answer["versions"].as_array().unwrap().iter().map(|version| &version["name"]).collect();
    assert_eq!(names, ["before", "patched"]);
    let of = |name: &str| {
        let all = answer["differences"].as_array().unwrap();
        all.iter().find(|one| one["coefficient"] == name).unwrap().clone()
    };
    let contention = of("contention");
    assert_eq!(contention["change"], "fell");
    assert!(number(&contention["low"]) < -0.03 && number(&contention["high"]) > -0.03, "{contention}");
    assert_eq!(of("coherency")["change"], "not_seen");
    usl(&bench, "compare before.csv patched=after.csv").exits(0).shows(&["Contention α fell", "Coherency β"]);
    usl(&bench, "compare before.csv").exits(2).says(&["one file alone"]);
    usl(&bench, "compare").exits(2).says(&["no measurements are given"]);
    usl(&bench, "compare before.csv none.csv nor.csv")
        .exits(2)
        .says(&["none.csv: cannot read", "nor.csv: cannot read"]);
    bench.write("one.csv", "n,x\n1,10\n");
    usl(&bench, "compare before.csv one.csv").exits(4).says(&["one: nothing can be concluded"]);
}

/// Every form has the same numbers, pages load nothing, and standard input is a file like others.
#[test]
fn forms_agree() {
    let bench = Bench::new();
    let file = published("cisco.csv");
    let answer =
        usl(&bench, &format!("fit {file} --json --html fit.html --svg fit.svg --csv fit.csv --dimension threads"));
    let answer = answer.exits(0).json();
    assert_eq!(answer["dimension"], "threads");
    let csv = fs::read_to_string(bench.path("fit.csv")).unwrap();
    assert_eq!(csv.lines().count(), 33);
    let again = usl(&bench, "fit fit.csv --json").exits(0).json();
    assert_eq!(again["alpha"], answer["alpha"], "the table that is written is one that is read");
    let page = fs::read_to_string(bench.path("fit.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("src=\"http") && !page.contains("<script src"));
    assert!(fs::read_to_string(bench.path("fit.svg")).unwrap().starts_with("<svg"));
    let piped = bench.shell(&format!("cat {file} | $NMAX usl fit - --json")).exits(0).json();
    assert_eq!(piped["alpha"], answer["alpha"]);
    for verb in [
        format!("compare {file} {} --html c.html --svg c.svg --csv c.csv", published("raytracer.csv")),
        format!("what-if {file} --alpha 0.01 --html w.html --svg w.svg --csv w.csv"),
    ] {
        usl(&bench, &verb).exits(0);
    }
    for name in ["c.html", "c.svg", "c.csv", "w.html", "w.svg", "w.csv"] {
        assert!(fs::metadata(bench.path(name)).unwrap().len() > 100, "{name}");
    }
    let model = usl(&bench, &format!("fit {file} --model amdahl")).exits(0);
    model.shows(&["Model amdahl\n"]);
}

/// The directory of a scale is read by its points, which keep what N counts.
#[test]
fn directories_of_scales_are_read() {
    let bench = Bench::new();
    fs::create_dir(bench.path("scale")).unwrap();
    let rows = "n,x,r_ms,level,run\n1,100,10,1,a\n2,195,10.2,2,b\n4,360,11.1,4,c\n8,610,13.1,8,d\n";
    bench.write("scale/points.csv", rows);
    bench.write("scale/scale.json", "{\"dimension\": \"workers\"}");
    let answer = usl(&bench, "fit scale --json");
    let answer = answer.json();
    assert_eq!(answer["dimension"], "workers");
    close(&answer["points"][3]["r"], 13.1, 1e-12);
    fs::create_dir(bench.path("run")).unwrap();
    bench.write("run/manifest.json", "{}");
    usl(&bench, "fit run").exits(2).says(&["this is a single run", "nmax scale"]);
}

/// The think time that a scale wrote is part of what its points mean; `--think` says otherwise.
#[test]
fn think_times_of_scales_are_read() {
    let bench = Bench::new();
    fs::create_dir(bench.path("scale")).unwrap();
    bench.write("scale/points.csv", "n,x,r_ms\n1,8,25\n2,16,25\n4,31.5,27\n8,60,33.3\n");
    bench.write("scale/scale.json", "{\"dimension\": \"vus\", \"think_ms\": 100.0}");
    let answer = usl(&bench, "predict scale --at 4 --json").json();
    close(&answer["predictions"][0]["response_time_ms"]["estimate"], 27.0, 0.05);
    let answer = usl(&bench, "fit scale --think 90ms --json --exit-zero").json();
    close(&answer["think_ms"], 90.0, 1e-12);
}

/// X and R without N are fitted as R on X, and every form says so; another method would fit the error of R.
#[test]
fn open_loads_are_fitted_and_said() {
    let bench = Bench::new();
    let mut text = String::from("x,r_ms\n");
    for n in [1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 16.0, 24.0] {
        let d = 1.0 + 0.03 * (n - 1.0) + 5e-4 * n * (n - 1.0);
        text.push_str(&format!("{},{}\n", 1000.0 * n / d, d));
    }
    bench.write("open.csv", &text);
    let answer = usl(&bench, "fit open.csv --json").json();
    assert_eq!(answer["regression"], "response_time");
    assert_eq!((&answer["peak"], &answer["asked_model"]), (&Value::Null, &Value::Null));
    close(&answer["alpha"]["estimate"], 0.03, 1e-3);
    close(&answer["gamma"]["estimate"], 1000.0, 1e-3);
    usl(&bench, "fit open.csv").shows(&["an open load", "the load was open"]);
    usl(&bench, "fit open.csv --method ols").exits(2).says(&["only the method log", "which column is N"]);
}

/// A million rows are read, fitted and told in bounded time.
#[test]
fn a_million_rows_are_fitted() {
    let bench = Bench::new();
    let mut text = String::from("n,x\n");
    for at in 0..1_000_000_u32 {
        let n = f64::from(at % 48 + 1);
        let x = 1000.0 * n / (1.0 + 0.03 * (n - 1.0) + 0.0005 * n * (n - 1.0));
        let noise = 1.0 + 0.01 * (f64::from(at % 1009 * 7919 % 201) / 100.0 - 1.0);
        text.push_str(&format!("{n},{:.2}\n", x * noise));
    }
    bench.write("many.csv", &text);
    let ended = usl(&bench, "fit many.csv");
    assert!([0, 4].contains(&ended.code), "{}", ended.stderr);
    assert!(ended.stdout.contains("1,000,000 rows") && ended.stdout.lines().count() < 200);
}
