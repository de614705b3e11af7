//! One run from its plan to its verdict: engine, directory, progress, conclusion.

use std::path::PathBuf;
use std::sync::Arc;

use nmax_analysis::fold::{ABORTED, happened};
use nmax_analysis::{Ending, Fold, Judged};
use nmax_engine::{Allow, Complete, Event, KeepSamples, Settings, StartError};
use nmax_fleet::spool::{Disk, Publisher, Spool};
use nmax_fleet::{Coordinator, Identity};
use nmax_metrics::{Nanos, Resource};
use nmax_observe::Happening;
use nmax_observe::log::Tap;
use nmax_plan::plan::Plan;
use nmax_report::{RunContext, View, html, json};
use nmax_store::{Manifest, RunWriter, StoreError};

use crate::control::Inbox;
use crate::fidelity::{Feed, Fidelity, Reference};
use crate::fleet::notes;
use crate::listener::{Listener, Progress};
use crate::sides::{self, Sides};
use crate::signals::{IMPATIENT, Interrupts, ShutdownLimits, SignalError};
use crate::{Exit, Trouble, since};

mod aborts;
mod beside;
mod ending;
mod inputs;
mod load;
mod manifest;
mod observer;
pub(crate) mod reading;
mod slow_traces;
mod sockets;
mod steer;
mod timeline;

use aborts::Aborts;
pub(crate) use ending::exit_of;
use ending::{End, end, ended_at};
pub use inputs::settings;
pub(crate) use load::pause;
use load::{Conducted, Injecting, Tee};
pub use manifest::{ID_FLAG, new_id, plan_text};
pub(crate) use manifest::{info, manifest};
use observer::{Observer, keep};
pub use reading::{Followed, RunRecord, read};
use slow_traces::SlowTraces;
pub use timeline::command;
use timeline::{Change, Timeline};

