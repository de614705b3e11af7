//! How many requests this process can send: the engine itself, closed and with kept connections, against what answers at once.

use std::sync::Arc;
use std::time::Duration;

use nmax_metrics::Section;
use nmax_plan::plan::Plan;
use nmax_plan::planless::Planless;

use crate::run::settings::Settings;
use crate::run::{Event, Run};

/// Users at once.
const VUS: u32 = 32;
/// How long what is under way at the end may take.
const GRACE: Duration = Duration::from_millis(500);

/// What this process can do, together with what answers it where that is on the same processors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Requests per second of all workers together.
    pub requests_per_s: f64,
    /// Requests per second of worker CPU time.
    pub per_core_s: f64,
}

/// Sends requests to `url` for so long with as many workers as a run would have.
///
/// # Errors
/// When nothing was answered, or the workers did not start.
pub fn calibrate(url: &str, workers: u32, length: Duration) -> Result<Calibration, String> {
    let planless = Planless { vus: Some(VUS), duration: Some(length), ..Planless::get(url.to_owned()) };
    let plan = Plan::for_url(&planless).map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        texts.join("; ")
    })?;
    let plan = Arc::new(Plan { graceful_stop: GRACE, ..plan });
    let settings = Settings { workers, ..Settings::new(plan, Arc::new(|_, _| Ok(()))) };
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
        return Err(format!("{url} answered nothing"));
    }
    let requests = requests as f64;
    Ok(Calibration { requests_per_s: requests / run.ended_at().as_secs_f64(), per_core_s: requests / cpu_s })
}
