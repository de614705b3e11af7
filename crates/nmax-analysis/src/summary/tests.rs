use nmax_metrics::{Code, FailureStats, Group, Names, Outcome, Sample};

use super::*;

#[test]
fn rows_come_in_the_order_of_the_plan_redirects_after_their_step() {
    let mut requests = Names::default();
    let mut aggregate = Aggregate::default();
    for name in ["b", "a +10", "a +2", "a +1", "a + b", "a", "a +9"] {
        let sample = Sample {
            name: requests.intern(name),
            scenario: 0,
            outcome: Outcome::Ok,
            status: Some(Code::new(200)),
            intended: Nanos::ZERO,
            sent: None,
            first_byte: None,
            done: Nanos(1),
            network: Default::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 0,
            bytes_sent: 0,
            bytes_decoded: 0,
        };
        aggregate.record(Section::Hold, &sample);
    }
    let catalog = Catalog { requests, ..Catalog::default() };
    let rows = request_rows(&aggregate, &catalog, &Batches::default(), 1.0);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["b", "a + b", "a", "a +1", "a +2", "a +9", "a +10"]);
}

/// What failed first in its iteration comes first, and names what followed, however often that was.
#[test]
fn causes_come_before_what_follows_from_them() {
    let example = |kind: &str, name: &str, after: Option<&str>| FailureExample {
        at: Nanos::ZERO,
        name: name.into(),
        scenario: "shop".into(),
        outcome: Outcome::Failed,
        kind: kind.into(),
        after: after.map(str::to_owned),
        status: None,
        text: String::new(),
        request: String::new(),
        reply: String::new(),
        response_time: Nanos::ZERO,
    };
    let (login, moved, check) = ("status 401", "status 302", "check \"Hello\"");
    let examples = [
        example(login, "POST /login", None),
        example(moved, "GET /basket", Some(login)),
        example(moved, "GET /home", Some(login)),
        example("timeout", "GET /slow", None),
    ];
    let mut catalog = Catalog { checks: vec!["Hello".into()], ..Catalog::default() };
    let mut whole = Aggregate::default();
    whole.checks.get_mut(Section::Hold, 0).failed = 60;
    let of = |counted: bool, whole: &Aggregate, catalog: &Catalog| {
        let problems = problems::collect(whole, catalog, &examples);
        assert!(problems.iter().all(|problem| problem.first.is_some() == counted), "{problems:?}");
        problems
    };
    let kinds = |problems: &[Problem]| problems.iter().map(|one| one.kind.clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&of(false, &whole, &catalog))[0], check, "a run of before: the most frequent first");
    for (kind, count, first) in [(moved, 40, 0), (login, 20, 20), ("timeout", 5, 3)] {
        let number = catalog.intern(Group::Failure, kind);
        *whole.failures.get_mut(Section::Hold, number) = FailureStats { count, first };
    }
    let problems = of(true, &whole, &catalog);
    assert_eq!(kinds(&problems), [login, "timeout", check, moved]);
    assert_eq!(problems[0].followed_by, [moved]);
    let counts = |one: &Problem| (one.count, one.first, one.only_follows());
    assert_eq!(
        problems.iter().map(counts).collect::<Vec<_>>(),
        [(Some(20), Some(20), false), (Some(5), Some(3), false), (Some(60), Some(0), true), (Some(40), Some(0), true),]
    );
}

#[test]
fn readings_without_room_are_a_limit_that_was_hit() {
    let hit = |left_out| limits_hit(&Catalog::default(), &Aggregate::default(), left_out);
    assert_eq!(hit(0), Vec::<String>::new());
    let said = hit(17);
    assert!(said.len() == 1 && said[0].contains("17 readings"), "{said:?}");
}
