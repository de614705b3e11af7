//! Formats by name, and what configuration files say about formats.

use super::Format;
use super::apache;
use super::error::{FormatError, Problem};
use super::field::{Field, Moment};
use super::json;
use super::nginx;
use super::number::Unit;
use super::template::{Escape, Template, Token};
use super::w3c::{self, W3c};

/// Apache's common format; everybody's common format.
pub(super) const COMMON: &str = r#"%h %l %u %t "%r" %>s %b"#;

/// Apache's and nginx's combined format.
pub(super) const COMBINED: &str = r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#;

/// What Debian's Apache writes for several hosts.
pub(super) const VHOST_COMBINED: &str = r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#;

/// What nginx's packages write.
pub(super) const NGINX_MAIN: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for""#;

/// The combined format in nginx's words.
pub(super) const NGINX_COMBINED: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;

/// What the ingress controller of Kubernetes writes.
pub(super) const INGRESS_NGINX: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id"#;

/// Traefik's common format; the duration brings its unit.
pub(super) const TRAEFIK: &str = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $number "$router" "$server" $request_time"#;

/// The combined format with `%D` behind it.
pub(super) const APACHE_TIMED: &str = r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D"#;

/// Columns of an Application Load Balancer; more follow, and their number grows.
const ALB: &str = r#"type time elb client:port target:port request_processing_time target_processing_time response_processing_time elb_status_code target_status_code received_bytes sent_bytes "request" "user_agent" ssl_cipher ssl_protocol target_group_arn "trace_id" "domain_name" "chosen_cert_arn" matched_rule_priority request_creation_time"#;

/// Columns of a Classic Load Balancer.
const ELB: &str = r#"timestamp elb client:port backend:port request_processing_time backend_processing_time response_processing_time elb_status_code backend_status_code received_bytes sent_bytes "request" "user_agent""#;

/// Columns of AWS S3's server access logs; more follow, and their number grows.
const S3: &str = r#"owner bucket [received] remote_ip requester request_id operation key "request" http_status error_code bytes_sent object_size total_time turn_around_time "referer" "user_agent""#;

/// Apache's `ssl_request_log`, as its example configuration and many packages have it.
const APACHE_SSL_REQUEST: &str = r#"%t %h %{SSL_PROTOCOL}x %{SSL_CIPHER}x "%r" %b"#;

/// The format that a person names.
pub(super) fn compile(spec: &str) -> Result<Format, FormatError> {
    let text = spec.trim();
    if let Some(format) = by_name(&text.to_ascii_lowercase()) {
        return Ok(format);
    }
    let failed = |problems| FormatError { spec: spec.to_owned(), problems };
    if let Some(names) = text.strip_prefix("json ") {
        return Ok(Format::json("json", json::of_names(spec, names)?));
    }
    if let Some(names) = text.strip_prefix("#Fields:") {
        let w3c = W3c::new(names);
        let problems = w3c.problems();
        return if problems.is_empty() { Ok(Format::w3c(w3c)) } else { Err(failed(problems)) };
    }
    if let Some(rest) = text.strip_prefix("LogFormat").filter(|rest| rest.starts_with(char::is_whitespace)) {
        return of_apache(first_quoted(rest.trim())).map_err(failed);
    }
    if let Some((format, escape)) = directive(text) {
        return of_nginx(&format, escape).map_err(failed);
    }
    let text = first_quoted(text);
    match (has_percent(text), has_dollar(text)) {
        (true, false) => of_apache(text).map_err(failed),
        (false, true) => of_nginx(text, Escape::Backslash).map_err(failed),
        // A dollar sign or a percent sign of the text: the language with more fields is meant.
        (true, true) => {
            let known = |tokens: Result<Vec<Token>, _>| {
                tokens.map_or(0, |tokens| tokens.iter().filter(|token| is_known(token)).count())
            };
            if known(apache::tokens(text)) > known(nginx::tokens(text)) {
                of_apache(text).map_err(failed)
            } else {
                of_nginx(text, Escape::Backslash).map_err(failed)
            }
        }
        (false, false) => Err(FormatError::unknown(spec)),
    }
}

