//! Cells of CSV files (RFC 4180).

use std::borrow::Cow;

/// A cell, in quotes where it needs them.
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) { in_quotes(text).into() } else { text.into() }
}

/// A cell in quotes, whether it needs them or not.
pub fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text of others for a file that people open in a spreadsheet: what would be run as a formula gets an apostrophe. A
/// number is none, whatever its sign.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if !is_number && text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        for (text, want) in
            [("a b", "a b"), ("a,b", "\"a,b\""), ("say \"a\"", "\"say \"\"a\"\"\""), ("a\nb", "\"a\nb\"")]
        {
            assert_eq!(cell(text), want);
        }
        assert_eq!(in_quotes("a"), "\"a\"");
    }

    #[test]
    fn formulas_are_texts_and_numbers_stay() {
        for (text, want) in [
            ("=cmd()", "'=cmd()"),
            ("+1", "+1"),
            ("-1.5e3", "-1.5e3"),
            ("-1+cmd()", "'-1+cmd()"),
            ("-inf", "'-inf"),
            ("@sum", "'@sum"),
            ("\tx", "'\tx"),
            ("a=b", "a=b"),
        ] {
            assert_eq!(harmless(text), want);
        }
    }
}
