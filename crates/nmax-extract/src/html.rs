//! An HTML document: parsed by html5ever, as browsers do, into a tree of 32 bytes an element and its texts beside it.
//!
//! A server decides how deep, how long and how odd a page is, so each of these ends the parser with a reason: more than
//! [`DEPTH_MAX`] open elements, as html5ever looks through all of them at each tag; more than [`ATTRIBUTES_MAX`]
//! attributes of a tag, as it compares each with all before; and what the [`Budget`] has. Comments and errors are dropped.
//!
//! # Layout
//! - here: the tree, and how to go through it
//! - `build`: from the parser's calls to the tree; `tags`: where a body may be cut, and attributes counted
//! - `select`: CSS selectors

use std::collections::HashMap;

use html5ever::{LocalName, Namespace, QualName, local_name, ns};

use crate::arena::{Arena, Chars, boundary};
use crate::budget::{Budget, GaveUp};

mod build;
mod select;
mod tags;
#[cfg(test)]
mod tests;

pub(crate) use select::Selector;

/// Most elements that are open at a time. Blink makes trees of 512 levels.
pub const DEPTH_MAX: usize = 1_024;
/// Most attributes of a tag.
pub const ATTRIBUTES_MAX: usize = 1_024;
/// Most different names of elements and attributes in a document.
pub const NAMES_MAX: usize = 1 << 14;
/// Bytes that a name takes beside its text, in the tables of html5ever and here.
const NAME_BYTES: usize = 160;
/// Longest name that is told from others by all of it, in bytes: longer ones are cut.
const NAME_BYTES_MAX: usize = 1_024;

/// No element.
const NONE: u32 = u32::MAX;
/// The document itself.
const ROOT: u32 = 0;

/// Which vocabulary an element is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    Html,
    Svg,
    MathMl,
}

static HTML: Namespace = ns!(html);
static SVG: Namespace = ns!(svg);
static MATHML: Namespace = ns!(mathml);

impl Space {
    fn url(self) -> &'static Namespace {
        match self {
            Self::Html => &HTML,
            Self::Svg => &SVG,
            Self::MathMl => &MATHML,
        }
    }
}

/// An element, or the document.
#[derive(Clone, Copy, Debug)]
struct Element {
    parent: u32,
    /// The sibling before it; of a first child the last one.
    prev: u32,
    next: u32,
    first: u32,
    /// Number of the first attribute; those of an element follow each other.
    attrs: u32,
    /// The text between its start and its first child.
    text: u32,
    /// The text between its end and its next sibling, or the end of its parent.
    tail: u32,
    name: u16,
    space: Space,
}

#[derive(Clone, Copy, Debug)]
struct Attr {
    value: u32,
    name: u16,
    is_last: bool,
    /// It has a namespace of its own, as `xlink:href` has in SVG.
    is_foreign: bool,
}

/// A parsed document.
#[derive(Debug, Default)]
pub(crate) struct Document {
    elements: Arena<Element>,
    attrs: Arena<Attr>,
    chars: Chars,
    names: Names,
}

/// The names of elements and attributes.
#[derive(Debug, Default)]
struct Names {
    all: Vec<LocalName>,
    known: HashMap<LocalName, u16>,
}

impl Names {
    fn number(&mut self, name: &LocalName, budget: &Budget<'_>) -> Option<u16> {
        if let Some(known) = self.known.get(name) {
            return Some(*known);
        }
        if self.all.len() == NAMES_MAX {
            budget.give_up(GaveUp::Names(NAMES_MAX));
            return None;
        }
        let mut name = name.clone();
        if name.len() > NAME_BYTES_MAX {
            name = LocalName::from(&name[..boundary(&name, NAME_BYTES_MAX)]);
        }
        if !budget.hold(NAME_BYTES + name.len()) {
            return None;
        }
        let number = self.all.len() as u16;
        self.all.push(name.clone());
        self.known.insert(name, number);
        Some(number)
    }
}

impl Document {
    /// Parses a document. O(length), by [`DEPTH_MAX`] at the worst.
    ///
    /// # Errors
    /// The reason for which it was given up.
    pub(crate) fn parse(html: &str, budget: &Budget<'_>) -> Result<Self, GaveUp> {
        build::parse(html, budget)
    }

    /// The document as a node: it has no name.
    pub(crate) fn root<'d>(&'d self, budget: &'d Budget<'d>) -> Node<'d> {
        Node { document: self, budget, at: ROOT }
    }
}

