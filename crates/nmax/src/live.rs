//! Progress on standard error: a panel that redraws itself on a terminal, plain lines elsewhere.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nmax_analysis::Reason;
use nmax_metrics::{Nanos, Window};
use nmax_report::terminal::{self, Glyphs, LiveView, Room, SoFar, Style, plain_line};
use nmax_run::listener::{Listener, Progress};
use rustix::termios::{Winsize, tcgetwinsize};

use crate::keys::{Key, Keys};
use crate::say;

/// Windows that the panel's sparkline shows.
const WINDOWS_MAX: usize = 60;
/// Windows behind the panel's numbers.
const WINDOWS_NUMBERS: usize = 5;
/// Between two plain lines.
const PLAIN_PERIOD: Nanos = Nanos::from_secs(10);
/// Between two looks at the gates.
const GATES_PERIOD: Nanos = Nanos::from_secs(2);

/// Progress of one run.
pub struct Live {
    display: Display,
    gates: SoFarGates,
}

/// How it is shown.
enum Display {
    /// Nothing is shown.
    Quiet,
    /// A line now and then.
    Plain { windows: Vec<Window>, next: Nanos },
    /// A panel of several lines, and the keys of whoever looks at it.
    Panel { recent: VecDeque<Window>, history: VecDeque<u64>, screen: Arc<Mutex<Screen>>, keys: Option<Keys> },
}

/// What spoils the run, as of the last look.
#[derive(Default)]
struct SoFarGates {
    reasons: Vec<Reason>,
    next: Nanos,
}

impl SoFarGates {
    fn look(&mut self, progress: &Progress<'_>) -> &[Reason] {
        let now = progress.complete.window.end();
        if now >= self.next {
            self.reasons = progress.fold.so_far(progress.plan, progress.catalog);
            self.next = now + GATES_PERIOD;
        }
        &self.reasons
    }
}

/// The panel as it is drawn, by windows and by keys.
#[derive(Default)]
struct Screen {
    view: Option<LiveView>,
    drawn: say::Drawn,
    has_keys: bool,
    shows_help: bool,
    is_held: bool,
}

impl Screen {
    fn draw(&mut self) {
        let Some(view) = &self.view else { return };
        let keys = match self {
            Self { is_held: true, .. } => terminal::Keys::Held,
            Self { shows_help: true, .. } => terminal::Keys::Help,
            Self { has_keys: true, .. } => terminal::Keys::Hint,
            _ => terminal::Keys::None,
        };
        let style = Style { color: use_color(), width: terminal_width(), ..Style::default() };
        self.drawn.redraw(&terminal::panel(view, Room { style, rows: terminal_rows(), keys }));
    }

    fn pressed(&mut self, key: Key) {
        match key {
            Key::Hold => self.is_held = !self.is_held,
            Key::Help => (self.shows_help, self.is_held) = (!self.shows_help, false),
        }
        self.draw();
    }
}

fn lock(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a person looks at standard error: a terminal that can redraw lines, and not one of CI.
pub fn is_watched() -> bool {
    let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    std::io::stderr().is_terminal() && !is_dumb && std::env::var_os("CI").is_none()
}

impl Live {
    /// As fits standard error.
    pub fn new(quiet: bool) -> Self {
        let display = if quiet {
            Display::Quiet
        } else if is_watched() {
            let screen = Arc::new(Mutex::new(Screen::default()));
            let shared = Arc::clone(&screen);
            let keys = Keys::listen(move |key| lock(&shared).pressed(key));
            lock(&screen).has_keys = keys.is_some();
            Display::Panel { recent: VecDeque::new(), history: VecDeque::new(), screen, keys }
        } else {
            Display::Plain { windows: Vec::new(), next: PLAIN_PERIOD }
        };
        Self { display, gates: SoFarGates::default() }
    }
}

impl Listener for Live {
    fn window(&mut self, progress: &Progress<'_>) {
        let (plan, window) = (progress.plan, &progress.complete.window);
        let clock = (window.end().as_secs_f64(), progress.end.map(Nanos::as_secs_f64));
        let (totals, catalog) = (progress.fold.totals(), progress.catalog);
        match &mut self.display {
            Display::Quiet => {}
            Display::Plain { windows, next } => {
                windows.push(window.clone());
                if window.end() >= *next {
                    let so_far = SoFar { totals, catalog, reasons: self.gates.look(progress) };
                    say::note(plain_line(&LiveView::new(plan, clock, windows, so_far)));
                    *next = window.end() + PLAIN_PERIOD;
                    windows.clear();
                }
            }
            Display::Panel { recent, history, screen, .. } => {
                recent.push_back(window.clone());
                if recent.len() > WINDOWS_NUMBERS {
                    recent.pop_front();
                }
                history.push_back(ended(window));
                if history.len() > WINDOWS_MAX {
                    history.pop_front();
                }
                let mut screen = lock(screen);
                if screen.is_held {
                    return;
                }
                let so_far = SoFar { totals, catalog, reasons: self.gates.look(progress) };
                let mut view = LiveView::new(plan, clock, recent.make_contiguous(), so_far);
                view.history = history.iter().copied().collect();
                screen.view = Some(view);
                screen.draw();
            }
        }
    }

    fn event(&mut self, _: Nanos, code: &str, text: &str) {
        self.clear();
        say::note(format_args!("{code}: {text}"));
    }

    fn ended(&mut self) {
        // First, so that no key draws it again.
        if let Display::Panel { keys, .. } = &mut self.display {
            *keys = None;
        }
        self.clear();
    }
}

impl Live {
    /// Takes the panel away, until the next window.
    fn clear(&mut self) {
        if let Display::Panel { screen, .. } = &mut self.display {
            lock(screen).drawn.redraw(&[]);
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

/// How standard output is written: so many columns where nothing says how many there are.
pub fn style(columns: usize, wide: bool) -> Style {
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let color = is_terminal && use_color();
    Style { color, width: output_width(columns), wide, glyphs: glyphs(is_terminal) }
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

/// Rows of the terminal, of standard error or else of standard output; as many as a small one has when unknown.
fn terminal_rows() -> usize {
    terminal_size().map(|size| usize::from(size.ws_row)).filter(|rows| *rows > 0).unwrap_or(24)
}

/// Columns of the terminal, of standard error or else of standard output.
pub fn terminal_columns() -> Option<usize> {
    terminal_size().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

fn terminal_size() -> Option<Winsize> {
    tcgetwinsize(std::io::stderr()).or_else(|_| tcgetwinsize(std::io::stdout())).ok()
}
