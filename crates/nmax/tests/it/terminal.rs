//! What a person sees: 80 columns without a terminal, colors and a panel only on one.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use crate::bench::{Bench, Ended, skip, until};
use crate::peers::{arrived, target};

const ESCAPE: char = '\x1b';
/// What each line of a panel begins with.
const LINE_ERASED: &str = "\r\x1b[K";

#[test]
fn without_a_terminal_lines_fit_80_columns_and_have_no_colors() {
    let (bench, target) = (Bench::new(), target());
    let path = format!("/delay/5ms?{}", "long-".repeat(40));
    let url = format!("{}{path}", target.url());
    let note = "a note that goes on and on ".repeat(8);
    let run = bench.nmax(&["run", &url, "-n", "5", "--note", &note, "--exit-zero"]).exits(0);
    let failed = bench.nmax(&["run", &format!("{}/status/500", target.url()), "-n", "4", "-c", "1"]).exits(3);
    for text in [&run.stdout, &run.stderr, &failed.stdout, &bench.nmax(&["show"]).exits(0).stdout] {
        assert!(!text.contains(ESCAPE), "{text}");
        for line in text.lines().filter(|line| !line.contains("report.html")) {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
        }
    }
    assert!(run.stderr.is_empty(), "a short run has nothing to report on the way: {}", run.stderr);
}

/// The output of `nmax` on a terminal, after a line of shell there; `None` when there is no program to make one.
fn on_a_terminal(bench: &Bench, variables: &str, arguments: &str, before: &str) -> Option<Ended> {
    if Command::new("script").arg("--version").output().is_err() {
        skip("`script` of util-linux is not installed");
        return None;
    }
    let line = format!("{before} env {variables} TERM=xterm \"$NMAX\" {arguments}");
    Some(bench.shell(&format!("script -qec '{line}' /dev/null")))
}

#[test]
fn on_a_terminal_a_panel_redraws_itself_and_goes_away() {
    let (bench, target) = (Bench::new(), target());
    let arguments = format!("run {}/delay/20ms -c 2 -d 3s --exit-zero", target.url());
    let Some(shown) = on_a_terminal(&bench, "", &arguments, "") else {
        return;
    };
    let shown = shown.exits(0).stdout;
    assert!(redraws(&shown) >= 2, "{shown:?}");
    assert!(!shown.contains("\x1b[J"), "tmux keeps what is erased so: {shown:?}");
    assert!(has_color(&shown), "{shown:?}");
    let screen = screen(&shown);
    let text = screen.join("\n");
    assert!(screen[0].ends_with(" 127.0.0.1"), "the panel is gone: {text}");
    assert!(text.contains("GET /delay/20ms") && text.contains("report    runs/"), "{text}");
    assert_eq!(text.matches("Thresholds").count(), 1, "{text}");
}

/// How often a panel was drawn over another one.
fn redraws(written: &str) -> usize {
    written.matches(&format!("A{LINE_ERASED}")).count()
}

/// A key does what it says, and however the run ends, the terminal is what it was: it shows what is typed, line by line.
#[test]
fn keys_are_heard_and_the_terminal_is_as_before() {
    if Command::new("script").arg("--version").output().is_err() {
        return skip("`script` of util-linux is not installed");
    }
    let (bench, target) = (Bench::new(), target());
    let run = format!("sh -c 'echo $$ > pid; exec \"$NMAX\" run {}/delay/20ms -c 2 -d 1h'", target.url());
    bench.write("inner.sh", &format!("{run}; echo code=$?; stty -a\n"));
    for by_key in [true, false] {
        let terminal = [("TERM", OsStr::new("xterm"))];
        let (job, mut typing) = bench.shell_typing("exec script -qec 'sh inner.sh' /dev/null", &terminal);
        let shown = |what: &str| until(what, || job.printed().contains(what));
        shown("q stop");
        if by_key {
            for (key, what) in [("?", "q: stop the run"), ("p", "display held at"), ("q", "code=")] {
                typing.write_all(key.as_bytes()).unwrap();
                shown(what);
            }
        } else {
            let pid = fs::read_to_string(bench.path("pid")).unwrap().trim().parse().unwrap();
            kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
        }
        let text = job.wait().shows(&["code=130", "interrupted after"]).stdout;
        let modes = &text[text.find("code=").unwrap()..];
        assert!(modes.contains(" icanon") && modes.contains(" echo "), "{modes}");
    }
}

