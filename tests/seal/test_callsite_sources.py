from __future__ import annotations

import gc
import json
import linecache
import logging
import os
import py_compile
import subprocess
import sys
import types
import warnings
import weakref
import zipfile
from pathlib import Path

import pytest

from discreet.seal import compose
from tests.seal.sites import finding, fresh_name, imported, load

TEXT = "my left heel hurts"
ROOT = Path(__file__).parents[2]
SOURCE = str(Path(compose.__file__).parents[2])
PROGRAM = """\
import logging
log = logging.getLogger("written")
def composed(value, number):
    log.info(f"Alpha {value} beta {number:d}")
def template(value):
    log.info("Gamma %s", value)
"""
SHOWN = ["Alpha {value} beta 7", "Gamma %s"]


def run(module):
    with finding() as finder:
        module.composed(TEXT, 7)
        module.template(TEXT)
    return finder.take()


def rewrite(module, text):
    Path(module.__file__).write_text(text, encoding="utf-8")
    linecache.clearcache()


@pytest.fixture
def program(tmp_path):
    return imported(tmp_path, PROGRAM)


def test_an_imported_program_is_proven(program):
    """The control of the tests below."""
    assert run(program) == SHOWN


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM.replace("Alpha", "Maria").replace("Gamma", "Lopez"),
        "\n\n\n" + PROGRAM,
        "log.info(\n" * 9,
        "",
    ],
)
def test_another_source_on_disk_changes_no_literal(program, text):
    """The code that runs is what counts; without its source a slot has the variable's name from the code."""
    rewrite(program, text)
    assert run(program) == SHOWN


def test_a_source_with_the_same_pieces_can_not_make_a_slot_numeric(program):
    """That only a number can stand in a slot is proven by the code that runs, never by the file."""
    rewrite(program, PROGRAM.replace("{value}", "{len(value)}"))
    with finding() as finder:
        program.composed("1234567", 7)
    assert finder.take() == ["Alpha {value} beta 7"]


def test_a_source_with_the_same_pieces_can_not_bring_in_other_words(program):
    """An expression that uses names or texts which the code doesn't have is not shown."""
    rewrite(program, PROGRAM.replace("{value}", "{'Maria Lopez'}").replace("{number:d}", "{maria_lopez:d}"))
    assert run(program) == SHOWN


def test_the_source_may_be_gone(program):
    """The names of variables come from the code then."""
    Path(program.__file__).unlink()
    linecache.clearcache()
    assert run(program) == SHOWN


def test_a_source_in_another_encoding_is_read(tmp_path):
    """Columns of code are counted in UTF-8 whatever the file's encoding."""
    name = fresh_name()
    text = (
        "# coding: latin-1\nimport logging\n"
        'def composed(größe):\n    logging.getLogger("w").info(f"Größe über {größe + 1 - 1} é {größe!r}")\n'
    )
    (tmp_path / f"{name}.py").write_text(text, encoding="latin-1")
    with finding() as finder:
        load(tmp_path, name).composed(3)
    assert finder.take() == ["Größe über 3 é {größe}"]


def test_code_in_an_archive_is_proven(tmp_path):
    """The importer of archives gives source and file name."""
    name = fresh_name()
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr(f"{name}.py", PROGRAM)
    assert run(load(tmp_path / "all.zip", name)) == SHOWN


def compiled(folder, name, target):
    source = folder / f"{name}.py"
    source.write_text(PROGRAM, encoding="utf-8")
    py_compile.compile(str(source), cfile=str(target), doraise=True)
    source.unlink()


def test_compiled_code_without_a_source_is_proven(tmp_path):
    """Its file name is that of a source that is gone, so the loader's own code is compared."""
    name = fresh_name()
    compiled(tmp_path, name, tmp_path / f"{name}.pyc")
    assert run(load(tmp_path, name)) == SHOWN


def test_compiled_code_from_another_folder_is_proven(tmp_path):
    """Images are often built in one place and run in another."""
    name = fresh_name()
    there = tmp_path / "there"
    there.mkdir()
    compiled(tmp_path, name, there / f"{name}.pyc")
    assert run(load(there, name)) == SHOWN


def test_compiled_code_in_an_archive_is_proven(tmp_path):
    """The same for an archive of compiled files."""
    name = fresh_name()
    compiled(tmp_path, name, tmp_path / f"{name}.pyc")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / f"{name}.pyc", f"{name}.pyc")
    assert run(load(tmp_path / "all.zip", name)) == SHOWN


def test_code_made_at_run_time_in_a_compiled_module_is_unproven(tmp_path):
    """A file name says nothing there, so only code that the loader knows counts."""
    name = fresh_name()
    compiled(tmp_path, name, tmp_path / f"{name}.pyc")
    module = load(tmp_path, name)
    with finding() as finder:
        exec(compile(f'log.info("{TEXT}")', module.composed.__code__.co_filename, "exec"), vars(module))
    assert finder.take() == [None]


