//! A small shop with accounts: pages, a JSON interface, sessions and signed tokens.
//!
//! - pages: `/`, `/search?q=`, `/item/UUID`, `/signup`, `/login`, `/account`, `/basket`, `/order/ID`
//! - files: `/app.css`, `/app.js`, `/logo.png`, `/image/UUID.jpg` (1.2 MB)
//! - `/gallery`: a page with style sheets, a font, pictures and a frame, each with its rules for caches
//! - JSON: `/api/items?q=`, `/api/items/UUID`, `POST /api/login` (token), `/api/account` (Bearer),
//!   `/api/vouchers` (inserted and removed again)
//!
//! Every form post needs the hidden `csrf` of its page and the `sid` cookie. State is in
//! memory and bounded. Its secrets follow from the seed: it is a target, not a real shop.

mod catalog;
pub(crate) mod form;
mod gallery;
mod pages;
mod photo;
mod state;
mod token;
mod vouchers;

use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::header::{AUTHORIZATION, COOKIE, HeaderMap, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use serde_json::{Value, json};

use self::catalog::{Catalog, Item};
use self::form::Form;
use self::state::{Account, Order, Session, State};
use self::token::Signer;
use crate::body::Body;
use crate::clock;
use crate::replies::{file, html, json, redirect, set, with_status};

/// Name of the session cookie.
const SESSION_COOKIE: &str = "sid";
/// Longest name, e-mail and password, in bytes.
const FIELD_BYTES_MAX: usize = 256;

/// The shop.
pub(crate) struct Shop {
    catalog: Catalog,
    signer: Signer,
    state: Mutex<State>,
}

/// A visitor's session as one request sees it.
struct Visit {
    id: String,
    csrf: String,
    /// Whether the cookie must be sent.
    fresh: bool,
}

impl Shop {
    pub(crate) fn new(seed: u64) -> Self {
        Self { catalog: Catalog::new(), signer: Signer::new(seed), state: Mutex::new(State::new()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reply to a path of the shop; `None` for other paths.
    pub(crate) fn reply(&self, parts: &Parts, body: &[u8]) -> Option<Response<Body>> {
        let path = parts.uri.path();
        let headers = &parts.headers;
        if path.starts_with("/api/vouchers") {
            return self.state().vouchers.reply(&parts.method, path, body);
        }
        if parts.method == Method::POST {
            let form = form::decode(&String::from_utf8_lossy(body));
            return match path {
                "/signup" => Some(self.post(headers, &form, Self::sign_up)),
                "/login" => Some(self.post(headers, &form, Self::log_in)),
                "/basket" => Some(self.post(headers, &form, Self::add_to_basket)),
                "/order" => Some(self.post(headers, &form, Self::place_order)),
                "/api/login" => Some(self.api_login(body)),
                _ => None,
            };
        }
        if parts.method != Method::GET && parts.method != Method::HEAD {
            return None;
        }
        let query = || form::decode(parts.uri.query().unwrap_or_default());
        match path {
            "/" => Some(html(pages::home(&self.catalog))),
            "/app.css" => Some(file("text/css", include_bytes!("../../assets/app.css").as_slice())),
            "/app.js" => Some(file("text/javascript", include_bytes!("../../assets/app.js").as_slice())),
            "/logo.png" => Some(file("image/png", include_bytes!("../../assets/logo.png").as_slice())),
            "/search" => Some(self.search(&query())),
            "/signup" => Some(self.form_page(headers, |visit| pages::sign_up(&visit.csrf))),
            "/login" => Some(self.form_page(headers, |visit| pages::log_in(&visit.csrf))),
            "/basket" => Some(self.form_page(headers, |visit| self.basket(visit))),
            "/account" => Some(self.account(headers)),
            "/api/items" => Some(self.api_items(&query())),
            "/api/account" => Some(self.api_account(headers)),
            _ => self.reply_below(headers, path),
        }
    }

    /// Paths with an id in them.
    fn reply_below(&self, headers: &HeaderMap, path: &str) -> Option<Response<Body>> {
        if let Some(uuid) = path.strip_prefix("/item/") {
            return Some(match self.catalog.find(uuid) {
                Some(item) => self.form_page(headers, |visit| pages::item(item, &visit.csrf)),
                None => notice(StatusCode::NOT_FOUND, "Not found", "There is no such item."),
            });
        }
        if let Some(name) = path.strip_prefix("/image/") {
            let item = name.strip_suffix(".jpg").and_then(|uuid| self.catalog.find(uuid));
            return Some(match item {
                Some(item) => file("image/jpeg", photo::photo(&item.uuid)),
                None => notice(StatusCode::NOT_FOUND, "Not found", "There is no such image."),
            });
        }
        if let Some(uuid) = path.strip_prefix("/api/items/") {
            return Some(match self.catalog.find(uuid) {
                Some(item) => json(&item_json(item)),
                None => api_error(StatusCode::NOT_FOUND, "no such item"),
            });
        }
        if let Some(reply) = gallery::reply(headers, path) {
            return Some(reply);
        }
        path.strip_prefix("/order/").map(|id| self.order(headers, id))
    }

    /// The visitor's session, started now if the cookie names none.
    fn visit(&self, headers: &HeaderMap) -> Visit {
        let mut state = self.state();
        if let Some(id) = cookie(headers)
            && let Some(session) = state.sessions.get(id)
        {
            return Visit { id: id.to_owned(), csrf: session.csrf.clone(), fresh: false };
        }
        let serial = state.next_serial().to_string();
        let id = self.signer.digest("session", &serial);
        let csrf = self.signer.digest("csrf", &serial);
        let session = Session { csrf: csrf.clone(), ..Session::default() };
        state.sessions.insert(id.clone(), session);
        Visit { id, csrf, fresh: true }
    }

    /// A page with a form: needs a session for its hidden token.
    fn form_page(&self, headers: &HeaderMap, page: impl FnOnce(&Visit) -> String) -> Response<Body> {
        let visit = self.visit(headers);
        let mut reply = html(page(&visit));
        if visit.fresh {
            let cookie = format!("{SESSION_COOKIE}={}; Path=/; HttpOnly; SameSite=Lax", visit.id);
            set(&mut reply, SET_COOKIE, &cookie);
        }
        reply
    }

    /// Carries out a form post, if its token is that of the session.
    fn post(
        &self,
        headers: &HeaderMap,
        form: &Form,
        action: impl FnOnce(&Self, &mut State, &str, &Form) -> Response<Body>,
    ) -> Response<Body> {
        let mut state = self.state();
        let id = cookie(headers).unwrap_or_default();
        let expected = state.sessions.get(id).map(|session| session.csrf.as_str());
        if expected.is_none() || expected != form.get("csrf") {
            return notice(
                StatusCode::FORBIDDEN,
                "Refused",
                "The form's token is missing or wrong. Load the page again.",
            );
        }
        action(self, &mut state, id, form)
    }

    fn sign_up(&self, state: &mut State, id: &str, form: &Form) -> Response<Body> {
        let Some((email, password)) = credentials(form) else {
            return notice(StatusCode::BAD_REQUEST, "Sign up", "Give an e-mail address and a password.");
        };
        if state.accounts.get(email).is_some() {
            return notice(StatusCode::CONFLICT, "Sign up", "There is already an account with this e-mail address.");
        }
        let name = form.get("name").filter(|name| !name.is_empty()).unwrap_or(email);
        let account = Account {
            name: name.chars().take(FIELD_BYTES_MAX).collect(),
            password_hash: self.password_hash(email, password),
        };
        state.accounts.insert(email.to_owned(), account);
        enter(state, id, email)
    }

    fn log_in(&self, state: &mut State, id: &str, form: &Form) -> Response<Body> {
        let known = credentials(form).filter(|(email, password)| self.knows(state, email, password));
        match known {
            Some((email, _)) => enter(state, id, email),
            None => notice(StatusCode::UNAUTHORIZED, "Log in", "The e-mail address or the password is wrong."),
        }
    }

    fn knows(&self, state: &State, email: &str, password: &str) -> bool {
        let hash = self.password_hash(email, password);
        state.accounts.get(email).is_some_and(|account| account.password_hash == hash)
    }

    fn password_hash(&self, email: &str, password: &str) -> String {
        self.signer.digest("password", &format!("{email}\0{password}"))
    }

    fn account(&self, headers: &HeaderMap) -> Response<Body> {
        let state = self.state();
        let email = match bearer(headers) {
            Some(token) => self.signer.verify(token, clock::unix_s()),
            None => session_email(&state, headers).map(str::to_owned),
        };
        match email.as_deref().and_then(|email| Some((email, state.accounts.get(email)?))) {
            Some((email, account)) => html(pages::account(&account.name, email)),
            None => redirect(StatusCode::FOUND, "/login"),
        }
    }

    fn search(&self, query: &Form) -> Response<Body> {
        let words = query.get("q").unwrap_or_default();
        html(pages::search(words, &self.catalog.search(words)))
    }

    fn basket(&self, visit: &Visit) -> String {
        let state = self.state();
        let lines = state.sessions.get(&visit.id).map_or(&[][..], |session| &session.basket);
        pages::basket(&self.catalog, lines, &visit.csrf)
    }

    fn add_to_basket(&self, state: &mut State, id: &str, form: &Form) -> Response<Body> {
        let item = form.get("item").and_then(|uuid| self.catalog.find(uuid));
        let pieces = form.get("pieces").unwrap_or("1").parse().ok().filter(|pieces| *pieces > 0);
        let (Some(item), Some(pieces)) = (item, pieces) else {
            return notice(StatusCode::BAD_REQUEST, "Basket", "Give an item of the shop and a number of pieces.");
        };
        match state.sessions.get_mut(id).map(|session| session.add(&item.uuid, pieces)) {
            Some(true) => redirect(StatusCode::SEE_OTHER, "/basket"),
            _ => notice(StatusCode::CONFLICT, "Basket", "The basket is full."),
        }
    }

    fn place_order(&self, state: &mut State, id: &str, _form: &Form) -> Response<Body> {
        let Some(session) = state.sessions.get_mut(id) else {
            return redirect(StatusCode::SEE_OTHER, "/login");
        };
        let Some(email) = session.email.clone() else {
            return redirect(StatusCode::SEE_OTHER, "/login");
        };
        if session.basket.is_empty() {
            return notice(StatusCode::BAD_REQUEST, "Order", "The basket is empty.");
        }
        let lines = std::mem::take(&mut session.basket);
        let order_id = state.next_serial().to_string();
        state.orders.insert(order_id.clone(), Order { email, lines });
        redirect(StatusCode::SEE_OTHER, &format!("/order/{order_id}"))
    }

    /// An order, for the customer who placed it.
    fn order(&self, headers: &HeaderMap, id: &str) -> Response<Body> {
        let state = self.state();
        let email = session_email(&state, headers);
        match state.orders.get(id).filter(|order| Some(order.email.as_str()) == email) {
            Some(order) => html(pages::order(&self.catalog, id, &order.lines)),
            None => notice(StatusCode::NOT_FOUND, "Not found", "There is no such order of yours."),
        }
    }

    fn api_items(&self, query: &Form) -> Response<Body> {
        let items: Vec<_> = match query.get("q") {
            Some(words) => self.catalog.search(words),
            None => self.catalog.items().iter().collect(),
        };
        let list: Vec<Value> = items.iter().map(|item| item_json(item)).collect();
        json(&json!({ "count": list.len(), "items": list }))
    }

    /// Trades e-mail and password, as JSON, for a signed token.
    fn api_login(&self, body: &[u8]) -> Response<Body> {
        let wanted: Value = serde_json::from_slice(body).unwrap_or_default();
        let (Some(email), Some(password)) = (wanted["email"].as_str(), wanted["password"].as_str()) else {
            return api_error(StatusCode::BAD_REQUEST, "give email and password as JSON");
        };
        if !self.knows(&self.state(), email, password) {
            return api_error(StatusCode::UNAUTHORIZED, "wrong email or password");
        }
        let token = self.signer.issue(email, clock::unix_s());
        json(&json!({ "token": token, "token_type": "Bearer" }))
    }

    fn api_account(&self, headers: &HeaderMap) -> Response<Body> {
        let email = bearer(headers).and_then(|token| self.signer.verify(token, clock::unix_s()));
        let state = self.state();
        match email.as_deref().and_then(|email| Some((email, state.accounts.get(email)?))) {
            Some((email, account)) => json(&json!({ "email": email, "name": account.name })),
            None => api_error(StatusCode::UNAUTHORIZED, "send `authorization: Bearer TOKEN`"),
        }
    }
}

/// Logs the session in and leads to the account.
fn enter(state: &mut State, id: &str, email: &str) -> Response<Body> {
    if let Some(session) = state.sessions.get_mut(id) {
        session.email = Some(email.to_owned());
    }
    redirect(StatusCode::FOUND, "/account")
}

fn credentials(form: &Form) -> Option<(&str, &str)> {
    let fit = |text: &&str| !text.is_empty() && text.len() <= FIELD_BYTES_MAX;
    Some((form.get("email").filter(fit)?, form.get("password").filter(fit)?))
}

fn session_email<'a>(state: &'a State, headers: &HeaderMap) -> Option<&'a str> {
    state.sessions.get(cookie(headers)?)?.email.as_deref()
}

/// The session id that the request's cookies name.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(name, value)| (name == SESSION_COOKIE).then_some(value))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn item_json(item: &Item) -> Value {
    json!({
        "uuid": item.uuid,
        "name": item.name,
        "price_cents": item.price_cents,
        "image": format!("/image/{}.jpg", item.uuid),
    })
}

/// A page that says why something was not done.
fn notice(code: StatusCode, title: &str, text: &str) -> Response<Body> {
    with_status(code, html(pages::notice(title, text)))
}

fn api_error(code: StatusCode, text: &str) -> Response<Body> {
    with_status(code, json(&json!({ "error": text })))
}

#[cfg(test)]
mod tests;