/// An element of a document, or the document itself.
#[derive(Clone, Copy)]
pub(crate) struct Node<'d> {
    document: &'d Document,
    budget: &'d Budget<'d>,
    at: u32,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}> {}", self.name(), self.at)
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<'d> Node<'d> {
    fn element(self) -> &'d Element {
        self.document.elements.get(self.at)
    }

    /// The node with that number; none when there is none, or the budget is used up.
    fn node(self, at: u32) -> Option<Self> {
        (at != NONE && self.budget.step(1)).then_some(Self { at, ..self })
    }

    fn local_name(self) -> &'d LocalName {
        &self.document.names.all[usize::from(self.element().name)]
    }

    /// The element's name; that of the document is empty.
    pub(crate) fn name(self) -> &'d str {
        self.local_name()
    }

    /// The element around it.
    pub(crate) fn parent(self) -> Option<Self> {
        Some(self.element().parent).filter(|at| *at != ROOT).and_then(|at| self.node(at))
    }

    /// The elements around it, the nearest first.
    pub(crate) fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// The first element within it.
    pub(crate) fn first_child(self) -> Option<Self> {
        self.node(self.element().first)
    }

    /// The elements within it, without those within them.
    pub(crate) fn children(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), |node| node.next_sibling())
    }

    pub(crate) fn next_sibling(self) -> Option<Self> {
        self.node(self.element().next)
    }

    pub(crate) fn prev_sibling(self) -> Option<Self> {
        let prev = self.element().prev;
        // The first one has the last one before it.
        Some(prev).filter(|at| *at != NONE && self.document.elements.get(*at).next != NONE).and_then(|at| self.node(at))
    }

    /// What comes after it and all within it, in the order of the document, within `top`.
    pub(crate) fn behind(self, top: Self) -> Option<Self> {
        let mut node = self;
        while node != top {
            if let Some(next) = node.next_sibling() {
                return Some(next);
            }
            node = node.node(node.element().parent)?;
        }
        None
    }

    /// All elements within it, in the order of the document.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first_child(), move |node| node.first_child().or_else(|| node.behind(self)))
    }

    fn raw_attrs(self) -> impl Iterator<Item = &'d Attr> {
        let mut next = self.element().attrs;
        std::iter::from_fn(move || {
            if next == NONE || !self.budget.step(1) {
                return None;
            }
            let attr = self.document.attrs.get(next);
            next = if attr.is_last { NONE } else { next + 1 };
            Some(attr)
        })
    }

    /// Its attributes with their values, in order, whatever their namespace.
    pub(crate) fn attrs(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        self.raw_attrs().map(move |attr| {
            let name: &str = &self.document.names.all[usize::from(attr.name)];
            (name, self.document.chars.get(attr.value))
        })
    }

    /// The value of an attribute without a namespace.
    pub(crate) fn attr(self, name: &str) -> Option<&'d str> {
        let is_it = |attr: &&Attr| !attr.is_foreign && *self.document.names.all[usize::from(attr.name)] == *name;
        let value = self.raw_attrs().find(is_it).map(|attr| self.document.chars.get(attr.value))?;
        // Its reader looks at all of it.
        self.budget.step(value.len() as u64 / 8).then_some(value)
    }

    /// Its classes.
    pub(crate) fn classes(self) -> impl Iterator<Item = &'d str> {
        self.attr("class").unwrap_or_default().split_ascii_whitespace()
    }

    /// The text before its first child.
    pub(crate) fn own_text(self) -> &'d str {
        self.document.chars.get(self.element().text)
    }

    /// The text behind it.
    fn tail(self) -> &'d str {
        self.document.chars.get(self.element().tail)
    }

    /// All text within it, in order. O(its length).
    pub(crate) fn texts(self) -> impl Iterator<Item = &'d str> {
        // Elements are entered and left; both may have a text behind.
        let mut place = Some((self, true));
        std::iter::from_fn(move || {
            let (node, is_entered) = place?;
            place = match node.first_child().filter(|_| is_entered) {
                Some(child) => Some((child, true)),
                None if is_entered => Some((node, false)),
                None if node == self => None,
                None => match node.next_sibling() {
                    Some(next) => Some((next, true)),
                    None => node.node(node.element().parent).map(|parent| (parent, false)),
                },
            };
            Some(match is_entered {
                true => node.own_text(),
                false if node == self => "",
                false => node.tail(),
            })
        })
    }
}
