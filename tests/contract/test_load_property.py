"""Whatever stands in a file, loading it gives a contract or a ContractError, never anything else."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.contract import load, load_text
from discreet.contract.model import Contract
from discreet.errors import ContractError
from tests.contract.small import small, toml

KEYS = sorted({key for row in small()["records"] for key in row} | {"type", "values", "as", "from", "name", "class"})
TEXTS = st.one_of(
    st.sampled_from(
        ["", "{", "{}", "{}}", "(", "(?P<a>.)", "[a-", "a{99999}", "header:", ">=", "enum", "id", "undeclared"]
    ),
    st.text(st.characters(codec="utf-8"), max_size=12),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(TEXTS, st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.sampled_from(KEYS), TEXTS), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container of a structure with each of its keys."""
    if isinstance(value, dict):
        found = [(value, key) for key in value]
    elif isinstance(value, list):
        found = [(value, i) for i in range(len(value))]
    else:
        return []
    return found + [place for container, key in list(found) for place in places(container[key])]


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    """Return a good contract with one to three faults in it."""
    tables = small()
    for _ in range(draw(st.integers(1, 3))):
        container, key = draw(st.sampled_from(places(tables)))
        how = draw(st.sampled_from(["replace", "remove", "add", "double"]))
        if how == "replace":
            container[key] = draw(VALUES)
        elif how == "remove":
            del container[key]
        elif isinstance(container, list):
            container.append(draw(VALUES) if how == "add" else container[key])
        else:
            container[draw(st.one_of(st.sampled_from(KEYS), TEXTS))] = draw(VALUES) if how == "add" else container[key]
        if not places(tables):
            break
    return toml(tables)


def read(load_it: Any) -> Contract | ContractError:
    try:
        return load_it()
    except ContractError as error:
        return error


@settings(deadline=None, max_examples=300)
@given(spoiled())
def test_a_spoiled_contract_names_file_key_and_remedy(text):
    """Each fault gives one error with all three; what is still right loads."""
    found = read(lambda: load_text(text, "spoiled.toml"))
    if isinstance(found, ContractError):
        assert found.file == "spoiled.toml"
        assert found.key
        assert (found.remedy or "").endswith((".", "?"))
        assert str(found).startswith(f"spoiled.toml: {found.key}: ")
        assert "\n" not in str(found)


@settings(deadline=None, max_examples=100)
@given(
    st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
)
def test_any_bytes_give_a_contract_error(tmp_path_factory, content):
    """A file of random bytes is no contract, and that is what is said."""
    path = tmp_path_factory.mktemp("odd") / "odd.toml"
    path.write_bytes(content)
    found = read(lambda: load(path))
    assert isinstance(found, ContractError)
    assert (found.file, bool(found.remedy)) == (str(path), True)
