//! `nmax schema`: the committed schemas are those that the program prints, and what it prints is as they say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::bench::Bench;
use crate::schema::assert_schema;

/// Everything that `nmax schema` knows.
const KINDS: [&str; 27] = [
    "plan", "capacity", "capacity-plan", "capacity-day", "summary", "usl", "usl-predict", "usl-compare", "usl-what-if",
    "scale", "import-har", "import-log", "check", "once", "prove", "slice", "slices", "compare", "trend", "runs",
    "fidelity", "data-check", "doctor", "explain", "series", "openapi", "webhook",
];
/// Files of a run's directory, whose schemas are no answer of a command.
const FILES: [&str; 9] =
    ["manifest", "steered", "injector", "names", "windows", "failures", "resources", "rollup-resources", "events"];

/// With `UPDATE=1` they are written.
#[test]
fn committed_schemas_are_those_that_are_printed() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let file = |kind: &str| match kind {
        // The types of the page are made of it.
        "openapi" => folder.join("../../ui/openapi.json"),
        kind => folder.join(format!("{kind}.schema.json")),
    };
    for kind in KINDS {
        let printed = bench.nmax(&["schema", kind]).exits(0).stdout;
        if std::env::var_os("UPDATE").is_some() {
            fs::write(file(kind), &printed).unwrap();
        }
        let committed = fs::read_to_string(file(kind)).unwrap_or_default();
        assert_eq!(committed, printed, "{kind} is stale: run the tests with UPDATE=1");
    }
    let found = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let schemas = KINDS.into_iter().filter(|kind| *kind != "openapi");
    let known: BTreeSet<_> = schemas.chain(FILES).map(file).collect();
    assert_eq!(found.collect::<BTreeSet<_>>(), known, "each has a name, and no other is there");
    let all = bench.nmax(&["schema", "none"]).exits(2).says(&KINDS);
    let listed = all.stderr.split("possible values: ").nth(1).unwrap();
    let listed = listed.split(']').next().unwrap();
    assert_eq!(listed.split(", ").count(), KINDS.len(), "{listed}");
}

/// An answer that no other test asks for.
#[test]
fn what_explain_prints_is_as_its_schema_says() {
    let codes = Bench::new().nmax(&["explain", "--json"]).exits(0).json();
    assert_schema(&codes, "explain");
}

/// A schema that takes anything would be worth nothing.
#[test]
#[should_panic(expected = "codes[0].weight breaks enum")]
fn what_is_wrong_breaks_its_schema() {
    let mut codes = Bench::new().nmax(&["explain", "--json"]).exits(0).json();
    codes["codes"][0]["weight"] = "heavy".into();
    assert_schema(&codes, "explain");
}

/// The line of the README, as a reader pastes it: what the editor is told to read is there, and nmax still reads the plan.
#[test]
fn the_readme_connects_an_editor_to_the_schema() {
    let bench = Bench::new();
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with("target/release/nmax schema >")).expect("one line");
    bench.nmax(&["init", "shop.yaml"]).exits(0);
    bench.shell(&line.replace("target/release/nmax", "\"$NMAX\"")).exits(0);
    let plan = fs::read_to_string(bench.path("shop.yaml")).unwrap();
    let named = plan.lines().next().and_then(|line| line.strip_prefix("# yaml-language-server: $schema=")).unwrap();
    assert_eq!(fs::read(bench.path(named)).unwrap(), bench.nmax(&["schema"]).exits(0).stdout.into_bytes());
    bench.nmax(&["check", "shop.yaml", "--quick"]).exits(0);
}
