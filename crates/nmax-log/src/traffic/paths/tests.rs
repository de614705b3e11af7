use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Places requests and returns the template of each as it is at the end.
fn templates<'a>(paths: &mut Paths, requests: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let get = paths.method(b"GET").unwrap();
    let kinds: Vec<TypeId> = requests.into_iter().map(|path| paths.place(get, path.as_bytes(), false)).collect();
    kinds.into_iter().map(|kind| paths.template(paths.find(kind))).collect()
}

#[test]
fn identifiers_are_holes_at_once() {
    let mut paths = Paths::new();
    let cases = [
        ("/", "/"),
        ("/item/17", "/item/{id}"),
        ("/item/17/reviews", "/item/{id}/reviews"),
        ("/img/17.jpg", "/img/{id}.jpg"),
        ("/shop;jsessionid=1F/cart", "/shop/cart"),
        ("/a/", "/a/"),
    ];
    for (path, want) in cases {
        assert_eq!(templates(&mut paths, [path]), [want]);
    }
}

#[test]
fn open_sets_of_names_become_a_hole() {
    let mut paths = Paths::new();
    let slugs: Vec<String> = (0..200).map(|n| format!("/product/shirt-{}-blue", letters(n))).collect();
    let found = templates(&mut paths, slugs.iter().map(String::as_str));
    assert!(found.iter().all(|template| template == "/product/{id}"), "{:?}", &found[..3]);
    let again = templates(&mut paths, ["/product/never-seen", "/about"]);
    assert_eq!(again, ["/product/{id}", "/about"]);
}

/// A short log has few types as well.
#[test]
fn a_few_slugs_become_a_hole() {
    let slugs: Vec<String> = (0..20).map(|n| format!("/products/oak-table-{n}")).collect();
    let often = |times: usize| slugs.iter().flat_map(move |slug| std::iter::repeat_n(slug.as_str(), times));
    let words: Vec<String> = (0..20).map(|n| format!("/help/{}", letters(n))).collect();
    let at_top: Vec<String> = (0..20).map(|n| format!("/about-{}", letters(n))).collect();
    // What is asked for, how many templates it has at the end, why.
    let cases: [(Vec<&str>, usize, &str); 5] = [
        (often(3).chain(["/products/new"]).collect(), 1, "the slugs; what comes later is one of them"),
        (["/products/new"].into_iter().chain(often(3)).collect(), 2, "the slugs, and the word before them"),
        (often(50).collect(), 20, "a closed set"),
        (words.iter().map(String::as_str).collect(), 20, "words"),
        (at_top.iter().map(String::as_str).collect(), 20, "pages at the top"),
    ];
    for (requests, want, why) in cases {
        let found = templates(&mut Paths::new(), requests);
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), want, "{why}: {found:?}");
    }
}

#[test]
fn holes_may_be_named() {
    let named = ["/help/*".to_owned(), "/users/*/orders/*".to_owned()];
    let requests = ["/help/pay", "/help/send", "/help/a.pdf", "/users/ann/orders/last", "/users/ann", "/about"];
    let found = templates(&mut Paths::with_holes(&named), requests);
    assert_eq!(
        found,
        ["/help/{id}", "/help/{id}", "/help/{id}.pdf", "/users/{id}/orders/{id}", "/users/{id}", "/about"]
    );
}

#[test]
fn closed_sets_of_names_stay() {
    let mut paths = Paths::new();
    let calls: Vec<String> = (0..100).map(|n| format!("/api/{}", letters(n))).collect();
    // Each is called 50 times before the next one appears.
    let found = templates(&mut paths, calls.iter().flat_map(|call| std::iter::repeat_n(call.as_str(), 50)));
    let different: BTreeSet<&String> = found.iter().collect();
    assert_eq!(different.len(), 100);
}

#[test]
fn a_crowded_top_keeps_what_is_something_else() {
    let mut paths = Paths::new();
    let post = paths.method(b"POST").unwrap();
    let login = paths.place(post, b"/login", false);
    let mut requests = vec!["/login".to_owned(), "/shop/cart".to_owned()];
    requests.extend((0..300).flat_map(|n| [format!("/{}-story", letters(n)), "/".to_owned()]));
    let found = templates(&mut paths, requests.iter().map(String::as_str));
    let different: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(different, BTreeSet::from(["/", "/login", "/shop/cart", "/{id}"]));
    assert_eq!(paths.template(paths.find(login)), "/login");
}

#[test]
fn the_same_below_each_name_is_one() {
    let mut paths = Paths::new();
    let requests: Vec<String> = (0..200)
        .flat_map(|n| {
            let user = letters(n);
            [format!("/user/{user}"), format!("/user/{user}/posts"), format!("/user/{user}/posts/{n}")]
        })
        .collect();
    let found = templates(&mut paths, requests.iter().map(String::as_str));
    let different: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(different, BTreeSet::from(["/user/{id}", "/user/{id}/posts", "/user/{id}/posts/{id}"]));
}

#[test]
fn what_is_not_there_teaches_nothing() {
    let mut paths = Paths::new();
    let get = paths.method(b"GET").unwrap();
    let admin = paths.place(get, b"/wp-admin/setup.php", true);
    assert_eq!(paths.template(admin), NOT_FOUND);
    paths.place(get, b"/item/1", false);
    let gone = paths.place(get, b"/item/2", true);
    assert_eq!(paths.template(gone), "/item/{id}", "a missing item is still an item");
}

proptest! {
    /// Law: a tree of known types finds them again, and learns nothing else.
    #[test]
    fn known_types_are_found_again(numbers in prop::collection::vec(0..2_000u64, 1..400), names in 1..80u64) {
        let mut paths = Paths::new();
        let requests: Vec<String> = numbers.iter().map(|n| match n % 3 {
            0 => format!("/{}/{n}", letters(n % names)),
            1 => format!("/{}", letters(n % names)),
            _ => format!("/deep/{}/view/{}.png", letters(*n), letters(n % names)),
        }).collect();
        let get = paths.method(b"GET").unwrap();
        let found = templates(&mut paths, requests.iter().map(String::as_str));
        let all: BTreeSet<String> = found.iter().cloned().collect();
        let known: Vec<(String, String)> = all.iter().map(|template| ("GET".to_owned(), template.clone())).collect();
        let mut again = Paths::from_templates(&known);
        let get_again = again.method(b"GET").unwrap();
        for (request, template) in requests.iter().zip(&found) {
            let kind = again.place(get_again, request.as_bytes(), false);
            // The first tree may have given a request to a name that only later became a hole's.
            let now = paths.place(get, request.as_bytes(), false);
            let now = paths.template(paths.find(now));
            prop_assert_eq!(&again.template(kind), &now, "{} was {}", request, template);
        }
        let stranger = again.place(get_again, b"/zzz/never/known", false);
        prop_assert_eq!(again.template(stranger), OTHER);
    }

    /// Law: any bytes have a type, and the tree stays bounded.
    #[test]
    fn any_bytes_have_a_type(paths_given in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..60)) {
        let mut paths = Paths::new();
        let get = paths.method(b"GET").unwrap();
        for path in &paths_given {
            let kind = paths.place(get, path, false);
            prop_assert!(paths.template(paths.find(kind)).starts_with(['/', '(']));
        }
    }
}

/// A word without digits for each number.
fn letters(mut n: u64) -> String {
    let mut text = String::new();
    loop {
        text.push(char::from(b'a' + (n % 26) as u8));
        n /= 26;
        if n == 0 {
            return text;
        }
    }
}
