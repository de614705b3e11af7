//! Values of an HTML document: attributes that carry some, and texts of elements.

use nmax_plan::plan::ReplyPart;

use super::selector::selectors;
use super::{At, Harvest, Kind};
use crate::html::Node;

/// Longest text of an element that is looked into, in bytes.
const LABEL_BYTES_MAX: usize = 500;

/// Every element in the order of the document.
pub(super) fn elements(document: Node<'_>, harvest: &mut Harvest<'_>) {
    let base = document.descendants().filter(|element| element.name() == "base").find_map(|base| base.attr("href"));
    for element in document.descendants() {
        let tag = element.name();
        for (name, value) in element.attrs() {
            if let Some((kind, called)) = role(element, name) {
                harvest.whole_and_parts(
                    value.trim(),
                    &At {
                        kind,
                        name: called,
                        is_reference: is_reference(tag, name),
                        base,
                        sources: &|| by_css(element, Some(name)),
                    },
                );
            }
        }
        if !matches!(tag, "script" | "style" | "template" | "noscript" | "option") {
            label(element, harvest);
        }
    }
}

fn by_css(element: Node<'_>, attribute: Option<&str>) -> Vec<ReplyPart> {
    let css = |selector| ReplyPart::Css { selector, attribute: attribute.map(str::to_owned) };
    selectors(element, attribute).into_iter().map(css).collect()
}

fn is_reference(tag: &str, attribute: &str) -> bool {
    match attribute {
        "href" | "src" | "formaction" | "data-href" | "data-url" | "data-src" => true,
        "action" => tag == "form",
        _ => false,
    }
}

/// What an attribute's value is, and how the document calls it; `None` for those that carry no values.
fn role<'a>(element: Node<'a>, attribute: &'a str) -> Option<(Kind, &'a str)> {
    let own_name = || element.attr("name").or(element.attr("id")).unwrap_or_default();
    Some(match (element.name(), attribute) {
        ("input" | "button" | "data" | "param", "value") => (Kind::Field, own_name()),
        ("option", "value") => {
            let select = element.ancestors().find(|outer| outer.name() == "select");
            let name = select.and_then(|select| select.attr("name"));
            (Kind::Field, name.unwrap_or_default())
        }
        ("meta", "content") => {
            let name = ["name", "property", "itemprop", "http-equiv"].iter().find_map(|by| element.attr(by));
            (Kind::Meta, name.unwrap_or_default())
        }
        (tag, name) if is_reference(tag, name) => (Kind::Link, ""),
        (_, "value" | "content" | "id" | "nonce" | "onclick" | "onsubmit") => (Kind::Attribute, own_name()),
        (_, name) if name.starts_with("data-") => (Kind::Attribute, &name["data-".len()..]),
        // Frameworks bind values with attributes of their own: `ng-init`, `x-data`, `:csrf`, `hx-vals`.
        (_, name) if name.contains(['-', ':', '@']) && !name.starts_with("aria-") => (Kind::Attribute, name),
        (tag, name) if tag.contains('-') => (Kind::Attribute, name),
        _ => return None,
    })
}

/// The text of an element without elements in it.
fn label(element: Node<'_>, harvest: &mut Harvest<'_>) {
    let text = element.own_text().trim();
    if element.first_child().is_some() || text.is_empty() || text.len() > LABEL_BYTES_MAX {
        return;
    }
    harvest.whole_and_parts(
        text,
        &At {
            kind: if element.name() == "textarea" { Kind::Field } else { Kind::Label },
            name: element.attr("name").or(element.attr("id")).unwrap_or_default(),
            is_reference: false,
            base: None,
            sources: &|| by_css(element, None),
        },
    );
}
