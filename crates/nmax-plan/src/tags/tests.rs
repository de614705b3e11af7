use super::*;
use crate::document::{self, Options};

/// A plan with two requests and this `tags:`.
fn parsed(tags: &str) -> Result<Plan, Vec<String>> {
    let text = format!(
        "nmax: 1\ntarget: http://127.0.0.1:1\nscenarios:\n  s:\n    steps:\n      - get: /images/${{iteration}}?x=1\n      \
         - transaction: t\n        steps:\n          - post: /order\n            name: order\n            tags: [own]\n\
         workload: {{ closed: {{ vus: 1 }} }}\n{tags}"
    );
    let options = Options {
        read: &|_| Err("none".into()),
        exists: &|_| Err("none".into()),
        check_source: &|source| match format!("{source:?}").contains("!!") {
            true => Err("unexpected `!!`".into()),
            false => Ok(()),
        },
        ..Options::standalone("plan.yaml")
    };
    document::parse(&text, &options).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// Stands in for an engine of expressions: whether the text has the pattern in it.
fn contains(rule: &TagRule, text: &str) -> bool {
    text.contains(&rule.pattern)
}

fn tags_of(plan: &Plan) -> Vec<Vec<String>> {
    let requests = plan.scenarios.iter().flat_map(|scenario| scenario.calls());
    requests.map(|request| request.tags.clone()).collect()
}

#[test]
fn every_request_is_tagged_or_not() {
    let mut plan = parsed("tags: { images: /images/, orders: order, plain: '}' }").unwrap();
    tag_requests(&mut plan, &contains);
    let want = [vec!["images", "not orders", "plain"], vec!["own", "not images", "orders", "not plain"]];
    assert_eq!(tags_of(&plan), want, "steps within others are found too, and own tags stay");
    let once = plan.clone();
    tag_requests(&mut plan, &contains);
    assert_eq!(plan, once, "twice is once");
}

/// Law: what is written is read back, and gets the same tags again; tags by expression are not written into requests.
#[test]
fn tags_by_expression_are_written_once() {
    let mut plan = parsed("tags: { images: /images/ }").unwrap();
    tag_requests(&mut plan, &contains);
    let text = document::write::to_yaml(&plan);
    assert!(!text.contains("not images"), "{text}");
    let rules = text.split("tags:").last().unwrap();
    assert!(rules.contains("images: /images/"), "{text}");
}

#[test]
fn wrong_rules_are_told_all_at_once() {
    let errors = parsed("tags: { images: '!!', 'not x': a, own: b, 'a[b]': c, empty: '' }").unwrap_err();
    let text = errors.join("\n");
    for word in [
        "`!!` is not valid",
        "`not x` cannot",
        "`own` is a tag by expression and",
        "`a[b]` cannot",
        "matches everything",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn conditions_may_be_on_tags_by_expression() {
    let conditions = "thresholds: ['response_time p95 < 1s for tag images', 'errors < 1 for tag \"not images\"']";
    parsed(&format!("tags: {{ images: /images/ }}\n{conditions}")).unwrap();
    let errors = parsed(conditions).unwrap_err();
    assert_eq!(errors.len(), 2, "{errors:?}");
}

#[test]
fn names_of_resources_give_their_tags_back() {
    let plan = parsed("tags: { images: png, shop: shop }").unwrap();
    let cases = [
        ("http://a/x.png", "home image [images]"),
        ("http://shop/x.png", "home image [images, shop]"),
        ("http://a/x.css", "home image"),
    ];
    for (url, want) in cases {
        let name = resource_name(&plan.tags, "home image", url, &contains);
        assert_eq!(name, want);
        for name in [name.clone(), format!("{name} +1")] {
            let (bare, tags) = resource_tags(&plan, &name);
            assert_eq!(bare, "home image", "{name}");
            let both = ["images", "shop"].map(|tag| match want.contains(tag) {
                true => tag.to_owned(),
                false => format!("not {tag}"),
            });
            assert_eq!(tags, both, "{name}");
        }
    }
}
