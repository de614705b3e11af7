use jiff::civil::date;

use super::super::Step;
use super::*;

#[track_caller]
fn check(text: &str, wanted: &[f64]) {
    let series = read(text, "peaks.csv", &Columns::default(), 1.0, Peak::Maximum).unwrap();
    assert_eq!(series.known().map(|(_, value)| value).collect::<Vec<_>>(), wanted, "{text}");
    assert_eq!(series.start, date(2026, 11, 2));
}

#[test]
fn tables_as_people_write_them() {
    check("date,peak\n2026-11-02,10\n2026-11-03,12.5\n", &[10.0, 12.5]);
    check("2026-11-02;10\n2026-11-03;12\n", &[10.0, 12.0]);
    check("host\tday\trate\na\t2026-11-02\t10\nb\t2026-11-03\t12\n", &[10.0, 12.0]);
    check(
        "rps,when\n10,2026-11-02T00:00:00Z\n12,2026-11-03T00:00:00Z\n".replace("when", "time").as_str(),
        &[10.0, 12.0],
    );
    check("time,value\n1793577600,10\n1793664000,12\n", &[10.0, 12.0]);
    check("# exported\n\"date\",\"peak\"\n\"2026-11-02\",\"10\"\n2026-11-09,12\n", &[10.0, 12.0]);
}

#[test]
fn each_wrong_row_names_its_line() {
    let text = "date,peak\n2026-11-02,10\n2026-11-03,0\n2026-11-04,-3\n4.11.2026,7\n2026-11-05,many\n";
    let errors = read(text, "peaks.csv", &Columns::default(), 1.0, Peak::Maximum).unwrap_err();
    let lines: Vec<&str> = errors.iter().map(|error| error.split(' ').next().unwrap()).collect();
    assert_eq!(lines, ["peaks.csv:3:", "peaks.csv:4:", "peaks.csv:5:", "peaks.csv:6:"]);
    assert!(errors[0].contains("leave out rows without traffic"), "{errors:?}");
}

#[test]
fn columns_that_are_not_clear_are_asked_for() {
    let text = "date,in,out\n2026-11-02,1,5\n2026-11-09,2,6\n";
    let errors = read(text, "p.csv", &Columns::default(), 1.0, Peak::Maximum).unwrap_err();
    assert_eq!(errors, ["p.csv: which column has the values is not clear of date, in, out; write `value: NAME`"]);
    let columns = Columns { value: Some("out".into()), time: None };
    let series = read(text, "p.csv", &columns, 0.5, Peak::Maximum).unwrap();
    assert_eq!((series.step, series.values.as_slice()), (Step::Week, &[Some(2.5), Some(3.0)][..]));
}