/// What a run needs besides its plan.
#[derive(Clone)]
pub struct Order {
    /// What is run.
    pub plan: Arc<Plan>,
    /// Which addresses may be connected to, asked for each connection.
    pub allow: Allow,
    /// On whose authority, in words for the manifest.
    pub authorization: Option<String>,
    /// Threads that put on the load.
    pub workers: u32,
    /// CPUs of the workers, in their order; workers beyond them run anywhere.
    pub pin: Vec<usize>,
    /// Which raw exchanges are kept.
    pub keep: KeepSamples,
    /// Its id; a new one by default.
    pub id: Option<String>,
    /// The run's directory is made in it.
    pub runs_dir: PathBuf,
    /// Name of the run.
    pub name: String,
    /// A note beside its result.
    pub note: String,
    /// What runs are found by.
    pub tags: Vec<String>,
    /// What was found before the run that may spoil it, or belongs beside its numbers: codes and words.
    pub warnings: Vec<(&'static str, String)>,
    /// What its traffic is compared with.
    pub source: Option<Arc<Reference>>,
}

/// A run that has ended.
pub struct Finished {
    /// Everything that a report shows.
    pub view: View,
    /// What it means for the exit code.
    pub exit: Exit,
    /// Where its results are.
    pub directory: PathBuf,
    /// Which data of the mix ended before its workload did.
    pub data_ended: Option<String>,
    /// Why the directory could not be written to its end.
    pub trouble: Option<String>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The directory cannot be written at the start.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The workers did not start.
    #[error("{0}")]
    Start(#[from] nmax_engine::StartError),
    /// The injectors of the run do not begin it.
    #[error("the run did not begin:\n  {}", .0.join("\n  "))]
    Fleet(Vec<String>),
    /// The run has as many injectors as it was ordered for.
    #[error("the run needs no further injector")]
    NotNeeded,
    /// A signal would end the run and undo nothing.
    #[error("{0}")]
    Deaf(#[from] SignalError),
    /// A certificate or key cannot be used.
    #[error("{file}: {reason}\n  help: certificates and keys are PEM files, of at most 1 MiB each")]
    Pem {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// A file that is sent cannot be.
    #[error("{file}: cannot be sent: {reason}\n  help: bodies are made of regular files, named relative to the plan")]
    BodyFile {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// The limit of open files leaves no connection.
    #[error(
        "{limit} open files are too few for those of the run and one connection for each worker ({workers})\n  \
         help: raise the limit with `ulimit -n 1024`, or use fewer `--workers`"
    )]
    Files {
        /// Threads that put on the load.
        workers: u64,
        /// Files that this process may have open.
        limit: u64,
    },
}

impl From<SessionError> for Trouble {
    fn from(error: SessionError) -> Self {
        error.to_string().into()
    }
}

/// Runs a plan to its end, writes everything and tells listeners on the way.
///
/// # Errors
/// Why nothing was sent. What goes wrong later is in the result.
pub fn run(
    order: &Order,
    interrupts: &Interrupts,
    listeners: &mut [&mut dyn Listener],
) -> Result<Finished, SessionError> {
    let is_cut = || interrupts.count() > 0;
    conduct(order, interrupts, listeners, |settings, id| {
        Ok(Box::new(Injecting::of_this_process(settings, id, &is_cut)?) as Box<dyn Conducted>)
    })
}

/// As [`run`], of the part that an injector has of a run of several: it agrees with them by the coordinator, and what it
/// measures goes into the spool too.
///
/// # Errors
/// Why nothing was sent.
pub(crate) fn take_part<C: Coordinator, D: Disk, P: Publisher>(
    order: &Order,
    me: &Identity,
    (coordinator, spool): (C, Spool<D, P>),
    interrupts: &Interrupts,
    listeners: &mut [&mut dyn Listener],
) -> Result<Finished, SessionError> {
    let is_cut = || interrupts.count() > 0;
    conduct(order, interrupts, listeners, |settings, _| {
        let parts = (coordinator, Tee::new(spool));
        let lost = Some("its process was asked to end");
        Ok(Box::new(Injecting::start(me.clone(), parts, settings, &is_cut, lost)?) as Box<dyn Conducted>)
    })
}

fn conduct<'a>(
    order: &Order,
    interrupts: &Interrupts,
    listeners: &mut [&mut dyn Listener],
    start: impl FnOnce(&Settings, &str) -> Result<Box<dyn Conducted + 'a>, SessionError>,
) -> Result<Finished, SessionError> {
    let plan = &order.plan;
    let settings = Settings {
        workers: order.workers,
        pin: order.pin.clone(),
        keep: order.keep,
        reports_exchanges: order.source.is_some() || sides::are_wanted(plan),
        ..settings(plan, &order.allow)?
    };
    let settings = Settings { sockets: sockets::sockets(&settings, plan.observe.len())?, ..settings };
    let manifest = manifest(order);
    let settings = Settings { plan: slow_traces::in_run(plan, &manifest.id), ..settings };
    let mut writer = RunWriter::create(&order.runs_dir, &manifest)?;
    let mut fold = reading::fold(plan);
    for (code, text) in &order.warnings {
        writer.event(Nanos::ZERO, code, text)?;
        fold.event(Nanos::ZERO, code, text);
    }
    let tap = Tap::open(sides::agent(plan).as_deref());
    sides::mark(plan, &tap);
    let fleet = match start(&settings, &manifest.id) {
        Ok(fleet) => fleet,
        Err(error) => {
            // A run that never started leaves nothing to show.
            let _ = std::fs::remove_dir_all(writer.path());
            return Err(match error {
                SessionError::Start(StartError::Setup(text)) => StartError::Setup(plan.redactor.text(&text)).into(),
                error => error,
            });
        }
    };
    let run = fleet.run();
    let origin = jiff::Timestamp::try_from(run.started_at()).unwrap_or_default();
    let feed = order.source.as_ref();
    let feed =
        feed.map(|source| Feed::new(Arc::clone(source), origin.as_microsecond(), run.times().hold, &plan.redactor));
    let observer = Observer::start(plan, run, &tap);
    let new = || Sides::new(tap.clone(), plan, origin.as_microsecond(), run.times().hold);
    let sides = sides::are_wanted(plan).then(new);
    let timeline = Timeline::new(&plan.timeline, &settings);
    interrupts.owe(timeline.undo());
    let mut session = Session {
        timeline,
        order,
        inbox: Inbox::new(writer.path()),
        manifest,
        feed,
        tap,
        sides,
        fleet,
        writer,
        fold,
        listeners,
        observer,
        aborts: Aborts::new(plan),
        slow_traces: SlowTraces::new(&settings.plan),
        asked: 0,
        cuts: 0,
        wished: None,
        trouble: None,
    };
    session.conduct(interrupts);
    Ok(session.conclude())
}

fn say(listeners: &mut [&mut dyn Listener], at: Nanos, code: &str, text: &str) {
    listeners.iter_mut().for_each(|listener| listener.event(at, code, text));
}

/// A run under way, and everyone who has a part in it.
struct Session<'a, 'l> {
    /// The first that is dropped when a panic ends the session: what was begun is undone before anything is waited for.
    timeline: Timeline,
    order: &'a Order,
    /// What is asked for in its directory.
    inbox: Inbox,
    /// What is run, as its directory says.
    manifest: Manifest,
    /// Sums up its traffic, to be compared.
    feed: Option<Feed>,
    /// What logs that it follows say.
    tap: Tap,
    /// Holds its exchanges beside the logs that it follows.
    sides: Option<Sides>,
    /// The run, as a fleet of one.
    fleet: Box<dyn Conducted + 'a>,
    writer: RunWriter,
    fold: Fold,
    listeners: &'a mut [&'l mut dyn Listener],
    observer: Observer,
    aborts: Aborts,
    slow_traces: SlowTraces,
    /// How often a person asked for the end.
    asked: u32,
    /// How often what is under way was cut off.
    cuts: u32,
    /// Who ended it by a wish.
    wished: Option<String>,
    /// Why the directory cannot be written any more.
    trouble: Option<StoreError>,
}

impl Session<'_, '_> {
    /// Takes windows until everything has ended and was undone.
    fn conduct(&mut self, interrupts: &Interrupts) {
        loop {
            match self.fleet.next() {
                Event::Ended => break,
                Event::Quiet => {}
                Event::Window(complete) => self.window(&complete),
            }
            self.obey(interrupts);
            self.take_wishes();
            self.advance();
        }
        let ended = self.fleet.run().ended_at();
        let is_late = || interrupts.hurried() >= Some(ShutdownLimits::UNDOS);
        let changes = self.timeline.finish(&is_late);
        self.record_changes(ended, &changes);
        self.stop_watching();
        let slow_traces = self.slow_traces.told(&self.fleet.run().catalog());
        for text in slow_traces {
            self.write_event(ended, "SLOW_TRACE", &self.order.plan.redactor.text(&text));
        }
        if let Some(why) = self.fleet.run().teardown_failure().map(str::to_owned) {
            self.note(ended, "TEARDOWN_FAILED", &why);
        }
        self.listeners.iter_mut().for_each(|listener| listener.ended());
    }

