//! Runs levels, one after the other, and says what became of each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nmax_analysis::{Reason, Verdict};
use nmax_engine::StartError;
use nmax_plan::plan::Plan;
use nmax_plan::threshold::Threshold;
use nmax_report::View;
use nmax_report::scalability::Level;
use nmax_usl::design::{Outcome, TimeLeft};
use nmax_usl::search::Judged;
use nmax_usl::{Observation, Options};

use super::axis::Load;
use super::find;
use super::folder::{Facts, Folder, RUNS};
use super::level::{self, Times};
use super::measure::{self, Count, Measured};
use super::progress::Progress;
use crate::exit::Exit;
use crate::session::{self, Finished, Order, SessionError};
use crate::signals::Interrupts;
use crate::tally::ABORTED;

/// Share of failures from which a level says nothing but that the system broke down.
const BROKEN_SHARE: f64 = 0.5;
/// Share of an open level's iterations that the system has to complete; below it what is in flight grows without end.
const KEPT_UP_SHARE: f64 = 0.95;
/// Standard errors of a count that such a level may lack besides.
const KEPT_UP_ERRORS: f64 = 3.0;
/// Share of failures up to which times of good and bad completions may be taken together.
const GOOD_SHARE: f64 = 0.01;
/// What a run takes beside its load, before one was seen.
const OVERHEAD: Duration = Duration::from_millis(500);

/// What a level is run for.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// Load.
    pub(super) level: f64,
    /// `ramp`, `refine`, ...
    pub(super) purpose: &'static str,
    /// Names and values of the knobs.
    pub(super) setting: Vec<(String, String)>,
}

/// What became of it.
#[derive(Clone, Debug)]
pub(super) enum Tried {
    /// A measurement, or why there is none.
    Level(Box<Kept>),
    /// A person asked for the end.
    Interrupted,
}

/// A level that was run.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// As the campaign takes it.
    pub(super) outcome: Outcome,
    /// As the report shows it.
    pub(super) row: Level,
    /// What else is known.
    pub(super) facts: Facts,
    /// The level held against the objective, where there is one.
    pub(super) judged: Option<Judged>,
    /// Why the verdict is FAIL, where it is.
    pub(super) failed: Option<String>,
}

/// What stays the same over all levels.
pub(super) struct Rig {
    /// Everything of a run but its plan, directory and name.
    pub(super) order: Order,
    /// The plan as it was given.
    pub(super) base: Arc<Plan>,
    pub(super) load: Load,
    pub(super) count: Count,
    pub(super) times: Times,
    pub(super) objective: Option<Threshold>,
    pub(super) seed: u64,
    pub(super) folder: Folder,
    pub(super) interrupts: Interrupts,
    pub(super) progress: Progress,
    /// Whether levels belong to settings of the system under test.
    pub(super) has_knobs: bool,
    /// Pauses of an iteration, seconds; `None` when they are not known.
    pub(super) think_s: Option<f64>,
    /// Every level so far.
    pub(super) rows: Vec<Kept>,
    clock: Clock,
}

/// The time that is spent and left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    began: Instant,
    budget: Duration,
    /// Longest that a level took beside its load.
    overhead: Duration,
}

impl Clock {
    pub(super) fn start(budget: Duration) -> Self {
        Self {
            began: now(),
            budget,
            overhead: OVERHEAD,
        }
    }

    /// Time since the beginning.
    pub(super) fn spent(&self) -> Duration {
        now().saturating_duration_since(self.began)
    }

    /// Whether a piece of work fits into the budget.
    fn has(&self, work: Duration) -> bool {
        self.spent() + work + self.overhead <= self.budget
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the budget of a campaign is time of this machine"
)]
fn now() -> Instant {
    Instant::now()
}

impl Rig {
    #[expect(clippy::too_many_arguments, reason = "made once, from as many flags")]
    pub(super) fn new(
        order: Order,
        load: Load,
        count: Count,
        times: Times,
        objective: Option<Threshold>,
        folder: Folder,
        interrupts: Interrupts,
        progress: Progress,
        budget: Duration,
        has_knobs: bool,
    ) -> Self {
        let base = Arc::clone(&order.plan);
        Self {
            load,
            count,
            times,
            objective,
            seed: base.seed,
            folder,
            interrupts,
            progress,
            think_s: super::think::mean_s(&base),
            has_knobs,
            rows: Vec::new(),
            clock: Clock::start(budget),
            base,
            order,
        }
    }

