//! In steady state an exchange allocates nothing: a run six times as long allocates no more, over real sockets.

use std::rc::Rc;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

use allocation_counter::measure;
use nmax_engine::context::Context;
use nmax_engine::http::sockets::HttpDrivers;
use nmax_engine::http::state::{Http, HttpPlan};
use nmax_engine::measure::meter::{Link, Meter, MeterSettings, Report};
use nmax_engine::program::{Program, catalog};
use nmax_engine::run::worker;
use nmax_engine::runtime::Runtime;
use nmax_engine::runtime::real::{RealClock, RealRuntime};
use nmax_engine::schedule::source::{Slots, Sources, times};
use nmax_engine::{Files, KeepSamples};
use nmax_http::{Config, Shared};
use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;
use nmax_reactor::Reactor;
use nmax_target::Options;
use nmax_testkit::plans::requests;

/// A worker's whole run on this thread; returns how many exchanges were ok.
async fn run_here(plan: Arc<Plan>) -> u64 {
    let (reports_in, reports) = sync_channel(64);
    let (_recycle, recycled) = sync_channel(1);
    let (clock, names) = (RealClock::starting_now(), catalog(&plan, 10));
    let config = Config { body_limit: plan.defaults.body_limit_bytes, ..Config::new(Arc::new(|_, _| Ok(()))) };
    let runtime = RealRuntime::start(clock.clone()).unwrap();
    let drivers = HttpDrivers::new(Shared::new(config, clock).unwrap());
    let of = HttpPlan::new(&plan, &names).unwrap();
    let program = Program::new(Arc::clone(&plan), &names, &Files::default(), &of).unwrap();
    let http = Http::new(drivers, of);
    let sources =
        Sources::new(&plan, &Slots::new(&plan, Share::whole()), Share::whole(), (0, 1), || runtime.timer()).unwrap();
    let settings = MeterSettings {
        width: Nanos::from(plan.window),
        hold: times(&plan).hold,
        keep: KeepSamples::Some,
        seed: plan.seed,
    };
    let meter = Meter::new(settings, Link { worker: 0, reports: reports_in, recycled }, runtime.thread_time());
    let context = Context::new(runtime, http, program, sources, meter, Arc::new(Mutex::new(names)), Nanos::ZERO);
    worker::run(Rc::new(context), times(&plan), Nanos::from_secs(30)).await;
    let count = |report: Report| match report {
        Report::Window { window, .. } => window.aggregate.whole().total(Section::Hold).ok(),
        Report::Ended { .. } => 0,
    };
    reports.try_iter().map(count).sum()
}

/// Exchanges and allocations of a run on a fresh worker.
fn cost_of(target: &str, steps: &str, keys: &str) -> (u64, u64) {
    let plan = requests(target, steps, &format!("window: 60s\n{keys}"));
    let reactor = Reactor::new().unwrap();
    let mut ok = 0;
    let counted = measure(|| ok = reactor.block_on(run_here(plan)));
    (ok, counted.count_total)
}

/// Histograms that meet a larger value than any before grow by a doubling; that is no cost per exchange.
const GROWTH_MAX: u64 = 100;

#[test]
fn an_exchange_in_steady_state_allocates_nothing() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let (check, render) = (
        "[{ get: /, expect: { status: 200 } }]",
        "[{ get: \"/hello?n=${iteration}\", headers: { x-vu: \"${vu}\" }, expect: { contains: hello } }]",
    );
    let closed = |n: u64| format!("workload: {{ closed: {{ vus: 4 }}, iterations: {n} }}");
    let traced = |n: u64| format!("{}\ndefaults: {{ trace: {{ share: 50% }} }}", closed(n));
    let open = |span: &str| format!("workload: {{ open: {{ rate: 20k/s, max_in_flight: 4 }} }}\nduration: {span}");
    let cases = [
        (check, closed(1_000), closed(6_000)),
        (check, open("100ms"), open("5s")),
        (render, closed(1_000), closed(6_000)),
        (check, traced(1_000), traced(6_000)),
        (render, traced(1_000), traced(6_000)),
    ];
    // The process's first run also pays for what is made once.
    cost_of(&target.url(), check, &closed(10));
    for (steps, short, long) in cases {
        let (few, before) = cost_of(&target.url(), steps, &short);
        let (many, after) = cost_of(&target.url(), steps, &long);
        // A busy machine makes few exchanges in a span; one allocation in each of these would still be seen.
        assert!(many >= few + 2 * GROWTH_MAX, "{many} and {few} exchanges tell nothing");
        let extra = after.saturating_sub(before);
        // Stalls of a busy machine make large values, and those make pages: still far from one in each exchange.
        assert!(
            extra < GROWTH_MAX.max((many - few) / 20),
            "{extra} allocations in {} exchanges more: {steps}, {long}",
            many - few
        );
    }
}
