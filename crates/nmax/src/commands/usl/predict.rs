//! `nmax usl predict`: what the law says between the measurements, and a little beyond them.

mod answer;
mod print;

use std::time::Duration;

use nmax_run::Exit;
use nmax_usl::{Analysis, Curve, Dimension, Effect, Estimate, Method, Model, Usl, Winner};

use self::answer::{Asked, Basis, Measured, Prediction};
use super::output::say_json;
use super::{Trouble, analysed, blocked};
use crate::args::PredictArgs;
use crate::say;

/// What stands behind the answers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// Coefficients from the command line.
    Given,
    /// The law by a method.
    Law(Method),
    /// A model that was asked for.
    Asked(Model),
    /// Another model, since it explains the data far better.
    Leader(Model),
    /// A simpler model, since the law's β is below 0.
    Collapsed(Model),
}

/// Answers, and where they come from.
struct Predicted {
    name: String,
    by: By,
    basis: Basis,
    /// Name, letter and value.
    coefficients: Vec<(&'static str, &'static str, Estimate)>,
    predictions: Vec<Prediction>,
    notes: Vec<String>,
}

/// Predicts.
pub(super) fn predict(args: &PredictArgs) -> Result<Exit, Trouble> {
    let questions = questions(args)?;
    let (name, by, basis, notes) = match (&args.file, args.coefficients) {
        (None, Some(law)) => {
            let note = "The coefficients were given: nothing measured limits these numbers, and nothing backs them.";
            (law_text(&law), By::Given, given(law, args)?, vec![note.to_owned()])
        }
        (file, _) => {
            let (measured, analysis) = analysed(file.as_deref(), "predict", "--at 16,32", &args.read, &args.law)?;
            if let Some(why) = blocked(&analysis) {
                return Err(refused(&measured.name, &why, args));
            }
            let (by, basis) = from_analysis(&analysis, args).map_err(|why| refused(&measured.name, &why, args))?;
            (measured.name, by, basis, warnings(&analysis))
        }
    };
    let predictions: Vec<Prediction> = questions.into_iter().map(|asked| basis.predict(asked)).collect();
    let predicted = Predicted { name, by, coefficients: coefficients(&basis), basis, predictions, notes };
    if args.json {
        say_json(&print::json(&predicted));
    } else {
        say::text(print::text(&predicted));
    }
    let is_refused = |prediction: &Prediction| prediction.refused.is_some();
    let exit = if predicted.predictions.iter().all(is_refused) { Exit::Invalid } else { Exit::Pass };
    Ok(exit.forgiven(args.exit_zero))
}

/// Everything that is asked for, or what may be.
fn questions(args: &PredictArgs) -> Result<Vec<Asked>, Trouble> {
    let at = args.at.iter().map(|n| Asked::Concurrency(*n));
    let throughput = args.throughput.iter().map(|x| Asked::Throughput(*x));
    let response_time = args.response_time.iter().map(|r| Asked::ResponseTime(r.as_secs_f64()));
    let questions: Vec<Asked> = at.chain(throughput).chain(response_time).collect();
    if questions.is_empty() {
        let help = "add --at N,.. for loads, --throughput X,.. for goals, or --response-time TIME,..";
        return Err(Trouble::usage("nothing is asked for", help));
    }
    if args.response_time.iter().any(Duration::is_zero) {
        return Err(Trouble::usage("--response-time 0s: nothing takes no time", "give a time above 0"));
    }
    Ok(questions)
}

/// The law as given, with nothing measured.
fn given(law: Usl, args: &PredictArgs) -> Result<Basis, Trouble> {
    if let Some(pole) = law.first_pole() {
        let text = format!(
            "--coefficients: with α = {} and β = {} throughput would grow without bounds at N = {}",
            law.contention,
            law.coherency,
            super::plain(pole)
        );
        return Err(Trouble::usage(text, "no system does that; see whether the order is α, β, γ"));
    }
    Ok(Basis {
        curve: Curve::Usl(law),
        fit: None,
        measured: None,
        has_peak: true,
        think_s: args.read.think_s(),
        has_response_time: args.read.dimension.is_none_or(|name| Dimension::from(name).counts_concurrency()),
    })
}

