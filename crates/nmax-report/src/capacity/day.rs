//! What is said of a simulated day.

use nmax_capacity::day::{Answer, Breaking, Estimate, Limit, Outcome, Point, Policy, Strategy, Study, Variable};
use nmax_capacity::day::{Overload, Verdict};

use crate::doc::table::{Cell, Emphasis, Table};
use crate::doc::{Banner, Figure, Item, Mark, Media, Plot, Section};
use crate::number;
use crate::svg::{Chart, Key, LOOKS, Line, Scale, WIDE};

/// Most strategies that have a picture of their own.
const PICTURES_MAX: usize = 6;
/// Most rows of the numbers behind a picture.
const ROWS_MAX: usize = 96;
const HEIGHT: f64 = 230.0;

/// The answer: what to run, or that none of it keeps the risk.
pub fn banner(study: &Study, currency: &str) -> Banner {
    let best = study.best();
    let (mark, word) = if best.keeps_risk { (Mark::Pass, "HOLDS") } else { (Mark::Fail, "BREAKS") };
    let keeps = if best.keeps_risk { "keeps" } else { "is the best and still misses" };
    let meaning = format!(
        "{} {keeps} the risk: {} of days have more than {} out of the objective",
        quoted(&best.policy.name),
        number::share(best.risk.0),
        number::span(60.0 * study.risk.minutes)
    );
    let advice = study.recommended().map(|found| Item::new(Mark::Answer, advice(found, currency)));
    let breaks = Item::new(Mark::Warning, broken_by(&study.breaking));
    Banner {
        mark,
        word: word.into(),
        meaning,
        reasons: advice.into_iter().chain([breaks]).collect(),
        notes: Vec::new(),
    }
}

/// All of it, in the order of a report.
pub fn sections(study: &Study, currency: &str) -> Vec<Section> {
    let all = [
        summary(study, currency),
        strategies(study, currency),
        pictures(study),
        overload(study),
        limits(study),
        sizes(study, currency),
    ];
    all.into_iter().filter_map(Section::said).collect()
}

fn summary(study: &Study, currency: &str) -> Section {
    let found = study.recommended().unwrap_or_else(|| study.best());
    let (doubling_s, survives) = study.headroom;
    Section::new("day", "In short").with(|body| {
        body.keys([
            ("strategy".into(), found.policy.name.clone(), policy(&found.policy)),
            (
                if found.cost.mean > 0.0 { "cost of the day" } else { "the day" }.into(),
                price(found, currency),
                per_request(found, currency),
            ),
            ("out of the objective".into(), minutes(found.minutes_out.mean), range(&found.minutes_out, minutes)),
            ("requests lost".into(), requests(found.lost.mean), range(&found.lost, requests)),
        ] as [(String, String, String); 4]);
        let doubling = number::span(doubling_s);
        let lag = number::span(study.lag_s);
        let headroom = match survives {
            Some(seconds) if seconds >= study.lag_s => {
                let survived = number::span(seconds);
                Item::new(
                    Mark::Pass,
                    format!("A doubling every {doubling} is survived for {survived}; nodes take {lag}."),
                )
            }
            Some(seconds) => {
                let survived = number::span(seconds);
                let text = format!("A doubling every {doubling} is survived for {survived} only; nodes take {lag}.");
                Item::new(Mark::Fail, text)
            }
            None => Item::new(
                Mark::Fail,
                "The nodes of the busiest hour do not meet a plain day, so they have no headroom.",
            ),
        };
        body.items([headroom]);
    })
}

