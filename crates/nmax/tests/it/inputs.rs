//! Files of certificates and keys, and addresses: what cannot be used is said by `nmax check`, with the file's name.

use std::path::Path;

use crate::bench::Bench;
use crate::peers::target;

#[test]
fn certificates_are_regular_files_of_limited_length() {
    let (bench, target) = (Bench::new(), target());
    let url = target.url();
    bench.shell("mkfifo pipe.pem").exits(0);
    bench.write("long.pem", &"#".repeat((1 << 20) + 1));
    bench.write("text.pem", "no certificate\n");
    bench.write("broken.pem", "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n");
    let cases: [(&[&str], &[&str]); 8] = [
        (&["--ca", "/dev/zero"], &["/dev/zero: it is not a regular file"]),
        (&["--ca", "pipe.pem"], &["pipe.pem: it is not a regular file"]),
        (&["--ca", "long.pem"], &["long.pem: it is longer than 1 MiB"]),
        (&["--ca", "text.pem"], &["text.pem: it holds no certificate"]),
        (&["--ca", "broken.pem"], &["broken.pem: not valid PEM"]),
        (&["--ca", "none.pem"], &["none.pem: cannot be read"]),
        (&["--cert", "/dev/zero", "--key", "text.pem"], &["/dev/zero: it is not a regular file"]),
        (&["--cert", "text.pem", "--key", "/dev/zero"], &["/dev/zero: it is not a regular file"]),
    ];
    for verb in ["check", "run"] {
        for (flags, want) in cases {
            bench.nmax(&[&[verb, &url], flags].concat()).exits(2).says(want);
        }
    }
    let files = ["ca: text.pem", "certificate: pipe.pem, key: text.pem"];
    for (tls, want) in files.into_iter().zip(["text.pem: it holds", "`pipe.pem`: it is not a file"]) {
        bench.write(
            "plan.yaml",
            &format!(
                "nmax: 1\ntarget: {url}\ndefaults: {{ tls: {{ {tls} }} }}\n\
                 scenarios: {{ a: {{ steps: [{{ get: / }}] }} }}\nworkload: {{ closed: {{ vus: 1 }} }}\n"
            ),
        );
        bench.nmax(&["check", "plan.yaml"]).exits(2).says(&[want]);
    }
    bench.write("plan.yaml", "nmax: 1\ntarget: http://a\ndata: { users: { csv: /dev/zero } }\n");
    bench.nmax(&["check", "plan.yaml"]).exits(2).says(&["cannot read `/dev/zero`: it is not a file"]);
    // A plan may come through a pipe; one without an end is refused.
    bench.nmax(&["check", "/dev/zero"]).exits(2).says(&["/dev/zero"]);
    bench.shell("echo 'nmax: 1' | \"$NMAX\" check /dev/stdin").exits(2).says(&["/dev/stdin:1:1: "]);
    assert!(!Path::new(&bench.path("runs")).exists());
}

/// What a run refuses, check refuses; flags and keys of a plan by the same rules.
#[test]
fn addresses_are_held_against_the_same_rules_everywhere() {
    let (bench, target) = (Bench::new(), target());
    let url = target.url();
    let plan = |lines: &str, step: &str| {
        format!(
            "nmax: 1\ntarget: {url}\n{lines}scenarios: {{ a: {{ steps: [{{ get: \"{step}\" }}] }} }}\n\
             workload: {{ closed: {{ vus: 1 }} }}\n"
        )
    };
    for proxy in [
        "http://127.0.0.1:9/path", "http://a%zz@127.0.0.1:9", "http://[::g]:9", "http://127.0.0.1:0",
        "https://127.0.0.1",
    ] {
        bench.write("plan.yaml", &plan(&format!("defaults: {{ proxy: \"{proxy}\" }}\n"), "/"));
        bench.nmax(&["check", "plan.yaml"]).exits(2).says(&["plan.yaml:3:20: "]);
        bench.nmax(&["check", &url, "--proxy", proxy]).exits(2).says(&["--proxy: "]);
    }
    for step in ["http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://a b/", "http://[::g]/"] {
        bench.write("plan.yaml", &plan("", step));
        bench.nmax(&["check", "plan.yaml"]).exits(2).says(&["plan.yaml:3:34: "]);
    }
    // A URL in a query is a part of it.
    bench.write("plan.yaml", &plan("", "/hello?next=http://a.b:0/c"));
    bench.nmax(&["check", "plan.yaml"]).exits(0);
    bench.nmax(&["check", "plan.yaml", "--once"]).exits(0);
    let with_query = format!("{url}/hello?next=http://a.b/c");
    bench.nmax(&["check", &with_query, "--once"]).exits(0).shows(&["GET /hello?next=http://a.b/c"]);
    let resolve = ["check", &url, "--resolve", "shop.test:0:127.0.0.1"];
    bench.nmax(&resolve).exits(2).says(&["HOST[:PORT]:ADDRESS", "`0` is not a port"]);
    let unused = ["check", &url, "--json", "--resolve", "shop.test:443:127.0.0.1:8443"];
    let unused = bench.nmax(&unused).exits(0).says(&["warning: no request goes to `shop.test:443`"]);
    assert_eq!(unused.json()["warnings"].as_array().map(Vec::len), Some(1));
}
