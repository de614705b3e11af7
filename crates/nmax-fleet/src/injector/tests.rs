use super::*;
use crate::local::{Direct, Local};
use crate::manager::Manager;
use crate::records::encode;
use crate::results::Results;
use crate::testing::spec;
use crate::warrant::SigningKey;

/// A load of so many windows, which says when it began and what it was told.
#[derive(Debug, Default)]
struct Model {
    windows: u64,
    next: u64,
    begun: Option<Part>,
    told: Vec<String>,
    refuses: Option<String>,
    fenced_at: Option<Nanos>,
}

impl Load for Model {
    type Window = u64;

    fn admit(&mut self, _: &Spec, warrant: Option<&Warrant>) -> Result<(), String> {
        self.told.push(format!("admit {}", warrant.map_or("own", |warrant| &warrant.run)));
        self.refuses.clone().map_or(Ok(()), Err)
    }

    fn set_up(&mut self) -> Option<Result<Vec<String>, String>> {
        self.told.push("set up".into());
        (self.told.len() > 2).then(|| Ok(vec!["value".into()]))
    }

    fn begin(&mut self, part: Part) -> Result<Nanos, String> {
        let origin = part.origin;
        self.begun = Some(part);
        Ok(origin)
    }

    fn fence(&mut self, _: Nanos) {}

    fn fenced_at(&self) -> Option<Nanos> {
        self.fenced_at
    }

    fn command(&mut self, command: Command) {
        self.told.push(format!("{command:?}"));
        self.windows = self.next;
    }

    fn next(&mut self) -> Measured<u64> {
        if self.next >= self.windows {
            return Measured::Ended { windows: self.windows, why: None };
        }
        self.next += 1;
        Measured::Window { index: self.next - 1, window: 10 * self.next }
    }

    fn tear_down(&mut self) -> bool {
        self.told.push("tear down".into());
        true
    }
}

fn me() -> Identity {
    Identity { id: "i".into(), host: "h".into(), version: "1".into(), capacity: 9, ..Identity::default() }
}

type Alone = Injector<Local, Model, Direct<u64>>;

fn alone(spec: &Spec, me: Identity, load: Model) -> Alone {
    Injector::new(me, Local::new(spec), load, Direct::default())
}

/// Steps through a run, 100 ms each, until nothing more is to do.
fn conduct(injector: &mut Alone) -> Step {
    for step in 0..2_000 {
        match injector.step(Nanos::from_millis(100 * step)) {
            Step::Waiting(_) | Step::Running => {}
            last => return last,
        }
    }
    panic!("it does not end: {injector:?}");
}

#[test]
fn a_fleet_of_one_goes_through_everything() {
    let spec = Spec { lead_ns: 0, ..spec(1, Policy::Continue) };
    let mut injector = alone(&spec, me(), Model { windows: 3, ..Model::default() });
    assert_eq!(conduct(&mut injector), Step::Done);
    assert_eq!(injector.load().told, ["admit own", "set up", "set up", "tear down"]);
    let part = injector.load().begun.clone().unwrap();
    assert_eq!(
        (part.share, part.values, part.from, part.fence),
        (Share::whole(), vec!["value".into()], 0, Nanos(spec.hard_stop_ns))
    );
    let results: Vec<_> = std::iter::from_fn(|| injector.sink_mut().take()).collect();
    let of = |sequence, item| (BatchId { shard: 0, epoch: 1, sequence }, item);
    let window = |index| of(index, Item::Window { index, window: 10 * (index + 1) });
    assert_eq!(
        results,
        [window(0), window(1), window(2), of(3, Item::End(End { windows: 3, loaded: 3, ..End::default() }))]
    );
}

/// A process that was stopped beyond its fence has lost its part, although its lease was renewed meanwhile.
#[test]
fn a_load_that_came_to_its_fence_has_not_ended_its_part() {
    let takeover = spec(1, Policy::Takeover { ttl_ns: 15_000_000_000 });
    let mut injector = alone(&takeover, me(), Model { windows: 2, fenced_at: Some(Nanos(1)), ..Model::default() });
    let ends = (0..30).find_map(|step| {
        injector.step(Nanos::from_millis(100 * step));
        match injector.sink_mut().take() {
            Some((_, Item::End(end))) => Some((end.windows, end.loaded, end.why)),
            _ => None,
        }
    });
    assert_eq!(ends, Some((2, 1, Some("its lease ran out".into()))));
    assert!(injector.coordinator_mut().once(Key::Ended(0), None).is_none());
}

