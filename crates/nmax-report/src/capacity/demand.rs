//! Demand: what was counted, what comes, and how good such forecasts were.

use nmax_capacity::Date;
use nmax_capacity::demand::forecast::{Band, weekly, weeks_between};
use nmax_capacity::demand::series::Burst;
use nmax_capacity::demand::{BackTest, Forecast, Method, Series};
use nmax_text::number::{plain, significant};

use super::picture::{Curves, curve};
use crate::doc::table::Table;
use crate::doc::{Body, Item, Mark, Media, Section};
use crate::number::{self, rate};
use crate::scalability::Series as Curve;

/// Weeks of history in a picture.
const HISTORY_WEEKS_MAX: usize = 104;
/// Most weeks of a table.
const ROWS_MAX: usize = 60;

/// Forecast and back-test.
pub fn sections(forecast: &Forecast) -> Vec<Section> {
    let mut sections = vec![ahead(forecast)];
    sections.extend(forecast.backtest.as_ref().ok().map(backtest));
    sections.extend(forecast.series.as_ref().and_then(|series| series.burst.as_ref()).map(burst));
    sections
}

fn ahead(forecast: &Forecast) -> Section {
    let weeks = forecast.bands.first().map_or_else(Vec::new, |first| weekly(&forecast.bands, first.date));
    let aside = format!("{}, peaks of weeks", forecast.method.word());
    Section::new("demand", "Demand").aside(aside).with(|body| {
        body.keys(keys(forecast));
        picture(body, forecast, &weeks);
        let is_naive = forecast.method == Method::Naive;
        let table = Table::from_rows(&weeks)
            .at_most(ROWS_MAX, "weeks in the JSON")
            .word("week from", |band: &Band| band.date.to_string())
            .rate("low", |band| band.low)
            .rate("expected", |band| band.median)
            .rate("high", |band| band.high)
            .rate("naive", |band| band.naive)
            .known()
            .fits();
        body.on(Media::ALL.without(Media::BRIEF)).table(table);
        body.everywhere();
        if is_naive {
            body.note(
                "The naive forecast repeats the last season; its interval is what one season differs from the next.",
            );
        }
        body.on(Media::ALL.without(Media::BRIEF)).items(outliers(forecast));
    })
}

fn keys(forecast: &Forecast) -> Vec<(&'static str, String, String)> {
    let growth = forecast.growth();
    let share = |ratio: f64| format!("{} %", significant(100.0 * ratio, 2));
    let interval = |(low, high)| format!("{} to {} (95 %)", share(low), share(high));
    let (value, below) = growth.map_or_else(
        || (number::UNKNOWN.to_owned(), "the naive forecast has none".to_owned()),
        |growth| (share(growth.value), growth.interval.map_or_else(|| growth.basis.word().to_owned(), interval)),
    );
    let last = forecast.ahead_of_today().last();
    let mut keys = vec![
        ("now", rate(forecast.now()), "expected peak of this week".to_owned()),
        ("growth per week", value, below),
        ("in the time ahead", rate(forecast.peak()), format!("highest expected peak in {} weeks", forecast.weeks)),
        ("upper end", rate(forecast.peak_high()), "of the 95 % interval".to_owned()),
    ];
    let doubling = forecast.model.as_ref().ok().and_then(|model| model.growth().doubling_weeks);
    if let (Method::Model, Some(weeks), Some(_)) = (forecast.method, doubling, last) {
        keys.push(("doubling", format!("{} weeks", significant(weeks, 3)), "at this growth".to_owned()));
    }
    keys
}

/// The largest of each week of a series.
fn history(series: &Series) -> Vec<(Date, f64)> {
    let bands: Vec<Band> = series
        .known()
        .map(|(at, value)| Band { date: series.date(at), low: value, median: value, high: value, naive: None })
        .collect();
    let weeks = weekly(&bands, series.start);
    weeks[weeks.len().saturating_sub(HISTORY_WEEKS_MAX)..].iter().map(|band| (band.date, band.median)).collect()
}

fn picture(body: &mut Body, forecast: &Forecast, weeks: &[Band]) {
    let history = forecast.series.as_ref().map(history).unwrap_or_default();
    let from = history.first().map_or(forecast.today, |(date, _)| *date);
    let counted = history.iter().map(|(date, value)| (weeks_between(from, *date), *value)).collect();
    let mut series = vec![expected(from, weeks), curve("counted", false, counted)];
    if forecast.method != Method::Naive {
        let naive = weeks.iter().filter_map(|band| Some((weeks_between(from, band.date), band.naive?)));
        series.push(curve("naive: the last season repeated", true, naive.collect()));
    }
    over_weeks(body, "demand-weeks", "Demand", from, (series, band(from, weeks)));
}

/// The median of demand.
pub(super) fn expected(from: Date, weeks: &[Band]) -> Curve {
    curve("expected", false, weeks.iter().map(|band| (weeks_between(from, band.date), band.median)).collect())
}

/// Its 95 % band.
pub(super) fn band(from: Date, weeks: &[Band]) -> Vec<(f64, f64, f64)> {
    weeks.iter().map(|band| (weeks_between(from, band.date), band.low, band.high)).collect()
}

/// Draws curves and the band of demand.
pub(super) fn over_weeks(
    body: &mut Body,
    id: &str,
    title: &str,
    from: Date,
    (mut series, band): (Vec<Curve>, Vec<(f64, f64, f64)>),
) {
    series.retain(|series| !series.curve.is_empty());
    let curves = Curves { series, band, band_name: "95 % of futures" };
    curves.draw(body, (id, title), (&format!("weeks from {from}"), "requests per second"));
}

fn outliers(forecast: &Forecast) -> Vec<Item> {
    let (Some(series), Ok(model)) = (&forecast.series, &forecast.model) else { return Vec::new() };
    let item = |outlier: &nmax_capacity::demand::model::Outlier| {
        let text = format!(
            "{}: {} times what the rest says; left out of the fit",
            series.date(outlier.at),
            significant(outlier.factor, 2)
        );
        Item::new(Mark::Warning, text)
    };
    model.outliers.iter().map(item).collect()
}

fn backtest(test: &BackTest) -> Section {
    let aside = format!("forecasts {} weeks ahead beside what came", plain(test.weeks));
    Section::new("backtest", "Back-test").aside(aside).with(|body| {
        body.keys([
            ("MASE", significant(test.mase, 3), "below 1 the model is better than the last season repeated".to_owned()),
            ("MASE, damped", significant(test.damped_mase, 3), "a trend that wears off, as a challenger".to_owned()),
            ("MASE, naive", significant(test.naive_mase, 3), "the last season repeated, equally far ahead".to_owned()),
            ("coverage", number::share(test.coverage), "of what came lay in the 95 % interval".to_owned()),
        ]);
        body.on(Media::ALL.without(Media::BRIEF)).table(
            Table::from_rows(&test.origins)
                .word("known to", |origin| origin.known_to.to_string())
                .count("points", |origin| origin.points)
                .number("MASE", |origin| significant(origin.mase, 3))
                .number("damped", |origin| significant(origin.damped_mase, 3))
                .number("naive", |origin| significant(origin.naive_mase, 3))
                .count("in the interval", |origin| origin.inside)
                .fits(),
        );
    })
}

fn burst(burst: &Burst) -> Section {
    Section::new("burst", "Load within days").with(|body| {
        body.facts([
            ("mean load", rate(burst.mean)),
            ("peak to mean", significant(burst.peak_to_mean, 3)),
            ("time above the mean", number::share(burst.above_mean)),
            ("counted every", number::span(burst.step_s)),
        ]);
    })
}
