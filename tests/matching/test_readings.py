"""Registered text is found in whatever form a program wrote it."""

from __future__ import annotations

import base64
import html
import json
import quopri
import urllib.parse

import pytest

from discreet.matching import Index

TEXTS = {
    "german": "Der Schlüssel für das Bootshaus hängt hinter der Tür, größer als üblich.",
    "chinese": "钥匙挂在船屋的门后，请不要把它带走，我们星期三之前要归还。",
    "thai": "กุญแจบ้านเรือแขวนอยู่หลังประตู อย่าเอาไปด้วย",
    "emoji": "The key 🔑 of the boat house 🛶 hangs behind the door 🚪, says Anna.",
    "quotes": 'She said "don\'t touch" the <key> & left\tat 5 % + tax\nbefore noon.',
}
FORMS = {
    "JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps(json.dumps({"text": text})),
    "JSON without escapes": lambda text: json.dumps(text, ensure_ascii=False),
    "repr": repr,
    "ascii": ascii,
    "repr of bytes": lambda text: repr(text.encode()),
    "repr of a repr": lambda text: repr(repr(text)),
    "repr of Latin-1 bytes": lambda text: repr(text.encode("latin-1", "ignore")),
    "percent": urllib.parse.quote,
    "percent, all": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "form": lambda text: urllib.parse.urlencode({"q": text}),
    "form in percent": lambda text: urllib.parse.quote(urllib.parse.urlencode({"q": text})),
    "HTML": html.escape,
    "HTML numbers": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "HTML hexadecimal": lambda text: text.encode("ascii", "xmlcharrefreplace").decode(),
    "XML in JSON": lambda text: json.dumps(f"<p>{html.escape(text)}</p>"),
    "backslash-x": lambda text: "".join(f"\\x{byte:02X}" for byte in text.encode()),
    "octal": lambda text: "".join(f"\\{byte:03o}" if byte > 127 else chr(byte) for byte in text.encode()),
    "braces": lambda text: "".join(f"\\u{{{ord(letter):x}}}" for letter in text),
    "quoted-printable": lambda text: quopri.encodestring(text.encode()).decode(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in lines": lambda text: base64.encodebytes(text.encode()).decode(),
    "base64 behind a path": lambda text: "/v1/x/" + base64.b64encode(text.encode()).decode(),
    "base64 in JSON": lambda text: json.dumps({"data": base64.b64encode(text.encode()).decode()}),
    "stray bytes": lambda text: text.encode().decode("ascii", "surrogateescape"),
    "colours": lambda text: "".join(f"\x1b[31m{letter}\x1b[0m" for letter in text),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_found_in_every_form(name: str, form: str) -> None:
    """By itself and inside a line."""
    text = TEXTS[name]
    written = FORMS[form](text)
    if form == "repr of Latin-1 bytes":
        text = text.encode("latin-1", "ignore").decode("latin-1")
        if len(text) < 30:
            text = written = TEXTS["german"]

    index = Index([("question", text)])

    assert index.find(written) is not None
    assert index.find(f"12:01 request failed: {written} (4 tries)") is not None


@pytest.mark.parametrize("form", FORMS)
def test_another_text_is_not_found_in_any_form(form: str) -> None:
    """The reading alone withholds nothing."""
    index = Index([("question", "Who painted the hull of the third ship, and why was it not paid for?")])

    assert index.find(FORMS[form](TEXTS["german"])) is None


def test_a_request_that_was_registered_as_it_came_is_found_as_it_was_read() -> None:
    """A middleware has the body's bytes; the program logs what it parsed."""
    body = json.dumps({"question": TEXTS["chinese"]}).encode()
    form = urllib.parse.urlencode({"question": TEXTS["german"]}).encode()
    index = Index([("body", body), ("form", form)])

    found = [index.find(TEXTS["chinese"]), index.find(TEXTS["german"])]

    assert [match.place if match else None for match in found] == ["body", "form"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_bytes_are_read_as_the_text_that_they_are(encoding: str) -> None:
    """As UTF-8, as UTF-16 with its mark, or as Latin-1."""
    index = Index([("chunk", TEXTS["german"].encode(encoding))])

    assert index.find(TEXTS["german"]) is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Is Anna Smith the owner?", "Anna"),
        ("Is Anna Smith the owner?", "'Anna Smith'"),
        ("Is Anna Smith the owner?", "anna-smith"),
        ("Is Anna Smith the owner?", "QW5uYSBTbWl0aA=="),
        ("Is Anna Smith the owner?", "Anna%20Smith"),
        ("Wohnt Jürgen Weiß hier?", "JU\u0308RGEN WEISS"),
        ("Liegt İstanbul am Meer?", "istanbul"),
        ("Liegt istanbul am Meer?", "İSTANBUL"),
        ("Wohnt Jürgen Weiß hier?", "Jür\u00adgen\u200b"),
        ("船屋的钥匙在哪里", "钥匙"),
        ("열쇠는 안나에게 있다", "안나"),
        ("สมชายอยู่ที่ไหน", "สมชาย"),
        ("Call 555 0199 tonight", "555-0199"),
    ],
)
def test_a_short_value_that_stands_inside_a_text_is_found(text: str, value: str) -> None:
    """Names and numbers, in other spellings too."""
    match = Index([("question", text)]).find(value)

    assert match is not None
    assert match.rule == "inside"


@pytest.mark.parametrize("value", ["Ann", "nna", "mith the", "5550199", "", " ", "--", "own"])
def test_a_value_that_is_too_short_or_cuts_a_word_is_not_found(value: str) -> None:
    """Else every few letters would be somewhere in a long text."""
    assert Index([("question", "Is Anna Smith the owner of 555 0199?")]).find(value) is None


def test_a_short_question_is_found_within_a_message() -> None:
    """It has no beginning of 16 characters, so the whole of it counts."""
    index = Index([("question", "Who is Anna?"), ("other", "short")])

    assert [index.find(value) for value in ("asked (who is Anna?) twice", "asked whois Annabel", "in short, no")] == [
        index.find("who is Anna!?.") and index.find("asked who is anna twice"),
        None,
        None,
    ]


def test_a_text_that_repeats_itself_takes_no_square_of_its_length() -> None:
    """After some work the search takes the plain way; the answer is the same."""
    text = "It begins in another way " + ("a" * 23 + "b") * 2000 + " and it ends in another way"
    index = Index([("chunk", text)])

    assert index.find("c".join(["a" * 23] * 400)) is None
    assert index.find("c".join(["a" * 23] * 400) + "ba").rule == "shared"  # type: ignore[union-attr]


def test_no_method_of_a_value_is_called() -> None:
    """A subclass of str or bytes is read as what it holds."""

    def never(*args: object) -> None:
        raise AssertionError

    names = ("__str__", "__repr__", "__hash__", "__eq__", "__bytes__", "encode", "decode", "isascii", "__iter__")
    text = type("Text", (str,), dict.fromkeys(names, never))(TEXTS["german"])
    raw = type("Raw", (bytes,), dict.fromkeys(names, never))(TEXTS["german"].encode())
    index = Index([("question", text), ("body", raw)])

    found = [index.find(value) for value in (text, raw, bytearray(raw), memoryview(raw))]

    assert [match.place if match else None for match in found] == ["question"] * 4