    /// Keeps a window, unless the directory is broken.
    fn window(&mut self, complete: &Complete) {
        if let Some(feed) = &mut self.feed {
            feed.take(&complete.exchange_events);
        }
        if let Some(sides) = &mut self.sides {
            let catalog = self.fleet.run().catalog().clone();
            sides.learn(&self.order.plan, &catalog);
            sides.window(&complete.exchange_events, complete.window.end());
        }
        if self.trouble.is_some() {
            return;
        }
        let written = self.keep(complete).and_then(|()| {
            let seen = self.observer.observe(self.fleet.run());
            self.keep_readings(&seen.resources)?;
            Ok(seen.happenings)
        });
        match written {
            Ok(happenings) => self.tell_of_sources(happenings),
            Err(error) => self.break_off(error),
        }
        self.look_at_conditions();
        let Self { manifest, fleet, fold, listeners, .. } = self;
        let run = fleet.run();
        let catalog = run.catalog().clone();
        let progress = Progress { manifest, plan: run.plan(), end: run.times().end, complete, fold, catalog: &catalog };
        listeners.iter_mut().for_each(|listener| listener.window(&progress));
        let said: Vec<_> = listeners.iter_mut().flat_map(|listener| listener.events()).collect();
        said.iter().for_each(|(code, text)| self.note(complete.window.end(), code, text));
    }

    fn keep(&mut self, complete: &Complete) -> Result<(), StoreError> {
        let catalog = self.fleet.run().catalog().clone();
        self.writer.window(&complete.window, &catalog)?;
        if self.order.keep != KeepSamples::None {
            self.writer.samples(&complete.raw, &catalog)?;
        }
        self.slow_traces.window(&complete.raw);
        for failure in &complete.failures {
            self.writer.failure(failure)?;
            self.fold.failure(failure.clone());
        }
        self.fold.window(&complete.window);
        Ok(())
    }

