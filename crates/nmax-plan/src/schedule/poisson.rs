//! Sorted independent uniforms with random access: the arrivals of a Poisson process given their number.
//!
//! The k-th smallest of K uniforms is found without the others. The middle one is Beta distributed; given
//! it, those below and above are again uniforms on the two sides. So the search descends a binary tree whose
//! nodes are seeded by their rank, to a leaf of at most [`LEAF_MAX`] uniforms that are drawn and sorted.
//! A pure function of (key, K, k); O(log K) per descent, no allocation.
//!
//! Source of the split: order statistics of uniforms, H. A. David, H. N. Nagaraja, *Order Statistics*
//! (2003), 2.1 and theorem 2.5.

use std::cmp::Ordering;

use crate::choice::{Stream, derive};

/// Most uniforms in a leaf.
pub(super) const LEAF_MAX: usize = 64;

/// Tells the seeds of leaves from those of inner nodes.
const LEAF: u64 = 1;
const INNER: u64 = 2;

/// Sorted uniforms in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uniforms {
    /// Seed of all of them.
    pub(super) key: u64,
    /// How many.
    pub(super) count: u64,
}

/// Neighbours of a rank, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// Rank of the first value.
    first: u64,
    len: usize,
    /// The leaf's own values, and the next larger one, so that reading in order seldom searches.
    values: [f64; LEAF_MAX + 1],
}

impl Leaf {
    /// The value of this rank, if it is in the leaf.
    pub(super) fn get(&self, rank: u64) -> Option<f64> {
        let place = usize::try_from(rank.checked_sub(self.first)?).ok()?;
        self.values[..self.len].get(place).copied()
    }
}

/// A node: the ranks from `first` to `end` − 1 lie between the values `low` and `high`.
#[derive(Clone, Copy)]
struct Node {
    first: u64,
    end: u64,
    low: f64,
    high: f64,
}

impl Node {
    const fn is_leaf(self) -> bool {
        self.end - self.first <= LEAF_MAX as u64
    }
}

/// An inner node taken apart.
#[derive(Clone, Copy)]
struct Split {
    below: Node,
    rank: u64,
    value: f64,
    above: Node,
}

impl Uniforms {
    /// The leaf that holds the value of `rank`, from 0, below `count`.
    ///
    /// When its value splits an inner node, it comes alone.
    pub(super) fn leaf(&self, rank: u64) -> Leaf {
        let mut node = self.root();
        while !node.is_leaf() {
            let split = self.split(node);
            match rank.cmp(&split.rank) {
                Ordering::Less => node = split.below,
                Ordering::Greater => node = split.above,
                Ordering::Equal => {
                    return Leaf { first: rank, len: 1, values: [split.value; LEAF_MAX + 1] };
                }
            }
        }
        self.draw(node)
    }

    /// How many values satisfy `reached`, which holds for the smallest ones up to some value.
    pub(super) fn count_reached(&self, reached: impl Fn(f64) -> bool) -> u64 {
        let mut node = self.root();
        while !node.is_leaf() {
            let split = self.split(node);
            node = if reached(split.value) { split.above } else { split.below };
        }
        let leaf = self.draw(node);
        leaf.first + leaf.values[..leaf.len].partition_point(|&value| reached(value)) as u64
    }

    const fn root(&self) -> Node {
        Node { first: 0, end: self.count, low: 0.0, high: 1.0 }
    }

    /// The middle value of an inner node, with the nodes on both sides.
    fn split(&self, node: Node) -> Split {
        let Node { first, end, low, high } = node;
        let rank = first + (end - first) / 2;
        let mut stream = Stream::new(derive(derive(self.key, INNER), rank));
        let fraction = stream.beta((rank - first + 1) as f64, (end - rank) as f64);
        let value = (low + (high - low) * fraction).min(high);
        let below = Node { end: rank, high: value, ..node };
        let above = Node { first: rank + 1, low: value, ..node };
        Split { below, rank, value, above }
    }

    /// All values of a leaf.
    fn draw(&self, node: Node) -> Leaf {
        let Node { first, end, low, high } = node;
        let len = (end - first) as usize;
        let mut values = [high; LEAF_MAX + 1];
        let mut stream = Stream::new(derive(derive(self.key, LEAF), first));
        for value in &mut values[..len] {
            *value = (low + (high - low) * stream.unit()).min(high);
        }
        values[..len].sort_unstable_by(f64::total_cmp);
        // `high` is the value of rank `end`, unless it is the end of the range.
        let len = if end < self.count { len + 1 } else { len };
        Leaf { first, len, values }
    }
}
