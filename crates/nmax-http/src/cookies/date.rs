//! Dates of the `expires` attribute, in the many forms that servers send (RFC 6265 section 5.1.1).

/// Unix seconds of a date in a cookie or another header; `None` when it is none.
pub fn parse_date(text: &[u8]) -> Option<i64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(|&b| is_delimiter(b)).filter(|token| !token.is_empty()) {
        if time.is_none()
            && let Some(found) = time_of(token)
        {
            time = Some(found);
        } else if day.is_none()
            && let Some(found) = number(token, 1, 2)
        {
            day = Some(found);
        } else if month.is_none()
            && let Some(found) = month_of(token)
        {
            month = Some(found);
        } else if year.is_none()
            && let Some(found) = number(token, 2, 4)
        {
            year = Some(found);
        }
    }
    let (hour, minute, second) = time?;
    let (day, month) = (day?, month?);
    let year = match year? {
        short @ 70..=99 => short + 1900,
        short @ 0..=69 => short + 2000,
        full => full,
    };
    let is_valid =
        (1..=days_in(year, month)).contains(&day) && year >= 1601 && hour <= 23 && minute <= 59 && second <= 59;
    is_valid.then(|| days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// What stands between the parts of a date: nearly all but letters, digits and colons.
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, 0x09 | 0x20..=0x2F | 0x3B..=0x40 | 0x5B..=0x60 | 0x7B..=0x7E)
}

/// A number of `least` to `most` digits at the start, followed by no further digit.
fn number(token: &[u8], least: usize, most: usize) -> Option<i64> {
    let digits = token.iter().take_while(|b| b.is_ascii_digit()).count();
    if !(least..=most).contains(&digits) {
        return None;
    }
    std::str::from_utf8(&token[..digits]).ok()?.parse().ok()
}

/// `h:m:s`, each of one or two digits.
fn time_of(token: &[u8]) -> Option<(i64, i64, i64)> {
    let mut fields = token.splitn(3, |&b| b == b':');
    let (hour, minute, second) = (fields.next()?, fields.next()?, fields.next()?);
    let whole = |field: &[u8]| number(field, 1, 2).filter(|_| field.len() <= 2 && field.iter().all(u8::is_ascii_digit));
    Some((whole(hour)?, whole(minute)?, number(second, 1, 2)?))
}

/// 1 to 12, by the first three letters.
fn month_of(token: &[u8]) -> Option<i64> {
    const NAMES: [&[u8]; 12] =
        [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
    let start = token.get(..3)?;
    (1..).zip(NAMES).find(|(_, name)| start.eq_ignore_ascii_case(name)).map(|(month, _)| month)
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, for years from 1601.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let leap_days = before / 4 - before / 100 + before / 400;
    let months: i64 = (1..month).map(|earlier| days_in(year, earlier)).sum();
    /// Days from 0001-01-01 to 1970-01-01.
    const EPOCH_DAYS: i64 = 719_162;
    before * 365 + leap_days + months + day - 1 - EPOCH_DAYS
}
