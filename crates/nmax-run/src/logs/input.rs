//! One log: plain or gzip, from its beginning.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use nmax_log::format::Reader;

use super::{LogError, first_stamp};

/// Bytes by which the format is found.
const SAMPLE_BYTES: u64 = 1 << 20;
/// Samples that are passed over when a line goes on through them.
const SAMPLES_MAX: usize = 64;
/// Lines by which it is found.
const SAMPLE_LINES: usize = 1_000;
/// How a gzip file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A log that can be read.
pub(super) struct Input {
    /// What messages call it.
    pub(super) name: String,
    /// Where it is; `None` is standard input.
    pub(super) path: Option<PathBuf>,
    /// What its lines mean.
    pub(super) reader: Reader,
    /// Stamp of its first request.
    pub(super) first_us: Option<i64>,
    /// What was read of standard input to find the format.
    begun: Vec<u8>,
}

impl Input {
    /// Opens a log and finds its format; `None` when it is empty.
    pub(super) fn open(file: &Path, named: Option<&Reader>, zone_s: i32) -> Result<Option<Self>, LogError> {
        let is_stdin = file == Path::new("-");
        let name = if is_stdin { "standard input".to_owned() } else { file.display().to_string() };
        let failed = |error: io::Error| {
            LogError(format!(
                "{name}: cannot read the log: {error}\n  help: give the path of an access log, plain or gzip"
            ))
        };
        if !is_stdin && file.is_dir() {
            return Err(LogError(format!("{name}: is a folder\n  help: name the logs in it")));
        }
        let mut sample = Vec::new();
        let mut begun = Vec::new();
        if is_stdin {
            io::stdin().lock().take(SAMPLE_BYTES).read_to_end(&mut begun).map_err(failed)?;
            // A packed stream that was cut here ends with an error; what came before is the sample.
            let _ = unpacked(Cursor::new(begun.clone())).and_then(|mut text| text.read_to_end(&mut sample));
        } else {
            let mut text = unpacked(File::open(file).map_err(failed)?).map_err(failed)?;
            let read = text.by_ref().take(SAMPLE_BYTES).read_to_end(&mut sample);
            if sample.is_empty() {
                read.map_err(failed)?;
            }
            let is_one_line = |sample: &[u8]| !sample.contains(&b'\n') && sample.len() as u64 >= SAMPLE_BYTES;
            for _ in 0..SAMPLES_MAX {
                if !is_one_line(&sample) {
                    break;
                }
                // A line too long to be read tells no format; those behind it may.
                let mut next = Vec::new();
                let _ = text.by_ref().take(SAMPLE_BYTES).read_to_end(&mut next);
                let Some(end) = next.iter().position(|byte| *byte == b'\n') else {
                    if (next.len() as u64) < SAMPLE_BYTES {
                        break;
                    }
                    continue;
                };
                if next[end + 1..].iter().all(u8::is_ascii_whitespace) {
                    break;
                }
                sample = next.split_off(end + 1);
                let _ = text.by_ref().take(SAMPLE_BYTES).read_to_end(&mut sample);
            }
        }
        let mut lines: Vec<&[u8]> = sample.split(|byte| *byte == b'\n').collect();
        if lines.len() > 1 {
            lines.pop(); // It has no end yet, or is none.
        }
        let lines: Vec<&[u8]> =
            lines.into_iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line)).take(SAMPLE_LINES).collect();
        if lines.iter().all(|line| line.trim_ascii().is_empty()) {
            return Ok(None);
        }
        let mut reader = match named {
            Some(reader) => reader.clone(),
            None => Reader::detect(&lines).map_err(|error| LogError(format!("{name}: {error}")))?,
        };
        reader.set_zone(zone_s);
        let first_us = first_stamp(&mut reader.clone(), &lines);
        Ok(Some(Self { name, path: (!is_stdin).then(|| file.to_owned()), reader, first_us, begun }))
    }

    /// Its text from the beginning, unpacked. Standard input can be read once.
    pub(super) fn text(&mut self) -> io::Result<Box<dyn Read + Send>> {
        match &self.path {
            Some(path) => unpacked(File::open(path)?),
            None => unpacked(Cursor::new(std::mem::take(&mut self.begun)).chain(io::stdin())),
        }
    }
}

/// The text of a stream, which may be packed.
fn unpacked(mut stream: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut start = Vec::with_capacity(GZIP.len());
    stream.by_ref().take(GZIP.len() as u64).read_to_end(&mut start)?;
    let is_gzip = start == GZIP;
    let whole = Cursor::new(start).chain(stream);
    if is_gzip {
        Ok(Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole))))
    } else {
        Ok(Box::new(whole))
    }
}