/// A plan that was run before: why it is run again is asked for on a terminal, before anything is sent, and where nobody can
/// answer it is not.
#[test]
fn a_note_is_asked_for_before_a_plan_is_run_again() {
    let (bench, target) = (Bench::new(), target());
    let run = format!("run plan.yaml --target {} --exit-zero", target.url());
    bench.write(
        "plan.yaml",
        "nmax: 1\nname: again\ntarget: http://127.0.0.1:1\nscenarios: { s: { steps: [{ get: / }] } }\n\
         workload: { closed: { vus: 1 }, iterations: 2 }\n",
    );
    const QUESTION: &str = "What changed since run ";
    // variables, flags, why this row
    let silent = [
        ("", "", "the first run of its name"),
        ("", "--note ''", "nothing is the answer"),
        ("", "--note why", "answered before"),
        ("", "--quiet", "nothing is wanted"),
        ("", "--json", "a program reads"),
        ("CI=1", "", "nobody is there"),
        ("", "--name other", "the first run of that name"),
    ];
    for (variables, flags, why) in silent {
        let flags = flags.replace('\'', "\"");
        let Some(shown) = on_a_terminal(&bench, variables, &format!("{run} {flags}"), "") else {
            return;
        };
        assert!(!shown.exits(0).stdout.contains(QUESTION), "{why}");
    }
    bench.nmax(&run.split(' ').collect::<Vec<_>>()).exits(0);
    bench.write("inner.sh", &format!("exec \"$NMAX\" {run}\n"));
    for (typed, note) in [("smaller pool, <b>\n", "smaller pool, <b>"), ("\n", ""), ("\x04", "")] {
        let sent = arrived(&target);
        let terminal = [("TERM", OsStr::new("xterm"))];
        let (job, mut typing) = bench.shell_typing("exec script -qec 'sh inner.sh' /dev/null", &terminal);
        until("the question", || job.printed().contains("[Enter: nothing]"));
        assert_eq!(arrived(&target), sent, "nothing is sent before the answer");
        typing.write_all(typed.as_bytes()).unwrap();
        job.wait().exits(0).shows(&[QUESTION]);
        assert_eq!(arrived(&target), sent + 2);
        assert_eq!(bench.nmax(&["show", "last", "--json"]).exits(0).json()["run"]["note"], note, "{typed:?}");
    }
}

/// The panel begins in the first row of a terminal and is redrawn there: tmux, which keeps what scrolls away, has one of it.
#[test]
fn tmux_keeps_no_copy_of_the_panel() {
    if Command::new("tmux").arg("-V").output().is_err() {
        return skip("tmux is not installed");
    }
    let (bench, target) = (Bench::new(), target());
    bench.write("inner.sh", &format!("\"$NMAX\" run {}/delay/20ms -c 2 -d 60s\n", target.url()));
    let tmux = |arguments: &str| bench.shell(&format!("tmux -S tmux.socket -f /dev/null {arguments}")).exits(0).stdout;
    tmux("new-session -d -x 80 -y 24 'sh inner.sh'");
    let all = || tmux("capture-pane -p -S -");
    let seconds = |text: &str| text.split_once(" s of ")?.0.rsplit(' ').next()?.parse::<f64>().ok();
    until("several redraws", || seconds(&all()).is_some_and(|s| s >= 4.0));
    let text = all();
    tmux("kill-server");
    assert_eq!(text.matches("response  p50").count(), 1, "{text}");
    assert!(text.starts_with("hold ") && text.contains("q stop"), "{text}");
}

/// Rows of 20 columns hold all that is printed, so that the panel goes up as many rows as it takes.
#[test]
fn twenty_columns_are_enough() {
    let (bench, target) = (Bench::new(), target());
    let arguments = format!("run {}/delay/20ms -c 2 -d 3s --exit-zero", target.url());
    let Some(shown) = on_a_terminal(&bench, "NO_COLOR=1", &arguments, "stty cols 20;") else {
        return;
    };
    let shown = shown.exits(0).stdout;
    assert!(redraws(&shown) >= 2 && shown.contains('░'), "{shown:?}");
    let (screen, columns) = (screen(&shown), |line: &str| line.chars().count());
    assert!(screen.iter().all(|line| columns(line) <= 20), "{screen:#?}");
    assert!(screen[0].starts_with(['✓', '!', '✗']) && !screen.concat().contains('░'), "{screen:#?}");
    let told = bench.nmax_with(&[("COLUMNS", "20")], &["show", "last"]).exits(0).stdout;
    let long: Vec<&str> = told.lines().filter(|line| columns(line) > 20).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn no_color_is_honored_on_a_terminal() {
    let (bench, target) = (Bench::new(), target());
    let arguments = format!("run {}/delay/20ms -n 4 -c 1 --exit-zero", target.url());
    let Some(shown) = on_a_terminal(&bench, "NO_COLOR=1", &arguments, "") else {
        return;
    };
    let shown = shown.exits(0).stdout;
    assert!(!has_color(&shown), "{shown:?}");
    let Some(shown) = on_a_terminal(&bench, "TERM_PROGRAM=x", "show last", "") else {
        return;
    };
    assert!(has_color(&shown.exits(0).stdout), "colors without it");
}

/// Whether a sequence that ends with `m` is among the escape sequences.
fn has_color(written: &str) -> bool {
    let ends =
        written.split("\x1b[").skip(1).map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
    ends.into_iter().any(|end| end.starts_with('m'))
}

/// What remains on the screen: knows `\r`, cursor up, erase the line that begins, and skips colors.
fn screen(written: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut row = 0;
    let mut rest = written.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' => {
                row += 1;
                if row == lines.len() {
                    lines.push(String::new());
                }
            }
            '\r' => {}
            ESCAPE => {
                assert_eq!(rest.next(), Some('['));
                let mut digits = String::new();
                let end = loop {
                    match rest.next().expect("a sequence ends") {
                        end if end.is_ascii_alphabetic() => break end,
                        digit => digits.push(digit),
                    }
                };
                match end {
                    'A' => row -= digits.parse::<usize>().unwrap(),
                    'K' => lines[row].clear(),
                    'm' => {}
                    other => panic!("{other} is not expected"),
                }
            }
            other => lines[row].push(other),
        }
    }
    lines
}

