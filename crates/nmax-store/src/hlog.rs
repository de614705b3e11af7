//! `latency.hlog`: a standard HdrHistogram interval log, V2 with deflate, values in ns, one line per histogram.

use std::io::{Cursor, Read as _, Write};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
#[cfg(test)]
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::{
    Deserializer, Serializer, V2DeflateSerializeError, V2DeflateSerializer, V2Serializer,
};
use hdrhistogram::{Counter, Histogram as Hdr};
use nmax_metrics::histogram::{DIGITS, HIGHEST_NS, LOWEST_NS};
use nmax_metrics::{Histogram, Window};

use crate::tag;

pub(crate) const FILE: &str = "latency.hlog";
/// Most base64 characters of one histogram: ten times the largest one with these bounds.
const ENCODED_CHARS_MAX: usize = 4 << 20;
/// Bytes of counts up to which they are stored rather than packed.
const STORED_BYTES_MAX: usize = 2 << 10;
/// Bytes of most histograms.
const BYTES_USUAL: usize = 4 << 10;
/// Bytes before the counts.
const HEAD_BYTES: usize = 40;
/// First bytes of counts.
const COOKIE: u32 = 0x1c84_9313;
/// First bytes of packed counts.
const COOKIE_PACKED: u32 = 0x1c84_9314;

/// The first lines of the file: format, units, bounds and the start of the run.
pub(crate) fn header(started_at: SystemTime) -> Vec<u8> {
    let mut bytes = Vec::new();
    IntervalLogWriterBuilder::new()
        .add_comment("[Histogram log format version 1.3]")
        .add_comment("nmax: values in ns, lowest 1000, highest 3600000000000, 3 digits; names of tags in names.json")
        .with_start_time(started_at)
        .begin_log_with(&mut bytes, &mut V2DeflateSerializer::new())
        .expect("a vector takes all bytes");
    bytes.extend_from_slice(
        b"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
    );
    bytes
}

/// Appends one line per histogram of `window` that is not empty, in the order of [`tag::visit`].
pub(crate) fn encode(window: &Window, bytes: &mut Vec<u8>) {
    encode_by(&mut V2DeflateSerializer::new(), window, bytes);
}

/// The same, in lines that are a third longer and read in half the time.
pub(crate) fn encode_for_speed(window: &Window, bytes: &mut Vec<u8>) {
    encode_by(&mut StoredSerializer::default(), window, bytes);
}

/// Histograms of which small ones are stored in a block of their own kind of deflate: to unpack them takes longer than to read
/// them.
#[derive(Default)]
struct StoredSerializer {
    counts: Vec<u8>,
}

impl Serializer for StoredSerializer {
    type SerializeError = V2DeflateSerializeError;

    fn serialize<T: Counter, W: Write>(&mut self, hdr: &Hdr<T>, writer: &mut W) -> Result<usize, Self::SerializeError> {
        self.counts.clear();
        V2Serializer::new()
            .serialize(hdr, &mut self.counts)
            .map_err(V2DeflateSerializeError::InternalSerializationError)?;
        if self.counts.len() > STORED_BYTES_MAX {
            return V2DeflateSerializer::new().serialize(hdr, writer);
        }
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::none());
        packed.write_all(&self.counts)?;
        let packed = packed.finish()?;
        writer.write_all(&COOKIE_PACKED.to_be_bytes())?;
        writer.write_all(&(packed.len() as u32).to_be_bytes())?;
        writer.write_all(&packed)?;
        Ok(8 + packed.len())
    }
}

fn encode_by<S: Serializer>(serializer: &mut S, window: &Window, bytes: &mut Vec<u8>) {
    let mut writer =
        IntervalLogWriterBuilder::new().begin_log_with(bytes, serializer).expect("a vector takes all bytes");
    let start = Duration::from(window.start());
    let width = Duration::from(window.width);
    tag::visit(&window.aggregate, |tag, histogram| {
        let tag = Tag::new(tag).expect("tags have neither commas nor blanks");
        writer.write_histogram(&histogram.to_hdr(), start, width, Some(tag))
    })
    .unwrap_or_else(|_| unreachable!("a histogram with the standard bounds can be serialized into a vector"));
}

