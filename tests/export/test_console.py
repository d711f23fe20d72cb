from __future__ import annotations

import io
import logging
import logging.config
import re
import sys

import pytest

from discreet.errors import ConfigurationError
from discreet.export.console import FAILED, ConsoleFormatter
from discreet.export.ledger import LEDGER
from discreet.seal.exceptions import ExceptionFacts
from tests.export.shown import record

FACTS = ExceptionFacts(
    type="openai.RateLimitError",
    code="rate_limited",
    error_class="upstream",
    attributes={},
    chain=("openai.RateLimitError", "OSError"),
    codes=("rate_limited", None),
    frames=("app/a.py:outer:1", "app/b.py:middle:2", "app/c.py:inner:3"),
    message=None,
    undeclared=False,
)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def plain(**values):
    return ConsoleFormatter(color=False).format(record(**values))


def test_a_record_is_one_line_in_columns():
    """Time, level, logger, message, then what the contract declares."""
    line = plain(
        message="Loaded in 1250.5 ms",
        attributes={"model": "acme/reader-7b", "duration_ms": 1250.5, "retryable": True, "count": None},
        withheld=2,
    )
    assert line == (
        "22:13:20.250Z INFO     verbatim_core.models         Loaded in 1250.5 ms event=model_loaded "
        "model=acme/reader-7b duration_ms=1250.5 retryable=true count=null withheld=2"
    )


def test_columns_stay_in_place_for_short_names_and_give_way_to_long_ones():
    """A name is never cut: people search for it."""
    long = "verbatim_core.templates.question_specific.cache"
    lines = [plain(event=None, logger=name, level=level) for name, level in (("app", "WARNING"), (long, "INFO"))]
    assert lines == [
        "22:13:20.250Z WARNING  app                          Loaded",
        f"22:13:20.250Z INFO     {long} Loaded",
    ]


def test_an_exception_is_its_chain_with_codes_and_its_last_frames():
    """No message, no source line: where it happened and what kind it is."""
    line = plain(event=None, message="Failed", exception=FACTS, error_code="rate_limited")
    assert line == (
        "22:13:20.250Z INFO     verbatim_core.models         Failed error_code=rate_limited "
        "! openai.RateLimitError[rate_limited] < OSError "
        "at app/a.py:outer:1 > app/b.py:middle:2 > app/c.py:inner:3"
    )


@pytest.mark.parametrize(("frames", "end"), [(0, "< OSError"), (1, "at app/c.py:inner:3"), (9, "app/c.py:inner:3")])
def test_as_many_frames_are_shown_as_the_operator_wants(frames, end):
    """The innermost ones, where it was raised."""
    line = ConsoleFormatter(color=False, frames=frames).format(record(exception=FACTS))
    assert line.endswith(end)


CONTROLS = ["\n", "\r\n", "\t", "\x1b[2J", "\x9b31m", "\x00", "\x85", "\u2028", "\u202e", "\u2066", "\ud800"]


@pytest.mark.parametrize("control", CONTROLS)
def test_controls_neither_break_the_line_nor_steer_the_terminal(control):
    """Wherever they stand; a content logger's message may hold any of them."""
    line = plain(
        message=f"a{control}b",
        logger=f"app{control}",
        level=f"INFO{control}",
        attributes={f"key{control}": f"v{control}"},
        exception=FACTS,
        content=True,
        content_message=f"whole{control}message",
    )
    assert len(line.splitlines()) == 1
    assert control not in line
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", line)
    line.encode()


def test_escapes_are_what_a_programmer_would_write():
    """So that a person can tell what was there."""
    line = plain(event=None, message="a\nb\rc\td\x1be\u2028f")
    assert line.endswith("a\\nb\\rc\\td\\x1be\\u2028f")


def test_a_value_that_could_be_misread_stands_in_quotes():
    """Blanks, equals signs and quotes would look like further pairs."""
    line = plain(event=None, attributes={"route": 'a b="c"', "model": "x"})
    assert line.endswith('route="a b=\\"c\\"" model=x')


def test_an_open_content_logger_shows_its_whole_message():
    """The console is a sink that stays on the machine."""
    line = plain(event=None, message="<str 16-63>", content=True, content_message="Where is gate four?")
    assert line.endswith("Where is gate four? content=true")


def test_colours_are_for_terminals():
    """Level by severity, codes apart, the exception in red."""
    formatter = ConsoleFormatter(stream=Terminal())
    line = formatter.format(record(level="ERROR", levelno=40, error_code="timeout", message="Failed", exception=FACTS))
    assert line == (
        "\x1b[2m22:13:20.250Z\x1b[0m \x1b[31mERROR   \x1b[0m \x1b[2mverbatim_core.models        \x1b[0m Failed "
        "\x1b[2mevent=\x1b[0m\x1b[36mmodel_loaded\x1b[0m \x1b[2merror_code=\x1b[0m\x1b[31mtimeout\x1b[0m "
        "\x1b[31m! openai.RateLimitError[rate_limited] < OSError "
        "at app/a.py:outer:1 > app/b.py:middle:2 > app/c.py:inner:3\x1b[0m"
    )


