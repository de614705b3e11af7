use proptest::prelude::*;

use super::*;

const ALL: Wanted<'_> = Wanted { columns: ColumnSelection { n: None, x: None, r: None }, rows: None };

/// Row, N, X and R, seconds.
type Point = (usize, f64, f64, Option<f64>);

fn points(text: &str, wanted: &Wanted<'_>) -> Result<Vec<Point>, String> {
    let measured = read(text.as_bytes(), wanted).map_err(|error| error.to_string())?;
    let point = |one: &Observation| (one.row, one.n, one.x, one.r_s);
    Ok(measured.observations.iter().map(point).collect())
}

/// Peer defect 9: a file without a header loses its first row.
#[test]
fn without_a_header_the_first_row_is_kept() {
    let want = vec![(1, 1.0, 955.16, None), (2, 2.0, 1878.91, None)];
    assert_eq!(points("1,955.16\n2,1878.91\n", &ALL), Ok(want.clone()));
    assert_eq!(points("n,x\n1,955.16\n2,1878.91\n", &ALL), Ok(want.clone()));
    assert_eq!(points("# n x\n1 955.16\n\n2 1878.91", &ALL), Ok(want));
}

/// What a scale has counted comes back with X; a column that holds something else does no harm.
#[test]
fn completions_are_read_by_name() {
    let counts = |text: &str| {
        let measured = read(text.as_bytes(), &ALL).map_err(|error| error.to_string());
        let counts = measured.map(|measured| measured.observations.iter().map(|one| one.count).collect::<Vec<_>>());
        counts.expect("it is a table")
    };
    assert_eq!(counts("n,x,r_ms,level,run,count\n1,10,2,1,a,29\n2,19,2,2,b,\n"), [Some(29), None]);
    assert_eq!(counts("n,x,Completions\n1,10,0\n2,19,a few\n4,30,1.5\n"), [None; 3]);
    assert_eq!(counts("n,x\n1,10\n2,19\n"), [None; 2]);
}

/// Peer defect 8: N from Little's law is cut to an integer.
#[test]
fn fractions_of_n_are_kept() {
    assert_eq!(points("n,x\n1.9,100\n", &ALL).unwrap()[0].1, 1.9);
}

#[test]
fn rows_are_chosen_by_number() {
    let text = "n,x\n1,10\nbroken,row\n# rest\n3,30\n4,40\n";
    let chosen = |rows: &str| {
        let rows = Rows::parse(rows).unwrap();
        let found = points(text, &Wanted { rows: Some(&rows), ..ALL });
        found.map(|points| points.iter().map(|point| point.0).collect::<Vec<_>>())
    };
    assert_eq!(chosen("1,3.."), Ok(vec![1, 3, 4]), "a row left out may be broken");
    assert_eq!(chosen("3..4"), Ok(vec![3, 4]));
    assert!(chosen("1..3").unwrap_err().contains("row 2 (line 3)"));
    assert!(chosen("3..5").unwrap_err().contains("--rows 3..5: there are 4 rows"));
}

#[test]
fn response_times_have_units() {
    let r = |text: &str, r: Option<&str>| {
        let wanted = Wanted { columns: ColumnSelection { r, ..ColumnSelection::default() }, ..ALL };
        points(text, &wanted).map(|points| points[0].3)
    };
    let cases = [
        ("n,x,r_ms\n1,10,20\n", None, Some(0.02), "from the name"),
        ("n,x,latency\n1,10,0.02\n", None, Some(0.02), "seconds without a name"),
        ("n,x,latency\n1,10,20\n", Some("latency:ms"), Some(0.02), "as given"),
        ("n,x,r_ms\n1,10,20 us\n", None, Some(2e-5), "in the cell"),
        ("n,x,r_ms\n1,10,\n", None, None, "not measured"),
        ("n,x,time\n1,10,20\n", None, None, "not asked for"),
    ];
    for (text, flag, want, why) in cases {
        let found = r(text, flag).unwrap();
        let close = match (found, want) {
            (Some(found), Some(want)) => (found - want).abs() <= 1e-12 * want,
            (found, want) => found == want,
        };
        assert!(close, "{why}: {found:?}");
    }
    let measured = read(b"n,x,latency\n1,10,0.02\n".as_slice(), &ALL).unwrap();
    assert!(measured.notes[0].contains("read as seconds"), "{:?}", measured.notes);
}

