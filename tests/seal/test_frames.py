from __future__ import annotations

import importlib.util
import linecache
import os
import py_compile
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from types import TracebackType

import pytest

from discreet.seal.frames import frames, place, steps, stub_traceback

HERE = f"{__name__.replace('.', '/')}.py"
SENTENCE = "seven pills a day since the operation"


def caught(function, *args) -> TracebackType:
    """Return the traceback of a call, without the frame of this function."""
    found = None
    try:
        function(*args)
    except Exception as error:
        found = error.__traceback__
    return found.tb_next  # type: ignore[union-attr,return-value]


def lines(traceback: TracebackType | None) -> list[int]:
    out = []
    while traceback is not None:
        out.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return out


class Service:
    def call(self) -> None:
        each = lambda: [self.fail(n) for n in (1,)]  # noqa: E731  # a function without a name
        each()

    def fail(self, n: int) -> None:
        raise ValueError(SENTENCE)


def rendered() -> None:
    raise ValueError(SENTENCE)


def recurse(n: int) -> None:
    if n == 0:
        raise ValueError(SENTENCE)
    recurse(n - 1)


def module_of(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Import a file under a name, as the import system does it."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def test_a_frame_is_the_path_of_its_module_its_function_and_its_line() -> None:
    """The path is made of the module's name, so it doesn't tell where a program is installed."""
    traceback = caught(Service().call)
    numbers = lines(traceback)
    functions = ["Service.call", "Service.call.<locals>.<lambda>", "Service.fail"]
    if sys.version_info < (3, 12):
        functions.insert(2, "Service.call.<locals>.<lambda>.<locals>.<listcomp>")
    expected = [f"{HERE}:{name}:{line}" for name, line in zip(functions, numbers, strict=True)]
    assert frames(traceback) == tuple(expected)
    assert frames(traceback) == tuple(expected), "the same from the cache"


def test_without_a_traceback_there_are_no_frames() -> None:
    """An exception that was never raised has none."""
    assert frames(None) == ()


def test_a_package_s_own_code_is_in_its_init_file() -> None:
    """A frame of the standard library, in a package and in a frozen module."""
    import json

    found = frames(caught(json.loads, "{" + SENTENCE))
    assert [text.rpartition(":")[0] for text in found] == [
        "json/__init__.py:loads",
        "json/decoder.py:JSONDecoder.decode",
        "json/decoder.py:JSONDecoder.raw_decode",
    ]
    frozen = frames(caught(importlib._bootstrap._sanity_check, SENTENCE, None, "1"))  # type: ignore[attr-defined]
    assert [text.rpartition(":")[0] for text in frozen] == ["importlib/_bootstrap.py:_sanity_check"]


@pytest.mark.parametrize(
    ("filename", "namespace"),
    [
        ("<string>", {"__name__": __name__}),
        (__file__, {"__name__": __name__, "__file__": __file__}),
        (__file__, {"__name__": SENTENCE, "__file__": __file__}),
        (SENTENCE, {}),
        ("<string>", None),
    ],
)
def test_code_that_is_not_in_a_module_s_own_file_has_only_its_line(
    filename: str, namespace: dict[str, object] | None
) -> None:
    """Generated code, a notebook's cell, and code that claims to be another module's."""
    code = compile(f"def tenant():\n  raise ValueError('{SENTENCE}')\ntenant()", filename, "exec")
    traceback = caught(exec, code, globals() if namespace is None else namespace)
    assert frames(traceback) == ("<other>:3", "<other>:2")


def test_generated_code_is_not_kept() -> None:
    """Its constants may be a customer's text, which must not outlive the call."""
    import gc
    import weakref

    code = compile(f"raise ValueError('{SENTENCE}')", "<string>", "exec")
    gone = weakref.ref(code)
    frames(caught(exec, code, {"__name__": __name__}))
    del code
    gc.collect()
    assert gone() is None


def test_a_function_whose_name_holds_other_letters_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only ASCII identifiers of up to 80 characters are names of functions."""
    file = tmp_path / "odd.py"
    file.write_text(f"def größe(): raise ValueError\ndef {'x' * 81}(): größe()\nlast = {'x' * 81}\n", encoding="utf-8")
    module = module_of("odd", file, monkeypatch)
    assert frames(caught(module.last)) == ("odd.py:?:2", "odd.py:?:1")


def test_a_module_whose_name_is_no_name_is_other_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a module can be any text."""
    file = tmp_path / "plain.py"
    file.write_text("def fail(): raise ValueError\n", encoding="utf-8")
    assert frames(caught(module_of(SENTENCE, file, monkeypatch).fail)) == ("<other>:1",)


def test_code_without_source_and_code_in_an_archive_keep_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled elsewhere, the code still has the path of its source, whose end is the module's."""
    source = tmp_path / "build" / "shipped.py"
    source.parent.mkdir()
    source.write_text("def fail():\n  raise ValueError\n", encoding="utf-8")
    compiled = tmp_path / "shipped.pyc"
    py_compile.compile(str(source), cfile=str(compiled), doraise=True)
    archive = tmp_path / "app.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("zipped/__init__.py", "")
        packed.writestr("zipped/part.py", "def fail():\n  raise ValueError\n")
    monkeypatch.syspath_prepend(str(archive))
    monkeypatch.setitem(sys.modules, "zipped", None)
    monkeypatch.delitem(sys.modules, "zipped")
    from zipped.part import fail  # type: ignore[import-not-found]

    assert frames(caught(module_of("shipped", compiled, monkeypatch).fail)) == ("shipped.py:fail:2",)
    assert frames(caught(fail)) == ("zipped/part.py:fail:2",)
    monkeypatch.delitem(sys.modules, "zipped.part")


def test_the_frames_of_a_script_are_named_as_the_main_module(tmp_path: Path) -> None:
    """A script's own file is the file of the module `__main__`."""
    script = tmp_path / "any-name.py"
    script.write_text(
        "from discreet.seal.frames import frames\n"
        "def fail():\n    raise ValueError\n"
        "try:\n    fail()\nexcept ValueError as error:\n    print(frames(error.__traceback__))\n",
        encoding="utf-8",
    )
    run = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    )
    assert run.stdout.strip() == "('__main__.py:<module>:5', '__main__.py:fail:3')"


