//! Copied commands.

use nmax_import::curl::{self, Copied};
use nmax_import::recording::{Request, header};
use proptest::prelude::*;

#[track_caller]
fn read(text: &str) -> Copied {
    curl::read(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

#[track_caller]
fn one(text: &str) -> Request {
    let mut copied = read(text);
    assert_eq!(copied.recording.entries.len(), 1, "{text}");
    copied.recording.entries.remove(0).request
}

fn body(request: &Request) -> &str {
    let bytes = request.body.as_ref().map_or(&[][..], |body| &body.bytes);
    std::str::from_utf8(bytes).unwrap()
}

fn sent<'a>(request: &'a Request, name: &str) -> &'a str {
    header(&request.headers, name).unwrap_or("-")
}

/// As Chrome copies for bash, with a body that it has to escape.
#[test]
fn a_command_of_chrome_for_bash_is_read() {
    let request = one(
        "curl 'https://shop.test/api?a=1&b=2' \\\n  -H 'accept: */*' \\\n  -H 'content-type: application/json' \\\n  \
        -b 'sid=1; theme=dark' \\\n  --data-raw $'{\"text\":\"it\\'s \\u00e4 \\ud83d\\ude00\\u0021\\n\"}' \\\n  --compressed ;",
    );
    assert_eq!((request.method.as_str(), request.url.as_str()), ("POST", "https://shop.test/api?a=1&b=2"));
    assert_eq!(body(&request), "{\"text\":\"it's ä 😀!\n\"}");
    assert_eq!(sent(&request, "cookie"), "sid=1; theme=dark");
    assert_eq!(sent(&request, "accept-encoding"), "gzip, deflate, br, zstd");
    assert_eq!(sent(&request, "content-type"), "application/json");
}

/// As Chrome copies for `cmd.exe`, now and earlier.
#[test]
fn a_command_of_chrome_for_cmd_is_read() {
    let now = "curl ^\"https://shop.test/api?a=1^&b=2^\" ^\r\n  -H ^\"content-type: application/json^\" ^\r\n  \
        --data-raw ^\"^{^\\^\"a^\\^\":^\\^\"b c ^%^41^\\^\"^}^\"";
    let earlier = "curl \"https://shop.test/api?a=1&b=2\" ^\n  -H \"content-type: application/json\" ^\n  \
        --data-raw \"^{^\\^\"a^\\^\":^\\^\"b c ^%^41^\\^\"^}\"";
    for text in [now, earlier] {
        let request = one(text);
        assert_eq!(request.url, "https://shop.test/api?a=1&b=2", "{text}");
        assert_eq!(body(&request), "{\"a\":\"b c %41\"}", "{text}");
    }
    assert_eq!(body(&one("curl ^\"http://a.test/^\" --data-raw ^\"a^\n\nb\\\\^\"")), "a\nb\\");
}

#[test]
fn methods_follow_what_is_sent() {
    for (text, want) in [
        ("curl a.test", "GET http://a.test"),
        ("curl -I http://a.test/", "HEAD http://a.test/"),
        ("curl -XPUT -d a=1 http://a.test/", "PUT http://a.test/"),
        ("curl http://a.test/ -d a=1 --data b=2", "POST http://a.test/"),
        ("curl -G http://a.test/?x=0 -d a=1 --data-urlencode 'q=b c'", "GET http://a.test/?x=0&a=1&q=b%20c"),
        ("curl -T dir/a.txt http://a.test/up/", "PUT http://a.test/up/a.txt"),
        ("curl -sSLkfX delete http://a.test/1#top", "DELETE http://a.test/1"),
        ("curl --url-query a=b=c http://a.test/", "GET http://a.test/?a=b%3Dc"),
        ("$ /usr/bin/curl.exe http://a.test/ | jq . > out.json", "GET http://a.test/"),
        ("curl http://[::1]:8080/", "GET http://[::1]:8080/"),
    ] {
        let request = one(text);
        assert_eq!(format!("{} {}", request.method, request.url), want, "{text}");
    }
}

