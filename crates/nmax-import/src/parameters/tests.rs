use super::*;
use crate::convert::convert;
use crate::emit::Converted;
use crate::options::SecretsIn;
use crate::recording::Kind;
use crate::tests::{get, page, post, recording};

fn made(entries: Vec<Entry>) -> Converted {
    convert(vec![recording(entries)], &Options::default())
}

fn has(made: &Converted, wanted: &str) {
    assert!(made.plan.contains(wanted), "no `{wanted}` in\n{}", made.plan);
}

fn lacks(made: &Converted, unwanted: &str) {
    assert!(!made.plan.contains(unwanted), "`{unwanted}` in\n{}", made.plan);
}

fn file<'a>(made: &'a Converted, name: &str) -> &'a str {
    let file = made.files.iter().find(|file| file.name == name).expect("the file");
    std::str::from_utf8(&file.bytes).expect("text")
}

#[test]
fn who_signs_up_is_another_person_each_time_and_logs_in_as_that() {
    let made = made(vec![
        post(0, "/signup", "name=Ada+Lovelace&email=ada%40shop.test&password=Engine%241&password2=Engine%241"),
        post(5000, "/login", "username=ada%40shop.test&pass=x&password=Engine%241"),
        get(9000, "/users/ada%40shop.test/orders", Kind::Call).by("POST"),
        get(9500, "/news", Kind::Call).by("POST").sends("text/xml", "<to>ada@shop.test</to>"),
    ]);
    has(&made, "people: { generate: person, unique: email }");
    for field in [
        "name: \"${people.full_name}\"",
        "email: \"${setup.run}.${people.email}\"",
        "password2: \"${people.password}\"",
        "username: \"${setup.run}.${people.email}\"",
        "post: \"/users/${setup.run}.${people.email}/orders\"",
        "<to>${setup.run}.${people.email}</to>",
    ] {
        has(&made, field);
    }
    lacks(&made, "Ada");
    lacks(&made, "Engine");
    lacks(&made, "ada@");
}

#[test]
fn who_only_logs_in_is_read_from_a_file_of_secrets() {
    let entries = || {
        vec![
            post(0, "/login", "user=ada&email=ada%40shop.test&password=Engine1%2C%22x%22"),
            get(5000, "/api/x", Kind::Call).by("POST").with("X-Api-Key", "k-123456"),
        ]
    };
    let by_file = made(entries());
    has(&by_file, "secrets: { csv: visit.secrets.csv }");
    has(&by_file, "email: \"${secrets.email}\"");
    has(&by_file, "password: \"${secrets.password}\"");
    has(&by_file, "x-api-key: \"${secrets.x_api_key}\"");
    let secrets = by_file.files.iter().find(|file| file.name == "visit.secrets.csv").expect("secrets");
    assert!(secrets.is_secret);
    assert_eq!(
        file(&by_file, "visit.secrets.csv"),
        "email,password,x_api_key\nada@shop.test,\"Engine1,\"\"x\"\"\",k-123456\n"
    );
    let options = Options { secrets: SecretsIn::Env, ..Options::default() };
    let by_env = convert(vec![recording(entries())], &options);
    has(&by_env, "password: \"${env.PASSWORD}\"");
    has(&by_env, "x-api-key: \"${env.X_API_KEY}\"");
    assert!(by_env.files.is_empty(), "{:?}", by_env.files);
    assert!(by_env.summary.warnings.iter().any(|warning| warning.contains("-e PASSWORD=VALUE")));
}

