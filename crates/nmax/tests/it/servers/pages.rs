//! Pages from nginx: its log says what was asked for, what had not changed, and over how many connections.

use serde_json::Value;

use super::access::connections;
use super::nginx::{access, nginx};
use super::process::Server;
use super::{ITERATIONS, VUS, assert_all_ok, closed, run};
use crate::bench::{Bench, count};

/// Images of the page; more than a browser fetches at a time.
const IMAGES: u64 = 14;

/// Style sheet and font may be kept for an hour, images are asked about each time.
const SITE: &str = "server { listen 127.0.0.1:PORT0; root FOLDER; keepalive_requests 100000;
    types { text/html html; text/css css; image/png png; font/woff2 woff2; }
    location ~ [.](css|woff2)$ { expires 1h; }
    location ~ [.]png$ { add_header cache-control no-cache; }
  }";

fn site() -> (Bench, Server) {
    let bench = Bench::new();
    let server = nginx(&bench, 1, SITE);
    let write = |name: &str, text: &str| std::fs::write(server.file(name), text).unwrap();
    let images: String = (0..IMAGES).map(|n| format!("<img src=i{n}.png srcset='no{n}.png 2x'>")).collect();
    write(
        "page.html",
        &format!("<!doctype html><link rel=stylesheet href=a.css><noscript><img src=no.png></noscript>{images}"),
    );
    write("a.css", "@font-face { src: url(no.eot), url(f.woff2) format('woff2') } p:hover { background: url(no.png) }");
    write("f.woff2", "a font");
    for n in 0..IMAGES {
        write(&format!("i{n}.png"), &format!("image {n}"));
    }
    (bench, server)
}

const STEPS: &str = "{ get: /page.html, resources: discover }";

fn page(summary: &Value) -> [u64; 5] {
    let page = &summary["pages"]["GET /page.html"];
    ["count", "failed", "resources", "cached", "unchanged"].map(|key| count(&page[key]))
}

/// Those who come back ask whether the images changed, and for nothing that may be kept.
#[test]
fn who_comes_back_asks_only_what_changed() {
    let (bench, server) = site();
    let log = access(&server);
    let resources = IMAGES + 2;
    let again = ITERATIONS - VUS;
    let exchanges = ITERATIONS * (1 + IMAGES) + 2 * VUS;
    let summary = run(&bench, &closed(&server.url(0), "", STEPS));
    assert_all_ok(&summary, exchanges);
    let lines = log.lines(exchanges);
    let with = |name: &str, status: u16| {
        let found = lines.iter().filter(|line| line.target.ends_with(name) && line.status == status);
        found.count() as u64
    };
    assert_eq!((with("page.html", 200), with("a.css", 200), with("f.woff2", 200)), (ITERATIONS, VUS, VUS));
    assert_eq!((with(".png", 200), with(".png", 304)), (IMAGES * VUS, IMAGES * again));
    let opened = connections(&lines);
    assert!((VUS + 1..=6 * VUS).contains(&opened), "{opened} connections");
    assert_eq!(super::connections(&summary, "opened"), opened);
    assert_eq!(page(&summary), [ITERATIONS, 0, ITERATIONS * resources, 2 * again, IMAGES * again]);
}

/// New ones ask for everything, each over connections of its own.
#[test]
fn who_is_new_asks_for_everything() {
    let (bench, server) = site();
    let resources = IMAGES + 2;
    let exchanges = ITERATIONS * (1 + resources);
    let summary = run(&bench, &closed(&server.url(0), "visitor: new", STEPS));
    assert_all_ok(&summary, exchanges);
    let lines = access(&server).lines(exchanges);
    assert!(lines.iter().all(|line| line.status == 200));
    let opened = connections(&lines);
    assert!((ITERATIONS + 1..=6 * ITERATIONS).contains(&opened), "{opened} connections");
    assert_eq!(page(&summary), [ITERATIONS, 0, ITERATIONS * resources, 0, 0]);
}
