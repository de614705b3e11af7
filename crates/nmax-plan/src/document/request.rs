//! A request step: what is sent.

use std::sync::Arc;

use super::body::{body, entry_where, expect_continue, pairs};
use super::cursor::{Decoder, Fields};
use super::http::redirects;
use super::reply::{expect, extracts, measures};
use super::scenario::{Scene, page, tags};
use super::tree::{Node, NodePosition};
use crate::addresses;
use crate::plan::http::{is_own_header, is_token};
use crate::plan::{Call, CallKind, Coding, HttpCall, Method};
use crate::template::{EnvFormat, Names, Part, Template};
use nmax_secrets::masked_url;

/// Decodes a request step whose method key has this value.
pub(super) fn decode(
    decoder: &mut Decoder,
    fields: Fields,
    (url, method): (&Node, Method),
    scene: &mut Scene,
) -> Option<Call> {
    let names = scene.names(EnvFormat::Verbatim);
    let url_template = decoder.template(url, &names);
    if let Some(template) = &url_template {
        check_url(decoder, url.at, template);
    }
    let name = match fields.get("name") {
        Some(node) => request_name(decoder, node, &names),
        None => url_template.as_ref().map(|url| default_name(method, url, &names)),
    };
    let query = fields.get("query").map(|node| pairs(decoder, node, &names)).unwrap_or_default();
    let headers = fields
        .get("headers")
        .map(|node| {
            refuse_accept_encoding(decoder, node, &scene.defaults.compression);
            headers(decoder, node, &names)
        })
        .unwrap_or_default();
    let body = body(decoder, fields, scene);
    let expect_continue = expect_continue(decoder, fields, scene.defaults);
    let expect = expect(decoder, fields.get("expect"), &names);
    let timeout = fields.get("timeout").and_then(|node| decoder.duration_above_zero(node));
    let redirects_max = fields.get("redirects").and_then(|node| redirects(decoder, node));
    let at = fields.get("name").map_or(url.at, |node| node.at);
    let page = page(decoder, fields, &names, (name.as_ref(), at));
    let tags = tags(decoder, fields);
    let extract = fields.get("extract").map(|node| extracts(decoder, node, scene)).unwrap_or_default();
    let metrics = fields.get("metric").map(|node| measures(decoder, node)).unwrap_or_default();
    let url = url_template?;
    let what = HttpCall { method, url, query, headers, body, redirects_max, expect_continue, page };
    Some(Call { name: name?, expect, extract, metrics, timeout, tags, what: CallKind::Http(Arc::new(what)) })
}

fn check_url(decoder: &mut Decoder, at: NodePosition, url: &Template) {
    let Some(Part::Text(text)) = url.parts.first() else {
        if url.parts.is_empty() {
            decoder.wrong(at, "the path is empty", "write a path such as `/`");
        }
        return;
    };
    if !["/", "http://", "https://"].iter().any(|start| text.starts_with(start)) {
        let message = format!("`{}` is neither a path nor a URL", nmax_text::shown(&masked_url(text)));
        decoder.wrong(at, message, "begin it with `/`, `http://` or `https://`");
    }
    if let Some(Err(message)) = addresses::written_origin(text, url.parts.len() == 1).map(addresses::origin) {
        decoder.wrong(at, message, "write it as `http://host:port/path`");
    }
    let has_control = |part: &Part| matches!(part, Part::Text(text) if text.contains(char::is_control));
    if url.parts.iter().any(has_control) {
        decoder.wrong(at, "the path contains a line break or another control character", "write it in one line");
    }
}

fn request_name(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Template> {
    let name = decoder.template(node, names)?;
    if name.parts.is_empty() {
        decoder.wrong(node.at, "the name is empty", "write a name, or remove the key");
    }
    Some(name)
}

/// Method and text of the path, without its query.
pub(crate) fn default_name(method: Method, url: &Template, names: &Names) -> Template {
    let mut path = Template::default();
    for part in &url.parts {
        match part {
            Part::Text(text) => match text.split_once('?') {
                Some((before, _)) => {
                    path.parts.push(Part::Text(before.to_owned()));
                    break;
                }
                None => path.parts.push(part.clone()),
            },
            hole => path.parts.push(hole.clone()),
        }
    }
    let path = masked_url(&path.display(names.labels()));
    Template::text(format!("{} {path}", method.token()))
}

/// Headers, in order.
pub(super) fn headers(decoder: &mut Decoder, node: &Node, names: &Names) -> Vec<(String, Template)> {
    let mut headers: Vec<(String, Template)> = Vec::new();
    for entry in decoder.map(node, "`headers`") {
        let name = &entry.key;
        if !is_token(name) {
            decoder.wrong(
                entry.key_at,
                format!("`{}` is not a header name", nmax_text::shown(name)),
                "use letters, digits and `-`",
            );
            continue;
        }
        if is_own_header(name) {
            let remedy = "remove it; `defaults: { connection: ... }` says when connections close, the length follows from the body";
            decoder.wrong(entry.key_at, format!("header `{name}` is written by nmax itself"), remedy);
        }
        if headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            decoder.wrong(entry.key_at, format!("header `{name}` is here twice"), "keep one of them");
        }
        let Some(value) = decoder.template(&entry.value, names) else {
            continue;
        };
        let breaks = |part: &Part| matches!(part, Part::Text(text) if text.contains(['\r', '\n', '\0']));
        if value.parts.iter().any(breaks) {
            decoder.wrong(entry.value.at, format!("header `{name}` contains a line break"), "write it in one line");
        }
        headers.push((name.clone(), value));
    }
    headers
}

/// Complains about a header that `compression` writes. Without it the header is the user's, and nothing is decoded.
pub(super) fn refuse_accept_encoding(decoder: &mut Decoder, headers: &Node, compression: &[Coding]) {
    let own = entry_where(headers, |name| name.eq_ignore_ascii_case("accept-encoding"));
    if let Some(own) = own.filter(|_| !compression.is_empty()) {
        decoder.wrong(
            own.key_at,
            "header `accept-encoding` is written by nmax itself when `defaults` has `compression`",
            "remove it; or remove `compression`, then replies are not decoded",
        );
    }
}
