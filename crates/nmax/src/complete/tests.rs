use super::*;

#[test]
fn scripts_ask_the_program_that_wrote_them() {
    let here = Some(Path::new("/home/me"));
    let cases = [
        (Some("nmax"), here, "nmax", "looked up when it is asked"),
        (Some("target/release/nmax"), here, "/home/me/target/release/nmax", "from any folder"),
        (Some("/opt/nmax"), here, "/opt/nmax", "a path from the root"),
        (Some("bin/nmax"), None, "bin/nmax", "nowhere"),
        (None, here, "nmax", "no name"),
    ];
    for (first, current_dir, want, why) in cases {
        assert_eq!(completer(first.map(Into::into), current_dir), want, "{why}");
    }
}

#[test]
fn each_shell_has_a_script() {
    for (shell, part) in [
        ("bash", "mapfile -t COMPREPLY < <(NMAX_COMPLETE=bash '/opt/n max' -- "),
        ("elvish", "set edit:completion:arg-completer[nmax]"),
        ("fish", "complete --keep-order --exclusive --command nmax"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName nmax"),
        ("zsh", "#compdef nmax\n"),
    ] {
        let script = script(shell, "/opt/n max");
        assert!(script.contains(part), "{shell}: {script}");
        assert!(script.contains("/opt/n max") && script.contains("NMAX_COMPLETE"), "{shell}: {script}");
    }
    assert!(script("zsh", "nmax").starts_with("#compdef"), "zsh looks at the first line");
    assert!(script("bash", "it's").contains(r"'it'\''s'"));
}
