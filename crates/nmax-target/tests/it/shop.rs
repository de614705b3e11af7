use nmax_target::{Options, Running, spawn};

use crate::client::{Client, Reply};

fn shop() -> Running {
    spawn(Options { shop: true, ..Options::default() }).unwrap()
}

/// Keeps the session cookie like a browser.
fn keep_cookie(client: &mut Client, reply: &Reply) {
    if let Some(cookie) = reply.header("set-cookie") {
        let pair = cookie.split(';').next().unwrap();
        client.extra = format!("cookie: theme=dark; {pair}\r\n");
    }
}

/// A visitor on `path` with its form token.
fn visit(target: &Running, path: &str) -> (Client, String) {
    let mut client = Client::connect(target.address());
    let page = client.get(path);
    keep_cookie(&mut client, &page);
    let csrf = page.between("name=\"csrf\" value=\"").to_owned();
    (client, csrf)
}

fn sign_up(target: &Running, email: &str) -> Reply {
    let (mut client, csrf) = visit(target, "/signup");
    client.post("/signup", &format!("csrf={csrf}&name=Ann&email={email}&password=secret"))
}

#[test]
fn from_sign_up_to_order() {
    let target = shop();
    let reply = sign_up(&target, "ann%40shop.test");
    assert_eq!((reply.status, reply.header("location")), (302, Some("/account")));

    let (mut client, csrf) = visit(&target, "/login");
    assert_eq!(client.get("/account").header("location"), Some("/login"), "not logged in yet");
    let reply = client.post("/login", &format!("csrf={csrf}&email=ann%40shop.test&password=wrong"));
    assert_eq!(reply.status, 401);
    let reply = client.post("/login", &format!("csrf={csrf}&email=ann%40shop.test&password=secret"));
    assert_eq!(reply.status, 302);
    assert!(client.get("/account").text().contains("Hello, Ann"));

    let hits = client.get("/search?q=oak");
    assert!(hits.text().contains("30 items"));
    let item = hits.between("class=\"item\" href=\"").to_owned();
    let page = client.get(&item);
    assert_eq!(page.header("set-cookie"), None, "the session goes on");
    let uuid = page.between("name=\"item\" value=\"").to_owned();
    assert_eq!(item, format!("/item/{uuid}"));

    let empty = client.post("/order", &format!("csrf={csrf}"));
    assert_eq!(empty.status, 400, "nothing to order yet");
    let reply = client.post("/basket", &format!("csrf={csrf}&item={uuid}&pieces=2"));
    assert_eq!(reply.header("location"), Some("/basket"));
    assert!(client.get("/basket").text().contains(&uuid));
    let reply = client.post("/order", &format!("csrf={csrf}"));
    assert_eq!(reply.status, 303);
    let order = reply.header("location").unwrap().to_owned();
    assert!(order.starts_with("/order/"));
    assert!(client.get(&order).text().contains("<td>2</td>"));
    assert!(client.get("/basket").text().contains("The basket is empty"));

    let mut stranger = Client::connect(target.address());
    assert_eq!(stranger.get(&order).status, 404, "an order is its customer's");
}

#[test]
fn forms_need_their_token_and_session() {
    let target = shop();
    let (mut client, csrf) = visit(&target, "/signup");
    let fields = "email=eve%40shop.test&password=secret";
    assert_eq!(client.post("/signup", fields).status, 403, "no token");
    assert_eq!(client.post("/signup", &format!("csrf=0&{fields}")).status, 403, "wrong token");
    let (_, other) = visit(&target, "/signup");
    assert_eq!(client.post("/signup", &format!("csrf={other}&{fields}")).status, 403, "another's");
    let cookie = std::mem::take(&mut client.extra);
    assert_eq!(client.post("/signup", &format!("csrf={csrf}&{fields}")).status, 403, "no session");
    client.extra = cookie;
    assert_eq!(client.post("/signup", &format!("csrf={csrf}&email=eve")).status, 400, "no password");
    assert_eq!(client.post("/signup", &format!("csrf={csrf}&{fields}")).status, 302);
    let reply = client.post("/order", &format!("csrf={csrf}x"));
    assert_eq!(reply.status, 403);
}

#[test]
fn an_email_signs_up_once() {
    let target = shop();
    assert_eq!(sign_up(&target, "bob%40shop.test").status, 302);
    assert_eq!(sign_up(&target, "bob%40shop.test").status, 409);
}

#[test]
fn ordering_needs_an_account() {
    let target = shop();
    let (mut client, csrf) = visit(&target, "/login");
    let reply = client.post("/order", &format!("csrf={csrf}"));
    assert_eq!((reply.status, reply.header("location")), (303, Some("/login")));
}

#[test]
fn signed_tokens_open_the_account() {
    let target = shop();
    sign_up(&target, "joe%40shop.test");
    let mut client = Client::connect(target.address());
    let json = "application/json";
    let wrong = r#"{"email":"joe@shop.test","password":"no"}"#;
    assert_eq!(client.send("POST", "/api/login", json, wrong).unwrap().status, 401);
    assert_eq!(client.send("POST", "/api/login", json, "{}").unwrap().status, 400);
    let right = r#"{"email":"joe@shop.test","password":"secret"}"#;
    let reply = client.send("POST", "/api/login", json, right).unwrap().json();
    let token = reply["token"].as_str().unwrap();
    assert_eq!(client.get("/api/account").status, 401);
    client.extra = format!("authorization: Bearer {token}\r\n");
    assert_eq!(client.get("/api/account").json()["email"], "joe@shop.test");
    assert!(client.get("/account").text().contains("Hello, Ann"));
    client.extra = format!("authorization: Bearer {token}x\r\n");
    assert_eq!(client.get("/api/account").status, 401);
}

#[test]
fn pages_link_to_things_that_exist() {
    let target = shop();
    let mut client = Client::connect(target.address());
    let home = client.get("/").text().to_owned();
    let links: Vec<_> = ["href=\"", "src=\""]
        .iter()
        .flat_map(|before| home.split(before).skip(1))
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(links.iter().filter(|link| link.starts_with("/item/")).count() >= 20);
    for link in links.iter().filter(|link| **link != "/account") {
        assert_eq!(client.get(link).status, 200, "{link}");
    }
    let items = client.get("/api/items").json();
    assert_eq!(items["count"], 360);
    let image = items["items"][0]["image"].as_str().unwrap();
    let photo = client.get(image);
    assert_eq!((photo.body.len(), photo.header("content-type")), (1_200_000, Some("image/jpeg")));
    assert_eq!(photo.body, client.get(image).body, "the same bytes each time");
    assert_eq!(client.get("/search?q=plastic").between("class=\"count").len(), 0);
    assert!(client.get("/search?q=plastic").text().contains("Nothing found"));
    for path in ["/item/0", "/image/0.jpg", "/order/1", "/api/items/0"] {
        assert_eq!(client.get(path).status, 404, "{path}");
    }
}
