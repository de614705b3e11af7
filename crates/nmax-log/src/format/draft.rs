//! The values of one line on their way to a record.
//!
//! # Layout
//! - this file: values are taken, and become a record
//! - `value`: single values; `text`: those that are texts; `joined`: what several of them say together

mod joined;
mod text;
mod value;

use std::ops::Range;

use self::text::Text;
use self::value::{bytes, clock, first_of_list, set, span, status, without_port};
use super::field::{Field, Moment};
use super::number::{self, Span, Unit};
use super::stamp::{self, Stamp};
use crate::record::Record;

/// A value that is not what its field should be: what it should be.
pub(super) type Expected = &'static str;

/// Longest word that is taken for a method, in bytes.
pub(super) const METHOD_BYTES_MAX: usize = 32;

/// How the server changed bytes that would break its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// Not at all in this value.
    Plain,
    /// With backslashes.
    Backslash,
    /// Quotes are doubled.
    Doubled,
    /// `#hh`, as HAProxy does.
    Hash,
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
    /// Day of lines that have only a clock, in days since 1970, and the clock of the last of them, in µs since midnight.
    day_of_file: Option<(i64, i64)>,
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
        Self { zone_s, ..Self::default() }
    }

    /// Lines that have only a clock are of `day`, in days since 1970, until their clock begins anew.
    pub(super) fn begin_day(&mut self, day: Option<i64>) {
        self.day_of_file = day.map(|day| (day, 0));
    }

    /// Forgets the line before.
    pub(super) fn clear(&mut self) {
        self.scratch.clear();
        self.values = Values { session_rank: u8::MAX, ..Values::default() };
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
                let end = if has_query { at.end } else { at.start + value.strip_suffix(b"-").unwrap_or(value).len() };
                self.values.target = self.text(line, at.start..end, coding);
            }
            Field::Path => self.values.path = self.text(line, at, coding),
            Field::Query => self.values.query = self.text(line, at, coding),
            Field::MarkedQuery => {
                let start = at.start + usize::from(value.starts_with(b"?"));
                self.values.query = self.text(line, start..at.end, coding);
            }
            Field::User => self.values.user = self.text(line, at, coding),
            Field::UserAgent(written) => {
                let text = self.text(line, at, coding);
                self.values.agent = self.agent(line, text, *written);
            }
            Field::Referer => self.values.referer = self.text(line, at, coding),
            Field::Host => self.values.host = self.text(line, at, coding),
            Field::Server => self.values.server = self.text(line, at, coding),
            Field::Client => {
                let at = first_of_list(value, at);
                if memchr::memchr(b' ', &line[at.clone()]).is_some() {
                    return Err("an address");
                }
                self.values.client = self.text(line, at, coding);
            }
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
            Field::Clf(moment) => {
                let stamp = self.clf(value).or_else(|| stamp::any(value, self.zone_s));
                (*moment, stamp.ok_or("a time like 10/Oct/2000:13:55:36 +0000")?)
            }
            Field::Iso(moment) if value == b"-" && *moment == Moment::Begin => return Ok(()),
            Field::Iso(moment) => {
                (*moment, stamp::iso(value, self.zone_s).ok_or("a time like 2000-10-10T13:55:36+00:00")?)
            }
            Field::Epoch(moment, unit) => (*moment, stamp::epoch(value, *unit).ok_or("a time in numbers since 1970")?),
            Field::Pattern(moment, pattern) => {
                let (stamp, _) = pattern.read(value, self.zone_s).ok_or("a time in the pattern of the format")?;
                (*moment, stamp)
            }
            Field::AnyStamp(moment) => (*moment, stamp::any(value, self.zone_s).ok_or("a time")?),
            Field::Day => {
                self.values.day =
                    Some(stamp::day(value, 0).filter(|_| value.len() == 10).ok_or("a day like 2000-10-31")?);
                return Ok(());
            }
            Field::Fraction(digits) => {
                let digits_match = value.len() == *digits as usize;
                self.values.fraction =
                    Some(stamp::fraction_of(value).filter(|_| digits_match).ok_or("a fraction of a second")?);
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
            Field::FirstByte(unit) => set(&mut self.values.first_byte_ns, number::list(value, *unit).ok_or(WANTED)?),
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
