//! The tree, as html5ever's tree builder asks for it.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use html5ever::tree_builder::{Tracer, TreeBuilder};
use html5ever::{Attribute, TokenizerResult};

use super::*;
use crate::arena::boundary;

/// Elements that are made between two counts of those that are open.
const MADE_PER_COUNT: usize = 128;

/// Bytes that the tokenizer gets at a time.
const PIECE_BYTES: usize = 16 << 10;
/// Words of a tag that was not measured which may be attributes.
const WORDS_MAX: usize = 16 * ATTRIBUTES_MAX;

pub(super) fn parse(html: &str, budget: &Budget<'_>) -> Result<Document, GaveUp> {
    let kept = html.len() - html.bytes().filter(|byte| *byte == 0).count();
    if kept == html.len() {
        return parse_plain(html, budget);
    }
    // NULs mean nothing anywhere, and each would be a token and an error.
    if !budget.hold(kept) {
        return Err(budget.reason());
    }
    let mut plain = String::with_capacity(kept);
    plain.extend(html.split('\0'));
    let document = parse_plain(&plain, budget);
    budget.release(kept);
    document
}

fn parse_plain(html: &str, budget: &Budget<'_>) -> Result<Document, GaveUp> {
    let Some(sink) = Sink::new(budget) else {
        return Err(budget.reason());
    };
    let builder = TreeBuilder::new(sink, Default::default());
    let feed = Feed { builder, budget, tokens: Cell::new(0), raw: RefCell::default() };
    let tokenizer = Tokenizer::new(feed, Default::default());
    let input = BufferQueue::default();
    let (mut at, mut words) = (0, 0);
    while at < html.len() {
        let raw = tokenizer.sink.raw.borrow().clone();
        let (end, part) = tags::part(html, at, raw.as_deref());
        if matches!(part, tags::Part::Tag(attributes) if attributes > ATTRIBUTES_MAX) {
            return Err(GaveUp::Attributes(ATTRIBUTES_MAX));
        }
        let tokens = tokenizer.sink.tokens.get();
        for piece in pieces(&html[at..end]) {
            budget.check()?;
            budget.step(piece.len() as u64 / 64);
            input.push_back(StrTendril::from(piece));
            // Scripts do not run, and the encoding is known.
            while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        }
        // A tokenizer that is silent where it should say something is in a tag that was taken for something else.
        let is_silent = part != tags::Part::Comment && tokenizer.sink.tokens.get() == tokens;
        words = if is_silent { words + tags::count_words(&html[at..end]) } else { 0 };
        if words > WORDS_MAX {
            return Err(GaveUp::Attributes(ATTRIBUTES_MAX));
        }
        at = end;
    }
    tokenizer.end();
    budget.check()?;
    Ok(tokenizer.sink.builder.sink.finish())
}

/// A text in pieces.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(boundary(rest, PIECE_BYTES));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What stands between the tokenizer and the tree builder: it drops what the tree has no place for, and counts.
struct Feed<'b> {
    builder: TreeBuilder<u32, Sink<'b>>,
    budget: &'b Budget<'b>,
    /// Tokens so far.
    tokens: Cell<u64>,
    /// The element whose end tag alone ends the text that comes.
    raw: RefCell<Option<LocalName>>,
}

