//! The flags of `nmax usl`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use nmax_usl::table::Rows;
use nmax_usl::{Dimension, Method, Model, Override, Usl};

use super::values::{choice, duration, named};

const USL_EXAMPLES: &str = "\
A file of measurements has a row for each run: its concurrency N and its throughput X, per second. Columns are found by \
their names (n, users, threads, ..; x, throughput, tps, ..), or given by --n and --x. nmax scale makes such files.

Examples:
  nmax usl fit points.csv                               the law, how sure it is, and what it means
  nmax usl predict points.csv --at 48,64                throughput at loads that were not measured
  nmax usl compare before.csv after.csv                 did contention or coherency change?
  nmax usl what-if points.csv --alpha 0.005             the curve if contention were less";

/// The Universal Scalability Law, X(N) = γN / (1 + α(N−1) + βN(N−1)), fitted to measurements.
#[derive(Debug, Args)]
#[command(after_help = USL_EXAMPLES)]
pub struct UslArgs {
    #[command(subcommand)]
    pub what: UslVerb,
}

#[derive(Debug, Subcommand)]
pub enum UslVerb {
    /// Fit the law: contention, coherency and peak, with confidence intervals
    Fit(Box<FitArgs>),
    /// Predict throughput, concurrency and response time, with intervals
    Predict(Box<PredictArgs>),
    /// Compare contention and coherency of versions
    Compare(Box<CompareArgs>),
    /// Show the curve with other coefficients, or with growing load
    WhatIf(Box<WhatIfArgs>),
}

const FIT_EXAMPLES: &str = "\
Examples:
  nmax usl fit points.csv
  nmax usl fit runs/20260101-120000-scale-shop-1a2b     the directory of a scale
  nmax usl fit oltp.csv --n threads --x tps --r latency:ms --rows 2..9
  nmax usl fit slides.csv --method ols2                 as in Gunther's slides of 2010
  nmax usl fit points.csv --html fit.html --svg fit.svg --csv table.csv
  cat points.csv | nmax usl fit - --json

Cells are separated by commas, semicolons, tabs, bars or spaces, which is found and said. `#` begins a comment. \
The peak of the law is printed only when the data bear it; the largest throughput measured always. \
What the words and codes mean: nmax explain, docs/methods/usl.md.

Exit codes: 0 fitted, 2 usage or a file that cannot be read, 4 there is no fit, or a finding forbids to use it.";

#[derive(Debug, Args)]
#[command(after_help = FIT_EXAMPLES)]
pub struct FitArgs {
    /// CSV file with a row per run, the directory of an `nmax scale`, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub law: LawArgs,
    /// Also show the coefficients of this model; auto: of the best one
    #[arg(long, value_name = "NAME", value_parser = choice(MODELS), default_value = "auto")]
    pub model: Chosen,
    #[command(flatten)]
    pub output: FigureArgs,
}

const PREDICT_EXAMPLES: &str = "\
Examples:
  nmax usl predict points.csv --at 16,24,48
  nmax usl predict points.csv --throughput 11000        the load at which that much is done
  nmax usl predict points.csv --response-time 50ms      the load at which a request takes that long
  nmax usl predict --coefficients 0.0267,0.000769,995.6 --at 20

Nothing is predicted beyond twice the largest concurrency or throughput measured: systems do worse than laws there. \
With --coefficients alone nothing was measured, so there are neither limits nor intervals.

Exit codes: 0 predicted, 2 usage or a file that cannot be read, 4 nothing of it can be predicted.";

#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArgs {
    /// CSV file with a row per run, the directory of an `nmax scale`, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The law itself: α, β and γ, as in 0.02,0.0005,1000 or alpha=0.02,beta=0.0005,gamma=1000
    #[arg(long, value_name = "A,B,G", value_parser = coefficients, conflicts_with = "file")]
    pub coefficients: Option<Usl>,
    /// Throughput, response time and efficiency at these concurrencies
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = from_one)]
    pub at: Vec<f64>,
    /// Concurrency and response time at these throughputs, per second
    #[arg(long, value_name = "X,..", value_delimiter = ',', value_parser = above_zero)]
    pub throughput: Vec<f64>,
    /// Concurrency and throughput at these response times
    #[arg(long, value_name = "TIME,..", value_delimiter = ',', value_parser = duration)]
    pub response_time: Vec<Duration>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub law: LawArgs,
    /// The model to predict with; auto: the law
    #[arg(long, value_name = "NAME", value_parser = choice(MODELS), default_value = "auto", conflicts_with = "coefficients")]
    pub model: Chosen,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Exit with 0 even when nothing can be predicted (4)
    #[arg(long)]
    pub exit_zero: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  nmax usl compare before.csv after.csv
  nmax usl compare 1.2.8=old.csv 1.4.1=new.csv 1.4.5=newest.csv --html versions.html
  nmax usl compare runs/..-scale-shop-1a2b runs/..-scale-shop-3c4d

