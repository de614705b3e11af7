//! Rules about words: sentences that users read are plain and short, and definitions carry terms of the field.

use super::repo::{File, Repo};
use super::{Finding, finding, source};

/// The only file that has the phrases and may.
const HOME: &str = "xtask/src/tidy/words.rs";

/// Where comments are the help that `nmax --help` prints.
const HELP: [&str; 2] = ["crates/nmax/src/args.rs", "crates/nmax/src/args/"];

/// Phrases that readers who learned English late have to translate, in small letters, with what to write instead.
const RIDDLES: [(&str, &str); 12] = [
    ("is no", "write `is not a`"),
    ("are no", "write `are not`"),
    ("was no", "write `was not a`"),
    ("nobody", "name the actor: no user, no request, `not observed`"),
    ("somebody", "name the actor: a user, another program"),
    ("whoever", "name the actor: everyone who, the owner"),
    ("what stands", "write `the text` or `the value` and where"),
    ("it is said", "name the actor: nmax says, the result shows"),
    ("it is not said", "name the actor: nmax does not say"),
    ("and said so", "say in which header or line"),
    ("judges anything", "write `is valid`"),
    ("share of anything", "write `is not a ratio`"),
];

/// What makes "is no" good English: a word before it, or words after it.
const THERE: &str = "there";
const AFTER_NO: [&str; 9] = ["longer", "more", "less", "other", "one", "worse", "better", "different", "such"];

/// What users read first; the second is the help of all verbs.
const READ_FIRST: [&str; 2] = ["README.md", "docs/reference/cli.md"];

/// The most words of one sentence of [`READ_FIRST`], and of its sentences on average.
const WORDS_MAX: usize = 30;
const WORDS_MEAN_MAX: f64 = 12.0;

/// Names that say nothing of what they mean, and were replaced everywhere.
const RETIRED_TYPES: [&str; 8] = ["Place", "Told", "Way", "Kept", "Found", "Seat", "Turnstile", "Take"];
const RETIRED_FUNCTIONS: [&str; 7] = ["alone", "bracket", "words", "of", "tell", "settle", "lead"];

/// Texts in the product's code, help and pages are without [`RIDDLES`]. Other comments and tests are not looked at.
pub(crate) fn sentences_are_plain(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut check = |file: &File, at: usize, line: &str| {
        for (phrase, instead) in RIDDLES.iter().filter(|(phrase, _)| has(line, phrase)) {
            findings.push(finding(file, at + 1, format!("\"{phrase}\" is a riddle: {instead}")));
        }
    };
    for (file, _) in repo.product().filter(|(file, _)| file.path != HOME) {
        let is_help = HELP.iter().any(|path| file.path.starts_with(path));
        for (at, (line, string)) in file.text.lines().zip(source::strings(&file.text).lines()).enumerate() {
            check(file, at, if is_help { line } else { string });
        }
    }
    for page in repo.files.iter().filter(|file| file.path.ends_with(".md")) {
        page.text.lines().enumerate().for_each(|(at, line)| check(page, at, line));
    }
    findings
}

/// Sentences of [`READ_FIRST`] are short: what a reader in a hurry takes in at once.
pub(crate) fn sentences_are_short(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in READ_FIRST.iter().filter_map(|path| repo.file(path)) {
        let lengths = lengths_of_sentences(&page.text);
        for (line, words) in lengths.iter().filter(|(_, words)| *words > WORDS_MAX) {
            findings.push(finding(page, *line, format!("a sentence of {words} words, at most {WORDS_MAX}: split it")));
        }
        let mean = lengths.iter().map(|(_, words)| *words as f64).sum::<f64>() / lengths.len().max(1) as f64;
        if mean > WORDS_MEAN_MAX {
            findings.push(finding(page, 1, format!("{mean:.1} words per sentence, at most {WORDS_MEAN_MAX}")));
        }
    }
    findings
}

/// The words of each sentence of three words or more, with the line on which its paragraph begins. Lists, tables,
/// headings and columns of a help end a paragraph; code and targets of links are no words.
fn lengths_of_sentences(text: &str) -> Vec<(usize, usize)> {
    let mut paragraphs: Vec<(usize, String)> = vec![(1, String::new())];
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let is_command = line.starts_with("nmax ") || line.contains("  ");
        let begins = line.is_empty() || is_command || line.starts_with(['|', '#', '`', '-', '*', '<', '!', '$']);
        if begins {
            paragraphs.push((at + 1, String::new()));
        }
        if let Some((_, paragraph)) = paragraphs.last_mut().filter(|_| !line.starts_with(['|', '#', '<', '!'])) {
            let words = line.split('`').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "code" });
            paragraph.extend(words.chain([" "]));
        }
    }
    let is_word = |word: &&str| word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '[');
    let sentences = paragraphs.iter().flat_map(|(line, text)| {
        let words = |sentence: &str| sentence.split_whitespace().filter(is_word).count();
        text.split_inclusive(&['.', ':', ';', '?'][..])
            .fold(vec![String::new()], |mut sentences: Vec<String>, part| {
                match sentences.last_mut() {
                    // A point inside a word, as in `1.5` or `plan.yaml`, ends nothing.
                    Some(last) if !part.starts_with(' ') => last.push_str(part),
                    _ => sentences.push(part.to_owned()),
                }
                sentences
            })
            .into_iter()
            .map(|sentence| (*line, words(&sentence)))
            .collect::<Vec<_>>()
    });
    sentences.filter(|(_, words)| *words >= 3).collect()
}

/// No definition has a name of [`RETIRED_TYPES`] or [`RETIRED_FUNCTIONS`].
pub(crate) fn names_are_terms(repo: &Repo) -> Vec<Finding> {
    let types = ["struct", "enum", "trait", "type", "union"].map(|kind| (kind, &RETIRED_TYPES[..]));
    let kinds = types.into_iter().chain([("fn", &RETIRED_FUNCTIONS[..])]);
    let retired: Vec<String> =
        kinds.flat_map(|(kind, names)| names.iter().map(move |name| format!("{kind} {name}"))).collect();
    let mut findings = Vec::new();
    for (file, code) in repo.product() {
        for retired in &retired {
            for line in source::lines_with(code, retired) {
                let text = format!("`{retired}`: take a name that says what it is, in the words of the glossary");
                findings.push(finding(file, line, text));
            }
        }
    }
    findings
}

/// Whether a line has the phrase as whole words, and not in one of its good uses.
fn has(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_letter = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    line.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + phrase.len()..]);
        let is_whole = !is_letter(before.chars().next_back()) && !is_letter(after.chars().next());
        let next = after.split(|char: char| !char.is_alphanumeric()).find(|word| !word.is_empty());
        let is_good = phrase.ends_with(" no")
            && (before.trim_end().ends_with(THERE) || next.is_none_or(|word| AFTER_NO.contains(&word)));
        is_whole && !is_good
    })
}

#[cfg(test)]
mod tests;
