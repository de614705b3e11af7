//! Files of real tools become plans that can be read.

use std::path::PathBuf;

use nmax_import::emit::File;
use nmax_import::options::{Resources, SecretsIn};
use nmax_import::{Options, convert, har};
use nmax_plan::document;
use nmax_plan::plan::Plan;

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "testdata", "har"].iter().collect()
}

fn read(plan: &str, files: &[File]) -> Plan {
    let find = |name: &str| files.iter().find(|file| file.name == name).ok_or_else(|| "no such file".to_owned());
    let options = document::Options {
        read: &|name| find(name).map(|file| String::from_utf8_lossy(&file.bytes).into_owned()),
        exists: &|name| find(name).map(|file| file.bytes.len() as u64),
        env: &|_| Some("value".to_owned()),
        check_source: &|source| nmax_extract::Extractor::new(source).map(|_| ()),
        ..document::Options::standalone("visit.yaml")
    };
    document::parse(plan, &options).unwrap_or_else(|errors| panic!("{errors:?}\n{plan}"))
}

#[test]
fn files_of_real_tools_become_plans() {
    let mut count = 0;
    for file in std::fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "har") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let recording = har::read(&std::fs::read(&path).unwrap(), &name).unwrap().recording;
        for (resources, secrets) in [
            (Resources::Recorded, SecretsIn::File),
            (Resources::Parsed, SecretsIn::Env),
            (Resources::None, SecretsIn::File),
        ] {
            let options = Options { resources, secrets, ..Options::default() };
            let made = convert(vec![recording.clone()], &options);
            let plan = read(&made.plan, &made.files);
            assert_eq!(plan.scenarios[0].calls().count(), made.summary.steps, "{name}");
            assert!(made.summary.steps > 0, "{name}: {:?}", made.summary);
            let evidence: serde_json::Value = serde_json::from_str(&made.evidence).unwrap();
            assert_eq!(evidence["steps"].as_array().unwrap().len(), made.summary.steps, "{name}");
        }
        count += 1;
    }
    assert!(count >= 5, "only {count} files in {}", folder().display());
}
