//! Exchanges kept one by one: groups of rows are read on all cores, only the columns that are needed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use nmax_slice::column::{NO_TEXT, UNKNOWN};
use nmax_slice::{Chunk, Slice, Tally, Values};
use nmax_store::StoreError;
use nmax_store::samples::{SampleFile, SampleWriter};

use super::run::{COLUMNS, Run};

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
    let names = Names::of(run);
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
    let names = Names::of(run);
    let reader = Reader { run, names: &names, needs: slice.asks() };
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

/// What request ids stand for.
pub(super) struct Names {
    pub(super) request: Arc<[Arc<str>]>,
    pub(super) method: Arc<[Arc<str>]>,
    pub(super) template: Arc<[Arc<str>]>,
    pub(super) tag: Arc<[Arc<str>]>,
}

impl Names {
    pub(super) fn of(run: &Run) -> Self {
        let requests = run.reader.catalog().requests.list();
        Self {
            request: requests.iter().map(|name| name.as_str().into()).collect(),
            method: run.traits.iter().map(|traits| traits.method.as_str().into()).collect(),
            template: run.traits.iter().map(|traits| traits.template.as_str().into()).collect(),
            tag: run.traits.iter().map(|traits| traits.tags.join(",").into()).collect(),
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
        let mut stored = Stored { file, group, known: HashMap::new() };
        let mut columns = vec![None; COLUMNS.len()];
        for column in &self.needs {
            columns[*column] = Some(self.column(&mut stored, COLUMNS[*column].0)?);
        }
        Ok(Chunk { rows: file.rows(group), columns, sums: None })
    }

    fn column(&self, stored: &mut Stored<'_>, name: &str) -> Result<Values, StoreError> {
        let numbers = |numbers: Arc<Vec<i64>>| Values::Numbers(Arc::unwrap_or_clone(numbers));
        let of_request = |stored: &mut Stored<'_>, names: &Arc<[Arc<str>]>| {
            let id = |id: &i64| u32::try_from(*id).unwrap_or(NO_TEXT);
            Ok::<_, StoreError>(Values::Texts {
                ids: stored.integers("request_id")?.iter().map(id).collect(),
                names: Arc::clone(names),
            })
        };
        Ok(match name {
            "name" => of_request(stored, &self.names.request)?,
            "method" => of_request(stored, &self.names.method)?,
            "template" => of_request(stored, &self.names.template)?,
            "tag" => tags(of_request(stored, &self.names.tag)?),
            "scenario" | "outcome" | "error_kind" | "why" => {
                let (ids, names) = stored.file.texts(stored.group, name)?;
                Values::Texts { ids, names: names.into() }
            }
            "failed" => {
                let (ids, names) = stored.file.texts(stored.group, "outcome")?;
                let failed: Vec<i64> = names.iter().map(|outcome| i64::from(&**outcome != "ok")).collect();
                let of = |id: &u32| failed.get(*id as usize).copied().unwrap_or(UNKNOWN);
                Values::Numbers(ids.iter().map(of).collect())
            }
            "class" => classes(&stored.integers("status")?),
            "phase" => {
                let is_outside = |at: &i64| u32::from(!self.run.is_hold(*at));
                Values::Texts {
                    ids: stored.integers("intended_ns")?.iter().map(is_outside).collect(),
                    names: Arc::from(["hold".into(), "outside".into()]),
                }
            }
            "time" => numbers(stored.integers("intended_ns")?),
            "response" => stored.between("intended_ns", "done_ns")?,
            "service" => stored.between("sent_ns", "done_ns")?,
            "lag" => stored.between("intended_ns", "sent_ns")?,
            "ttfb" => stored.between("sent_ns", "first_byte_ns")?,
            "dns" => numbers(stored.integers("dns_ns")?),
            "connect" => numbers(stored.integers("connect_ns")?),
            "tls" => numbers(stored.integers("tls_ns")?),
            "send" => numbers(stored.integers("send_ns")?),
            "slot_wait" => numbers(stored.integers("slot_wait_ns")?),
            same => numbers(stored.integers(same)?),
        })
    }
}

/// A group of rows, of which each column is read once.
struct Stored<'a> {
    file: &'a SampleFile,
    group: usize,
    known: HashMap<String, Arc<Vec<i64>>>,
}

impl Stored<'_> {
    fn integers(&mut self, column: &str) -> Result<Arc<Vec<i64>>, StoreError> {
        if let Some(known) = self.known.get(column) {
            return Ok(Arc::clone(known));
        }
        let values = Arc::new(self.file.integers(self.group, column)?);
        self.known.insert(column.to_owned(), Arc::clone(&values));
        Ok(values)
    }

    /// The time from one instant to another, never negative; unknown where one of them is.
    fn between(&mut self, from: &str, to: &str) -> Result<Values, StoreError> {
        let (from, to) = (self.integers(from)?, self.integers(to)?);
        let span = |(from, to): (&i64, &i64)| match (*from, *to) {
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (from, to) => to.saturating_sub(from).max(0),
        };
        Ok(Values::Numbers(from.iter().zip(to.iter()).map(span).collect()))
    }
}

/// Classes of status codes.
pub(super) fn classes(statuses: &[i64]) -> Values {
    const NAMES: [&str; 9] = ["1xx", "2xx", "3xx", "4xx", "5xx", "6xx", "7xx", "8xx", "9xx"];
    let class = |status: &i64| match status {
        100..=999 => (status / 100 - 1) as u32,
        _ => NO_TEXT,
    };
    Values::Texts {
        ids: statuses.iter().map(class).collect(),
        names: NAMES.iter().map(|name| (*name).into()).collect(),
    }
}

/// Tags of requests; none is not known.
pub(super) fn tags(values: Values) -> Values {
    match values {
        Values::Texts { ids, names } => {
            let is_none = |id: u32| names.get(id as usize).is_none_or(|tags| tags.is_empty());
            let ids = ids.into_iter().map(|id| if is_none(id) { NO_TEXT } else { id });
            Values::Texts { ids: ids.collect(), names }
        }
        other => other,
    }
}
