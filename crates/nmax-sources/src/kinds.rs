//! Every kind of source: one row each, in the order in which plans and documentation list them.

use nmax_secrets::masked_url;

use crate::kind::{Form, Key, SourceKind, ValueForm};
use crate::service::{Located, ServiceUrl, Wrong, parse_place};
use crate::tls::{POSTGRES_ISSUERS, REDIS_ISSUERS, TlsOptions};

/// Where Redis listens.
pub const REDIS_PORT: u16 = 6_379;
/// Where memcached listens.
pub const MEMCACHED_PORT: u16 = 11_211;
/// The words of [`KIND`].
pub const ACCESS: &str = "access";
/// A log that is no access log.
pub const APPLICATION: &str = "application";

const fn key(name: &'static str, form: ValueForm, about: &'static str) -> Key {
    Key { name, about, form, not_beside: None }
}

/// What proves that the run may read.
pub const TOKEN: Key = key(
    "token",
    ValueForm::Token,
    "What an agent or a page of metrics wants to be told, such as `${env.NMAX_AGENT_TOKEN}`.",
);
/// Processes of another host.
pub const PROCESSES: Key =
    key("processes", ValueForm::Processes, "Names of processes that the agent watches besides its host.");
/// Resources that have names of their own at their source.
pub const RESOURCES: Key = key(
    "resources",
    ValueForm::Resources,
    "Pools, locks, dependencies, databases and collectors that are made of its metrics, by name.",
);
/// Format of a log's lines.
pub const FORMAT: Key = key(
    "format",
    ValueForm::Text,
    "Format of the log's lines, as `nmax import log --format` has it; found by itself by default.",
);
/// What is written in a log.
pub const KIND: Key =
    key("kind", ValueForm::OneOf(|| vec![ACCESS, APPLICATION]), "What the log holds; found by itself by default.");
/// Which servers a log stands beside.
pub const LAYER: Key = Key {
    name: "layer",
    about: "Access logs with the same layer are added together, as of servers side by side; told by their numbers of \
            requests by default.",
    form: ValueForm::Label,
    not_beside: Some((KIND.name, APPLICATION, "a log of an application", "remove it; layers are of access logs")),
};

/// Every key, in the order of the documentation.
pub const KEYS: [Key; 6] = [TOKEN, PROCESSES, RESOURCES, FORMAT, KIND, LAYER];

const fn kind(word: &'static str, form: Form, keys: &'static [Key], about: &'static str) -> SourceKind {
    SourceKind { word, about, form, keys, issuers: None }
}

/// Memory, CPU time, threads and open files of processes of this host.
pub static PROCESS: SourceKind = kind(
    "process",
    Form::Process,
    &[],
    "Name of processes of this host; or `{ pid: 123 }`, or `{ pid_file: /run/x.pid }`.",
);
/// `nmax agent` on another host.
pub static AGENT: SourceKind = kind(
    "agent",
    Form::Agent,
    &[TOKEN, PROCESSES],
    "URL of `nmax agent` on a server, such as `http://db1:9797`; or `{ listen: \"0.0.0.0:9798\" }` for one that calls here.",
);
/// A page of metrics.
pub static PROMETHEUS: SourceKind = kind(
    "prometheus",
    Form::Url(|text| of_url(text, "http://127.0.0.1:9100/metrics", &["http", "https"])),
    &[TOKEN, RESOURCES],
    "URL of metrics in the format of Prometheus or OpenMetrics.",
);
/// A PostgreSQL server: `postgres://user:password@host:port/database`, with `sslmode` and `sslrootcert` as libpq has them.
pub static POSTGRES: SourceKind = SourceKind {
    issuers: Some(POSTGRES_ISSUERS),
    ..kind("postgres", Form::Url(postgres), &[], "PostgreSQL server, such as `postgres://monitor@db1/shop`.")
};
/// A Redis server: `redis://user:password@host:port`, always with a port; `rediss` over TLS, with `?ca=FILE` for issuers of
/// one's own.
pub static REDIS: SourceKind = SourceKind {
    issuers: Some(REDIS_ISSUERS),
    ..kind("redis", Form::Url(redis), &[], "Redis server, such as `127.0.0.1:6379` or `redis://:PASSWORD@db1`.")
};
/// A memcached server: `host:port`.
pub static MEMCACHED: SourceKind =
    kind("memcached", Form::Address(memcached), &[], "memcached server, such as `127.0.0.1:11211`.");
/// The `stub_status` page of nginx.
pub static NGINX: SourceKind = kind(
    "nginx",
    Form::Url(|text| of_url(text, "http://127.0.0.1/stub_status", &["http", "https"])),
    &[],
    "URL of nginx's `stub_status`.",
);
/// A log of this host, followed during the run.
pub static LOG: SourceKind = kind(
    "log",
    Form::File(log),
    &[FORMAT, KIND, LAYER],
    "Access or application log of this host, relative to the plan; followed during the run.",
);

