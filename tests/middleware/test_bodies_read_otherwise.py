"""What a framework may read in a body in another way than the next one does: it is registered too, or known to miss."""

from __future__ import annotations

import base64
import encodings
import gzip
import json

import pytest

from discreet.instrument.bodies import Body, read_body, read_piece
from discreet.instrument.fields import MAX_TEXTS, Texts, pairs
from discreet.matching import Index
from tests.middleware.test_bodies import parts

WHO = "Jörgen Haldenwang"
SAID = f"{WHO} keeps a heron in the pantry"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=mark"
FIELD = 'Content-Disposition: form-data; name="text"'
FILE = 'Content-Disposition: form-data; name="document"; {}\r\nContent-Type: text/plain'


def read(data: bytes, kind: str, encoding: str = "") -> Texts:
    texts = Texts()
    read_body(Body(data, kind, encoding), texts, 10_000)
    return texts


def is_kept(texts: Texts, value: str) -> bool:
    """Tell whether match mode keeps a value back."""
    return texts.incomplete or Index(texts.found).find(value) is not None


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (parts((f"{FIELD}\r\nContent-Transfer-Encoding: base64", base64.b64encode(WHO.encode()))), PARTS),
        (parts((f"{FIELD}\r\nContent-Transfer-Encoding: quoted-printable", b"J=C3=B6rgen")), PARTS),
        (parts((FIELD, WHO.encode("latin-1"))), PARTS),
        (parts((f"{FIELD}\r\nContent-Type: text/csv; charset=koi8-r", WHO.encode("latin-1"))), PARTS),
        (parts((FIELD, WHO.encode())), f"{PARTS}; charset=utf-7"),
        (parts((FIELD, WHO.encode())).replace(b"\r\n", b"\n"), PARTS),
        (parts((FIELD, WHO.encode())), f"{PARTS}; boundary=other"),
        (parts((FIELD, WHO.encode()))[:-8], PARTS),
        (parts((FIELD, b"a heron\r\n--market day\r\n\r\nof words")), PARTS),
        (f"text={WHO}".encode("latin-1"), FORM),
        (b"text=J%F6rgen+Haldenwang", FORM),
        (b"text=a+heron", f"{FORM}; charset=shift_jis"),
        (f"text={WHO}".encode(), f"{FORM}; charset=no-such-thing"),
        (b"\x0a\x41Haldenwang", "application/x-protobuf"),
        (json.dumps({"file": base64.b64encode(bytes(range(256))).decode()}).encode(), JSON),
        (b'{"scan": "data:image/png;base64,iVBORw0KGgo="}', JSON),
    ],
    ids=[
        "base64",
        "quoted-printable",
        "latin-1",
        "says an encoding",
        "all in an encoding",
        "other line ends",
        "two boundaries",
        "cut",
        "boundary within a word",
        "bytes in a form",
        "other encoding in a form",
        "form says an encoding",
        "form says what is none",
        "binary",
        "file in JSON",
        "address of data in JSON",
    ],
)
def test_it_is_known_that_not_all_texts_are_known(data: bytes, kind: str) -> None:
    """Where the application may read something that isn't read here."""
    assert read(data, kind).incomplete


