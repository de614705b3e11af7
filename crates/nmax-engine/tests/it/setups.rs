//! What users do once, before their iterations and after them, and what a run does once.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use nmax_engine::Settings;
use nmax_engine::run::fixture_steps::{FixtureStage, run_steps};
use nmax_engine::run::rehearsal::trace_iteration;
use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::{Plan, Scenario, Step};
use nmax_plan::template::Part;
use nmax_testkit::plans::{requests, with_files};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Server, Simulated, reply_with, simulate};

use crate::{changed, ms};

/// Logs in, uses its number and logs out.
fn plan(keys: &str) -> Arc<Plan> {
    let steps = "[{ get: /login, name: login, extract: { id: { regex: \"id=([0-9]+)\" } } },
                  { get: \"/use?id=${id}\", name: use, expect: { contains: yes } },
                  { get: \"/logout?id=${id}\", name: logout }]";
    changed(&requests("http://h.test", steps, keys), |plan| {
        let scenario = &mut plan.scenarios[0];
        scenario.setup = scenario.steps.drain(..1).collect();
        scenario.teardown = scenario.steps.drain(1..).collect();
        scenario.slots_kept = 1;
        plan.defaults.redirects_max = 3;
    })
}

/// Gives every login a number; every login from number `refused` on gets 500. Replies take 20 ms.
fn server(refused: u64) -> impl Server {
    let mut logins = 0;
    move |call: &Call<'_>| {
        let reply = if call.target() == "/login" {
            logins += 1;
            let status = if logins > refused { 500 } else { 200 };
            let body = if logins > refused { "no".to_owned() } else { format!("id={logins}") };
            reply_with(status, "", &body)
        } else {
            reply_with(200, "", "yes")
        };
        Answer::Bytes(call.at + ms(20), reply)
    }
}

fn run(keys: &str, refused: u64) -> Simulated {
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    simulate(&plan(keys), server(refused), &options)
}

/// Requests whose target begins like this, in order.
fn sent(run: &Simulated, prefix: &str) -> Vec<String> {
    let target = |bytes: &[u8]| String::from_utf8_lossy(bytes).split(' ').nth(1).unwrap().to_owned();
    let all = run.transcript.iter().map(|sent| target(&sent.bytes));
    all.filter(|target| target.starts_with(prefix)).collect()
}

#[test]
fn users_set_up_once_and_clear_up_once() {
    for keys in [
        "workload: { closed: { vus: 4 } }\nduration: 2s",
        "workload: { closed: { vus: 4 }, iterations: 90 }",
        "workload: { open: { rate: 50/s } }\nduration: 2s",
        "workload: { open: { rate: 50/s }, iterations: 100 }",
    ] {
        let run = run(keys, 99);
        let (logins, mut logouts) = (sent(&run, "/login"), sent(&run, "/logout"));
        logouts.sort();
        let ids: Vec<String> = (1..=logins.len()).map(|id| format!("/logout?id={id}")).collect();
        assert_eq!(logouts, ids, "everyone who logged in logs out with the value of then: {keys}");
        assert!((1..=4).contains(&logins.len()), "{} users: {keys}", logins.len());
        let whole = run.whole();
        let stats = whole.scenarios.get(Section::Hold, 0).unwrap();
        assert_eq!((stats.failed, stats.interrupted), (0, 0), "{keys}");
        assert_eq!(stats.completed, sent(&run, "/use").len() as u64);
        assert!(stats.completed >= 90, "{keys}");
    }
}

/// Setup and teardown are no part of the statistics, and no iteration is late because of them.
#[test]
fn what_is_done_once_is_not_measured() {
    let run = run("workload: { closed: { vus: 4 } }\nduration: 2s", 99);
    let stats = |section, name: &str| {
        let id = run.catalog.requests.find(name).unwrap();
        run.totals.request(section, id).map_or(0, |stats| stats.count())
    };
    assert_eq!((stats(Section::Hold, "login"), stats(Section::Hold, "logout")), (0, 0));
    assert_eq!((stats(Section::Outside, "login"), stats(Section::Outside, "logout")), (4, 4));
    assert_eq!(stats(Section::Hold, "use"), sent(&run, "/use").len() as u64);
    let scenario = run.totals.scenarios.get(Section::Hold, 0).unwrap();
    assert_eq!(scenario.iteration_time.quantile_ns(1.0), scenario.iteration_time.quantile_ns(0.0));
    let names: Vec<&str> = run.catalog.transactions.iter().map(String::as_str).collect();
    assert_eq!(names, ["login", "use", "logout"]);
    for number in [0, 2] {
        let count = |section| run.totals.transactions.get(section, number).map_or(0, |stats| stats.count);
        assert_eq!((count(Section::Hold), count(Section::Outside)), (0, 4));
    }
}

/// Users whose setup failed do nothing but fail, slowly, and the others go on.
#[test]
fn a_failed_setup_fails_the_iterations_of_its_user() {
    let run = run("workload: { closed: { vus: 4 } }\nduration: 3s", 2);
    let logouts = sent(&run, "/logout").len();
    assert_eq!((sent(&run, "/login").len(), logouts), (4, 4), "who failed half way may have left something too");
    let whole = run.whole();
    let stats = whole.scenarios.get(Section::Hold, 0).unwrap();
    assert!((4..=8).contains(&stats.failed), "two users, once a second: {}", stats.failed);
    assert!(stats.completed > 200, "{}", stats.completed);
    let told: Vec<&str> = run.failures.iter().map(|failure| failure.kind.as_str()).collect();
    assert_eq!(told.iter().filter(|kind| **kind == "setup").count(), 2, "once for each: {told:?}");
    assert!(told.contains(&"status 500"), "and the exchange is shown: {told:?}");
}

/// A run that is stopped clears up; one that is cut does not.
#[test]
fn a_stopped_run_clears_up() {
    let keys = "workload: { closed: { vus: 4 } }\nduration: 60s";
    let ended = |stop_at: Option<Nanos>, cut_at: Option<Nanos>| {
        let options = Options { requests: KeepRequests::All, stop_at, cut_at, ..Options::all() };
        let run = simulate(&plan(keys), server(99), &options);
        assert!(run.end < ms(1_100), "{:?}", run.end);
        sent(&run, "/logout").len()
    };
    assert_eq!(ended(Some(ms(1_000)), None), 4);
    assert_eq!(ended(None, Some(ms(1_000))), 0);
    assert_eq!(ended(None, Some(ms(10))), 0, "in the middle of the setup");
}

/// A setup that is under way when the load ends, as planned or not, is followed by its teardown and no iteration.
#[test]
fn no_iteration_begins_after_the_end() {
    for workload in ["closed: { vus: 4 }", "open: { rate: 50/s }"] {
        for (duration, stop_at) in [("60s", Some(ms(10))), ("10ms", None)] {
            let options = Options { requests: KeepRequests::All, stop_at, ..Options::all() };
            let keys = format!("workload: {{ {workload} }}\nduration: {duration}");
            let run = simulate(&plan(&keys), server(99), &options);
            let (logins, logouts) = (sent(&run, "/login").len(), sent(&run, "/logout").len());
            assert!(logins > 0 && logins == logouts, "{logins} and {logouts}: {keys}");
            assert_eq!(sent(&run, "/use").len(), 0, "{keys}");
            let whole = run.whole();
            let stats = whole.scenarios.get(Section::Hold, 0).or(whole.scenarios.get(Section::Outside, 0));
            assert!(stats.is_none_or(|stats| stats.completed == 0), "{keys}");
        }
    }
}

/// A run that counts iterations does all of them, although the last one was given out before the setups were done.
#[test]
fn counted_iterations_are_done_after_their_setup() {
    for workload in ["closed: { vus: 4 }", "open: { rate: 50/s }"] {
        let run = run(&format!("workload: {{ {workload}, iterations: 4 }}"), 99);
        assert_eq!(sent(&run, "/use").len(), 4, "{workload}");
    }
}

/// Nobody waits for an iteration that does not come: users with a long pacing clear up when the load ends.
#[test]
fn users_who_wait_for_their_turn_clear_up_at_the_end() {
    let plan = changed(&plan("workload: { closed: { vus: 4 } }\nduration: 2s"), |plan| {
        plan.scenarios[0].pacing = Some(Duration::from_secs(600));
    });
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    let run = simulate(&plan, server(99), &options);
    assert_eq!((sent(&run, "/use").len(), sent(&run, "/logout").len()), (4, 4));
    assert!(run.end < ms(2_100), "{:?}", run.end);
}

/// Steps of a run's setup leave values, and the teardown sees them.
#[test]
fn a_run_has_steps_of_its_own() {
    let target = nmax_target::spawn(nmax_target::Options::default()).unwrap();
    let plan = requests(
        &target.url(),
        "[{ get: /hello, extract: { word: { regex: \"([a-z]+)\" } } }, { get: \"/${word}\" }]",
        "workload: { closed: { vus: 1 } }\nduration: 1s",
    );
    let scenario = |steps: &[Step]| Scenario { steps: steps.to_vec(), ..plan.scenarios[0].clone() };
    let settings = Settings::new(Arc::clone(&plan), Arc::new(|_, _| Ok(())));
    let before = scenario(&plan.scenarios[0].steps[..1]);
    let setup = run_steps(&settings, FixtureStage::Setup, &before, pending()).unwrap();
    assert!(setup.is_ok, "{:?}", setup.failures);
    assert_eq!(setup.values, ["hello"]);
    let settings = Settings { values: Arc::new(setup.values), ..settings };
    let teardown = |part| {
        let Step::Call(request) = &plan.scenarios[0].steps[1] else { panic!("no request") };
        let mut request = request.as_ref().clone();
        request.http_mut().unwrap().url.parts = vec![Part::Text("/".into()), part];
        let after = scenario(&[Step::Call(Arc::new(request))]);
        run_steps(&settings, FixtureStage::Teardown, &after, pending()).unwrap()
    };
    for part in [Part::Slot(0), Part::Shared(0)] {
        let done = teardown(part);
        assert!(done.is_ok, "{:?}", done.failures);
    }
    let failed = teardown(Part::Text("nothing/here".into()));
    assert!(!failed.is_ok && failed.failures[0].kind == "status 404", "{:?}", failed.failures);
}

/// What is tried before a run reads the last records, and so takes none away from it.
#[test]
fn a_trial_reads_the_last_records() {
    let target = nmax_target::spawn(nmax_target::Options::default()).unwrap();
    let text = format!(
        "nmax: 1\ntarget: {}\ndata: {{ words: {{ csv: words.csv }} }}\nworkload: {{ closed: {{ vus: 1 }}, iterations: 1 }}\n\
         scenarios: {{ a: {{ steps: [{{ get: \"/hello?w=${{words.w}}\" }}] }} }}",
        target.url()
    );
    let plan = with_files(&text, &[("words.csv", "w\nfirst\nsecond\nlast\n")]);
    let traced = trace_iteration(&Settings::new(plan, Arc::new(|_, _| Ok(()))), 0).unwrap();
    let request = String::from_utf8_lossy(traced[0].request.fields().text()).into_owned();
    assert!(request.starts_with("GET /hello?w=last "), "{request}");
}

/// A user who logged in at its setup stays so in each iteration; what an iteration sets does not last.
#[test]
fn cookies_of_the_setup_stay_and_those_of_an_iteration_go() {
    let server = |call: &Call<'_>| {
        let head = match call.target() {
            "/login" => "set-cookie: session=s1\r\n",
            _ => "set-cookie: basket=b1\r\n",
        };
        Answer::Bytes(call.at + ms(20), reply_with(200, head, "id=7 yes"))
    };
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    let keys = "workload: { closed: { vus: 1 }, iterations: 3 }";
    let run = simulate(&plan(keys), server, &options);
    let all = run.transcript.iter().map(|sent| String::from_utf8_lossy(&sent.bytes));
    let used: Vec<_> = all.filter(|request| request.starts_with("GET /use")).collect();
    assert_eq!(used.len(), 3);
    for request in used {
        assert!(request.contains("session=s1") && !request.contains("basket"), "{request}");
    }
}
