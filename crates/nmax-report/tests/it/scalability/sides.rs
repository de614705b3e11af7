//! N injectors of one thread against one injector of N threads: one sentence, one picture, one table.

use super::*;

/// Runs of a law with noise of this share, up and down in turn.
fn noisy(law: &Usl, noise: f64, shift: usize) -> Vec<(f64, f64)> {
    let levels = [1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 8.0, 8.0];
    let one = |(index, n): (usize, f64)| {
        let sign = if (index + shift).is_multiple_of(3) { 1.0 } else { -0.7 };
        (n, law.throughput_at(n) * (1.0 + sign * noise))
    };
    levels.into_iter().enumerate().map(one).collect()
}

/// A campaign of both, whose threads have this contention.
pub(super) fn view(contention: f64, noise: f64) -> ScaleView {
    let mut view = scale("sides", &noisy(&LAW, noise, 0));
    let threads = Usl { contention, ..LAW };
    view.knobs = Vec::new();
    view.info.axes = vec!["injectors".into(), "workers".into()];
    view.versions = vec![
        Version { name: "injectors".into(), analysis: analysis(&noisy(&LAW, noise, 0), Method::Log) },
        Version { name: "workers".into(), analysis: analysis(&noisy(&threads, noise, 1), Method::Log) },
    ];
    let (versions, version) = (view.versions.clone(), view.fit.nmax_version.clone());
    view.sides = Some(CompareView::sides(versions, version, "injectors, or threads of one"));
    view
}

fn sentence(view: &ScaleView) -> String {
    nmax_report::json::scale(view)["sides"]["text"].as_str().expect("a sentence").to_owned()
}

/// It says which of them carries more at the largest N that both reach, as the interval of the ratio allows.
#[test]
fn one_sentence_compares() {
    // contention of threads, noise, words
    let cases = [
        (0.3, 0.005, "At N = 8, 8 injectors of one thread each carry more than one injector of 8 threads, 2."),
        (0.0, 0.001, "At N = 8, one injector of 8 threads carries more than 8 injectors of one thread each, 1."),
        (0.03, 0.02, "At N = 8, 8 injectors of one thread each and one injector of 8 threads cannot be told apart: "),
    ];
    for (contention, noise, words) in cases {
        let view = view(contention, noise);
        let said = sentence(&view);
        assert!(said.starts_with(words), "{contention}: {said}");
        assert!(said.contains("contention α is ") && said.contains("coherency β is "), "{said}");
        assert!(said.contains(") with injectors and ") && said.contains(") with workers"), "{said}");
        let text = crate::written::text::scale(&view, plain(1000), nmax_report::terminal::Glyphs::Unicode);
        assert!(text.contains(&said) && text.contains("Horizontal against vertical"), "{text}");
        assert!(!text.contains("counts different things"), "it does so by intent: {text}");
    }
}

/// The ratio that is said is the one of the differences, whichever is larger.
#[test]
fn the_ratio_is_the_larger_over_the_smaller() {
    for contention in [0.3, 0.0] {
        let view = view(contention, 0.001);
        let sides = view.sides.as_ref().expect("two");
        let of = sides.differences.iter().find(|of| matches!(of.quantity, Quantity::ThroughputAt(_))).expect("a law");
        let ratio = (of.after / of.before).max(of.before / of.after);
        let said = sentence(&view);
        let (_, rest) = said.split_once("threads, ").or_else(|| said.split_once("each, ")).expect("a ratio");
        let shown: f64 = rest.split(' ').next().expect("a number").parse().expect("a number");
        assert!((shown - ratio).abs() < 0.02 * ratio, "{shown} and {ratio}: {said}");
    }
}

#[test]
fn without_a_law_nothing_is_compared() {
    let mut view = view(0.03, 0.01);
    for version in &mut view.versions {
        version.analysis = analysis(&[(1.0, 90.0), (2.0, 170.0)], Method::Log);
    }
    view.sides = Some(CompareView::sides(view.versions.clone(), "0".into(), "N"));
    assert!(sentence(&view).contains("three levels or more"), "{}", sentence(&view));
    let text = crate::written::text::scale(&view, plain(100), nmax_report::terminal::Glyphs::Unicode);
    assert!(text.contains("Horizontal against vertical: not compared"), "{text}");
}
