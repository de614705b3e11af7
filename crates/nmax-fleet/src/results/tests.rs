use proptest::prelude::*;

use super::*;
use crate::records::Policy;
use crate::testing::{Sender, spec};

fn results(shards: usize) -> Results {
    Results::new(&spec(shards, Policy::Continue), Catalog::default())
}

fn end(windows: u64) -> End {
    End { windows, loaded: windows, ..End::default() }
}

/// Counts of exchanges by window and name.
fn said(results: &Results, taken: &[Taken]) -> BTreeMap<(u64, String), u64> {
    let mut said = BTreeMap::new();
    for merged in taken.iter().flat_map(|taken| taken.merged.iter().chain(&taken.late)) {
        for (id, stats) in merged.window.aggregate.requests(Section::Hold) {
            *said.entry((merged.window.index, results.catalog().requests.name(id).to_owned())).or_default() +=
                stats.count();
        }
        let parts: u64 = merged.parts.values().map(|part| started(&part.aggregate)).sum();
        assert_eq!(parts, started(&merged.window.aggregate), "parts of injectors are the window");
    }
    said
}

/// Two injectors that use the same names in another order; windows 0 to 3 and the end of each.
fn batches() -> Vec<Batch> {
    let (mut one, mut two) = (Sender::default(), Sender::default());
    let mut batches = Vec::new();
    for index in 0..4 {
        batches.push(one.window(0, 1, index, 3 + index, ["a", "b"][index as usize % 2]));
        batches.push(two.window(1, 1, index, 5, ["b", "a"][index as usize % 2]));
    }
    batches.push(one.end(0, 1, end(4)));
    batches.push(two.end(1, 1, end(4)));
    batches
}

proptest! {
    /// Law: whatever the order in which batches come, how often each comes and what is released meanwhile, each counts once,
    /// under its name, and what never came is named.
    #[test]
    fn each_batch_counts_once(
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        release in prop::collection::vec(0..5_u64, 60),
    ) {
        let batches = batches();
        let mut results = results(2);
        let (mut taken, mut came) = (Vec::new(), std::collections::BTreeSet::new());
        for (index, release) in order.iter().zip(release) {
            let batch = index.get(&batches).clone();
            let is_new = came.insert(batch.id);
            match results.take(batch, None) {
                Ok(what) => taken.push(what),
                Err(error) => prop_assert_eq!((error, is_new), (Refused::Duplicate, false)),
            }
            taken.push(results.release(release));
        }
        taken.push(results.close());
        let mut want: BTreeMap<(u64, String), u64> = BTreeMap::new();
        let mut missing = Vec::new();
        for batch in &batches {
            let Item::Window { index, .. } = batch.item else { continue };
            let BatchId { shard, .. } = batch.id;
            if came.contains(&batch.id) {
                let name = ["a", "b"][(index as usize + shard as usize) % 2];
                *want.entry((index, name.into())).or_default() += if shard == 0 { 3 + index } else { 5 };
            } else {
                missing.push((shard, index));
            }
        }
        let said = said(&results, &taken);
        prop_assert_eq!(said, want);
        missing.sort_unstable();
        let lost: Vec<(u32, u64)> = results.lost().into_iter().flat_map(|lost| lost.windows.map(move |window| (lost.shard, window))).collect();
        prop_assert_eq!(lost, missing);
        prop_assert_eq!(results.counts().counted, came.len() as u64);
        prop_assert_eq!(results.is_complete(), came.len() == batches.len());
    }
}

#[test]
fn a_shard_that_is_taken_over_has_two_epochs_and_a_gap() {
    let mut results = results(1);
    let (mut one, mut two) = (Sender::default(), Sender::default());
    let early = two.window(0, 2, 2, 7, "b");
    assert_eq!(results.take(early.clone(), None), Err(Refused::Early), "its grant is not known");
    assert_eq!(results.take(early, None), Err(Refused::Duplicate), "it waits");
    let mut taken = vec![results.take(one.window(0, 1, 0, 3, "a"), None).unwrap()];
    let fenced = End { why: Some("its lease ran out".into()), ..end(1) };
    taken.push(results.take(one.end(0, 1, fenced), None).unwrap());
    let grant = Grant { injector: "two".into(), from: 2 };
    taken.push(results.granted(0, 2, &grant));
    taken.push(results.take(two.window(0, 2, 3, 7, "b"), None).unwrap());
    taken.push(results.take(two.end(0, 2, end(4)), None).unwrap());
    assert_eq!(said(&results, &taken).into_values().collect::<Vec<_>>(), [3, 7, 7]);
    assert_eq!(results.lost(), [Lost { shard: 0, windows: 1..2, seconds: 1.0 }]);
    assert_eq!((results.counts().counted, results.counts().doubled), (5, 0));
    // What the first holder starts in windows of the second was sent, so it counts, and is told.
    let mut late = Sender::default();
    late.window(0, 1, 0, 1, "a");
    late.window(0, 1, 0, 1, "a");
    results.take(late.window(0, 1, 2, 1, "a"), None).unwrap();
    assert_eq!(results.counts().doubled, 1);
}

