//! The text, the page, the JSON and the CSV say the same.

use nmax_report::terminal::Glyphs;
use nmax_report::{csv, json};
use serde_json::Value;

use super::*;

fn cell(text: &str) -> Option<f64> {
    (!text.is_empty()).then(|| text.parse().unwrap())
}

#[test]
fn points_are_the_same_in_csv_and_json() {
    for (name, points) in sets() {
        let view = fit(name, &points);
        let (table, value) = (csv::points(&view), json::usl(&view));
        let mut rows = table.split_terminator("\r\n");
        let header: Vec<_> = rows.next().unwrap().split(',').collect();
        let in_json = value["points"].as_array().unwrap();
        assert_eq!(rows.clone().count(), in_json.len(), "{name}");
        for (row, point) in rows.zip(in_json) {
            for (column, text) in header.iter().zip(row.split(',')) {
                let pointer = match *column {
                    "r_ms" => "/r".to_owned(),
                    "band_low" => "/band/0".to_owned(),
                    "band_high" => "/band/1".to_owned(),
                    other => format!("/{other}"),
                };
                let value = point.pointer(&pointer).unwrap_or(&Value::Null);
                match column {
                    &"zone" => assert_eq!(value.as_str().unwrap_or(""), text, "{name}"),
                    _ => assert_eq!(value.as_f64(), cell(text), "{name}: {column} of {row}"),
                }
            }
        }
    }
}

/// A number as a person reads it back from the text.
fn read(text: &str) -> f64 {
    text.replace(',', "").replace('−', "-").parse().unwrap()
}

#[test]
fn numbers_of_the_text_are_those_of_the_json() {
    let view = fit("cisco", &published(CISCO));
    let (text, value) = (crate::written::text::fit(&view, plain(80), Glyphs::Unicode), json::usl(&view));
    for (word, key) in [("contention α", "alpha"), ("coherency β", "beta"), ("throughput γ", "gamma")] {
        let line = text.lines().find(|line| line.trim_start().starts_with(word)).unwrap();
        let numbers: Vec<f64> = line[line.find(word).unwrap() + word.len()..]
            .split_whitespace()
            .map(|part| part.trim_matches(['(', ')', ',']))
            .filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || c == '−') && !part.contains('/'))
            .map(read)
            .collect();
        let want = ["estimate", "low", "high"].map(|end| value[key][end].as_f64().unwrap());
        for (got, want) in numbers.iter().zip(want) {
            assert!((got - want).abs() <= 0.02 * want.abs().max(1e-4), "{word}: {got} is not {want}");
        }
        assert_eq!(numbers.len(), 3, "{line}");
    }
    let peak = value["peak"]["concurrency"]["estimate"].as_f64().unwrap();
    assert!(text.contains(&format!("N = {peak:.1} (")), "{text}");
    for (row, point) in value["points"].as_array().unwrap().iter().enumerate() {
        let x = point["x"].as_f64().unwrap();
        let line = text.lines().skip_while(|line| !line.starts_with("Points")).nth(2 + row).unwrap();
        let cells: Vec<_> = line.split_whitespace().collect();
        assert!((read(cells[1]) - x).abs() <= 0.001 * x, "{line}");
        assert_eq!(cells.last().copied(), point["zone"].as_str(), "{line}");
    }
}

#[test]
fn sentences_findings_and_refusals_are_everywhere() {
    for (name, points) in sets() {
        let view = fit(name, &points);
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = flat(&crate::written::text::fit(&view, plain(100), Glyphs::Unicode));
        let (page, value) = (crate::written::page::fit(&view), json::usl(&view));
        let headline = &view.analysis.headline;
        for sentence in [&headline.text, &headline.advice] {
            assert!(text.contains(&flat(sentence)) && page.contains(sentence), "{name}: {sentence}\n{text}");
        }
        for (index, sentence) in view.analysis.meaning.iter().enumerate() {
            assert!(text.contains(&flat(sentence)), "{name}: {sentence}\n{text}");
            assert_eq!(value["meaning"][index], sentence.as_str());
        }
        for finding in view.analysis.findings_of_winner() {
            let code = finding.code.name();
            assert!(text.contains(code) && page.contains(code), "{name}: {code}");
        }
        assert_eq!(value["findings"].as_array().unwrap().len(), view.analysis.findings.len());
        let refused = value["peak_refused"].as_array().unwrap();
        assert_eq!(refused.is_empty(), view.analysis.peak.is_some(), "{name}");
    }
}