#[test]
fn bodies_are_put_together_as_curl_does() {
    let form = "application/x-www-form-urlencoded";
    for (text, mime, want) in [
        ("curl a.test -d a=1 -d b=2", form, "a=1&b=2"),
        ("curl a.test --data-raw @x", form, "@x"),
        ("curl a.test --data-urlencode 'ä b' --data-urlencode '=c&'", form, "%C3%A4%20b&c%26"),
        ("curl a.test --json '{\"a\":' --json '1}'", "application/json", "{\"a\":1}"),
        ("curl a.test -H 'Content-Type: text/plain' -d a", "text/plain", "a"),
    ] {
        let request = one(text);
        assert_eq!((sent(&request, "content-type"), body(&request)), (mime, want), "{text}");
        assert_eq!(request.body.as_ref().unwrap().mime, mime, "{text}");
    }
    let file = one("curl a.test --data-binary @dir/a.json -H 'content-type: application/json'");
    assert_eq!(file.body.unwrap().file.as_deref(), Some("dir/a.json"));
    let upload = one("curl a.test -F note=hi -F 'f=@dir/a.pdf;type=application/pdf' --form-string 'at=@x;y'");
    let fields = upload.body.unwrap().fields;
    let said: Vec<_> =
        fields.iter().map(|field| (field.name.as_str(), field.value.as_str(), field.file_name.as_deref())).collect();
    assert_eq!(said, [("note", "hi", None), ("f", "", Some("dir/a.pdf")), ("at", "@x;y", None)]);
    assert_eq!(fields[1].content_type.as_deref(), Some("application/pdf"));
}

#[test]
fn headers_are_put_together_as_curl_does() {
    let request =
        one("curl a.test -u ann:pw -A agent -e 'http://r.test;auto' -b a=1 -b b=2 -H 'X-Empty;' -H 'Accept:' -r 0-9");
    assert_eq!(sent(&request, "authorization"), "Basic YW5uOnB3");
    assert_eq!((sent(&request, "user-agent"), sent(&request, "referer")), ("agent", "http://r.test"));
    assert_eq!((sent(&request, "cookie"), sent(&request, "range")), ("a=1; b=2", "bytes=0-9"));
    assert_eq!((sent(&request, "x-empty"), sent(&request, "accept")), ("", "-"));
}

#[test]
fn several_urls_and_commands_are_several_entries() {
    let urls = |text: &str| -> Vec<String> {
        read(text)
            .recording
            .entries
            .into_iter()
            .map(|entry| format!("{} {}", entry.request.method, entry.request.url))
            .collect()
    };
    assert_eq!(urls("curl http://a.test/1 http://a.test/2"), ["GET http://a.test/1", "GET http://a.test/2"]);
    assert_eq!(
        urls("curl -d a http://a.test/1 --next http://a.test/2"),
        ["POST http://a.test/1", "GET http://a.test/2"]
    );
    assert_eq!(
        urls("curl http://a.test/1 &\ncurl -I 'http://a.test/2' &"),
        ["GET http://a.test/1", "HEAD http://a.test/2"]
    );
    assert_eq!(read("curl https://shop.test:8443/").recording.name, "shop.test");
}

#[test]
fn what_is_not_taken_over_is_said() {
    let copied = read(
        "curl --post301 -k -o out --max-time 3 -c jar -b cookies.txt -H 'Accept:' 'http://a.test/{1,2}' 2>&1 | tee \"$X\"",
    );
    for word in [
        "`--post301`",
        "the header `accept` is sent all the same",
        "`|`",
        "--insecure",
        "timeout",
        "jar",
        "cookies.txt",
        "several URLs",
    ] {
        assert!(copied.notes.iter().any(|note| note.contains(word)), "{word} in {:?}", copied.notes);
    }
    assert!(!copied.notes.iter().any(|note| note.contains("`-o`") || note.contains("$X")));
    let notes = read("curl -L http://a.test/ > out.txt").notes;
    assert!(notes.is_empty(), "{notes:?}");
    let variables = read("curl \"http://a.test/?$filter=1&$x=$y\" -H 'a: $single' -H \"b: ${z} \\$escaped $ 5$\"");
    assert_eq!(variables.recording.entries[0].request.url, "http://a.test/?$filter=1&$x=$y");
    let named: Vec<&str> = variables.notes.iter().filter_map(|note| note.split('`').nth(1)).collect();
    assert_eq!(named, ["$filter", "$x", "$y", "$z"]);
}

