use std::io::Write;
use std::process::{Command as Process, Stdio};

use super::*;

#[test]
fn every_listed_command_has_a_page() {
    let pages = pages();
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["nmax.1", "nmax-run.1", "nmax-import-log.1", "nmax-usl-what-if.1", "nmax-completions.1"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    for name in ["nmax-help.1", "nmax-man.1", "nmax-import-help.1"] {
        assert!(!names.contains(&name), "{name} is not listed by help");
    }
    let run = &pages.iter().find(|(name, _)| name == "nmax-run.1").unwrap().1;
    for part in [
        ".SH NAME\nnmax\\-run \\- Put load on a server",
        ".SH SYNOPSIS\n.nf\nnmax run [OPTIONS] <PLAN|URL|DIR>\n.fi\n",
        ".TP\n\\fB\\-d\\fR, \\fB\\-\\-duration\\fR \\fITIME\\fR\n",
        ".TP\n\\fB\\-\\-insecure\\fR\n",
        "[possible values: smoke, ladder, peak, stress, soak, flood]",
        "[env: NMAX_RUNS_DIR]",
        ".SH \"WITH A URL\"\n",
        ".SH \"EXAMPLES\"\n.nf\nnmax run shop.yaml",
        ".SH \"EXIT STATUS\"\n0 pass",
        ".SH \"SEE ALSO\"\n\\fBnmax\\fR(1)\n",
    ] {
        assert!(run.contains(part), "{part}\n---\n{run}");
    }
}

#[test]
fn no_line_of_a_description_is_a_request() {
    let cases = [
        (".TH x", "\\&.TH x", "a point is text"),
        ("'ab'", "\\&\\(aqab\\(aq", "quotation marks stay straight"),
        ("--a\\b", "\\-\\-a\\eb", "dashes can be copied"),
        ("α ≥ 1", "\\[u03B1] \\[u2265] 1", "beyond ASCII by number"),
    ];
    for (text, want, why) in cases {
        assert_eq!(escaped(text), want, "{why}");
    }
    assert_eq!(lines("a\n\n.b\n"), "a\n\\&.b");
}

/// With every warning on, groff has nothing to say.
#[test]
fn groff_reads_the_pages_without_a_warning() {
    for (name, page) in pages() {
        let groff = Process::new("groff")
            .args(["-man", "-ww", "-Tutf8", "-z"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        // A machine without groff cannot judge.
        let Ok(mut groff) = groff else {
            return eprintln!("SKIPPED: groff is not installed");
        };
        groff.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
        let output = groff.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{name}: {said}");
    }
}
