//! The JSON of a campaign: that of its fit, with the levels behind it.

use serde_json::{Value, json};

use super::object;
use super::usl::{analysis, usl};
use crate::scalability::{Found, Knob, Level, ScaleView};

/// `scale.json` and the answer of `nmax scale`; [`scale_schema`](super::scale_schema) describes it.
pub fn scale(view: &ScaleView) -> Value {
    let info = &view.info;
    let mut value = usl(&view.fit);
    let fields = value.as_object_mut().expect("built as an object");
    fields.remove("asked_model");
    if let Some(first) = view.versions.first() {
        // The law above is that of one value of the second axis, and its sentence says so.
        let of_one = |sentence: &Value| format!("{}: {}", first.name, sentence.as_str().unwrap_or_default());
        fields["meaning"][0] = json!(of_one(&fields["meaning"][0]));
    }
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put(
        "run",
        json!({
            "id": info.id,
            "name": info.name,
            "target": info.target,
            "started_at": info.started_at,
            "seed": info.seed,
            "axes": info.axes,
            "count": info.count,
            "level_s": info.level_s,
            "budget_s": info.budget_s,
            "elapsed_s": info.elapsed_s,
            "plan_sha256": info.plan_sha256,
            "machine": object(info.machine.iter().map(|(key, value)| (key.clone(), json!(value)))),
            "interrupted": info.interrupted,
        }),
    );
    put("stopped", json!(view.stopped));
    put("notes", json!(view.notes));
    put("find", view.find.as_ref().map_or(Value::Null, found));
    put("knobs", view.knobs.iter().map(knob).collect());
    let version = |version: &crate::scalability::Version| {
        let mut value = json!({ "name": version.name });
        value.as_object_mut().expect("built as an object").extend(analysis(&version.analysis));
        value
    };
    put("versions", view.versions.iter().map(version).collect());
    put("levels", view.levels.iter().map(level).collect());
    value
}

/// A line of `levels.jsonl`, and an entry of `levels`.
pub fn level(level: &Level) -> Value {
    json!({
        "number": level.number,
        "purpose": level.purpose,
        "setting": level.setting,
        "level": level.level,
        "n": level.n,
        "x": level.x,
        "r_ms": level.r_ms,
        "verdict": level.verdict,
        "used": level.used,
        "why": level.why,
        "run": level.run,
    })
}

fn found(found: &Found) -> Value {
    json!({
        "objective": found.objective,
        "level": found.level,
        "low": found.low,
        "high": found.high,
        "x": found.x,
        "runs": found.runs,
        "text": found.text,
    })
}

fn knob(knob: &Knob) -> Value {
    json!({
        "values": object(knob.values.iter().map(|(name, value)| (name.clone(), json!(value)))),
        "load": knob.load,
        "x": knob.x,
        "r_ms": knob.r_ms,
        "runs": knob.runs,
        "price_per_h": knob.price_per_h,
        "price_per_million": knob.price_per_million,
        "why": knob.why,
    })
}
