//! From where on logs are followed.

use std::fs;
use std::io::Write as _;

use super::*;

/// What comes after the mark is read, also before anybody follows. What a setup asks for is none of it.
#[test]
fn logs_are_marked_unless_there_is_a_setup() {
    const LINE: &str = "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 2 \"-\" \"curl\"\n";
    let path = std::env::temp_dir().join(format!("nmax-sides-{}.log", std::process::id()));
    let name = path.to_str().unwrap();
    for (has_setup, want) in [(false, 2), (true, 0)] {
        fs::write(&path, LINE.repeat(5)).unwrap();
        let mut plan = following(&[None]);
        let visit = plan.scenarios[0].clone();
        plan.setup = has_setup.then_some(visit);
        for observed in &mut plan.observe {
            if let Observed::Source(log) = observed {
                log.reach = ObservedAddress::At(name.to_owned());
            }
        }
        let tap = Tap::open(None);
        mark(&plan, &tap);
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(LINE.repeat(2).as_bytes()).unwrap();
        let mut source = nmax_observe::log::source("log0", name, None, None, &tap);
        assert!(source.read(Nanos::from_secs(1)).is_ok());
        assert_eq!(tap.drain().iter().count(), want, "with a setup: {has_setup}");
    }
    fs::remove_file(&path).unwrap();
}