/// A line that is one of a histogram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) tag: &'a str,
    /// When its window begins, ms, rounded down.
    pub(crate) start_ms: u64,
    encoded: &'a str,
}

/// What a line without its end says; `Ok(None)` for comments and the legend.
pub(crate) fn entry(line: &str) -> Result<Option<Entry<'_>>, String> {
    if line.starts_with(['#', '"']) {
        return Ok(None);
    }
    let entry = fields(line).ok_or("not a tagged line of an interval log")?;
    if entry.encoded.len() > ENCODED_CHARS_MAX {
        return Err("the histogram is too large".to_owned());
    }
    Ok(Some(entry))
}

/// `Tag=<tag>,<start>,<width>,<max>,<histogram>`
fn fields(line: &str) -> Option<Entry<'_>> {
    let (tag, rest) = line.strip_prefix("Tag=")?.split_once(',')?;
    let mut figures = rest.splitn(4, ',');
    let mut number = || figures.next()?.parse::<f64>().ok();
    let (start_s, _, _) = (number()?, number()?, number()?);
    Some(Entry { tag, start_ms: (start_s * 1e3).round() as u64, encoded: figures.next()? })
}

/// Reads histograms, and keeps its buffers.
pub(crate) struct Decoder {
    inflate: Decompress,
    packed: Vec<u8>,
    bytes: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { inflate: Decompress::new(true), packed: Vec::new(), bytes: Vec::new() }
    }
}

impl Decoder {
    /// The histogram of a line; what is known exactly is in `windows.jsonl`.
    pub(crate) fn histogram(&mut self, entry: Entry<'_>) -> Result<Histogram, String> {
        self.packed.clear();
        STANDARD.decode_vec(entry.encoded, &mut self.packed).map_err(|error| format!("not base64: {error}"))?;
        if let Some(histogram) = self.standard() {
            return Ok(histogram);
        }
        let hdr: Hdr<u64> = Deserializer::new()
            .deserialize(&mut Cursor::new(&self.packed).take(ENCODED_CHARS_MAX as u64))
            .map_err(|error| format!("not a V2 histogram: {error}"))?;
        Ok(Histogram::from_hdr(&hdr))
    }

    /// A histogram with the standard bounds, whose counts go to their buckets without one of all 24,000 in between; `None`
    /// for anything else.
    ///
    /// ```text
    /// cookie, length, 0: u32; digits: u32; lowest, highest: u64; 1.0: f64; then counts as zigzag LEB128, −n for n empty buckets
    /// ```
    ///
    /// Source: `V2EncodingCookieBase` of HdrHistogram, in big endian. Oracle: `the_standard_reader_reads_it`.
    fn standard(&mut self) -> Option<Histogram> {
        let (cookie, packed) = (self.packed.get(..4)?, self.packed.get(8..)?);
        if cookie != COOKIE_PACKED.to_be_bytes() {
            return None;
        }
        // One block that is stored as it is: how long it is, that again inverted, the block, and a checksum.
        if let [_, _, 1, low, high, _, _, rest @ ..] = packed {
            return counted(rest.get(..usize::from(u16::from_le_bytes([*low, *high])))?);
        }
        self.inflate.reset(true);
        self.bytes.clear();
        let mut status = Status::Ok;
        while status != Status::StreamEnd {
            if self.bytes.len() > ENCODED_CHARS_MAX {
                return None;
            }
            self.bytes.reserve(BYTES_USUAL);
            let before = self.inflate.total_out();
            let rest = packed.get(self.inflate.total_in() as usize..)?;
            status = self.inflate.decompress_vec(rest, &mut self.bytes, FlushDecompress::None).ok()?;
            if status == Status::BufError && self.inflate.total_out() == before {
                return None;
            }
        }
        counted(&self.bytes)
    }
}