/// The format that is called `name`.
pub(super) fn by_name(name: &str) -> Option<Format> {
    Some(match name {
        "common" | "clf" => apache_format("common", COMMON, Some(Moment::End), true),
        "combined" => apache_format("combined", COMBINED, Some(Moment::End), true),
        "apache" | "apache_combined" => apache_format("apache", COMBINED, None, true),
        "apache_common" => apache_format("apache_common", COMMON, None, true),
        "nginx" | "nginx_combined" => apache_format("nginx", COMBINED, Some(Moment::End), true),
        "nginx_main" => nginx_format("nginx_main", NGINX_MAIN, true),
        "vhost_combined" => apache_format("vhost_combined", VHOST_COMBINED, None, true),
        "ingress-nginx" => nginx_format("ingress-nginx", INGRESS_NGINX, true),
        "traefik" => nginx_format("traefik", TRAEFIK, true),
        "haproxy" => Format::haproxy(),
        "alb" => columns_format("alb", ALB),
        "elb" => columns_format("elb", ELB),
        "s3" => columns_format("s3", S3),
        "apache_ssl_request" => apache_format("apache_ssl_request", APACHE_SSL_REQUEST, None, true),
        "iis" | "w3c" => Format::w3c(W3c::usual(w3c::IIS)),
        "cloudfront" => Format::w3c(W3c::usual(w3c::CLOUDFRONT)),
        "cloudfront-realtime" => Format::w3c(W3c::usual(w3c::CLOUDFRONT_REALTIME)),
        "caddy" => Format::json("caddy", json::caddy()),
        "json" => Format::any_json(),
        _ => return None,
    })
}

/// The format of a `LogFormat` that is known to be right.
pub(super) fn apache_format(name: &str, format: &str, moment: Option<Moment>, is_open: bool) -> Format {
    let mut tokens = apache::tokens(format).expect("the table has only right formats");
    for token in &mut tokens {
        if let (Token::Field { field: field @ Field::Clf(_), .. }, Some(moment)) = (token, moment) {
            *field = Field::Clf(moment);
        }
    }
    of_table(name, tokens, is_open)
}

/// The format of a `log_format` that is known to be right.
pub(super) fn nginx_format(name: &str, format: &str, is_open: bool) -> Format {
    of_table(name, nginx::tokens(format).expect("the table has only right formats"), is_open)
}

fn of_table(name: &str, tokens: Vec<Token>, is_open: bool) -> Format {
    let template = Template::build(tokens, Escape::Backslash, is_open).expect("the table has only right formats");
    Format::template(name, template)
}

/// The format of columns that blanks separate and that may be in quotes or brackets.
fn columns_format(name: &str, columns: &str) -> Format {
    let mut tokens = Vec::new();
    for (index, column) in columns.split(' ').enumerate() {
        let bare = column.trim_matches(['"', '[', ']']);
        let (open, close) = column.split_once(bare).expect("the name is in the column");
        let blank = if index == 0 { "" } else { " " };
        tokens.push(Token::Text(format!("{blank}{open}").into_bytes()));
        tokens.push(Token::Field { field: column_of_aws(bare), name: bare.to_owned(), at: 0 });
        tokens.push(Token::Text(close.as_bytes().to_vec()));
    }
    of_table(name, tokens, true)
}

/// What a column of a load balancer of AWS or of S3 means.
fn column_of_aws(column: &str) -> Field {
    match column {
        "time" => Field::Iso(Moment::End),
        "timestamp" | "request_creation_time" => Field::Iso(Moment::Begin),
        "client:port" => Field::ClientPort,
        "request_processing_time" | "response_processing_time" => Field::Part(Unit::S),
        "target_processing_time" | "backend_processing_time" => Field::UpstreamPart(Unit::S),
        "received" => Field::Clf(Moment::Begin),
        "remote_ip" => Field::Client,
        "total_time" => Field::Duration(Unit::Ms),
        "turn_around_time" => Field::FirstByte(Unit::Ms),
        "elb_status_code" | "http_status" => Field::Status,
        "sent_bytes" => Field::All,
        "bytes_sent" => Field::Body,
        "request" => Field::Request,
        "user_agent" => Field::of_header("User-Agent"),
        "referer" => Field::Referer,
        _ => Field::Skip,
    }
}

