//! How requests travel: what the keys mean, and their errors as a user reads them.

use std::time::Duration;

use super::{options, rendered};
use crate::document::parse;
use crate::plan::*;
use crate::template::{Part, Template};

const WORKLOAD: &str = "workload: { open: { rate: 5/s } }\n";

/// The third line is `defaults`, the fourth a scenario.
fn with_defaults(defaults: &str) -> String {
    format!(
        "nmax: 1\ntarget: http://a\ndefaults: {defaults}\nscenarios: {{ s: {{ steps: [{{ get: / }}] }} }}\n{WORKLOAD}"
    )
}

/// The third line is a step.
fn with_step(step: &str) -> String {
    format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{step}] }} }}\n{WORKLOAD}")
}

fn plan(text: &str) -> Plan {
    parse(text, &options()).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

fn defaults(text: &str) -> Defaults {
    plan(&with_defaults(text)).defaults
}

fn request(plan: &Plan, scenario: usize, step: usize) -> &Call {
    match &plan.scenarios[scenario].steps[step] {
        Step::Call(request) => request,
        _ => panic!("a request"),
    }
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let found = rendered(text, &options());
    let want: String = want.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, want, "\n--- found\n{found}--- of\n{text}");
}

fn every_key() -> Plan {
    plan(include_str!("every_key.yaml"))
}

#[test]
fn every_key_of_the_defaults_has_its_meaning() {
    let plan = every_key();
    let defaults = &plan.defaults;
    let s = |s: u64| Some(Duration::from_secs(s));
    let limits = PhaseTimeouts { dns: s(5), connect: s(2), tls: s(5), send: s(10), wait: s(20), receive: s(1) };
    assert_eq!(defaults.phase_timeouts, limits);
    assert_eq!((defaults.cookies, defaults.redirects_max), (Cookies::Kept, 10));
    assert_eq!(defaults.compression, [Coding::Zstd, Coding::Gzip], "in the order of the plan");
    let own = ClientCertificate { certificate_file: "me.pem".into(), key_file: "keys/me.pem".into() };
    assert_eq!(defaults.client_certificate, Some(own));
    let dns = Dns {
        ttl: Some(Duration::ZERO),
        per_vu: true,
        family: Family::V4,
        servers: vec!["10.0.0.2:53".parse().unwrap(), "127.0.0.1:5353".parse().unwrap()],
    };
    assert_eq!(defaults.dns, dns, "servers without a port listen on 53");
    let sources: Vec<String> = defaults.source_addresses.iter().map(ToString::to_string).collect();
    assert_eq!(sources, ["127.0.0.2", "127.0.0.3"]);
    let link = Some("https://tempo.test/trace/{trace_id}".into());
    assert_eq!(defaults.trace, Some(Trace { share: 0.05, link, run: 0 }));
    assert_eq!(defaults.proxy.as_deref(), Some("http://me:s3cret@proxy:3128"));
    let local = |text: &str, port| (text.parse().unwrap(), port);
    let hosts = [
        HostOverride { host: "shop.test".into(), port: None, addresses: vec![local("10.0.0.1", None)] },
        HostOverride {
            host: "api.test".into(),
            port: Some(8443),
            addresses: vec![local("127.0.0.1", Some(9443)), local("::1", Some(9443))],
        },
    ];
    assert_eq!(plan.hosts, hosts);
}

#[test]
fn every_kind_of_body_has_its_meaning() {
    let plan = every_key();
    let photos = request(&plan, 1, 4);
    let Body::Multipart(parts) = &photos.http().unwrap().body else { panic!("{:?}", photos.http().unwrap().body) };
    let names: Vec<_> = parts.iter().map(|part| part.name.as_constant().unwrap()).collect();
    assert_eq!(names, ["title", "tag", "tag", "meta", "photo", "raw"], "a list repeats its name");
    assert_eq!(parts[1].content, PartContent::Text(Template::text("a")));
    assert_eq!((parts[3].content_type.as_deref(), &parts[3].file_name), (Some("application/json"), &None));
    assert_eq!(parts[4].content, PartContent::File("pics/tea.png".into()));
    let told = Template { parts: vec![Part::Vu, Part::Text(".png".into())] };
    assert_eq!(parts[4].file_name, Some(told));
    assert_eq!(parts[5].file_name, Some(Template::text("raw.bin")), "the file's own name, without folders");
    let put = request(&plan, 1, 5);
    assert_eq!(
        (&put.http().unwrap().body, put.http().unwrap().redirects_max),
        (&Body::File("pics/tea.png".into()), Some(3))
    );
    let notes = request(&plan, 1, 6);
    assert!(matches!(&notes.http().unwrap().body, Body::Multipart(parts) if parts.len() == 2));
    assert_eq!(notes.http().unwrap().redirects_max, Some(0), "none is not the default of the plan");
}

