# Varnish in front of the shop. BACKEND_PORT is filled in by story.sh.
vcl 4.1;

backend shop {
    .host = "127.0.0.1";
    .port = "BACKEND_PORT";
}

sub vcl_recv {
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # Files are the same for everybody, whoever asks.
    if (req.url ~ "\.(css|js|png|jpg|webp|woff2)$") {
        unset req.http.Cookie;
        return (hash);
    }
    # A page is the same for all who have no session. With one it is left to the shop.
    if (req.http.Cookie ~ "(^|; *)sid=") {
        return (pass);
    }
    unset req.http.Cookie;
    return (hash);
}

sub vcl_backend_response {
    # A page that begins a session holds a token of one visitor: never for another one.
    if (beresp.http.Set-Cookie) {
        set beresp.uncacheable = true;
        set beresp.ttl = 2m;
        return (deliver);
    }
    if (beresp.status == 200) {
        # Browsers still ask about their copies, as the shop's Cache-Control tells them: Varnish answers.
        set beresp.ttl = 5m;
        set beresp.grace = 1m;
        return (deliver);
    }
}