#[test]
fn a_run_is_refused_before_any_load_and_says_why() {
    let refused = |spec: Spec, me: Identity, load: Model| {
        let mut injector = alone(&spec, me, load);
        let Step::Refused(why) = conduct(&mut injector) else { panic!("it began") };
        assert!(injector.load().begun.is_none() && !injector.load().told.iter().any(|told| told == "set up"));
        why.join("; ")
    };
    let good = spec(1, Policy::Continue);
    let why = refused(Spec { version: "2".into(), ..good.clone() }, me(), Model::default());
    assert!(why.contains("injector i on h: it has nmax 1") && why.contains("the run is of nmax 2"), "{why}");
    let why = refused(Spec { protocol: 9, ..good.clone() }, me(), Model::default());
    assert!(why.contains("protocol 9"), "{why}");
    let why = refused(Spec { window_ns: 0, ..good.clone() }, me(), Model::default());
    assert!(why.contains("no windows"), "{why}");
    let missing = Model { refuses: Some("people.csv of the plan is missing".into()), ..Model::default() };
    assert!(refused(good.clone(), me(), missing).ends_with("people.csv of the plan is missing"));
    // Trust in keys asks for a warrant.
    let key = SigningKey::from_seed(&[3; 32]).unwrap();
    let guest = || Identity { trust: Trust::Keys(vec![key.public()]), ..me() };
    assert!(refused(good.clone(), guest(), Model::default()).contains("the run has no warrant"));
    let warrant = |expires_s| Warrant {
        run: "r".into(),
        plan: "ab".into(),
        targets: vec![],
        rate_per_s: None,
        users: 1,
        regions: vec![],
        not_before_s: 0,
        expires_s,
    };
    let with = |expires_s| Spec { warrant: Some(warrant(expires_s).sign(&key)), ..good.clone() };
    assert!(refused(with(0), guest(), Model::default()).contains("valid from 0 to 0"));
    let of_other = Identity { trust: Trust::Keys(vec![SigningKey::from_seed(&[4; 32]).unwrap().public()]), ..me() };
    assert!(refused(with(100), of_other, Model::default()).contains("none of the keys"));
    let mut permitted = alone(&with(100), guest(), Model { windows: 1, ..Model::default() });
    assert_eq!((conduct(&mut permitted), &permitted.load().told[0][..]), (Step::Done, "admit r"));
    // A run that would go on after the warrant has ended does not begin.
    let mut late = alone(&with(9), guest(), Model { windows: 1, ..Model::default() });
    assert!(matches!(conduct(&mut late), Step::Refused(why) if why[0].contains("valid from 0 to 9")));
    assert!(late.load().begun.is_none());
}

#[test]
fn shares_that_do_not_sum_are_refused() {
    let spec = spec(1, Policy::Continue);
    let mut injector = alone(&spec, me(), Model::default());
    let start = encode(&Start::Go { origin_ns: 5, weights: vec![1, 1], values: vec![] });
    injector.coordinator_mut().once(Key::Start, Some(&start));
    let Step::Refused(why) = conduct(&mut injector) else { panic!("it began") };
    assert!(why[0].contains("1 parts and 2 weights"), "{why:?}");
}

#[test]
fn a_part_without_an_injector_ends_the_run_before_it_begins() {
    let spec = spec(2, Policy::Continue);
    let mut injector = alone(&spec, me(), Model::default());
    // It has one part; the other is claimed by one that never says that it is ready.
    for shard in [0, 1] {
        injector.coordinator_mut().once(Key::Claim(shard), Some(if shard == 0 { b"i" } else { b"j" }));
    }
    assert_eq!(conduct(&mut injector), Step::Refused(vec!["no injector is ready for part 1".into()]));
    // Without the first part's injector, the manager says so.
    let mut coordinator = Local::new(&spec);
    let mut manager = Manager::new(&spec);
    let mut results = Results::new(&spec, nmax_metrics::Catalog::default());
    for step in 0..1_000 {
        manager.step(&mut coordinator, &mut results, Nanos::from_millis(100 * step)).unwrap();
    }
    assert!(matches!(manager.start(), Some(Start::Refused(why)) if why.len() == 2), "{manager:?}");
    let other = Spec { end_ns: 5_000_000_000, ..spec };
    let error = Manager::new(&other).step(&mut coordinator, &mut results, Nanos::ZERO).unwrap_err();
    assert!(error.to_string().contains("another run has this id"), "{error}");
}

#[test]
fn a_command_reaches_the_load() {
    let spec = Spec { lead_ns: 0, ..spec(1, Policy::Continue) };
    let mut injector = alone(&spec, me(), Model { windows: 1_000_000, ..Model::default() });
    for step in 0..20 {
        injector.step(Nanos::from_millis(step));
    }
    injector.coordinator_mut().ask(Command::Stop);
    injector.coordinator_mut().ask(Command::Cut);
    injector.coordinator_mut().ask(Command::Stop);
    assert_eq!(conduct(&mut injector), Step::Done);
    assert_eq!(injector.load().told[3..], ["Cut", "tear down"], "the strongest counts, once");
}
