"""jinja2: templates that customers wrote, whose names and sources come into errors and tracebacks."""

from __future__ import annotations

from jinja2 import DictLoader, Environment, StrictUndefined

import discreet
from tests.worlds.libraries.telling import World, failing, log_of

log = log_of(__name__)


def explode(value: str) -> str:
    """Fail in the middle of a template."""
    raise LookupError(value)


def templates(text: str) -> list[str]:
    """Return templates around a text, most of them wrong."""
    word = "w" + "".join(filter(str.isalpha, text.encode("ascii", "ignore").decode()))
    return [
        f"{text} {{{{ {word} }}}}",
        f"{{{{ {word}.{word} }}}}",
        f"{text} {{% if %}}",
        f"{{% {word} %}}{text}",
        f"{{{{ '{word}' | {word} }}}}",
        f"{{{{ 1 + }}}} {text}",
        f"\n{text}\n{{% block {word} %}}{{{{ explode('{word}') }}}}{{% endblock %}}",
        f"{{% macro {word}() %}}{{{{ 1 // 0 }}}}{{% endmacro %}}{{{{ {word}() }}}}",
        f"{{% extends '{word}' %}}",
        f"{{% include '{word}' %}}{text}",
        f"{{% set {word} = 3 %}}{{{{ {word} + '{word}' }}}}",
        f"{{# {text}",
    ]


def run(world: World) -> None:
    """Render every template, by its text and by a name."""
    for text in world.texts:
        for source in templates(text):
            with discreet.customer_text(question=text, chunks=world.texts, template=source), failing(log, text):
                environment = Environment(undefined=StrictUndefined, autoescape=True)
                environment.globals["explode"] = explode
                log.info("made %s", environment.from_string(source).render(question=text))
            with discreet.customer_text(question=text, template=source), failing(log, text):
                environment = Environment(loader=DictLoader({text: source}), autoescape=True)
                environment.globals["explode"] = explode
                log.info("made %s", environment.get_template(text).render(question=text))
