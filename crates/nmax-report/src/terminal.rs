//! The result as a table, and the live display. Symbols carry the meaning; color only repeats it.

use nmax_analysis::Verdict;

use crate::number;
use crate::tables::{Alignment, Column, Table, groups};
use crate::view::{View, threshold_value};
use nmax_analysis::summary::Problem;

mod answer;
mod bars;
mod breakdown;
mod comparison;
mod connections;
mod diagnosis;
mod hosts;
mod likeness;
mod live;
mod requests;
mod scalability;
mod text;

pub(crate) use bars::{bars, thinned};
pub use comparison::{comparison, history};
pub use likeness::likeness;
pub use live::{Keys, LiveView, Room, SoFar, panel, plain_line};
pub use scalability::{Glyphs, LiveScale, compare, fit, live_curve, predict, scale, what_if};
use text::{Ink, Painted, fold, shown, width};
pub(crate) use text::{aligned, shorten, wrap};
pub use text::{hanging, printed_width};

/// Least width of tables and charts, columns. On a narrower terminal lines of tables are broken, and charts left out.
pub const WIDTH_MIN: usize = 60;
/// Least width of a line, columns.
pub const COLUMNS_MIN: usize = 20;

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Color by ANSI codes.
    pub color: bool,
    /// Columns; at least [`COLUMNS_MIN`] are used.
    pub width: usize,
    /// Every number of the table of requests, whatever the width.
    pub wide: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: 80, wide: false }
    }
}

/// Most rows of a group, and the widest column of names.
const GROUPS_MAX: usize = 40;
const NAME_MAX: usize = 48;
/// Most errors, checks and reasons listed.
const LIST_MAX: usize = 12;
/// Most kinds listed that came after another one.
const LATER_MAX: usize = 6;

/// The result of a run. No line is wider than `style.width`, except those of the wide table of requests.
pub fn table(view: &View, style: Style) -> Painted {
    let mut page = Lines::new(style);
    header(&mut page, view);
    load(&mut page, view);
    answer::write(&mut page, view);
    requests::write(&mut page, view, style.wide);
    connections::write(&mut page, view);
    groups(&mut page, view);
    answer::timeline(&mut page, view);
    thresholds(&mut page, view);
    checks(&mut page, view);
    problems(&mut page, view);
    breakdown::write(&mut page, view, style.wide);
    hosts::write(&mut page, view, style.wide);
    diagnosis::write(&mut page, view, style.wide);
    likeness::write(&mut page, view, style.wide);
    gates(&mut page, view);
    losses(&mut page, view);
    page.text
}

/// Lines as they are written.
struct Lines {
    text: Painted,
    color: bool,
    /// Columns of tables and charts, at least [`WIDTH_MIN`].
    width: usize,
    /// Columns of lines, fewer than those of tables on a narrow terminal.
    columns: usize,
}

impl Lines {
    fn new(style: Style) -> Self {
        let (width, columns) = (style.width.max(WIDTH_MIN), style.width.max(COLUMNS_MIN));
        Self { text: Painted::default(), color: style.color, width, columns }
    }

    fn is_narrow(&self) -> bool {
        self.columns < self.width
    }

    fn line(&mut self, text: impl Into<Painted>) {
        let mut line = text.into();
        line.trim_end();
        let rows = if self.is_narrow() { line.folded(|line| fold(line, self.columns)) } else { vec![line] };
        for row in rows {
            self.text += row;
            self.text += "\n";
        }
    }

    /// A table, words to the left and numbers to the right, and where its other rows are.
    ///
    /// - `room_max`: most columns of what has the room that the others leave
    /// - `below`: what is said of a row under it
    fn table<R>(&mut self, table: &Table<R>, room_max: usize, below: impl Fn(&mut Self, usize)) {
        let shown = table.columns.iter().filter_map(|column| Some((column, column.terminal?)));
        let taken: usize = shown.clone().map(|(_, (_, width))| width).sum();
        let room = self.width.saturating_sub(taken).min(room_max);
        let row = |text: &dyn Fn(&Column) -> &str| -> String {
            let cell = |(column, (title, width)): (&Column, (&str, usize))| {
                let (text, width) = (text(column), if width == 0 { room } else { width });
                if column.place == Alignment::Number {
                    return text::right(&shorten(text, width.saturating_sub(1)), width);
                }
                let indent = title.len() - title.trim_start().len();
                text::left(&(" ".repeat(indent) + &shorten(text.trim_start(), width.saturating_sub(indent))), width)
            };
            shown.clone().map(cell).collect()
        };
        let titles = row(&|column| column.terminal.map_or("", |(title, _)| title));
        let titles = self.paint(&titles, Ink::Dim);
        self.line(titles);
        for place in 0..table.len() {
            let cells = row(&|column| column.cells[place].in_terminal());
            self.line(cells);
            below(self, place);
        }
        if let Some((more, rest)) = table.rest {
            self.item("…", Ink::Dim, &format!("{more} more {rest}"));
        }
    }

