use super::*;

const NOTHING: ColumnSelection<'_> = ColumnSelection { n: None, x: None, r: None };

fn names(header: &str) -> Vec<String> {
    header.split(',').map(str::to_owned).collect()
}

fn found(header: &str, asked: ColumnSelection<'_>) -> Result<Columns, String> {
    let names = names(header);
    find(Some(&names), names.len(), asked).map_err(|error| error.to_string())
}

#[test]
fn columns_are_known_by_their_names() {
    let r = |column, unit_s| Some(ResponseTime { column, unit_s });
    //  header                              n  x  r                      dimension            why this row
    let cases = [
        ("n,x", 0, 1, None, Dimension::Other, "as this program writes them"),
        ("N,X", 0, 1, None, Dimension::Other, "case does not count"),
        ("tps,threads", 1, 0, None, Dimension::Threads, "order does not count"),
        ("n,x,r_ms,level,run", 0, 1, r(2, Some(1e-3)), Dimension::Other, "a scale"),
        ("Users,Requests/s,Latency (s)", 0, 1, r(2, Some(1.0)), Dimension::Vus, "marks"),
        ("load,throughput,response", 0, 1, r(2, None), Dimension::Other, "no unit"),
        ("n,users,x", 0, 2, None, Dimension::Other, "the letter comes first"),
        ("x,y,nodes", 2, 0, None, Dimension::Nodes, "others are left alone"),
        ("in_flight,Throughput [req/s],latency_us", 0, 1, r(2, Some(1e-6)), Dimension::InFlight, "brackets"),
    ];
    for (header, n, x, r, dimension, why) in cases {
        assert_eq!(found(header, NOTHING), Ok(Columns { n: Some(n), x, r, count: None, dimension }), "{why}");
    }
}

#[test]
fn what_is_not_known_is_asked_for() {
    let cases = [
        ("x,y", "no column is named like N, the concurrency; there are: `x`, `y`"),
        ("n,speed", "no column is named like X, the throughput; there are: `n`, `speed`"),
        ("users,threads,x", "`users` (column 1), `threads` (column 2) could all be N"),
        ("n,tps,rps", "`tps` (column 2), `rps` (column 3) could all be X"),
        ("n,n,x", "`n` (column 1), `n` (column 2) could all be N"),
        ("n,throughput_per_min", "no column is named like X"),
        ("n", "there is one column"),
    ];
    for (header, want) in cases {
        let error = found(header, NOTHING).unwrap_err();
        assert!(error.starts_with(want), "{header}: {error}");
        assert!(error.contains("\n  help: "), "{header}: {error}");
    }
}

#[test]
fn columns_are_asked_for_by_name_or_number() {
    let asked = |n, x, r| ColumnSelection { n, x, r };
    let header = "when,threads,n,tps,2,latency";
    let cases = [
        (asked(Some("threads"), None, None), Ok((1, 3)), "by name"),
        (asked(Some("THREADS"), None, None), Ok((1, 3)), "in any case"),
        (asked(Some("2"), Some("4"), None), Ok((4, 3)), "a name that is a number comes first"),
        (asked(Some("3"), None, None), Ok((2, 3)), "by number"),
        (asked(Some("thread"), None, None), Err("did you mean `threads`?"), "the nearest"),
        (asked(Some("7"), None, None), Err("a number from 1 to 6"), "beyond"),
        (asked(Some("0"), None, None), Err("a number from 1 to 6"), "from one"),
        (asked(Some("n"), Some("n"), None), Err("N and X are both `n`"), "twice"),
        (asked(None, None, Some("n")), Err("R is `n`, as is N"), "twice"),
        (asked(None, None, Some("latency:parsec")), Err("`parsec` is not a unit of time"), "units"),
    ];
    for (asked, want, why) in cases {
        match (found(header, asked), want) {
            (Ok(columns), Ok(want)) => assert_eq!((columns.n, columns.x), (Some(want.0), want.1), "{why}"),
            (Err(error), Err(want)) => assert!(error.contains(want), "{why}: {error}"),
            (found, _) => panic!("{why}: {found:?}"),
        }
    }
    let with_unit = found(header, asked(None, None, Some("latency:ms"))).unwrap();
    assert_eq!(with_unit.r, Some(ResponseTime { column: 5, unit_s: Some(1e-3) }));
}

/// Two columns without names are N and X; of more, nobody knows which is which.
#[test]
fn columns_without_names_are_two() {
    let columns = find(None, 2, NOTHING).unwrap();
    assert_eq!((columns.n, columns.x), (Some(0), 1));
    let error = find(None, 3, NOTHING).unwrap_err().to_string();
    assert!(error.contains("3 columns without a header") && error.contains("--n 1 --x 2"), "{error}");
    let asked = ColumnSelection { n: Some("3"), x: Some("1"), r: Some("2:ms") };
    let columns = find(None, 3, asked).unwrap();
    assert_eq!((columns.n, columns.x, columns.r.unwrap().column), (Some(2), 0, 1));
}

/// X and R without N are an open load; with a header that names N they are not.
#[test]
fn without_n_the_load_was_open() {
    let open = found("tps,latency_ms", NOTHING).unwrap();
    assert_eq!((open.n, open.x, open.dimension), (None, 0, Dimension::InFlight));
    assert_eq!(found("n,tps,latency_ms", NOTHING).unwrap().n, Some(0));
    let said = ColumnSelection { x: Some("1"), r: Some("2"), ..NOTHING };
    let headerless = find(None, 2, said).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((headerless.n, headerless.x), (None, 0));
    assert!(find(None, 2, NOTHING).is_ok_and(|columns| columns.n == Some(0)));
    assert!(found("tps,speed", NOTHING).is_err(), "neither N nor R");
}
