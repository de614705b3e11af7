//! What was recorded beside a plan: the evidence for its correlations, the secrets, the recorded replies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nmax_import::har;
use nmax_import::recording::{Entry, Recording};
use nmax_import::redact::Secrets;
use nmax_import::structure::{Reply, Structure};
use nmax_plan::plan::Plan;
use serde_json::Value;

use super::sites::{Site, name_of};
use crate::commands::import::files::{Readers, replace};
use crate::commands::import::{bytes, secrets};

/// Longest evidence file that is read, bytes.
const EVIDENCE_BYTES_MAX: u64 = 64 << 20;
/// Longest recording that is read, bytes.
const HAR_BYTES_MAX: u64 = 2 << 30;
/// How placeholders begin.
const PLACEHOLDER: &str = "nmax-secret-";

/// What lies beside a plan.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Its file, and what it says; `None` for a plan that was written by hand.
    file: Option<(PathBuf, Value)>,
    secrets: Option<Secrets>,
    /// The recordings that could be read, by their place in the evidence.
    recordings: BTreeMap<usize, Recording>,
    /// What is missing, in sentences.
    pub(super) warnings: Vec<String>,
}

impl Evidence {
    /// Reads what lies beside a plan. What is not there is a warning when the evidence needs it.
    pub(super) fn beside(plan: &Path) -> Result<Self, String> {
        let stem = plan.with_extension("");
        let file = PathBuf::from(format!("{}.evidence.json", stem.display()));
        if fs::symlink_metadata(&file).is_err() {
            return Ok(Self::default());
        }
        let help = "import the recording again, or move the file away: the plan is then tried without it";
        let broken = |why: String| format!("{}: {why}\n  help: {help}", file.display());
        let text = bytes(&file, EVIDENCE_BYTES_MAX).map_err(broken)?;
        let value: Value = serde_json::from_slice(&text).map_err(|error| broken(format!("it is no JSON: {error}")))?;
        if value["schema_version"] != 1 {
            return Err(broken("it is not of version 1".into()));
        }
        let mut evidence = Self { file: Some((file, value)), ..Self::default() };
        evidence.read_secrets(&PathBuf::from(format!("{}.secrets.json", stem.display())))?;
        evidence.read_recordings(plan.parent().unwrap_or(Path::new("")));
        Ok(evidence)
    }

    fn read_secrets(&mut self, file: &Path) -> Result<(), String> {
        if fs::symlink_metadata(file).is_ok() {
            self.secrets = Some(secrets(file)?);
        }
        Ok(())
    }

    fn read_recordings(&mut self, folder: &Path) {
        let names: Vec<String> =
            self.list("recordings").iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect();
        for (number, name) in names.iter().enumerate() {
            let path = folder.join(name);
            let read = bytes(&path, HAR_BYTES_MAX).and_then(|bytes| {
                let read = har::read(&bytes, name);
                read.map_err(|error| error.kind.to_string())
            });
            match read {
                Ok(mut read) => {
                    if let Some(secrets) = &self.secrets {
                        secrets.restore(&mut read.recording);
                    }
                    self.recordings.insert(number, read.recording);
                }
                Err(why) => self.warnings.push(format!(
                    "{}: {why}; replays are compared with each other only, and not with what was recorded",
                    path.display()
                )),
            }
        }
    }

    /// The file, when there is one.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    fn list(&self, key: &str) -> &[Value] {
        let list = self.file.as_ref().and_then(|(_, value)| value[key].as_array());
        list.map_or(&[], Vec::as_slice)
    }

    /// The entry of a site among the correlations.
    fn number(&self, plan: &Plan, site: &Site) -> Option<usize> {
        let scenario = &plan.scenarios[site.scenario].name;
        let is_of = |found: &Value| found["name"] == site.name.as_str() && found["scenario"] == scenario.as_str();
        let all = self.list("correlations").iter().enumerate();
        let same: Vec<(usize, &Value)> = all.filter(|(_, found)| is_of(found)).collect();
        let of_request = same.iter().find(|(_, found)| found["from"]["request"] == site.from.as_str());
        of_request.or(same.first().filter(|_| same.len() == 1)).map(|(number, _)| *number)
    }

    /// What was found out about a site when it was recorded.
    pub(super) fn words(&self, plan: &Plan, site: &Site) -> Option<String> {
        let found = &self.list("correlations")[self.number(plan, site)?];
        found["evidence"].as_str().map(str::to_owned)
    }

    /// The recorded value of a site, when it is known.
    pub(super) fn recorded(&self, plan: &Plan, site: &Site) -> Option<String> {
        let found = &self.list("correlations")[self.number(plan, site)?];
        let text = found["recorded"].as_str()?;
        let value = match &self.secrets {
            Some(secrets) => secrets.reveal(text),
            None => text.to_owned(),
        };
        (!value.is_empty() && !value.contains(PLACEHOLDER)).then_some(value)
    }

    /// The recorded reply to each request of a scenario, by the number of the request.
    pub(super) fn replies(&self, plan: &Plan, scenario: usize) -> BTreeMap<usize, Structure> {
        let scenario = &plan.scenarios[scenario];
        let steps: Vec<&Value> =
            self.list("steps").iter().filter(|step| step["scenario"] == scenario.name.as_str()).collect();
        let mut taken = vec![false; steps.len()];
        let mut replies = BTreeMap::new();
        for (number, request) in scenario.requests().enumerate() {
            let name = name_of(plan, scenario, request);
            // Requests of one name are told apart by their order.
            let found = (0..steps.len()).find(|at| !taken[*at] && steps[*at]["name"] == name.as_str());
            let Some(at) = found else { continue };
            taken[at] = true;
            if let Some(structure) = self.entry(steps[at]).and_then(structure) {
                replies.insert(number, structure);
            }
        }
        replies
    }

    fn entry(&self, step: &Value) -> Option<&Entry> {
        let recording = usize::try_from(step["recording"].as_u64().unwrap_or_default()).ok()?;
        let number = usize::try_from(step["entry"].as_u64()?).ok()?;
        let entries = &self.recordings.get(&recording)?.entries;
        entries.iter().find(|entry| entry.number == number)
    }

    /// Notes what became of a site; kept until [`Evidence::save`].
    pub(super) fn settle(&mut self, plan: &Plan, site: &Site, state: &str, proof: &str) {
        let number = self.number(plan, site);
        if let (Some(number), Some((_, value))) = (number, &mut self.file) {
            let found = &mut value["correlations"][number];
            found["state"] = state.into();
            found["proof"] = proof.into();
        }
    }

    /// Writes the file, whole or not at all.
    pub(super) fn save(&self) -> Result<(), String> {
        let Some((path, value)) = &self.file else {
            return Ok(());
        };
        replace(path, format!("{value:#}\n").as_bytes(), Readers::All)
            .map_err(|error| format!("{}: cannot write the states: {error}", path.display()))
    }
}

/// What a recorded reply is.
fn structure(entry: &Entry) -> Option<Structure> {
    let response = entry.response.as_ref()?;
    let url = &entry.request.url;
    let host = url.find("://").map_or(0, |at| at + 3);
    let origin_end = url[host..].find(['/', '?']).map_or(url.len(), |at| host + at);
    let headers: Vec<(&str, &[u8])> =
        response.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let body = response.body.as_ref().filter(|body| !body.is_cut && response.status != 304);
    Some(Structure::of(&Reply {
        status: response.status,
        origin: &url[..origin_end],
        headers: &headers,
        body: body.map(|body| body.bytes.as_slice()),
    }))
}
