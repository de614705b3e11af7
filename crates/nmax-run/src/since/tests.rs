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
";

fn told(before: &str, after: &str) -> Vec<String> {
    lines(before, after).iter().map(PlanLine::text).collect()
}

#[test]
fn lines_of_plans_are_told_with_the_keys_above_them() {
    let changed = |from: &str, to: &str| PLAN.replace(from, to);
    // plan after, lines, why this row
    let cases: [(String, &[&str], &str); 6] = [
        (changed("20/s", "40/s"), &["plan workload.open: - rate: 20/s", "plan workload.open: + rate: 40/s"], "a value"),
        (changed("http://a", "http://b"), &[], "the target is told apart"),
        (
            changed("  buy:\n    weight: 10\n", ""),
            &["plan scenarios: - buy:", "plan scenarios.buy: - weight: 10"],
            "a scenario that is gone",
        ),
        (
            changed("        name: home\n", "        name: start\n"),
            &["plan scenarios.browse.steps.get: - name: home", "plan scenarios.browse.steps.get: + name: start"],
            "a step",
        ),
        (
            changed("weight: 90", "weight: 10").replacen("weight: 10\nworkload", "weight: 90\nworkload", 1),
            &[
                "plan scenarios.browse: - weight: 90",
                "plan scenarios.browse: + weight: 10",
                "plan scenarios.buy: - weight: 10",
                "plan scenarios.buy: + weight: 90",
            ],
            "equal lines below other keys are other lines",
        ),
        (
            changed("      - get: /search\n", "      - get: /search\n      - get: /search\n"),
            &["plan scenarios.browse.steps: + - get: /search"],
            "once more",
        ),
    ];
    for (after, lines, why) in cases {
        assert_eq!(told(PLAN, &after), lines, "{why}");
    }
    let swapped = "a: 1\nb: 2\n";
    assert_eq!(told(swapped, "b: 2\na: 1\n"), ["plan + the same lines in another order"]);
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
