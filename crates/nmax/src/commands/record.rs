//! `nmax record`: a person clicks, a proxy watches, and a plan comes of it.
//!
//! # Layout
//! - `screen`: what the person sees meanwhile; `events`: what a program is told

use std::net::{Ipv4Addr, SocketAddr};

use nmax_record::visit::{self, Browsing, Order};
use nmax_run::Exit;

use super::Ended;
use super::import::{options, report};
use crate::args::RecordArgs;

mod events;
mod screen;

use events::Events;
use screen::Screen;

/// Records until the person has had enough, and makes a plan of it.
pub fn record(args: &RecordArgs) -> Ended {
    let browsing = Browsing {
        program: args.browser.clone(),
        allow_exec: args.allow_exec,
        is_headless: args.headless,
        arguments: args.browser_arg.clone(),
    };
    let order = Order {
        url: args.url.clone(),
        output: args.plan.output.clone(),
        force: args.plan.force,
        hosts: args.plan.host.clone(),
        listen: args.listen.unwrap_or_else(|| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), args.port.unwrap_or(0))),
        browsing: (!args.no_browser).then_some(browsing),
        upstream_ca: args.upstream_ca.clone(),
        insecure: args.insecure,
        duration: args.duration,
        options: options(&args.plan),
    };
    if args.events {
        let told = visit::record(&order, &mut Events)?;
        return told.why_no_plan().map_or(Ok(Exit::Pass), |reason| Err(reason.into()));
    }
    report(&args.plan, &visit::record(&order, &mut Screen::new(args.quiet))?)
}
