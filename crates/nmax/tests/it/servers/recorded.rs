//! nginx with HTTP/2, seen through the recorder.

use std::process::Command;

use super::certificates;
use super::nginx::nginx;
use crate::bench::Bench;
use crate::peers::target;
use crate::record::{Recording, entries};

/// HTTP/2 and HTTP/1.1 by what the client offers, and a proxy for other hosts' names.
const SITE: &str = "ssl_certificate FOLDER/server.pem; ssl_certificate_key FOLDER/server.key;
  server { listen 127.0.0.1:PORT0 ssl http2; gzip on; gzip_min_length 1; gzip_types text/plain; root FOLDER;
    client_max_body_size 10m;
    location / { return 200 'you spoke $server_protocol to $host$request_uri'; }
    location = /large.txt { }
    location = /put { rewrite .* /echo break; proxy_pass ECHO; } }";

#[test]
fn http2_is_spoken_to_servers_that_offer_it_and_recorded_so() {
    let bench = Bench::new();
    let folder = bench.path("nginx");
    std::fs::create_dir_all(&folder).unwrap();
    certificates::write(&folder);
    let echo = target();
    let server = nginx(&bench, 1, &SITE.replace("ECHO", &echo.url()));
    std::fs::write(server.file("large.txt"), "all work and no play\n".repeat(100_000)).unwrap();
    let site = server.url(0).replace("http:", "https:");
    let recording = Recording::start(&bench, &[&site, "--no-browser", "-o", "visit", "--upstream-ca", "nginx/ca.pem"]);
    let curl = |args: &[&str]| {
        let mut command = Command::new("curl");
        command.current_dir(bench.path("")).env_clear();
        command.args([
            "-sS", "--max-time", "240", "--proxy", &recording.proxy, "--noproxy", "", "--cacert", "visit.ca.pem",
        ]);
        let output = command.args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let (one, two) = (format!("{site}/one?a=1"), format!("{site}/two"));
    assert_eq!(curl(&[&one, &two]), "you spoke HTTP/2.0 to 127.0.0.1/one?a=1you spoke HTTP/2.0 to 127.0.0.1/two");
    assert_eq!(curl(&["--compressed", &format!("{site}/large.txt")]).len(), 2_100_000);
    bench.write("body", &"x".repeat(1_000_000));
    let echoed = curl(&["-T", "body", &format!("{site}/put")]);
    assert!(echoed.matches('x').count() >= 1_000_000, "the server got all of it");
    recording.until_shown("/put");
    recording.end().exits(0);
    let kept = entries(&bench, "visit.har");
    let versions: Vec<&str> = kept.iter().map(|entry| entry["response"]["httpVersion"].as_str().unwrap()).collect();
    assert_eq!(versions, ["h2"; 4]);
    // The second one of a connection had nothing to open.
    assert!(kept[0]["timings"]["ssl"].as_f64().unwrap() > 0.0, "{:#}", kept[0]["timings"]);
    assert_eq!(kept[1]["timings"]["ssl"], -1, "{:#}", kept[1]["timings"]);
    let large = &kept[2]["response"];
    assert_eq!(large["content"]["size"], 2_100_000);
    assert!(large["bodySize"].as_u64().unwrap() < 100_000, "it was compressed: {:#}", large["bodySize"]);
    assert_eq!(kept[3]["request"]["bodySize"], 1_000_000);
}