/// What was typed before the password is the user, whatever it is called.
#[test]
fn the_text_beside_a_password_is_the_user() {
    let form = |name: &str| {
        format!(
            "<form><input type=hidden name=t value=q7><input name={name}><input type=password name=pw><input type=checkbox name=keep></form>"
        )
    };
    let by_form = |name: &str, value: &str| {
        vec![page(0, "/login", &form(name)), post(5000, "/login", &format!("t=q7&{name}={value}&pw=Engine1&keep=on"))]
    };
    let by_json = |body: &str| vec![get(0, "/api/session", Kind::Call).by("POST").sends("application/json", body)];
    let cases = [
        (by_form("user", "alice7"), "user_name", "alice7"),
        (by_form("email", "alice7"), "user_name", "alice7"),
        (by_form("kundennummer", "1048"), "user_name", "1048"),
        (by_form("name", "alice7"), "user_name", "alice7"),
        (by_form("username", "alice7"), "user_name", "alice7"),
        (by_form("login", "alice%40shop.test"), "email", "alice@shop.test"),
        (by_json(r#"{"who":"alice7","password":"Engine1","remember":true}"#), "user_name", "alice7"),
    ];
    for (entries, column, value) in cases {
        let made = made(entries);
        has(&made, &format!("${{secrets.{column}}}"));
        lacks(&made, value);
        assert_eq!(file(&made, "visit.secrets.csv"), format!("{column},password\n{value},Engine1\n"));
    }
    let two = |user: &str| recording(by_form("user", user));
    let made = convert(vec![two("alice7"), two("bob8")], &Options::default());
    assert_eq!(file(&made, "visit.secrets.csv"), "user_name,password\nalice7,Engine1\nbob8,Engine1\n");
}

#[test]
fn what_the_server_refused_is_sent_as_recorded() {
    let made = made(vec![
        post(0, "/signup", "email=taken%40shop.test&password=Engine1").status(409).answers("text/html", ""),
        post(5000, "/signup", "email=new%40shop.test&password=Engine1"),
    ]);
    has(&made, "email: \"taken@shop.test\"");
    has(&made, "email: \"${setup.run}.${people.email}\"");
    has(&made, "status: 409");
    lacks(&made, "Engine1");
}

#[test]
fn fields_of_json_keep_their_types() {
    let body = r#"{"user":{"firstName":"Ada","lastName":"King","phone":"303-555-0199","age":36},"qty":2,"pin":1234}"#;
    let made = made(vec![get(0, "/api/orders", Kind::Call).by("POST").sends("application/json", body)]);
    has(
        &made,
        r#"{"user":{"firstName":"${people.first_name}","lastName":"${people.last_name}","phone":"${people.phone}","age":36},"qty":${random(1, 3)},"pin":${secrets.pin}}"#,
    );
}

#[test]
fn the_form_that_was_shown_names_fields_and_their_limits() {
    let form = r#"<input name="f1" autocomplete="given-name"><input type="hidden" name="qty" value="3">
        <input name="n" type="number" min="2" max="4"><select name="city"><option>Paris</select>"#;
    let made = made(vec![page(0, "/order", form), post(5000, "/order", "f1=Ada&qty=3&n=3&city=Paris")]);
    has(&made, "f1: \"${people.first_name}\"");
    has(&made, "qty: \"3\"");
    has(&made, "city: Paris");
}

#[test]
fn terms_are_gathered_in_a_file_and_their_beginnings_stay() {
    let made = made(vec![
        page(0, "/search?q=oak+table", "<title>Search: oak table - Shop</title>"),
        page(5000, "/search?q=oak+table&page=2", "<title>Search: oak table - Shop</title>"),
        get(9000, "/suggest?q=pi", Kind::Call).by("POST"),
        page(15_000, "/search?q=pine%2C+red", ""),
        page(19_000, "/", "<title>Welcome - Shop</title>"),
    ]);
    has(&made, "words: { csv: visit.words.csv, pick: random }");
    assert_eq!(file(&made, "visit.words.csv"), "q\noak table\n\"pine, red\"\n");
    has(&made, "query: { q: \"${words.q}\", page: \"2\" }");
    has(&made, "query: { q: pi }");
    lacks(&made, "oak");
    has(&made, "contains: Welcome");
    has(&made, "contains: Shop");
}

#[test]
fn a_number_of_pieces_is_made_once_and_not_when_prices_follow_from_it() {
    let twice = made(vec![post(0, "/basket", "qty=5"), post(5000, "/order", "qty=5")]);
    has(&twice, "set:\n          qty: \"${random(4, 6)}\"");
    assert_eq!(twice.plan.matches("qty: \"${qty}\"").count(), 2, "{}", twice.plan);
    let priced = made(vec![post(0, "/basket", "qty=5&total=9.95")]);
    has(&priced, "qty: \"5\"");
    assert!(priced.summary.parameters.iter().any(|note| note.contains("prices are sent")));
}

#[test]
fn addresses_are_made_up_only_where_they_fit() {
    let american = made(vec![post(0, "/address", "street=12+Main+St&city=Denver&state=CO&zip=80216")]);
    has(&american, "street: \"${people.house_number} ${people.street}\"");
    has(&american, "state: \"${people.region}\"");
    let german = made(vec![post(0, "/address", "street=Hauptstr.+5&city=Ulm&zip=89073&country=DE")]);
    has(&german, "street: Hauptstr. 5");
    has(&german, "zip: \"89073\"");
    let british = made(vec![post(0, "/address", "street=5+High+St&city=York&zip=YO1+7HH1")]);
    has(&british, "city: York");
}

#[test]
fn names_of_user_and_address_are_new_together() {
    let both = made(vec![post(0, "/register", "username=ada1815&email=a%40b.test&password=x1")]);
    has(&both, "username: \"${people.user_name}${setup.run}${iteration}\"");
    has(&both, "unique: email");
    let one = made(vec![post(0, "/register", "username=ada1815&password=x1")]);
    has(&one, "unique: user_name");
    has(&one, "username: \"${people.user_name}${setup.run}\"");
}

/// No secret of a recording is in anything but files that are secret.
#[test]
fn secrets_are_nowhere_but_in_their_file() {
    let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLW9mLWFkYQ";
    let bearer = format!("Bearer {token}");
    let made = made(vec![
        page(0, &format!("/reset/{token}?api_key=Zx81Spectrum48"), "<title>Reset</title>"),
        get(20, &format!("/app.js?token={token}"), Kind::Script),
        post(5000, "/login", "email=ada%40shop.test&password=Tr0ub4dor%263x").with("Authorization", &bearer),
        get(9000, "/pay", Kind::Call)
            .by("POST")
            .sends("application/json", r#"{"card":"4111 1111 1111 1111","note":"pay 4111111111111111"}"#),
        get(9900, "/xml", Kind::Call).by("POST").sends("text/xml", &format!("<t>{token}</t>")),
    ]);
    let mut shown = format!("{}{}{:?}", made.plan, made.evidence, made.summary);
    for file in made.files.iter().filter(|file| !file.is_secret) {
        shown.push_str(&String::from_utf8_lossy(&file.bytes));
    }
    for secret in ["c2lnbmF0dXJl", "Zx81Spectrum48", "Tr0ub4dor", "4111111111111111", "4111 1111 1111 1111"] {
        assert!(!shown.contains(secret), "{secret} in\n{shown}");
    }
    let kept = file(&made, "visit.secrets.csv");
    assert!(kept.contains(token) && kept.contains("Zx81Spectrum48") && kept.contains("Tr0ub4dor&3x"), "{kept}");
}

/// A second run on the same system makes other users; where the form is too small for that, the plan says what to do.
#[test]
fn no_run_makes_the_users_of_another_one_again() {
    let sign_up = |attribute: &str| {
        let form = format!("<form><input name=email type=email {attribute}><input name=password type=password></form>");
        vec![
            page(0, "/signup", &form),
            post(5000, "/signup", "email=ada%40shop.test&password=Engine1"),
            post(9000, "/login", "email=ada%40shop.test&password=Engine1"),
        ]
    };
    let roomy = made(sign_up("maxlength=254"));
    has(&roomy, "setup:\n  steps:\n    - set: { run: \"${now('ms')}\" }\n");
    assert_eq!(roomy.plan.matches("email: \"${setup.run}.${people.email}\"").count(), 2, "{}", roomy.plan);
    lacks(&roomy, "--seed");
    let narrow = made(sign_up("maxlength=30"));
    assert_eq!(narrow.plan.matches("email: \"${people.email}\"").count(), 2, "{}", narrow.plan);
    has(&narrow, "--seed 2");
    lacks(&narrow, "setup");
}

/// The file of search terms is for everybody, and a query of GraphQL is no term.
#[test]
fn what_holds_a_secret_is_no_search_term() {
    let query = r#"{"query":"mutation { login(email:\"a@b.test\", password:\"hunter2planted\") { token } }"}"#;
    let entries = vec![
        page(0, "/", ""),
        post(5000, "/password", "oldPassword=hunter2planted"),
        get(9000, "/graphql", Kind::Call).by("POST").sends("application/json", query),
        page(12_000, "/search?q=hunter2planted", ""),
    ];
    let made = made(entries);
    lacks(&made, "hunter2planted");
    lacks(&made, "words");
    has(&made, "mutation { login(");
    for file in &made.files {
        let holds = String::from_utf8_lossy(&file.bytes).contains("hunter2planted");
        assert_eq!(holds, file.is_secret, "{}", file.name);
    }
}