Every version is compared with the first. Fits are independent, so the variances of their coefficients add.

Exit codes: 0 compared, 2 usage or a file that cannot be read, 4 a version has no fit, or a finding forbids to use it.";

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct CompareArgs {
    /// Two or more files or directories of scales, each may have a name before it; the first is what others are held
    /// against
    #[arg(value_name = "[NAME=]FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<String>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub law: LawArgs,
    #[command(flatten)]
    pub output: FigureArgs,
}

const WHAT_IF_EXAMPLES: &str = "\
Examples:
  nmax usl what-if points.csv --alpha 0.005             less contention, everything else as measured
  nmax usl what-if --coefficients 0.03,0.0005,1000 --gamma 1250
  nmax usl what-if points.csv --optimistic alpha=0.005 --realistic alpha=0.02,beta=0.0004
  nmax usl what-if points.csv --alpha 0.005 --growth 3%/week --weeks 26 --load 12

What is assumed is labelled so, and never changes what was measured. Nothing is shown beyond twice the largest \
concurrency or throughput measured.

Exit codes: 0 shown, 2 usage or a file that cannot be read, 4 there is no fit to begin with.";

#[derive(Debug, Args)]
#[command(after_help = WHAT_IF_EXAMPLES)]
pub struct WhatIfArgs {
    /// CSV file with a row per run, the directory of an `nmax scale`, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The law to start from: α, β and γ, as in 0.02,0.0005,1000 or alpha=0.02,beta=0.0005,gamma=1000
    #[arg(long, value_name = "A,B,G", value_parser = coefficients, conflicts_with = "file")]
    pub coefficients: Option<Usl>,
    /// Contention α, instead of the fitted one
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = number)]
    pub alpha: Option<f64>,
    /// Coherency β, instead of the fitted one
    #[arg(long, value_name = "V", allow_negative_numbers = true, value_parser = number)]
    pub beta: Option<f64>,
    /// Unit throughput γ, per second, instead of the fitted one
    #[arg(long, value_name = "V", value_parser = above_zero)]
    pub gamma: Option<f64>,
    /// One edge of the envelope, as in alpha=0.005,beta=0.0001
    #[arg(long, value_name = "NAME=V,..", value_parser = overrides)]
    pub optimistic: Option<Override>,
    /// Its other edge [default: as measured]
    #[arg(long, value_name = "NAME=V,..", value_parser = overrides, requires = "optimistic")]
    pub realistic: Option<Override>,
    /// How load grows, as in 3%/week; also per day, month or year
    #[arg(long, value_name = "SHARE/TIME", value_parser = growth, requires = "load")]
    pub growth: Option<f64>,
    /// Number of weeks
    #[arg(long, value_name = "N", default_value_t = 26, value_parser = clap::value_parser!(u32).range(1..=520))]
    pub weeks: u32,
    /// Concurrency today
    #[arg(long, value_name = "N", value_parser = from_one, requires = "growth")]
    pub load: Option<f64>,
    #[command(flatten)]
    pub read: ReadArgs,
    #[command(flatten)]
    pub law: LawArgs,
    #[command(flatten)]
    pub output: FigureArgs,
}

/// How a table is read.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Column of the concurrency N, by name or number [default: found by its name]
    #[arg(long, value_name = "COL")]
    pub n: Option<String>,
    /// Column of the throughput X, per second [default: found by its name]
    #[arg(long, value_name = "COL")]
    pub x: Option<String>,
    /// Column of the mean response time R; its unit is ns, us, ms or s, from the name (r_ms) or given here
    #[arg(long, value_name = "COL[:UNIT]")]
    pub r: Option<String>,
    /// Only these rows, as in 1..9 or 1..4,6,8..; they count from 1, without header and comments
    #[arg(long, value_name = "FROM..TO", value_parser = Rows::parse)]
    pub rows: Option<Rows>,
    /// Think time Z of each user between requests: N = X(R + Z)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub think: Option<Duration>,
    /// What N counts [default: as its column is called]
    #[arg(long, value_name = "NAME", value_parser = named(Dimension::ALL, Dimension::name))]
    pub dimension: Option<Dimension>,
}

impl ReadArgs {
    /// Think time, seconds; 0 without.
    pub fn think_s(&self) -> f64 {
        self.think.map_or(0.0, |think| think.as_secs_f64())
    }
}

/// How the law is fitted.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Law")]
pub struct LawArgs {
    /// How the law is fitted: log (relative errors), ols (absolute errors), ols2 (γ = X(1)), poly2, poly3
    #[arg(long, value_name = "NAME", value_parser = named(Method::ALL, Method::name), default_value = "log", hide_possible_values = true)]
    pub method: Method,
    /// Busy time of a resource per request, as in db=2.5ms: throughput is limited to 1/TIME; may be repeated
    #[arg(long, value_name = "NAME=TIME", value_parser = demand)]
    pub demand: Vec<(String, Duration)>,
}

