use proptest::prelude::*;

use super::*;
use std::borrow::Cow;

use crate::plan::{AtEnd, Pick, Rows};

fn feeders() -> Vec<Feeder> {
    vec![Feeder {
        name: "terms".into(),
        columns: vec!["q".into(), "hits".into()],
        rows: Rows::File {
            file: "terms.csv".into(),
            cells: vec!["tea".into(), "3".into()],
        },
        pick: Pick::Random,
        at_end: AtEnd::Wrap,
    }]
}

fn env(name: &str) -> Option<String> {
    (name == "TOKEN").then(|| "a\"b${x}".to_owned())
}

fn with_names<T>(format: EnvFormat, then: impl Fn(&Names) -> T) -> T {
    let slots = ["item".to_owned(), "csrf".to_owned()];
    let later = ["item".to_owned(), "csrf".to_owned(), "order".to_owned()];
    let shared = ["token".to_owned()];
    let feeders = feeders();
    then(&Names {
        slots: &slots,
        slots_hidden: (0, 0),
        slots_later: &later,
        shared: Some(&shared),
        feeders: &feeders,
        env: &env,
        env_format: format,
    })
}

fn parse(text: &str) -> Result<Template, Vec<TemplateError>> {
    with_names(EnvFormat::Verbatim, |names| Template::parse(text, names))
}

struct Row;

impl Values for Row {
    fn slot(&self, slot: usize) -> &str {
        ["/a b?c=d&é", "\"quoted\\\"\n\u{1}"][slot]
    }
    fn feeder(&self, _: usize, column: usize) -> Cow<'_, str> {
        Cow::Borrowed(["green tea", "3"][column])
    }
    fn iteration(&self) -> u64 {
        1_234_567_890
    }
    fn vu(&self) -> u32 {
        0
    }
    fn shared(&self, _: usize) -> &str {
        "s\"/"
    }
    fn call(&self, call: &Call, out: &mut String) {
        out.push_str(call.function.name());
    }
}

fn render(text: &str, escape: Escape) -> String {
    let mut out = Vec::new();
    parse(text).unwrap().render(&mut out, &Row, escape);
    String::from_utf8(out).unwrap()
}

#[test]
fn parts_of_templates() {
    let text = |text: &str| Part::Text(text.into());
    let cases = [
        ("", vec![]),
        ("plain", vec![text("plain")]),
        ("costs $5 or $$5", vec![text("costs $5 or $5")]),
        ("$${item}", vec![text("${item}")]),
        (
            "/i/${item}/${ vu }",
            vec![text("/i/"), Part::Slot(0), text("/"), Part::Vu],
        ),
        (
            "${terms.hits}${iteration}",
            vec![Part::Feeder { feeder: 0, column: 1 }, Part::Iteration],
        ),
        ("t=${env.TOKEN};", vec![text("t=a\"b${x};")]),
        ("$", vec![text("$")]),
    ];
    for (source, parts) in cases {
        assert_eq!(parse(source), Ok(Template { parts }), "{source}");
    }
}

#[test]
fn errors_name_the_nearest() {
    let cases = [
        ("a${itme}", 1, "`${itme}` is not defined", "did you mean `${item}`?"),
        (
            "${order}",
            0,
            "`${order}` is read before a step defines it",
            "extract or `set` it in an earlier step",
        ),
        (
            "${terms}",
            0,
            "`${terms}` names data without a column",
            "write `${terms.q}`",
        ),
        (
            "${term.q}",
            0,
            "there is no data named `term`",
            "did you mean `${terms.q}`?",
        ),
        (
            "${terms.hit}",
            0,
            "data `terms` has no column `hit`",
            "did you mean `${terms.hits}`?",
        ),
        (
            "${terms.zzzzzz}",
            0,
            "data `terms` has no column `zzzzzz`",
            "its columns are: q, hits",
        ),
        (
            "é${env.HOME}",
            1,
            "the environment has no `HOME`",
            "add `-e HOME=VALUE` to the command",
        ),
        (
            "x ${item",
            2,
            "`${` without its `}`",
            "end it with `}`, or write `$$` for a dollar sign",
        ),
    ];
    for (source, offset, message, remedy) in cases {
        let want = TemplateError {
            offset,
            message: message.into(),
            remedy: remedy.into(),
        };
        assert_eq!(parse(source), Err(vec![want]), "{source}");
    }
    assert_eq!(parse("${a1} ${b2}").unwrap_err().len(), 2, "all errors at once");
}

#[test]
fn escapes_fit_their_surroundings() {
    let cases = [
        ("${item}", Escape::None, "/a b?c=d&é"),
        ("${item}/${item}", Escape::Path, "/a b?c=d&é/%2Fa%20b%3Fc%3Dd%26%C3%A9"),
        ("/s?q=${terms.q}&x= ", Escape::Path, "/s?q=green%20tea&x= "),
        ("a b ${terms.q}~*", Escape::Url, "a%20b%20green%20tea~%2A"),
        ("a b ${terms.q}~*", Escape::Form, "a+b+green+tea%7E*"),
        (r#"{"x": "${csrf}"}"#, Escape::Json, r#"{"x": "\"quoted\\\"\n\u0001"}"#),
        ("${iteration}-${vu}", Escape::Form, "1234567890-0"),
    ];
    for (source, escape, want) in cases {
        assert_eq!(render(source, escape), want, "{source}");
    }
}

#[test]
fn environment_in_json_is_escaped() {
    let template = with_names(EnvFormat::JsonString, |names| {
        Template::parse("\"${env.TOKEN}\"", names)
    });
    assert_eq!(template.unwrap().as_constant(), Some(r#""a\"b${x}""#));
}

#[test]
fn numbers_of_any_size() {
    for number in [0, 9, 10, u64::MAX] {
        let mut out = Vec::new();
        render::number_into(&mut out, number);
        assert_eq!(out, number.to_string().as_bytes());
    }
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        "[a-z${}.]{1,6}".prop_map(Part::Text),
        (0..2_usize).prop_map(Part::Slot),
        (0..2_usize).prop_map(|column| Part::Feeder { feeder: 0, column }),
        Just(Part::Iteration),
        Just(Part::Vu),
    ]
}

proptest! {
    /// Law: parse(source(t)) = t for templates whose adjacent texts are merged.
    #[test]
    fn templates_come_back(parts in proptest::collection::vec(part(), 0..6)) {
        let mut merged: Vec<Part> = Vec::new();
        for part in parts {
            match (merged.last_mut(), part) {
                (Some(Part::Text(last)), Part::Text(text)) => last.push_str(&text),
                (_, part) => merged.push(part),
            }
        }
        let template = Template { parts: merged };
        let source = with_names(EnvFormat::Verbatim, |names| template.source(names.labels()));
        prop_assert_eq!(parse(&source), Ok(template));
    }

    /// Law: a rendered JSON string holds exactly its values, by an independent decoder.
    #[test]
    fn json_holes_decode_to_their_values(value in "\\PC{0,20}|[\\x00-\\x7f]{0,20}") {
        let mut out = b"\"".to_vec();
        render::escape_into(&mut out, &value, Escape::Json);
        out.push(b'"');
        prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), value);
    }

    /// Law: any text is answered without a panic.
    #[test]
    fn any_text_is_answered(text in "[a-z$.{}]{0,20}|\\PC{0,20}") {
        let _ = parse(&text);
    }
}