def executed(namespace, filename="<string>", text=f'log.info("{TEXT}")'):
    with finding() as finder:
        exec(compile(text, filename, "exec"), namespace)
    return finder.take()


def test_code_made_at_run_time_is_unproven(program):
    """Its constants can be a customer's text: without a module, with a module's name, in a module's namespace."""
    log = program.log
    assert executed({"log": log}) == [None]
    assert executed({"log": log, "__name__": "made_up"}) == [None]
    assert executed({"log": log, "__name__": program.__name__, "__file__": program.__file__}) == [None]
    assert executed({"log": log, "__name__": program.__name__}, program.__file__) == [None]
    assert executed(vars(program)) == [None]
    assert executed({"log": log, "__name__": 3, "__file__": 4}, "x") == [None]


def test_a_module_that_is_not_imported_is_unproven(program):
    """A module object that nobody put into sys.modules under its name proves nothing."""
    stranger = types.ModuleType(program.__name__)
    stranger.__file__ = program.__file__
    assert executed(vars(stranger) | {"log": program.log}, program.__file__) == [None]


def test_functions_with_other_globals_are_unproven(program):
    """The same code object with a foreign namespace is not the module's own, also after it has been proven."""
    assert run(program) == SHOWN
    twin = types.FunctionType(program.template.__code__, {"log": program.log, "__name__": "made_up"})
    with finding() as finder:
        twin(TEXT)
        program.template(TEXT)
        twin(TEXT)
    assert finder.take() == [None, "Gamma %s", None]


def test_a_module_that_hides_behind_an_object_is_unproven(program, monkeypatch):
    """An object in sys.modules is not asked for anything."""

    class Loud:
        def __getattribute__(self, name):
            raise AssertionError(name)

    monkeypatch.setitem(sys.modules, program.__name__, Loud())
    assert run(program) == [None, None]


def test_sites_of_code_without_a_module_name_only_the_line(program):
    """Names of modules and functions that were made at run time are texts."""
    with finding() as finder:
        exec(compile('log.info("x y")', "made up", "exec"), {"log": program.log, "__name__": TEXT})
    site = finder.sites[0]
    assert (site.module, site.function, site.line, site.code) == (None, None, 1, None)


CONSTANTS = """\
import logging
log = logging.getLogger("written")
OPENING = CLOSING = "Opened %s"
CHANGED = "Changed %s"
TEXT = "No slot in it"
class Outer:
    class Inner:
        NESTED = "Nested %s"
        def speak(self, value):
            log.info(self.NESTED, value)
            log.info(Outer.Inner.NESTED, value)
def speak(value):
    log.info(OPENING, value)
    log.info(CLOSING, value)
    log.info(CHANGED, value)
    log.info(TEXT)
"""


def test_constants_of_module_and_class_are_proven_as_templates(tmp_path):
    """A global that the file assigns as a constant counts when it is used with arguments."""
    module = imported(tmp_path, CONSTANTS)
    with finding() as finder:
        module.speak(TEXT)
        module.Outer.Inner().speak(TEXT)
    assert finder.take() == ["Opened %s", "Opened %s", "Changed %s", None, "Nested %s", "Nested %s"]


def test_a_global_that_was_assigned_at_run_time_is_unproven(tmp_path):
    """What the file assigns is what counts, not what the variable holds."""
    module = imported(tmp_path, CONSTANTS)
    module.CHANGED = module.Outer.Inner.NESTED = f"{TEXT} %s"
    with finding() as finder:
        module.speak(TEXT)
        module.Outer.Inner().speak(TEXT)
    assert finder.take() == ["Opened %s", "Opened %s", None, None, None, None]


def test_constants_are_not_looked_for_by_running_anything(tmp_path):
    """A module whose loader fails has no constants that count, and the failure is counted."""
    module = imported(tmp_path, CONSTANTS)
    Path(module.__file__).unlink()
    with finding() as finder:
        module.speak(TEXT)
    assert finder.take() == [None] * 4


SCRIPT = """\
import logging, sys
sys.path[:0] = [{source!r}, {root!r}]
from tests.seal.sites import finding
{lines}
with finding() as finder:
    composed("{text}", 7)
    template("{text}")
print(finder.take())
"""


