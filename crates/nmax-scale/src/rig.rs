//! Runs levels, one after the other, and says what became of each.

mod clock;
mod inspect;

use std::sync::Arc;
use std::time::{Duration, Instant};

use nmax_engine::StartError;
use nmax_plan::choice::{GOLDEN, mix64};
use nmax_plan::plan::Plan;
use nmax_plan::threshold::Threshold;
use nmax_report::scalability::Level;
use nmax_run::signals::Interrupts;
use nmax_run::{Exit, Finished, Order, SessionError, Trouble};
use nmax_usl::design::{Outcome, TimeLeft};
use nmax_usl::search::Judged;
use nmax_usl::{Observation, Options};

use clock::Clock;
pub(crate) use clock::now;

use crate::axis::Load;
use crate::folder::{Facts, Folder, RUNS};
use crate::level::{self, COUNT_WANTED, Times};
use crate::listener::{Curve, LevelStarted, Listener};
use crate::measure::Count;
use crate::runner::Runner;
use crate::task::Task;

/// What a level is run for.
#[derive(Clone, Debug)]
pub(crate) struct LevelRequest {
    /// Load.
    pub(crate) level: f64,
    /// `ramp`, `refine`, ...
    pub(crate) purpose: &'static str,
    /// Names and values of the knobs.
    pub(crate) setting: Vec<(String, String)>,
    /// What grows, where two ways to grow are compared.
    pub(crate) side: Option<Load>,
}

/// What became of it.
#[derive(Clone, Debug)]
pub(crate) enum Tried {
    /// A measurement, or why there is none.
    Level(Box<LevelResult>),
    /// A person asked for the end.
    Interrupted,
}

/// A level that was run.
#[derive(Clone, Debug)]
pub(crate) struct LevelResult {
    /// As the campaign takes it.
    pub(crate) outcome: Outcome,
    /// As the report shows it.
    pub(crate) row: Level,
    /// What else is known.
    pub(crate) facts: Facts,
    /// The level held against the objective, where there is one.
    pub(crate) judged: Option<Judged>,
    /// Why the verdict is FAIL, where it is.
    pub(crate) failed: Option<String>,
    /// Whether the target was not there.
    pub(crate) is_gone: bool,
    /// How the campaign ends where this is the first level and says nothing.
    pub(crate) exit: Exit,
    /// Iterations of the mix per second, good or not.
    pub(crate) iterations_per_s: Option<f64>,
}

impl LevelResult {
    /// As an observation of the law.
    pub(crate) fn observation(&self) -> Option<Observation> {
        let Outcome::Measured { n, x, r_s, count } = self.outcome else {
            return None;
        };
        Some(Observation { n, x, r_s, weight: 1.0, row: self.row.number, count })
    }
}

/// What stays the same over all levels.
pub(crate) struct Rig<'a> {
    /// Who puts on the load.
    runner: Box<dyn Runner>,
    /// Everything of a run but its plan, directory and name.
    pub(crate) order: Order,
    /// The plan as it was given.
    pub(crate) base: Arc<Plan>,
    pub(crate) load: Load,
    pub(crate) count: Count,
    pub(crate) times: Times,
    pub(crate) objective: Option<Threshold>,
    pub(crate) seed: u64,
    pub(crate) folder: Folder,
    pub(crate) interrupts: &'a Interrupts,
    pub(crate) listener: &'a mut dyn Listener,
    /// Whether levels belong to settings of the system under test.
    pub(crate) has_knobs: bool,
    /// Pauses of an iteration, seconds; `None` when they are not known.
    pub(crate) think_s: Option<f64>,
    /// Exchanges of an iteration; `None` when they are not known.
    pub(crate) exchanges: Option<f64>,
    /// Iterations of a run until the data of the mix end; `None` when they do not.
    rows_max: Option<u64>,
    /// Every level so far.
    pub(crate) rows: Vec<LevelResult>,
    /// How many of them were said.
    told: usize,
    clock: Clock,
}

