//! `prices` of the document.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Node, tables};
use nmax_plan::units::UnitError;

use crate::cost::{MONTH_H, Prices};

tables! {
    PRICES "`prices`" {
        key "node": Text, "Price of a node, such as `0.50/h` or `350/month`; a tier's own `price` comes first.";
        key "request": Number, "Price of a request.";
        key "gigabyte": Number, "Price of a gigabyte that is sent.";
        key "response": Size, "Size of a response, for the price of a gigabyte.";
        key "hour_out_of_slo": Number, "Cost of an hour in which the objective is missed.";
        key "value": Number, "Value of one request per second for an hour; then the most profitable size is shown.";
    };
}

/// What things cost.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Option<Prices> {
    let fields = decoder.fields(node, &PRICES)?;
    let node_h = fields.optional("node", |node| decoder.unit(node, per_hour));
    let number = |decoder: &mut Decoder, key| fields.optional(key, |node| decoder.number(node));
    let (request, gigabyte) = (number(decoder, "request"), number(decoder, "gigabyte"));
    let (hour_out_of_slo, value) = (number(decoder, "hour_out_of_slo"), number(decoder, "value"));
    let response_bytes = fields.optional("response", |node| decoder.size(node));
    if let Some(entry) = fields.entry("gigabyte")
        && fields.get("response").is_none()
    {
        let message = "a price of a gigabyte says nothing without the size of a response";
        decoder.wrong(entry.key_at, message, "add `response: 20kB`");
    }
    Some(Prices {
        node_per_h: node_h?,
        request: request?.unwrap_or(0.0),
        gigabyte: gigabyte?.unwrap_or(0.0),
        response_bytes: response_bytes?.unwrap_or(0),
        hour_out_of_slo: hour_out_of_slo?,
        value_per_h: value?,
    })
}

/// A price per hour: `0.50/h`, `12/d`, `350/month`, `4000/year`.
pub(super) fn per_hour(text: &str) -> Result<f64, UnitError> {
    let wrong = || UnitError {
        message: format!("`{text}` is not a price of a node"),
        remedy: "write a number and its time, such as `0.50/h`, `12/d` or `350/month`".to_owned(),
    };
    let (number, unit) = text.split_once('/').ok_or_else(wrong)?;
    let hours = match unit.trim() {
        "h" | "hour" => 1.0,
        "d" | "day" => 24.0,
        "month" => MONTH_H,
        "year" => 12.0 * MONTH_H,
        _ => return Err(wrong()),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    if number.is_finite() && number >= 0.0 { Ok(number / hours) } else { Err(wrong()) }
}
