use nmax_analysis::{Evidence, InjectorFacts, Judgement, Verdict, judge};
use nmax_plan::plan::{Body, ClientCertificate as CertificateFiles, Step};
use nmax_testkit::plans::home_page;
use nmax_testkit::sim::{Options, instant, simulate};

use super::*;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// The judgement on ten seconds at 100/s of a target that answers in 4 ms, when the worker's thread is busy like this.
fn judged(blocks: Vec<(Nanos, Nanos)>, stop_at: Option<Nanos>) -> Judgement {
    judged_on("open: { rate: 100/s }", "10s", blocks, stop_at)
}

fn judged_on(workload: &str, length: &str, blocks: Vec<(Nanos, Nanos)>, stop_at: Option<Nanos>) -> Judgement {
    let conditions = "[response_time p95 < 20ms, failure_rate < 5%]";
    let plan = home_page(&format!("workload: {{ {workload} }}\nduration: {length}\nthresholds: {conditions}"));
    let options = Options { blocks, stop_at, ..Options::sum() };
    let run = simulate(&plan, instant(ms(4)), &options);
    let planned = plan.stages.iter().filter_map(|stage| stage.length_ns).sum();
    let end = run.end.min(Nanos(planned));
    judge(&Evidence {
        plan: &plan,
        catalog: &run.catalog,
        totals: &run.totals,
        hold: (Nanos::ZERO, end),
        end: run.end,
        last: &[],
        injectors: &[InjectorFacts::default()],
        interrupted: false,
        aborted: None,
        batches: &nmax_analysis::Batches::default(),
        course: &nmax_analysis::Course::default(),
        observed: &[],
        readings: &nmax_metrics::Readings::default(),
        happened: &[],
        stretches: &nmax_analysis::Stretches::default(),
        sides: None,
    })
}

/// What stops nmax makes a run INVALID whatever its workload, and never a FAIL of the target.
#[test]
fn an_injector_that_stands_still_makes_any_run_invalid() {
    let five_of_eight = vec![(ms(2_001), ms(5_000))];
    let tenth_of_each: Vec<(Nanos, Nanos)> = (0..8).map(|n| (ms(1_000 * n + 301), ms(100))).collect();
    for workload in ["closed: { vus: 10 }", "open: { rate: 200/s }"] {
        for blocks in [Vec::new(), five_of_eight.clone(), tenth_of_each.clone()] {
            let is_free = blocks.is_empty();
            let judgement = judged_on(workload, "8s", blocks, None);
            let want = if is_free { Verdict::Pass } else { Verdict::Invalid };
            assert_eq!(judgement.verdict, want, "{workload}: {:?}", judgement.reasons);
            let first = judgement.reasons.iter().rfind(|reason| reason.decides);
            assert!(is_free || first.is_some_and(|reason| reason.code == "G8_STALLS"), "{:?}", judgement.reasons);
        }
    }
}

/// A throttled injector invalidates its run; the same run with time enough is a PASS.
#[test]
fn a_throttled_injector_makes_a_run_invalid() {
    let free = judged(Vec::new(), None);
    assert_eq!(free.verdict, Verdict::Pass, "{:?}", free.reasons);
    // Of every 100 ms the thread gets 60.
    let throttled: Vec<(Nanos, Nanos)> = (0..100).map(|n| (ms(100 * n + 5), ms(40))).collect();
    let late = judged(throttled, None);
    assert_eq!(late.verdict, Verdict::Invalid, "{:?}", late.gates);
    // A thread that is gone for a second never starts what was due then.
    let gone = judged(vec![(ms(8_000), ms(1_000))], Some(ms(8_500)));
    assert_eq!(gone.verdict, Verdict::Invalid, "{:?}", gone.gates);
}

fn plan() -> Plan {
    (*home_page("workload: { closed: { vus: 1 } }")).clone()
}

fn refused(plan: Plan) -> String {
    let allow: Allow = Arc::new(|_, _| Ok(()));
    settings(&Arc::new(plan), &allow).err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn files_that_cannot_be_read_are_named_with_reason_and_remedy() {
    let mut body = plan();
    if let Step::Call(request) = &mut body.scenarios[0].steps[0] {
        std::sync::Arc::make_mut(request).http_mut().unwrap().body = Body::File("no/such.bin".into());
    }
    let error = refused(body.clone());
    assert!(error.contains("no/such.bin") && error.contains("No such file") && error.contains("help:"), "{error}");
    if let Step::Call(request) = &mut body.scenarios[0].steps[0] {
        std::sync::Arc::make_mut(request).http_mut().unwrap().body = Body::File("/".into());
    }
    assert!(refused(body).contains("not a regular file"));
    let mut identity = plan();
    identity.defaults.client_certificate =
        Some(CertificateFiles { certificate_file: "no/cert.pem".into(), key_file: "no/key.pem".into() });
    let error = refused(identity);
    assert!(error.contains("no/cert.pem") && error.contains("help:"), "{error}");
}

#[test]
fn body_files_are_opened_with_their_length() {
    let mut plan = plan();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    if let Step::Call(request) = &mut plan.scenarios[0].steps[0] {
        std::sync::Arc::make_mut(request).http_mut().unwrap().body = Body::File(file.into());
    }
    let allow: Allow = Arc::new(|_, _| Ok(()));
    let files = settings(&Arc::new(plan), &allow).unwrap().files;
    assert_eq!(files[file].length, std::fs::metadata(file).unwrap().len());
}
