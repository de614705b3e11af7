//! A run that is in its directory.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use nmax_analysis::summary::DAMAGED;
use nmax_analysis::{Ending, Fold, Judged};
use nmax_metrics::{Catalog, Nanos, Reading, Window, rollup};
use nmax_plan::plan::Plan;
use nmax_report::{RunContext, View};
use nmax_sources::RUN;
use nmax_store::{Event, Follower, InjectorRecord, Manifest, RunReader, StoreError};

use super::Finished;
use super::ending::exit_of;
use super::manifest::info;
use crate::control::STEERED;
use crate::plan::plan_of_manifest;
use crate::{Exit, since};

/// Most windows that were read and wait to be folded in.
const AHEAD: usize = 4;

/// The result of a run that is in its directory, complete or cut short.
pub fn read(directory: &Path) -> Result<Finished, String> {
    let mut followed = Followed::open(directory)?;
    let mut finished = followed.refresh()?;
    finished.view.since = since::since(directory.parent(), followed.follower.manifest(), &finished.view);
    Ok(finished)
}

/// A run in its directory that is read on and on while it is being written.
pub struct Followed {
    directory: PathBuf,
    follower: Follower,
    plan: Plan,
    fold: Fold,
    /// Only this part of the run is read.
    span: Option<(Nanos, Nanos)>,
    /// Nothing was read yet.
    is_unread: bool,
    /// How many injectors are told apart.
    injectors: usize,
}

impl Followed {
    /// Reads nothing yet but what was run.
    pub fn open(directory: &Path) -> Result<Self, String> {
        let run = RunReader::open_damaged(directory).map_err(|error| error.to_string())?;
        let plan = plan_of_manifest(&run.manifest().plan)?;
        let times = nmax_engine::times(&plan);
        // Of a run without a planned end the length is known by what is written.
        let written = times.end.is_none().then(|| run.last_end()).transpose().map_err(|error| error.to_string())?;
        let mut fold = Fold::of_length(&plan, times.hold, times.end, times.end.or(written.flatten()));
        fold.injectors[0].facts.workers = run.manifest().workers as u32;
        let follower = run.follow_by(fold.window_width()).map_err(|error| error.to_string())?;
        Ok(Self { directory: directory.to_owned(), follower, plan, fold, span: None, is_unread: true, injectors: 0 })
    }

    /// The same of a part of a run: what was due or ended from `from` until `until`, ramps and warm-up too, counts as its hold.
    pub fn between(directory: &Path, (from, until): (Nanos, Nanos)) -> Result<View, String> {
        let run = RunReader::open_damaged(directory).map_err(|error| error.to_string())?;
        let plan = plan_of_manifest(&run.manifest().plan)?;
        let window = Nanos(run.manifest().window_ns);
        let new = |span: (Nanos, Nanos)| Fold::of_length(&plan, span, Some(span.1), Some(span.1.since(span.0)));
        let width = new((from, until)).window_width();
        let whole = |ns: u64| ns / width.0 * width.0;
        let span = (Nanos(whole(from.0)), Nanos(whole(until.0 + width.0 - 1)));
        let fold = new(span);
        // What lies before a short span is passed over by the widest windows that there are.
        let is_fine = width == window;
        let by = if is_fine { rollup::WIDEST } else { width };
        let mut follower = run.follow_by(by).map_err(|error| error.to_string())?;
        if is_fine {
            follower.pass_to(span.0);
        }
        let directory = directory.to_owned();
        let mut followed = Self { directory, follower, plan, fold, span: Some(span), is_unread: true, injectors: 0 };
        followed.follower.refresh().map_err(|error| error.to_string())?;
        followed.take(true, &mut |_| {}).map_err(|error| error.to_string())?;
        let judged = followed.fold.judge(&followed.plan, followed.follower.catalog(), None, None);
        Ok(followed.view(&judged, None))
    }

    /// What is run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What is known before the run.
    pub fn manifest(&self) -> &Manifest {
        self.follower.manifest()
    }

