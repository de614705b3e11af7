//! A run on many injectors, from the side of the one who orders it: offered, followed, judged and written down as a run of
//! this machine is. It decides nothing that the injectors need, so it may end and come back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use nmax_analysis::{Fold, Judged};
use nmax_engine::Complete;
use nmax_engine::measure::exchange_events::ExchangeEvents;
use nmax_engine::measure::watch;
use nmax_engine::runtime::real::monotonic;
use nmax_fleet::coordinator::{Coordinator, Key};
use nmax_fleet::records::{Command, Readiness, Spec, Start, decode};
use nmax_fleet::results::Refused;
use nmax_fleet::{Batch, Item, Patience, Results, Taken};
use nmax_metrics::merger::Merged;
use nmax_metrics::names::NAMES_MAX;
use nmax_metrics::{Nanos, Window};
use nmax_report::{RunContext, View, html, json};
use nmax_sources::{RUN, figures};
use nmax_store::{InjectorRecord, LostWindows, Manifest, RunReader, RunWriter, StoreError};

use super::notes;
use crate::listener::{Listener, Progress};
use crate::session::{self, Finished, Order, SessionError, exit_of, info, manifest, reading};
use crate::signals::Interrupts;
use crate::{Exit, since};

/// How far behind the newest window the others may be before the run is shown without them, windows.
const BEHIND_MAX: u64 = 10;
/// How long it is waited in silence for what should be there.
const SILENCE: Nanos = Nanos::from_secs(5);
/// What is said of the way to the fleet.
const FLEET: &str = "FLEET";

/// A batch that came.
pub struct Arrival {
    /// The batch.
    pub batch: Batch,
    /// When the broker got it, ns since 1970 on its clock.
    pub at: Nanos,
    /// Says whether it was dealt with; else it comes again.
    pub answer: Box<dyn FnOnce(bool)>,
}

/// The way to the fleet.
pub trait Link {
    /// Where injectors and manager of the run agree.
    type Coordinator: Coordinator;

    /// Where they agree.
    fn coordinator(&mut self) -> &mut Self::Coordinator;

    /// The next batch.
    fn arrival(&mut self) -> Option<Arrival>;

    /// All batches come again, from the first one on.
    ///
    /// # Errors
    /// Why they cannot.
    fn rewind(&mut self) -> Result<(), String>;

    /// What began to fail on the way, or works again, since the last call.
    fn heard(&mut self) -> Vec<String>;

    /// How many messages were refused, by reason.
    fn refusals(&self) -> BTreeMap<&'static str, u64>;

    /// Asks something of the run.
    ///
    /// # Errors
    /// Why it could not be said.
    fn order(&mut self, command: Command) -> Result<(), String>;
}

/// Offers a run, follows it to its end, and writes down what came of it.
///
/// # Errors
/// Why it did not begin.
pub fn conduct(
    order: &Order,
    spec: &Spec,
    link: &mut impl Link,
    interrupts: &Interrupts,
    listeners: &mut [&mut dyn Listener],
) -> Result<Finished, SessionError> {
    let mut manager = nmax_fleet::Manager::new(spec);
    let mut results = results(order, spec);
    let origin = loop {
        let step = manager.step(link.coordinator(), &mut results, monotonic());
        step.map_err(|error| SessionError::Fleet(vec![error.to_string()]))?;
        match manager.start() {
            Some(Start::Go { origin_ns, .. }) => break Nanos(*origin_ns),
            Some(Start::Refused(why)) => return Err(SessionError::Fleet(why.clone())),
            None if interrupts.count() > 0 => {
                let _ = link.order(Command::Stop);
                return Err(SessionError::Fleet(vec!["it was stopped before it began".into()]));
            }
            None => {
                let heard = link.heard();
                each(listeners, &mut |listener| heard.iter().for_each(|text| listener.event(Nanos::ZERO, FLEET, text)));
                session::pause();
            }
        }
    };
    let mut attempt = Attempt::new(order, spec, link, results, origin)?;
    attempt.follow(link, &mut manager, interrupts, Some(listeners));
    if attempt.results.counts().late > 0 {
        // What came late is where it belongs once everything is folded again, in order.
        link.rewind().map_err(|error| SessionError::Fleet(vec![error]))?;
        let (found, earlier) = attempt.remove()?;
        let mut manager = nmax_fleet::Manager::new(spec);
        let mut results = self::results(order, spec);
        results.know_grants_of(&earlier);
        attempt = Attempt::new(order, spec, link, results, origin)?;
        (attempt.commanded, attempt.is_ended_by_others) = found;
        attempt.follow(link, &mut manager, interrupts, None);
    }
    each(listeners, &mut |listener| listener.ended());
    for (reason, count) in link.refusals() {
        attempt.event(attempt.fold.last_end(), "MESSAGES_REFUSED", &format!("{count} messages do not count: {reason}"));
    }
    Ok(attempt.conclude())
}

