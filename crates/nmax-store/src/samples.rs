//! Raw exchanges as `samples-NNNN.parquet`: closed segments, each a whole file of its own.
//!
//! The open segment is a `.tmp` file, written in groups of rows; a kill loses at most this segment. Memory holds one
//! group. Columns are described in `docs/reference/run-directory.md`.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use nmax_metrics::{Catalog, Nanos, RawSample, RequestStats, Sample};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::records::outcome_names;
use crate::{StoreError, files};

mod read;

pub use crate::segments::{SegmentFiles, segments};
pub use read::{NO_TEXT, SampleFile, SampleWriter, UNKNOWN};

/// Most rows of a segment.
pub const SEGMENT_ROWS_MAX: usize = 1_000_000;
/// Longest span of a segment.
pub const SEGMENT_SPAN_MAX: Nanos = Nanos::from_secs(60);
/// Rows written at once: 8 MB of memory.
const GROUP_ROWS: usize = 50_000;

/// The columns, in order. Instants are ns since the start of the run.
static SCHEMA: LazyLock<String> = LazyLock::new(|| {
    let need = |name| if FIRST_SUMS.contains(&name) { "required" } else { "optional" };
    let sums = RequestStats::sums().map(|sum| format!("    {} int64 {};\n", need(sum.name), sum.name));
    let sums: String = sums.collect();
    format!("{COLUMNS}{sums}    required binary why (UTF8);\n    optional binary code (UTF8);\n}}")
});

/// Those before the sums over exchanges.
const COLUMNS: &str = "message sample {
    required int32 request_id;
    required binary request (UTF8);
    required binary scenario (UTF8);
    required int32 worker;
    required int64 vu;
    required int64 iteration;
    required binary outcome (UTF8);
    optional binary error_kind (UTF8);
    optional int32 status;
    required int64 intended_ns;
    optional int64 sent_ns;
    optional int64 first_byte_ns;
    required int64 done_ns;
    required int64 dns_ns;
    required int64 connect_ns;
    required int64 tls_ns;
    required int64 send_ns;
    required int64 slot_wait_ns;
";

/// Sums over exchanges that all files have. One that is new is optional, since files of before lack it.
const FIRST_SUMS: [&str; 3] = ["bytes_received", "bytes_sent", "bytes_decoded"];

/// Names of the columns, in order.
#[cfg(test)]
pub(crate) fn column_names() -> impl Iterator<Item = &'static str> {
    SCHEMA.lines().filter_map(|line| line.trim().strip_suffix(';')?.split(' ').nth(2))
}

/// The segments of a run.
pub(crate) struct Segments {
    directory: PathBuf,
    sizes: Sizes,
    closed: usize,
    open: Option<Segment>,
    rows: Vec<RawSample>,
    requests: Vec<ByteArray>,
    scenarios: Vec<ByteArray>,
}

/// When rows are written and when a segment is full.
#[derive(Clone, Copy)]
struct Sizes {
    segment_rows: usize,
    group_rows: usize,
}

/// The open segment.
struct Segment {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
    rows: usize,
    first_done: Nanos,
}

impl Segments {
    pub(crate) fn new(directory: &Path) -> Self {
        Self::with_sizes(directory, Sizes { segment_rows: SEGMENT_ROWS_MAX, group_rows: GROUP_ROWS })
    }

    fn with_sizes(directory: &Path, sizes: Sizes) -> Self {
        Self {
            directory: directory.to_owned(),
            sizes,
            closed: 0,
            open: None,
            rows: Vec::new(),
            requests: Vec::new(),
            scenarios: Vec::new(),
        }
    }

