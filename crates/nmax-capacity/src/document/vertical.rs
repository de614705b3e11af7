//! `vertical` of the document: larger nodes in place of more.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Node, tables};

use super::grid::Grid;
use crate::cost::vertical::{Size, Vertical};

tables! {
    VERTICAL "`vertical`" {
        required "table": Text, "CSV of machines: size, x (usable per second), price (per hour); a row for each run.";
        key "standby": Whole(0, 100), "Machines beside the one that works, for its loss; 1 by default.";
    };
}

/// Machines by size.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Option<Vertical> {
    let fields = decoder.fields(node, &VERTICAL)?;
    let standby = fields.optional("standby", |node| decoder.whole(node, 0, 100));
    let mut grid = Grid::read(decoder, fields.get("table")?)?;
    let columns = ["size", "x", "price"].map(|name| grid.column(decoder, name));
    let [Some(size), Some(x), Some(price)] = columns else { return None };
    let mut sizes = Vec::new();
    for row in 0..grid.len() {
        let [Some(size), Some(usable_per_s), Some(price_per_h)] =
            [size, x, price].map(|column| grid.number(decoder, row, column))
        else {
            continue;
        };
        if size < 1.0 || usable_per_s == 0.0 {
            grid.wrong(decoder, row, "a size is at least 1, and what it does above 0");
        }
        sizes.push(Size { size, usable_per_s, price_per_h });
    }
    let standby = standby?.map_or(1, |standby| standby as u32);
    grid.is_right().then_some(Vertical { sizes, standby })
}
