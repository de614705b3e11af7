use super::*;
use crate::document::{parse, tests::options, write::to_yaml};
use crate::template::Part;

fn request(plan: &Plan) -> &Call {
    match &plan.scenarios[0].steps[0] {
        Step::Call(request) => request,
        _ => panic!("a request"),
    }
}

#[test]
fn urls_worked_by_hand() {
    let cases = [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "/", "GET /", "127.0.0.1"),
        ("https://shop.test/a/b?q=1#part", "https://shop.test", "/a/b?q=1", "GET /a/b", "shop.test"),
        ("http://[::1]:80?x", "http://[::1]:80", "/?x", "GET /", "--1"),
        ("http://a/${x}$$", "http://a", "/${x}$$", "GET /${x}$$", "a"),
    ];
    for (url, target, path, name, plan_name) in cases {
        let plan = Plan::for_url(&Planless::get(url)).unwrap();
        assert_eq!((plan.target.as_str(), plan.name.as_str()), (target, plan_name));
        assert_eq!(request(&plan).http().unwrap().url.parts, [Part::Text(path.into())]);
        assert_eq!(request(&plan).name.as_constant(), Some(name));
    }
}

#[test]
fn load_and_end() {
    let plan = |change: fn(&mut Planless)| {
        let mut run = Planless::get("http://a/");
        change(&mut run);
        Plan::for_url(&run).unwrap()
    };
    let seconds = |s: u64| Some(s * 1_000_000_000);
    let open = |rate_per_s, max_in_flight| Workload::Open { rate_per_s, arrivals: Arrivals::Even, max_in_flight };
    let rows = [
        (plan(|_| ()), Workload::Closed { vus: 10 }, seconds(10), None, "defaults"),
        (plan(|run| run.vus = Some(64)), Workload::Closed { vus: 64 }, seconds(10), None, "-c"),
        (plan(|run| run.requests = Some(100)), Workload::Closed { vus: 10 }, None, Some(100), "-n ends the run"),
        (plan(|run| run.rate_per_s = Some(2e3)), open(2e3, 10_000), seconds(10), None, "-r"),
        (
            plan(|run| {
                (run.rate_per_s, run.vus, run.requests, run.duration) =
                    (Some(5.0), Some(3), Some(9), Some(Duration::from_secs(2)))
            }),
            open(5.0, 3),
            seconds(2),
            Some(9),
            "-c limits what is in flight, -n and -d both end",
        ),
    ];
    for (plan, workload, length_ns, iterations, why) in rows {
        assert_eq!(
            (&plan.workload, plan.stages[0].length_ns, plan.iterations),
            (&workload, length_ns, iterations),
            "{why}"
        );
    }
}

#[test]
fn errors_all_at_once() {
    let mut run = Planless::get("ftp://a/");
    run.vus = Some(0);
    run.rate_per_s = Some(f64::NAN);
    run.duration = Some(Duration::ZERO);
    run.requests = Some(0);
    run.headers = vec![("a b".into(), "x".into()), ("Connection".into(), "close".into()), ("x".into(), "a\nb".into())];
    let text: Vec<String> = Plan::for_url(&run).unwrap_err().iter().map(|error| error.at.to_string()).collect();
    assert_eq!(text, ["URL", "-c", "-r", "-d", "-n", "-H", "-H", "-H"]);
    for url in ["", "http://", "a.test", "http://a b/", "http://a/x y", "http://u@a/", "http://a:99999/"] {
        assert!(Plan::for_url(&Planless::get(url)).is_err(), "{url}");
    }
}

