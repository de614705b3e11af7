//! Tests of the names of findings.

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_code_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(names.len(), Code::ALL.len());
    let plain = |name: &&str| name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    assert!(names.iter().all(plain), "{names:?}");
}

#[test]
fn blocking_findings_come_first() {
    assert!(Effect::Block < Effect::Warn && Effect::Warn < Effect::Note);
}
