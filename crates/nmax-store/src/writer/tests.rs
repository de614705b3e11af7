use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;
use crate::testing::{self, Scratch, catalog, manifest};
use crate::{LostWindows, RunReader, hlog};

const START: &str = "2026-01-31T12:00:05Z";

fn written(directory: &Path) -> Vec<Window> {
    RunReader::open(directory).unwrap().windows().unwrap().map(Result::unwrap).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Law: decode(encode(w)) = w, for every window.
    #[test]
    fn windows_read_back(first in testing::window(0), second in testing::window(7)) {
        let scratch = Scratch::new();
        let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
        let windows = vec![first, second];
        for window in &windows {
            writer.window(window, &catalog(4)).unwrap();
        }
        prop_assert_eq!(written(writer.path()), windows);
    }

    /// Law: emptied entries, which workers keep for their memory, read back as merging leaves them: not at all.
    #[test]
    fn emptied_entries_are_left_out(used in testing::window(0), next in testing::window(0)) {
        let scratch = Scratch::new();
        let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
        let mut window = used;
        window.aggregate.reset();
        window.aggregate.merge(&next.aggregate);
        writer.window(&window, &catalog(4)).unwrap();
        let mut merged = Window::new(0, window.width);
        merged.aggregate.merge(&window.aggregate);
        prop_assert_eq!(written(writer.path()), vec![merged]);
    }
}

/// What several injectors measured reads back by injector, also what was written after it began to be read.
#[test]
fn parts_read_back() {
    let scratch = Scratch::new();
    let manifest = manifest("a", START);
    let mut writer = RunWriter::create(scratch.path(), &manifest).unwrap();
    let mut follower = RunReader::open(writer.path()).unwrap().follow().unwrap();
    assert_eq!(follower.injectors().len(), 0);
    let record = |name: &str, region: Option<&str>| InjectorRecord {
        name: name.into(),
        region: region.map(str::to_owned),
        ..InjectorRecord::default()
    };
    let mut known = vec![record("a", Some("eu")), record("b", None)];
    writer.injectors(&manifest, &known).unwrap();
    let windows = testing::windows(4);
    for window in &windows {
        writer.window(window, &catalog(4)).unwrap();
        writer.part(0, window).unwrap();
        follower.refresh().unwrap();
        assert_eq!(follower.part(0).unwrap().as_ref(), Some(window));
    }
    writer.part(1, &windows[2]).unwrap();
    known[1].gaps.push(LostWindows { from: 3, to: 4 });
    writer.injectors(&manifest, &known).unwrap();
    follower.refresh().unwrap();
    assert!(follower.injectors().eq(&known));
    assert_eq!([0, 1, 1].map(|part| follower.part(part).unwrap()), [None, Some(windows[2].clone()), None]);
    assert_eq!(RunReader::open(writer.path()).unwrap().injectors().unwrap(), known);
    assert_eq!(written(writer.path()), windows);
    let file = writer.path().join("injectors/1/injector.json");
    std::fs::write(&file, "{").unwrap();
    follower.refresh().unwrap();
    assert!(follower.injectors().eq(&known), "what is known stays");
    assert!(follower.damage(false)[0].to_string().contains("injectors/1/injector.json"));
    writer.finish("", "").unwrap();
}

#[test]
fn names_are_on_the_disk_before_their_first_use() {
    let scratch = Scratch::new();
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
    let names = |writer: &RunWriter| RunReader::open(writer.path()).unwrap().catalog().requests.list().to_vec();
    let mut window = Window::new(0, Nanos::from_secs(1));
    window.aggregate.request_mut(nmax_metrics::Section::Hold, nmax_metrics::NameId(1));
    let refused = writer.window(&window, &catalog(1));
    assert!(matches!(refused, Err(StoreError::Unnamed { what: "request", id: 1 })), "{refused:?}");
    assert!(written(writer.path()).is_empty(), "nothing with an unknown id is written");
    writer.window(&window, &catalog(2)).unwrap();
    assert_eq!(names(&writer), ["GET /0", "GET /1"]);
    writer.window(&Window::new(1, Nanos::from_secs(1)), &catalog(3)).unwrap();
    assert_eq!(names(&writer).len(), 3);
}

#[test]
fn a_directory_is_never_used_twice() {
    let scratch = Scratch::new();
    let _first = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
    let again = RunWriter::create(scratch.path(), &manifest("a", START));
    assert!(matches!(again, Err(StoreError::Exists { .. })));
}

