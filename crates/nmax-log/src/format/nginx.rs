//! nginx's `log_format` becomes tokens of a template.

use super::error::Problem;
use super::field::{Field, Moment};
use super::number::Unit;
use super::template::Token;

/// The tokens of a format string, which is already unquoted.
///
/// # Errors
///
/// Dollar signs that no variable follows.
pub(super) fn tokens(format: &str) -> Result<Vec<Token>, Vec<Problem>> {
    let mut tokens = Vec::new();
    let mut problems = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let rest = &format[at..];
        let Some(dollar) = rest.find('$') else {
            tokens.push(Token::Text(rest.as_bytes().to_vec()));
            break;
        };
        tokens.push(Token::Text(rest.as_bytes()[..dollar].to_vec()));
        let (name, length) = variable(&rest[dollar..]);
        let at_dollar = at + dollar;
        at = at_dollar + length;
        if name.is_empty() {
            let what = "`$` begins a variable that has no name".to_owned();
            problems.push(Problem { at: Some(at_dollar), what });
            continue;
        }
        tokens.push(Token::Field { field: field(name), name: format!("${name}"), at: at_dollar });
    }
    if problems.is_empty() { Ok(tokens) } else { Err(problems) }
}

/// The name of the variable at the dollar sign that `rest` begins with, and how long it is there: `$name`, `${name}`.
pub(super) fn variable(rest: &str) -> (&str, usize) {
    if let Some(braced) = rest.strip_prefix("${")
        && let Some(end) = braced.find('}')
    {
        return (&braced[..end], end + 3);
    }
    let length = rest[1..].bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || byte == b'_').count();
    (&rest[1..=length], length + 1)
}

/// What the value of a variable means.
pub(super) fn field(name: &str) -> Field {
    match name {
        "time_local" => Field::Clf(Moment::End),
        "time_iso8601" => Field::Iso(Moment::End),
        "msec" => Field::Epoch(Moment::End, Some(Unit::S)),
        "request_time" => Field::Duration(Unit::S),
        "upstream_header_time" => Field::FirstByte(Unit::S),
        "upstream_response_time" => Field::Upstream(Unit::S),
        "request" => Field::Request,
        "request_method" => Field::Method,
        "request_uri" => Field::Target,
        "uri" | "document_uri" => Field::Path,
        "args" | "query_string" => Field::Query,
        "status" => Field::Status,
        "body_bytes_sent" => Field::Body,
        "bytes_sent" => Field::All,
        "remote_addr" | "realip_remote_addr" => Field::Client,
        "remote_user" => Field::User,
        "host" | "http_host" => Field::Host,
        "server_name" => Field::Server,
        "proxy_add_x_forwarded_for" => Field::Forwarded,
        "uid_got" | "uid_set" => Field::Session(3),
        _ => match name.split_once('_') {
            Some(("http", header)) => Field::of_header(header),
            Some(("cookie", cookie)) => Field::of_cookie(cookie),
            _ => Field::Skip,
        },
    }
}