#[test]
fn all_errors_are_said_at_once() {
    let text = "n,x,r_ms\n1,fast,3\n,5,3\n3,955\u{1b},3\n4,\"955,16\",3\n5,nan,3\n6,1e400,3\n7,8\n8,9,3,4\ninf,10,3\n9,90,slow\n10,100,3\n";
    let error = points(text, &ALL).unwrap_err();
    for want in [
        "10 values cannot be read",
        "row 1 (line 2), `x`: `fast` is not a number",
        "row 2 (line 3), `n`: it is empty",
        "row 3 (line 4), `x`: `955\\u001b` is not a number",
        "row 4 (line 5), `x`: `955,16` has a comma",
        "row 5 (line 6), `x`: `nan` is not a measured value",
        "row 6 (line 7), `x`: `1e400` is too large",
        "row 7 (line 8): 2 cells, where the header has 3",
        "row 8 (line 9): 4 cells, where the header has 3",
        "row 9 (line 10), `n`: `inf` is not a measured value",
        "row 10 (line 11), `r_ms`: `slow` is not a number",
        "decimal point",
    ] {
        assert!(error.contains(want), "no `{want}`: {error}");
    }
    let many = format!("n,x\n{}", "1,x\n".repeat(1000));
    let error = points(&many, &ALL).unwrap_err();
    assert_eq!(error.matches("is not a number").count(), 20, "{error}");
    assert!(error.contains("1,000 values") && error.contains("and 980 more"), "{error}");
}

#[test]
fn tables_without_measurements_say_what_is_missing() {
    let cases = [
        ("", "there is nothing in it"),
        ("\n# only words\n\n", "there is nothing in it"),
        ("n,x\n", "there is a header and no row"),
        ("n\n1\n2\n", "there is one column"),
        ("1\n2\n", "there is one column"),
        ("n.x\n1.5\n", "there is one column"),
        ("who,knows\n1,2\n", "no column is named like N, the concurrency; there are: `who`, `knows`"),
        ("1,2,3\n", "3 columns without a header"),
        ("1,955,16\n2,1878,91\n", "3 columns without a header"),
        ("n,x\n1,955,16\n", "if commas are decimal marks, write points"),
        ("n;x\n1;955,16\n", "write numbers with a decimal point"),
        ("1;955,16\n2;1878,91\n", "write numbers with a decimal point"),
        ("1,5;955,16\n2,5;1878,91\n", "write numbers with a decimal point"),
    ];
    for (text, want) in cases {
        let error = points(text, &ALL).unwrap_err();
        assert!(error.contains(want), "{text:?}: {error}");
        assert!(error.contains("\n  help: "), "{text:?}: {error}");
    }
}

/// Numbers that cannot be measured go on to the analysis, which names them.
#[test]
fn zero_and_below_are_left_to_the_analysis() {
    let found = points("n,x\n0,-5\n-1,0\n1e300,1e-300\n", &ALL).unwrap();
    assert_eq!(found.len(), 3);
}

#[test]
fn columns_may_be_between_others() {
    let text = "run;When; Users ;Throughput (req/s);Latency [ms]\nfirst;2026;1;90.5;11\nsecond;2026;2;170;12\n";
    let want = vec![(1, 1.0, 90.5, Some(0.011)), (2, 2.0, 170.0, Some(0.012))];
    assert_eq!(points(text, &ALL), Ok(want));
    let measured = read(text.as_bytes(), &ALL).unwrap();
    assert_eq!(measured.dimension, Dimension::Vus);
    assert_eq!(measured.how, "2 rows, semicolon; N is `Users`, X is `Throughput (req/s)`, R is `Latency [ms]`");
}

/// More rows than anybody measures are refused in bounded memory; a part of them may be taken.
#[test]
fn rows_have_a_limit() {
    let text = "1,2\n".repeat(101);
    let up_to = |wanted: &Wanted<'_>| read_up_to(100, text.as_bytes(), wanted);
    let error = up_to(&ALL).unwrap_err().to_string();
    assert!(error.contains("more than 100 rows") && error.contains("--rows"), "{error}");
    let rows = Rows::parse("2..101").unwrap();
    assert_eq!(up_to(&Wanted { rows: Some(&rows), ..ALL }).unwrap().observations.len(), 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Law: numbers written with any separator, header and line end are the numbers read.
    #[test]
    fn tables_round_trip(
        rows in prop::collection::vec((1.0..1e6_f64, 1e-3..1e9_f64), 1..20),
        separator in prop::sample::select(vec![",", ";", "\t", " ", "|", ", "]),
        has_header in any::<bool>(),
        end in prop::sample::select(vec!["\n", "\r\n"]),
        mark in prop::sample::select(vec!["", "\u{feff}"]),
    ) {
        let mut text = mark.to_owned();
        if has_header {
            text.push_str(&format!("n{separator}x{end}"));
        }
        for (n, x) in &rows {
            text.push_str(&format!("{n}{separator}{x}{end}"));
        }
        let want: Vec<_> = rows.iter().enumerate().map(|(at, (n, x))| (at + 1, *n, *x, None)).collect();
        prop_assert_eq!(points(&text, &ALL), Ok(want));
    }

    /// Law: no text makes the reader panic, and what it reads is finite.
    #[test]
    fn any_text_is_read_or_refused(text in "[0-9nxr,;\t \"#.e+-]{0,12}(\r?\n[0-9a-z,;\t \"#.e+-]{0,12}){0,8}") {
        if let Ok(points) = points(&text, &ALL) {
            prop_assert!(points.iter().all(|(_, n, x, r)| n.is_finite() && x.is_finite() && r.is_none_or(f64::is_finite)));
        }
    }
}
