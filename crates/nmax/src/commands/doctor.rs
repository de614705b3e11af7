//! `nmax doctor`: what this host allows, and whether a plan fits. Sends nothing.

use nmax_json::{Version, Word, records};
use nmax_report::doc::{Body, Document, Item, Mark, Section};
use nmax_run::Exit;
use nmax_run::host::{self, Finding, Host, Level, Need};
use nmax_run::preflight;
use nmax_text::number::counted;

use super::{Ended, Trouble};
use crate::args::DoctorArgs;
use crate::{load, say};

/// Shows the checks of the host, and the forecast of a plan.
pub fn doctor(args: &DoctorArgs) -> Ended {
    let host = Host::here();
    let need = args.what.as_deref().map(|what| need(args, what)).transpose()?;
    let checks = host::checks(&host);
    let forecast = need.map(|need| {
        // A run raises its limit of open files, so its limit is the hard one.
        let host = Host { files_soft: host.files_hard.or(host.files_soft), ..host.clone() };
        host::forecast(&host, &need)
    });
    let all = (&checks[..], forecast.as_deref());
    if args.json {
        say::line(format_args!("{:#}", nmax_json::value::<Checks, _>(all)));
    } else {
        say::document(&document(&checks, forecast.as_deref()), false);
    }
    Ok(if worst(all) == Some(Level::Error) { Exit::Usage } else { Exit::Pass })
}

fn need(args: &DoctorArgs, what: &str) -> Result<Need, Trouble> {
    let plan = load::plan(what, &args.plan, &args.planless)?;
    let origins = preflight::origins(&plan)?;
    let workers = host::workers(args.workers, &plan, &origins);
    Ok(Need::for_plan(&plan, &origins, u64::from(workers)))
}

fn document(checks: &[Finding], forecast: Option<&[Finding]>) -> Document {
    let section = |id: &str, title: &str, findings: &[Finding]| {
        Section::new(id, title).with(|body| _ = body.items(findings.iter().map(item))).said()
    };
    let all = || checks.iter().chain(forecast.unwrap_or_default());
    let count = |level: Level, noun: &str| counted(all().filter(|finding| finding.level == level).count() as u64, noun);
    let mut tail = Body::default();
    tail.heading(format!("{}, {}", count(Level::Error, "error"), count(Level::Warning, "warning")));
    let forecast = forecast.and_then(|forecast| section("plan", "This plan on this host", forecast));
    let sections = section("host", "This host", checks).into_iter().chain(forecast).collect();
    Document { sections, tail: tail.blocks, ..Document::default() }
}

/// A mark, the name and the value; below them what it means, and what to do.
fn item(finding: &Finding) -> Item {
    let mark = match finding.level {
        Level::Ok => Mark::Pass,
        Level::Note => Mark::Neutral,
        Level::Warning => Mark::Warning,
        Level::Error => Mark::Fail,
    };
    let help = (!finding.remedy.is_empty()).then(|| format!("help: {}", finding.remedy));
    let below = [finding.meaning.clone()].into_iter().chain(help).map(Item::plain);
    Item::new(mark, format!("{}: {}", finding.what, finding.value)).below(below.collect())
}

records! {
    pub(super) struct Checks(all: (&[Finding], Option<&[Finding]>)) {
        schema_version: Version = Version;
        level: Word = worst(all).unwrap_or(Level::Ok).word(), in Level::ALL.map(Level::word), "Of the worst.";
        checks: Vec<Check> = all.0, "Of this host.";
        forecast: Option<Vec<Check>> = all.1, "Of the plan on this host; null without a plan.";
    }
    pub(super) struct Check(finding: &Finding) {
        code: Word;
        level: Word = finding.level.word(), in Level::ALL.map(Level::word);
        what: Word, "What was looked at.";
        value: String, "For people.";
        figure: Option<f64>, "The value as a number, where it is one.";
        limit: Option<f64>, "What the figure is held against.";
        meaning: String;
        remedy: Option<String> = (!finding.remedy.is_empty()).then_some(&finding.remedy),
            "Null when there is nothing to do.";
    }
}

fn worst((checks, forecast): (&[Finding], Option<&[Finding]>)) -> Option<Level> {
    checks.iter().chain(forecast.into_iter().flatten()).map(|finding| finding.level).max()
}
