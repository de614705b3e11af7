//! Data in prison: efficiency above 100 %, and what should not rise or fall with N.

use super::{Code, Effect, Facts, Finding};
use crate::analysis::levels::{Level, Noise, NoiseOrigin};
use crate::analysis::wording::{list, number, percent, unit};
use crate::observation::Observation;

/// One-sided 2.5 %: the two-sided 95 % interval.
const TAIL: f64 = 0.025;
/// Chance of a false alarm that all comparisons of a test share.
const FAMILY: f64 = 0.05;
/// Excess of ln efficiency that is worth a word although noise may explain it, at so many N.
const EXCESS_SEEN: f64 = 0.1;
const LEVELS_SUSPECTED: usize = 2;
/// Distinct N above 1 that tell the noise without N = 1.
const LEVELS_WITHOUT_ONE: usize = 5;

/// Efficiency X(N)/(N·X(1)) above 100 %, by the lower end of its interval.
///
/// All N share the measured X(1), so they share the chance of a false alarm: the ends are one-sided at 5 % over the number
/// of N (Bonferroni).
pub(crate) fn over_one(facts: &Facts) -> Option<Finding> {
    let one = facts.one()?;
    let others = &facts.levels[1..];
    let excess = |level: &Level| level.ln_x - level.n.ln() - one.ln_x;
    if others.iter().all(|level| excess(level) <= 0.0) {
        return None;
    }
    let noise = noise_without_one(facts);
    let t = noise.quantile(1.0 - TAIL.min(FAMILY / others.len() as f64));
    let low = |level: &Level| excess(level) - t * noise.between(level, one);
    let over: Vec<&Level> = others.iter().filter(|level| low(level) > 0.0).collect();
    if over.is_empty() {
        return suspected(facts, others, &excess, &noise);
    }
    let worst = over.iter().copied().max_by(|a, b| low(a).total_cmp(&low(b)))?;
    let text = format!(
        "Put these data in prison: efficiency X(N)/(N·X(1)) is {} at N = {} (95 %: at least {}; {}). Nothing does more than \
         100 % of what one {} does, times N. Either X(1) = {}/s is too low (a cold cache, a first run, a limit that only one \
         meets), or N does not count what it says, or something else grew with N. Measure N = 1 again, after a warm-up and \
         several times; if it stays, look for what really grew. Until then no law holds here. Found at N = {}.",
        percent(excess(worst).exp()),
        number(worst.n),
        percent(low(worst).exp()),
        noise.describe(),
        unit(facts.options.dimension),
        number(one.x),
        list(over.iter().map(|level| number(level.n))),
    );
    let found = facts.rows_of(over);
    Some(Finding::new(Code::EfficiencyOverOne, Effect::Block, found, text))
}

/// Efficiency above 100 % at several N that noise may explain: said, but no verdict.
fn suspected(facts: &Facts, others: &[Level], excess: &dyn Fn(&Level) -> f64, noise: &Noise) -> Option<Finding> {
    // Runs that were repeated or counted tell their noise, and have then been heard.
    let one = facts.one().filter(|one| one.runs.len() == 1 && facts.noise.source != NoiseOrigin::Replicates)?;
    let is_counted = facts.observations[one.runs.clone()].iter().any(|o| o.count.is_some());
    let of_interest = others.iter().filter(|level| !is_counted && excess(level) > EXCESS_SEEN);
    let over: Vec<&Level> = of_interest.collect();
    let worst = over.iter().copied().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let text = format!(
        "Efficiency X(N)/(N·X(1)) is {} at N = {}, which cannot be told from noise ({}), but nothing does more than 100 %. \
         Measure N = 1 again, after a warm-up and several times, before anything is concluded. Found at N = {}.",
        percent(excess(worst).exp()),
        number(worst.n),
        noise.describe(),
        list(over.iter().map(|level| number(level.n))),
    );
    let found = facts.rows_of(over.iter().copied());
    (over.len() >= LEVELS_SUSPECTED).then(|| Finding::new(Code::EfficiencyOverOne, Effect::Warn, found, text))
}

/// Noise by runs above N = 1: a wrong X(1) bends the law, and would hide itself in what the law leaves.
fn noise_without_one(facts: &Facts) -> Noise {
    if facts.noise.source == NoiseOrigin::Replicates || facts.levels.len() <= LEVELS_WITHOUT_ONE {
        return facts.noise;
    }
    let above: Vec<Observation> = facts.observations.iter().filter(|o| o.n > 1.0).cloned().collect();
    Noise::left_by_law(&above).unwrap_or(facts.noise)
}

