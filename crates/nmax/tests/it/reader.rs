//! Somebody who follows a page of the documentation: types its commands, and clicks where the page says so.
//!
//! Where a reader clicks, a script drives a real Chromium: the recorder finds it under the name `chromium`.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{ChildStdin, Command};

use crate::bench::{Bench, Job, until};
use crate::record_story::{browser_tests, chromium};

/// What stands between two fences.
pub(crate) struct Block {
    /// The words after the opening fence.
    pub(crate) kind: String,
    pub(crate) text: String,
}

/// All blocks of a page, in their order.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    // Every other part is inside of fences.
    let inside = page.split("\n```").skip(1).step_by(2);
    inside
        .map(|part| {
            let (kind, text) = part.split_once('\n').unwrap();
            let (kind, text) = (kind.to_owned(), text.to_owned());
            Block { kind, text }
        })
        .collect()
}

/// Somebody in a folder, with `nmax` in the PATH.
pub(crate) struct Reader<'a> {
    bench: &'a Bench,
    path: OsString,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bench: &'a Bench) -> Self {
        let folder = Path::new(env!("CARGO_BIN_EXE_nmax")).parent().unwrap();
        let others = std::env::var_os("PATH").unwrap();
        let mut all = vec![bench.path("bin"), folder.to_owned()];
        all.extend(std::env::split_paths(&others));
        Self { bench, path: std::env::join_paths(all).unwrap() }
    }

    /// Starts lines of shell, and gives what types into them.
    pub(crate) fn start(&self, lines: &str) -> (Job, ChildStdin) {
        let env: [(&str, &OsStr); 2] = [("PATH", &self.path), ("DISPLAY", OsStr::new(":0"))];
        self.bench.shell_typing(lines, &env)
    }

    /// Puts a script in the place of the browser.
    pub(crate) fn employ_a_person(&self) {
        let bin = self.bench.path("bin");
        fs::create_dir(&bin).unwrap();
        let made = Command::new("mkfifo").arg(self.bench.path("person.hears")).status();
        assert!(made.unwrap().success());
        let script = format!(
            "#!/bin/sh\n\
             for argument; do\n\
             case $argument in --proxy-server=*) proxy=${{argument#*=}} ;; esac\n\
             site=$argument\n\
             done\n\
             cd '{}'\n\
             exec node shop.mjs \"$proxy\" \"$site\" '{}' <'{}' >'{}'\n",
            browser_tests().display(),
            chromium().display(),
            self.bench.path("person.hears").display(),
            self.bench.path("person.says").display(),
        );
        let file = bin.join("chromium");
        fs::write(&file, script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Lets the browser click for a recorder, and types a name before each click. Gives the names.
    pub(crate) fn click_through(&self, recorder: &Job, typing: &mut ChildStdin) -> Vec<String> {
        let (says, hears) = (self.bench.path("person.says"), self.bench.path("person.hears"));
        // Open for both, so that it does not wait for who reads.
        let mut go = OpenOptions::new().read(true).write(true).open(hears).unwrap();
        let mut typed = Vec::new();
        for number in 0.. {
            let said = || fs::read_to_string(&says).unwrap_or_default();
            until("the person goes on", || said().lines().count() > number && said().ends_with('\n'));
            let line = said().lines().nth(number).unwrap().to_owned();
            let Some(name) = line.strip_prefix("next ") else {
                assert!(line.starts_with("done "), "{line}");
                break;
            };
            // The page to begin with is opened by the recorder, and has no name.
            if number > 0 {
                typing.write_all(format!("\n{name}\n").as_bytes()).unwrap();
                until(name, || recorder.stderr_so_far().contains(&format!("--- {name} ---")));
                typed.push(name.to_owned());
            }
            go.write_all(b"go\n").unwrap();
        }
        typed
    }
}