@pytest.mark.parametrize("options", [[], ["-X", "no_debug_ranges"], ["-O"], ["-m"], ["zip"]])
def test_a_script_is_proven(tmp_path, options):
    """``__main__`` is a module too: as a file, by ``-m``, from an archive, and without columns in its code."""
    text = SCRIPT.format(source=SOURCE, root=str(ROOT), lines=PROGRAM, text=TEXT)
    script = tmp_path / "script.py"
    script.write_text(text, encoding="utf-8")
    command = [*options, str(script)]
    if options == ["-m"]:
        command = ["-m", "script"]
    elif options == ["zip"]:
        with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
            archive.writestr("__main__.py", text)
        command = [str(tmp_path / "app.zip")]
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ), check=False
    )
    assert (done.stdout, done.stderr) == (f"{SHOWN}\n", "")


def test_code_typed_in_is_unproven(tmp_path):
    """A program on the command line has no file, and neither has a cell of a notebook."""
    text = SCRIPT.format(source=SOURCE, root=str(ROOT), lines=PROGRAM, text=TEXT)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.stdout, done.stderr) == ("[None, None]\n", "")


WARNED = r"""
import logging
log = logging.getLogger("warned")
def composed(value, number):
    log.info(f"Alpha {value[0 if number else 1:]} beta {number:d} \d")
def escaped(value):
    log.info(f"Alpha \\d {value.strip('\t')}" if value else "\777")
def raw(value):
    log.info(rf"Alpha \w {value.strip()}")
"""


def test_looking_at_a_source_warns_of_nothing(tmp_path):
    """The parser warns of unknown escapes, which the import of the module has done already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = imported(tmp_path, WARNED if sys.version_info >= (3, 12) else WARNED.replace("'\\t'", ""))
    with warnings.catch_warnings(record=True) as seen, finding() as finder:
        warnings.simplefilter("always")
        module.composed(TEXT, 7)
        module.escaped(TEXT)
        module.raw(TEXT)
    assert (finder.take(), seen) == (["Alpha {} beta 7 \\d", "Alpha \\d {}", "Alpha \\w {}"], [])


PATCHED = """\
original = logging.Logger._log
def patch(self, *args, **kwargs):
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    return original(self, *args, **kwargs)
logging.Logger._log = patch
"""


def test_logging_may_be_patched_before_we_are_imported(tmp_path):
    """Whoever wraps logging's own method is one more frame between."""
    text = SCRIPT.format(source=SOURCE, root=str(ROOT), lines=PROGRAM, text=TEXT)
    script = tmp_path / "script.py"
    script.write_text("import logging\n" + PATCHED + text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path, check=False)
    expected = [SHOWN[0].replace("7", "{number}"), SHOWN[1]]
    assert (done.stdout, done.stderr) == (f"{expected}\n", "")


def test_the_main_script_of_a_spawned_worker_is_proven(tmp_path: Path) -> None:
    """multiprocessing runs it under other globals than its module's; a namespace of that name alone proves nothing."""
    script = tmp_path / "main.py"
    script.write_text(
        "import logging, multiprocessing\n"
        "import discreet\n"
        "log = logging.getLogger('app')\n"
        "def work():\n"
        "    with discreet.configure(json='-', level='WARNING'):\n"
        "        log.warning('hello %s from a worker', 3)\n"
        "        forged = {'__name__': '__mp_main__', 'log': log}\n"
        "        exec(compile('log.warning(\"Maria asked\")', __file__, 'exec'), forged)\n"
        "if __name__ == '__main__':\n"
        "    worker = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    worker.start()\n"
        "    worker.join()\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path)
    found = [json.loads(line)["message"] for line in done.stdout.splitlines()]
    assert (found, done.stderr) == (["hello 3 from a worker", "<str 1-15>"], "")


class Held:
    pass


def test_globals_of_code_that_ran_are_not_kept_alive(tmp_path: Path) -> None:
    """Those of a rule that was run once, and those of a plugin that was unloaded, may hold anybody's text."""
    held = Held()
    seen = [weakref.ref(held)]
    with finding():
        exec(compile("log.info('rule ran')", "<rule>", "exec"), {"held": held, "log": logging.getLogger("rule")})
        held = Held()
        seen.append(weakref.ref(held))
        plugin = imported(tmp_path, "import logging\ndef run():\n    logging.getLogger('plugin').info('Ran')\n")
        plugin.held = held
        plugin.run()
        del sys.modules[plugin.__name__], plugin, held
    gc.collect()
    assert [one() for one in seen] == [None, None]


def test_a_plan_is_for_one_modules_globals(tmp_path: Path) -> None:
    """The same code under other globals is another program's, and what it proved before counts no more."""
    module = imported(tmp_path, "import logging\ndef run():\n    logging.getLogger('plugin').info('Ran')\n")
    with finding() as finder:
        module.run()
        types.FunctionType(module.run.__code__, {"logging": logging, "__name__": module.__name__})()
        module.run()
    assert finder.take() == ["Ran", None, "Ran"]
