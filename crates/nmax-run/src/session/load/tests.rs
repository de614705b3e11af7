use std::sync::Mutex;

use nmax_metrics::{LoadStats, Section};
use nmax_plan::share::Share;
use nmax_testkit::plans::requests;
use nmax_testkit::servers::BadServer;

use super::*;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// One of two injectors takes the third to the fifth tenth of a second: those windows, its share of what is due in them, and
/// no more; setup and teardown are before and after.
#[test]
fn the_engine_takes_a_part_of_a_run() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let said = Arc::clone(&seen);
    let server = BadServer::answering(move |head| {
        said.lock().unwrap().push(head.split(' ').nth(1).unwrap_or_default().to_owned());
        "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".into()
    });
    let keys = "setup: { steps: [{ get: /in }] }\nteardown: { steps: [{ get: /out }] }\ndefaults: { connection: per-request }\n\
                workload: { open: { rate: 20/s } }\nwindow: 100ms\nduration: 1h";
    let plan = requests(&server.url(), "[{ get: / }]", keys);
    let settings = Settings::new(plan, Arc::new(|_, _| Ok(())));
    let mut engine = Engine::new(&settings, &|| false);
    let spec = Spec { shards: vec![None; 2], ..spec(&settings, "r") };
    engine.admit(&spec, None).unwrap();
    let values = engine.set_up().unwrap().unwrap();
    assert_eq!(*seen.lock().unwrap(), ["/in"]);
    let (share, origin) = (Share::for_injector(0, &[1, 1]).unwrap(), monotonic() + ms(20));
    let part = Part { shard: 0, epoch: 2, share, values, origin, from: 2, fence: ms(500) };
    assert_eq!(engine.begin(part), Ok(origin));
    let (mut numbers, mut load) = (Vec::new(), LoadStats::default());
    let ended = loop {
        match engine.next() {
            Measured::Quiet => {}
            Measured::Window { index, window } => {
                assert_eq!(index, window.complete.window.index);
                numbers.push(index);
                load.merge(window.complete.window.aggregate.whole().load(Section::Hold));
            }
            Measured::Ended { windows, why } => break (windows, why),
        }
    };
    assert_eq!((ended, numbers[0]), ((numbers[0] + numbers.len() as u64, None), 2));
    // Six are due from 200 ms to 500 ms, and every other one is its.
    assert_eq!((load.due, engine.fenced_at().is_some()), (3, true));
    engine.fence(Nanos::from_secs(9));
    assert_eq!(engine.settings.fence.get(), ms(500), "what was reached stays");
    assert!(!seen.lock().unwrap().iter().any(|path| path == "/out"));
    while !engine.tear_down() {}
    assert_eq!(seen.lock().unwrap().last().unwrap(), "/out");
}
