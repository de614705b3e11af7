//! The files beside a plan: its evidence, the secrets, the recordings.

use std::fs;
use std::path::{Path, PathBuf};

use nmax_import::prove::Evidence;
use nmax_record::files::{Readers, replace};
use nmax_record::sources::{bytes, secrets};

use crate::say;

/// Longest evidence file that is read, bytes.
const EVIDENCE_BYTES_MAX: u64 = 64 << 20;
/// Longest recording that is read, bytes.
const HAR_BYTES_MAX: u64 = 2 << 30;

/// What lies beside a plan.
#[derive(Debug, Default)]
pub(super) struct PlanCompanions {
    pub(super) evidence: Evidence,
    /// The file of the evidence; `None` for a plan that was written by hand.
    pub(super) file: Option<PathBuf>,
    /// What is missing, in sentences.
    pub(super) warnings: Vec<String>,
}

impl PlanCompanions {
    /// Reads what lies beside a plan. What is not there is a warning when the evidence needs it.
    pub(super) fn read(plan: &Path) -> Result<Self, String> {
        let stem = plan.with_extension("");
        let file = PathBuf::from(format!("{}.evidence.json", stem.display()));
        if fs::symlink_metadata(&file).is_err() {
            return Ok(Self::default());
        }
        let help = "import the recording again, or move the file away: the plan is then tried without it";
        let read = bytes(&file, EVIDENCE_BYTES_MAX, &mut |text| say::note(text)).and_then(|text| Evidence::read(&text));
        let mut evidence = read.map_err(|why| format!("{}: {why}\n  help: {help}", file.display()))?;
        let secret = PathBuf::from(format!("{}.secrets.json", stem.display()));
        if fs::symlink_metadata(&secret).is_ok() {
            evidence.know(secrets(&secret, &mut |text| say::note(text))?);
        }
        let names: Vec<String> = evidence.recordings().map(str::to_owned).collect();
        let mut warnings = Vec::new();
        for (number, name) in names.iter().enumerate() {
            let path = plan.parent().unwrap_or(Path::new("")).join(name);
            let read = bytes(&path, HAR_BYTES_MAX, &mut |text| say::note(text));
            if let Err(why) = read.and_then(|bytes| evidence.record(number, name, &bytes)) {
                warnings.push(format!(
                    "{}: {why}; replays are compared with each other only, and not with what was recorded",
                    path.display()
                ));
            }
        }
        Ok(Self { evidence, file: Some(file), warnings })
    }

    /// Writes the file, whole or not at all.
    pub(super) fn save(&self) -> Result<(), String> {
        let (Some(path), Some(text)) = (&self.file, self.evidence.written()) else {
            return Ok(());
        };
        replace(path, text.as_bytes(), Readers::All)
            .map_err(|error| format!("{}: cannot write the states: {error}", path.display()))
    }
}
