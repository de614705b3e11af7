//! Headroom as a time, the target of an autoscaler, and reserves that multiply.

use nmax_capacity::plan::headroom::{Actuation, Answer, Headroom, PARTS, Surges, TARGET_MIN, Target};
use nmax_text::number::significant;

use crate::doc::table::{Cell, Table};
use crate::doc::{Item, Mark, Section};
use crate::number::{self, rate, span};

/// A shape of load, what it needs and how long it is survived.
struct Shape {
    text: String,
    answer: Answer,
}

/// How long scaling out takes, which shapes of load are survived, and how high a target may be.
///
/// - `reserves`: factors that multiply, each with its name
pub fn section(
    headroom: &Headroom,
    actuation: &Actuation,
    surges: &Surges,
    target: Option<&Target>,
    reserves: &[(&str, f64)],
) -> Section {
    let h = headroom.ratio();
    let aside = format!(
        "capacity {}, load {}: headroom {}",
        rate(headroom.capacity_per_s),
        rate(headroom.load_per_s),
        times(h)
    );
    let shapes = shapes(headroom, surges);
    Section::new("headroom", "Headroom").aside(aside).with(|body| {
        body.items(shapes.iter().map(|shape| {
            let holds = shape.answer.needed <= h;
            let survived = match shape.answer.survived_s {
                0.0 => "not survived: load is above capacity already".to_owned(),
                seconds if seconds.is_infinite() => "survived for good".to_owned(),
                seconds => format!("survived for {}", span(seconds)),
            };
            let text = format!("{} is {survived}; machines take {}.", shape.text, span(headroom.actuation_s));
            Item::new(if holds { Mark::Pass } else { Mark::Fail }, text)
        }));
        body.table(
            Table::from_rows(&shapes).fits()
                .word("load", |shape: &Shape| shape.text.clone())
                .number("headroom needed", |shape| times(shape.answer.needed))
                .number("there is", |_| times(h))
                .word("", |shape| holds(shape.answer.needed <= h)),
        );
        if let Some(fastest) = headroom.doubling_min_s() {
            body.note(format!("The fastest doubling that is survived takes {}.", span(fastest)));
        }
        if let Some(step) = surges.step {
            let left = headroom.backlog(step, step.factor * headroom.load_per_s * 1.5);
            body.note(format!(
                "A step leaves {} requests waiting when machines come, if none leaves; the longest wait is {}. With capacity \
                 for 1.5 times the step they are served {} later. If capacity jumps to the whole step at once, a headroom \
                 of {} is enough.",
                number::count(left.requests as u64),
                span(left.longest_wait_s),
                span(left.drained_s),
                times(headroom.step_exact(step))
            ));
        }
        body.heading("How long machines take");
        let rows: Vec<(&str, f64, &str)> = PARTS.iter().zip(&actuation.parts)
            .map(|((_, name), (seconds, basis))| (*name, *seconds, basis.word()))
            .chain([("in all", actuation.total_s(), "")])
            .collect();
        body.table(
            Table::from_rows(&rows).fits()
                .word("part", |(name, ..): &(&str, f64, &str)| *name)
                .number("time", |(_, seconds, _)| span(*seconds))
                .word("basis", |(.., basis)| *basis)
                .total(true),
        );
        if let Some(target) = target {
            target_of(body, target);
        }
        if reserves.len() > 1 {
            let product: f64 = reserves.iter().map(|(_, factor)| factor).product();
            let factors: Vec<String> = reserves.iter().map(|(name, factor)| format!("{} ({name})", significant(*factor, 4))).collect();
            body.note(format!(
                "Reserves multiply: {} = {} times the forecast peak by the linear rule. No reserve needs to be added twice.",
                factors.join(" × "),
                significant(product, 4)
            ));
        }
    })
}

fn shapes(headroom: &Headroom, surges: &Surges) -> Vec<Shape> {
    let doubling = surges.doubling_s.map(|seconds| Shape {
        text: format!("a doubling every {}", span(seconds)),
        answer: headroom.doubling(seconds),
    });
    let ramp = surges.ramp_per_s2.map(|per_s2| Shape {
        text: format!("growth by {} each minute", rate(60.0 * per_s2)),
        answer: headroom.ramp(per_s2),
    });
    let step = surges.step.map(|step| Shape {
        text: format!("a step to {} (clients wait {})", times(step.factor), span(step.timeout_s)),
        answer: headroom.step(step),
    });
    [doubling, ramp, step].into_iter().flatten().collect()
}

fn times(factor: f64) -> String {
    format!("{}×", significant(factor, 3))
}

fn holds(holds: bool) -> Cell {
    Cell::mark(Mark::condition(holds), if holds { "holds" } else { "falls short" })
}

fn target_of(body: &mut crate::doc::Body, target: &Target) {
    body.heading("Target of an autoscaler");
    let text = format!(
        "{} of throughput at saturation: {} (usable) × {} (after the loss) × {} (doubling while machines start).",
        number::share(target.value()),
        significant(target.usable, 3),
        significant(target.survivors, 3),
        significant(target.flash, 3)
    );
    body.items([Item::new(if target.is_reactive() { Mark::Answer } else { Mark::Trouble }, text)]);
    if !target.is_reactive() {
        body.note(format!(
            "Below {} scaling after the fact does not fit: nodes would stand idle most of the time. Scale by schedule or by \
             forecast, or shorten the delay.",
            number::share(TARGET_MIN)
        ));
    }
}
