//! What a campaign says while it goes on, on standard error.

use std::io::IsTerminal;
use std::time::Duration;

use nmax_plan::units::format_duration;
use nmax_report::scalability::Level;
use nmax_report::terminal::{self, LiveScale, Style};
use nmax_scale::listener::{Curve, LevelStarted, Listener};
use nmax_scale::{Load, short};
use nmax_text::Painted;
use nmax_usl::analyse;

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
}

impl Listener for Progress {
    fn warning(&mut self, text: &str) {
        say::warning(text);
    }

    fn authority(&mut self, text: &str) {
        say::note(format_args!("note: {text}"));
    }

    fn remark(&mut self, text: &str) {
        self.note(&format!("note: {text}"));
    }

    fn note(&mut self, text: &str) {
        self.searched();
        if !self.is_quiet {
            say::note(text);
        }
    }

    /// Said once where nothing is drawn.
    fn learns(&mut self, what: &str) {
        if self.learning != what && !self.is_live() && !what.is_empty() {
            self.note(&format!("next: {what}"));
        }
        what.clone_into(&mut self.learning);
    }

    /// Only a terminal is told.
    fn begins(&mut self, begun: &LevelStarted) {
        if !self.is_live() {
            return;
        }
        let (number, what) = (begun.number, begun.load.says(begun.level));
        let (spent, budget) = (seconds(begun.spent), format_duration(self.budget));
        let takes = seconds(begun.takes);
        let mut lines = self.curve.clone();
        let for_what = if self.learning.is_empty() { begun.purpose } else { &self.learning };
        let status = format!("level {number}: {what}, takes {takes}; {spent} of {budget} spent; {for_what}");
        let status: String = status.chars().take(live::terminal_width()).collect();
        lines.push(status.into());
        self.drawn.redraw(&lines);
    }

    /// Draws it, to be shown from the next level on.
    fn grows(&mut self, curve: &Curve<'_>) {
        if !self.is_live() {
            return;
        }
        let points: Vec<(f64, f64)> = curve.observations.iter().map(|one| (one.n, one.x)).collect();
        let analysis = analyse(curve.observations, curve.options);
        let style = Style { color: live::use_color(), width: live::terminal_width(), ..Style::default() };
        let scale = LiveScale {
            points: &points,
            analysis: Some(&analysis),
            n_label: curve.n_label,
            x_unit: curve.x_unit,
            rows: CURVE_ROWS,
        };
        self.curve = terminal::live_curve(&scale, style, live::glyphs(true));
    }

    fn ended(&mut self, load: Load, level: &Level) {
        if self.is_quiet {
            return;
        }
        self.searched();
        let setting = if level.setting.is_empty() { String::new() } else { format!("{}, ", level.setting) };
        let measured = match (level.x, level.r_ms) {
            (Some(x), Some(r_ms)) => format!("{}/s, {} ms", short(x), short(r_ms)),
            (Some(x), None) => format!("{}/s", short(x)),
            _ => "nothing measured".to_owned(),
        };
        let measured = match (load, level.n) {
            (Load::Rate, Some(n)) => format!("{measured}, {} in flight", short(n)),
            _ => measured,
        };
        let not = if level.used { "" } else { " [not used]" };
        let why = if level.why.is_empty() { String::new() } else { format!(": {}", level.why) };
        let (number, purpose, what) = (level.number, &level.purpose, load.says(level.level));
        say::note(format_args!("level {number} ({purpose}): {setting}{what}: {measured}{not}{why}"));
    }

    /// Takes away what was drawn.
    fn searched(&mut self) {
        self.drawn.redraw(&[]);
    }

    /// Leaves what was drawn where it is: somebody else has written below it.
    fn interrupted(&mut self) {
        self.drawn.leave();
    }
}

/// Whole seconds, or tenths below ten.
fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 10.0 { format!("{s:.1}s") } else { format_duration(Duration::from_secs(s.round() as u64)) }
}
