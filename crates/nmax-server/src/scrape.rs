//! Running runs in the format of Prometheus, whichever process makes them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use nmax_export::{Known, Snapshot, prometheus};
use nmax_run::Followed;

use crate::api::{Kind, State};
use crate::runs::{Filter, Runs};

/// Most runs on a page.
const RUNS_MAX: usize = 16;

/// Runs that are read on and on; a scrape costs what came since the one before.
#[derive(Default)]
pub(crate) struct Scrape(Mutex<HashMap<PathBuf, Followed>>);

impl Scrape {
    /// The page of all running runs; the time of each is that of its last window.
    pub(crate) fn page(&self, runs: &Runs) -> String {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let filter = Filter { verdict: Some(nmax_json::word(&State::Running)), ..Filter::default() };
        let running = runs.list(&filter).runs.into_iter().filter(|row| row.kind == Kind::Run).take(RUNS_MAX);
        let running: Vec<PathBuf> = running.filter_map(|row| Some(runs.find(&row.id).ok()?.1)).collect();
        followed.retain(|path, _| running.contains(path));
        let mut snapshots = Vec::new();
        for path in running {
            if !followed.contains_key(&path) {
                let Ok(new) = Followed::open(&path) else { continue };
                followed.insert(path.clone(), new);
            }
            let Some(run) = followed.get_mut(&path) else { continue };
            if run.read_on(&mut |_| {}).is_err() {
                followed.remove(&path);
                continue;
            }
            let known = Known { manifest: run.manifest(), plan: run.plan(), fold: run.fold(), catalog: run.catalog() };
            let began = run.manifest().started_at.parse::<jiff::Timestamp>().unwrap_or_default();
            let began_ns = u64::try_from(began.as_nanosecond()).unwrap_or_default();
            snapshots.push(Snapshot::new(&known, began_ns.saturating_add(run.fold().last_end().0)));
        }
        prometheus::text(&snapshots.iter().collect::<Vec<_>>())
    }
}
