use std::sync::Arc;

use nmax_metrics::{Code, NameId, Outcome, Section};
use nmax_plan::plan::{Call, Step};

use super::*;
use crate::tests::fixture::{FORM, HOME, Run};
use crate::{Verdict, judge};

/// A run of `home` and `form` whose replies had these statuses.
fn run(home: &[(u16, u64)], form: &[(u16, u64)]) -> Run {
    let mut run = Run::healthy();
    reply(&mut run, HOME, home);
    reply(&mut run, FORM, form);
    run
}

fn reply(run: &mut Run, name: NameId, status: &[(u16, u64)]) {
    run.totals.request_mut(Section::Hold, name).status =
        status.iter().map(|(code, n)| (Code::new(*code), *n)).collect();
}

/// Changes the request of scenario `browse`.
fn with_home(run: &mut Run, change: impl Fn(&mut Call)) {
    if let Step::Call(request) = &mut run.plan.scenarios[0].steps[0] {
        change(Arc::make_mut(request));
    }
}

/// Replies by status.
type Replies = &'static [(u16, u64)];

#[test]
fn what_only_redirects_or_is_never_accepted_is_told() {
    let both = ["ONLY_REDIRECTS", "STATUS_UNEXPECTED"];
    // home                        form             codes        why
    let cases: [(Replies, Replies, &[&str], &str); 9] = [
        (&[(200, 900)], &[(200, 100)], &[], "pages"),
        (&[(302, 900)], &[(200, 100)], &both[..1], "one name redirects only"),
        (&[(302, 500), (307, 400)], &[(200, 100)], &both[..1], "whatever the redirect"),
        (&[(302, 899), (200, 1)], &[(200, 100)], &[], "one page was there"),
        (&[(304, 900)], &[(200, 100)], &[], "the client has the page"),
        (&[(200, 900)], &[(404, 100)], &both[1..], "a rare request that never works"),
        (&[(200, 900)], &[(404, 99), (200, 1)], &[], "conditions on failures judge the rest"),
        (&[(301, 900)], &[(503, 50), (429, 50)], &both, "both"),
        (&[], &[], &[], "no reply at all is an error"),
    ];
    for (home, form, want, why) in cases {
        let run = run(home, form);
        let judgement = judge(&run.evidence());
        let codes: Vec<_> = judgement.reasons.iter().map(|reason| reason.code).collect();
        assert_eq!(codes, want, "{why}");
        assert_eq!(judgement.verdict, Verdict::Pass, "{why}: a warning decides nothing");
    }
}

#[test]
fn who_follows_or_expects_a_redirect_is_not_warned() {
    let redirects = || run(&[(302, 900)], &[(200, 100)]);
    let mut expected = redirects();
    with_home(&mut expected, |request| request.expect.status = vec![(302, 302)]);
    let mut followed = redirects();
    with_home(&mut followed, |request| request.http_mut().unwrap().redirects_max = Some(10));
    let mut by_default = redirects();
    by_default.plan.defaults.redirects_max = 10;
    let mut followed_to_a_page = redirects();
    with_home(&mut followed_to_a_page, |request| {
        request.http_mut().unwrap().redirects_max = Some(10);
        request.expect.status = vec![(200, 200)];
    });
    for run in [expected, followed, by_default, followed_to_a_page] {
        assert_eq!(odd(&run.evidence()), []);
    }
    let mut refused = redirects();
    with_home(&mut refused, |request| request.expect.status = vec![(200, 200)]);
    assert_eq!(odd(&refused.evidence())[0].0, "STATUS_UNEXPECTED", "the step asks for 200");
}

#[test]
fn the_sentence_names_requests_and_codes() {
    let run = run(&[(302, 1_900)], &[(301, 100)]);
    let (_, text, replies) = odd(&run.evidence()).remove(0);
    assert!(text.starts_with("every reply of `home` (302: 1,900) and `form` (301: 100) is a redirect"), "{text}");
    assert_eq!(replies, 2_000);
}

/// The warning leaves out exchanges that no step of the plan sends, such as the resources of a page.
#[test]
fn names_that_no_step_has_are_left_out() {
    let mut run = run(&[(200, 900)], &[(200, 100)]);
    let part = run.catalog.requests.intern("GET /logo.png");
    run.add(Section::Hold, 5, part, Outcome::Ok, 20.0, 0.05);
    reply(&mut run, part, &[(302, 5)]);
    assert_eq!(odd(&run.evidence()), []);
}
