use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::*;

const BEGIN: &str =
    "<!-- Generated from the table of conventions: UPDATE=1 cargo test -p nmax-observe conventions -->\n";
const END: &str = "<!-- End of what is generated -->\n";

/// The table in the reference is that of the code; `UPDATE=1` rewrites it.
#[test]
fn the_reference_has_every_convention() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/sources.md");
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the reference has the beginning of the table");
    let (_, after) = rest.split_once(END).expect("the reference has the end of the table");
    let fresh = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &fresh).unwrap();
    }
    assert!(
        fresh == text || std::env::var_os("UPDATE").is_some(),
        "docs/reference/sources.md is stale: UPDATE=1 cargo test -p nmax-observe conventions"
    );
}

fn table() -> String {
    let mut table = String::new();
    for (title, conventions) in CONVENTIONS {
        write!(table, "\n**{title}**\n\n| source | metric | made of |\n|---|---|---|\n").unwrap();
        for convention in conventions {
            let mut name = match convention.name {
                Name::Fixed(name) => format!("`{name}`"),
                Name::Own(kind, "") => format!("`{kind} NAME`"),
                Name::Own(kind, rest) => format!("`{kind} NAME {rest}`"),
                Name::Label(kind, label) => format!("`{kind} {}`", label.to_uppercase()),
            };
            for (figure, made) in convention.figures {
                writeln!(table, "| {name} | `{}` | {} |", figure.name, formula(made)).unwrap();
                name.clear();
            }
        }
    }
    table + "\n"
}

fn formula(figure: &Formula<MetricNames>) -> String {
    let sum = |of: &MetricNames| {
        let names: Vec<String> = of.iter().map(|name| format!("`{name}`")).collect();
        names.join(" + ")
    };
    let times = |factor: f64| {
        if factor == 1.0 { String::new() } else { format!(" × {factor}") }
    };
    match figure {
        Formula::Value(of) => sum(of),
        Formula::Rate(factor, of) => format!("rate of {}{}", sum(of), times(*factor)),
        Formula::Less(all, part) => format!("{} − {}", sum(all), sum(part)),
        Formula::Without(own, of) => format!("{} − {own}", sum(of)),
        Formula::Ratio(factor, over, under) => format!("Δ({}) / Δ({}){}", sum(over), sum(under), times(*factor)),
        Formula::Rest(of) => format!("1 − rate of {}", sum(of)),
        Formula::Distinct(of, label) => format!("number of `{label}` of {}", sum(of)),
        Formula::ByType(of) | Formula::Growing(of) => sum(of),
    }
}
