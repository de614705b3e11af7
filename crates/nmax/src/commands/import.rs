//! `nmax import`: plans from what users really did.
//!
//! # Layout
//! - `recordings`: files become recordings, their secrets in their places; `files`: what is written
//! - `told`: what is said of it; [`schema()`]: the answer as JSON, described

use std::io::Read;
use std::path::{Path, PathBuf};

use nmax_import::options::{Options, Resources, SecretsIn};
use nmax_import::recording::{Recording, Skipped};
use nmax_import::redact::{Secrets, redact};
use nmax_import::{Converted, convert, curl, har};
use nmax_run::Exit;

use super::run::complain;
use crate::args::{CurlArgs, HarArgs, ImportArgs, ImportVerb, MadeArgs, ResourcesName, SecretsName};
use crate::say;

pub mod files;
pub(super) mod recordings;
mod schema;
pub(super) mod told;

use files::{Bundle, Kept, Place, Trouble};
use recordings::Source;
pub(crate) use recordings::{bytes, secrets};
pub use schema::schema;

/// Longest command that is read from standard input, bytes.
const COMMAND_BYTES_MAX: u64 = 1 << 20;
/// More entries are worth a word on what is being done.
const ENTRIES_TOLD: usize = 2_000;

/// Makes a plan of recordings, of a command, or of logs.
pub fn import(args: &ImportArgs) -> Exit {
    let made = match &args.what {
        ImportVerb::Har(args) => har(args),
        ImportVerb::Curl(args) => curl(args),
        ImportVerb::Log(args) => return super::import_log::import_log(args),
    };
    match made {
        Ok(()) => Exit::Pass,
        Err((text, exit)) => complain(&text, exit),
    }
}

fn har(args: &HarArgs) -> Result<(), Trouble> {
    let first = args.files.first().and_then(|file| file.file_stem());
    let place = place(&args.plan, first.map(PathBuf::from))?;
    place.vacant(&[place.plan()])?;
    let mut sources = recordings::read(&args.files)?;
    let key = match sources.iter().find_map(|source| source.key) {
        Some(key) => key,
        None => recordings::new_key()?,
    };
    if let [only] = sources.as_mut_slice() {
        place.name().clone_into(&mut only.read.recording.name);
    }
    make(&args.plan, &place, sources, key)
}

fn curl(args: &CurlArgs) -> Result<(), Trouble> {
    let copied = match args.command.as_slice() {
        [only] if only == "-" => curl::read(&command_of_stdin()?),
        [only] => curl::read(only),
        words => curl::read_words(words),
    };
    let copied = copied.map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        (errors.join("\nerror: "), Exit::Usage)
    })?;
    let name = copied.recording.name.clone();
    let name = if name.is_empty() { "curl".to_owned() } else { name };
    let place = place(&args.plan, Some(name.into()))?;
    place.vacant(&[place.plan()])?;
    let mut recording = copied.recording;
    place.name().clone_into(&mut recording.name);
    let source =
        Source { file: None, read: har::Read { recording, skipped: Vec::new(), warnings: copied.notes }, key: None };
    make(&args.plan, &place, vec![source], recordings::new_key()?)
}

/// A command that was piped in.
fn command_of_stdin() -> Result<String, Trouble> {
    let usage = |text: String| (text, Exit::Usage);
    let mut text = String::new();
    let read = std::io::stdin().take(COMMAND_BYTES_MAX + 1).read_to_string(&mut text);
    read.map_err(|error| {
        usage(format!("standard input: cannot read a command: {error}\n  help: pipe a text into it"))
    })?;
    if text.len() as u64 > COMMAND_BYTES_MAX {
        return Err(usage(
            "standard input: the command is longer than 1 MiB\n  help: send a file by --data-binary @FILE".into(),
        ));
    }
    Ok(text)
}

