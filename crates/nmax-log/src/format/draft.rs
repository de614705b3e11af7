//! The values of one line on their way to a record.

use std::ops::Range;

use super::field::{Agent, Field, Moment, session_rank};
use super::number::{self, Span, Unit, count};
use super::stamp::{self, S, Stamp};
use super::unescape;
use crate::record::Record;

/// A value that is not what its field should be: what it should be.
pub(super) type Expected = &'static str;

/// How the server changed bytes that would break its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// Not at all in this value.
    Plain,
    /// With backslashes.
    Backslash,
    /// `#hh`, as HAProxy does.
    Hash,
}

/// Where a text is: in the line, or unescaped in the scratch buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Text {
    /// First byte; the highest bit is set where it is in the scratch buffer.
    start: u32,
    bytes: u32,
}

/// The bit of [`Text::start`] of texts in the scratch buffer. Lines are far shorter.
const SCRATCH: u32 = 1 << 31;

impl Text {
    /// The text at `from` in the line.
    fn in_line(from: Range<usize>) -> Self {
        Self {
            start: place(from.start),
            bytes: place(from.len()),
        }
    }

    /// The text at `from` in the scratch buffer.
    fn in_scratch(from: Range<usize>) -> Self {
        Self {
            start: place(from.start) | SCRATCH,
            bytes: place(from.len()),
        }
    }

    fn is_scratch(self) -> bool {
        self.start & SCRATCH != 0
    }

    fn is_empty(self) -> bool {
        self.bytes == 0
    }

    /// Where it is in its buffer.
    fn range(self) -> Range<usize> {
        let start = (self.start & !SCRATCH) as usize;
        start..start + self.bytes as usize
    }
}

/// A sum of parts that is unknown as soon as one of them is.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    ns: u64,
    count: u32,
    is_unknown: bool,
}

/// Values of one line. It is used again for each line, so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    scratch: Vec<u8>,
    /// The last stamp of this form and its text: most lines have that of the line before.
    cache: Option<([u8; STAMP_BYTES], Stamp)>,
    /// Zone of stamps that name none, in seconds east of Greenwich.
    pub(super) zone_s: i32,
    /// Day of lines that have only a clock, in days since 1970.
    pub(super) day_of_file: Option<i64>,
    values: Values,
}

/// Bytes of `10/Oct/2000:13:55:36 -0700`.
const STAMP_BYTES: usize = 26;

#[derive(Clone, Copy, Debug, Default)]
struct Values {
    begin: Option<Stamp>,
    end: Option<Stamp>,
    fraction: Option<(i64, u32)>,
    day: Option<i64>,
    clock: Option<(i64, u32)>,
    duration_ns: Option<u64>,
    parts: Parts,
    first_byte_ns: Option<u64>,
    upstream_ns: Option<u64>,
    status: u16,
    body_bytes: Option<u64>,
    all_bytes: Option<u64>,
    method: Text,
    target: Text,
    path: Text,
    query: Text,
    client: Text,
    forwarded: Text,
    user: Text,
    agent: Text,
    referer: Text,
    host: Text,
    server: Text,
    session: Text,
    session_rank: u8,
}

impl Draft {
    /// A draft for stamps in a zone, in seconds east of Greenwich, where they name none.
    pub(super) fn in_zone(zone_s: i32) -> Self {
        Self {
            zone_s,
            ..Self::default()
        }
    }

    /// Forgets the line before.
    pub(super) fn clear(&mut self) {
        self.scratch.clear();
        self.values = Values {
            session_rank: u8::MAX,
            ..Values::default()
        };
    }

