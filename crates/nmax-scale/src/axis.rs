//! What is varied, from its words on the command line.

use nmax_plan::units::parse_rate;
use nmax_usl::Dimension;

/// Most values of a knob, and most levels of a load.
const VALUES_MAX: usize = 100;
/// Most knobs.
const KNOBS_MAX: usize = 2;
/// Users that are tried at most when nobody says how many.
const VUS_MAX_DEFAULT: f64 = 1_000.0;
/// Most injectors of a run.
const INJECTORS_MAX: f64 = 1_000.0;
/// Most users, as a plan may have.
const VUS_MAX: f64 = 1_000_000.0;
/// Iterations per second that are tried at first and at most when nobody says.
const RATE_DEFAULT: (f64, f64) = (10.0, 100_000.0);

nmax_text::named! {
    /// How much load is put on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Load {
        /// Users of a closed workload.
        Vus = "vus",
        /// Iterations per second of an open one.
        Rate = "rate",
        /// Threads of the injector, each with the plan's users.
        Workers = "workers",
        /// Injectors of a fleet, each with the plan's users, or its rate.
        Injectors = "injectors",
    }
    /// Its name on the command line.
    name
}

impl Load {
    /// What the law is fitted over.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::Vus => Dimension::Vus,
            Self::Rate => Dimension::InFlight,
            Self::Workers => Dimension::Workers,
            Self::Injectors => Dimension::Injectors,
        }
    }

    /// What the law is fitted over, in words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Vus => "virtual users",
            Self::Rate => "iterations in flight",
            Self::Workers => "workers",
            Self::Injectors => "injectors",
        }
    }

    /// A level in words: `4 users`, `20/s`, `2 workers`.
    pub fn says(self, level: f64) -> String {
        let plural = if level == 1.0 { "" } else { "s" };
        match self {
            Self::Vus => format!("{level} user{plural}"),
            Self::Rate => format!("{}/s", short(level)),
            Self::Workers => format!("{level} worker{plural}"),
            Self::Injectors => format!("{level} injector{plural}"),
        }
    }

    /// Whether it is the size of what puts on the load, and the load grows with it.
    pub(crate) const fn is_size(self) -> bool {
        matches!(self, Self::Workers | Self::Injectors)
    }

    /// The largest level.
    const fn most(self) -> f64 {
        if matches!(self, Self::Injectors) { INJECTORS_MAX } else { VUS_MAX }
    }
}

/// A number with at most four digits that count.
pub fn short(value: f64) -> String {
    let digits = if value.abs() >= 1_000.0 || value.fract() == 0.0 {
        0
    } else if value.abs() >= 100.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

/// A knob of the system under test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Knob {
    /// Its name.
    pub(crate) name: String,
    /// Its values, as written.
    pub(crate) values: Vec<String>,
}

impl Knob {
    /// Its values as numbers above 0; `None` when one is not.
    pub(crate) fn numbers(&self) -> Option<Vec<f64>> {
        let number = |value: &String| value.parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0);
        self.values.iter().map(number).collect()
    }
}

/// Everything that is varied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axes {
    /// The load.
    pub(crate) load: Load,
    /// Its levels, in order and each once; `None` lets the measurements choose.
    pub(crate) levels: Option<Vec<f64>>,
    /// Threads of one injector, against as many injectors of one thread: their levels.
    pub(crate) threads: Option<Vec<f64>>,
    /// Lowest and highest load.
    pub(crate) range: (f64, f64),
    /// Knobs of the system under test, at most two.
    pub(crate) knobs: Vec<Knob>,
}