impl<'a> Rig<'a> {
    pub(crate) fn new(
        (runner, order): (Box<dyn Runner>, Order),
        task: &Task,
        folder: Folder,
        began: Instant,
        interrupts: &'a Interrupts,
        listener: &'a mut dyn Listener,
    ) -> Self {
        let base = Arc::clone(&order.plan);
        Self {
            load: task.axes.load,
            count: task.count.clone(),
            times: task.times,
            objective: task.find.as_ref().map(|(_, threshold)| threshold.clone()),
            seed: base.seed,
            folder,
            interrupts,
            listener,
            think_s: crate::think::mean_s(&base),
            exchanges: crate::think::exchanges(&base),
            rows_max: crate::data::rows_max(&base).map(|(_, rows)| rows),
            has_knobs: !task.axes.knobs.is_empty(),
            rows: Vec::new(),
            told: 0,
            clock: Clock::start(began, task.budget, runner.overhead()),
            runner,
            base,
            order,
        }
    }

    /// Time since the beginning.
    pub(crate) fn spent(&self) -> Duration {
        self.clock.spent()
    }

    /// Whether a person asked for the end.
    pub(crate) fn is_over(&self) -> bool {
        self.interrupts.count() > 0
    }

    /// What is left until a moment of the budget, for a campaign.
    ///
    /// - `until`: share of the budget that it may use
    pub(crate) fn time_left(&self, until: f64) -> TimeLeft {
        let end = self.clock.budget.mul_f64(until.clamp(0.0, 1.0));
        TimeLeft::Seconds {
            left: end.saturating_sub(self.clock.spent()).as_secs_f64(),
            trial: (self.times.total() + self.clock.overhead).as_secs_f64(),
        }
    }

    /// Share of the budget that is spent.
    pub(crate) fn spent_share(&self) -> f64 {
        self.clock.spent().as_secs_f64() / self.clock.budget.as_secs_f64().max(1e-9)
    }

    /// Runs a level, for long enough to count its completions as far as is known.
    ///
    /// One that does not stand still is run again with twice the time, and one that counted few for as long as that
    /// takes, if it fits; then it is used as it is, and says so.
    pub(crate) fn run(&mut self, asked: &LevelRequest) -> Result<Tried, Trouble> {
        let wanted = self.known_x(asked).map_or(self.times, |x| self.times.for_count(x));
        let times = if self.clock.has(wanted.total()) { wanted } else { self.times };
        let mut tried = self.run_for(asked, times)?;
        if let Tried::Level(kept) = &tried
            && matches!(kept.outcome, Outcome::Measured { .. })
            && let Some(longer) = self.longer(kept, times)
            && self.clock.has(longer.total())
            && !self.is_over()
        {
            if let Some(last) = self.rows.last_mut() {
                last.row.used = false;
                let and = if last.row.why.is_empty() { "" } else { "; " };
                last.row.why = format!("{}{and}run again for longer", last.row.why);
            }
            self.write_last(self.grows(asked))?;
            tried = self.run_for(asked, longer)?;
        }
        self.write_last(self.grows(asked))?;
        Ok(tried)
    }

    /// What grows in a level.
    fn grows(&self, asked: &LevelRequest) -> Load {
        asked.side.unwrap_or(self.load)
    }

    /// Throughput to be expected: as measured at the same level or else at the nearest one below, or as a rate asks for.
    fn known_x(&self, asked: &LevelRequest) -> Option<f64> {
        let setting = setting_words(asked);
        let measured = self.rows.iter().filter(|kept| {
            let is_measured = matches!(kept.outcome, Outcome::Measured { .. });
            is_measured && kept.row.level <= asked.level && kept.row.setting == setting
        });
        let nearest = measured.max_by(|a, b| a.row.level.total_cmp(&b.row.level));
        let due = (self.load == Load::Rate).then_some(asked.level);
        nearest.and_then(|kept| kept.row.x).or(due)
    }