    /// Takes the value of `field`, which is `line[at]`, in a coding.
    pub(super) fn put(&mut self, field: &Field, line: &[u8], at: Range<usize>, coding: Coding) -> Result<(), Expected> {
        let value = &line[at.clone()];
        match field {
            Field::Skip => {}
            Field::Request => {
                let text = self.text(line, at, coding);
                self.request(line, text);
            }
            Field::Method => self.values.method = self.text(line, at, coding),
            Field::Target => self.values.target = self.text(line, at, coding),
            Field::UriArgs => {
                let has_query = memchr::memchr(b'?', value).is_some();
                let end = if has_query {
                    at.end
                } else {
                    at.start + value.strip_suffix(b"-").unwrap_or(value).len()
                };
                self.values.target = self.text(line, at.start..end, coding);
            }
            Field::Path => self.values.path = self.text(line, at, coding),
            Field::Query => self.values.query = self.text(line, at, coding),
            Field::MarkedQuery => {
                let start = at.start + usize::from(value.starts_with(b"?"));
                self.values.query = self.text(line, start..at.end, coding);
            }
            Field::User => self.values.user = self.text(line, at, coding),
            Field::Agent(written) => {
                let text = self.text(line, at, coding);
                self.values.agent = self.agent(line, text, *written);
            }
            Field::Referer => self.values.referer = self.text(line, at, coding),
            Field::Host => self.values.host = self.text(line, at, coding),
            Field::Server => self.values.server = self.text(line, at, coding),
            Field::Client => self.values.client = self.text(line, at, coding),
            Field::ClientPort => self.values.client = self.text(line, without_port(value, at), Coding::Plain),
            Field::Forwarded => {
                let text = self.text(line, first_of_list(value, at), Coding::Plain);
                if self.values.forwarded.is_empty() && self.bytes(line, text) != b"unknown" {
                    self.values.forwarded = text;
                }
            }
            Field::Cookies => {
                let text = self.text(line, at, coding);
                self.cookies(line, text);
            }
            Field::Session(rank) => {
                let text = self.text(line, at, coding);
                self.session(*rank, text);
            }
            Field::Status => self.values.status = status(value)?,
            Field::Body => self.values.body_bytes = bytes(value)?,
            Field::All => self.values.all_bytes = bytes(value)?,
            _ if field.is_stamp() || matches!(field, Field::Day | Field::Fraction(_)) => {
                self.put_stamp(field, value)?
            }
            _ => self.put_span(field, value)?,
        }
        Ok(())
    }

    /// Takes a value that tells when.
    fn put_stamp(&mut self, field: &Field, value: &[u8]) -> Result<(), Expected> {
        let (moment, stamp) = match field {
            Field::Clf(moment) => (
                *moment,
                self.clf(value).ok_or("a time like 10/Oct/2000:13:55:36 +0000")?,
            ),
            Field::Iso(moment) if value == b"-" && *moment == Moment::Begin => return Ok(()),
            Field::Iso(moment) => (
                *moment,
                stamp::iso(value, self.zone_s).ok_or("a time like 2000-10-10T13:55:36+00:00")?,
            ),
            Field::Epoch(moment, unit) => (
                *moment,
                stamp::epoch(value, *unit).ok_or("a time in numbers since 1970")?,
            ),
            Field::Pattern(moment, pattern) => {
                let (stamp, _) = pattern
                    .read(value, self.zone_s)
                    .ok_or("a time in the pattern of the format")?;
                (*moment, stamp)
            }
            Field::AnyStamp(moment) => (*moment, stamp::any(value, self.zone_s).ok_or("a time")?),
            Field::Day => {
                self.values.day = Some(
                    stamp::day(value, 0)
                        .filter(|_| value.len() == 10)
                        .ok_or("a day like 2000-10-31")?,
                );
                return Ok(());
            }
            Field::Fraction(digits) => {
                let digits_match = value.len() == *digits as usize;
                self.values.fraction = Some(
                    stamp::fraction_of(value)
                        .filter(|_| digits_match)
                        .ok_or("a fraction of a second")?,
                );
                return Ok(());
            }
            _ => {
                self.values.clock = Some(clock(value).ok_or("a time like 13:55:36")?);
                return Ok(());
            }
        };
        self.stamp(moment, stamp);
        Ok(())
    }

    /// Takes a stamp; the finer one of two of the same moment stays.
    pub(super) fn stamp(&mut self, moment: Moment, stamp: Stamp) {
        let place = match moment {
            Moment::Begin => &mut self.values.begin,
            Moment::End => &mut self.values.end,
        };
        if place.is_none_or(|had| had.resolution_us > stamp.resolution_us) {
            *place = Some(stamp);
        }
    }