#[test]
fn what_is_wrong_with_expectations() {
    let operators = "operators are: == != < <= > >= contains. A text that begins like one needs quotes";
    let operator = |word: &str| {
        format!("  help: write an operator and a space before the value, as in `> 0`; {operators}: `'{word}'`")
    };
    let cases: &[(&str, &[&str])] = &[
        ("json: { $.n: '=> 5' }", &["plan.yaml:3:61: `=>` is not an operator", &operator("=>")]),
        ("json: { $.n: '>5' }", &["plan.yaml:3:61: `>5` is not an operator", &operator(">5")]),
        ("json: { $.n: [5, '<> 5'] }", &["plan.yaml:3:65: `<>` is not an operator", &operator("<>")]),
        (
            "json: { $.n: '>= ' }",
            &["plan.yaml:3:64: one side of the comparison is empty", "  help: write `''` for the empty text"],
        ),
        (
            "json: { $.n: '> ${x}' }",
            &[
                "plan.yaml:3:63: `${x}` is not defined",
                "  help: add `extract: { x: ... }` to an earlier step, or write `$${x}` for the text itself",
            ],
        ),
        (
            "json: { '$.!!': 5 }",
            &[
                "plan.yaml:3:55: `json $.!!` is not valid: unexpected `!!`",
                "  help: write a JSONPath, such as `$.items[0].price`",
            ],
        ),
        (
            "json: { $.n: { a: 1 } }",
            &[
                "plan.yaml:3:60: expected a single value, found a map",
                "  help: write one value; quote texts with special characters",
            ],
        ),
        (
            "max_time: 500",
            &[
                "plan.yaml:3:57: `500` has no unit of time",
                "  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or `1h30m`",
            ],
        ),
    ];
    for (expect, want) in cases {
        check(&with_step(&format!("{{ get: /, expect: {{ {expect} }} }}")), want);
    }
}

#[test]
fn files_are_named_as_written_and_can_be_resolved() {
    let mut plan = every_key();
    let want = ["ca.pem", "more.pem", "me.pem", "keys/me.pem", "pics/tea.png", "pics\\raw.bin", "pics/tea.png"];
    let mut files = Vec::new();
    plan.change_files(&mut |file| {
        files.push(file.clone());
        file.insert_str(0, "/plans/");
    });
    assert_eq!(files, want);
    assert_eq!(request(&plan, 1, 5).http().unwrap().body, Body::File("/plans/pics/tea.png".into()));
    let Body::Multipart(parts) = &request(&plan, 1, 4).http().unwrap().body else { panic!("parts") };
    assert_eq!(parts[5].file_name, Some(Template::text("raw.bin")), "what the server is told stays");
}

#[test]
fn nothing_said_is_the_default() {
    let plan = plan(&with_defaults("{}"));
    assert_eq!(plan.defaults, Defaults::default());
    assert_eq!(plan.defaults.cookies, Cookies::PerIteration);
    assert_eq!((plan.defaults.redirects_max, &plan.hosts), (0, &vec![]));
    let request = request(&plan, 0, 0);
    assert_eq!((request.http().unwrap().redirects_max, request.http().unwrap().expect_continue), (None, false));
}

#[test]
fn words_and_numbers() {
    for (text, want) in [("none", 0), ("follow", 10), ("0", 0), ("50", 50)] {
        assert_eq!(defaults(&format!("{{ redirects: {text} }}")).redirects_max, want, "{text}");
    }
    let visitors = [
        ("returning", Visitor::Returning),
        ("{ new: 0% }", Visitor::Returning),
        ("{ new: 2.5% }", Visitor::Mixed(0.025)),
        ("{ new: 100% }", Visitor::New),
        ("new", Visitor::New),
    ];
    for (text, want) in visitors {
        assert_eq!(defaults(&format!("{{ visitor: {text} }}")).visitor, want, "{text}");
    }
    let codings: [(&str, &[Coding]); 5] = [
        ("none", &[]),
        ("[]", &[]),
        ("br", &[Coding::Brotli]),
        ("all", &[Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd]),
        ("[br, gzip]", &[Coding::Brotli, Coding::Gzip]),
    ];
    for (text, want) in codings {
        assert_eq!(defaults(&format!("{{ compression: {text} }}")).compression, want, "{text}");
    }
    for (text, want) in [("honor", None), ("30s", Some(30)), ("0s", Some(0))] {
        let dns = defaults(&format!("{{ dns: {{ ttl: {text} }} }}")).dns;
        assert_eq!(dns.ttl, want.map(Duration::from_secs), "{text}");
    }
}

