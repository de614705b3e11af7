//! What was run, on what, when: `manifest.json`, written once before the first request.

use std::collections::BTreeMap;
use std::path::Path;

use nmax_json::records;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// Version of all files of a run's directory.
pub const SCHEMA_VERSION: u64 = 1;
/// Most characters of the run's name that its directory's name repeats.
const NAME_CHARS_MAX: usize = 40;
pub(crate) const FILE: &str = "manifest.json";
/// The plan of a run whose load was changed while it ran.
pub(crate) const STEERED: &str = "steered.json";
/// The key of plans that says so, as it stands in them.
const STEERED_KEY: &str = "steered:";

records! {
    /// The manifest of a run.
    #[derive(Clone, Debug, PartialEq)]
    #[schemars(deny_unknown_fields)]
    pub read Manifest {
        #[schemars(extend("const" = SCHEMA_VERSION))]
        schema_version: u64, "Version of all files of the directory.";
        nmax_version: String, "Version of the program.";
        id: String, "Id of the run, unique below a root: ASCII letters and digits.";
        name: String, "Name of the run, for people.";
        note: String, "Remark of the user; empty without one.";
        tags: Vec<String>, "Labels of the user.";
        #[schemars(extend("format" = "date-time"))]
        started_at: String, "Origin of the run's clock, RFC 3339 in UTC.";
        seed: u64, "Random seed.";
        plan: String, "The plan as resolved, YAML.";
        plan_sha256: String, "SHA-256 of plan, hexadecimal.";
        target: String, "Base URL of the system under test.";
        machine: BTreeMap<String, String>, "The injector's machine: cores, cpu, memory_bytes, kernel, os, hostname, architecture, cpu_quota.";
        command: String, "The command, quoted for a shell, that repeats the run.";
        workers: u64, "Worker threads.";
        window_ns: u64, "Width of a window, ns.";
        hold: Hold, "Phase hold as planned, which statistics are made of.";
        authorization: Option<String>, "How loading this target was allowed; null where no permission is needed.";
        scenarios: Vec<String>, "Scenario names in the order of the plan.";
        checks: Vec<String>, "Check names in the order of the plan.";
    }
    /// What a run went by since its load was changed, in place of what its manifest says.
    #[derive(Clone, Debug, PartialEq)]
    #[schemars(deny_unknown_fields)]
    pub read Steered {
        plan: String, "The plan with all changes so far, YAML.";
        plan_sha256: String, "SHA-256 of plan, hexadecimal.";
        hold: Hold, "Phase hold, which statistics are made of.";
    }
    /// Phase `hold` as planned, in ns since the start of the run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[schemars(deny_unknown_fields)]
    pub read Hold {
        start_ns: u64, "Its start, inclusive, ns since the start of the run.";
        end_ns: Option<u64>, "Its end, exclusive; null when the plan sets none.";
    }
}

impl Manifest {
    /// Name of the run's directory: `<time>-<name>-<id>`, safe on every file system.
    pub(crate) fn directory_name(&self) -> Result<String, StoreError> {
        let is_safe =
            |id: &str| !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_safe(&self.id) || self.id == "last" {
            return Err(StoreError::Manifest {
                field: "id",
                found: self.id.clone(),
                remedy: "give 1 to 64 ASCII letters or digits, and not `last`",
            });
        }
        let time = self.started()?.strftime("%Y%m%dT%H%M%SZ").to_string();
        Ok(format!("{time}-{}-{}", safe_name(&self.name), self.id))
    }

    /// `started_at`, parsed.
    pub(crate) fn started(&self) -> Result<jiff::Timestamp, StoreError> {
        self.started_at.parse().map_err(|_| StoreError::Manifest {
            field: "started_at",
            found: self.started_at.clone(),
            remedy: "give an instant as in RFC 3339, for example `2026-01-31T12:00:00Z`",
        })
    }

    pub(crate) fn write(&self, directory: &Path) -> Result<(), StoreError> {
        write(&directory.join(FILE), self)
    }

    /// Gives a run another note or other tags; what is `None` stays.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn relabel(directory: &Path, note: Option<String>, tags: Option<Vec<String>>) -> Result<(), StoreError> {
        let mut manifest = Self::read_own(directory)?;
        manifest.note = note.unwrap_or(manifest.note);
        manifest.tags = tags.unwrap_or(manifest.tags);
        manifest.write(directory)
    }

    /// The run goes by this plan from now on.
    pub fn steer(&mut self, steered: Steered) {
        let Steered { plan, plan_sha256, hold } = steered;
        (self.plan, self.plan_sha256, self.hold) = (plan, plan_sha256, hold);
    }

    /// Whether the plan has changes of the load that were recorded of a run.
    pub fn is_steered(&self) -> bool {
        self.plan.lines().any(|line| line == STEERED_KEY)
    }

    /// Reads the manifest of a run's directory; the plan of a steered run is that with its changes.
    pub fn read(directory: &Path) -> Result<Self, StoreError> {
        let mut manifest = Self::read_own(directory)?;
        if let Some(steered) = Steered::read(directory)? {
            manifest.steer(steered);
        }
        Ok(manifest)
    }

    /// Reads `manifest.json` alone.
    fn read_own(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(FILE);
        let bytes = crate::files::read_whole(&path)?;
        let damaged =
            |error: serde_json::Error| StoreError::damaged(&path, Some(error.line() as u64), error.to_string());
        let version: Version = serde_json::from_slice(&bytes).map_err(damaged)?;
        if version.schema_version > SCHEMA_VERSION {
            return Err(StoreError::Newer { path, found: version.schema_version, known: SCHEMA_VERSION });
        }
        let manifest: Self = serde_json::from_slice(&bytes).map_err(damaged)?;
        if manifest.window_ns == 0 {
            return Err(StoreError::damaged(&path, None, "window_ns is 0"));
        }
        Ok(manifest)
    }
}