#[test]
fn quiet_says_nothing_and_dumb_terminals_get_lines() {
    let (bench, target) = (Bench::new(), target());
    let arguments = format!("run {}/delay/20ms -c 2 -d 1s --exit-zero --quiet", target.url());
    let Some(shown) = on_a_terminal(&bench, "", &arguments, "") else {
        return;
    };
    assert!(!shown.exits(0).stdout.contains(LINE_ERASED));
    let arguments = format!("run {}/delay/20ms -c 2 -d 1s --exit-zero", target.url());
    let Some(shown) = on_a_terminal(&bench, "CI=1", &arguments, "") else {
        return;
    };
    assert!(!shown.exits(0).stdout.contains(LINE_ERASED));
}

#[test]
fn completions_and_schemas_print() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        bench.nmax(&["completions", shell]).exits(0).shows(&["nmax", "NMAX_COMPLETE"]);
    }
    for of in ["plan", "summary"] {
        assert_eq!(bench.nmax(&["schema", of]).exits(0).json()["type"], "object");
    }
    let script = bench.nmax(&["completions", "bash"]).exits(0).stdout;
    bench.write("nmax.bash", &script);
    if Command::new("bash").arg("--version").output().is_ok() {
        bench.shell("bash -n nmax.bash").exits(0);
    }
}

#[test]
fn a_reader_that_leaves_is_no_defect() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    bench.nmax(&["run", &url, "-n", "4", "--exit-zero"]).exits(0);
    // Who reads is gone before the first byte is written.
    for verb in ["show", "show --json", "runs", "schema", "completions zsh", "report last -o -"] {
        let line = format!("{{ sleep 0.1; \"$NMAX\" {verb}; echo $? >&2; }} | true");
        assert_eq!(bench.shell(&line).exits(0).stderr, "0\n", "{verb}");
    }
    let run = format!("{{ sleep 0.1; \"$NMAX\" run {url} -n 4 --exit-zero; echo $? > code; }} 2>&1 | true; cat code");
    assert_eq!(bench.shell(&run).exits(0).stdout, "0\n");
    assert_eq!(bench.runs().len(), 2);
    assert!(bench.runs()[1].join("summary.json").is_file(), "the run is whole");
}

/// Whatever a command prints and whatever it would have ended with: what cannot be written is no result.
#[test]
fn a_result_that_cannot_be_written_is_no_success() {
    if !std::path::Path::new("/dev/full").exists() {
        return skip("there is no /dev/full");
    }
    let (bench, target) = (Bench::new(), target());
    let url = target.url();
    bench.write("table.csv", "n,x\n1,10\n2,19\n4,35\n8,60\n16,80\n");
    bench.write("access.log", &"127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n".repeat(3));
    bench.write("plan.yaml", &format!("nmax: 1\ntarget: {url}\nscenarios: {{ s: {{ steps: [{{ get: / }}] }} }}\nworkload: {{ closed: {{ vus: 1 }} }}\nduration: 1s\n"));
    for _ in 0..2 {
        bench.nmax(&["run", &url, "-n", "4", "--exit-zero"]).exits(0);
    }
    let run = format!("run {url} -n 4");
    let failed = format!("run {url}/status/500 -n 4 -c 1");
    let commands = [
        run.as_str(),
        &failed,
        &format!("{run} --json"),
        &format!("{run} --junit -"),
        &format!("{run} --csv -"),
        &format!("run {url} --wire"),
        "show",
        "show --json",
        "runs",
        "runs --json",
        "report -o -",
        "report --format text",
        "check plan.yaml",
        "check plan.yaml --once",
        "compare last last --force",
        "trend",
        "slice last",
        "slice access.log",
        "import log access.log -o made.yaml",
        "data generate uuid -n 9",
        "usl fit table.csv",
        "doctor",
        "explain INTERRUPTED",
        "schema",
        "completions zsh",
        "--help",
        "run --help",
        "--version",
    ];
    for command in
        [format!("{run} --junit /dev/full"), format!("{run} --csv /dev/full"), "report last -o /dev/full".to_owned()]
    {
        bench.shell(&format!("\"$NMAX\" {command}")).exits(5).says(&["/dev/full: cannot write"]);
    }
    for command in commands {
        let full = bench.shell(&format!("\"$NMAX\" {command} > /dev/full"));
        assert_eq!(full.code, 5, "{command}: {}", full.stderr);
        full.says(&["standard output: cannot write", "help: "]);
    }
}