fn each(listeners: &mut [&mut dyn Listener], say: &mut dyn FnMut(&mut dyn Listener)) {
    listeners.iter_mut().for_each(|listener| say(&mut **listener));
}

fn results(order: &Order, spec: &Spec) -> Results {
    Results::new(spec, nmax_engine::program::catalog(&order.plan, NAMES_MAX))
}

/// The directory of a run that is written from what injectors send.
struct Attempt<'a> {
    order: &'a Order,
    spec: &'a Spec,
    origin: Nanos,
    manifest: Manifest,
    writer: RunWriter,
    fold: Fold,
    results: Results,
    injectors: Vec<InjectorRecord>,
    newest: u64,
    commanded: Option<Command>,
    /// Somebody else asked for the end.
    is_ended_by_others: bool,
    trouble: Option<StoreError>,
}

impl<'a> Attempt<'a> {
    fn new(
        order: &'a Order,
        spec: &'a Spec,
        link: &mut impl Link,
        results: Results,
        origin: Nanos,
    ) -> Result<Self, SessionError> {
        let mut manifest = manifest(order);
        manifest.id.clone_from(&spec.run);
        manifest.started_at = jiff::Timestamp::from_nanosecond(i128::from(origin.0)).unwrap_or_default().to_string();
        let mut writer = create(order, &manifest)?;
        let mut fold = reading::fold(&order.plan);
        let ready: Vec<Option<Readiness>> = (0..spec.shards.len() as u32)
            .map(|shard| {
                link.coordinator().once(Key::Ready(shard), None).and_then(|bytes| decode("ready", &bytes).ok())
            })
            .collect();
        let record = |(shard, ready): (usize, &Option<Readiness>)| InjectorRecord {
            name: ready.as_ref().map_or_else(|| format!("injector-{shard}"), |ready| ready.injector.clone()),
            region: ready.as_ref().and_then(|ready| ready.region.clone()),
            shard: shard as u32,
            ..InjectorRecord::default()
        };
        let injectors: Vec<InjectorRecord> = ready.iter().enumerate().map(record).collect();
        writer.injectors(&manifest, &injectors)?;
        reading::tell_apart(&mut fold, injectors.iter());
        let mut attempt = Self {
            order,
            spec,
            origin,
            manifest,
            writer,
            fold,
            results,
            injectors,
            newest: 0,
            commanded: None,
            is_ended_by_others: false,
            trouble: None,
        };
        for (code, text) in &order.warnings {
            attempt.event(Nanos::ZERO, code, text);
        }
        for (shard, ready) in ready.iter().enumerate() {
            if let Some(ready) = ready {
                let error = Nanos(ready.clock_error_ns).as_secs_f64();
                attempt.reading(shard, Nanos::ZERO, figures::CLOCK_ERROR_S, error);
            }
        }
        Ok(attempt)
    }

