//! What each kind of source needs, and what it is called where the plan does not say.

use super::super::cursor::{Decoder, Fields};
use super::super::error::Kind;
use super::super::keys::{self, LOG_KIND, MAPPED_FIGURES, MAPPED_KEYS, MAPPED_KIND};
use super::super::tree::{Entry, Node, Value};
use super::{is_process_name, label};
use crate::addresses::tls::TlsOptions;
use nmax_secrets::masked_url;
use nmax_sources::Figure;

use crate::addresses::{ServiceUrl, is_here, origin, parse_place};
use crate::plan::{AgentReach, INJECTOR, LogKind, MappedKind, MappedResource, SourceKind};

/// Most processes that an agent is asked for.
const PROCESSES_MAX: usize = 32;
/// Most resources that are made of one page of metrics.
const RESOURCES_MAX: usize = 100;
/// Longest token.
const TOKEN_BYTES_MAX: usize = 1_024;
/// Where Redis listens.
const REDIS_PORT: u16 = 6_379;
/// Where memcached listens.
const MEMCACHED_PORT: u16 = 11_211;

/// What a source is, and what its name and host are where the plan does not say.
pub(super) struct Found {
    pub(super) kind: SourceKind,
    /// Empty where nothing says it.
    pub(super) name: String,
    pub(super) host: String,
}

impl Found {
    /// A source on this host, as it stands in a URL.
    fn new(name: &str, host: &str, kind: SourceKind) -> Self {
        let host = if is_here(host) { INJECTOR } else { host };
        Self { kind, name: name.to_owned(), host: host.to_owned() }
    }
}

/// What the key `what` of an item says.
pub(super) fn found(decoder: &mut Decoder, fields: Fields, what: &Entry) -> Option<Found> {
    let node = &what.value;
    match what.key.as_str() {
        "agent" => agent(decoder, fields, node),
        "prometheus" => prometheus(decoder, fields, node),
        "postgres" => postgres(decoder, node),
        "redis" => redis(decoder, node),
        "memcached" => memcached(decoder, node),
        "nginx" => {
            let url = url(decoder, node, &["http", "https"], "http://127.0.0.1/stub_status")?;
            let parts = ServiceUrl::parse(&url).ok()?;
            Some(Found::new(&parts.place(), parts.host, SourceKind::Nginx { url: url.clone() }))
        }
        _ => log(decoder, fields, node),
    }
}

/// A URL with a host and one of these schemes; user and password may stand in it.
fn url(decoder: &mut Decoder, node: &Node, schemes: &[&str], example: &str) -> Option<String> {
    let text = decoder.expanded(node)?;
    let wrong = match ServiceUrl::parse(&text) {
        Err(message) => message,
        Ok(url) if !schemes.contains(&url.scheme) => {
            let shown = nmax_text::shown(&masked_url(&text)).into_owned();
            format!("`{shown}` does not begin with `{}://`", schemes.join("://` or `"))
        }
        // Where there is no host, a database is at a socket of this one.
        Ok(url) if url.host.is_empty() && !schemes.contains(&"postgres") => {
            format!("`{}` has no host", nmax_text::shown(&masked_url(&text)))
        }
        Ok(_) => return Some(text),
    };
    decoder.problem(node.at, Kind::Value, wrong, format!("write it as `{example}`"));
    None
}

fn agent(decoder: &mut Decoder, fields: Fields, node: &Node) -> Option<Found> {
    let token = token(decoder, fields);
    let processes = processes(decoder, fields);
    let (reach, name) = if matches!(node.value, Value::Map(_)) {
        let map = decoder.fields(node, &keys::AGENT)?;
        let listen = map.get("listen")?;
        let address = decoder.expanded(listen)?;
        let Ok(socket) = address.parse::<core::net::SocketAddr>() else {
            let message = format!("`{}` is not an address and a port", nmax_text::shown(&address));
            let remedy = "write an address of this host, such as `0.0.0.0:9798`";
            decoder.problem(listen.at, Kind::Value, message, remedy);
            return None;
        };
        if fields.entry("token").is_none() && !socket.ip().is_loopback() {
            let message = "anybody could send readings to this address";
            let remedy = "add `token: ${env.NMAX_AGENT_TOKEN}`, which the agent must know";
            decoder.problem(listen.at, Kind::Missing, message, remedy);
        }
        (AgentReach::Listen(address), String::new())
    } else {
        let text = decoder.expanded(node)?;
        let remedy =
            "write scheme, host and port, such as `http://db1:9797`; a secret is a `token`, TLS that of a tunnel";
        let place = match origin(&text) {
            Ok(origin) if origin.starts_with("https://") => Err("agents speak plain HTTP".to_owned()),
            Ok(origin) => Ok(origin),
            Err(_) if ServiceUrl::parse(&text).is_ok_and(|url| url.user.is_some()) => {
                Err("agents know no users".to_owned())
            }
            Err(message) => Err(message),
        };
        match place {
            Ok(origin) => {
                let name = ServiceUrl::parse(&origin).map(|url| url.host.to_owned()).unwrap_or_default();
                (AgentReach::Pull(origin), name)
            }
            Err(message) => {
                decoder.problem(node.at, Kind::Value, message, remedy);
                return None;
            }
        }
    };
    let kind = SourceKind::Agent { reach, token: token?, processes: processes? };
    Some(Found { host: name.clone(), kind, name })
}

