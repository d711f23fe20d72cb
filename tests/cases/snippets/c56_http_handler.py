"""C56: an HTTPHandler sends every attribute of a record as a form."""

import http.server
import logging
import logging.handlers
import threading

from _common import OUT, codes

CASE = {
    "id": "C56",
    "group": "C",
    "kind": "both",
    "right": "The form has the sealed record, and the server still gets its fields.",
    "min_records": 1,
}
SECRETS = ["oystercatch", "greenshanks"]


def emit() -> None:
    received: list[bytes] = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    log = logging.getLogger("app.http")
    target = f"127.0.0.1:{server.server_port}"
    handler = logging.handlers.HTTPHandler(target, "/logs", "POST")
    log.addHandler(handler)
    try:
        log.warning("about %s", "oystercatch", extra=codes(warning=True, prompt="greenshanks"))
    finally:
        log.removeHandler(handler)
        server.shutdown()
        thread.join()
        server.server_close()
    (OUT / "form.txt").write_bytes(b"\n".join(received))
    assert b"name=app.http" in received[0]
