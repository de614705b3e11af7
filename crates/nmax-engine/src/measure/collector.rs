//! Joins the workers' windows: a window is complete when every worker has ended it.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;

use nmax_metrics::join::Join;
use nmax_metrics::{FailureExample, Nanos, RawSample, Section, Window};

use crate::measure::exchange_events::ExchangeEvents;
use crate::measure::meter::Report;

/// A window of the whole injector, complete.
#[derive(Debug)]
pub struct Complete {
    /// Merged measurements.
    pub window: Window,
    /// Exchanges kept whole.
    pub raw: Vec<RawSample>,
    /// Every exchange, for a run that reports them.
    pub exchange_events: ExchangeEvents,
    /// Failed exchanges kept for study.
    pub failures: Vec<FailureExample>,
}

/// How a worker fared within the hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerUse {
    /// CPU time.
    pub cpu: Nanos,
    /// Time that it existed.
    pub time: Nanos,
    /// Time that it stood still.
    pub stalled: Nanos,
}

impl WorkerUse {
    /// Share of a core, 0 to 1; `None` before the hold.
    pub fn utilization(&self) -> Option<f64> {
        (self.time > Nanos::ZERO).then(|| self.cpu.0 as f64 / self.time.0 as f64)
    }
}

/// Joins the workers' windows.
#[derive(Debug)]
pub struct Collector {
    workers: Vec<WorkerState>,
    join: Join<Complete>,
    ended_at: Nanos,
    load_ended: Option<Nanos>,
    broke_at: Option<Nanos>,
    background_ended: BTreeMap<u32, Nanos>,
}

#[derive(Debug)]
struct WorkerState {
    recycle: SyncSender<Box<Window>>,
    used: WorkerUse,
    ended_early: Option<String>,
}

impl Collector {
    /// A collector for workers to which emptied windows go back this way.
    pub fn new(recycle: Vec<SyncSender<Box<Window>>>) -> Self {
        let state = |recycle| WorkerState { recycle, used: WorkerUse::default(), ended_early: None };
        Self {
            join: Join::new(recycle.len()),
            workers: recycle.into_iter().map(state).collect(),
            ended_at: Nanos::ZERO,
            load_ended: None,
            broke_at: None,
            background_ended: BTreeMap::new(),
        }
    }

    /// The same, for workers whose first window has this number.
    #[must_use]
    pub fn starting_at(self, first: u64) -> Self {
        Self { join: self.join.starting_at(first), ..self }
    }

    /// Takes a report; returns the windows that it completes, in order.
    pub fn add(&mut self, report: Report) -> Vec<Complete> {
        match report {
            Report::Window { worker, window, raw, exchange_events, failures } => {
                let state = &mut self.workers[worker as usize];
                let load = window.aggregate.load(Section::Hold);
                state.used.cpu = state.used.cpu + load.cpu;
                state.used.time = state.used.time + load.worker_time;
                state.used.stalled = state.used.stalled + load.stalled;
                let new = || Complete {
                    window: Window::new(window.index, window.width),
                    raw: Vec::new(),
                    exchange_events: ExchangeEvents::default(),
                    failures: Vec::new(),
                };
                let joined = self.join.add(worker as usize, window.index, new);
                let joined = joined.expect("a worker sends its windows once, in order, until it ends");
                joined.window.aggregate.merge(&window.aggregate);
                joined.raw.extend(raw);
                joined.exchange_events.append(exchange_events);
                joined.failures.extend(failures);
                let mut emptied = window;
                emptied.aggregate.reset();
                // When enough are on their way back, this one is dropped.
                let _ = state.recycle.try_send(emptied);
            }
            Report::Ended { worker, at, load_ended, broke, error, background_ended } => {
                for (number, at) in background_ended {
                    let last = self.background_ended.entry(number).or_default();
                    *last = at.max(*last);
                }
                if broke {
                    self.broke_at = Some(self.broke_at.map_or(at, |first| first.min(at)));
                }
                self.load_ended = self.load_ended.max(load_ended);
                self.ended_at = self.ended_at.max(at);
                let worker = worker as usize;
                self.join.end(worker, self.join.next(worker));
                self.workers[worker].ended_early = error;
            }
        }
        self.complete()
    }

    fn complete(&mut self) -> Vec<Complete> {
        self.join.take().into_values().collect()
    }

    /// Every worker is gone, one of them without a word: what came of the others is complete now.
    pub fn give_up(&mut self) -> Vec<Complete> {
        for (number, worker) in self.workers.iter_mut().enumerate() {
            if self.join.awaits(number) {
                self.join.lose(number);
                worker.ended_early = Some("a worker broke, which is a defect of nmax".into());
                self.broke_at = Some(self.broke_at.unwrap_or(self.ended_at));
            }
        }
        let rest = self.complete();
        self.ended_at = rest.last().map_or(self.ended_at, |complete| self.ended_at.max(complete.window.end()));
        rest
    }