    /// Adds rows, closing segments that are full. Sends nothing to the disk until a group is full.
    pub(crate) fn add(&mut self, samples: &[RawSample], catalog: &Catalog) -> Result<(), StoreError> {
        self.learn(catalog);
        for raw in samples {
            self.check_names(&raw.sample)?;
            self.close_when_due(raw.sample.done)?;
            let segment = match &mut self.open {
                Some(segment) => segment,
                None => self.open.insert(Segment::create(&self.directory, self.closed, raw.sample.done)?),
            };
            segment.rows += 1;
            let is_full = segment.rows >= self.sizes.segment_rows;
            self.rows.push(*raw);
            if is_full {
                self.close()?;
            } else if self.rows.len() >= self.sizes.group_rows {
                self.write_group()?;
            }
        }
        Ok(())
    }

    /// Closes the segment when it spans its longest time at `now`.
    pub(crate) fn close_when_due(&mut self, now: Nanos) -> Result<(), StoreError> {
        let is_due = |segment: &Segment| now.since(segment.first_done) >= SEGMENT_SPAN_MAX;
        if self.open.as_ref().is_some_and(is_due) { self.close() } else { Ok(()) }
    }

    /// Closes the open segment: writes what is left and gives the file its name.
    pub(crate) fn close(&mut self) -> Result<(), StoreError> {
        self.write_group()?;
        let Some(segment) = self.open.take() else { return Ok(()) };
        self.closed += 1;
        published(&segment.path, segment.writer)
    }

    /// Writes the rows in memory as one group. On an error the segment is given up.
    fn write_group(&mut self) -> Result<(), StoreError> {
        let Some(segment) = &mut self.open else { return Ok(()) };
        let written = write_rows(&mut segment.writer, &self.rows, &self.requests, &self.scenarios);
        self.rows.clear();
        if let Err(error) = written {
            let error = failed(&segment.path, error);
            self.closed += 1;
            self.open = None;
            return Err(error);
        }
        Ok(())
    }

    fn learn(&mut self, catalog: &Catalog) {
        let bytes = |name: &String| ByteArray::from(name.as_str());
        let names = catalog.requests.list();
        self.requests.extend(names.get(self.requests.len()..).unwrap_or_default().iter().map(bytes));
        self.scenarios.extend(catalog.scenarios.get(self.scenarios.len()..).unwrap_or_default().iter().map(bytes));
    }

    fn check_names(&self, sample: &Sample) -> Result<(), StoreError> {
        let (request, scenario) = (sample.name.0 as usize, usize::from(sample.scenario));
        if request >= self.requests.len() {
            return Err(StoreError::Unnamed { what: "request", id: request });
        }
        if scenario >= self.scenarios.len() {
            return Err(StoreError::Unnamed { what: "scenario", id: scenario });
        }
        Ok(())
    }
}

impl Segment {
    fn create(directory: &Path, number: usize, first_done: Nanos) -> Result<Self, StoreError> {
        let path = directory.join(format!("samples-{number:04}.parquet"));
        let temporary = files::temporary_of(&path);
        let file = File::create_new(&temporary).map_err(StoreError::io("create", &temporary))?;
        Ok(Self { writer: create(&path, file)?, path, rows: 0, first_done })
    }
}

/// A writer of these columns into `file`, which will be `path`.
fn create(path: &Path, file: File) -> Result<SerializedFileWriter<File>, StoreError> {
    let schema = Arc::new(parse_message_type(&SCHEMA).expect("the schema above is valid"));
    let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    SerializedFileWriter::new(file, schema, properties).map_err(|error| failed(path, error))
}

/// Ends a file and gives it its name.
fn published(path: &Path, writer: SerializedFileWriter<File>) -> Result<(), StoreError> {
    let temporary = files::temporary_of(path);
    let file = writer.into_inner().map_err(|error| failed(path, error))?;
    if temporary != path {
        file.sync_all().map_err(StoreError::io("sync", &temporary))?;
    }
    files::publish(&temporary, path)
}

