//! Laws: values that are put into a visit are found, whatever they are.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use nmax_import::correlate::{State, correlate};
use nmax_text::percent;
use proptest::prelude::*;

use super::visits::{Exchange, get, post, visit};
use super::{found, found_in_two, lines};

/// Where a reply says a value, and how.
#[derive(Clone, Copy, Debug)]
enum From {
    Input,
    Meta,
    Data,
    Link,
    Json,
    JsonList,
    Header,
    Location,
    Cookie,
    Script,
    Xml,
    Text,
}

/// Where a request sends it, and how it is written there.
#[derive(Clone, Copy, Debug)]
enum To {
    Segment,
    Query,
    Header,
    Bearer,
    Field,
    Base64,
    Json,
    Xml,
    Composite,
}

fn saying(from: From, value: &str, noise: &str) -> Exchange {
    let html = |body: String| get("/start").html(&format!("<p>{noise}</p>{body}<p>2026, 12.90, {noise}</p>"));
    match from {
        From::Input => {
            html(format!("<form><input name=other value=x><input type=hidden name=ticket value=\"{value}\"></form>"))
        }
        From::Meta => html(format!("<meta name=ticket content=\"{value}\">")),
        From::Data => html(format!("<div class=\"box wide\"><p data-ticket=\"{value}\">x</p></div>")),
        From::Link => html(format!(
            "<ul><li><a class=l href=\"/go?ticket=7&amp;a=1\">x</a><li><a class=l href=\"/go?ticket={value}&amp;a=1\">x</a></ul>"
        )),
        From::Json => get("/start").json(&format!(r#"{{"note":"{noise}","data":{{"ticket":"{value}"}}}}"#)),
        From::JsonList => {
            get("/start").json(&format!(r#"{{"list":[{{"ticket":"a"}},{{"ticket":"{value}"}},{{"ticket":"b"}}]}}"#))
        }
        From::Header => get("/start").tells("x-ticket", value),
        From::Location => get("/start").leads_to(201, &format!("/tickets/{value}")),
        From::Cookie => get("/start").tells("set-cookie", &format!("ticket={value}; path=/")),
        From::Script => html(format!("<script>var conf = {{a: 1, \"ticket\": \"{value}\"}};</script>")),
        From::Xml => get("/start")
            .replies("text/xml", &format!("<?xml version=\"1.0\"?><r><n>{noise}</n><ticket>{value}</ticket></r>")),
        From::Text => get("/start").replies("text/plain", &format!("{noise}\nyour ticket {value} is valid\n")),
    }
}

fn sending(to: To, value: &str) -> Exchange {
    match to {
        To::Segment => get(&format!("/api/tickets/{value}/use")),
        To::Query => get(&format!("/api/use?a=1&ticket={value}")),
        To::Header => get("/api/use").sends("x-ticket", value),
        To::Bearer => get("/api/use").sends("authorization", &format!("Bearer {value}")),
        To::Field => post("/api/use", &format!("a=1&ticket={value}")),
        To::Base64 => post("/api/use", &format!("ticket={}", percent::encode(&BASE64_STANDARD.encode(value)))),
        To::Json => post("/api/use", "").json_body(&format!(r#"{{"a":[1,{{"ticket":"{value}"}}]}}"#)),
        To::Xml => post("/api/use", "").xml_body(&format!("<r><ticket>{value}</ticket></r>")),
        To::Composite => post("/api/use", &format!("ticket=ticket:{value};v=1")),
    }
}

const FROMS: [From; 12] = [
    From::Input,
    From::Meta,
    From::Data,
    From::Link,
    From::Json,
    From::JsonList,
    From::Header,
    From::Location,
    From::Cookie,
    From::Script,
    From::Xml,
    From::Text,
];
const TOS: [To; 9] =
    [To::Segment, To::Query, To::Header, To::Bearer, To::Field, To::Base64, To::Json, To::Xml, To::Composite];

fn planted(from: From, to: To, value: &str, noise: &str) -> Vec<Exchange> {
    vec![get("/").html(noise), saying(from, value, noise), get("/pause").html(noise), sending(to, value)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Law: a planted value is found wherever it is said and sent, with an extractor that works; nothing else is.
    #[test]
    fn planted_values_are_found(
        from in 0..FROMS.len(),
        to in 0..TOS.len(),
        value in prop_oneof!["[a-z0-9]{12,20}", "[A-Za-z0-9]{14}([A-Za-z0-9_-]{0,14}[A-Za-z0-9])?", "[0-9a-f]{32}", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"],
        noise in "[a-z]{3,8}( [a-z]{3,8}){0,4}",
    ) {
        // Letters with digits at their end may be a word.
        prop_assume!(value[..12].trim_end_matches(|c: char| c.is_ascii_digit()).bytes().filter(u8::is_ascii_digit).count() >= 2);
        let exchanges = planted(FROMS[from], TOS[to], &value, &noise);
        let found = found(&exchanges);
        prop_assert_eq!(found.values.len(), 1, "{:?} -> {:?}: {:?} {:?}", FROMS[from], TOS[to], lines(&found), found.denied);
        prop_assert_eq!((found.values[0].from, found.values[0].uses[0].0.entry), (1, 3));
        prop_assert_eq!(&found.values[0].value, &value);
        prop_assert_eq!(found.values[0].state, State::Found);
        let (recording, journey) = visit(&exchanges);
        prop_assert_eq!(correlate(&recording, &journey, None), found, "it is deterministic");
    }

    /// Law: with a second recording, what changes there is told so, and what does not is a constant.
    #[test]
    fn a_second_recording_decides(
        from in 0..FROMS.len(),
        to in 0..TOS.len(),
        value in "[0-9a-f]{32}",
        other in "[0-9a-f]{32}",
    ) {
        prop_assume!(value != other);
        let of = |value: &str| planted(FROMS[from], TOS[to], value, "some noise");
        let changes = found_in_two(&of(&value), &of(&other));
        let states: Vec<State> = changes.values.iter().map(|found| found.state).collect();
        prop_assert_eq!(states, [State::Changes], "{:?}", changes);
        let same = found_in_two(&of(&value), &of(&value));
        prop_assert_eq!(&same.values, &[], "{:?}", lines(&same));
        prop_assert_eq!(same.denied.len(), 1);
    }

    /// Law: whatever the texts, nothing panics, and what is found works.
    #[test]
    fn any_texts_are_taken(bodies in proptest::collection::vec("[ -~\u{e4}\n]{0,80}", 1..6), url in "[a-z0-9/?=&%.;-]{0,30}") {
        let mut exchanges = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let exchange = match number % 3 {
                0 => get(&format!("/{url}")).html(body),
                1 => post(&format!("/{url}"), body).json(body),
                _ => get("/x").sends("x-a", body).replies("text/plain", body).tells("location", body),
            };
            exchanges.push(exchange);
        }
        exchanges.extend(exchanges.clone());
        found(&exchanges);
        found_in_two(&exchanges, &exchanges);
    }
}
