//! Peak: are the conditions kept at the expected load, and how much is to spare?

use crate::wording::{counted, share, value};
use crate::{Evidence, ThresholdResult};

use super::say::load;
use super::{Finding, nothing};
use nmax_plan::profile::full;

/// Every condition with its margin, the nearest limit first.
pub(super) fn answer(evidence: &Evidence, thresholds: &[ThresholdResult]) -> (String, Vec<Finding>) {
    if thresholds.is_empty() {
        return nothing("the plan has no conditions to hold the peak against");
    }
    let at = load(evidence.plan, full(&evidence.plan.workload));
    let mut sorted: Vec<&ThresholdResult> = thresholds.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |result: &ThresholdResult| (result.holds, result.margin.unwrap_or(f64::INFINITY));
        let ((a_holds, a_margin), (b_holds, b_margin)) = (key(a), key(b));
        a_holds.cmp(&b_holds).then(a_margin.total_cmp(&b_margin))
    });
    let findings: Vec<Finding> = sorted.iter().map(|result| margin(result)).collect();
    let broken = thresholds.iter().filter(|result| !result.holds).count();
    let conditions = counted(thresholds.len() as u64, "condition");
    let headline = match (broken, findings.first()) {
        (0, Some(nearest)) => format!("at {at} all of {conditions} hold; the nearest limit: {}", nearest.text),
        _ => {
            let are = if broken == 1 { "does" } else { "do" };
            format!("at {at} {broken} of {conditions} {are} not hold")
        }
    };
    (headline, findings)
}

fn margin(result: &ThresholdResult) -> Finding {
    let condition = &result.condition;
    let limit = value(result.limit, result.unit);
    let Some(measured) = result.value else {
        let text = format!("`{condition}` was not measured");
        return Finding::says("MARGIN", text).about(condition).trouble_if(true);
    };
    let measured = value(measured, result.unit);
    let room = match (result.margin, result.holds) {
        (Some(margin), true) => format!("{} to spare", share(margin.max(0.0))),
        (Some(margin), false) => format!("{} beyond it", share(-margin)),
        (None, true) => "kept".to_owned(),
        (None, false) => "not kept".to_owned(),
    };
    let text = format!("`{condition}` measured {measured}, the limit is {limit}, {room}");
    let finding = Finding::says("MARGIN", text).about(condition).trouble_if(!result.holds);
    match result.margin {
        Some(margin) => finding.value(margin, "%"),
        None => finding,
    }
}