    /// Takes a value that tells how long.
    fn put_span(&mut self, field: &Field, value: &[u8]) -> Result<(), Expected> {
        const WANTED: Expected = "a duration in numbers";
        match field {
            Field::Duration(unit) => set(&mut self.values.duration_ns, span(value, *unit)?),
            Field::DurationAuto => {
                let unit = if value.contains(&b'.') { Unit::S } else { Unit::Ms };
                set(&mut self.values.duration_ns, span(value, unit)?);
            }
            Field::Part(unit) => self.part(span(value, *unit)?),
            Field::UpstreamPart(unit) => {
                let span = span(value, *unit)?;
                self.part(span);
                set(&mut self.values.upstream_ns, span);
            }
            Field::FirstByte(unit) => set(
                &mut self.values.first_byte_ns,
                number::list(value, *unit).ok_or(WANTED)?,
            ),
            Field::Upstream(unit) => set(&mut self.values.upstream_ns, number::list(value, *unit).ok_or(WANTED)?),
            _ => {}
        }
        Ok(())
    }

    /// Takes a part of the duration.
    pub(super) fn part(&mut self, span: Span) {
        let parts = &mut self.values.parts;
        parts.count += 1;
        match span {
            Span::Ns(ns) => parts.ns = parts.ns.saturating_add(ns),
            Span::Unknown => parts.is_unknown = true,
        }
    }

    /// Takes the time to the first byte, in ns.
    pub(super) fn first_byte(&mut self, ns: u64) {
        self.values.first_byte_ns = Some(ns);
    }

    /// A stamp in the common form, from memory if it is that of the line before.
    fn clf(&mut self, value: &[u8]) -> Option<Stamp> {
        let key: Option<&[u8; STAMP_BYTES]> = value.try_into().ok();
        if let (Some((text, stamp)), Some(key)) = (&self.cache, key)
            && text == key
        {
            return Some(*stamp);
        }
        let stamp = stamp::clf(value, self.zone_s)?;
        if let Some(key) = key {
            self.cache = Some((*key, stamp));
        }
        Some(stamp)
    }

    /// The text `line[at]` without escapes; empty where the log has `-`.
    fn text(&mut self, line: &[u8], at: Range<usize>, coding: Coding) -> Text {
        let value = &line[at.clone()];
        if value == b"-" || value == b"\"\"" {
            return Text::default();
        }
        match coding {
            Coding::Plain => {}
            Coding::Backslash => return self.written(|out| unescape::backslashes(value, out)),
            Coding::Hash => return self.written(|out| unescape::hashes(value, out)),
        }
        Text::in_line(at)
    }

