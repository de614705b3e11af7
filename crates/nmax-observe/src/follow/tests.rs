use std::fs::{self, OpenOptions};
use std::io::Write;

use proptest::prelude::*;

use super::*;

/// A folder that is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("nmax-follow-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn log(&self) -> PathBuf {
        self.0.join("a.log")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The lines of a turn, and what happened.
fn turn(follow: &mut Follow) -> (Vec<String>, Vec<Change>) {
    let mut lines = Vec::new();
    let changes = follow
        .turn(|cut| match cut {
            Cut::Line(line) => lines.push(String::from_utf8_lossy(line).into_owned()),
            Cut::TooLong { bytes, .. } => lines.push(format!("too long: {bytes}")),
        })
        .unwrap();
    (lines, changes)
}

fn begun(path: &Path) -> Follow {
    let mut follow = Follow::new(path);
    follow.begin(None).unwrap();
    follow
}

#[test]
fn what_was_there_before_is_a_sample_and_nothing_else() {
    let folder = Folder::new();
    append(&folder.log(), "old 1\nold 2\n");
    let mut follow = Follow::new(&folder.log());
    assert_eq!(follow.begin(None).unwrap(), b"old 1\nold 2\n");
    append(&folder.log(), "new\n");
    assert_eq!(turn(&mut follow), (vec!["new".to_owned()], vec![]));
    assert_eq!(turn(&mut follow), (vec![], vec![]));
}

#[test]
fn a_line_that_was_half_there_is_left_out() {
    let folder = Folder::new();
    append(&folder.log(), "old\nhal");
    let mut follow = begun(&folder.log());
    append(&folder.log(), "f\nwhole\nto");
    assert_eq!(turn(&mut follow).0, ["whole"]);
    append(&folder.log(), "rn\n");
    assert_eq!(turn(&mut follow).0, ["torn"], "a line is given when its end has come");
}

#[test]
fn a_rotation_loses_no_line() {
    let folder = Folder::new();
    append(&folder.log(), "old\n");
    let mut follow = begun(&folder.log());
    append(&folder.log(), "1\n");
    let renamed = folder.0.join("a.log.1");
    fs::rename(folder.log(), &renamed).unwrap();
    assert_eq!(turn(&mut follow), (vec!["1".to_owned()], vec![]), "the new file is not there yet");
    append(&renamed, "2\n");
    append(&folder.log(), "3\n");
    assert_eq!(turn(&mut follow), (vec!["2".to_owned(), "3".to_owned()], vec![Change::Rotated]));
    append(&renamed, "4\n");
    append(&folder.log(), "5\n");
    assert_eq!(turn(&mut follow).0, ["4", "5"], "a writer may go on with the renamed file");
    fs::remove_file(&renamed).unwrap();
    append(&folder.log(), "6\n");
    assert_eq!(turn(&mut follow).0, ["6"]);
}

#[test]
fn a_renamed_file_that_cannot_be_read_any_more_holds_up_nothing() {
    let folder = Folder::new();
    append(&folder.log(), "old\n");
    let mut follow = begun(&folder.log());
    fs::rename(folder.log(), folder.0.join("a.log.1")).unwrap();
    append(&folder.log(), "1\n");
    assert_eq!(turn(&mut follow), (vec!["1".to_owned()], vec![Change::Rotated]));
    let (place, _) = follow.before.as_mut().unwrap();
    place.file = OpenOptions::new().append(true).open(folder.0.join("a.log.1")).unwrap();
    append(&folder.log(), "2\n");
    assert_eq!(turn(&mut follow).0, ["2"]);
    assert!(follow.before.is_none());
}

#[test]
fn a_truncated_file_begins_again() {
    let folder = Folder::new();
    append(&folder.log(), "a long line that was there before\n");
    let mut follow = begun(&folder.log());
    append(&folder.log(), "1\n");
    assert_eq!(turn(&mut follow).0, ["1"]);
    fs::write(folder.log(), "2\n").unwrap();
    assert_eq!(turn(&mut follow), (vec!["2".to_owned()], vec![Change::Truncated]));
}

#[test]
fn a_file_that_comes_later_is_read_from_its_beginning() {
    let folder = Folder::new();
    let mut follow = Follow::new(&folder.log());
    assert!(matches!(follow.begin(None), Err(FollowError::Missing)));
    assert!(matches!(follow.turn(|_| {}), Err(FollowError::Missing)));
    append(&folder.log(), "1\n");
    assert_eq!(turn(&mut follow), (vec!["1".to_owned()], vec![Change::Appeared]));
}

#[test]
fn what_is_no_log_is_refused() {
    let folder = Folder::new();
    assert!(matches!(Follow::new(&folder.0).begin(None), Err(FollowError::NoFile)));
    fs::write(folder.log(), [0x1f, 0x8b, 8, 0]).unwrap();
    assert!(matches!(Follow::new(&folder.log()).begin(None), Err(FollowError::Packed)));
}

