//! A crowded node of the tree: the names below it become one hole, or stay names.

use super::{CHILDREN_FIRST, Home, NONE, Node, Paths, ROOT, key};
use crate::traffic::shape::{Hole, is_slug};

/// Names below one node, whatever their law.
const CHILDREN_MAX: u32 = 512;
/// Share of names seen once, in requests of the node, from which on a set is open.
const OPEN_SHARE: f64 = 0.05;
/// Requests per name below which a set is open; one visitor asks for the same name several times.
const REUSE_MIN: u64 = 20;
/// Share of slugs among few names from which on they are the rule.
const SLUGS_SHARE_MIN: f64 = 0.75;
/// Share of the requests of the root from which on a page at the top stays itself.
const KEPT_SHARE: f64 = 0.02;
/// Requests from which on such a share means something.
const KEPT_COUNT: u64 = 20;

impl Paths {
    /// A node has many children: an open set becomes a hole, a closed one may grow. Of fewer children, slugs become one.
    pub(super) fn crowded(&mut self, node: u32) {
        let children = self.children(node);
        if self.nodes[node as usize].limit < CHILDREN_FIRST {
            let slugs = self.slugs(node, &children);
            if slugs.is_empty() {
                let own = &mut self.nodes[node as usize];
                own.limit = (2 * own.limit).min(CHILDREN_FIRST);
            } else {
                self.collapse(node, &slugs);
            }
            return;
        }
        let once = children.iter().filter(|child| self.nodes[**child as usize].count <= 1).count();
        let own = &mut self.nodes[node as usize];
        let is_open = own.count < REUSE_MIN * children.len() as u64 || once as f64 > OPEN_SHARE * own.count as f64;
        if !is_open && own.limit < CHILDREN_MAX {
            own.limit *= 2;
            return;
        }
        self.collapse(node, &children);
    }

    /// The slugs below a node, if they are nearly all that is there and none is asked for often: then they are articles.
    /// Nothing at the top, where pages like `/about-us` are.
    fn slugs(&self, node: u32, children: &[u32]) -> Vec<u32> {
        let is_slug = |child: &&u32| is_slug(&self.nodes[**child as usize].name);
        let slugs: Vec<u32> = children.iter().filter(is_slug).copied().collect();
        let count: u64 = slugs.iter().map(|slug| self.nodes[*slug as usize].count).sum();
        let are_articles = node != ROOT
            && slugs.len() as f64 >= SLUGS_SHARE_MIN * children.len() as f64
            && count < REUSE_MIN * slugs.len() as u64;
        if are_articles { slugs } else { Vec::new() }
    }

    /// Makes one hole of the children of a node. Those that clearly are something else stay: the few with pages or other
    /// methods below them where most have none, and at the top those that are asked for all the time.
    fn collapse(&mut self, node: u32, children: &[u32]) {
        self.nodes[node as usize].is_collapsed = true;
        let has_more = |paths: &Self, child: u32| {
            let child = &paths.nodes[child as usize];
            child.children > 0 || child.types.len() > 1
        };
        let with_more = children.iter().filter(|child| has_more(self, **child)).count();
        let is_few = with_more * 4 <= children.len();
        let total = self.nodes[node as usize].count as f64;
        for child in children {
            let own = &self.nodes[*child as usize];
            let is_hole = own.name.starts_with(b"{id}") || own.name.is_empty();
            let is_heavy = node == ROOT && own.count >= KEPT_COUNT && own.count as f64 >= KEPT_SHARE * total;
            if is_hole || is_heavy || (is_few && has_more(self, *child)) {
                continue;
            }
            let hole = Hole::for_segment(&own.name.clone());
            let into = match self.child(node, hole.name()) {
                Some(into) => into,
                None => self.grow(node, hole.name()),
            };
            self.merge(*child, into);
        }
    }

    /// Makes a node part of another one with the same parent.
    fn merge(&mut self, from: u32, into: u32) {
        self.detach(from);
        let children = self.children(from);
        let types = std::mem::take(&mut self.nodes[from as usize].types);
        self.nodes[into as usize].count += self.nodes[from as usize].count;
        for (method, kind) in types {
            let other = self.nodes[into as usize].types.iter().find(|(own, _)| *own == method).map(|(_, kind)| *kind);
            match other {
                Some(other) => {
                    self.types[kind as usize].part_of = other;
                    self.joined.push((kind, other));
                    self.live -= 1;
                }
                None => {
                    self.types[kind as usize].home = Home::Node(into);
                    self.nodes[into as usize].types.push((method, kind));
                }
            }
        }
        for child in children {
            let name = self.nodes[child as usize].name.clone();
            self.by_key.remove(&key(from, &name));
            match self.child(into, &name) {
                Some(twin) => {
                    // `merge` detaches from the parent that it finds: the new one does not have it yet.
                    self.nodes[child as usize].parent = NONE;
                    self.merge(child, twin);
                }
                None => self.adopt(into, child),
            }
        }
        if self.nodes[from as usize].is_collapsed {
            self.nodes[into as usize].is_collapsed = true;
        }
        self.nodes[from as usize] = Node::new(NONE, b"");
        self.free.push(from);
        let own = &self.nodes[into as usize];
        if own.children > own.limit {
            self.crowded(into);
        }
    }

    fn detach(&mut self, child: u32) {
        let parent = self.nodes[child as usize].parent;
        if parent == NONE {
            return;
        }
        let next = self.nodes[child as usize].next;
        let name = self.nodes[child as usize].name.clone();
        self.by_key.remove(&key(parent, &name));
        if self.nodes[parent as usize].first_child == child {
            self.nodes[parent as usize].first_child = next;
        } else {
            let before = self.children(parent).into_iter().find(|at| self.nodes[*at as usize].next == child);
            if let Some(before) = before {
                self.nodes[before as usize].next = next;
            }
        }
        self.nodes[parent as usize].children -= 1;
    }
}