impl TokenSink for Feed<'_> {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        self.tokens.set(self.tokens.get() + 1);
        // A step is some ten nanoseconds, a token some hundred.
        if !self.budget.step(8) {
            return TokenSinkResult::Continue;
        }
        let mut start = None;
        match &token {
            Token::ParseError(_) | Token::CommentToken(_) => return TokenSinkResult::Continue,
            Token::TagToken(Tag { kind: TagKind::StartTag, name, .. }) => {
                self.count_open();
                start = Some(name.clone());
            }
            Token::TagToken(_) => *self.raw.borrow_mut() = None,
            _ => {}
        }
        let result = self.builder.process_token(token, line);
        match &result {
            TokenSinkResult::RawData(_) => *self.raw.borrow_mut() = start,
            // No end tag has no name.
            TokenSinkResult::Plaintext => *self.raw.borrow_mut() = Some(local_name!("")),
            _ => {}
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Feed<'_> {
    /// Gives up when too many elements are open. The builder tells its handles one by one, so it is asked when so many
    /// were made since that there may be too many.
    fn count_open(&self) {
        struct Handles(Cell<usize>);
        impl Tracer for Handles {
            type Handle = u32;
            fn trace_handle(&self, _node: &u32) {
                self.0.set(self.0.get() + 1);
            }
        }
        let sink = &self.builder.sink;
        let made = sink.made.get();
        if made < MADE_PER_COUNT || sink.open.get() + made < DEPTH_MAX {
            return;
        }
        // Formatting elements are told twice: they are opened again in the next paragraph, so they cost twice.
        let handles = Handles(Cell::new(0));
        self.builder.trace_handles(&handles);
        sink.open.set(handles.0.get());
        sink.made.set(0);
        if handles.0.get() > DEPTH_MAX {
            self.budget.give_up(GaveUp::Depth(DEPTH_MAX));
        }
    }
}

struct Sink<'b> {
    document: RefCell<Document>,
    budget: &'b Budget<'b>,
    /// Elements that were open when they were last counted.
    open: Cell<usize>,
    /// Elements made since.
    made: Cell<usize>,
}

/// An element's name, as the builder compares it.
#[derive(Debug)]
struct Name(Space, LocalName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        self.0.url()
    }
    fn local_name(&self) -> &LocalName {
        &self.1
    }
}

impl<'b> Sink<'b> {
    fn new(budget: &'b Budget<'b>) -> Option<Self> {
        let mut document = Document::default();
        document.element(&QualName::new(None, ns!(html), local_name!("")), budget)?;
        Some(Self { document: RefCell::new(document), budget, open: Cell::new(0), made: Cell::new(0) })
    }
}

impl Document {
    /// A new element without attributes, nowhere in the tree.
    fn element(&mut self, name: &QualName, budget: &Budget<'_>) -> Option<u32> {
        let space = match name.ns {
            ns!(svg) => Space::Svg,
            ns!(mathml) => Space::MathMl,
            _ => Space::Html,
        };
        let element = Element {
            parent: NONE,
            prev: NONE,
            next: NONE,
            first: NONE,
            attrs: NONE,
            text: 0,
            tail: 0,
            name: self.names.number(&name.local, budget)?,
            space,
        };
        self.elements.push(element, budget)
    }

    /// Gives an element these attributes, in place of those that it had.
    fn set_attrs(&mut self, element: u32, attrs: &[Attr], budget: &Budget<'_>) -> Option<()> {
        let mut first = NONE;
        for (index, attr) in attrs.iter().enumerate() {
            let number = self.attrs.push(Attr { is_last: index + 1 == attrs.len(), ..*attr }, budget)?;
            first = first.min(number);
        }
        self.elements.get_mut(element).attrs = first;
        Some(())
    }

    fn attr(&mut self, attribute: &Attribute, budget: &Budget<'_>) -> Option<Attr> {
        Some(Attr {
            value: self.chars.push(&attribute.value, budget)?,
            name: self.names.number(&attribute.name.local, budget)?,
            is_last: true,
            is_foreign: attribute.name.ns != ns!(),
        })
    }

    fn attrs_of(&self, element: u32) -> Vec<Attr> {
        let mut attrs = Vec::new();
        let mut next = self.elements.get(element).attrs;
        while next != NONE {
            let attr = *self.attrs.get(next);
            attrs.push(attr);
            next = if attr.is_last { NONE } else { next + 1 };
        }
        attrs
    }

    fn last_child(&self, parent: u32) -> u32 {
        match self.elements.get(parent).first {
            NONE => NONE,
            first => self.elements.get(first).prev,
        }
    }