/// Two significant rises of X/N, one after the other.
pub(crate) fn rises(facts: &Facts) -> Option<Finding> {
    let t = facts.noise.quantile(1.0 - TAIL);
    let rise = |pair: &[Level]| {
        let [a, b] = pair else { return false };
        let by = (b.ln_x - b.n.ln()) - (a.ln_x - a.n.ln());
        by > t * facts.noise.between(a, b)
    };
    let found = facts.levels.windows(3).find(|three| rise(&three[..2]) && rise(&three[1..]))?;
    let share = |level: &Level| number(level.x / level.n);
    let text = format!(
        "Efficiency rises with N twice in a row: X/N is {}, {} and {} at N = {}, {} and {}, beyond noise ({}). More load \
         should not make each {} faster. Suspect caches that warm up from level to level, batches, or levels that were run \
         in order; run them in random order, each after its own warm-up.",
        share(&found[0]),
        share(&found[1]),
        share(&found[2]),
        number(found[0].n),
        number(found[1].n),
        number(found[2].n),
        facts.noise.describe(),
        unit(facts.options.dimension),
    );
    Some(Finding::new(Code::EfficiencyRises, Effect::Warn, facts.rows_of(found), text))
}

/// Mean response time of a level, where it was measured, as a level of its own.
fn response_times(facts: &Facts) -> Vec<(Level, f64)> {
    let time_of = |level: &Level| {
        let runs = &facts.observations[level.runs.clone()];
        let times: Vec<f64> = runs.iter().filter_map(|o| o.r_s).filter(|r_s| *r_s > 0.0).collect();
        let ln_mean = times.iter().map(|r_s| r_s.ln()).sum::<f64>() / times.len() as f64;
        (!times.is_empty()).then(|| (level.clone(), ln_mean))
    };
    facts.levels.iter().filter_map(time_of).collect()
}

/// Response time that falls from one N to the next, beyond noise.
///
/// Its relative noise is taken to be that of throughput, since N = X·(R + Z).
pub(crate) fn response_time_falls(facts: &Facts) -> Option<Finding> {
    let times = response_times(facts);
    let pairs = times.len().checked_sub(1).filter(|pairs| *pairs > 0)?;
    let t = facts.noise.quantile(1.0 - TAIL.min(FAMILY / pairs as f64));
    let falls = |pair: &&[(Level, f64)]| {
        let [(a, from), (b, to)] = pair else { return false };
        from - to > t * facts.noise.between(a, b)
    };
    let found: Vec<&[(Level, f64)]> = times.windows(2).filter(falls).collect();
    let steps = found.iter().map(|pair| format!("from N = {} to {}", number(pair[0].0.n), number(pair[1].0.n)));
    let text = format!(
        "Response time falls as load grows, {}, beyond noise ({}). A queue does not get shorter by more arrivals. Suspect \
         errors that are answered fast and counted as good, caches that warm up, or a target that scaled out meanwhile.",
        list(steps),
        facts.noise.describe(),
    );
    let found = facts.rows_of(found.iter().map(|pair| &pair[1].0));
    (!found.is_empty()).then(|| Finding::new(Code::ResponseTimeFalls, Effect::Warn, found, text))
}

/// γ against the measured X(1), beyond the noise of relative errors.
pub(crate) fn unit_mismatch(facts: &Facts) -> Option<Finding> {
    let (one, fit) = (facts.one()?, facts.fit?);
    let noise = match facts.relative.map(|fit| (fit.rss, fit.n.saturating_sub(fit.k))) {
        Some(residual @ (_, 1..)) => Noise::of_residuals(Some(residual)),
        _ => return None,
    };
    let gamma = fit.law.unit_throughput;
    let apart = (gamma / one.x).ln().abs();
    let limit = noise.quantile(1.0 - TAIL) * noise.of_mean(one).sqrt();
    if apart.is_nan() || apart <= limit {
        return None;
    }
    let text = format!(
        "The fitted curve does not pass through the measured X(1): γ is {}/s, X(1) is {}/s, {} apart, beyond noise ({}). Efficiency is \
         {} at N = 1 when it is counted by γ. The law misfits at small N; trust neither γ nor α by itself, and look at the \
         ladder of models.",
        number(gamma),
        number(one.x),
        percent((gamma / one.x - 1.0).abs()),
        noise.describe(),
        percent(one.x / gamma),
    );
    let found = facts.rows_of([one]);
    Some(Finding::new(Code::UnitMismatch, Effect::Warn, found, text))
}
