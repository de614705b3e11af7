//! Memory: flat over the length of a run, small per virtual user.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
use nmax_testkit::plans::{requests, with_files};
use nmax_testkit::sim::{Answer, Call, Options, reply, simulate};
use tokio::runtime::Builder;

use crate::ms;

/// Exchanges and most bytes on the heap at once while this many seconds are simulated, with 500 request names in turn.
fn most_bytes(seconds: u32) -> (u64, u64) {
    let text = format!(
        "nmax: 1\ntarget: http://h.test\nworkload: {{ open: {{ rate: 500/s }} }}\nduration: {seconds}s\n\
         data: {{ pages: {{ csv: pages.csv }} }}\n\
         scenarios: {{ a: {{ steps: [{{ get: \"/${{pages.id}}\", name: \"page ${{pages.id}}\" }}] }} }}"
    );
    let ids: Vec<String> = (0..500).map(|id| id.to_string()).collect();
    let plan = with_files(&text, &[("pages.csv", &format!("id\n{}\n", ids.join("\n")))]);
    let ok = reply(200);
    let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(1 + call.number % 60), ok.clone());
    let mut run = (0, 0);
    let counted = measure(|| {
        let simulated = simulate(&plan, server, &Options::sum());
        run = (simulated.exchanges(), simulated.catalog.requests.list().len());
    });
    assert_eq!(run.1, 500, "every name is told apart");
    (run.0, counted.bytes_max)
}

/// More samples and windows take no more memory: a sample kept would show, for it has more than a hundred bytes.
#[test]
fn memory_does_not_grow_with_the_length_of_a_run() {
    let (few, short) = most_bytes(8);
    let (many, long) = most_bytes(60);
    assert_eq!((few, many), (4_000, 30_000));
    let each = long.saturating_sub(short) as f64 / (many - few) as f64;
    assert!(each < 8.0, "{each} bytes per sample: {long} after {many}, {short} after {few}");
}

/// A worker whose users have all made their request and think; nothing of it is given back.
async fn all_thinking(plan: Arc<Plan>, users: u64) -> Receiver<Report> {
    let (reports_in, reports) = sync_channel(64);
    let (_recycle, recycled) = sync_channel(1);
    let (clock, names) = (RealClock::starting_now(), catalog(&plan, 10));
    let runtime = RealRuntime::start(clock.clone()).unwrap();
    let drivers = HttpDrivers::new(Shared::new(Config::new(Arc::new(|_, _| Ok(()))), clock).unwrap());
    let of = HttpPlan::new(&plan, &names).unwrap();
    let program = Program::new(Arc::clone(&plan), &names, &Files::default(), &of).unwrap();
    let http = Http::new(drivers, of);
    let sources =
        Sources::new(&plan, &Slots::new(&plan, Share::whole()), Share::whole(), (0, 1), || runtime.timer()).unwrap();
    let settings = MeterSettings {
        width: Nanos::from_secs(3_600),
        hold: times(&plan).hold,
        keep: KeepSamples::None,
        seed: plan.seed,
    };
    let link = Link { worker: 0, reports: reports_in, recycled };
    let meter = Meter::new(settings, link, runtime.thread_time());
    let names = Arc::new(Mutex::new(names));
    let context = Rc::new(Context::new(runtime, http, program, sources, meter, names, Nanos::ZERO));
    let main = Rc::clone(&context);
    nmax_reactor::spawn(async move { worker::run(main, times(&plan), Nanos::ZERO).await });
    let done = || context.meter.borrow_mut().window().aggregate.total(Section::Hold).ok();
    while done() < users {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    reports
}

/// Bytes on the heap once this many users have made their first request, with cookies, and think.
fn held_by(target: &str, users: u64) -> u64 {
    let steps = "[{ get: / }, { think: 1h }]";
    let keys =
        format!("defaults: {{ connection: per-request }}\nworkload: {{ closed: {{ vus: {users} }} }}\nduration: 2h");
    let plan = requests(target, steps, &keys);
    let reactor = Builder::new_current_thread().enable_all().build().unwrap();
    let worker = Reactor::new().unwrap();
    let counted = measure(|| {
        std::mem::forget(reactor.block_on(worker.within(all_thinking(plan, users))));
    });
    counted.bytes_current as u64
}

/// What a user takes who thinks with its connection closed, bytes: 100,000 of them fit into 1.2 GB.
const USER_BYTES_MAX: u64 = 10 * 1024;

#[test]
fn a_thinking_user_is_small() {
    let target = nmax_target::spawn(nmax_target::Options { shop: true, ..nmax_target::Options::default() }).unwrap();
    held_by(&target.url(), 1); // What is made once.
    let (few, many) = (held_by(&target.url(), 20), held_by(&target.url(), 120));
    let each = many.saturating_sub(few) / 100;
    assert!((500..USER_BYTES_MAX).contains(&each), "{each} bytes per user");
}