    /// The names behind ids, as of the last look.
    pub fn catalog(&self) -> &Catalog {
        self.follower.catalog()
    }

    /// Everything so far.
    pub fn fold(&self) -> &Fold {
        &self.fold
    }

    /// Reads what came since the last look, and tells of each; whether the run goes on. Costs as much as what is new.
    pub fn read_on(&mut self, told: &mut dyn FnMut(RunRecord<'_>)) -> Result<bool, String> {
        let is_running = self.follower.is_running();
        self.fill(is_running, told).map_err(|error| error.to_string())?;
        Ok(is_running)
    }

    /// The result of everything so far; reads what came since the last look.
    pub fn refresh(&mut self) -> Result<Finished, String> {
        let is_running = self.read_on(&mut |_| {})?;
        self.result(is_running)
    }

    /// The result of what was read, without a look for more.
    ///
    /// - `is_running`: whether the run went on then
    pub fn result(&mut self, is_running: bool) -> Result<Finished, String> {
        let (judged, exit) = self.judged(is_running)?;
        let report = self.directory.join("report.html");
        let view = self.view(&judged, report.exists().then(|| report.display().to_string()));
        Ok(Finished { view, exit, directory: self.directory.clone(), data_ended: None, trouble: None })
    }

    pub(super) fn judge(&mut self) -> Result<(Judged, Exit), String> {
        let is_running = self.read_on(&mut |_| {})?;
        self.judged(is_running)
    }

    fn judged(&mut self, is_running: bool) -> Result<(Judged, Exit), String> {
        let fold = &mut self.fold;
        let is_cut_off = !is_running && (fold.ended.is_none() || is_unfinished(fold, &self.directory));
        fold.interrupted |= is_cut_off;
        let ending = match (is_running, is_cut_off) {
            (true, _) => Some(Ending::Running),
            (false, true) => Some(Ending::CutOff),
            (false, false) => None,
        };
        let sides = crate::sides::stored(&self.directory);
        let judged = fold.judge(&self.plan, self.follower.catalog(), ending, sides.as_ref());
        let exit = exit_of(&judged.judgement, fold.totals());
        Ok((judged, exit))
    }

    pub(super) fn view(&self, judged: &Judged, report_path: Option<String>) -> View {
        let likeness = crate::fidelity::stored(&self.directory).map(|stored| stored.likeness());
        View::new(judged, &self.plan, RunContext { run: info(self.follower.manifest()), likeness, report_path })
    }

    /// Folds in what is new.
    fn fill(&mut self, is_running: bool, told: &mut dyn FnMut(RunRecord<'_>)) -> Result<(), StoreError> {
        let has_more = self.follower.refresh()? | std::mem::take(&mut self.is_unread);
        self.take(has_more, told)?;
        let Self { follower, fold, .. } = self;
        if !is_running {
            let written = follower.last_end()?.unwrap_or_default();
            fold.known_end(written);
        }
        for damage in follower.damage(!is_running) {
            fold.event(fold.last_end(), DAMAGED, &damage.in_short());
        }
        Ok(())
    }

    /// Folds in what can be read, as far as it is of the span that is asked for.
    ///
    /// - `has_more`: there are windows that were not read
    fn take(&mut self, has_more: bool, told: &mut dyn FnMut(RunRecord<'_>)) -> Result<(), StoreError> {
        let Self { follower, fold, span, plan, injectors, .. } = self;
        let span = *span;
        let known: Vec<&InjectorRecord> = follower.injectors().collect();
        if known.len() > std::mem::replace(injectors, known.len()) {
            tell_apart(fold, known.iter().copied());
        }
        fold.injectors.iter_mut().zip(known).for_each(|(injector, known)| injector.facts.gaps = gaps(known));
        let is_within = move |at: Nanos| span.is_none_or(|(from, until)| (from..until).contains(&at));
        while let Some(reading) = follower.reading()? {
            if is_within(reading.resource.at) || reading.resource.source == RUN {
                fold.reading(&reading);
                told(RunRecord::Reading(&reading));
            }
        }
        // The end is looked for in the file, so only when there is another one.
        let written = if has_more { follower.last_end()?.unwrap_or_default() } else { fold.last_end() };
        if span.is_none() {
            follower.fine_from(fold.fine_from(written));
        }
        let within = |window: &Window, (from, until): (Nanos, Nanos)| {
            let is_in = window.start() >= from && window.end() <= until;
            is_in.then(|| Window { aggregate: window.aggregate.whole(), ..window.clone() })
        };
        windows(follower, |window| match span {
            Some(span) => {
                within(window, span).iter().for_each(|window| fold.window(window));
                window.end() < span.1
            }
            None => {
                fold.window(window);
                told(RunRecord::Window(window));
                true
            }
        })?;
        for injector in 0..*injectors {
            while let Some(window) = follower.part(injector)? {
                match span {
                    Some(span) => within(&window, span).iter().for_each(|window| fold.part(injector, window)),
                    None => fold.part(injector, &window),
                }
            }
        }
        while fold.takes_failures()
            && let Some(failure) = follower.failure()?
        {
            if is_within(failure.at) {
                fold.failure(failure);
            }
        }
        let mut is_steered = false;
        while let Some(event) = follower.event()? {
            is_steered |= event.code == STEERED;
            if is_within(event.at) {
                fold.event(event.at, &event.code, &event.text);
                told(RunRecord::Event(&event));
            }
        }
        // What is run is written before the event that tells of it.
        if is_steered && let Ok(steered) = plan_of_manifest(&follower.reload()?.plan) {
            if span.is_none() {
                fold.steer(&steered, nmax_engine::times(&steered).hold);
            }
            *plan = steered;
        }
        Ok(())
    }
}

/// Something that was read of a run.
pub enum RunRecord<'a> {
    /// A window, or several that are added up.
    Window(&'a Window),
    /// What was read of a figure of a host.
    Reading(&'a Reading),
    /// Something happened.
    Event(&'a Event),
}

/// Takes the windows that are new as long as more are wanted, while another thread reads on.
fn windows(follower: &mut Follower, mut take_one: impl FnMut(&Window) -> bool) -> Result<(), StoreError> {
    std::thread::scope(|scope| {
        let (give, take) = sync_channel(AHEAD);
        let reader = scope.spawn(move || {
            while let Some(window) = follower.window()?
                && give.send(window).is_ok()
            {}
            Ok(())
        });
        while let Ok(window) = take.recv()
            && take_one(&window)
        {}
        drop(take);
        reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Nothing yet of a run of this plan.
pub(crate) fn fold(plan: &Plan) -> Fold {
    let times = nmax_engine::times(plan);
    Fold::new(plan, times.hold, times.end)
}

/// What these injectors of a run measure is told apart from now on.
pub(crate) fn tell_apart<'a>(fold: &mut Fold, all: impl Iterator<Item = &'a InjectorRecord> + Clone) {
    fold.tell_apart(&all.clone().map(|injector| injector.name.as_str()).collect::<Vec<_>>());
    for (injector, InjectorRecord { region, shard, workers, .. }) in fold.injectors.iter_mut().zip(all) {
        let facts = &mut injector.facts;
        (facts.region, facts.shard, facts.workers) = (region.clone(), *shard, *workers);
    }
}

/// Windows of an injector that never came.
pub(crate) fn gaps(injector: &InjectorRecord) -> Vec<Range<u64>> {
    injector.gaps.iter().map(|lost| lost.from..lost.to).collect()
}

/// Whether a run whose numbers are complete was cut off all the same: its summary, which is written last, is missing, or
/// was made of such a run later on.
fn is_unfinished(fold: &Fold, directory: &Path) -> bool {
    let entry = nmax_store::entry(directory);
    entry.is_none_or(|entry| !entry.finished || (entry.interrupted && !fold.interrupted))
}

#[cfg(test)]
mod tests;
