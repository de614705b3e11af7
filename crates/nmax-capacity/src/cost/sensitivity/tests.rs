use super::*;
use crate::cost::tests::tier;
use crate::origin::Basis;
use crate::tests::close;

#[test]
fn inputs_are_ordered_by_what_they_move() {
    let figure = |value, interval| Figure { value, interval, basis: Basis::Measured };
    let inputs = [("a", figure(2.0, None)), ("b", figure(3.0, Some((1.0, 7.0)))), ("c", figure(5.0, None))];
    let inputs = inputs.map(|(name, figure)| Input { name: name.into(), figure });
    let found = sensitivity(&inputs, |values| Some(values[0] * values[1] + 10.0 * values[2]));
    let swings: Vec<(&str, f64)> = found.iter().map(|one| (one.input.name.as_str(), one.swing)).collect();
    assert_eq!(swings.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["b", "c", "a"]);
    for ((_, swing), wanted) in swings.into_iter().zip([12.0, 10.0, 1.2]) {
        close(swing, wanted);
    }
    let open = sensitivity(&inputs[..1], |values| (values[0] < 2.0).then_some(1.0));
    assert_eq!((open[0].answers, open[0].swing), ((Some(1.0), None), f64::INFINITY));
}

#[test]
fn a_wide_interval_of_the_load_moves_the_nodes_most() {
    let supply = Supply { tiers: vec![tier(0.03, 0.0005)] };
    let load = Figure { value: 6000.0, interval: Some((4000.0, 9000.0)), basis: Basis::Measured };
    let found = of_nodes(&supply, Some(&Prices::default()), load, 0.2, Survive::Zone);
    assert_eq!(found[0].input.name, "peak load");
    let (least, most) = found[0].answers;
    assert!(least.unwrap() < 5.0 && most.unwrap() > 9.0, "in price: {found:?}");
    let names: Vec<&str> = found.iter().map(|one| one.input.name.as_str()).collect();
    assert_eq!(names.len(), 7, "{names:?}");
}
