use super::*;
use crate::Source;
use crate::host::tree::{Tree, read_at};

fn text(some: u64, full: u64) -> String {
    format!(
        "some avg10=0.00 avg60=1.00 avg300=2.00 total={some}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total={full}\n"
    )
}

#[test]
fn ratios_come_from_the_totals_and_never_exceed_all_of_the_time() {
    let tree = Tree::new(&[("proc/pressure/io", &text(10, 5)), ("proc/pressure/cpu", "some avg10=1 total=7\n")]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    tree.write("proc/pressure/io", text(500_010, 4_000_005));
    let seen = read_at(&mut host, 2);
    assert_eq!(seen.get("io pressure_some_ratio"), Some(&0.25));
    assert_eq!(seen.get("io pressure_full_ratio"), Some(&1.0));
    assert_eq!(seen.get("cpu pressure_some_ratio"), Some(&0.0));
    assert_eq!(seen.get("cpu pressure_full_ratio"), None, "old kernels have no such line");
    tree.write("proc/pressure/io", text(0, 0));
    assert_eq!(read_at(&mut host, 3).get("io pressure_some_ratio"), None);
}

/// Absent, switched off and forbidden are said in different words, each with what to do; what may pass is not said.
#[test]
fn each_state_has_its_words() {
    let tree = Tree::new(&[]);
    let files = Files::new(tree.path());
    let said = |absence| absence_text(absence, &files).unwrap_or_default();
    assert!(said(Absence::Missing).contains("CONFIG_PSI"));
    assert!(said(Absence::Disabled).contains("psi=1"));
    assert!(said(Absence::Forbidden).contains("may not be read"));
    assert_eq!(said(Absence::Failed), "");
    tree.write("proc/pressure/cpu", text(1, 1));
    assert_eq!(said(Absence::Missing), "", "a kernel that has one file has the feature");
}

#[test]
fn a_kernel_without_it_is_said_once() {
    let tree = Tree::new(&[("proc/loadavg", "1 1 1 1/1 1\n"), ("proc/meminfo", "MemTotal: 5 kB\n")]);
    let mut host = tree.host(&[]);
    (0..4).for_each(|second| drop(read_at(&mut host, second)));
    let notes = host.notes();
    assert_eq!(notes.iter().filter(|note| note.contains("CONFIG_PSI")).count(), 1, "{notes:?}");
}
