use super::*;

fn versions(names: &[&str]) -> Vec<Version> {
    let analysis = nmax_usl::analyse(&[], &nmax_usl::Options::default());
    let version = |name: &&str| Version { name: (*name).to_owned(), analysis: analysis.clone() };
    names.iter().map(version).collect()
}

/// Labels belong to their files: none is lost, and no two are the same.
#[test]
fn versions_have_names_of_their_own() {
    assert_eq!(named("1.2.8=old.csv"), (Some("1.2.8"), "old.csv"));
    assert_eq!(named("old.csv"), (None, "old.csv"));
    assert_eq!(named("=old.csv"), (None, "=old.csv"));
    assert_eq!(named("a=b=c.csv"), (Some("a"), "b=c.csv"));
    assert_eq!(own_name("runs/before.csv"), "before");
    assert_eq!(own_name("-"), "standard input");
    assert_eq!(unlike("points", "a/points.csv", &[]), "points");
    assert_eq!(unlike("points", "b/points.csv", &versions(&["points"])), "b/points.csv");
    let both = versions(&["points", "points.csv"]);
    assert_eq!(unlike("points", "points.csv", &both), "points (2)");
}
