//! What was recorded beside a plan: the evidence for its correlations, the secrets, the recorded replies.

use std::collections::BTreeMap;

use nmax_plan::plan::Plan;
use nmax_secrets::PLACEHOLDER_PREFIX;
use serde_json::Value;

use super::sites::{Site, name_of};
use crate::har;
use crate::recording::{Entry, Recording};
use crate::redact::Secrets;
use crate::structure::Structure;

/// What lies beside a plan.
#[derive(Debug, Default)]
pub struct Evidence {
    /// What its file says; `None` for a plan that was written by hand.
    value: Option<Value>,
    secrets: Option<Secrets>,
    /// The recordings that could be read, by their place in the evidence.
    recordings: BTreeMap<usize, Recording>,
}

impl Evidence {
    /// What an evidence file says. The error says why it cannot be used.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(text).map_err(|error| format!("it is not JSON: {error}"))?;
        if value["schema_version"] != 1 {
            return Err("it is not of version 1".into());
        }
        Ok(Self { value: Some(value), ..Self::default() })
    }

    /// Takes the secrets that recordings are stored without.
    pub fn know(&mut self, secrets: Secrets) {
        self.secrets = Some(secrets);
    }

    /// Files of the recordings, beside the plan.
    pub fn recordings(&self) -> impl Iterator<Item = &str> {
        self.list("recordings").iter().map(|name| name.as_str().unwrap_or_default())
    }

    /// Takes the recording of this number, a HAR file. The error says why it cannot be used.
    pub fn record(&mut self, number: usize, name: &str, bytes: &[u8]) -> Result<(), String> {
        let mut read = har::read(bytes, name).map_err(|error| error.kind.to_string())?;
        if let Some(secrets) = &self.secrets {
            secrets.restore(&mut read.recording);
        }
        self.recordings.insert(number, read.recording);
        Ok(())
    }

    /// The file as it is to be now; `None` when there is none.
    pub fn written(&self) -> Option<String> {
        self.value.as_ref().map(|value| format!("{value:#}\n"))
    }

    fn list(&self, key: &str) -> &[Value] {
        let list = self.value.as_ref().and_then(|value| value[key].as_array());
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
    pub fn recorded_evidence(&self, plan: &Plan, site: &Site) -> Option<String> {
        let found = &self.list("correlations")[self.number(plan, site)?];
        found["evidence"].as_str().map(str::to_owned)
    }

    /// Values of a scenario that are sent as they were recorded and look like ids, in words.
    pub fn as_recorded(&self, scenario: &str) -> Vec<String> {
        let own = self.list("as_recorded").iter().filter(|found| found["scenario"] == scenario);
        let word = |found: &Value, key: &str| found[key].as_str().unwrap_or_default().to_owned();
        own.map(|found| format!("{} of {}", word(found, "place"), word(found, "request"))).collect()
    }

    /// The recorded value of a site, when it is known.
    pub(super) fn recorded(&self, plan: &Plan, site: &Site) -> Option<String> {
        let found = &self.list("correlations")[self.number(plan, site)?];
        let text = found["recorded"].as_str()?;
        let value = match &self.secrets {
            Some(secrets) => secrets.reveal(text),
            None => text.to_owned(),
        };
        (!value.is_empty() && !value.contains(PLACEHOLDER_PREFIX)).then_some(value)
    }

    /// The recorded reply to each request of a scenario, by the number of the request.
    pub(super) fn replies(&self, plan: &Plan, scenario: usize) -> BTreeMap<usize, Structure> {
        let scenario = &plan.scenarios[scenario];
        let steps: Vec<&Value> =
            self.list("steps").iter().filter(|step| step["scenario"] == scenario.name.as_str()).collect();
        let mut taken = vec![false; steps.len()];
        let mut replies = BTreeMap::new();
        for (number, request) in scenario.calls().enumerate() {
            let name = name_of(plan, scenario, request);
            // Requests of one name are told apart by their order.
            let found = (0..steps.len()).find(|at| !taken[*at] && steps[*at]["name"] == name.as_str());
            let Some(at) = found else { continue };
            taken[at] = true;
            if let Some(structure) = self.entry(steps[at]).and_then(Structure::from_entry) {
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

    /// Notes what became of a site; kept for [`Evidence::written`].
    pub fn record_outcome(&mut self, plan: &Plan, site: &Site, state: &str, proof: &str) {
        let number = self.number(plan, site);
        if let (Some(number), Some(value)) = (number, &mut self.value) {
            let found = &mut value["correlations"][number];
            found["state"] = state.into();
            found["proof"] = proof.into();
        }
    }
}
