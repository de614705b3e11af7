//! Laws of traffic: what is known of generated traffic comes out of its lines, a plan of it makes it again, and two
//! samples of it are alike.

mod fidelity;
mod interpreter;
mod laws;
mod mutants;
mod plan;
mod world;

use nmax_log::traffic::{Options, Profile, RequestType, Traffic};
use world::Line;

fn profile_with(options: Options, lines: &[Line]) -> Profile {
    let mut traffic = Traffic::new(options);
    for line in lines {
        traffic.add(&line.record());
    }
    traffic.finish()
}

fn profile(lines: &[Line]) -> Profile {
    profile_with(Options::default(), lines)
}

fn kind<'a>(profile: &'a Profile, name: &str) -> &'a RequestType {
    let names = || profile.types.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>();
    profile.types.iter().find(|kind| kind.name == name).unwrap_or_else(|| panic!("no {name} in {:?}", names()))
}

#[track_caller]
fn near(found: f64, want: f64, tolerance: f64) {
    assert!((found - want).abs() <= tolerance * want.abs(), "{found} for {want} ± {} %", 100.0 * tolerance);
}
