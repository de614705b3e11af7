use super::*;

fn rule(name: &str, pattern: &str) -> TagRule {
    TagRule { name: name.into(), pattern: pattern.into() }
}

#[test]
fn resources_carry_their_tags_in_their_names() {
    let rules = [rule("images", r"/images/|\.(png|jpg)$"), rule("shop", "^GET https://shop")];
    let tagger = Tagger::new(&rules).unwrap();
    let cases = [
        ("https://shop.test/a.png?v=1", "home image [images, shop]", "the query is not a part of the path"),
        ("http://cdn.test/images/1", "home image [images]", "a folder"),
        ("http://cdn.test/a.css", "home image", "neither"),
    ];
    let mut plan = Plan::for_url(&nmax_plan::planless::Planless::get("http://127.0.0.1:1/")).unwrap();
    plan.tags = rules.to_vec();
    for (url, want, why) in cases {
        let name = tagger.name_of_resource("home image", url);
        assert_eq!(name, want, "{why}");
        let (bare, found) = nmax_plan::tags::resource_tags(&plan, &name);
        assert_eq!(bare, "home image", "{why}");
        assert_eq!(found.contains(&"images".to_owned()), want.contains("images"), "{why}");
        assert_eq!(found.len(), 2, "each rule or its inverse: {why}");
    }
}

#[test]
fn a_wrong_expression_is_told() {
    assert!(Tagger::new(&[rule("x", "(")]).unwrap_err().contains('('));
}
