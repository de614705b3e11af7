//! Replays of scenarios, for proofs.

use std::sync::Arc;

use nmax_engine::run::rehearsal::{Rehearsal, RehearsalOptions, Traced, rehearse_iteration};
use nmax_engine::{Settings, StartError};
use nmax_http::HeadText;
use nmax_import::prove::{Exchange, Replay, Site, numbered};
use nmax_metrics::{Code, Outcome};
use nmax_plan::plan::Plan;
use nmax_text::url::split;

use crate::say;

/// Most bytes of a reply that are looked at; longer ones are compared by their heads.
const BODY_BYTES_MAX: usize = 4 << 20;
/// Most requests that are told apart.
const NAMES_MAX: usize = 20_000;
/// Feeders with fewer rows than that are read from their last one on, so that none is left out; from longer ones any
/// row of their last half is taken, so that a proof does not repeat what one before it did.
const ROWS_FEW: u64 = 2_000;

/// Replays scenarios of one plan, none like the one before.
pub(super) struct Replayer {
    settings: Settings,
    origin: String,
    /// What makes this proof differ from those before.
    moment: u64,
    /// Replays so far.
    pub(super) replays: u64,
}

impl Replayer {
    /// Replays the plan of these settings; `moment` differs from proof to proof.
    pub(super) fn new(settings: Settings, moment: u64) -> Self {
        let plan = &settings.plan;
        let origin = split(&plan.target).origin.to_owned();
        Self { settings: Settings { names_max: NAMES_MAX, ..settings }, origin, moment, replays: 0 }
    }

    /// Number of the next iteration: each replay has rows of its own.
    fn number(&self, plan: &Plan, scenario: usize) -> u64 {
        let scenario = &plan.scenarios[scenario];
        match nmax_engine::program::rows_max(plan, scenario) {
            Some((rows, _)) if rows < ROWS_FEW => self.replays % rows.max(1),
            Some((rows, _)) => (self.moment + self.replays) % (rows / 2),
            None => self.moment + self.replays,
        }
    }

    /// What a rehearsal showed.
    fn examine(&self, rehearsal: &Rehearsal, sites: &[Site]) -> Replay {
        let mut replay =
            Replay::from_exchanges(rehearsal.exchanges.iter().map(exchange), &self.origin, rehearsal.scenario, sites);
        for failure in &rehearsal.failures {
            replay.fail(&failure.name, &failure.kind, &failure.text);
        }
        if replay.failures.is_empty() && !rehearsal.is_ok {
            replay.fail("", "end", "the iteration did not come to its end");
        }
        replay
    }
}

impl nmax_import::prove::Replayer for Replayer {
    type Error = StartError;

    fn replay(&mut self, plan: &Plan, scenario: usize, sites: &[Site]) -> Result<Replay, StartError> {
        let options = RehearsalOptions { scenario, number: self.number(plan, scenario), body_max: BODY_BYTES_MAX };
        self.replays += 1;
        let settings = Settings { plan: Arc::new(numbered(plan)), ..self.settings.clone() };
        let rehearsal = rehearse_iteration(&settings, options)?;
        Ok(self.examine(&rehearsal, sites))
    }

    fn next(&mut self, number: usize, of: usize, site: &Site) {
        let scenario = &self.settings.plan.scenarios[site.scenario].name;
        say::note(format_args!("proving {number} of {of} in {scenario}: {}", site.name));
    }
}

fn exchange(traced: &Traced) -> Exchange<'_> {
    Exchange {
        name: &traced.name,
        is_ok: traced.measured.sample.outcome == Outcome::Ok,
        sent: headers(&traced.request),
        status: traced.measured.sample.status.and_then(Code::number),
        came: headers(&traced.reply),
        body: &traced.reply_body,
        is_whole: traced.reply_body_bytes == Some(traced.reply_body.len() as u64),
    }
}

fn headers(head: &HeadText) -> Vec<(&str, &[u8])> {
    head.fields().iter().collect()
}
