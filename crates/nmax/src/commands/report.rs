//! `nmax report`: a run, several in one summary, or a campaign of `nmax scale`, in any format.

use std::io::IsTerminal;
use std::path::PathBuf;

use nmax_analysis::{Ending, Verdict};
use nmax_report::doc::Document;
use nmax_report::scalability::ScaleView;
use nmax_report::series::SeriesView;
use nmax_report::terminal::{self, Style};
use nmax_report::{csv, html, json, junit, markdown, pdf, report};
use nmax_run::{Exit, Finished, Trouble, compare, series};
use nmax_scale::stored;
use nmax_text::Painted;
use serde_json::Value;

use super::results::{campaign, find, read};
use super::run::{is_stdout, rewrite, writable, write_bytes};
use super::{Ended, complain};
use crate::args::{Format, ReportArgs};
use crate::logs::Progress;
use crate::{live, say};

/// What a report is about.
pub(super) enum Subject {
    Run(Box<Finished>),
    Scale(Box<ScaleView>),
    Series(SeriesView),
    /// What is said, and the same as JSON.
    Capacity(Box<Document>, Value),
}

impl Subject {
    fn document(&self) -> Document {
        match self {
            Self::Run(run) => report::run(&run.view),
            Self::Scale(view) => nmax_report::report::scalability::scale(view),
            Self::Series(view) => view.document(),
            Self::Capacity(document, _) => (**document).clone(),
        }
    }

    /// In a format.
    fn write(&self, format: Format, style: Style) -> Result<Page, Trouble> {
        let text: Painted = match (format, self) {
            (Format::Pdf, _) => return Ok(Page::Pdf(pdf::write(&self.document()))),
            (Format::Html, _) => html::write(&self.document()).into(),
            (Format::Md, _) => markdown::write(&self.document()).into(),
            (Format::Text, _) => terminal::write(&self.document(), style),
            (Format::Json, Self::Run(run)) => format_args!("{:#}\n", json::summary(&run.view)).into(),
            (Format::Json, Self::Scale(view)) => format_args!("{:#}\n", json::scale(view)).into(),
            (Format::Json, Self::Series(view)) => format_args!("{:#}\n", json::series(view)).into(),
            (Format::Json, Self::Capacity(_, json)) => format_args!("{json:#}\n").into(),
            (Format::Csv, Self::Run(run)) => csv::requests(&run.view).into(),
            (Format::Csv, Self::Scale(view)) => csv::measured(view).into(),
            (Format::Csv, Self::Series(view)) => csv::series(view).into(),
            (Format::Junit, Self::Run(run)) => junit::xml(&run.view).into(),
            (Format::Junit, Self::Series(view)) => junit::series(view).into(),
            (Format::Csv | Format::Junit, Self::Capacity(..)) => {
                let what = "an answer of capacity has neither rows of requests nor test cases";
                return Err(Trouble::usage(what, "write it as html, pdf, md, json or text"));
            }
            (Format::Junit, Self::Scale(_)) => {
                let help = "write it as html, md, json, csv or text";
                return Err(Trouble::usage("a campaign is not a test suite, so there is no JUnit of it", help));
            }
        };
        Ok(Page::Text(text))
    }
}

/// A report as it is written.
enum Page {
    Text(Painted),
    Pdf(Vec<u8>),
}

impl Page {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Pdf(bytes) => bytes,
        }
    }
}

/// Writes reports.
pub fn report(args: &ReportArgs) -> Ended {
    let formats = formats(&args.output, args.format)?;
    let told = match &args.campaign {
        Some(tag) => summary(args, &formats, format!("campaign {tag}"), tagged(args, tag)?),
        None if args.runs.len() > 1 && (!args.output.is_empty() || args.format.is_some()) => {
            let (found, exit) = each(args, |asked| find(&args.runs_dir, asked));
            let title = nmax_report::comparison::runs(found.len());
            if found.is_empty() {
                Ok(exit)
            } else {
                summary(args, &formats, title, found).map(|told| worse(exit, told))
            }
        }
        None if args.runs.len() > 1 => Ok(each(args, |asked| one(args, asked, &formats)).1),
        None => one(args, args.runs.first().map_or("last", String::as_str), &formats).map(|()| Exit::Pass),
    };
    told.map(|exit| exit.forgiven(args.exit_zero))
}

/// Each file with its format.
pub(super) fn formats(files: &[PathBuf], format: Option<Format>) -> Result<Vec<(PathBuf, Format)>, Trouble> {
    let named = |file: &PathBuf| Ok((file.clone(), format.map_or_else(|| Format::named_by(file), Ok)?));
    let files: Vec<_> = files.iter().map(named).collect::<Result<_, String>>()?;
    if files.iter().filter(|(file, _)| is_stdout(file)).count() > 1 {
        return Err(Trouble::usage("-o -: standard output takes one report", "give all but one a file"));
    }
    files.iter().filter(|(file, _)| !is_stdout(file)).try_for_each(|(file, _)| writable(file))?;
    Ok(files)
}

