//! What dies is the one who ordered the run, or servers of NATS.

use rustix::process::Signal;

use crate::fleet::{CONTROL, Fleet, RATE, SERVERS};
use crate::law::{found, kill_manager};
use crate::world;

/// The one who ordered the run is killed: it goes on, and another writes its report.
#[test]
fn the_manager_is_killed() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(4);
        let manager = fleet.run(20, &["--injectors", "4"]);
        fleet.loaded(5 * RATE);
        let run = kill_manager(manager);
        fleet.loaded(20 * RATE);
        let args = fleet.nats(&["fleet", "report", &run, "--json", "--exit-zero"]);
        let report = fleet.order(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let found = found(&fleet, 20, report);
        found.holds("kill -9 of the manager", &fleet);
        found.is_whole();
    });
}

/// The leader of the results is killed, and once it is back the leader of records and leases.
#[test]
fn leaders_are_killed() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(4);
        let manager = fleet.run(30, &["--injectors", "4"]);
        for (stream, loaded) in [("NMAX_RES", 4), ("NMAX_CTL", 16)] {
            fleet.loaded(loaded * RATE);
            let leader = fleet.leader(stream);
            fleet.kill_server(leader);
            fleet.loaded((loaded + 8) * RATE);
            fleet.serve(leader);
        }
        let found = found(&fleet, 30, manager);
        found.holds("kill -9 of the leaders", &fleet);
        found.is_whole();
    });
}

/// The leader of records and leases is killed while parts are leased: no lease runs out.
#[test]
fn the_leader_of_leases_is_killed() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(4);
        let manager = fleet.run(30, &["--injectors", "4", "--policy", "takeover"]);
        fleet.loaded(5 * RATE);
        let leader = fleet.leader("NMAX_CTL");
        fleet.kill_server(leader);
        fleet.loaded(25 * RATE);
        fleet.serve(leader);
        let found = found(&fleet, 30, manager);
        found.holds("kill -9 of the leader of leases", &fleet);
        found.is_whole();
    });
}

/// All servers are killed: injectors go on by their warrant, and results come when servers are back.
#[test]
fn all_servers_are_killed() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(4);
        let manager = fleet.run(20, &["--injectors", "4"]);
        fleet.loaded(5 * RATE);
        SERVERS.into_iter().for_each(|name| fleet.kill_server(name));
        fleet.loaded(20 * RATE);
        SERVERS.into_iter().for_each(|name| fleet.serve(name));
        let found = found(&fleet, 20, manager);
        found.holds("kill -9 of all servers", &fleet);
        found.is_whole();
    });
}

/// The leader of records and of results is cut off from all others, and comes back.
#[test]
fn the_leader_is_cut_off() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(4);
        let manager = fleet.run(40, &["--injectors", "4"]);
        fleet.loaded(5 * RATE);
        let leader = fleet.leader("NMAX_RES");
        world::link(leader, CONTROL, false);
        fleet.loaded(30 * RATE);
        world::link(leader, CONTROL, true);
        let found = found(&fleet, 40, manager);
        found.holds("partition of the leader", &fleet);
        found.is_whole();
    });
}

/// All servers stop, and go on: no connection breaks, and none answers.
#[test]
fn all_servers_are_stopped() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(4);
        let manager = fleet.run(20, &["--injectors", "4"]);
        fleet.loaded(5 * RATE);
        SERVERS.into_iter().for_each(|name| fleet.signal_server(name, Signal::STOP));
        fleet.loaded(20 * RATE);
        SERVERS.into_iter().for_each(|name| fleet.signal_server(name, Signal::CONT));
        let found = found(&fleet, 20, manager);
        found.holds("SIGSTOP of all servers", &fleet);
        found.is_whole();
    });
}