#[test]
fn a_line_of_megabytes_takes_no_memory() {
    let folder = Folder::new();
    append(&folder.log(), "");
    let mut follow = begun(&folder.log());
    append(&folder.log(), &"x".repeat(3 << 20));
    append(&folder.log(), "\nnext\n");
    assert_eq!(turn(&mut follow).0, ["too long: 3145728", "next"]);
}

#[test]
fn a_burst_is_read_over_several_turns() {
    let folder = Folder::new();
    append(&folder.log(), "");
    let mut follow = begun(&folder.log());
    let line = format!("{}\n", "y".repeat(1_023));
    let count = (TURN_BYTES_MAX as usize >> 10) + 5;
    append(&folder.log(), &line.repeat(count));
    let first = turn(&mut follow).0.len();
    assert_eq!((first, turn(&mut follow).0.len()), (count - 5, 5));
}

#[derive(Clone, Debug)]
enum Act {
    Append(String),
    Rename,
    Turn,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: whatever is appended, renamed and looked at in whatever order, each whole line comes once. At most one
    /// rotation between two looks: files that had the name in between were never seen.
    #[test]
    fn every_line_comes_once(acts in proptest::collection::vec(
        prop_oneof![
            "[a-c\n]{0,6}".prop_map(Act::Append),
            Just(Act::Rename),
            Just(Act::Turn),
        ],
        0..24,
    )) {
        let folder = Folder::new();
        append(&folder.log(), "");
        let mut follow = begun(&folder.log());
        let (mut written, mut seen) = (vec![String::new()], Vec::new());
        let mut has_renamed = false;
        for (number, act) in acts.iter().chain([&Act::Turn, &Act::Turn]).enumerate() {
            match act {
                Act::Append(text) => {
                    append(&folder.log(), text);
                    written.last_mut().unwrap().push_str(text);
                }
                Act::Rename if !has_renamed => {
                    // Servers end their lines before they go on with a new file.
                    append(&folder.log(), "\n");
                    written.last_mut().unwrap().push('\n');
                    fs::rename(folder.log(), folder.0.join(format!("a.log.{number}"))).unwrap();
                    append(&folder.log(), "");
                    written.push(String::new());
                    has_renamed = true;
                }
                Act::Rename => {}
                Act::Turn => {
                    seen.extend(turn(&mut follow).0);
                    has_renamed = false;
                }
            }
        }
        let whole = |text: &String| -> Vec<String> {
            let end = text.rfind('\n').map_or(0, |at| at + 1);
            text[..end].lines().map(str::to_owned).collect()
        };
        let written: Vec<String> = written.iter().flat_map(whole).collect();
        prop_assert_eq!(seen, written);
    }
}

/// What came between the mark and the beginning is read, and nothing from before it.
#[test]
fn what_came_since_the_mark_is_read() {
    let folder = Folder::new();
    let none = Mark::new(&folder.log());
    fs::write(folder.log(), "old 1\nold 2\n").unwrap();
    let mark = Mark::new(&folder.log());
    fs::write(folder.log(), "old 1\nold 2\nnew 1\nnew 2\n").unwrap();
    // mark, what is there for a look, what is read, why this row
    let cases: [(Option<Mark>, &str, &[&str], &str); 3] = [
        (Some(mark), "old 1\nold 2\n", &["new 1", "new 2"], "it grew"),
        (Some(none), "", &["old 1", "old 2", "new 1", "new 2"], "it came since"),
        (None, "old 1\nold 2\nnew 1\nnew 2\n", &[], "no mark"),
    ];
    for (mark, sample, lines, why) in cases {
        let mut follow = Follow::new(&folder.log());
        assert_eq!(follow.begin(mark).unwrap(), sample.as_bytes(), "{why}");
        assert_eq!(turn(&mut follow).0, lines, "{why}");
    }
}

/// A log that was rotated or truncated after the mark is new from its beginning; one that grew beyond all measure is followed
/// from its end.
#[test]
fn marks_are_of_a_file_as_it_was() {
    let folder = Folder::new();
    let long = "a line from before the mark\n".repeat(3);
    let first = |mark: Mark| {
        let mut follow = Follow::new(&folder.log());
        follow.begin(Some(mark)).unwrap();
        turn(&mut follow).0
    };
    fs::write(folder.log(), &long).unwrap();
    let mark = Mark::new(&folder.log());
    fs::write(folder.log(), "new\n").unwrap();
    assert_eq!(first(mark), ["new"], "truncated");

    fs::rename(folder.log(), folder.0.join("a.log.1")).unwrap();
    fs::write(folder.log(), format!("{long}{long}")).unwrap();
    assert_eq!(first(mark).len(), 6, "rotated");

    let mark = Mark::new(&folder.log());
    append(&folder.log(), "early\n");
    let file = OpenOptions::new().write(true).open(folder.log()).unwrap();
    file.set_len(TURN_BYTES_MAX + (1 << 20)).unwrap();
    assert_eq!(first(mark), [""; 0], "more than a turn reads");
}
