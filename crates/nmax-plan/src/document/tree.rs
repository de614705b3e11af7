//! YAML as a tree in which every key and value knows its place.
//!
//! Anchors, aliases, merge keys and tags are refused, so a document cannot grow while it is read. Size and depth are
//! limited. O(length) time and space, no recursion.

use nmax_secrets::Redactor;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};

use crate::document::DOCUMENT_BYTES_MAX;

/// Deepest accepted nesting: steps within steps, 16 levels of four lists and maps each, and some around and in them.
const DEPTH_MAX: usize = 100;
/// Most values and keys in a document.
const NODES_MAX: usize = 200_000;

/// Columns beyond are not looked at for places within a text.
const COLUMN_MAX: usize = 500;
/// Most keys in one map.
const MAP_KEYS_MAX: usize = 5_000;

/// A place in the document, or in the argument with number `flag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct NodePosition {
    /// Index of the argument that the value came from; the document itself sorts first.
    pub flag: Option<u32>,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub at: NodePosition,
    /// What it is.
    pub value: Value,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A single value.
    Scalar(Scalar),
    /// Items.
    List(Vec<Node>),
    /// Keys and values, in order.
    Map(Vec<Entry>),
}

/// A single value.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its text, without quotes.
    pub text: String,
    /// Written without quotes, so it may be a number or a boolean.
    pub plain: bool,
    /// Column of the text's first character relative to the value's; `None` when escapes or lines break the relation.
    pub shift: Option<u32>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where it is.
    pub key_at: NodePosition,
    /// Its value.
    pub value: Node,
}

/// An error with its place, not yet bound to a file name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub at: NodePosition,
    pub message: String,
    pub remedy: String,
}

/// Builds the tree of `text`. `problems` gets all that can be found; `None` when there is no tree.
pub(crate) fn parse<'a>(text: &'a str, flag: Option<u32>, problems: &'a mut Vec<Problem>) -> Option<Node> {
    let mut builder = Builder {
        flag,
        lines: text.split('\n').collect(),
        stack: Vec::new(),
        root: None,
        nodes: 0,
        documents: 0,
        problems,
    };
    if text.len() > DOCUMENT_BYTES_MAX {
        let start = NodePosition { flag, line: 1, column: 1 };
        let message = format!("the document has {} bytes, more than {DOCUMENT_BYTES_MAX}", text.len());
        builder.problem(start, message, "move data into CSV files");
        return None;
    }
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => builder.event(event, span).ok()?,
            Err(error) => {
                let at = builder.place(error.marker());
                builder.problem(at, format!("not YAML: {}", error.info()), SYNTAX_REMEDY);
                return None;
            }
        }
    }
    let start = NodePosition { flag, line: 1, column: 1 };
    Some(builder.root.unwrap_or(Node { at: start, value: Value::Null }))
}

const SYNTAX_REMEDY: &str = "check indentation and quotes; text with `: `, ` #`, `{` or `[` needs quotes";

/// No tree can be built from here on.
struct Stop;

enum Frame {
    List { at: NodePosition, items: Vec<Node> },
    Map { at: NodePosition, entries: Vec<Entry>, key: Option<(String, NodePosition)> },
}

struct Builder<'a> {
    flag: Option<u32>,
    lines: Vec<&'a str>,
    stack: Vec<Frame>,
    root: Option<Node>,
    nodes: usize,
    documents: usize,
    problems: &'a mut Vec<Problem>,
}

