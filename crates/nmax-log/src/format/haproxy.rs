//! HAProxy's `option httplog` and `option httpslog`, with or without what syslog writes in front of it.
//!
//! ```text
//! client:port [accept] frontend backend/server TR/Tw/Tc/Tr/Ta status bytes cookie cookie state
//!     actconn/feconn/beconn/srvconn/retries srvqueue/beqqueue {request headers} {response headers} "request"
//! ```
//!
//! The accept date is that of the first byte of the request, so it is an arrival. It names no time zone; where syslog's stamp in
//! front does, the difference of both, rounded to a quarter of an hour, is the zone.

use std::ops::Range;

use super::draft::{Coding, Draft, Expected};
use super::field::{Field, Moment, UserAgentCoding, session_rank};
use super::number::{self, Span, Unit};
use super::stamp::{self, S, Stamp};
use super::template::excerpt;
use crate::record::Rejection;

/// What a person should know.
pub(super) const NOTE: &str =
    "the accept date names no time zone: it is that of syslog's stamp in front of it, or UTC where that names none";

/// A word of the line, and where the next one begins.
struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    /// The next word: where it is.
    fn next(&mut self, name: &str) -> Result<Range<usize>, Rejection> {
        let rest = &self.line[self.at..];
        let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
        let start = self.at + blanks;
        let length = memchr::memchr(b' ', &self.line[start..]).unwrap_or(self.line.len() - start);
        if length == 0 {
            return Err(Rejection { reason: format!("the line ends where {name} should be"), at: start });
        }
        self.at = start + length;
        Ok(start..start + length)
    }

    /// The block in braces that is next, if one is.
    fn braces(&mut self) -> Option<Range<usize>> {
        let start = self.at + self.line[self.at..].iter().take_while(|&&byte| byte == b' ').count();
        if self.line.get(start) != Some(&b'{') {
            return None;
        }
        // Values of headers may have blanks, so the block ends where another one or the request begins.
        let rest = &self.line[start..];
        let end = memchr::memmem::find(rest, b"} \"").or_else(|| memchr::memmem::find(rest, b"} {"));
        let first = memchr::memmem::find(rest, b"} {").into_iter().chain(end).min()?;
        self.at = start + first + 1;
        Some(start + 1..start + first)
    }
}

/// Reads `line` into `draft`.
pub(super) fn read(line: &[u8], draft: &mut Draft) -> Result<(), Rejection> {
    let accept = accept(line).ok_or_else(|| Rejection {
        reason: "no `client:port [06/Feb/2009:12:14:14.655]` in the line".to_owned(),
        at: 0,
    })?;
    put(line, draft, &Field::ClientPort, accept.client.clone(), "the client")?;
    let mut words = Words { line, at: accept.date.end + 1 };
    words.next("the frontend")?;
    words.next("the backend")?;
    let timers = words.next("the timers")?;
    let total_us = put_timers(line, timers, draft)?;
    put_stamp(line, &accept, total_us, draft)?;
    put(line, draft, &Field::Status, words.next("the status")?, "the status")?;
    let bytes = words.next("the bytes")?;
    // `+` says that the log was written before the reply was over.
    if line[bytes.start] != b'+' {
        put(line, draft, &Field::All, bytes, "the bytes")?;
    }
    put_cookies(line, [words.next("the cookie")?, words.next("the cookie")?], draft)?;
    for name in ["the state", "the connections", "the queues"] {
        words.next(name)?;
    }
    if let Some(captured) = words.braces() {
        put_headers(line, captured, draft)?;
        while words.braces().is_some() {}
    }
    put_request(line, words.at, draft)
}

/// What is in front of the proxy's own part, and its first two values.
struct Accept {
    client: Range<usize>,
    /// Without brackets.
    date: Range<usize>,
}

/// Finds ` [06/Feb/2009:12:14:14.655]` with the client in front of it.
fn accept(line: &[u8]) -> Option<Accept> {
    let mut from = 0;
    loop {
        let open = from + memchr::memchr(b'[', line.get(from..)?)?;
        let date = open + 1..open + 1 + memchr::memchr(b']', &line[open..])?.checked_sub(1)?;
        if open > 0 && line[open - 1] == b' ' && date.len() >= 20 && line.get(date.start + 2) == Some(&b'/') {
            let end = open - 1;
            let start = memchr::memrchr(b' ', &line[..end]).map_or(0, |blank| blank + 1);
            return (end > start).then_some(Accept { client: start..end, date });
        }
        from = open + 1;
    }
}

/// `TR/Tw/Tc/Tr/Ta`: the whole, the first byte. Older versions have the same five with other names. Tells the whole in µs.
fn put_timers(line: &[u8], at: Range<usize>, draft: &mut Draft) -> Result<i64, Rejection> {
    let value = &line[at.clone()];
    let wanted = "five numbers of ms such as 10/0/30/69/109";
    let refused = || wrong("the timers", wanted, value, at.start);
    let mut spans = [Span::Unknown; 5];
    let mut count = 0;
    let mut is_open = false;
    for part in value.split(|&byte| byte == b'/') {
        let place = spans.get_mut(count).ok_or_else(refused)?;
        is_open = part.first() == Some(&b'+');
        *place = number::span(part.strip_prefix(b"+").unwrap_or(part), Unit::Ms).ok_or_else(refused)?;
        count += 1;
    }
    if count < 5 {
        return Err(refused());
    }
    let mut first_byte_ns = Some(0_u64);
    for span in &spans[..4] {
        first_byte_ns = match (first_byte_ns, span) {
            (Some(sum), Span::Ns(ns)) => sum.checked_add(*ns),
            _ => None,
        };
    }
    if !is_open {
        draft.part(spans[4]);
    }
    if let Some(ns) = first_byte_ns {
        draft.first_byte(ns);
    }
    match spans[4] {
        Span::Ns(ns) => Ok(i64::try_from(ns / 1000).unwrap_or(i64::MAX)),
        Span::Unknown => Ok(0),
    }
}

