//! What a page is made of, without what it says: the paths of its elements.
//!
//! Two pages of one template have the same outline, whatever their texts, the values of their attributes and the number
//! of their rows are; a log-in page in the place of an account has another one.

use std::collections::BTreeSet;

use crate::Budget;
use crate::html::Node;

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
pub(crate) fn outline(document: Node<'_>, budget: &Budget<'_>) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let Some(html) = document.first_child() else {
        return paths;
    };
    let mut path = "html".to_owned();
    // A list of the elements around, with path and depth before each: the depth of a page is in the hands of a server.
    let mut around: Vec<(Node<'_>, usize, usize)> = Vec::new();
    let (mut next, mut depth) = (html.first_child(), 1);
    while let Some(node) = next {
        let before = path.len();
        let is_part = !OF_TEXT.contains(&node.name()) && depth < DEPTH_MAX;
        let is_left_out = LEFT_OUT.contains(&node.name());
        if is_part && !is_left_out {
            path.push('/');
            path.push_str(node.name());
            if CONTROLS.contains(&node.name())
                && let Some(field) = node.attr("name")
            {
                path.push_str(&format!("[{}]", shape(field)));
            }
            if paths.len() == PATHS_MAX || !budget.step(path.len() as u64 / 16) {
                return paths;
            }
            if !paths.contains(&path) {
                if !budget.hold(path.len() + size_of::<String>()) {
                    return paths;
                }
                paths.insert(path.clone());
            }
        }
        if let Some(child) = node.first_child().filter(|_| !is_left_out) {
            around.push((node, before, depth));
            depth += usize::from(is_part);
            next = Some(child);
            continue;
        }
        path.truncate(before);
        next = node.next_sibling();
        while next.is_none()
            && let Some((outer, before, depth_before)) = around.pop()
        {
            path.truncate(before);
            depth = depth_before;
            next = outer.next_sibling();
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
