//! Another protocol than HTTP, made of what the engine shows to all: lines over TCP, answered with a code and a text.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::rc::Rc;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;

use nmax_engine::error::ProgramError;
use nmax_engine::iteration::StepEnd;
use nmax_engine::measure::meter::{MeterSettings, Report};
use nmax_engine::program::prepare::{Maker, Prepare, Prepared};
use nmax_engine::program::{Program, catalog};
use nmax_engine::protocol::Protocol;
use nmax_engine::run::{carrier, worker};
use nmax_engine::runtime::Runtime;
use nmax_engine::runtime::real::{RealClock, RealRuntime, block_on};
use nmax_engine::user::site::{Carried, Site};
use nmax_engine::user::verify::Answer;
use nmax_engine::{Files, KeepSamples, times};
use nmax_http::line::Line;
use nmax_http::{Alarm, Exchange, Failure};
use nmax_metrics::{Aggregate, Code, ErrorKind, Nanos, Outcome, Section};
use nmax_plan::plan::{Plan, Scenario};
use nmax_plan::template::Template;
use nmax_testkit::plans::requests;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

use crate::s;

/// Lines to one server. A call says what its plan asks for; all codes but `00000` are failures.
struct Lines {
    server: SocketAddr,
    /// Users under way.
    users: Cell<u32>,
}

/// What it has of a user: the connection, and the last reply.
#[derive(Default)]
struct Talker {
    stream: Option<BufStream<TcpStream>>,
    reply: String,
}

impl Talker {
    async fn ask(&mut self, server: SocketAddr, line: &str) -> io::Result<()> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => self.stream.insert(BufStream::new(TcpStream::connect(server).await?)),
        };
        stream.write_all(format!("{line}\n").as_bytes()).await?;
        stream.flush().await?;
        self.reply.clear();
        match stream.read_line(&mut self.reply).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    fn answer(&self) -> (&str, Rest<'_>) {
        let (code, rest) = self.reply.trim_end().split_once(' ').unwrap_or_default();
        (code, Rest(rest))
    }
}

/// What follows the code.
struct Rest<'a>(&'a str);

impl Answer for Rest<'_> {
    fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        std::iter::empty()
    }
    fn body(&self) -> &[u8] {
        self.0.as_bytes()
    }
    fn is_cut(&self) -> bool {
        false
    }
}

/// Makes calls ready: nothing more than what they ask for.
struct Asking;

impl Prepare for Asking {
    type Prepared = Template;

    fn prepare(&self, _: &Maker<'_>, _: (usize, &Scenario), call: &Prepared) -> Result<Template, ProgramError> {
        Ok(call.call.method_and_url().1.clone())
    }
}

impl Protocol for Lines {
    type Prepared = Template;
    type User = Talker;
    type SetupState = ();

    fn user(&self, _: Alarm) -> Talker {
        self.users.set(self.users.get() + 1);
        Talker::default()
    }
    fn begin(&self, _: &mut Talker, _: bool, _: Option<&()>) {}
    fn end(&self, user: &mut Talker) {
        user.stream = None;
    }
    fn keep(&self, _: &Talker) {}
    fn rest(&self, _: &mut Talker) {}
    fn set_line(&self, _: &mut Talker, _: Option<Rc<Line>>) {}

    fn prepare(&self, maker: &Maker<'_>, of: (usize, &Scenario), call: &Prepared) -> Result<Template, ProgramError> {
        Asking.prepare(maker, of, call)
    }

