//! What was recorded: in memory with its secrets, and on disk without them while it happens, so that a process that is
//! killed leaves a file that can be read.
//!
//! That a value is secret may be known only after it was written, so this file is its owner's alone. One that all may read
//! takes its place at the end.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nmax_import::har::Writer;
use nmax_import::recording::{Body, Entry, Kind, Mark, Recording};
use nmax_import::redact::{Secrets, redact};
use nmax_run::Trouble;

use crate::files::{PlanDestination, Readers, ignore, refused, replace};

/// Bytes of bodies that are kept; later ones are left out, pictures and films first.
const BODY_BYTES_MAX: usize = 512 << 20;
/// From this share on pictures, fonts and films are left out.
const FULL: f64 = 0.5;
/// Exchanges of a recording: a person's day.
const ENTRIES_MAX: usize = 100_000;

/// A recording that grows.
pub(crate) struct Log {
    recording: Recording,
    secrets: Secrets,
    /// Placeholders of those that are stored.
    stored_secrets: HashSet<String>,
    secrets_file: PathBuf,
    destination: PlanDestination,
    folders: RecordingFolders,
    har: File,
    writer: Writer,
    body_bytes: usize,
    bodies_lost: usize,
    entries_lost: usize,
}

/// What was made to record into; taken away again when nothing was recorded.
struct RecordingFolders {
    /// Folders that were not there, the innermost first.
    folders: Vec<PathBuf>,
    har_file: PathBuf,
    is_used: bool,
}

impl RecordingFolders {
    fn new(har_file: PathBuf) -> Result<Self, Trouble> {
        let above = har_file.ancestors().skip(1);
        let missing = above.take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let folders = Self { folders: missing.map(Path::to_owned).collect(), har_file, is_used: false };
        if let Some(folder) = folders.folders.first() {
            fs::create_dir_all(folder).map_err(|error| refused(folder, &error))?;
        }
        Ok(folders)
    }

