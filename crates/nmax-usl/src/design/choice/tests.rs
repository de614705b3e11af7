use proptest::prelude::*;

use super::{Question, choose};
use crate::design::information::{Information, product};
use crate::law::Usl;

const QUESTIONS: [Question; 4] =
    [Question::PeakThroughput, Question::PeakConcurrency, Question::Contention, Question::Coherency];

proptest! {
    /// Law: the promised reduction is the difference of the variances without and with the run, and no other
    /// candidate gives more.
    #[test]
    fn reduction_is_what_the_run_gives(
        alpha in 0.0..0.3_f64,
        peak in 5.0..300_f64,
        sd in 0.001..0.1_f64,
        which in 0..4_usize,
    ) {
        let law = Usl { contention: alpha, coherency: (1.0 - alpha) / (peak * peak), unit_throughput: 1e3 };
        let levels: Vec<f64> = (0..8).map(|step| (2.0 * peak).powf(f64::from(step) / 7.0)).collect();
        let measured = Information::from_levels(&law, &levels);
        let covariance = measured.covariance(sd).expect("eight levels");
        let gradient = QUESTIONS[which].gradient(&law).expect("it has a peak");
        let before = product(gradient, &covariance, gradient);
        let after = |n: f64| {
            let covariance = measured.plus(&law, n).covariance(sd).expect("nine levels");
            product(gradient, &covariance, gradient)
        };
        let choice = choose(&law, &covariance, sd * sd, QUESTIONS[which], &levels).expect("there are candidates");
        prop_assert!((before - after(choice.n) - choice.reduction).abs() <= 1e-6 * before);
        prop_assert!((choice.share * before - choice.reduction).abs() <= 1e-9 * before);
        for &n in &levels {
            prop_assert!(after(choice.n) <= after(n) * (1.0 + 1e-9), "{n} is better than {}", choice.n);
        }
    }
}

/// For X_peak of a ramp that ends at twice the peak, the best next run lies near the peak; for β it lies at the end.
#[test]
fn where_the_next_run_goes() {
    let law = Usl { contention: 0.0267, coherency: 7.69e-4, unit_throughput: 995.6 };
    let levels: Vec<f64> = (0..7).map(|power| f64::from(1 << power)).collect();
    let covariance = Information::from_levels(&law, &levels).covariance(0.03).expect("seven levels");
    let chosen = |question| choose(&law, &covariance, 9e-4, question, &levels).expect("candidates").n;
    assert_eq!(chosen(Question::PeakThroughput), 32.0);
    assert_eq!(chosen(Question::Coherency), 64.0);
}

#[test]
fn no_choice() {
    let amdahl = Usl { contention: 0.1, coherency: 0.0, unit_throughput: 10.0 };
    let covariance = Information::from_levels(&amdahl, &[1.0, 5.0, 20.0]).covariance(0.03).expect("three levels");
    assert_eq!(choose(&amdahl, &covariance, 9e-4, Question::PeakThroughput, &[1.0, 2.0]), None, "no peak");
    assert_eq!(choose(&amdahl, &covariance, 9e-4, Question::Contention, &[]), None, "no candidates");
}
