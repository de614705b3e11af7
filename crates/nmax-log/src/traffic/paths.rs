//! Path templates by cardinality: a tree of segments whose crowded nodes become one `{id}`.
//!
//! What can only be an identifier is `{id}` at once. Other segments are names, until a node has too many different ones:
//! when its names came fewer than twenty times each on average, or one in twenty requests still brings a new name
//! (Good and Turing: the share of names seen once), the set is open, and its names become one hole; else the node may
//! grow, up to a limit. Slugs are looked at sooner, so that a short log has few types too. `collapse` decides that, and
//! does it. A caller may name holes, as in `/products/*`.
//!
//! Memory is bounded by [`NODES_MAX`] and [`TYPES_MAX`]; what comes then is *other*.

mod collapse;

use super::hash::{IdMap, hash, mix};
use super::shape::Hole;

/// Names below one node at which slugs are looked for.
const CHILDREN_FEW: u32 = 12;
/// Names below one node that are looked at whatever they are.
const CHILDREN_FIRST: u32 = 64;
/// Nodes of the tree.
const NODES_MAX: usize = 50_000;
/// Request types at a time.
pub(crate) const TYPES_MAX: usize = 2_000;
/// Segments of a path; the rest is one hole.
const DEPTH_MAX: usize = 16;

/// Number of a request type. Two may turn out to be one; [`Paths::find`] tells which.
pub(crate) type TypeId = u32;

const NONE: u32 = u32::MAX;
const ROOT: u32 = 0;

/// The template of requests that are too many to tell apart.
pub(crate) const OTHER: &str = "(other)";
/// The template of requests for what was never there.
pub(crate) const NOT_FOUND: &str = "(not found)";

#[derive(Clone, Debug, Default)]
struct Node {
    parent: u32,
    name: Box<[u8]>,
    first_child: u32,
    next: u32,
    children: u32,
    /// Children above which it is looked at again.
    limit: u32,
    count: u64,
    is_collapsed: bool,
    types: Vec<(u8, TypeId)>,
}

impl Node {
    fn new(parent: u32, name: &[u8]) -> Self {
        let name = name.into();
        Self { parent, name, first_child: NONE, next: NONE, limit: CHILDREN_FEW, ..Self::default() }
    }
}

