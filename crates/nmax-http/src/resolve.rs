//! Name resolution, cached per worker for the length of a run.
//!
//! `getaddrinfo` tells no lifetime, so answers stay; failures are asked again after a second.
//! Many visitors who ask for one name at once wait for one lookup.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::rc::Rc;

use nmax_metrics::{Clock, ErrorKind, Nanos};
use tokio::sync::OnceCell;

use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// Names that a worker remembers; beyond that it forgets all and starts over.
const NAMES_MAX: usize = 1024;
/// How long a failed lookup is believed.
const FAILURE_AGE_MAX: Nanos = Nanos::from_secs(1);

/// The addresses of a name, in the order the system prefers.
type Addresses = Rc<[IpAddr]>;

/// The cache of one worker.
#[derive(Debug, Default)]
pub(crate) struct Names {
    answers: RefCell<HashMap<String, Rc<OnceCell<Answer>>>>,
}

#[derive(Debug)]
struct Answer {
    at: Nanos,
    result: Result<Addresses, Failure>,
}

impl Names {
    /// The addresses of `host`, at least one. Addresses given as text are the caller's business.
    pub(crate) async fn resolve(&self, host: &str, clock: &impl Clock) -> Result<Addresses, Failure> {
        let cell = self.cell(host, clock.now());
        let answer = cell
            .get_or_init(|| async {
                let result = look_up(host).await;
                Answer {
                    at: clock.now(),
                    result,
                }
            })
            .await;
        answer.result.clone()
    }

    /// The place of the answer for `host`: kept, being looked up, or new.
    fn cell(&self, host: &str, now: Nanos) -> Rc<OnceCell<Answer>> {
        let mut answers = self.answers.borrow_mut();
        if let Some(cell) = answers.get(host) {
            let is_usable = cell
                .get()
                .is_none_or(|answer| answer.result.is_ok() || now.since(answer.at) <= FAILURE_AGE_MAX);
            if is_usable {
                return Rc::clone(cell);
            }
        }
        if answers.len() >= NAMES_MAX {
            answers.clear();
        }
        let cell = Rc::new(OnceCell::new());
        answers.insert(host.to_owned(), Rc::clone(&cell));
        cell
    }
}

async fn look_up(host: &str) -> Result<Addresses, Failure> {
    let found = tokio::net::lookup_host((host, 0))
        .await
        .map_err(|error| Failure::of_io(ErrorKind::Dns, host, &error))?;
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found {
        if !addresses.contains(&address.ip()) {
            addresses.push(address.ip());
        }
    }
    if addresses.is_empty() {
        return Err(Failure::new(ErrorKind::Dns, format!("{host}: the name has no address")));
    }
    Ok(addresses.into())
}
