//! Whether the rows of a plan last for its levels.
//!
//! Each level is a run of its own, which reads the rows from the first on. A feeder that does not begin again ends a
//! level early, and what is empty behind it is no measurement.

use nmax_engine::program;
use nmax_plan::plan::{Plan, Scenario};

use crate::axis::{Axes, Load};
use crate::level::Times;

/// Standard errors by which arrivals at random may differ from their mean.
const ARRIVAL_ERRORS: f64 = 3.0;

/// The scenario of the mix whose data end first, and after how many iterations of the mix; `None` when none do.
pub(crate) fn rows_max(plan: &Plan) -> Option<(&Scenario, u64)> {
    let mix = plan.scenarios.iter().filter(|scenario| scenario.weight > 0.0);
    let with_rows = mix.filter_map(|scenario| Some((scenario, program::rows_max(plan, scenario)?.0)));
    with_rows.min_by_key(|(_, rows)| *rows)
}

/// That the data ended, where a run made more iterations than there are rows: with `at_end: error` the run goes on, and
/// what follows asks the system for nothing.
pub(crate) fn ended(plan: &Plan, iterations: u64) -> Option<String> {
    let (scenario, rows) = rows_max(plan)?;
    (iterations > rows).then(|| {
        let name = &scenario.name;
        format!("the data of scenario `{name}` ended: its {rows} rows are for the first {rows} iterations of the mix")
    })
}

/// Fewest iterations of a level.
fn needed(load: Load, level: f64, times: Times) -> f64 {
    match load {
        Load::Vus | Load::Workers | Load::Injectors => level,
        Load::Rate => {
            let mean = level * times.total().as_secs_f64();
            mean - ARRIVAL_ERRORS * mean.sqrt()
        }
    }
}

/// What is said of the rows before the first level; an error when they last for none.
pub(crate) fn check(plan: &Plan, axes: &Axes, times: Times) -> Result<Option<String>, String> {
    let Some((scenario, rows)) = rows_max(plan) else {
        return Ok(None);
    };
    let lowest = axes.levels.iter().flatten().copied().reduce(f64::min);
    let lowest = lowest.unwrap_or(axes.range.0);
    let (name, says) = (&scenario.name, axes.load.says(lowest));
    if needed(axes.load, lowest, times) > rows as f64 {
        return Err(format!(
            "the {rows} rows of scenario `{name}` do not last for a level of {:?} at {says}\n  help: give more rows, a \
             shorter --level-time, or let them repeat (`pick: sequential, at_end: wrap`)",
            times.total()
        ));
    }
    let per_s = rows as f64 / times.total().as_secs_f64();
    Ok(Some(format!(
        "each level reads the {rows} rows of scenario `{name}` from the first on, so one that makes more than {} \
         iterations per second is left out",
        crate::axis::short(per_s)
    )))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nmax_testkit::plans::home_page;

    use super::*;

    #[test]
    fn data_without_an_end_are_no_matter() {
        let plan = home_page("workload: { closed: { vus: 1 } }");
        assert!(rows_max(&plan).is_none());
        assert_eq!(ended(&plan, u64::MAX), None);
    }

    #[test]
    fn a_level_needs_what_it_starts() {
        let times =
            Times::for_budget(Duration::from_secs(60), Some(Duration::from_secs(8)), Some(Duration::from_secs(2)));
        assert_eq!(needed(Load::Vus, 4.0, times), 4.0);
        assert_eq!(needed(Load::Rate, 10.0, times), 70.0, "100, or a few less by chance");
    }
}
