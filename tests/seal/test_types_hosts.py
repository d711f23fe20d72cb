from __future__ import annotations

import pytest

from discreet.errors import InvalidInputError
from discreet.seal.types import forget_hosts, register_hosts, value_type


def test_hosts_of_the_program_are_registered():
    """Any other host may be from a customer's link."""
    kind = value_type("origin")
    try:
        register_hosts(["DB.example.org", "*.example.net", "2001:4860::1"])
        urls = ["https://db.example.org", "https://eu.example.net:8443", "http://[2001:4860::1]:80"]
        assert [kind.safe(f"{url}/x") for url in urls] == urls
        assert kind.safe("https://a.eu.example.net") == kind.safe("https://example.org/x") == "https://<host>"
        with pytest.raises(InvalidInputError, match=r"names\[1\]"):
            register_hosts(["ours", "not a host"])
        assert value_type("host").safe("not.ours.example") == "<host>"
    finally:
        forget_hosts()
    assert kind.safe("https://db.example.org") == "https://<host>"
