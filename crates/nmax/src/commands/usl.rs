//! `nmax usl`: the Universal Scalability Law, fitted to measurements from anywhere.
//!
//! # Layout
//! - `fit`, `predict`, `compare`, `what_if`: the four commands
//! - `table`: measurements from a file or a scale
//! - `output`: where results go

mod compare;
mod fit;
mod output;
mod predict;
mod table;
mod what_if;

use std::path::Path;

use nmax_usl::{Analysis, Demand, Estimate, Method, Options, Regression, Usl, analyse};

use self::table::Measured;
use super::{Ended, Trouble};
use crate::args::{LawArgs, ReadArgs, UslArgs, UslVerb};
use crate::say;

/// Fits, predicts, compares or assumes.
pub fn usl(args: &UslArgs) -> Ended {
    match &args.what {
        UslVerb::Fit(args) => fit::fit(args),
        UslVerb::Predict(args) => predict::predict(args),
        UslVerb::Compare(args) => compare::compare(args),
        UslVerb::WhatIf(args) => what_if::what_if(args),
    }
}

/// Reads a file and says everything about it. `verb` and `flags` are for the message when no file is given.
fn analysed(
    file: Option<&Path>,
    verb: &str,
    flags: &str,
    read: &ReadArgs,
    law: &LawArgs,
) -> Result<(Measured, Analysis), Trouble> {
    let Some(file) = file else {
        let flags = if flags.is_empty() { String::new() } else { format!(" {flags}") };
        let help = format!(
            "give a CSV file with a row for each run, the directory of a scale, or `-` for standard input, as in `nmax \
             usl {verb} points.csv{flags}`"
        );
        return Err(Trouble::usage("no measurements are given", help));
    };
    let measured = table::read(file, read)?;
    if measured.table.regression == Regression::ResponseTime && law.method != Method::Log {
        let text =
            format!("{}: no column holds N, so R is fitted on X, and only the method log does that", measured.name);
        return Err(Trouble::usage(text, "leave --method out, or say which column is N: --n NAME"));
    }
    for note in &measured.table.notes {
        say::note(format_args!("note: {note}"));
    }
    let analysis = analyse(&measured.table.observations, &options(&measured, read, law));
    Ok((measured, analysis))
}

fn options(measured: &Measured, read: &ReadArgs, law: &LawArgs) -> Options {
    Options {
        method: law.method,
        dimension: measured.table.dimension,
        think_s: read.think.map_or(measured.think_s.unwrap_or(0.0), |think| think.as_secs_f64()),
        regression: measured.table.regression,
        demand: law.largest_demand().map(|(name, seconds)| Demand {
            name,
            seconds: Estimate { estimate: seconds, low: None, high: None, at_bound: false },
        }),
        ..Options::default()
    }
}

/// A law as `--coefficients` takes it.
fn as_given(law: &Usl) -> String {
    format!("{},{},{}", law.contention, law.coherency, law.unit_throughput)
}
