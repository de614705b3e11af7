use std::cell::RefCell;
use std::io::{Read, Write};

use nmax_sources::tls::{POSTGRES_ISSUERS, TlsOptions};
use rustls::ALL_VERSIONS;

use super::*;
use crate::fixture::Fake;
use crate::fixture::tls::{Authority, Identity, PemFile};
use crate::reach::Service;

/// What the protocol says a client sends to ask for TLS.
const QUESTION: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server that answers the question for TLS by `offer`, and a login by a line, in clear text and over TLS.
fn server(identity: &Identity, offer: &'static str, clear: &'static str, sealed: &'static str) -> Fake {
    let sessions = identity.sessions(ALL_VERSIONS);
    Fake::start(move |mut socket| {
        let mut said = [0; 64];
        let count = socket.read(&mut said).ok()?;
        if said[..count] == QUESTION {
            socket.write_all(offer.as_bytes()).ok()?;
            match offer {
                "" => return None,
                "S" => {
                    let mut session = sessions();
                    let mut stream = rustls::Stream::new(&mut session, &mut socket);
                    let _ = stream.read(&mut said).ok()?;
                    stream.write_all(sealed.as_bytes()).ok()?;
                    stream.flush().ok()?;
                    return Some(socket);
                }
                "N" if socket.read(&mut said).ok()? > 0 => {}
                _ => return Some(socket),
            }
        }
        socket.write_all(clear.as_bytes()).ok()?;
        Some(socket)
    })
}

/// The line that let a client in, or what it was told and whether that is final.
fn entered(server: &Fake, query: &str) -> Result<String, (String, bool)> {
    let url = format!("postgres://app:s3cret@{}/shop?{query}", server.address);
    let mut service = Service::new(ServiceAddress::parse(&url, 1));
    let tls = Tls::for_service(&mut service, POSTGRES_ISSUERS, TlsOptions::of_postgres);
    let place = service.place.unwrap();
    let mut link = Link::open(&place).unwrap();
    let heard = RefCell::new(String::new());
    let log_in = |link: &mut Link| {
        link.send(b"login")?;
        let line = String::from_utf8(link.line()?).unwrap();
        let trouble = Trouble::lasting(line.clone());
        match line.split(' ').next() {
            Some("in") => {
                heard.replace(line);
                Ok(())
            }
            Some("barred") => Err(QueryError::Barred(trouble)),
            _ => Err(QueryError::Refused(trouble)),
        }
    };
    match enter(&mut link, &place, &tls, log_in) {
        Ok(()) => Ok(heard.into_inner()),
        Err(QueryError::Broken(broken)) => Err((broken.trouble("it").text, false)),
        Err(QueryError::Refused(trouble) | QueryError::Barred(trouble)) => Err((trouble.text, trouble.is_final)),
    }
}

/// As libpq's documentation has it for each `sslmode`.
#[test]
fn modes_decide_how_it_is_entered() {
    let authority = Authority::new("ours");
    let identity = authority.identity(&["127.0.0.1"], 4000);
    let (own, other) = (authority.file(), Authority::new("theirs").file());
    let root = |mode: &str, file: &PemFile| format!("sslmode={mode}&sslrootcert={}", file.path());
    let (clear, sealed) = ("in clear\n", "in sealed\n");
    let (no_clear, no_sealed) = ("barred clear\n", "barred sealed\n");
    // query, what the server says to the question for TLS, to logins in clear and over TLS; how it is entered
    let lets_in = [
        ("sslmode=disable".into(), "S", clear, sealed, "in clear"),
        ("sslmode=allow".into(), "S", clear, sealed, "in clear"),
        ("sslmode=allow".into(), "S", no_clear, sealed, "in sealed"),
        (String::new(), "S", clear, sealed, "in sealed"),
        ("sslmode=prefer".into(), "S", clear, sealed, "in sealed"),
        ("sslmode=prefer".into(), "N", clear, sealed, "in clear"),
        ("sslmode=prefer".into(), "E", clear, sealed, "in clear"),
        ("sslmode=prefer".into(), "", clear, sealed, "in clear"),
        ("sslmode=prefer".into(), "S", clear, no_sealed, "in clear"),
        ("sslmode=require".into(), "S", clear, sealed, "in sealed"),
        (root("require", &own), "S", clear, sealed, "in sealed"),
        (root("verify-ca", &own), "S", clear, sealed, "in sealed"),
        (root("verify-full", &own), "S", clear, sealed, "in sealed"),
        // `prefer` protects against nobody, whatever is checked.
        (root("prefer", &other), "S", clear, sealed, "in clear"),
    ];
    for (query, offer, clear, sealed, want) in lets_in {
        let server = server(&identity, offer, clear, sealed);
        assert_eq!(entered(&server, &query).as_deref(), Ok(want), "{query}, {offer}, {clear} {sealed}");
    }
    // The same, and what is said of it.
    let keeps_out = [
        (
            "sslmode=disable".into(),
            "S",
            no_clear,
            sealed,
            "barred clear; where it demands TLS, write `sslmode=require`",
        ),
        ("sslmode=allow".into(), "N", no_clear, sealed, "barred clear; with TLS: it speaks no TLS"),
        ("sslmode=allow".into(), "S", no_clear, no_sealed, "barred clear; with TLS: barred sealed"),
        ("sslmode=allow".into(), "S", "wrong password\n", sealed, "wrong password"),
        (String::new(), "S", no_clear, no_sealed, "barred sealed; without TLS: barred clear"),
        (String::new(), "S", clear, "wrong password\n", "wrong password"),
        (String::new(), "S", "barred\n", "barred\n", "barred"),
        ("sslmode=require".into(), "S", clear, no_sealed, "barred sealed"),
        ("sslmode=require".into(), "N", clear, sealed, "it speaks no TLS; switch it on there by `ssl = on`"),
        (root("require", &other), "S", clear, sealed, "its certificate is not trusted; no CA in "),
        ("sslmode=verify-ca".into(), "S", clear, sealed, "its certificate is not trusted; this machine"),
        ("sslmode=verify-full".into(), "S", clear, sealed, "..add `sslrootcert=FILE` to the URL"),
        (root("prefer", &own).replace("nmax-pem", "no-file"), "S", clear, sealed, "the file of `sslrootcert`, "),
    ];
    for (query, offer, clear, sealed, says) in keeps_out {
        let server = server(&identity, offer, clear, sealed);
        let (text, is_final) = entered(&server, &query).unwrap_err();
        let is_told = match says.strip_prefix("..") {
            Some(part) => text.contains(part),
            None => text.starts_with(says),
        };
        assert!(is_told && is_final, "{query}, {offer}: {text}, {is_final}, not {says}");
    }
}

#[test]
fn odd_answers_to_the_question_for_tls() {
    let identity = Authority::new("ours").identity(&["127.0.0.1"], 4000);
    let cases = [
        ("require", "SR", "something intercepts the connection"),
        ("prefer", "SR", "something intercepts the connection"),
        ("require", "E", "answers the question for TLS with an error"),
        ("require", "", "it closed the connection"),
        ("prefer", "HTTP/1.1 400 Bad Request", "does not speak PostgreSQL's protocol"),
    ];
    for (mode, offer, says) in cases {
        let server = server(&identity, offer, "in clear\n", "in sealed\n");
        let (text, is_final) = entered(&server, &format!("sslmode={mode}")).unwrap_err();
        assert!(text.contains(says) && !is_final, "{mode}, {offer}: {text}");
    }
}