    /// Takes the directory away again; what was asked of the run here, whether others asked for its end, and what was folded.
    fn remove(self) -> Result<((Option<Command>, bool), Results), SessionError> {
        let path = self.writer.path().to_owned();
        drop(self.writer);
        std::fs::remove_dir_all(&path).map_err(|source| StoreError::Io { action: "remove", path, source })?;
        Ok(((self.commanded, self.is_ended_by_others), self.results))
    }

    /// Takes what comes until all is there, or cannot come any more.
    fn follow(
        &mut self,
        link: &mut impl Link,
        manager: &mut nmax_fleet::Manager,
        interrupts: &Interrupts,
        mut listeners: Option<&mut [&mut dyn Listener]>,
    ) {
        let is_live = listeners.is_some();
        let hard_stop = is_live.then(|| self.origin + Nanos(self.spec.hard_stop_ns));
        let (began, mut is_said) = (monotonic(), !is_live);
        let planned = Nanos(self.spec.lead_ns + self.spec.end_ns.min(self.spec.hard_stop_ns));
        let mut patience = Patience::new(hard_stop, began);
        loop {
            self.look_for_grants(link, manager, &mut listeners);
            self.is_ended_by_others |= self.commanded.is_none() && link.coordinator().command().is_some();
            for text in link.heard() {
                self.say(FLEET, &text, &mut listeners);
            }
            let mut has_come = false;
            while let Some(Arrival { batch, at, answer }) = link.arrival() {
                has_come = true;
                let taken = self.take(batch, at);
                answer(taken.is_some());
                match taken {
                    Some(taken) => self.add(taken, &mut listeners),
                    // What waits for its grant comes before what arrives after it.
                    None => self.look_for_grants(link, manager, &mut listeners),
                }
            }
            if is_live {
                let released = self.results.release(self.newest.saturating_sub(BEHIND_MAX));
                self.add(released, &mut listeners);
            }
            if self.results.is_complete() {
                break;
            }
            let now = monotonic();
            link.coordinator().stamps(now).iter().for_each(|stamps| patience.heard(stamps));
            if has_come {
                patience.came(now);
                continue;
            }
            // What comes late may come from an injector, or through a broker, that was cut off for long.
            if patience.is_over(now) || interrupts.count() > 2 {
                break;
            }
            if !is_said && now.since(began) > planned + SILENCE && patience.quiet(now) > SILENCE {
                is_said = true;
                let text = format!(
                    "no results of {} so far; waiting for them until 15 s after the hard stop; Ctrl-C three times ends it",
                    self.missing()
                );
                self.say("WAITING", &text, &mut listeners);
            }
            self.obey(link, interrupts, &mut listeners);
            session::pause();
        }
        let rest = self.results.close();
        self.add(rest, &mut listeners);
    }

    /// Injectors whose results are not all there, in words.
    fn missing(&self) -> String {
        let shards: BTreeSet<u32> = self.results.lost().iter().map(|lost| lost.shard).collect();
        let names: Vec<&str> = shards.iter().map(|shard| self.injectors[*shard as usize].name.as_str()).collect();
        if names.is_empty() { "the end of a part".into() } else { names.join(", ") }
    }

    /// Takes what waited for a grant that is known by now.
    fn look_for_grants(
        &mut self,
        link: &mut impl Link,
        manager: &mut nmax_fleet::Manager,
        listeners: &mut Option<&mut [&mut dyn Listener]>,
    ) {
        match manager.step(link.coordinator(), &mut self.results, monotonic()) {
            Ok(taken) => self.add(taken, listeners),
            Err(error) => self.say("RECORD_REFUSED", &error.to_string(), listeners),
        }
        for (shard, grant) in manager.take_grants() {
            let at = Nanos(grant.from.saturating_mul(self.spec.window_ns));
            let (one, other) = (&self.injectors[shard as usize].name, &grant.injector);
            let text = format!("{other} goes on with part {shard} of {one} from {:.1} s on", at.as_secs_f64());
            self.say("TAKEN_OVER", &text, listeners);
        }
    }