/// Reads the axes and the range of the load; all errors at once.
///
/// - `cores`: those of the injector, for the axis `workers`
pub(crate) fn parse(axes: &[String], min: Option<f64>, max: Option<f64>, cores: u32) -> Result<Axes, Vec<String>> {
    let mut errors = Vec::new();
    let mut loads: Vec<(Load, Option<Vec<f64>>)> = Vec::new();
    let mut knobs: Vec<Knob> = Vec::new();
    for text in axes {
        let (name, values) = match text.split_once('=') {
            Some((name, values)) => (name.trim(), Some(list(name, values))),
            None => (text.trim(), None),
        };
        let values = match values.transpose() {
            Ok(values) => values,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let kind = match name {
            "vus" => Some(Load::Vus),
            "rate" => Some(Load::Rate),
            "injectors" => Some(Load::Injectors),
            "workers" if !knobs.iter().any(|knob| knob.name == name) => Some(Load::Workers),
            _ => None,
        };
        match (kind, values) {
            (Some(kind), _) if !goes_with(kind, &loads) => errors.push(format!(
                "--axis {text}: there is an axis of load already\n  help: choose one of vus, rate, workers and injectors, \
                 or injectors and workers with the levels of both"
            )),
            (Some(kind), values) => match values.map(|values| levels(kind, &values)).transpose() {
                Ok(levels) => loads.push((kind, levels)),
                Err(error) => errors.push(error),
            },
            (None, values) => match knob(name, values, &knobs) {
                Ok(knob) => knobs.push(knob),
                Err(error) => errors.push(error),
            },
        }
    }
    let (load, levels, threads) = match (loads.pop(), loads.pop()) {
        (Some(one), Some(other)) => {
            let ((_, threads), (load, levels)) = if one.0 == Load::Workers { (one, other) } else { (other, one) };
            if levels.is_none() || threads.is_none() {
                errors.push(
                    "--axis injectors and --axis workers: two laws side by side need the levels of both\n  help: write \
                     --axis injectors=1,2,4 --axis workers=1,2,4"
                        .into(),
                );
            }
            (load, levels, threads)
        }
        (Some((load, levels)), None) => (load, levels, None),
        (None, _) => (Load::Vus, None, None),
    };
    let range = range(load, levels.as_deref(), min, max, cores).map_err(|mut more| errors.append(&mut more));
    match range {
        Ok(range) if errors.is_empty() => Ok(Axes { load, levels, threads, range, knobs }),
        _ => Err(errors),
    }
}

/// Whether an axis of load may stand beside those that are there: none, or injectors beside workers.
fn goes_with(kind: Load, loads: &[(Load, Option<Vec<f64>>)]) -> bool {
    loads.is_empty() || (loads.len() == 1 && kind != loads[0].0 && kind.is_size() && loads[0].0.is_size())
}

/// Values with commas between, each once.
fn list(name: &str, text: &str) -> Result<Vec<String>, String> {
    let values: Vec<String> = text.split(',').map(|value| value.trim().to_owned()).collect();
    if values.iter().any(String::is_empty) {
        return Err(format!(
            "--axis {name}={text}: a value is missing\n  help: write values with commas between, as in {name}=1,2,4"
        ));
    }
    if values.len() > VALUES_MAX {
        return Err(format!(
            "--axis {name}: {} values are more than {VALUES_MAX}\n  help: a dozen tells most",
            values.len()
        ));
    }
    for (place, value) in values.iter().enumerate() {
        if values[..place].contains(value) {
            return Err(format!(
                "--axis {name}: {value} is there twice\n  help: `--replicates` runs each value more than once"
            ));
        }
    }
    Ok(values)
}

/// Levels of the load, in rising order.
fn levels(load: Load, values: &[String]) -> Result<Vec<f64>, String> {
    let level = |value: &String| {
        let parsed = match load {
            Load::Rate if value.contains('/') => parse_rate(value).ok(),
            _ => value.parse::<f64>().ok(),
        };
        let is_whole = |level: &f64| load == Load::Rate || level.fract() == 0.0;
        let least = if load == Load::Rate { 0.0 } else { 1.0 };
        parsed
            .filter(|level| level.is_finite() && *level >= least && *level > 0.0 && *level <= load.most())
            .filter(is_whole)
            .ok_or_else(|| {
                let (name, what) = match load {
                    Load::Vus => ("vus", "whole numbers from 1 up, as in vus=1,2,4"),
                    Load::Rate => ("rate", "rates, as in rate=10/s,20/s,40/s"),
                    Load::Workers => ("workers", "whole numbers from 1 up, as in workers=1,2"),
                    Load::Injectors => ("injectors", "whole numbers from 1 up, as in injectors=1,2,4"),
                };
                format!("--axis {name}: `{value}` is not a level\n  help: write {what}; at most {}", load.most())
            })
    };
    let mut levels: Vec<f64> = values.iter().map(level).collect::<Result<_, _>>()?;
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    Ok(levels)
}

fn knob(name: &str, values: Option<Vec<String>>, knobs: &[Knob]) -> Result<Knob, String> {
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if !is_name {
        return Err(format!(
            "--axis {name}: this is not a name\n  help: write letters, digits, `_` and `-`, as in nodes=1,2,4"
        ));
    }
    let Some(values) = values else {
        return Err(format!(
            "--axis {name}: a knob of the system under test needs its values\n  help: write --axis {name}=1,2,4 with \
             --apply, or one of vus, rate, workers and injectors"
        ));
    };
    if knobs.iter().any(|known| known.name == name) {
        return Err(format!("--axis {name} is there twice\n  help: give each axis once"));
    }
    if knobs.len() == KNOBS_MAX {
        return Err(format!(
            "--axis {name}: there are {KNOBS_MAX} knobs already\n  help: vary two at a time, and keep the rest as it is"
        ));
    }
    Ok(Knob { name: name.to_owned(), values })
}

/// Lowest and highest load.
fn range(
    load: Load,
    levels: Option<&[f64]>,
    min: Option<f64>,
    max: Option<f64>,
    cores: u32,
) -> Result<(f64, f64), Vec<String>> {
    let mut errors = Vec::new();
    let mut check = |flag: &str, value: Option<f64>| {
        let Some(value) = value else { return };
        if !(value.is_finite() && value > 0.0 && value <= VUS_MAX) {
            errors
                .push(format!("{flag} {value}: this is not a load\n  help: write a number above 0, at most {VUS_MAX}"));
        } else if load != Load::Rate && value.fract() != 0.0 {
            errors.push(format!(
                "{flag} {value}: {} are whole\n  help: write a whole number",
                if load == Load::Vus { "users" } else { load.name() }
            ));
        }
        if levels.is_some() {
            errors.push(format!(
                "{flag} and levels of your own\n  help: leave {flag} out, or the levels of --axis {}",
                load.name()
            ));
        }
    };
    check("--min", min);
    check("--max", max);
    let (least, most) = match (load, levels) {
        (_, Some([first, .., last])) => (*first, *last),
        (_, Some([only])) => (*only, *only),
        (Load::Vus, _) => (1.0, VUS_MAX_DEFAULT),
        (Load::Rate, _) => RATE_DEFAULT,
        (Load::Workers, _) => (1.0, f64::from(cores.max(1))),
        (Load::Injectors, _) => (1.0, INJECTORS_MAX),
    };
    let range = (min.unwrap_or(least), max.unwrap_or(most));
    if errors.is_empty() && range.0 > range.1 {
        errors.push(format!(
            "the lowest load, {}, is above the highest, {}\n  help: see --min and --max",
            range.0, range.1
        ));
    }
    if errors.is_empty() { Ok(range) } else { Err(errors) }
}

#[cfg(test)]
mod tests;
