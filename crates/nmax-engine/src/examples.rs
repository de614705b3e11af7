//! Failed exchanges kept for study, with what must not be stored taken out.

use nmax_http::{Exchange, Piece};
use nmax_metrics::{FailureExample, NameId, Nanos, Outcome};
use nmax_plan::secret::{is_secret_header, is_secret_name};

use crate::context::{Assignment, Context};
use crate::driver::{Driver, Drivers};
use crate::runtime::Runtime;
use crate::verify::Verified;

/// Most bytes of a request or reply that an example keeps.
const EXAMPLE_BYTES_MAX: usize = 64 * 1024;
/// What stands in the place of a secret.
const REDACTED: &str = "[redacted]";
/// Parameters of a URL or form whose values are secrets; elsewhere the name says nothing.
const SECRET_PARAMETERS: [&str; 1] = ["code"];
/// Headers that ask for a login: scheme and realm may be seen, what is to be answered may not.
const CHALLENGES: [&str; 2] = ["www-authenticate", "proxy-authenticate"];

/// An exchange and its place in the run.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) assignment: &'a Assignment,
    pub(crate) name: NameId,
    pub(crate) exchange: &'a Exchange,
    pub(crate) intended: Nanos,
}

/// A request as it was sent.
#[derive(Clone, Copy)]
pub(crate) struct SentBytes<'a> {
    pub(crate) bytes: &'a [u8],
    /// What came after them.
    pub(crate) rest: &'a [Piece<'a>],
}

impl SentBytes<'_> {
    /// Nothing was sent.
    pub(crate) const NONE: Self = Self { bytes: &[], rest: &[] };

    /// The message with a few words in the place of each file.
    pub(crate) fn shown(&self) -> Vec<u8> {
        let mut shown = self.bytes.to_vec();
        for piece in self.rest {
            match piece {
                Piece::Bytes(bytes) => shown.extend_from_slice(bytes),
                Piece::File { name, length, .. } => {
                    shown.extend_from_slice(format!("[{length} bytes of {name}]").as_bytes());
                }
            }
        }
        shown
    }
}

/// Keeps a failed exchange, unless there are enough of its kind.
pub(crate) fn keep<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    seen: &Seen<'_>,
    verified: &Verified,
    sent: SentBytes<'_>,
    driver: &D::Driver,
) {
    let kind = match verified.outcome {
        Outcome::Error(kind) => kind.name(),
        Outcome::Ok | Outcome::Failed => &verified.kind,
    };
    if !context.meter.borrow_mut().wants_example(kind) {
        return;
    }
    let (exchange, scenario) = (seen.exchange, &context.program.plan.scenarios[seen.assignment.scenario].name);
    let text = match (&exchange.error, &verified.text) {
        (Some(failure), _) => redact_fields(&failure.text),
        (None, Some(text)) => redact_fields(text),
        (None, None) if kind.starts_with("status ") => format!("{kind} is not what the plan expects"),
        (None, None) => format!("{kind} does not hold, in a reply with status {}", exchange.status.unwrap_or_default()),
    };
    let reply = match (exchange.status, sent.bytes) {
        (_, []) => Vec::new(), // Nothing was asked, so the last reply is another one's.
        (Some(_), _) => {
            let reply = driver.reply();
            [reply.head(), reply.body()].concat()
        }
        (None, _) => {
            let (head, body) = driver.remains();
            [head, body].concat()
        }
    };
    let example = FailureExample {
        at: exchange.done,
        name: context.names.name(seen.name),
        scenario: scenario.clone(),
        outcome: verified.outcome,
        kind: kind.to_owned(),
        status: exchange.status,
        text,
        request: redact(&sent.shown()),
        reply: redact(&reply),
        response_time: exchange.done.since(seen.intended),
    };
    context.meter.borrow_mut().keep_example(example);
}

/// A message as text, shortened, with the values of secret headers and fields taken out.
pub fn redact(message: &[u8]) -> String {
    let shown = &message[..message.len().min(EXAMPLE_BYTES_MAX)];
    let text = String::from_utf8_lossy(shown);
    let (head, body) = head_and_body(&text);
    let mut lines: Vec<String> =
        head.split('\n').map(|line| redact_line(line.strip_suffix('\r').unwrap_or(line))).collect();
    if let Some(first) = lines.first_mut() {
        *first = redact_fields(first);
    }
    if !body.is_empty() {
        lines.push(String::new());
        lines.push(match boundary(head) {
            Some(boundary) => redact_parts(body, boundary),
            None => redact_fields(body),
        });
    }
    if message.len() > shown.len() {
        lines.push(format!("[{} more bytes]", message.len() - shown.len()));
    }
    lines.join("\n")
}

/// Splits a message at its empty line. Some servers end lines with LF alone.
fn head_and_body(text: &str) -> (&str, &str) {
    let ends = ["\r\n\r\n", "\n\n"].map(|end| text.find(end).map(|at| (at, at + end.len())));
    match ends.into_iter().flatten().min() {
        Some((at, after)) => (&text[..at], &text[after..]),
        None => (text, ""),
    }
}

/// What separates the parts of a multipart message.
pub fn boundary(head: &str) -> Option<&str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(name, _)| name.trim().eq_ignore_ascii_case("content-type"))?;
    let at = value.to_ascii_lowercase().find("boundary=")?;
    let given = value.get(at + "boundary=".len()..)?;
    let given = given.split(';').next()?.trim().trim_matches('"');
    (value.trim_start().get(..10)?.eq_ignore_ascii_case("multipart/") && !given.is_empty()).then_some(given)
}

