use super::*;

#[test]
fn the_command_line_is_consistent() {
    <Cli as clap::CommandFactory>::command().debug_assert();
}

/// As curl reads it, and shorter.
#[test]
fn names_are_given_addresses() {
    //  text                          port       addresses                 why this row
    let cases: [(&str, Option<u16>, &[&str], &str); 7] = [
        ("Shop.test:443:10.0.0.7", Some(443), &["10.0.0.7"], "as curl"),
        ("shop.test:10.0.0.7", None, &["10.0.0.7"], "all ports"),
        ("shop.test:80:10.0.0.7,10.0.0.8", Some(80), &["10.0.0.7", "10.0.0.8"], "several"),
        ("shop.test:80:[::1]", Some(80), &["::1"], "brackets"),
        ("shop.test:80:::1", Some(80), &["::1"], "none"),
        ("shop.test:::1", None, &["::1"], "no port"),
        ("shop.test:80::1", None, &["80::1"], "`:1` is not an address, so 80 is not a port"),
    ];
    for (text, port, addresses, why) in cases {
        let given = resolve(text).unwrap();
        let found: Vec<String> = given.addresses.iter().map(|(address, _)| address.to_string()).collect();
        assert_eq!((given.host.as_str(), given.port), ("shop.test", port), "{why}");
        assert_eq!(found, addresses, "{why}");
    }
    for text in [
        "", "shop.test", "shop.test:", ":80:10.0.0.7", "shop.test:80:", "shop.test:99999:10.0.0.7", "shop.test:80:name",
    ] {
        let error = resolve(text).unwrap_err();
        assert!(error.contains("write HOST[:PORT]:ADDRESS"), "{text}: {error}");
    }
    for (text, want) in [
        ("shop.test", "the address is missing"),
        ("shop.test:0:10.0.0.7", "`0` is not a port"),
        ("shop.test:99999:10.0.0.7", "`99999` is not a port"),
        ("shop.test:80:10.0.0.7:0", "`10.0.0.7:0` has the port 0"),
        ("shop.test:80:name", "`name` is not an address"),
        ("sh op:80:10.0.0.7", "`sh op` is not a host name"),
    ] {
        let error = resolve(text).unwrap_err();
        assert!(error.starts_with(want), "{text}: {error}");
    }
    // As in `hosts` of a plan.
    let given = resolve("shop.test:443:10.0.0.7:8443,[::1]:1").unwrap();
    let found: Vec<Option<u16>> = given.addresses.iter().map(|(_, port)| *port).collect();
    assert_eq!((given.port, found), (Some(443), vec![Some(8443), Some(1)]));
    let given = resolve("shop.test:10.0.0.7:8443").unwrap();
    assert_eq!((given.port, given.addresses[0].1), (None, Some(8443)));
}

#[test]
fn a_run_is_made_shorter_not_longer() {
    assert_eq!((factor("60"), factor("1.5"), factor("1")), (Ok(60.0), Ok(1.5), Ok(1.0)));
    for text in ["0.9", "0", "-2", "x", "", "nan", "inf", "1e7"] {
        let error = factor(text).unwrap_err();
        assert!(error.starts_with("write a number from 1 up"), "{text}: {error}");
    }
}

/// What stands behind the word `curl` is no flag of nmax.
#[test]
fn all_behind_curl_is_curls() {
    //  command line                                                what becomes of it
    let cases = [
        ("import curl curl http://a -H x --json 1 -o f", "import curl -- curl http://a -H x --json 1 -o f"),
        ("import curl -o api --json /usr/bin/curl -L a", "import curl -o api --json -- /usr/bin/curl -L a"),
        ("import curl --output=x --host h curl a", "import curl --output=x --host h -- curl a"),
        ("import curl -o curl http://a", "import curl -o curl http://a"),
        ("import curl http://a -o curl", "import curl http://a -o curl"),
        ("import curl - --json", "import curl - --json"),
        ("import curl -- curl a", "import curl -- curl a"),
        ("import curl", "import curl"),
        ("import har curl", "import har curl"),
        ("run curl", "run curl"),
    ];
    for (line, want) in cases {
        let words = |line: &str| -> Vec<std::ffi::OsString> {
            std::iter::once("nmax").chain(line.split(' ')).map(Into::into).collect()
        };
        assert_eq!(with_curl_apart(words(line).into_iter()), words(want), "{line}");
    }
}