    /// How long a level should have taken, where it should be run again.
    fn longer(&self, kept: &LevelResult, times: Times) -> Option<Times> {
        let for_count = kept.row.x.map_or(times, |x| self.times.for_count(x));
        let has_few = kept.facts.completions.is_some_and(|count| (count as f64) < COUNT_WANTED);
        let longer = match has_few && for_count.total() > times.total() {
            true => Some(for_count),
            false => kept.facts.moves.and_then(|_| times.longer(self.times)),
        };
        longer.filter(|longer| self.has_data(kept, *longer))
    }

    /// Whether the data last for a level of that length, at the pace of one that was run.
    fn has_data(&self, kept: &LevelResult, times: Times) -> bool {
        let needed = kept.iterations_per_s.map(|per_s| per_s * times.total().as_secs_f64());
        match (self.rows_max, needed) {
            (Some(rows), Some(needed)) => needed < rows as f64,
            _ => true,
        }
    }

    /// Says what the last level was, and writes it down, once; with knobs its use is decided with its setting.
    fn write_last(&mut self, load: Load) -> Result<(), Trouble> {
        // A run that was interrupted before it began leaves no level.
        if self.told == self.rows.len() {
            return Ok(());
        }
        self.told = self.rows.len();
        let Some(last) = self.rows.last() else { return Ok(()) };
        self.listener.ended(load, &last.row);
        if self.has_knobs {
            return Ok(());
        }
        self.write_from(self.rows.len() - 1)
    }

    /// Writes down levels whose use is decided.
    pub(crate) fn write_from(&mut self, from: usize) -> Result<(), Trouble> {
        let Self { rows, folder, .. } = self;
        let mut written = rows[from..].iter().map(|kept| folder.level(&kept.row, &kept.facts));
        written.try_for_each(|written| written).map_err(Trouble::unreachable)
    }

    fn run_for(&mut self, asked: &LevelRequest, times: Times) -> Result<Tried, Trouble> {
        let number = self.rows.len() + 1;
        let seed = seed_of(self.seed, number);
        let load = self.grows(asked);
        let plan = Arc::new(level::plan(&self.base, load, asked.level, times, seed, self.objective.as_ref()));
        let (injectors, workers) = match load {
            Load::Workers => (1, asked.level as u32),
            Load::Injectors => (asked.level as u32, self.order.workers),
            Load::Vus | Load::Rate => (1, self.order.workers),
        };
        let order = Order {
            plan: Arc::clone(&plan),
            workers,
            runs_dir: self.folder.runs(),
            name: format!("{}-{}", load.name(), asked.level),
            note: format!("level {number} of the campaign {}", self.folder.id),
            ..self.order.clone()
        };
        self.listener.begins(&LevelStarted {
            number,
            load,
            level: asked.level,
            purpose: asked.purpose,
            spent: self.clock.spent(),
            takes: times.total(),
        });
        let began = now();
        let result = self.runner.run(&order, injectors, self.interrupts);
        self.clock.took(now().saturating_duration_since(began), times.total());
        if self.is_over() {
            self.listener.interrupted();
        }
        let row = Level {
            number,
            purpose: asked.purpose.to_owned(),
            setting: setting_words(asked),
            level: asked.level,
            ..Level::default()
        };
        let facts = Facts { seed, ..Facts::default() };
        let mut kept = LevelResult {
            outcome: Outcome::Invalid("interrupted".into()),
            row,
            facts,
            judged: None,
            failed: None,
            is_gone: false,
            exit: Exit::Invalid,
            iterations_per_s: None,
        };
        let outcome = match result {
            Ok(finished) if finished.exit == Exit::Interrupted => {
                kept.row.verdict = finished.view.judgement.verdict.name().to_owned();
                kept.row.why = "interrupted".into();
                kept.row.run = self.run_name(&finished);
                self.keep(kept);
                return Ok(Tried::Interrupted);
            }
            Ok(finished) => self.inspect(&finished, &plan, (load, asked.level), &mut kept)?,
            Err(_) if self.is_over() => return Ok(Tried::Interrupted),
            // The system under test may be gone later on; at first it is the plan that is wrong.
            Err(SessionError::Start(error @ StartError::Setup(_))) if number > 1 => Outcome::Refused(error.to_string()),
            // Other levels began, so it is of this one: an injector that is gone, or an uncertain clock.
            Err(SessionError::Fleet(why)) if number > 1 => Outcome::Invalid(why.join("; ")),
            // Other levels could be written, so it is not what was asked for.
            Err(SessionError::Store(error)) if number > 1 => {
                return Err(Trouble::unreachable(error));
            }
            Err(error) => return Err(error.into()),
        };
        if let Outcome::Invalid(why) | Outcome::Refused(why) = &outcome {
            kept.row.why.clone_from(why);
        }
        if matches!(outcome, Outcome::Refused(_)) {
            kept.row.verdict = "refused".into();
        }
        kept.row.used = matches!(outcome, Outcome::Measured { .. });
        kept.outcome = outcome;
        Ok(Tried::Level(Box::new(self.keep(kept))))
    }

