use std::path::PathBuf;

use super::*;
use crate::fixture::LongRun;
use crate::testing::{self, Scratch};

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn schemas_in_docs_are_fresh() {
    for (file, schema) in all() {
        let path = docs().join("schema").join(file);
        let want = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &want).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == want, "docs/schema/{file} is stale: run the tests with UPDATE=1");
    }
}

/// A file written by [`crate::RunWriter`] obeys its schema, line by line where `file` ends in `.jsonl`.
#[test]
fn real_files_obey_their_schemas() {
    let scratch = Scratch::new();
    let directory = testing::written_run(scratch.path());
    testing::steered().write(&directory).unwrap();
    let long = LongRun { seconds: 7_200, names: 2, rate_per_s: 2 };
    let mut writer = long.begin(scratch.path(), "").unwrap();
    (0..21).for_each(|second| long.second(&mut writer, &long.catalog(), second).unwrap());
    let injector = InjectorRecord { gaps: vec![crate::LostWindows { from: 1, to: 2 }], ..InjectorRecord::default() };
    writer.injectors(&Manifest::read(writer.path()).unwrap(), &[injector]).unwrap();
    let (rollup, injector) = (writer.path().join("rollup-10s"), writer.path().join("injectors/0"));
    let all = all().into_iter().map(|(name, schema)| match name.strip_prefix("rollup-") {
        Some(file) => (&rollup, file, schema),
        None if name == "injector.schema.json" => (&injector, name, schema),
        None => (&directory, name, schema),
    });
    for (directory, name, schema) in all.chain([(&rollup, "windows.schema.json", windows())]) {
        let base = name.strip_suffix(".schema.json").unwrap();
        let lines = directory.join(format!("{base}.jsonl"));
        let documents: Vec<Value> = if lines.exists() {
            let text = std::fs::read_to_string(&lines).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        } else {
            let text = std::fs::read_to_string(directory.join(format!("{base}.json"))).unwrap();
            vec![serde_json::from_str(&text).unwrap()]
        };
        assert!(!documents.is_empty(), "{base} has something to check");
        for document in documents {
            check(&schema, &document, base);
        }
    }
}

#[test]
fn the_checker_sees_what_is_wrong() {
    let schema = schema::<EventLine>("", "");
    for wrong in [json!({ "t": 1, "code": "A" }), json!({ "t": "1", "code": "A", "text": "" })] {
        assert!(std::panic::catch_unwind(|| check(&schema, &wrong, "event")).is_err(), "{wrong}");
    }
}

/// As much of JSON Schema as the schemas here use.
fn check(schema: &Value, value: &Value, at: &str) {
    if let Some(constant) = schema.get("const") {
        assert_eq!(value, constant, "{at}");
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        assert!(choices.contains(value), "{at}: {value}");
    }
    match schema.get("type") {
        Some(Value::String(kind)) => assert!(is_a(kind, value), "{at}: {value} is not a {kind}"),
        Some(Value::Array(kinds)) => {
            assert!(kinds.iter().any(|kind| is_a(kind.as_str().unwrap(), value)), "{at}: {value}");
        }
        _ => {}
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        values.iter().for_each(|value| check(items, value, &format!("{at}[]")));
    }
    let Some(object) = value.as_object() else { return };
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, value) in object {
        match (properties.get(key), schema.get("additionalProperties")) {
            (Some(schema), _) => check(schema, value, &format!("{at}.{key}")),
            (None, Some(schema)) if schema.is_object() => check(schema, value, &format!("{at}.{key}")),
            _ => panic!("{at}.{key} is not in the schema"),
        }
    }
    for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        assert!(object.contains_key(key.as_str().unwrap()), "{at} lacks {key}");
    }
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the checker does not know {other}"),
    }
}

/// Around the generated table of counters.
const TABLE: (&str, &str) =
    ("<!-- counters: written by crates/nmax-store/src/schema/tests.rs -->\n", "<!-- end of counters -->\n");

/// Every declared counter has a line in the reference.
#[test]
fn counters_in_the_reference_are_fresh() {
    let groups = Group::ALL.map(|group| (group.plural(), SHAPES.group(group)));
    let shapes = [("requests", &SHAPES.request)].into_iter().chain(groups).chain([("load", &SHAPES.load)]);
    let mut table = String::from("| of | field | meaning |\n|---|---|---|\n");
    for (of, shape) in shapes {
        for column in &shape.columns {
            let (name, about) = match column {
                Column::Count(counter) => (counter.name, counter.about),
                Column::Map { name, about } => (*name, *about),
            };
            let part = if column.part().is_empty() { String::new() } else { format!(", `{}`", column.part()) };
            table += &format!("| `{of}`{part} | `{name}` | {about} |\n");
        }
    }
    let path = docs().join("reference/run-directory.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once(TABLE.0).unwrap();
    let (_, tail) = rest.split_once(TABLE.1).unwrap();
    let want = format!("{head}{}{table}{}{tail}", TABLE.0, TABLE.1);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &want).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == want, "docs/reference/run-directory.md is stale: run the tests with UPDATE=1");
}

#[test]
fn the_reference_names_every_file_and_field() {
    let text = std::fs::read_to_string(docs().join("reference/run-directory.md")).unwrap();
    for (file, schema) in all() {
        let mut fields = Vec::new();
        fields_of(&schema, &mut fields);
        for field in fields {
            assert!(text.contains(&format!("`{field}`")), "docs/reference/run-directory.md lacks `{field}` of {file}");
        }
    }
    #[cfg(feature = "parquet")]
    for column in crate::samples::column_names() {
        assert!(text.contains(&format!("`{column}`")), "docs/reference/run-directory.md lacks column `{column}`");
    }
}

fn fields_of(schema: &Value, fields: &mut Vec<String>) {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        fields.push(name.clone());
        fields_of(property, fields);
        property.get("items").into_iter().for_each(|items| fields_of(items, fields));
    }
}
