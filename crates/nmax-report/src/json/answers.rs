//! What a run says beyond its numbers: the answer of its profile, steadiness, effects of interventions.

use nmax_analysis::summary::ObservedRow;
use nmax_analysis::{Answer, Effect, SeriesTest, Steadiness};
use nmax_json::{Micro, Word, records};

use super::unit;

records! {
    pub(super) struct Steady(steady: &Steadiness) {
        holds: Option<bool>, "Null when there was too little to tell.";
        transient_s: Option<Micro>, "Beginning of the hold that is a transient by MSER-5.";
        series: Vec<Test>;
        text: String;
    }
    pub(super) struct Test(test: &SeriesTest) {
        name: Word;
        drift: Option<Micro>, "Change over the hold, of the median, by the Theil-Sen slope.";
        drift_limit: Micro;
        kpss: Option<Micro>;
        adf: Option<Micro>, "Decides nothing.";
        holds: Option<bool>;
    }
    pub(super) struct Profile(answer: &Answer) {
        name: Word = answer.profile.name(), in ["smoke", "ladder", "peak", "stress", "soak", "flood"];
        headline: String;
        findings: Vec<Finding>;
    }
    pub(super) struct Finding(finding: &nmax_analysis::Finding) {
        code: Word;
        subject: String, "What it is of; empty when it is of all.";
        value: Option<Micro>;
        low: Option<Micro> = finding.interval.map(|(low, _)| low), "Of the 95 % interval.";
        high: Option<Micro> = finding.interval.map(|(_, high)| high), "Of the 95 % interval.";
        unit: Word = unit(finding.unit);
        text: String;
        trouble: bool = finding.is_trouble;
    }
    pub(super) struct Intervention(effect: &Effect) {
        name: String = &effect.happened.name;
        start_s: Micro = effect.happened.start_s;
        end_s: Option<Micro> = effect.happened.end_s, "Null when it was never undone or over.";
        error: Option<String> = &effect.happened.error, "Why its action or its undo failed.";
        before: Option<Figures> = &effect.phases[0];
        during: Option<Figures> = &effect.phases[1];
        after: Option<Figures> = &effect.phases[2];
        worst_p95_ms: Option<Micro>, "Largest p95 of a stretch of the course from the beginning of the intervention until \
            the figures were as before.";
        recovery_s: Option<Micro> = effect.recovery.seconds(),
            "From its end until the figures were as before; null when that was not seen.";
        text: String;
    }
    pub(super) struct Figures(figures: &nmax_analysis::Figures) {
        length_s: Micro;
        throughput_per_s: Micro, "Exchanges that ended.";
        failure_rate: Micro;
        p50_ms: Option<Micro>;
        p95_ms: Option<Micro>;
    }
    pub(super) struct Observed(row: &ObservedRow) {
        name: String;
        metric: String, "With its unit, such as `memory_bytes`.";
        first: Micro;
        last: Micro;
        max: Micro;
    }
}
