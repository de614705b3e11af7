//! Maps that somebody names: those of Caddy, of a person, of a format string that writes JSON.

use super::super::error::{FormatError, Problem};
use super::super::field::{Field, Moment, UserAgentCoding};
use super::super::number::Unit;
use super::super::template::{Token, lacking};
use super::Json;
use super::guess::leaves;

/// What Caddy's members mean.
pub(in super::super) fn caddy() -> Json {
    let mut json = Json::default();
    let mut insert = |path: &str, field: Field| {
        json.insert(&path.split('.').map(str::to_owned).collect::<Vec<_>>(), field);
    };
    insert("ts", Field::AnyStamp(Moment::End));
    insert("duration", Field::Duration(Unit::S));
    insert("size", Field::Body);
    insert("status", Field::Status);
    insert("user_id", Field::User);
    insert("request.method", Field::Method);
    insert("request.uri", Field::Target);
    insert("request.host", Field::Host);
    insert("request.remote_ip", Field::Client);
    insert("request.remote_addr", Field::ClientPort);
    insert("request.client_ip", Field::Forwarded);
    insert("request.headers.X-Forwarded-For", Field::Forwarded);
    insert("request.headers.User-Agent", Field::UserAgent(UserAgentCoding::Plain));
    insert("request.headers.Referer", Field::Referer);
    insert("request.headers.Cookie", Field::Cookies);
    json
}

/// The map of `names`: `time=ts method=verb target=url duration=took:ms`.
///
/// # Errors
///
/// Meanings and units that do not exist, and what a record needs.
pub(in super::super) fn of_names(spec: &str, names: &str) -> Result<Json, FormatError> {
    let mut json = Json::default();
    let mut problems = Vec::new();
    for word in names.split_ascii_whitespace() {
        match named(word) {
            Ok((path, field)) => {
                json.insert(&[path.to_owned()], field.clone());
                if path.contains('.') {
                    json.insert(&path.split('.').map(str::to_owned).collect::<Vec<_>>(), field);
                }
            }
            Err(what) => problems.push(Problem { at: spec.find(word), what }),
        }
    }
    if problems.is_empty() {
        problems = needed(&json);
    }
    if problems.is_empty() { Ok(json) } else { Err(FormatError { spec: spec.to_owned(), problems }) }
}

/// What a record needs and no member tells.
pub(super) fn needed(json: &Json) -> Vec<Problem> {
    let fields = json.fields();
    let problems = lacking(fields.iter().map(|(field, _)| *field)).into_iter();
    problems
        .map(|Problem { at, what }| {
            let name = if what.contains("time of") { "add time=NAME" } else { "add target=NAME or request=NAME" };
            let what = what.split(':').next().unwrap_or_default().replace("field", "member");
            Problem { at, what: format!("{what}: {name}") }
        })
        .collect()
}

/// The member and the meaning that `meaning=member` or `meaning=member:unit` is.
fn named(word: &str) -> Result<(&str, Field), String> {
    let Some((meaning, rest)) = word.split_once('=') else {
        return Err(format!("`{word}` should be MEANING=NAME, such as time=ts"));
    };
    let (path, unit) = match rest.rsplit_once(':') {
        Some((path, unit)) => {
            let unit = Unit::from_name(unit).ok_or_else(|| format!("`{unit}` is not a unit: write s, ms, us or ns"))?;
            (path, Some(unit))
        }
        None => (rest, None),
    };
    let stamp = |moment| {
        if unit.is_some() { Field::Epoch(moment, unit) } else { Field::AnyStamp(moment) }
    };
    let field = match meaning {
        "time" | "end" => stamp(Moment::End),
        "begin" | "start" => stamp(Moment::Begin),
        "duration" => unit.map_or(Field::DurationAuto, Field::Duration),
        "upstream" => Field::Upstream(unit.unwrap_or(Unit::S)),
        "request" => Field::Request,
        "method" => Field::Method,
        "target" | "url" => Field::Target,
        "path" => Field::Path,
        "query" => Field::Query,
        "status" => Field::Status,
        "bytes" => Field::Body,
        "client" | "ip" => Field::Client,
        "user" => Field::User,
        "agent" => Field::UserAgent(UserAgentCoding::Plain),
        "referer" => Field::Referer,
        "host" => Field::Host,
        "cookies" => Field::Cookies,
        "session" => Field::Session(0),
        _ => {
            return Err(format!(
                "`{meaning}` means nothing: use time (of the end), begin, request, method, target, path, query, status, \
                 duration, upstream, bytes, client, user, agent, referer, host, cookies or session"
            ));
        }
    };
    Ok((path, field))
}

/// The map of a format string that writes JSON, such as `{"time":"$time_iso8601","status":$status}`; `None` when it does not.
pub(in super::super) fn of_template(
    format: &str,
    tokens: impl Fn(&str) -> Result<Vec<Token>, Vec<Problem>>,
) -> Option<Result<Json, Vec<Problem>>> {
    let format = format.trim();
    if !format.starts_with('{') || !format.ends_with('}') || !format.contains("\":") {
        return None;
    }
    let leaves = leaves(format.as_bytes()).ok()?;
    let mut json = Json::default();
    let mut problems = Vec::new();
    for leaf in leaves {
        let value = String::from_utf8_lossy(&leaf.value).into_owned();
        match tokens(&value) {
            Ok(tokens) => match meaning(&value, tokens) {
                Some(Field::Skip) => {}
                Some(field) => json.insert(&leaf.path, field),
                None => {
                    let name = leaf.path.join(".");
                    json.notes.push(format!("member `{name}` is made of several values and is not read"));
                }
            },
            Err(wrong) => problems.extend(wrong.into_iter().map(|problem| Problem { at: None, what: problem.what })),
        }
    }
    problems.extend(needed(&json));
    Some(if problems.is_empty() { Ok(json) } else { Err(problems) })
}

/// What a value means that tokens make.
fn meaning(format: &str, tokens: Vec<Token>) -> Option<Field> {
    let fields: Vec<Field> = tokens
        .into_iter()
        .filter_map(|token| match token {
            Token::Field { field, .. } => Some(field),
            Token::Text(_) => None,
        })
        .collect();
    match fields.as_slice() {
        [] => Some(Field::Skip),
        // The value may have brackets and parts around it that the template would pass.
        [Field::Clf(moment)] => Some(Field::AnyStamp(*moment)),
        [field] => Some(field.clone()),
        [Field::Method, Field::Target | Field::Path, ..] if format.contains(' ') => Some(Field::Request),
        [Field::Path, Field::Query | Field::MarkedQuery] | [Field::Path, Field::Skip, Field::Query] => {
            Some(Field::Target)
        }
        [.., Field::Target] if format.contains("://") => Some(Field::Target),
        fields if fields.iter().all(|field| *field == Field::Skip) => Some(Field::Skip),
        _ => None,
    }
}
