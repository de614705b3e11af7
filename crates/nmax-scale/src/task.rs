//! What a campaign is to do, from its words beside the plan: all errors at once.

use std::time::Duration;

use nmax_plan::plan::{Plan, Workload};
use nmax_plan::threshold::{self, Threshold};
use nmax_plan::units::{parse_duration, parse_share};
use nmax_run::host;
use nmax_usl::Demand;

use crate::apply;
use crate::axis::{self, Axes, Load};
use crate::head;
use crate::level::Times;
use crate::measure::Count;
use crate::price::{self, Price};

/// What a person asks of a campaign, in words and numbers that nobody has looked at.
#[derive(Clone, Debug)]
pub struct Words {
    /// What is varied: `vus`, `rate`, `workers`, `injectors`, with levels or without, or a knob with its values.
    pub axis: Vec<String>,
    /// Command that sets the knobs.
    pub apply: Option<String>,
    /// Whether it may run on this host.
    pub allow_exec: bool,
    /// Longest time of one such command.
    pub apply_time: Duration,
    /// What throughput counts.
    pub count: String,
    /// Lowest load.
    pub min: Option<f64>,
    /// Highest load.
    pub max: Option<f64>,
    /// Measured part of a level.
    pub level_time: Option<Duration>,
    /// Before it, left out.
    pub warm_up: Option<Duration>,
    /// Runs of each level that decides.
    pub replicates: u32,
    /// Time for everything.
    pub budget: Duration,
    /// Most levels that are run.
    pub runs_max: u32,
    /// Half width of the interval of the peak's throughput at which it ends.
    pub precision: String,
    /// A condition whose highest load is wanted.
    pub find: Option<String>,
    /// Price of the system.
    pub price: Option<String>,
    /// What one completion asks of a resource.
    pub demand: Option<String>,
}

/// What a campaign is to do: words that were understood.
#[derive(Clone, Debug)]
pub struct Task {
    pub(crate) axes: Axes,
    /// Whether nobody said how high the load may go.
    pub(crate) is_open_ended: bool,
    /// The command that sets knobs, and its longest time.
    pub(crate) apply: Option<(String, Duration)>,
    pub(crate) count: Count,
    pub(crate) times: Times,
    pub(crate) budget: Duration,
    pub(crate) replicates: usize,
    pub(crate) runs_max: usize,
    /// Half width of the interval of the throughput at the peak.
    pub(crate) precision: f64,
    /// As written, with the condition that it is.
    pub(crate) find: Option<(String, Threshold)>,
    pub(crate) price: Option<Price>,
    pub(crate) demand: Option<Demand>,
}

impl Task {
    /// Understands what is asked for beside a plan.
    ///
    /// # Errors
    /// Everything that is wrong, and what to write in its place.
    pub fn parse(words: &Words, plan: &Plan) -> Result<Self, String> {
        let task = understand(words, plan).map_err(|errors| errors.join("\nerror: "))?;
        Times::check(words.level_time)?;
        if task.times.total() > words.budget {
            return Err(format!(
                "a level takes {:?} and the budget is {:?}\n  help: give a longer --budget, or a shorter --level-time",
                task.times.total(),
                words.budget
            ));
        }
        Ok(task)
    }
}

