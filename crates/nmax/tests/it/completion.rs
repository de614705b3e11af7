//! What shells are offered: the protocol of each of the five, and the shells themselves where they are installed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::bench::{Bench, skip};

/// Asks as the script of a shell does; `nmax` must say nothing on standard error.
fn asked(bench: &Bench, shell: &str, words: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nmax"));
    command.arg("--").args(words).current_dir(bench.path("")).env("NMAX_COMPLETE", shell).env_remove("NMAX_RUNS_DIR");
    let output = command.envs(variables.iter().copied()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{shell}: {words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Candidates for the last word, each a line, as fish gets them: `value` TAB `help`.
fn offered(bench: &Bench, words: &[&str]) -> Vec<String> {
    let words: Vec<&str> = std::iter::once("nmax").chain(words.iter().copied()).collect();
    asked(bench, "fish", &words, &[]).lines().map(str::to_owned).collect()
}

fn values(bench: &Bench, words: &[&str]) -> Vec<String> {
    let offered = offered(bench, words).into_iter();
    offered.map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

/// A run with a verdict, in the runs directory `runs`.
fn run(bench: &Bench, runs: &str, id: &str, name: &str, started_at: &str) {
    let stamp: String = started_at.chars().filter(|letter| !"-:".contains(*letter)).collect();
    let folder = bench.path(runs).join(format!("{stamp}-{}-{id}", name.replace(' ', "-")));
    fs::create_dir_all(&folder).unwrap();
    let manifest = json!({
        "schema_version": 1, "nmax_version": "0.1.0", "id": id, "name": name, "note": "", "tags": ["nightly", name],
        "started_at": started_at, "seed": 1, "plan": "", "plan_sha256": "", "target": "http://127.0.0.1:1",
        "machine": {}, "command": "nmax run", "workers": 1, "window_ns": 1_000_000_000,
        "hold": { "start_ns": 0, "end_ns": null }, "authorization": null, "scenarios": [], "checks": [],
    });
    fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(folder.join("summary.json"), r#"{"verdict": "fail", "reasons": []}"#).unwrap();
}

/// Three runs, the newest is `c3`, and two plans.
fn bench() -> Bench {
    let bench = Bench::new();
    run(&bench, "runs", "a1", "shop", "2026-01-01T00:00:00Z");
    run(&bench, "runs", "c3", "shop one", "2026-03-01T00:00:00Z");
    run(&bench, "runs", "b2", "front", "2026-02-01T00:00:00Z");
    run(&bench, "other", "z9", "elsewhere", "2026-02-01T00:00:00Z");
    fs::write(bench.path("runs/20260101T000000Z-no-run"), "").unwrap();
    fs::write(bench.path("plan.yaml"), "").unwrap();
    fs::write(bench.path("my plan.yml"), "").unwrap();
    fs::write(bench.path("notes.txt"), "").unwrap();
    bench
}

#[test]
fn runs_complete_newest_first_with_their_verdicts() {
    let bench = bench();
    for verb in ["show", "report", "fidelity", "compare", "slice"] {
        let found = offered(&bench, &[verb, ""]);
        let runs: Vec<&str> = found.iter().take(4).map(String::as_str).collect();
        let want = [
            "last\tthe newest",
            "c3\tFAIL shop one, 2026-03-01 00:00",
            "b2\tFAIL front, 2026-02-01 00:00",
            "a1\tFAIL shop, 2026-01-01 00:00",
        ];
        assert_eq!(runs, want, "{verb}: {found:?}");
    }
    let cases: [(&[&str], &[&str]); 9] = [
        (&["show", "b"], &["b2"]),
        (&["show", "la"], &["last"]),
        (&["show", "202603"], &["20260301T000000Z-shop-one-c3"]),
        (&["show", "--runs-dir", "other", "z"], &["z9"]),
        (&["show", "--runs-dir=absent", "z"], &[]),
        (&["compare", "--before", "b"], &["b2"]),
        (&["compare", "last", "tag:s"], &["tag:shop one", "tag:shop"]),
        (&["compare", "name:"], &["name:shop one", "name:front", "name:shop"]),
        (&["trend", "sh"], &["shop one", "shop"]),
    ];
    for (words, want) in cases {
        assert_eq!(values(&bench, words), want, "{words:?}");
    }
    assert_eq!(values(&bench, &["runs", "--tag", "n"]), ["nightly"]);
}

#[test]
fn codes_profiles_and_plans_complete() {
    let bench = bench();
    let codes = offered(&bench, &["explain", "g3"]);
    assert!(codes[0].starts_with("G3_") && codes[0].contains('\t'), "{codes:?}");
    let profiles = ["smoke", "ladder", "peak", "stress", "soak", "flood"];
    assert_eq!(values(&bench, &["run", "plan.yaml", "--profile", ""]), profiles);
    assert_eq!(values(&bench, &["check", "--profile=s"]), ["--profile=smoke", "--profile=stress", "--profile=soak"]);
    let plans = values(&bench, &["run", ""]);
    assert_eq!(plans[..4], ["my plan.yml", "plan.yaml", "other/", "runs/"], "{plans:?}");
    assert_eq!(values(&bench, &["completions", ""])[..5], ["bash", "elvish", "fish", "powershell", "zsh"]);
    assert_eq!(values(&bench, &["expl"]), ["explain"]);
    assert_eq!(values(&bench, &["m"]), ["man"], "a hidden command is offered to who knows it");
}

/// However many runs there are, so many are looked at.
#[test]
fn the_newest_of_many_runs_are_offered() {
    let bench = Bench::new();
    for number in 0..230_u32 {
        let (hour, minute) = (number / 60, number % 60);
        run(&bench, "runs", &format!("r{number}"), "shop", &format!("2026-01-01T{hour:02}:{minute:02}:00Z"));
    }
    let found: Vec<String> = values(&bench, &["show", "r"]);
    assert_eq!((found.len(), found[0].as_str(), found[199].as_str()), (200, "r229", "r30"));
}

/// Each shell has its way to ask and to be answered; nothing that is wrong is told to who presses Tab.
#[test]
fn every_shell_is_answered_and_never_told_of_an_error() {
    let bench = bench();
    let of_bash = |line: &str, replaced: &str| asked(&bench, "bash", &[line, replaced], &[]);
    assert_eq!(of_bash("nmax show b", "b"), "b2 \n");
    assert_eq!(of_bash("nmax show ", ""), "last \nc3 \nb2 \na1 \n", "no flags beside runs");
    assert_eq!(of_bash("nmax run --profile=so", "so"), "soak \n");
    assert_eq!(of_bash("nmax compare tag:sh", "sh"), "shop\\ one \nshop \n");
    assert_eq!(of_bash("nmax compare 'tag:sh", "sh"), "shop one\nshop\n");
    assert_eq!(of_bash("nmax run my\\ p", "my\\ p"), "my\\ plan.yml \n");
    let index = [("_CLAP_COMPLETE_INDEX", "2"), ("_CLAP_IFS", "\n")];
    assert_eq!(asked(&bench, "elvish", &["nmax", "show", "b"], &index), "b2");
    let of_zsh = asked(&bench, "zsh", &["nmax", "show", "b"], &index);
    assert!(of_zsh.starts_with("b2:FAIL front, 2026-02-01 00"), "{of_zsh}");
    let of_powershell = asked(&bench, "powershell", &["nmax", "show", "b"], &[]);
    assert_eq!(of_powershell, "b2\tFAIL front, 2026-02-01 00:00\n");

    for shell in ["bash", "elvish", "fish", "powershell", "zsh", "tcsh"] {
        for words in
            [&["nmax", "show", "x", "y", "z", ""][..], &["nmax", "bogus", "--no"], &["nmax", "show '", ""], &[""]]
        {
            for runs in ["/dev/null", "/proc/self/mem", "plan.yaml"] {
                asked(&bench, shell, words, &[("NMAX_RUNS_DIR", runs)]);
            }
        }
    }
}

#[test]
fn without_the_variable_nothing_completes() {
    let bench = bench();
    for off in [None, Some(""), Some("0")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nmax"));
        command.args(["explain", "G3"]).env_remove("NMAX_COMPLETE");
        off.iter().for_each(|value| _ = command.env("NMAX_COMPLETE", value));
        let output = command.current_dir(bench.path("")).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("G3_"), "{off:?}");
    }
}

/// A shell that loads the script and says what it would offer; `None` where it is not installed.
fn in_shell(bench: &Bench, shell: &str, name: &str, commands: &str) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_nmax")).args(["completions", name]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let script = bench.path("script");
    fs::write(&script, output.stdout).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_nmax")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(shell);
    command.args(["-c", commands]).current_dir(bench.path("")).env("PATH", path).env_remove("NMAX_RUNS_DIR");
    let output = match command.env("HOME", bench.path("")).stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(_) => {
            skip(&format!("{shell} is not installed"));
            return None;
        }
    };
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{shell}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn shells_load_their_scripts_and_offer_runs() {
    let bench = bench();
    let bash = "source ./script; COMP_LINE='nmax compare last tag:n'; COMP_POINT=${#COMP_LINE}; _nmax nmax n :
        printf '[%s]' \"${COMPREPLY[@]}\"; complete -p nmax";
    if let Some(said) = in_shell(&bench, "bash", "bash", bash) {
        assert!(said.starts_with("[nightly ]complete ") && said.ends_with(" -F _nmax nmax\n"), "{said}");
    }
    if let Some(said) = in_shell(&bench, "fish", "fish", "source ./script; complete -C 'nmax show '") {
        assert!(said.starts_with("last\tthe newest\nc3\tFAIL shop one, 2026-03-01 00:00\nb2\t"), "{said}");
    }
    // Without a terminal zsh completes nothing, but it reads the script.
    let zsh = "autoload -U compinit; compinit -D -u; source ./script; print $_comps[nmax]";
    if let Some(said) = in_shell(&bench, "zsh", "zsh", zsh) {
        assert_eq!(said, "_clap_dynamic_completer_nmax\n");
    }
}
