"""Which texts a request's body, query string and path have, and at which places."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from discreet.instrument.bodies import Body, read_body, read_message
from discreet.instrument.fields import MAX_TEXTS, Texts, pairs, path_texts
from tests.middleware.driving import ASKED, OTHER

UUID = "0192d1b4-7c1c-7d55-9d6c-0d9f7c6e2a11"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


def read(data: bytes | str, kind: str = "", encoding: str = "", public: tuple[str, ...] = ()) -> Texts:
    texts = Texts(public)
    read_body(Body(data if isinstance(data, bytes) else data.encode(), kind, encoding), texts, 10_000)
    return texts


def parts(*pieces: tuple[str, bytes], boundary: str = "mark") -> bytes:
    whole = b"".join(
        b"--" + boundary.encode() + b"\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n"
        for head, content in pieces
    )
    return whole + b"--" + boundary.encode() + b"--\r\n"


@pytest.mark.parametrize(
    ("data", "kind", "found"),
    [
        (json.dumps({"question": ASKED}), JSON, [("body.question", ASKED)]),
        (json.dumps(ASKED), JSON, [("body", ASKED)]),
        (
            json.dumps({"messages": [{"role": "user", "content": ASKED}, {"content": [{"text": OTHER}]}], "k": 7}),
            "application/vnd.orchard+json; charset=utf-8",
            [
                ("body.messages[0][0]", "user"),
                ("body.messages[0].content", ASKED),
                ("body.messages[1].content[0].text", OTHER),
            ],
        ),
        (
            json.dumps({ASKED: 1, "tags": {"x": OTHER}, "Osbert": 2}),
            JSON,
            [("body[0]", ASKED), ("body[2]", "Osbert"), ("body[1][0]", OTHER)],
        ),
        ('{"question": "' + ASKED + '", "score": NaN}', JSON, [("body.question", ASKED)]),
        (json.dumps({"question": "\ud83d no pair"}), JSON, [("body.question", "\ud83d no pair")]),
        (f'{{"question": "{ASKED}"', JSON, [("body", f'{{"question": "{ASKED}"')]),
        (json.dumps({"question": ASKED}), "", [("body.question", ASKED)]),
        (
            f'{{"text": "{ASKED}"}}\n{{"text": "{OTHER}"}}\n',
            "application/x-ndjson",
            [("body.text", ASKED), ("body.text", OTHER)],
        ),
        (json.dumps({"id": UUID, "flag": True, "empty": "", "one": "x"}), JSON, []),
        (ASKED, "text/plain", [("body", ASKED)]),
        (ASKED.encode("utf-16"), "text/plain; charset=utf-16", [("body", ASKED)]),
        (
            "na\xefve caf\xe9 owner".encode("latin-1"),
            'text/plain; charset="iso-8859-1"',
            [("body", "naïve café owner")],
        ),
        (ASKED, "text/plain; charset=no-such-thing", [("body", ASKED)]),
        (ASKED, "application/octet-stream", [("body", ASKED)]),
        (
            f"text={ASKED.replace(' ', '+')}&page=3&q=Osbert%20swore",
            FORM,
            [("form.text", ASKED), ("form.q", "Osbert swore")],
        ),
        (b"", JSON, []),
    ],
)
def test_the_texts_of_a_body_by_its_content_type(data: bytes | str, kind: str, found: list[tuple[str, str]]) -> None:
    """Values of JSON and of forms at their keys, other text as a whole; nothing that a machine made."""
    texts = read(data, kind)

    assert (texts.found, texts.incomplete) == (found, False)


def test_the_fields_of_a_form_in_parts() -> None:
    """Texts at their names, the names of files, and files of text; names of customers' own by number."""
    data = parts(
        ('Content-Disposition: form-data; name="text"', ASKED.encode()),
        (f'Content-Disposition: form-data; name="{OTHER}"', b"7"),
        (
            'content-disposition: form-data; name="document"; filename="osbert.txt"\r\nContent-Type: text/plain',
            b"The cat",
        ),
        (
            'Content-Disposition: form-data; name="metadata"\r\nContent-Type: application/json',
            b'{"title": "Gooseberries"}',
        ),
    )

    texts = read(data, 'multipart/form-data; boundary="mark"')

    assert texts.found == [
        ("form.text", ASKED),
        ("form[1]", OTHER),
        ("form.document", "osbert.txt"),
        ("form.document", "The cat"),
        ("form.metadata.title", "Gooseberries"),
    ]
    assert not texts.incomplete