    /// Lines of a chart.
    fn drawing(&mut self, lines: Vec<Painted>) {
        if self.is_narrow() {
            return self.item("–", Ink::Dim, &format!("a chart needs {WIDTH_MIN} columns"));
        }
        lines.into_iter().for_each(|line| self.line(line));
    }

    fn paint(&self, text: &str, ink: Ink) -> Painted {
        Painted::inked(&shown(text), ink, self.color)
    }

    fn heading(&mut self, title: &str) {
        self.line("");
        let title = self.paint(title, Ink::Bold);
        self.line(&title);
    }

    /// A symbol, then text wrapped beside it.
    fn item(&mut self, symbol: &str, ink: Ink, text: &str) {
        let indent = width(symbol) + 3;
        for (index, part) in wrap(text, self.columns.saturating_sub(indent)).iter().enumerate() {
            let blank = " ".repeat(indent);
            let lead = if index == 0 { Painted::from("  ") + self.paint(symbol, ink) + " " } else { blank.into() };
            self.line(lead + part);
        }
    }

    /// A word in a column of its own, then text wrapped beside it.
    fn entry(&mut self, word: &str, text: &str) {
        self.entry_at(10, word, text);
    }

    /// [`Self::entry`] with its text from a column on.
    fn entry_at(&mut self, column: usize, word: &str, text: &str) {
        if self.is_narrow() {
            return self.line(format!("{word} {}", shown(text)));
        }
        for (index, part) in wrap(text, self.width - column).iter().enumerate() {
            let lead = text::left(if index == 0 { word } else { "" }, column);
            let lead = self.paint(&lead, Ink::Dim);
            self.line(lead + part);
        }
    }
}

/// Symbol, word and color of a verdict.
fn verdict_mark(verdict: Verdict) -> (&'static str, &'static str, Ink) {
    match verdict {
        Verdict::Pass => ("✓", "PASS", Ink::Good),
        Verdict::Fail => ("✗", "FAIL", Ink::Bad),
        Verdict::Invalid => ("!", "INVALID", Ink::Warning),
    }
}

fn mark(holds: bool) -> (&'static str, Ink) {
    if holds { ("✓", Ink::Good) } else { ("✗", Ink::Bad) }
}

fn header(page: &mut Lines, view: &View) {
    let (symbol, word, ink) = verdict_mark(view.judgement.verdict);
    let notes = [view.incomplete(), view.compressed()];
    let notes: String = notes.into_iter().flatten().map(|text| format!(", {text}")).collect();
    let verdict = format!("{symbol} {word}{notes}");
    let title = shorten(view.title(), page.width.saturating_sub(width(&verdict) + 2));
    let line = page.paint(&verdict, ink) + "  " + page.paint(&title, Ink::Bold);
    page.line(line);
    let run = &view.run;
    let id =
        if run.id.is_empty() { String::new() } else { format!("{}, {}", run.id, number::instant(&run.started_at)) };
    let tags = run.tags.join(", ");
    for (word, text) in [("run", &id), ("target", &run.target), ("note", &run.note), ("tags", &tags)] {
        if !text.is_empty() {
            page.entry(word, text);
        }
    }
    for reason in view.judgement.reasons.iter().take(LIST_MAX) {
        let (symbol, ink) = if reason.decides { (symbol, ink) } else { ("!", Ink::Warning) };
        page.item(symbol, ink, &format!("{} [{}]", reason.text, reason.code));
    }
    more(page, view.judgement.reasons.len(), LIST_MAX, "reasons");
    if !view.judgement.reasons.is_empty() {
        page.entry("explain", "`nmax explain CODE` says what a code means");
    }
    for limit in &view.summary.limits_hit {
        page.item("!", Ink::Warning, limit);
    }
}

fn more(page: &mut Lines, count: usize, shown: usize, what: &str) {
    if count > shown {
        page.item("…", Ink::Dim, &format!("{} more {what}", count - shown));
    }
}

fn load(page: &mut Lines, view: &View) {
    page.entry("load", &load_text(view));
}

/// The load in one sentence: intended, achieved, how long, which phase.
fn load_text(view: &View) -> String {
    let achieved = number::rate_or_unknown(view.summary.achieved_rate_per_s);
    let intended = match (view.summary.intended_rate_per_s, view.summary.intended_vus) {
        (Some(rate), _) => format!("open, iterations intended {}, achieved {achieved}", number::rate(rate)),
        (_, Some(vus)) => format!("closed, {} virtual users, iterations achieved {achieved}", number::digits(vus)),
        _ => format!("iterations achieved {achieved}"),
    };
    let phase = &view.summary.phase;
    let in_flight = view.summary.in_flight.map_or_else(String::new, |n| format!(", {} in flight", number::digits(n)));
    let ran = number::span(view.summary.duration_s);
    format!("{intended}{in_flight}; phase {} {} of {ran}", phase.name, number::span(phase.length_s()))
}

/// Pages, transactions and whatever else is gathered by name.
fn groups(page: &mut Lines, view: &View) {
    for ((heading, _), table) in groups::tables(&view.summary) {
        page.heading(&format!("{heading} (phase {})", view.summary.phase.name));
        page.table(&table.at_most(GROUPS_MAX, "rows in the report"), NAME_MAX, |_, _| ());
    }
}

