//! Copied `curl` commands as a recording: one entry for each URL.
//!
//! What browsers copy is read in both of their forms, for `bash` and for `cmd.exe`, and so is what people write. Files
//! are named, not read. An option that is not known is an error, since it may change what is sent.
//!
//! # Layout
//! - `shell_words`: a text as words; `options`: what they mean; `command`: a command as what it asks for
//! - `request`: what it asks for as requests

use crate::recording::{Entry, Kind, Recording};

mod command;
mod options;
mod request;
mod shell_words;

use shell_words::Word;

/// What commands ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Copied {
    /// Its requests, without replies. Files that it names are named, not read.
    pub recording: Recording,
    /// What was left out, in sentences.
    pub notes: Vec<String>,
}

/// What is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}\n  help: {help}")]
pub struct CurlError {
    /// Where: `character 17`, or `argument 3`.
    pub at: String,
    /// What.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// Reads commands as `bash` or `cmd.exe` would: every error at once. O(length).
pub fn read(text: &str) -> Result<Copied, Vec<CurlError>> {
    if let Some(other) = other_language(text) {
        return Err(vec![wrong("character 1", &format!("this is {other}, not a curl command"))]);
    }
    let shell_words::Split { commands, notes } = shell_words::split(text).map_err(|error| vec![error])?;
    let mut copied = requests(&commands)?;
    copied.notes.splice(0..0, notes);
    Ok(copied)
}

/// Reads words that a shell has already taken apart, with or without `curl` in front. A single word with blanks is read
/// as a whole command line.
pub fn read_words(words: &[String]) -> Result<Copied, Vec<CurlError>> {
    if let [only] = words
        && only.contains(char::is_whitespace)
    {
        return read(only);
    }
    let word = |(index, text): (usize, &String)| Word { text: text.clone(), at: format!("argument {}", index + 1) };
    requests(&[words.iter().enumerate().map(word).collect()])
}

/// Whether a word of a command line is curl: by its name, or by a path to it.
pub fn is_curl(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "curl" | "curl.exe")
}

fn wrong(at: &str, what: &str) -> CurlError {
    CurlError {
        at: at.to_owned(),
        what: what.to_owned(),
        help: "in the browser's developer tools, tab Network, choose `Copy as cURL (bash)`".to_owned(),
    }
}

/// What else browsers copy.
fn other_language(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
    if starts(&["fetch(", "await fetch("]) {
        Some("JavaScript")
    } else if starts(&["Invoke-WebRequest", "Invoke-RestMethod", "$session"]) {
        Some("PowerShell")
    } else {
        None
    }
}

fn requests(commands: &[Vec<Word>]) -> Result<Copied, Vec<CurlError>> {
    let (mut copied, mut errors) = (Copied::default(), Vec::new());
    for (index, words) in commands.iter().enumerate() {
        let prompt = words.iter().take_while(|word| matches!(word.text.as_str(), "$" | "#" | "%" | "time")).count();
        let words = &words[prompt..];
        let start = usize::from(words.first().is_some_and(|word| is_curl(&word.text)));
        let is_program = |word: &Word| !word.text.starts_with('-') && !word.text.contains(['.', ':', '/']);
        // Behind a `&` that no quotes protect, the rest of a URL looks like a command.
        let is_other = |word: &Word| index > 0 || (words.len() > 1 && is_program(word));
        if let Some(first) = words.first().filter(|first| start == 0 && is_other(first)) {
            let mut error = wrong(&first.at, &format!("`{}` is not curl", first.text));
            if index > 0 {
                error.help = "put a URL with `&` in quotes".to_owned();
            }
            errors.push(error);
            continue;
        }
        let mut reader = command::Reader::new(&words[start..]);
        reader.read();
        errors.append(&mut reader.errors);
        reader.notes.retain(|note| !copied.notes.contains(note));
        copied.notes.append(&mut reader.notes);
        for asks in reader.requests {
            let number = copied.recording.entries.len() + 1;
            copied.recording.entries.push(Entry {
                number,
                request: asks.request,
                kind: Kind::Call,
                is_to_follow: asks.is_to_follow,
                ..Entry::default()
            });
        }
    }
    if errors.is_empty() && copied.recording.entries.is_empty() {
        errors.push(wrong("character 1", "no URL"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    if let Some(first) = copied.recording.entries.first() {
        copied.recording.name = crate::parts::split(&first.request.url).host.to_owned();
    }
    copied.recording.creator = "curl".to_owned();
    copied.recording.is_command = true;
    Ok(copied)
}
