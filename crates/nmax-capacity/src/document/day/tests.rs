//! A day as a person writes it, and what is wrong with it.

use nmax_plan::document::Options;

use crate::day::{Base, Given, Loss, Shape, simulate, study};
use crate::parse;

fn text(day: &str) -> String {
    let indented: String = day.trim().lines().map(|line| format!("  {line}\n")).collect();
    format!("capacity: 1\nday:\n{indented}")
}

fn options<'a>(read: &'a dyn Fn(&str) -> Result<String, String>) -> Options<'a> {
    Options { read, ..Options::standalone("day.yaml") }
}

const DAY: &str = r#"
demand: { peak: 4000/s, low: 25%, at: "20:00" }
events: [{ name: slashdot, at: 14h, factor: 3, doubling: 10m, lasts: 2h, decays: 1h }]
node: { usable: 1200/s, saturation: 1500/s, service_time: 8ms, alpha: 0.03, beta: 0.0005 }
regions: { eu: 60%, us: 40% }
failures: [{ lost: management, at: "14:00", for: 4h30m, chance: 20% }, { lost: zone, region: us, at: 10h, for: 1h }]
provisioning: { quantiles: { 50%: 90s, 95%: 5m }, never: 1%, crowded: 2 }
strategies:
  standing: { nodes: 12 }
  scaled: { nodes: 6, autoscale: { target: 60% }, cache: { hit: 50% }, overload: shed, queue: unbounded }
  guessing: { schedule: { "08:00": 9 }, overload: { guess: 5% } }
"#;

#[test]
fn a_day_is_read_and_simulated() {
    let document = parse(&text(DAY), &options(&|_| Err("no".into()))).unwrap();
    let setting = document.day.unwrap();
    assert_eq!(setting.base, Some(Base::Daily { peak_per_s: 4000.0, low: 0.25, at_s: 72_000.0 }));
    assert_eq!(setting.events[0].shape, Shape::Doubling(600.0));
    assert_eq!(setting.failures[1].loss, Loss::Zone(1));
    let (world, policies) = setting.world(&Given::default()).unwrap();
    assert_eq!(world.provisioning.after_s, 105.0);
    let names: Vec<&str> = policies.iter().map(|policy| policy.name.as_str()).collect();
    assert_eq!(names, ["standing", "scaled", "guessing"]);
    for policy in &policies {
        let day = simulate(&world, policy, 7);
        assert!(day.answered > 0.0 && day.node_hours > 0.0, "{}: {day:?}", policy.name);
    }
}

#[test]
fn a_document_is_studied() {
    let mut setting = parse(&text(DAY), &options(&|_| Err("no".into()))).unwrap().day.unwrap();
    (setting.seeds, setting.length_s) = (3, 6 * 3600);
    let found = study(&setting, &Given::default(), 1).unwrap();
    assert_eq!(found.compared.strategies.len(), 3);
    let recommended = found.recommended().unwrap();
    assert!(recommended.keeps_risk && recommended.cost.mean <= found.best().cost.mean);
    let mut about = crate::Assumptions::default();
    found.assume(&setting, &mut about);
    assert!(about.list.len() > 4 && about.unsupported.len() == 1, "{about:?}");
}

#[test]
fn a_table_is_a_curve() {
    let read = |_: &str| Ok("time,rate\n00:00,100\n12:00,300\n".to_owned());
    let document = parse(&text("demand: { table: day.csv, factor: 2 }"), &options(&read)).unwrap();
    assert_eq!(document.day.unwrap().base, Some(Base::Curve(vec![(0.0, 200.0), (43_200.0, 600.0)])));
}

#[test]
fn what_is_missing_is_said() {
    let document = parse(&text("demand: { constant: 10/s }"), &options(&|_| Err("no".into()))).unwrap();
    let error = document.day.unwrap().world(&Given::default()).unwrap_err();
    assert!(error.starts_with("it is not known what a node can do"), "{error}");
}

#[test]
fn wrong_days() {
    let cases: [(&str, &str, &str); 17] = [
        ("length: 0s", "the duration is zero", "write a duration above zero, such as `30s`"),
        ("length: 8d", "a day has 1s to 7d", "write a length such as `24h`"),
        ("nodes: 0", "`0` is not a whole number from 1 to 100000", "write the digits only"),
        (
            "events: [{ at: \"25:00\", factor: 3 }]",
            "`25:00` is after the end of the day, which has 24h",
            "write an earlier time, or a longer `length`",
        ),
        (
            "events: [{ at: noon, factor: 3 }]",
            "`noon` is not a time of the day",
            "write it as `14:30`, or as a duration since midnight, `14h30m`",
        ),
        (
            "events: [{ at: 1h, factor: 0.5 }]",
            "an event multiplies the demand by 1 to 1000000, this is 0.5",
            "write a factor such as `3`",
        ),
        (
            "strategies: { a: { autoscale: { target: 120% } } }",
            "100% or more is not possible here: a queue without slack never ends",
            "write a share below 100%",
        ),
        (
            "strategies: { a: { cache: { hit: 100% } } }",
            "100% or more is not possible here: a cache that answers all needs no nodes",
            "write a share below 100%",
        ),
        ("provisioning: { never: 101% }", "this is more than 100%", "write a share from 0% to 100%"),
        (
            "provisioning: { quantiles: { 95%: 9m, 50%: 1m } }",
            "quantiles rise",
            "write the smaller shares with the shorter times first",
        ),
        (
            "provisioning: { quantiles: { 100%: 9m } }",
            "`100%` is not a share from 0% to below 100%",
            "write it as `95%`; `never: 1%` says how many never come",
        ),
        ("failures: [{ lost: zone, region: mars, at: 1h }]", "`mars` is not a choice here", "write one of: all"),
        (
            "regions: { eu: 60%, us: 60% }",
            "the shares of the regions are 120% together, each above 0%",
            "write shares that are 100% together",
        ),
        (
            "node: { usable: 900/s, saturation: 800/s }",
            "the usable 900/s are more than the 800/s at saturation",
            "write what meets the objective, which is less than saturation",
        ),
        ("clients: { retries: 8 }", "`8` is not a whole number from 0 to 7", "write the digits only"),
        (
            "demand: { table: gone.csv }",
            "cannot read `gone.csv`: no such file",
            "write its path relative to the document",
        ),
        ("demand: { constant: -5/s }", "-5", ""),
    ];
    for (day, message, help) in cases {
        let errors = parse(&text(day), &options(&|_| Err("no such file".into()))).unwrap_err();
        let found: String = errors.iter().map(ToString::to_string).collect();
        assert!(found.starts_with("day.yaml:3:"), "{day}: {found}");
        assert!(found.contains(message) && found.contains(help), "{day}:\n{found}");
    }
}