/// The token, if there is one; `None` when it is wrong.
fn token(decoder: &mut Decoder, fields: Fields) -> Option<Option<String>> {
    let Some(node) = fields.get("token") else {
        return Some(None);
    };
    let token = decoder.expanded(node)?;
    let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic());
    if token.is_empty() || token.len() > TOKEN_BYTES_MAX || !is_plain {
        let remedy = "write 1 to 1024 letters, digits and signs, without spaces";
        decoder.problem(node.at, Kind::Value, "this cannot be sent as a token", remedy);
        return None;
    }
    Some(Some(token))
}

/// Names of processes, once each; `None` when one is wrong.
fn processes(decoder: &mut Decoder, fields: Fields) -> Option<Vec<String>> {
    let Some(node) = fields.get("processes") else {
        return Some(Vec::new());
    };
    let items = decoder.list(node, "`processes`");
    if items.len() > PROCESSES_MAX {
        let message = format!("more than {PROCESSES_MAX} processes");
        decoder.problem(node.at, Kind::Limit, message, "leave some out");
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = decoder.expanded(item)?;
        if !is_process_name(&name) || name.parse::<u64>().is_ok() {
            let message = format!("`{}` is not the name of a process", nmax_text::shown(&name));
            let remedy = "write the name of the program without its folder, such as `postgres`";
            decoder.problem(item.at, Kind::Value, message, remedy);
            return None;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

fn prometheus(decoder: &mut Decoder, fields: Fields, node: &Node) -> Option<Found> {
    let token = token(decoder, fields);
    let resources = fields.get("resources").map(|node| resources(decoder, node));
    let url = url(decoder, node, &["http", "https"], "http://127.0.0.1:9100/metrics")?;
    let parts = ServiceUrl::parse(&url).ok()?;
    let kind = SourceKind::Prometheus { url: url.clone(), token: token?, resources: resources.unwrap_or_default() };
    Some(Found::new(&parts.place(), parts.host, kind))
}

fn resources(decoder: &mut Decoder, node: &Node) -> Vec<MappedResource> {
    let entries = decoder.map(node, "`resources`");
    if entries.len() > RESOURCES_MAX {
        let message = format!("more than {RESOURCES_MAX} resources");
        decoder.problem(node.at, Kind::Limit, message, "leave some out");
        return Vec::new();
    }
    entries.iter().filter_map(|entry| resource(decoder, entry)).collect()
}

fn resource(decoder: &mut Decoder, entry: &Entry) -> Option<MappedResource> {
    super::label(decoder, entry.key_at, &entry.key);
    let fields = decoder.fields(&entry.value, &keys::MAPPED)?;
    let kind = fields.get("kind").and_then(|node| decoder.choose(node, MAPPED_KIND));
    let given: Vec<&Entry> = fields.in_order(&MAPPED_KEYS);
    let figures: Vec<Option<(Figure, String)>> = given.iter().map(|given| figure(decoder, kind?, given)).collect();
    let kind = kind?;
    if given.is_empty() {
        let keys = of_kind(kind).map(|(_, key, _)| *key).collect::<Vec<_>>().join(", ");
        let message = format!("it is not said what `{}` is made of", nmax_text::shown(&entry.key));
        decoder.problem(entry.key_at, Kind::Missing, message, format!("add some of: {keys}"));
    }
    Some(MappedResource { name: entry.key.clone(), kind, figures: figures.into_iter().collect::<Option<_>>()? })
}

fn of_kind(kind: MappedKind) -> impl Iterator<Item = &'static (MappedKind, &'static str, Figure)> {
    MAPPED_FIGURES.iter().filter(move |(of, _, _)| *of == kind)
}

/// The metric of readings that a key stands for, and the metric that it is made of.
fn figure(decoder: &mut Decoder, kind: MappedKind, given: &Entry) -> Option<(Figure, String)> {
    let Some((_, _, figure)) = of_kind(kind).find(|(_, key, _)| *key == given.key) else {
        let keys = of_kind(kind).map(|(_, key, _)| *key).collect::<Vec<_>>().join(", ");
        let message = format!("a {} has no `{}`", kind.word(), given.key);
        decoder.problem(given.key_at, Kind::Conflict, message, format!("its keys are: {keys}"));
        return None;
    };
    let text = decoder.expanded(&given.value)?;
    if !is_metric(&text) {
        let message = format!("`{}` is not the name of a metric", nmax_text::shown(&text));
        let remedy = "write a name, perhaps with labels: `'hikaricp_connections_active{pool=\"orders\"}'`";
        decoder.problem(given.value.at, Kind::Value, message, remedy);
        return None;
    }
    Some((*figure, text))
}

/// A name as the text format has it, perhaps with labels in braces.
fn is_metric(text: &str) -> bool {
    let (name, labels) = match text.split_once('{') {
        Some((name, labels)) => (name, Some(labels)),
        None => (text, None),
    };
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.');
    let is_name = !name.is_empty() && name.chars().all(legal) && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name && text.len() <= 500 && labels.is_none_or(|labels| labels.ends_with('}') && !labels.contains('\n'))
}

fn postgres(decoder: &mut Decoder, node: &Node) -> Option<Found> {
    let url = url(decoder, node, &["postgres", "postgresql"], "postgres://monitor@db1/shop")?;
    let parts = ServiceUrl::parse(&url).ok()?;
    if let Err(error) = TlsOptions::of_postgres(&parts.query()) {
        decoder.problem(node.at, Kind::Value, error.message, error.remedy);
        return None;
    }
    let path = parts.rest.split(['?', '#']).next().unwrap_or_default();
    let (database, place) = (path.trim_matches('/'), parts.place());
    let name = [database, &place, "postgres"].into_iter().find(|name| !name.is_empty())?;
    Some(Found::new(name, parts.host, SourceKind::Postgres { url: url.clone() }))
}

/// `HOST`, `HOST:PORT` or a URL, which it becomes; `rediss` is TLS.
fn redis(decoder: &mut Decoder, node: &Node) -> Option<Found> {
    let text = decoder.expanded(node)?;
    let text = match text.contains("://") {
        true => text,
        false => format!("redis://{text}"),
    };
    let example = "redis://:PASSWORD@127.0.0.1:6379";
    let wrong = match ServiceUrl::parse(&text) {
        Ok(url) if !["redis", "rediss"].contains(&url.scheme) => {
            format!("`{}` is not the scheme of Redis", nmax_text::shown(url.scheme))
        }
        Ok(url) if url.host.is_empty() => "it is not said where Redis is".to_owned(),
        Ok(url) if !redis_path(&url).is_empty() => "the figures are those of all databases".to_owned(),
        Ok(parts) => {
            if let Err(error) = TlsOptions::of_redis(parts.scheme, &parts.query()) {
                decoder.problem(node.at, Kind::Value, error.message, error.remedy);
                return None;
            }
            let place = format!("{}:{}", parts.host, parts.port.unwrap_or(REDIS_PORT));
            let user = parts.user.map_or_else(String::new, |user| format!("{user}@"));
            let query = parts.rest.find('?').map_or("", |at| &parts.rest[at..]);
            let url = format!("{}://{user}{place}{query}", parts.scheme);
            return Some(Found::new(&place, parts.host, SourceKind::Redis { url }));
        }
        Err(message) => message,
    };
    decoder.problem(node.at, Kind::Value, wrong, format!("write `127.0.0.1:6379` or `{example}`"));
    None
}

/// What a URL of Redis says besides place and query; slashes say nothing.
fn redis_path<'a>(url: &ServiceUrl<'a>) -> &'a str {
    let path = url.rest.split('?').next().unwrap_or_default();
    path.trim_matches('/')
}

