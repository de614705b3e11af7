//! The shop's HTML. Text from users passes through [`escape`].

use nmax_text::html::escape;

use super::catalog::{Catalog, Item, euro};
use super::state::Line;

/// Items on the home page.
const SHOWN_AT_HOME: usize = 24;

/// A whole page around `content`, which is markup.
pub(crate) fn page(title: &str, content: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} - Peak Goods</title>\n\
         <link rel=\"stylesheet\" href=\"/app.css\">\n<link rel=\"icon\" href=\"/logo.png\">\n\
         <script src=\"/app.js\" defer></script>\n</head>\n<body>\n\
         <header>\n<a href=\"/\"><img src=\"/logo.png\" alt=\"Peak Goods\"></a>\n\
         <a href=\"/basket\">Basket</a>\n<a href=\"/account\">Account</a>\n\
         <a href=\"/login\">Log in</a>\n<a href=\"/signup\">Sign up</a>\n\
         <form action=\"/search\"><input name=\"q\" placeholder=\"Search, such as oak\"> \
         <button>Search</button></form>\n</header>\n<main>\n<h1>{title}</h1>\n{content}</main>\n\
         </body>\n</html>\n"
    )
}

/// A page that only says something.
pub(crate) fn notice(title: &str, text: &str) -> String {
    page(title, &format!("<p class=\"notice\">{}</p>\n", escape(text)))
}

pub(crate) fn home(catalog: &Catalog) -> String {
    // A stride that shares no factor with the number of items shows all kinds of them.
    let items = catalog.items();
    let shown: Vec<_> = (0..SHOWN_AT_HOME).map(|n| &items[n * 37 % items.len()]).collect();
    page("Welcome", &item_list(&shown))
}

pub(crate) fn search(query: &str, hits: &[&Item]) -> String {
    let count = match hits.len() {
        0 => "Nothing found.".to_owned(),
        1 => "1 item".to_owned(),
        many => format!("{many} items"),
    };
    let title = format!("Search: {query}");
    page(&title, &format!("<p class=\"count\">{count}</p>\n{}", item_list(hits)))
}

fn item_list(items: &[&Item]) -> String {
    let mut list = String::from("<ul class=\"items\">\n");
    for item in items {
        list.push_str(&format!(
            "<li><a class=\"item\" href=\"/item/{}\">{}</a><br><span class=\"price\">&euro; {}</span></li>\n",
            item.uuid,
            item.name,
            item.price()
        ));
    }
    list.push_str("</ul>\n");
    list
}

pub(crate) fn item(item: &Item, csrf: &str) -> String {
    let content = format!(
        "<img class=\"photo\" src=\"/image/{uuid}.jpg\" alt=\"{name}\">\n\
         <p class=\"price\">&euro; {price}</p>\n<form method=\"post\" action=\"/basket\">\n{csrf}\
         <input type=\"hidden\" name=\"item\" value=\"{uuid}\">\n\
         <label>Pieces <input name=\"pieces\" type=\"number\" value=\"1\" min=\"1\"></label>\n\
         <button>Put into basket</button>\n</form>\n",
        uuid = item.uuid,
        name = item.name,
        price = item.price(),
        csrf = csrf_field(csrf),
    );
    page(&item.name, &content)
}

fn csrf_field(csrf: &str) -> String {
    format!("<input type=\"hidden\" name=\"csrf\" value=\"{csrf}\">\n")
}

pub(crate) fn sign_up(csrf: &str) -> String {
    let content = format!(
        "<form method=\"post\" action=\"/signup\">\n{}\
         <label>Name <input name=\"name\" autocomplete=\"name\"></label>\n{CREDENTIALS}\
         <button>Sign up</button>\n</form>\n",
        csrf_field(csrf)
    );
    page("Sign up", &content)
}

pub(crate) fn log_in(csrf: &str) -> String {
    let content = format!(
        "<form method=\"post\" action=\"/login\">\n{}{CREDENTIALS}<button>Log in</button>\n</form>\n",
        csrf_field(csrf)
    );
    page("Log in", &content)
}

const CREDENTIALS: &str = "<label>E-mail <input name=\"email\" type=\"email\" autocomplete=\"email\"></label>\n\
     <label>Password <input name=\"password\" type=\"password\" autocomplete=\"current-password\"></label>\n";

pub(crate) fn account(name: &str, email: &str) -> String {
    let content = format!(
        "<p>Signed in as <strong class=\"email\">{}</strong>.</p>\n<p><a href=\"/basket\">To the basket</a></p>\n",
        escape(email)
    );
    page(&format!("Hello, {name}"), &content)
}

pub(crate) fn basket(catalog: &Catalog, lines: &[Line], csrf: &str) -> String {
    if lines.is_empty() {
        return notice("Basket", "The basket is empty.");
    }
    let content = format!(
        "{}<form method=\"post\" action=\"/order\">\n{}<button>Order</button>\n</form>\n",
        line_table(catalog, lines),
        csrf_field(csrf)
    );
    page("Basket", &content)
}

pub(crate) fn order(catalog: &Catalog, id: &str, lines: &[Line]) -> String {
    page(&format!("Order {id}"), &line_table(catalog, lines))
}

fn line_table(catalog: &Catalog, lines: &[Line]) -> String {
    let mut rows = String::new();
    let mut total_cents = 0;
    for line in lines {
        let Some(item) = catalog.find(&line.uuid) else { continue };
        let sum_cents = item.price_cents * line.pieces;
        total_cents += sum_cents;
        rows.push_str(&format!(
            "<tr><td><a class=\"item\" href=\"/item/{}\">{}</a></td><td>{}</td><td>&euro; {}</td></tr>\n",
            item.uuid,
            item.name,
            line.pieces,
            euro(sum_cents)
        ));
    }
    format!(
        "<table>\n<tr><th>Item</th><th>Pieces</th><th>Price</th></tr>\n{rows}\
         <tr><th>Total</th><th></th><th class=\"total\">&euro; {}</th></tr>\n</table>\n",
        euro(total_cents)
    )
}
