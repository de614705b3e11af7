//! Raw exchanges read back, column by column: only what is asked for, groups of rows one by one.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;

use super::{SCHEMA, create, published};
use crate::{StoreError, files};

/// A whole number that is not there.
pub const UNKNOWN: i64 = i64::MIN;
/// A text that is not there.
pub const NO_TEXT: u32 = u32::MAX;

/// The last column, which older files lack: none of their rows has it.
const LATEST: &str = "code";
/// Rows of a group for which there is room at first.
const ROWS_USUAL: usize = 1 << 20;

/// A file of raw exchanges.
pub struct SampleFile {
    path: PathBuf,
    reader: SerializedFileReader<File>,
}

impl SampleFile {
    /// Opens a file, and sees that it has the columns of raw exchanges.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = File::open(path).map_err(StoreError::io("read", path))?;
        let reader = SerializedFileReader::new(file).map_err(|error| damaged(path, &error))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let is_other = |(index, (name, kind)): (usize, (&str, Type))| {
            let fits = index < schema.num_columns()
                && schema.column(index).name() == name
                && schema.column(index).physical_type() == kind;
            let is_older = name == LATEST && index == schema.num_columns();
            (!fits && !is_older).then(|| name.to_owned())
        };
        match columns().enumerate().find_map(is_other) {
            None => Ok(Self { path: path.to_owned(), reader }),
            Some(name) => {
                let text = format!("holds no raw exchanges: it has no column `{name}` where it should be");
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
            ColumnReader::Int32ColumnReader(reader) => {
                let cells = self.cells(group, reader)?;
                Ok(spread(&cells, |value| i64::from(*value), UNKNOWN))
            }
            ColumnReader::Int64ColumnReader(reader) => {
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
        if self.lacks(column) {
            return Ok((vec![NO_TEXT; self.rows(group)], Vec::new()));
        }
        let ColumnReader::ByteArrayColumnReader(reader) = self.column(group, column)? else {
            return Err(StoreError::damaged(&self.path, None, format!("`{column}` holds no texts")));
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

    fn lacks(&self, column: &str) -> bool {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        column == LATEST && schema.num_columns() < columns().count()
    }

    fn column(&self, group: usize, column: &str) -> Result<ColumnReader, StoreError> {
        let index = columns().position(|(name, _)| name == column);
        let index = index.ok_or_else(|| StoreError::damaged(&self.path, None, format!("no column `{column}`")))?;
        let reader = self.reader.get_row_group(group).and_then(|group| group.get_column_reader(index));
        reader.map_err(|error| damaged(&self.path, &error))
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

/// Names and types of the columns, in order.
fn columns() -> impl Iterator<Item = (&'static str, Type)> {
    SCHEMA.lines().filter_map(|line| {
        let mut words = line.trim().strip_suffix(';')?.split(' ');
        let kind = match words.nth(1)? {
            "int32" => Type::INT32,
            "int64" => Type::INT64,
            _ => Type::BYTE_ARRAY,
        };
        Some((words.next()?, kind))
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
        for (name, _) in columns() {
            let mut column = row_group.next_column().map_err(failed)?.expect("both files have the same columns");
            if file.lacks(name) {
                column.typed::<ByteArrayType>().write_batch(&[], Some(&vec![0; chosen]), None).map_err(failed)?;
                column.close().map_err(failed)?;
                continue;
            }
            macro_rules! copy {
                ($kind:ty, $reader:expr) => {{
                    let (values, levels) = chosen_of(&file.cells(group, $reader)?, mask);
                    let levels = is_optional(name).then_some(levels.as_slice());
                    column.typed::<$kind>().write_batch(&values, levels, None).map_err(failed)?;
                }};
            }
            match file.column(group, name)? {
                ColumnReader::Int32ColumnReader(reader) => copy!(parquet::data_type::Int32Type, reader),
                ColumnReader::Int64ColumnReader(reader) => copy!(parquet::data_type::Int64Type, reader),
                ColumnReader::ByteArrayColumnReader(reader) => copy!(ByteArrayType, reader),
                _ => {
                    return Err(StoreError::damaged(&file.path, None, format!("`{name}` has an unknown type")));
                }
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

fn is_optional(name: &str) -> bool {
    SCHEMA.lines().any(|line| {
        let line = line.trim();
        line.starts_with("optional") && line.split(' ').nth(2).is_some_and(|other| other.trim_end_matches(';') == name)
    })
}

fn damaged(path: &Path, error: &ParquetError) -> StoreError {
    StoreError::damaged(path, None, format!("is no whole Parquet file: {error}"))
}
