//! The program `nmax-agent`. What an agent says is tested with `nmax agent`, which is the same library.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests watch real processes in real time")]

mod crowd;

use std::process::{Command, Output};

fn agent(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nmax-agent")).args(args).env_remove("NMAX_AGENT_TOKEN").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn it_says_where_it_listens_and_ends_in_time() {
    let ended = agent(&["--listen", "127.0.0.1:0", "--for-time", "100ms"]);
    assert!(ended.status.success(), "{ended:?}");
    let said = text(&ended.stdout);
    let port: u16 = said.trim().strip_prefix("http://127.0.0.1:").unwrap().parse().unwrap();
    assert!(port > 0);
}

#[test]
fn what_it_cannot_do_is_2_with_a_remedy() {
    for wrong in [&["--push", "shop"][..], &["--listen", "0.0.0.0:0"], &["--process", "a/b"]] {
        let ended = agent(wrong);
        assert_eq!(ended.status.code(), Some(2), "{wrong:?}: {ended:?}");
        assert!(text(&ended.stderr).contains("\n  help: "), "{wrong:?}: {ended:?}");
    }
}

#[test]
fn its_help_names_itself() {
    let help = text(&agent(&["--help"]).stdout);
    assert!(help.contains("nmax-agent --listen 0.0.0.0:9797") && !help.contains("nmax agent"), "{help}");
}
