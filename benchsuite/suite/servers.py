"""What is loaded: nginx with a tiny reply, and the calibrated target."""

import contextlib
import json
import os
import shutil
import tempfile
import urllib.request

from suite.process import Failure, free_port, server

NGINX = """
daemon off;
master_process off;
worker_processes 1;
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
    listen 127.0.0.1:{port} backlog=4096;
    location / {{ default_type text/plain; return 200 "ok"; }}
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
def nginx(cpu):
    """nginx with one worker on processor `cpu`, kept connections without limit. Gives its URL."""
    with tempfile.TemporaryDirectory() as directory:
        port = free_port()
        config = os.path.join(directory, "nginx.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(NGINX.format(directory=directory, port=port))
        error_log = os.path.join(directory, "error.log")
        with server([find_nginx(), "-p", directory, "-e", error_log, "-c", config], cpu, port):
            yield f"http://127.0.0.1:{port}/"


@contextlib.contextmanager
def target(nmax, service, cpu):
    """`nmax target` with the service time `service` on processor `cpu`. Gives its URL."""
    port = free_port()
    command = [nmax, "target", "--listen", f"127.0.0.1:{port}", "--service", service]
    with server(command, cpu, port):
        yield f"http://127.0.0.1:{port}/"


def truth(url):
    """What the target at `url` knows about itself since it started."""
    with urllib.request.urlopen(url + "_truth", timeout=10) as reply:
        return json.load(reply)