/// The format of an Apache format string.
fn of_apache(format: &str) -> Result<Format, Vec<Problem>> {
    const NAME: &str = "Apache LogFormat";
    let unescaped = format.replace("\\\"", "\"");
    match json::of_template(&unescaped, apache::tokens) {
        Some(json) => Ok(Format::json(NAME, json?)),
        None => Ok(Format::template(NAME, Template::build(apache::tokens(format)?, Escape::Backslash, true)?)),
    }
}

/// The format of an nginx format string.
fn of_nginx(format: &str, escape: Escape) -> Result<Format, Vec<Problem>> {
    const NAME: &str = "nginx log_format";
    match json::of_template(format, nginx::tokens) {
        Some(json) => Ok(Format::json(NAME, json?)),
        None => Ok(Format::template(NAME, Template::build(nginx::tokens(format)?, escape, true)?)),
    }
}

/// A field that a record has.
fn is_known(token: &Token) -> bool {
    matches!(token, Token::Field { field, .. } if *field != Field::Skip)
}

/// A directive of Apache is in the text.
fn has_percent(text: &str) -> bool {
    text.as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'%' && (pair[1].is_ascii_alphanumeric() || b"{>!<^".contains(&pair[1])))
}

/// A variable of nginx is in the text.
fn has_dollar(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair[0] == b'$' && (pair[1].is_ascii_lowercase() || pair[1] == b'{'))
}

/// What is in the quotes that `text` begins with, escapes as they are; all of it where no quotes are around it.
fn first_quoted(text: &str) -> &str {
    let Some(quote @ (b'"' | b'\'')) = text.bytes().next() else {
        return text;
    };
    let mut at = 1;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'\\' => at += 1,
            _ if byte == quote => {
                // A second quote further on means that the quotes belong to the format: `"%h" "%r"`.
                return if text[at + 1..].contains(char::from(quote)) { text } else { &text[1..at] };
            }
            _ => {}
        }
        at += 1;
    }
    text
}

/// The format string of `log_format name escape=json 'a' 'b';`, or of some of it: the strings alone.
fn directive(text: &str) -> Option<(String, Escape)> {
    let is_whole = text.starts_with("log_format");
    let mut escape = Escape::Backslash;
    let mut rest = text;
    if is_whole {
        rest = rest.strip_prefix("log_format")?.trim_start();
        rest = rest[rest.find(char::is_whitespace)?..].trim_start();
    }
    if let Some(after) = rest.strip_prefix("escape=") {
        let end = after.find(char::is_whitespace)?;
        if &after[..end] == "none" {
            escape = Escape::None;
        }
        rest = after[end..].trim_start();
    } else if !is_whole && !rest.starts_with('\'') {
        return None;
    }
    match strings(rest) {
        Some(format) => Some((format, escape)),
        None if is_whole => Some((rest.trim_end_matches(';').to_owned(), escape)),
        None => None,
    }
}

/// The quoted strings that `text` consists of, joined, as nginx joins them.
fn strings(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = text.trim().trim_end_matches(';').bytes();
    while let Some(quote) = bytes.find(|byte| !byte.is_ascii_whitespace()) {
        if !matches!(quote, b'\'' | b'"') {
            return None;
        }
        loop {
            match bytes.next()? {
                b'\\' => match bytes.next()? {
                    byte @ (b'"' | b'\'' | b'\\') => out.push(byte),
                    b't' => out.push(b'\t'),
                    byte => out.extend([b'\\', byte]),
                },
                byte if byte == quote => break,
                byte => out.push(byte),
            }
        }
    }
    String::from_utf8(out).ok()
}
