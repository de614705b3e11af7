//! One of each primitive: what a shared module or a crate of others does is not written a second time.
//!
//! Each row of the table says where its subject lives and by which tell-tales a private copy shows: constants of the
//! algorithm, names, literals. A copy without them escapes; the rule holds the usual ways of writing one.

use super::repo::{File, Repo};
use super::{Finding, finding};

/// Lines before and after the first sign of a copy in which its other signs are looked for.
const NEAR: usize = 16;

/// What exists once.
struct Primitive {
    /// Each is a copy's tell-tale: texts, of which the others stand near the first. Capitals do not count.
    signs: &'static [&'static [&'static str]],
    /// What to take instead.
    instead: &'static str,
    /// Files that have a tell-tale and may, with the reason.
    allowed: &'static [(&'static str, &'static str)],
}

const HOME: &str = "it lives here";
const IS_ONE: &str = "whether a text is a URL";
const OWN_WORDS: &str = "a refusal with words of its own";
const BYTES: &str = "bytes, which need not be a text";
const NO_SCHEME: &str = "the scheme may be missing";

const PRIMITIVES: [Primitive; 13] = [
    Primitive {
        signs: &[
            &["%{", ":02x}"],
            &["b'%'", "to_digit(16)"],
            &["b'%'", "from_str_radix"],
            &["b'%'", "is_ascii_hexdigit"],
            &["'%'", "from_str_radix"],
        ],
        instead: "take `nmax_text::percent`",
        allowed: &[
            ("crates/nmax-text/src/percent.rs", HOME),
            ("crates/nmax-secrets/src/coding.rs", "it says where each character was written"),
        ],
    },
    Primitive {
        signs: &[&["vwxyz0123456789+/"], &["vwxyz0123456789-_"]],
        instead: "take the crate `base64`",
        allowed: &[],
    },
    Primitive {
        signs: &[
            &["fn levenshtein"],
            &["fn edit_distance"],
            &["fn distance(a: &str, b: &str)"],
            &["- 1] !=", "- 1] + 1"],
        ],
        instead: "take `nmax_text::nearest`",
        allowed: &[("crates/nmax-text/src/nearest.rs", HOME)],
    },
    Primitive {
        signs: &[&["146_097"], &["146097"], &["719_468"], &["719468"], &["719_469"], &["is_multiple_of(400)"]],
        instead: "take `nmax_text::civil`, or `jiff`",
        allowed: &[("crates/nmax-text/src/civil.rs", HOME)],
    },
    Primitive {
        signs: &[&["bf58_476d"], &["bf58476d"], &["94d0_49bb"], &["94d049bb"]],
        instead: "take `nmax_data::choice`: `mix64`, `Stream` or `Choice`",
        allowed: &[("crates/nmax-data/src/choice.rs", HOME)],
    },
    Primitive {
        signs: &[&["replace('\"', \"\\\"\\\"\")"]],
        instead: "take `nmax_text::csv::cell` or `in_quotes`",
        allowed: &[
            ("crates/nmax-text/src/csv.rs", HOME),
            ("crates/nmax-data/src/write.rs", "the name of a table in SQL"),
        ],
    },
    Primitive {
        signs: &[&["starts_with(['=',"]],
        instead: "take `nmax_text::csv::harmless`",
        allowed: &[("crates/nmax-text/src/csv.rs", HOME)],
    },
    Primitive {
        signs: &[&["\"&amp;\"", "\"&lt;\""]],
        instead: "take `nmax_text::html::escape`, or `Escaped` of nmax-report",
        allowed: &[
            ("crates/nmax-text/src/html.rs", HOME),
            ("crates/nmax-report/src/markup.rs", "what hides in text becomes visible too"),
            ("crates/nmax-report/src/markdown.rs", "a table of Markdown"),
            ("crates/nmax-import/src/correlate/coding.rs", "references that are undone"),
            ("crates/nmax-secrets/src/coding.rs", "references that are undone"),
            ("crates/nmax-secrets/src/needles.rs", "as others write a secret"),
        ],
    },
    Primitive {
        signs: &[&[".is_multiple_of(3)", "push(',')"], &["% 3 == 0", "push(',')"]],
        instead: "take `nmax_text::number::count` or `grouped`",
        allowed: &[("crates/nmax-text/src/number.rs", HOME)],
    },
    Primitive {
        signs: &[&["trim_end_matches('0').trim_end_matches('.')"]],
        instead: "take `nmax_text::number::trimmed` or `without_zeros`",
        allowed: &[("crates/nmax-text/src/number.rs", HOME)],
    },
    Primitive {
        signs: &[&["'▁'"], &["▁▂"]],
        instead: "take `Glyphs::bars` or `heights`",
        allowed: &[("crates/nmax-report/src/terminal/curve.rs", HOME)],
    },
    Primitive {
        signs: &[&["fn ln_gamma"], &["fn log_gamma"], &["fn incomplete_beta"], &["fn beta_reg"]],
        instead: "take the crate `statrs`",
        allowed: &[("crates/nmax-analysis/src/compare/student.rs", "what the judgement is built of stays small")],
    },
    Primitive {
        signs: &[&["split_once(\"://\")"], &["split(\"://\")"], &["find(\"://\")"], &["b\"://\""]],
        instead: "take `nmax_text::url::split`, `nmax_http::Url` or `ServiceUrl`",
        allowed: &[
            ("crates/nmax-text/src/url.rs", HOME),
            ("crates/nmax-plan/src/addresses.rs", IS_ONE),
            ("crates/nmax-extract/src/values/link.rs", IS_ONE),
            (
                "crates/nmax-import/src/structure.rs",
                "a place that a redirect names, whose host stays and whose path does not",
            ),
            ("crates/nmax-import/src/har/entry.rs", "the scheme becomes small letters in its place"),
            ("crates/nmax-import/src/curl/request.rs", OWN_WORDS),
            ("crates/nmax-plan/src/planless.rs", OWN_WORDS),
            ("crates/nmax-sources/src/service.rs", OWN_WORDS),
            ("crates/nmax-target/src/options.rs", OWN_WORDS),
            ("crates/nmax-log/src/format/draft/joined.rs", BYTES),
            ("crates/nmax-run/src/sides/kinds.rs", BYTES),
            ("crates/nmax-secrets/src/find.rs", BYTES),
            ("crates/nmax-analysis/src/suspect/system.rs", NO_SCHEME),
            ("crates/nmax-observe/src/agent/link.rs", NO_SCHEME),
            ("crates/nmax-observe/src/service_address.rs", NO_SCHEME),
        ],
    },
];

/// No file has a private copy of what exists once, and no exception outlives its reason.
pub(crate) fn primitives_exist_once(repo: &Repo) -> Vec<Finding> {
    // The table itself is full of tell-tales.
    let product: Vec<(&File, Vec<String>)> = repo
        .product()
        .filter(|(file, _)| file.path != "xtask/src/tidy/primitives.rs")
        .map(|(file, code)| (file, lines(file, code)))
        .collect();
    let mut findings = Vec::new();
    for primitive in &PRIMITIVES {
        for (file, lines) in &product {
            let found: Vec<(usize, &str)> = primitive.signs.iter().filter_map(|signs| copy(lines, signs)).collect();
            let is_allowed = primitive.allowed.iter().any(|(path, _)| *path == file.path);
            if is_allowed && found.is_empty() {
                let text = "no longer needs its exception in xtask/src/tidy/primitives.rs: take it out".to_owned();
                findings.push(finding(file, 1, text));
            }
            if !is_allowed {
                let text =
                    |sign: &str| format!("`{sign}`, as in a second one of what exists once: {}", primitive.instead);
                findings.extend(found.into_iter().map(|(line, sign)| finding(file, line, text(sign))));
            }
        }
    }
    findings
}

/// The lines of a file in small letters; those of comments and tests are empty.
fn lines(file: &File, code: &str) -> Vec<String> {
    let pairs = file.text.lines().zip(code.lines());
    pairs.map(|(text, code)| if code.trim().is_empty() { String::new() } else { text.to_lowercase() }).collect()
}

/// The line, from 1, with the first of `signs` that has the others near it.
fn copy<'a>(lines: &[String], signs: &[&'a str]) -> Option<(usize, &'a str)> {
    let (first, others) = signs.split_first()?;
    let has = |line: &String, sign: &str| line.contains(&sign.to_lowercase());
    let is_near = |at: usize, sign: &str| {
        let end = (at + NEAR + 1).min(lines.len());
        lines[at.saturating_sub(NEAR)..end].iter().any(|line| has(line, sign))
    };
    let at = (0..lines.len()).find(|at| has(&lines[*at], first) && others.iter().all(|sign| is_near(*at, sign)))?;
    Some((at + 1, first))
}

#[cfg(test)]
mod tests;