    /// When the first worker broke, if one did: from then on measurements are missing.
    pub fn broke_at(&self) -> Option<Nanos> {
        self.broke_at
    }

    /// Whether every worker has ended.
    pub fn is_done(&self) -> bool {
        self.join.is_done()
    }

    /// CPU used by each worker within the hold.
    pub fn used(&self) -> impl Iterator<Item = WorkerUse> + '_ {
        self.workers.iter().map(|worker| worker.used)
    }

    /// When the last open iteration was started, or was to be, once every one was.
    pub fn load_ended(&self) -> Option<Nanos> {
        self.load_ended
    }

    /// When the last worker so far ended.
    pub fn ended_at(&self) -> Nanos {
        self.ended_at
    }

    /// Why workers ended before the plan did, if they did.
    pub fn ended_early(&self) -> Option<&str> {
        self.workers.iter().find_map(|worker| worker.ended_early.as_deref())
    }

    /// Backgrounds whose data ended before their workload, by number from 1, and when they last found no row.
    pub fn background_ended(&self) -> &BTreeMap<u32, Nanos> {
        &self.background_ended
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    fn report(worker: u32, index: u64) -> Report {
        let mut window = Box::new(Window::new(index, Nanos::from_secs(1)));
        window.aggregate.load_mut(Section::Hold).started = 1;
        Report::Window {
            worker,
            window,
            raw: Vec::new(),
            exchange_events: ExchangeEvents::default(),
            failures: Vec::new(),
        }
    }

    #[test]
    fn a_window_is_complete_when_every_worker_has_ended_it() {
        let (a, _kept_a) = sync_channel(1);
        let (b, _kept_b) = sync_channel(1);
        let mut collector = Collector::new(vec![a, b]);
        assert!(collector.add(report(0, 0)).is_empty());
        assert!(collector.add(report(0, 1)).is_empty());
        let complete = collector.add(report(1, 0));
        assert_eq!(complete.iter().map(|complete| complete.window.index).collect::<Vec<_>>(), [0]);
        assert_eq!(complete[0].window.aggregate.load(Section::Hold).started, 2);
        let rest = collector.add(Report::Ended {
            worker: 1,
            at: Nanos::from_secs(2),
            load_ended: None,
            broke: false,
            error: None,
            background_ended: Vec::new(),
        });
        assert_eq!(rest.len(), 1, "a worker that has ended is not waited for");
        assert!(!collector.is_done());
    }

    /// The worst worker is known, although windows are sums of all.
    #[test]
    fn each_workers_time_without_a_beat_is_kept() {
        let (a, _kept_a) = sync_channel(1);
        let (b, _kept_b) = sync_channel(1);
        let mut collector = Collector::new(vec![a, b]);
        for (worker, index, millis) in [(0, 0, 300), (1, 0, 0), (0, 1, 200), (1, 1, 100)] {
            let Report::Window { mut window, raw, exchange_events, failures, .. } = report(worker, index) else {
                continue;
            };
            window.aggregate.load_mut(Section::Hold).stalled = Nanos::from_millis(millis);
            window.aggregate.load_mut(Section::Outside).stalled = Nanos::from_secs(9);
            collector.add(Report::Window { worker, window, raw, exchange_events, failures });
        }
        let stalled: Vec<_> = collector.used().map(|used| used.stalled).collect();
        assert_eq!(stalled, [Nanos::from_millis(500), Nanos::from_millis(100)]);
    }

    /// A thread that dies whole says nothing more: what the others measured is kept, and the run says since when.
    #[test]
    fn a_worker_that_dies_whole_is_given_up() {
        let (a, _kept_a) = sync_channel(1);
        let (b, _kept_b) = sync_channel(1);
        let mut collector = Collector::new(vec![a, b]);
        assert!(collector.add(report(0, 0)).is_empty());
        assert_eq!(collector.add(report(1, 0)).len(), 1);
        assert!(collector.add(report(0, 1)).is_empty());
        assert!(collector.add(report(0, 2)).is_empty(), "the second worker owes window 1");
        let ended = Report::Ended {
            worker: 0,
            at: Nanos::from_millis(2_500),
            load_ended: None,
            broke: false,
            error: None,
            background_ended: Vec::new(),
        };
        assert!(collector.add(ended).is_empty() && !collector.is_done());
        let rest = collector.give_up();
        let indices: Vec<u64> = rest.iter().map(|complete| complete.window.index).collect();
        assert_eq!(indices, [1, 2], "nothing that came is lost");
        assert!(collector.is_done());
        assert_eq!(collector.broke_at(), Some(Nanos::from_millis(2_500)));
        assert_eq!(collector.ended_at(), Nanos::from_secs(3));
        assert!(collector.ended_early().unwrap().contains("broke"));
    }
}
