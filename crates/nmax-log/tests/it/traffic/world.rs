//! Traffic with known parameters: sessions of populations, each a Markov chain, as records in the order of a log.

use nmax_log::record::Record;
use nmax_plan::choice::Stream;

/// A record that owns its texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) arrival_us: i64,
    pub(crate) duration_us: u64,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) status: u16,
    pub(crate) bytes: u64,
    pub(crate) client: String,
    pub(crate) agent: String,
    pub(crate) referer: String,
    pub(crate) session: String,
}

impl Line {
    pub(crate) fn get(at_s: f64, client: &str, target: &str) -> Self {
        Self {
            arrival_us: (at_s * 1e6) as i64,
            duration_us: 0,
            method: "GET".into(),
            target: target.into(),
            status: 200,
            bytes: 1_000,
            client: client.into(),
            agent: String::new(),
            referer: String::new(),
            session: String::new(),
        }
    }

    pub(crate) fn record(&self) -> Record<'_> {
        Record {
            arrival_us: self.arrival_us,
            is_arrival: true,
            resolution_us: 1,
            duration_us: (self.duration_us > 0).then_some(self.duration_us),
            method: self.method.as_bytes(),
            target: self.target.as_bytes(),
            status: self.status,
            bytes: Some(self.bytes),
            client: self.client.as_bytes(),
            agent: self.agent.as_bytes(),
            referer: self.referer.as_bytes(),
            session: self.session.as_bytes(),
            ..Record::default()
        }
    }
}

/// What a visitor can ask for.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    /// With `#` in the place of a number that is drawn by Zipf's law.
    pub(crate) path: &'static str,
    pub(crate) numbers: u32,
    pub(crate) exponent: f64,
    /// Median of what the server takes, in ms; p95 is three times that.
    pub(crate) median_ms: f64,
}

/// Visitors who behave alike.
#[derive(Clone, Debug)]
pub(crate) struct Population {
    pub(crate) weight: f64,
    /// Chances of the first ask.
    pub(crate) begin: Vec<f64>,
    /// Chances of the next ask by the one before; what is missing to 1 ends the session.
    pub(crate) next: Vec<Vec<f64>>,
    /// Median and p95 of pauses, in s.
    pub(crate) think_s: (f64, f64),
}

/// Where traffic comes from.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) asks: Vec<Ask>,
    pub(crate) populations: Vec<Population>,
    pub(crate) sessions_per_s: f64,
    pub(crate) length_s: f64,
    /// 1 January 2026, 00:00 UTC was a Thursday.
    pub(crate) from_s: f64,
}

pub(crate) fn pick(weights: &[f64], random: &mut Stream) -> Option<usize> {
    let mut rest = random.unit();
    weights.iter().position(|weight| {
        rest -= weight;
        rest < 0.0
    })
}

pub(crate) fn lognormal(median: f64, p95: f64, random: &mut Stream) -> f64 {
    let deviation = (p95 / median).ln() / 1.644_853_626_951_472_2;
    median * (deviation * random.normal()).exp()
}

/// Zipf's law by its sums.
#[derive(Clone, Debug)]
pub(crate) struct Zipf(Vec<f64>);

impl Zipf {
    pub(crate) fn new(n: usize, exponent: f64) -> Self {
        let mut sum = 0.0;
        let weights = (1..=n).map(|rank| {
            sum += (rank as f64).powf(-exponent);
            sum
        });
        Self(weights.collect())
    }

    /// From 0 on.
    pub(crate) fn draw(&self, random: &mut Stream) -> usize {
        let at = random.unit() * self.0[self.0.len() - 1];
        self.0.partition_point(|sum| *sum <= at).min(self.0.len() - 1)
    }
}

impl World {
    /// A shop: browsers and buyers, who both see items, with different things in common.
    pub(crate) fn shop() -> Self {
        let ask = |method, path, numbers, exponent, median_ms| Ask { method, path, numbers, exponent, median_ms };
        Self {
            asks: vec![
                ask("GET", "/", 1, 0.0, 12.0),
                ask("GET", "/list?page=#", 20, 1.5, 30.0),
                ask("GET", "/item/#", 400, 0.9, 20.0),
                ask("POST", "/cart", 1, 0.0, 50.0),
                ask("GET", "/checkout", 1, 0.0, 80.0),
                ask("GET", "/account/orders", 1, 0.0, 25.0),
            ],
            populations: vec![
                Population {
                    weight: 0.6,
                    begin: vec![0.5, 0.2, 0.3, 0.0, 0.0, 0.0],
                    next: vec![
                        vec![0.0, 0.7, 0.2, 0.0, 0.0, 0.0],
                        vec![0.0, 0.3, 0.6, 0.0, 0.0, 0.0],
                        vec![0.0, 0.5, 0.3, 0.0, 0.0, 0.0],
                        vec![],
                        vec![],
                        vec![],
                    ],
                    think_s: (6.0, 40.0),
                },
                Population {
                    weight: 0.25,
                    begin: vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    next: vec![
                        vec![0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
                        vec![],
                        vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
                        vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
                        vec![],
                        vec![],
                    ],
                    think_s: (4.0, 20.0),
                },
                Population {
                    weight: 0.15,
                    begin: vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                    next: vec![vec![], vec![], vec![], vec![], vec![], vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.75]],
                    think_s: (10.0, 30.0),
                },
            ],
            sessions_per_s: 0.5,
            length_s: 6.0 * 3_600.0,
            from_s: 1_767_225_600.0,
        }
    }

    /// The lines of a log in the order in which requests end. Pauses of one session are below its timeout.
    pub(crate) fn lines(&self, seed: u64) -> Vec<Line> {
        let mut random = Stream::new(seed);
        let laws: Vec<Zipf> = self.asks.iter().map(|ask| Zipf::new(ask.numbers as usize, ask.exponent)).collect();
        let weights: Vec<f64> = self.populations.iter().map(|population| population.weight).collect();
        let mut lines = Vec::new();
        let (mut at_s, mut visitor) = (self.from_s, 0);
        loop {
            at_s += random.exponential() / self.sessions_per_s;
            if at_s >= self.from_s + self.length_s {
                break;
            }
            visitor += 1;
            let population = &self.populations[pick(&weights, &mut random).unwrap_or(0)];
            self.session((at_s, visitor), population, &laws, &mut random, &mut lines);
        }
        lines.sort_by_key(|line| line.arrival_us + line.duration_us as i64);
        lines
    }

    fn session(
        &self,
        (mut at_s, visitor): (f64, u32),
        population: &Population,
        laws: &[Zipf],
        random: &mut Stream,
        lines: &mut Vec<Line>,
    ) {
        let mut next = pick(&population.begin, random);
        while let Some(state) = next {
            let ask = &self.asks[state];
            let number = laws[state].draw(random) + 1;
            let duration_s = lognormal(ask.median_ms, 3.0 * ask.median_ms, random) / 1e3;
            lines.push(Line {
                duration_us: (duration_s * 1e6) as u64,
                method: ask.method.into(),
                bytes: 500 + (lognormal(4_000.0, 20_000.0, random)) as u64,
                session: format!("v{visitor}"),
                ..Line::get(
                    at_s,
                    &format!("10.0.{}.{}", visitor / 250 % 250, visitor % 250),
                    &ask.path.replace('#', &number.to_string()),
                )
            });
            let (median, p95) = population.think_s;
            at_s += duration_s + lognormal(median, p95, random).min(1_500.0);
            next = pick(&population.next[state], random);
        }
    }
}
