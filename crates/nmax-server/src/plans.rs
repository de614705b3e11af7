//! Plans of a folder: read, checked while they are written, saved.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use nmax_plan::document::Location;
use nmax_plan::summary::{Peak, forecast};
use nmax_run::load::{self, Changes, LoadError};
use ring::digest::{SHA256, digest};

use crate::api;
use crate::refusal::Refusal;

/// Longest plan, bytes.
pub(crate) const BYTES_MAX: usize = 1 << 20;
/// Where the first keys of a document stand.
const HEAD_BYTES: u64 = 4_096;
/// Most plans in a list.
const PLANS_MAX: usize = 500;
/// Longest name.
const NAME_MAX: usize = 100;

/// The folder of the plans.
pub(crate) struct Plans(pub(crate) Option<PathBuf>);

impl Plans {
    fn folder(&self) -> Result<&Path, Refusal> {
        let help = "start it with --plans DIR";
        self.0.as_deref().ok_or_else(|| Refusal::not_granted("this server has no folder of plans", help))
    }

    /// The file of a plan, which lies in the folder itself.
    pub(crate) fn path(&self, name: &str) -> Result<PathBuf, Refusal> {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | ' ');
        let is_name = !name.starts_with('.') && name.len() <= NAME_MAX && name.chars().all(is_plain);
        if !is_name || !(name.ends_with(".yaml") || name.ends_with(".yml")) {
            let help = "as in shop.yaml: letters, digits, `-`, `_` and `.`, with the ending .yaml";
            return Err(Refusal::bad("that is not a name of a plan", help));
        }
        let path = self.folder()?.join(name);
        // A link could lead out of the folder.
        match path.symlink_metadata() {
            Ok(found) if !found.is_file() => Err(Refusal::bad(format!("{name} is not a regular file"), "")),
            _ => Ok(path),
        }
    }

    pub(crate) fn list(&self) -> Result<api::PlanList, Refusal> {
        let mut plans = Vec::new();
        for entry in fs::read_dir(self.folder()?)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(changed) = self.path(&name).ok().and_then(|path| path.metadata().ok()?.modified().ok()) else {
                continue;
            };
            let changed_at = jiff::Timestamp::try_from(changed).unwrap_or_default().to_string();
            let text = fs::File::open(self.path(&name)?).and_then(|file| {
                let mut head = String::new();
                file.take(HEAD_BYTES).read_to_string(&mut head).map(|_| head)
            });
            plans.push(api::PlanRow { kind: kind(&text.unwrap_or_default()), name, changed_at });
        }
        plans.sort_by(|one, other| other.changed_at.cmp(&one.changed_at).then_with(|| one.name.cmp(&other.name)));
        plans.truncate(PLANS_MAX);
        Ok(api::PlanList { plans })
    }

    pub(crate) fn read(&self, name: &str) -> Result<api::PlanFile, Refusal> {
        let path = self.path(name)?;
        let bytes = fs::read(&path).map_err(|error| Refusal::missing(format!("{name}: {error}")))?;
        if bytes.len() > BYTES_MAX {
            return Err(Refusal::bad(format!("{name} has more than {BYTES_MAX} bytes"), ""));
        }
        let text = String::from_utf8(bytes).map_err(|_| Refusal::bad(format!("{name} is not UTF-8 text"), ""))?;
        Ok(api::PlanFile { name: name.to_owned(), kind: kind(&text), etag: etag(&text), text })
    }

    /// Writes a plan, also one with errors, unless the file is another one than was changed.
    pub(crate) fn write(&self, name: &str, new: &api::PlanText) -> Result<api::PlanFile, Refusal> {
        let path = self.path(name)?;
        let now = path.exists().then(|| self.read(name)).transpose()?.map(|file| file.etag);
        if now != new.etag {
            let help = "read it again, and make your change there";
            return Err(Refusal::conflict(format!("{name} was changed meanwhile"), help));
        }
        let draft = path.with_extension(format!("{}.tmp", std::process::id()));
        fs::write(&draft, &new.text)?;
        fs::rename(&draft, &path)?;
        self.read(name)
    }

    /// What is wrong with a text, as `nmax check` says it, and what it would do.
    pub(crate) fn check(&self, text: &str) -> api::Checked {
        let folder = self.0.clone().unwrap_or_default();
        if kind(text) == api::PlanKind::Capacity {
            let asked = nmax_run::capacity::question_of_text(&folder.join("capacity.yaml"), text, &[]);
            let found = asked.err().map(|error| problems(&error));
            return api::Checked { problems: found.unwrap_or_default(), summary: None };
        }
        match load::plan_of_text(&folder.join("plan.yaml"), text, &Changes::default()) {
            Ok(plan) => {
                let origins = nmax_run::preflight::origins(&plan).unwrap_or_default();
                let warnings = nmax_run::hints::warnings(&plan, &origins);
                let forecast = forecast(&plan);
                let workload = match forecast.peak {
                    Peak::RatePerS(rate) => {
                        format!("up to {} iterations per second", nmax_report::number::digits(rate))
                    }
                    Peak::Vus(vus) => format!("up to {} virtual users", nmax_report::number::digits(vus)),
                };
                let names = nmax_run::request_names(&plan);
                api::Checked {
                    problems: warnings.into_iter().map(|text| problem((0, 0), text, "", true)).collect(),
                    summary: Some(api::PlanSummary {
                        target: plan.redactor.url(&plan.target),
                        workload,
                        duration_s: forecast.duration.map(|duration| duration.as_secs_f64()),
                        requests: names,
                    }),
                }
            }
            Err(error) => api::Checked { problems: problems(&error), summary: None },
        }
    }
}

fn problem((line, column): (u32, u32), text: impl Into<String>, help: &str, is_warning: bool) -> api::Problem {
    api::Problem { line, column, text: text.into(), help: help.to_owned(), is_warning }
}

/// What is wrong, with its place.
pub(crate) fn problems(error: &LoadError) -> Vec<api::Problem> {
    match error {
        LoadError::Document(errors) => {
            let of = |at: &Location| match at {
                Location::File { line, column, .. } => (*line, *column),
                Location::Flag(_) => (0, 0),
            };
            errors.iter().map(|error| problem(of(&error.at), error.message.clone(), &error.remedy, false)).collect()
        }
        LoadError::File(text) | LoadError::Usage(text) => {
            let (text, help) = text.split_once("\n  help: ").unwrap_or((text, ""));
            vec![problem((0, 0), text, help, false)]
        }
    }
}

/// What a text is about, by its keys.
fn kind(text: &str) -> api::PlanKind {
    let is_capacity = text.lines().any(|line| line.starts_with("capacity:"));
    if is_capacity { api::PlanKind::Capacity } else { api::PlanKind::Load }
}

/// Another one for another text.
fn etag(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref()[..12].iter().map(|byte| format!("{byte:02x}")).collect()
}
