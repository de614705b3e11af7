//! Habits of code that hold in every crate: printing, escaping, programs that are started, claims. What a lint of the
//! compiler or of clippy holds is in `Cargo.toml` and `clippy.toml`.

use super::repo::{File, Repo};
use super::{Finding, finding, search};

/// The modules that write on standard output and standard error, one for each program; `xtask` prints for developers.
const PRINTING: [&str; 2] = ["crates/nmax/src/say.rs", "crates/nmax-agent/src/main.rs"];

/// The crate that escapes what is shown.
const ESCAPING: &str = "nmax-text";

/// Files with a notation of their own: bytes of a wire, YAML, markup, TOML, headers, names of files, JSON that is repaired.
const NOTATIONS: [&str; 7] = [
    "crates/nmax-run/src/wire/lines.rs",
    "crates/nmax-plan/src/document/write/yaml.rs",
    "crates/nmax-report/src/markup.rs",
    "crates/nmax-slice/src/saved/toml.rs",
    "crates/nmax-log/src/replay/rewrite.rs",
    "crates/nmax-import/src/emit/fill.rs",
    "crates/nmax-import/src/har/repair.rs",
];

/// All that is printed goes through one module of a program, which escapes it.
pub(crate) fn one_module_prints(repo: &Repo) -> Vec<Finding> {
    let shown = || repo.product().filter(|(file, _)| file.krate() != "xtask" && !PRINTING.contains(&&*file.path));
    let instead = "return the text, or print it by `say`, which escapes what others wrote";
    let mut findings = search(shown(), &["println!", "eprintln!", "print!", "eprint!", "dbg!", "/dev/tty"], instead);
    let mut streams = search(shown(), &["stdout()", "stderr()", "rustix::stdio"], instead);
    // To ask what a stream is writes nothing.
    streams.retain(|finding| {
        let line = line_of(repo, finding);
        !line.contains("is_terminal(") && !line.contains("tcgetwinsize(")
    });
    findings.append(&mut streams);
    for (file, _) in shown().filter(|(file, _)| file.krate() != ESCAPING) {
        for (index, line) in file.text.lines().enumerate() {
            if ["\\x1b[", "\\x1B[", "\\u{1b}[", "\\u{1B}["].iter().any(|sequence| line.contains(sequence)) {
                let text = "a control sequence: take an `Ink`, or a function of `say`".to_owned();
                findings.push(finding(file, index + 1, text));
            }
        }
    }
    findings
}

/// One function makes text of others safe to show.
pub(crate) fn one_function_escapes(repo: &Repo) -> Vec<Finding> {
    let shown = || repo.product().filter(|(file, _)| file.krate() != ESCAPING && !NOTATIONS.contains(&&*file.path));
    let instead = "to show a text of others, take `nmax_text::shown` or `shown_lines`";
    let names = ["escape_debug", "escape_default", "escape_unicode", "nmax_text::is_hidden"];
    let mut findings = search(shown(), &names, instead);
    // A check of a control character is fine; to put something in its place is escaping.
    let mut replaced = search(shown(), &["is_control"], instead);
    replaced.retain(|finding| {
        let line = line_of(repo, finding);
        line.contains("map(") || line.contains("=>")
    });
    findings.append(&mut replaced);
    findings
}

/// The only files that start programs. Each asks for `--allow-exec`, but for the browser that `nmax record` finds by itself, and
/// for `nmax` itself, which the page starts.
const STARTING: [&str; 3] = [
    "crates/nmax-run/src/session/timeline/act.rs",
    "crates/nmax-record/src/browser.rs",
    "crates/nmax-server/src/started.rs",
];

/// The product starts programs in few places, so that each can be seen to ask for consent.
pub(crate) fn few_start_programs(repo: &Repo) -> Vec<Finding> {
    let is_asked = |file: &File| STARTING.contains(&file.path.as_str()) || file.krate() == "xtask";
    let instead = format!("programs are started in {STARTING:?}: go through one of them, which asks for --allow-exec");
    let files = repo.product().filter(|(file, _)| !is_asked(file));
    search(files, &["process::Command", "std::process::Command"], &instead)
}

/// What a diagnosis may never claim: correlation and queues name suspects, only an experiment names a cause.
const CLAIM: &str = concat!("root", " cause");

/// Nowhere, in no case and not over the end of a line.
pub(crate) fn no_claim_of_a_cause(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &repo.files {
        let text = file.text.to_ascii_lowercase().replace(['\n', '-'], " ");
        for (at, _) in text.match_indices(CLAIM) {
            let line = file.text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            findings.push(finding(file, line, "say `suspect`, and what would prove it wrong".to_owned()));
        }
    }
    findings
}

/// The line of a finding.
fn line_of<'a>(repo: &'a Repo, finding: &Finding) -> &'a str {
    repo.file(&finding.path).and_then(|file| file.text.lines().nth(finding.line - 1)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
