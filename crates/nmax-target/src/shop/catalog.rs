//! The goods: a fixed list of items, the same in every process.

use crate::random::Random;

/// Seed of UUIDs and prices. Fixed, so that plans and recordings stay valid.
const CATALOG_SEED: u64 = 0x6e6d_6178;

const MATERIALS: [&str; 12] =
    ["Oak", "Walnut", "Linen", "Steel", "Copper", "Glass", "Wool", "Bamboo", "Leather", "Marble", "Cork", "Clay"];
const STYLES: [&str; 5] = ["Plain", "Round", "Tall", "Folding", "Nordic"];
const THINGS: [&str; 6] = ["Chair", "Lamp", "Table", "Shelf", "Bowl", "Clock"];

/// Something to buy.
pub(crate) struct Item {
    /// Version 4 form, lower case.
    pub(crate) uuid: String,
    /// Three words.
    pub(crate) name: String,
    /// Price in euro cents.
    pub(crate) price_cents: u64,
}

/// All items, in a fixed order.
pub(crate) struct Catalog {
    items: Vec<Item>,
}

impl Catalog {
    pub(crate) fn new() -> Self {
        let mut items = Vec::new();
        for material in MATERIALS {
            for style in STYLES {
                for thing in THINGS {
                    let name = format!("{material} {style} {thing}");
                    items.push(Item::new(items.len() as u64, name));
                }
            }
        }
        Self { items }
    }

    pub(crate) fn items(&self) -> &[Item] {
        &self.items
    }

    pub(crate) fn find(&self, uuid: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.uuid == uuid)
    }

    /// Items whose name has every word of `query`, in any case. An empty query finds nothing.
    pub(crate) fn search(&self, query: &str) -> Vec<&Item> {
        let wanted: Vec<_> = query.split_whitespace().map(str::to_lowercase).collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let matches = |item: &&Item| {
            let name = item.name.to_lowercase();
            wanted.iter().all(|word| name.split(' ').any(|have| have == word))
        };
        self.items.iter().filter(matches).collect()
    }
}

impl Item {
    fn new(index: u64, name: String) -> Self {
        let random = Random::new(CATALOG_SEED);
        let (high, low) = (random.bits(index, 1), random.bits(index, 2));
        let uuid = format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0x3fff | 0x8000,
            low & 0xffff_ffff_ffff,
        );
        Self { uuid, name, price_cents: 990 + random.bits(index, 3) % 30_000 }
    }

    /// `12.90`, in euro.
    pub(crate) fn price(&self) -> String {
        euro(self.price_cents)
    }
}

/// Cents as `12.90`.
pub(crate) fn euro(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
