//! Habits of code that hold in every crate: printing, panics, limits, unsafe code.

use super::repo::{File, Repo};
use super::{Finding, finding, source};

/// The only file that may hold unsafe code: an allocator that counts must implement an unsafe trait.
const UNSAFE: &str = "crates/nmax-testkit/src/allocations.rs";

/// Crates that speak to people.
const PRINTING: [&str; 2] = ["nmax", "xtask"];

/// Only the programs print.
pub(crate) fn only_programs_print(repo: &Repo) -> Vec<Finding> {
    let macros = ["println!", "eprintln!", "print!", "eprint!", "dbg!"];
    let libraries = repo.product().filter(|(file, _)| !PRINTING.contains(&file.krate()));
    search(libraries, &macros, "only nmax and xtask print; return the text")
}

/// The product does not unwrap.
pub(crate) fn no_unwrap(repo: &Repo) -> Vec<Finding> {
    let instead = "return an error, or `expect(\"why it cannot fail\")` for a proven invariant";
    search(repo.product(), &[".unwrap()", ".unwrap_err()", "unwrap_unchecked("], instead)
}

/// Every queue has a limit.
pub(crate) fn no_unbounded_channel(repo: &Repo) -> Vec<Finding> {
    let channels =
        ["unbounded_channel", "channel::unbounded", "UnboundedSender", "mpsc::channel()", "mpsc::channel::<"];
    let mut findings =
        search(repo.product(), &channels, "use a channel with a limit and decide what happens when it is full");
    // Tokio's channel with type arguments has a limit: its parentheses are not empty.
    findings.retain(|finding| {
        let line =
            repo.file(&finding.path).and_then(|file| file.text.lines().nth(finding.line - 1)).unwrap_or_default();
        !line.contains("mpsc::channel::<") || line.contains(">()")
    });
    findings
}

/// Unsafe code only in the one named module; tests count.
pub(crate) fn no_unsafe(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repo.rust().filter(|file| file.path != UNSAFE) {
        for line in source::lines_with(&file.code, "unsafe") {
            findings.push(finding(file, line, format!("`unsafe` outside {UNSAFE}: find a safe crate, such as rustix")));
        }
    }
    findings
}

/// The only files that start programs. Each asks for `--allow-exec`, but for the browser that `nmax record` finds by itself.
const STARTING: [&str; 2] = ["crates/nmax/src/session/timeline/act.rs", "crates/nmax/src/commands/record/browser.rs"];

/// The product starts programs in few places, so that each can be seen to ask for consent.
pub(crate) fn few_start_programs(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_asked = |file: &File| STARTING.contains(&file.path.as_str()) || file.krate() == "xtask";
    for (file, code) in repo.product().filter(|(file, _)| !is_asked(file)) {
        let mut lines = source::lines_with(&code, "process::Command");
        let imports = source::imports(&code);
        lines.extend(imports.iter().filter(|(_, path)| path == "std::process::Command").map(|(line, _)| *line));
        lines.sort_unstable();
        lines.dedup();
        let text =
            format!("a program is started outside {STARTING:?}: go through one of them, which asks for --allow-exec");
        findings.extend(lines.into_iter().map(|line| finding(file, line, text.clone())));
    }
    findings
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

fn search<'a>(files: impl Iterator<Item = (&'a File, String)>, needles: &[&str], instead: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in files {
        for needle in needles {
            for line in source::lines_with(&code, needle) {
                findings.push(finding(file, line, format!("`{needle}`: {instead}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
