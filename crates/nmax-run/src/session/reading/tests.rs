//! Stored directories read as they did: see `testdata/runs/PROVENANCE.md`.

use std::path::PathBuf;

use nmax_report::terminal::{Style, table};
use nmax_report::{csv, json};

/// The directories and what of them has a text beside it.
const STORED: [&str; 3] = ["everything", "planless", "cut-off"];

fn stored(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs").join(name)
}

#[test]
fn old_directories_read_as_before() {
    for name in STORED {
        let view = super::read(&stored(name)).unwrap().view;
        let style = Style { width: 100, wide: true, ..Style::default() };
        let texts = [
            ("txt", table(&view, style).to_string()),
            ("json", format!("{:#}\n", json::summary(&view))),
            ("csv", csv::requests(&view)),
        ];
        for (extension, text) in texts {
            let path = stored(&format!("{name}.{extension}"));
            if std::env::var_os("UPDATE").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
        }
    }
}
