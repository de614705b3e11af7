//! Exchanges kept one by one: groups of rows are read on all cores, only the columns that are needed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use nmax_slice::run::{self, Names, Texts};
use nmax_slice::{Chunk, Slice, Tally};
use nmax_store::StoreError;
use nmax_store::samples::{SampleFile, SampleWriter};

use super::Run;

/// Threads that read, at most.
const THREADS_MAX: usize = 16;

/// Whether every exchange of the run was kept: a run keeps all, or for all its life some.
pub(super) fn keeps_all(file: &SampleFile) -> Result<bool, StoreError> {
    if file.groups() == 0 {
        return Ok(true);
    }
    let (_, reasons) = file.texts(0, "why")?;
    Ok(reasons.iter().all(|why| &**why == "all"))
}

/// A group of rows: number of the file, number of the group in it.
type Part = (usize, usize);

fn parts(files: &[PathBuf]) -> Result<Vec<Part>, StoreError> {
    let mut parts = Vec::new();
    for (number, path) in files.iter().enumerate() {
        parts.extend((0..SampleFile::open(path)?.groups()).map(|group| (number, group)));
    }
    Ok(parts)
}

/// Adds the exchanges of all files to a tally. Which thread reads what depends on nothing but their number, so the same
/// files give the same answer.
pub(super) fn read(run: &Run, files: &[PathBuf], slice: &Arc<Slice>, mut tally: Tally) -> Result<Tally, StoreError> {
    let parts = parts(files)?;
    let names = run.names();
    let threads = thread::available_parallelism().map_or(1, usize::from).clamp(1, THREADS_MAX);
    let share = parts.len().div_ceil(threads).max(1);
    let work = |parts: &[Part], mut tally: Tally| -> Result<Tally, StoreError> {
        let reader = Reader { run, names: &names, needs: slice.needs() };
        let mut open: Option<(usize, SampleFile)> = None;
        for (number, group) in parts {
            let file = match open.take().filter(|(known, _)| known == number) {
                Some(file) => file,
                None => (*number, SampleFile::open(&files[*number])?),
            };
            tally.add(&reader.chunk(&file.1, *group)?);
            open = Some(file);
        }
        Ok(tally)
    };
    let empty = tally.clone();
    let done: Vec<Result<Tally, StoreError>> = thread::scope(|scope| {
        let started: Vec<_> = parts
            .chunks(share)
            .map(|parts| {
                let (empty, work) = (empty.clone(), &work);
                scope.spawn(move || work(parts, empty))
            })
            .collect();
        started
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    for part in done {
        tally.merge(&part?);
    }
    Ok(tally)
}

/// Writes the chosen exchanges to a file with the same columns. Returns how many they are.
pub(super) fn write(run: &Run, files: &[PathBuf], slice: &Arc<Slice>, path: &Path) -> Result<u64, StoreError> {
    let names = run.names();
    let reader = Reader { run, names: &names, needs: slice.columns_used() };
    let mut writer = SampleWriter::create(path)?;
    let copied = files.iter().try_for_each(|path| {
        let file = SampleFile::open(path)?;
        (0..file.groups()).try_for_each(|group| {
            let mask = slice.mask(&reader.chunk(&file, group)?);
            writer.add(&file, group, &mask)
        })
    });
    match copied {
        Ok(()) => writer.finish(),
        Err(error) => {
            writer.discard();
            Err(error)
        }
    }
}

/// Makes chunks of groups of rows.
struct Reader<'a> {
    run: &'a Run,
    names: &'a Names,
    needs: Vec<usize>,
}

impl Reader<'_> {
    fn chunk(&self, file: &SampleFile, group: usize) -> Result<Chunk, StoreError> {
        let stored = Stored { file, group, known: HashMap::new() };
        run::chunk(stored, &self.needs, self.names, &|intended_ns| self.run.is_hold(intended_ns))
    }
}

/// A group of rows, of which each column of numbers is read once.
struct Stored<'a> {
    file: &'a SampleFile,
    group: usize,
    known: HashMap<String, Arc<Vec<i64>>>,
}

impl run::Stored for Stored<'_> {
    type Error = StoreError;

    fn rows(&self) -> usize {
        self.file.rows(self.group)
    }

    fn integers(&mut self, column: &str) -> Result<Arc<Vec<i64>>, StoreError> {
        if let Some(known) = self.known.get(column) {
            return Ok(Arc::clone(known));
        }
        let values = Arc::new(self.file.integers(self.group, column)?);
        self.known.insert(column.to_owned(), Arc::clone(&values));
        Ok(values)
    }

    fn texts(&mut self, column: &str) -> Result<Texts, StoreError> {
        self.file.texts(self.group, column)
    }
}