/// All of them.
pub static ALL: [&SourceKind; 8] = [&PROCESS, &AGENT, &PROMETHEUS, &POSTGRES, &REDIS, &MEMCACHED, &NGINX, &LOG];

/// The kind of this word.
pub fn named(word: &str) -> Option<&'static SourceKind> {
    ALL.into_iter().find(|kind| kind.word == word)
}

/// Words of the kinds of which `is_meant` is true.
pub fn keywords(is_meant: impl Fn(&SourceKind) -> bool) -> Vec<&'static str> {
    ALL.into_iter().filter(|kind| is_meant(kind)).map(|kind| kind.word).collect()
}

/// A URL with one of these schemes; user and password may stand in it.
fn url<'a>(text: &'a str, example: &str, schemes: &[&str], needs_host: bool) -> Result<ServiceUrl<'a>, Wrong> {
    let shown = || nmax_text::shown(&masked_url(text)).into_owned();
    let message = match ServiceUrl::parse(text) {
        Err(message) => message,
        Ok(url) if !schemes.contains(&url.scheme) => {
            format!("`{}` does not begin with `{}://`", shown(), schemes.join("://` or `"))
        }
        Ok(url) if url.host.is_empty() && needs_host => format!("`{}` has no host", shown()),
        Ok(url) => return Ok(url),
    };
    Err(Wrong::new(message, &format!("write it as `{example}`")))
}

/// A page, called after its place.
fn of_url(text: &str, example: &str, schemes: &[&str]) -> Result<Located, Wrong> {
    let url = url(text, example, schemes, true)?;
    Ok(Located::new(text, &url.place(), url.host))
}

/// A database, called after itself. Where there is no host, it is at a socket of this one.
fn postgres(text: &str) -> Result<Located, Wrong> {
    let url = url(text, "postgres://monitor@db1/shop", &["postgres", "postgresql"], false)?;
    TlsOptions::of_postgres(&url.query())?;
    let path = url.rest.split(['?', '#']).next().unwrap_or_default();
    let (database, place) = (path.trim_matches('/'), url.place());
    let name = [database, &place].into_iter().find(|name| !name.is_empty()).unwrap_or("postgres");
    Ok(Located::new(text, name, url.host))
}

/// `HOST`, `HOST:PORT` or a URL, which it becomes; `rediss` is TLS.
fn redis(text: &str) -> Result<Located, Wrong> {
    let text = match text.contains("://") {
        true => text.to_owned(),
        false => format!("redis://{text}"),
    };
    let message = match ServiceUrl::parse(&text) {
        Ok(url) if !["redis", "rediss"].contains(&url.scheme) => {
            format!("`{}` is not the scheme of Redis", nmax_text::shown(url.scheme))
        }
        Ok(url) if url.host.is_empty() => "the host of Redis is missing".to_owned(),
        // Slashes say nothing.
        Ok(url) if !url.rest.split('?').next().unwrap_or_default().trim_matches('/').is_empty() => {
            "the figures are those of all databases".to_owned()
        }
        Ok(url) => {
            TlsOptions::of_redis(url.scheme, &url.query())?;
            let place = format!("{}:{}", url.host, url.port.unwrap_or(REDIS_PORT));
            let user = url.user.map_or_else(String::new, |user| format!("{user}@"));
            let query = url.rest.find('?').map_or("", |at| &url.rest[at..]);
            return Ok(Located::new(&format!("{}://{user}{place}{query}", url.scheme), &place, url.host));
        }
        Err(message) => message,
    };
    Err(Wrong::new(message, "write `127.0.0.1:6379` or `redis://:PASSWORD@127.0.0.1:6379`"))
}

fn memcached(text: &str) -> Result<Located, Wrong> {
    let Some((host, port)) = parse_place(text) else {
        let message = format!("`{}` is not a host and a port", nmax_text::shown(&masked_url(text)));
        return Err(Wrong::new(message, "write it as `127.0.0.1:11211`"));
    };
    let place = format!("{host}:{}", port.unwrap_or(MEMCACHED_PORT));
    Ok(Located::new(&place, &place, host))
}

/// A file, which need not be there before the run.
fn log(file: &str) -> Result<Located, Wrong> {
    if file.trim().is_empty() || file.contains('\0') {
        return Err(Wrong::new("this is not a file".to_owned(), "write `/var/log/nginx/access.log`"));
    }
    let name: String = file.rsplit('/').next().unwrap_or_default().chars().take(64).collect();
    Ok(Located::new(file, &name, ""))
}
