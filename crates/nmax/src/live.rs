//! Progress on standard error: a panel that redraws itself on a terminal, plain lines elsewhere.

use std::collections::VecDeque;
use std::io::IsTerminal;

use nmax_metrics::{Nanos, Window};
use nmax_report::terminal::{Glyphs, HoldSoFar, LiveView, Style, plain_line, progress as panel};
use nmax_run::listener::{Listener, Progress};

use crate::say;

/// Windows that the panel's sparkline shows.
const WINDOWS_MAX: usize = 60;
/// Windows behind the panel's numbers.
const WINDOWS_NUMBERS: usize = 5;
/// Between two plain lines.
const PLAIN_PERIOD: Nanos = Nanos::from_secs(10);

/// Progress of one run.
pub enum Live {
    /// Nothing is shown.
    Quiet,
    /// A line now and then.
    Plain { windows: Vec<Window>, next: Nanos, hold: HoldSoFar },
    /// A panel of several lines.
    Panel { recent: VecDeque<Window>, history: VecDeque<u64>, hold: HoldSoFar, drawn: say::Drawn },
}

impl Live {
    /// As fits standard error.
    pub fn new(quiet: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        if std::io::stderr().is_terminal() && !is_dumb && std::env::var_os("CI").is_none() {
            Self::Panel {
                recent: VecDeque::new(),
                history: VecDeque::new(),
                hold: HoldSoFar::default(),
                drawn: say::Drawn::default(),
            }
        } else {
            Self::Plain { windows: Vec::new(), next: PLAIN_PERIOD, hold: HoldSoFar::default() }
        }
    }
}

impl Listener for Live {
    fn window(&mut self, progress: &Progress<'_>) {
        let (plan, window) = (progress.plan, &progress.complete.window);
        let total_s = progress.end.map(Nanos::as_secs_f64);
        let elapsed_s = window.end().as_secs_f64();
        match self {
            Self::Quiet => {}
            Self::Plain { windows, next, hold } => {
                hold.push(window);
                windows.push(window.clone());
                if window.end() >= *next {
                    let mut view = LiveView::new(plan, elapsed_s, total_s, windows);
                    view.warning = hold.warning();
                    say::note(plain_line(&view));
                    *next = window.end() + PLAIN_PERIOD;
                    windows.clear();
                }
            }
            Self::Panel { recent, history, hold, drawn } => {
                hold.push(window);
                recent.push_back(window.clone());
                if recent.len() > WINDOWS_NUMBERS {
                    recent.pop_front();
                }
                history.push_back(ended(window));
                if history.len() > WINDOWS_MAX {
                    history.pop_front();
                }
                let mut view = LiveView::new(plan, elapsed_s, total_s, recent.make_contiguous());
                view.history = history.iter().copied().collect();
                view.warning = hold.warning();
                let style = Style { color: use_color(), width: terminal_width(), wide: false };
                drawn.redraw(&panel(&view, style));
            }
        }
    }

    fn event(&mut self, _: Nanos, code: &str, text: &str) {
        self.ended();
        say::note(format_args!("{code}: {text}"));
    }

    fn ended(&mut self) {
        if let Self::Panel { drawn, .. } = self {
            drawn.redraw(&[]);
        }
    }
}

/// Exchanges that ended in a window.
fn ended(window: &Window) -> u64 {
    let sections = nmax_metrics::Section::ALL.iter().flat_map(|section| window.aggregate.requests(*section));
    sections.map(|(_, stats)| stats.count()).sum()
}

/// Whether to use color on standard error or output, when it is a terminal.
pub fn use_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var("TERM").map_or(true, |term| term != "dumb")
}

/// Characters of charts: ASCII on a terminal whose locale has no more; a file takes UTF-8.
pub fn glyphs(is_terminal: bool) -> Glyphs {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.into_iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let is_utf8 = locale.is_none_or(|locale| locale.to_lowercase().replace('-', "").contains("utf8"));
    if is_terminal && !is_utf8 { Glyphs::Ascii } else { Glyphs::Unicode }
}

/// Columns to write on a terminal, at most those that `COLUMNS` says; 80 when unknown.
pub fn terminal_width() -> usize {
    let said = columns_said();
    terminal_columns().into_iter().chain(said).min().unwrap_or(80).min(160)
}

/// Columns to write on standard output: those of its terminal; elsewhere what `COLUMNS` says, or so many.
pub fn output_width(elsewhere: usize) -> usize {
    if std::io::stdout().is_terminal() { terminal_width() } else { columns_said().unwrap_or(elsewhere).min(160) }
}

/// What somebody set for all programs; shells do not hand on their own.
fn columns_said() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0)
}

/// Columns of the terminal, of standard error or else of standard output.
pub fn terminal_columns() -> Option<usize> {
    let columns = |size: rustix::termios::Winsize| Some(usize::from(size.ws_col)).filter(|columns| *columns > 0);
    let of_error = || columns(rustix::termios::tcgetwinsize(std::io::stderr()).ok()?);
    of_error().or_else(|| columns(rustix::termios::tcgetwinsize(std::io::stdout()).ok()?))
}