    /// Time since the beginning.
    pub(super) fn spent(&self) -> Duration {
        self.clock.spent()
    }

    /// Whether a person asked for the end.
    pub(super) fn is_over(&self) -> bool {
        self.interrupts.count() > 0
    }

    /// What is left until a moment of the budget, for a campaign.
    ///
    /// - `until`: share of the budget that it may use
    pub(super) fn time_left(&self, until: f64) -> TimeLeft {
        let end = self.clock.budget.mul_f64(until.clamp(0.0, 1.0));
        TimeLeft::Seconds {
            left: end.saturating_sub(self.clock.spent()).as_secs_f64(),
            trial: (self.times.total() + self.clock.overhead).as_secs_f64(),
        }
    }

    /// Share of the budget that is spent.
    pub(super) fn spent_share(&self) -> f64 {
        self.clock.spent().as_secs_f64() / self.clock.budget.as_secs_f64().max(1e-9)
    }

    /// Runs a level. One that does not stand still is run again with twice the time, if that fits; then it is used as it
    /// is, and says so.
    pub(super) fn run(&mut self, asked: &Asked) -> Result<Tried, (String, Exit)> {
        let mut tried = self.run_for(asked, self.times)?;
        let longer = self.times.longer();
        if let Tried::Level(kept) = &tried
            && matches!(kept.outcome, Outcome::Measured { .. })
            && kept.facts.moves.is_some()
            && self.clock.has(longer.total())
            && !self.is_over()
        {
            if let Some(last) = self.rows.last_mut() {
                last.row.used = false;
                last.row.why = format!("{}; run again for longer", last.row.why);
            }
            self.write_last()?;
            tried = self.run_for(asked, longer)?;
        }
        self.write_last()?;
        Ok(tried)
    }

    /// Says what the last level was, and writes it down; with knobs its use is decided with its setting.
    fn write_last(&mut self) -> Result<(), (String, Exit)> {
        let Some(last) = self.rows.last() else { return Ok(()) };
        self.progress.ended(self.load, last);
        if self.has_knobs {
            return Ok(());
        }
        self.write_from(self.rows.len() - 1)
    }

    /// Writes down levels whose use is decided.
    pub(super) fn write_from(&mut self, from: usize) -> Result<(), (String, Exit)> {
        let Self { rows, folder, .. } = self;
        let mut written = rows[from..].iter().map(|kept| folder.level(&kept.row, &kept.facts));
        written
            .try_for_each(|written| written)
            .map_err(|error| (error, Exit::Unreachable))
    }