def test_a_long_traceback_shows_its_ends_and_how_much_is_between() -> None:
    """Ten of the outermost, thirty of the innermost; where one would be left out it is shown."""
    for extra in (39, 40, 41, 1000 - 60):
        found = frames(caught(recurse, extra))
        shown = [text for text in found if not text.startswith("...")]
        gap = [text for text in found if text.startswith("...")]
        depth = extra + 1
        if depth <= 41:
            assert (len(shown), gap) == (depth, [])
        else:
            assert (len(shown), gap, found.index(gap[0])) == (40, [f"... {depth - 40} more"], 10)


def test_a_traceback_made_by_hand_shows_its_own_line_and_spoils_no_other() -> None:
    """Template engines make tracebacks with lines that are not their instructions'."""
    traceback = caught(rendered)
    by_hand = TracebackType(None, traceback.tb_frame, traceback.tb_lasti, 9_999)
    assert frames(by_hand) == (f"{HERE}:rendered:9999",)
    assert frames(traceback) == (f"{HERE}:rendered:{traceback.tb_lineno}",)


def test_a_stub_traceback_has_names_and_lines_and_nothing_else() -> None:
    """No locals, no caller, no globals but the module's name, no file that can be read."""
    traceback = caught(Service().fail, 1)
    stub = stub_traceback(steps(traceback))
    assert stub is not None
    frame = stub.tb_frame
    assert (
        frame.f_code.co_filename,
        frame.f_code.co_name,
        frame.f_code.co_qualname,
        frame.f_globals,
        dict(frame.f_locals),
        frame.f_back,
        stub.tb_lineno,
        stub.tb_next,
        linecache.getlines(frame.f_code.co_filename),
    ) == (f"<{HERE}>", "fail", "Service.fail", {"__name__": __name__}, {}, None, traceback.tb_lineno, None, [])


def test_a_stub_traceback_is_described_as_the_one_it_stands_for() -> None:
    """A record that is sealed a second time says the same, also of generated code and gaps."""
    code = compile("recurse(60)", "<string>", "exec")
    for traceback in (caught(Service().call), caught(exec, code, {"recurse": recurse})):
        stub = stub_traceback(steps(traceback))
        again = stub_traceback(steps(stub))
        assert frames(stub) == frames(again) == frames(traceback)


def test_places_are_found_again_by_their_names() -> None:
    """A traceback that comes from another process has the names only."""
    stub = stub_traceback([(place("a/b.py", "C.d", "a.b"), 7), (place("<other>", None, ""), 2)])
    assert frames(stub) == ("a/b.py:C.d:7", "<other>:2")
    assert place("a/b.py", "C.d", "a.b") is place("a/b.py", "C.d", "a.b")


def test_when_the_cache_is_full_frames_are_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that logs from very many functions only loses speed."""
    from discreet.seal import frames as module

    monkeypatch.setattr(module, "_MAX_CACHED", 0)
    monkeypatch.setattr(module, "_cached", {})
    monkeypatch.setattr(module, "_lines", {})
    monkeypatch.setattr(module, "_rebuilt", {})
    traceback = caught(recurse, 1)
    expected = tuple(f"{HERE}:recurse:{line}" for line in lines(traceback))
    assert (frames(traceback), frames(traceback), module._cached) == (expected, expected, {})
    assert stub_traceback([(place("a/b.py", "c", "a.b"), 7)]) is not None
