//! A memcached server, by `stats`.

use nmax_metrics::Nanos;
use nmax_sources::figures;
use nmax_sources::kinds::MEMCACHED_PORT;

use crate::numbers::{Numbers, ServiceReading, numbers};
use crate::rates::Rates;
use crate::reach::{Link, QueryError, Service, server_text};
use crate::service_address::ServiceAddress;
use crate::{Reading, Source, Trouble};

/// A server at `host:port`, called `name` in results.
pub(crate) fn source(address: &str, name: &str) -> Box<dyn Source> {
    Box::new(Memcached {
        service: Service::new(ServiceAddress::parse(address, MEMCACHED_PORT)),
        name: name.to_owned(),
        rates: Rates::default(),
        version: None,
    })
}

struct Memcached {
    service: Service,
    name: String,
    rates: Rates,
    version: Option<String>,
}

impl Source for Memcached {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let lines = self.service.ask(|_, _| Ok(()), stats)?;
        let numbers = numbers(lines.iter().map(String::as_str), ' ');
        let version = lines.iter().find_map(|line| line.strip_prefix("version "));
        self.version = version.map(|version| server_text(version.as_bytes(), None));
        Ok(readings(now, &numbers, &mut self.rates, &self.name))
    }

    fn about(&self) -> Option<String> {
        self.version.as_ref().map(|version| format!("memcached {version}"))
    }
}

/// Names and values, a line each.
fn stats(link: &mut Link) -> Result<Vec<String>, QueryError> {
    link.send(b"stats\r\n")?;
    let mut lines = Vec::new();
    loop {
        let line = link.line()?;
        if line == b"END" {
            return Ok(lines);
        }
        match line.strip_prefix(b"STAT ") {
            Some(pair) => lines.push(String::from_utf8_lossy(pair).into_owned()),
            None if line == b"CLIENT_ERROR unauthenticated" => {
                return Err(Trouble::lasting("it wants a user, which nmax cannot give").into());
            }
            None => return Err(Trouble::passing("it does not speak memcached's text protocol").into()),
        }
    }
}

fn readings(now: Nanos, numbers: &Numbers, rates: &mut Rates, name: &str) -> Vec<Reading> {
    let mut look = ServiceReading::new(now, numbers, rates, format!("memcached {name}"));
    let cores = look.rate(&["rusage_user", "rusage_system"]);
    let (gets, sets) = (look.rate(&["cmd_get"]), look.rate(&["cmd_set"]));
    let of_one = [
        // Without the connection that asks.
        (figures::CONNECTIONS_COUNT, look.number("curr_connections").map(|count| (count - 1.0).max(0.0))),
        (figures::CONNECTIONS_LIMIT_COUNT, look.number("max_connections")),
        (figures::MEMORY_BYTES, look.number("bytes")),
        (figures::MEMORY_LIMIT_BYTES, look.number("limit_maxbytes")),
        (figures::CPU_CORES, cores),
        (figures::GETS_PER_S, gets),
        (figures::SETS_PER_S, sets),
        (figures::HIT_RATIO, look.share("get_hits", "get_misses")),
        (figures::EVICTED_PER_S, look.rate(&["evictions"])),
        // Times that it stopped taking connections, as it had as many as it may have.
        (figures::REFUSED_PER_S, look.rate(&["listen_disabled_num"])),
        (figures::RECEIVED_BYTES_PER_S, look.rate(&["bytes_read"])),
        (figures::SENT_BYTES_PER_S, look.rate(&["bytes_written"])),
    ];
    look.put_all(&of_one);
    let threads = look.number("threads");
    look.set_source(format!("pool {name} threads"));
    look.put(figures::IN_USE_COUNT, cores);
    look.put(figures::LIMIT_COUNT, cores.and(threads));
    look.set_source(format!("operations {name} gets"));
    look.put(figures::OPERATIONS_PER_S, gets);
    look.set_source(format!("operations {name} sets"));
    look.put(figures::OPERATIONS_PER_S, sets);
    look.readings()
}

#[cfg(test)]
mod tests;