    /// The text that `write` appends to the scratch buffer.
    fn written(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Text {
        let start = self.scratch.len();
        write(&mut self.scratch);
        Text::in_scratch(start..self.scratch.len())
    }

    /// The bytes of a text.
    fn bytes<'a>(&'a self, line: &'a [u8], text: Text) -> &'a [u8] {
        let all = if text.is_scratch() { &self.scratch } else { line };
        &all[text.range()]
    }

    /// The part `at` of a text.
    fn part_of(text: Text, at: Range<usize>) -> Text {
        Text {
            start: text.start + place(at.start),
            bytes: place(at.len()),
        }
    }

    /// Splits a request line. What is no request, such as the first bytes of TLS, has neither method nor target.
    fn request(&mut self, line: &[u8], text: Text) {
        let request = self.bytes(line, text);
        let Some(blank) = memchr::memchr(b' ', request) else {
            return;
        };
        if blank == 0 || blank > METHOD_BYTES_MAX || !request[..blank].iter().all(|&byte| is_token(byte)) {
            return;
        }
        let end = match request {
            [.., b' ', b'H', b'T', b'T', b'P', b'/', _, b'.', _] => request.len() - 9,
            _ => match memchr::memrchr(b' ', request) {
                Some(last) if last > blank && request[last + 1..].starts_with(b"HTTP/") => last,
                _ => request.len(),
            },
        };
        // ALB writes `- http://host:80- -` for a request that it could not read.
        if end <= blank + 1 || &request[..blank] == b"-" {
            return;
        }
        self.values.method = Self::part_of(text, 0..blank);
        self.values.target = Self::part_of(text, blank + 1..end);
    }

    /// The user agent as it was sent.
    fn agent(&mut self, line: &[u8], text: Text, coding: Agent) -> Text {
        let mark = match coding {
            Agent::Plain => return text,
            Agent::Plus => b'+',
            Agent::Percent => b'%',
        };
        // What is coded this way is never escaped as well, so it is still in the line.
        if text.is_scratch() || memchr::memchr(mark, self.bytes(line, text)).is_none() {
            return text;
        }
        let value = &line[text.range()];
        self.written(|out| match coding {
            Agent::Percent => unescape::percents(value, out),
            _ => unescape::pluses(value, out),
        })
    }

    /// Finds the cookie that tells sessions apart best.
    fn cookies(&mut self, line: &[u8], text: Text) {
        let mut best = (u8::MAX, Text::default());
        let all = self.bytes(line, text);
        let mut from = 0;
        for end in memchr::memchr_iter(b';', all).chain([all.len()]) {
            let blanks = all[from..end]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'+'))
                .count();
            let start = from + blanks;
            if let Some(equals) = memchr::memchr(b'=', &all[start..end])
                && let Some(rank) = session_rank(&all[start..start + equals])
                && rank < best.0
            {
                best = (rank, Self::part_of(text, start + equals + 1..end));
            }
            from = end + 1;
        }
        self.session(best.0, best.1);
    }

    /// Takes the value of a session.
    fn session(&mut self, rank: u8, text: Text) {
        if rank < self.values.session_rank && !text.is_empty() {
            self.values.session = text;
            self.values.session_rank = rank;
        }
    }

    /// The host of an absolute URL, where no other value tells the host.
    fn host_of_target(&mut self, line: &[u8]) {
        let text = self.values.target;
        let target = self.bytes(line, text);
        if !self.values.host.is_empty() || target.first().is_none_or(|&first| first == b'/') {
            return;
        }
        let Some(colon) = memchr::memmem::find(&target[..target.len().min(16)], b"://") else {
            return;
        };
        let start = colon + 3;
        let length = target[start..].iter().take_while(|byte| !b"/?#".contains(byte)).count();
        self.values.host = Self::part_of(text, start..start + length);
    }

    /// Path and query as one target.
    fn join_target(&mut self, line: &[u8]) {
        let Values { path, query, .. } = self.values;
        if !self.values.target.is_empty() || path.is_empty() {
            return;
        }
        if query.is_empty() || memchr::memchr(b'?', self.bytes(line, path)).is_some() {
            self.values.target = path;
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let start = scratch.len();
        for (text, mark) in [(path, ""), (query, "?")] {
            let from = text.range();
            scratch.extend_from_slice(mark.as_bytes());
            if text.is_scratch() {
                scratch.extend_from_within(from);
            } else {
                scratch.extend_from_slice(&line[from]);
            }
        }
        self.values.target = Text::in_scratch(start..scratch.len());
        self.scratch = scratch;
    }

    /// The stamps, once all values are there.
    fn stamps(&mut self) {
        let values = &mut self.values;
        if let (Some(day), Some((clock_us, resolution_us))) = (values.day.or(self.day_of_file), values.clock) {
            let us = day * 86400 * S + clock_us - i64::from(self.zone_s) * S;
            if let Some(stamp) = stamp::checked(us, resolution_us) {
                self.stamp(Moment::End, stamp);
            }
        }
        let values = &mut self.values;
        if let Some((us, resolution_us)) = values.fraction {
            for stamp in [&mut values.begin, &mut values.end].into_iter().flatten() {
                if stamp.resolution_us == 1_000_000 {
                    *stamp = Stamp {
                        us: stamp.us + us,
                        resolution_us,
                    };
                }
            }
        }
    }

    /// How long the exchange took, in ns.
    fn duration_ns(&self) -> Option<u64> {
        let Values {
            duration_ns,
            parts,
            begin,
            end,
            ..
        } = self.values;
        if duration_ns.is_some() {
            return duration_ns;
        }
        if parts.count > 0 && !parts.is_unknown {
            return Some(parts.ns);
        }
        let (begin, end) = begin.zip(end)?;
        let is_fine = begin.resolution_us <= 1000 && end.resolution_us <= 1000;
        u64::try_from(end.us - begin.us)
            .ok()
            .filter(|_| is_fine)?
            .checked_mul(1000)
    }

    /// The record that the values are. The error says what is missing.
    pub(super) fn finish<'a>(&'a mut self, line: &'a [u8]) -> Result<Record<'a>, Expected> {
        self.stamps();
        self.join_target(line);
        self.host_of_target(line);
        let duration_us = self.duration_ns().map(|ns| ns / 1000);
        let this: &'a Self = self;
        let values = &this.values;
        let text = |text: Text| this.bytes(line, text);
        let or = |first: Text, second: Text| text(if first.is_empty() { second } else { first });
        let stamp = values.begin.or(values.end).ok_or("a time in it")?;
        let correction_us = if values.begin.is_some() { Some(0) } else { duration_us };
        let arrival_us = stamp.us.saturating_sub_unsigned(correction_us.unwrap_or(0));
        if arrival_us < 0 {
            return Err("an arrival after 1970");
        }
        Ok(Record {
            arrival_us,
            is_arrival: correction_us.is_some(),
            resolution_us: stamp.resolution_us,
            duration_us,
            upstream_us: values.first_byte_ns.or(values.upstream_ns).map(|ns| ns / 1000),
            method: text(values.method),
            target: text(values.target),
            status: values.status,
            bytes: values.body_bytes.or(values.all_bytes),
            client: or(values.forwarded, values.client),
            user: text(values.user),
            agent: text(values.agent),
            referer: text(values.referer),
            host: or(values.host, values.server),
            session: text(values.session),
        })
    }
}

