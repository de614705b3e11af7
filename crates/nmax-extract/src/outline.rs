//! What a page is made of, without what it says: the paths of its elements.
//!
//! Two pages of one template have the same outline, whatever their texts, the values of their attributes and the number
//! of their rows are; a log-in page in the place of an account has another one.

use std::collections::BTreeSet;

use scraper::Html;

/// Deepest elements that are told apart; those below them count as part of them.
const DEPTH_MAX: usize = 32;
/// Most paths of one page.
const PATHS_MAX: usize = 10_000;

/// What a person does not see, or what is a picture in itself.
const LEFT_OUT: [&str; 9] = ["head", "script", "style", "template", "noscript", "link", "meta", "svg", "math"];
/// What marks a few words of a text: it comes and goes with the text.
const OF_TEXT: [&str; 30] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "label", "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var",
];
/// What a person fills in or presses: their names are part of what the page is.
const CONTROLS: [&str; 4] = ["input", "select", "textarea", "button"];

/// The path of every element below the root of a document, each once: `html/body/form/input[email]`. O(elements · depth).
pub(crate) fn outline(document: &Html) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    // A list of what is to be done: the depth of a page is in the hands of a server.
    let mut open = vec![(document.root_element(), "html".to_owned(), 1)];
    while let Some((element, path, depth)) = open.pop() {
        for child in element.child_elements() {
            let name = child.value().name();
            if LEFT_OUT.contains(&name) {
                continue;
            }
            if OF_TEXT.contains(&name) || depth == DEPTH_MAX {
                open.push((child, path.clone(), depth));
                continue;
            }
            if paths.len() >= PATHS_MAX {
                return paths;
            }
            let mut inner = format!("{path}/{name}");
            if CONTROLS.contains(&name)
                && let Some(field) = child.value().attr("name")
            {
                inner.push_str(&format!("[{}]", shape(field)));
            }
            paths.insert(inner.clone());
            open.push((child, inner, depth + 1));
        }
    }
    paths
}

/// A name or a path with `*` in the place of each word that has a digit: it may be another one the next time. A UUID is
/// one word.
pub fn shape(name: &str) -> String {
    let mut shaped = String::with_capacity(name.len());
    let mut rest = name;
    while !rest.is_empty() {
        let is_of_word = |c: char| c.is_alphanumeric() || "-_.~%".contains(c);
        let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        shaped.push_str(if word.contains(|c: char| c.is_numeric()) { "*" } else { word });
        let mark = after.chars().next().map_or(0, char::len_utf8);
        shaped.push_str(&after[..mark]);
        rest = &after[mark..];
    }
    shaped
}

#[cfg(test)]
mod tests;
