//! The Debian package: the same files where Debian looks for them. It depends on nothing, since the program is static.

use super::facts::Facts;
use super::pack::{self, File};
use super::{BILL, LICENSES, Parts, SCHEMA};

/// Where completions go. Elvish and PowerShell load nothing by themselves.
const COMPLETIONS: [(&str, &str); 5] = [
    ("nmax.bash", "usr/share/bash-completion/completions/nmax"),
    ("_nmax", "usr/share/zsh/vendor-completions/_nmax"),
    ("nmax.fish", "usr/share/fish/vendor_completions.d/nmax.fish"),
    ("nmax.elv", "usr/share/nmax/completions/nmax.elv"),
    ("nmax.ps1", "usr/share/nmax/completions/nmax.ps1"),
];

/// The package's bytes.
pub(super) fn package(parts: &Parts, facts: &Facts) -> Result<Vec<u8>, String> {
    let files = files(parts)?;
    let size: usize = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    let control = File::data("./control", control(facts, size)?);
    let files: Vec<File> = files.into_iter().map(|file| file.below(".")).collect();
    let control = pack::gzip(&pack::tar(&[control], facts.epoch)?)?;
    let data = pack::gzip(&pack::tar(&files, facts.epoch)?)?;
    let members: [(&str, &[u8]); 3] =
        [("debian-binary", b"2.0\n"), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    Ok(pack::ar(&members, facts.epoch))
}

/// What is said of the package; `size` is in KiB.
fn control(facts: &Facts, size: usize) -> Result<String, String> {
    Ok(format!(
        "Package: nmax\n\
         Version: {}\n\
         Architecture: {}\n\
         Maintainer: nmax maintainers <maintainers@nmax.invalid>\n\
         Installed-Size: {size}\n\
         Recommends: ca-certificates\n\
         Section: web\n\
         Priority: optional\n\
         Description: load-testing instrument whose numbers can be believed\n \
         nmax puts an exact load on an HTTP server, measures it from the user's side\n \
         and judges whether its own numbers may be believed. It finds the load at\n \
         which a system does most, watches servers meanwhile, and compares runs.\n",
        facts.deb_version(),
        facts.deb_arch()?
    ))
}

/// The files with their places, without the first `/`.
fn files(parts: &Parts) -> Result<Vec<File>, String> {
    let at = |path: String, file: &File| File { path, ..file.clone() };
    let packed =
        |path: String, file: &File| Ok::<_, String>(File { path, mode: 0o644, bytes: pack::gzip(&file.bytes)? });
    let mut files: Vec<File> = parts.programs.iter().map(|file| at(format!("usr/bin/{}", file.path), file)).collect();
    for file in &parts.completions {
        let place = COMPLETIONS.iter().find(|(name, _)| *name == file.path);
        let (_, place) = place.ok_or_else(|| format!("{}: no place in a Debian package; give it one", file.path))?;
        files.push(at((*place).to_owned(), file));
    }
    for page in &parts.pages {
        files.push(packed(format!("usr/share/man/man1/{}.gz", page.path), page)?);
    }
    let documents = "usr/share/doc/nmax";
    files.push(File::data(&format!("{documents}/copyright"), COPYRIGHT));
    files.push(packed(format!("{documents}/changelog.gz"), parts.document("CHANGELOG.md")?)?);
    files.push(packed(format!("{documents}/{LICENSES}.gz"), parts.document(LICENSES)?)?);
    files.push(packed(format!("{documents}/{BILL}.gz"), parts.document(BILL)?)?);
    files.push(at(format!("usr/share/nmax/{SCHEMA}"), parts.document(SCHEMA)?));
    Ok(files)
}

/// Debian has the text of the license itself.
const COPYRIGHT: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: nmax

Files: *
Copyright: the authors of nmax
License: Apache-2.0
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
Comment:
 The program contains crates and the GNU C Library. Their licenses are in
 /usr/share/doc/nmax/THIRD-PARTY-LICENSES.gz.
";

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn facts() -> Facts {
        Facts {
            version: "1.2.0-rc.1".to_owned(),
            target: "x86_64-unknown-linux-gnu".to_owned(),
            arch: "x86_64".to_owned(),
            profile: "dist".to_owned(),
            epoch: 951_782_400,
            rustc: "1.90.0".to_owned(),
            libc: "2.36".to_owned(),
        }
    }

    fn parts() -> Parts {
        let documents = ["CHANGELOG.md", LICENSES, BILL, SCHEMA];
        Parts {
            programs: vec![File { path: "nmax".to_owned(), mode: 0o755, bytes: b"#!/bin/sh\n".to_vec() }],
            completions: COMPLETIONS.iter().map(|(name, _)| File::data(name, "script\n")).collect(),
            pages: vec![File::data("nmax.1", ".TH NMAX 1\n")],
            documents: documents.iter().map(|name| File::data(name, "text\n")).collect(),
        }
    }

    #[test]
    fn dpkg_reads_the_package() {
        let package = package(&parts(), &facts()).unwrap();
        assert_eq!(package, super::package(&parts(), &facts()).unwrap(), "the same each time");
        let path = std::env::temp_dir().join(format!("nmax-xtask-{}.deb", std::process::id()));
        std::fs::write(&path, package).unwrap();
        let told = |args: &[&str]| {
            let output = Command::new("dpkg-deb").args(args).arg(&path).env("TZ", "UTC").env("LC_ALL", "C").output();
            // A machine without it cannot judge.
            let output = output.ok()?;
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap())
        };
        let said = told(&["--field"]).zip(told(&["--contents"]));
        let _ = std::fs::remove_file(&path);
        let Some((fields, contents)) = said else {
            return eprintln!("SKIPPED: dpkg-deb is not installed");
        };
        for field in ["Package: nmax\n", "Version: 1.2.0~rc.1\n", "Architecture: amd64\n"] {
            assert!(fields.contains(field), "{field}: {fields}");
        }
        assert!(!fields.contains("Depends:"), "{fields}");
        for line in [
            "-rwxr-xr-x root/root        10 2000-02-29 00:00 ./usr/bin/nmax\n",
            "drwxr-xr-x root/root         0 2000-02-29 00:00 ./usr/share/man/man1/\n",
            "./usr/share/man/man1/nmax.1.gz\n",
            "./usr/share/bash-completion/completions/nmax\n",
            "./usr/share/zsh/vendor-completions/_nmax\n",
            "./usr/share/fish/vendor_completions.d/nmax.fish\n",
            "./usr/share/doc/nmax/copyright\n",
        ] {
            assert!(contents.contains(line), "{line}: {contents}");
        }
    }

    #[test]
    fn every_completion_has_a_place() {
        let mut parts = parts();
        parts.completions.push(File::data("nmax.tcsh", ""));
        assert!(files(&parts).unwrap_err().starts_with("nmax.tcsh: no place"));
    }
}
