use proptest::prelude::*;

use super::*;
use crate::tests::close;

#[test]
fn closed_forms_of_a_queue_with_eight_servers() {
    let queue = Queue { servers: 8, service_s: 0.010, arrival_rate_per_s: 700.0 };
    close(queue.offered(), 7.0);
    close(queue.utilization(), 0.875);
    close(erlang_b(8, 7.0), 0.178_821_8);
    close(queue.waits().unwrap(), 0.635_316_0);
    close(queue.wait_s().unwrap(), 6.353_160e-3);
    close(queue.response_s().unwrap(), 16.353_160e-3);
    close(queue.wait_quantile_s(0.99).unwrap(), 41.515_37e-3);
    close(queue.waits_longer(41.515_37e-3).unwrap(), 0.01);
    close(queue.waiting().unwrap(), 4.447_212);
    close(sakasegawa(8, 0.875).unwrap(), 4.539_949);
}

#[test]
fn approximations_have_their_published_values() {
    close(sakasegawa(1, 0.8).unwrap(), 3.2);
    close(sakasegawa(2, 0.9).unwrap(), 7.725_338);
    let two = Queue { servers: 2, service_s: 1.0, arrival_rate_per_s: 1.8 };
    close(two.waiting().unwrap(), 7.673_684);
    close(kingman_s(0.8, 0.010, 1.0, 1.0).unwrap(), 0.040);
    close(kingman_s(0.8, 0.010, 1.0, 0.25).unwrap(), 0.025);
    for (theta, servers, exact, limit) in [(1.0, 110, 0.237_007_5, 0.223_361_3), (2.0, 120, 0.033_195_9, 0.026_881_4)] {
        close(square_root_staffing(100.0, theta), f64::from(servers));
        let queue = Queue { servers, service_s: 1.0, arrival_rate_per_s: 100.0 };
        close(queue.waits().unwrap(), exact);
        close(halfin_whitt(theta), limit);
    }
}

#[test]
fn a_queue_that_grows_has_no_mean() {
    let full = Queue { servers: 2, service_s: 0.5, arrival_rate_per_s: 4.0 };
    assert_eq!((full.waits(), full.wait_s(), full.wait_quantile_s(0.5)), (None, None, None));
    assert_eq!((kingman_s(1.0, 1.0, 1.0, 1.0), sakasegawa(3, 1.2)), (None, None));
}

proptest! {
    /// Law: with one server every form is that of M/M/1, Wq = ρS/(1−ρ).
    #[test]
    fn one_server_is_the_simple_queue(utilization in 0.01..0.99_f64, service_s in 1e-4..10.0_f64) {
        let queue = Queue { servers: 1, service_s, arrival_rate_per_s: utilization / service_s };
        let wait = utilization * service_s / (1.0 - utilization);
        prop_assert!((queue.wait_s().unwrap() / wait - 1.0).abs() < 1e-9);
        prop_assert!((kingman_s(utilization, service_s, 1.0, 1.0).unwrap() / wait - 1.0).abs() < 1e-9);
        prop_assert!((queue.waiting().unwrap() / sakasegawa(1, utilization).unwrap() - 1.0).abs() < 1e-9);
    }

    /// Law: the share of waits longer than the q-quantile is 1 − q, unless that many do not wait.
    #[test]
    fn quantiles_invert_the_tail(servers in 1..200_u32, utilization in 0.05..0.99_f64, q in 0.5..0.9999_f64) {
        let queue = Queue { servers, service_s: 0.02, arrival_rate_per_s: utilization * f64::from(servers) / 0.02 };
        let at = queue.wait_quantile_s(q).unwrap();
        let beyond = queue.waits_longer(at).unwrap();
        if at > 0.0 {
            prop_assert!((beyond - (1.0 - q)).abs() < 1e-9);
        } else {
            prop_assert!(beyond <= 1.0 - q + 1e-12);
        }
    }

    /// Law: a server more never makes anybody wait longer.
    #[test]
    fn more_servers_wait_less(servers in 1..100_u32, utilization in 0.05..0.99_f64) {
        let queue = Queue { servers, service_s: 1.0, arrival_rate_per_s: utilization * f64::from(servers) };
        let more = Queue { servers: servers + 1, ..queue };
        prop_assert!(more.wait_s().unwrap() <= queue.wait_s().unwrap());
    }
}
