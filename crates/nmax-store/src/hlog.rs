//! `latency.hlog`: a standard HdrHistogram interval log, V2 with deflate, values in ns, one line per histogram.

use std::io::{Cursor, Read as _};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram as Hdr;
#[cfg(test)]
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};
use nmax_metrics::{Histogram, Window};

use crate::tag;

pub(crate) const FILE: &str = "latency.hlog";
/// Most base64 characters of one histogram: ten times the largest one with these bounds.
const ENCODED_CHARS_MAX: usize = 4 << 20;

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
    let mut serializer = V2DeflateSerializer::new();
    let mut writer =
        IntervalLogWriterBuilder::new().begin_log_with(bytes, &mut serializer).expect("a vector takes all bytes");
    let start = Duration::from(window.start());
    let width = Duration::from(window.width);
    tag::visit(&window.aggregate, |tag, histogram| {
        let tag = Tag::new(tag).expect("tags have neither commas nor blanks");
        writer.write_histogram(&histogram.to_hdr(), start, width, Some(tag))
    })
    .expect("a histogram with the standard bounds can be serialized into a vector");
}

/// Tag and histogram of one line, without its line end; `Ok(None)` for comments and the legend.
pub(crate) fn decode(line: &str) -> Result<Option<(&str, Histogram)>, String> {
    if line.starts_with(['#', '"']) {
        return Ok(None);
    }
    let (tag, encoded) = fields(line).ok_or("not a tagged line of an interval log")?;
    if encoded.len() > ENCODED_CHARS_MAX {
        return Err("the histogram is too large".to_owned());
    }
    let bytes = STANDARD.decode(encoded).map_err(|error| format!("not base64: {error}"))?;
    let hdr: Hdr<u64> = Deserializer::new()
        .deserialize(&mut Cursor::new(bytes).take(ENCODED_CHARS_MAX as u64))
        .map_err(|error| format!("not a V2 histogram: {error}"))?;
    Ok(Some((tag, Histogram::from_hdr(&hdr))))
}

/// `Tag=<tag>,<start>,<width>,<max>,<histogram>`
fn fields(line: &str) -> Option<(&str, &str)> {
    let (tag, rest) = line.strip_prefix("Tag=")?.split_once(',')?;
    let mut figures = rest.splitn(4, ',');
    let are_numbers = figures.by_ref().take(3).all(|figure| figure.parse::<f64>().is_ok());
    let encoded = figures.next()?;
    are_numbers.then_some((tag, encoded))
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
        fn the_standard_reader_reads_it(window in testing::window(3)) {
            let mut bytes = header(SystemTime::UNIX_EPOCH);
            encode(&window, &mut bytes);
            let mut read = standard_reader(&bytes).into_iter();
            tag::visit::<TestCaseError>(&window.aggregate, |tag, histogram| {
                let (found, hdr) = read.next().unwrap();
                prop_assert_eq!(&found, tag);
                prop_assert_eq!((hdr.low(), hdr.high(), hdr.sigfig()), (1_000, 3_600_000_000_000, 3));
                prop_assert_eq!(hdr.len(), histogram.count());
                prop_assert!(Histogram::from_hdr(&hdr).recorded().eq(histogram.recorded()));
                Ok(())
            })?;
            prop_assert!(read.next().is_none());
        }

        /// No line makes it panic.
        #[test]
        fn strange_lines_are_refused(line in "(Tag=r0.ok.resp,)?[0-9.]{0,4},1.0,2.0,[A-Za-z0-9+/=]{0,60}") {
            prop_assert!(decode(&line).is_err());
        }
    }

    #[test]
    fn comments_and_the_legend_are_skipped() {
        let bytes = header(SystemTime::UNIX_EPOCH + Duration::from_millis(1_500));
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("#[StartTime: 1.500 (seconds since epoch)]\n"), "{text}");
        assert!(text.lines().all(|line| decode(line).unwrap().is_none()));
    }
}