/// An injector that slept beyond its lease measures on for a moment: what it could not load then is lost, unless another has.
#[test]
fn windows_after_the_lease_are_of_the_next_holder_or_lost() {
    let mut results = results(1);
    let (mut one, mut two) = (Sender::default(), Sender::default());
    results.take(one.window(0, 1, 0, 3, "a"), None).unwrap();
    for index in 1..4 {
        results.take(one.window(0, 1, index, 0, "a"), None).unwrap();
    }
    let fenced = End { loaded: 1, why: Some("its lease ran out".into()), ..end(4) };
    results.take(one.end(0, 1, fenced), None).unwrap();
    results.granted(0, 2, &Grant { injector: "two".into(), from: 3 });
    results.take(two.window(0, 2, 3, 7, "a"), None).unwrap();
    assert_eq!(results.lost(), [Lost { shard: 0, windows: 1..3, seconds: 2.0 }]);
}

/// What is folded once more with the grants that are known by then has nothing late, whatever was late before.
#[test]
fn a_fold_that_knows_the_grants_has_nothing_late() {
    let (mut one, mut two, mut other) = (Sender::default(), Sender::default(), Sender::default());
    let mut batches = vec![one.window(0, 1, 0, 3, "a"), one.end(0, 1, end(1))];
    batches.extend((0..4).map(|index| other.window(1, 1, index, 5, "a")));
    batches.push(two.window(0, 2, 2, 7, "a"));
    let mut first = results(2);
    let _ = batches.iter().map(|batch| first.take(batch.clone(), None)).count();
    first.granted(0, 2, &Grant { injector: "two".into(), from: 2 });
    assert_eq!(first.counts().late, 1);
    let mut again = results(2);
    again.know_grants_of(&first);
    let mut taken: Vec<Taken> = batches.into_iter().map(|batch| again.take(batch, None).unwrap()).collect();
    taken.push(again.close());
    assert_eq!((said(&again, &taken).into_values().sum::<u64>(), again.counts().late), (30, 0));
}

/// An injector that went on although its lease was another's is found out, also when the grant is known later.
#[test]
fn a_doubled_window_is_counted() {
    let mut results = results(1);
    let mut one = Sender::default();
    for index in 0..4 {
        results.take(one.window(0, 1, index, 1, "a"), None).unwrap();
    }
    results.granted(0, 2, &Grant { injector: "two".into(), from: 1 });
    assert_eq!(results.counts().doubled, 3);
}

#[test]
fn what_is_not_of_the_run_changes_no_number() {
    let mut results = results(2);
    let mut sender = Sender::default();
    let mut refused = |batch: Batch, arrived: u64| results.take(batch, Some(Nanos::from_millis(arrived))).unwrap_err();
    let other = Batch { run: "s".into(), ..sender.window(0, 1, 0, 1, "a") };
    assert_eq!(refused(other, 9_000), Refused::Stranger);
    assert_eq!(refused(sender.window(2, 1, 0, 1, "a"), 9_000), Refused::Stranger);
    assert_eq!(refused(sender.window(0, 0, 0, 1, "a"), 9_000), Refused::Stranger);
    assert!(matches!(refused(sender.window(0, 1, 2, 1, "a"), 1_500), Refused::Lie(_)), "its window begins at 2 s");
    let mut of = sender.window(0, 1, 1, 1, "a");
    of.id.shard = 1;
    assert!(matches!(refused(of.clone(), 9_000), Refused::Lie(_)), "the frame is of shard 0");
    of.id.shard = 0;
    let Item::Window { window, .. } = &mut of.item else { unreachable!() };
    window.frame.truncate(5);
    assert!(matches!(refused(of, 9_000), Refused::Damaged(_)));
    assert!(matches!(refused(sender.window(0, 1, 20, 1, "a"), 30_000), Refused::Lie(_)), "after the hard stop");
    let Counts { strangers, lies, damaged, counted, .. } = results.counts();
    assert_eq!((strangers, lies, damaged, counted), (3, 3, 1, 0));
    assert!(results.close().merged.is_empty());
    assert_eq!(results.lost().len(), 2);
}

/// A run that a person stopped is whole up to where it was stopped.
#[test]
fn a_stopped_run_loses_nothing() {
    let mut results = results(1);
    let mut one = Sender::default();
    results.take(one.window(0, 1, 0, 1, "a"), None).unwrap();
    results.take(one.end(0, 1, end(1)), None).unwrap();
    assert!(results.is_complete() && results.lost().is_empty());
}

/// A window whose names never came is not in the fold, and is lost.
#[test]
fn what_cannot_be_read_is_lost() {
    let mut results = results(1);
    let mut catalog = Catalog::default();
    catalog.requests.intern("a");
    let mut sent = nmax_metrics::names::NamesSent::default();
    catalog.new_names(&mut sent);
    let mut batch = Sender::default().window(0, 1, 0, 1, "a");
    let Item::Window { window, .. } = &mut batch.item else { unreachable!() };
    let frame = Frame { names: catalog.new_names(&mut sent), ..Frame::decode(&window.frame).unwrap() };
    window.frame = frame.encode();
    results.take(batch, None).unwrap();
    results.close();
    assert_eq!(results.lost()[..].iter().filter(|lost| lost.windows.contains(&0)).count(), 1);
}
