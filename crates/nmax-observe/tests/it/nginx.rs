//! nginx with `stub_status`.

use std::fs;
use std::io::{Read as _, Write};
use std::net::TcpStream;
use std::process::Command;

use nmax_plan::plan::ObservedSource;
use nmax_sources::kinds::*;

use crate::ports::free_port;
use crate::server::{Folder, Server, program};
use crate::{Figures, Read};

fn start(folder: &Folder, port: u16) -> Server {
    let configuration = format!(
        "daemon off; worker_processes 1; pid {0}/pid; error_log {0}/error.log; events {{ worker_connections 64; }}\n\
         http {{ access_log off; client_body_temp_path {0}/b; proxy_temp_path {0}/p; fastcgi_temp_path {0}/f;\n\
         uwsgi_temp_path {0}/u; scgi_temp_path {0}/s;\n\
         server {{ listen 127.0.0.1:{port}; location / {{ return 200; }}\n\
         location = /status {{ stub_status; auth_basic it; auth_basic_user_file {0}/users; }} }} }}\n",
        folder.0.display()
    );
    fs::write(folder.file("nginx.conf"), configuration).unwrap();
    fs::write(folder.file("users"), "monitor:{PLAIN}s3cret\n").unwrap();
    let mut command = Command::new(program("nginx", "nginx-light"));
    command.arg("-p").arg(&folder.0).arg("-e").arg(folder.file("error.log"));
    command.arg("-c").arg(folder.file("nginx.conf"));
    Server::start(command, &folder.0, port)
}

fn get(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
}

#[test]
fn requests_are_counted_and_an_end_is_no_end() {
    let (folder, port) = (Folder::new("nginx"), free_port());
    let server = start(&folder, port);
    let status = |user: &str, path: &str| ObservedSource::at(&NGINX, &format!("http://{user}127.0.0.1:{port}{path}"));
    let mut source = Read::every_second(status("monitor:s3cret@", "/status"));
    source.figures();
    (0..50).for_each(|_| get(port));
    let figures = source.figures();
    assert_eq!(figures.get("operations it requests", "operations_per_s"), 50.0);
    assert_eq!(figures.get("nginx it", "accepted_per_s"), 50.0);
    assert_eq!(figures.get("nginx it", "dropped_per_s"), 0.0);

    let trouble = Read::every_second(status("monitor:wrong@", "/status")).trouble();
    assert!(trouble.is_final && trouble.text.contains("401"), "{trouble}");
    assert!(!trouble.text.contains("wrong"), "{trouble}");
    let trouble = Read::every_second(status("", "/")).trouble();
    assert!(trouble.text.contains("is not a page of `stub_status`"), "{trouble}");

    drop(server);
    source.is_away();
    let _server = start(&folder, port);
    // Its counters began again, and nobody knows when.
    let Figures(first) = source.figures();
    assert!(first.iter().all(|reading| reading.metric != "operations_per_s"), "{first:#?}");
    let figures = source.figures();
    assert!(figures.get("operations it requests", "operations_per_s") < 5.0);
}
