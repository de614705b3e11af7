//! `nmax explain`: what the codes of results mean, in plain words.

use nmax_analysis::explain::{Explanation, Weight, explanations, find, nearest, search};
use nmax_json::{Version, Word, records};
use nmax_report::terminal::hanging;
use nmax_run::Exit;

use super::{Ended, Trouble};
use crate::args::ExplainArgs;
use crate::say;

/// Columns of a code in the list.
const CODE_COLUMNS: usize = 22;
/// Columns of a line of text.
const LINE_COLUMNS: usize = 100;

/// Explains a code, or lists all.
pub fn explain(args: &ExplainArgs) -> Ended {
    let found = match &args.code {
        None => explanations().collect(),
        Some(code) => match find(code) {
            found if found.is_empty() => search(code),
            found => found,
        },
    };
    if let (Some(code), true) = (&args.code, found.is_empty()) {
        return Err(unknown(code));
    }
    if args.json {
        say::line(format_args!("{:#}", nmax_json::value::<Codes, _>(found)));
    } else if args.code.is_none() {
        say::text(list(&found));
    } else {
        let texts: Vec<String> = found.into_iter().map(in_full).collect();
        say::text(texts.join("\n"));
    }
    Ok(Exit::Pass)
}

fn unknown(code: &str) -> Trouble {
    let help = nearest(code).map_or_else(
        || "`nmax explain` lists all codes".to_owned(),
        |nearest| format!("did you mean `{nearest}`? `nmax explain` lists all codes"),
    );
    Trouble::usage(format_args!("`{code}` is not a code of a result"), help)
}

/// One line for each, by what they may do.
fn list(found: &[&Explanation]) -> String {
    let groups = found.chunk_by(|a, b| a.weight == b.weight).map(|group| {
        let lines =
            group.iter().map(|explanation| format!("  {:CODE_COLUMNS$}{}\n", explanation.code, explanation.title));
        format!("{}\n{}", capital(group[0].weight.effect()), lines.collect::<String>())
    });
    let groups: Vec<String> = groups.collect();
    format!("{}\nMore of one: `nmax explain CODE`\n", groups.join("\n"))
}

fn in_full(explanation: &Explanation) -> String {
    let Explanation { code, title, weight, means, computed, remedy } = explanation;
    let parts = [("meaning", *means), ("weight", weight.effect()), ("computed", *computed), ("what to do", *remedy)];
    let parts = parts.map(|(name, text)| hanging(&format!("  {name:12}"), text, 14, LINE_COLUMNS));
    format!("{code}: {title}\n{}", parts.concat())
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

records! {
    pub(super) struct Codes(found: Vec<&Explanation>) {
        schema_version: Version = Version;
        codes: Vec<Code> = found;
    }
    pub(super) struct Code(explanation: &Explanation) {
        code: Word;
        title: Word;
        weight: Word = explanation.weight.name(), in Weight::ALL.map(Weight::name), "What it may do to the verdict.";
        means: Word;
        computed: Word;
        remedy: Word;
    }
}

#[cfg(test)]
mod tests;
