//! Whether this machine can make the load: two seconds against the built-in target.

use std::sync::Arc;
use std::time::Duration;

use nmax_engine::{Event, Run, Settings};
use nmax_metrics::Section;
use nmax_plan::plan::Plan;
use nmax_plan::planless::Planless;
use nmax_run::check::Machine;
use nmax_target::Options;

/// How long it takes.
const LENGTH: Duration = Duration::from_secs(2);
/// Users at once.
const VUS: u32 = 32;

/// Measures this machine with as many workers as a run would have.
pub fn measure(workers: u32) -> Result<Machine, String> {
    let target = nmax_target::spawn(Options::default()).map_err(|error| error.to_string())?;
    let planless = Planless { vus: Some(VUS), duration: Some(LENGTH), ..Planless::get(target.url()) };
    let plan = Plan::for_url(&planless).map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        texts.join("; ")
    })?;
    let settings = Settings { workers, ..Settings::new(Arc::new(plan), Arc::new(|_, _| Ok(()))) };
    let mut run = Run::start(&settings).map_err(|error| error.to_string())?;
    let (mut requests, mut cpu_s) = (0, 0.0);
    loop {
        match run.next(Duration::from_millis(100)) {
            Event::Ended => break,
            Event::Quiet => {}
            Event::Window(complete) => {
                for section in Section::ALL {
                    requests += complete.window.aggregate.total(section).ok();
                    cpu_s += complete.window.aggregate.load(section).cpu.as_secs_f64();
                }
            }
        }
    }
    if requests == 0 || cpu_s <= 0.0 {
        return Err("the built-in target answered nothing".into());
    }
    Ok(Machine::new(requests as f64 / cpu_s, workers))
}