/// The histogram of these bytes.
fn counted(bytes: &[u8]) -> Option<Histogram> {
    let (head, mut counts) = bytes.split_at_checked(HEAD_BYTES)?;
    if head[..4] != COOKIE.to_be_bytes() || head[8..] != standard_head() {
        return None;
    }
    let mut histogram = Histogram::new();
    let mut index = 0_usize;
    while !counts.is_empty() {
        let number = varint(&mut counts)?;
        let count = (number >> 1) as i64 ^ -((number & 1) as i64);
        match u64::try_from(count) {
            Ok(count) => {
                if count > 0 && !histogram.add_at(index, count) {
                    return None;
                }
                index += 1;
            }
            Err(_) => index = index.checked_add(usize::try_from(count.unsigned_abs()).ok()?)?,
        }
    }
    Some(histogram)
}

/// What follows cookie and length in the head of a histogram with the standard bounds.
fn standard_head() -> [u8; HEAD_BYTES - 8] {
    let mut head = [0; HEAD_BYTES - 8];
    head[7] = DIGITS;
    head[8..16].copy_from_slice(&LOWEST_NS.to_be_bytes());
    head[16..24].copy_from_slice(&HIGHEST_NS.to_be_bytes());
    head[24..].copy_from_slice(&1.0_f64.to_be_bytes());
    head
}

/// A number in seven bits a byte, of which a ninth has eight.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if place == 8 || byte & 0x80 == 0 {
            return Some(number | u64::from(*byte) << (7 * place));
        }
        number |= u64::from(byte & 0x7f) << (7 * place);
    }
    None
}

/// The intervals that the standard reader finds in a whole file: tag and histogram.
#[cfg(test)]
pub(crate) fn standard_reader(bytes: &[u8]) -> Vec<(String, Hdr<u64>)> {
    IntervalLogIterator::new(bytes)
        .filter_map(|entry| match entry.unwrap() {
            LogEntry::Interval(interval) => {
                let bytes = STANDARD.decode(interval.encoded_histogram()).unwrap();
                let hdr = Deserializer::new().deserialize(&mut Cursor::new(bytes)).unwrap();
                Some((interval.tag().unwrap().as_str().to_owned(), hdr))
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// The standard reader, an independent one, sees every histogram under its tag with the standard bounds.
        #[test]
        fn the_standard_reader_reads_it(window in testing::window(3), is_for_speed in any::<bool>()) {
            let mut bytes = header(SystemTime::UNIX_EPOCH);
            match is_for_speed {
                true => encode_for_speed(&window, &mut bytes),
                false => encode(&window, &mut bytes),
            }
            let mut read = standard_reader(&bytes).into_iter();
            let text = String::from_utf8(bytes).unwrap();
            let mut own = text.lines().filter_map(|line| entry(line).unwrap());
            let mut decoder = Decoder::default();
            tag::visit::<TestCaseError>(&window.aggregate, |tag, histogram| {
                let (found, hdr) = read.next().unwrap();
                prop_assert_eq!(&found, tag);
                prop_assert_eq!((hdr.low(), hdr.high(), hdr.sigfig()), (1_000, 3_600_000_000_000, 3));
                prop_assert_eq!(hdr.len(), histogram.count());
                prop_assert!(Histogram::from_hdr(&hdr).recorded().eq(histogram.recorded()));
                let own = own.next().unwrap();
                prop_assert_eq!((own.tag, own.start_ms), (tag, 3_000));
                prop_assert!(decoder.histogram(own).unwrap().recorded().eq(histogram.recorded()));
                prop_assert!(decoder.standard().is_some(), "what nmax writes needs no detour");
                Ok(())
            })?;
            prop_assert!(read.next().is_none());
        }

        /// No line makes it panic.
        #[test]
        fn strange_lines_are_refused(line in "(Tag=r0.ok.resp,)?[0-9.]{0,4},1.0,2.0,[A-Za-z0-9+/=]{0,60}") {
            let read = entry(&line).and_then(|entry| entry.map(|entry| Decoder::default().histogram(entry)).transpose());
            prop_assert!(read.is_err());
        }
    }

    #[test]
    fn comments_and_the_legend_are_skipped() {
        let bytes = header(SystemTime::UNIX_EPOCH + Duration::from_millis(1_500));
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("#[StartTime: 1.500 (seconds since epoch)]\n"), "{text}");
        assert!(text.lines().all(|line| entry(line).unwrap().is_none()));
    }
}
