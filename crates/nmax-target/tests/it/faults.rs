use std::io::ErrorKind;

use nmax_target::{Options, spawn};

use crate::client::Client;

#[test]
fn resets_are_resets_and_are_counted() {
    let target = spawn(Options { resets: "100%".parse().unwrap(), ..Options::default() }).unwrap();
    for _ in 0..3 {
        let error = Client::connect(target.address()).send("GET", "/", "", "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "not an orderly end");
    }
    let truth = Client::connect(target.address()).truth();
    assert_eq!(truth["resets"], 3);
    assert_eq!(truth["requests"], 3);
    assert_eq!(truth["service_time_ms"]["count"], 0, "no reply, no service time");
    assert_eq!(truth["in_flight"], 0);
}

#[test]
fn errors_have_their_share_and_repeat_with_the_seed() {
    let statuses = |seed| {
        let options = Options { seed, errors: "30%:500".parse().unwrap(), ..Options::default() };
        let target = spawn(options).unwrap();
        let mut client = Client::connect(target.address());
        let statuses: Vec<_> = (0..200).map(|_| client.get("/").status).collect();
        let failed = statuses.iter().filter(|status| **status == 500).count();
        assert_eq!(client.truth()["errors"], failed);
        // Binomial(200, 0.3): mean 60, deviation 6.5; the seeds are fixed.
        assert!((40..80).contains(&failed), "{failed}");
        client.post("/_control/reset", "");
        let again: Vec<_> = (0..200).map(|_| client.get("/").status).collect();
        assert_eq!(statuses, again, "a reset repeats the sequence");
        statuses
    };
    assert_eq!(statuses(1), statuses(1));
    assert_ne!(statuses(1), statuses(2));
}
