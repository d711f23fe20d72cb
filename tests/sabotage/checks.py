"""The named checks: which text a function of the program must not bring out, and where it was found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.cases.harness import CONTROL, found

SECRETS: Final[Mapping[str, tuple[str, ...]]] = {
    "unproven_message": ("bellwether",),
    "equal_to_a_literal": ("cottonmere",),
    "text_argument": ("daisyfield",),
    "short_argument": ("Elmsworth",),
    "character_argument": ("þ",),
    "object_argument": ("amberleigh",),
    "long_integer": (str(int.from_bytes(b"foxgloves", "big")),),
    "keys_of_a_dict": ("gorsehill",),
    "enum_member": ("hawthornes",),
    "f_string_slot": ("ivydeane",),
    "number_beside_text": ("407721",),
    "adapter_prefix": ("juniperley",),
    "undeclared_extra": ("kingcupping",),
    "declared_extra": ("lavenderhay",),
    "host_of_a_link": ("goldcrestlane",),
    "usual_extra": ("mugwortley",),
    "usual_number": ("mandrakehill",),
    "event_of_text": ("mallowdown",),
    "logger_name": ("nettlecombe",),
    "level_name": ("orchidmoor",),
    "thread_name": ("primroselea",),
    "forged_place": ("quincetree",),
    "exception_text": ("rosemarying",),
    "exception_notes": ("sorrelwood",),
    "exception_own_code": ("tansyfield",),
    "exception_class_name": ("Umbelwort",),
    "cached_traceback": ("violetbank",),
    "stack_of_a_call": ("whortleberries",),
    "exception_for_others": ("yarrowstalk",),
    "frames_for_others": ("aconitedale",),
    "fields_for_others": ("begonialane",),
    "everything_of_the_record": ("clematises",),
    "overridden_handle": ("dahliabeds",),
    "appended_handler": ("edelweissen",),
    "failing_handler": ("freesias",),
    "last_resort": ("gladiolus",),
    "content_at_info": ("heliotrope",),
    "content_by_inheritance": ("irisflower",),
    "content_by_another_level": ("campionbud",),
    "name_of_another_level": ("Dogwoodley",),
    "place_of_the_rest": ("elderfields",),
    "captured_warning": ("knapweedy",),
    "guard_that_fails": ("lupinseeds",),
    "span_status": ("marigoldens",),
    "span_exception": ("narcissism",),
    "span_attribute": ("oleanderway",),
    "span_name": ("peonyroses",),
    "match_value": ("saffronhill",),
    "match_slot": ("SAFFRONHILL",),
    "match_message": ("Saffronhill Owe",),
    "match_pieces": ("thistledown",),
    "match_without_scope": ("tamariskway",),
    "match_after_the_call": ("celandines",),
    "match_after_an_inner_call": ("hawkweedson",),
    "match_without_text": ("valerianend",),
    "match_prefix": ("woodsorrels",),
    "match_content": ("yellowrattle",),
    "match_lines": ("zinniabeds",),
    "match_object": ("bluebonnet",),
    "match_number": (str(int.from_bytes(b"foxtails", "big")),),
    "log_body": ("alderbrook",),
    "log_event_name": ("birchwater",),
    "log_attribute": ("cedarholme",),
    "log_past_logging": ("dogrosehill",),
    "safe_message": ("for Saffronhill", "speedwellton"),
    "request_body": ("hollyhocks",),
    "request_query": ("nasturtium",),
    "request_beyond": ("periwinkles",),
    "request_after": ("snapdragons",),
    "request_unread": ("delphiniums",),
    "request_twice": ("agapanthus",),
    "request_base64": ("ranunculus",),
    "request_parts": ("helenium",),
    "request_row": ("Sea/Pink",),
    "request_messages": ("snowdrops",),
    "request_seen_within": ("gentianblue",),
    "request_seen_beyond": ("candytufts",),
    "request_input": ("foxgloveden",),
}
"""By check, which has the name of the program's function. Each word stands in no other place."""


def failing(out: Path, complaints: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the checks that fail, with what they found in the files of a run of the program."""
    texts = {
        str(file.relative_to(out)): file.read_bytes().decode("utf-8", "backslashreplace")
        for file in sorted(out.rglob("*"))
        if file.is_file()
    }
    wrong = {name: found(texts, secrets) for name, secrets in SECRETS.items()}
    # A handler of which nobody knows that it stays here gets no content, our own file does.
    wrong["content_for_senders"] = found({"sent.txt": texts.get("files/sent.txt", "")}, ("jasminetea",))
    if CONTROL.search(texts.get("logs.jsonl", "")):
        wrong["broken_line"] = ["a control character stands in logs.jsonl"]
    for name, complaint in complaints.items():
        wrong.setdefault(name, []).append(complaint)
    return {name: places for name, places in wrong.items() if places}
