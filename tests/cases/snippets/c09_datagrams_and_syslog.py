"""C09: datagrams and syslog: pickled attributes, and a formatted line, over UDP."""

import logging
import logging.handlers
import socket

from _common import OUT, codes

CASE = {
    "id": "C09",
    "group": "C",
    "kind": "leak",
    "right": "Handlers that send are guarded as those that write.",
    "min_records": 1,
}
SECRETS = ["fernwhistle", "tollgate-rue"]


def emit() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(5)
        host, port = receiver.getsockname()
        log = logging.getLogger("app.udp")
        senders: list[logging.Handler] = [
            logging.handlers.DatagramHandler(host, port),
            logging.handlers.SysLogHandler((host, port)),
        ]
        for sender in senders:
            log.addHandler(sender)
        try:
            log.error("from %s", "fernwhistle", extra=codes(error=True, prompt="tollgate-rue"))
        finally:
            for sender in senders:
                log.removeHandler(sender)
                sender.close()
        sent = [receiver.recv(65_536) for _ in senders]
    (OUT / "udp.bin").write_bytes(b"\n".join(sent))
    assert any(b"from " in packet for packet in sent)