fn thresholds(page: &mut Lines, view: &View) {
    if view.judgement.thresholds.is_empty() {
        return;
    }
    page.heading("Thresholds");
    for result in &view.judgement.thresholds {
        let (symbol, ink) = mark(result.holds);
        let margin = result.margin.filter(|_| result.value.is_some());
        let margin = margin.map_or_else(String::new, |margin| format!(", margin {}", number::margin(Some(margin))));
        page.item(symbol, ink, &format!("{}: {}{margin}", result.condition, threshold_value(result)));
    }
}

fn checks(page: &mut Lines, view: &View) {
    if view.summary.checks.is_empty() {
        return;
    }
    page.heading(&format!("Checks ({})", view.summary.phase.name));
    let mut rows: Vec<_> = view.summary.checks.iter().collect();
    rows.sort_by_key(|check| std::cmp::Reverse(check.failed));
    for check in rows.iter().take(LIST_MAX) {
        let (symbol, ink) = mark(check.failed == 0);
        let all = check.passed + check.failed;
        let text = format!("{}: {} of {} held", check.name, number::count(check.passed), number::count(all));
        page.item(symbol, ink, &text);
    }
    more(page, rows.len(), LIST_MAX, "checks");
}

fn problems(page: &mut Lines, view: &View) {
    if view.summary.problems.is_empty() {
        return;
    }
    page.heading("Failures and errors (whole run)");
    let problems = &view.summary.problems;
    let is_told = |kind: &String| problems.iter().any(|problem| problem.followed_by.contains(kind));
    let shown: Vec<_> = problems.iter().filter(|problem| !(problem.only_follows() && is_told(&problem.kind))).collect();
    for problem in shown.iter().take(LIST_MAX) {
        page.item("✗", Ink::Bad, &problem_text(problem));
        if let Some(text) = example_text(problem) {
            page.item(" ", Ink::Plain, &shorten(&format!("for example {text}"), 3 * (page.width - 4)));
        }
        let later: Vec<_> = problem.later(problems).collect();
        for one in later.iter().take(LATER_MAX) {
            let example = example_text(one).map_or_else(String::new, |text| format!(", for example {text}"));
            let text = format!("then {}{}{example}", one.kind, times(one));
            page.item(" ", Ink::Plain, &shorten(&text, 3 * (page.width - 4)));
        }
        more(page, later.len(), LATER_MAX, "kinds that followed");
    }
    more(page, shown.len(), LIST_MAX, "kinds");
}

fn problem_text(problem: &Problem) -> String {
    format!("{}{}: {}", problem.kind, problem_counts(problem), problem.remedy)
}

/// How often, and how often it was not the consequence of another one.
fn problem_counts(problem: &Problem) -> String {
    let first = match problem.first {
        Some(0) => ", always after another failure of the iteration".to_owned(),
        Some(first) if Some(first) < problem.count => {
            format!(", first failure of {} iterations", number::count(first))
        }
        _ => String::new(),
    };
    times(problem) + &first
}

fn times(problem: &Problem) -> String {
    problem.count.map_or_else(String::new, |count| format!(", {} times", number::count(count)))
}

/// The first one of its kind: `GET /css at 0.061 s: the body is nested too deep`.
fn example_text(problem: &Problem) -> Option<String> {
    let example = problem.examples.first()?;
    Some(format!("{} at {}: {}", example.name, number::span(example.at.as_secs_f64()), example.text))
}

fn gates(page: &mut Lines, view: &View) {
    let closed: Vec<_> = view.judgement.gates.iter().filter(|gate| !gate.holds).collect();
    if closed.is_empty() {
        return;
    }
    page.heading("Why these numbers may not be believed");
    for gate in closed {
        // What the reasons above say in full is not said again.
        let is_told = view.judgement.reasons.iter().take(LIST_MAX).any(|reason| reason.text == gate.text);
        let text = match (is_told, gate.value) {
            (true, Some(value)) => {
                let limit = gate.limit.map(|limit| format!(", limit {}", number::with_unit(Some(limit), gate.unit)));
                number::with_unit(Some(value), gate.unit) + &limit.unwrap_or_default()
            }
            _ => gate.text.clone(),
        };
        page.item("!", Ink::Warning, &format!("{} {}: {text}", gate.code, gate.name));
    }
}

fn losses(page: &mut Lines, view: &View) {
    page.line("");
    if view.summary.dropped.total() > 0 {
        let dropped = &view.summary.dropped;
        page.entry(
            "dropped",
            &format!(
                "{} due iterations never started ({} by the injector, {} by the in-flight limit)",
                number::count(dropped.total()),
                number::count(dropped.injector),
                number::count(dropped.in_flight_limit),
            ),
        );
    }
    if view.summary.censored > 0 {
        let age = number::time_or_unknown(view.summary.censored_age_max_ns);
        let censored = number::count(view.summary.censored);
        page.entry("censored", &format!("{censored} exchanges unfinished at the end, the oldest {age} old"));
    }
    if let Some(path) = &view.report_path {
        let line = page.paint(&text::left("report", 10), Ink::Dim) + shown(path);
        page.line(line);
    }
}
