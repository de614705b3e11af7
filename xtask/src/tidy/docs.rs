//! Rules about pages: links lead somewhere, and the tests that they name exist.

use super::repo::{File, Repo};
use super::{Finding, finding, source};

/// Where the pages stand that name tests in tables.
const METHODS: &str = "docs/methods/";

/// Heads of the last column of a table that names tests.
const HEADS: [&str; 2] = ["test", "tests"];

/// What stands before tests that are named outside of tables; they are on one line.
const LEAD: &str = "Tests: `";

/// A link from a page to a file of the repository leads to a file or folder, and to a heading of it.
pub(crate) fn links_lead_somewhere(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in pages(repo) {
        for (line, text) in prose(page) {
            for link in links(text).filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
                if let Some(why) = broken(repo, page, link) {
                    findings.push(finding(page, line, format!("link `{link}`: {why}")));
                }
            }
        }
    }
    findings
}

/// In tables of [`METHODS`] whose last column is headed by one of [`HEADS`], and after [`LEAD`] outside of tables, each
/// name in backticks is a test of the crate that follows it: `` `one`, `two` (nmax-http); `three` (nmax) ``.
pub(crate) fn named_tests_exist(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in pages(repo).filter(|page| page.path.starts_with(METHODS)) {
        for (line, cell) in cells_of_tests(page).into_iter().chain(sentences_of_tests(page)) {
            let (tests, rest) = named_tests(cell);
            for (name, krate) in tests.iter().filter(|(name, krate)| !has_test(repo, krate, name)) {
                let text = format!("`{name}` is not a test of {krate}: name the one that holds this now");
                findings.push(finding(page, line, text));
            }
            if rest {
                findings.push(finding(page, line, "name the crate in parentheses after its tests".to_owned()));
            }
        }
    }
    findings
}

fn pages(repo: &Repo) -> impl Iterator<Item = &File> {
    repo.files.iter().filter(|file| file.path.ends_with(".md"))
}

/// The lines of a page outside of fenced blocks, numbered from 1.
fn prose(page: &File) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    let lines = page.text.lines().enumerate().filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    });
    lines.map(|(at, line)| (at + 1, line))
}

/// What the links of a line point at. A link that is broken over two lines has its target on one of them.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.match_indices("](").map(|(at, _)| &line[at + 2..]);
    targets.filter_map(|rest| Some(&rest[..rest.find(')')?]))
}

/// Why `link` on `page` leads nowhere; `None` when it does lead somewhere.
fn broken(repo: &Repo, page: &File, link: &str) -> Option<&'static str> {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = if path.is_empty() {
        page.path.clone()
    } else {
        let Some(path) = resolve(&page.path, path) else {
            return Some("it leaves the repository");
        };
        path
    };
    let Some(target) = repo.file(&path) else {
        let is_folder = repo.files.iter().any(|file| file.path.starts_with(&format!("{path}/")));
        return (!is_folder).then_some("there is no such file");
    };
    let has_heading = || prose(target).any(|(_, line)| line.starts_with('#') && slug(line) == anchor);
    (!anchor.is_empty() && !has_heading()).then_some("there is no such heading")
}

/// The path from the root that `link` means on the page at `from`.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchor of a heading: its words in small letters, joined by `-`, without punctuation.
fn slug(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The last cells of the tables that name tests, without their heads, with their lines.
fn cells_of_tests(page: &File) -> Vec<(usize, &str)> {
    let mut cells = Vec::new();
    let mut names_tests = None;
    for (line, text) in prose(page) {
        let Some(row) = text.strip_prefix('|') else {
            names_tests = None;
            continue;
        };
        let last = row.trim_end().trim_end_matches('|').rsplit('|').next();
        let last = last.unwrap_or_default().trim();
        match names_tests {
            None => names_tests = Some(HEADS.contains(&last)),
            Some(true) if !last.starts_with("--") => cells.push((line, last)),
            Some(_) => {}
        }
    }
    cells
}

/// What follows [`LEAD`] on the lines outside of tables.
fn sentences_of_tests(page: &File) -> impl Iterator<Item = (usize, &str)> {
    let lines = prose(page).filter(|(_, text)| !text.starts_with('|'));
    lines.filter_map(|(line, text)| Some((line, &text[text.find(LEAD)?..])))
}

/// The tests that a cell or sentence names, with their crates, and whether some are left without one.
fn named_tests(cell: &str) -> (Vec<(&str, &str)>, bool) {
    let mut tests = Vec::new();
    let mut waiting = Vec::new();
    for (at, part) in cell.split('`').enumerate() {
        if at % 2 == 1 {
            waiting.push(part);
        } else if let Some((_, rest)) = part.split_once('(') {
            let krate = rest.split(')').next().unwrap_or_default();
            tests.extend(waiting.drain(..).map(|name| (name, krate)));
        }
    }
    (tests, !waiting.is_empty())
}

/// Whether the crate has a function of that name that is marked as a test.
fn has_test(repo: &Repo, krate: &str, name: &str) -> bool {
    let function = format!("fn {name}");
    let mut files = repo.rust().filter(|file| file.krate() == krate);
    files.any(|file| {
        let lines: Vec<&str> = file.code.lines().collect();
        source::lines_with(&file.code, &function).into_iter().any(|line| {
            let above = lines[..line - 1].iter().rev().map(|line| line.trim());
            above
                .take_while(|line| line.is_empty() || line.starts_with("#["))
                .chain([lines[line - 1]])
                .any(|line| line.contains("test]") || line.contains("test("))
        })
    })
}

#[cfg(test)]
mod tests;
