//! Apache: its ways to keep and to close connections, and Apache as a forward proxy.

use std::process::Command;

use super::access::{Access, connections};
use super::nginx::{self, nginx};
use super::process::{Program, Server};
use super::{ITERATIONS, VUS, assert_all_ok, certificates, closed, run};
use crate::bench::{Bench, until};

const APACHE: Program = Program { name: "apache2", package: "apache2" };
/// Where the Debian package has its modules.
const MODULES: &str = "/usr/lib/apache2/modules";

/// Apache with these lines, which see `PORT0`, `PORT1`.. and `FOLDER`.
fn apache(bench: &Bench, ports: usize, lines: &str) -> Server {
    let program = APACHE.path();
    Server::start(bench.path("apache"), ports, move |folder, ports| {
        let modules: String = ["mpm_event", "authz_core", "alias", "proxy", "proxy_http", "proxy_connect"]
            .iter()
            .map(|name| format!("LoadModule {name}_module {MODULES}/mod_{name}.so\n"))
            .collect();
        let mut text = format!(
            "ServerRoot FOLDER\nServerName localhost\nDefaultRuntimeDir FOLDER\nPidFile FOLDER/pid\nMutex posixsem\n\
             {modules}User www-data\nGroup www-data\nErrorLog FOLDER/error.log\n\
             LogFormat \"%{{remote}}p|%r|%>s|%{{Connection}}i|%{{Authorization}}i|0|%B|-\" line\n\
             CustomLog FOLDER/access.log line\nServerLimit 1\nStartServers 1\nThreadsPerChild 25\nMaxRequestWorkers 25\n\
             {lines}\n"
        )
        .replace("FOLDER", folder.to_str().unwrap());
        for (index, port) in ports.iter().enumerate() {
            text = text.replace(&format!("PORT{index}"), &port.to_string());
        }
        let page = folder.join("page");
        std::fs::create_dir_all(&page).unwrap();
        std::fs::write(page.join("index.txt"), "a page\n").unwrap();
        std::fs::write(folder.join("apache.conf"), text).unwrap();
        let mut command = Command::new(&program);
        command.arg("-DFOREGROUND").arg("-f").arg(folder.join("apache.conf"));
        command
    })
}

fn access(server: &Server) -> Access {
    Access(server.file("access.log"))
}

/// By port: connections kept; not kept; kept for ten requests.
const SITES: &str = "Listen 127.0.0.1:PORT0\nListen 127.0.0.1:PORT1\nListen 127.0.0.1:PORT2\nDocumentRoot FOLDER/page
<Directory FOLDER/page>\nRequire all granted\n</Directory>\nKeepAliveTimeout 60\nMaxKeepAliveRequests 0
<VirtualHost *:PORT0>\nKeepAlive On\n</VirtualHost>
<VirtualHost *:PORT1>\nKeepAlive Off\n</VirtualHost>
<VirtualHost *:PORT2>\nKeepAlive On\nMaxKeepAliveRequests 10\n</VirtualHost>";

#[test]
fn keep_alive_on_off_and_limited_fail_nothing() {
    let bench = Bench::new();
    let server = apache(&bench, 3, SITES);
    let log = access(&server);
    // port  defaults                                  least     most        why
    let cases = [
        (0, "connection: keep-alive", VUS, VUS, "one per visitor"),
        (0, "version: 1.0", VUS, VUS, "HTTP/1.0 asks for it, and Apache grants it"),
        (0, "connection: per-request", ITERATIONS, ITERATIONS, "the client says close"),
        (0, "version: 1.0, connection: per-request", ITERATIONS, ITERATIONS, "the client says close"),
        (1, "connection: keep-alive", ITERATIONS, ITERATIONS, "the server says close"),
        (1, "version: 1.0", ITERATIONS, ITERATIONS, "the server says close"),
        // A visitor who makes one more request than a multiple of ten opens one more connection.
        (2, "connection: keep-alive", ITERATIONS / 10, ITERATIONS / 10 + VUS, "ten requests each"),
    ];
    for (index, defaults, least, most, why) in cases {
        log.clear();
        let step = "{ get: /index.txt, expect: { contains: a page } }";
        let summary = run(&bench, &closed(&server.url(index), defaults, step));
        assert_all_ok(&summary, ITERATIONS);
        let lines = log.lines(ITERATIONS);
        let opened = connections(&lines);
        assert!((least..=most).contains(&opened), "{defaults}, {why}: {opened}");
        assert_eq!(super::connections(&summary, "opened"), opened, "{defaults}, {why}");
        assert_eq!(super::connections(&summary, "retries"), 0, "{defaults}, {why}");
        assert!(lines.iter().all(|line| line.status == 200), "{lines:#?}");
    }
}

/// A forward proxy to any port.
const PROXY: &str = "Listen 127.0.0.1:PORT0\nProxyRequests On\nAllowCONNECT 1-65535\nKeepAlive On
KeepAliveTimeout 60\nMaxKeepAliveRequests 0\n<Proxy \"*\">\nRequire all granted\n</Proxy>";

#[test]
fn a_forward_proxy_gets_absolute_targets() {
    let bench = Bench::new();
    let origin = nginx(&bench, 1, "server { listen 127.0.0.1:PORT0; location / { return 200 'ok'; } }");
    let proxy = apache(&bench, 1, PROXY);
    let defaults = format!("proxy: \"{}\"", proxy.url(0));
    let summary = run(&bench, &closed(&origin.url(0), &defaults, "{ get: /a?b=c }"));
    assert_all_ok(&summary, ITERATIONS);
    let lines = access(&proxy).lines(ITERATIONS);
    let wanted = format!("{}/a?b=c", origin.url(0));
    assert!(lines.iter().all(|line| line.target == wanted), "{lines:#?}");
    assert_eq!(connections(&lines), VUS, "connections to the proxy are kept");
    let lines = nginx::access(&origin).lines(ITERATIONS);
    assert!(lines.iter().all(|line| line.target == "/a?b=c" && line.method == "GET"), "{lines:#?}");
}

#[test]
fn a_forward_proxy_tunnels_tls() {
    let bench = Bench::new();
    let folder = bench.path("nginx");
    std::fs::create_dir_all(&folder).unwrap();
    certificates::write(&folder);
    let origin = nginx(
        &bench,
        1,
        "server { listen 127.0.0.1:PORT0 ssl; ssl_certificate FOLDER/server.pem; ssl_certificate_key FOLDER/server.key;
         location / { return 200 'ok'; } }",
    );
    let proxy = apache(&bench, 1, PROXY);
    let defaults = format!("proxy: \"{}\", tls: {{ ca: nginx/ca.pem }}", proxy.url(0));
    let target = origin.url(0).replace("http:", "https:");
    let summary = run(&bench, &closed(&target, &defaults, "{ get: / }"));
    assert_all_ok(&summary, ITERATIONS);
    assert_eq!(connections(&nginx::access(&origin).lines(ITERATIONS)), VUS);
    drop(origin);
    // A tunnel is logged when it ends, and as one request, whatever went through it.
    let wanted = target.trim_start_matches("https://");
    until("a line per tunnel", || access(&proxy).now().len() as u64 >= VUS);
    let lines = access(&proxy).now();
    // The command may look through the proxy, before a run, whether the target can be reached.
    assert!((VUS..=VUS + 1).contains(&(lines.len() as u64)), "{lines:#?}");
    assert!(lines.iter().all(|line| line.method == "CONNECT" && line.target == wanted), "{lines:#?}");
    assert_eq!(super::connections(&summary, "opened"), VUS);
}
