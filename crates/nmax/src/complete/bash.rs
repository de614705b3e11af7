//! Bash. Its own division of the line breaks words at `:` and `=`, as in `tag:main` and `--profile=soak`, so the script
//! passes the line as typed, and nmax divides it as bash will when the command is run.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap_complete::engine::complete;
use clap_complete::env::EnvCompleter;

/// `$2` is the part of the word that bash is going to replace.
const SCRIPT: &str = r#"_nmax() {
    mapfile -t COMPREPLY < <(VARIABLE=bash COMPLETER -- "${COMP_LINE:0:COMP_POINT}" "$2" 2> /dev/null)
}
complete -o bashdefault -o default -o nospace -o nosort -F _nmax PROGRAM 2> /dev/null ||
    complete -o bashdefault -o default -o nospace -F _nmax PROGRAM
"#;

/// Bash 4 or later.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let completer = format!("'{}'", completer.replace('\'', r"'\''"));
        let script = SCRIPT.replace("VARIABLE", var).replace("PROGRAM", bin).replace("COMPLETER", &completer);
        buf.write_all(script.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut clap::Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let mut args = args.into_iter().map(|arg| arg.to_string_lossy().into_owned());
        let line = divide(&args.next().unwrap_or_default());
        let replaced = args.next().unwrap_or_default();
        let Some(current) = line.words.last().cloned() else { return Ok(()) };
        let index = line.words.len() - 1;
        let words = line.words.into_iter().map(OsString::from).collect();
        let found = complete(command, words, index, current_dir)?;
        let found: Vec<_> = found.iter().map(|candidate| candidate.get_value().to_string_lossy()).collect();
        // Who typed nothing wants to see runs or files, and flags where there are none.
        let are_values = current.is_empty() && found.iter().any(|value| !value.starts_with('-'));
        // What of the word stays on the line.
        let kept = current.strip_suffix(&replaced).unwrap_or_default();
        for value in found.iter().filter(|value| !(are_values && value.starts_with('-'))) {
            if let Some(rest) = value.strip_prefix(kept) {
                writeln!(buf, "{}", spelled(rest, line.is_quoted))?;
            }
        }
        Ok(())
    }
}

/// A line as bash divides it.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// The last one is the word at the cursor, empty after a space.
    words: Vec<String>,
    /// Whether the cursor stands behind a quotation mark that is still open.
    is_quoted: bool,
}

/// The words of a line up to the cursor, without their quotation marks.
fn divide(line: &str) -> Line {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = line.trim_start().chars();
    while let Some(letter) = letters.next() {
        let word = words.last_mut().expect("there is a first word");
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.push(letter),
            (_, '\\') => word.extend(letters.next()),
            (Some(_), _) => word.push(letter),
            (None, '\'' | '"') => quote = Some(letter),
            (None, _) if !letter.is_whitespace() => word.push(letter),
            (None, _) if word.is_empty() => {}
            (None, _) => words.push(String::new()),
        }
    }
    Line { words, is_quoted: quote.is_some() }
}

/// A value as it is put on the line, with a space behind it where the word is complete.
fn spelled(value: &str, is_quoted: bool) -> String {
    if is_quoted {
        return value.to_owned();
    }
    let mut text = String::with_capacity(value.len() + 1);
    for letter in value.chars() {
        if !letter.is_alphanumeric() && !"_-./:=@%+,~".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    if !value.ends_with(['/', ':', '=']) {
        text.push(' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_divided_as_bash_does() {
        //  line                        words                               quoted  why this row
        let cases: [(&str, &[&str], bool, &str); 10] = [
            ("nmax sh", &["nmax", "sh"], false, "the word at the cursor"),
            ("nmax show ", &["nmax", "show", ""], false, "a new word"),
            ("  nmax   show  ", &["nmax", "show", ""], false, "several spaces are one"),
            ("nmax run --profile=so", &["nmax", "run", "--profile=so"], false, "`=` divides nothing"),
            ("nmax compare tag:ma", &["nmax", "compare", "tag:ma"], false, "`:` divides nothing"),
            ("nmax run 'my pl", &["nmax", "run", "my pl"], true, "an open quotation mark"),
            ("nmax run \"my \\\"pl", &["nmax", "run", "my \"pl"], true, "escaped inside"),
            (r"nmax run 'a\b' x", &["nmax", "run", r"a\b", "x"], false, "no escape between '"),
            (r"nmax run my\ pl", &["nmax", "run", "my pl"], false, "an escaped space"),
            ("", &[""], false, "nothing"),
        ];
        for (line, words, is_quoted, why) in cases {
            let words = words.iter().map(ToString::to_string).collect();
            assert_eq!(divide(line), Line { words, is_quoted }, "{why}: {line:?}");
        }
    }

    #[test]
    fn values_are_spelled_for_the_line() {
        let cases = [
            ("last", false, "last "),
            ("my plan.yaml", false, "my\\ plan.yaml "),
            ("my plan.yaml", true, "my plan.yaml"),
            ("plans/", false, "plans/"),
            ("tag:", false, "tag:"),
            ("a$b", false, "a\\$b "),
        ];
        for (value, is_quoted, want) in cases {
            assert_eq!(spelled(value, is_quoted), want, "{value:?}");
        }
    }
}
