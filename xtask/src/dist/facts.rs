//! What is packed: version, target, profile, and the one time that all files carry.

use std::path::Path;
use std::process::Command;

/// The profile of Cargo that users get. `DIST_PROFILE` chooses another, to try the packing with a program that is built sooner.
const PROFILE: &str = "dist";

/// What is said of a package.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// Of the workspace.
    pub(super) version: String,
    /// As in `x86_64-unknown-linux-gnu`.
    pub(super) target: String,
    /// As in `x86_64`.
    pub(super) arch: String,
    /// Of Cargo.
    pub(super) profile: String,
    /// Seconds since 1970: when the commit was made.
    pub(super) epoch: u64,
    /// As in `1.95.0`.
    pub(super) rustc: String,
    /// Version of the GNU C library, as in `2.36`.
    pub(super) libc: String,
}

impl Facts {
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let rustc = output(root, "rustc", &["-vV"])?;
        let line = |name: &str| rustc.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        let target = line("host: ").ok_or("`rustc -vV` names no host")?;
        let arch = target.strip_suffix("-unknown-linux-gnu").ok_or_else(|| {
            format!("packages are made on Linux with the GNU C library, and this is {target}; use another machine")
        })?;
        let epoch = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(text) => text,
            Err(_) => output(root, "git", &["log", "-1", "--format=%ct"])
                .map_err(|error| format!("{error}\nset SOURCE_DATE_EPOCH to seconds since 1970"))?,
        };
        let epoch =
            epoch.trim().parse().map_err(|_| format!("`{}` is not a number of seconds since 1970", epoch.trim()))?;
        let libc = output(root, "getconf", &["GNU_LIBC_VERSION"])?;
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            arch: arch.to_owned(),
            profile: std::env::var("DIST_PROFILE").unwrap_or_else(|_| PROFILE.to_owned()),
            epoch,
            rustc: line("release: ").ok_or("`rustc -vV` names no release")?,
            libc: libc.trim().trim_start_matches("glibc ").to_owned(),
            target,
        })
    }

    /// Whether the program must come without symbols.
    pub(super) fn is_stripped(&self) -> bool {
        self.profile == PROFILE
    }

    /// Debian's name of the architecture.
    pub(super) fn deb_arch(&self) -> Result<&'static str, String> {
        match self.arch.as_str() {
            "x86_64" => Ok("amd64"),
            "aarch64" => Ok("arm64"),
            other => Err(format!("no Debian package is made for {other}; add its name in xtask/src/dist/facts.rs")),
        }
    }

    /// The version as Debian sorts it: what comes before a release is marked by `~`.
    pub(super) fn deb_version(&self) -> String {
        self.version.replacen('-', "~", 1)
    }

    /// The time as in `2026-01-31T12:00:05Z`.
    pub(super) fn stamp(&self) -> String {
        let instant = i64::try_from(self.epoch).ok().and_then(|second| jiff::Timestamp::from_second(second).ok());
        instant.unwrap_or_default().to_string()
    }
}

/// What a command prints.
pub(super) fn output(root: &Path, command: &str, args: &[&str]) -> Result<String, String> {
    let shown = || format!("{command} {}", args.join(" "));
    let mut program = if command == "cargo" { crate::shell::cargo() } else { Command::new(command) };
    let output = program.args(args).current_dir(root).output();
    let output = output.map_err(|error| format!("`{}` did not start: {error}", shown()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed: {}\n{}", shown(), output.status, said.trim_end()));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{}` printed no text", shown()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_before_a_release_sort_before_it() {
        let facts = |version: &str| Facts {
            version: version.to_owned(),
            target: String::new(),
            arch: "aarch64".to_owned(),
            profile: PROFILE.to_owned(),
            epoch: 0,
            rustc: String::new(),
            libc: String::new(),
        };
        assert_eq!(facts("1.2.0-rc.1").deb_version(), "1.2.0~rc.1");
        assert_eq!(facts("1.2.0").deb_version(), "1.2.0");
        assert_eq!(facts("1.2.0").deb_arch(), Ok("arm64"));
    }
}