@pytest.mark.parametrize(
    ("data", "kind", "encoding", "found"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png", "", ["body"]),
        (ASKED.encode(), "text/plain", "br", []),
        (gzip.compress(b"x" * 10_001), "text/plain", "gzip", []),
        (gzip.compress(ASKED.encode())[:-9], "text/plain", "gzip", []),
        (b"no zip at all", "text/plain", "deflate", []),
        (
            parts(
                (
                    'Content-Disposition: form-data; name="scan"; filename="will.pdf"\r\nContent-Type: application/pdf',
                    b"%",
                )
            ),
            "multipart/form-data; boundary=mark",
            "",
            ["form[0]"],
        ),
        (ASKED.encode(), "multipart/form-data", "", ["body"]),
        (
            json.dumps(["abc"] * (MAX_TEXTS + 1)).encode(),
            JSON,
            "",
            ["body", *(f"body[{n}]" for n in range(MAX_TEXTS - 1))],
        ),
    ],
    ids=["image", "unknown encoding", "too long", "cut", "not encoded", "file", "no boundary", "too many"],
)
def test_what_cannot_be_read_is_told(data: bytes, kind: str, encoding: str, found: list[str]) -> None:
    """Then not all texts are known, whatever was found."""
    texts = read(data, kind, encoding)

    assert ([place for place, _ in texts.found], texts.incomplete) == (found, True)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_encoded_bodies_are_undone(pack: object) -> None:
    """As far as the standard library can."""
    assert read(pack(ASKED.encode()), "text/plain", "GZIP").found == [("body", ASKED)]  # type: ignore[operator]


def test_public_places_are_left_out() -> None:
    """By keys without the numbers of lists, and with all below them."""
    public = ("body.model", "body.messages.role", "body.options", "form.mode", "query.page")
    value = {"model": "heron-3", "messages": [{"role": "user", "content": ASKED}], "options": {"language": "Dutch"}}

    assert read(json.dumps(value), JSON, public=public).found == [("body.messages[0].content", ASKED)]
    assert read("mode=quick&text=Osbert", FORM, public=public).found == [("form.text", "Osbert")]
    texts = Texts(public)
    pairs("page=eleven&q=trombone", "query", texts)
    assert texts.found == [("query.q", "trombone")]


def test_a_message_is_json_or_text() -> None:
    """Whatever form it comes in."""
    texts = Texts()
    for message in (json.dumps({"question": ASKED}), OTHER, OTHER.encode(), "half a pair: \ud83d"):
        read_message(message, texts)

    assert texts.found[:3] == [("message.question", ASKED), ("message", OTHER), ("message", OTHER)]


def test_of_a_path_what_is_not_the_applications_own() -> None:
    """Nor an identifier, which records may have."""
    texts = Texts()
    path_texts("/people/Rosalind/notes/4711/" + UUID, "/people/{name}/notes/{note}/{part}", texts)
    path_texts("/search/trombone", "/…", texts)

    assert texts.found == [
        ("path[1]", "Rosalind"),
        ("path[0]", "search"),
        ("path[1]", "trombone"),
        ("path[0]", "search/trombone"),
    ]


def test_a_row_of_parts_of_a_path_is_a_text_too() -> None:
    """A slot may stand for several, and a record have them as they stand there; a row of identifiers is none."""
    texts = Texts()
    path_texts("/shelf/Ada/Bo/7/list/4711/4712/", "/shelf/{who:path}/list/{numbers:path}", texts)

    assert texts.found == [("path[1]", "Ada"), ("path[2]", "Bo"), ("path[1]", "Ada/Bo/7")]


def test_a_body_that_is_nested_very_deep_is_read() -> None:
    """As deep as the parsers go; deeper it is a text."""
    deep = "[" * 900 + json.dumps(ASKED) + "]" * 900
    deeper = "[" * 200_000

    assert [text for _, text in read(deep, JSON).found] == [ASKED]
    assert [text for _, text in read(deeper, JSON).found] == [deeper]
