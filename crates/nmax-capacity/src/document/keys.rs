//! Keys of the document's root.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::tables;

use super::prices::PRICES;
use super::supply::{TIER, TIERS};

tables! {
    ROOT "the document" {
        required "capacity": Whole(1, 1), "Version of the document; 1.";
        key "name": Text, "Short name, for headings; the file's name by default.";
        key "objective": Text, "What users are promised, such as `response_time p99 < 110ms`.";
        key "currency": Text, "Word after prices, such as `EUR`.";
        key "supply": Either(&[Object(&TIER), Object(&TIERS)]), "What there is: nodes of one kind, or `tiers` of several.";
        key "prices": Object(&PRICES), "What things cost.";
        key "vertical": Object(&super::vertical::VERTICAL), "Larger nodes in place of more, with their prices.";
        key "seed": Whole(0, u64::MAX), "Initial value of every choice; 1 by default.";
        key "assume": Object(&super::assume::ASSUME), "What if: other growth, demand, delays or prices.";
        key "demand": Object(&super::demand::DEMAND), "How much will be asked for.";
        key "plan": Object(&super::plan::PLAN), "What is planned: how far ahead, with what lead time and headroom.";
        key "day": Object(&super::day::DAY), "A day, simulated second by second.";
    };
}