/// Where the plan goes: as the person says, else a name in the folder that the command runs in.
fn place(args: &MadeArgs, name: Option<PathBuf>) -> Result<Place, Trouble> {
    let output = args.output.clone().or(name).unwrap_or_else(|| "visit".into());
    Place::new(&output, args.force)
}

/// Converts recordings whose secrets are in their places, writes what comes of it, and says so.
fn make(args: &MadeArgs, place: &Place, sources: Vec<Source>, key: [u8; 32]) -> Result<(), Trouble> {
    let mut secrets = Secrets::new(&key);
    let (mut recordings, mut kept) = (Vec::new(), Vec::new());
    let mut beside = told::Beside::default();
    for (index, source) in sources.into_iter().enumerate() {
        let mut stored = source.read.recording.clone();
        secrets.absorb(redact(&mut stored, &key));
        if let Some(file) = &source.file {
            kept.push(keep(place, index, file, source.key.is_some(), &stored));
        }
        let skipped = source.read.skipped.into_iter();
        beside.skipped.extend(skipped.map(|skipped| Skipped { recording: index, ..skipped }));
        beside.recordings.extend(source.file.as_ref().map(|file| file.display().to_string()));
        beside.warnings.extend(source.read.warnings);
        recordings.push(source.read.recording);
    }
    let entries: usize = recordings.iter().map(|recording| recording.entries.len()).sum();
    if entries > ENTRIES_TOLD {
        say::note(format_args!("looking for values that come back, in {entries} exchanges ..."));
    }
    beside.redactions = secrets.redactions;
    let converted = convert(recordings, &options(args, place, key));
    if converted.summary.steps == 0 {
        let text = nothing(&converted, beside, "so that nothing was written");
        return Err((text, Exit::Usage));
    }
    let bundle = Bundle { converted: &converted, secrets: &secrets, recordings: &kept };
    beside.files = files::write(place, &bundle)?;
    tell(args, &converted, beside);
    Ok(())
}

pub(super) fn tell(args: &MadeArgs, converted: &Converted, beside: told::Beside) {
    let told = told::Told::new(converted, beside);
    if args.json {
        say::line(format_args!("{:#}", told.json()));
    } else {
        say::text(told.text());
    }
}

/// What to say when there is no request to be replayed; `what` was done in place of a plan.
pub(super) fn nothing(converted: &Converted, beside: told::Beside, what: &str) -> String {
    told::Told::new(converted, beside).nothing(what)
}

pub(super) fn options(args: &MadeArgs, place: &Place, key: [u8; 32]) -> Options {
    Options {
        name: Some(place.name().to_owned()),
        hosts: args.host.clone(),
        resources: match args.resources {
            ResourcesName::Recorded => Resources::Recorded,
            ResourcesName::Parsed => Resources::Parsed,
            ResourcesName::None => Resources::None,
        },
        secrets: match args.secrets {
            SecretsName::File => SecretsIn::File,
            SecretsName::Env => SecretsIn::Env,
        },
        key,
        ..Options::default()
    }
}

/// `visit`, `visit-2`, `visit-3`, ..
fn numbered(name: &str, index: usize) -> String {
    match index {
        0 => name.to_owned(),
        _ => format!("{name}-{}", index + 1),
    }
}

/// The copy of a recording beside the plan, without its secrets. It never takes the place of the person's own file; one
/// whose secrets were taken out before is its own copy.
fn keep(place: &Place, index: usize, file: &Path, has_placeholders: bool, stored: &Recording) -> Kept {
    let name = format!("{}.har", numbered(place.name(), index));
    let own = file.canonicalize().ok();
    let is_own = own.is_some() && own == place.path(&name).canonicalize().ok();
    let text = || Some(har::write(stored, env!("CARGO_PKG_VERSION")));
    match (is_own, has_placeholders) {
        (true, true) => Kept { name, text: None },
        (true, false) => Kept { name: format!("{}.redacted.har", numbered(place.name(), index)), text: text() },
        (false, _) => Kept { name, text: text() },
    }
}
