use proptest::prelude::*;

use crate::slice::{Request, Slice};
use crate::tally::tests::{chunk, schema};

const NS_PER_MS: i64 = 1_000_000;

fn compile(condition: &str) -> Result<Slice, Vec<String>> {
    let request = Request { filter: vec![condition.into()], ..Request::default() };
    Slice::compile(&request, &schema()).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

#[test]
fn conditions_hold_where_they_should() {
    let rows = [
        (Some(0), Some(200), 0, 100 * NS_PER_MS, 1_000),
        (Some(1), Some(404), 1_000 * NS_PER_MS, 250 * NS_PER_MS, 0),
        (None, None, 2_000 * NS_PER_MS, 900 * NS_PER_MS, 2_000_000),
        (Some(2), Some(503), 3_000 * NS_PER_MS, 10 * NS_PER_MS, 999),
    ];
    let chunk = chunk(&rows);
    let cases = [
        ("status = 200", [true, false, false, false]),
        ("status==200", [true, false, false, false]),
        ("status != 200", [false, true, true, true]),
        ("status>=400 and response>=250ms", [false, true, false, false]),
        ("status >= 400 && not response >= 250ms", [false, false, false, true]),
        ("status < 500", [true, true, false, false]),
        ("not (status < 500)", [false, false, true, true]),
        ("! status < 500", [false, false, true, true]),
        ("status = none", [false, false, true, false]),
        ("status != none", [true, true, false, true]),
        ("name = none", [false, false, true, false]),
        ("name = n1 or name='n2'", [false, true, false, true]),
        ("name = n1 || name = n2 and status = 503", [false, true, false, true]),
        ("(name = n1 or name = n2) and status = 503", [false, false, false, true]),
        ("name ~ '^n[01]'", [true, true, false, false]),
        ("name !~ '^n[01]'", [false, false, true, true]),
        ("status ~ ^5", [false, false, false, true]),
        ("size > 1kB", [false, false, true, false]),
        ("size >= 1MB", [false, false, true, false]),
        ("size <= 999", [false, true, false, true]),
        ("time >= 1s AND time < 3s", [false, true, true, false]),
        ("response = 0", [false; 4]),
        ("name = \"n\\\"1\"", [false; 4]),
    ];
    for (condition, want) in cases {
        assert_eq!(compile(condition).unwrap().mask(&chunk), want, "{condition}");
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    // condition, column, word of the text, word of the remedy
    let cases = [
        ("", 0, "empty", "leave the flag out"),
        ("stauts >= 500", 1, "no column `stauts`", "did you mean `status`?"),
        ("status >= 500 and nam = x", 19, "no column `nam`", "`name`"),
        ("status >= ", 11, "expected a value", "number"),
        ("status 500", 8, "compared with nothing", "!~"),
        ("status >= 5x", 11, "whole number", "500"),
        ("status = 5xx", 10, "whole number", "class = 5xx"),
        ("response > 250", 12, "no unit of time", "250ms"),
        ("size > 1XB", 8, "unit of size", "kB"),
        ("name < n1", 8, "no order", "~"),
        ("name ~ 'a('", 8, "not a regular expression", "backslash"),
        ("(status = 1", 12, "`)` is missing for the bracket of column 1", "close"),
        ("status = 1)", 11, "closes nothing", "take it out"),
        ("status = 1 status = 2", 12, "does not belong", "`and`"),
        ("name = 'x", 8, "not closed", "at the end"),
        ("and", 1, "a column should stand", "comparison"),
    ];
    for (condition, column, text, remedy) in cases {
        let errors = compile(condition).unwrap_err();
        let shown = &errors[0];
        let place = if column == 0 { "--where: ".into() } else { format!("--where, column {column}: ") };
        assert!(shown.starts_with(&place), "{condition}: {shown}");
        let (found, help) = shown.split_once("\n  help: ").unwrap();
        assert!(found.contains(text) && help.contains(remedy), "{condition}: {shown}");
    }
    let both = compile("stauts = 1 or respnse > 1s").unwrap_err();
    assert_eq!(both.len(), 2, "all at once: {both:?}");
}

#[test]
fn what_else_can_be_wrong() {
    let list = |text: &str| {
        if text.is_empty() { Vec::new() } else { vec![text.to_owned()] }
    };
    // --by, --tag, --show, --sort, words
    let cases = [
        ("nme", "", "", None, "`name`"),
        ("name,name", "", "", None, "twice"),
        ("response", "", "", None, "response:10s"),
        ("size", "", "", None, "size:100kB"),
        ("name:10s", "", "", None, "no spans"),
        ("time:0", "", "", None, "empty"),
        ("status:x", "", "", None, "whole number"),
        ("a=(", "", "", None, "not a regular expression"),
        ("a=nam~x", "", "", None, "unknown column `nam`"),
        ("", "status=x", "", None, "a column already"),
        ("x=1", "x=2", "", None, "defined twice"),
        ("", "x", "", None, "NAME=REGEX"),
        ("", "", "p995", None, "unknown measure"),
        ("", "", "cuont", None, "did you mean `count`?"),
        ("", "", "name.p95", None, "nothing to measure"),
        ("", "", "", Some("nothing"), "key"),
    ];
    for (by, tag, show, sort, words) in cases {
        let request = Request {
            by: list(by),
            tags: list(tag),
            show: list(show),
            sort: sort.map(str::to_owned),
            ..Request::default()
        };
        let errors = Slice::compile(&request, &schema()).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].to_string().contains(words), "{by} {tag} {show}: {}", errors[0]);
    }
}

proptest! {
    /// No text makes the reader panic, and what is accepted gives an answer for every row.
    #[test]
    fn any_condition_is_read_or_refused(text in "(status|name|response| |=|<|>|!|~|\\(|\\)|and|or|not|5|ms|'|\"|&|\\||é|.){0,14}") {
        let rows = [(Some(1), Some(5), 5, 5, 5), (None, None, 0, 0, 0)];
        if let Ok(slice) = compile(&text) {
            prop_assert_eq!(slice.mask(&chunk(&rows)).len(), 2);
        }
    }

    /// Law: `not` is the opposite, `and` and `or` are those of logic, for each row by itself.
    #[test]
    fn logic_is_that_of_rows(status in proptest::option::of(0..4_i64), name in proptest::option::of(0..4_u8)) {
        let rows = [(name, status, 0, 0, 0)];
        let holds = |text: &str| compile(text).unwrap().mask(&chunk(&rows))[0];
        let parts = ["status > 1", "name = n2", "name !~ '[13]'", "status != 2"];
        for a in parts {
            prop_assert_eq!(holds(&format!("not {a}")), !holds(a));
            for b in parts {
                prop_assert_eq!(holds(&format!("{a} and {b}")), holds(a) && holds(b));
                prop_assert_eq!(holds(&format!("{a} or {b}")), holds(a) || holds(b));
                prop_assert_eq!(holds(&format!("not ({a} or {b})")), !holds(a) && !holds(b));
            }
        }
    }
}
