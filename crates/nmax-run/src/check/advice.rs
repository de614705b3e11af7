//! What is advised, as text and as JSON.

use nmax_json::records;
use nmax_plan::plan::Profile;
use nmax_report::number;

use super::effort::Effort;
use crate::host::Lateness;

/// Share of a core that a worker may use before its own lag shows.
const SHARE_MAX: f64 = 0.7;

/// What this machine can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Requests per second of worker CPU time: plain HTTP, kept connections, small replies.
    pub per_core_s: f64,
    /// Workers that a run would have.
    pub workers: u32,
    /// Requests per second that it can be trusted with.
    pub capacity_per_s: f64,
}

impl Machine {
    /// A machine whose workers make so many requests in a second of their CPU time.
    pub fn new(per_core_s: f64, workers: u32) -> Self {
        Self { per_core_s, workers, capacity_per_s: per_core_s * f64::from(workers) * SHARE_MAX }
    }
}

/// What is advised.
pub(crate) struct Advice {
    /// What this machine can, or why it is not known; `None` when it was not to be measured.
    pub(crate) machine: Option<Result<Machine, String>>,
    /// How late this machine wakes a thread; `None` when it was not to be measured.
    pub(crate) wake: Option<Lateness>,
    /// Requests per second at the peak; `None` when they are a result of the run.
    pub(crate) needed_per_s: Option<f64>,
    /// How much testing the load deserves.
    pub(crate) effort: Effort,
}

impl Advice {
    /// Lines of a plan's comment.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(machine) = &self.machine {
            text.push_str("#\n# Whether this machine can\n");
            self.machine_lines(machine).iter().for_each(|line| add(&mut text, line));
            self.wake.iter().for_each(|late| add(&mut text, &late.meaning()));
        }
        text.push_str("#\n# How much testing it deserves\n");
        add(&mut text, &self.headline());
        self.effort.reasons.iter().for_each(|reason| add(&mut text, reason));
        text
    }

    fn machine_lines(&self, machine: &Result<Machine, String>) -> Vec<String> {
        let machine = match machine {
            Ok(machine) => machine,
            Err(why) => return vec![format!("not known: {why}")],
        };
        let measured = format!(
            "one core makes {} (2 s against the built-in target: plain HTTP, kept connections, small replies)",
            number::rate(machine.per_core_s)
        );
        let workers = match machine.workers {
            1 => "1 worker".to_owned(),
            workers => format!("{workers} workers"),
        };
        let can = number::rate(machine.capacity_per_s);
        let verdict = match (self.needed_per_s, self.is_enough()) {
            (Some(needed), Some(true)) => format!(
                "processors are enough: {workers} make about {can} at 70 % of their cores, the peak needs {}",
                number::rate(needed)
            ),
            (Some(needed), _) => format!(
                "processors are not enough: {workers} make about {can} at 70 % of their cores, the peak needs {}; use a larger machine, \
                 several, or a lower rate",
                number::rate(needed)
            ),
            (None, _) => format!(
                "the rate of a closed workload is a result; {workers} make at most about {can} at 70 % of their cores"
            ),
        };
        let limits = "TLS, large replies, extraction and pages cost more: gates watch the injector during the run";
        vec![measured, verdict, limits.to_owned()]
    }

    fn measured(&self) -> Option<&Machine> {
        self.machine.as_ref()?.as_ref().ok()
    }

    fn is_enough(&self) -> Option<bool> {
        Some(self.needed_per_s? <= self.measured()?.capacity_per_s)
    }

    fn headline(&self) -> String {
        let names: Vec<&str> = self.effort.profiles.iter().map(|profile| profile.name()).collect();
        match self.effort.is_full {
            true => format!("every profile: {}", names.join(", ")),
            false => format!("a look by eye: {}, and read its report", names.join(", ")),
        }
    }
}

nmax_json::words!(pub(super) ProfileName: Profile::ALL.map(Profile::name));

records! {
    /// All of it, or why it could not be measured.
    #[schemars(description = "")]
    pub(super) struct MachineRow(advice: &Advice) {
        #[serde(flatten)]
        measured: Option<Measured> = advice.measured().map(|machine| (advice, machine));
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "String")]
        error: Option<String> = advice.machine.as_ref().and_then(|machine| machine.as_ref().err()),
            "Why it could not be measured; nothing else is there then.";
    }
    pub(super) struct Measured(of: (&Advice, &Machine)) {
        requests_per_core_s: f64 = of.1.per_core_s.round();
        workers: u64 = of.1.workers;
        capacity_per_s: f64 = of.1.capacity_per_s.round(), "Requests per second at 70 % of its cores.";
        needed_per_s: Option<f64> = of.0.needed_per_s, "At the peak.";
        is_enough: Option<bool> = of.0.is_enough();
        wake: Option<Wake> = &of.0.wake;
    }
    pub(super) struct Wake(late: &Lateness) {
        wakes: u64;
        p50_ms: f64 = ms(late.p50_ns as f64);
        p99_ms: f64 = ms(late.p99_ns as f64);
        max_ms: f64 = ms(late.max_ns as f64);
        target_p99_ms: f64 = ms(late.target_ns()), "The p99 of targets that are slower can be told.";
    }
    /// How much testing the load deserves.
    #[schemars(description = "")]
    pub(super) struct EffortRow(effort: &Effort) {
        every_profile: bool = effort.is_full;
        profiles: Vec<ProfileName> = effort.profiles.iter().map(|profile| profile.name()).collect::<Vec<_>>(),
            "To run, in order.";
        reasons: Vec<String>;
    }
}

/// Milliseconds with microsecond digits.
fn ms(ns: f64) -> f64 {
    (ns / 1e3).round() / 1e3
}

fn add(text: &mut String, line: &str) {
    text.push_str("#   ");
    text.push_str(line);
    text.push('\n');
}