    /// Adds a level to what is fitted.
    ///
    /// - `version`: value of a second knob
    /// - `n`: what the law is fitted over
    pub(crate) fn point(&mut self, version: Option<&str>, n: f64, kept: &LevelResult) -> Result<(), Trouble> {
        self.folder.point(version, n, &kept.row, &kept.facts).map_err(Trouble::unreachable)
    }

    /// What the next levels are to tell.
    pub(crate) fn learning(&mut self, what: &str) {
        self.listener.learns(what);
    }

    /// Makes a place for the points of each value of a second axis, in this order.
    pub(crate) fn versions(&mut self, versions: &[&str]) -> Result<(), Trouble> {
        versions.iter().try_for_each(|version| self.folder.version(version)).map_err(Trouble::unreachable)
    }

    /// Tells what is fitted so far, over what grows.
    pub(crate) fn report_curve(&mut self, load: Load, observations: &[Observation]) {
        let options = Options { dimension: load.dimension(), ..Options::default() };
        let unit = self.count.unit();
        let curve = Curve { observations, options: &options, n_label: load.label(), x_unit: &unit };
        self.listener.grows(&curve);
    }

    fn keep(&mut self, kept: LevelResult) -> LevelResult {
        self.rows.push(kept.clone());
        kept
    }

    /// Name of a run below the directory of the campaign.
    fn run_name(&self, finished: &Finished) -> String {
        let name = finished.directory.file_name().unwrap_or_default();
        format!("{RUNS}/{}", name.to_string_lossy())
    }
}

/// The knobs, or what grows, as a row shows them.
fn setting_words(asked: &LevelRequest) -> String {
    let knobs = asked.setting.iter().map(|(name, value)| format!("{name}={value}"));
    let words = asked.side.iter().map(|side| side.name().to_owned()).chain(knobs);
    words.collect::<Vec<_>>().join(" ")
}

/// A seed of its own for each run.
fn seed_of(seed: u64, number: usize) -> u64 {
    // Neighbours have nothing in common, and plans hold whole numbers of JSON.
    mix64(seed.wrapping_add((number as u64).wrapping_mul(GOLDEN))) >> 12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_a_seed_of_its_own_that_json_can_hold() {
        let seeds: std::collections::BTreeSet<u64> = (1..=1_000).map(|number| seed_of(1, number)).collect();
        assert_eq!(seeds.len(), 1_000);
        assert!(seeds.iter().all(|seed| *seed < 1 << 53));
        assert_ne!(seed_of(1, 1), seed_of(2, 1));
    }
}
