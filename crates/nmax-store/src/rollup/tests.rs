use nmax_metrics::{Aggregate, Readings};
use proptest::prelude::*;

use super::*;
use crate::fixture::LongRun;
use crate::testing::Scratch;
use crate::{Follower, RunReader, RunWriter};

const TEN: Nanos = Nanos::from_secs(10);
const RUN: LongRun = LongRun { seconds: 7_200, names: 3, rate_per_s: 4 };

/// What a run of two hours left that was cut off after some seconds, of which these are missing.
fn cut_off(root: &Path, seconds: u64, missing: &[u64]) -> PathBuf {
    let mut writer: RunWriter = RUN.begin(root, "").unwrap();
    let (catalog, present) = (RUN.catalog(), (0..seconds).filter(|second| !missing.contains(second)));
    present.for_each(|second| RUN.second(&mut writer, &catalog, second).unwrap());
    writer.path().to_owned()
}

#[derive(Debug, PartialEq)]
struct Read {
    /// Widths of the windows, s, and how many of them follow each other.
    widths: Vec<(u64, usize)>,
    sum: Aggregate,
    readings: Readings,
    damage: Vec<String>,
}

fn take(follower: &mut Follower, read: &mut Read) {
    follower.refresh().unwrap();
    while let Some(window) = follower.window().unwrap() {
        let width_s = window.width.0 / 1_000_000_000;
        match read.widths.last_mut() {
            Some((known, count)) if *known == width_s => *count += 1,
            _ => read.widths.push((width_s, 1)),
        }
        read.sum.merge(&window.aggregate);
    }
    while let Some(reading) = follower.reading().unwrap() {
        read.readings.push_bin(&reading.resource, &reading.bin);
    }
    read.damage.extend(follower.damage(true).iter().map(StoreError::in_short));
}

fn nothing(width: Nanos) -> Read {
    let readings = Readings::with_width(width.max(Nanos::from_secs(1)));
    Read { widths: Vec::new(), sum: Aggregate::default(), readings, damage: Vec::new() }
}

fn read_by(directory: &Path, width: Nanos, fine_from: Nanos) -> Read {
    let mut read = nothing(width);
    let mut follower = RunReader::open(directory).unwrap().follow_by(width).unwrap();
    follower.fine_from(fine_from);
    take(&mut follower, &mut read);
    read
}

/// The same of windows and readings of the run itself, the latter in bins as wide.
fn read_as_it_is(directory: &Path, width: Nanos) -> Read {
    let mut read = nothing(width);
    let run = RunReader::open(directory).unwrap();
    run.windows().unwrap().for_each(|window| read.sum.merge(&window.unwrap().aggregate));
    run.resources().unwrap().for_each(|resource| read.readings.push(&resource.unwrap()));
    read
}

#[test]
fn a_run_cut_off_is_read_by_its_rollup_and_then_by_its_windows() {
    let scratch = Scratch::new();
    let directory = cut_off(scratch.path(), 137, &[]);
    // width  from    windows                       why this row
    let cases = [
        (10, u64::MAX, vec![(10, 13), (1, 7)], "all but the last seconds"),
        (60, u64::MAX, vec![(60, 2), (1, 17)], "the same by minutes"),
        (600, u64::MAX, vec![(1, 137)], "not one rollup is complete"),
        (10, 75, vec![(10, 7), (1, 67)], "from an instant on in seconds"),
        (0, u64::MAX, vec![(1, 137)], "as it was measured"),
    ];
    for (width_s, from_s, widths, why) in cases {
        let width = Nanos::from_secs(width_s);
        let read = read_by(&directory, width, Nanos::from_secs(from_s));
        assert_eq!(read, Read { widths, ..read_as_it_is(&directory, width) }, "{why}");
        assert_eq!(RunReader::open(&directory).unwrap().last_end().unwrap(), Some(Nanos::from_secs(137)));
    }
}

/// A second that was lost leaves its rollups out, so that the others of it count.
#[test]
fn rollups_that_lack_a_window_are_read_by_windows() {
    let scratch = Scratch::new();
    let directory = cut_off(scratch.path(), 80, &[25, 40]);
    let read = read_by(&directory, TEN, Nanos::MAX);
    let widths = vec![(10, 2), (1, 9), (10, 1), (1, 9), (10, 3)];
    assert_eq!(read, Read { widths, ..read_as_it_is(&directory, TEN) });
}