/// Where a type stands.
#[derive(Clone, Copy, Debug)]
enum Home {
    Node(u32),
    /// By method alone, of [`OTHER`] or [`NOT_FOUND`].
    Special(&'static str),
}

#[derive(Clone, Debug)]
struct Type {
    method: u8,
    home: Home,
    /// The type that it became part of; itself when none.
    part_of: TypeId,
}

/// The tree, and the types at its nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    nodes: Vec<Node>,
    free: Vec<u32>,
    by_key: IdMap<u32>,
    types: Vec<Type>,
    specials: Vec<(u8, &'static str, TypeId)>,
    methods: Vec<Box<[u8]>>,
    /// Pairs that became one since the last look: the first is part of the second.
    joined: Vec<(TypeId, TypeId)>,
    /// Types that are part of no other.
    live: usize,
    is_frozen: bool,
}

/// Types ever made, those included that became part of others.
const TYPES_EVER_MAX: usize = 100 * TYPES_MAX;
/// Methods that are told apart.
const METHODS_MAX: usize = 32;
/// Longest method.
const METHOD_BYTES_MAX: usize = 32;

impl Paths {
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Node::new(NONE, b"")], ..Self::default() }
    }

    /// An empty tree in which the segments that are `*` in these paths are holes.
    pub(crate) fn with_holes(patterns: &[String]) -> Self {
        let mut paths = Self::new();
        for pattern in patterns {
            let mut node = ROOT;
            for segment in segments(pattern.as_bytes()) {
                let is_hole = segment == b"*";
                paths.nodes[node as usize].is_collapsed |= is_hole;
                let name = if is_hole { b"{id}" } else { segment };
                node = paths.child(node, name).unwrap_or_else(|| paths.grow(node, name));
            }
        }
        paths
    }

    /// The tree of known types, by method and template, numbered in their order; what is none of them is [`OTHER`].
    pub(crate) fn from_templates(templates: &[(String, String)]) -> Self {
        let mut paths = Self::new();
        for (method, template) in templates {
            let method = paths.method(method.as_bytes()).unwrap_or(0);
            let special = [OTHER, NOT_FOUND].into_iter().find(|special| special == template);
            match special {
                Some(special) => {
                    paths.special(method, special);
                }
                None => paths.plant(method, template.as_bytes()),
            }
        }
        paths.is_frozen = true;
        paths
    }

    fn plant(&mut self, method: u8, template: &[u8]) {
        let mut node = ROOT;
        for segment in segments(template) {
            if segment.starts_with(b"{id}") {
                self.nodes[node as usize].is_collapsed = true;
            }
            node = match self.child(node, segment) {
                Some(child) => child,
                None => self.grow(node, segment),
            };
        }
        self.type_at(node, method);
    }

    /// Number of a method; `None` when it is none. Beyond the most that are told apart, all are `other`.
    pub(crate) fn method(&mut self, method: &[u8]) -> Option<u8> {
        if let Some(at) = self.methods.iter().position(|known| **known == *method) {
            return Some(at as u8);
        }
        let is_token = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
        if method.is_empty() || method.len() > METHOD_BYTES_MAX || !method.iter().all(is_token) {
            return None;
        }
        let name = if self.methods.len() < METHODS_MAX - 1 { method } else { b"other" };
        if let Some(at) = self.methods.iter().position(|known| **known == *name) {
            return Some(at as u8);
        }
        self.methods.push(name.into());
        Some((self.methods.len() - 1) as u8)
    }

    /// Text of a method.
    pub(crate) fn method_name(&self, method: u8) -> String {
        self.methods
            .get(usize::from(method))
            .map_or_else(String::new, |name| String::from_utf8_lossy(name).into_owned())
    }

    /// The type of a request. `is_missing`: the server says that there is no such thing, so no name is learned from it.
    /// O(length of the path), but for the moment when a node collapses.
    pub(crate) fn place(&mut self, method: u8, path: &[u8], is_missing: bool) -> TypeId {
        let mut node = ROOT;
        self.nodes[ROOT as usize].count += 1;
        for (depth, segment) in segments(path).enumerate() {
            let segment = if depth < DEPTH_MAX { segment } else { b"{id}" };
            let Some(child) = self.down(node, segment, is_missing) else {
                return self.special(method, if is_missing { NOT_FOUND } else { OTHER });
            };
            node = child;
            self.nodes[node as usize].count += 1;
            if depth >= DEPTH_MAX {
                break;
            }
        }
        let known = self.nodes[node as usize].types.iter().find(|(own, _)| *own == method);
        match known {
            Some((_, kind)) => *kind,
            None if is_missing => self.special(method, NOT_FOUND),
            None if self.is_frozen || self.live >= TYPES_MAX || self.types.len() >= TYPES_EVER_MAX => {
                self.special(method, OTHER)
            }
            None => self.type_at(node, method),
        }
    }

    /// The type of a request as far as it is known, without learning.
    pub(crate) fn look_up(&self, method: &[u8], path: &[u8]) -> Option<TypeId> {
        let method = self.methods.iter().position(|known| **known == *method)? as u8;
        let mut node = ROOT;
        for (depth, segment) in segments(path).enumerate().take(DEPTH_MAX + 1) {
            let segment = if depth < DEPTH_MAX { segment } else { b"{id}" };
            node = self.known(node, segment)?;
        }
        let types = self.nodes[node as usize].types.iter();
        let mut own = types.filter(|(own, _)| *own == method);
        own.next().map(|(_, kind)| self.find(*kind))
    }

    fn known(&self, node: u32, segment: &[u8]) -> Option<u32> {
        let segment = segment.split(|byte| *byte == b';').next().unwrap_or_default();
        if let Some(hole) = Hole::of_identifier(segment) {
            return self.child(node, hole.name());
        }
        self.child(node, segment).or_else(|| {
            let is_collapsed = self.nodes[node as usize].is_collapsed;
            is_collapsed.then(|| self.child(node, Hole::for_segment(segment).name())).flatten()
        })
    }

    /// The child for a segment, made when it may be.
    fn down(&mut self, node: u32, segment: &[u8], is_missing: bool) -> Option<u32> {
        let found = self.known(node, segment);
        if found.is_some() || is_missing || self.is_frozen || self.is_full() {
            return found;
        }
        let segment = segment.split(|byte| *byte == b';').next().unwrap_or_default();
        if let Some(hole) = Hole::of_identifier(segment) {
            return Some(self.grow(node, hole.name()));
        }
        if self.nodes[node as usize].is_collapsed {
            return Some(self.grow(node, Hole::for_segment(segment).name()));
        }
        let child = self.grow(node, segment);
        if self.nodes[node as usize].children <= self.nodes[node as usize].limit {
            return Some(child);
        }
        self.crowded(node);
        self.known(node, segment)
    }

    fn is_full(&self) -> bool {
        self.nodes.len() - self.free.len() >= NODES_MAX
    }

    fn child(&self, node: u32, segment: &[u8]) -> Option<u32> {
        self.by_key.get(&key(node, segment)).copied()
    }

    fn grow(&mut self, parent: u32, segment: &[u8]) -> u32 {
        let node = Node::new(parent, segment);
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        self.adopt(parent, at);
        at
    }

    fn adopt(&mut self, parent: u32, child: u32) {
        let next = self.nodes[parent as usize].first_child;
        let node = &mut self.nodes[child as usize];
        node.parent = parent;
        node.next = next;
        let name_key = key(parent, &node.name);
        let parent = &mut self.nodes[parent as usize];
        parent.first_child = child;
        parent.children += 1;
        self.by_key.insert(name_key, child);
    }

    fn type_at(&mut self, node: u32, method: u8) -> TypeId {
        let types = self.nodes[node as usize].types.iter();
        if let Some((_, kind)) = types.clone().find(|(own, _)| *own == method) {
            return *kind;
        }
        let kind = self.new_type(method, Home::Node(node));
        self.nodes[node as usize].types.push((method, kind));
        kind
    }

    fn special(&mut self, method: u8, what: &'static str) -> TypeId {
        let known = self.specials.iter().find(|(own, special, _)| (*own, *special) == (method, what));
        if let Some((_, _, kind)) = known {
            return *kind;
        }
        let kind = self.new_type(method, Home::Special(what));
        self.specials.push((method, what, kind));
        kind
    }

    fn new_type(&mut self, method: u8, home: Home) -> TypeId {
        let kind = self.types.len() as TypeId;
        self.types.push(Type { method, home, part_of: kind });
        self.live += 1;
        kind
    }

    fn children(&self, node: u32) -> Vec<u32> {
        let first = self.nodes[node as usize].first_child;
        std::iter::successors((first != NONE).then_some(first), |at| {
            let next = self.nodes[*at as usize].next;
            (next != NONE).then_some(next)
        })
        .collect()
    }

    /// Types ever made.
    pub(crate) fn types(&self) -> usize {
        self.types.len()
    }

    /// The type that a type became part of.
    pub(crate) fn find(&self, mut kind: TypeId) -> TypeId {
        while self.types[kind as usize].part_of != kind {
            kind = self.types[kind as usize].part_of;
        }
        kind
    }

    /// Pairs that became one since the last call: the first is part of the second.
    pub(crate) fn take_joined(&mut self) -> Vec<(TypeId, TypeId)> {
        std::mem::take(&mut self.joined)
    }

    pub(crate) fn has_joined(&self) -> bool {
        !self.joined.is_empty()
    }

    pub(crate) fn method_of(&self, kind: TypeId) -> String {
        self.method_name(self.types[kind as usize].method)
    }

    /// The path template of a type.
    pub(crate) fn template(&self, kind: TypeId) -> String {
        let mut node = match self.types[kind as usize].home {
            Home::Special(what) => return what.to_owned(),
            Home::Node(node) => node,
        };
        let mut names = Vec::new();
        while node != ROOT && node != NONE {
            names.push(String::from_utf8_lossy(&self.nodes[node as usize].name).into_owned());
            node = self.nodes[node as usize].parent;
        }
        names.reverse();
        format!("/{}", names.join("/"))
    }
}

fn key(node: u32, segment: &[u8]) -> u64 {
    mix(u64::from(node), hash(segment))
}

/// The parts of a path between its slashes; that of `/` is one empty part.
fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.strip_prefix(b"/").unwrap_or(path).split(|byte| *byte == b'/')
}

#[cfg(test)]
mod tests;