fn strategies(study: &Study, currency: &str) -> Section {
    let compared = &study.compared;
    let ranked: Vec<&Strategy> = compared.ranking.iter().map(|at| &compared.strategies[*at]).collect();
    let days = if compared.seeds == 1 { "1 day".into() } else { format!("{} days", compared.seeds) };
    Section::new("strategies", "Strategies").aside(format!("{days} each, the same luck for all")).with(|body| {
        let table = Table::from_rows(ranked.iter().copied())
            .word("strategy", |found| {
                Cell::word(Emphasis::Strong, &found.policy.name).small(policy(&found.policy))
            })
            .short("strategy", 0)
            .word("risk", |found| {
                let text = format!("{} of days", number::share(found.risk.0));
                Cell::mark(Mark::condition(found.keeps_risk), &text).small(shares(found.risk.1))
            })
            .short("over the risk", 17)
            .number("cost", |found| match found.cost.mean {
                0.0 => number::UNKNOWN.into(),
                _ => with_range(&found.cost, |value| money(value, currency)),
            })
            .short("cost", 12)
            .number("out", |found| with_range(&found.minutes_out, minutes))
            .short("out", 9)
            .number("lost", |found| with_range(&found.lost, requests))
            .short("lost", 8)
            .number("guessed", |found| with_range(&found.guessed, requests))
            .number("sessions lost", |found| with_range(&found.sessions_lost, requests))
            .number("longest wait", |found| with_range(&found.longest_wait_s, number::span))
            .number("node-hours", |found| with_range(&found.node_hours, number::digits))
            .short("node-hours", 11)
            .number("per million", |found| match found.cost.mean {
                0.0 => number::UNKNOWN.into(),
                _ => money(1e6 * found.cost_per_request.mean, currency),
            });
        body.table(table.known());
        let best = &ranked[0].policy.name;
        body.items(compared.differences.iter().map(|difference| {
            let name = &compared.strategies[difference.strategy].policy.name;
            let text = format!(
                "{} against {}, day by day: {}time out {}, lost {}",
                quoted(name),
                quoted(best),
                if ranked[0].cost.mean > 0.0 {
                    format!("cost {}, ", signed_range(&difference.cost, |value| money(value, currency)))
                } else {
                    String::new()
                },
                signed_range(&difference.minutes_out, minutes),
                signed_range(&difference.lost, requests)
            );
            Item::new(Mark::Point, text)
        }));
        body.note(format!(
            "Means over days with their 95 % intervals. A day may have {} out of the objective; {} of days may have more. A day is out in every second in which more than \
             {} of requests fail or wait longer than {}, or which has more load than was measured to be usable.",
            minutes(study.risk.minutes),
            number::share(study.risk.chance),
            number::share(1.0 - study.world.objective.share),
            number::span(study.world.objective.limit_s)
        ));
    })
}

/// Demand against capacity on the typical day of each strategy, and the nodes of all.
fn pictures(study: &Study) -> Section {
    let compared = &study.compared;
    let shown: Vec<&Strategy> =
        compared.ranking.iter().take(PICTURES_MAX).map(|at| &compared.strategies[*at]).collect();
    Section::new("course", "The day").aside("the day whose time out is the median of all").with(|body| {
        body.on(Media::PICTURES);
        for (place, found) in shown.iter().enumerate() {
            body.figure(demand_and_capacity(study, found, place));
        }
        let lines = shown
            .iter()
            .zip(LOOKS)
            .map(|(found, class)| line(&found.typical, &found.policy.name, class, |at| at.nodes));
        body.figure(figure(study, ("nodes", "Nodes that serve"), number::digits, lines.collect(), true));
        let lines = shown
            .iter()
            .zip(LOOKS)
            .map(|(found, class)| line(&found.typical, &found.policy.name, class, |at| at.waiting));
        body.figure(figure(study, ("waiting", "Requests that wait"), plain, lines.collect(), true));
        body.on(Media::TERMINAL);
        for found in &shown {
            let series = &found.typical.series;
            let row = |name: &str, value: fn(&Point) -> f64, text: fn(f64) -> String| {
                let values: Vec<f64> = series.iter().map(value).collect();
                let most = values.iter().copied().fold(0.0, f64::max);
                (name.to_owned(), values.into_iter().map(Some).collect(), format!("up to {}", text(most)))
            };
            body.heading(&found.policy.name).plot(Plot::Bars(vec![
                row("demand", |at| at.demand, number::rate),
                row("capacity", |at| at.capacity, number::rate),
                row("nodes", |at| at.nodes, number::digits),
                row("waiting", |at| at.waiting, plain),
                row("lost", |at| at.lost, number::rate),
            ]));
        }
    })
}

fn demand_and_capacity(study: &Study, found: &Strategy, place: usize) -> Figure {
    let day = &found.typical;
    let mut lines = vec![
        line(day, "demand", "c1", |at| at.demand),
        line(day, "usable capacity", "c3 dash", |at| at.capacity),
        Line { area: true, ..line(day, "lost", "c2", |at| at.lost) },
    ];
    if day.guessed > 0.0 {
        lines.push(line(day, "guessed", "c4 dot", |at| at.guessed));
    }
    let id = format!("day-{place}");
    let title = format!("{}: demand and capacity", found.policy.name);
    figure(study, (&id, &title), number::rate, lines, true)
}