impl Steered {
    pub(crate) fn write(&self, directory: &Path) -> Result<(), StoreError> {
        write(&directory.join(STEERED), self)
    }

    /// Of a run whose load was changed.
    fn read(directory: &Path) -> Result<Option<Self>, StoreError> {
        read_if_there(&directory.join(STEERED))
    }
}

/// Reads a file that may be absent.
pub(crate) fn read_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes.map_err(StoreError::io("read", path))?,
    };
    let damaged = |error: serde_json::Error| StoreError::damaged(path, Some(error.line() as u64), error.to_string());
    serde_json::from_slice(&bytes).map(Some).map_err(damaged)
}

pub(crate) fn write(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("strings and numbers always become JSON");
    bytes.push(b'\n');
    crate::files::write_whole(path, &bytes)
}

/// The one field that every version has.
#[derive(Deserialize)]
struct Version {
    schema_version: u64,
}

/// `name` with everything but ASCII letters, digits, `_` and `.` turned into single `-`: a part of a file's name on every
/// file system, never empty.
pub fn safe_name(name: &str) -> String {
    let mut safe = String::new();
    for letter in name.chars() {
        let is_kept = letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        if is_kept && safe.len() < NAME_CHARS_MAX {
            safe.push(letter);
        } else if !is_kept && !safe.ends_with('-') && safe.len() < NAME_CHARS_MAX {
            safe.push('-');
        }
    }
    let safe = safe.trim_matches(['-', '.']);
    if safe.is_empty() { "run".to_owned() } else { safe.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scratch, manifest};

    #[test]
    fn names_of_directories_are_safe() {
        let long = "x".repeat(200);
        let cases = [
            ("shop: peak/1", "shop-peak-1", "one dash for several"),
            ("../../etc", "etc", "no way up"),
            ("", "run", "never empty"),
            ("größe", "gr-e", "ASCII only"),
            (&long, &long[..NAME_CHARS_MAX], "bounded"),
        ];
        for (name, want, why) in cases {
            assert_eq!(safe_name(name), want, "{why}: {name:?}");
        }
        let directory = manifest("ab12", "2026-01-31T12:00:05.25Z").directory_name().unwrap();
        assert_eq!(directory, "20260131T120005Z-shop-peak-1-ab12");
    }

    #[test]
    fn unusable_ids_and_times_are_refused() {
        for id in ["", "a/b", "..", "last", "a b"] {
            assert!(manifest(id, "2026-01-31T12:00:05Z").directory_name().is_err(), "{id:?}");
        }
        assert!(manifest("a", "yesterday").directory_name().is_err());
    }

    #[test]
    fn a_manifest_reads_back() {
        let scratch = Scratch::new();
        let written = manifest("ab12", "2026-01-31T12:00:05Z");
        written.write(scratch.path()).unwrap();
        assert_eq!(Manifest::read(scratch.path()).unwrap(), written);
    }

    #[test]
    fn newer_damaged_and_missing_manifests_are_told_apart() {
        let scratch = Scratch::new();
        let read = |text: &str| {
            std::fs::write(scratch.path().join(FILE), text).unwrap();
            Manifest::read(scratch.path()).unwrap_err().to_string()
        };
        assert!(Manifest::read(scratch.path()).unwrap_err().to_string().contains("not found"));
        assert!(read(r#"{"schema_version": 2, "new": 1}"#).contains("schema version 2 is newer than 1"));
        let torn = read("{\n \"schema_version\": 1,\n \"id\": \"");
        assert!(torn.contains("manifest.json:3:"), "{torn}");
    }

    #[test]
    fn a_steered_run_goes_by_its_last_plan() {
        let scratch = Scratch::new();
        let planned = manifest("ab12", "2026-01-31T12:00:05Z");
        let writer = crate::RunWriter::create(scratch.path(), &planned).unwrap();
        let directory = writer.path();
        assert_eq!(Manifest::read(directory).unwrap(), planned);
        assert!(!crate::entry(directory).unwrap().steered);
        let steered = crate::testing::steered();
        writer.steered(&steered).unwrap();
        let Steered { plan, plan_sha256, hold } = steered;
        let want = Manifest { plan, plan_sha256, hold, ..planned.clone() };
        assert_eq!(Manifest::read(directory).unwrap(), want);
        assert!(crate::entry(directory).unwrap().steered);
        Manifest::relabel(directory, Some("why".into()), None).unwrap();
        assert_eq!(Manifest::read_own(directory).unwrap(), Manifest { note: "why".into(), ..planned });
        std::fs::write(directory.join(STEERED), "{").unwrap();
        assert!(matches!(Manifest::read(directory), Err(StoreError::Damaged { .. })));
    }
}
