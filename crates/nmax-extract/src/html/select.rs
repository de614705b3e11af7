//! CSS selectors on the tree, by the crate that Firefox matches them with. Each look at a neighbour is a step of the
//! budget; when it is used up, no element has neighbours any more, so whatever is searched ends.

use cssparser::{BasicParseErrorKind, ParseErrorKind, ToCss};
use html5ever::{LocalName, Namespace, ns};
use precomputed_hash::PrecomputedHash;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode};
use selectors::matching::{ElementSelectorFlags, SelectorCaches, matches_selector};
use selectors::parser::{
    self, NonTSPseudoClass, ParseRelative, PseudoElement, SelectorImpl, SelectorList, SelectorParseErrorKind,
};
use selectors::{Element, OpaqueElement};

use super::{Node, ROOT};

/// Deepest nesting of parentheses and brackets.
const DEPTH_MAX: usize = 32;
/// Longest selector, in bytes.
const BYTES_MAX: usize = 16 << 10;
/// Elements after which what was remembered of others is forgotten, which bounds the memory for it.
const REMEMBERED_MAX: usize = 8_192;

/// A list of selectors, compiled.
#[derive(Debug)]
pub(crate) struct Selector(SelectorList<Simple>);

impl Selector {
    /// Reads a list of selectors; the error says what is wrong with it, for a person.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut depth = 0_usize;
        let mut depth_max = 0;
        for byte in text.bytes() {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth_max = depth_max.max(depth);
        }
        if depth_max > DEPTH_MAX {
            return Err(format!("it is nested more than {DEPTH_MAX} deep"));
        }
        if text.len() > BYTES_MAX {
            return Err(format!("it is longer than {} KiB", BYTES_MAX >> 10));
        }
        let list = SelectorList::parse(&Parser, &mut cssparser::Parser::new(text), ParseRelative::No);
        list.map(Self).map_err(|error| told(&error.kind))
    }

    /// The elements within `top` that it matches, in the order of the document.
    pub(crate) fn matches<'s, 'd: 's>(&'s self, top: Node<'d>) -> impl Iterator<Item = Node<'d>> + 's {
        let mut caches = SelectorCaches::default();
        let mut seen = 0;
        top.descendants().filter(move |node| {
            seen += 1;
            if seen % REMEMBERED_MAX == 0 {
                caches = SelectorCaches::default();
            }
            let mut context = MatchingContext::new(
                MatchingMode::Normal,
                None,
                &mut caches,
                QuirksMode::NoQuirks,
                NeedsSelectorFlags::No,
                MatchingForInvalidation::No,
            );
            self.0.slice().iter().any(|selector| matches_selector(selector, 0, None, node, &mut context))
        })
    }
}

/// What is wrong with a selector, on one line.
fn told(kind: &ParseErrorKind<SelectorParseErrorKind>) -> String {
    match kind {
        ParseErrorKind::Basic(BasicParseErrorKind::EndOfInput) => "it ends too early".into(),
        ParseErrorKind::Basic(_) => "a character or word is not expected there".into(),
        ParseErrorKind::Custom(kind) => in_words(&format!("{kind:?}")),
    }
}

/// `NoQualifiedNameInAttributeSelector(..)` as `no qualified name in attribute selector`.
fn in_words(variant: &str) -> String {
    let name = variant.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let mut words = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

struct Parser;

impl parser::Parser<'_> for Parser {
    type Impl = Simple;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }
}

/// Selectors without states and pseudo-elements: a reply has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple;

impl SelectorImpl for Simple {
    type AttrValue = Text;
    type Identifier = Name;
    type LocalName = Name;
    type NamespacePrefix = Name;
    type NamespaceUrl = Namespace;
    type BorrowedNamespaceUrl = Namespace;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = Never;
    type PseudoElement = Never;
    type ExtraMatchingData<'a> = ();
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text(String);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Text {
    fn to_css<W: std::fmt::Write>(&self, to: &mut W) -> std::fmt::Result {
        cssparser::serialize_string(&self.0, to)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name(LocalName);

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl ToCss for Name {
    fn to_css<W: std::fmt::Write>(&self, to: &mut W) -> std::fmt::Result {
        to.write_str(&self.0)
    }
}

impl PrecomputedHash for Name {
    fn precomputed_hash(&self) -> u32 {
        self.0.precomputed_hash()
    }
}

/// There is none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Never {}

impl NonTSPseudoClass for Never {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

impl PseudoElement for Never {}

impl ToCss for Never {
    fn to_css<W: std::fmt::Write>(&self, _to: &mut W) -> std::fmt::Result {
        Ok(())
    }
}

impl Element for Node<'_> {
    type Impl = Simple;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.element())
    }

    fn parent_element(&self) -> Option<Self> {
        self.parent()
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn is_part(&self, _name: &Name) -> bool {
        false
    }

    fn is_same_type(&self, other: &Self) -> bool {
        let (own, other) = (self.element(), other.element());
        own.name == other.name && own.space == other.space
    }

    fn imported_part(&self, _name: &Name) -> Option<Name> {
        None
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.prev_sibling()
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.next_sibling()
    }

    fn first_element_child(&self) -> Option<Self> {
        self.first_child()
    }

    fn is_html_element_in_html_document(&self) -> bool {
        *self.element().space.url() == ns!(html)
    }

    fn has_local_name(&self, name: &Name) -> bool {
        *self.local_name() == name.0
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.element().space.url() == namespace
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Namespace>,
        name: &Name,
        operation: &AttrSelectorOperation<&Text>,
    ) -> bool {
        let is_of = |is_foreign: bool| match namespace {
            NamespaceConstraint::Any => true,
            NamespaceConstraint::Specific(url) => **url == ns!() && !is_foreign,
        };
        self.raw_attrs().any(|attr| {
            let is_it = is_of(attr.is_foreign) && self.document.names.all[usize::from(attr.name)] == name.0;
            is_it && {
                let value = self.document.chars.get(attr.value);
                self.budget.step(value.len() as u64 / 16) && operation.eval_str(value)
            }
        })
    }

    fn match_non_ts_pseudo_class(&self, _class: &Never, _context: &mut MatchingContext<'_, Simple>) -> bool {
        false
    }

    fn match_pseudo_element(&self, _element: &Never, _context: &mut MatchingContext<'_, Simple>) -> bool {
        false
    }

    fn is_link(&self) -> bool {
        false
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Name, case: CaseSensitivity) -> bool {
        self.attr("id").is_some_and(|found| case.eq(id.0.as_bytes(), found.as_bytes()))
    }

    fn has_class(&self, name: &Name, case: CaseSensitivity) -> bool {
        let classes = self.attr("class").unwrap_or_default();
        self.budget.step(classes.len() as u64 / 16)
            && self.classes().any(|class| case.eq(name.0.as_bytes(), class.as_bytes()))
    }

    fn has_custom_state(&self, _name: &Name) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.first_child().is_none() && self.own_text().is_empty()
    }

    fn is_root(&self) -> bool {
        self.element().parent == ROOT
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}
