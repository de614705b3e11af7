//! `data`: feeders, their files, and what is generated.

use nmax_data::{Generator, Spec};

use super::csv;
use super::cursor::{Decoder, Fields};
use super::keys::{self, AT_END, PER, PICK_NAMES};
use super::tree::{Entry, Node};
use crate::plan::{AtEnd, Cells, Feeder, Per, Pick, Rows};
use crate::template::RESERVED_NAMES;

/// Most errors reported per file.
const FILE_ERRORS_MAX: usize = 5;
/// Generated rows of a source that does not say how many.
const ROWS_DEFAULT: u64 = 1_000_000;

/// Every feeder, in order. One whose file cannot be used has no columns, and has been reported.
pub(super) fn feeders(decoder: &mut Decoder, node: &Node) -> Vec<Feeder> {
    decoder.map(node, "`data`").iter().map(|entry| feeder(decoder, entry)).collect()
}

fn feeder(decoder: &mut Decoder, entry: &Entry) -> Feeder {
    decoder.identifier(entry, "data", &RESERVED_NAMES);
    let mut feeder = Feeder {
        name: entry.key.clone(),
        columns: Vec::new(),
        rows: Rows::File { file: String::new(), cells: Cells::default() },
        pick: Pick::Sequential,
        per: Per::Iteration,
        at_end: AtEnd::Wrap,
    };
    let Some(fields) = decoder.fields(&entry.value, &keys::DATA) else {
        return feeder;
    };
    if let Some((columns, rows)) = rows(decoder, fields) {
        feeder.columns = columns;
        feeder.rows = rows;
    }
    let pick = fields.get("pick").and_then(|node| decoder.expanded(node).map(|text| (text, node.at)));
    let exponent = fields.get("exponent").and_then(|node| decoder.number(node));
    match pick {
        None => {}
        Some((word, at)) => match word.as_str() {
            "sequential" => feeder.pick = Pick::Sequential,
            "unique" => feeder.pick = Pick::Unique,
            "random" => feeder.pick = Pick::Random,
            "zipf" => feeder.pick = Pick::Zipf { exponent: exponent.unwrap_or(1.0) },
            other => _ = decoder.not_a_choice(at, other, &PICK_NAMES),
        },
    }
    if let Some(node) = fields.get("exponent") {
        if !matches!(feeder.pick, Pick::Zipf { .. }) {
            decoder.wrong(node.at, "`exponent` is for `pick: zipf` only", "remove it, or write `pick: zipf`");
        } else if exponent == Some(0.0) {
            decoder.wrong(node.at, "an exponent of 0 makes all rows equally likely", "write `pick: random`");
        }
    }
    if let Some(node) = fields.get("per") {
        feeder.per = decoder.choose(node, PER).unwrap_or_default();
        if feeder.per == Per::Request && matches!(feeder.pick, Pick::Sequential | Pick::Unique) {
            decoder.wrong(
                node.at,
                "`per: request` is for rows picked at random; rows in order belong to iterations",
                "write `pick: random` or `pick: zipf`, or remove `per`",
            );
        }
    }
    let at_end = fields.get("at_end").and_then(|node| decoder.choose(node, AT_END).map(|word| (word, node.at)));
    feeder.at_end = match (feeder.pick, at_end) {
        (Pick::Unique, None) => AtEnd::Stop,
        (Pick::Unique, Some((AtEnd::Wrap, at))) => {
            decoder.wrong(
                at,
                "`pick: unique` cannot wrap, rows would repeat",
                "write `at_end: stop` or `at_end: error`",
            );
            AtEnd::Stop
        }
        (Pick::Random | Pick::Zipf { .. }, Some((_, at))) => {
            decoder.wrong(at, "rows picked at random have no end", "remove `at_end`");
            AtEnd::Wrap
        }
        (_, Some((at_end, _))) => at_end,
        (_, None) => AtEnd::Wrap,
    };
    feeder
}

/// Columns and rows, from a file or made up.
fn rows(decoder: &mut Decoder, fields: Fields) -> Option<(Vec<String>, Rows)> {
    let both = |first: &Entry, second: &Entry| {
        (format!("rows come from `{}` or from `{}`, not from both", first.key, second.key), "keep one of them")
    };
    let remedy = "add `csv: FILE`, or what is to be made up, such as `generate: person`";
    let none = ("a data source has neither `csv` nor `generate`", remedy);
    let only = decoder.only(fields, &["csv", "generate"], both, none)?;
    if only.key == "generate" {
        return generated(decoder, fields);
    }
    for other in fields.in_order(&["locale", "rows", "unique"]) {
        let message = format!("`{}` is for `generate`, the rows of this source are in a file", other.key);
        decoder.wrong(other.key_at, message, "remove it");
    }
    let file = decoder.expanded(&only.value)?;
    let table = read(decoder, &only.value, &file)?;
    Some((table.columns, Rows::File { file, cells: table.cells }))
}

fn generated(decoder: &mut Decoder, fields: Fields) -> Option<(Vec<String>, Rows)> {
    let mut text = |key: &str| fields.get(key).map(|node| decoder.expanded(node));
    let (kind, locale, unique) = (text("generate"), text("locale"), text("unique"));
    let rows = fields.get("rows").map_or(Some(ROWS_DEFAULT), |node| decoder.whole(node, 1, 1 << 53));
    let spec = Spec { kind: kind.flatten()?, locale: locale.flatten(), unique: unique.flatten() };
    match Generator::new(spec) {
        Ok(generator) => {
            let columns = generator.columns().iter().map(|column| (*column).to_owned()).collect();
            let generator = Box::new(generator);
            rows.map(|rows| (columns, Rows::Generated { generator, rows }))
        }
        Err(error) => {
            let at = fields.get(error.key).map_or(fields.at, |node| node.at);
            decoder.wrong(at, error.message, error.remedy).none()
        }
    }
}

fn read(decoder: &mut Decoder, node: &Node, file: &str) -> Option<csv::Csv> {
    let text = match (decoder.options.read)(file) {
        Ok(text) => text,
        Err(why) => {
            decoder.wrong(node.at, format!("cannot read `{file}`: {why}"), "write its path relative to the plan");
            return None;
        }
    };
    match csv::parse(&text, FILE_ERRORS_MAX) {
        Ok(table) => Some(table),
        Err(errors) => {
            for error in errors {
                let message = format!("{file}:{}: {}", error.line, error.message);
                decoder.wrong(
                    node.at,
                    message,
                    "correct the file; cells with delimiters or line breaks need double quotes",
                );
            }
            None
        }
    }
}