/// `-L` holds for what it stands with.
#[test]
fn redirects_are_followed_where_the_command_says_so() {
    let follows = |text: &str| -> Vec<bool> {
        let entries = read(text).recording.entries;
        entries.iter().map(|entry| entry.is_to_follow).collect()
    };
    assert_eq!(follows("curl -sL http://a.test/1 http://a.test/2"), [true, true]);
    assert_eq!(follows("curl --location-trusted http://a.test/1"), [true]);
    assert_eq!(follows("curl -L http://a.test/1 --next http://a.test/2"), [true, false]);
    assert_eq!(follows("curl --no-location http://a.test/1"), [false]);
}

/// A login in the URL is a header, unless the command has another one.
#[test]
fn a_login_in_a_url_is_sent_as_curl_sends_it() {
    for (text, want) in [
        ("curl http://ann:p%40w@a.test/x", "Basic YW5uOnBAdw=="),
        ("curl -u ann:pw http://bob:no@a.test/x", "Basic YW5uOnB3"),
        ("curl -H 'Authorization: Bearer t' http://bob:no@a.test/x", "Bearer t"),
        ("curl -H 'Authorization:' http://bob:no@a.test/x", "-"),
        ("curl http://a.test/x", "-"),
    ] {
        let request = one(text);
        assert_eq!((request.url.as_str(), sent(&request, "authorization")), ("http://a.test/x", want), "{text}");
    }
}

/// What goes to files and other programs is no part of the request; what follows the name of a file is.
#[test]
fn redirections_of_a_shell_take_one_word() {
    for text in [
        "curl http://a.test/ > out.txt -H 'x: 1'",
        "curl http://a.test/ -H 'x: 1' 2>/dev/null",
        "curl 2>&1 >>out.txt http://a.test/ -H 'x: 1'",
        "curl http://a.test/ -H 'x: 1' &> out.txt",
        "curl http://a.test/ -H 'x: 1' 2>&1 |& grep -v `date` $(true)",
        "curl http://a.test/ -H 'x: 1' || echo failed",
    ] {
        let request = one(text);
        assert_eq!((request.url.as_str(), sent(&request, "x")), ("http://a.test/", "1"), "{text}");
    }
    assert_eq!(read("curl http://a.test/1 | jq .\ncurl http://a.test/2").recording.entries.len(), 2);
    assert!(read("curl http://a.test/ < in.txt").notes[0].contains("`<`"));
}

#[test]
fn every_error_says_where() {
    let errors =
        |text: &str| -> Vec<String> { curl::read(text).unwrap_err().iter().map(ToString::to_string).collect() };
    let several = errors("curl --frobnicate -H nonsense --digest ftp://a.test/ --compresed");
    assert_eq!(several.len(), 5, "{several:?}");
    for (error, words) in several.iter().zip([
        ["character 6", "frobnicate"],
        ["character 22", "nonsense"],
        ["character 31", "digest"],
        ["character 54", "--compressed"],
        ["character 40", "ftp"],
    ]) {
        assert!(words.iter().all(|word| error.contains(word)) && error.contains("help: "), "{error}");
    }
    for (text, word) in [
        ("curl", "no URL"),
        ("", "no URL"),
        ("curl 'http://a.test", "never closed"),
        ("curl http://a.test -d", "no value"),
        ("fetch(\"http://a.test\")", "JavaScript"),
        ("Invoke-WebRequest -Uri x", "PowerShell"),
        ("wget -q http://a.test", "`wget` is not curl"),
        ("curl -d @a -d b=1 http://a.test", "cannot be joined"),
        ("curl 'http://'", "not a URL"),
        ("curl http://a.test/?a=1&b=2", "in quotes"),
        ("curl http://a.test/ -d a -F b=@c", "in one request"),
        ("curl http://a.test/ -F b=@c -T d", "in one request"),
        ("curl http://a.test/ --json 1 -T d", "in one request"),
        ("curl http://a.test/ -G -F b=c", "`-G`"),
        ("curl http://a.test/ -G -d @c", "into a URL"),
        ("curl http://a.test/ -I -d c", "`-I`"),
        ("curl http://a.test/ -d @-", "standard input"),
        ("curl http://a.test/ -T -", "standard input"),
        ("curl http://a.test/ -F a=@-", "standard input"),
        ("curl http://a.test/ -H 'Bad Name: x'", "`Bad Name`"),
        ("curl http://a.test/ -H 'Bad Name;'", "`Bad Name`"),
        ("curl http://a.test/$(id)", "`$(`"),
        ("curl \"http://a.test/`id`\"", "```"),
    ] {
        let found = errors(text);
        assert!(found.len() == 1 && found[0].contains(word), "{text}: {found:?}");
    }
}

