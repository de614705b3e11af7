use super::*;

/// Law: a day has a date, and the date has that day; later days have later dates.
#[test]
fn dates_and_days_are_inverse() {
    let mut before = (0, 0, 0);
    for day in (FIRST_DAY..LAST_DAY).step_by(7).chain([LAST_DAY]) {
        let date = date_of(day);
        assert_eq!(day_of(date.0, date.1, date.2), Some(day), "{date:?}");
        assert!(date > before, "{date:?} after {before:?}");
        before = date;
    }
    assert_eq!(before, (9999, 12, 31));
}

#[test]
fn what_is_no_date_has_no_day() {
    for (year, month, day) in [(2023, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (0, 1, 1)] {
        assert_eq!(day_of(year, month, day), None, "{year}-{month}-{day}");
    }
    assert_eq!(day_of(1970, 1, 1), Some(0));
    assert_eq!(day_of(2000, 2, 29), Some(11_016), "from `date -d 2000-02-29 +%s`");
}
