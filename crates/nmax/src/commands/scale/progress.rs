//! What a campaign says while it goes on, on standard error.

use std::io::IsTerminal;
use std::time::Duration;

use nmax_plan::units::format_duration;
use nmax_report::terminal::{self, LiveScale, Style};
use nmax_text::Painted;
use nmax_usl::{Observation, Options, analyse};

use super::axis::{Load, short};
use super::level::Times;
use super::rig::{Asked, Kept};
use crate::{live, say};

/// Rows of the curve on a terminal.
const CURVE_ROWS: usize = 10;

/// Who is told, and how.
#[derive(Debug)]
pub(super) struct Progress {
    is_quiet: bool,
    is_terminal: bool,
    budget: Duration,
    /// What the next levels are to tell.
    learning: String,
    /// The curve so far.
    curve: Vec<Painted>,
    drawn: say::Drawn,
}

impl Progress {
    /// As fits standard error.
    pub(super) fn new(is_quiet: bool, budget: Duration) -> Self {
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let is_terminal = std::io::stderr().is_terminal() && !is_dumb && std::env::var_os("CI").is_none();
        Self { is_quiet, is_terminal, budget, learning: String::new(), curve: Vec::new(), drawn: say::Drawn::default() }
    }

    /// Whether a curve may be drawn over what was there.
    fn is_live(&self) -> bool {
        self.is_terminal && !self.is_quiet
    }

    /// Says something that stays.
    pub(super) fn note(&mut self, text: &str) {
        self.clear();
        if !self.is_quiet {
            say::note(text);
        }
    }

    /// Takes away what was drawn.
    pub(super) fn clear(&mut self) {
        self.drawn.redraw(&[]);
    }

    /// Leaves what was drawn where it is: somebody else has written below it.
    pub(super) fn leave(&mut self) {
        self.drawn.leave();
    }

    /// What the next levels are to tell; said once where nothing is drawn.
    pub(super) fn learns(&mut self, what: &str) {
        if self.learning != what && !self.is_live() && !what.is_empty() {
            self.note(&format!("next: {what}"));
        }
        what.clone_into(&mut self.learning);
    }

    /// A level begins; only a terminal is told.
    pub(super) fn begins(&mut self, number: usize, load: Load, asked: &Asked, spent: Duration, times: Times) {
        if !self.is_live() {
            return;
        }
        let (what, purpose) = (load.says(asked.level), asked.purpose);
        let (spent, budget) = (seconds(spent), format_duration(self.budget));
        let takes = seconds(times.total());
        let mut lines = self.curve.clone();
        let for_what = if self.learning.is_empty() { purpose.to_owned() } else { self.learning.clone() };
        let status = format!("level {number}: {what}, takes {takes}; {spent} of {budget} spent; {for_what}");
        let status: String = status.chars().take(live::terminal_width()).collect();
        lines.push(status.into());
        self.drawn.redraw(&lines);
    }

    /// Draws the curve of what is used so far, to be shown from the next level on.
    pub(super) fn draw(&mut self, observations: &[Observation], options: &Options, labels: (&str, &str)) {
        if !self.is_live() {
            return;
        }
        let points: Vec<(f64, f64)> = observations.iter().map(|one| (one.n, one.x)).collect();
        let analysis = analyse(observations, options);
        let style = Style { color: live::use_color(), width: live::terminal_width(), wide: false };
        let scale = LiveScale {
            points: &points,
            analysis: Some(&analysis),
            n_label: labels.0,
            x_unit: labels.1,
            rows: CURVE_ROWS,
        };
        self.curve = terminal::live_curve(&scale, style, live::glyphs(true));
    }

    /// A level ended.
    pub(super) fn ended(&mut self, load: Load, kept: &Kept) {
        if self.is_quiet {
            return;
        }
        self.clear();
        let row = &kept.row;
        let setting = if row.setting.is_empty() { String::new() } else { format!("{}, ", row.setting) };
        let measured = match (row.x, row.r_ms) {
            (Some(x), Some(r_ms)) => format!("{}/s, {} ms", short(x), short(r_ms)),
            (Some(x), None) => format!("{}/s", short(x)),
            _ => "nothing measured".to_owned(),
        };
        let measured = match (load, row.n) {
            (Load::Rate, Some(n)) => format!("{measured}, {} in flight", short(n)),
            _ => measured,
        };
        let not = if row.used { "" } else { " [not used]" };
        let why = if row.why.is_empty() { String::new() } else { format!(": {}", row.why) };
        let (number, purpose) = (row.number, &row.purpose);
        let what = load.says(row.level);
        say::note(format_args!("level {number} ({purpose}): {setting}{what}: {measured}{not}{why}"));
    }
}

/// Whole seconds, or tenths below ten.
pub(super) fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 10.0 { format!("{s:.1}s") } else { format_duration(Duration::from_secs(s.round() as u64)) }
}