/// Without `compression` the header belongs to the user; `none` says the same.
#[test]
fn an_own_accept_encoding_works_without_compression() {
    for compression in ["", "compression: none, "] {
        let defaults = defaults(&format!("{{ {compression}headers: {{ Accept-Encoding: gzip }} }}"));
        assert_eq!(defaults.headers.len(), 1);
        assert!(defaults.compression.is_empty());
    }
}

#[test]
fn a_second_writer_of_accept_encoding_is_refused() {
    let want = [
        "plan.yaml:3:45: header `accept-encoding` is written by nmax itself when `defaults` has `compression`",
        "  help: remove it; or remove `compression`, then replies are not decoded",
    ];
    check(
        &with_defaults("{ compression: gzip, headers: { X: y, Accept-Encoding: br } }"),
        &[&want[0].replace("3:45", "3:49"), want[1]],
    );
    let text =
        with_defaults("{ compression: all }").replace("{ get: / }", "{ get: /, headers: { accept-encoding: gzip } }");
    check(&text, &[&want[0].replace("3:45", "4:48"), want[1]]);
}

#[test]
fn errors_of_the_defaults() {
    let cases: [(&str, &[&str]); 19] = [
        (
            "{ visitor: { new: 101% } }",
            &[
                "plan.yaml:3:29: more than 100% of the iterations cannot be made by new visitors",
                "  help: write a share from 0% to 100%",
            ],
        ),
        (
            "{ visitor: {} }",
            &[
                "plan.yaml:3:22: `visitor` has no `new`",
                "  help: add `new: ...`. Share of the iterations that new visitors make; returning ones make the rest.",
            ],
        ),
        ("{ cookies: keeps }", &["plan.yaml:3:22: `keeps` is not a choice here", "  help: did you mean `keep`?"]),
        (
            "{ redirects: 51 }",
            &[
                "plan.yaml:3:24: `51` is not a number of redirects",
                "  help: write `none`, `follow` (at most 10) or a number from 0 to 50",
            ],
        ),
        (
            "{ compression: lzma }",
            &[
                "plan.yaml:3:26: `lzma` is not a choice here",
                "  help: write one of: gzip, deflate, br, zstd, all, none",
            ],
        ),
        (
            "{ compression: [gzip, br, gzip, all] }",
            &[
                "plan.yaml:3:37: `gzip` is here twice",
                "  help: keep one of them",
                "plan.yaml:3:43: `all` is not a choice here",
                "  help: write one of: gzip, deflate, br, zstd",
            ],
        ),
        (
            "{ timeout: 5s, timeouts: { connect: 6s, wait: 5s, send: 0s } }",
            &[
                "plan.yaml:3:47: `timeouts.connect` is 6s, longer than `timeout`, which is 5s",
                "  help: write at most 5s, or a longer `timeout`",
                "plan.yaml:3:67: the duration is zero",
                "  help: write a duration above zero, such as `30s`",
            ],
        ),
        (
            "{ timeouts: { wait: 31s } }",
            &[
                "plan.yaml:3:31: `timeouts.wait` is 31s, longer than `timeout`, which is 30s",
                "  help: write at most 30s, or a longer `timeout`",
            ],
        ),
        (
            "{ timeouts: { conect: 1s } }",
            &["plan.yaml:3:25: `timeouts` has no key `conect`", "  help: did you mean `connect`?"],
        ),
        (
            "{ tls: { certificate: me.pem } }",
            &["plan.yaml:3:20: `certificate` is here without its private key", "  help: add `key: FILE`"],
        ),
        (
            "{ tls: { key: me.pem } }",
            &["plan.yaml:3:20: `key` is here without its certificate", "  help: add `certificate: FILE`"],
        ),
        (
            "{ tls: { cert: me.pem } }",
            &["plan.yaml:3:20: `tls` has no key `cert`", "  help: did you mean `certificate`?"],
        ),
        (
            "{ tls: { ca: [ca.pem, none.txt] } }",
            &["plan.yaml:3:33: cannot read `none.txt`: no such file", "  help: write its path relative to the plan"],
        ),
        (
            "{ dns: { ttl: soon, cache: vus, servers: [a.test, \"10.0.0.1:0\"] } }",
            &[
                "plan.yaml:3:25: `soon` is not a duration",
                "  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or `1h30m`",
                "plan.yaml:3:38: `vus` is not a choice here",
                "  help: did you mean `vu`?",
                "plan.yaml:3:53: `a.test` is not an address",
                "  help: write an address such as `10.0.0.1`, `10.0.0.1:8443` or `[::1]:8443`",
                "plan.yaml:3:61: `10.0.0.1:0` has the port 0",
                "  help: write an address such as `10.0.0.1`, `10.0.0.1:8443` or `[::1]:8443`",
            ],
        ),
        (
            "{ source_addresses: [127.0.0.2, eth0, 127.0.0.2] }",
            &[
                "plan.yaml:3:43: `eth0` is not an address",
                "  help: write an address of this machine without a port, such as `127.0.0.2` or `::1`",
                "plan.yaml:3:49: `127.0.0.2` is here twice",
                "  help: keep one of them",
            ],
        ),
        (
            "{ source_addresses: \"::1\", dns: { family: ipv4 } }",
            &[
                "plan.yaml:3:31: `::1` reaches no address of the family that `dns` asks for, which is ipv4",
                "  help: write addresses of that family, or remove `family`",
            ],
        ),
        (
            "{ proxy: socks5://p:1 }",
            &[
                "plan.yaml:3:20: a proxy of kind `socks5` is not known",
                "  help: write `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`",
            ],
        ),
        (
            "{ proxy: \"http://me:secret@p:x\" }",
            &[
                "plan.yaml:3:20: not a proxy: the port is not a number from 1 to 65535",
                "  help: write `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`",
            ],
        ),
        (
            "{ resources: true }",
            &[
                "plan.yaml:3:13: `resources` in `defaults` is not supported yet by this version",
                "  help: write one step per resource",
            ],
        ),
    ];
    for (defaults, want) in cases {
        check(&with_defaults(defaults), want);
    }
}

