//! CSS selectors for one element, the shortest and most stable first.

use crate::html::Node;

/// Longest name that is written into a selector.
const NAME_BYTES_MAX: usize = 64;
/// How many elements around it are looked at for a scope.
const SCOPES_MAX: usize = 6;
/// Classes of an element that are tried.
const CLASSES_MAX: usize = 3;

/// Whether a name looks chosen by a person, and not made anew for each reply, user or build.
pub(crate) fn is_stable(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_BYTES_MAX && !name.split(['-', '_', '.', ':', '[', ']']).any(is_made_up)
}

fn is_made_up(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let without_suffix = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_mixed = digits >= 2 && word.len() >= 6 && without_suffix.contains(|c: char| c.is_ascii_digit());
    let is_hex = word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_number = digits >= 4;
    is_mixed || is_hex || is_number
}

/// Selectors that match the element; how many others they match is not known.
///
/// `attribute` is the one that is wanted; its value is never written, but the beginning of a URL may be.
pub(super) fn selectors(element: Node<'_>, attribute: Option<&str>) -> Vec<String> {
    let of_itself = by_itself(element, attribute);
    let mut all = of_itself.clone();
    let scopes = scopes(element);
    let tag = tag(element);
    for own in of_itself.iter().map(String::as_str).take(2).chain([tag]) {
        for scope in &scopes {
            all.push(format!("{scope} {own}"));
        }
    }
    all.push(tag.to_owned());
    let mut known = std::collections::HashSet::new();
    // The document takes what follows the last `@` for an attribute.
    all.retain(|selector| known.insert(selector.clone()) && (attribute.is_some() || !selector.contains('@')));
    all
}

/// The element's name, if it can be written.
fn tag(element: Node<'_>) -> &str {
    let name = element.name();
    if is_identifier(name) { name } else { "*" }
}

fn by_itself(element: Node<'_>, attribute: Option<&str>) -> Vec<String> {
    let tag = tag(element);
    let mut all = Vec::new();
    for by in ["name", "property", "itemprop", "http-equiv"] {
        if let Some(name) = element.attr(by).filter(|name| is_stable(name) && attribute != Some(by)) {
            all.push(format!("{tag}[{by}={}]", quoted(name)));
        }
    }
    if let Some(id) = element.attr("id").filter(|id| is_stable(id) && is_identifier(id) && attribute != Some("id")) {
        all.push(format!("{tag}#{id}"));
    }
    let classes: Vec<&str> =
        element.classes().filter(|class| is_stable(class) && is_identifier(class)).take(CLASSES_MAX).collect();
    all.extend(classes.iter().map(|class| format!("{tag}.{class}")));
    if classes.len() > 1 {
        all.push(format!("{tag}.{}", classes.join(".")));
    }
    for by in ["rel", "type"] {
        if let Some(name) = element.attr(by).filter(|name| is_stable(name) && attribute != Some(by)) {
            all.push(format!("{tag}[{by}={}]", quoted(name)));
        }
    }
    if let Some(name) = attribute {
        let beginning = element.attr(name).and_then(stable_beginning);
        all.extend(beginning.map(|beginning| format!("{tag}[{name}^={}]", quoted(beginning))));
        if name.starts_with("data-") {
            all.push(format!("{tag}[{name}]"));
        }
    }
    all
}

/// Of a URL, all up to its last separator, if that looks chosen by a person.
fn stable_beginning(url: &str) -> Option<&str> {
    let end = url.rfind(['/', '=', '?'])? + 1;
    let beginning = &url[..end];
    let has_name = beginning.contains(|c: char| c.is_ascii_alphabetic());
    let words = beginning.split(['/', '=', '?', '&']).filter(|word| !word.is_empty());
    (has_name && beginning.len() <= NAME_BYTES_MAX && words.into_iter().all(is_stable)).then_some(beginning)
}

/// Elements around it, the nearest first: by id, name, a form's action, classes.
fn scopes(element: Node<'_>) -> Vec<String> {
    let mut scopes = Vec::new();
    for outer in element.ancestors().take(SCOPES_MAX) {
        let tag = tag(outer);
        if let Some(id) = outer.attr("id").filter(|id| is_stable(id) && is_identifier(id)) {
            scopes.push(format!("{tag}#{id}"));
        }
        for by in ["name", "action"] {
            let is_chosen =
                |text: &&str| text.split('/').filter(|word| !word.is_empty()).all(is_stable) && !text.is_empty();
            if let Some(name) = outer.attr(by).filter(|name| matches!(tag, "form" | "select") && is_chosen(name)) {
                scopes.push(format!("{tag}[{by}={}]", quoted(name)));
            }
        }
        let class = outer.classes().find(|class| is_stable(class) && is_identifier(class));
        scopes.extend(class.map(|class| format!("{tag}.{class}")));
        if matches!(tag, "main" | "nav" | "header" | "footer" | "article" | "aside" | "form" | "td" | "h1") {
            scopes.push(tag.to_owned());
        }
    }
    scopes
}

/// As a value within brackets.
fn quoted(text: &str) -> String {
    if is_identifier(text) {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if c < ' ' => quoted.push_str(&format!("\\{:x} ", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
