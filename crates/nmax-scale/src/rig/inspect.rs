//! What the run of a level left behind.

use nmax_plan::plan::Plan;
use nmax_run::Finished;
use nmax_run::{Exit, Trouble};
use nmax_usl::design::Outcome;

use super::{LevelResult, Rig};
use crate::axis::Load;
use crate::data;
use crate::find;
use crate::judge::{
    BAD_SAID, GOOD_SHARE, LITTLE_NOISE_MAX, LevelRun, aborted, exit_of_first, is_one_by_one, judged, little_noise,
    not_ok, unreachable,
};
use crate::level::COUNT_SAID;
use crate::measure::{self, Count, Measured};

/// What is said of a level that counted few.
fn few(count: u64) -> String {
    let noise = 100.0 / (count.max(1) as f64).sqrt();
    format!("only {count} completions: its throughput is known to ±{noise:.0} % at best")
}

impl Rig<'_> {
    /// Measures what a run left behind.
    pub(super) fn inspect(
        &self,
        finished: &Finished,
        plan: &Plan,
        (load, level): (Load, f64),
        kept: &mut LevelResult,
    ) -> Result<Outcome, Trouble> {
        let view = &finished.view;
        let LevelResult { row, facts, .. } = kept;
        row.verdict = view.judgement.verdict.name().to_owned();
        row.run = self.run_name(finished);
        row.full = view.judgement.diagnosis.full().join("; ");
        // What is not written is not measured, and says nothing of the system.
        if let Some(error) = &finished.trouble {
            let help = "choose a writable --runs-dir with room";
            return Err(Trouble::unreachable(format!("{error}\n  help: {help}")));
        }
        let trouble = |error: nmax_store::StoreError| Trouble::unreachable(error);
        let data_ended = finished.data_ended.clone();
        let is_early = data_ended.is_some() || aborted(&view.judgement.reasons).is_some();
        let loaded_to_s = is_early.then_some(view.summary.phase.end_s);
        let seen = measure::read(&finished.directory, plan, &self.count, loaded_to_s).map_err(trouble)?;
        let data_ended = data_ended.or_else(|| data::ended(plan, seen.iterations));
        let measured = seen.measured;
        if let Some(measured) = &measured {
            kept.iterations_per_s = Some(measured.sums.iterations as f64 / measured.length_s());
            facts.completions = Some(measured.sums.ok);
            facts.steady_s = Some((measured.from_s, measured.to_s));
            facts.moves = measured.moves;
            facts.in_flight = Some(measured.in_flight());
            facts.pause_s = self.pause_s(measured).filter(|_| !self.has_knobs);
            // Injectors of one host observe the same processes, each for itself.
            if self.load != Load::Injectors {
                let (from_s, to_s) = (measured.from_s, measured.to_s);
                facts.cores_used = measure::cores_used(&finished.directory, from_s, to_s).map_err(trouble)?;
            }
            row.x = Some(measured.x());
            row.n = Some(if load == Load::Rate { measured.in_flight() } else { level });
            row.r_ms = self.time_s(measured).map(|time_s| time_s * 1e3);
            let moves =
                measured.moves.map(|moves| format!("not steady: throughput changed by {:+.0} %", 100.0 * moves));
            let bad = (measured.bad_share() > BAD_SAID).then(|| not_ok(measured, view));
            let few = (measured.sums.ok < COUNT_SAID).then(|| few(measured.sums.ok));
            row.why = [moves, few, bad].into_iter().flatten().collect::<Vec<_>>().join("; ");
        }
        if let (Some(objective), Some(result)) = (&self.objective, view.judgement.thresholds.last()) {
            facts.objective = result.value;
            kept.judged = Some(find::judged(objective, result.value, result.limit, result.holds));
            if !result.holds {
                let value = find::value_words(result.value, result.unit);
                let and = if row.why.is_empty() { "" } else { "; " };
                row.why = format!("{}{and}the objective does not hold: {value}", row.why);
            }
        }
        let failed = view.judgement.reasons.iter().find(|reason| reason.decides);
        kept.failed = failed.map(|reason| reason.text.clone());
        kept.is_gone = finished.exit == Exit::Unreachable;
        let way = LevelRun {
            load,
            level,
            verdict: view.judgement.verdict,
            reasons: &view.judgement.reasons,
            unreachable: kept.is_gone.then(|| unreachable(view)),
            bad: measured.as_ref().map(|measured| not_ok(measured, view)),
            data_ended,
            late_s: seen.late.time_s(),
        };
        kept.exit = exit_of_first(&way, measured.as_ref());
        let n = row.n.unwrap_or(level);
        facts.lawful_r_s = self.lawful_r_s(n, measured.as_ref());
        Ok(judged(&way, measured.as_ref(), n, facts.lawful_r_s))
    }

    /// Pauses for one completion, seconds.
    pub(super) fn pause_s(&self, measured: &Measured) -> Option<f64> {
        let n = measured.sums.ok + measured.sums.bad;
        let of_iteration = self.think_s?;
        // Iterations under way at the edges make a quotient of counts wrong.
        let known = match self.count {
            Count::Iterations => Some(1.0),
            Count::Requests if self.base.background.is_empty() && measured.bad_share() <= GOOD_SHARE => self.exchanges,
            Count::Requests | Count::Transaction(_) => None,
        };
        match known.filter(|exchanges| *exchanges > 0.0) {
            Some(exchanges) => Some(of_iteration / exchanges),
            None => (n > 0).then(|| of_iteration * measured.sums.iterations as f64 / n as f64),
        }
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

    /// R as Little's law means it, N = X(R + Z): only where a user does one counted thing after the other, and where the
    /// edges of the level and the luck of the pauses are small beside it.
    fn lawful_r_s(&self, n: f64, measured: Option<&Measured>) -> Option<f64> {
        let measured = measured?;
        let is_one_by_one = match self.count {
            Count::Iterations => true,
            Count::Requests => is_one_by_one(&self.base),
            Count::Transaction(_) => false,
        };
        let is_lawful = is_one_by_one
            && !self.load.is_size()
            // What is fitted over a knob is no number of users.
            && !self.has_knobs
            && self.base.background.is_empty()
            && measured.bad_share() <= GOOD_SHARE;
        let (time_s, pause_s) = (self.time_s(measured)?, self.pause_s(measured)?);
        let is_settled = little_noise(measured, n, time_s, pause_s) <= LITTLE_NOISE_MAX;
        (is_lawful && is_settled).then_some(time_s)
    }
}
