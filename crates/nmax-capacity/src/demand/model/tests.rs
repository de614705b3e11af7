use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::tests::close;

fn weekly(values: &[f64]) -> Series {
    Series {
        start: date(2026, 1, 5),
        step: Step::Week,
        values: values.iter().copied().map(Some).collect(),
        ..Series::default()
    }
}

/// Oracle 11 of the reference.
#[test]
fn plain_line_as_published() {
    let peaks = [4000.0, 4120.0, 4150.0, 4330.0, 4370.0, 4520.0, 4560.0, 4740.0, 4790.0, 4960.0];
    let model = Model::fit(&weekly(&peaks), &[]).unwrap();
    close(model.coefficients[0], 8.294_447_4);
    close(model.coefficients[1], 0.023_299_40);
    let line = model.without_memory();
    close(line.deviation, 0.007_621_177);
    close(line.growth().per_week.value, 0.023_573_0);
    close(line.growth().doubling_weeks.unwrap(), 29.749_57);
    close(line.log_quantile(17.0, 0.5).exp(), 5946.376);
    close(line.log_quantile(17.0, 0.025).exp(), 5768.274);
    close(line.log_quantile(17.0, 0.975).exp(), 6129.977);
    let limit = 7000_f64.ln();
    close(line.crossing(limit, 0.5, 100.0).unwrap(), 24.001_39);
    close(line.crossing(limit, 0.975, 100.0).unwrap(), 22.323_12);
    close(line.crossing(limit, 0.975, 100.0).unwrap() - 9.0, 13.323_12);
    assert_eq!(line.crossing(limit, 0.5, 20.0), None, "beyond what is looked ahead");
}

proptest! {
    /// Law: the fit of what a model makes, without noise, is that model.
    #[test]
    fn model_returns_what_made_the_series(
        growth in -0.02..0.05_f64,
        monday in -0.3..0.3_f64,
        sale in 1.2..3.0_f64,
        weeks in 8..30_usize,
    ) {
        let start = date(2026, 1, 5);
        let event = Event { name: "sale".into(), days: vec![date(2026, 1, 20), date(2026, 2, 11)], factor: None };
        let value = |at: usize| {
            let day = start.saturating_add((at as i64).days());
            let season = if at.is_multiple_of(7) { monday } else { 0.0 };
            let sale = if event.is_in(day, Step::Day) { sale.ln() } else { 0.0 };
            (7.0 + growth * at as f64 / 7.0 + season + sale).exp()
        };
        let values = (0..7 * weeks).map(|at| (at % 17 != 5).then(|| value(at))).collect();
        let series = Series { start, values, ..Series::default() };
        let model = Model::fit(&series, std::slice::from_ref(&event)).unwrap();
        for at in (0..7 * weeks).chain([7 * weeks + 3, 7 * weeks + 7]) {
            prop_assert!((model.log_at(at) - value(at).ln()).abs() < 1e-8, "point {at}");
        }
        prop_assert!((model.growth().log - growth).abs() < 1e-9);
        prop_assert!((model.coefficients.last().unwrap().exp() - sale).abs() < 1e-8);
    }
}

#[test]
fn outliers_are_named_and_do_not_bend_the_line() {
    let mut random = Random::new(3);
    let clean: Vec<f64> = (0..40).map(|at| 100.0 * (0.01 * at as f64).exp() * random.lognormal(0.02)).collect();
    let mut spiked = clean.clone();
    spiked[38] *= 4.0;
    spiked[10] *= 0.3;
    let (clean, model) = (Model::fit(&weekly(&clean), &[]).unwrap(), Model::fit(&weekly(&spiked), &[]).unwrap());
    assert_eq!(model.outliers.iter().map(|outlier| outlier.at).collect::<Vec<_>>(), [10, 38]);
    assert!((model.outliers[1].factor - 4.0).abs() < 0.5, "{:?}", model.outliers);
    assert!((model.growth().log - clean.growth().log).abs() < 2.0 * clean.growth().error);
}

#[test]
fn a_memory_is_found() {
    let mut random = Random::new(9);
    for wanted in [0.0, 0.4, 0.8] {
        let mut noise = 0.0;
        let mut next = |at: usize| {
            noise = wanted * noise + 0.05 * random.normal();
            Some((5.0 + 0.001 * at as f64 + noise).exp())
        };
        let series = Series { start: date(2026, 1, 5), values: (0..700).map(&mut next).collect(), ..Series::default() };
        let found = Model::fit(&series, &[]).unwrap().memory;
        assert!((found - wanted).abs() < 0.1, "wanted {wanted}, found {found}");
    }
}

#[test]
fn too_few_points_are_no_trend() {
    let error = Model::fit(&weekly(&[1.0, 2.0, 3.0]), &[]).unwrap_err();
    assert_eq!(error, "3 points over 3.0 weeks are fewer than the 6 over 3 weeks that a trend needs");
}
