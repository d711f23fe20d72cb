"""httpx: texts in URLs, headers, cookies and bodies, and what it raises about them."""

from __future__ import annotations

import httpx

import discreet
from tests.worlds.libraries.telling import World, failing, log_of

log = log_of(__name__)


def run(world: World) -> None:
    """Send every text in every place."""
    with httpx.Client(follow_redirects=True, timeout=20) as client:
        for text in world.texts:
            plain = text.encode("ascii", "ignore").decode()
            for path in ("status/200", "status/404", "status/503", "json", "odd", "again/"):
                with discreet.customer_text(question=text, chunks=world.texts), failing(log, text):
                    answer = client.get(f"{world.url}/{path}", params={"q": text}, headers={"X-Asked": repr(plain)})
                    log.debug("%s gave %s with %s", answer.request.url, answer, answer.headers)
                    answer.raise_for_status()
                    log.info("read %s", answer.json())
            for wrong in (f"http://[{text}]/", f"{text}://host/", f"http://127.0.0.1:1/{text}", f"//{plain}:{text}"):
                with discreet.customer_text(question=text), failing(log, text):
                    client.get(wrong)
            with discreet.customer_text(question=text), failing(log, text):
                client.get(world.url, headers={text: text})
            with discreet.customer_text(question=text), failing(log, text):
                client.send(httpx.Request(plain or "GET", world.url, cookies={"asked": plain}))