impl Builder<'_> {
    fn place(&self, marker: &Marker) -> NodePosition {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        NodePosition { flag: self.flag, line: number(marker.line()), column: number(marker.col()).saturating_add(1) }
    }

    fn problem(&mut self, at: NodePosition, message: impl Into<String>, remedy: &str) {
        self.problems.push(Problem { at, message: message.into(), remedy: remedy.to_owned() });
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Stop> {
        let at = self.place(&span.start);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.problem(at, "a second document begins here", "keep one plan per file");
                    return Err(Stop);
                }
            }
            Event::Alias(_) => {
                self.problem(at, "aliases (`*name`) are not part of plans", "write the value out");
                self.value(Node { at, value: Value::Null })?;
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse(at, anchor, tag.is_some());
                self.value(Node { at, value: scalar(&text, style, span, &self.lines) })?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse(at, anchor, tag.is_some());
                self.open(Frame::List { at, items: Vec::new() })?;
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse(at, anchor, tag.is_some());
                self.open(Frame::Map { at, entries: Vec::new(), key: None })?;
            }
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Frame::List { at, items }) => self.value(Node { at, value: Value::List(items) })?,
                Some(Frame::Map { at, entries, .. }) => self.value(Node { at, value: Value::Map(entries) })?,
                None => return Err(Stop),
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn refuse(&mut self, at: NodePosition, anchor: usize, tagged: bool) {
        if anchor > 0 {
            self.problem(at, "anchors (`&name`) are not part of plans", "write the value out where it is used");
        }
        if tagged {
            self.problem(
                at,
                "tags (`!name`) are not part of plans",
                "remove the tag; quote the value to make it a text",
            );
        }
    }

    fn open(&mut self, frame: Frame) -> Result<(), Stop> {
        let (Frame::List { at, .. } | Frame::Map { at, .. }) = frame;
        if self.stack.len() >= DEPTH_MAX {
            self.problem(at, format!("nested deeper than {DEPTH_MAX} levels"), "flatten the document");
            return Err(Stop);
        }
        if let Some(Frame::Map { key: None, .. }) = self.stack.last() {
            self.problem(at, "a list or map cannot be a key", "quote the key if it is a text");
            return Err(Stop);
        }
        self.stack.push(frame);
        Ok(())
    }

    fn value(&mut self, node: Node) -> Result<(), Stop> {
        self.nodes += 1;
        let keys = if let Some(Frame::Map { entries, .. }) = self.stack.last() { entries.len() } else { 0 };
        if self.nodes > NODES_MAX || keys > MAP_KEYS_MAX {
            let message = format!("more than {NODES_MAX} values, or {MAP_KEYS_MAX} keys in a map");
            self.problem(node.at, message, "move data into CSV files");
            return Err(Stop);
        }
        let mut duplicate = None;
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Frame::List { items, .. }) => items.push(node),
            Some(Frame::Map { entries, key, .. }) => match key.take() {
                None => {
                    let text = match node.value {
                        Value::Scalar(scalar) => scalar.text,
                        _ => String::new(),
                    };
                    duplicate = entries
                        .iter()
                        .find(|entry| entry.key == text)
                        .map(|entry| (node.at, text.clone(), entry.key_at));
                    *key = Some((text, node.at));
                }
                Some((key, key_at)) => {
                    if !entries.iter().any(|entry| entry.key == key) {
                        entries.push(Entry { key, key_at, value: node });
                    }
                }
            },
        }
        if let Some((at, key, first)) = duplicate {
            let message = format!("key `{key}` is here twice; the first is in line {}", first.line);
            self.problem(at, message, "keep one of them");
        }
        Ok(())
    }
}

fn scalar(text: &str, style: ScalarStyle, span: Span, lines: &[&str]) -> Value {
    let plain = style == ScalarStyle::Plain;
    if plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Value::Null;
    }
    let quote = usize::from(matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted));
    // Where the source shows the text unchanged, places inside it are known. Far columns are not worth the search.
    let column = span.start.col() + quote;
    let line = lines.get(span.start.line().wrapping_sub(1)).copied().unwrap_or_default();
    let from = line.char_indices().nth(column.min(COLUMN_MAX)).map_or("", |(at, _)| &line[at..]);
    let unchanged = column < COLUMN_MAX && from.starts_with(text);
    Value::Scalar(Scalar { text: text.to_owned(), plain, shift: unchanged.then_some(quote as u32) })
}

impl Node {
    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The value of a map's key.
    pub fn key(&self, name: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == name).map(|entry| &entry.value)
    }

    /// What it is, for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "nothing".into(),
            Value::Scalar(scalar) if scalar.text.chars().count() <= 60 => {
                // What stands in a wrong place may be a secret all the same: `form: "password=x"`.
                format!("`{}`", nmax_text::shown(&Redactor::default().data(&scalar.text)))
            }
            Value::Scalar(_) => "a long text".into(),
            Value::List(_) => "a list".into(),
            Value::Map(_) => "a map".into(),
        }
    }
}

#[cfg(test)]
mod tests;
