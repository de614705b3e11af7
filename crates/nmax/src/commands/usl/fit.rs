//! `nmax usl fit`: the law, how sure it is, and what it means.

use nmax_report::doc::{Item, Mark, Section};
use nmax_report::scalability::{FitView, wording};
use nmax_report::{csv, json, svg};
use nmax_run::Exit;
use nmax_usl::{Analysis, Model, Rung};

use super::output::{self, Forms};
use super::{Trouble, analysed};
use crate::args::FitArgs;

/// Fits.
pub(super) fn fit(args: &FitArgs) -> Result<Exit, Trouble> {
    output::check(&args.output)?;
    let (measured, analysis) = analysed(args.file.as_deref(), "fit", "", &args.read, &args.law)?;
    let exit = if analysis.blocked().is_some() { Exit::Invalid } else { Exit::Pass };
    let view = FitView {
        title: measured.name,
        subtitle: measured.table.how,
        n_label: String::new(),
        x_unit: String::new(),
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        analysis,
    };
    let asked = args.model;
    let mut document = nmax_report::report::scalability::fit(&view);
    document.sections.extend(asked.map(|model| asked_model(model, &view.analysis)));
    let forms = Forms {
        document,
        json: &|| {
            let mut value = json::usl(&view);
            if let Some(model) = asked {
                value["asked_model"] = json::asked_model(&view.analysis, model);
            }
            value
        },
        svg: &|| svg::figure(&view),
        csv: &|| csv::points(&view),
    };
    output::print(&args.output, &forms)?;
    Ok(exit.forgiven(args.output.exit_zero))
}

fn rung(model: Model, analysis: &Analysis) -> Option<&Rung> {
    analysis.ladder.iter().find(|rung| rung.model == model)
}

/// The coefficients of a model that was asked for.
fn asked_model(model: Model, analysis: &Analysis) -> Section {
    let section = Section::new("asked-model", &format!("Model {}", model.name()));
    let Some(rung) = rung(model, analysis) else {
        return section.with(|body| _ = body.items([Item::new(Mark::Fail, "it cannot be fitted to these points")]));
    };
    let coefficients: Vec<String> = rung
        .curve
        .coefficients()
        .into_iter()
        .map(|(name, value)| format!("{} = {}", name.name(), wording::plain(value)))
        .collect();
    let distance = match rung.delta {
        0.0 => "the best by AICc".to_owned(),
        delta => format!("{} behind the best in AICc", wording::plain(delta)),
    };
    let text = format!("{}; {distance}", coefficients.join(", "));
    section.with(|body| _ = body.items([Item::new(Mark::Point, text)]))
}
