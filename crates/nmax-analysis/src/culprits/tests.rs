use nmax_metrics::{Nanos, Section};
use proptest::prelude::*;

use super::*;
use crate::judge;
use crate::tests::fixture::Run;

fn facts(culprits: Culprits) -> InjectorFacts {
    InjectorFacts { workers: 1, cpu_utilization_max: Some(0.3), culprits: Some(culprits), ..InjectorFacts::default() }
}

/// Two processors for ten seconds, half of them idle.
fn quiet() -> Culprits {
    Culprits { span_s: 10.0, cores: 2.0, idle_cores: 1.0, own_cores: 0.3, ..Culprits::default() }
}

fn process(name: &str, cores: f64) -> Neighbour {
    Neighbour { name: name.into(), cores, is_target: name == "nginx" }
}

#[test]
fn causes_are_named_and_advice_fits() {
    let busy = |processes| Culprits { idle_cores: 0.05, processes, ..quiet() };
    let cases = [
        (
            Culprits { steal_cores: 0.24, ..quiet() },
            "steal 12 % (the host of this virtual machine); use another machine or dedicated cores",
        ),
        (
            busy(vec![process("rustc", 1.13), process("cc1", 0.4), process("sshd", 0.01)]),
            "rustc 1.1 cores, cc1 0.4; stop rustc and cc1",
        ),
        (
            busy(vec![process("nginx", 0.9)]),
            "nginx (the target) 0.9 cores; move the target to another machine, or keep it and the workers apart (`--pin`)",
        ),
        (
            Culprits { throttled_s: 2.1, ..quiet() },
            "the quota of nmax's control group held it back for 2.1 s; raise the quota, or lower the rate",
        ),
        (
            Culprits { frozen_s: 3.0, ..quiet() },
            "nmax's control group was frozen for 3 s; let nothing freeze nmax during a run",
        ),
        (Culprits { others_cores: 0.8, ..quiet() }, "other processes 0.8 cores; stop other processes"),
        (
            quiet(),
            "no process and no steal, 50 % of the processors were idle: the timers of this machine, or something that stopped \
             nmax (a signal, a paused virtual machine); `nmax doctor` measures how late this machine wakes a thread; use one \
             that is on time",
        ),
    ];
    for (culprits, want) in cases {
        assert_eq!(told(&facts(culprits)).unwrap(), format!("what took nmax's time in the hold: {want}"));
    }
    let both = Culprits { steal_cores: 0.1, ..busy(vec![process("nginx", 0.9), process("cc1", 0.5)]) };
    let text = told(&facts(both)).unwrap();
    assert!(text.contains("steal 5 %") && text.contains("cc1 0.5 cores, nginx (the target) 0.9;"), "{text}");
    assert_eq!(told(&InjectorFacts::default()), None, "older runs looked at nothing");
}

proptest! {
    /// Law: more workers are advised only where nmax is short of its core and there is a core for them; a lower rate only
    /// where processors are the limit.
    #[test]
    fn more_workers_need_a_free_core(
        workers in 1_u32..9, cores in 1_u32..9, idle in 0.0..1.0_f64, steal in 0.0..0.5_f64, busiest in 0.0..1.0_f64,
    ) {
        let cores = f64::from(cores);
        let culprits = Culprits { cores, idle_cores: idle * cores, steal_cores: steal * cores, ..quiet() };
        let facts = InjectorFacts { workers, cpu_utilization_max: Some(busiest), ..facts(culprits) };
        let text = told(&facts).unwrap();
        let is_short = busiest >= OWN_SHARE_MIN;
        prop_assert_eq!(text.contains("lower rate"), is_short, "{}", text);
        prop_assert_eq!(text.contains("more workers"), is_short && f64::from(workers) < cores - 1.0 && idle * cores >= 1.0);
        prop_assert_eq!(text.contains("dedicated cores"), steal >= STEAL_SHARE_MIN);
    }
}

/// One sentence beside whatever says that nmax was late, and none in a run that was not.
#[test]
fn it_is_told_once_where_time_was_lost() {
    let codes =
        |run: &Run| -> Vec<&'static str> { judge(&run.evidence()).reasons.iter().map(|reason| reason.code).collect() };
    let mut run = Run::healthy();
    run.injector.culprits = Some(Culprits { steal_cores: 0.24, ..quiet() });
    assert_eq!(codes(&run), [""; 0]);
    run.totals.load_mut(Section::Hold).run_wait = Nanos::from_secs(6);
    assert_eq!(codes(&run), ["G4_RUN_QUEUE", "TIME_TAKEN"]);
    run.injector.cpu_utilization_max = Some(1.0);
    assert_eq!(codes(&run), ["G4_INJECTOR_CPU", "G4_RUN_QUEUE", "TIME_TAKEN"]);
    run.injector.culprits = None;
    assert_eq!(codes(&run), ["G4_INJECTOR_CPU", "G4_RUN_QUEUE"]);
}
