use std::collections::HashSet;

use super::state::Bounded;
use super::*;

#[test]
fn the_catalog_is_fixed_and_searchable() {
    let (catalog, again) = (Catalog::new(), Catalog::new());
    let uuids: HashSet<_> = catalog.items().iter().map(|item| &item.uuid).collect();
    assert_eq!(uuids.len(), catalog.items().len(), "no UUID twice");
    assert!(catalog.items().iter().zip(again.items()).all(|(a, b)| a.uuid == b.uuid));
    for uuid in uuids {
        let dashes: Vec<_> = uuid.match_indices('-').map(|(at, _)| at).collect();
        assert_eq!((uuid.len(), dashes.as_slice()), (36, &[8, 13, 18, 23][..]), "{uuid}");
        assert!(&uuid[14..15] == "4" && "89ab".contains(&uuid[19..20]), "{uuid}");
    }
    assert_eq!(catalog.search("oak").len(), 30, "5 styles of 6 things");
    assert_eq!(catalog.search("OAK tall lamp").len(), 1);
    assert_eq!(catalog.search("plastic").len(), 0);
    assert_eq!(catalog.search(" ").len(), 0);
}

#[test]
fn photos_are_jpegs_of_the_promised_size() {
    let catalog = Catalog::new();
    for item in &catalog.items()[..20] {
        let bytes = photo::photo(&item.uuid);
        assert_eq!(bytes.len(), photo::PHOTO_BYTES);
        // Walk the segments up to the scan: each length must lead to the next marker.
        let mut at = 2;
        while bytes[at + 1] != 0xda {
            assert_eq!(bytes[at], 0xff, "marker at {at}");
            at += 2 + usize::from(u16::from_be_bytes([bytes[at + 2], bytes[at + 3]]));
        }
        assert_eq!(bytes[..2], [0xff, 0xd8]);
        assert_eq!(bytes[bytes.len() - 2..], [0xff, 0xd9]);
    }
}

#[test]
fn memory_is_bounded_and_the_oldest_goes_first() {
    let mut kept = Bounded::new(3);
    for key in ["a", "b", "c", "a", "d"] {
        kept.insert(key.to_owned(), ());
    }
    assert_eq!(kept.len(), 3);
    assert!(kept.get("a").is_none(), "the oldest, although it was replaced later");
    assert!(["b", "c", "d"].iter().all(|key| kept.get(key).is_some()));

    let mut session = Session::default();
    for index in 0..1_000 {
        session.add(&index.to_string(), u64::MAX / 2);
        session.add(&index.to_string(), 1);
    }
    assert_eq!(session.basket.len(), 100);
    assert!(session.basket.iter().all(|line| line.pieces <= 1_000));
}

#[test]
fn text_of_users_is_escaped() {
    let page = pages::search("<script>\"'&", &[]);
    assert!(page.contains("&lt;script&gt;&quot;&#39;&amp;"));
    assert!(!page.contains("<script>\""));
}

/// What a browser asks about again comes whole once; everything that the gallery names is there.
#[test]
fn the_gallery_says_what_may_be_kept() {
    let path = |name: &str| format!("/gallery{name}");
    let get = |name: &str, headers: &HeaderMap| gallery::reply(headers, &path(name));
    for name in
        ["", "/frame", "/gallery.css", "/base.css", "/text.woff2", "/1.jpg", "/8-large.jpg", "/9.webp", "/hero.jpg"]
    {
        let reply = get(name, &HeaderMap::new()).unwrap();
        assert_eq!(reply.status(), StatusCode::OK, "{name}");
        let Some(tag) = reply.headers().get("etag") else {
            continue;
        };
        let mut headers = HeaderMap::new();
        headers.insert("if-none-match", tag.clone());
        assert_eq!(get(name, &headers).unwrap().status(), StatusCode::NOT_MODIFIED, "{name}");
        headers.insert("if-none-match", "\"other\"".parse().unwrap());
        assert_eq!(get(name, &headers).unwrap().status(), StatusCode::OK, "{name}");
    }
    for name in ["/10.jpg", "/0.jpg", "/1.gif", "/x", "er"] {
        assert!(get(name, &HeaderMap::new()).is_none(), "{name}");
    }
}