fn memcached(decoder: &mut Decoder, node: &Node) -> Option<Found> {
    let text = decoder.expanded(node)?;
    let Some((host, port)) = parse_place(&text) else {
        let message = format!("`{}` is not a host and a port", nmax_text::shown(&masked_url(&text)));
        decoder.problem(node.at, Kind::Value, message, "write it as `127.0.0.1:11211`");
        return None;
    };
    let address = format!("{host}:{}", port.unwrap_or(MEMCACHED_PORT));
    let kind = SourceKind::Memcached { address: address.clone() };
    Some(Found::new(&address, host, kind))
}

fn log(decoder: &mut Decoder, fields: Fields, node: &Node) -> Option<Found> {
    let format = fields.get("format").map(|node| decoder.expanded(node));
    let kind = fields.get("kind").map(|node| decoder.choose(node, LOG_KIND));
    let layer = fields.entry("layer").map(|entry| layer(decoder, entry, kind.flatten()));
    // It need not be there before the run.
    let file = decoder.expanded(node)?;
    if file.trim().is_empty() || file.contains('\0') {
        decoder.problem(node.at, Kind::Value, "this is not a file", "write `/var/log/nginx/access.log`");
        return None;
    }
    let name: String = file.rsplit('/').next().unwrap_or_default().chars().take(64).collect();
    let kind = SourceKind::Log {
        file,
        format: match format {
            Some(format) => Some(format?),
            None => None,
        },
        kind: match kind {
            Some(kind) => Some(kind?),
            None => None,
        },
        layer: match layer {
            Some(layer) => Some(layer?),
            None => None,
        },
    };
    Some(Found::new(&name, "", kind))
}

/// Which servers a log stands beside.
fn layer(decoder: &mut Decoder, entry: &Entry, kind: Option<LogKind>) -> Option<String> {
    if kind == Some(LogKind::Application) {
        let remedy = "remove it; layers are of access logs";
        let message = "`layer` says nothing about a log of an application";
        decoder.problem(entry.key_at, Kind::Conflict, message, remedy);
    }
    let name = decoder.expanded(&entry.value)?;
    label(decoder, entry.value.at, &name);
    Some(name)
}
