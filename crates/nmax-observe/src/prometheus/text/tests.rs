use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Vec<Sample> {
    parse(text, Format::Prometheus).unwrap()
}

fn roles(text: &str, format: Format) -> Vec<(String, Role)> {
    let samples = parse(text, format).unwrap();
    samples.into_iter().map(|sample| (sample.id(), sample.role)).collect()
}

#[test]
fn a_page_with_everything_in_it() {
    let text = "\
# HELP http_requests_total Requests, with a \"quote\" and a \\\\ in it.
# TYPE http_requests_total counter
http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000
http_requests_total{ code = \"400\" , method=\"post\", } 3\t1395066363500
# a comment
   # another one

msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"Cannot find file:\\n\\\"FILE.TXT\\\"\"} 1.458255915e9
metric_without_timestamp_and_labels 12.47
something_weird{problem=\"division by zero\"} +Inf -3982045
nothing NaN
";
    let samples = read(text);
    let ids: Vec<String> = samples.iter().map(Sample::id).collect();
    assert_eq!(
        ids,
        [
            "http_requests_total{code=\"200\",method=\"post\"}",
            "http_requests_total{code=\"400\",method=\"post\"}",
            "msdos_file_access_time_seconds{error=\"Cannot find file:\\n\\\"FILE.TXT\\\"\",path=\"C:\\\\DIR\\\\FILE.TXT\"}",
            "metric_without_timestamp_and_labels",
            "something_weird{problem=\"division by zero\"}",
            "nothing",
        ]
    );
    assert_eq!((samples[0].value, samples[0].stamp_s), (1027.0, Some(1_395_066_363.0)));
    assert_eq!(samples[1].stamp_s, Some(1_395_066_363.5));
    assert_eq!(samples[2].label("path"), "C:\\DIR\\FILE.TXT");
    assert_eq!(samples[2].label("error"), "Cannot find file:\n\"FILE.TXT\"");
    assert_eq!(samples[3].label("none"), "");
    assert_eq!((samples[4].value, samples[4].stamp_s), (f64::INFINITY, Some(-3982.045)));
    assert!(samples[5].value.is_nan());
    assert_eq!(samples[0].role, Role::Counter);
    assert_eq!(samples[3].role, Role::Unknown);
}

#[test]
fn roles_follow_types_in_both_formats() {
    use Role::{Constant, Count, Counter, Gauge, Sum, Unknown};
    let prometheus = "\
# TYPE a_total counter\na_total 1
# TYPE b gauge\nb 1
# TYPE c histogram\nc_bucket{le=\"1\"} 1\nc_bucket{le=\"+Inf\"} 2\nc_sum 3\nc_count 2
# TYPE d summary\nd{quantile=\"0.5\"} 1\nd_sum 3\nd_count 2
# TYPE e untyped\ne 1
f 1\nf_total 2\nf_sum 3\nf_count 4
# TYPE g_build_info gauge\ng_build_info{version=\"1\"} 1
";
    let want = [
        ("a_total", Counter),
        ("b", Gauge),
        ("c_sum", Sum),
        ("c_count", Count),
        ("d_sum", Sum),
        ("d_count", Count),
        ("e", Unknown),
        ("f", Unknown),
        ("f_total", Counter),
        ("f_sum", Unknown),
        ("f_count", Unknown),
        ("g_build_info{version=\"1\"}", Constant),
    ];
    assert_eq!(roles(prometheus, Format::Prometheus), want.map(|(id, role)| (id.to_owned(), role)));

    let open = "\
# TYPE a counter
# UNIT a_seconds seconds
a_total 17.0 1520879607.789 # {trace_id=\"KOO5S4vxi0o\"} 0.67 1520879606.1
a_created 1520430000.123
# TYPE b histogram
b_bucket{le=\"0.1\"} 8 # {} 0.054
b_count 17 # {id=\"x # y\"} 9.8
b_sum 324789.3
b_created 1520430000.123
# TYPE c gaugehistogram\nc_bucket{le=\"1\"} 1\nc_gcount 1\nc_gsum 2
# TYPE d stateset\nd{d=\"on\"} 1
# TYPE e info\ne_info{version=\"3\"} 1
# TYPE f unknown\nf 42
# EOF
";
    let want =
        [("a_total", Counter), ("b_count", Count), ("b_sum", Sum), ("e_info{version=\"3\"}", Constant), ("f", Unknown)];
    assert_eq!(roles(open, Format::OpenMetrics), want.map(|(id, role)| (id.to_owned(), role)));
    let stamps = parse(open, Format::OpenMetrics).unwrap();
    assert_eq!(stamps[0].stamp_s, Some(1_520_879_607.789));
}

#[test]
fn names_beyond_ascii_stand_in_quotes_within_the_braces() {
    let samples = read("{\"http.requests\", \"label.ä\"=\"ß\"} 3\n");
    assert_eq!(samples[0].name, "http.requests");
    assert_eq!(samples[0].label("label.ä"), "ß");
}

#[test]
fn wrong_lines_are_named() {
    // text                         format                line  says
    let cases = [
        ("<html>\n", Format::Prometheus, 1, "does not begin with the name of a metric"),
        ("up 1\n\n# c\n9up 1", Format::Prometheus, 4, "does not begin with the name"),
        ("up", Format::Prometheus, 1, "no value after the name"),
        ("up one", Format::Prometheus, 1, "no value after the name"),
        ("up{a=\"1\" 1", Format::Prometheus, 1, "do not end with `}`"),
        ("up{a=1} 1", Format::Prometheus, 1, "not in quotes"),
        ("up{a=\"1} 1", Format::Prometheus, 1, "does not end"),
        ("up{a=\"1\\", Format::Prometheus, 1, "does not end"),
        ("up{=\"1\"} 1", Format::Prometheus, 1, "a label has no name"),
        ("up{a} 1", Format::Prometheus, 1, "a label has no value"),
        ("up{a!=\"1\"} 1", Format::Prometheus, 1, "`!=` after a label"),
        ("up{a=\"1\",a=\"2\"} 1", Format::Prometheus, 1, "a label is there twice"),
        ("up 1 2.5", Format::Prometheus, 1, "follows the value is not a time"),
        ("up 1 2 3", Format::Prometheus, 1, "there is more after the time"),
        ("up 1 # {} 1", Format::Prometheus, 1, "follows the value is not a time"),
        ("up 1\n", Format::OpenMetrics, 1, "without `# EOF`"),
        ("up 1\n# EOF\nup 2", Format::OpenMetrics, 3, "more after `# EOF`"),
    ];
    for (text, format, line, says) in cases {
        let error = parse(text, format).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.to_string().contains(says), "{text:?}: {error}");
    }
}

/// What was read may be anything that the plan named, and errors are shared.
#[test]
fn errors_repeat_nothing_of_the_page() {
    const WORD: &str = "AKIAPLANTED";
    for line in [
        WORD.to_owned(),
        format!("{{\"SecretAccessKey\": \"{WORD}\"}}"),
        format!("up {WORD}"),
        format!("up 1 {WORD}"),
        format!("up 1 2 {WORD}"),
        format!("up{{{WORD}}} 1"),
        format!("up{{{WORD}=\"\",{WORD}=\"\"}} 1"),
        format!("up{{{WORD}!=\"\"}} 1"),
        format!("up{{{WORD}!\"\"}} 1"),
        format!("up{{\"{WORD}\" 1"),
    ] {
        for format in [Format::Prometheus, Format::OpenMetrics] {
            let error = parse(&line, format).unwrap_err().to_string();
            assert!(!error.contains(WORD), "{line}: {error}");
        }
    }
}

#[test]
fn a_page_of_too_many_series_is_refused() {
    let text = "a 1\n".repeat(SAMPLES_MAX + 1);
    let error = parse(&text, Format::Prometheus).unwrap_err();
    assert_eq!(error.line, SAMPLES_MAX + 1);
}

/// A sample as it is written, and what must be read.
fn samples() -> impl Strategy<Value = (Sample, String)> {
    let labels = prop::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,8}", "[ -~\n\\\\\"äß€]{0,12}", 0..4);
    let value = prop_oneof![
        any::<f64>().prop_filter("NaN is not equal to itself", |value| !value.is_nan()),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        (0u32..1_000).prop_map(f64::from),
    ];
    // Suffixes with a meaning of their own are in the tests of roles.
    let name = "[a-zA-Z_:][a-zA-Z0-9_:]{0,12}[xyz]";
    (name, labels, value, prop::option::of(-1_000_000i64..1_000_000)).prop_map(|(name, labels, value, stamp)| {
        let sample = Sample {
            name,
            labels: labels.into_iter().collect(),
            value,
            stamp_s: stamp.map(|stamp| stamp as f64 / 1e3),
            role: Role::Unknown,
        };
        let number = match value {
            f64::INFINITY => "+Inf".to_owned(),
            f64::NEG_INFINITY => "-Inf".to_owned(),
            value => format!("{value:e}"),
        };
        let stamp = stamp.map(|stamp| format!(" {stamp}")).unwrap_or_default();
        let line = format!("{} {number}{stamp}", sample.id());
        (sample, line)
    })
}

proptest! {
    /// Law: what was written is read.
    #[test]
    fn written_samples_are_read(samples in prop::collection::vec(samples(), 0..20), breaks in prop::bool::ANY) {
        let line_end = if breaks { "\r\n" } else { "\n" };
        let text: String = samples.iter().map(|(_, line)| format!("{line}{line_end}")).collect();
        let want: Vec<Sample> = samples.into_iter().map(|(sample, _)| sample).collect();
        prop_assert_eq!(parse(&text, Format::Prometheus).unwrap(), want);
    }

    /// No text makes it panic, neither wild ones nor ones that are almost right.
    #[test]
    fn anything_may_come(
        wild in any::<String>(),
        almost in "([a-z]{1,3}|[{}\",= \\\\#\n]|1|EOF|TYPE|counter){0,40}",
    ) {
        for format in [Format::Prometheus, Format::OpenMetrics] {
            let _ = parse(&wild, format);
            let _ = parse(&almost, format);
        }
    }
}