/// The accept date, in the zone that syslog's stamp tells.
fn put_stamp(line: &[u8], accept: &Accept, total_us: i64, draft: &mut Draft) -> Result<(), Rejection> {
    let value = &line[accept.date.clone()];
    let zone_s = draft.zone_s;
    let refused = || wrong("the accept date", "a time like 06/Feb/2009:12:14:14.655", value, accept.date.start);
    let mut stamp = stamp::clf(value, zone_s).ok_or_else(refused)?;
    let prefix = &line[..accept.client.start];
    if let Some(written) = prefix_stamp(prefix) {
        const QUARTER_US: i64 = 900 * S;
        let apart_us = stamp.us.saturating_add(total_us) - written.us;
        let zone_us = (apart_us + QUARTER_US / 2).div_euclid(QUARTER_US) * QUARTER_US;
        if zone_us.abs() <= 18 * 3600 * S {
            stamp = stamp::checked(stamp.us - zone_us, stamp.resolution_us).ok_or_else(refused)?;
        }
    }
    draft.stamp(Moment::Begin, stamp);
    Ok(())
}

/// Syslog's stamp with a zone, at the beginning of the line or behind `<priority>version`.
fn prefix_stamp(prefix: &[u8]) -> Option<Stamp> {
    let start = match prefix.first()? {
        b'<' => memchr::memchr(b'>', prefix)? + 1,
        _ => 0,
    };
    prefix[start..]
        .split(|&byte| byte == b' ')
        .take(2)
        .filter(|word| word.len() > 19 && matches!(word[word.len() - 6], b'+' | b'-') || word.ends_with(b"Z"))
        .find_map(|word| stamp::iso(word, 0))
}

/// A captured cookie, `name=value`, is a session when its name says so.
fn put_cookies(line: &[u8], cookies: [Range<usize>; 2], draft: &mut Draft) -> Result<(), Rejection> {
    for cookie in cookies {
        let value = &line[cookie.clone()];
        if let Some(equals) = memchr::memchr(b'=', value) {
            let rank = session_rank(&value[..equals]).unwrap_or(4);
            let at = cookie.start + equals + 1..cookie.end;
            put(line, draft, &Field::Session(rank), at, "a cookie")?;
        }
    }
    Ok(())
}

/// Captured headers come without names; what looks like an agent, a referer or a host is one.
fn put_headers(line: &[u8], at: Range<usize>, draft: &mut Draft) -> Result<(), Rejection> {
    let mut start = at.start;
    for part in line[at].split(|&byte| byte == b'|') {
        let here = start..start + part.len();
        start = here.end + 1;
        put(line, draft, &header(part), here, "a header")?;
    }
    Ok(())
}

/// What a captured header probably is.
fn header(value: &[u8]) -> Field {
    let has = |part: &[u8]| memchr::memmem::find(value, part).is_some();
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(byte);
    if value.starts_with(b"http://") || value.starts_with(b"https://") {
        Field::Referer
    } else if has(b"Mozilla/")
        || has(b"curl/")
        || has(b"/") && has(b".") && value.first().is_some_and(u8::is_ascii_alphabetic)
    {
        Field::UserAgent(UserAgentCoding::Plain)
    } else if value.iter().all(is_host)
        && value.iter().any(|byte| byte.is_ascii_alphabetic() || *byte == b':')
        && (has(b".") || value.starts_with(b"localhost"))
    {
        Field::Host
    } else {
        Field::Skip
    }
}

/// The request, in quotes; it is cut when the line would be too long, so the last quote may be missing.
fn put_request(line: &[u8], from: usize, draft: &mut Draft) -> Result<(), Rejection> {
    let Some(open) = memchr::memchr(b'"', &line[from..]) else {
        return Err(Rejection { reason: "no `\"request\"` at the end".to_owned(), at: from });
    };
    let start = from + open + 1;
    let length = memchr::memchr(b'"', &line[start..]).unwrap_or(line.len() - start);
    put(line, draft, &Field::Request, start..start + length, "the request")
}

/// Takes the value of `field`, which is called `name` where it is wrong.
fn put(line: &[u8], draft: &mut Draft, field: &Field, at: Range<usize>, name: &str) -> Result<(), Rejection> {
    let value = &line[at.clone()];
    let coding = if memchr::memchr(b'#', value).is_some() { Coding::Hash } else { Coding::Plain };
    draft.put(field, line, at.clone(), coding).map_err(|expected| wrong(name, expected, value, at.start))
}

#[cold]
fn wrong(name: &str, expected: Expected, value: &[u8], at: usize) -> Rejection {
    Rejection { reason: format!("{name} should be {expected}, found `{}`", excerpt(value)), at }
}
