//! Service-time laws: how long a request takes, as pure values.
//!
//! A [`Model`] turns random draws into [`Work`], mostly in nanoseconds;
//! a [`Service`] is a sequence of models, a [`Rule`] binds a service to a path prefix.
//! Nothing here waits; `answer` carries the work out.

use std::str::FromStr;

use crate::random::{Purpose, Random};
use crate::spec::{Fields, SPAN_MAX_NS, SpecError, parse_span};

const REMEDY: &str = "`usl:alpha=0.02,beta=0.0005,gamma=1000`, `fixed:5ms`, `uniform:1ms..5ms`, \
     `exponential:5ms`, `lognormal:median=5ms,p95=20ms`, `cpu:2ms`, `lock:1ms`, \
     `mm1:rate=1000` or `mmc:servers=4,rate=250`";

/// The 0.95 quantile of the standard normal distribution.
const NORMAL_P95: f64 = 1.644_853_626_951_472_2;

/// Most servers of a queue.
const SERVERS_MAX: u32 = 100_000;

/// The Universal Scalability Law as a law of service time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usl {
    /// Contention α: serial share of the work, 0 to 1, dimensionless.
    pub contention: f64,
    /// Coherency β: cost of each pair that agrees, at least 0, dimensionless.
    pub coherency: f64,
    /// Unit throughput γ = X(1), above 0, in 1/s.
    pub unit_throughput_per_s: f64,
}

impl Usl {
    /// Service time S(N) at `n` requests in flight, in seconds.
    ///
    /// ```text
    /// S(N) = (1 + α·(N−1) + β·N·(N−1)) / γ
    /// ```
    ///
    /// - N: requests in service, this one included, at least 1; argument `n`
    /// - α, β, γ: the fields
    ///
    /// By Little's law X(N) = N / S(N), which is the USL.
    ///
    /// Source: N. J. Gunther, arXiv:0808.1431. Law: `usl_obeys_littles_law`.
    pub fn service_time_s(&self, n: f64) -> f64 {
        let others = n - 1.0;
        (1.0 + self.contention * others + self.coherency * n * others) / self.unit_throughput_per_s
    }
}

/// One law of service time, or one kind of real work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// `usl:alpha=0.02,beta=0.0005,gamma=1000`: waits S(N) on average while N are in service.
    ///
    /// The work of each is drawn between 0.5 and 1.5 of the mean, so that users who begin at once do not stay in step.
    Usl(Usl),
    /// `fixed:5ms`: waits this long, in nanoseconds.
    Fixed(u64),
    /// `uniform:1ms..5ms`: waits between the two, in nanoseconds.
    Uniform {
        /// Shortest wait, in nanoseconds.
        min_ns: u64,
        /// Longest wait, in nanoseconds.
        max_ns: u64,
    },
    /// `exponential:5ms`: waits with this mean, in nanoseconds.
    Exponential {
        /// Mean wait, in nanoseconds.
        mean_ns: u64,
    },
    /// `lognormal:median=5ms,p95=20ms`: waits exp(ln median + σ·Z), Z standard normal.
    Lognormal {
        /// Median wait, in nanoseconds.
        median_ns: u64,
        /// σ = ln(p95 / median) / 1.645, dimensionless.
        sigma: f64,
    },
    /// `cpu:2ms`: burns this much CPU time of the worker, in nanoseconds.
    Cpu(u64),
    /// `lock:1ms`: waits while holding a mutex, in nanoseconds: the serial part.
    Lock(u64),
    /// `mm1:rate=1000`, `mmc:servers=4,rate=250`: FIFO queue, exponential service.
    Queue {
        /// Number of equal servers, at least 1.
        servers: u32,
        /// Completions per second of one busy server.
        rate_per_s: f64,
    },
}

/// What a model asks for, in nanoseconds where nothing else is said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Work {
    /// Wait without using anything.
    Wait(u64),
    /// Burn CPU time.
    Burn(u64),
    /// Wait while holding the model's mutex.
    Hold(u64),
    /// Queue for a server, then be served this long.
    Enqueue(u64),
    /// Share the system with others until so much is done, in mean requests.
    Share(f64),
}

