use super::*;

const PLAN: &str = "nmax: 1
target: \"http://a\"
scenarios:
  browse:
    weight: 90
    steps:
      - get: /
        name: home
      - get: /search
  buy:
    weight: 10
workload:
  open:
    rate: 20/s
stages:
  - hold: 3s
    to: 20/s
thresholds:
  - p95 < 1s
";

#[test]
fn plans_are_compared_key_by_key() {
    let changed = |from: &str, to: &str| PLAN.replace(from, to);
    // plan after, lines, why this row
    let cases: [(String, &[&str], &str); 8] = [
        (
            changed("20/s", "40/s"),
            &["plan workload.open.rate: 20/s → 40/s"],
            "a value, and not the stage that follows it",
        ),
        (changed("to: 20/s", "to: 30/s"), &["plan stages.hold.to: 20/s → 30/s"], "a stage alone"),
        (changed("http://a", "http://b"), &[], "the target is told apart"),
        (
            changed("  buy:\n    weight: 10\n", ""),
            &["plan scenarios.buy: {…} → none"],
            "a scenario that is gone, as one",
        ),
        (changed("name: home", "name: start"), &["plan scenarios.browse.steps.get.name: home → start"], "a step"),
        (
            changed("weight: 90", "weight: 10").replacen("weight: 10\nworkload", "weight: 90\nworkload", 1),
            &["plan scenarios.browse.weight: 90 → 10", "plan scenarios.buy.weight: 10 → 90"],
            "equal lines below other keys are other lines",
        ),
        (
            changed("      - get: /search\n", "      - get: /search\n      - get: /search\n"),
            &["plan scenarios.browse.steps.get: none → /search"],
            "once more",
        ),
        (
            changed("  - p95 < 1s\n", "  - p95 < 2s\n  - rate >= 99%\n"),
            &["plan thresholds: p95 < 1s → p95 < 2s", "plan thresholds: none → rate >= 99%"],
            "items of a list",
        ),
    ];
    for (after, lines, why) in cases {
        assert_eq!(of_plans(PLAN, &after).iter().map(Changed::text).collect::<Vec<_>>(), lines, "{why}");
    }
    let reordered = of_plans("a: 1\nb: 2\n", "b: 2\na: 1\n");
    assert_eq!(reordered[0].text(), "plan: one order → another order of the same");
}

#[test]
fn flags_are_found_in_commands() {
    // command, value, why this row
    let cases = [
        ("nmax run a.yaml --pin 0,1 --samples none", "0,1", "a word of its own"),
        ("nmax run a.yaml --pin=2", "2", "behind ="),
        ("nmax run a.yaml --pinned 3", "", "another flag"),
        ("nmax run a.yaml --pin", "", "without a value"),
        ("nmax run a.yaml", "", "not there"),
    ];
    for (command, value, why) in cases {
        assert_eq!(flag(command, "--pin"), value, "{why}");
    }
}