    fn run_for(&mut self, asked: &Asked, times: Times) -> Result<Tried, (String, Exit)> {
        let number = self.rows.len() + 1;
        let seed = seed_of(self.seed, number);
        let plan = Arc::new(level::plan(
            &self.base,
            self.load,
            asked.level,
            times,
            seed,
            self.objective.as_ref(),
        ));
        let workers = match self.load {
            Load::Workers => asked.level as u32,
            Load::Vus | Load::Rate => self.order.workers,
        };
        let order = Order {
            plan: Arc::clone(&plan),
            workers,
            runs_dir: self.folder.runs(),
            name: format!("{}-{}", self.load.name(), asked.level),
            note: format!("level {number} of the campaign {}", self.folder.id),
            quiet: true,
            ..self.order.clone()
        };
        self.progress
            .begins(number, self.load, asked, self.clock.spent(), times);
        let began = now();
        let result = session::run_under(&order, &self.interrupts);
        let took = now().saturating_duration_since(began);
        self.clock.overhead = self
            .clock
            .overhead
            .max(took.saturating_sub(times.total()).min(times.total()));
        let row = Level {
            number,
            purpose: asked.purpose.to_owned(),
            setting: asked
                .setting
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect::<Vec<_>>()
                .join(" "),
            level: asked.level,
            ..Level::default()
        };
        let facts = Facts {
            seed,
            ..Facts::default()
        };
        let mut kept = Kept {
            outcome: Outcome::Invalid("interrupted".into()),
            row,
            facts,
            judged: None,
            failed: None,
        };
        let outcome = match result {
            Ok(finished) if finished.exit == Exit::Interrupted => {
                kept.row.verdict = finished.view.verdict.name().to_owned();
                kept.row.why = "interrupted".into();
                kept.row.run = self.run_name(&finished);
                self.keep(kept);
                return Ok(Tried::Interrupted);
            }
            Ok(finished) => self.look(&finished, &plan, asked.level, &mut kept)?,
            Err(_) if self.is_over() => return Ok(Tried::Interrupted),
            // The system under test may be gone later on; at first it is the plan that is wrong.
            Err(SessionError::Start(error @ StartError::Setup(_))) if number > 1 => Outcome::Refused(error.to_string()),
            Err(error) => return Err((error.to_string(), Exit::Usage)),
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
    pub(super) fn point(&mut self, version: Option<&str>, n: f64, kept: &Kept) -> Result<(), (String, Exit)> {
        let written = self.folder.point(version, n, &kept.row, &kept.facts);
        written.map_err(|error| (error, Exit::Unreachable))
    }

    /// What the next levels are to tell.
    pub(super) fn learning(&mut self, what: &str) {
        self.progress.learns(what);
    }

    /// Draws the curve so far.
    pub(super) fn draw(&mut self, observations: &[Observation]) {
        let options = Options {
            dimension: self.load.dimension(),
            ..Options::default()
        };
        let unit = self.count.unit();
        self.progress.draw(observations, &options, (self.load.label(), &unit));
    }

    fn keep(&mut self, kept: Kept) -> Kept {
        self.rows.push(kept.clone());
        kept
    }

    /// Name of a run below the directory of the campaign.
    fn run_name(&self, finished: &Finished) -> String {
        let name = finished.directory.file_name().unwrap_or_default();
        format!("{RUNS}/{}", name.to_string_lossy())
    }

    /// Measures what a run left behind.
    fn look(&self, finished: &Finished, plan: &Plan, level: f64, kept: &mut Kept) -> Result<Outcome, (String, Exit)> {
        let view = &finished.view;
        let Kept { row, facts, .. } = kept;
        row.verdict = view.verdict.name().to_owned();
        row.run = self.run_name(finished);
        let trouble = |error: nmax_store::StoreError| (error.to_string(), Exit::Unreachable);
        let measured = measure::read(&finished.directory, plan, &self.count).map_err(trouble)?;
        if let Some(measured) = &measured {
            facts.completions = Some(measured.sums.ok);
            facts.steady_s = Some((measured.from_s, measured.to_s));
            facts.moves = measured.moves;
            facts.in_flight = Some(measured.in_flight());
            facts.pause_s = self.pause_s(measured);
            facts.cores_used =
                measure::cores_used(&finished.directory, measured.from_s, measured.to_s).map_err(trouble)?;
            row.x = Some(measured.x());
            row.n = Some(self.n(level, measured));
            row.r_ms = self.time_s(measured).map(|time_s| time_s * 1e3);
            if let Some(moves) = measured.moves {
                row.why = format!("not steady: throughput changed by {:+.0} %", 100.0 * moves);
            }
        }
        if let (Some(objective), Some(result)) = (&self.objective, view.thresholds.last()) {
            facts.objective = result.value;
            kept.judged = Some(find::judged(objective, result.value, result.limit, result.holds));
        }
        let failed = view.reasons.iter().find(|reason| reason.decides);
        kept.failed = failed.map(|reason| reason.text.clone());
        let way = Way {
            load: self.load,
            level,
            verdict: view.verdict,
            reasons: &view.reasons,
            unreachable: (finished.exit == Exit::Unreachable).then(|| unreachable(view)),
        };
        facts.lawful_r_s = self.lawful_r_s(measured.as_ref());
        let n = row.n.unwrap_or(level);
        Ok(judged(&way, measured.as_ref(), n, facts.lawful_r_s))
    }

    /// What the law is fitted over.
    fn n(&self, level: f64, measured: &Measured) -> f64 {
        match self.load {
            Load::Vus | Load::Workers => level,
            Load::Rate => measured.in_flight(),
        }
    }

    /// Pauses for one completion, seconds.
    pub(super) fn pause_s(&self, measured: &Measured) -> Option<f64> {
        let n = measured.sums.ok + measured.sums.bad;
        let of_iteration = self.think_s?;
        (n > 0).then(|| of_iteration * measured.sums.iterations as f64 / n as f64)
    }

    /// Mean time of a completion as a user feels it, pauses left out, seconds.
    fn time_s(&self, measured: &Measured) -> Option<f64> {
        let time_s = measured.time_s()?;
        match self.count {
            // An iteration is measured with its pauses.
            Count::Iterations => Some(time_s - self.pause_s(measured)?).filter(|time_s| *time_s >= 0.0),
            Count::Requests | Count::Transaction(_) => Some(time_s),
        }
    }

    /// R as Little's law means it, N = X(R + Z): only where a user does one counted thing after the other.
    fn lawful_r_s(&self, measured: Option<&Measured>) -> Option<f64> {
        let measured = measured?;
        let is_one_by_one = match self.count {
            Count::Iterations => true,
            Count::Requests => is_one_by_one(&self.base),
            Count::Transaction(_) => false,
        };
        let is_lawful = is_one_by_one
            && self.load != Load::Workers
            && self.think_s.is_some()
            && self.base.background.is_empty()
            && measured.bad_share() <= GOOD_SHARE;
        if is_lawful { self.time_s(measured) } else { None }
    }
}

/// Whether users of a plan wait for each reply before they ask for more.
fn is_one_by_one(plan: &Plan) -> bool {
    let mut requests = plan.all_scenarios().flat_map(nmax_plan::plan::Scenario::requests);
    let has_setup = plan.scenarios.iter().any(|scenario| !scenario.setup.is_empty());
    !has_setup && requests.all(|request| request.page.is_none())
}

/// What a level was asked for, and how its run ended.
struct Way<'a> {
    load: Load,
    level: f64,
    verdict: Verdict,
    reasons: &'a [Reason],
    /// No exchange reached the target, and why.
    unreachable: Option<String>,
}

fn unreachable(view: &View) -> String {
    let why = view
        .problems
        .first()
        .map_or_else(String::new, |problem| format!(": {}", problem.kind));
    format!("the target is not reachable{why}")
}

/// What a run means for the campaign. INVALID is never a measurement; a FAIL by a threshold is one.
fn judged(way: &Way, measured: Option<&Measured>, n: f64, r_s: Option<f64>) -> Outcome {
    if let Some(why) = &way.unreachable {
        return Outcome::Refused(why.clone());
    }
    if way.verdict == Verdict::Invalid {
        let reason = way.reasons.iter().find(|reason| reason.decides);
        let why = reason.map_or_else(
            || "INVALID".to_owned(),
            |reason| format!("{}: {}", reason.code, reason.text),
        );
        return Outcome::Invalid(why);
    }
    if let Some(aborted) = way.reasons.iter().find(|reason| reason.code == ABORTED) {
        return Outcome::Refused(aborted.text.clone());
    }
    let Some(measured) = measured.filter(|measured| measured.sums.ok > 0) else {
        return Outcome::Refused("nothing was completed and ok in the measured part".into());
    };
    if measured.bad_share() >= BROKEN_SHARE {
        let share = 100.0 * measured.bad_share();
        return Outcome::Refused(format!("the system broke down: {share:.0} % were not ok"));
    }
    if way.load == Load::Rate {
        let (done, due) = (measured.sums.iterations as f64, way.level * measured.length_s());
        // What is in flight at the edges, and the counts of Poisson arrivals, are no sign of a queue.
        if done + KEPT_UP_ERRORS * due.sqrt() < KEPT_UP_SHARE * due {
            let per_s = done / measured.length_s();
            return Outcome::Refused(format!(
                "the system did not keep up: {per_s:.1} of {} iterations per second were completed",
                way.level
            ));
        }
    }
    Outcome::Measured {
        n,
        x: measured.x(),
        r_s,
    }
}

/// A seed of its own for each run.
fn seed_of(seed: u64, number: usize) -> u64 {
    // Splitmix64: neighbours have nothing in common.
    let mut z = seed.wrapping_add((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    // Plans hold whole numbers of JSON.
    (z ^ (z >> 31)) >> 12
}

#[cfg(test)]
mod tests;