    fn take(&mut self, batch: Batch, at: Nanos) -> Option<Taken> {
        let shard = batch.id.shard as usize;
        match &batch.item {
            Item::Window { index, .. } => self.newest = self.newest.max(*index),
            Item::End(end) if shard < self.injectors.len() => {
                let end = end.clone();
                let last = Nanos(end.windows.saturating_mul(self.spec.window_ns));
                self.reading(shard, last, figures::CLOCK_ERROR_S, Nanos(end.clock_error_ns).as_secs_f64());
                self.reading(shard, last, figures::CLOCK_JUMP_S, Nanos(end.clock_moved_ns).as_secs_f64());
                if let Some(why) = &end.why {
                    let text = format!("{}: its load ended before its time: {why}", self.injectors[shard].name);
                    self.event(last, "INJECTOR_ENDED", &text);
                }
            }
            Item::End(_) => {}
        }
        match self.results.take(batch, Some(at.since(self.origin))) {
            Ok(taken) => Some(taken),
            Err(Refused::Early) => None,
            Err(Refused::Duplicate) => Some(Taken::default()),
            Err(error) => {
                let at = self.fold.last_end();
                self.event(at, "BATCH_REFUSED", &format!("a batch of part {shard} does not count: {error}"));
                Some(Taken::default())
            }
        }
    }

    /// Writes down what came.
    fn add(&mut self, taken: Taken, listeners: &mut Option<&mut [&mut dyn Listener]>) {
        for (shard, lines) in taken.notes {
            let name = self.injectors[shard as usize].name.clone();
            for resource in notes::resources(&lines, &name) {
                self.fold.resource(&resource);
                self.write(|writer| writer.resource(&resource));
            }
        }
        for Merged { window, parts } in taken.merged {
            let catalog = self.results.catalog().clone();
            self.write(|writer| writer.window(&window, &catalog));
            self.fold.window(&window);
            for (shard, part) in parts {
                self.write(|writer| writer.part(shard as usize, &part));
                self.fold.part(shard as usize, &part);
            }
            let complete = complete(window);
            let Self { manifest, fold, order, spec, .. } = self;
            let end = (spec.end_ns < spec.hard_stop_ns).then_some(Nanos(spec.end_ns));
            let progress = Progress { manifest, plan: &order.plan, end, complete: &complete, fold, catalog: &catalog };
            for listener in listeners.iter_mut().flat_map(|listeners| listeners.iter_mut()) {
                listener.window(&progress);
            }
        }
    }

    /// Asks the injectors for the end as often as a person does here.
    fn obey(
        &mut self,
        link: &mut impl Link,
        interrupts: &Interrupts,
        listeners: &mut Option<&mut [&mut dyn Listener]>,
    ) {
        let command = match interrupts.count() {
            0 => return,
            1 => Command::Stop,
            _ => Command::Cut,
        };
        if Some(command) <= self.commanded {
            return;
        }
        self.commanded = Some(command);
        let text = match link.order(command) {
            Ok(()) => {
                "all injectors are asked to end; Ctrl-C again cuts off what is under way, a third leaves them".into()
            }
            Err(error) => format!("the injectors could not be asked to end: {error}"),
        };
        let now = self.fold.last_end();
        if let Some(listeners) = listeners {
            each(listeners, &mut |listener| listener.event(now, "Stopping", &text));
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut RunWriter) -> Result<(), StoreError>) {
        if self.trouble.is_none() {
            self.trouble = write(&mut self.writer).err();
        }
    }

    fn event(&mut self, at: Nanos, code: &str, text: &str) {
        let text = &self.order.plan.redactor.text(text);
        self.fold.event(at, code, text);
        self.write(|writer| writer.event(at, code, text));
    }

    /// Writes it down, and says it.
    fn say(&mut self, code: &str, text: &str, listeners: &mut Option<&mut [&mut dyn Listener]>) {
        let at = self.fold.last_end();
        self.event(at, code, text);
        if let Some(listeners) = listeners {
            each(listeners, &mut |listener| listener.event(at, code, text));
        }
    }

