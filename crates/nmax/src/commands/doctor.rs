//! `nmax doctor`: what this host allows, and whether a plan fits. Sends nothing.

use std::io::IsTerminal;

use nmax_json::{Version, Word, records};
use nmax_report::number;
use nmax_report::terminal::hanging;
use nmax_run::Exit;
use nmax_run::host::{self, Finding, Host, Level, Need};
use nmax_run::preflight;
use nmax_text::{Ink, Painted};

use super::{Ended, Trouble};
use crate::args::DoctorArgs;
use crate::{live, load, say};

/// Columns of the names and of the values.
const COLUMNS: (usize, usize) = (16, 32);

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
        say::text(as_text(&checks, forecast.as_deref()));
    }
    Ok(if worst(all) == Some(Level::Error) { Exit::Usage } else { Exit::Pass })
}

fn need(args: &DoctorArgs, what: &str) -> Result<Need, Trouble> {
    let plan = load::plan(what, &args.plan, &args.planless)?;
    let origins = preflight::origins(&plan)?;
    let workers = host::workers(args.workers, &plan, &origins);
    Ok(Need::for_plan(&plan, &origins, u64::from(workers)))
}

fn as_text(checks: &[Finding], forecast: Option<&[Finding]>) -> Painted {
    let use_color = std::io::stdout().is_terminal() && live::use_color();
    let width = live::output_width(80);
    let mut text = Painted::from("This host\n");
    checks.iter().for_each(|finding| row(finding, use_color, width, &mut text));
    if let Some(forecast) = forecast {
        text += "\nThis plan on this host\n";
        forecast.iter().for_each(|finding| row(finding, use_color, width, &mut text));
    }
    let all = || checks.iter().chain(forecast.unwrap_or_default());
    let of = |level: Level, noun: &str| {
        let n = all().filter(|finding| finding.level == level).count() as u64;
        let plural = if n == 1 { "" } else { "s" };
        format!("{} {noun}{plural}", number::count(n))
    };
    text += format_args!("\n{}, {}\n", of(Level::Error, "error"), of(Level::Warning, "warning"));
    text
}

/// A mark, the name and the value; below them what it means, and what to do.
fn row(finding: &Finding, use_color: bool, width: usize, text: &mut Painted) {
    let mark = finding.level.mark();
    let ink = match finding.level {
        Level::Ok => Ink::Good,
        Level::Note => Ink::Dim,
        Level::Warning => Ink::Warning,
        Level::Error => Ink::Bad,
    };
    let (name, value) = COLUMNS;
    *text += Painted::inked(&mark.to_string(), ink, use_color);
    *text += format!(" {:<name$}{:<value$}", finding.what, finding.value).trim_end();
    *text += "\n";
    *text += hanging("    ", &finding.meaning, 4, width);
    if !finding.remedy.is_empty() {
        *text += hanging("    ", &format!("help: {}", finding.remedy), 4, width);
    }
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
