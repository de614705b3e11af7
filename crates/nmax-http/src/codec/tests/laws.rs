//! Laws on generated streams, whole and cut at any place.

use super::*;
use nmax_metrics::ErrorKind;
use proptest::prelude::*;

/// How a generated body is framed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Framed {
    Length,
    Chunked(usize),
    UntilEnd,
}

/// Writes a reply the slow and plain way.
fn render(interim: u16, status: u16, headers: &[(String, String)], body: &[u8], framed: Framed) -> Vec<u8> {
    let mut out = b"HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(usize::from(interim));
    out.extend(format!("HTTP/1.1 {status} Some Reason\r\n").bytes());
    for (name, value) in headers {
        out.extend(format!("{name}: {value}\r\n").bytes());
    }
    match framed {
        Framed::Length => out.extend(format!("content-length: {}\r\n\r\n", body.len()).bytes()),
        Framed::Chunked(_) => out.extend(b"transfer-encoding: chunked\r\n\r\n"),
        Framed::UntilEnd => out.extend(b"\r\n"),
    }
    if let Framed::Chunked(size) = framed {
        for chunk in body.chunks(size) {
            out.extend(format!("{:x};ext\r\n", chunk.len()).bytes());
            out.extend(chunk);
            out.extend(b"\r\n");
        }
        out.extend(b"0\r\ntrailer: z\r\n\r\n");
    } else {
        out.extend(body);
    }
    out
}

fn framed() -> impl Strategy<Value = Framed> {
    prop_oneof![Just(Framed::Length), (1..40_usize).prop_map(Framed::Chunked), Just(Framed::UntilEnd)]
}

proptest! {
    /// Law: a rendered reply comes back, however the stream is cut.
    #[test]
    fn rendered_replies_come_back(
        interim in 0..3_u16,
        status in (200..600_u16).prop_filter("these have no body", |s| !matches!(s, 204 | 304)),
        headers in prop::collection::vec(("x-[a-z]{1,8}", "([!-~]([ -~]{0,10}[!-~])?)?"), 0..5),
        body in prop::collection::vec(any::<u8>(), 0..200),
        framed in framed(),
        sizes in prop::collection::vec(1..30_usize, 1..6),
    ) {
        let stream = render(interim, status, &headers, &body, framed);
        let seen = receive(ALL, &stream, &sizes).unwrap();
        prop_assert_eq!(seen.status, Some(status));
        prop_assert_eq!(&seen.body, &body);
        prop_assert_eq!(seen.informational, interim);
        prop_assert_eq!(seen.persistent, framed != Framed::UntilEnd);
        let sent: Vec<_> = headers.into_iter().map(|(n, v)| (n, v.into_bytes())).collect();
        let own: Vec<_> = seen.headers.into_iter().filter(|(n, _)| n.starts_with("x-")).collect();
        prop_assert_eq!(own, sent);
    }

    /// Law: a cut-off reply that says its length is never taken for a complete one.
    #[test]
    fn cut_replies_are_errors(body in prop::collection::vec(any::<u8>(), 1..50), chunked: bool, cut: prop::sample::Index) {
        let framed = if chunked { Framed::Chunked(7) } else { Framed::Length };
        let stream = render(0, 200, &[], &body, framed);
        let error = receive(ALL, &stream[..cut.index(stream.len())], &[]).unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::Reset);
    }

    /// Law: no bytes panic, and where the stream is cut makes no difference.
    #[test]
    fn cuts_make_no_difference(
        start in prop::sample::select(vec![
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", "HTTP/1.1 100 C\r\n\r\n",
        ]),
        rest in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            prop::collection::vec(prop::sample::select(b"0123af;\r\n: x".to_vec()), 0..60),
        ],
        sizes in prop::collection::vec(1..9_usize, 1..6),
    ) {
        let mut stream = start.as_bytes().to_vec();
        stream.extend(rest);
        let (whole, cut) = (receive(ALL, &stream, &[]), receive(ALL, &stream, &sizes));
        prop_assert_eq!(whole.ok(), cut.ok());
    }

    /// Law: the lines we split are the headers that the parser accepted.
    #[test]
    fn headers_agree_with_the_parser(lines in prop::collection::vec("[A-Za-z-]{1,5}:[ -~\t]{0,8}\r?", 0..6)) {
        let stream = format!("HTTP/1.1 204 No\r\n{}\r\n", lines.iter().map(|l| format!("{l}\n")).collect::<String>());
        let mut fields = [httparse::EMPTY_HEADER; 16];
        let mut parsed = httparse::Response::new(&mut fields);
        prop_assume!(parsed.parse(stream.as_bytes()).is_ok());
        let want: Vec<_> = parsed.headers.iter().map(|h| (h.name.to_owned(), h.value.to_vec())).collect();
        if let Ok(seen) = receive_text(&stream) {
            prop_assert_eq!(seen.headers, want);
        }
    }
}
