//! What plans say of some kinds of sources besides their place.

use nmax_sources::Figure;

use super::super::cursor::Decoder;
use super::super::keys::{self, MAPPED_FIGURES, MAPPED_KEYS, MAPPED_KIND};
use super::super::tree::{Entry, Node};
use super::is_process_name;
use crate::plan::{MappedKind, MappedResource};

/// Most processes that an agent is asked for.
const PROCESSES_MAX: usize = 32;
/// Most resources that are made of one page of metrics.
const RESOURCES_MAX: usize = 100;
/// Longest token.
const TOKEN_BYTES_MAX: usize = 1_024;

/// A token, which goes into a header.
pub(super) fn token(decoder: &mut Decoder, node: &Node) -> Option<String> {
    let token = decoder.expanded(node)?;
    let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic());
    if token.is_empty() || token.len() > TOKEN_BYTES_MAX || !is_plain {
        let remedy = "write 1 to 1024 letters, digits and signs, without spaces";
        return decoder.wrong(node.at, "this cannot be sent as a token", remedy).none();
    }
    Some(token)
}

/// Names of processes, once each; `None` when one is wrong.
pub(super) fn processes(decoder: &mut Decoder, node: &Node) -> Option<Vec<String>> {
    let items = decoder.list(node, "`processes`");
    if items.len() > PROCESSES_MAX {
        return decoder.wrong(node.at, format!("more than {PROCESSES_MAX} processes"), "leave some out").none();
    }
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = decoder.expanded(item)?;
        if !is_process_name(&name) || name.parse::<u64>().is_ok() {
            let message = format!("`{}` is not the name of a process", nmax_text::shown(&name));
            decoder.wrong(item.at, message, "write the name of the program without its folder, such as `postgres`");
            return None;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

/// What is made of the metrics of a page.
pub(super) fn resources(decoder: &mut Decoder, node: &Node) -> Vec<MappedResource> {
    let entries = decoder.map(node, "`resources`");
    if entries.len() > RESOURCES_MAX {
        decoder.wrong(node.at, format!("more than {RESOURCES_MAX} resources"), "leave some out");
        return Vec::new();
    }
    entries.iter().filter_map(|entry| resource(decoder, entry)).collect()
}

fn resource(decoder: &mut Decoder, entry: &Entry) -> Option<MappedResource> {
    super::label(decoder, entry.key_at, &entry.key);
    let fields = decoder.fields(&entry.value, &keys::MAPPED)?;
    let kind = fields.get("kind").and_then(|node| decoder.choose(node, MAPPED_KIND));
    let given: Vec<&Entry> = fields.in_order(&MAPPED_KEYS);
    let figures: Vec<Option<(Figure, String)>> = given.iter().map(|given| figure(decoder, kind?, given)).collect();
    let kind = kind?;
    if given.is_empty() {
        let keys = of_kind(kind).map(|(_, key, _)| *key).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` has no metrics", nmax_text::shown(&entry.key));
        decoder.wrong(entry.key_at, message, format!("add some of: {keys}"));
    }
    Some(MappedResource { name: entry.key.clone(), kind, figures: figures.into_iter().collect::<Option<_>>()? })
}

fn of_kind(kind: MappedKind) -> impl Iterator<Item = &'static (MappedKind, &'static str, Figure)> {
    MAPPED_FIGURES.iter().filter(move |(of, _, _)| *of == kind)
}

/// The metric of readings that a key stands for, and the metric that it is made of.
fn figure(decoder: &mut Decoder, kind: MappedKind, given: &Entry) -> Option<(Figure, String)> {
    let Some((_, _, figure)) = of_kind(kind).find(|(_, key, _)| *key == given.key) else {
        let keys = of_kind(kind).map(|(_, key, _)| *key).collect::<Vec<_>>().join(", ");
        let message = format!("a {} has no `{}`", kind.word(), given.key);
        return decoder.wrong(given.key_at, message, format!("its keys are: {keys}")).none();
    };
    let text = decoder.expanded(&given.value)?;
    if !is_metric(&text) {
        let remedy = "write a name, perhaps with labels: `'hikaricp_connections_active{pool=\"orders\"}'`";
        decoder.wrong(given.value.at, format!("`{}` is not the name of a metric", nmax_text::shown(&text)), remedy);
        return None;
    }
    Some((*figure, text))
}

/// A name as the text format has it, perhaps with labels in braces.
fn is_metric(text: &str) -> bool {
    let (name, labels) = match text.split_once('{') {
        Some((name, labels)) => (name, Some(labels)),
        None => (text, None),
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.');
    let is_name = !name.is_empty() && name.chars().all(legal) && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name && text.len() <= 500 && labels.is_none_or(|labels| labels.ends_with('}') && !labels.contains('\n'))
}
