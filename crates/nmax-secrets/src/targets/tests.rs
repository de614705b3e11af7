use proptest::prelude::*;

use super::*;
use crate::Redactor;

#[test]
fn secrets_are_taken_out() {
    let cases = [
        ("/a?token=abc", "/a?token=REDACTED"),
        ("/a?x=1&api_key=k&y=2&password=&z", "/a?x=1&api_key=REDACTED&y=2&password=&z"),
        ("/token=abc", "/token=REDACTED"),
        ("/a?session=s=t", "/a?session=REDACTED"),
        ("/a", "/a"),
        ("/a?", "/a?"),
        ("/j;jsessionid=77889900?a=1", "/j;jsessionid=REDACTED?a=1"),
        ("/j;v=1;PHPSESSID=77/b;x=2", "/j;v=1;PHPSESSID=REDACTED/b;x=2"),
        ("/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=af0", "/cb?code=REDACTED&state=af0"),
        ("/cb?code=short&state=af0", "/cb?code=REDACTED&state=af0"),
        ("/buy?code=SUMMER", "/buy?code=SUMMER"),
        ("/u/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_/x?y=1", "/u/REDACTED/x?y=1"),
        ("/u?x=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0", "/u?x=REDACTED"),
        ("/u?token=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0", "/u?token=REDACTED"),
        ("/eyJustAName/eyJ.eyJ", "/eyJustAName/REDACTED"),
        ("/reset-password/4f0c99aa17?x=1", "/reset-password/REDACTED?x=1"),
        ("/search?q=a%20b+c&sort=price", "/search?q=a%20b+c&sort=price"),
        ("/pay/4111111111111111", "/pay/REDACTED"),
        ("/a?cookie=hunter2", "/a?cookie=REDACTED"),
        ("/set-cookie/4f0c99aa17", "/set-cookie/REDACTED"),
        ("/a?x=&quot;token&quot;:&quot;hunter2&quot;", "/a?x=&quot;token&quot;:&quot;REDACTED&quot;"),
        ("/go?next=%2Fa%3Ftoken%3Dabc", "/go?next=%2Fa%3Ftoken%3DREDACTED"),
    ];
    let mut hider = Hider::default();
    for (target, want) in cases {
        let hidden = String::from_utf8_lossy(hider.hide(target.as_bytes())).into_owned();
        assert_eq!(hidden, want);
    }
    assert_eq!(hider.count(), 18);
}

/// Whatever a line of a log repeats, the search reads each byte a bounded number of times.
#[test]
fn targets_of_nothing_but_signs_are_read_once() {
    let mut hider = Hider::default();
    for beginning in ["=", "e=", "level=e,", "/token/", "?x=", "a:"] {
        let target = format!("/p?{}", beginning.repeat(200_000 / beginning.len()));
        hider.hide(target.as_bytes());
        // The look back from a sign ends at the longest name, and no longer one is kept.
        let longest = (0..target.len()).filter_map(|at| Some(name_before(target.as_bytes(), at)?.len())).max();
        assert!(longest <= Some(NAME_BYTES_MAX), "{longest:?}");
        assert!(hider.known.keys().all(|name| name.len() <= NAME_BYTES_MAX));
    }
}

proptest! {
    /// Whatever the target, a value of a secret name is gone, and hiding twice is hiding once.
    #[test]
    fn hiding_is_thorough(before in "[a-z=&?/]{0,12}", after in "(&[a-z]{1,3}=[a-z]{0,3}){0,3}") {
        let target = format!("/p?{before}&token=sEcReT{after}");
        let mut hider = Hider::default();
        let once = hider.hide(target.as_bytes()).to_vec();
        prop_assert!(!String::from_utf8_lossy(&once).contains("sEcReT"));
        let twice = hider.hide(&once).to_vec();
        prop_assert_eq!(once, twice);
    }

    /// The quick look misses nothing that a search finds.
    #[test]
    fn the_quick_look_agrees_with_the_search(
        target in "(/|\\?|&|=|;|#|%3D|%20|\\+|token|code|state|key|sid|a1b2c3d4|x|bearer|cookie|&quot;|: |:%20|,|pin1|4111111111111111|eyJ|\\.|@|://|:|\"|'|\\[){0,14}",
    ) {
        let mut hider = Hider::default();
        let quick = String::from_utf8(hider.hide(target.as_bytes()).to_vec()).unwrap();
        prop_assert_eq!(quick, Redactor::default().url(&target));
    }
}
