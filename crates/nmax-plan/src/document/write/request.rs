//! A request step.

use super::http::redirects as redirects_word;
use super::yaml::Yaml;
use super::{Scope, duration, entry, expanded, given, listed, named, plain, text, word};
use crate::document::keys::{DISCOVER, MATCH_PICK, METHODS, METRIC_KIND};
use crate::document::reply::wanted_text;
use crate::document::scenario::side_text;
use crate::plan::{
    Body, Call, CallKind, Discover, Expect, Extract, FormPart, MatchPick, Measure, Page, PartContent, ReplyPart, Test,
    Wanted,
};
use crate::template::Template;

/// The request, in full.
pub(super) fn request(request: &Call, scope: &Scope) -> Yaml {
    let CallKind::Http(http) = &request.what;
    let method = METHODS.iter().find(|(_, method)| *method == http.method).map_or("get", |(key, _)| key);
    let mut map = vec![entry(method, scope.text(&http.url)), entry("name", scope.text(&request.name))];
    if !http.query.is_empty() {
        map.push(entry("query", pairs(&http.query, scope)));
    }
    map.extend(headers(&http.headers, scope));
    match &http.body {
        Body::Empty => {}
        Body::Text(body) => map.push(entry("body", scope.text(body))),
        Body::Json(body) => map.push(entry("json", scope.text(body))),
        Body::Form(form) => map.push(entry("form", pairs(form, scope))),
        Body::Multipart(parts) => map.push(entry("multipart", multipart(parts, scope))),
        Body::File(file) => map.push(entry("file", expanded(file))),
    }
    if http.expect_continue {
        map.push(entry("expect_continue", plain(true)));
    }
    map.push(entry("expect", expect(&request.expect, scope)));
    map.extend(named("extract", request.extract.iter().map(|of| (scope.name(of.slot), extract(of)))));
    map.extend(named("metric", request.metrics.iter().map(|of| (of.metric.name.clone(), measure(of)))));
    map.extend(given("timeout", request.timeout, duration));
    map.extend(given("redirects", http.redirects_max, redirects_word));
    map.extend(page(http.page.as_ref(), scope));
    // Those by expression follow from the plan.
    let is_own = |tag: &&String| !scope.1.iter().any(|rule| rule.name == **tag || rule.inverse() == **tag);
    map.extend(listed("tags", request.tags.iter().filter(is_own).map(|tag| expanded(tag))));
    Yaml::Map(map)
}

/// `page`, and `resources` when there are any.
fn page(page: Option<&Page>, scope: &Scope) -> Vec<(String, Yaml)> {
    let Some(page) = page else { return Vec::new() };
    let mut resources: Vec<_> = listed("list", page.listed.iter().map(|url| scope.text(url))).into_iter().collect();
    match &page.discover {
        Discover::Nothing => {}
        Discover::SameOrigin => resources.push(entry("discover", word(DISCOVER, &true))),
        Discover::Hosts(hosts) => {
            let hosts = hosts.iter().map(|host| expanded(host));
            resources.push(entry("hosts", Yaml::List(hosts.collect())));
        }
    }
    std::iter::once(entry("page", plain(true))).chain(named("resources", resources.into_iter())).collect()
}

pub(super) fn headers(headers: &[(String, Template)], scope: &Scope) -> Option<(String, Yaml)> {
    named("headers", headers.iter().map(|(name, value)| (name.clone(), scope.text(value))))
}

fn pairs(pairs: &[(Template, Template)], scope: &Scope) -> Yaml {
    by_name(pairs.iter().map(|(name, value)| (scope.source(name), scope.text(value))).collect())
}

fn multipart(parts: &[FormPart], scope: &Scope) -> Yaml {
    by_name(parts.iter().map(|part| (scope.source(&part.name), self::part(part, scope))).collect())
}

/// A text alone is written as such.
fn part(part: &FormPart, scope: &Scope) -> Yaml {
    let mut map = match &part.content {
        PartContent::Text(content) if part.content_type.is_none() && part.file_name.is_none() => {
            return scope.text(content);
        }
        PartContent::Text(content) => vec![entry("text", scope.text(content))],
        PartContent::File(file) => vec![entry("file", expanded(file))],
    };
    map.extend(given("type", part.content_type.as_deref(), expanded));
    map.extend(given("name", part.file_name.as_ref(), |name| scope.text(name)));
    Yaml::Map(map)
}

