//! Measurements from a file, standard input, or the directory of a scale.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;

use nmax_usl::Dimension;
use nmax_usl::table::{self, ColumnSelection, Table, Wanted};

use super::Trouble;
use crate::args::ReadArgs;
use crate::say;

/// What was read, and from where.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) table: Table,
    /// Think time Z that a scale has written beside its measurements, seconds.
    pub(super) think_s: Option<f64>,
    /// Where it was read: the file, or `standard input`.
    pub(super) name: String,
}

/// Reads measurements.
pub(super) fn read(file: &Path, args: &ReadArgs) -> Result<Measured, Trouble> {
    if file == Path::new("-") {
        if std::io::stdin().is_terminal() {
            say::note("reading measurements from standard input; end them with Ctrl-D");
        }
        return parse(std::io::stdin().lock(), "standard input".into(), args);
    }
    let inner = file.join(POINTS);
    let is_directory = file.is_dir();
    let path = if is_directory { inner.as_path() } else { file };
    let opened = File::open(path).map_err(|error| match is_directory {
        true => no_points(file),
        false => Trouble::usage(
            format!("{}: cannot read: {error}", file.display()),
            "give a CSV file with a row for each run, the directory of a scale, or `-` for standard input",
        ),
    })?;
    let reader = BufReader::with_capacity(1 << 17, opened);
    let mut measured = parse(reader, path.display().to_string(), args)?;
    if is_directory && let Some(scale) = scale_of(file) {
        let stored = Dimension::ALL.into_iter().find(|dimension| scale["dimension"] == dimension.name());
        if let Some(dimension) = args.dimension.or(stored) {
            measured.table.dimension = dimension;
        }
        measured.think_s = scale["think_ms"].as_f64().map(|ms| ms / 1e3).filter(|think_s| *think_s > 0.0);
        measured.table.notes.extend(one_of_many(&scale));
    }
    Ok(measured)
}

/// The file of a scale that has its measurements.
const POINTS: &str = "points.csv";

/// A directory that is no scale.
fn no_points(directory: &Path) -> Trouble {
    let name = directory.display();
    if directory.join("manifest.json").exists() {
        let help = "give the directory of a scale: `nmax scale` measures several loads";
        return Trouble::usage(format!("{name}: this is a single run, at one load"), help);
    }
    let help = "give the directory of a scale, or a CSV file with a row for each run";
    Trouble::usage(format!("{name}: this directory has no {POINTS}"), help)
}

/// What the scale has written beside its measurements: what N counts, and the think time.
fn scale_of(directory: &Path) -> Option<serde_json::Value> {
    let text = std::fs::read_to_string(directory.join("scale.json")).ok()?;
    serde_json::from_str(&text).ok()
}

/// With a second axis every value has a law of its own, and the measurements of a directory are those of the first.
fn one_of_many(scale: &serde_json::Value) -> Option<String> {
    let versions = scale["versions"].as_array()?;
    let names: Vec<&str> = versions.iter().filter_map(|version| version["name"].as_str()).collect();
    let (first, others) = names.split_first()?;
    if others.is_empty() {
        return None;
    }
    Some(format!(
        "{POINTS} is that of {first}; give a file points-VALUE.csv of this directory for {}",
        others.join(", ")
    ))
}

/// Reads a table.
fn parse(input: impl BufRead, name: String, args: &ReadArgs) -> Result<Measured, Trouble> {
    let wanted = Wanted {
        columns: ColumnSelection { n: args.n.as_deref(), x: args.x.as_deref(), r: args.r.as_deref() },
        rows: args.rows.as_ref(),
    };
    let read = table::read(input, &wanted);
    let mut table = read.map_err(|error| Trouble::usage(format!("{name}: {}", error.text), error.help))?;
    if let Some(dimension) = args.dimension {
        table.dimension = dimension;
    }
    for note in &mut table.notes {
        *note = format!("{name}: {note}");
    }
    Ok(Measured { table, think_s: None, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid has several laws; which one a directory stands for is said.
    #[test]
    fn the_value_that_a_directory_stands_for_is_said() {
        let note = one_of_many(&serde_json::json!({ "versions": [{ "name": "size=s" }, { "name": "size=l" }] }));
        let note = note.expect("two laws");
        assert!(note.starts_with("points.csv is that of size=s;") && note.ends_with("for size=l"), "{note}");
        assert_eq!(one_of_many(&serde_json::json!({ "versions": [] })), None);
        assert_eq!(one_of_many(&serde_json::json!({})), None);
    }
}