    /// Keeps readings, and sends them where results are sent, with what is known of the workers so far.
    fn keep_readings(&mut self, resources: &[Resource]) -> Result<(), StoreError> {
        let Self { fleet, order, writer, fold, .. } = self;
        if fleet.is_sent() {
            let workers = ending::of_workers(fleet.run().now(), fleet.run(), order);
            resources.iter().chain(&workers).for_each(|resource| fleet.note(&notes::resource(resource)));
        }
        keep(resources, writer, fold)
    }

    /// Ends the run when a condition has not held for as long as its `abort` allows.
    fn look_at_conditions(&mut self) {
        if !self.aborts.any() || self.fold.interrupted {
            return;
        }
        let (plan, now) = (Arc::clone(self.fleet.run().plan()), self.fold.last_end());
        let violated = self.fold.violated(&plan, &self.fleet.run().catalog());
        let Some(index) = self.aborts.check(&violated, now) else {
            return;
        };
        let threshold = &plan.thresholds[index];
        let text = format!(
            "`{}` had not held for {}, so the run was ended",
            threshold.text,
            nmax_plan::units::format_duration(threshold.abort.unwrap_or_default())
        );
        self.stop();
        self.note(now, ABORTED, &text);
    }

    /// Starts nothing more.
    fn stop(&mut self) {
        if !self.fold.interrupted {
            self.fold.load_ended = Some(self.fleet.run().now());
            self.fold.interrupted = true;
            self.fleet.stop();
        }
    }

    /// What is not written is not measured: the run is cut off.
    fn break_off(&mut self, error: StoreError) {
        say(self.listeners, self.fleet.run().now(), "error", &format!("{error}\n  the run is stopped"));
        self.trouble = Some(error);
        self.fleet.cut();
    }

    /// Stops or cuts the run as often as the person asked, and as there is time.
    fn obey(&mut self, interrupts: &Interrupts) {
        let (count, spent) = (interrupts.count(), interrupts.hurried());
        if count > 0 && self.asked == 0 {
            self.stop();
            let how = match spent {
                Some(_) => "the process ends within 10 s",
                None => "Ctrl-C again cuts them off",
            };
            let text = format!("requests under way may end, everything is written; {how}.");
            say(self.listeners, self.fleet.run().now(), "Stopping", &text);
        }
        let cuts = count.saturating_sub(1) + u32::from(spent >= Some(ShutdownLimits::REQUESTS));
        if cuts > self.cuts {
            self.fleet.cut();
        }
        if count >= IMPATIENT || spent >= Some(ShutdownLimits::TEARDOWN) {
            self.fleet.leave();
        }
        (self.asked, self.cuts) = (count, cuts);
    }

    /// Does to the system under test what is due.
    fn advance(&mut self) {
        let now = self.fleet.run().now();
        let is_load_over = self.fleet.run().times().end.is_some_and(|end| now >= end);
        let is_over = is_load_over || self.fold.interrupted || self.trouble.is_some();
        let changes = match is_over {
            // Whatever was begun is undone before requests under way are waited for.
            true => self.timeline.retreat(),
            false => {
                let is_steady = self.timeline.awaits_steadiness() && self.fold.is_steady(&self.fleet.run().catalog());
                self.timeline.advance(now, is_steady)
            }
        };
        self.record_changes(now, &changes);
    }

    /// Writes down what happened to interventions.
    fn record_changes(&mut self, at: Nanos, changes: &[(usize, Change)]) {
        for (index, change) in changes {
            let name = &self.order.plan.timeline[*index].name;
            let (code, text) = match change {
                Change::Began => (happened::BEGAN, name.clone()),
                Change::Ended => (happened::ENDED, name.clone()),
                Change::NotDone => (happened::NOT_DONE, name.clone()),
                Change::Failed(why) => (happened::FAILED, format!("{name}: {why}")),
            };
            self.note(at, code, &text);
        }
    }

    /// Takes what sources saw last.
    fn stop_watching(&mut self) {
        let last = sides::last_readings(&self.order.plan, &self.tap, self.fleet.run().now());
        let seen = self.observer.stop();
        if self.trouble.is_some() {
            return;
        }
        for resources in [&seen.resources, &last] {
            if let Err(error) = self.keep_readings(resources) {
                self.break_off(error);
                break;
            }
        }
        self.tell_of_sources(seen.happenings);
    }