/// A map when every name is there once, else a list of maps.
fn by_name(entries: Vec<(String, Yaml)>) -> Yaml {
    let repeated =
        entries.iter().enumerate().any(|(index, (name, _))| entries[..index].iter().any(|(other, _)| other == name));
    if repeated {
        Yaml::List(entries.into_iter().map(|entry| Yaml::Map(vec![entry])).collect())
    } else {
        Yaml::Map(entries)
    }
}

fn expect(expect: &Expect, scope: &Scope) -> Yaml {
    let status = |(low, high): &(u16, u16)| {
        if low == high { plain(low) } else { plain(format!("{low}-{high}")) }
    };
    let mut map = vec![entry("status", Yaml::List(expect.status.iter().map(status).collect()))];
    let (mut contains, mut lacks, mut header, mut finds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut json, mut max_time) = (Vec::new(), None);
    for check in &expect.checks {
        match &check.test {
            Test::BodyContains(text) => contains.push(scope.text(text)),
            Test::BodyLacks(text) => lacks.push(scope.text(text)),
            Test::HeaderContains(name, text) => header.push((name.clone(), scope.text(text))),
            Test::Finds(source) => finds.push(Yaml::Map(self::source(source).collect())),
            Test::Value(ReplyPart::Header(name), wanted) => header.push((name.clone(), self::wanted(wanted, scope))),
            Test::Value(source, wanted) => json.push((source.parts().1, self::wanted(wanted, scope))),
            Test::MaxTime(limit) => max_time = Some(*limit),
        }
    }
    map.extend(listed("contains", contains.into_iter()));
    map.extend(listed("lacks", lacks.into_iter()));
    map.extend(named("header", header.into_iter()));
    map.extend(named("json", gathered(json).into_iter()));
    map.extend(given("max_time", max_time, duration));
    map.extend(listed("finds", finds.into_iter()));
    Yaml::Map(map)
}

fn wanted(wanted: &Wanted, scope: &Scope) -> Yaml {
    Yaml::Text(wanted_text(wanted, |text| side_text(text, scope.0)))
}

/// Each name once, with one value or the list of its values.
fn gathered(entries: Vec<(String, Yaml)>) -> Vec<(String, Yaml)> {
    let mut names: Vec<(String, Vec<Yaml>)> = Vec::new();
    for (name, value) in entries {
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => names.push((name, vec![value])),
        }
    }
    let value = |mut values: Vec<Yaml>| if values.len() == 1 { values.remove(0) } else { Yaml::List(values) };
    names.into_iter().map(|(name, values)| (name, value(values))).collect()
}

/// The keys that say where a value comes from.
pub fn source(source: &ReplyPart) -> impl Iterator<Item = (String, Yaml)> + use<> {
    let (key, value, patterns) = source.parts();
    let patterns = match patterns.as_slice() {
        [] => None,
        [only] => Some(text(only)),
        several => Some(Yaml::List(several.iter().map(|pattern| text(pattern)).collect()).on_one_line()),
    };
    std::iter::once(entry(key, Yaml::Text(value))).chain(patterns.map(|patterns| entry("match", patterns)))
}

/// A source, and which of its matches.
fn picked(from: &ReplyPart, pick: &MatchPick) -> Vec<(String, Yaml)> {
    let pick = match pick {
        MatchPick::Nth(number) => plain(number),
        other => word(MATCH_PICK, other),
    };
    source(from).chain([entry("pick", pick)]).collect()
}

fn measure(of: &Measure) -> Yaml {
    let mut map = picked(&of.source, &of.pick);
    map.push(entry("as", word(METRIC_KIND, &of.metric.kind)));
    if !of.metric.unit.is_empty() {
        map.push(entry("unit", text(&of.metric.unit)));
    }
    Yaml::Map(map)
}

fn extract(extract: &Extract) -> Yaml {
    let mut map = picked(&extract.source, &extract.pick);
    map.extend(given("default", extract.default.as_deref(), text));
    Yaml::Map(map)
}
