use super::*;

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nmax-safety-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn where_the_file_is() {
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
    let cases: [Case; 5] = [
        (&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")], Some("/x/nmax/config.yaml")),
        (&[("HOME", "/h")], Some("/h/.config/nmax/config.yaml")),
        (&[("XDG_CONFIG_HOME", ""), ("HOME", "/h")], Some("/h/.config/nmax/config.yaml")),
        (&[("XDG_CONFIG_HOME", "x"), ("HOME", "h")], None),
        (&[], None),
    ];
    for (env, wanted) in cases {
        let look_up = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into());
        assert_eq!(path(look_up), wanted.map(PathBuf::from), "{env:?}");
    }
}

#[test]
fn entries_in_order() {
    let entries = parse("allow_targets:\n  - staging.lan\n  - fd00::/8\n", "c.yaml").unwrap();
    let shown: Vec<String> = entries.iter().map(Allowed::to_string).collect();
    assert_eq!(shown, ["allow_targets of c.yaml: staging.lan", "allow_targets of c.yaml: fd00::/8"]);
    assert_eq!(parse("", "c.yaml"), Ok(Vec::new()));
}

#[test]
fn errors_have_their_line() {
    let cases = [
        ("allow_targets:\n  - 10.0.0.0/8\n  - 10.0.0.1/8\n", "c.yaml:3:5: `10.0.0.1/8` has bits set beyond its prefix"),
        ("allow_targets: ['*.lan']", "c.yaml:1:17: `*.lan` has a wildcard"),
        ("allow_target: [a.lan]", "c.yaml:1:1: there is no key `allow_target`\n  help: did you mean `allow_targets`?"),
        ("allow_targets: a.lan", "c.yaml:1:16: expected a list"),
        ("allow_targets: [a.lan", "c.yaml:"),
    ];
    for (text, wanted) in cases {
        let error = ConfigError::Content(parse(text, "c.yaml").unwrap_err()).to_string();
        assert!(error.starts_with(wanted), "{error}\nwanted {wanted}");
        assert!(error.contains("\n  help: "), "{error}");
    }
    let errors = parse("allow_targets:\n- 'http://a/'\n- a:80\n- ok.lan\n", "c.yaml").unwrap_err();
    assert_eq!(errors.len(), 2, "all at once");
}

#[test]
fn files_there_and_not() {
    let folder = Folder::new("files");
    let file = folder.0.join("config.yaml");
    assert!(load(&file).unwrap().is_empty(), "absent");
    std::fs::write(&file, "allow_targets: [10.0.0.0/8]").unwrap();
    assert_eq!(load(&file).unwrap().len(), 1);
    assert!(load(&file.join("below")).unwrap().is_empty(), "below a file");
    std::fs::write(&file, b"allow_targets: [\xff]").unwrap();
    assert!(load(&file).unwrap_err().to_string().contains("config.yaml: cannot be read"), "not UTF-8");
    std::fs::write(&file, "#".repeat(DOCUMENT_BYTES_MAX + 10)).unwrap();
    assert!(load(&file).unwrap_err().to_string().contains("more than 1048576"), "too long");
    assert!(load(&folder.0).unwrap_err().to_string().contains("cannot be read"), "a folder");
}
