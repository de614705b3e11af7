use std::io::{Read, Write};

use proptest::prelude::*;

use super::*;
use crate::fixture::Fake;
use crate::service_address::ServiceAddress;

/// A server that hears out each message and says the next text.
fn postgres(answers: Vec<Vec<u8>>) -> Fake {
    Fake::start(move |mut stream| {
        for answer in &answers {
            // Each message of the client comes in one piece.
            if stream.read(&mut [0; 4096]).ok()? == 0 {
                return None;
            }
            stream.write_all(answer).ok()?;
        }
        Some(stream)
    })
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    framed(Some(kind), body)
}

fn authentication(code: i32, rest: &[u8]) -> Vec<u8> {
    message(b'R', &[&code.to_be_bytes(), rest].concat())
}

fn error(code: &str, text: &str) -> Vec<u8> {
    message(b'E', format!("SFATAL\0C{code}\0M{text}\0\0").as_bytes())
}

fn logged_in(server: &Fake, password: Option<&str>) -> Result<Link, String> {
    let mut link = Link::open(&ServiceAddress::parse(&server.address.to_string(), 1).unwrap()).unwrap();
    let login = Login { user: "app", password, database: "shop" };
    match log_in(&mut link, &login) {
        Ok(()) => Ok(link),
        Err(QueryError::Refused(trouble)) => Err(format!("{} {trouble}", trouble.is_final)),
        Err(QueryError::Barred(trouble)) => Err(format!("barred {} {trouble}", trouble.is_final)),
        Err(QueryError::Broken(broken)) => Err(format!("{broken:?}")),
    }
}

#[test]
fn rows_come_by_statement() {
    let ready = [authentication(0, b""), message(b'S', b"a\0b\0"), message(b'K', b"12345678"), message(b'Z', b"I")];
    let row = |values: &[Option<&str>]| {
        let mut body = (values.len() as u16).to_be_bytes().to_vec();
        for value in values {
            body.extend(value.map_or(-1, |value| value.len() as i32).to_be_bytes());
            body.extend(value.unwrap_or_default().bytes());
        }
        message(b'D', &body)
    };
    let answer = [
        message(b'T', b"\0\0"),
        row(&[Some("1"), None]),
        row(&[Some(""), Some("ä")]),
        message(b'C', b"SELECT 2\0"),
        message(b'N', b"SNOTICE\0\0"),
        message(b'C', b"SET\0"),
        message(b'Z', b"I"),
    ];
    let server = postgres(vec![ready.concat(), answer.concat()]);
    let mut link = logged_in(&server, None).unwrap();
    let results = ask(&mut link, "SELECT; SET").ok().unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(results, [vec![vec![text("1"), None], vec![text(""), text("ä")]], Vec::new()]);
}

#[test]
fn refusals_are_final_or_not_and_never_show_the_password() {
    // answer to the login, what comes of it
    let cases = [
        (error("28P01", "password authentication failed for user \"app\""), "true it says: password authentication"),
        (
            error("28000", "no pg_hba.conf entry for host, user \"app\", no encryption"),
            "barred true it says: no pg_hba.conf entry",
        ),
        (error("3D000", "database \"s3cret\" does not exist"), "true it says: database \"***\""),
        (error("57P03", "the database system is starting up"), "false it says: the database system is starting"),
        (error("53300", "sorry, too many clients already"), "false it says: sorry"),
        (authentication(7, b""), "true it asks for a login of kind 7"),
        (authentication(10, b"SCRAM-SHA-256-PLUS\0\0"), "true it offers no login by SCRAM-SHA-256"),
        (authentication(11, b"r=x"), "false its challenge is none"),
        (authentication(12, b"v=AAAA"), "true it does not know the password itself"),
        (message(b'R', b"12"), "false it asks for a login of an unknown kind"),
        (message(b'D', b""), "not asked for: `D`"),
        (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), "does not speak PostgreSQL's protocol"),
        (b"R\xff\xff\xff\xff".to_vec(), "does not speak PostgreSQL's protocol"),
        (b"R\x7f\xff\xff\xff".to_vec(), "does not speak PostgreSQL's protocol"),
    ];
    for (answer, says) in cases {
        let server = postgres(vec![answer]);
        let told = logged_in(&server, Some("s3cret")).err().unwrap();
        assert!(told.contains(says) && !told.contains("s3cret"), "{told}, not {says}");
    }
    let server = postgres(vec![authentication(5, b"salt")]);
    let told = logged_in(&server, None).err().unwrap();
    assert!(told.starts_with("true it wants a password for `app`"), "{told}");
}

#[test]
fn an_error_of_a_statement_leaves_the_connection_in_order() {
    let ready = [authentication(0, b""), message(b'Z', b"I")].concat();
    let wrong = [error("57014", "canceling statement due to statement timeout"), message(b'Z', b"I")].concat();
    let right = [message(b'C', b"SELECT 0\0"), message(b'Z', b"I")].concat();
    let server = postgres(vec![ready, wrong, right]);
    let mut link = logged_in(&server, None).unwrap();
    let Err(QueryError::Refused(trouble)) = ask(&mut link, "SELECT") else {
        panic!("the statement was refused");
    };
    assert!(!trouble.is_final && trouble.text.contains("statement timeout"), "{trouble}");
    assert_eq!(ask(&mut link, "SELECT").ok().unwrap(), [Rows::new()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No bytes make a row panic; rows that were written are read.
    #[test]
    fn rows_are_read_or_refused(
        wild in prop::collection::vec(any::<u8>(), 0..64),
        values in prop::collection::vec(prop::option::of("[ -~]{0,9}"), 0..9),
    ) {
        let _ = row(&wild);
        let mut body = (values.len() as u16).to_be_bytes().to_vec();
        for value in &values {
            body.extend(value.as_ref().map_or(-1, |value| value.len() as i32).to_be_bytes());
            body.extend(value.iter().flat_map(|value| value.bytes()));
        }
        prop_assert_eq!(row(&body).unwrap(), values);
    }
}
