use super::*;
use crate::RunWriter;
use crate::testing::{Scratch, manifest};

/// Three runs: `ab1` (finished), `ab2`, `cd` (the newest), beside directories of others.
fn runs(root: &Path) {
    let create = |id: &str, started_at: &str| RunWriter::create(root, &manifest(id, started_at)).unwrap();
    create("cd", "2026-03-01T00:00:00Z");
    create("ab1", "2026-01-01T00:00:00Z").finish(r#"{"runs": [], "verdict": "fail"}"#, "").unwrap();
    create("ab2", "2026-02-01T00:00:00Z");
    fs::create_dir(root.join("foreign")).unwrap();
    fs::create_dir(root.join("damaged")).unwrap();
    fs::write(root.join("damaged/manifest.json"), "{").unwrap();
    fs::write(root.join("a-file"), "").unwrap();
}

#[test]
fn runs_are_listed_newest_first() {
    let scratch = Scratch::new();
    runs(scratch.path());
    let list = list(scratch.path()).unwrap();
    assert_eq!(list.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["cd", "ab2", "ab1"]);
    assert_eq!((list[2].finished, list[2].verdict.as_deref()), (true, Some("fail")));
    assert_eq!((list[0].finished, list[0].verdict.as_deref()), (false, None));
    assert_eq!(list[0].tags, ["nightly"]);
    assert!(super::list(&scratch.path().join("absent")).unwrap().is_empty());
}

/// A run that is looked at while it begins goes on: otherwise a list that keeps what it saw shows it as cut off.
#[test]
fn a_run_goes_on_from_the_first_sight_of_it() {
    let scratch = Scratch::new();
    let root = scratch.path();
    std::thread::scope(|scope| {
        let writers = scope.spawn(|| -> Vec<RunWriter> {
            let begin = |at| RunWriter::create(root, &manifest(&format!("run{at}"), "2026-03-01T00:00:00Z")).unwrap();
            (0..300).map(begin).collect()
        });
        while !writers.is_finished() {
            let seen = list(root).unwrap();
            assert_eq!(seen.iter().find(|run| !run.running), None);
        }
        assert_eq!(list(root).unwrap().len(), writers.join().unwrap().len());
    });
}

#[test]
fn arguments_mean_runs() {
    let scratch = Scratch::new();
    runs(scratch.path());
    let id_of = |asked: &str| find(scratch.path(), asked).map(|path| Manifest::read(&path).unwrap().id);
    let directory = list(scratch.path()).unwrap()[1].path.clone();
    let cases = [
        ("last", "cd", "the newest, finished or not"),
        ("ab1", "ab1", "an id"),
        ("c", "cd", "the beginning of an id"),
        (directory.file_name().unwrap().to_str().unwrap(), "ab2", "the name of a directory"),
        (directory.to_str().unwrap(), "ab2", "a path"),
    ];
    for (asked, want, why) in cases {
        assert_eq!(id_of(asked).unwrap(), want, "{why}: {asked}");
    }
}

#[test]
fn an_exact_id_wins_over_longer_ones() {
    let scratch = Scratch::new();
    for id in ["ab", "abc"] {
        RunWriter::create(scratch.path(), &manifest(id, "2026-03-01T00:00:00Z")).unwrap();
    }
    let path = find(scratch.path(), "ab").unwrap();
    assert_eq!(Manifest::read(&path).unwrap().id, "ab");
}

#[test]
fn errors_list_what_could_be_meant() {
    let scratch = Scratch::new();
    runs(scratch.path());
    let error = |asked: &str| find(scratch.path(), asked).unwrap_err().to_string();
    let ambiguous = error("ab");
    assert!(ambiguous.contains("`ab` stands for several runs"), "{ambiguous}");
    assert!(ambiguous.contains("20260101T000000Z-shop-peak-1-ab1"), "{ambiguous}");
    assert!(ambiguous.contains("20260201T000000Z-shop-peak-1-ab2"), "{ambiguous}");
    assert!(!ambiguous.contains("-cd"), "{ambiguous}");
    for asked in ["zz", "", "foreign"] {
        let unknown = error(asked);
        assert!(unknown.contains("choose one of: cd, ab2, ab1"), "{unknown}");
    }
    let empty = Scratch::new();
    let none = find(empty.path(), "last").unwrap_err().to_string();
    assert!(none.contains("there are no runs there"), "{none}");
}

#[test]
fn newest_directories_are_found_by_their_names() {
    let scratch = Scratch::new();
    runs(scratch.path());
    fs::create_dir(scratch.path().join("20260101T00000Z-short-x")).unwrap();
    let ids = |limit| -> Vec<String> {
        let found = newest(scratch.path(), limit);
        found.iter().filter_map(|path| entry(path)).map(|run| run.id).collect()
    };
    assert_eq!(ids(10), ["cd", "ab2", "ab1"]);
    assert_eq!(ids(1), ["cd"]);
    assert!(newest(&scratch.path().join("absent"), 10).is_empty());
    assert!(entry(&scratch.path().join("damaged")).is_none());
}