/// Takes out the contents of parts whose name is a secret's.
fn redact_parts(body: &str, boundary: &str) -> String {
    let separator = format!("--{boundary}");
    let part = |part: &str| {
        let Some((head, content)) = part.split_once("\r\n\r\n") else {
            return part.to_owned();
        };
        if part_name(head).is_some_and(is_secret_name) {
            format!("{head}\r\n\r\n{REDACTED}\r\n")
        } else {
            format!("{head}\r\n\r\n{}", redact_fields(content))
        }
    };
    body.split(separator.as_str()).map(part).collect::<Vec<_>>().join(&separator)
}

/// The name of a part, from its head.
pub fn part_name(head: &str) -> Option<&str> {
    let lower = head.to_ascii_lowercase();
    let at = lower.match_indices("name=\"").map(|(at, _)| at).find(|at| !lower[..*at].ends_with("file"))?;
    head.get(at + "name=\"".len()..)?.split('"').next()
}

/// A line of a head with its secrets taken out.
fn redact_line(line: &str) -> String {
    match line.split_once(':') {
        Some((name, _)) if is_secret_header(name) => format!("{name}: {REDACTED}"),
        Some((name, value)) if CHALLENGES.iter().any(|known| name.trim().eq_ignore_ascii_case(known)) => {
            format!("{name}:{}", redact_challenge(value))
        }
        Some((name, value)) => format!("{name}:{}", redact_fields(value)),
        None => line.to_owned(),
    }
}

/// Takes out the nonces of challenges and the tokens that stand without a name: `Negotiate oYG2..`.
fn redact_challenge(value: &str) -> String {
    let part = |part: &str| match part.trim().split_once(' ') {
        Some((scheme, token)) if !token.trim_end_matches('=').contains('=') => format!(" {scheme} {REDACTED}"),
        _ => redact_fields(part),
    };
    value.split(',').map(part).collect::<Vec<_>>().join(",")
}

/// Takes out user name and password in front of the host of every URL in a text, also of `//user@host` and of the
/// `https:\/\/user@host` that some write in JSON. What stands in their place needs no quotes in YAML and no encoding
/// in a URL.
pub fn redact_users(text: &str) -> String {
    const STOPS: [char; 11] = ['/', '?', '#', ' ', '"', '\'', '\\', '<', '>', '\r', '\n'];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = authority_at(rest) {
        let (before, after) = rest.split_at(at);
        let end = after.find(STOPS).unwrap_or(after.len());
        out.push_str(before);
        rest = match after[..end].rfind('@') {
            Some(user_end) => {
                out.push_str("REDACTED");
                &after[user_end..]
            }
            None => after,
        };
    }
    out + rest
}

/// Where the next host of a URL begins, or the user before it.
fn authority_at(text: &str) -> Option<usize> {
    let ends_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '~' | '%');
    text.match_indices('/').find_map(|(at, _)| {
        let before = text[..at].trim_end_matches('\\');
        let after = text[at + 1..].trim_start_matches('\\').strip_prefix('/')?;
        // Two slashes inside a path begin no host.
        (!before.ends_with(ends_path)).then_some(text.len() - after.len())
    })
}

/// Takes out the values of `name=value` (forms, queries) and `"name": "value"` (JSON) where the name is a secret's, and
/// the users of URLs.
pub fn redact_fields(text: &str) -> String {
    let text = redact_users(text);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((name_end, value_start, value_end)) = next_field(rest) {
        let name = rest[..name_end].rsplit(|c: char| !is_name(c)).next().unwrap_or_default();
        let is_parameter = SECRET_PARAMETERS.iter().any(|known| name.eq_ignore_ascii_case(known))
            && rest[name_end..value_start] == *"="
            && !rest[..name_end - name.len()].ends_with([' ', '"', ',', '{']);
        let is_secret = (is_secret_name(name) || is_parameter) && value_start < value_end;
        out.push_str(&rest[..value_start]);
        if is_secret {
            out.push_str(REDACTED);
        }
        // What is no secret may hold one: a URL its query, a query its fragment.
        rest = &rest[if is_secret { value_end } else { value_start }..];
    }
    out.push_str(rest);
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// The next field: end of its name, start and end of its value.
fn next_field(text: &str) -> Option<(usize, usize, usize)> {
    let mut from = 0;
    while let Some(at) = text[from..].find(['=', ':']).map(|at| at + from) {
        let name_end = text[..at].trim_end().trim_end_matches('"').len();
        let is_json = text.as_bytes()[at] == b':';
        let after = at + 1;
        if is_json && !text[..at].trim_end().ends_with('"') {
            from = after; // Not the name of a JSON field: a URL, a time.
            continue;
        }
        let start = after + (text[after..].len() - text[after..].trim_start_matches(' ').len());
        let is_quoted = text[start..].starts_with('"');
        let (start, end) = if is_quoted {
            let length = closing_quote(&text[start + 1..]);
            (start + 1, start + 1 + length)
        } else {
            let stops: &[char] =
                if is_json { &[',', '}', ']', '\n', '\r', '"'] } else { &['&', ' ', '\n', '\r', '"', '<', '>', ';'] };
            (after, text[after..].find(stops).map_or(text.len(), |length| after + length))
        };
        return Some((name_end, start, end));
    }
    None
}

/// Length up to the quote that ends a string, escaped ones passed over.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (index, c) in text.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return index,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests;
