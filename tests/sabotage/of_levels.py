"""Sabotages of levels that are changed while a program runs, and of what is said of records that were left out."""

from __future__ import annotations

from typing import Any

from discreet import levels, rate_limit
from tests.sabotage.sabotages import noticed_by


@noticed_by("content_by_another_level")
def any_logger_may_be_set_to_debug() -> None:
    levels.may_be_opened = lambda name: True


class _Anything:
    """A type that refuses nothing."""

    def safe(self, value: Any) -> Any:
        return value


@noticed_by("name_of_another_level")
def the_name_of_any_logger_is_told() -> None:
    levels._MODULE = _Anything()  # type: ignore[assignment, misc]  # a sabotage


@noticed_by("place_of_the_rest")
def the_path_of_any_call_site_is_told() -> None:
    rate_limit._MODULE = _Anything()  # type: ignore[assignment, misc]  # a sabotage