    /// Writes down a figure of an injector.
    fn reading(&mut self, shard: usize, at: Nanos, figure: nmax_sources::Figure, value: f64) {
        let resource = nmax_metrics::Resource {
            host: self.injectors[shard].name.clone(),
            ..watch::resource(at, RUN, figure, value)
        };
        self.fold.resource(&resource);
        self.write(|writer| writer.resource(&resource));
    }

    /// Writes the end, judges and reports.
    fn conclude(mut self) -> Finished {
        let ended = self.fold.last_end();
        for lost in self.results.lost() {
            let injector = &mut self.injectors[lost.shard as usize];
            injector.gaps.push(LostWindows { from: lost.windows.start, to: lost.windows.end });
            let text = format!("{}: {:.1} s of part {} are lost", injector.name, lost.seconds, lost.shard);
            self.event(Nanos(lost.windows.start.saturating_mul(self.spec.window_ns)), "RESULTS_LOST", &text);
        }
        let counts = self.results.counts();
        if counts.doubled > 0 {
            self.event(ended, "LOAD_DOUBLED", &format!("{} windows were loaded by two injectors", counts.doubled));
        }
        let is_stopped_here = self.commanded.is_some();
        let is_stopped = is_stopped_here || self.is_ended_by_others;
        for shard in 0..self.injectors.len() {
            self.reading(shard, ended, figures::ENDED_S, ended.as_secs_f64());
            self.reading(shard, ended, figures::INTERRUPTED, f64::from(u8::from(is_stopped)));
        }
        if is_stopped {
            let how = if is_stopped_here { "by a signal" } else { "from elsewhere" };
            self.event(ended, "INTERRUPTED", &format!("the run was stopped {how}"));
        }
        let (manifest, records) = (self.manifest.clone(), self.injectors.clone());
        self.write(|writer| writer.injectors(&manifest, &records));
        for (injector, record) in self.fold.injectors.iter_mut().zip(&self.injectors) {
            injector.facts.gaps = reading::gaps(record);
        }
        let plan = &self.order.plan;
        let judged: Judged = self.fold.judge(plan, self.results.catalog(), None, None);
        let exit = if is_stopped_here { Exit::Interrupted } else { exit_of(&judged.judgement, self.fold.totals()) };
        let directory = self.writer.path().to_owned();
        let report_path = Some(directory.join("report.html").display().to_string());
        let mut view = View::new(&judged, plan, RunContext { run: info(&self.manifest), likeness: None, report_path });
        view.since = since::since(Some(&self.order.runs_dir), &self.manifest, &view);
        if self.trouble.is_none() {
            let summary = format!("{:#}\n", json::summary(&view));
            self.trouble = self.writer.finish(&summary, &html::page(&view)).err();
        }
        let trouble = self.trouble.map(|error| error.to_string());
        Finished { view, exit, directory, data_ended: None, trouble }
    }
}

/// The directory of the run. One that was left by a process that ended is replaced: all of it comes again.
fn create(order: &Order, manifest: &Manifest) -> Result<RunWriter, StoreError> {
    let root = &order.runs_dir;
    let error = |action: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io { action, path, source }
    };
    std::fs::create_dir_all(root).map_err(error("create", root))?;
    // Several processes may follow a run into a folder: none takes away what another has begun. A file system without locks
    // leaves that to chance.
    let folder = File::open(root).map_err(error("open", root))?;
    let _ = folder.lock();
    let created = RunWriter::create(root, manifest);
    let Err(StoreError::Exists { path }) = &created else { return created };
    if RunReader::open_damaged(path).is_ok_and(|run| run.is_running()) {
        return created;
    }
    std::fs::remove_dir_all(path).map_err(error("replace", path))?;
    RunWriter::create(root, manifest)
}

/// A window as listeners see those of this machine.
fn complete(window: Window) -> Complete {
    Complete { window, raw: Vec::new(), exchange_events: ExchangeEvents::default(), failures: Vec::new() }
}
