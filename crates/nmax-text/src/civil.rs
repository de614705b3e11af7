//! Days and dates of the Gregorian calendar, without a clock or a zone.

#[cfg(test)]
mod tests;

/// Days before 1970-01-01 at which year 1 begins, counted as negative.
pub const FIRST_DAY: i64 = -719_162;
/// The day of 9999-12-31.
pub const LAST_DAY: i64 = 2_932_896;

/// Days from 1970-01-01 to this date; `None` when there is no such date in the years 1 to 9999.
///
/// Source: H. Hinnant, *chrono-Compatible Low-Level Date Algorithms*, `days_from_civil`.
pub fn day_of(year: u32, month: u32, day: u32) -> Option<i64> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || day == 0 || day > days_of_month(year, month) {
        return None;
    }
    let year = i64::from(if month <= 2 { year - 1 } else { year });
    let (era, of_era) = (year / 400, year % 400);
    let month = i64::from((month + 9) % 12);
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Year, month and day of a day from [`FIRST_DAY`] to [`LAST_DAY`]; law: `dates_and_days_are_inverse`.
pub fn date_of(day: i64) -> (u32, u32, u32) {
    let shifted = day + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year_of_era + i64::from(month >= 10);
    (year as u32, ((month + 2) % 12 + 1) as u32, day as u32)
}

fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
