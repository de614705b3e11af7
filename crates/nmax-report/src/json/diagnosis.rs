//! What to look at first, as `diagnosis` of the summary.

use nmax_analysis::suspect::{Cell, Coverage, Diagnosis, Finding, Resource, Suspect};
use serde_json::{Value, json};

use super::{micro, micro_or_null};

/// The diagnosis; seconds stay seconds.
pub(super) fn diagnosis(diagnosis: &Diagnosis) -> Value {
    let budget = diagnosis.budget.as_ref().map_or(Value::Null, |budget| {
        let part = |part: &nmax_analysis::suspect::Part| {
            let mut one = resource(&part.resource);
            one["service_s"] = fine(part.service_s);
            one["waiting_s"] = fine(part.waiting_s);
            one
        };
        json!({
            "response_s": fine(budget.response_s),
            "throughput_per_s": micro(budget.throughput_per_s),
            "parts": budget.parts.iter().map(part).collect::<Vec<_>>(),
            "unexplained_s": fine(budget.unexplained_s),
        })
    });
    let bounds = diagnosis.bounds.as_ref().map_or(Value::Null, |bounds| {
        let mut one = resource(&bounds.resource);
        one["demand_s"] = fine(bounds.demand_s);
        one["throughput_max_per_s"] = micro(bounds.throughput_max_per_s);
        one["knee"] = micro_or_null(bounds.knee);
        one
    });
    json!({
        "refused": diagnosis.refused,
        "suspects": diagnosis.suspects.iter().map(suspect).collect::<Vec<_>>(),
        "others": diagnosis.others.iter().map(suspect).collect::<Vec<_>>(),
        "budget": budget,
        "bounds": bounds,
        "coverage": diagnosis.coverage.iter().map(coverage).collect::<Vec<_>>(),
    })
}

fn resource(resource: &Resource) -> Value {
    json!({ "host": resource.host, "kind": resource.kind.name(), "name": resource.name })
}

fn suspect(suspect: &Suspect) -> Value {
    let finding = |finding: &Finding| json!({ "kind": finding.kind, "text": finding.text, "source": finding.source });
    let mut one = resource(&suspect.resource);
    one["label"] = json!(suspect.label.name());
    one["residence_s"] = suspect.residence_s.map_or(Value::Null, fine);
    one["demand_s"] = suspect.demand_s.map_or(Value::Null, fine);
    one["utilization"] = micro_or_null(suspect.utilization);
    one["findings"] = suspect.findings.iter().map(finding).collect();
    one["falsify"] = json!(suspect.falsify);
    one
}

fn coverage(row: &Coverage) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Observed(figure) => json!({ "state": "observed", "text": figure }),
        Cell::Gap(why) => json!({ "state": "gap", "text": why }),
        Cell::NotObserved => json!({ "state": "not_observed", "text": "" }),
        Cell::None => Value::Null,
    };
    let mut one = resource(&row.resource);
    one["utilization"] = cell(&row.utilization);
    one["saturation"] = cell(&row.saturation);
    one["errors"] = cell(&row.errors);
    one["remedy"] = json!(row.remedy);
    one
}

/// Seconds with nanosecond digits.
fn fine(seconds: f64) -> Value {
    json!((seconds * 1e9).round() / 1e9)
}
