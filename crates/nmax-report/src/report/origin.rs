//! How to get the numbers again: the command; in the appendix the plan, and the methods with their sources.

use super::{Part, likeness};
use crate::doc::{Item, Mark, Media, Section};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[likeness::section, repeat, methods, plan];

fn repeat(view: &View) -> Option<Section> {
    let command = &view.run.command;
    Section::new("repeat", "Repeat it")
        .with(|body| {
            if !command.is_empty() {
                body.on(Media::PAPER).code(command);
            }
        })
        .said()
}

fn plan(view: &View) -> Option<Section> {
    let plan = &view.run.plan_yaml;
    Section::new("plan", "Plan as resolved")
        .aside(format!("SHA-256 {}", view.run.plan_sha256))
        .appendix()
        .with(|body| {
            if !plan.is_empty() {
                body.on(Media::PAGE).code(plan);
            }
        })
        .said()
}

/// What the numbers rest on, and what the evidence of suspects does.
fn methods(view: &View) -> Option<Section> {
    const METHODS: [&str; 4] = [
        "Response time counts from the instant a request was due (open workloads) or its user was ready (closed): requests \
         that had to wait are slow, not missing. G. Tene, How NOT to Measure Latency (2015).",
        "Percentiles: HDR histograms with 3 significant digits, merged over workers and windows.",
        "Intervals of percentiles: batch means of windows, 95 %, within this run.",
        "Steady state: KPSS and drift over stretches of the hold. Kwiatkowski et al., Journal of Econometrics 54 (1992).",
    ];
    let suspects = view.judgement.diagnosis.suspects.iter().chain(&view.judgement.diagnosis.others);
    let mut sources: Vec<&str> = suspects.flat_map(|suspect| &suspect.findings).map(|finding| finding.source).collect();
    sources.retain(|source| !source.is_empty());
    sources.sort_unstable();
    sources.dedup();
    let evidence = sources.into_iter().map(|source| Item::new(Mark::Point, format!("Suspects: {source}")));
    Some(Section::new("methods", "Methods").appendix().with(|body| {
        body.on(Media::PAGE).items(METHODS.map(|text| Item::new(Mark::Point, text)).into_iter().chain(evidence));
    }))
}
