use jiff::civil::date;

use super::*;

fn series(points: usize, value: impl Fn(usize) -> f64) -> (Series, Model) {
    let mut random = Random::new(8);
    let values = (0..points).map(|at| Some(1000.0 * value(at).exp() * random.lognormal(0.01))).collect();
    let series = Series { start: date(2026, 1, 5), values, ..Series::default() };
    let model = Model::fit(&series, &[]).unwrap();
    (series, model)
}

/// Law: growth that halves every eight weeks goes on by what is left of it, not as a line.
#[test]
fn a_trend_that_wears_off_is_followed() {
    let value = |at: usize| 1.0 - 0.5_f64.powf(at as f64 / 56.0) + if at % 7 > 4 { -0.3 } else { 0.0 };
    let (series, model) = series(210, value);
    let damped = Damped::fit(&series, &model).unwrap();
    let ahead = damped.ahead(70);
    let truth = |at: usize| 1000_f64.ln() + value(210 + at);
    for at in [6, 34, 69] {
        let (own, line) = (ahead[at] + model.season_at(210 + at), model.log_at(210 + at));
        assert!((own - truth(at)).abs() < 0.06, "point {at}: {own}, truth {}", truth(at));
        assert!((own - truth(at)).abs() < 0.5 * (line - truth(at)).abs(), "point {at}: {own}, line {line}");
    }
}

/// Law: half of the draws lie above the median, at any distance.
#[test]
fn draws_lie_around_the_median() {
    let (series, model) = series(140, |at| 0.003 * at as f64);
    let damped = Damped::fit(&series, &model).unwrap();
    let (median, mut random, mut path) = (damped.ahead(30), Random::new(1), Vec::new());
    let mut above = [0; 30];
    for _ in 0..1000 {
        damped.draw(&mut random, 30, &mut path);
        above.iter_mut().zip(path.iter().zip(&median)).for_each(|(above, (y, middle))| *above += i32::from(y > middle));
    }
    assert!(above.iter().all(|above| (350..=650).contains(above)), "{above:?}");
}
