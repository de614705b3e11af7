//! What it means, in three sentences: what was measured, where the peak is, and what costs throughput.

use crate::analysis::Analysis;
use crate::analysis::levels::Level;
use crate::analysis::wording::{interval, list, number, percent, rough, rough_interval, unit, units};
use crate::class::Sign;
use crate::finding::blocking;
use crate::fit::Fit;
use crate::gate::LawPeak;
use crate::gate::model_words;
use crate::ladder;
use crate::ladder::Winner;
use crate::model::{Curve, Model};

/// Share of its throughput that a unit has to lose before it is said to do less than the first.
const LOSS_SEEN: f64 = 0.05;

/// Share of its throughput below which a loss is none that a measurement shows.
const NOTHING_LOST: f64 = 0.001;

/// Three sentences that an engineer can quote; the first is about the largest throughput measured.
pub(crate) fn meaning(analysis: &Analysis, levels: &[Level]) -> [String; 3] {
    [measured(analysis, levels), peak(analysis), costs(analysis, levels)]
}

fn measured(analysis: &Analysis, levels: &[Level]) -> String {
    let Some((n, x)) = analysis.best else {
        return "Nothing was measured that has a throughput and a load.".to_owned();
    };
    let runs = levels.iter().find(|level| level.n == n).map_or(1, |level| level.runs.len());
    let mean = if runs > 1 { format!(" (mean of {runs} runs)") } else { String::new() };
    let seen = analysis.observed_peak.map_or_else(String::new, |peak| {
        let (low, high) = peak.between;
        if peak.concurrency != n {
            return format!(
                "; taking neighboring loads together throughput peaks at N = {} with {}/s, and was lower beyond noise at {} and \
                 at {}",
                number(peak.concurrency),
                number(peak.throughput),
                number(low),
                number(high)
            );
        }
        format!(
            ", and that is a peak: it was lower beyond noise at {} and at {}",
            number(low),
            number(high)
        )
    });
    format!("The largest throughput measured is {}/s{mean} at N = {}{seen}.", number(x), number(n))
}

fn peak(analysis: &Analysis) -> String {
    if let Some(peak) = &analysis.peak {
        return peak_stated(peak);
    }
    let knee = ladder::rung(&analysis.ladder, Model::Knee).map(|rung| rung.curve);
    if let (Winner::One(Model::Knee), Some(Curve::Knee { unit_throughput, cap })) = (analysis.winner, knee) {
        let beyond = match analysis.observed_peak {
            Some(peak) => format!("beyond N = {} it was even lower", number(peak.concurrency)),
            None => "more load than that mostly waits".to_owned(),
        };
        return format!(
            "Of all models a straight line with a cap comes nearest: throughput stays at about {}/s from N = {} on, so the \
             law states no peak; {beyond}.",
            number(cap),
            rough(cap / unit_throughput)
        );
    }
    // What else fails follows from data that forbid conclusions, and from a law that is not there.
    let first_only = !blocking(&analysis.findings).is_empty() || analysis.fit.is_none();
    let failing = analysis.gate.iter().filter(|hold| !hold.holds);
    let texts = failing.map(|hold| hold.text.as_str()).take(if first_only { 1 } else { usize::MAX });
    format!("No peak of the law is stated: {}.", texts.collect::<Vec<_>>().join("; "))
}

fn peak_stated(peak: &LawPeak) -> String {
    let of_law = format!(
        "By the law throughput peaks at N = {}{} with {}/s{}, and more load than that does less work",
        rough(peak.concurrency.estimate),
        rough_interval(&peak.concurrency),
        number(peak.throughput.estimate),
        interval(&peak.throughput)
    );
    let other = "; the ln-variant explains the data about as well and puts the peak";
    match peak.alternative {
        Some((n, x)) => format!("{of_law}{other} at N = {} with {}/s, so take both as a range.", rough(n), number(x)),
        None if peak.alternative_is_beyond => {
            format!(
                "{of_law}{other} beyond twice what was measured, if anywhere, so measure further before relying on it."
            )
        }
        None => format!("{of_law}."),
    }
}