/// Writes `rows` as one group, column by column in the order of [`SCHEMA`].
fn write_rows(
    writer: &mut SerializedFileWriter<File>,
    rows: &[RawSample],
    requests: &[ByteArray],
    scenarios: &[ByteArray],
) -> Result<(), ParquetError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut group = writer.next_row_group()?;
    let mut columns = Columns { group: &mut group, rows };
    columns.required::<Int32Type>(|row| narrow(row.sample.name.0))?;
    columns.required::<ByteArrayType>(|row| requests[row.sample.name.0 as usize].clone())?;
    columns.required::<ByteArrayType>(|row| scenarios[usize::from(row.sample.scenario)].clone())?;
    columns.required::<Int32Type>(|row| narrow(row.worker))?;
    columns.required::<Int64Type>(|row| i64::from(row.vu))?;
    columns.required::<Int64Type>(|row| signed(row.iteration))?;
    columns.required::<ByteArrayType>(|row| text(outcome_names(row.sample.outcome).0))?;
    columns.optional::<ByteArrayType>(|row| outcome_names(row.sample.outcome).1.map(text))?;
    columns.optional::<Int32Type>(|row| Some(i32::from(row.sample.status?.number()?)))?;
    columns.required::<Int64Type>(|row| signed(row.sample.intended.0))?;
    columns.optional::<Int64Type>(|row| row.sample.sent.map(|at| signed(at.0)))?;
    columns.optional::<Int64Type>(|row| row.sample.first_byte.map(|at| signed(at.0)))?;
    columns.required::<Int64Type>(|row| signed(row.sample.done.0))?;
    columns.required::<Int64Type>(|row| signed(row.sample.network.dns.0))?;
    columns.required::<Int64Type>(|row| signed(row.sample.network.connect.0))?;
    columns.required::<Int64Type>(|row| signed(row.sample.network.tls.0))?;
    columns.required::<Int64Type>(|row| signed(row.sample.send.0))?;
    columns.required::<Int64Type>(|row| signed(row.sample.slot_wait.0))?;
    for (sum, of) in RequestStats::sums().zip(Sample::SUMS) {
        let value = |row: &RawSample| signed(of(&row.sample));
        match FIRST_SUMS.contains(&sum.name) {
            true => columns.required::<Int64Type>(value)?,
            false => columns.optional::<Int64Type>(|row| Some(value(row)))?,
        }
    }
    columns.required::<ByteArrayType>(|row| text(row.why.name()))?;
    let code = |row: &RawSample| row.sample.status.filter(|code| code.number().is_none());
    columns.optional::<ByteArrayType>(|row| code(row).map(|code| ByteArray::from(code.to_string().as_str())))?;
    group.close()?;
    Ok(())
}

/// The columns of one group, written one after the other.
struct Columns<'a, 'b> {
    group: &'a mut SerializedRowGroupWriter<'b, File>,
    rows: &'a [RawSample],
}

impl Columns<'_, '_> {
    fn required<T: DataType>(&mut self, value: impl Fn(&RawSample) -> T::T) -> Result<(), ParquetError> {
        let values: Vec<T::T> = self.rows.iter().map(value).collect();
        self.put::<T>(&values, None)
    }

    fn optional<T: DataType>(&mut self, value: impl Fn(&RawSample) -> Option<T::T>) -> Result<(), ParquetError> {
        let cells: Vec<Option<T::T>> = self.rows.iter().map(value).collect();
        let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
        let values: Vec<T::T> = cells.into_iter().flatten().collect();
        self.put::<T>(&values, Some(&levels))
    }

    fn put<T: DataType>(&mut self, values: &[T::T], levels: Option<&[i16]>) -> Result<(), ParquetError> {
        let mut column = self.group.next_column()?.expect("the schema has as many columns as are written");
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()
    }
}

fn text(text: &'static str) -> ByteArray {
    ByteArray::from(text)
}

/// Numbers beyond the range of a column become its largest.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn narrow(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// File errors keep their system's reason.
fn failed(path: &Path, error: ParquetError) -> StoreError {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => StoreError::Io { action: "write", path: path.to_owned(), source: *source },
            Err(source) => StoreError::Parquet { path: path.to_owned(), source: ParquetError::External(source) },
        },
        source => StoreError::Parquet { path: path.to_owned(), source },
    }
}

#[cfg(test)]
mod tests;
