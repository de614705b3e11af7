use super::*;

#[test]
fn the_line_names_the_runs_directory() {
    let cases = [
        ("nmax show --runs-dir other ", Some("other"), "a flag and its value"),
        ("nmax show --runs-dir=other la", Some("other"), "one word"),
        ("nmax show --runs-dir a --runs-dir b", Some("b"), "the last one"),
        ("nmax show --runs-dir", None, "not yet"),
        ("nmax show --runs-dir=", None, "not yet"),
        ("nmax show", None, "not at all"),
    ];
    for (line, want, why) in cases {
        assert_eq!(named_runs_dir(line.split_whitespace()), want.map(PathBuf::from), "{why}: {line}");
    }
}

#[test]
fn codes_complete_in_any_case() {
    let found = codes().complete(OsStr::new("g3"));
    let values: Vec<_> = found.iter().map(|value| value.get_value().to_string_lossy()).collect();
    assert!(values.contains(&"G3_INJECTOR_LAG".into()), "{values:?}");
    assert!(values.iter().all(|value| value.starts_with("G3")), "{values:?}");
}
