//! Failed exchanges kept for study, with what must not be stored taken out.

use nmax_http::{Exchange, Reply};
use nmax_metrics::{FailureExample, NameId, Nanos, Outcome};

use crate::context::{Assignment, Context};
use crate::driver::Drivers;
use crate::runtime::Runtime;
use crate::verify::Verified;

/// Most bytes of a request or reply that an example keeps.
const EXAMPLE_BYTES_MAX: usize = 4096;
/// What stands in the place of a secret.
const REDACTED: &str = "[redacted]";
/// Headers whose values are secrets.
const SECRET_HEADERS: [&str; 6] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "x-auth-token",
];
/// Fields whose values are secrets, wherever their name contains one of these.
const SECRET_FIELDS: [&str; 8] = [
    "password", "passwd", "secret", "token", "csrf", "api_key", "apikey", "card",
];

/// An exchange and its place in the run.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) assignment: &'a Assignment,
    pub(crate) name: NameId,
    pub(crate) exchange: &'a Exchange,
    pub(crate) intended: Nanos,
}

/// Keeps a failed exchange, unless there are enough of its kind.
pub(crate) fn keep<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    seen: &Seen<'_>,
    verified: &Verified,
    sent: &[u8],
    reply: Option<&Reply<'_>>,
) {
    let kind = match verified.outcome {
        Outcome::Error(kind) => kind.name(),
        Outcome::Ok | Outcome::Failed => &verified.kind,
    };
    if !context.meter.borrow_mut().wants_example(kind) {
        return;
    }
    let (exchange, scenario) = (
        seen.exchange,
        &context.program.plan.scenarios[seen.assignment.scenario].name,
    );
    let text = match &exchange.error {
        Some(failure) => failure.text.to_string(),
        None if kind.starts_with("status ") => format!("{kind} is not what the plan expects"),
        None => format!(
            "{kind} does not hold, in a reply with status {}",
            exchange.status.unwrap_or_default()
        ),
    };
    let reply = reply
        .map(|reply| [reply.head(), reply.body()].concat())
        .unwrap_or_default();
    let example = FailureExample {
        at: exchange.done,
        name: context.names.name(seen.name),
        scenario: scenario.clone(),
        outcome: verified.outcome,
        kind: kind.to_owned(),
        status: exchange.status,
        text,
        request: redact(sent),
        reply: redact(&reply),
        response_time: exchange.done.since(seen.intended),
    };
    context.meter.borrow_mut().keep_example(example);
}

/// A message as text, shortened, with the values of secret headers and fields taken out.
pub fn redact(message: &[u8]) -> String {
    let shown = &message[..message.len().min(EXAMPLE_BYTES_MAX)];
    let text = String::from_utf8_lossy(shown);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines: Vec<String> = head.split("\r\n").map(redact_line).collect();
    if let Some(first) = lines.first_mut() {
        *first = redact_fields(first);
    }
    if !body.is_empty() {
        lines.push(String::new());
        lines.push(redact_fields(body));
    }
    if message.len() > shown.len() {
        lines.push(format!("[{} more bytes]", message.len() - shown.len()));
    }
    lines.join("\n")
}

/// Whether a header's value is a secret.
pub fn is_secret_header(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    SECRET_HEADERS.contains(&name.as_str()) || is_secret_name(&name)
}

/// Whether the name of a field or variable says that its value is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_FIELDS.iter().any(|secret| name.contains(secret))
}

fn redact_line(line: &str) -> String {
    match line.split_once(':') {
        Some((name, _)) if is_secret_header(name) => format!("{name}: {REDACTED}"),
        Some((name, value)) => format!("{name}:{}", redact_fields(value)),
        None => line.to_owned(),
    }
}

/// Takes out the values of `name=value` (forms, queries) and `"name": "value"` (JSON) where the name is a secret's.
pub fn redact_fields(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((name_end, value_start, value_end)) = next_field(rest) {
        let name = rest[..name_end]
            .rsplit(|c: char| !is_name(c))
            .next()
            .unwrap_or_default();
        let is_secret = is_secret_name(name);
        out.push_str(&rest[..value_start]);
        out.push_str(if is_secret && value_start < value_end {
            REDACTED
        } else {
            &rest[value_start..value_end]
        });
        rest = &rest[value_end..];
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
            let stops: &[char] = if is_json {
                &[',', '}', ']', '\n', '\r', '"']
            } else {
                &['&', ' ', '\n', '\r', '"', '<', '>', ';']
            };
            (
                after,
                text[after..].find(stops).map_or(text.len(), |length| after + length),
            )
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
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        let cases = [
            (
                "GET /a?token=abc&x=1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer xyz\r\nCookie: sid=1\r\n\r\n",
                "GET /a?token=[redacted]&x=1 HTTP/1.1\nHost: h\nAuthorization: [redacted]\nCookie: [redacted]",
            ),
            (
                "POST /login HTTP/1.1\r\nHost: h\r\n\r\nemail=a%40b.c&password=hunter2&csrf=77",
                "POST /login HTTP/1.1\nHost: h\n\nemail=a%40b.c&password=[redacted]&csrf=[redacted]",
            ),
            (
                "POST /api HTTP/1.1\r\n\r\n{\"user\": \"ann\", \"password\": \"a\\\"b\", \"n\": 3}",
                "POST /api HTTP/1.1\n\n{\"user\": \"ann\", \"password\": \"[redacted]\", \"n\": 3}",
            ),
            (
                "GET / HTTP/1.1\r\nReferer: https://h:8/x?token=abc&y=2\r\nX-CSRF-Token: 7\r\n\r\n{\"card\": 4111, \"k\": [1]}",
                "GET / HTTP/1.1\nReferer: https://h:8/x?token=[redacted]&y=2\nX-CSRF-Token: [redacted]\n\n{\"card\":[redacted], \"k\": [1]}",
            ),
        ];
        for (message, want) in cases {
            assert_eq!(redact(message.as_bytes()), want);
        }
    }

    #[test]
    fn long_messages_are_shortened_and_say_so() {
        let text = redact(&[b'a'; EXAMPLE_BYTES_MAX + 7]);
        assert!(text.ends_with("[7 more bytes]"), "{text}");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_redacted_without_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = redact(&bytes);
        }
    }
}
