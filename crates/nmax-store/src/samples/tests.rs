use std::fs;

use parquet::column::writer::ColumnWriter;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use proptest::prelude::*;

use nmax_metrics::{Code, KeepReason};

use super::*;
use crate::testing::{self, Scratch, catalog};

fn raw() -> impl Strategy<Value = RawSample> {
    let why =
        prop_oneof![Just(KeepReason::All), Just(KeepReason::Error), Just(KeepReason::Slow), Just(KeepReason::Random)];
    (testing::sample(), 0..8_u32, 0..1_000_u32, any::<u32>(), why).prop_map(
        |((_, sample), worker, vu, iteration, why)| RawSample {
            sample,
            worker,
            vu,
            iteration: u64::from(iteration),
            why,
        },
    )
}

/// Every closed segment in order, as the general reader of the parquet crate sees it.
fn segments(directory: &Path) -> Vec<Vec<Row>> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "parquet"));
    files.sort();
    let rows = |path: &PathBuf| {
        let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
    };
    files.iter().map(rows).collect()
}

/// A row as it should be read: column names and fields, worked out from the sample alone.
fn expected(raw: &RawSample) -> Vec<(&'static str, Field)> {
    let sample = &raw.sample;
    let long = |number: u64| Field::Long(number as i64);
    let at = |at: Option<Nanos>| at.map_or(Field::Null, |at| long(at.0));
    let text = |text: &str| Field::Str(text.to_owned());
    let (outcome, kind) = match sample.outcome {
        nmax_metrics::Outcome::Ok => ("ok", Field::Null),
        nmax_metrics::Outcome::Failed => ("failed", Field::Null),
        nmax_metrics::Outcome::Error(kind) => ("error", text(kind.name())),
    };
    vec![
        ("request_id", Field::Int(sample.name.0 as i32)),
        ("request", text(&format!("GET /{}", sample.name.0))),
        ("scenario", text(["browse", "sign-up"][usize::from(sample.scenario)])),
        ("worker", Field::Int(raw.worker as i32)),
        ("vu", long(u64::from(raw.vu))),
        ("iteration", long(raw.iteration)),
        ("outcome", text(outcome)),
        ("error_kind", kind),
        ("status", sample.status.and_then(Code::number).map_or(Field::Null, |status| Field::Int(i32::from(status)))),
        ("intended_ns", long(sample.intended.0)),
        ("sent_ns", at(sample.sent)),
        ("first_byte_ns", at(sample.first_byte)),
        ("done_ns", long(sample.done.0)),
        ("dns_ns", long(sample.network.dns.0)),
        ("connect_ns", long(sample.network.connect.0)),
        ("tls_ns", long(sample.network.tls.0)),
        ("send_ns", long(sample.send.0)),
        ("slot_wait_ns", long(sample.slot_wait.0)),
        ("bytes_received", long(sample.bytes_received)),
        ("bytes_sent", long(sample.bytes_sent)),
        ("bytes_decoded", long(sample.bytes_decoded)),
        ("why", text(raw.why.name())),
        (
            "code",
            sample.status.filter(|code| code.number().is_none()).map_or(Field::Null, |code| text(&code.to_string())),
        ),
    ]
}

