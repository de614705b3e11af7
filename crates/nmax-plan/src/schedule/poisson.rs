//! Sorted independent uniforms with random access: the arrivals of a Poisson process given their number.
//!
//! The k-th smallest of K uniforms is found without the others. The middle one is Beta distributed; given
//! it, those below and above are again uniforms on the two sides. So the search descends a binary tree whose
//! nodes are seeded by their rank, to a leaf of at most [`LEAF_MAX`] uniforms that are drawn and sorted.
//! A pure function of (key, K, k); O(log K) per descent, no allocation.
//!
//! Source of the split: order statistics of uniforms, H. A. David, H. N. Nagaraja, *Order Statistics*
//! (2003), 2.1 and theorem 2.5.

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

/// A node taken apart.
enum Split {
    /// Its middle value, with the nodes on both sides.
    Inner {
        below: Node,
        rank: u64,
        value: f64,
        above: Node,
    },
    /// All of its values.
    Leaf(Leaf),
}

impl Uniforms {
    /// The leaf that holds the value of `rank`, from 0, below `count`.
    ///
    /// When its value splits an inner node, it comes alone.
    pub(super) fn leaf(&self, rank: u64) -> Leaf {
        let mut node = self.root();
        loop {
            match self.split(node) {
                Split::Leaf(leaf) => return leaf,
                Split::Inner {
                    below,
                    rank: middle,
                    value,
                    above,
                } => match rank.cmp(&middle) {
                    std::cmp::Ordering::Less => node = below,
                    std::cmp::Ordering::Greater => node = above,
                    std::cmp::Ordering::Equal => {
                        return Leaf {
                            first: middle,
                            len: 1,
                            values: [value; LEAF_MAX + 1],
                        };
                    }
                },
            }
        }
    }

    /// How many values satisfy `reached`, which holds for the smallest ones up to some value.
    pub(super) fn count_reached(&self, reached: impl Fn(f64) -> bool) -> u64 {
        let mut node = self.root();
        loop {
            match self.split(node) {
                Split::Leaf(leaf) => {
                    return leaf.first + leaf.values[..leaf.len].partition_point(|&value| reached(value)) as u64;
                }
                Split::Inner {
                    below, value, above, ..
                } => node = if reached(value) { above } else { below },
            }
        }
    }

    fn root(&self) -> Node {
        Node {
            first: 0,
            end: self.count,
            low: 0.0,
            high: 1.0,
        }
    }

    fn split(&self, node: Node) -> Split {
        let Node { first, end, low, high } = node;
        let width = high - low;
        let len = end - first;
        if len <= LEAF_MAX as u64 {
            let len = len as usize;
            let mut values = [high; LEAF_MAX + 1];
            let mut stream = Stream::new(derive(derive(self.key, LEAF), first));
            for value in &mut values[..len] {
                *value = (low + width * stream.unit()).min(high);
            }
            values[..len].sort_unstable_by(f64::total_cmp);
            // `high` is the value of rank `end`, unless it is the end of the range.
            let len = if end < self.count { len + 1 } else { len };
            return Split::Leaf(Leaf { first, len, values });
        }
        let rank = first + len / 2;
        let mut stream = Stream::new(derive(derive(self.key, INNER), rank));
        let fraction = stream.beta((rank - first + 1) as f64, (end - rank) as f64);
        let value = (low + width * fraction).min(high);
        Split::Inner {
            below: Node {
                end: rank,
                high: value,
                ..node
            },
            rank,
            value,
            above: Node {
                first: rank + 1,
                low: value,
                ..node
            },
        }
    }
}
