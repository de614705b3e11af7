use super::*;
use crate::document::{self, tests::options};
use crate::plan::Step;
use crate::schedule::StageKind;

#[test]
fn the_example_is_a_plan() {
    let plan = document::parse(PLAN, &options()).unwrap();
    assert_eq!(plan.name, "shop");
    let steps: Vec<usize> = plan.scenarios.iter().map(|scenario| scenario.steps.len()).collect();
    assert_eq!(steps, [5, 2]);
    let kinds: Vec<StageKind> = plan.stages.iter().map(|stage| stage.kind).collect();
    assert_eq!(kinds, [StageKind::RampUp, StageKind::Hold, StageKind::RampDown]);
    assert!(matches!(plan.scenarios[0].steps[1], Step::Think(_)));
    assert_eq!(plan.thresholds.len(), 5, "three of its own and two defaults");
}

#[test]
fn the_commented_data_works_too() {
    let with_data = PLAN.replace("# data:\n#   terms:", "data:\n    terms:").replace("q: oak", "q: \"${terms.q}\"");
    let plan = document::parse(&with_data, &options()).unwrap();
    assert_eq!(plan.feeders[0].row_count(), 2);
}
