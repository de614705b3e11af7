//! Values as typed, in the unit of their column.

use nmax_plan::units;

use crate::civil;
use crate::column::Kind;

/// The number that `text` is in a column of this kind; else what is wrong, and what to do.
pub(crate) fn number(kind: Kind, text: &str) -> Result<i64, (String, String)> {
    match kind {
        Kind::Span | Kind::Moment => span(text),
        Kind::Calendar { zone_s } => {
            civil::parse(text, zone_s).ok_or_else(|| (format!("`{text}` is not a time"), civil::REMEDY.to_owned()))
        }
        Kind::Bytes => {
            if let Ok(bytes) = text.parse() {
                return Ok(bytes);
            }
            let bytes = units::parse_size(text).map_err(|error| wrong(&error))?;
            Ok(i64::try_from(bytes).unwrap_or(i64::MAX))
        }
        Kind::Number => {
            text.parse().map_err(|_| (format!("`{text}` is not a whole number"), "write one such as 500".to_owned()))
        }
        Kind::Text => Err((format!("`{text}` is text"), "compare it by = != ~ or !~".to_owned())),
    }
}

fn span(text: &str) -> Result<i64, (String, String)> {
    if text == "0" {
        return Ok(0);
    }
    let span = units::parse_duration(text).map_err(|error| wrong(&error))?;
    Ok(i64::try_from(span.as_nanos()).unwrap_or(i64::MAX))
}

fn wrong(error: &units::UnitError) -> (String, String) {
    (error.message.clone(), error.remedy.clone())
}
