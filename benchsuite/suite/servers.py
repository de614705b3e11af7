"""What is loaded: nginx with a tiny reply, and the calibrated target."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import urllib.request

from suite.process import Failure, free_port, server

NGINX = """
daemon off;
master_process {master};
worker_processes {workers};
worker_rlimit_nofile 30000;
pid {directory}/nginx.pid;
error_log {directory}/error.log;
# More than nmax may have in flight after a stall of the machine.
events {{ worker_connections 20000; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_temp_path {directory}/body;
  proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/fastcgi;
  uwsgi_temp_path {directory}/uwsgi;
  scgi_temp_path {directory}/scgi;
  server {{
    listen 127.0.0.1:{port} backlog=4096{tls};
    default_type text/plain;
    location / {{ return 200 "{body}"; }}
    location /visit {{ add_header Set-Cookie "visitor=$connection; Path=/"; return 200 "ok"; }}
    location /count {{ stub_status; }}
    location /files/ {{ alias {files}/; }}
    location /item {{
      default_type application/json;
      add_header Set-Cookie "visitor=$connection; Path=/";
      return 200 '{{"item":{{"id":"$request_id","name":"A lamp","price":4900,"stock":[3,0,12]}},"now":$msec}}';
    }}
  }}
}}
"""


def find_nginx():
    """Path of nginx; Debian puts it where only root's PATH looks."""
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    found = shutil.which("nginx", path=path)
    if found is None:
        raise Failure("nginx is missing; run scripts/install-bench-deps.sh")
    return found


@contextlib.contextmanager
def nginx(cpu, tls=False, workers=1, files="/nonexistent", body="ok"):
    """nginx with so many workers on processor `cpu`, or on those of a set, kept connections without limit. Gives its URL.

    Its reply to `/` is `body`. The folder `files` is served under `/files/`.
    """
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        if tls:
            _certificate(directory)
        certificate = f" ssl;\n    ssl_certificate {directory}/cert.pem;\n    ssl_certificate_key {directory}/key.pem"
        config = os.path.join(directory, "nginx.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(NGINX.format(directory=directory, port=port, tls=certificate if tls else "", workers=workers, files=files, body=body,
                                    master="off" if workers == 1 else "on"))
        error_log = os.path.join(directory, "error.log")
        with server([find_nginx(), "-p", directory, "-e", error_log, "-c", config], cpu, port):
            yield f"{'https' if tls else 'http'}://127.0.0.1:{port}/"


def _certificate(directory):
    """Writes a key (P-256) and a certificate that it signs itself."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-days", "1", "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "cert.pem"]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise Failure(f"openssl made no certificate:\n{done.stderr}")


def requests(url):
    """Requests that nginx at `url` has had since it started, this one included."""
    with urllib.request.urlopen(url + "count", timeout=10) as reply:
        return int(reply.read().decode().splitlines()[2].split()[2])


@contextlib.contextmanager
def target(nmax, service, cpu, *options):
    """`nmax target` with the service time `service` on processor `cpu`. Gives its URL and the number of its process."""
    port = free_port()
    command = [nmax, "target", "--listen", f"127.0.0.1:{port}", "--service", service, *options]
    with server(command, cpu, port) as pid:
        yield f"http://127.0.0.1:{port}/", pid


def truth(url):
    """What the target at `url` knows about itself since it started."""
    with urllib.request.urlopen(url + "_truth", timeout=10) as reply:
        return json.load(reply)