    /// Puts an element that is nowhere before a sibling, or at the end of its parent.
    fn insert(&mut self, parent: u32, child: u32, before: Option<u32>) {
        let first = self.elements.get(parent).first;
        let last = self.last_child(parent);
        self.elements.get_mut(child).parent = parent;
        match before {
            // An only child is its own last one.
            None if first == NONE => {
                self.elements.get_mut(parent).first = child;
                self.elements.get_mut(child).prev = child;
            }
            None => {
                self.elements.get_mut(last).next = child;
                self.elements.get_mut(child).prev = last;
                self.elements.get_mut(first).prev = child;
            }
            Some(sibling) => {
                let prev = self.elements.get(sibling).prev;
                self.elements.get_mut(child).prev = prev;
                self.elements.get_mut(child).next = sibling;
                self.elements.get_mut(sibling).prev = child;
                if sibling == first {
                    self.elements.get_mut(parent).first = child;
                } else {
                    self.elements.get_mut(prev).next = child;
                }
            }
        }
    }

    /// Takes an element out of its place; the text behind it stays there.
    fn detach(&mut self, child: u32, budget: &Budget<'_>) -> Option<()> {
        let Element { parent, prev, next, tail, .. } = *self.elements.get(child);
        if parent == NONE {
            return Some(());
        }
        let first = self.elements.get(parent).first;
        if next != NONE {
            self.elements.get_mut(next).prev = prev;
        } else if first != child {
            self.elements.get_mut(first).prev = prev;
        }
        if first == child {
            self.elements.get_mut(parent).first = next;
        } else {
            self.elements.get_mut(prev).next = next;
        }
        let detached = self.elements.get_mut(child);
        (detached.parent, detached.prev, detached.next, detached.tail) = (NONE, NONE, NONE, 0);
        let before = if first == child { InsertionPoint::In(parent) } else { InsertionPoint::Behind(prev) };
        self.add_number(before, tail, budget)
    }

    fn text_number(&mut self, point: InsertionPoint) -> &mut u32 {
        match point {
            InsertionPoint::In(element) => &mut self.elements.get_mut(element).text,
            InsertionPoint::Behind(element) => &mut self.elements.get_mut(element).tail,
        }
    }

    fn add_text(&mut self, point: InsertionPoint, text: &str, budget: &Budget<'_>) -> Option<()> {
        let number = *self.text_number(point);
        *self.text_number(point) = self.chars.extend(number, text, budget)?;
        Some(())
    }

    /// Adds a text that is known.
    fn add_number(&mut self, point: InsertionPoint, number: u32, budget: &Budget<'_>) -> Option<()> {
        if number == 0 {
            return Some(());
        }
        if *self.text_number(point) == 0 {
            *self.text_number(point) = number;
            return Some(());
        }
        let bytes = self.chars.get(number).len();
        if !budget.hold(bytes) {
            return None;
        }
        let text = self.chars.get(number).to_owned();
        let added = self.add_text(point, &text, budget);
        budget.release(bytes);
        added
    }

    /// Where a text goes that comes at the end of an element.
    fn end_of(&self, parent: u32) -> InsertionPoint {
        match self.last_child(parent) {
            NONE => InsertionPoint::In(parent),
            last => InsertionPoint::Behind(last),
        }
    }

    fn before(&self, sibling: u32) -> InsertionPoint {
        let Element { parent, prev, .. } = *self.elements.get(sibling);
        if self.elements.get(parent).first == sibling {
            InsertionPoint::In(parent)
        } else {
            InsertionPoint::Behind(prev)
        }
    }

    /// Moves all that is within an element to the end of another one.
    fn move_children(&mut self, from: u32, to: u32, budget: &Budget<'_>) -> Option<()> {
        let text = std::mem::take(&mut self.elements.get_mut(from).text);
        self.add_number(self.end_of(to), text, budget)?;
        while self.elements.get(from).first != NONE {
            let first = self.elements.get(from).first;
            if !budget.step(1) {
                return None;
            }
            let next = self.elements.get(first).next;
            let last = self.last_child(from);
            self.elements.get_mut(from).first = next;
            if next != NONE {
                self.elements.get_mut(next).prev = last;
            }
            self.elements.get_mut(first).next = NONE;
            self.insert(to, first, None);
        }
        Some(())
    }
}

