//! nginx, by the page of its `stub_status`.

use nmax_metrics::Nanos;
use nmax_sources::figures;

use crate::fetch::Fetcher;
use crate::numbers::{Numbers, ServiceReading};
use crate::rates::Rates;
use crate::{Reading, Source, Trouble};

/// A page at `url`, called `name` in results.
pub(crate) fn source(url: &str, name: &str) -> Box<dyn Source> {
    Box::new(Nginx {
        page: Fetcher::new(url, "text/plain", None),
        name: name.to_owned(),
        rates: Rates::default(),
        server: None,
    })
}

struct Nginx {
    page: Fetcher,
    name: String,
    rates: Rates,
    server: Option<String>,
}

impl Source for Nginx {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let page = self.page.fetch()?;
        let numbers = parse(&page.text).ok_or_else(|| {
            let url = self.page.shown();
            Trouble::passing(format!("{url} is not a page of `stub_status`; write `stub_status;` into its location"))
        })?;
        self.server = page.server;
        Ok(readings(now, &numbers, &mut self.rates, &self.name))
    }

    fn is_of_a_moment(&self) -> bool {
        true
    }

    fn about(&self) -> Option<String> {
        self.server.clone()
    }
}

/// Reads the page:
///
/// ```text
/// Active connections: 291
/// server accepts handled requests
///  16630948 16630948 31070465
/// Reading: 6 Writing: 179 Waiting: 106
/// ```
fn parse(text: &str) -> Option<Numbers> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let active = lines.next()?.strip_prefix("Active connections:")?;
    let mut numbers = vec![("active", active.trim())];
    let names = lines.next()?.strip_prefix("server ")?.split_ascii_whitespace();
    numbers.extend(names.zip(lines.next()?.split_ascii_whitespace()));
    let words: Vec<&str> = lines.next()?.split_ascii_whitespace().collect();
    numbers.extend(words.chunks_exact(2).map(|pair| (pair[0].trim_end_matches(':'), pair[1])));
    let parsed = numbers.into_iter().map(|(name, value)| Some((name.to_owned(), value.parse::<u64>().ok()? as f64)));
    let parsed: Numbers = parsed.collect::<Option<_>>()?;
    parsed.contains_key("requests").then_some(parsed)
}

fn readings(now: Nanos, numbers: &Numbers, rates: &mut Rates, name: &str) -> Vec<Reading> {
    let mut look = ServiceReading::new(now, numbers, rates, format!("nginx {name}"));
    // The request that asks is among those that are answered.
    let others = |count: f64| (count - 1.0).max(0.0);
    let dropped = look.rate(&["accepts"]).zip(look.rate(&["handled"]));
    let of_one = [
        (figures::CONNECTIONS_COUNT, look.number("active").map(others)),
        (figures::READING_COUNT, look.number("Reading")),
        (figures::WRITING_COUNT, look.number("Writing").map(others)),
        (figures::IDLE_COUNT, look.number("Waiting")),
        (figures::ACCEPTED_PER_S, look.rate_without(1.0, "accepts")),
        (figures::DROPPED_PER_S, dropped.map(|(accepted, handled)| (accepted - handled).max(0.0))),
    ];
    look.put_all(&of_one);
    let requests = look.rate_without(1.0, "requests");
    look.set_source(format!("operations {name} requests"));
    look.put(figures::OPERATIONS_PER_S, requests);
    look.readings()
}

#[cfg(test)]
mod tests;