/// What comes of each run; one that has no result is complained about, and the others go on.
fn each<T>(args: &ReportArgs, what: impl Fn(&str) -> Result<T, Trouble>) -> (Vec<T>, Exit) {
    let (mut all, mut exit) = (Vec::new(), Exit::Pass);
    for asked in &args.runs {
        match what(asked) {
            Ok(one) => all.push(one),
            Err(trouble) => exit = worse(exit, complain(trouble)),
        }
    }
    (all, exit)
}

/// The first exit that is not a PASS.
fn worse(first: Exit, other: Exit) -> Exit {
    if first == Exit::Pass { other } else { first }
}

/// The runs with a label.
fn tagged(args: &ReportArgs, tag: &str) -> Result<Vec<PathBuf>, Trouble> {
    let found = series::tagged(&args.runs_dir, tag)?;
    if found.is_empty() {
        let what = format_args!("no run in {} has the label `{tag}`", args.runs_dir.display());
        return Err(Trouble::usage(what, "give runs one with `nmax run --tag TAG`; `nmax runs` lists them"));
    }
    Ok(found)
}

/// One summary of several runs; on standard output where no file is named.
fn summary(args: &ReportArgs, files: &[(PathBuf, Format)], title: String, directories: Vec<PathBuf>) -> Ended {
    let view = series::series(title, &directories);
    let exit = match view.verdict() {
        Verdict::Pass => Exit::Pass,
        Verdict::Fail => Exit::Failed,
        Verdict::Invalid => Exit::Invalid,
    };
    let subject = Subject::Series(view);
    match files {
        [] => print(&subject, args.format.unwrap_or(Format::Text))?,
        files => put(&subject, files)?,
    }
    Ok(exit)
}

/// The report of one run or campaign; into its directory where no file is named.
fn one(args: &ReportArgs, asked: &str, files: &[(PathBuf, Format)]) -> Result<(), Trouble> {
    let (subject, directory) = subject(args, asked)?;
    if !files.is_empty() {
        return put(&subject, files);
    }
    let page = directory.join("report.html");
    match (args.format, &subject) {
        // The summary of a run is as new as its report, unless somebody else is going to write it.
        (None | Some(Format::Html), Subject::Run(run)) if run.view.ending != Ending::Running => {
            rewrite(run).map_err(Trouble::unreachable)?;
        }
        (None | Some(Format::Html), _) => return put(&subject, &[(page, Format::Html)]),
        (Some(Format::Pdf), _) => return put(&subject, &[(directory.join("report.pdf"), Format::Pdf)]),
        (Some(format), _) => return print(&subject, format),
    }
    say::line(page.display().to_string());
    Ok(())
}

fn subject(args: &ReportArgs, asked: &str) -> Result<(Subject, PathBuf), Trouble> {
    if let Some(directory) = campaign(&args.runs_dir, asked) {
        if args.baseline.is_some() {
            let help = "`nmax usl compare` compares campaigns";
            return Err(Trouble::usage("--baseline is for runs, and this is a campaign of `nmax scale`", help));
        }
        return Ok((Subject::Scale(Box::new(stored::read(&directory)?)), directory));
    }
    let mut run = read(&args.runs_dir, asked)?;
    if let Some(baseline) = &args.baseline {
        let found = compare::baseline(&args.runs_dir, baseline, &run.directory, &mut Progress::new(true))?;
        run.view.baseline = Some(found);
    }
    let directory = run.directory.clone();
    Ok((Subject::Run(Box::new(run)), directory))
}

/// Writes files, and says which.
pub(super) fn put(subject: &Subject, files: &[(PathBuf, Format)]) -> Result<(), Trouble> {
    for (file, format) in files {
        if is_stdout(file) {
            print(subject, *format)?;
            continue;
        }
        let page = subject.write(*format, Style::default())?;
        writable(file)?;
        write_bytes(file, page.bytes()).map_err(Trouble::unreachable)?;
        say::line(file.display().to_string());
    }
    Ok(())
}

/// Writes on standard output.
fn print(subject: &Subject, format: Format) -> Result<(), Trouble> {
    match subject.write(format, live::style(80, false))? {
        Page::Text(text) => say::text(text),
        Page::Pdf(_) if std::io::stdout().is_terminal() => {
            return Err(Trouble::usage("a PDF is not for a terminal", "give it a file, as in -o report.pdf"));
        }
        Page::Pdf(bytes) => say::bytes(&bytes),
    }
    Ok(())
}
