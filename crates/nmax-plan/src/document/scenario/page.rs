//! `page`, `resources` and `tags` of a request.

use crate::addresses;
use crate::document::cursor::{Decoder, Fields};
use crate::document::decode::is_name;
use crate::document::keys::{self, DISCOVER};
use crate::document::tree::{Entry, Node, NodePosition, Value};
use crate::plan::{Discover, Page, RESOURCES_MAX};
use crate::template::{Names, Part, Template};

/// Most tags of one request.
const TAGS_MAX: usize = 16;

/// What a browser fetches with the request. `name` is how the request is measured, and where that is written.
pub(in crate::document) fn page(
    decoder: &mut Decoder,
    fields: Fields,
    names: &Names,
    (name, at): (Option<&Template>, NodePosition),
) -> Option<Page> {
    let wanted = fields.get("page").map(|node| decoder.bool(node));
    let page = match fields.entry("resources") {
        Some(entry) => {
            if wanted == Some(Some(false)) {
                let message = "only a page has resources, and `page: false` says that this is none";
                decoder.wrong(entry.key_at, message, "remove one of the two");
            }
            resources(decoder, entry, names)
        }
        None if wanted == Some(Some(true)) => Page { listed: Vec::new(), discover: Discover::Nothing },
        None => return None,
    };
    if name.is_some_and(|name| name.as_constant().is_none()) {
        decoder.wrong(
            at,
            "the name of a page has no holes, for pages are told apart by it",
            "write the same name for all iterations, such as `name: item`",
        );
    }
    Some(page)
}

fn resources(decoder: &mut Decoder, entry: &Entry, names: &Names) -> Page {
    let mut page = Page { listed: Vec::new(), discover: Discover::Nothing };
    match &entry.value.value {
        Value::List(_) => page.listed = listed(decoder, &entry.value, names),
        Value::Map(_) => {
            let Some(fields) = decoder.fields(&entry.value, &keys::RESOURCES) else {
                return page;
            };
            if let Some(node) = fields.get("list") {
                page.listed = listed(decoder, node, names);
            }
            page.discover = discover(decoder, fields);
        }
        _ => match decoder.expanded(&entry.value) {
            Some(word) if word == "discover" => page.discover = Discover::SameOrigin,
            Some(word) => {
                let message = format!("`{}` says nothing about resources", nmax_text::shown(&word));
                let remedy =
                    "write `discover`, a list such as `[/app.css]`, or a map with `list`, `discover` and `hosts`";
                decoder.wrong(entry.value.at, message, remedy);
            }
            None => {}
        },
    }
    page
}

fn discover(decoder: &mut Decoder, fields: Fields) -> Discover {
    let wanted = fields.get("discover").map(|node| decoder.choose(node, DISCOVER));
    let Some(entry) = fields.entry("hosts") else {
        return match wanted {
            Some(Some(true)) => Discover::SameOrigin,
            _ => Discover::Nothing,
        };
    };
    if wanted == Some(Some(false)) {
        let message = "`hosts` says whose resources are found, and `discover: none` that none are";
        decoder.wrong(entry.key_at, message, "remove one of the two");
    }
    let mut hosts: Vec<String> = Vec::new();
    for item in decoder.one_or_many(&entry.value) {
        let Some(host) = decoder.expanded(item) else { continue };
        let host = host.to_ascii_lowercase();
        let is_host = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || ".-_[]:".contains(c));
        if !is_host || (host.contains(':') && !host.starts_with('[')) {
            let message = format!("`{}` is not a host", nmax_text::shown(&host));
            decoder.wrong(item.at, message, "write its name alone, such as `cdn.test`");
        }
        if hosts.contains(&host) {
            decoder.wrong(item.at, format!("host `{host}` is here twice"), "keep one of them");
        }
        hosts.push(host);
    }
    if hosts.is_empty() {
        decoder.wrong(entry.key_at, "`hosts` names no host", "add one, or write `discover: same-origin`");
    }
    Discover::Hosts(hosts)
}

fn listed(decoder: &mut Decoder, node: &Node, names: &Names) -> Vec<Template> {
    let items = decoder.list(node, "`resources`");
    if items.len() > RESOURCES_MAX {
        decoder.wrong(node.at, format!("more than {RESOURCES_MAX} resources"), "name those that matter");
        return Vec::new();
    }
    let mut listed = Vec::new();
    for item in items {
        let Some(url) = decoder.template(item, names) else {
            continue;
        };
        if url.parts.is_empty() {
            decoder.wrong(item.at, "the path is empty", "write a path such as `/app.css`");
        }
        if let Some(Part::Text(text)) = url.parts.first()
            && let Some(Err(message)) = addresses::written_origin(text, url.parts.len() == 1).map(addresses::origin)
        {
            decoder.wrong(item.at, message, "write it as `http://host:port/path`");
        }
        let has_control = |part: &Part| matches!(part, Part::Text(text) if text.contains(char::is_control));
        if url.parts.iter().any(has_control) {
            let message = "the path contains a line break or another control character";
            decoder.wrong(item.at, message, "write it in one line");
        }
        listed.push(url);
    }
    listed
}

/// Labels of a request, each once.
pub(in crate::document) fn tags(decoder: &mut Decoder, fields: Fields) -> Vec<String> {
    let Some(node) = fields.get("tags") else {
        return Vec::new();
    };
    let items = decoder.one_or_many(node);
    if items.len() > TAGS_MAX {
        decoder.wrong(node.at, format!("more than {TAGS_MAX} tags"), "keep those that conditions refer to");
    }
    let mut tags: Vec<String> = Vec::new();
    for item in items.iter().take(TAGS_MAX) {
        let Some(tag) = decoder.expanded(item) else { continue };
        if !is_name(&tag) || tag.contains("${") {
            let message = format!("`{}` cannot be a tag", nmax_text::shown(&tag));
            decoder.wrong(item.at, message, "use 1 to 64 characters, without `/` and holes");
        }
        if tags.contains(&tag) {
            decoder.wrong(item.at, format!("tag `{tag}` is here twice"), "keep one of them");
        }
        tags.push(tag);
    }
    tags
}
