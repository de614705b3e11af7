//! What is cut is the link of a region, whose injectors reach NATS through a server of their own: a leaf node.

use crate::bench::until;
use crate::fleet::{CONTROL, DATA, Fleet, RATE, REGION, urls};
use crate::law::found;
use crate::world;

/// Two injectors of a region go on while its link is cut, and their results come when it is back.
#[test]
fn a_region_is_cut_off() {
    world::run(|| {
        let mut fleet = Fleet::start();
        world::machine("leaf", 7, &[CONTROL, REGION]);
        let hubs = (1..=3).map(|number| format!("\"nats://{}:7422\"", world::address(CONTROL, number)));
        let hubs = hubs.collect::<Vec<_>>().join(", ");
        let here = world::address(REGION, 7);
        let text = format!(
            "server_name: leaf\nlisten: \"{here}:4222\"\nleafnodes {{ remotes [ {{ urls: [{hubs}] }} ] }}\n\
             default_js_domain: {{ \"$G\": hub }}\n"
        );
        let leaf = fleet.nats_server("leaf", &text);
        until("the way to the hub", || leaf.stderr_so_far().contains("Leafnode connection created"));
        for name in ["us-1", "us-2"] {
            fleet.join(name, &[CONTROL, DATA], &urls(), &["--region", "us"]);
        }
        for name in ["eu-1", "eu-2"] {
            fleet.join(name, &[REGION, DATA], &format!("nats://{here}:4222"), &["--region", "eu"]);
        }
        let manager = fleet.run(40, &["--region", "eu=2,us=2"]);
        fleet.loaded(5 * RATE);
        world::link("leaf", CONTROL, false);
        fleet.loaded(30 * RATE);
        world::link("leaf", CONTROL, true);
        let found = found(&fleet, 40, manager);
        found.holds("link of a region", &fleet);
        found.is_whole();
        assert_eq!(found.summary["regions"].as_array().unwrap().len(), 2, "{:#}", found.summary);
    });
}