@pytest.mark.parametrize(
    ("stream", "environment", "option", "colored"),
    [
        (Terminal(), {}, None, True),
        (Terminal(), {"NO_COLOR": ""}, None, True),
        (Terminal(), {"NO_COLOR": "1"}, None, False),
        (Terminal(), {"TERM": "dumb"}, None, False),
        (Terminal(), {}, False, False),
        (io.StringIO(), {}, None, False),
        (io.StringIO(), {"NO_COLOR": "1"}, True, True),
        (None, {}, None, False),
    ],
)
def test_whether_there_is_colour_is_found_out(monkeypatch, stream, environment, option, colored):
    """A terminal gets it, unless NO_COLOR says no; the option has the last word."""
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    line = ConsoleFormatter(color=option, stream=stream).format(record())
    assert ("\x1b" in line) is colored


def test_the_named_streams_are_looked_up(monkeypatch):
    """Plain values are enough for a dictConfig."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TERM", raising=False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    lines = [ConsoleFormatter(stream=name).format(record()) for name in ("stderr", "stdout")]
    assert ["\x1b" in line for line in lines] == [True, False]


def test_a_closed_stream_is_no_terminal():
    """`isatty` of a closed stream raises."""
    closed = io.StringIO()
    closed.close()
    assert "\x1b" not in ConsoleFormatter(stream=closed).format(record())


def test_time_follows_the_operators_format():
    """`datefmt` is logging's own name for it."""
    line = ConsoleFormatter(datefmt="%Y-%m-%d", color=False).format(record(event=None))
    assert line.startswith("2023-11-14 INFO")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fmt": "%(message)s"}, "fmt: this formatter has a layout of its own. Leave it out."),
        ({"style": "{"}, "fmt: this formatter has a layout of its own. Leave it out."),
        ({"datefmt": 7}, 'datefmt: must be a text. Give a format such as "%H:%M:%S".'),
        ({"color": "yes"}, "color: must be true, false or null. Leave it out to find out."),
        ({"utc": "yes"}, "utc: must be true or false. Leave it out for UTC."),
        ({"frames": -1}, "frames: must be a whole number from 0. 3 suits a terminal."),
        ({"stream": "tty"}, 'stream: there is no such stream. Use "stderr" or "stdout".'),
    ],
)
def test_a_wrong_option_is_refused_with_its_remedy(options, message):
    """At once, by our own error, which says where and what to do."""
    with pytest.raises(ConfigurationError) as caught:
        ConsoleFormatter(**options)
    assert str(caught.value) == message


def test_options_in_a_dictconfig_are_plain_values(capsys):
    """From the configuration to the line, over a real log call."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"console": {"()": "discreet.ConsoleFormatter", "color": False, "frames": 1}},
            "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "console"}},
            "root": {"handlers": ["console"], "level": "INFO"},
        }
    )
    question = "Where is gate four?"
    logging.getLogger("verbatim_core.models").info("Asked %s", question, extra={"event": "model_loaded"})
    assert capsys.readouterr().err.partition("verbatim_core.models")[2].strip() == (
        "Asked <str 16-63> event=model_loaded withheld=1"
    )


def test_an_ini_file_may_name_it(tmp_path, capsys):
    """`fileConfig` gives format, date format and style by position."""
    path = tmp_path / "logging.ini"
    path.write_text(
        "[loggers]\nkeys=root\n[handlers]\nkeys=h\n[formatters]\nkeys=f\n"
        "[logger_root]\nlevel=INFO\nhandlers=h\n"
        "[handler_h]\nclass=StreamHandler\nargs=()\nformatter=f\n"
        "[formatter_f]\nclass=discreet.ConsoleFormatter\ndatefmt=%Y\n"
    )
    logging.config.fileConfig(path, disable_existing_loggers=False)
    logging.getLogger("verbatim_core.models").info("Loaded", extra={"event": "model_loaded"})
    assert re.fullmatch(
        r"20\d\d INFO     verbatim_core\.models         Loaded event=model_loaded\n", capsys.readouterr().err
    )


def test_an_exception_that_a_handler_formats_itself_has_no_text():
    """Some handlers call `formatException` and `formatStack` on their formatter."""
    formatter = ConsoleFormatter(color=False)
    try:
        raise ValueError("Where is gate four?")
    except ValueError:
        shown = formatter.formatException(sys.exc_info())
    assert re.fullmatch(r"ValueError at \S+:\d+", shown)
    assert formatter.formatException((None, None, None)) == ""
    assert formatter.formatStack("Where is gate four?") == "<stack withheld>"


def test_a_record_that_cannot_be_rendered_is_withheld_and_counted():
    """Logging's own way would print message and arguments."""
    assert plain(message=None) == FAILED
    assert LEDGER.failures == {("console", "TypeError"): 1}
