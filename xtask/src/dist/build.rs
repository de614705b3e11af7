//! The programs, and what they write about themselves.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::facts::Facts;
use super::pack::File;
use crate::shell::{cargo, complain, succeed};

/// Shells with the names of their files. Zsh and Debian ask for these names.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "nmax.bash"),
    ("elvish", "nmax.elv"),
    ("fish", "nmax.fish"),
    ("powershell", "nmax.ps1"),
    ("zsh", "_nmax"),
];

/// Builds programs with the C library in them; [`path`] says where they are.
pub(super) fn programs(root: &Path, facts: &Facts, names: &[&str]) -> Result<(), String> {
    let mut args = vec!["build", "--locked", "--profile", &facts.profile, "--target", &facts.target];
    args.extend(names.iter().flat_map(|name| ["--package", name]));
    let shown = format!("cargo {}", args.join(" "));
    complain(&format!("== {shown}"));
    succeed(cargo().args(&args).env("CARGO_ENCODED_RUSTFLAGS", flags(root)).current_dir(root), &shown)
}

/// Where Cargo puts a program.
pub(super) fn path(root: &Path, facts: &Facts, name: &str) -> PathBuf {
    // The profile `dev` is the only one whose folder has another name.
    let folder = if facts.profile == "dev" { "debug" } else { &facts.profile };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    target.join(&facts.target).join(folder).join(name)
}

/// Static, and without the paths of this machine in messages of panics; each flag a word, whatever is in it.
fn flags(root: &Path) -> OsString {
    let given = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut words: Vec<OsString> = given.split_whitespace().map(OsString::from).collect();
    words.push("-Ctarget-feature=+crt-static".into());
    // A megabyte of relocations in a few kilobytes.
    words.push("-Clink-arg=-Wl,-z,pack-relative-relocs".into());
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home);
    for (place, name) in cargo.iter().map(|cargo| (cargo.as_path(), "cargo")).chain([(root, "nmax")]) {
        words.push(format!("--remap-path-prefix={}={name}", place.display()).into());
    }
    words.join("\u{1f}".as_ref())
}

/// The scripts of all shells.
pub(super) fn completions(program: &Path) -> Result<Vec<File>, String> {
    let script = |(shell, file): (&str, &str)| {
        // Called by its bare name, it writes that into the script.
        let output = Command::new(program).arg0("nmax").args(["completions", shell]).output();
        let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
        if !output.status.success() || output.stdout.is_empty() {
            return Err(format!("`nmax completions {shell}` failed: {}", output.status));
        }
        Ok(File { path: file.to_owned(), mode: 0o644, bytes: output.stdout })
    };
    SHELLS.into_iter().map(script).collect()
}

/// The manual pages.
pub(super) fn pages(root: &Path, program: &Path) -> Result<Vec<File>, String> {
    let folder = root.join("target/package-pages");
    super::emptied(&folder)?;
    succeed(Command::new(program).arg("man").arg(&folder), "nmax man")?;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut pages = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        pages.push(File { path: name, mode: 0o644, bytes: fs::read(&path).map_err(failed)? });
    }
    fs::remove_dir_all(&folder).map_err(failed)?;
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(pages)
}
