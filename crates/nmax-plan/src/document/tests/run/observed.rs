//! What is observed, from documents and from flags.

use nmax_sources::figures;
use nmax_sources::kinds::*;

use super::*;
use crate::document::observe_also;
use crate::plan::{ObservedAddress, Value};

fn source(host: &str, name: &str, source: ObservedSource) -> Observed {
    Observed::Source(ObservedSource { host: host.into(), name: name.into(), ..source })
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn sources_have_names_and_hosts() {
    let plan = plan(RUN_KEYS, &options());
    let [agent, calling, prometheus, rest @ ..] = &plan.observe[3..] else { panic!("sources are missing") };
    let processes = Value::List(vec!["postgres".into(), "nginx".into()]);
    let asked = ObservedSource::at(&AGENT, "http://db1:9797").with(&TOKEN, text("abc")).with(&PROCESSES, processes);
    assert_eq!(*agent, source("db1", "db1", asked));
    let Observed::Source(calling) = calling else { panic!("an agent") };
    assert_eq!((calling.host.as_str(), calling.every), ("web1", Duration::from_secs(2)));
    let page = prometheus.source(&PROMETHEUS).expect("a page of metrics");
    assert_eq!((page.host.as_str(), page.name.as_str()), ("db1", "exporter.test"));
    let orders = MappedResource {
        name: "orders".into(),
        kind: MappedKind::Pool,
        figures: vec![
            (figures::IN_USE_COUNT, "active{pool=\"orders\"}".into()),
            (figures::WAITING_COUNT, "w".into()),
            (figures::LIMIT_COUNT, "l".into()),
            (figures::TIMEOUTS_PER_S, "t".into()),
        ],
    };
    assert_eq!(page.resources()[0], orders);
    let want = [
        source(
            INJECTOR,
            "shop",
            ObservedSource::at(&POSTGRES, "postgres://monitor:pw@localhost:5433/shop?sslmode=disable"),
        ),
        source("cache.test", "cache.test:6379", ObservedSource::at(&REDIS, "redis://cache.test:6379")),
        source(INJECTOR, "[::1]:11211", ObservedSource::at(&MEMCACHED, "[::1]:11211")),
        source(INJECTOR, "front", ObservedSource::at(&NGINX, "http://127.0.0.1:8080/stub_status")),
        source(
            INJECTOR,
            "access.log",
            ObservedSource::at(&LOG, "/var/log/nginx/access.log")
                .with(&FORMAT, text("combined"))
                .with(&KIND, text("access"))
                .with(&LAYER, text("front")),
        ),
    ];
    assert_eq!(rest, want);
}

/// Whom databases and caches are believed for is said by their URLs, and where that is, by the plan.
#[test]
fn issuers_are_files_of_the_plan() {
    let items = "[{ postgres: 'postgres://a:pw@h/shop?sslmode=verify-full&sslrootcert=a%20b.pem' }, \
        { redis: 'rediss://:pw@h/?ca=c.pem' }, { postgres: 'postgres://g?sslrootcert=system' }]";
    let mut plan = plan(&around(&format!("{OPEN}observe: {items}")), &options());
    let mut files = Vec::new();
    plan.change_files(&mut |file| {
        files.push(file.clone());
        file.insert_str(0, "/plans/");
    });
    assert_eq!(files, ["a b.pem", "c.pem"]);
    let want = [
        source(
            "h",
            "shop",
            ObservedSource::at(&POSTGRES, "postgres://a:pw@h/shop?sslmode=verify-full&sslrootcert=/plans/a%20b.pem"),
        ),
        source("h", "h:6379", ObservedSource::at(&REDIS, "rediss://:pw@h:6379?ca=/plans/c.pem")),
        source("g", "g", ObservedSource::at(&POSTGRES, "postgres://g?sslrootcert=system")),
    ];
    assert_eq!(plan.observe, want);
}

/// Logs are files of the plan, as all others.
#[test]
fn logs_are_files_of_the_plan() {
    let mut plan = plan(&around(&format!("{OPEN}observe: [{{ log: a.log }}]")), &options());
    let mut files = Vec::new();
    plan.change_files(&mut |file| files.push(file.clone()));
    assert_eq!(files, ["a.log"]);
}

fn flags(flags: &[(&str, &str)], token: Option<&str>) -> Result<Vec<Observed>, String> {
    let flags: Vec<_> = flags.iter().map(|(kind, text)| ((*kind).to_owned(), (*text).to_owned())).collect();
    let mut plan = plan(&around(&format!("{OPEN}observe: [{{ process: nginx }}]")), &options());
    let env = |name: &str| token.filter(|_| name == "NMAX_AGENT_TOKEN").map(str::to_owned);
    match observe_also(&mut plan, &flags, &env) {
        Ok(()) => Ok(plan.observe.split_off(1)),
        Err(errors) => Err(errors.iter().map(|error| format!("{error}\n")).collect()),
    }
}

#[test]
fn flags_observe_besides() {
    let found = flags(&[("agent", "http://db1"), ("log", "$x.log")], Some("s3cret")).unwrap();
    let agent = ObservedSource::at(&AGENT, "http://db1").with(&TOKEN, text("s3cret"));
    assert_eq!(found[0], source("db1", "db1", agent));
    assert_eq!(found[1].source(&LOG).map(|log| &log.reach), Some(&ObservedAddress::At("$x.log".into())));
}

/// All that is wrong is said at once, and no password.
#[test]
fn wrong_flags() {
    let written =
        [("proces", "x"), ("process", "nginx"), ("prometheus", "ftp://u:s3cret@h/"), ("memcached", "u:s3cret@h:x")];
    let wrong = flags(&written, None);
    let want = "\
--observe proces=x: `proces` is nothing that can be observed
  help: did you mean `process`?
--observe process=nginx: `nginx` is observed twice
  help: give one of them another `name`
--observe prometheus=ftp://REDACTED@h/: `ftp://REDACTED@h/` does not begin with `http://` or `https://`
  help: write it as `http://127.0.0.1:9100/metrics`
--observe memcached=REDACTED@h:x: `REDACTED@h:x` is not a host and a port
  help: write it as `127.0.0.1:11211`
";
    assert_eq!(wrong.unwrap_err(), want);
}
