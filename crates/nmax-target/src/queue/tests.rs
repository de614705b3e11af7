use proptest::prelude::*;

use super::*;
use crate::random::Random;

/// Mean time in the system, in seconds, with Poisson arrivals and exponential service.
fn mean_sojourn_s(servers: u32, arrival_rate_per_s: f64, service_rate_per_s: f64) -> f64 {
    let random = Random::new(11);
    let count = 400_000;
    let mut queue = Queue::new(servers);
    let (mut now_ns, mut sum_ns) = (0, 0);
    for number in 0..count {
        let draw_ns = |salt, rate: f64| (-random.unit(number, salt).ln() / rate * 1e9) as u64;
        now_ns += draw_ns(1, arrival_rate_per_s);
        sum_ns += queue.admit(now_ns, draw_ns(2, service_rate_per_s)) - now_ns;
    }
    sum_ns as f64 / count as f64 / 1e9
}

/// Erlang's C: probability that an arrival waits. Source: Kleinrock, *Queueing Systems* I, 3.5.
fn erlang_c(servers: u32, offered: f64) -> f64 {
    let mut blocked = 1.0;
    for k in 1..=servers {
        blocked = offered * blocked / (f64::from(k) + offered * blocked);
    }
    let rho = offered / f64::from(servers);
    blocked / (1.0 - rho * (1.0 - blocked))
}

#[test]
fn mm1_sojourn_is_the_closed_form() {
    for rho in [0.3, 0.6, 0.8] {
        let (lambda, mu) = (1_000.0 * rho, 1_000.0);
        let want_s = 1.0 / (mu - lambda);
        let found_s = mean_sojourn_s(1, lambda, mu);
        assert!((found_s / want_s - 1.0).abs() < 0.05, "rho {rho}: {found_s} for {want_s}");
    }
}

#[test]
fn mmc_sojourn_is_the_closed_form() {
    let (servers, lambda, mu) = (4, 750.0, 250.0);
    let wait_s = erlang_c(servers, lambda / mu) / (f64::from(servers) * mu - lambda);
    let want_s = wait_s + 1.0 / mu;
    let found_s = mean_sojourn_s(servers, lambda, mu);
    assert!((found_s / want_s - 1.0).abs() < 0.05, "{found_s} for {want_s}");
}

proptest! {
    /// Law: area under the number in the system = sum of the sojourn times (Little, exact
    /// on any sample path that starts and ends empty). The area is counted by a sweep.
    #[test]
    fn littles_law_holds_on_every_path(
        servers in 1_u32..5,
        customers in prop::collection::vec((0_u64..1_000, 0_u64..1_000), 1..100),
    ) {
        let mut queue = Queue::new(servers);
        let (mut now_ns, mut sojourn_ns) = (0, 0);
        let mut steps = Vec::new();
        for (gap_ns, service_ns) in customers {
            now_ns += gap_ns;
            let leaves_ns = queue.admit(now_ns, service_ns);
            prop_assert!(leaves_ns >= now_ns + service_ns);
            sojourn_ns += leaves_ns - now_ns;
            steps.extend([(now_ns, 1_i64), (leaves_ns, -1)]);
        }
        steps.sort_unstable();
        let (mut area, mut inside, mut last_ns) = (0, 0_i64, 0);
        for (at_ns, change) in steps {
            area += inside * (at_ns - last_ns) as i64;
            inside += change;
            last_ns = at_ns;
        }
        prop_assert_eq!(area as u64, sojourn_ns);
    }

    /// Law: one server is first come, first served, and never idle while somebody waits.
    #[test]
    fn one_server_serves_in_order(customers in prop::collection::vec((0_u64..100, 1_u64..100), 1..50)) {
        let mut queue = Queue::new(1);
        let (mut now_ns, mut last_ns) = (0, 0);
        for (gap_ns, service_ns) in customers {
            now_ns += gap_ns;
            let leaves_ns = queue.admit(now_ns, service_ns);
            prop_assert_eq!(leaves_ns - service_ns, now_ns.max(last_ns));
            last_ns = leaves_ns;
        }
    }
}