    fn answer<'u>(&self, user: &'u Talker) -> impl Answer + use<'u> {
        user.answer().1
    }

    async fn call<'a, R: Runtime>(
        &'a self,
        mut site: Site<'a, R>,
        user: &'a mut Talker,
        asked: &'a Template,
    ) -> StepEnd {
        let (line, sent) = (site.text(asked), site.now());
        let ended = site.within(pin!(user.ask(self.server, &line))).await;
        let mut exchange = Exchange { sent: Some(sent), ..Exchange::ended(site.now()) };
        let failed = match ended {
            Carried::Ended(Ok(())) => None,
            Carried::Ended(Err(error)) => Some(Failure::new(ErrorKind::Reset, error.to_string())),
            Carried::TimedOut => Some(Failure::new(ErrorKind::Timeout, "no line in time")),
            Carried::Cut => {
                user.stream = None;
                return site.cut();
            }
        };
        if failed.is_some() {
            user.stream = None;
        }
        let (code, answer) = user.answer();
        match failed {
            None => {
                exchange.status = Code::parse(code);
                exchange.first_byte = Some(exchange.done);
            }
            failed => exchange.error = failed,
        }
        site.conclude(&exchange, code == "00000", line.as_bytes(), &answer)
    }
}

/// A server that echoes lines, refuses some, hangs up on others, and remembers all.
fn server() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, heard) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
    let all = Arc::clone(&heard);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut answers = stream.try_clone().unwrap();
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                all.lock().unwrap().push(line.clone());
                let sent = match line.as_str() {
                    "/bye" => break,
                    "/refused" => writeln!(answers, "40P01 deadlock detected"),
                    line => writeln!(answers, "00000 heard {line}"),
                };
                sent.unwrap();
            }
        }
    });
    (address, heard)
}

/// Runs a plan over this protocol, one worker on this thread, to what it measured.
fn run(plan: &Arc<Plan>, server: SocketAddr) -> (Aggregate, Vec<nmax_metrics::FailureExample>) {
    let (reports_in, reports) = sync_channel(64);
    let names = catalog(plan, 500);
    block_on(async move {
        let runtime = RealRuntime::start(RealClock::starting_now()).unwrap();
        let program = Program::new(Arc::clone(plan), &names, &Files::default(), &Asking).unwrap();
        let lines = Lines { server, users: Cell::new(0) };
        let meter = MeterSettings { width: s(3_600), hold: times(plan).hold, keep: KeepSamples::None, seed: plan.seed };
        let names = Arc::new(Mutex::new(names));
        let context = carrier::only_worker(runtime, (lines, program), meter, reports_in, names).unwrap();
        worker::run(Rc::clone(&context), times(plan), Nanos::from(plan.graceful_stop)).await;
        assert_eq!(context.protocol.users.get(), 1);
    })
    .unwrap();
    let (mut sum, mut examples) = (Aggregate::default(), Vec::new());
    for report in reports {
        if let Report::Window { window, failures, .. } = report {
            sum.merge(&window.aggregate);
            examples.extend(failures);
        }
    }
    (sum.whole(), examples)
}

/// Codes are counted, checks and extractors read, a value of one reply is in the next line, and what fails is data.
#[test]
fn a_protocol_is_made_of_public_parts() {
    let steps = "[{ get: /tea, expect: { contains: heard }, extract: { what: { regex: '/(\\w+)' } } }, \
                 { get: '/more-${what}' }, { get: /refused }, { get: /bye }]";
    let (server, heard) = server();
    let plan = requests("http://lines.test", steps, "workload: { closed: { vus: 1 }, iterations: 3 }");
    let (sum, examples) = run(&plan, server);
    let total = sum.total(Section::Hold);
    let [fine, deadlock] = ["00000", "40P01"].map(|code| Code::parse(code).unwrap());
    assert_eq!(total.status, [(fine, 6), (deadlock, 3)]);
    assert_eq!((total.ok(), total.failed(), total.errors[ErrorKind::Reset.index()]), (6, 3, 3));
    assert_eq!(sum.checks.get(Section::Hold, 0).map(|check| (check.passed, check.failed)), Some((3, 0)));
    assert_eq!(*heard.lock().unwrap(), ["/tea", "/more-tea", "/refused", "/bye"].repeat(3));
    let refused = examples.iter().find(|example| example.outcome == Outcome::Failed).unwrap();
    assert_eq!((refused.kind.as_str(), refused.status), ("status 40P01", Some(deadlock)));
    assert_eq!((refused.request.as_str(), refused.reply.as_str()), ("/refused", "deadlock detected"));
    assert!(examples.iter().any(|example| example.outcome == Outcome::Error(ErrorKind::Reset)));
}