@pytest.mark.parametrize(
    ("data", "kind", "value"),
    [
        (f"text={WHO}".encode(), FORM, WHO),
        (f"text={WHO}".encode(), FORM, WHO.encode().decode("latin-1")),
        (b"haldenwang", FORM, "haldenwang"),
        (
            b'{"text": "the heron of Haldenwang", "text": "seven", "n": {"text": "eight"}}',
            JSON,
            "the heron of Haldenwang",
        ),
        (b'{"text": "the heron of Haldenwang", "text": "seven"}', JSON, "seven"),
        (json.dumps({"words": SAID.split()}).encode(), JSON, SAID),
        (json.dumps({"words": list(SAID)}).encode(), JSON, WHO),
        (json.dumps({"file": base64.b64encode(SAID.encode()).decode()}).encode(), JSON, WHO),
        (json.dumps({"file": base64.urlsafe_b64encode(SAID.encode()).decode().rstrip("=")}).encode(), JSON, WHO),
        (
            json.dumps({"file": f"data:text/plain;base64,{base64.b64encode(SAID.encode()).decode()}"}).encode(),
            JSON,
            WHO,
        ),
        (json.dumps({"file": base64.encodebytes((SAID * 5).encode()).decode()}).encode(), JSON, WHO),
        (parts((FILE.format(r'filename="C:\fakepath\heron diary.txt"'), b"")), PARTS, "heron diary.txt"),
        (parts((FILE.format(r'filename="the \"heron\" diary.txt"'), b"")), PARTS, 'the "heron" diary.txt'),
        (
            parts((FILE.format("""filename="a.txt"; filename*=UTF-8''J%C3%B6rgens%20heron.txt"""), b"")),
            PARTS,
            "Jörgens heron.txt",
        ),
        (parts((FILE.format("filename=heron diary.txt"), b"")), PARTS, "heron diary.txt"),
        (parts((FILE.format('\r\n filename="heron diary.txt"'), b"")), PARTS, "heron diary.txt"),
        (
            parts((FILE.format('filename*0="heron "; filename*1="diary.txt"'), b"")),
            PARTS,
            "heron diary.txt",
        ),
        (parts((FILE.format("filename*=ISO-8859-1''J%F6rgens%20heron.txt"), b"")), PARTS, "Jörgens heron.txt"),
        (parts((FIELD, WHO.encode())).replace(b"--mark\r\n", b"--mark \t\r\n"), PARTS, WHO),
    ],
)
def test_a_value_is_kept_however_a_framework_reads_it(data: bytes, kind: str, value: str) -> None:
    """Both of two names of a file, both values of a key that is there twice, and what base64 stands for."""
    texts = read(data, kind)

    assert is_kept(texts, value)
    assert not Index(texts.found).find("a walrus in the attic")


def test_all_members_of_a_gzip_body_are_read() -> None:
    """A program may write one after the other, and all of them together may be too long."""
    body = gzip.compress(b'{"text": ') + gzip.compress(json.dumps(SAID).encode() + b"}")

    assert read(body, JSON, "gzip").found == [("body.text", SAID)]
    assert read(gzip.compress(b"x" * 6_000) * 2, "text/plain", "gzip").incomplete


def test_a_query_without_a_key_is_a_text() -> None:
    """Also a word that a program may have as a key; with an equals sign it is one."""
    texts = Texts()
    pairs("haldenwang&page=&boats=two+herons", "query", texts)

    assert texts.found == [("query[0]", "haldenwang"), ("query[2]", "two herons")]
    assert not texts.incomplete


@pytest.mark.parametrize("query", ["q=J%F6rgen", "%E9t%E9=1"])
def test_a_query_in_another_encoding_is_not_known(query: str) -> None:
    """Only the application knows which one."""
    texts = Texts()
    pairs(query, "query", texts)

    assert texts.incomplete


@pytest.mark.parametrize(
    ("body", "incomplete"),
    [
        (Body(SAID.encode()[:2], JSON, ""), False),
        (Body(gzip.compress(SAID.encode())[:20], JSON, "gzip"), True),
        (Body(b"heron", JSON, "gzip"), True),
        (Body(f"--mark\r\n{FIELD}\r\n\r\n".encode() + b"\x89PNG", PARTS, ""), True),
        (Body(WHO.encode("latin-1"), "text/plain", ""), True),
    ],
    ids=["half a character", "gzip", "said to be", "file", "latin-1"],
)
def test_a_body_that_still_comes(body: Body, incomplete: bool) -> None:
    """It is looked for as it is, as long as that is a text; its last character may be half there."""
    texts = Texts()
    read_piece(body, texts)

    assert (texts.found, texts.incomplete) == ([("body", body.data)], incomplete)


def test_names_of_encodings_that_a_client_makes_up_are_not_remembered() -> None:
    """Python keeps each that was looked up, and a client may send any number."""
    for number in range(3):
        read(b"heron", f"text/plain; charset=heron-{number}")

    assert not [name for name in encodings._cache if "heron" in name]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"a&" * 20_000, FORM),
        (b"who=heron&" * 5_000, FORM),
        (b'{"who": "heron"}\n' * 5_000, "application/x-ndjson"),
        (b"--mark\r\n\r\nheron\r\n" * 5_000 + b"--mark--\r\n", PARTS),
        (json.dumps([{"who": "heron"}] * 5_000).encode(), JSON),
    ],
    ids=["keys", "form", "lines", "parts", "JSON"],
)
def test_of_very_many_the_first_are_read(data: bytes, kind: str) -> None:
    """The others take longer to be read than a request lasts, and it is known that they are missing."""
    texts = read(data, kind)

    assert texts.incomplete
    assert len(texts.found) <= MAX_TEXTS
