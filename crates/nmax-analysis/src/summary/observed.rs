//! What observed processes used over the run.

use crate::Observation;

/// Most points of a drawing.
const POINTS_MAX: usize = 300;

/// A figure of an observed process.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedRow {
    /// What is observed.
    pub name: String,
    /// What is measured, such as `memory_bytes`.
    pub metric: String,
    /// First value.
    pub first: f64,
    /// Last value.
    pub last: f64,
    /// Largest value.
    pub max: f64,
    /// Instants, seconds since the run's origin, and values: at most 300, evenly taken, the first and the last among them.
    pub points: Vec<(f64, f64)>,
}

/// Those with a value, in their order.
pub(super) fn rows(observed: &[Observation]) -> Vec<ObservedRow> {
    observed.iter().filter_map(row).collect()
}

fn row(observation: &Observation) -> Option<ObservedRow> {
    let values = &observation.values;
    let (first, last) = (values.first()?.1, values.last()?.1);
    let steps = values.len().min(POINTS_MAX);
    let at = |step: usize| step * (values.len() - 1) / (steps - 1).max(1);
    let points = (0..steps).map(|step| values[at(step)]);
    Some(ObservedRow {
        name: observation.name.clone(),
        metric: observation.metric.clone(),
        first,
        last,
        max: values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max),
        points: points.map(|(at, value)| (at.as_secs_f64(), value)).collect(),
    })
}
