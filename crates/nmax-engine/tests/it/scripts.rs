//! Behaviours that are not declared: what a script does is measured as the same steps are.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nmax_engine::Run;
use nmax_engine::script::{Reply, Script, Scripts, User, Wait};
use nmax_metrics::{ErrorKind, Metric, MetricKind, Nanos, Outcome, Section};
use nmax_plan::plan::{Body, Call, Discover, Extract, MatchPick, Method, Page, Plan, ReplyPart, Step, Transaction};
use nmax_plan::template::{Part, Template};
use nmax_testkit::plans::{plan, requests, with_files};
use nmax_testkit::sim::{
    Answer, Call as Asked, KeepRequests, Options, Server, Simulated, instant, reply_with, simulate,
};

use crate::injectors::said;
use crate::sockets::{finish, settings};
use crate::{changed, ms, s};

/// The plan whose first scenario is a script.
pub(crate) fn scripted(plan: &Plan) -> Arc<Plan> {
    changed(plan, |plan| plan.scenarios[0].steps = vec![Step::Script])
}

fn called(name: &str, call: Call) -> Call {
    Call { name: Template::text(name), ..call }
}

fn post(url: &str, body: &str) -> Call {
    let mut call = called(&format!("POST {url}"), Call::get(url));
    call.http_mut().unwrap().method = Method::Post;
    call.http_mut().unwrap().body = Body::Text(Template::text(body));
    call
}

/// A visit with a pause of this length, which `${...}` says.
async fn visit(user: &mut dyn User, pause_ms: &str) -> Result<(), String> {
    let number = user.value("iteration").ok_or("no number")?;
    let mut item = called(&format!("item {number}"), Call::get(&format!("/item/{number}")));
    item.expect.status = vec![(200, 200)];
    let reply = user.send(item).await;
    user.check("contains body", reply.body == b"body");
    let pause = user.value(pause_ms).and_then(|pause| pause.parse().ok()).ok_or("no pause")?;
    user.pause(Duration::from_millis(pause)).await;
    user.begin("both");
    user.send(Call::get("/b")).await;
    user.send(post("/c", "x")).await;
    user.end();
    Ok(())
}

fn metric(kind: MetricKind, name: &str, tag: Option<&str>) -> Metric {
    Metric { kind, name: name.into(), unit: String::new(), tag: tag.map(str::to_owned) }
}

/// Scripts of scenario `a` whose pauses and numbers are left to chance.
pub(crate) fn visits() -> Scripts {
    Scripts::default().with("a", || {
        async |user: &mut dyn User| {
            let level = user.value("random(1, 900)").and_then(|level| level.parse().ok()).ok_or("no level")?;
            visit(user, "random(5, 90)").await?;
            user.add(&metric(MetricKind::Gauge, "level", Some("t")), level);
            Ok(())
        }
    })
}

/// What it answers, and how long that takes, depends on the request alone.
fn server() -> impl Server {
    let replies = [200, 200, 404, 500].map(|status| reply_with(status, "x-kind: test\r\n", "body"));
    move |call: &Asked<'_>| {
        let hash = call.target().bytes().fold(7_u64, |hash, byte| hash * 31 % 65_521 + u64::from(byte));
        let kind = if call.target().starts_with("/item") { hash as usize % 4 } else { 0 };
        // No reply comes just as a window ends: steps count its checks before it, scripts after it.
        Answer::Bytes(call.at + ms(1 + hash % 120) + Nanos(137), Rc::clone(&replies[kind]))
    }
}

const WORKLOADS: [&str; 2] = [
    "workload: { open: { rate: 40/s, arrivals: poisson } }\nduration: 3s",
    "workload: { closed: { vus: 12 } }\nduration: 3s",
];

