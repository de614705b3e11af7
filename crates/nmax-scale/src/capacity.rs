//! What campaigns measured, for questions of capacity that name their directories.

use std::path::Path;

use nmax_analysis::QUANTILES;
use nmax_capacity::Document;
use nmax_capacity::supply::tested::{Objective, TestedLevel, TestedRun};
use nmax_capacity::supply::{NodesQuestion, UsableQuestion};
use nmax_report::scalability::Level;
use nmax_run::Trouble;
use serde_json::Value;

use crate::stored;

const HELP: &str = "give the directory of an `nmax scale`, relative to the document";

/// Puts what was measured in the place of the campaigns that a document names. They lie beside its file.
///
/// # Errors
/// A campaign cannot be read, or measured something else.
pub fn measure(document: &mut Document, folder: &Path) -> Result<(), Trouble> {
    let limits = document.limits;
    for tier in &mut document.supply {
        if let UsableQuestion::Campaign(named) = &tier.usable {
            tier.usable = UsableQuestion::Levels(tested(&folder.join(named), limits.as_ref())?);
        }
        if let NodesQuestion::Campaign(named) = &tier.nodes {
            let directory = folder.join(named);
            let analysis = stored::read(&directory).map_err(|error| Trouble::usage(error, HELP))?.fit.analysis;
            tier.nodes = NodesQuestion::Table(analysis.observations, analysis.options.dimension);
        }
    }
    Ok(())
}

/// The loads of a campaign with what each run of them did.
fn tested(directory: &Path, objective: Option<&Objective>) -> Result<Vec<TestedLevel>, Trouble> {
    let name = directory.display();
    let quantile = objective.map_or(0.99, |objective| objective.quantile);
    let (key, _) = QUANTILES.into_iter().find(|(_, known)| (known - quantile).abs() < 1e-9).ok_or_else(|| {
        let names = QUANTILES.map(|(name, _)| name).join(", ");
        Trouble::usage(
            format_args!("{name}: its runs have {names}, and the objective limits another quantile"),
            "write the objective with one of these, such as `response_time p99 < 110ms`",
        )
    })?;
    let view = stored::read(directory).map_err(|error| Trouble::usage(error, HELP))?;
    let mut levels: Vec<TestedLevel> = Vec::new();
    for level in view.levels.iter().filter(|level| level.verdict != "invalid") {
        let Some(run) = one(directory, level, key) else { continue };
        match levels.iter_mut().find(|known| known.load_per_s == level.level) {
            Some(known) => known.runs.push(run),
            None => levels.push(TestedLevel { load_per_s: level.level, runs: vec![run] }),
        }
    }
    if levels.is_empty() {
        return Err(Trouble::usage(format_args!("{name}: no run of this campaign was valid"), HELP));
    }
    levels.sort_by(|one, other| one.load_per_s.total_cmp(&other.load_per_s));
    Ok(levels)
}

/// What a run did; `None` without its summary.
fn one(directory: &Path, level: &Level, key: &str) -> Option<TestedRun> {
    let text = std::fs::read(directory.join(&level.run).join("summary.json")).ok()?;
    let summary: Value = serde_json::from_slice(&text).ok()?;
    let total = &summary["total"];
    let number = |name: &str| total[name].as_f64();
    Some(TestedRun {
        quantile_ms: total["response_time_ms"][key].as_f64()?,
        failure_rate: (number("failed")? + number("errors")?) / number("count").filter(|count| *count > 0.0)?,
        achieved_per_s: summary["achieved_rate_per_s"].as_f64(),
    })
}

#[cfg(test)]
mod tests {
    use nmax_plan::document::Options;
    use serde_json::json;

    use super::*;
    use crate::folder::{Facts, Folder};
    use crate::head::example;

    /// A campaign of three runs at each of two rates; its place is the end of its path.
    fn campaign(root: &Path) -> String {
        let mut folder = Folder::create(root, "shop").unwrap();
        folder.begin(&example()).unwrap();
        for number in 1..=6_u32 {
            let (load, run) = (100.0 * f64::from(number.div_ceil(3)), format!("levels/{number}"));
            let (n, x) = (Some(f64::from(number)), Some(90.0 * f64::from(number)));
            let level = Level { number: number as usize, level: load, n, x, used: true, run, ..Level::default() };
            let level = Level { verdict: if number == 6 { "invalid" } else { "pass" }.into(), ..level };
            folder.level(&level, &Facts::default()).unwrap();
            folder.point(None, f64::from(number), &level, &Facts::default()).unwrap();
            let total = json!({"count": 200, "failed": 1, "errors": 1, "response_time_ms": {"p95": 9.5, "p99": f64::from(number)}});
            let directory = folder.path().join(&level.run);
            std::fs::create_dir(&directory).unwrap();
            let summary = json!({"total": total, "achieved_rate_per_s": load - 0.5});
            std::fs::write(directory.join("summary.json"), summary.to_string()).unwrap();
        }
        folder.path().file_name().unwrap().to_string_lossy().into_owned()
    }

    fn question(text: &str) -> Document {
        nmax_capacity::parse(text, &Options::standalone("shop.yaml")).unwrap()
    }

    #[test]
    fn campaigns_become_levels_and_tables() {
        let root = std::env::temp_dir().join(format!("nmax-capacity-{}", std::process::id()));
        let place = campaign(&root);
        let of = |objective: &str| {
            let supply =
                format!("supply: {{ usable: {{ campaign: {place} }}, nodes: {{ campaign: {place} }}, now: 4 }}\n");
            question(&format!("capacity: 1\nobjective: {objective}\n{supply}"))
        };
        let mut document = of("response_time p99 < 110ms");
        measure(&mut document, &root).unwrap();
        let tier = &document.supply[0];
        let UsableQuestion::Levels(levels) = &tier.usable else { panic!("{tier:?}") };
        let runs = |at: usize| levels[at].runs.iter().map(|run| run.quantile_ms).collect::<Vec<_>>();
        assert_eq!((levels[0].load_per_s, runs(0)), (100.0, vec![1.0, 2.0, 3.0]));
        assert_eq!((levels[1].load_per_s, runs(1)), (200.0, vec![4.0, 5.0]), "an INVALID run judges nothing");
        assert_eq!((levels[0].runs[0].failure_rate, levels[0].runs[0].achieved_per_s), (0.01, Some(99.5)));
        let NodesQuestion::Table(observations, dimension) = &tier.nodes else { panic!("{tier:?}") };
        assert_eq!((observations.len(), *dimension), (6, example().dimension().0));
        let mut document = of("response_time p95 < 110ms");
        measure(&mut document, &root).unwrap();
        let UsableQuestion::Levels(levels) = &document.supply[0].usable else { panic!() };
        assert_eq!(levels[0].runs[0].quantile_ms, 9.5);
        let absent = measure(&mut question("capacity: 1\nsupply: { usable: { campaign: absent }, now: 4 }\n"), &root);
        assert!(absent.unwrap_err().text.contains("absent"));
        std::fs::remove_dir_all(root).unwrap();
    }
}
