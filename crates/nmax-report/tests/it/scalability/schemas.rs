//! The schemas are fresh, and hold for everything that is written.

use nmax_report::json;
use serde_json::Value;

use super::*;
use crate::schema::{check, is_fresh};

#[test]
fn committed_schemas_are_those_of_the_code() {
    is_fresh("usl.schema.json", &json::usl_schema());
    is_fresh("scale.schema.json", &json::scale_schema());
}

#[test]
fn real_output_satisfies_the_schemas() {
    let (usl, campaign) = (json::usl_schema(), json::scale_schema());
    for (name, points) in sets() {
        for method in Method::ALL {
            let mut view = fit(name, &points);
            view.analysis = analysis(&points, method);
            assert_eq!(check(&json::usl(&view), &usl, &usl, name), Vec::<String>::new());
        }
        assert_eq!(check(&json::scale(&scale(name, &points)), &campaign, &campaign, name), Vec::<String>::new());
    }
}

#[test]
fn comparisons_and_assumptions_satisfy_theirs() {
    let cases = [
        (json::compare(&compare()), json::usl_compare_schema()),
        (json::what_if(&what_if()), json::usl_what_if_schema()),
        (json::scale(&sides::view(0.05, 0.02)), json::scale_schema()),
    ];
    for (value, schema) in cases {
        assert_eq!(check(&value, &schema, &schema, "answer"), Vec::<String>::new());
        let mut bad = value.clone();
        bad["title"] = 1.into();
        assert_eq!(check(&bad, &schema, &schema, "answer").len(), 1);
    }
}

#[test]
fn a_demand_is_in_the_schema_too() {
    let demand = nmax_usl::Demand {
        name: "cpu".into(),
        seconds: nmax_usl::Estimate { estimate: 0.003, low: Some(0.002_8), high: Some(0.003_2), at_bound: false },
    };
    let options = Options { demand: Some(demand), ..Options::default() };
    let mut view = fit("cpu", &[]);
    view.analysis = analyse(&observations(&published(MEMCACHED)), &options);
    let (value, schema) = (json::usl(&view), json::usl_schema());
    assert_eq!(check(&value, &schema, &schema, "usl"), Vec::<String>::new());
    assert_eq!(value["demand"]["ms"]["estimate"], 3.0);
    assert!(value["ceiling"]["throughput"]["estimate"].as_f64().unwrap() > 333.0);
}

#[test]
fn wrong_output_does_not_satisfy_them() {
    let schema = json::scale_schema();
    let good = json::scale(&scale("memcached", &published(MEMCACHED)));
    let breaks: [(&str, Value); 5] = [
        ("/class", "E".into()),
        ("/alpha/estimate", "0.1".into()),
        ("/points/0/zone", "D".into()),
        ("/levels/0/used", 1.into()),
        ("/run/seed", (-1).into()),
    ];
    for (path, wrong) in breaks {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = wrong;
        assert!(!check(&bad, &schema, &schema, "scale").is_empty(), "{path}");
    }
    let mut bad = good;
    bad.as_object_mut().unwrap().remove("peak_refused");
    assert_eq!(check(&bad, &schema, &schema, "scale"), ["scale.peak_refused is missing"]);
}
