//! HAR files become recordings; what `nmax` itself took out of them as secrets is put back.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use nmax_import::har;
use nmax_import::redact::Secrets;
use nmax_run::Trouble;

/// Longest HAR file that is read, bytes: it is taken apart in memory.
const HAR_BYTES_MAX: u64 = 2 << 30;
/// Longest secrets file that is read, bytes.
const SECRETS_BYTES_MAX: u64 = 64 << 20;
/// Longer files are worth a word while they are read, bytes.
const BYTES_TOLD: u64 = 32 << 20;

/// A recording, and where it came from.
#[derive(Debug)]
pub struct RecordingFile {
    /// The file; `None` for what never was one.
    pub file: Option<PathBuf>,
    /// What was read, secrets in their places.
    pub read: har::Read,
    /// Key of its placeholders, when it had some.
    pub key: Option<[u8; 32]>,
}

/// Reads all files; `tell` is told of those that take long.
///
/// # Errors
/// Every file that cannot be read.
pub fn read(files: &[PathBuf], tell: &mut dyn FnMut(&str)) -> Result<Vec<RecordingFile>, Trouble> {
    let (mut sources, mut errors) = (Vec::new(), Vec::new());
    for file in files {
        match read_one(file, tell) {
            Ok(source) => sources.push(source),
            Err(text) => errors.push(text),
        }
    }
    if errors.is_empty() {
        return Ok(sources);
    }
    let mut text = errors.join("\nerror: ");
    if !sources.is_empty() {
        text.push_str("\nnothing was written; leave out what cannot be read");
    }
    Err(text.into())
}

fn read_one(file: &Path, tell: &mut dyn FnMut(&str)) -> Result<RecordingFile, String> {
    let shown = file.display().to_string();
    let bytes = bytes(file, HAR_BYTES_MAX, tell).map_err(|why| {
        format!("{shown}: {why}\n  help: give a HAR file, as a browser's developer tools save it: \"save all as HAR\"")
    })?;
    let mut read = har::read(&bytes, &shown).map_err(|error| error.to_string())?;
    drop(bytes);
    // Its scenario is named after it.
    read.recording.name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let beside = secrets_of(file);
    let secrets = match fs::metadata(&beside) {
        Ok(_) => Some(secrets(&beside, tell)?),
        Err(_) => None,
    };
    if let Some(secrets) = &secrets {
        let unknown = secrets.restore(&mut read.recording);
        if unknown > 0 {
            let text = format!(
                "{shown}: {unknown} placeholders have no value in {}: it belongs to another recording",
                beside.display()
            );
            read.warnings.push(text);
        }
    }
    Ok(RecordingFile { file: Some(file.to_owned()), read, key: secrets.map(|secrets| *secrets.key()) })
}

/// The secrets file beside a recording.
fn secrets_of(file: &Path) -> PathBuf {
    let stem = file.with_extension("");
    let text = stem.to_string_lossy();
    // A copy without secrets shares those of its plan.
    let stem = text.strip_suffix(".redacted").unwrap_or(&text);
    PathBuf::from(format!("{stem}.secrets.json"))
}

/// Reads a secrets file; `tell` is told when that takes long.
///
/// # Errors
/// Why it cannot be read.
pub fn secrets(file: &Path, tell: &mut dyn FnMut(&str)) -> Result<Secrets, String> {
    let shown = file.display();
    let bytes = bytes(file, SECRETS_BYTES_MAX, tell)
        .map_err(|why| format!("{shown}: {why}\n  help: these are the secrets of the recording beside it"))?;
    Secrets::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| format!("{shown}: {error}"))
}

/// A file as it is, if it is one and not too long; `tell` is told when reading it takes long.
///
/// # Errors
/// Why it is none.
pub fn bytes(file: &Path, most: u64, tell: &mut dyn FnMut(&str)) -> Result<Vec<u8>, String> {
    let about = fs::metadata(file).map_err(|error| format!("cannot read it: {error}"))?;
    if about.is_dir() {
        return Err("it is a folder".into());
    }
    if about.len() > most {
        return Err(format!("it is longer than {} MiB", most >> 20));
    }
    if about.len() > BYTES_TOLD {
        tell(&format!("reading {} ({} MiB) ...", file.display(), about.len() >> 20));
    }
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot read it: {error}"))?;
    // A pipe does not say how long it is.
    if bytes.len() as u64 > most {
        return Err(format!("it is longer than {} MiB", most >> 20));
    }
    Ok(bytes)
}

/// A key that nobody knows.
///
/// # Errors
/// This machine has no random numbers.
pub fn new_key() -> Result<[u8; 32], Trouble> {
    let mut key = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut key));
    read.map(|()| key).map_err(|error| {
        Trouble::internal(format_args!("/dev/urandom: {error}\n  help: the key of the placeholders has to be random"))
    })
}
