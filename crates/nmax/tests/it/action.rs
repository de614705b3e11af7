//! The action for CI, `action.yml`: its shell steps run as a runner runs them, with this nmax and with made-up releases.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bench::Bench;
use crate::peers::target;

/// The shell of the step of this name: what is indented below its `run: |`.
fn shell_of(step: &str) -> String {
    let action = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let action = fs::read_to_string(action).unwrap();
    let (_, after) = action.split_once(&format!("    - name: {step}\n")).expect("a step of that name");
    let (_, run) = after.split_once("      run: |\n").expect("it runs a shell");
    let lines = run.lines().take_while(|line| line.is_empty() || line.starts_with("        "));
    lines.map(|line| format!("{}\n", line.get(8..).unwrap_or_default())).collect()
}

/// How a step ended.
struct Step {
    code: i32,
    said: String,
    /// Lines of the file of outputs.
    outputs: BTreeMap<String, String>,
    /// The page that the job shows.
    summary: String,
    /// Folders added to the path.
    path: String,
}

/// Runs a step in the bench's folder with these variables.
fn step(bench: &Bench, name: &str, variables: &[(&str, &str)]) -> Step {
    let files = ["outputs", "summary", "paths"];
    files.iter().for_each(|file| bench.write(file, ""));
    let bin = Path::new(env!("CARGO_BIN_EXE_nmax")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &shell_of(name)])
        .current_dir(bench.path(""))
        .env("PATH", path)
        .env("RUNNER_TEMP", bench.path("temp"))
        .env("GITHUB_OUTPUT", bench.path(files[0]))
        .env("GITHUB_STEP_SUMMARY", bench.path(files[1]))
        .env("GITHUB_PATH", bench.path(files[2]))
        .env_remove("NMAX_RUNS_DIR")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let [outputs, summary, path] = files.map(|file| fs::read_to_string(bench.path(file)).unwrap());
    let outputs = outputs.lines().filter_map(|line| line.split_once('='));
    let outputs = outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Step { code: output.status.code().unwrap(), said, outputs, summary, path }
}

fn run(bench: &Bench, plan: &str, args: &str) -> Step {
    step(bench, "Run nmax", &[("PLAN", plan), ("ARGS", args), ("RUNS_DIR", "ci runs")])
}

#[test]
fn a_run_has_a_verdict_a_report_and_a_summary() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/1ms", target.url());
    let ended = run(&bench, &url, "-n 4 --tag ci --note 'after the patch' --quiet");
    let report = &ended.outputs["report"];
    assert!(report.starts_with("ci runs/"), "{}", ended.said);
    for file in ["report.html", "junit.xml"] {
        assert!(bench.path(report).join(file).is_file(), "{file}");
    }
    let manifest = fs::read_to_string(bench.path(report).join("manifest.json")).unwrap();
    assert!(manifest.contains("after the patch"), "words in quotes stay together: {manifest}");
    // How busy this machine is decides whether so short a run is valid.
    let verdict = ended.outputs["verdict"].as_str();
    assert!(["pass", "invalid"].contains(&verdict), "{}", ended.said);
    assert_eq!(ended.code, if verdict == "pass" { 0 } else { 4 }, "{}", ended.said);
    assert_eq!(ended.outputs["exit-code"], ended.code.to_string());
    let heading = ended.summary.lines().next().unwrap();
    assert!(heading.starts_with("## ") && heading.contains(&verdict.to_uppercase()), "{}", ended.summary);
    assert_eq!(ended.summary.matches("\n## ").count(), 0, "nmax writes it once, and nobody else");

    let again = run(&bench, &url, "-n 4 --quiet --exit-zero");
    assert_eq!(again.code, 0, "{}", again.said);
    assert_ne!(&again.outputs["report"], report, "the report of this run, and not of the one before");
}

#[test]
fn what_is_no_run_has_no_report() {
    let bench = Bench::new();
    let refused = run(&bench, "absent.yaml", "");
    let want = [("exit-code", "2"), ("report", ""), ("verdict", "")];
    let want: BTreeMap<String, String> = want.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    assert_eq!((refused.code, &refused.outputs), (2, &want), "{}", refused.said);
    assert!(refused.said.contains("absent.yaml") && refused.said.contains("::error title=nmax::"), "{}", refused.said);
    assert_eq!(refused.summary, "");
    let open = run(&bench, "absent.yaml", "--note 'open");
    assert_eq!(open.code, 2);
    assert!(open.said.contains("a quotation mark is not closed"), "{}", open.said);
    // Nothing of an input is a command.
    run(&bench, "$(touch made)", "--note `touch made` ; touch made");
    assert!(!bench.path("made").exists());
}

#[test]
fn a_release_is_installed_when_its_sum_is_right() {
    let bench = Bench::new();
    let machine = Command::new("uname").arg("-m").output().unwrap().stdout;
    let name = format!("nmax-1.2.3-{}-linux", String::from_utf8(machine).unwrap().trim());
    let pack = format!(
        "mkdir -p v1.2.3 {name} && printf '#!/bin/sh\\necho of a release\\n' > {name}/nmax && chmod +x {name}/nmax &&
         tar -czf v1.2.3/{name}.tar.gz {name} && cd v1.2.3 && sha256sum *.tar.gz > SHA256SUMS &&
         echo 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  other.deb' >> SHA256SUMS"
    );
    bench.shell(&pack).exits(0);
    let releases = format!("file://{}", bench.path("").display());
    let install = |version: &str| step(&bench, "Install nmax", &[("VERSION", version), ("RELEASES", &releases)]);
    for version in ["1.2.3", "v1.2.3"] {
        let installed = install(version);
        assert_eq!(installed.code, 0, "{}", installed.said);
        let said = Command::new(Path::new(installed.path.trim()).join("nmax")).output().unwrap().stdout;
        assert_eq!(String::from_utf8(said).unwrap(), "of a release\n");
    }
    for (version, why) in [("main", "is not a version"), ("", "is not a version"), ("9.9.9", "curl")] {
        let refused = install(version);
        assert!(
            refused.code != 0 && refused.said.contains(why) && refused.path.is_empty(),
            "{version}: {}",
            refused.said
        );
    }
    bench.shell(&format!("echo >> v1.2.3/{name}.tar.gz")).exits(0);
    let refused = install("1.2.3");
    assert!(refused.code != 0 && refused.said.contains("FAILED") && refused.path.is_empty(), "{}", refused.said);
}
