//! The words of a command as what it asks for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nmax_text::percent;

use super::CurlError;
use super::options::{self, Known, Means};
use super::request::{CurlOptions, CurlRequest, Kind};
use super::shell_words::Word;
use crate::recording::{Field, is_header_name};

/// Goes through the words of a command.
#[derive(Default)]
pub(super) struct Reader<'a> {
    words: std::slice::Iter<'a, Word>,
    options: CurlOptions,
    pub(super) requests: Vec<CurlRequest>,
    pub(super) notes: Vec<String>,
    pub(super) errors: Vec<CurlError>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(words: &'a [Word]) -> Self {
        Self { words: words.iter(), ..Self::default() }
    }

    /// Reads a command behind its `curl`.
    pub(super) fn read(&mut self) {
        let mut only_urls = false;
        while let Some(word) = self.words.next() {
            if only_urls || !word.text.starts_with('-') || word.text == "-" {
                self.options.urls.push(word.clone());
            } else if word.text == "--" {
                only_urls = true;
            } else if let Some(name) = word.text.strip_prefix("--") {
                self.long(word, name);
            } else {
                self.short(word);
            }
        }
        self.finish();
    }

    fn error(&mut self, at: &str, what: impl Into<String>, help: impl Into<String>) {
        self.errors.push(CurlError { at: at.to_owned(), what: what.into(), help: help.into() });
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn long(&mut self, word: &Word, name: &str) {
        let Some((known, is_on)) = options::long(name) else {
            let names = options::all().map(|known| known.long);
            let near = nmax_text::nearest(name, names).map(|near| format!("; did you mean `--{near}`?"));
            let help = "leave it out if it does not change what is sent".to_owned() + &near.unwrap_or_default();
            // What stands behind `=` may be a secret.
            let name = name.split('=').next().unwrap_or_default();
            return self.error(&word.at, format!("`--{name}` is not an option of curl that nmax knows"), help);
        };
        let value = match known.takes_value {
            true => self.words.next().cloned(),
            false => None,
        };
        if is_on {
            self.option(known, word, value);
        }
    }

    /// Letters behind one `-`: `-sSL`, `-XPOST`.
    fn short(&mut self, word: &Word) {
        let letters = &word.text[1..];
        for (at, letter) in letters.char_indices() {
            let Some(known) = options::short(letter) else {
                let what = format!("`-{letter}` is not an option of curl that nmax knows");
                return self.error(&word.at, what, "leave it out if it does not change what is sent");
            };
            if !known.takes_value {
                self.option(known, word, None);
                continue;
            }
            let rest = &letters[at + letter.len_utf8()..];
            let value = match rest {
                "" => self.words.next().cloned(),
                rest => Some(Word { text: rest.to_owned(), at: word.at.clone() }),
            };
            return self.option(known, word, value);
        }
    }

    fn option(&mut self, known: Known, word: &Word, value: Option<Word>) {
        let name = match word.text.starts_with("--") {
            true => format!("--{}", known.long),
            false => known.short.map_or_else(|| known.long.to_owned(), |letter| format!("-{letter}")),
        };
        let value = match (value, known.takes_value) {
            (Some(value), _) => value,
            (None, false) => word.clone(),
            (None, true) => {
                return self.error(&word.at, format!("`{name}` has no value"), "copy the whole command");
            }
        };
        if let Some(kind) = Kind::from_means(known.means)
            && self.options.bodies.iter().all(|(other, _)| *other != kind)
        {
            self.options.bodies.push((kind, value.at.clone()));
        }
        match known.means {
            Means::Output => {}
            Means::Noted(why) => self.note(format!("`{name}` is not taken over: {why}")),
            Means::Refused(help) => self.error(&word.at, format!("`{name}` is not supported"), help),
            Means::Next => self.finish(),
            Means::Url => self.options.urls.push(value),
            Means::Method => self.options.method = Some(value.text),
            Means::Get => self.options.puts_data_in_query = true,
            Means::Head => self.options.is_head = true,
            Means::Query => self.options.query.push(urlencoded(value.text.trim_start_matches('+'))),
            Means::Redirects => self.options.is_to_follow = true,
            Means::TrustedRedirects => {
                self.options.is_to_follow = true;
                self.note(
                    "`--location-trusted` is taken as `-L`: another origin never sees the credentials".to_owned(),
                );
            }
            Means::Upload if is_input(&value.text) => self.no_input(&value.at),
            Means::Upload => self.options.upload = Some(value.text),
            means => self.content(means, value),
        }
    }

    fn no_input(&mut self, at: &str) {
        let help = "put it into a file and name that, or write it into the command";
        self.error(at, "the content of standard input is not known", help);
    }

    /// Headers and bodies.
    fn content(&mut self, means: Means, value: Word) {
        let mut text = value.text.clone();
        if means.is_header() {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
            if text.contains(['\r', '\n', '\0']) {
                return self.error(&value.at, "a header contains a line break", "write it in one line");
            }
        }
        let mut header = |name: &str, value: String| self.options.headers.push((name.to_owned(), value));
        match means {
            Means::Header => self.header(&value),
            Means::UserAgent => header("user-agent", text),
            Means::Referer => header("referer", text.trim_end_matches(";auto").to_owned()),
            Means::Bearer => header("authorization", format!("Bearer {text}")),
            Means::Range => header("range", format!("bytes={text}")),
            Means::Compressed => header("accept-encoding", "gzip, deflate, br, zstd".to_owned()),
            Means::User => {
                let user = if text.contains(':') { text } else { format!("{text}:") };
                header("authorization", format!("Basic {}", STANDARD.encode(user)));
            }
            Means::Cookie if text.contains('=') => self.options.cookies.push(text),
            Means::Cookie => self.note(format!("the cookies of the file `{text}` are not taken over")),
            Means::RawData => self.options.data.push(text),
            Means::Data => self.data(value),
            Means::Json => {
                self.options.is_json = true;
                self.data(value);
            }
            Means::UrlencodedData => {
                let name = text.split('=').next().unwrap_or_default();
                if name.contains('@') {
                    let help = "write the content of the file into the command";
                    return self.error(&value.at, "nmax cannot encode the content of a file", help);
                }
                self.options.data.push(urlencoded(&text));
            }
            Means::Form => self.field(&value),
            Means::FormText => match text.split_once('=') {
                Some((name, value)) => self.options.fields.push(field(name, value)),
                None => self.error(&value.at, "a field has no `=`", "write it as NAME=VALUE"),
            },
            _ => {}
        }
    }

    /// `Name: value`, `Name;` (empty), `Name:` (left out).
    fn header(&mut self, word: &Word) {
        let text = word.text.trim_end_matches(['\r', '\n']);
        let pair = text.split_once(':').filter(|(name, _)| !name.is_empty());
        let name = pair.map_or_else(|| text.strip_suffix(';'), |(name, _)| Some(name));
        if let Some(name) = name.map(str::trim).filter(|name| !is_header_name(name)) {
            let help = "use letters, digits and `-`";
            return self.error(&word.at, format!("`{name}` is not a name of a header"), help);
        }
        if let Some((name, value)) = pair {
            match value.trim() {
                "" => self.options.removed.push(name.trim().to_ascii_lowercase()),
                value => self.options.headers.push((name.trim().to_owned(), value.to_owned())),
            }
        } else if let Some(name) = text.strip_suffix(';') {
            self.options.headers.push((name.trim().to_owned(), String::new()));
        } else if let Some(file) = text.strip_prefix('@') {
            self.error(
                &word.at,
                format!("the headers of the file `{file}` are not known"),
                "write them into the command",
            );
        } else {
            // What stands behind the name may be a secret.
            let name = text.split([' ', '=']).next().unwrap_or_default();
            let more = if name.len() < text.len() { ".." } else { "" };
            self.error(&word.at, format!("`{name}{more}` is not a header"), "write it as `Name: value`");
        }
    }

    fn data(&mut self, word: Word) {
        match word.text.strip_prefix('@') {
            Some(file) if is_input(file) => self.no_input(&word.at),
            Some(file) => {
                let text = file.to_owned();
                self.options.file = Some(Word { text, at: word.at });
            }
            None => self.options.data.push(word.text),
        }
    }

    /// `name=value`, `name=@file`, with `;type=` and `;filename=` behind.
    fn field(&mut self, word: &Word) {
        let Some((name, rest)) = word.text.split_once('=') else {
            return self.error(&word.at, "a field has no `=`", "write it as NAME=VALUE or NAME=@FILE");
        };
        let mut pieces = rest.split(';');
        let mut content = pieces.next().unwrap_or_default().to_owned();
        let mut made = field(name, "");
        let mut file_name = None;
        for piece in pieces {
            match piece.trim().split_once('=') {
                Some(("type", kind)) => made.content_type = Some(kind.to_owned()),
                Some(("filename", name)) => file_name = Some(name.trim_matches('"').to_owned()),
                Some(("encoder" | "headers", _)) => {
                    self.note(format!("`;{}` of a field is not taken over", piece.trim()))
                }
                _ => {
                    content.push(';');
                    content.push_str(piece);
                }
            }
        }
        if let Some(file) = content.strip_prefix('@') {
            let file = file.trim_matches('"');
            if is_input(file) {
                return self.no_input(&word.at);
            }
            if file.contains(',') {
                return self.error(&word.at, "several files in one field", "write a field for each file");
            }
            if file_name.is_some() {
                self.note(format!("the file `{file}` is sent under its own name"));
            }
            made.file_name = Some(file.to_owned());
            made.content_type.get_or_insert_with(|| "application/octet-stream".to_owned());
        } else if let Some(file) = content.strip_prefix('<') {
            let help = "write the content of the file into the command, or send it as a file with `@`";
            return self.error(&word.at, format!("the content of the file `{file}` is not known"), help);
        } else {
            made.value = content.trim_matches('"').to_owned();
        }
        self.options.fields.push(made);
    }

    /// Complains about what curl refuses as well: a request has one body, and one method.
    fn one_body(&mut self, options: &CurlOptions) {
        let is_one_way = |kind: Kind| options.is_head && !(options.puts_data_in_query && kind == Kind::Data);
        if let [(kind, at), ..] = options.bodies.as_slice()
            && is_one_way(*kind)
        {
            let what = format!("`-I` asks for a head, and {} is sent beside it", kind.name());
            self.error(at, what, "leave one of them out, as curl does not take both either");
        }
        if let [(first, _), (second, at), ..] = options.bodies.as_slice() {
            let what = format!("{} and {} in one request", first.name(), second.name());
            self.error(at, what, "leave one of them out, as curl does not take both either");
        } else if let [(kind @ (Kind::Form | Kind::Upload), at)] = options.bodies.as_slice()
            && options.puts_data_in_query
        {
            let what = format!("`-G` and {} in one request", kind.name());
            self.error(at, what, "leave one of them out; `-G` goes with `-d`");
        }
    }

    /// Headers that the command leaves out and every request has.
    fn note_removed(&mut self, options: &CurlOptions) {
        let has_body = !options.bodies.is_empty() && !options.puts_data_in_query;
        for name in &options.removed {
            let is_sent =
                matches!(name.as_str(), "accept" | "host" | "user-agent") || name == "content-type" && has_body;
            if is_sent {
                self.note(format!("the header `{name}` is sent all the same: nmax always does"));
            }
        }
    }

    /// Makes the requests of what was asked for so far.
    fn finish(&mut self) {
        let options = std::mem::take(&mut self.options);
        self.one_body(&options);
        self.note_removed(&options);
        if options.file.is_some() && !options.data.is_empty() {
            let at = options.file.as_ref().map(|file| file.at.clone()).unwrap_or_default();
            self.error(&at, "the content of a file cannot be joined with other data", "put all of it into one file");
        }
        if let Some(file) = options.file.as_ref().filter(|_| options.puts_data_in_query) {
            let help = "write the content of the file into the command";
            self.error(&file.at, "nmax cannot put the content of a file into a URL", help);
        }
        for word in &options.urls {
            match options.request_for(&word.text) {
                Ok(asks) => self.requests.push(asks),
                Err(what) => self.error(&word.at, what, "give an URL such as https://shop.test/basket"),
            }
        }
        if options.urls.iter().any(|url| has_glob(&url.text)) {
            self.note("curl would make several URLs of `{..}` or `[..]`; it is taken as it is".to_owned());
        }
    }
}

/// Whether a file's name means standard input.
fn is_input(file: &str) -> bool {
    file == "-"
}

fn field(name: &str, value: &str) -> Field {
    Field { name: name.to_owned(), value: value.to_owned(), ..Field::default() }
}

/// `content`, `=content` or `name=content`, its content encoded.
fn urlencoded(text: &str) -> String {
    match text.split_once('=') {
        Some(("", content)) => percent::encode(content),
        Some((name, content)) => format!("{name}={}", percent::encode(content)),
        None => percent::encode(text),
    }
}

fn has_glob(url: &str) -> bool {
    url.contains('{') || url.split(['/', '?']).skip(3).any(|part| part.contains('['))
}
