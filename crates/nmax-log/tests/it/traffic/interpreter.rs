//! A small interpreter of plans, independent of the engine: what a run of a plan would leave in a log.

use std::collections::HashMap;

use nmax_log::plan::Made;
use nmax_plan::choice::Stream;
use nmax_plan::document::{Options, parse};
use nmax_plan::plan::{Call, Condition, LoopEnd, Pick, Plan, Rows, Step, ThinkTime};
use nmax_plan::template::{Part, Template};

use super::world::{Line, Zipf, lognormal};

/// Reads a made plan with its files.
pub(crate) fn read(made: &Made) -> Plan {
    let files: HashMap<&str, &str> = made.files.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect();
    let read = |name: &str| files.get(name).map(|text| (*text).to_owned()).ok_or_else(|| format!("no {name}"));
    let options = Options {
        read: &read,
        exists: &|name| files.get(name).map(|text| text.len() as u64).ok_or_else(|| format!("no {name}")),
        ..Options::standalone("made.yaml")
    };
    parse(&made.plan, &options).unwrap_or_else(|errors| panic!("{errors:#?}\n{}", made.plan))
}

struct User<'a> {
    plan: &'a Plan,
    laws: &'a [Option<Zipf>],
    slots: Vec<String>,
    at_s: f64,
    visitor: u64,
    lines: &'a mut Vec<Line>,
    durations_ms: &'a dyn Fn(&str) -> f64,
}

/// Lines of `length_s` of a plan whose sessions begin `sessions_per_s`.
pub(crate) fn run(
    plan: &Plan,
    (sessions_per_s, length_s): (f64, f64),
    seed: u64,
    durations_ms: &dyn Fn(&str) -> f64,
) -> Vec<Line> {
    let mut random = Stream::new(seed);
    let total: f64 = plan.scenarios.iter().map(|scenario| scenario.weight).sum();
    let weights: Vec<f64> = plan.scenarios.iter().map(|scenario| scenario.weight / total).collect();
    let laws: Vec<Option<Zipf>> = plan
        .feeders
        .iter()
        .map(|feeder| match (&feeder.pick, &feeder.rows) {
            (Pick::Zipf { exponent }, Rows::File { cells, .. }) => Some(Zipf::new(cells.len(), *exponent)),
            (Pick::Random, Rows::File { cells, .. }) => Some(Zipf::new(cells.len(), 0.0)),
            _ => None,
        })
        .collect();
    let mut lines = Vec::new();
    let (mut at_s, mut visitor) = (1_000_000.0, 0);
    loop {
        at_s += random.exponential() / sessions_per_s;
        if at_s > 1_000_000.0 + length_s {
            break;
        }
        visitor += 1;
        let scenario = &plan.scenarios[super::world::pick(&weights, &mut random).unwrap_or(0)];
        let mut user = User {
            plan,
            laws: &laws,
            slots: vec![String::new(); scenario.slots.len()],
            at_s,
            visitor,
            lines: &mut lines,
            durations_ms,
        };
        user.steps(&scenario.steps, &mut random);
    }
    lines.sort_by_key(|line| line.arrival_us + line.duration_us as i64);
    lines
}

impl User<'_> {
    fn steps(&mut self, steps: &[Step], random: &mut Stream) {
        for step in steps {
            match step {
                Step::Call(request) => self.request(request, random),
                Step::Think(think) => self.at_s += pause_s(think, random),
                Step::Set(values) => {
                    for (slot, value) in values {
                        self.slots[*slot] = self.text(value, random);
                    }
                }
                Step::If(step) => {
                    let then = if self.holds(&step.condition, random) { &step.then } else { &step.otherwise };
                    self.steps(then, random);
                }
                Step::Loop(step) => {
                    let LoopEnd::While { condition, max } = &step.until else { panic!("no `repeat` was written") };
                    let mut passes = 0;
                    while self.holds(condition, random) {
                        passes += 1;
                        assert!(passes <= *max, "a session without an end");
                        self.steps(&step.steps, random);
                    }
                }
                Step::Choose(branches) => {
                    let total: f64 = branches.iter().map(|branch| branch.weight).sum();
                    let weights: Vec<f64> = branches.iter().map(|branch| branch.weight / total).collect();
                    let chosen = super::world::pick(&weights, random).unwrap_or(0);
                    self.steps(&branches[chosen].steps, random);
                }
                Step::Transaction(_) | Step::End(_) | Step::Script => panic!("not written by this importer"),
            }
        }
    }

    fn request(&mut self, request: &Call, random: &mut Stream) {
        let target = self.text(request.method_and_url().1, random);
        let name = self.text(&request.name, random);
        let median = (self.durations_ms)(&name);
        let duration_s = lognormal(median, 3.0 * median, random) / 1e3;
        self.lines.push(Line {
            duration_us: (duration_s * 1e6) as u64,
            method: name.split(' ').next().unwrap_or("GET").to_owned(),
            bytes: 500 + (lognormal(4_000.0, 20_000.0, random)) as u64,
            session: format!("i{}", self.visitor),
            ..Line::get(self.at_s, "127.0.0.1", &target)
        });
        self.at_s += duration_s;
    }

    fn holds(&self, condition: &Condition, random: &mut Stream) -> bool {
        let Condition::Compare { left, comparison, right } = condition else { panic!("only comparisons are written") };
        comparison.holds(&self.text(left, random), &self.text(right, random))
    }

    fn text(&self, template: &Template, random: &mut Stream) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Slot(slot) => self.slots[*slot].clone(),
            Part::Feeder { feeder, column } => {
                let Rows::File { cells, .. } = &self.plan.feeders[*feeder].rows else { panic!("rows are files") };
                let columns = self.plan.feeders[*feeder].columns.len();
                let law = self.laws[*feeder].as_ref().expect("a law for each feeder");
                cells[law.draw(random) * columns + column].to_owned()
            }
            other => panic!("{other:?} is not written"),
        };
        template.parts.iter().map(part).collect()
    }
}

fn pause_s(think: &ThinkTime, random: &mut Stream) -> f64 {
    match think {
        ThinkTime::Fixed(pause) => pause.as_secs_f64(),
        ThinkTime::Lognormal { median, p95 } => lognormal(median.as_secs_f64(), p95.as_secs_f64(), random).min(1_500.0),
        ThinkTime::Uniform { .. } => panic!("not written by this importer"),
    }
}