fn costs(analysis: &Analysis, levels: &[Level]) -> String {
    let names = blocking(&analysis.findings);
    if !names.is_empty() {
        let names = list(names.into_iter().map(str::to_owned));
        return format!("Nothing may be concluded from the law until these findings are dealt with: {names}.");
    }
    match (&analysis.fit, levels.last()) {
        (Some(_), Some(_)) if analysis.winner == Winner::One(Model::Knee) => under_cap(analysis, levels),
        (Some(fit), Some(last)) => shares(analysis, fit, last.n),
        _ => "Without a fit of the law nothing is said about contention and coherency.".to_owned(),
    }
}

/// Whether a model without coherency explains the data about as well, so that what coherency costs is the law's reading of
/// them and no fact.
fn rival(analysis: &Analysis) -> String {
    let ladder = &analysis.ladder;
    let Some(law) = ladder::rung(ladder, Model::Usl).filter(|rung| rung.aicc.is_finite()) else {
        return String::new();
    };
    if analysis.coherency_sign != Some(Sign::Positive) {
        return String::new();
    }
    ladder::simpler(ladder).filter(|rung| rung.aicc <= law.aicc + ladder::LEAD).map_or_else(String::new, |rung| {
        format!(
            " (by the law; {}, which has no coherency, explains the data about as well or better)",
            model_words(rung.model)
        )
    })
}

/// Below a cap: whether every unit adds as much as the first, as a straight line has it, or the line itself bends.
fn under_cap(analysis: &Analysis, levels: &[Level]) -> String {
    let find = "find the resource that is full beyond the cap";
    let unit = unit(analysis.options.dimension);
    let knee = ladder::rung(&analysis.ladder, Model::Knee).map(|rung| rung.curve);
    let (Some(Curve::Knee { unit_throughput, cap }), Some(first)) = (knee, levels.first()) else {
        return format!("Beyond the cap no {unit} adds anything; {find}.");
    };
    let per_unit = |level: &Level| level.x / level.n;
    let mut below = levels.iter().filter(|level| level.n * unit_throughput <= cap);
    let Some(last) = below.next_back().filter(|last| last.n > first.n) else {
        return format!("Beyond the cap no {unit} adds anything; {find}.");
    };
    let share = per_unit(last) / per_unit(first);
    if share < 1.0 - LOSS_SEEN {
        format!(
            "Below the cap throughput bends already: at N = {} each {unit} does {} of what it did at N = {}; {find}.",
            number(last.n),
            percent(share),
            number(first.n)
        )
    } else {
        format!("Up to the cap each {unit} adds about as much as the first; {find}.")
    }
}

/// How the capacity at the largest N is shared: 1/D does work, α(N−1)/D waits in line, βN(N−1)/D agrees.
fn shares(analysis: &Analysis, fit: &Fit, n: f64) -> String {
    let d = fit.law.denominator_at(n);
    let (alpha, beta) = (fit.law.contention, fit.law.coherency);
    let (line, agreement) = (alpha * (n - 1.0) / d, beta * n * (n - 1.0) / d);
    if d < 1.0 + NOTHING_LOST {
        return format!(
            "At N = {} nothing is lost that these data can show: each {} adds at least as much as the first, by the law.",
            number(n),
            unit(analysis.options.dimension)
        );
    }
    let begin = format!(
        "At N = {} the {} do {} of what they would do without getting in each other's way",
        number(n),
        units(analysis.options.dimension),
        percent(1.0 / d)
    );
    let open = |sign, name| match sign {
        Some(Sign::Undetermined) | None => format!(" ({name} is undetermined)"),
        _ => String::new(),
    };
    if alpha < 0.0 || beta < 0.0 {
        let name = if alpha < 0.0 { "contention α" } else { "coherency β" };
        let text = "came out below 0, so what costs throughput cannot be split into its two parts";
        return format!("{begin}; {name} {text}.");
    }
    let (contention, coherency) = (
        format!(
            "waiting for exclusive resources (contention) costs {}{}",
            percent(line),
            open(analysis.contention_sign, "α")
        ),
        format!(
            "coordination between them (coherency) costs {}{}{}",
            percent(agreement),
            open(analysis.coherency_sign, "β"),
            rival(analysis)
        ),
    );
    if line >= agreement {
        format!("{begin}: {contention}, and {coherency}.")
    } else {
        format!("{begin}: {coherency}, and {contention}.")
    }
}
