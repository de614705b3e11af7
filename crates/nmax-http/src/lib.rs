//! HTTP/1.1 client: sans-I/O codec, URLs, cookies, TLS, DNS and connections with phases.
