use proptest::prelude::*;

use super::*;
use crate::gates;

#[test]
fn every_gate_is_explained_and_every_explained_gate_exists() {
    let mut reasons: Vec<_> = gates::ALL.iter().map(|id| id.reason).collect();
    let mut explained: Vec<_> = explanations()
        .filter(|explanation| explanation.weight == Weight::Invalid)
        .map(|explanation| explanation.code)
        .collect();
    reasons.sort_unstable();
    explained.sort_unstable();
    assert_eq!(explained, reasons);
}

#[test]
fn explanations_are_complete_and_told_apart() {
    let mut codes: Vec<_> = explanations().map(|explanation| explanation.code).collect();
    let all = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), all, "a code is explained twice");
    for Explanation { code, title, means, computed, remedy, .. } in explanations() {
        assert!(code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'), "{code}");
        assert!(!title.is_empty() && !title.ends_with('.'), "{code}: {title}");
        for text in [means, computed, remedy] {
            assert!(text.ends_with('.') && !text.contains("  "), "{code}: {text}");
        }
    }
}

/// The limits that explanations name are those of the code.
#[test]
fn limits_are_those_of_the_code() {
    let percent = |share: f64| format!("{} %", (share * 1e4).round() / 1e2);
    let cases = [
        ("G1_RATE", percent(gates::RATE_SHARE_MIN)),
        ("G2_MIX", percent(gates::MIX_DEVIATION_MAX)),
        ("G2_MIX", format!("{} σ", gates::MIX_ERRORS_MAX)),
        ("G3_INJECTOR_LAG", percent(crate::lag::EFFECT_MAX)),
        ("G4_INJECTOR_CPU", percent(gates::CPU_SHARE_MAX)),
        ("G4_RUN_QUEUE", percent(gates::RUN_WAIT_SHARE_MAX)),
        ("G4_OPEN_FILES", percent(gates::OPEN_FILES_SHARE_MAX)),
        ("G4_LOCAL_PORTS", percent(gates::PORTS_SHARE_MAX)),
        ("G4_MEMORY", percent(gates::MEMORY_SHARE_MIN)),
        ("G5_LITTLES_LAW", percent(gates::LITTLE_SHARE_MAX)),
        ("G5_LITTLES_LAW", format!("{} iterations", gates::LITTLE_ITERATIONS_MIN)),
        ("G6_NOT_STEADY", percent(crate::steady::THROUGHPUT_DRIFT_MAX)),
        ("G6_NOT_STEADY", percent(crate::steady::LATENCY_DRIFT_MAX)),
        ("G6_NOT_STEADY", format!("{} stretches", crate::steady::POINTS_MIN)),
        ("G7_ARRIVALS", crate::arrivals::ARRIVAL_ERRORS_MAX.to_string()),
        ("G8_GAPS", percent(gates::GAPS_SHARE_MAX)),
        ("G8_CLOCK", format!("{} ms", gates::CLOCK_MS_MAX)),
        ("G8_STALLS", percent(gates::STALLED_SHARE_MAX)),
        ("G8_STALLS", format!("{} ms", gates::STALLED_MS_MAX)),
        ("TARGET_OVERLOADED", percent(crate::judge::WAITED_SHARE_MAX)),
        ("USERS_UNSERVED", percent(crate::judge::UNSERVED_SHARE_MAX)),
        ("USERS_UNSERVED", format!("{} times", crate::judge::WAITED_TIMES_MIN)),
        ("USERS_UNSERVED", format!("{} s", crate::judge::WAITED_MS_MIN / 1e3)),
        ("TARGET_SATURATED", percent(crate::judge::ENDED_SHARE_MIN)),
        ("TARGET_SATURATED", format!("{} stretches", crate::judge::STRETCHES_MIN)),
        ("ITERATIONS_FAILED", percent(crate::judge::FAILED_SHARE_WARN)),
    ];
    for (code, limit) in cases {
        let found = find(code);
        assert!(found.len() == 1 && found[0].computed.contains(&limit), "{code} does not say {limit}");
    }
}

#[test]
fn codes_are_found_as_people_write_them() {
    assert_eq!(find("g1-rate")[0].code, "G1_RATE");
    assert_eq!(find("G4").len(), 7);
    assert_eq!(find("G8").len(), 4);
    assert!(find("").is_empty() && find("G").is_empty() && find("RAT").is_empty());
    for (typed, meant) in [
        ("RATE", "G1_RATE"),
        ("G1_RTAE", "G1_RATE"),
        ("not_steady", "G6_NOT_STEADY"),
        ("treshold", "THRESHOLD"),
        ("overloaded", "TARGET_OVERLOADED"),
    ] {
        assert_eq!(nearest(typed), Some(meant), "{typed}");
    }
    assert_eq!(nearest("XYZZYPLUGH"), None);
}

#[test]
fn codes_are_found_by_what_they_are_about() {
    let codes = |word: &str| search(word).iter().map(|explanation| explanation.code).collect::<Vec<_>>();
    for (word, code) in [
        ("steal", "TIME_TAKEN"),
        ("Lag", "G3_INJECTOR_LAG"),
        ("stall", "G8_STALLS"),
        ("redirect", "ONLY_REDIRECTS"),
        ("swap", "G4_SWAP"),
    ] {
        assert!(codes(word).contains(&code), "{word}: {:?}", codes(word));
    }
    assert_eq!((codes(""), codes("xyzzyplugh")), (vec![], vec![]));
}

proptest! {
    /// Law: no text is too long.
    #[test]
    fn any_text_is_answered(text in ".{0,200}") {
        let _ = (nearest(&text), find(&text));
    }
}