fn line(day: &Outcome, name: &str, class: &'static str, value: fn(&Point) -> f64) -> Line {
    let half = day.series.get(1).map_or(0.0, |point| point.at_s / 2.0);
    let points = day.series.iter().map(|point| (point.at_s + half, Some(value(point)))).collect();
    Line { name: name.into(), class, area: false, points }
}

fn figure(
    study: &Study,
    (id, title): (&str, &str),
    label: fn(f64) -> String,
    lines: Vec<Line>,
    is_wide: bool,
) -> Figure {
    let values = |line: &Line| line.points.iter().filter_map(|(_, value)| *value).collect::<Vec<f64>>();
    let most = |line: &Line| label(values(line).into_iter().fold(0.0, f64::max));
    let ranges: Vec<String> = lines.iter().map(|line| format!("{} up to {}", line.name, most(line))).collect();
    let length_s = study.world.course.length_s as f64;
    let failing =
        study.world.failures.iter().map(|failure| (failure.at_s, (failure.at_s + failure.lasts_s).min(length_s)));
    let marks: Vec<(f64, f64)> = failing.collect();
    let scale = Scale::linear(lines.iter().flat_map(values));
    let shades = (!marks.is_empty()).then(|| (Key::Area("mark"), "may fail".to_owned()));
    let legend = lines.iter().map(|line| (Key::Curve(line.class), line.name.clone())).chain(shades).collect();
    let numbers = numbers(&lines, label);
    let chart = Chart {
        id: id.into(),
        title: title.into(),
        description: format!("{}.", ranges.join("; ")),
        end_s: length_s,
        stages: Vec::new(),
        marks,
        gaps: Vec::new(),
        scale,
        label,
        heat: None,
        load: None,
        lines,
        has_names: false,
        height: HEIGHT,
    };
    Figure {
        id: id.into(),
        title: title.into(),
        legend,
        drawings: WIDE.map(|width| chart.render(width)).into(),
        is_wide,
        numbers: Some(numbers).filter(|table| !table.is_empty()),
        ..Figure::default()
    }
}

/// What lines have every quarter of an hour of a day.
fn numbers(lines: &[Line], label: fn(f64) -> String) -> Table<()> {
    let length = lines.first().map_or(0, |line| line.points.len());
    let every = length.div_ceil(ROWS_MAX).max(1);
    let at = |row: usize| lines[0].points[row].0;
    let mut table = Table::from_rows((0..length).step_by(every)).number("at", |row| number::span(at(row)));
    for line in lines {
        table = table.number(&line.name, |row| line.points[row].1.map_or_else(|| number::UNKNOWN.into(), label));
    }
    table.done()
}

fn overload(study: &Study) -> Section {
    let about = "2 and 3 times the usable load, then .8 of it";
    Section::new("overload", "Above what is usable").aside(about).with(|body| {
        let rows = study.compared.ranking.iter().map(|at| &study.compared.strategies[*at]);
        let table = Table::from_rows(rows)
            .word("strategy", |found| found.policy.name.clone())
            .short("strategy", 0)
            .word("verdict", |found| verdict(&found.overload))
            .short("verdict", 17)
            .number("goodput at 2×", |found| number::share(found.overload.goodput[0]))
            .short("at 2x", 7)
            .number("at 3×", |found| number::share(found.overload.goodput[1]))
            .short("at 3x", 7)
            .number("attempts per request", |found| number::digits(found.overload.amplification))
            .short("attempts", 9)
            .number("recovered after", |found| found.overload.recovered_s.map_or_else(|| "never".into(), number::span))
            .short("recovered", 10);
        body.table(table);
        body.note(
            "Constant load on the nodes of midnight. Goodput: answers within the objective, as a share of the usable capacity; from 90 % on a system sheds. Where it \
             stays collapsed, the work for clients that left and their retries is more than it can do even without the push: \
             only less load, refusing, or a quota of retries ends it.",
        );
    })
}