#[test]
fn what_is_unknown_is_null_and_never_zero() {
    let value = json::usl(&fit("one point", &[(4.0, 100.0)]));
    for key in ["alpha", "beta", "gamma", "r_squared", "peak", "limit", "optimum", "rss", "residual_sd", "alpha_sign"] {
        assert_eq!(value[key], Value::Null, "{key}");
    }
    assert_eq!(value["class"], "undetermined");
    assert_eq!(value["best"]["throughput"], 100.0);
    let point = &value["points"][0];
    assert_eq!((&point["fitted"], &point["band"], &point["zone"]), (&Value::Null, &Value::Null, &Value::Null));
}

#[test]
fn json_keeps_every_digit() {
    let points = published(SPEC);
    let view = fit("spec", &points);
    let text = serde_json::to_string(&json::usl(&view)).unwrap();
    let law = view.analysis.fit.as_ref().unwrap().law;
    for value in [law.contention, law.coherency, law.unit_throughput, points[1].1] {
        let shortest = serde_json::to_string(&value).unwrap();
        assert_eq!(shortest.parse(), Ok(value));
        assert!(text.contains(&shortest), "{shortest}");
    }
}

#[test]
fn points_of_a_campaign_are_what_was_fitted() {
    let view = scale("shop", &published(MEMCACHED));
    let table = csv::measured(&view);
    let rows: Vec<_> = table.split_terminator("\r\n").skip(1).collect();
    assert_eq!(rows.len(), published(MEMCACHED).len(), "the level that was not used is left out");
    for (row, (n, x)) in rows.iter().zip(published(MEMCACHED)) {
        let cells: Vec<_> = row.split(',').collect();
        assert_eq!((cell(cells[0]), cell(cells[1]), cell(cells[3])), (Some(n), Some(x), Some(n)));
        assert!(cells[4].starts_with("levels/"));
    }
    let value = json::scale(&view);
    let levels = value["levels"].as_array().unwrap();
    assert_eq!(levels.iter().filter(|level| level["used"] == true).count(), rows.len());
    let text = crate::written::text::scale(&view, plain(80), Glyphs::Unicode);
    assert!(text.contains("not fitted: the injector was late"), "{text}");
    assert!(text.contains("7 of 8 fitted"), "{text}");
    assert!(text.contains("up to 17 virtual users hold it"), "{text}");
}

#[test]
fn versions_are_compared_with_the_same_numbers() {
    let view = compare();
    let (table, value) = (csv::coefficients(&view), json::compare(&view));
    let rows: Vec<Vec<&str>> = table.split_terminator("\r\n").map(|row| row.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    for (row, version) in rows[1..].iter().zip(value["versions"].as_array().unwrap()) {
        assert_eq!(version["name"], row[0]);
        for (key, name) in [("alpha", "alpha"), ("beta", "beta"), ("gamma", "gamma")] {
            assert_eq!(version[key]["estimate"].as_f64(), cell(row[column(name)]));
            assert_eq!(version[key]["low"].as_f64(), cell(row[column(&format!("{name}_low"))]));
        }
    }
    let text = crate::written::text::compare(&view, plain(80), Glyphs::Unicode);
    assert!(text.contains("Coherency fell by 0.020"), "{text}");
    assert!(text.contains("no fit"), "a version without a fit says so: {text}");
    assert!(crate::written::page::compare(&view).contains("Coherency fell by 0.020"));
}

#[test]
fn assumptions_are_labelled_wherever_they_stand() {
    let view = what_if();
    let text = crate::written::text::what_if(&view, plain(80), Glyphs::Unicode);
    assert!(text.contains("1 optimistic (assumed)   2 realistic (assumed)"), "{text}");
    assert!(text.matches("assumed").count() >= 8, "{text}");
    assert!(crate::written::page::what_if(&view).matches("(assumed)").count() >= 4);
    assert!(nmax_report::svg::what_if(&view).contains("optimistic (assumed)"));
    let value = json::what_if(&view);
    assert_eq!(value["weeks"][1]["x"]["base"], Value::Null, "beyond what may be shown");
    let last = value["curves"].as_array().unwrap().last().unwrap();
    assert_eq!(last["n"], 64.0);
    assert_eq!(last["x"]["base"].as_f64(), Some(LAW.throughput_at(64.0)));
}
