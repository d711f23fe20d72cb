"""C08: a SocketHandler pickles the attributes of a record, all of them, and sends them off."""

import logging
import logging.handlers
import pickle
import socket

from _common import OUT, codes

CASE = {
    "id": "C08",
    "group": "C",
    "kind": "both",
    "right": ("What leaves by a socket is as clean as a line, and a receiver can still unpickle it."),
    "min_records": 2,
}
SECRETS = ["marshwright", "corncrakes"]


def emit() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    log = logging.getLogger("app.socket")
    handler = logging.handlers.SocketHandler("127.0.0.1", server.getsockname()[1])
    log.addHandler(handler)
    try:
        log.info("asked by %s", "marshwright", extra=codes(prompt="corncrakes", n=4))
        try:
            raise KeyError("corncrakes")
        except KeyError:
            log.exception("failed", extra=codes(error=True))
    finally:
        log.removeHandler(handler)
        handler.close()
    connection, _ = server.accept()
    with server, connection, connection.makefile("rb") as stream:
        sent = stream.read()
    (OUT / "socket.bin").write_bytes(sent)
    fields = pickle.loads(sent[4 : 4 + int.from_bytes(sent[:4], "big")])
    assert fields["name"] == "app.socket"
    assert logging.makeLogRecord(fields).levelno == logging.INFO