#[test]
fn words_of_a_shell_are_read_as_they_are() {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        curl::read_words(&words)
    };
    let want = read("curl -d 'a b' 'http://a.test/'").recording;
    assert_eq!(words(&["curl", "-d", "a b", "http://a.test/"]).unwrap().recording, want);
    assert_eq!(words(&["-d", "a b", "http://a.test/"]).unwrap().recording, want);
    assert_eq!(words(&["curl -d 'a b' 'http://a.test/'"]).unwrap().recording, want);
    assert_eq!(words(&["http://a.test/"]).unwrap().recording.entries.len(), 1);
    assert_eq!(words(&["curl", "-H"]).unwrap_err()[0].at, "argument 2");
}

/// What no header can hold is said here, and not by the plan.
#[test]
fn line_breaks_in_headers_are_errors() {
    for option in
        ["-H $'a: b\\nc: d'", "-b $'a=1\\r\\nb=2'", "-A $'x\\ny'", "-e $'http://a.test/\\n?q'", "-r $'0-1\\n2-3'"]
    {
        let found = curl::read(&format!("curl {option} http://a.test/")).unwrap_err();
        assert!(found.len() == 1 && found[0].what.contains("line break"), "{option}: {found:?}");
    }
    assert_eq!(sent(&one("curl -H $'a: b\\r\\n' http://a.test/"), "a"), "b");
}

proptest! {
    /// Whatever a word holds, it comes back out of the quotes of bash.
    #[test]
    fn quoted_words_are_read_back(data in "\\PC{1,20}", ansi: bool) {
        let quoted = match ansi {
            true => format!("$'{}'", data.replace('\\', "\\\\").replace('\'', "\\'")),
            false => format!("'{}'", data.replace('\'', "'\\''")),
        };
        prop_assume!(!data.contains("^\"") && !data.ends_with(" ^"));
        let text = format!("curl http://a.test/ --data-raw {quoted}");
        let request = one(&text);
        prop_assert_eq!(body(&request), data);
    }

    /// As Chrome escapes for `cmd.exe`.
    #[test]
    fn escaped_words_of_cmd_are_read_back(data in "[ -~]{1,20}") {
        let escaped = data.replace('\\', "\\\\").replace('"', "\\\"");
        let carets: String = escaped.chars().map(|c| if c.is_ascii_alphanumeric() || c == ' ' { c.to_string() } else { format!("^{c}") }).collect();
        let text = format!("curl ^\"http://a.test/^\" --data-raw ^\"{carets}^\"");
        let request = one(&text);
        prop_assert_eq!(body(&request), data);
    }

    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,40}", made in "(curl |-[a-zA-Z:#0-9]|--[a-z]{1,9} |'|\"|\\$'|\\\\|\\^|@|=|;|\n|http://a |\\\\u|\\\\x){0,20}") {
        let _ = curl::read(&text);
        let _ = curl::read(&made);
        let _ = curl::read(&format!("curl {made}"));
        let _ = curl::read_words(&made.split(' ').map(str::to_owned).collect::<Vec<_>>());
    }
}