/// The curve to predict by, and its limits; else why there is none.
fn from_analysis(analysis: &Analysis, args: &PredictArgs) -> Result<(By, Basis), String> {
    let rung = |model: Model| analysis.ladder.iter().find(|rung| rung.model == model);
    let fit = analysis.fit.as_ref();
    let by = match (args.model.model(), analysis.winner) {
        (Some(Model::Usl), _) => fit.map(|fit| By::Law(fit.method)),
        (Some(model), _) => Some(By::Asked(model)),
        (None, Winner::One(model)) if model != Model::Usl => Some(By::Leader(model)),
        (None, _) => match fit {
            Some(fit) if fit.law.coherency >= 0.0 => Some(By::Law(fit.method)),
            Some(_) => Some(By::Collapsed(Model::Amdahl)),
            None => None,
        },
    };
    let no_fit = || "the law has no fit; --model says which simpler one to take".to_owned();
    let by = by.ok_or_else(no_fit)?;
    let (curve, fit) = match by {
        By::Law(_) => (fit.map(|fit| Curve::Usl(fit.law)), fit.cloned()),
        By::Asked(model) | By::Leader(model) | By::Collapsed(model) => (rung(model).map(|rung| rung.curve), None),
        By::Given => (None, None),
    };
    let curve = curve.ok_or_else(|| "this model cannot be fitted to these points; take another --model".to_owned())?;
    let basis = Basis {
        curve,
        fit,
        measured: Some(Measured {
            n: analysis.observations.iter().map(|one| one.n).fold(0.0, f64::max),
            x: analysis.best.map_or(0.0, |(_, x)| x),
        }),
        has_peak: analysis.peak.is_some(),
        think_s: analysis.options.think_s,
        has_response_time: analysis.options.dimension.counts_concurrency(),
    };
    Ok((by, basis))
}

/// Findings that say how far to trust the answers.
fn warnings(analysis: &Analysis) -> Vec<String> {
    let warns = analysis.findings.iter().filter(|finding| finding.effect == Effect::Warn);
    warns.map(|finding| format!("{}: {}", finding.code.name(), finding.text)).collect()
}

/// No answer at all, in words.
fn refused(name: &str, why: &str, args: &PredictArgs) -> Trouble {
    Trouble {
        text: format!("{name}: nothing is predicted: {why}\n  help: `nmax usl fit` shows what is wrong with the data"),
        exit: Exit::Invalid.forgiven(args.exit_zero),
    }
}

/// The coefficients of the curve; with intervals where it is the fit.
fn coefficients(basis: &Basis) -> Vec<(&'static str, &'static str, Estimate)> {
    let only = |value: f64| Estimate { estimate: value, low: None, high: None, at_bound: false };
    let contention = |value| ("contention", "α", value);
    let coherency = |value| ("coherency", "β", value);
    let unit = |value| ("unit throughput", "γ", value);
    if let Some(fit) = &basis.fit {
        return vec![contention(fit.contention), coherency(fit.coherency), unit(fit.unit_throughput)];
    }
    match basis.curve {
        Curve::Linear { unit_throughput } => vec![unit(only(unit_throughput))],
        Curve::Amdahl { contention: alpha, unit_throughput } => {
            vec![contention(only(alpha)), unit(only(unit_throughput))]
        }
        Curve::Usl(law) => {
            vec![contention(only(law.contention)), coherency(only(law.coherency)), unit(only(law.unit_throughput))]
        }
        Curve::Ln { contention: alpha, coherency: beta, unit_throughput } => {
            vec![contention(only(alpha)), coherency(only(beta)), unit(only(unit_throughput))]
        }
        Curve::Knee { unit_throughput, cap } => vec![unit(only(unit_throughput)), ("throughput", "cap", only(cap))],
    }
}

/// A law as it was given.
fn law_text(law: &Usl) -> String {
    format!("{},{},{}", law.contention, law.coherency, law.unit_throughput)
}
