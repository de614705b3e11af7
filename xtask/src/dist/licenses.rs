//! The licenses of what others wrote and nmax contains: each text once, below the crates that come with it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::facts::Facts;
use super::linked::Crate;

/// License of the C library, which is linked in.
const LGPL: &str = include_str!("LGPL-2.1.txt");
/// License of the fonts of PDF reports.
const FONTS: &str = include_str!("../../../crates/nmax-report/src/pdf/fonts/LICENSE");
/// How files of licenses are called, in capitals.
const NAMES: [&str; 7] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE", "PATENTS"];
/// Folders that are in no program.
const SKIPPED: [&str; 5] = ["tests", "benches", "examples", "target", ".git"];
/// Folders below a crate's that are looked into: crates carry code of others with its license.
const DEPTH_MAX: usize = 4;
/// No license is longer.
const BYTES_MAX: u64 = 1 << 20;

/// The whole page.
pub(super) fn text(crates: &[Crate], facts: &Facts) -> Result<String, String> {
    let others: Vec<&Crate> = crates.iter().filter(|one| !one.is_own).collect();
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for one in &others {
        let mut found = Vec::new();
        collect(&one.folder, "", DEPTH_MAX, &mut found)?;
        if found.is_empty() {
            without.push(format!("{} {}", one.name, one.version));
        }
        for (file, text) in found {
            texts.entry(text).or_default().push(format!("{} {} ({file})", one.name, one.version));
        }
    }
    let mut page = head(facts);
    let _ = writeln!(page, "CRATES\n");
    others.iter().for_each(|one| page.push_str(&row(one)));
    if !without.is_empty() {
        let _ = write!(
            page,
            "\nThe packages of these crates hold no license file; the expression above is theirs:\n  {}\n",
            without.join("\n  ")
        );
    }
    let mut groups: Vec<(Vec<String>, String)> = texts.into_iter().map(|(text, users)| (users, text)).collect();
    groups.push((vec![format!("GNU C Library {}", facts.libc)], tidied(LGPL)));
    groups.push((vec!["DejaVu fonts 2.37".to_owned()], tidied(FONTS)));
    groups.sort();
    for (users, text) in groups {
        let _ = write!(page, "\n{}\n{}\n\n{text}\n", "=".repeat(80), users.join("\n"));
    }
    Ok(page)
}

fn head(facts: &Facts) -> String {
    let Facts { version, target, rustc, libc, .. } = facts;
    format!(
        "THIRD-PARTY LICENSES OF nmax {version} ({target})\n\n\
         nmax itself is under the Apache License 2.0, see LICENSE. It contains the crates below, and:\n\n\
         \x20 Rust standard library {rustc}, MIT OR Apache-2.0, https://github.com/rust-lang/rust\n\
         \x20 GNU C Library {libc}, LGPL-2.1-or-later, https://sourceware.org/glibc/\n\
         \x20 DejaVu fonts 2.37, Bitstream Vera license, https://dejavu-fonts.github.io/\n\
         \x20 libgcc, GPL-3.0-or-later WITH GCC-exception-3.1, https://gcc.gnu.org/\n\n\
         The C library is linked statically. You may link nmax with another version of it: build nmax from its sources\n\
         with `make dist`, or with `make build`, which links it dynamically.\n\n"
    )
}

fn row(one: &Crate) -> String {
    let license = one.license.as_deref().unwrap_or("see its license file");
    let mut row = format!("  {} {}, {license}", one.name, one.version);
    if let Some(repository) = &one.repository {
        let _ = write!(row, ", {repository}");
    }
    if !one.authors.is_empty() {
        let _ = write!(row, "\n    by {}", one.authors.join(", "));
    }
    row.push('\n');
    row
}

/// Files of licenses with their paths, in order.
fn collect(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<(String, String)>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        entries.push((entry.file_name().to_string_lossy().into_owned(), entry));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, entry) in entries {
        let facts = entry.metadata().map_err(failed)?;
        if facts.is_dir() && depth > 0 && !SKIPPED.contains(&name.as_str()) {
            collect(&entry.path(), &format!("{prefix}{name}/"), depth - 1, found)?;
        } else if facts.is_file() && facts.len() <= BYTES_MAX && is_license(&name) {
            let bytes = fs::read(entry.path()).map_err(failed)?;
            found.push((format!("{prefix}{name}"), tidied(&String::from_utf8_lossy(&bytes))));
        }
    }
    Ok(())
}

/// `license-mit.rs` is code.
fn is_license(name: &str) -> bool {
    let is_code = [".rs", ".toml", ".html", ".spdx"].iter().any(|ending| name.ends_with(ending));
    !is_code && NAMES.iter().any(|known| name.to_uppercase().starts_with(known))
}

/// Equal texts differ in spaces at the end of lines.
fn tidied(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::root;

    #[test]
    fn files_of_licenses_are_known_by_their_names() {
        for name in [
            "LICENSE", "LICENSE-MIT", "license.txt", "COPYING", "NOTICE.md", "UNLICENSE",
            "LICENSE-APACHE-2.0_WITH_LLVM",
        ] {
            assert!(is_license(name), "{name}");
        }
        for name in ["licenses.rs", "README.md", "license.toml", "Cargo.toml"] {
            assert!(!is_license(name), "{name}");
        }
    }

    #[test]
    fn equal_texts_are_one() {
        assert_eq!(tidied("MIT  \r\n\r\ntext\n\n"), tidied("\u{feff}MIT\n\ntext"));
    }

    /// This repository as a crate with a license, its folder of sources as one without.
    #[test]
    fn every_crate_is_named_with_its_text_or_without() {
        let one = |name: &str, folder: &str, is_own| Crate {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: Some("Apache-2.0".to_owned()),
            authors: vec!["somebody".to_owned()],
            folder: root().join(folder),
            is_own,
            ..Crate::default()
        };
        let facts = Facts {
            version: "9.9.9".to_owned(),
            target: "x".to_owned(),
            arch: "x".to_owned(),
            profile: "dist".to_owned(),
            epoch: 0,
            rustc: "1.90.0".to_owned(),
            libc: "2.36".to_owned(),
        };
        let crates =
            [one("bare", "xtask/src/tidy", false), one("own", "xtask", true), one("with", "xtask/src/dist", false)];
        let page = text(&crates, &facts).unwrap();
        assert!(page.contains("hold no license file; the expression above is theirs:\n  bare 1.0.0\n"), "{page}");
        assert!(page.contains("  bare 1.0.0, Apache-2.0\n    by somebody\n"), "{page}");
        assert!(!page.contains("own 1.0.0"));
        assert!(page.contains("GNU C Library 2.36\n\n") && page.contains("GNU LESSER GENERAL PUBLIC LICENSE"));
        assert!(page.contains("DejaVu fonts 2.37\n\n") && page.contains("Bitstream Vera Fonts Copyright"));
    }
}