fn verdict(found: &Overload) -> Cell {
    let mark = match found.verdict {
        Verdict::Sheds => Mark::Pass,
        Verdict::Collapses => Mark::Warning,
        Verdict::StaysCollapsed => Mark::Fail,
    };
    Cell::mark(mark, found.verdict.name())
}

fn limits(study: &Study) -> Section {
    let (breaking, best) = (&study.breaking, study.best());
    let title = if breaking.keeps_risk { "What breaks it" } else { "What would mend it" };
    Section::new("breaking", title).aside(format!("of {}, one variable at a time", quoted(&best.policy.name))).with(|body| {
        body.text(broken_by(breaking));
        let table = Table::from_rows(breaking.limits.iter())
            .word("variable", |limit| limit.variable.name())
            .short("variable", 0)
            .number("as it is", |limit| value(limit.variable, limit.now))
            .short("as it is", 11)
            .number(if breaking.keeps_risk { "breaks at" } else { "mended at" }, |limit| {
                limit.edge.map_or_else(|| number::UNKNOWN.into(), |edge| value(limit.variable, edge))
            })
            .short("edge", 14)
            .number("change", |limit| limit.change.map_or_else(|| number::UNKNOWN.into(), number::share))
            .short("change", 8);
        body.table(table);
        body.note(
            "No value that was tried changes the answer where none stands. The change is a share of the value as it is or, where that is nothing, of the worst: an outage of 4.5 h, no node \
             that comes, seven retries; of a zone, a region or the cache it is the share of the capacity that is lost for an hour.",
        );
    })
}

fn sizes(study: &Study, currency: &str) -> Section {
    let about =
        format!("{} of days over {} out", number::share(study.risk.chance), number::span(60.0 * study.risk.minutes));
    let priced = study.world.prices.node_hour > 0.0;
    Section::new("cheapest", "The cheapest that keeps the risk").aside(about).with(|body| {
        let table = Table::from_rows(study.cheapest.found.iter())
            .word("strategy", |found| Cell::word(Emphasis::Strong, &found.policy.name))
            .short("strategy", 14)
            .sentence("size", |found| policy(&found.policy))
            .short("size", 0)
            .word("risk", |found| Cell::mark(Mark::condition(found.keeps_risk), &number::share(found.risk.0)))
            .short("risk", 9)
            .number(if priced { "cost" } else { "node-hours" }, |found| match priced {
                true => money(found.cost.mean, currency),
                false => number::digits(found.node_hours.mean),
            })
            .short(if priced { "cost" } else { "node-hours" }, 12)
            .number("out", |found| minutes(found.minutes_out.mean))
            .short("out", 9);
        body.table(table);
        let never =
            |name: &String| Item::new(Mark::Fail, format!("{}: no number of nodes keeps the risk", quoted(name)));
        body.items(study.cheapest.impossible.iter().map(never));
    })
}

/// What to run, in a sentence.
fn advice(found: &Strategy, currency: &str) -> String {
    let keeps = if found.keeps_risk { "keeps the risk" } else { "comes nearest to the risk, which it misses" };
    format!(
        "The cheapest size: {} with {} {keeps} at {} a day: {} out, {} requests lost.",
        quoted(&found.policy.name),
        policy(&found.policy),
        price(found, currency),
        minutes(found.minutes_out.mean),
        requests(found.lost.mean)
    )
}

/// A policy in a few words.
fn policy(policy: &Policy) -> String {
    let nodes = |n: usize| if n == 1 { "1 node".to_owned() } else { format!("{n} nodes") };
    let mut words = match policy.autoscale {
        Some(scale) => {
            vec![format!("{} to {}", scale.least, nodes(scale.most)), format!("target {}", number::share(scale.target))]
        }
        None => vec![nodes(policy.nodes)],
    };
    if !policy.schedule.is_empty() {
        let most = policy.schedule.iter().map(|(_, n)| *n).max().unwrap_or(policy.nodes);
        words.push(format!("a schedule up to {most}"));
    }
    words.extend(policy.cache.map(|cache| format!("a cache with {} hits", number::share(cache.hit))));
    words.extend(match policy.answer {
        Answer::Queue => None,
        Answer::Expire => Some("dropping work of clients that left".to_owned()),
        Answer::Shed => Some("shedding".to_owned()),
        Answer::Guess { .. } => Some("guessing".to_owned()),
    });
    words.join(", ")
}

