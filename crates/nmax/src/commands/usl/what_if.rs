//! `nmax usl what-if`: the curve if a coefficient were another one, and the load to come.
//!
//! What is assumed never changes what was measured, and nothing is shown beyond twice of it.

use nmax_report::scalability::{Week, WhatIfView};
use nmax_report::{html, json, svg, terminal};
use nmax_run::Exit;
use nmax_usl::{Analysis, Curve, Growth, Measured, Model, Outlook, Override, Usl, WhatIf};
use serde_json::{Value, json};

use super::output::{self, Forms};
use super::{Trouble, analysed, blocked};
use crate::args::{Overrides, WhatIfArgs};

/// Shows assumptions beside what is known.
pub(super) fn what_if(args: &WhatIfArgs) -> Result<Exit, Trouble> {
    output::check(&args.output)?;
    let question = question(args)?;
    let (title, base, analysis) = match (&args.file, args.coefficients) {
        (None, Some(law)) => (format!("{},{},{}", law.contention, law.coherency, law.unit_throughput), law, None),
        (file, _) => {
            let (measured, analysis) = analysed(file.as_deref(), "what-if", "--alpha 0.005", &args.read, &args.law)?;
            let base = base(&analysis).map_err(|why| Trouble {
                text: format!("{}: no law to begin with: {why}\n  help: `nmax usl fit` shows more", measured.name),
                exit: Exit::Invalid.forgiven(args.output.exit_zero),
            })?;
            (measured.name, base, Some(analysis))
        }
    };
    let measured = analysis.as_ref().map(limits);
    let outlook = nmax_usl::what_if(&base, measured, &question).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Trouble::usage(errors.join("\n  "), "0 <= alpha <= 1, beta >= 0 and gamma > 0 describe systems")
    })?;
    let view = view(title, outlook.clone(), analysis, &question);
    let forms = Forms {
        text: &|style, glyphs| terminal::what_if(&view, style, glyphs),
        json: &|| as_json(&view, &outlook),
        svg: &|| svg::what_if(&view),
        html: &|| html::what_if(&view),
        csv: &|| curves(&outlook),
    };
    output::print(&args.output, &forms)?;
    Ok(Exit::Pass)
}

/// What is assumed.
fn question(args: &WhatIfArgs) -> Result<WhatIf, Trouble> {
    let of = |overrides: Overrides| Override {
        contention: overrides.alpha,
        coherency: overrides.beta,
        unit_throughput: overrides.gamma,
    };
    let question = WhatIf {
        assumed: of(Overrides { alpha: args.alpha, beta: args.beta, gamma: args.gamma }),
        optimistic: args.optimistic.map(of),
        realistic: args.realistic.map(of),
        growth: args.growth.zip(args.load).map(|(factor, load)| Growth {
            per_week: factor - 1.0,
            weeks: args.weeks as usize,
            load,
        }),
    };
    if question == WhatIf::default() {
        let help = "add --alpha, --beta or --gamma, --optimistic and --realistic, or --growth and --load";
        return Err(Trouble::usage("nothing is assumed", help));
    }
    Ok(question)
}

/// The fitted law, if it may be used; a β below 0 is none of a system, and Amdahl's curve takes its place.
fn base(analysis: &Analysis) -> Result<Usl, String> {
    if let Some(why) = blocked(analysis) {
        return Err(why);
    }
    let law = analysis.fit.as_ref().map(|fit| fit.law).filter(|law| law.coherency >= 0.0);
    let amdahl = || {
        let rung = analysis.ladder.iter().find(|rung| rung.model == Model::Amdahl)?;
        match rung.curve {
            Curve::Amdahl { contention, unit_throughput } => Some(Usl { contention, coherency: 0.0, unit_throughput }),
            _ => None,
        }
    };
    law.or_else(amdahl).ok_or_else(|| "the law cannot be fitted to these points".to_owned())
}

/// What was measured, at most.
fn limits(analysis: &Analysis) -> Measured {
    let n_hi = analysis.observations.iter().map(|one| one.n).fold(0.0, f64::max);
    Measured { n_hi, x_max: analysis.best.map_or(0.0, |(_, x)| x), bears_peak: analysis.peak.is_some() }
}

fn view(title: String, outlook: Outlook, measured: Option<Analysis>, question: &WhatIf) -> WhatIfView {
    let assumed = (!question.assumed.is_empty()).then_some(("assumed", outlook.assumed));
    let edges = [("optimistic", outlook.optimistic), ("realistic", outlook.realistic)];
    let edges = edges.into_iter().filter_map(|(name, law)| Some((name, law?)));
    let assumed: Vec<(String, Usl)> = assumed.into_iter().chain(edges).map(|(name, law)| (name.into(), law)).collect();
    let week = |week: &nmax_usl::Week| {
        let place = week.place;
        let own = (!question.assumed.is_empty()).then_some(place.assumed);
        let edges = [outlook.optimistic.map(|_| place.optimistic), outlook.realistic.map(|_| place.realistic)];
        Week {
            week: u32::try_from(week.week).unwrap_or(u32::MAX),
            n: place.n,
            x: std::iter::once(place.law).chain(own).chain(edges.into_iter().flatten()).collect(),
        }
    };
    WhatIfView {
        title,
        n_label: String::new(),
        x_unit: String::new(),
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        base: outlook.law,
        n_max: outlook.curve.last().map_or(1.0, |place| place.n),
        assumed,
        measured,
        weeks: outlook.weeks.iter().map(week).collect(),
        notes: outlook.text,
    }
}

/// With the peaks, where they may be said.
fn as_json(view: &WhatIfView, outlook: &Outlook) -> Value {
    let peak = |peak: Option<(f64, f64)>| peak.map(|(n, x)| json!({ "concurrency": n, "throughput": x }));
    let mut value = json::what_if(view);
    value["peak"] = json!(peak(outlook.peak));
    value["assumed_peak"] = json!(peak(outlook.assumed_peak));
    value
}

/// The curves as a table; what may not be said is empty.
fn curves(outlook: &Outlook) -> String {
    let mut text = String::from("n,law,assumed,optimistic,realistic\n");
    for place in &outlook.curve {
        let cells = [place.law, place.assumed, place.optimistic, place.realistic];
        let cells = cells.map(|x| x.map_or_else(String::new, |x| x.to_string()));
        text.push_str(&format!("{},{}\n", place.n, cells.join(",")));
    }
    text
}
