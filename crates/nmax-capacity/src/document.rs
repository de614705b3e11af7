//! The document that states a question of capacity: YAML in, [`Document`] or every error at once out.
//!
//! # Layout
//! - `keys`: the root table; each part has its tables beside its decoder
//! - `grid`: files of rows beside the document
//! - `values`: values that several parts have
//! - `supply`, `demand`, `plan` with `headroom`, `prices`, `vertical`, `day`, `assume`: the parts

use nmax_plan::document::reading::{Decoder, Node, read};
use nmax_plan::document::{DocumentError, Options, reading};

use crate::cost::Prices;
use crate::cost::vertical::Vertical;
use crate::supply::Question;
use crate::supply::tested::Objective;

mod assume;
mod day;
mod demand;
mod grid;
mod headroom;
mod keys;
mod plan;
mod prices;
mod supply;
mod values;
mod vertical;

pub use assume::Assume;
pub use plan::Plan;

use crate::demand::Demand;

/// A question of capacity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Short name, for headings.
    pub name: String,
    /// The objective as the person wrote it, such as `response_time p99 < 110ms`; may be empty.
    pub objective: String,
    /// What of the objective tests are judged by.
    pub limits: Option<Objective>,
    /// Tiers of the system; empty where the document says nothing of supply.
    pub supply: Vec<Question>,
    /// What things cost.
    pub prices: Option<Prices>,
    /// Larger nodes in place of more.
    pub vertical: Option<Vertical>,
    /// Word after prices, such as `EUR`.
    pub currency: String,
    /// First value of every random choice.
    pub seed: u64,
    /// How much will be asked for, where it is stated.
    pub demand: Option<Demand>,
    /// What is planned.
    pub plan: Plan,
    /// What if some of it were different?
    pub assume: Assume,
    /// A day to be simulated.
    pub day: Option<crate::day::Setting>,
}

/// Reads a document. Errors are sorted by place; the list is never empty.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(text: &str, options: &Options) -> Result<Document, Vec<DocumentError>> {
    read(text, options, decode)
}

/// The JSON Schema of these documents.
pub fn schema() -> serde_json::Value {
    reading::schema("nmax capacity document, version 1", &keys::ROOT)
}

fn decode(decoder: &mut Decoder, root: &Node) -> Option<Document> {
    let fields = decoder.fields(root, &keys::ROOT)?;
    if let Some(node) = fields.get("capacity") {
        decoder.whole(node, 1, 1);
    }
    let text = |decoder: &mut Decoder, key| fields.get(key).and_then(|node| decoder.text(node)).unwrap_or_default();
    let stem = || {
        let file = decoder.options.file.rsplit('/').next().unwrap_or_default();
        file.split('.').next().unwrap_or_default().to_owned()
    };
    let named = fields.get("name").is_some();
    let default_name = stem();
    let name = if named { text(decoder, "name") } else { default_name };
    let limits = fields.get("objective").and_then(|node| supply::objective(decoder, node));
    let mut document = Document {
        name,
        objective: text(decoder, "objective"),
        limits,
        supply: fields.get("supply").map(|node| supply::decode(decoder, node, limits.as_ref())).unwrap_or_default(),
        prices: fields.get("prices").and_then(|node| prices::decode(decoder, node)),
        vertical: fields.get("vertical").and_then(|node| vertical::decode(decoder, node)),
        currency: text(decoder, "currency"),
        seed: fields.get("seed").and_then(|node| decoder.whole(node, 0, u64::MAX)).unwrap_or(1),
        demand: fields.get("demand").and_then(|node| demand::decode(decoder, node)),
        plan: fields.get("plan").and_then(|node| plan::decode(decoder, node)).unwrap_or_default(),
        assume: fields.get("assume").and_then(|node| assume::decode(decoder, node)).unwrap_or_default(),
        day: fields.get("day").and_then(|node| day::decode(decoder, node)),
    };
    let assume = document.assume;
    assume.apply(&mut document);
    Some(document)
}

#[cfg(test)]
mod tests;
