//! A Redis server, by `INFO`.

use nmax_metrics::Nanos;
use nmax_sources::figures;
use nmax_sources::kinds::REDIS_PORT;
use nmax_sources::tls::{Encryption, REDIS_ISSUERS, TlsOptions};

use crate::numbers::{Numbers, ServiceReading, numbers};
use crate::rates::Rates;
use crate::reach::{Link, QueryError, Service, server_text};
use crate::service_address::ServiceAddress;
use crate::tls::Tls;
use crate::{Reading, Source, Trouble};

/// Longest code of an error that is told.
const CODE_BYTES_MAX: usize = 16;

/// A server at `url`, `redis://user:password@host:port` or, over TLS, `rediss://...`, called `name` in results.
pub(crate) fn source(url: &str, name: &str) -> Box<dyn Source> {
    let mut service = Service::new(ServiceAddress::parse(url, REDIS_PORT));
    let scheme = url.split(':').next().unwrap_or_default();
    let options = |query: &[(String, String)]| TlsOptions::of_redis(scheme, query);
    Box::new(Redis {
        tls: Tls::for_service(&mut service, REDIS_ISSUERS, options),
        service,
        name: name.to_owned(),
        rates: Rates::default(),
        version: None,
    })
}

struct Redis {
    service: Service,
    tls: Tls,
    name: String,
    rates: Rates,
    version: Option<String>,
}

impl Source for Redis {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let tls = &self.tls;
        let greet = |link: &mut Link, place: &ServiceAddress| greet(link, place, tls);
        let info = self.service.ask(greet, |link| {
            link.send(&command(&["INFO"]))?;
            reply(link)
        })?;
        let numbers = numbers(info.lines(), ':');
        if !numbers.contains_key("connected_clients") {
            return Err(Trouble::passing("its answer to INFO has no `connected_clients`"));
        }
        self.version = version(&info);
        Ok(readings(now, &numbers, &mut self.rates, &self.name))
    }

    fn about(&self) -> Option<String> {
        self.version.clone()
    }
}

/// Who answers. What descends from Redis calls itself by its own name, beside the version of Redis that it is like.
fn version(info: &str) -> Option<String> {
    let versions = [("valkey_version:", "Valkey"), ("redis_version:", "Redis")];
    versions.iter().find_map(|(field, name)| {
        let version = info.lines().find_map(|line| line.strip_prefix(field))?;
        Some(format!("{name} {}", server_text(version.as_bytes(), None)))
    })
}

fn readings(now: Nanos, numbers: &Numbers, rates: &mut Rates, name: &str) -> Vec<Reading> {
    let mut look = ServiceReading::new(now, numbers, rates, format!("redis {name}"));
    let of_one = [
        // Without the connection that asks.
        (figures::CONNECTIONS_COUNT, look.number("connected_clients").map(|count| (count - 1.0).max(0.0))),
        (figures::CONNECTIONS_LIMIT_COUNT, look.number("maxclients")),
        (figures::BLOCKED_COUNT, look.number("blocked_clients")),
        (figures::MEMORY_BYTES, look.number("used_memory")),
        // 0 stands for no limit.
        (figures::MEMORY_LIMIT_BYTES, look.number("maxmemory").filter(|&limit| limit > 0.0)),
        (figures::CPU_CORES, look.rate(&["used_cpu_sys", "used_cpu_user"])),
        (figures::HITS_PER_S, look.rate(&["keyspace_hits"])),
        (figures::MISSES_PER_S, look.rate(&["keyspace_misses"])),
        (figures::HIT_RATIO, look.share("keyspace_hits", "keyspace_misses")),
        (figures::EVICTED_PER_S, look.rate(&["evicted_keys"])),
        (figures::EXPIRED_PER_S, look.rate(&["expired_keys"])),
        (figures::ERRORS_PER_S, look.rate(&["total_error_replies"])),
        (figures::REFUSED_PER_S, look.rate(&["rejected_connections"])),
        (figures::RECEIVED_BYTES_PER_S, look.rate(&["total_net_input_bytes"])),
        (figures::SENT_BYTES_PER_S, look.rate(&["total_net_output_bytes"])),
    ];
    look.put_all(&of_one);
    // One thread runs all commands: it is a pool of one.
    let busy = look.rate(&["used_cpu_sys_main_thread", "used_cpu_user_main_thread"]);
    look.set_source(format!("pool {name} thread"));
    look.put(figures::IN_USE_COUNT, busy);
    look.put(figures::LIMIT_COUNT, busy.map(|_| 1.0));
    let commands = look.rate_without(1.0, "total_commands_processed");
    look.set_source(format!("operations {name} commands"));
    look.put(figures::OPERATIONS_PER_S, commands);
    look.readings()
}

/// Begins TLS and says who asks, if the URL does.
fn greet(link: &mut Link, place: &ServiceAddress, tls: &Tls) -> Result<(), QueryError> {
    if tls.encryption() == Encryption::Always {
        tls.begin(link, &place.host)?;
    }
    let words: Vec<&str> = match (&place.user, &place.password) {
        (_, None) => return Ok(()),
        (None, Some(password)) => vec!["AUTH", password],
        (Some(user), Some(password)) => vec!["AUTH", user, password],
    };
    link.send(&command(&words))?;
    reply(link).map(drop)
}

/// A command as an array of bulk strings.
fn command(words: &[&str]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len());
    for word in words {
        bytes.push_str(&format!("${}\r\n{word}\r\n", word.len()));
    }
    bytes.into_bytes()
}

/// A reply that is a text.
fn reply(link: &mut Link) -> Result<String, QueryError> {
    let line = link.line()?;
    match line.split_first() {
        Some((b'+', text)) => Ok(String::from_utf8_lossy(text).into_owned()),
        Some((b'$', length)) => {
            let length = std::str::from_utf8(length).ok().and_then(|length| length.parse().ok());
            let length: usize = length.ok_or_else(foreign)?;
            let mut bytes = link.bytes(length.saturating_add(2))?;
            bytes.truncate(length);
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        }
        Some((b'-', text)) => Err(refusal(&String::from_utf8_lossy(text)).into()),
        _ => Err(foreign()),
    }
}

fn foreign() -> QueryError {
    Trouble::passing("it does not speak Redis's protocol").into()
}

/// What an error of Redis means for a source. Its words are not repeated: what answers may be no Redis.
fn refusal(text: &str) -> Trouble {
    let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    // As Redis writes them: `LOADING`, `MASTERDOWN`.
    let code = text.split(' ').next().filter(|code| {
        (2..=CODE_BYTES_MAX).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_uppercase())
    });
    if starts(&["NOAUTH"]) {
        Trouble::lasting("it wants a password; write `redis://:PASSWORD@host:port`")
    } else if starts(&["WRONGPASS", "ERR invalid password", "ERR AUTH", "ERR Client sent AUTH"]) {
        Trouble::lasting("it does not take the password")
    } else if starts(&["NOPERM"]) {
        Trouble::lasting("the user may not call INFO; grant `+info`")
    } else if starts(&["DENIED"]) {
        Trouble::lasting("it refuses this host; see its `protected-mode` and `bind`")
    } else if starts(&["ERR max number of clients"]) {
        Trouble::passing("it has as many clients as it may have (`maxclients`)")
    } else {
        Trouble::passing(match code {
            Some(code) => format!("it answers with the error {code}"),
            None => "it answers with an error".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
