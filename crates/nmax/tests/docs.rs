//! The reference pages and the examples agree with the program. `UPDATE=1 cargo test -p nmax --test docs` writes the
//! pages again.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nmax_sources::{figures, kinds, said};
use serde_json::Value;

/// Around the generated tables of `docs/reference/plan.md`.
const TABLES: (&str, &str) = ("<!-- keys: written by crates/nmax/tests/docs.rs -->\n", "<!-- end of keys -->\n");

fn page(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

#[track_caller]
fn check(name: &str, want: &str) {
    let path = page(name);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, want).unwrap();
    }
    let have = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        have == want,
        "docs/{name} is not what the program says; `UPDATE=1 cargo test -p nmax --test docs` writes it again"
    );
}

/// What `nmax ARGUMENTS --help` prints, 100 columns wide.
fn help(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_nmax"))
        .args(arguments)
        .arg("--help")
        .env("COLUMNS", "100")
        .env_remove("NMAX_RUNS_DIR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The commands that the help lists.
fn verbs(help: &str) -> Vec<&str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_once(' '))
        .map(|(verb, _)| verb)
        .filter(|verb| !["", "help"].contains(verb))
        .collect()
}

#[test]
fn the_command_reference_is_what_help_prints() {
    let whole = help(&[]);
    let mut text = String::from(
        "# Commands\n\nWhat `nmax VERB --help` prints, written by `crates/nmax/tests/docs.rs`. Results go to standard output, \
         progress to standard\nerror. `NO_COLOR` turns colors off; `COLUMNS` says how wide lines may be, from 20 on.\n",
    );
    write!(text, "\n## nmax\n\n```text\n{whole}```\n").unwrap();
    let verbs = verbs(&whole);
    assert!(verbs.contains(&"run"), "{verbs:?}");
    for verb in verbs {
        let of_verb = help(&[verb]);
        write!(text, "\n## nmax {verb}\n\n```text\n{of_verb}```\n").unwrap();
        for inner in self::verbs(&of_verb) {
            write!(text, "\n## nmax {verb} {inner}\n\n```text\n{}```\n", help(&[verb, inner])).unwrap();
        }
    }
    check("reference/cli.md", &text);
}

#[test]
fn the_plan_reference_names_every_key() {
    let schema = nmax_plan::document::schema();
    check("schema/plan.schema.json", &format!("{}\n", serde_json::to_string_pretty(&schema).unwrap()));
    let mut tables = String::new();
    let mut seen = Vec::new();
    table("The plan", &schema, &mut tables, &mut seen);
    for (name, schema) in schema["$defs"].as_object().unwrap() {
        let mut maps = Vec::new();
        maps_of(name, schema, &mut maps);
        for (path, schema) in maps {
            table(&format!("`{path}`"), schema, &mut tables, &mut seen);
        }
    }
    let text = fs::read_to_string(page("reference/plan.md")).unwrap();
    let (head, rest) = text.split_once(TABLES.0).expect("the page has a place for the tables");
    let (_, tail) = rest.split_once(TABLES.1).expect("the place for the tables ends");
    check("reference/plan.md", &format!("{head}{}{tables}{}{tail}", TABLES.0, TABLES.1));
}

#[test]
fn the_capacity_reference_names_every_key() {
    let (mut tables, mut seen) = (String::new(), Vec::new());
    table("The document", &nmax_capacity::schema(), &mut tables, &mut seen);
    let text = fs::read_to_string(page("reference/capacity.md")).unwrap();
    check("reference/capacity.md", &with_part(&text, "keys", &tables));
}

/// What stands in the place of a part of a page that is written here.
fn with_part(text: &str, name: &str, part: &str) -> String {
    let (begin, end) =
        (format!("<!-- {name}: written by crates/nmax/tests/docs.rs -->\n"), format!("<!-- end of {name} -->\n"));
    let (head, rest) = text.split_once(&begin).expect("the page has a place for it");
    let (_, tail) = rest.split_once(&end).expect("the place ends");
    format!("{head}{begin}{part}{end}{tail}")
}

