//! A plan with everything that it names, as one text for the way to injectors: a line of JSON, the plan, the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use nmax_extract::{Extractor, tag};
use nmax_plan::document::write::to_yaml;
use nmax_plan::document::{self, Options};
use nmax_plan::plan::{Feeder, Plan, Rows};
use nmax_text::csv::in_quotes;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Most bytes of a plan and its files together.
pub const BYTES_MAX: usize = 256 << 20;

/// SHA-256 of bytes, hex.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Packs a plan, secrets included, with the files that it names. What is observed stays: the manager watches it.
///
/// # Errors
/// Which file cannot be read.
pub fn pack(plan: &Plan) -> Result<Vec<u8>, String> {
    let mut plan = plan.clone();
    plan.observe.clear();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    plan.change_files(&mut |name| {
        let number = names.len();
        *name = names.entry(name.clone()).or_insert_with(|| format!("file-{number}")).clone();
    });
    let (mut files, mut contents) = (Vec::new(), Vec::new());
    let mut add = |name: &str, bytes: Vec<u8>| {
        files.push(json!([name, bytes.len()]));
        contents.push(bytes);
    };
    for (number, feeder) in plan.feeders.iter_mut().enumerate() {
        let rows = table(feeder);
        if let Rows::File { file, .. } = &mut feeder.rows {
            *file = format!("data-{number}");
            add(file, rows);
        }
    }
    for (path, name) in &names {
        let bytes = fs::read(path).map_err(|error| format!("{path}: cannot be sent to injectors: {error}"))?;
        add(name, bytes);
    }
    let text = to_yaml(&plan);
    let head = json!({ "plan": text.len(), "files": files });
    let bytes = [format!("{head}\n{text}").into_bytes(), contents.concat()].concat();
    if bytes.len() > BYTES_MAX {
        return Err(format!("plan and files have {} bytes, and {BYTES_MAX} are sent at most", bytes.len()));
    }
    Ok(bytes)
}

/// The rows of a data source that came from a file, as CSV.
fn table(feeder: &Feeder) -> Vec<u8> {
    if !matches!(feeder.rows, Rows::File { .. }) {
        return Vec::new();
    }
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(feeder.columns.iter().map(|column| in_quotes(column)).collect());
    for row in 0..feeder.row_count() {
        text += &line((0..feeder.columns.len()).map(|column| in_quotes(&feeder.cell(0, row, column))).collect());
    }
    text.into_bytes()
}

/// Unpacks a plan; its files are written into `folder`.
///
/// # Errors
/// What is wrong with it.
pub fn unpack(bytes: &[u8], folder: &Path) -> Result<Plan, String> {
    let parts = parts(bytes).ok_or("plan and files are damaged")?;
    let files = parts.files;
    for (name, content) in &files {
        let file = folder.join(name);
        fs::write(&file, content).map_err(|error| format!("{}: cannot write: {error}", file.display()))?;
    }
    let missing = |name: &str| format!("{name} did not come with the plan");
    let read = |name: &str| {
        let bytes = files.get(name).ok_or_else(|| missing(name))?;
        String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())
    };
    let exists = |name: &str| files.get(name).map(|bytes| bytes.len() as u64).ok_or_else(|| missing(name));
    let check_source = |source: &_| Extractor::new(source).map(|_| ());
    let options = Options {
        read: &read,
        exists: &exists,
        check_source: &check_source,
        ..Options::standalone("the plan of the run")
    };
    let mut plan = document::parse(parts.plan, &options).map_err(|errors| crate::load::every(&errors))?;
    plan.change_files(&mut |name| *name = folder.join(&*name).display().to_string());
    tag(&mut plan);
    Ok(plan)
}

struct Parts<'a> {
    plan: &'a str,
    files: BTreeMap<String, Arc<[u8]>>,
}

fn parts(bytes: &[u8]) -> Option<Parts<'_>> {
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let head: Value = serde_json::from_slice(&bytes[..line]).ok()?;
    let length = |value: &Value| value.as_u64().and_then(|length| usize::try_from(length).ok());
    let (plan, mut rest) = bytes[line + 1..].split_at_checked(length(&head["plan"])?)?;
    let mut files = BTreeMap::new();
    for file in head["files"].as_array()? {
        let name = file[0]
            .as_str()
            .filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))?;
        let (content, left) = rest.split_at_checked(length(&file[1])?)?;
        files.insert(name.to_owned(), content.into());
        rest = left;
    }
    rest.is_empty().then_some(Parts { plan: std::str::from_utf8(plan).ok()?, files })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::load::{Changes, plan_of_file};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("nmax-bundle-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// A plan with its data, bodies and secrets is the same on the other side.
    #[test]
    fn a_plan_arrives_with_its_files_and_secrets() {
        let (from, to) = (folder("from"), folder("to"));
        fs::write(from.join("people.csv"), "name,mail\nann,\"a, \"\"b\"\"\"\nbob,b@h.test\n").unwrap();
        fs::write(from.join("body.bin"), [0, 159, 146, 150, b'\n']).unwrap();
        let text = "nmax: 1\ntarget: http://127.0.0.1:9\nsecrets: { key: \"${env.NMAX_BUNDLE_KEY}\" }\n\
                    data: { people: { csv: people.csv } }\nscenarios: { a: { steps: [\n\
                    { get: \"/${people.name}\", headers: { authorization: \"Bearer ${env.NMAX_BUNDLE_KEY}\" } },\n\
                    { post: /b, file: body.bin } ] } }\nworkload: { open: { rate: 5/s } }\nduration: 3s\n";
        let text = text.replace("secrets: { key: \"${env.NMAX_BUNDLE_KEY}\" }\n", "");
        fs::write(from.join("plan.yaml"), text).unwrap();
        let changes = Changes { env: vec![("NMAX_BUNDLE_KEY".into(), "s3cret-value".into())], ..Changes::default() };
        let plan = plan_of_file(&from.join("plan.yaml"), &changes).unwrap();
        let bytes = pack(&plan).unwrap();
        assert_eq!(hash(&bytes), hash(&pack(&plan).unwrap()), "the hash is that of plan and files");
        let arrived = unpack(&bytes, &to).unwrap();
        let flat = |plan: &Plan| {
            let mut plan = plan.clone();
            plan.change_files(&mut |name| *name = String::new());
            for feeder in &mut plan.feeders {
                if let Rows::File { file, .. } = &mut feeder.rows {
                    file.clear();
                }
            }
            to_yaml(&plan)
        };
        assert_eq!(flat(&arrived), flat(&plan));
        assert!(to_yaml(&arrived).contains("s3cret-value"), "secrets travel");
        let cells =
            |plan: &Plan| [0, 1].map(|row| [0, 1].map(|column| plan.feeders[0].cell(1, row, column).into_owned()));
        assert_eq!(cells(&arrived), cells(&plan));
        let mut files = Vec::new();
        arrived.clone().change_files(&mut |name| files.push(name.clone()));
        assert!(files.iter().any(|file| fs::read(file).unwrap() == [0, 159, 146, 150, b'\n']), "{files:?}");
        for cut in [0, 5, bytes.len() / 2, bytes.len() - 1] {
            assert!(unpack(&bytes[..cut], &to).is_err());
        }
        fs::remove_file(from.join("body.bin")).unwrap();
        assert!(pack(&plan).unwrap_err().contains("body.bin"));
        for folder in [from, to] {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}
