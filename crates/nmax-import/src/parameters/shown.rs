//! The forms that the user saw before a request.

use nmax_extract::{Extractor, ReplyContent};
use nmax_plan::plan::ReplyPart;

use super::field::Shown;
use crate::recording::{Entry, Recording, Response};

/// Documents before a request whose forms are looked at.
const PAGES_MAX: usize = 8;
/// Longest document that is looked at.
const BYTES_MAX: usize = 1 << 20;

/// What the latest document with a field of that name, sent before `before`, says about it.
pub(super) fn shown(recording: &Recording, name: &str, before: &Entry) -> Shown {
    if name.is_empty() || name.contains(['"', '\\', '\n', '\r']) {
        return Shown::default();
    }
    let mut documents: Vec<&Entry> =
        recording.entries.iter().filter(|entry| entry.sent_us < before.sent_us && is_html(entry)).collect();
    documents.sort_by_key(|entry| std::cmp::Reverse(entry.sent_us));
    documents.into_iter().take(PAGES_MAX).find_map(|entry| on_page(entry, name)).unwrap_or_default()
}

fn on_page(entry: &Entry, name: &str) -> Option<Shown> {
    let body = entry.response.as_ref()?.body.as_ref()?;
    let text = std::str::from_utf8(&body.bytes).ok()?;
    if !text.contains(name) {
        return None;
    }
    let page = ReplyContent::new(&[], &body.bytes);
    let found = |selector: &str, attribute: &str| {
        let source =
            ReplyPart::Css { selector: format!("{selector}[name=\"{name}\"]"), attribute: Some(attribute.to_owned()) };
        let extractor = Extractor::new(&source).ok()?;
        extractor.nth(&page, 0).ok()?
    };
    let number = |attribute: &str| found("input", attribute)?.parse().ok();
    let is_select = found("select", "name").is_some();
    if !is_select && found("input", "name").is_none() && found("textarea", "name").is_none() {
        return None;
    }
    let text = |attribute: &str| found("input", attribute).unwrap_or_default().to_ascii_lowercase();
    Some(Shown {
        kind: if is_select { "select".to_owned() } else { text("type") },
        autocomplete: text("autocomplete"),
        min: number("min"),
        max: number("max"),
        length_max: number("maxlength"),
    })
}

fn is_html(entry: &Entry) -> bool {
    let is_short = |response: &Response| response.body.as_ref().is_some_and(|body| body.bytes.len() <= BYTES_MAX);
    entry.response.as_ref().is_some_and(|response| is_short(response) && response.is_html())
}