#[test]
fn errors_of_hosts() {
    let text = with_step("{ get: / }").replace(
        "scenarios",
        "hosts:\n  shop.test: 10.0.0.1\n  SHOP.test: 10.0.0.2\n  10.0.0.1: 10.0.0.2\n  a.test:\n  b.test: []\n  c.test: [d.test]\nscenarios",
    );
    check(
        &text,
        &[
            "plan.yaml:5:3: host `SHOP.test` is here twice",
            "  help: keep one of them; several addresses are a list",
            "plan.yaml:6:3: `10.0.0.1` is an address already, so no name is looked up for it",
            "  help: write a host name, with a port if only that port is meant: `shop.test` or `shop.test:8443`",
            "plan.yaml:7:3: host `a.test` has no address",
            "  help: write one, such as `10.0.0.1`",
            "plan.yaml:8:3: host `b.test` has no address",
            "  help: write one, such as `10.0.0.1`",
            "plan.yaml:9:12: `d.test` is not an address",
            "  help: write an address such as `10.0.0.1`, `10.0.0.1:8443` or `[::1]:8443`",
        ],
    );
}

#[test]
fn errors_of_bodies() {
    let cases: [(&str, &[&str]); 12] = [
        (
            "{ post: /, file: a.png, multipart: { a: b }, form: {} }",
            &["plan.yaml:3:51: a request has one body, but both `file` and `multipart`", "  help: keep one of them"],
        ),
        (
            "{ post: /, file: none.txt }",
            &["plan.yaml:3:44: cannot read `none.txt`: no such file", "  help: write its path relative to the plan"],
        ),
        (
            "{ post: /, multipart: { a: { file: none.txt, type: image } } }",
            &[
                "plan.yaml:3:62: cannot read `none.txt`: no such file",
                "  help: write its path relative to the plan",
                "plan.yaml:3:78: `image` is not a content type",
                "  help: write one such as `image/png`",
            ],
        ),
        (
            "{ post: /, multipart: { a: { file: a.png, text: b }, c: { type: image/png } } }",
            &[
                "plan.yaml:3:69: a part is a file or a text, not both",
                "  help: keep one of them",
                "plan.yaml:3:83: the part has neither `file` nor `text`",
                "  help: write `{ file: PATH }`, or the text itself",
            ],
        ),
        (
            "{ post: /, multipart: { a: { file: a.png, nam: b } } }",
            &["plan.yaml:3:69: a part of `multipart` has no key `nam`", "  help: did you mean `name`?"],
        ),
        (
            "{ post: /, multipart: {} }",
            &[
                "plan.yaml:3:49: `multipart` has no part",
                "  help: write parts such as `title: Tea` or `photo: { file: a.png }`",
            ],
        ),
        (
            "{ post: /, multipart: { a: b }, headers: { Content-Type: a/b } }",
            &[
                "plan.yaml:3:70: the `content-type` of `multipart` is written by nmax itself, with the boundary between the parts",
                "  help: remove it; `type` in a part says what the part is",
            ],
        ),
        (
            "{ get: /, expect_continue: true }",
            &[
                "plan.yaml:3:37: `expect_continue` holds a body back, and this request has none",
                "  help: remove it, or add `body`, `json`, `form`, `multipart` or `file`",
            ],
        ),
        (
            "{ post: /, body: \"\", expect_continue: true }",
            &[
                "plan.yaml:3:48: `expect_continue` holds a body back, and this request has none",
                "  help: remove it, or add `body`, `json`, `form`, `multipart` or `file`",
            ],
        ),
        (
            "{ post: /, body: a, expect_continue: maybe }",
            &["plan.yaml:3:64: `maybe` is not a choice here", "  help: write one of: true, false"],
        ),
        (
            "{ post: /, body: a, expect_continue: true, headers: { Expect: 100-continue } }",
            &[
                "plan.yaml:3:81: `expect_continue` and a header `expect` exclude each other",
                "  help: remove the header",
            ],
        ),
        (
            "{ get: /, redirects: -1 }",
            &[
                "plan.yaml:3:48: `-1` is not a number of redirects",
                "  help: write `none`, `follow` (at most 10) or a number from 0 to 50",
            ],
        ),
    ];
    for (step, want) in cases {
        check(&with_step(step), want);
    }
}