#[test]
fn redirects_and_codings_are_those_of_every_request() {
    let mut run = Planless::get("http://a/");
    let plan = Plan::for_url(&run).unwrap();
    assert_eq!((plan.defaults.redirects_max, plan.defaults.compression.len()), (0, 0));
    run.redirects_max = 5;
    run.compression = vec![Coding::Brotli];
    let plan = Plan::for_url(&run).unwrap();
    assert_eq!((plan.defaults.redirects_max, plan.defaults.compression), (5, vec![Coding::Brotli]));
    assert_eq!(plan.scenarios[0].steps.len(), 1);
    run.headers = vec![("Accept-Encoding".into(), "br".into())];
    run.redirects_max = 51;
    let errors: Vec<String> = Plan::for_url(&run).unwrap_err().iter().map(ToString::to_string).collect();
    let want = [
        "--follow: more than 50 redirects\n  help: follow fewer",
        "-H: header `accept-encoding` is written by nmax itself with `--compressed`\n  help: leave one of them out; without `--compressed` replies are not decoded",
    ];
    assert_eq!(errors, want);
    run.redirects_max = 0;
    run.compression.clear();
    assert_eq!(Plan::for_url(&run).unwrap().defaults.headers.len(), 1, "an own header is kept");
}

/// Law: the plan of a URL is a document too.
#[test]
fn planless_plans_come_back() {
    let mut run = Planless::get("http://a.test:81/x?y=${z}");
    run.body = Some("${iteration}".into());
    run.headers = vec![("Accept".into(), "*/*".into())];
    run.requests = Some(5);
    run.redirects_max = 10;
    run.compression = Coding::ALL.to_vec();
    let plan = Plan::for_url(&run).unwrap();
    let mut back = parse(&to_yaml(&plan), &options()).unwrap();
    assert_eq!(back, plan);
    back.seed += 1;
    assert_ne!(back, plan);
}

/// The defect that this rules out: to look for `://` anywhere in the text.
#[test]
fn a_query_may_hold_a_url() {
    let plan = Plan::for_url(&Planless::get("http://127.0.0.1:8080/login?next=http://a.b/c")).unwrap();
    assert_eq!(plan.target, "http://127.0.0.1:8080");
    let [Step::Call(request)] = plan.scenarios[0].steps.as_slice() else { panic!("a plan of one request") };
    assert_eq!(request.http().unwrap().url.as_constant(), Some("/login?next=http://a.b/c"));
    // Without a scheme it is no URL, whatever its query holds.
    assert!(Plan::for_url(&Planless::get("127.0.0.1:8080/login?next=http://a.b/c")).is_err());
}

/// A URL takes the shape of a profile as a plan does.
#[test]
fn profiles_of_a_url() {
    let minutes = |count: u64| Some(count * 60_000_000_000);
    let of = |profile, change: fn(&mut Planless)| {
        let mut run = Planless { profile: Some(profile), ..Planless::get("http://a/") };
        change(&mut run);
        Plan::for_url(&run)
    };
    let smoke = of(Profile::Smoke, |run| run.rate_per_s = Some(100.0)).unwrap();
    assert_eq!((smoke.workload, smoke.profile), (Workload::Closed { vus: 1 }, Some(Profile::Smoke)));
    assert_eq!(smoke.stages[0].length_ns, minutes(20));
    let peak = of(Profile::Peak, |run| {
        (run.rate_per_s, run.compress) = (Some(100.0), 60.0);
        run.duration = Some(Duration::from_secs(600));
    })
    .unwrap();
    let lengths: Vec<u64> = peak.stages.iter().filter_map(|stage| stage.length_ns).collect();
    assert_eq!(lengths, [30_000_000_000, 10_000_000_000, 5_000_000_000]);
    assert_eq!((peak.stages[1].to, peak.compress), (100.0, 60.0));
    let errors = of(Profile::Ladder, |run| {
        run.duration = Some(Duration::from_secs(1));
    })
    .unwrap_err();
    assert!(errors[0].to_string().starts_with("-d: profile `ladder` has not one hold"), "{errors:?}");
    let errors = of(Profile::Flood, |run| run.compress = f64::NAN).unwrap_err();
    assert!(errors[0].to_string().starts_with("--compress: a run cannot be made NaN times"), "{errors:?}");
}