impl Model {
    /// The work for request `number`.
    ///
    /// `position` is the model's place in its service, so that models draw independently.
    pub(crate) fn work(self, random: Random, number: u64, position: u64) -> Work {
        let purpose = Purpose::Service(position);
        let unit = || random.unit_for(number, purpose);
        match self {
            Self::Usl(_) => Work::Share(0.5 + random.spread_for(number, purpose)),
            Self::Fixed(span_ns) => Work::Wait(span_ns),
            Self::Uniform { min_ns, max_ns } => Work::Wait(min_ns + span_ns((max_ns - min_ns) as f64 * unit())),
            Self::Exponential { mean_ns } => Work::Wait(span_ns(mean_ns as f64 * -unit().ln())),
            Self::Lognormal { median_ns, sigma } => {
                let normal = random.normal_for(number, purpose);
                Work::Wait(span_ns(median_ns as f64 * (sigma * normal).exp()))
            }
            Self::Cpu(span_ns) => Work::Burn(span_ns),
            Self::Lock(span_ns) => Work::Hold(span_ns),
            Self::Queue { rate_per_s, .. } => Work::Enqueue(span_ns(1e9 / rate_per_s * -unit().ln())),
        }
    }
}

/// Rounds to whole nanoseconds, at most one day.
fn span_ns(value: f64) -> u64 {
    (value.round().max(0.0) as u64).min(SPAN_MAX_NS)
}

impl FromStr for Model {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let error = |problem: &str| SpecError::new("service", text, problem, REMEDY);
        let (name, rest) = text.split_once(':').ok_or_else(|| error("has no `:`"))?;
        let fields = || Fields::parse("service", text, rest, REMEDY);
        match name.trim() {
            "usl" => parse_usl(fields()?),
            "fixed" => Ok(Self::Fixed(parse_span(rest)?)),
            "uniform" => {
                let (min, max) = rest.split_once("..").ok_or_else(|| error("has no `..`"))?;
                let (min_ns, max_ns) = (parse_span(min)?, parse_span(max)?);
                if min_ns > max_ns {
                    return Err(error("has its ends in the wrong order"));
                }
                Ok(Self::Uniform { min_ns, max_ns })
            }
            "exponential" => Ok(Self::Exponential { mean_ns: parse_span(rest)? }),
            "lognormal" => parse_lognormal(fields()?),
            "cpu" => Ok(Self::Cpu(parse_span(rest)?)),
            "lock" => Ok(Self::Lock(parse_span(rest)?)),
            "mm1" => parse_queue(fields()?, Some(1)),
            "mmc" => parse_queue(fields()?, None),
            _ => Err(error("is not a known model")),
        }
    }
}

fn parse_usl(mut fields: Fields<'_>) -> Result<Model, SpecError> {
    let (alpha, beta) = (fields.number("alpha")?, fields.number("beta")?);
    let usl = Usl {
        contention: fields.within("alpha", alpha, (0.0, 1.0))?,
        coherency: fields.within("beta", beta, (0.0, 1.0))?,
        unit_throughput_per_s: fields.above_0("gamma")?,
    };
    fields.finish()?;
    Ok(Model::Usl(usl))
}

fn parse_lognormal(mut fields: Fields<'_>) -> Result<Model, SpecError> {
    let median_ns = fields.span_ns("median")?;
    let p95_ns = fields.span_ns("p95")?;
    if median_ns == 0 || p95_ns < median_ns {
        return Err(fields.error("needs 0 < median <= p95"));
    }
    fields.finish()?;
    let sigma = (p95_ns as f64 / median_ns as f64).ln() / NORMAL_P95;
    Ok(Model::Lognormal { median_ns, sigma })
}

fn parse_queue(mut fields: Fields<'_>, servers: Option<u32>) -> Result<Model, SpecError> {
    let servers = match servers {
        Some(servers) => servers,
        None => fields.number("servers")?,
    };
    let servers = fields.within("servers", servers, (1, SERVERS_MAX))?;
    let rate_per_s = fields.above_0("rate")?;
    fields.finish()?;
    Ok(Model::Queue { servers, rate_per_s })
}

/// Models carried out one after the other; `fixed:5ms+lock:1ms`. Empty means no wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// The models, in order.
    pub models: Vec<Model>,
}

impl FromStr for Service {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let models = text.split('+').map(|part| part.trim().parse()).collect::<Result<_, _>>()?;
        Ok(Self { models })
    }
}

/// A service for the paths that start with a prefix: `/api=fixed:5ms`, or `fixed:5ms` for all.
///
/// The longest matching prefix decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Start of the path; empty matches every path.
    pub prefix: String,
    /// What such requests take.
    pub service: Service,
}

impl FromStr for Rule {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (prefix, service) = if text.starts_with('/') {
            text.split_once('=')
                .ok_or_else(|| SpecError::new("service", text, "has a path but no `=`", "`/api=fixed:5ms`"))?
        } else {
            ("", text)
        };
        Ok(Self { prefix: prefix.to_owned(), service: service.parse()? })
    }
}

#[cfg(test)]
mod tests;