fn declared(workload: &str) -> Arc<Plan> {
    plan(&format!(
        "nmax: 1
target: http://h.test
scenarios: {{ a: {{ steps: [
  {{ get: \"/item/${{iteration}}\", name: \"item ${{iteration}}\", expect: {{ status: 200, contains: body }} }},
  {{ think: 30ms }},
  {{ transaction: both, steps: [{{ get: /b }}, {{ post: /c, body: x }}] }} ] }} }}
warm_up: 500ms
{workload}"
    ))
}

/// A run of a plan whose first scenario is this script.
fn run<S: Script>(plan: &Plan, options: Options, make: impl Fn() -> S + Send + Sync + 'static) -> Simulated {
    let scripts = Scripts::default().with("a", make);
    simulate(&scripted(plan), server(), &Options { scripts, requests: KeepRequests::All, ..options })
}

/// One user of one scenario `a`, whose iterations are counted.
fn once(keys: &str) -> Arc<Plan> {
    plan(&format!("nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ steps: [{{ get: / }}] }} }}\n{keys}"))
}

const ONCE: &str = "workload: { closed: { vus: 1 }, iterations: 1 }";

/// Completed, failed and interrupted iterations.
fn iterations(run: &Simulated) -> (u64, u64, u64) {
    let whole = run.whole();
    let stats = whole.scenarios.get(Section::Hold, 0).unwrap();
    (stats.completed, stats.failed, stats.interrupted)
}

fn told(run: &Simulated) -> Vec<(&str, &str)> {
    run.failures.iter().map(|failure| (failure.kind.as_str(), failure.text.as_str())).collect()
}

/// The same bytes at the same instants, and every number of every window.
#[test]
fn a_script_is_measured_as_the_same_steps_are() {
    for workload in WORKLOADS {
        let plan = declared(workload);
        for workers in [1, 3] {
            let options = || Options { workers, requests: KeepRequests::All, ..Options::all() };
            let steps = simulate(&plan, server(), &options());
            let script =
                run(&plan, options(), || async |user: &mut dyn User| visit(user, "base64_decode('MzA=')").await);
            assert!(steps.exchanges() > 200 && iterations(&steps).1 > 10, "{workload}");
            assert_eq!(script.transcript, steps.transcript, "{workload}");
            let (script_said, steps_said) =
                (said(&script.windows, &script.catalog), said(&steps.windows, &steps.catalog));
            assert!(script_said.keys().eq(steps_said.keys()), "{workload}");
            for (key, said) in &steps_said {
                assert_eq!(script_said.get(key), Some(said), "{workload}: {key:?}");
            }
            assert_eq!(iterations(&script), iterations(&steps), "{workload}");
        }
    }
}

/// What is left to chance is the same whenever the plan is run, and another with another seed.
#[test]
fn equal_seeds_give_equal_scripts() {
    let with_seed = |seed: u64| {
        let plan = changed(&declared(WORKLOADS[0]), |plan| plan.seed = seed);
        run(&plan, Options::all(), || async |user: &mut dyn User| visit(user, "random(5, 90)").await).transcript
    };
    assert_eq!(with_seed(3), with_seed(3));
    assert_ne!(with_seed(3), with_seed(4));
}

/// A script of a type of its own, which keeps what it saw.
struct Noting(Arc<Mutex<Vec<Reply>>>);

impl Script for Noting {
    fn iterate<'a>(&'a self, user: &'a mut dyn User) -> Wait<'a, Result<(), String>> {
        Box::pin(async move {
            let mut slow = called("slow", Call::get("/slow"));
            slow.timeout = Some(Duration::from_millis(50));
            for call in [called("moved", Call::get("/moved")), slow, post("/b", "ä")] {
                let reply = user.send(call).await;
                self.0.lock().unwrap().push(reply);
            }
            Ok(())
        })
    }
}

/// A reply is what came back last, a failed exchange is data.
#[test]
fn a_script_sees_what_came_back() {
    let seen = Arc::default();
    let made = Arc::clone(&seen);
    let scripts = Scripts::default().with("a", move || Noting(Arc::clone(&made)));
    let server = |call: &Asked<'_>| match call.target() {
        "/slow" => Answer::Never,
        "/moved" => Answer::Bytes(call.at + ms(5), reply_with(302, "location: /there\r\n", "")),
        _ => Answer::Bytes(call.at + ms(5), reply_with(503, "retry-after: 1\r\n", "busy")),
    };
    let plan = changed(&scripted(&once(ONCE)), |plan| plan.defaults.redirects_max = 3);
    let run = simulate(&plan, server, &Options { scripts, requests: KeepRequests::All, ..Options::all() });
    let seen = seen.lock().unwrap();
    let outcomes: Vec<_> = seen.iter().map(|reply| (reply.is_ok, reply.sample.outcome)).collect();
    assert_eq!(
        outcomes,
        [(false, Outcome::Failed), (false, Outcome::Error(ErrorKind::Timeout)), (false, Outcome::Failed)]
    );
    assert_eq!((seen[0].sample.intended, seen[0].sample.done), (ms(5), ms(10)), "where the redirect led");
    assert_eq!((seen[1].sample.done, seen[1].headers.len(), seen[1].body.len()), (ms(60), 0, 0), "its own time limit");
    assert!(seen[2].headers.contains(&("retry-after".into(), b"1".to_vec())), "{:?}", seen[2].headers);
    assert_eq!((seen[2].body.as_slice(), seen[2].is_cut), (&b"busy"[..], false));
    assert!(run.transcript[3].bytes.ends_with("content-length: 2\r\n\r\nä".as_bytes()));
    let names: Vec<_> = run.catalog.transactions.iter().map(String::as_str).collect();
    assert_eq!(names, ["moved", "slow", "POST /b"], "calls that follow redirects");
    assert_eq!(iterations(&run), (1, 1, 0));
}

/// Counts the scripts that are under way.
struct Alive(Arc<AtomicU32>);

impl Alive {
    fn new(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Stop ends a pause, cut an exchange as well: the script is dropped where it waits.
#[test]
fn the_end_of_the_run_ends_a_script_at_its_wait() {
    // stop, cut, what the script does; when the run ends
    let cases =
        [(Some(s(3)), None, "pause", s(3)), (None, Some(s(3)), "pause", s(3)), (None, Some(s(3)), "send", s(3))];
    for (stop_at, cut_at, what, end) in cases {
        let alive: Arc<AtomicU32> = Arc::default();
        let count = Arc::clone(&alive);
        let make = move || {
            let count = Arc::clone(&count);
            async move |user: &mut dyn User| {
                let _alive = Alive::new(&count);
                user.begin("long");
                user.send(Call::get("/quick")).await;
                match what {
                    "pause" => user.pause(Duration::from_secs(60)).await,
                    _ => drop(user.send(Call::get("/never")).await),
                }
                panic!("it does not come here");
            }
        };
        let server = |call: &Asked<'_>| match call.target() {
            "/never" => Answer::Never,
            _ => Answer::Bytes(call.at + ms(5), reply_with(200, "", "")),
        };
        let plan = scripted(&once("duration: 90s\nworkload: { closed: { vus: 2 } }\ndefaults: { timeout: 60s }"));
        let scripts = Scripts::default().with("a", make);
        let run = simulate(&plan, server, &Options { scripts, stop_at, cut_at, ..Options::all() });
        assert_eq!((iterations(&run), run.end), ((0, 0, 2), end), "{what}");
        assert_eq!(run.load().censored.count(), if what == "send" { 2 } else { 0 });
        assert_eq!(alive.load(Ordering::Relaxed), 0, "{what}");
        let long = run.catalog.transactions.iter().position(|name| name == "long").unwrap();
        assert!(run.whole().transactions.get(Section::Hold, long).is_none(), "a group that was cut off is not counted");
    }
}

#[test]
fn a_script_that_sends_nothing_is_counted() {
    let plan = once("workload: { open: { rate: 10/s } }\nduration: 2s");
    let quiet = run(&plan, Options::all(), || async |_: &mut dyn User| Ok(()));
    assert_eq!((iterations(&quiet), quiet.exchanges()), ((20, 0, 0), 0));
    let closed = once("workload: { closed: { vus: 3 }, iterations: 7 }");
    let resting = run(&closed, Options::all(), || {
        async |user: &mut dyn User| {
            user.pause(Duration::from_secs(2)).await;
            Ok(())
        }
    });
    assert_eq!((iterations(&resting), resting.exchanges(), resting.end), ((7, 0, 0), 0, s(6)));
}

/// A script that does not go on has failed, for a reason that is told; others run meanwhile.
#[test]
fn what_ends_a_script_is_told() {
    async fn spin(user: &mut dyn User) -> Result<(), String> {
        user.send(Call::get("/")).await;
        loop {
            user.pause(Duration::ZERO).await;
        }
    }
    let keys = "workload: { closed: { vus: 2 }, iterations: 4 }";
    let spun = run(&once(keys), Options::all(), || spin);
    assert_eq!((iterations(&spun), spun.exchanges()), ((4, 4, 0), 4));
    let why = "the script paused 10000 times in a row for no time, and sent nothing";
    assert_eq!(told(&spun), [("loop", why); 4]);
    let said = run(&once(ONCE), Options::all(), || async |_: &mut dyn User| Err("line 3: no such item".to_owned()));
    assert_eq!((iterations(&said), told(&said)), ((1, 1, 0), vec![("script", "line 3: no such item")]));
    let hole = || Call { name: Template { parts: vec![Part::Vu] }, ..Call::get("/") };
    let reads = || Call {
        extract: vec![Extract { slot: 7, source: ReplyPart::Regex("x".into()), pick: MatchPick::First, default: None }],
        ..Call::get("/")
    };
    let itself = "a script fills in its texts, and reads replies, itself";
    let calls: [(fn() -> Call, String); 3] = [
        (hole, format!("request `with a computed name`: {itself}")),
        (reads, format!("request `GET /`: {itself}")),
        (|| called("odd", Call::get("http://[")), "`http://[` is not a URL: ".into()),
    ];
    for (call, why) in calls {
        let ended = run(&once(ONCE), Options::all(), move || {
            async move |user: &mut dyn User| {
                user.send(call()).await;
                panic!("it does not come here");
            }
        });
        assert_eq!((iterations(&ended), ended.exchanges()), ((1, 1, 0), 0));
        let [(kind, text)] = told(&ended)[..] else { panic!("{:?}", ended.failures) };
        assert!(kind == "script" && text.starts_with(&why), "{text}");
    }
}

/// Groups end with the script at the latest, a check that fails fails those around it, and declared ones stay.
#[test]
fn groups_are_transactions() {
    let plan = changed(&once(ONCE), |plan| {
        plan.defaults.redirects_max = 1;
        plan.scenarios[0].steps = vec![Step::Transaction(Transaction {
            name: "outer".into(),
            steps: vec![Step::Script, Step::Call(Call::get("/z").into())],
        })];
    });
    let scripts = Scripts::default().with("a", || {
        async |user: &mut dyn User| {
            user.end();
            user.begin("empty");
            user.end();
            user.begin("good");
            user.send(Call::get("/a")).await;
            user.end();
            user.begin("bad");
            user.send(called("bad", Call::get("/b"))).await;
            user.check("holds", true);
            user.check("fails", false);
            user.end();
            user.begin("left open");
            user.send(Call::get("/c")).await;
            Ok(())
        }
    });
    let run = simulate(&plan, instant(ms(10)), &Options { scripts, ..Options::all() });
    let whole = run.whole();
    let rows: Vec<_> = run
        .catalog
        .transactions
        .iter()
        .enumerate()
        .filter_map(|(index, name)| {
            let stats = whole.transactions.get(Section::Hold, index).filter(|stats| stats.count > 0)?;
            Some((name.as_str(), stats.failed, stats.time.exact().sum_ns / 1_000_000))
        })
        .collect();
    let want = [
        ("outer", 1, 40),
        ("GET /z", 0, 10),
        ("good", 0, 10),
        ("GET /a", 0, 10),
        ("bad", 1, 10),
        ("bad (redirects)", 0, 10),
        ("left open", 0, 10),
        ("GET /c", 0, 10),
    ];
    assert_eq!(BTreeSet::from_iter(rows), BTreeSet::from(want));
    let checks: Vec<_> = whole.checks.in_section(Section::Hold).map(|stats| (stats.passed, stats.failed)).collect();
    assert_eq!((checks, iterations(&run)), (vec![(1, 0), (0, 1)], (1, 1, 0)));
}

/// Numbers are summed by metric, those of a tag beside them; a name that is none ends the script.
#[test]
fn numbers_are_added_to_metrics() {
    let metric = |name: &str, tag: Option<&str>| metric(MetricKind::Counter, name, tag);
    let ran = run(&once("workload: { closed: { vus: 1 }, iterations: 3 }"), Options::all(), move || {
        async move |user: &mut dyn User| {
            user.add(&metric("paid", None), 2.5);
            user.add(&metric("paid", Some("cash")), 1.0);
            user.add(&metric("two words", None), 1.0);
            user.send(Call::get("/")).await;
            panic!("it does not come here");
        }
    });
    let whole = ran.whole();
    let sums: Vec<_> = whole.metrics.in_section(Section::Hold).map(|stats| (stats.values, stats.sum())).collect();
    assert_eq!(ran.catalog.metrics, ["counter paid", "counter paid #cash"]);
    assert_eq!(sums, [(3, 7.5), (3, 3.0)]);
    let why = "a metric cannot be called `counter two words`: its name, unit and tag have no white space";
    assert_eq!((told(&ran), ran.exchanges()), (vec![("script", why); 3], 0));
}

fn rows(keys: &str) -> Arc<Plan> {
    let text = format!(
        "nmax: 1\ntarget: http://h.test\nscenarios: {{ a: {{ setup: [{{ get: /in, extract: {{ token: {{ regex: 't=(.)' }} }} }}], \
         steps: [{{ get: / }}] }} }}\ndata: {{ users: {{ csv: users.csv{keys} }} }}\nworkload: {{ closed: {{ vus: 1 }}, iterations: 3 }}"
    );
    with_files(&text, &[("users.csv", "name\nann\nbob\n")])
}

#[test]
fn values_are_those_of_a_plan() {
    async fn read(user: &mut dyn User) -> Result<(), String> {
        let of = |name: Option<String>| name.unwrap_or("-".into());
        let mut url = String::new();
        for name in ["url(users.name)", "token", "iteration", "vu", "hash('sha1', 'x')", "users.age", "what", ""] {
            url = format!("{url}/{}", of(user.value(name)));
        }
        user.send(Call::get(&url)).await;
        Ok(())
    }
    let run = |keys: &str| {
        let server = |call: &Asked<'_>| Answer::Bytes(call.at + ms(5), reply_with(200, "", "t=7"));
        let options =
            Options { scripts: Scripts::default().with("a", || read), requests: KeepRequests::All, ..Options::all() };
        let run = simulate(&scripted(&rows(keys)), server, &options);
        let sent = run
            .transcript
            .iter()
            .skip(1)
            .map(|sent| String::from_utf8_lossy(&sent.bytes).split(' ').nth(1).unwrap().to_owned());
        (sent.collect::<Vec<_>>(), run)
    };
    let url = |name: &str, n: u32| format!("/{name}/7/{n}/0/11f6ad8ec52a2984abaafd7c3b516503785c2072/-/-/-");
    let all = [url("ann", 0), url("bob", 1), url("ann", 2)];
    let (sent, whole) = run("");
    assert_eq!((sent.as_slice(), iterations(&whole)), (&all[..], (3, 0, 0)));
    let (sent, ended) = run(", at_end: stop");
    assert_eq!((sent.as_slice(), iterations(&ended)), (&all[..2], (2, 0, 1)));
    assert!(ended.ended_early.unwrap().starts_with("the data of scenario `a` ended"));
    let (sent, failed) = run(", at_end: error");
    assert_eq!((sent.as_slice(), iterations(&failed)), (&all[..2], (3, 1, 0)));
    assert_eq!(told(&failed), [("value", "the 2 rows of `users` have ended")]);
}

/// Over real sockets: a host that is not allowed is a failed exchange, at its connection, whatever was known before.
#[test]
fn connections_are_asked_for_one_by_one() {
    let target = nmax_target::spawn(nmax_target::Options::default()).unwrap();
    let plan = scripted(&requests(&target.url(), "[{ get: / }]", ONCE));
    let mut settings = settings(plan, 1);
    settings.allow = Arc::new(|_, address| match address.to_string().as_str() {
        "127.0.0.1" => Ok(()),
        other => Err(format!("{other} may not be loaded")),
    });
    let missing = Run::start(&settings).map(drop).unwrap_err();
    assert_eq!(missing.to_string(), "scenario `home` is a script, and the run was given none of that name");
    settings.scripts = Scripts::default().with("home", || {
        async |user: &mut dyn User| {
            let elsewhere = user.send(called("elsewhere", Call::get("http://127.0.0.2:9/"))).await;
            user.check("blocked", elsewhere.sample.outcome == Outcome::Error(ErrorKind::Blocked));
            let here = user.send(Call::get("/bytes/300")).await;
            user.check("here", here.is_ok && here.body.len() == 300);
            Ok(())
        }
    });
    let ran = finish(&settings);
    let checks: Vec<_> =
        ran.totals.whole().checks.in_section(Section::Hold).map(|stats| (stats.passed, stats.failed)).collect();
    assert_eq!(checks, [(1, 0), (1, 0)]);
    assert_eq!(ran.failures.len(), 1);
    assert!(ran.failures[0].text.contains("127.0.0.2 may not be loaded"), "{}", ran.failures[0].text);
}

/// A page of a script has its resources, and is measured as one.
#[test]
fn a_script_loads_pages() {
    let scripts = Scripts::default().with("a", || {
        async |user: &mut dyn User| {
            let mut home = called("home", Call::get("/"));
            home.http_mut().unwrap().page =
                Some(Page { listed: vec![Template::text("/p.png")], discover: Discover::Nothing });
            let reply = user.send(home).await;
            user.check("the document", reply.body == b"doc");
            Ok(())
        }
    });
    let server = |call: &Asked<'_>| {
        Answer::Bytes(call.at + ms(10), reply_with(200, "", if call.target() == "/" { "doc" } else { "image" }))
    };
    let run = simulate(&scripted(&once(ONCE)), server, &Options { scripts, ..Options::all() });
    assert_eq!((run.exchanges(), iterations(&run)), (2, (1, 0, 0)));
    assert_eq!(run.catalog.pages, ["home"]);
    assert_eq!(run.whole().pages.get(Section::Hold, 0).unwrap().pages.time.exact().sum_ns, 20_000_000);
}