/// What a step says may also clash with the defaults.
#[test]
fn errors_of_bodies_and_defaults() {
    let text = with_defaults("{ version: 1.0, headers: { Content-Type: a/b, Expect: x } }")
        .replace("{ get: / }", "{ post: /, multipart: { a: b } }, { post: /, body: a, expect_continue: true }");
    check(
        &text,
        &[
            "plan.yaml:4:38: `multipart` needs its own `content-type`, but `defaults.headers` has one for all requests",
            "  help: move that header into the steps that need it",
            "plan.yaml:4:81: servers ignore `expect: 100-continue` of HTTP/1.0, which `defaults.version` says",
            "  help: remove it, or write `version: 1.1`",
            "plan.yaml:4:81: `expect_continue` and a header `expect` exclude each other",
            "  help: remove the header",
        ],
    );
    let off = with_step("{ get: /, expect_continue: false }");
    assert_eq!(rendered(&off, &options()), "", "saying no needs no body");
}

#[test]
fn the_target_has_a_hole_of_its_own_that_follows_the_command() {
    let text = "nmax: 1
target: https://a.test:444
defaults: { headers: { origin: \"${target}\" } }
scenarios:
  s: { steps: [{ get: \"${target}//x\" }, { post: /y, json: { to: \"${target}\" } }] }
  t: { steps: [{ set: { target: b } }, { get: \"/${target}\" }] }
workload: { open: { rate: 5/s } }
";
    let own = plan(text);
    assert_eq!(own.defaults.headers[0].1.as_constant(), Some("https://a.test:444"));
    assert_eq!(request(&own, 0, 0).http().unwrap().url.as_constant(), Some("https://a.test:444//x"));
    // A value of a step comes first.
    assert!(request(&own, 1, 1).http().unwrap().url.parts.contains(&Part::Slot(0)));
    let other = parse(text, &super::super::Options { target: Some("http://b.test"), ..options() }).unwrap();
    assert_eq!(other.defaults.headers[0].1.as_constant(), Some("http://b.test"));
    assert_eq!(request(&other, 0, 0).http().unwrap().url.as_constant(), Some("http://b.test//x"));
}
