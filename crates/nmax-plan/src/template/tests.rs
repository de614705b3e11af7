use proptest::prelude::*;

use super::*;
use std::borrow::Cow;

use crate::plan::{AtEnd, Pick, Rows};

fn feeders() -> Vec<Feeder> {
    vec![Feeder {
        name: "terms".into(),
        columns: vec!["q".into(), "hits".into()],
        rows: Rows::File { file: "terms.csv".into(), cells: ["tea", "3"].iter().collect() },
        pick: Pick::Random,
        per: crate::plan::Per::Iteration,
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
        target: Some("https://shop.test"),
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
        ("/i/${item}/${ vu }", vec![text("/i/"), Part::Slot(0), text("/"), Part::Vu]),
        ("${terms.hits}${iteration}", vec![Part::Feeder { feeder: 0, column: 1 }, Part::Iteration]),
        ("t=${env.TOKEN};", vec![text("t=a\"b${x};")]),
        ("${setup.token}", vec![Part::Shared(0)]),
        ("${target}/a", vec![text("https://shop.test/a")]),
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
        ("${order}", 0, "`${order}` is read before a step defines it", "extract or `set` it in an earlier step"),
        ("${terms}", 0, "`${terms}` names data without a column", "write `${terms.q}`"),
        ("${term.q}", 0, "there is no data named `term`", "did you mean `${terms.q}`?"),
        ("${terms.hit}", 0, "data `terms` has no column `hit`", "did you mean `${terms.hits}`?"),
        ("${terms.zzzzzz}", 0, "data `terms` has no column `zzzzzz`", "its columns are: q, hits"),
        ("é${env.HOME}", 1, "the environment has no `HOME`", "add `-e HOME=VALUE` to the command"),
        ("x ${item", 2, "`${` without its `}`", "end it with `}`, or write `$$` for a dollar sign"),
    ];
    for (source, offset, message, remedy) in cases {
        let want = TemplateError { offset, message: message.into(), remedy: remedy.into() };
        assert_eq!(parse(source), Err(vec![want]), "{source}");
    }
    assert_eq!(parse("${a1} ${b2}").unwrap_err().len(), 2, "all errors at once");
}

fn call(function: Function, arguments: &[Part]) -> Part {
    let arguments = arguments.iter().map(|part| Template { parts: vec![part.clone()] });
    Part::Call(Box::new(Call { function, arguments: arguments.collect() }))
}

/// What follows a call is text again, and a brace in quotes does not end it.
#[test]
fn calls_of_functions() {
    let text = |text: &str| Part::Text(text.into());
    let feeder = Part::Feeder { feeder: 0, column: 1 };
    let cases = [
        ("${uuid()}", vec![call(Function::Uuid, &[])]),
        ("${ uuid ( ) }!", vec![call(Function::Uuid, &[]), text("!")]),
        ("${random(-1,10)}", vec![call(Function::Random, &[text("-1"), text("10")])]),
        (
            r#"a${hash('sha256', "it's } \"x\" \n ${item}")}b"#,
            vec![text("a"), call(Function::Hash, &[text("sha256"), text("it's } \"x\" \\n ${item}")]), text("b")],
        ),
        ("${base64(url(terms.hits))}", vec![call(Function::Base64, &[call(Function::Url, &[feeder])])]),
        ("${encrypt(env.TOKEN, setup.token)}", vec![call(Function::Encrypt, &[text("a\"b${x}"), Part::Shared(0)])]),
        ("${hmac('sha1', item, vu)}", vec![call(Function::Hmac, &[text("sha1"), Part::Slot(0), Part::Vu])]),
    ];
    for (source, parts) in cases {
        assert_eq!(parse(source), Ok(Template { parts }), "{source}");
    }
    let empty = parse("${base64('')}").unwrap();
    let Part::Call(empty) = &empty.parts[0] else { panic!("a call") };
    assert_eq!(empty.arguments, [Template::default()], "the empty text has no part");
}

#[test]
fn wrong_calls_say_what_to_write() {
    let cases = [
        ("${hsh('sha1', item)}", 2, "there is no function `hsh`", "did you mean `hash`?"),
        ("${base64()}", 2, "`base64` takes 1 argument, here it has 0", "write `base64(TEXT)`"),
        ("é${hash('sha1', 'a', 'b')}", 3, "`hash` takes 2 arguments, here it has 3", "write `hash('sha256', TEXT)`"),
        ("${now('iso', 1)}", 2, "`now` takes 0 to 1 arguments, here it has 2", "write `now()` or `now('iso')`"),
        ("${uuid(1)}", 2, "`uuid` takes no argument, here it has 1", "write `uuid()`"),
        ("${hash('sha257', item)}", 7, "`sha257` is not an algorithm", "did you mean `'sha256'`?"),
        ("${jwt_sign('none', 'k', '{}')}", 11, "`none` is not an algorithm", "write one of: 'HS256', 'HS384', 'HS512'"),
        ("${now('is')}", 6, "`is` is not a form of the time", "did you mean `'iso'`?"),
        ("${random(1, x1)}", 12, "`${x1}` is not defined", "write `'x1'` for the text itself"),
        ("${random('a', 5)}", 9, "`a` is not a whole number", "write digits, such as `random(1, 10)`"),
        ("${random(10, 1)}", 13, "the high end 1 is below the low end 10", "write `random(1, 10)`"),
        (
            "${random_text(99999999)}",
            14,
            "`99999999` is not a length from 0 to 65536",
            "write the number of characters",
        ),
        (
            "${base64(url(itme))}",
            13,
            "`${itme}` is not defined",
            "did you mean `item`? A text stands in quotes: `'itme'`",
        ),
        ("${base64(item vu)}", 9, "`${item vu}` is not defined", "write `'item vu'` for the text itself"),
        (
            "${base64('a' 'b')}",
            13,
            "the arguments of `base64` do not go on with `,` or end with `)`",
            "separate them by `,` and end them with `)`; texts stand in quotes",
        ),
        ("${base64(,)}", 9, "an argument is missing", "write a 'text' in quotes, a number or a name"),
        ("${uuid() x}", 9, "`x` follows the call", "remove it; texts stand outside of `${...}`"),
        ("${base64('a)}", 0, "`${` without its `}`", "close its quotes and brackets and end it with `}`"),
        (
            "${url(url(url(url(url(url(url(url(url(item)))))))))}",
            34,
            "calls are nested deeper than 8",
            "give inner ones a name with `set` in an earlier step",
        ),
        ("${uuid(1,1,1,1,1,1,1,1,1)}", 23, "`uuid` has more than 8 arguments", "no function takes that many"),
        ("${setup.tokn}", 0, "the plan's setup defines no `tokn`", "did you mean `${setup.token}`?"),
        ("${setup}", 0, "`${setup}` is not complete", "write `${setup.NAME}`"),
    ];
    for (source, offset, message, remedy) in cases {
        let want = TemplateError { offset, message: message.into(), remedy: remedy.into() };
        assert_eq!(parse(source), Err(vec![want]), "{source}");
    }
    let all = parse("${hash('sha0', itme)} ${hsh()} ${base64(x1)}").unwrap_err();
    assert_eq!(all.len(), 3, "all errors at once, those of constants once names are known: {all:#?}");
}

/// What the environment gives to a function is escaped with its result, not before.
#[test]
fn environment_in_arguments_is_verbatim() {
    let template = with_names(EnvFormat::JsonString, |names| Template::parse("\"${base64(env.TOKEN)}\"", names));
    let want = call(Function::Base64, &[Part::Text("a\"b${x}".into())]);
    assert_eq!(template.unwrap().parts[1], want);
}

#[test]
fn escapes_fit_their_surroundings() {
    let cases = [
        ("${setup.token}", Escape::Path, "s\"/"),
        ("/${setup.token}", Escape::Path, "/s%22%2F"),
        ("${base64_decode(item)}", Escape::Url, "base64_decode"),
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
    let template = with_names(EnvFormat::JsonString, |names| Template::parse("\"${env.TOKEN}\"", names));
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
        Just(Part::Shared(0)),
        "[a-z'\"\\\\{}(),$ 0-9]{0,8}".prop_map(|text| {
            let parts = Some(text).filter(|text| !text.is_empty()).map(Part::Text);
            let text = Template { parts: parts.into_iter().collect() };
            let inner = Call { function: Function::Base64, arguments: vec![text.clone()] };
            let inner = Template { parts: vec![Part::Call(Box::new(inner))] };
            Part::Call(Box::new(Call { function: Function::Encrypt, arguments: vec![text, inner] }))
        }),
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
    fn any_text_is_answered(text in "[a-z$.{}]{0,20}|\\PC{0,20}|\\$\\{[a-z(),'\"\\\\ ]{0,30}\\}") {
        let _ = parse(&text);
    }
}
