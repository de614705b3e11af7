//! Raw exchanges read back, column by column: only what is asked for, groups of rows one by one.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;

use super::{SCHEMA, create, published};
use crate::{StoreError, files};

/// A whole number that is not there.
pub const UNKNOWN: i64 = i64::MIN;
/// A text that is not there.
pub const NO_TEXT: u32 = u32::MAX;

/// Rows of a group for which there is room at first.
const ROWS_USUAL: usize = 1 << 20;

/// A file of raw exchanges.
pub struct SampleFile {
    path: PathBuf,
    reader: SerializedFileReader<File>,
}

impl SampleFile {
    /// Opens a file, and sees that it has the columns of raw exchanges. Optional ones may be missing: files of before lack
    /// what is new, and none of their rows has it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(StoreError::io("read", path))?;
        let reader = SerializedFileReader::new(file).map_err(|error| damaged(path, &error))?;
        let opened = Self { path: path.to_owned(), reader };
        let is_wrong = |column: &Column| match opened.index(column.name) {
            Some(index) => opened.schema().column(index).physical_type() != column.kind,
            None => !column.is_optional,
        };
        match columns().find(is_wrong) {
            None => Ok(opened),
            Some(Column { name, .. }) => {
                let text = format!("holds no raw exchanges: it has no column `{name}`, or one of another type");
                Err(StoreError::damaged(path, None, text))
            }
        }
    }

    /// Groups of rows.
    pub fn groups(&self) -> usize {
        self.reader.num_row_groups()
    }

    /// Rows of a group.
    pub fn rows(&self, group: usize) -> usize {
        let groups = self.reader.metadata().row_groups();
        groups.get(group).map_or(0, |group| usize::try_from(group.num_rows()).unwrap_or(0))
    }

    /// A column of whole numbers; what is not there is [`UNKNOWN`].
    pub fn integers(&self, group: usize, column: &str) -> Result<Vec<i64>, StoreError> {
        match self.column(group, column)? {
            None => Ok(vec![UNKNOWN; self.rows(group)]),
            Some(ColumnReader::Int32ColumnReader(reader)) => {
                let cells = self.cells(group, reader)?;
                Ok(spread(&cells, |value| i64::from(*value), UNKNOWN))
            }
            Some(ColumnReader::Int64ColumnReader(reader)) => {
                let cells = self.cells(group, reader)?;
                if cells.levels.is_empty() {
                    return Ok(cells.values);
                }
                Ok(spread(&cells, |value| *value, UNKNOWN))
            }
            _ => Err(StoreError::damaged(&self.path, None, format!("`{column}` holds no whole numbers"))),
        }
    }

    /// A column of texts: the number of each row's text, and the texts. What is not there is [`NO_TEXT`].
    pub fn texts(&self, group: usize, column: &str) -> Result<(Vec<u32>, Vec<Arc<str>>), StoreError> {
        let reader = match self.column(group, column)? {
            None => return Ok((vec![NO_TEXT; self.rows(group)], Vec::new())),
            Some(ColumnReader::ByteArrayColumnReader(reader)) => reader,
            Some(_) => return Err(StoreError::damaged(&self.path, None, format!("`{column}` holds no texts"))),
        };
        let cells = self.cells(group, reader)?;
        let mut known: HashMap<&[u8], u32> = HashMap::new();
        let mut names: Vec<Arc<str>> = Vec::new();
        // Neighbors are often alike, and share the bytes of their page's dictionary.
        let mut last: (&[u8], u32) = (&[], NO_TEXT);
        let ids: Vec<u32> = cells
            .values
            .iter()
            .map(|value| {
                let bytes = value.data();
                if last.1 != NO_TEXT && std::ptr::eq(last.0, bytes) {
                    return last.1;
                }
                let id = *known.entry(bytes).or_insert_with(|| {
                    names.push(String::from_utf8_lossy(bytes).into());
                    names.len() as u32 - 1
                });
                last = (bytes, id);
                id
            })
            .collect();
        if cells.levels.is_empty() {
            return Ok((ids, names));
        }
        let cells = Cells { values: ids, levels: cells.levels };
        Ok((spread(&cells, |id| *id, NO_TEXT), names))
    }

    fn schema(&self) -> &SchemaDescriptor {
        self.reader.metadata().file_metadata().schema_descr()
    }

    /// Where the file has a column.
    fn index(&self, column: &str) -> Option<usize> {
        self.schema().columns().iter().position(|one| one.name() == column)
    }

    /// A column of a group, if the file has it.
    fn column(&self, group: usize, column: &str) -> Result<Option<ColumnReader>, StoreError> {
        let Some(index) = self.index(column) else {
            return match columns().any(|one| one.name == column) {
                true => Ok(None),
                false => Err(StoreError::damaged(&self.path, None, format!("no column `{column}`"))),
            };
        };
        let reader = self.reader.get_row_group(group).and_then(|group| group.get_column_reader(index));
        reader.map(Some).map_err(|error| damaged(&self.path, &error))
    }

    /// All values of a column of a group.
    fn cells<T: DataType>(&self, group: usize, mut reader: ColumnReaderImpl<T>) -> Result<Cells<T::T>, StoreError> {
        let rows = self.rows(group);
        let mut cells = Cells {
            // What a damaged file says of itself is not believed.
            values: Vec::with_capacity(rows.min(ROWS_USUAL)),
            levels: Vec::new(),
        };
        let mut read = 0;
        while read < rows {
            let levels = Some(&mut cells.levels);
            let next = reader.read_records(rows - read, levels, None, &mut cells.values);
            let (records, _, _) = next.map_err(|error| damaged(&self.path, &error))?;
            if records == 0 {
                return Err(StoreError::damaged(&self.path, None, "a column has fewer values than rows"));
            }
            read += records;
        }
        if cells.levels.iter().all(|level| *level > 0) {
            cells.levels.clear();
        }
        Ok(cells)
    }
}

