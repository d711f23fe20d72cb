"""C59: functions, classes and modules that bear a text as their name."""

import logging
import types

from _common import codes

CASE = {
    "id": "C59",
    "group": "C",
    "kind": "leak",
    "right": "A name of an object is shown only if it leads to that object.",
    "min_records": 4,
}
SECRETS = ["capercaillie", "ptarmiganic"]


def emit() -> None:
    log = logging.getLogger("app.named")
    made = type("capercaillie", (), {"__module__": "ptarmiganic"})
    module = types.ModuleType("capercaillie", "about ptarmiganic")

    def function() -> None:
        """About nothing."""

    function.__name__ = function.__qualname__ = "capercaillie"
    posing = type("Posing", (), {"__qualname__": "ptarmiganic.Posing", "__module__": "builtins"})
    log.info("class %s %r %s", made, made(), posing, extra=codes(model=made, n=made))
    log.info("function %s %r", function, function.__name__, extra=codes(model=function))
    log.info("module %s", module, extra=codes(model=module))
    log.info(f"{made} {function.__qualname__} {module.__name__} {type(posing())}")
    log.info("alias %s", types.GenericAlias(made, (int,)), extra=codes(n=made | None))