fn broken_by(breaking: &Breaking) -> String {
    let Some(first) = breaking.first() else {
        let change = if breaking.keeps_risk { "breaks" } else { "mends" };
        return format!("No single variable that was tried {change} this day.");
    };
    let (word, edge) = (first.variable.name(), edge(first));
    let change = number::share(first.change.unwrap_or(0.0));
    let next = breaking.limits.get(1).filter(|limit| limit.change.is_some());
    let next = next.map_or_else(String::new, |next| format!(" Next: {}, {}.", next.variable.name(), edge_of(next)));
    if breaking.keeps_risk {
        format!("What breaks this day first is the {word}: {edge}, a change of {change}.{next}")
    } else {
        format!("What would mend this day first is the {word}: {edge}, a change of {change}.{next}")
    }
}

fn edge(limit: &Limit) -> String {
    match limit.variable {
        Variable::Zone | Variable::Region | Variable::Cold => "for an hour".into(),
        _ => edge_of(limit),
    }
}

fn edge_of(limit: &Limit) -> String {
    let to = limit.edge.map_or_else(|| number::UNKNOWN.into(), |edge| value(limit.variable, edge));
    format!("from {} to {to}", value(limit.variable, limit.now))
}

/// A value of a variable with its unit.
fn value(variable: Variable, value: f64) -> String {
    match variable {
        Variable::Load | Variable::Provisioning => format!("×{value:.2}"),
        Variable::Outage if value <= 0.0 => "none".into(),
        Variable::Outage => number::span(value),
        Variable::Retries => format!("{value:.0}"),
        Variable::Never | Variable::Hit | Variable::Chance => number::share(value),
        Variable::Zone | Variable::Region | Variable::Cold if value <= 0.0 => "none".into(),
        Variable::Zone | Variable::Region | Variable::Cold => format!("{} lost", number::share(value)),
    }
}

fn quoted(name: &str) -> String {
    format!("“{name}”")
}

fn money(value: f64, currency: &str) -> String {
    let digits = if value.abs() >= 1000.0 { number::count(value.round() as u64) } else { number::digits(value) };
    format!("{digits} {currency}").trim_end().to_owned()
}

/// The cost of a day or, without prices, its node-hours.
fn price(found: &Strategy, currency: &str) -> String {
    if found.cost.mean > 0.0 { money(found.cost.mean, currency) } else { node_hours(found.node_hours.mean) }
}

fn node_hours(hours: f64) -> String {
    format!("{} node-hours", number::digits(hours))
}

fn per_request(found: &Strategy, currency: &str) -> String {
    let cost = 1e6 * found.cost_per_request.mean;
    if cost > 0.0 { format!("{} per million requests", money(cost, currency)) } else { String::new() }
}

fn minutes(minutes: f64) -> String {
    match minutes {
        0.0..0.005 => "0 min".into(),
        0.005..1.0 => number::span(60.0 * minutes),
        _ => format!("{} min", number::digits(minutes)),
    }
}

fn requests(count: f64) -> String {
    number::short_count(count.round().max(0.0) as u64)
}

fn plain(value: f64) -> String {
    number::short_count(value.round().max(0.0) as u64)
}

fn range(estimate: &Estimate, text: impl Fn(f64) -> String) -> String {
    let (low, high) = estimate.interval;
    if low == high { String::new() } else { format!("[{}, {}]", text(low.max(0.0)), text(high)) }
}

fn with_range(estimate: &Estimate, text: impl Fn(f64) -> String + Copy) -> Cell {
    let mean = text(estimate.mean);
    let range = range(estimate, text);
    Cell { short: Some(mean.clone()), ..Cell::from(mean) }.small(range)
}

fn signed(value: f64, text: &impl Fn(f64) -> String) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", text(value.abs()))
}

fn signed_range(estimate: &Estimate, text: impl Fn(f64) -> String) -> String {
    let ((low, high), mean) = (estimate.interval, signed(estimate.mean, &text));
    if low == high { mean } else { format!("{mean} [{}, {}]", signed(low, &text), signed(high, &text)) }
}

fn shares((low, high): (f64, f64)) -> String {
    format!("[{}, {}]", number::share(low), number::share(high))
}

#[cfg(test)]
mod tests;
