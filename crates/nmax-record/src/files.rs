//! A plan and what belongs to it, as files beside each other.
//!
//! Every file is written whole under another name and then renamed, so that none is ever half there. Those with secrets, and
//! those with bodies of requests or replies, may be read by their owner only from the first byte on; a `.gitignore` beside
//! them names those with secrets.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nmax_import::Converted;
use nmax_import::redact::Secrets;
use nmax_run::Trouble;

/// Where a plan and what belongs to it go.
#[derive(Clone, Debug)]
pub struct PlanDestination {
    folder: PathBuf,
    name: String,
    may_overwrite: bool,
}

/// A recording that is kept beside the plan.
#[derive(Clone, Debug)]
pub struct RecordingCopy {
    /// Name of the file.
    pub name: String,
    /// Its text, without secrets; `None` when it is there already.
    pub text: Option<String>,
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct Bundle<'a> {
    /// The plan, its data files, the evidence.
    pub converted: &'a Converted,
    /// Secrets of the recordings.
    pub secrets: &'a Secrets,
    /// The recordings, in the order in which they were converted.
    pub recordings: &'a [RecordingCopy],
}

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Its owner: it holds secrets, or bodies of requests or replies.
    Owner,
    /// All: it is made to be shared.
    All,
}

impl PlanDestination {
    /// The destination that `--output` names, such as `visit`, `plans/visit` or `plans/visit.yaml`.
    pub fn new(output: &Path, may_overwrite: bool) -> Result<Self, Trouble> {
        let plain = match output.extension().and_then(|extension| extension.to_str()) {
            Some("yaml" | "yml" | "har") => output.with_extension(""),
            _ => output.to_owned(),
        };
        let is_folder = output.to_string_lossy().ends_with('/') || output.is_dir();
        let name = plain.file_name().and_then(|name| name.to_str());
        match name.filter(|_| !is_folder) {
            Some(name) => Ok(Self {
                folder: plain.parent().unwrap_or(Path::new("")).to_owned(),
                name: name.to_owned(),
                may_overwrite,
            }),
            None => Err(Trouble::usage(
                format_args!("{}: this is not a name for a plan", output.display()),
                "give the name of its files, as in -o visit or -o plans/visit",
            )),
        }
    }

    /// Name of the plan: that of its files, without their ends.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A file beside the plan.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The plan.
    pub fn plan(&self) -> PathBuf {
        self.path(&format!("{}.yaml", self.name))
    }

    /// The evidence for its correlations.
    pub fn evidence(&self) -> PathBuf {
        self.path(&format!("{}.evidence.json", self.name))
    }

    /// Secrets of its recordings.
    pub fn secrets(&self) -> PathBuf {
        self.path(&format!("{}.secrets.json", self.name))
    }

    /// The same place, where everything may be written over.
    pub fn overwriting(&self) -> Self {
        Self { may_overwrite: true, ..self.clone() }
    }

    /// Makes the folder, where there is none.
    pub fn prepare(&self) -> Result<(), Trouble> {
        if self.folder.as_os_str().is_empty() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(|error| refused(&self.folder, &error))
    }

    /// Complains about everything that would be overwritten, at once.
    pub fn vacant(&self, paths: &[PathBuf]) -> Result<(), Trouble> {
        let there: Vec<String> = paths
            .iter()
            .filter(|path| path.symlink_metadata().is_ok())
            .map(|path| path.display().to_string())
            .collect();
        if self.may_overwrite || there.is_empty() {
            return Ok(());
        }
        let (is, them) = if there.len() == 1 { ("is", "it") } else { ("are", "them") };
        Err(Trouble::usage(
            format_args!("{} {is} there already", there.join(", ")),
            format_args!("give another name by -o NAME, or --force to write over {them}"),
        ))
    }
}

/// Writes everything, or nothing when something is there that may not be overwritten. Returns the files, the plan first.
pub fn write(destination: &PlanDestination, bundle: &Bundle<'_>) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = vec![
        (destination.plan(), bundle.converted.plan.as_bytes().to_vec(), Readers::All),
        (destination.evidence(), evidence(bundle), Readers::All),
    ];
    for file in &bundle.converted.files {
        let readers = if file.is_secret || file.is_body() { Readers::Owner } else { Readers::All };
        files.push((destination.path(&file.name), file.bytes.clone(), readers));
    }
    for kept in bundle.recordings {
        if let Some(text) = &kept.text {
            files.push((destination.path(&kept.name), text.as_bytes().to_vec(), Readers::Owner));
        }
    }
    if bundle.secrets.redactions > 0 {
        files.push((destination.secrets(), bundle.secrets.to_json().into_bytes(), Readers::Owner));
    }
    let paths: Vec<PathBuf> = files.iter().map(|(path, ..)| path.clone()).collect();
    destination.vacant(&paths)?;
    destination.prepare()?;
    let mut secret: Vec<PathBuf> =
        bundle.converted.files.iter().filter(|file| file.is_secret).map(|file| destination.path(&file.name)).collect();
    secret.extend((bundle.secrets.redactions > 0).then(|| destination.secrets()));
    // First of all, so that no moment is left in which a secret could be added to version control.
    ignore(&destination.folder, &secret.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    for (path, bytes, readers) in &files {
        replace(path, bytes, *readers).map_err(|error| refused(path, &error))?;
    }
    Ok(paths)
}

/// The evidence with the names that the recordings have here.
fn evidence(bundle: &Bundle<'_>) -> Vec<u8> {
    let text = &bundle.converted.evidence;
    let Ok(mut evidence) = serde_json::from_str::<serde_json::Value>(text) else {
        return text.clone().into_bytes();
    };
    let names: Vec<&str> = bundle.recordings.iter().map(|kept| kept.name.as_str()).collect();
    evidence["recordings"] = names.into();
    format!("{evidence:#}\n").into_bytes()
}

/// Puts a file in the place of another, or where none was: it is there whole or not at all.
pub fn replace(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let mode = match readers {
        Readers::Owner => 0o600,
        Readers::All => 0o644,
    };
    let mut options = OpenOptions::new();
    let written = options
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Adds files to the `.gitignore` of their folder, those that are in it already left out.
pub fn ignore(folder: &Path, files: &[&Path]) -> Result<(), Trouble> {
    let path = folder.join(".gitignore");
    let known = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(refused(&path, &error)),
    };
    let name = |file: &&Path| file.file_name().map(|name| format!("/{}", name.to_string_lossy()));
    let is_new = |name: &String| !known.lines().any(|line| line.trim() == name || line.trim() == &name[1..]);
    let new: Vec<String> = files.iter().filter_map(name).filter(is_new).collect();
    if new.is_empty() {
        return Ok(());
    }
    let gap = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    let text = format!("{known}{gap}{}\n", new.join("\n"));
    replace(&path, text.as_bytes(), Readers::All).map_err(|error| refused(&path, &error))
}

/// What to say about a file that cannot be written.
pub fn refused(path: &Path, error: &io::Error) -> Trouble {
    Trouble::usage(
        format_args!("{}: cannot write it: {error}", path.display()),
        "choose a folder that you may write to, by -o FOLDER/NAME",
    )
}

#[cfg(test)]
mod tests;
