use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use nmax_analysis::explain::{explanations, find};

use super::*;

/// Where codes of results are made; other capitals in quotes are none.
const SOURCES: [&str; 14] = [
    "../nmax-analysis/src/gates",
    "../nmax-analysis/src/judge",
    "../nmax-analysis/src/answer",
    "../nmax-observe/src/watcher",
    "../nmax-store/src/writer",
    "../nmax-usl/src/finding",
    "../nmax-run/src/session",
    "../nmax-run/src/control.rs",
    "../nmax-export/src/exports.rs",
    "../nmax-analysis/src/fold",
    "../nmax-analysis/src/summary.rs",
    "../nmax-run/src/host/forecast",
    "src/commands/run",
    "../nmax-report/src/traffic",
];

/// Every word of capitals in quotes, as long as a code, that is written in a file or folder outside of tests.
fn codes_in(path: &Path, found: &mut BTreeSet<String>) {
    if let Ok(entries) = fs::read_dir(path) {
        entries.flatten().for_each(|entry| codes_in(&entry.path(), found));
        return;
    }
    let is_test = path.to_string_lossy().contains("tests");
    let Ok(text) = fs::read_to_string(path) else { return };
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_code = |word: &&str| {
        word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    if !is_test {
        found.extend(text.split('"').filter(is_code).map(str::to_owned));
    }
}

fn codes_of_the_program() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in SOURCES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        codes_in(&path, &mut found);
        codes_in(&path.with_extension("rs"), &mut found);
    }
    // Names of signals and variables of the environment are no codes.
    found.retain(|word| {
        !["CONT", "STOP", "TSTP", "TERM", "KILL", "QUIT", "USR1", "USR2", "WINCH"].contains(&word.as_str())
    });
    found.retain(|word| !word.starts_with("CARGO_"));
    found
}

#[test]
fn every_code_is_explained_and_every_explained_code_exists() {
    let program = codes_of_the_program();
    let explained: BTreeSet<String> = explanations().map(|explanation| explanation.code.to_owned()).collect();
    let missing: Vec<_> = program.difference(&explained).collect();
    assert!(missing.is_empty(), "explain these in nmax-analysis/src/explain: {missing:?}");
    let idle: Vec<_> = explained.difference(&program).collect();
    assert!(idle.is_empty(), "nothing makes these any more: {idle:?}");
}

/// The reference page is made of the same texts; `UPDATE=1` writes it.
#[test]
fn the_reference_page_is_up_to_date() {
    let groups: Vec<&Explanation> = explanations().collect();
    let sections = groups.chunk_by(|a, b| a.weight == b.weight).map(|group| {
        let entries = group.iter().map(|it| {
            format!(
                "### {}\n\n{}. {}\n\n- Computed: {}\n- What to do: {}\n\n",
                it.code,
                capital(it.title),
                it.means,
                it.computed,
                it.remedy
            )
        });
        format!("## {}\n\n{}", capital(group[0].weight.effect()), entries.collect::<String>())
    });
    let page = format!(
        "# Codes of results\n\nWhat the codes of reasons, gates, events and findings mean. `nmax explain CODE` says the same. This \
         page is\nwritten by a test: `UPDATE=1 cargo test -p nmax reference_page`.\n\n{}",
        sections.collect::<String>()
    );
    let page = format!("{}\n", page.trim_end());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/codes.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap_or_default(), page, "run it with UPDATE=1");
}

#[test]
fn a_word_finds_what_it_is_about() {
    for word in ["steal", "lag", "stall"] {
        let args = ExplainArgs { code: Some(word.into()), json: false };
        assert_eq!(explain(&args), Ok(Exit::Pass), "{word}");
    }
}

#[test]
fn texts_are_folded_and_whole() {
    for explanation in explanations() {
        let text = in_full(explanation);
        assert!(text.lines().skip(1).all(|line| line.chars().count() <= LINE_COLUMNS), "{text}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let all = words(&text).join(" ");
        for part in [explanation.means, explanation.computed, explanation.remedy] {
            assert!(all.contains(&words(part).join(" ")), "{text}");
        }
    }
    let listed = list(&explanations().collect::<Vec<_>>());
    assert!(explanations().all(|explanation| listed.contains(explanation.code)));
}

#[test]
fn unknown_codes_get_a_suggestion() {
    let unknown = |code: &str| unknown(code).text;
    assert!(unknown("RATE").contains("did you mean `G1_RATE`?"), "{}", unknown("RATE"));
    assert!(unknown("XYZZYPLUGH").ends_with("help: `nmax explain` lists all codes"));
    assert_eq!(nmax_json::value::<Code, _>(find("THRESHOLD")[0])["weight"], "fail");
}
