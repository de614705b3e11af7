use super::outcome::Outcome;
use super::programs::{self, Program};
use super::*;

const PRINTED: &str = "
running 5 tests
test a::one ... ok <0.250s>
test a::two ... ok <1.500s>
test a::three ... FAILED <0.010s>
test a::four - should panic ... ok
test a::five ... ignored

successes:

---- a::one stdout ----
said one
SKIPPED: no such server
SKIPPED: and so on
---- a::two stdout ----
not SKIPPED: at the beginning of a line

successes:
    a::one
    a::two

failures:

---- a::three stdout ----
SKIPPED: it says, and fails
thread 'a::three' panicked

failures:
    a::three

test result: FAILED. 3 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.76s
";

#[test]
fn what_a_program_printed_is_counted_and_named() {
    let outcome = Outcome::read(PRINTED, "on standard error", false);
    assert_eq!(outcome.passed, 2);
    assert_eq!(outcome.failed, ["a::three"]);
    assert_eq!(outcome.skipped, ["a::one: no such server"]);
    let times = [("a::one", 0.25), ("a::two", 1.5), ("a::three", 0.01)];
    assert_eq!(outcome.times_s, times.map(|(test, time_s)| (test.to_owned(), time_s)));
    assert!(outcome.words.starts_with("failures:") && outcome.words.ends_with("on standard error"));
    assert!(!outcome.words.contains("said one"));
}

/// A crash, a full disk, a signal: never silence.
#[test]
fn a_program_that_breaks_off_has_failed() {
    for (out, is_success) in
        [("", false), ("\nrunning 1 test\n", false), ("\nrunning 2 tests\ntest a ... ok\n", true), ("", true)]
    {
        let outcome = Outcome::read(out, "Segmentation fault", is_success);
        assert_eq!(outcome.failed.len(), 1, "{outcome:?}");
        assert!(outcome.words.contains("Segmentation fault"));
    }
    let nothing = Ended { name: "x".into(), took: Duration::ZERO, outcome: Outcome::default() };
    let skipped = Outcome { skipped: vec!["a::one: no such server".into()], ..Outcome::default() };
    let skipped = [Ended { name: "x".into(), took: Duration::ZERO, outcome: skipped }];
    assert!(finish(&skipped, &Options::default(), Duration::ZERO).is_ok());
    let strict = Options { requires_all: true, ..Options::default() };
    assert!(finish(&skipped, &strict, Duration::ZERO).is_err(), "a test that must run did not");
    assert!(finish(&[nothing], &Options::default(), Duration::ZERO).is_err(), "no test is not a success");
}

#[test]
fn programs_are_those_that_cargo_names() {
    let messages = r#"not JSON
{"reason":"build-finished","success":true}
{"reason":"compiler-artifact","manifest_path":"/r/crates/b/Cargo.toml","target":{"kind":["test"],"name":"it"},"profile":{"test":true},"executable":"/t/it-1"}
{"reason":"compiler-artifact","manifest_path":"/r/crates/b/Cargo.toml","target":{"kind":["bin"],"name":"b"},"profile":{"test":false},"executable":"/t/b"}
{"reason":"compiler-artifact","manifest_path":"/r/crates/a/Cargo.toml","target":{"kind":["lib"],"name":"a"},"profile":{"test":true},"executable":"/t/a-1"}"#;
    let program = |name: &str, file: &str, folder: &str| Program {
        name: name.to_owned(),
        file: file.into(),
        folder: folder.into(),
    };
    let wanted = [program("a", "/t/a-1", "/r/crates/a"), program("b it", "/t/it-1", "/r/crates/b")];
    assert_eq!(programs::read(messages), wanted);
}

/// Each test of the command is in exactly one job: what one takes, the others leave out.
#[test]
fn no_test_is_dropped_and_none_runs_twice() {
    let program = |name: &str| Program { name: name.to_owned(), file: "/t/x".into(), folder: "/r".into() };
    let crates = ["nmax faults", "nmax-engine", "nmax-engine it", "nmax-http"];
    let all = crates.iter().map(|name| program(name)).chain([program(SYSTEM)]).collect();
    let (lanes, last) = lanes(all, &Options::default());
    let (jobs, of_crates): (Vec<Job>, Vec<Job>) =
        lanes.into_iter().flatten().chain(last).partition(|job| job.program.name == SYSTEM);
    let mut names: Vec<&str> = of_crates.iter().map(|job| job.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, crates);
    for test in ["examples::judged::scale", "examples::usl", "scale::serial::a_peak", "planless::one"] {
        let takes = |job: &&Job| {
            let mut words = job.arguments.iter().map(String::as_str);
            let (mut only, mut skip) = (Vec::new(), Vec::new());
            while let Some(word) = words.next() {
                match word {
                    "--skip" => skip.extend(words.next()),
                    flag if flag.starts_with("--") => {}
                    filter => only.push(filter),
                }
            }
            !skip.iter().any(|word| test.contains(word)) && (only.is_empty() || only.iter().any(|w| test.contains(w)))
        };
        assert_eq!(jobs.iter().filter(takes).count(), 1, "{test}");
    }
}

#[test]
fn words_become_options() {
    let options = Options::parse(&["--quick", "codec"]).unwrap();
    assert!(options.is_quick);
    assert_eq!(options.filters, ["codec"]);
    assert!(Options::parse(&["--quik"]).is_err());
}