/// Reads everything that is text; all errors at once.
fn understand(words: &Words, plan: &Plan) -> Result<Task, Vec<String>> {
    let mut errors = Vec::new();
    let axes =
        axis::parse(&words.axis, words.min, words.max, host::cores()).map_err(|mut more| errors.append(&mut more));
    let mut take = |error: String| errors.push(error);
    let count = Count::parse(&words.count, plan).map_err(&mut take);
    let precision = precision(&words.precision).map_err(&mut take);
    let find = words.find.as_deref().map(|text| objective(text, plan)).transpose().map_err(&mut take);
    let demand = words.demand.as_deref().map(demand).transpose().map_err(&mut take);
    let knobs = axes.as_ref().map_or(&[][..], |axes| &axes.knobs);
    let price = words.price.as_deref().map(|text| price::parse(text, knobs)).transpose().map_err(&mut take);
    let names: Vec<&str> = knobs.iter().map(|knob| knob.name.as_str()).collect();
    if let Ok(axes) = &axes {
        errors.extend(apply::check(words.apply.as_deref(), &names));
        if let (Some(line), false) = (&words.apply, words.allow_exec) {
            errors.push(format!(
                "--apply: it runs a command on this host, `{line}`\n  help: read what it does, then add --allow-exec"
            ));
        }
        if axes.load == Load::Workers && !is_closed(plan) {
            errors.push(
                "--axis workers: the plan is open, and workers share its rate\n  help: give the plan a closed workload: \
                 each worker then has that many users"
                    .into(),
            );
        }
        if axes.load == Load::Rate && !plan.background.is_empty() {
            errors.push(
                "--axis rate: N is what is in flight, and the background of the plan would be in it\n  help: leave the \
                 background out of the plan, or vary the users: --axis vus"
                    .into(),
            );
        }
        if axes.levels.is_some() && !axes.knobs.is_empty() {
            errors.push(format!(
                "--axis {}: at each setting of a knob the load is searched\n  help: leave its levels out; --min and --max \
                 bound it",
                axes.load.name()
            ));
        }
        if axes.load.is_size() && !axes.knobs.is_empty() {
            let name = axes.load.name();
            errors.push(format!("--axis {name}: a knob is tried under users or a rate\n  help: choose vus or rate"));
        }
        let alone = [(words.find.is_some(), "--find"), (words.price.is_some(), "--price")];
        for (_, flag) in alone.into_iter().filter(|(is_given, _)| *is_given && axes.threads.is_some()) {
            errors.push(format!(
                "{flag}: injectors against workers are two laws\n  help: ask it of one of them, in a campaign of its own"
            ));
        }
    }
    match (axes, count, precision, find, price, demand) {
        (Ok(axes), Ok(count), Ok(precision), Ok(find), Ok(price), Ok(demand)) if errors.is_empty() => {
            let times = Times::for_budget(words.budget, words.level_time, words.warm_up);
            Ok(Task {
                is_open_ended: words.max.is_none() && axes.levels.is_none(),
                axes,
                apply: words.apply.clone().map(|line| (line, words.apply_time)),
                count,
                times,
                budget: words.budget,
                replicates: words.replicates as usize,
                runs_max: words.runs_max as usize,
                precision,
                find,
                price,
                demand,
            })
        }
        _ => Err(errors),
    }
}

fn is_closed(plan: &Plan) -> bool {
    matches!(plan.written.as_ref().unwrap_or(&plan.workload), Workload::Closed { .. })
}

fn precision(text: &str) -> Result<f64, String> {
    match parse_share(text) {
        Ok(share) if share > 0.0 && share <= 0.5 => Ok(share),
        _ => Err(format!("--precision {text}: this is not a precision\n  help: write a share up to 50%, such as 5%")),
    }
}

/// A condition; a bare statistic is of the response time.
fn objective(text: &str, plan: &Plan) -> Result<(String, Threshold), String> {
    let first = text.split(|c: char| c.is_whitespace() || "<>=".contains(c)).next().unwrap_or_default();
    let is_stat = matches!(first, "mean" | "min" | "max")
        || first.strip_prefix('p').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let whole = if is_stat { format!("response_time {text}") } else { text.to_owned() };
    let parsed = threshold::parse(&whole)
        .map_err(|error| format!("--find '{text}': {}\n  help: {}", error.message, error.remedy))?;
    let names: Vec<String> = match &parsed.scope {
        threshold::Scope::Scenario(_) => plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        threshold::Scope::Request(_) => nmax_engine::program::catalog(plan, usize::MAX).requests.list().to_vec(),
        _ => Vec::new(),
    };
    if let threshold::Scope::Scenario(name) | threshold::Scope::Request(name) = &parsed.scope
        && !names.contains(name)
    {
        let known = names.join(", ");
        return Err(format!("--find '{text}': the plan has no `{name}`\n  help: it has {known}"));
    }
    Ok((text.trim().to_owned(), parsed))
}

/// `NAME=TIME`.
fn demand(text: &str) -> Result<Demand, String> {
    let parsed = text.split_once('=').and_then(|(name, time)| {
        let time = parse_duration(time).ok().filter(|time| !time.is_zero())?;
        (!name.trim().is_empty()).then(|| (name.trim().to_owned(), time.as_secs_f64()))
    });
    let Some((name, seconds)) = parsed else {
        return Err(format!(
            "--demand {text}: this is not a demand\n  help: write the resource and its busy time per completion, as in disk=2ms"
        ));
    };
    Ok(head::given(name, seconds))
}
