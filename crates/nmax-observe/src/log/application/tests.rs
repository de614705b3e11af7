use proptest::prelude::*;

use super::*;

#[test]
fn levels_are_words_near_the_beginning() {
    let cases = [
        ("2026-01-31 12:00:00,123 ERROR [main] c.s.Cart - no", Some(Level::Error), "log4j"),
        ("2026/01/31 12:00:00 [error] 12#12: *1 open() failed", Some(Level::Error), "nginx"),
        ("2026/01/31 12:00:00 [emerg] 1#1: bind() failed", Some(Level::Fatal), "nginx"),
        (r#"{"ts":1,"level":"warn","msg":"slow"}"#, Some(Level::Warning), "JSON"),
        (r#"{"severity": "ERROR", "message": "x"}"#, Some(Level::Error), "JSON with blanks"),
        ("ts=1 level=info msg=\"an error\"", Some(Level::Other), "logfmt; the first one counts"),
        ("2026-01-31 12:00:00 UTC [77] FATAL:  too many connections", Some(Level::Fatal), "PostgreSQL"),
        ("2026-01-31 12:00:00 UTC [77] LOG:  an error was here", Some(Level::Other), "PostgreSQL"),
        ("there was an error in it", None, "a word of a sentence"),
        ("ERRORS=0", None, "a part of a word"),
        ("MY_ERROR=0", None, "a part of a name"),
        ("WARN: disk", Some(Level::Warning), "the first word"),
        ("", None, "nothing"),
        (
            "[31-Jan-2026 12:00:00] WARNING: [pool shop] child 7 said into stderr: \"NOTICE: PHP message: PHP Fatal error:  \
             Uncaught RuntimeException: no stock in /srv/shop.php:3\"",
            Some(Level::Fatal),
            "PHP-FPM passes on what broke",
        ),
        (
            "[31-Jan-2026 12:00:00] WARNING: [pool shop] child 7 said into stderr: \"NOTICE: PHP message: order 7\"",
            Some(Level::Other),
            "and what did not",
        ),
        (
            "[31-Jan-2026 12:00:00] WARNING: [pool shop] child 7 said into stdout: \"order 7\"",
            Some(Level::Warning),
            "or what has no level",
        ),
        (
            "2026/01/31 12:00:00 [error] 7#7: *1 FastCGI sent in stderr: \"PHP message: PHP Warning:  Undefined array key\"",
            Some(Level::Warning),
            "nginx passes it on as an error",
        ),
        (
            "[31-Jan-2026 12:00:00 UTC] PHP Notice:  PHP Fatal error: is only said here",
            Some(Level::Other),
            "PHP's own log; the first one counts",
        ),
    ];
    for (line, want, why) in cases {
        assert_eq!(level_of(line), want, "{why}: {line}");
    }
}

#[test]
fn kinds_are_names_of_exceptions() {
    let cases = [
        ("java.io.IOException: disk full", Some("java.io.IOException")),
        ("ERROR x - java.lang.IllegalStateException", Some("java.lang.IllegalStateException")),
        ("ValueError: invalid literal", Some("ValueError")),
        ("django.db.utils.OperationalError: no", Some("django.db.utils.OperationalError")),
        ("TypeError: Cannot read properties of undefined", Some("TypeError")),
        ("Exception in thread main", Some("Exception")),
        ("thread 'main' panicked at src/main.rs:1:2:", Some("panic")),
        ("panic: runtime error: index out of range", Some("panic")),
        ("Error: no", None),
        ("no error", None),
        ("an exception", None),
    ];
    for (line, want) in cases {
        assert_eq!(kind_of(line), want, "{line}");
    }
}

fn fed(lines: &[&str]) -> Application {
    let mut application = Application::default();
    lines.iter().for_each(|line| application.line(Cut::Line(line.as_bytes())));
    application
}

fn figure(figures: &[(String, f64, Unit)], metric: &str) -> Option<f64> {
    figures.iter().find(|(name, _, _)| name == metric).map(|(_, value, _)| *value)
}

#[test]
fn a_stack_trace_is_one_error() {
    let mut application = fed(&[
        "12:00:00 ERROR [main] cart - failed password=geheim",
        "java.lang.IllegalStateException: no stock",
        "    at com.shop.Cart.add(Cart.java:12)",
        "Caused by: java.io.IOException: disk",
        "    ... 12 more",
        "12:00:01 INFO fine",
        "12:00:01 WARN slow",
    ]);
    let figures = application.figures(2.0);
    let notes = application.notes();
    assert_eq!(notes.len(), 1, "one example of each kind: {notes:?}");
    assert!(notes.iter().all(|note| !note.contains("geheim")), "{notes:?}");
    assert_eq!(figure(&figures, "errors_per_s"), Some(0.5));
    assert_eq!(figure(&figures, "lines_per_s"), Some(3.5));
    assert_eq!(figure(&figures, "warnings_per_s"), Some(0.5));
    let of_kind = |kind: &str| figure(&figures, &format!("errors_count{{kind=\"{kind}\"}}"));
    assert_eq!(of_kind("java.lang.IllegalStateException"), Some(1.0));
    assert_eq!(of_kind("java.io.IOException"), None, "a cause is not an error of its own");
    let later = application.figures(1.0);
    assert_eq!(
        figure(&later, "errors_count{kind=\"java.lang.IllegalStateException\"}"),
        Some(0.0),
        "a kind stays once it was there"
    );
}

/// What errors of a log are counted as, by kind, and all of them.
fn counted(lines: &[&str]) -> (Vec<(String, f64)>, f64) {
    let figures = fed(lines).figures(1.0);
    let kinds = figures.iter().filter_map(|(metric, value, _)| {
        let kind = metric.strip_prefix("errors_count{kind=\"")?.strip_suffix("\"}")?;
        Some((kind.to_owned(), *value))
    });
    (kinds.collect(), figure(&figures, "errors_per_s").unwrap())
}

#[test]
fn the_exception_below_a_line_is_its_kind() {
    let log4j: &[&str] = &[
        "2026-01-31 12:00:00 ERROR order failed",
        "java.io.IOException: disk gone",
        "\tat com.shop.Order.place(Order.java:7)",
    ];
    let python: &[&str] = &[
        "Traceback (most recent call last):",
        "  File \"shop.py\", line 1, in <module>",
        "KeyError: 'cart'",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        "  File \"shop.py\", line 3, in <module>",
        "ValueError: no cart",
    ];
    let caught = [&["ERROR:shop:no order"], python].concat();
    let warned: &[&str] = &["12:00:00 WARN tried again", "java.io.IOException: late", "    at a.B.c(B.java:1)"];
    let named: &[&str] = &["12:00:00 ERROR x.MyException", "x.MyException: no", "    at a.B.c(B.java:1)"];
    let thrown: &[&str] = &["12:00:00 INFO fine", "java.io.IOException: late"];
    let cases: [(&[&str], &[&str], &str); 6] = [
        (log4j, &["java.io.IOException"], "as log4j and logback write it"),
        (python, &["KeyError"], "an exception of Python that nobody caught"),
        (&caught, &["KeyError"], "one that was logged"),
        (warned, &[], "the trace of a warning"),
        (named, &["x.MyException"], "named in both lines"),
        (thrown, &["java.io.IOException"], "nobody caught it"),
    ];
    for (lines, kinds, why) in cases {
        let want: Vec<(String, f64)> = kinds.iter().map(|kind| ((*kind).to_owned(), 3.0)).collect();
        let all = 3.0 * kinds.len() as f64;
        assert_eq!(counted(&lines.repeat(3)), (want, all), "{why}");
    }
}

#[test]
fn a_trace_that_two_readings_cut_is_one_error() {
    let mut application = fed(&["12:00:00 ERROR order failed"]);
    assert_eq!(figure(&application.figures(1.0), "errors_per_s"), Some(1.0));
    application.line(Cut::Line(b"java.io.IOException: disk gone"));
    assert_eq!(figure(&application.figures(1.0), "errors_per_s"), Some(0.0));
}

#[test]
fn kinds_are_bounded() {
    let mut application = Application::default();
    for number in 0..5_000 {
        application.line(Cut::Line(format!("ERROR Strange{number}Exception").as_bytes()));
    }
    application.close();
    assert!(application.kinds.len() <= KINDS_MAX + 1);
    assert_eq!(application.kinds.values().sum::<u64>(), 5_000);
    assert_eq!(application.notes().len(), EXAMPLES_MAX);
}

proptest! {
    /// No bytes make it panic.
    #[test]
    fn nothing_breaks_it(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut application = Application::default();
        application.line(Cut::Line(&bytes));
        application.figures(1.0);
    }
}