#[test]
fn the_source_reference_has_both_tables() {
    let quoted = |names: Vec<&str>| match names.is_empty() {
        true => String::new(),
        false => format!("`{}`", names.join("`, `")),
    };
    let mut kinds = "| kind | what and where | keys | says |\n|---|---|---|---|\n".to_owned();
    for kind in kinds::ALL {
        let keys = quoted(kind.keys.iter().map(|key| key.name).collect());
        writeln!(kinds, "| `{}` | {} | {keys} | {} |", kind.word, kind.about, quoted(said::of_kind(kind))).unwrap();
    }
    let mut figures = "| figure | unit | kind | meaning | of |\n|---|---|---|---|---|\n".to_owned();
    for figure in figures::ALL {
        let (unit, kind) = (figure.unit.name(), figure.kind.name());
        let of = quoted(said::parts(*figure));
        writeln!(figures, "| `{}` | {unit} | {kind} | {} | {of} |", figure.name, figure.about).unwrap();
    }
    let text = fs::read_to_string(page("reference/sources.md")).unwrap();
    check("reference/sources.md", &with_part(&with_part(&text, "kinds", &kinds), "figures", &figures));
}

#[test]
fn the_metrics_reference_has_every_metric() {
    let mut table = "| metric | unit | kind | attributes | meaning |\n|---|---|---|---|---|\n".to_owned();
    for metric in nmax_export::metric::ALL {
        let attributes = metric.attributes.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let (name, in_prometheus, kind) = (metric.name, metric.prometheus_name(), metric.kind.word());
        let row =
            format!("| `{name}`<br>`{in_prometheus}` | {} | {kind} | {attributes} | {} |", metric.unit, metric.about);
        writeln!(table, "{row}").unwrap();
    }
    let text = fs::read_to_string(page("reference/metrics.md")).unwrap();
    check("reference/metrics.md", &with_part(&text, "metrics", &table));
}

/// The keys of a map, then those of the maps inside it; keys that were listed already are referred to.
fn table<'a>(heading: &str, schema: &'a Value, text: &mut String, seen: &mut Vec<(String, &'a Value)>) {
    write!(text, "\n### {heading}\n\n").unwrap();
    let properties = &schema["properties"];
    if let Some((known, _)) = seen.iter().find(|(_, keys)| *keys == properties) {
        return writeln!(text, "As {known}.").unwrap();
    }
    seen.push((heading.to_owned(), properties));
    text.push_str("| key | meaning | values |\n|---|---|---|\n");
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut inner = Vec::new();
    for (key, value) in properties.as_object().unwrap() {
        let about = value["description"].as_str().unwrap();
        let about = if required.contains(&key.as_str()) { format!("{about} Required.") } else { about.to_owned() };
        let mut values = Vec::new();
        values_of(value, &mut values);
        writeln!(text, "| `{key}` | {about} | {} |", values.join(", ")).unwrap();
        let path =
            if heading.starts_with("The ") { key.clone() } else { format!("{}.{key}", heading.trim_matches('`')) };
        maps_of(&path, value, &mut inner);
    }
    for (path, schema) in inner {
        table(&format!("`{path}`"), schema, text, seen);
    }
}

/// The words and examples that a schema allows, and the tables that it refers to.
fn values_of(schema: &Value, values: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        values.push(format!("[{name}](#{name})"));
    }
    for word in ["enum", "examples"].iter().filter_map(|list| schema[*list].as_array()).flatten() {
        let word = match word {
            Value::String(word) => format!("`{}`", word.replace('|', "\\|")),
            _ => continue,
        };
        if !values.contains(&word) {
            values.push(word);
        }
    }
    let parts = schema["anyOf"].as_array().into_iter().flatten();
    parts.chain(schema.get("items")).for_each(|part| values_of(part, values));
}

/// The maps with fixed keys that a value holds, with their paths.
fn maps_of<'a>(path: &str, schema: &'a Value, maps: &mut Vec<(String, &'a Value)>) {
    if schema["properties"].is_object() {
        maps.push((path.to_owned(), schema));
    }
    if schema["additionalProperties"].is_object() {
        maps_of(&format!("{path}.NAME"), &schema["additionalProperties"], maps);
    }
    if let Some(items) = schema.get("items") {
        maps_of(&format!("{path}[]"), items, maps);
    }
    for part in schema["anyOf"].as_array().into_iter().flatten() {
        let known = maps.len();
        maps_of(path, part, maps);
        // One value or a list of them: the same keys twice.
        maps.truncate(known + 1);
    }
    maps.dedup_by(|b, a| b.1["properties"] == a.1["properties"]);
}

/// The shop on a free port, stopped with this value.
struct Shop {
    process: Child,
    address: String,
}

impl Shop {
    fn open() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_nmax"))
            .args(["target", "--shop", "--for-time", "10m"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        Self { process, address }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn one_iteration_of_each_example_is_ok() {
    let shop = Shop::open();
    for plan in ["open.yaml", "closed.yaml"] {
        let output = Command::new(env!("CARGO_BIN_EXE_nmax"))
            .args(["check", "--once", "--target", &shop.address])
            .arg(page("../examples/shop").join(plan))
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{plan}: {printed}");
    }
}
