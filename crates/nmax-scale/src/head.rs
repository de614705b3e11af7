//! What is known of a campaign before its first level: `campaign.json`. With the levels and the points it is enough to
//! say again what the campaign said.

use std::path::Path;

use nmax_report::scalability::ScaleInfo;
use nmax_usl::{Demand, Dimension, Estimate};
use serde_json::{Value, json};

use crate::axis::{Knob, Load};

/// Its file.
pub(crate) const HEAD: &str = "campaign.json";

/// What is known before.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Head {
    /// Identity and origin; what is only known at the end is absent.
    pub(crate) info: ScaleInfo,
    pub(crate) nmax_version: String,
    pub(crate) load: Load,
    /// Whether threads of one injector stand against the injectors.
    pub(crate) has_sides: bool,
    pub(crate) knobs: Vec<Knob>,
    /// Unit of throughput.
    pub(crate) x_unit: String,
    /// Names of the observed processes.
    pub(crate) observed: Vec<String>,
    /// Processors that these have.
    pub(crate) cores: u32,
    /// What a completion asks of a resource, by hand.
    pub(crate) demand: Option<Demand>,
    /// What was said before the first level.
    pub(crate) notes: Vec<String>,
    /// Labels of the user.
    pub(crate) tags: Vec<String>,
    /// Remark of the user; empty without one.
    pub(crate) note: String,
}

impl Head {
    /// What grows in each of the two ways that are compared; none where there is one.
    pub(crate) fn sides(&self) -> &'static [Load] {
        if self.has_sides { &[Load::Injectors, Load::Workers] } else { &[] }
    }

    /// What N counts, and in words.
    pub(crate) fn dimension(&self) -> (Dimension, &str) {
        let Some(knob) = self.knobs.first() else {
            return (self.load.dimension(), self.load.label());
        };
        let dimension = match knob.name.as_str() {
            "nodes" => Dimension::Nodes,
            "threads" => Dimension::Threads,
            "workers" => Dimension::Workers,
            _ => Dimension::Other,
        };
        (dimension, &knob.name)
    }

    /// As it is stored.
    pub(crate) fn json(&self) -> Value {
        let info = &self.info;
        let knob = |knob: &Knob| json!({ "name": knob.name, "values": knob.values });
        json!({
            "schema_version": 1,
            "nmax_version": self.nmax_version,
            "id": info.id,
            "name": info.name,
            "target": info.target,
            "started_at": info.started_at,
            "seed": info.seed,
            "axes": info.axes,
            "count": info.count,
            "level_s": info.level_s,
            "budget_s": info.budget_s,
            "plan_sha256": info.plan_sha256,
            "machine": info.machine.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<_, _>>(),
            "load": self.load.name(),
            "sides": self.has_sides,
            "knobs": self.knobs.iter().map(knob).collect::<Vec<_>>(),
            "x_unit": self.x_unit,
            "observed": self.observed,
            "cores": self.cores,
            "demand": self.demand.as_ref().map(|demand| json!({ "name": demand.name, "seconds": demand.seconds.estimate })),
            "notes": self.notes,
            "tags": self.tags,
            "note": self.note,
        })
    }

    /// Reads it from the directory of a campaign.
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let path = directory.join(HEAD);
        let damaged = |why: &str| format!("{}: {why}\n  help: give the directory of a campaign", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| damaged(&error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| damaged(&error.to_string()))?;
        if value["schema_version"].as_u64().is_none_or(|version| version > 1) {
            return Err(damaged("written by a newer nmax"));
        }
        of_json(&value).ok_or_else(|| damaged("damaged"))
    }
}

/// The texts of a list.
pub(crate) fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|one| Some(one.as_str()?.to_owned())).collect()
}

fn of_json(value: &Value) -> Option<Head> {
    let text = |key: &str| Some(value[key].as_str()?.to_owned());
    let knob = |value: &Value| Some(Knob { name: value["name"].as_str()?.to_owned(), values: texts(&value["values"]) });
    let machine = value["machine"].as_object().into_iter().flatten();
    Some(Head {
        info: ScaleInfo {
            id: text("id")?,
            name: text("name")?,
            target: text("target")?,
            started_at: text("started_at")?,
            seed: value["seed"].as_u64()?,
            axes: texts(&value["axes"]),
            count: text("count")?,
            level_s: value["level_s"].as_f64(),
            budget_s: value["budget_s"].as_f64(),
            elapsed_s: None,
            plan_sha256: text("plan_sha256")?,
            machine: machine.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect(),
            interrupted: false,
        },
        nmax_version: text("nmax_version")?,
        load: Load::ALL.into_iter().find(|load| value["load"] == load.name())?,
        has_sides: value["sides"] == true,
        knobs: value["knobs"].as_array()?.iter().map(knob).collect::<Option<_>>()?,
        x_unit: text("x_unit")?,
        observed: texts(&value["observed"]),
        cores: u32::try_from(value["cores"].as_u64()?).ok()?,
        demand: demand(&value["demand"]),
        notes: texts(&value["notes"]),
        tags: texts(&value["tags"]),
        note: text("note")?,
    })
}

fn demand(value: &Value) -> Option<Demand> {
    let seconds = value["seconds"].as_f64()?;
    Some(given(value["name"].as_str()?.to_owned(), seconds))
}

/// A demand that a person knows.
pub(crate) fn given(name: String, seconds: f64) -> Demand {
    Demand {
        name,
        seconds: Estimate {
            estimate: seconds,
            // What somebody says has no interval.
            low: None,
            high: None,
            at_bound: false,
        },
    }
}

#[cfg(test)]
pub(crate) fn example() -> Head {
    Head {
        info: ScaleInfo {
            id: "abc".into(),
            name: "shop".into(),
            target: "http://127.0.0.1:1".into(),
            started_at: "2026-01-01T00:00:00Z".into(),
            seed: 7,
            axes: vec!["vus".into()],
            count: "requests".into(),
            level_s: Some(2.0),
            budget_s: Some(60.0),
            plan_sha256: "00".into(),
            machine: vec![("cpu".into(), "one".into())],
            ..ScaleInfo::default()
        },
        nmax_version: "1".into(),
        load: Load::Vus,
        has_sides: false,
        knobs: vec![Knob { name: "nodes".into(), values: vec!["1".into(), "2".into()] }],
        x_unit: "requests/s".into(),
        observed: vec!["web".into()],
        cores: 2,
        demand: Some(given("disk".into(), 0.002)),
        notes: vec!["a note".into()],
        tags: vec!["a label".into()],
        note: "why".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_reads_back() {
        let head = example();
        assert_eq!(of_json(&head.json()), Some(head));
        assert_eq!(of_json(&json!({})), None);
    }
}
