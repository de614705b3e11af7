use super::*;

fn read(axes: &[&str]) -> Result<Axes, String> {
    let axes: Vec<String> = axes.iter().map(|axis| (*axis).to_owned()).collect();
    parse(&axes, None, None, 4).map_err(|errors| errors.join("\n"))
}

#[test]
fn axes_are_read() {
    let plain = read(&[]).unwrap();
    assert_eq!((plain.load, plain.levels, plain.range), (Load::Vus, None, (1.0, 1_000.0)));
    let rate = read(&["rate=40/s,10/s,20"]).unwrap();
    assert_eq!(rate.levels, Some(vec![10.0, 20.0, 40.0]), "in order");
    assert_eq!(rate.range, (10.0, 40.0));
    assert_eq!(read(&["workers"]).unwrap().range, (1.0, 4.0));
    let grid = read(&["nodes=1,2,4", "size=small,large", "rate"]).unwrap();
    assert_eq!(grid.load, Load::Rate);
    assert_eq!(grid.knobs[0].numbers(), Some(vec![1.0, 2.0, 4.0]));
    assert_eq!(grid.knobs[1].numbers(), None);
}

#[test]
fn what_is_wrong_is_said_with_a_remedy() {
    // axes                              words
    let cases: [(&[&str], &str); 17] = [
        (&["nodes"], "needs its values"),
        (&["vus=0"], "`0` is not a level"),
        (&["vus=1,2.5"], "`2.5` is not a level"),
        (&["vus=1,x"], "`x` is not a level"),
        (&["vus=1,,2"], "a value is missing"),
        (&["vus=1,1"], "1 is there twice"),
        (&["vus", "rate"], "an axis of load already"),
        (&["a=1", "a=2"], "--axis a is there twice"),
        (&["a=1", "b=1", "c=1"], "2 knobs already"),
        (&["a b=1"], "this is not a name"),
        (&["rate=-5"], "`-5` is not a level"),
        (&["injectors=0"], "`0` is not a level"),
        (&["injectors=1001"], "at most 1000"),
        (&["injectors=1,1.5"], "`1.5` is not a level"),
        (&["injectors=1", "injectors=2"], "an axis of load already"),
        (&["injectors", "workers=1,2"], "the levels of both"),
        (&["injectors=1,2", "vus=1,2"], "an axis of load already"),
    ];
    for (axes, words) in cases {
        let error = read(axes).unwrap_err();
        assert!(error.contains(words) && error.contains("help:"), "{axes:?}: {error}");
    }
    let both = read(&["nodes", "vus=0"]).unwrap_err();
    assert!(both.contains("nodes") && both.contains("`0`"), "all at once: {both}");
}

/// Injectors and threads stand side by side, in whatever order they are written.
#[test]
fn injectors_stand_beside_workers() {
    let alone = read(&["injectors"]).unwrap();
    assert_eq!((alone.load, alone.levels, alone.range), (Load::Injectors, None, (1.0, 1_000.0)));
    for axes in [["injectors=4,1,2", "workers=2,1"], ["workers=1,2", "injectors=1,2,4"]] {
        let both = read(&axes).unwrap();
        assert_eq!((both.load, both.range), (Load::Injectors, (1.0, 4.0)), "{axes:?}");
        assert_eq!((both.levels, both.threads), (Some(vec![1.0, 2.0, 4.0]), Some(vec![1.0, 2.0])), "{axes:?}");
    }
    assert!(read(&["injectors=1", "workers=1", "rate"]).is_err(), "not three");
}

#[test]
fn the_range_is_checked() {
    let of = |axes: &[&str], min, max| {
        let axes: Vec<String> = axes.iter().map(|axis| (*axis).to_owned()).collect();
        parse(&axes, min, max, 2).map(|axes| axes.range).map_err(|errors| errors.join("\n"))
    };
    assert_eq!(of(&[], Some(2.0), Some(64.0)), Ok((2.0, 64.0)));
    assert!(of(&[], Some(9.0), Some(3.0)).unwrap_err().contains("above the highest"));
    assert!(of(&[], None, Some(1.5)).unwrap_err().contains("whole"));
    assert!(of(&[], None, Some(f64::NAN)).unwrap_err().contains("not a load"));
    assert!(of(&["vus=1,2"], None, Some(8.0)).unwrap_err().contains("levels of your own"));
}
