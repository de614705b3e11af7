use super::*;

/// Labels keep their order: what one command prints is what another reads.
#[test]
fn coefficients_have_names_or_an_order() {
    let law = Usl { contention: 0.02, coherency: 0.0005, unit_throughput: 1000.0 };
    for text in
        ["0.02,0.0005,1000", " 2e-2 , 5e-4 , 1e3 ", "gamma=1000,alpha=0.02,beta=0.0005", "α=0.02,β=0.0005,γ=1000"]
    {
        assert_eq!(coefficients(text), Ok(law), "{text}");
    }
    for text in [
        "", "1,2", "1,2,3,4", "0.02,0.0005,0", "0.02,0.0005,-1", "nan,0,1", "alpha=0.02", "alpha=1,alpha=2,gamma=3",
        "delta=1", "alpha=x", "1;2;3", "0,02,0,0005,1000",
    ] {
        assert!(coefficients(text).is_err(), "{text}");
    }
}

#[test]
fn growth_is_told_per_week() {
    let cases = [
        ("3%/week", 1.03),
        ("1%/day", 1.01_f64.powi(7)),
        ("52.1785714%/year", 1.521_785_714_f64.powf(7.0 / 365.25)),
        ("0%/month", 1.0),
    ];
    for (text, want) in cases {
        let found = growth(text).unwrap();
        assert!((found - want).abs() < 1e-12, "{text}: {found}");
    }
    for text in ["3%", "3/week", "-3%/week", "x/week", "3%/fortnight", ""] {
        assert!(growth(text).is_err(), "{text}");
    }
}

#[test]
fn names_are_those_of_the_library() {
    for (name, model, _) in MODELS {
        assert_eq!(model.map_or("auto", Model::name), name);
    }
}

#[test]
fn a_demand_has_a_name_and_a_time() {
    assert_eq!(demand("db=2.5ms"), Ok(("db".into(), Duration::from_micros(2500))));
    for text in ["db", "db=", "=1ms", "db=0s", "db=3"] {
        assert!(demand(text).is_err(), "{text}");
    }
}
