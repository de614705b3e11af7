//! From a file or URL and the flags around it to a plan.

use std::path::Path;
use std::time::Duration;

use nmax_plan::plan::{Arrivals, Coding, Connection, Method, Plan, REDIRECTS_DEFAULT, Version, Visitor, Workload};
use nmax_plan::planless::Planless;
use nmax_plan::schedule;
use nmax_plan::units::format_duration;
use nmax_run::load::{self, Changes, LoadError, is_url};

use crate::args::{PlanArgs, PlanlessArgs};
use crate::say;

/// What `--compressed` accepts, as curl does.
const COMPRESSED: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

/// The plan of a URL and flags.
fn plan_of_url(url: &str, args: &PlanArgs, run: &PlanlessArgs) -> Result<Plan, LoadError> {
    if !args.set.is_empty() || !args.env.is_empty() || args.target.is_some() {
        return Err(LoadError::Usage(
            "--set, -e and --target change a plan, but a URL was given\n  help: write a plan with `nmax init`".into(),
        ));
    }
    if run.poisson && run.rate.is_none() {
        return Err(LoadError::Usage(
            "--poisson says how iterations arrive, and no rate was given\n  help: give one by -r, or leave it out"
                .into(),
        ));
    }
    let method = run.method.unwrap_or(if run.body.is_some() { Method::Post } else { Method::Get });
    let body_file = run.body.as_deref().and_then(|body| body.strip_prefix('@'));
    let planless = Planless {
        method,
        headers: run.headers.clone(),
        body: run.body.clone().filter(|_| body_file.is_none()),
        vus: run.vus,
        rate_per_s: run.rate,
        arrivals: if run.poisson { Arrivals::Poisson } else { Arrivals::Even },
        duration: args.duration,
        requests: run.requests,
        version: if run.http10 { Version::Http10 } else { Version::Http11 },
        connection: match run.connection {
            _ if run.close => Connection::PerRequest,
            chosen => chosen.unwrap_or(Connection::KeepAlive),
        },
        timeout: run.timeout,
        ca_files: args.reach.ca.clone(),
        insecure: args.reach.insecure,
        redirects_max: if run.follow { REDIRECTS_DEFAULT } else { 0 },
        compression: if run.compressed { COMPRESSED.to_vec() } else { Vec::new() },
        profile: args.profile,
        compress: args.compress.unwrap_or(1.0),
        seed: args.seed,
        ..Planless::get(url)
    };
    let mut plan = load::plan_of_url(&planless, body_file, &args.changes())?;
    if run.new_visitors {
        plan.defaults.visitor = Visitor::New;
    }
    Ok(plan)
}

/// The plan of a file, a URL or a run that is repeated, with flags that fit it.
pub fn plan(what: &str, args: &PlanArgs, planless: &PlanlessArgs) -> Result<Plan, LoadError> {
    if is_url(what) {
        return plan_of_url(what, args, planless);
    }
    load::refuse_address(what)?;
    if let Some(flag) = planless.given() {
        let help = "these flags go with a URL; change a plan by --set, as in --set defaults.timeout=5s";
        return Err(LoadError::Usage(format!("{flag} was given with a plan\n  help: {help}")));
    }
    let changes = Changes { level: planless.level(), ..args.changes() };
    let plan = match load::is_run(what) {
        true => load::plan_of_run(Path::new(what), &changes)?,
        false => load::plan_of_file(Path::new(what), &changes)?,
    };
    say::keep_secrets(&plan);
    if changes.level.is_some() {
        say::note(replaced(&plan));
    }
    Ok(plan)
}

/// What the level of the flags does to the plan.
fn replaced(plan: &Plan) -> String {
    let load = match plan.workload {
        Workload::Open { rate_per_s, .. } => format!("{rate_per_s} iterations per second"),
        Workload::Closed { vus: 1 } => "1 virtual user".to_owned(),
        Workload::Closed { vus } => format!("{vus} virtual users"),
    };
    let end_ns = schedule::phases(&plan.stages).last().and_then(|last| last.span.end_ns);
    let length = end_ns.map(|ns| format!(" for {}", format_duration(Duration::from_nanos(ns)))).unwrap_or_default();
    format!("load: {load}{length}, in place of the plan's level, profile and stages; its mix is kept")
}