#[test]
fn a_damaged_rollup_is_made_up_for_by_windows() {
    let scratch = Scratch::new();
    let directory = cut_off(scratch.path(), 60, &[]);
    let folder = directory.join("rollup-10s");
    let whole = read_by(&directory, TEN, Nanos::MAX);
    assert_eq!(whole.widths, [(10, 6)]);
    let of_line = |file: &str, number: usize, text: &str| {
        let written = fs::read_to_string(folder.join(file)).unwrap();
        let mut lines: Vec<&str> = written.lines().collect();
        lines[number - 1] = text;
        (file.to_owned(), format!("{}\n", lines.join("\n")))
    };
    let text = fs::read_to_string(folder.join(hlog::FILE)).unwrap();
    // damaged                                    windows                       told
    let cases = [
        (of_line(line::FILE, 2, "garbage{"), vec![(10, 1), (1, 10), (10, 4)], 1),
        (of_line(hlog::FILE, 9, "garbage{"), vec![(1, 10), (10, 5)], 1),
        (of_line(records::RESOURCES, 3, "garbage{"), vec![(10, 6)], 1),
        ((hlog::FILE.to_owned(), text[..text.len() / 2].to_owned()), Vec::new(), 0),
        ((line::FILE.to_owned(), String::new()), vec![(1, 60)], 0),
    ];
    for ((file, damaged), widths, told) in cases {
        let before = fs::read(folder.join(&file)).unwrap();
        fs::write(folder.join(&file), damaged).unwrap();
        let read = read_by(&directory, TEN, Nanos::MAX);
        assert_eq!((&read.sum, &read.readings), (&whole.sum, &whole.readings), "{file}");
        assert_eq!(read.damage.len(), told, "{file}: {:?}", read.damage);
        assert!(read.damage.iter().all(|text| text.starts_with(&format!("rollup-10s/{file}:"))), "{:?}", read.damage);
        assert!(widths.is_empty() || read.widths == widths, "{file}: {:?}", read.widths);
        fs::write(folder.join(&file), before).unwrap();
    }
}

/// What was rolled up is not lost with the windows that it was made of.
#[test]
fn a_rollup_outlives_its_windows() {
    let scratch = Scratch::new();
    let directory = cut_off(scratch.path(), 60, &[]);
    let (whole, path) = (read_by(&directory, TEN, Nanos::MAX), directory.join(line::FILE));
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() / 3]).unwrap();
    fs::remove_file(directory.join("rollup-10s").join(records::RESOURCES)).unwrap();
    assert_eq!(read_by(&directory, TEN, Nanos::MAX), whole);
}

#[test]
fn runs_that_are_planned_to_be_short_have_none() {
    let scratch = Scratch::new();
    let short = LongRun { seconds: 3_600, ..RUN };
    let mut writer = short.begin(scratch.path(), "").unwrap();
    (0..30).for_each(|second| short.second(&mut writer, &short.catalog(), second).unwrap());
    assert!(!writer.path().join("rollup-10s").exists());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Law: followed in any pieces while it is written, a run says by its rollup what it says by its windows, each once.
    #[test]
    fn pieces_are_the_whole(ends in prop::collection::btree_set(1_u64..70, 0..6), missing in 0_u64..90) {
        let scratch = Scratch::new();
        let mut writer = RUN.begin(scratch.path(), "").unwrap();
        let (catalog, directory, mut second) = (RUN.catalog(), writer.path().to_owned(), 0);
        let mut follower = None;
        let mut read = nothing(TEN);
        for end in ends.into_iter().chain([70]) {
            for second in (second..end).filter(|second| *second != missing) {
                RUN.second(&mut writer, &catalog, second).unwrap();
            }
            second = end;
            let follower = follower.get_or_insert_with(|| RunReader::open(&directory).unwrap().follow_by(TEN).unwrap());
            take(follower, &mut read);
        }
        prop_assert_eq!(&read, &Read { widths: read.widths.clone(), ..read_as_it_is(&directory, TEN) });
    }
}