/// Values that are there, and for each row whether it has one; no levels when all have.
struct Cells<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

/// A value for each row.
fn spread<T, U: Copy>(cells: &Cells<T>, value: impl Fn(&T) -> U, missing: U) -> Vec<U> {
    if cells.levels.is_empty() {
        return cells.values.iter().map(value).collect();
    }
    let mut values = cells.values.iter();
    let next = |level: &i16| {
        if *level > 0 { values.next().map_or(missing, &value) } else { missing }
    };
    cells.levels.iter().map(next).collect()
}

/// A column of [`SCHEMA`].
struct Column {
    name: &'static str,
    kind: Type,
    is_optional: bool,
}

/// The columns, in order.
fn columns() -> impl Iterator<Item = Column> {
    SCHEMA.lines().filter_map(|line| {
        let mut words = line.trim().strip_suffix(';')?.split(' ');
        let is_optional = words.next()? == "optional";
        let kind = match words.next()? {
            "int32" => Type::INT32,
            "int64" => Type::INT64,
            _ => Type::BYTE_ARRAY,
        };
        Some(Column { name: words.next()?, kind, is_optional })
    })
}

/// A file of chosen raw exchanges, with the same columns as the segments of a run.
pub struct SampleWriter {
    path: PathBuf,
    writer: SerializedFileWriter<File>,
    rows: u64,
}

impl SampleWriter {
    /// Begins a file; it has its name only once it is finished.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let temporary = files::temporary_of(path);
        let file = File::create(&temporary).map_err(StoreError::io("create", &temporary))?;
        Ok(Self { writer: create(path, file)?, path: path.to_owned(), rows: 0 })
    }

    /// Adds those rows of a group for which `mask` is true.
    pub fn add(&mut self, file: &SampleFile, group: usize, mask: &[bool]) -> Result<(), StoreError> {
        let chosen = mask.iter().filter(|chosen| **chosen).count();
        if chosen == 0 {
            return Ok(());
        }
        let path = self.path.clone();
        let failed = |error: ParquetError| super::failed(&path, error);
        let mut row_group = self.writer.next_row_group().map_err(failed)?;
        for Column { name, kind, is_optional } in columns() {
            let mut column = row_group.next_column().map_err(failed)?.expect("both files have the same columns");
            macro_rules! copy {
                ($kind:ty, $reader:ident) => {{
                    let cells = match file.column(group, name)? {
                        Some(ColumnReader::$reader(reader)) => file.cells(group, reader)?,
                        // Its type was looked at when the file was opened, so it is not there.
                        _ => Cells { values: Vec::new(), levels: vec![0; mask.len()] },
                    };
                    let (values, levels) = chosen_of(&cells, mask);
                    let levels = is_optional.then_some(levels.as_slice());
                    column.typed::<$kind>().write_batch(&values, levels, None).map_err(failed)?;
                }};
            }
            match kind {
                Type::INT32 => copy!(Int32Type, Int32ColumnReader),
                Type::INT64 => copy!(Int64Type, Int64ColumnReader),
                _ => copy!(ByteArrayType, ByteArrayColumnReader),
            }
            column.close().map_err(failed)?;
        }
        row_group.close().map_err(failed)?;
        self.rows += chosen as u64;
        Ok(())
    }

    /// Gives the file its name, and says how many rows it has.
    pub fn finish(self) -> Result<u64, StoreError> {
        published(&self.path, self.writer)?;
        Ok(self.rows)
    }

    /// Removes what was written.
    pub fn discard(self) {
        let _ = std::fs::remove_file(files::temporary_of(&self.path));
    }
}

/// The chosen values, and for each chosen row whether it has one.
fn chosen_of<T: Clone>(cells: &Cells<T>, mask: &[bool]) -> (Vec<T>, Vec<i16>) {
    let mut values = cells.values.iter();
    let (mut kept, mut levels) = (Vec::new(), Vec::new());
    for (row, chosen) in mask.iter().enumerate() {
        let level = cells.levels.get(row).copied().unwrap_or(1);
        let value = if level > 0 { values.next() } else { None };
        if *chosen {
            levels.push(i16::from(value.is_some()));
            kept.extend(value.cloned());
        }
    }
    (kept, levels)
}

fn damaged(path: &Path, error: &ParquetError) -> StoreError {
    StoreError::damaged(path, None, format!("is not a whole Parquet file: {error}"))
}