#[test]
fn two_writers_at_once_do_not_collide() {
    let scratch = Scratch::new();
    let windows = testing::windows(8);
    let write = |id: &'static str| {
        let mut writer = RunWriter::create(scratch.path(), &manifest(id, START)).unwrap();
        windows.iter().for_each(|window| writer.window(window, &catalog(4)).unwrap());
        writer.path().to_owned()
    };
    let directories = std::thread::scope(|scope| {
        let threads = [scope.spawn(|| write("a1")), scope.spawn(|| write("a2"))];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_ne!(directories[0], directories[1]);
    assert_eq!(written(&directories[0]), windows);
    assert_eq!(written(&directories[1]), windows);
}

#[test]
fn a_path_below_a_file_is_explained() {
    let scratch = Scratch::new();
    let file = scratch.path().join("file");
    fs::write(&file, "").unwrap();
    let Err(error) = RunWriter::create(&file.join("runs"), &manifest("a", START)) else { panic!("made a directory") };
    let error = error.to_string();
    assert!(error.contains("file/runs: cannot create"), "{error}");
    assert!(error.contains("help: a part of this path is a file"), "{error}");
}

/// A disk that fills up in the middle of a run: an error that says so, and whole windows before it.
#[test]
fn after_a_full_disk_everything_before_reads_back() {
    let scratch = Scratch::new();
    let windows = testing::windows(8);
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
    windows[..5].iter().for_each(|window| writer.window(window, &catalog(4)).unwrap());
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has /dev/full");
    let path = writer.path().join(line::FILE);
    writer.windows.lines = Stream::over(path, Box::new(full));
    let error = writer.window(&windows[5], &catalog(4)).unwrap_err().to_string();
    assert!(error.contains("the disk is full"), "{error}");
    let length = |writer: &RunWriter| fs::metadata(writer.path().join(hlog::FILE)).unwrap().len();
    let before = length(&writer);
    assert!(matches!(writer.window(&windows[6], &catalog(4)), Err(StoreError::Broken { .. })));
    assert_eq!(length(&writer), before, "no histograms without a place to describe them");
    assert_eq!(written(writer.path()), windows[..5]);
}

#[test]
fn the_first_hundred_failures_of_a_kind_are_kept_and_the_last_says_so() {
    let scratch = Scratch::new();
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
    let directory = writer.path().to_owned();
    for _ in 0..FAILURES_PER_KIND_MAX + 7 {
        writer.failure(&testing::failure("timeout")).unwrap();
    }
    writer.failure(&testing::failure("status 503")).unwrap();
    writer.finish("{}", "").unwrap();
    let run = RunReader::open(&directory).unwrap();
    let kept: Vec<_> = run.failures().unwrap().map(Result::unwrap).collect();
    assert_eq!(kept.len() as u64, FAILURES_PER_KIND_MAX + 1);
    assert_eq!(kept[0], testing::failure("timeout"));
    let events: Vec<_> = run.events().unwrap().map(Result::unwrap).collect();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].text, "timeout: the first 100 failures are kept; summary.json counts all");
}

/// Bodies are their owner's; what is made to be shared stays readable.
#[test]
fn files_with_bodies_are_their_owners_alone() {
    let scratch = Scratch::new();
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
    let directory = writer.path().to_owned();
    writer.failure(&testing::failure("timeout")).unwrap();
    writer.finish("{}", "page").unwrap();
    let mode = |file: &str| fs::metadata(directory.join(file)).unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(records::FAILURES), 0);
    // As far as the mask of this process allows, which takes from all of them alike.
    fs::write(directory.join("any"), "").unwrap();
    for file in [SUMMARY, REPORT, line::FILE, hlog::FILE, records::EVENTS] {
        assert_eq!(mode(file), mode("any") & 0o044, "{file}");
    }
}

#[test]
fn kinds_of_failures_are_bounded() {
    let scratch = Scratch::new();
    let mut writer = RunWriter::create(scratch.path(), &manifest("a", START)).unwrap();
    for kind in 0..FAILURE_KINDS_MAX + 300 {
        writer.failure(&testing::failure(&kind.to_string())).unwrap();
    }
    assert_eq!(writer.failure_counts.len(), FAILURE_KINDS_MAX + 1);
    assert_eq!(writer.failure_counts["other"], 300);
}

#[test]
fn a_writer_can_live_on_a_thread_of_its_own() {
    fn is_send<T: Send>() {}
    is_send::<RunWriter>();
}
