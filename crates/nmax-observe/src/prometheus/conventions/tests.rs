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
            for (metric, figure) in convention.figures {
                writeln!(table, "| {name} | `{metric}` | {} |", formula(figure)).unwrap();
                name.clear();
            }
        }
    }
    table + "\n"
}

fn formula(figure: &Figure<Of>) -> String {
    let sum = |of: &Of| {
        let names: Vec<String> = of.iter().map(|name| format!("`{name}`")).collect();
        names.join(" + ")
    };
    let times = |factor: f64| {
        if factor == 1.0 { String::new() } else { format!(" × {factor}") }
    };
    match figure {
        Figure::Value(of) => sum(of),
        Figure::Rate(factor, of) => format!("rate of {}{}", sum(of), times(*factor)),
        Figure::Less(all, part) => format!("{} − {}", sum(all), sum(part)),
        Figure::Without(own, of) => format!("{} − {own}", sum(of)),
        Figure::Ratio(factor, over, under) => format!("Δ({}) / Δ({}){}", sum(over), sum(under), times(*factor)),
        Figure::Rest(of) => format!("1 − rate of {}", sum(of)),
        Figure::Distinct(of, label) => format!("number of `{label}` of {}", sum(of)),
        Figure::ByType(of) | Figure::Growing(of) => sum(of),
    }
}
