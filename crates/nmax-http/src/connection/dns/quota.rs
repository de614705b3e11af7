//! How many questions a name server gets.
//!
//! A plan may ask for a name at every connection, thousands of times a second, and its name servers belong to somebody.
//! So do those of the host. What comes beyond the limit is not asked: its lookup fails, and says so.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Questions of the whole process to one address in any second, whatever the port; over UDP and TCP, repeated ones too.
pub(super) const QUESTIONS_PER_S_MAX: usize = 1_000;

const SECOND: Duration = Duration::from_secs(1);

/// Takes the place of a question that is to be sent now; false when there is none.
#[expect(clippy::disallowed_methods, reason = "the limit is one of real time, as other hosts feel it")]
pub(super) fn take(server: IpAddr) -> bool {
    static QUOTA: Mutex<Option<Quota>> = Mutex::new(None);
    let mut quota = QUOTA.lock().unwrap_or_else(PoisonError::into_inner);
    quota.get_or_insert_default().take(server, Instant::now())
}

/// When each address was asked, within the last second. Memory is bounded by the number of name servers.
#[derive(Debug, Default)]
struct Quota(HashMap<IpAddr, VecDeque<Instant>>);

impl Quota {
    fn take(&mut self, server: IpAddr, now: Instant) -> bool {
        let asked = self.0.entry(server.to_canonical()).or_default();
        while asked.front().is_some_and(|first| now.duration_since(*first) >= SECOND) {
            asked.pop_front();
        }
        let has_place = asked.len() < QUESTIONS_PER_S_MAX;
        if has_place {
            asked.push_back(now);
        }
        has_place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Law: in any second a server gets at most its number, and a question is refused only when it had that number.
        #[test]
        #[expect(clippy::disallowed_methods, reason = "instants have no other beginning")]
        fn no_second_has_more(gaps_us in prop::collection::vec(prop_oneof![Just(0), 0_u64..2_000, 0_u64..900_000], 4_000)) {
            let mut quota = Quota::default();
            let mut now = Instant::now();
            let mut sent: Vec<Instant> = Vec::new();
            // Most are close together, so that the limit is met.
            for (number, gap) in gaps_us.into_iter().enumerate() {
                now += Duration::from_micros(if number % 50 == 0 { gap } else { gap % 500 });
                let within = sent.iter().rev().take_while(|then| now.duration_since(**then) < SECOND).count();
                let is_sent = quota.take(SERVER, now);
                prop_assert_eq!(is_sent, within < QUESTIONS_PER_S_MAX, "{} questions in the second before", within);
                if is_sent {
                    sent.push(now);
                }
            }
        }
    }

    /// The limit protects a host, so ports and ways to write an address share it; other hosts do not.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "instants have no other beginning")]
    fn the_limit_is_that_of_an_address() {
        let mut quota = Quota::default();
        let now = Instant::now();
        assert!((0..QUESTIONS_PER_S_MAX).all(|_| quota.take(SERVER, now)));
        assert!(!quota.take(SERVER, now) && !quota.take("::ffff:192.0.2.1".parse().unwrap(), now));
        assert!(quota.take("192.0.2.2".parse().unwrap(), now));
        assert!(quota.take(SERVER, now + SECOND));
    }
}
