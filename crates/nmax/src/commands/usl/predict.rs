//! `nmax usl predict`: what the law says between the measurements, and a little beyond them.

use std::time::Duration;

use nmax_report::json;
use nmax_report::scalability::{PredictView, wording};
use nmax_run::Exit;
use nmax_usl::{Basis, Dimension, Effect, Question, Usl};

use super::output::say_json;
use super::{Trouble, analysed, as_given};
use crate::args::PredictArgs;
use crate::say;

/// Predicts.
pub(super) fn predict(args: &PredictArgs) -> Result<Exit, Trouble> {
    let questions = questions(args)?;
    let (name, basis, notes) = match (&args.file, args.coefficients) {
        (None, Some(law)) => {
            let note = "The coefficients were given: nothing measured limits these numbers, and nothing backs them.";
            (as_given(&law), given(law, args)?, vec![note.to_owned()])
        }
        (file, _) => {
            let (measured, analysis) = analysed(file.as_deref(), "predict", "--at 16,32", &args.read, &args.law)?;
            let basis = match analysis.blocked() {
                Some(why) => Err(why),
                None => Basis::choose(&analysis, args.model),
            };
            let basis = basis.map_err(|why| refused(&measured.name, &why, args))?;
            (measured.name, basis, analysis.with_effect(Effect::Warn).collect())
        }
    };
    let view = PredictView {
        name,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        predictions: questions.into_iter().map(|asked| basis.predict(asked)).collect(),
        basis,
        notes,
    };
    if args.json {
        say_json(&json::predict(&view));
    } else {
        say::document(&nmax_report::report::scalability::predict(&view), false);
    }
    let is_refused = view.predictions.iter().all(|prediction| prediction.refused.is_some());
    let exit = if is_refused { Exit::Invalid } else { Exit::Pass };
    Ok(exit.forgiven(args.exit_zero))
}

/// Everything that is asked for, or what may be.
fn questions(args: &PredictArgs) -> Result<Vec<Question>, Trouble> {
    let at = args.at.iter().map(|n| Question::Concurrency(*n));
    let throughput = args.throughput.iter().map(|x| Question::Throughput(*x));
    let response_time = args.response_time.iter().map(|r| Question::ResponseTime(r.as_secs_f64()));
    let questions: Vec<Question> = at.chain(throughput).chain(response_time).collect();
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
    let has_response_time = args.read.dimension.is_none_or(Dimension::counts_concurrency);
    Basis::given(law, args.read.think_s(), has_response_time).map_err(|pole| {
        let text = format!(
            "--coefficients: with α = {} and β = {} throughput would grow without bounds at N = {}",
            law.contention,
            law.coherency,
            wording::plain(pole)
        );
        Trouble::usage(text, "no system does that; see whether the order is α, β, γ")
    })
}

/// No answer at all, in words.
fn refused(name: &str, why: &str, args: &PredictArgs) -> Trouble {
    Trouble {
        text: format!("{name}: nothing is predicted: {why}\n  help: `nmax usl fit` shows what is wrong with the data"),
        exit: Exit::Invalid.forgiven(args.exit_zero),
    }
}