/// A place for text.
#[derive(Clone, Copy)]
enum InsertionPoint {
    /// Before the first child of this element.
    In(u32),
    /// Behind this element.
    Behind(u32),
}

impl TreeSink for Sink<'_> {
    type Handle = u32;
    type Output = Document;
    type ElemName<'a>
        = Name
    where
        Self: 'a;

    fn finish(self) -> Document {
        self.document.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        ROOT
    }

    /// Asked for each element that the builder compares, so here its work is counted.
    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        self.budget.step(1);
        let document = self.document.borrow();
        let element = document.elements.get(*target);
        Name(element.space, document.names.all[usize::from(element.name)].clone())
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _flags: ElementFlags) -> u32 {
        self.made.set(self.made.get() + 1);
        let mut document = self.document.borrow_mut();
        let make = |document: &mut Document| {
            if !self.budget.step(1 + attrs.len() as u64) {
                return None;
            }
            let element = document.element(&name, self.budget)?;
            let attrs: Option<Vec<Attr>> = attrs.iter().map(|attr| document.attr(attr, self.budget)).collect();
            document.set_attrs(element, &attrs?, self.budget)?;
            Some(element)
        };
        // Nothing is made of a document that is given up, but the builder wants an element until the token is done.
        make(&mut document).unwrap_or_else(|| {
            let nameless = *document.elements.get(ROOT);
            document.elements.add(Element { first: NONE, text: 0, ..nameless })
        })
    }

    fn create_comment(&self, _text: StrTendril) -> u32 {
        NONE
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> u32 {
        NONE
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        let mut document = self.document.borrow_mut();
        match child {
            NodeOrText::AppendNode(NONE) => {}
            NodeOrText::AppendNode(child) => document.insert(*parent, child, None),
            NodeOrText::AppendText(text) => {
                let point = document.end_of(*parent);
                document.add_text(point, &text, self.budget);
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, prev_element: &u32, child: NodeOrText<u32>) {
        let has_parent = self.document.borrow().elements.get(*element).parent != NONE;
        if has_parent { self.append_before_sibling(element, child) } else { self.append(prev_element, child) }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public_id: StrTendril, _system_id: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        self.budget.step(1);
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, new_node: NodeOrText<u32>) {
        let mut document = self.document.borrow_mut();
        let parent = document.elements.get(*sibling).parent;
        match new_node {
            NodeOrText::AppendNode(NONE) => {}
            NodeOrText::AppendNode(child) => {
                document.detach(child, self.budget);
                if parent != NONE {
                    // The text before the sibling stays before the new one.
                    document.insert(parent, child, Some(*sibling));
                }
            }
            NodeOrText::AppendText(text) if parent != NONE => {
                let point = document.before(*sibling);
                document.add_text(point, &text, self.budget);
            }
            NodeOrText::AppendText(_) => {}
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, attrs: Vec<Attribute>) {
        let mut document = self.document.borrow_mut();
        let mut all = document.attrs_of(*target);
        let known = all.len();
        if !self.budget.step((known * attrs.len()) as u64) {
            return;
        }
        for attribute in &attrs {
            let Some(attr) = document.attr(attribute, self.budget) else { return };
            if all.iter().all(|known| known.name != attr.name) {
                all.push(attr);
            }
        }
        if all.len() > ATTRIBUTES_MAX {
            self.budget.give_up(GaveUp::Attributes(ATTRIBUTES_MAX));
        } else if all.len() > known {
            document.set_attrs(*target, &all, self.budget);
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.document.borrow_mut().detach(*target, self.budget);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        self.document.borrow_mut().move_children(*node, *new_parent, self.budget);
    }
}
