//! `names.json`: the names behind the ids of tags and windows, in order of id.

use std::path::Path;

use nmax_metrics::names::NAMES_MAX;
use nmax_metrics::{Catalog, Group, Names};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tag::Limits;
use crate::{Manifest, StoreError, files};

pub(crate) const FILE: &str = "names.json";

#[derive(Serialize, Deserialize)]
struct NamesFile {
    requests: Vec<String>,
    /// As in `scenarios`: names of a group; absent in directories of before it was there.
    #[serde(flatten)]
    groups: Map<String, Value>,
    /// Absent in directories of earlier versions.
    #[serde(default)]
    overflowed: Option<u64>,
}

/// How many names a catalog has.
pub(crate) fn limits(catalog: &Catalog) -> Limits {
    Limits { requests: catalog.requests.list().len(), groups: Group::ALL.map(|group| catalog.list(group).len()) }
}

/// Replaces the file as a whole.
pub(crate) fn write(directory: &Path, catalog: &Catalog) -> Result<(), StoreError> {
    let names = |group: Group| (group.plural().to_owned(), Value::from(catalog.list(group)));
    let groups = Group::ALL.into_iter().filter(|group| !group.is_optional() || !catalog.list(*group).is_empty());
    let file = NamesFile {
        requests: catalog.requests.list().to_vec(),
        groups: groups.map(names).collect(),
        overflowed: Some(catalog.requests.overflowed()),
    };
    let mut bytes = serde_json::to_vec_pretty(&file).expect("strings always become JSON");
    bytes.push(b'\n');
    files::write_whole(&directory.join(FILE), &bytes)
}

/// The catalog of a run; before its first window, the manifest knows all names there are.
pub(crate) fn read(directory: &Path, manifest: &Manifest) -> Result<Catalog, StoreError> {
    let path = directory.join(FILE);
    let bytes = match files::read_whole(&path) {
        Ok(bytes) => bytes,
        Err(StoreError::Missing { .. }) => {
            let (scenarios, checks) = (manifest.scenarios.clone(), manifest.checks.clone());
            return Ok(Catalog { requests: Names::default(), scenarios, checks, ..Catalog::default() });
        }
        Err(error) => return Err(error),
    };
    let mut file: NamesFile = serde_json::from_slice(&bytes)
        .map_err(|error| StoreError::damaged(&path, Some(error.line() as u64), error.to_string()))?;
    // What was not written is seen from the names: only the cap lets their number exceed it.
    let is_over = file.requests.len() > NAMES_MAX;
    let mut requests = Names::new(file.requests.len()).with_overflowed(file.overflowed.unwrap_or(u64::from(is_over)));
    for (index, name) in file.requests.iter().enumerate() {
        if requests.intern(name).0 as usize != index {
            return Err(StoreError::damaged(&path, None, format!("request name `{name}` is there twice")));
        }
    }
    let mut catalog = Catalog { requests, ..Catalog::default() };
    for group in Group::ALL {
        let names = file.groups.remove(group.plural()).unwrap_or_else(|| Value::Array(Vec::new()));
        *catalog.list_mut(group) = serde_json::from_value(names)
            .map_err(|error| StoreError::damaged(&path, None, format!("`{}`: {error}", group.plural())))?;
    }
    Ok(catalog)
}

/// Numbers for names where the file cannot be read, as many as the writer had by its last window.
pub(crate) fn numbered(manifest: &Manifest, length: impl Fn(Group) -> usize) -> Catalog {
    let mut catalog = Catalog { requests: Names::new(NAMES_MAX), ..Catalog::default() };
    (0..NAMES_MAX).for_each(|number| {
        catalog.requests.intern(&format!("request {number}"));
    });
    for group in Group::ALL {
        *catalog.list_mut(group) = (0..length(group)).map(|number| format!("{} {number}", group.name())).collect();
    }
    Catalog { scenarios: manifest.scenarios.clone(), checks: manifest.checks.clone(), ..catalog }
}