impl LawArgs {
    /// The largest demand, with its name, seconds: the smallest ceiling.
    pub fn largest_demand(&self) -> Option<(String, f64)> {
        let largest = self.demand.iter().max_by_key(|(_, time)| *time);
        largest.map(|(name, time)| (name.clone(), time.as_secs_f64()))
    }
}

/// Where results go.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub struct FigureArgs {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Also write the charts as an SVG file; `-` writes it to standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Also write the report, one HTML page that loads nothing
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write the table as a CSV file; `-` writes it to standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Exit with 0 even when the fit is refused (4)
    #[arg(long)]
    pub exit_zero: bool,
}

/// A model, or none of them.
pub type Chosen = Option<Model>;

/// Names of models, in the help.
const MODELS: [(&str, Chosen, &str); Model::ALL.len() + 1] = [
    ("linear", Some(Model::Linear), "X = γN"),
    ("amdahl", Some(Model::Amdahl), "X = γN / (1 + α(N−1))"),
    ("usl", Some(Model::Usl), "The law"),
    ("ln", Some(Model::Ln), "As the law, with β·ln N·(N−1)"),
    ("knee", Some(Model::Knee), "X = min(γN, cap)"),
    ("auto", None, "Not one of them"),
];

/// A finite number.
fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| "write a number, such as 0.02".into())
}

fn above_zero(text: &str) -> Result<f64, String> {
    number(text).ok().filter(|number| *number > 0.0).ok_or_else(|| "write a number above 0".into())
}

fn from_one(text: &str) -> Result<f64, String> {
    number(text).ok().filter(|number| *number >= 1.0).ok_or_else(|| "write a number from 1 up".into())
}

/// `alpha=0.005,beta=0.0001`; Greek letters and the first letter are names too.
fn overrides(text: &str) -> Result<Override, String> {
    let help = "write alpha=V, beta=V and gamma=V with commas between, such as alpha=0.005,gamma=1200";
    let mut all = Override::default();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or(help)?;
        let place = match name.trim().to_lowercase().as_str() {
            "alpha" | "α" | "a" | "contention" => &mut all.contention,
            "beta" | "β" | "b" | "coherency" => &mut all.coherency,
            "gamma" | "γ" | "g" => &mut all.unit_throughput,
            other => return Err(format!("`{other}` is not a coefficient; {help}")),
        };
        let value = number(value).map_err(|error| format!("{}: {error}", name.trim()))?;
        if place.replace(value).is_some() {
            return Err(format!("{} is given twice", name.trim()));
        }
    }
    if all.unit_throughput.is_some_and(|gamma| gamma <= 0.0) {
        return Err("gamma is a throughput: write a number above 0".into());
    }
    Ok(all)
}

/// `A,B,G`, or by name.
fn coefficients(text: &str) -> Result<Usl, String> {
    let help = "write α, β and γ, such as 0.02,0.0005,1000 or alpha=0.02,beta=0.0005,gamma=1000";
    let given = if text.contains('=') {
        overrides(text)?
    } else {
        let values = text.split(',').map(number).collect::<Result<Vec<_>, _>>();
        let [alpha, beta, gamma] = values.ok().and_then(|values| <[f64; 3]>::try_from(values).ok()).ok_or(help)?;
        let [contention, coherency, unit_throughput] = [alpha, beta, gamma].map(Some);
        Override { contention, coherency, unit_throughput }
    };
    let Override { contention: Some(contention), coherency: Some(coherency), unit_throughput: Some(unit_throughput) } =
        given
    else {
        return Err(help.into());
    };
    if unit_throughput <= 0.0 {
        return Err("γ, the last, is the throughput of one unit: a number above 0".into());
    }
    Ok(Usl { contention, coherency, unit_throughput })
}

/// Growth per week, as a factor: `3%/week` is 1.03.
fn growth(text: &str) -> Result<f64, String> {
    let help = "write a share and a time, such as 3%/week, 20%/month or 50%/year";
    let (share, time) = text.split_once('/').ok_or(help)?;
    let share = nmax_plan::units::parse_share(share.trim()).map_err(|error| error.to_string())?;
    let weeks = match time.trim() {
        "day" | "d" => 1.0 / 7.0,
        "week" | "w" => 1.0,
        "month" => 365.25 / 12.0 / 7.0,
        "year" | "y" => 365.25 / 7.0,
        _ => return Err(help.into()),
    };
    Ok((1.0 + share).powf(1.0 / weeks))
}

/// `NAME=TIME`.
pub(super) fn demand(text: &str) -> Result<(String, Duration), String> {
    let (name, time) = text.split_once('=').ok_or("write NAME=TIME, such as db=2.5ms")?;
    let time = duration(time)?;
    if name.trim().is_empty() || time.is_zero() {
        return Err("write the name of a resource and a time above 0, such as db=2.5ms".into());
    }
    Ok((name.trim().to_owned(), time))
}

#[cfg(test)]
mod tests;