/// Longest word that is taken for a method, in bytes.
pub(super) const METHOD_BYTES_MAX: usize = 32;

/// A byte of a method, as HTTP has it (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// A place in a line. Lines are far shorter than 2 GB, and so is what is unescaped from them.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(SCRATCH - 1)
}

/// Sets `place` unless the span is unknown.
fn set(place: &mut Option<u64>, span: Span) {
    if let Span::Ns(ns) = span {
        *place = Some(ns);
    }
}

fn span(value: &[u8], unit: Unit) -> Result<Span, Expected> {
    number::span(value, unit).ok_or("a duration in numbers")
}

/// A status code; 0 where the log does not know.
fn status(value: &[u8]) -> Result<u16, Expected> {
    if let &[a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] = value {
        return Ok(u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0'));
    }
    match value {
        b"-" | b"" | b"0" | b"000" | b"-1" => Ok(0),
        _ => Err("a status code from 100 to 999"),
    }
}

/// A count of bytes; `-` is none.
fn bytes(value: &[u8]) -> Result<Option<u64>, Expected> {
    match value {
        b"-" => Ok(Some(0)),
        b"" | b"-1" => Ok(None),
        _ => count(value).map(Some).ok_or("a count of bytes"),
    }
}

/// `13:55:36`, perhaps with a fraction: µs since midnight and resolution in µs.
fn clock(value: &[u8]) -> Option<(i64, u32)> {
    let us = stamp::clock(value, 0)?;
    let (below_us, resolution_us, length) = stamp::fraction(&value[8..])?;
    (8 + length == value.len()).then_some((us + below_us, resolution_us))
}

/// Where the address in `address:port` is; brackets of IPv6 are no part of it.
fn without_port(value: &[u8], at: Range<usize>) -> Range<usize> {
    if value.first() == Some(&b'[')
        && let Some(end) = memchr::memchr(b']', value)
    {
        return at.start + 1..at.start + end;
    }
    match memchr::memrchr(b':', value) {
        Some(colon) => at.start..at.start + colon,
        None => at,
    }
}

/// Where the first address of a list is.
fn first_of_list(value: &[u8], at: Range<usize>) -> Range<usize> {
    let length = memchr::memchr(b',', value).unwrap_or(value.len());
    at.start..at.start + value[..length].trim_ascii_end().len()
}