fn is_equal(row: &Row, raw: &RawSample) -> bool {
    let want = expected(raw);
    row.get_column_iter()
        .map(|(name, field)| (name.as_str(), field))
        .eq(want.iter().map(|(name, field)| (*name, field)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law: reading the segments gives what was written, in order.
    #[test]
    fn rows_read_back(samples in proptest::collection::vec(raw(), 0..40)) {
        let scratch = Scratch::new();
        let mut all = Segments::new(scratch.path());
        all.add(&samples, &catalog(4)).unwrap();
        all.close().unwrap();
        let rows: Vec<Row> = segments(scratch.path()).into_iter().flatten().collect();
        prop_assert_eq!(rows.len(), samples.len());
        for (row, raw) in rows.iter().zip(&samples) {
            prop_assert!(is_equal(row, raw), "{row} is not {raw:?}");
        }
    }
}

fn at(done: Nanos) -> RawSample {
    let runner = &mut proptest::test_runner::TestRunner::deterministic();
    let mut raw = proptest::strategy::ValueTree::current(&raw().new_tree(runner).unwrap());
    raw.sample.done = done;
    raw
}

#[test]
fn segments_close_after_their_span() {
    let scratch = Scratch::new();
    let mut all = Segments::new(scratch.path());
    let add = |all: &mut Segments, done: u64| all.add(&[at(Nanos::from_secs(done))], &catalog(4)).unwrap();
    let lengths = || segments(scratch.path()).iter().map(Vec::len).collect::<Vec<_>>();
    [10, 40, 69].into_iter().for_each(|done| add(&mut all, done));
    assert!(lengths().is_empty(), "an open segment has no name yet");
    add(&mut all, 70);
    assert_eq!(lengths(), [3]);
    all.close_when_due(Nanos::from_secs(129)).unwrap();
    assert_eq!(lengths(), [3]);
    all.close_when_due(Nanos::from_secs(130)).unwrap();
    assert_eq!(lengths(), [3, 1], "time closes a segment also when no samples come");
    all.close().unwrap();
    assert_eq!(lengths(), [3, 1], "there is no empty segment");
}

#[test]
fn segments_close_when_full_and_memory_holds_one_group() {
    let scratch = Scratch::new();
    let mut all = Segments::with_sizes(scratch.path(), Sizes { segment_rows: 25, group_rows: 10 });
    let batch = vec![at(Nanos::from_secs(1)); 7];
    for _ in 0..9 {
        all.add(&batch, &catalog(4)).unwrap();
        assert!(all.rows.len() < 10, "{} rows in memory", all.rows.len());
    }
    let lengths = || segments(scratch.path()).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(), [25, 25], "a full segment is closed at once");
    all.close().unwrap();
    assert_eq!(lengths(), [25, 25, 13]);
    let reader = SerializedFileReader::new(File::open(scratch.path().join("samples-0000.parquet")).unwrap()).unwrap();
    assert_eq!(reader.num_row_groups(), 3);
}

#[test]
fn names_are_needed_and_a_missing_directory_is_explained() {
    let scratch = Scratch::new();
    let mut all = Segments::new(&scratch.path().join("absent"));
    let sample = [at(Nanos::from_secs(1))];
    assert!(matches!(all.add(&sample, &Catalog::default()), Err(StoreError::Unnamed { .. })));
    let error = all.add(&sample, &catalog(4)).unwrap_err().to_string();
    assert!(error.contains("samples-0000.parquet.tmp: cannot create"), "{error}");
}

#[test]
fn file_errors_keep_their_reason() {
    let full = ParquetError::from(io::Error::from(io::ErrorKind::StorageFull));
    let error = failed(Path::new("samples-0000.parquet"), full).to_string();
    assert!(error.contains("the disk is full"), "{error}");
}

/// All rows of the closed segments, column by column.
fn read_back(files: &[PathBuf]) -> Vec<(i64, String, i64, String, i64, i64)> {
    let mut rows = Vec::new();
    for path in files {
        let file = SampleFile::open(path).unwrap();
        for group in 0..file.groups() {
            let text = |column: &str| {
                let (ids, names) = file.texts(group, column).unwrap();
                let name = |id: u32| names.get(id as usize).map_or("none".into(), |name| name.to_string());
                ids.into_iter().map(name).collect::<Vec<String>>()
            };
            let whole = |column: &str| file.integers(group, column).unwrap();
            let columns = (
                (whole("request_id"), text("request")),
                (whole("status"), text("error_kind")),
                (whole("sent_ns"), whole("done_ns")),
            );
            for row in 0..file.rows(group) {
                let ((ids, requests), (statuses, kinds), (sent, done)) = &columns;
                let (request, kind) = (requests[row].clone(), kinds[row].clone());
                rows.push((ids[row], request, statuses[row], kind, sent[row], done[row]));
            }
        }
    }
    rows
}

fn told(raw: &RawSample) -> (i64, String, i64, String, i64, i64) {
    let sample = &raw.sample;
    let kind = outcome_names(sample.outcome).1.unwrap_or("none");
    (
        i64::from(sample.name.0),
        format!("GET /{}", sample.name.0),
        sample.status.and_then(Code::number).map_or(UNKNOWN, i64::from),
        kind.to_owned(),
        sample.sent.map_or(UNKNOWN, |at| at.0 as i64),
        sample.done.0 as i64,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law: columns read back are what was written, and a copy of chosen rows holds these and no others, in their order.
    #[test]
    fn columns_read_back_and_chosen_rows_are_copied(raws in proptest::collection::vec((raw(), any::<bool>()), 1..60)) {
        let scratch = Scratch::new();
        let sizes = Sizes { segment_rows: 25, group_rows: 7 };
        let mut segments = Segments::with_sizes(scratch.path(), sizes);
        let rows: Vec<RawSample> = raws.iter().map(|(raw, _)| *raw).collect();
        segments.add(&rows, &catalog(4)).unwrap();
        segments.close().unwrap();
        fs::write(scratch.path().join("samples-0099.parquet.tmp"), "torn").unwrap();
        let found = crate::segments::segments(scratch.path()).unwrap();
        prop_assert_eq!(found.torn.len(), 1);
        let want: Vec<_> = rows.iter().map(told).collect();
        prop_assert_eq!(&read_back(&found.closed), &want);

        let copy = scratch.path().join("copy.parquet");
        let mut writer = SampleWriter::create(&copy).unwrap();
        let mut masks = raws.iter().map(|(_, chosen)| *chosen);
        for path in &found.closed {
            let file = SampleFile::open(path).unwrap();
            for group in 0..file.groups() {
                let mask: Vec<bool> = masks.by_ref().take(file.rows(group)).collect();
                writer.add(&file, group, &mask).unwrap();
            }
        }
        let chosen: Vec<_> = raws.iter().filter(|(_, chosen)| *chosen).map(|(raw, _)| told(raw)).collect();
        prop_assert_eq!(writer.finish().unwrap(), chosen.len() as u64);
        prop_assert_eq!(read_back(&[copy]), chosen);
    }
}

#[test]
fn other_files_are_named() {
    let scratch = Scratch::new();
    let path = scratch.path().join("samples-0000.parquet");
    fs::write(&path, "no Parquet").unwrap();
    let error = SampleFile::open(&path).err().unwrap().to_string();
    assert!(error.contains("samples-0000.parquet") && error.contains("not a whole Parquet file"), "{error}");
    let other = Arc::new(parse_message_type("message other { required int32 request_id; }").unwrap());
    let writer = SerializedFileWriter::new(File::create(&path).unwrap(), other, Arc::default()).unwrap();
    writer.into_inner().unwrap();
    let error = SampleFile::open(&path).err().unwrap().to_string();
    assert!(error.contains("no column `request`"), "{error}");
}

/// A file of before some column came is read, and copied with it: `code` in one, everything optional in another.
#[test]
fn older_files_lack_what_is_new() {
    let scratch = Scratch::new();
    let bare: String = SCHEMA.lines().filter(|line| !line.contains("optional")).collect();
    let path = scratch.path().join("bare.parquet");
    let schema = Arc::new(parse_message_type(&bare).unwrap());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        match column.untyped() {
            ColumnWriter::Int32ColumnWriter(column) => column.write_batch(&[7; 3], None, None).unwrap(),
            ColumnWriter::Int64ColumnWriter(column) => column.write_batch(&[7; 3], None, None).unwrap(),
            ColumnWriter::ByteArrayColumnWriter(column) => {
                column.write_batch(&["x", "x", "x"].map(ByteArray::from), None, None).unwrap()
            }
            _ => unreachable!(),
        };
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let of_before = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/runs/samples-without-codes.parquet");
    for (path, statuses) in [(of_before, [200, UNKNOWN, 404]), (path, [UNKNOWN; 3])] {
        let old = SampleFile::open(&path).unwrap();
        let copy = scratch.path().join("copy.parquet");
        let mut writer = SampleWriter::create(&copy).unwrap();
        writer.add(&old, 0, &[true, false, true]).unwrap();
        assert_eq!(writer.finish().unwrap(), 2);
        let copy = SampleFile::open(&copy).unwrap();
        for (file, statuses) in [(old, statuses.to_vec()), (copy, vec![statuses[0], statuses[2]])] {
            assert_eq!(file.texts(0, "code").unwrap(), (vec![NO_TEXT; statuses.len()], Vec::new()));
            assert_eq!(file.integers(0, "status").unwrap(), statuses);
        }
    }
}
