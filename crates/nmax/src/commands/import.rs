//! `nmax import`: plans from what users really did.

use std::io::Read;
use std::path::PathBuf;

use nmax_import::options::Options;
use nmax_import::{curl, har};
use nmax_record::{ImportReport, PlanDestination, RecordingFile, make, sources};
use nmax_run::{Exit, Trouble};

use super::Ended;
use crate::args::{CurlArgs, HarArgs, ImportArgs, ImportVerb, MadeArgs};
use crate::say;

/// Longest command that is read from standard input, bytes.
const COMMAND_BYTES_MAX: u64 = 1 << 20;

/// Makes a plan of recordings, of a command, or of logs.
pub fn import(args: &ImportArgs) -> Ended {
    match &args.what {
        ImportVerb::Har(args) => report(&args.plan, &har(args)?),
        ImportVerb::Curl(args) => report(&args.plan, &curl(args)?),
        ImportVerb::Log(args) => super::import_log::import_log(args),
    }
}

fn har(args: &HarArgs) -> Result<ImportReport, Trouble> {
    let first = args.files.first().and_then(|file| file.file_stem());
    let destination = destination(&args.plan, first.map(PathBuf::from))?;
    destination.vacant(&[destination.plan()])?;
    let mut sources = sources::read(&args.files, &mut |text| say::note(text))?;
    let key = match sources.iter().find_map(|source| source.key) {
        Some(key) => key,
        None => sources::new_key()?,
    };
    if let [only] = sources.as_mut_slice() {
        destination.name().clone_into(&mut only.read.recording.name);
    }
    let options = Options { without_replies: args.without_replies, ..options(&args.plan) };
    make(&destination, sources, key, &options, &mut |text| say::note(text))
}

fn curl(args: &CurlArgs) -> Result<ImportReport, Trouble> {
    let copied = match args.command.as_slice() {
        [only] if only == "-" => curl::read(&command_of_stdin()?),
        [only] => curl::read(only),
        words => curl::read_words(words),
    };
    let copied = copied.map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("\nerror: ")
    })?;
    let name = copied.recording.name.clone();
    let name = if name.is_empty() { "curl".to_owned() } else { name };
    let destination = destination(&args.plan, Some(name.into()))?;
    destination.vacant(&[destination.plan()])?;
    let mut recording = copied.recording;
    destination.name().clone_into(&mut recording.name);
    let source = RecordingFile {
        file: None,
        read: har::Read { recording, skipped: Vec::new(), warnings: copied.notes },
        key: None,
    };
    make(&destination, vec![source], sources::new_key()?, &options(&args.plan), &mut |text| say::note(text))
}

/// A command that was piped in.
fn command_of_stdin() -> Result<String, Trouble> {
    let mut text = String::new();
    let read = std::io::stdin().take(COMMAND_BYTES_MAX + 1).read_to_string(&mut text);
    read.map_err(|error| {
        Trouble::usage(format_args!("standard input: cannot read a command: {error}"), "pipe a text into it")
    })?;
    if text.len() as u64 > COMMAND_BYTES_MAX {
        let help = "send a file by --data-binary @FILE";
        return Err(Trouble::usage("standard input: the command is longer than 1 MiB", help));
    }
    Ok(text)
}

/// Where the plan goes: as the person says, else a name in the folder that the command runs in.
fn destination(args: &MadeArgs, name: Option<PathBuf>) -> Result<PlanDestination, Trouble> {
    let output = args.output.clone().or(name).unwrap_or_else(|| "visit".into());
    PlanDestination::new(&output, args.force)
}

/// Says what came of it.
pub(super) fn report(args: &MadeArgs, told: &ImportReport) -> Ended {
    if args.json {
        say::line(format_args!("{:#}", told.json()));
    }
    if let Some(reason) = told.why_no_plan() {
        return Err(reason.into());
    }
    if !args.json {
        say::text(told.text());
    }
    Ok(Exit::Pass)
}

/// How a plan is made of recordings, but its name and key.
pub(super) fn options(args: &MadeArgs) -> Options {
    Options { hosts: args.host.clone(), resources: args.resources, secrets: args.secrets, ..Options::default() }
}
