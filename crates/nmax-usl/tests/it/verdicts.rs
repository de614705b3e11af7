//! What is said about the published data sets: the ladder of models, and every expected verdict.

use nmax_usl::{Analysis, Class, Code, Method, Model, Observation, Options, Sign, Winner, Zone, analyse};

use crate::sets;

fn judged(observations: &[Observation]) -> Analysis {
    analyse(observations, &Options::default())
}

fn first(observations: Vec<Observation>, n: usize) -> Vec<Observation> {
    observations.into_iter().take(n).collect()
}

/// Names of conditions that do not hold.
fn failing(analysis: &Analysis) -> Vec<&'static str> {
    analysis
        .gate
        .iter()
        .filter(|hold| !hold.holds)
        .map(|hold| hold.name)
        .collect()
}

fn has(analysis: &Analysis, code: Code) -> bool {
    analysis.findings.iter().any(|finding| finding.code == code)
}

#[test]
#[ignore = "a look"]
fn look() {
    let all = [
        ("specsdm91", sets::specsdm91()),
        ("cisco", sets::cisco()),
        ("raytracer", sets::raytracer()),
        ("raytracer 6", first(sets::raytracer(), 6)),
        ("memcached", sets::memcached()),
        ("sysbench", sets::sysbench()),
        ("synthetic", sets::synthetic()),
        ("cisco 10", first(sets::cisco(), 10)),
    ];
    for (name, set) in all {
        let a = judged(&set);
        println!("== {name}");
        for r in &a.ladder {
            println!("  {:8} {:8.2} {:?}", r.model.name(), r.aicc, r.curve);
        }
        println!(
            "  {:?} {:?} {:?} class {:?}: {}",
            a.winner, a.contention_sign, a.coherency_sign, a.class, a.class_text
        );
        println!("  observed {:?} peak {:?}", a.observed_peak, a.peak);
        println!("  roof {:?} optimum {:?}", a.roof, a.optimum);
        for h in &a.gate {
            println!("  {} {}: {}", h.holds, h.name, h.text);
        }
        for f in &a.findings {
            println!("  {} {:?} {:?}: {}", f.code.name(), f.effect, f.rows, f.text);
        }
        for m in &a.meaning {
            println!("  > {m}");
        }
        println!("  {:?}", a.points.iter().map(|p| p.zone).collect::<Vec<_>>());
    }
}