    /// The recording's file, in the place of one that was there.
    fn open(&self) -> Result<File, Trouble> {
        let removed = match fs::remove_file(&self.har_file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        removed.and_then(|()| options.open(&self.har_file)).map_err(|error| refused(&self.har_file, &error))
    }
}

impl Drop for RecordingFolders {
    fn drop(&mut self) {
        if self.is_used {
            return;
        }
        // It holds nothing; a folder that holds something else stays.
        let _ = fs::remove_file(&self.har_file);
        for folder in &self.folders {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The authority's certificate as a file; gone when dropped.
pub(crate) struct Certificate(PathBuf);

impl Certificate {
    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        // It is worth nothing any more.
        let _ = fs::remove_file(&self.0);
    }
}

impl Log {
    /// Begins the files beside the plan.
    pub(crate) fn create(destination: &PlanDestination, key: [u8; 32]) -> Result<Self, Trouble> {
        // Whether secrets can be added to it is known before anything is recorded.
        ignore(&destination.path(""), &[])?;
        let folders = RecordingFolders::new(destination.path(&format!("{}.har", destination.name())))?;
        let mut har = folders.open()?;
        // Secrets of a recording that is written over.
        let secrets_file = destination.secrets();
        let _ = fs::remove_file(&secrets_file);
        let mut writer = Writer::default();
        let begin = writer.begin(env!("CARGO_PKG_VERSION"));
        har.write_all(begin.as_bytes()).map_err(|error| refused(&folders.har_file, &error))?;
        Ok(Self {
            recording: Recording {
                name: destination.name().to_owned(),
                creator: format!("nmax {}", env!("CARGO_PKG_VERSION")),
                ..Recording::default()
            },
            secrets: Secrets::new(&key),
            stored_secrets: HashSet::new(),
            secrets_file,
            destination: destination.clone(),
            folders,
            har,
            writer,
            body_bytes: 0,
            bodies_lost: 0,
            entries_lost: 0,
        })
    }

    /// Key of the placeholders.
    pub(crate) fn key(&self) -> &[u8; 32] {
        self.secrets.key()
    }

    /// Puts the certificate where clients can be told to find it.
    pub(crate) fn keep_certificate(&self, file: PathBuf, pem: &str) -> Result<Certificate, Trouble> {
        replace(&file, pem.as_bytes(), Readers::All).map_err(|error| refused(&file, &error))?;
        Ok(Certificate(file))
    }

    /// What follows has a name, in the place of one that was given for the same instant; an empty one takes that back.
    pub(crate) fn mark(&mut self, mark: Mark) {
        self.recording.marks.retain(|known| known.at_us != mark.at_us);
        if mark.name.is_empty() {
            return;
        }
        self.writer.mark(mark.clone());
        self.recording.marks.push(mark);
    }

    /// An exchange. Gives it back without its secrets, to be shown.
    pub(crate) fn add(&mut self, mut entry: Entry) -> Result<Entry, Trouble> {
        if self.recording.entries.len() >= ENTRIES_MAX {
            self.entries_lost += 1;
            return Ok(Entry::default());
        }
        self.make_room(&mut entry);
        let mut alone = Recording { entries: vec![entry.clone()], ..Recording::default() };
        let found = redact(&mut alone, self.secrets.key());
        let new: Vec<String> =
            placeholders(&found).into_iter().filter(|placeholder| !self.stored_secrets.contains(placeholder)).collect();
        self.recording.entries.push(entry);
        let mut stored = alone.entries.pop().unwrap_or_default();
        self.folders.is_used = true;
        // Before the placeholders that need it.
        if !new.is_empty() {
            if self.stored_secrets.is_empty() {
                ignore(&self.destination.path(""), &[&self.secrets_file])?;
            }
            self.stored_secrets.extend(new);
            self.secrets.absorb(found);
            replace(&self.secrets_file, self.secrets.to_json().as_bytes(), Readers::Owner)
                .map_err(|error| refused(&self.secrets_file, &error))?;
        }
        // Also what is secret only because of an exchange before.
        let text = self.secrets.hide(&self.writer.entry(&stored));
        self.har.write_all(text.as_bytes()).map_err(|error| refused(&self.folders.har_file, &error))?;
        stored.request.url = self.secrets.hide(&stored.request.url);
        stored.comment = self.secrets.hide(&stored.comment);
        Ok(stored)
    }

    /// Leaves bodies out when there are too many.
    fn make_room(&mut self, entry: &mut Entry) {
        let is_heavy = matches!(entry.kind, Kind::Image | Kind::Media | Kind::Font);
        let most = if is_heavy { (BODY_BYTES_MAX as f64 * FULL) as usize } else { BODY_BYTES_MAX };
        let reply = entry.response.as_mut().and_then(|response| response.body.as_mut());
        for body in [entry.request.body.as_mut(), reply].into_iter().flatten() {
            if self.body_bytes + body.bytes.len() > most {
                self.bodies_lost += 1;
                *body = Body { mime: std::mem::take(&mut body.mime), is_cut: true, ..Body::default() };
            }
            self.body_bytes += body.bytes.len();
        }
    }

    /// What does not fit, in words.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.bodies_lost > 0 {
            warnings.push(format!(
                "{} bodies were left out, because the recording has more than {} MiB of them: values in them are not \
                 correlated",
                self.bodies_lost,
                BODY_BYTES_MAX >> 20
            ));
        }
        if self.entries_lost > 0 {
            warnings.push(format!(
                "{} exchanges after the first {ENTRIES_MAX} were left out: record shorter visits",
                self.entries_lost
            ));
        }
        warnings
    }

    /// The recording in order; `None`, and no files, when there is none.
    pub(crate) fn close(mut self) -> Option<Recording> {
        if self.recording.entries.is_empty() {
            return None;
        }
        // Should the plan fail, the file is whole. It is written again in order when it does not.
        let _ = self.har.write_all(self.writer.end().as_bytes());
        let mut recording = self.recording;
        recording.entries.sort_by_key(|entry| entry.sent_us);
        for (index, entry) in recording.entries.iter_mut().enumerate() {
            entry.number = index + 1;
        }
        recording.marks.sort_by_key(|mark| mark.at_us);
        Some(recording)
    }
}

/// What stands for each of the secrets.
fn placeholders(secrets: &Secrets) -> Vec<String> {
    let json: serde_json::Value = serde_json::from_str(&secrets.to_json()).unwrap_or_default();
    ["values", "local"]
        .iter()
        .filter_map(|key| json[key].as_object())
        .flat_map(|values| values.keys().cloned())
        .collect()
}