    /// Writes down which sources went and came back, and says so.
    fn tell_of_sources(&mut self, happenings: Vec<Happening>) {
        for happening in happenings {
            if observer::is_said(&happening) {
                self.note(happening.at, happening.code, &happening.text);
            } else {
                self.write_event(happening.at, happening.code, &self.order.plan.redactor.text(&happening.text));
            }
        }
    }

    /// Says and writes down what happened.
    fn note(&mut self, at: Nanos, code: &str, text: &str) {
        let text = &self.order.plan.redactor.text(text);
        say(self.listeners, at, code, text);
        self.write_event(at, code, text);
    }

    fn write_event(&mut self, at: Nanos, code: &str, text: &str) {
        self.fold.event(at, code, text);
        if self.trouble.is_none()
            && let Err(error) = self.writer.event(at, code, text)
        {
            self.break_off(error);
        }
    }

    /// Writes the end, judges and reports.
    fn conclude(mut self) -> Finished {
        let plan = &*Arc::clone(self.fleet.run().plan());
        let catalog = self.fleet.run().catalog().clone();
        let ended = match self.trouble {
            None => ended_at(plan, self.fleet.run(), self.fold.interrupted),
            // What came after the last window that was kept is not counted.
            Some(_) => self.fold.last_end(),
        };
        let asked = (self.asked > 0).then(|| "by a signal".to_owned()).or(self.wished.take());
        let is_asked = asked.is_some();
        let how = End {
            ended,
            asked,
            is_stopped: self.fold.interrupted || self.trouble.is_some(),
            is_broken: self.trouble.is_some(),
            beside: self.observer.beside(ended, self.fleet.run().times().hold),
        };
        let written = end(&mut self.writer, &mut self.fold, (self.fleet.run(), self.order), &catalog, how);
        let directory = self.writer.path().to_owned();
        let fidelity = self.feed.take().map(Feed::finish);
        let compared = fidelity.as_ref().map_or(Ok(()), |fidelity| fidelity.write(&directory));
        let sides = self.sides.take().and_then(Sides::finish);
        let compared = compared.and_then(|()| sides.as_ref().map_or(Ok(()), |found| sides::write(&directory, found)));
        let judged = self.fold.judge(plan, &catalog, None, sides.as_ref());
        let exit = exit_of(&judged.judgement, self.fold.totals());
        let of = |judged: &Judged, report_path: Option<String>| {
            let likeness = fidelity.as_ref().map(Fidelity::likeness);
            View::new(judged, plan, RunContext { run: info(&self.manifest), likeness, report_path })
        };
        let mut view = of(&judged, Some(directory.join("report.html").display().to_string()));
        view.since = since::since(Some(&self.order.runs_dir), &self.manifest, &view);
        let summary = format!("{:#}\n", json::summary(&view));
        let compared = compared.map_err(|source| StoreError::Io { action: "write", path: directory.clone(), source });
        match self.trouble {
            Some(_) => drop(self.writer),
            None => {
                let page = html::page(&view);
                let closed = written.and(compared).and_then(|()| self.writer.finish(&summary, &page));
                self.trouble = closed.err();
                if let Some(error) = &self.trouble {
                    say(self.listeners, ended, "error", &error.to_string());
                }
            }
        }
        if self.trouble.is_some() {
            // What is not in the directory is not measured: the answer is that of `nmax show`.
            let of_kept = || {
                let mut kept = Followed::open(&directory)?;
                let (judged, _) = kept.judge()?;
                Ok::<View, String>(kept.view(&Judged { ending: Ending::CutOff, ..judged }, None))
            };
            view = of_kept().unwrap_or_else(|_| of(&Judged { ending: Ending::CutOff, ..judged }, None));
        }
        let exit = match (is_asked, &self.trouble) {
            (true, _) => Exit::Interrupted,
            (false, Some(_)) => Exit::Unreachable,
            (false, None) => exit,
        };
        let data_ended = self.fleet.run().ended_early().filter(|_| self.fleet.run().broke_at().is_none());
        Finished {
            view,
            exit,
            directory,
            data_ended: data_ended.map(str::to_owned),
            trouble: self.trouble.map(|error| error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
