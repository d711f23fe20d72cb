"""What runs in the place of verbatim's functions: they do what they did, and what they swallow is noticed."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from functools import partial, wraps
from inspect import BoundArguments, signature
from types import TracebackType
from typing import Any, Final, Self

from discreet.call import running
from discreet.export.ledger import LEDGER
from discreet.instrument.quiet import beside, never_raises
from discreet.instrument.streams import pass_over
from discreet.instrument.verbatim_swallowed import TALLY, UNREAD, Tally, frame_of, handled_in, is_own
from discreet.scope_replies import register_reply
from discreet.seal.peek import traceback_of

__all__ = [
    "completed",
    "heard_in_client",
    "heard_in_extractors",
    "items_told",
    "streamed",
    "tallied",
    "unread",
    "without_template",
]

pass_over(__file__)

Part = Callable[..., Any]
Count = Callable[[dict[str, Any]], int]
Name = Callable[[BaseException], tuple[str, str] | None]
After = Callable[[Tally], None]
Bind = Callable[[], BoundArguments]

_LLM_ITEMS: Final = frozenset(
    {"_extract_spans_batch", "_extract_spans_batch_async", "_extract_spans_individual", "_extract_one"}
)
_MODEL_ITEMS: Final = frozenset({"_extract_highlighter", "extract_spans"})
_QUOTES: Final = frozenset({"_verify_spans", "_verify_spans_fuzzy"})


def tallied(count: Count | None = None, name: Name | None = None, after: After | None = None) -> Callable[[Part], Part]:
    """Return what runs a call and tells what was swallowed in it.

    Args:
        count: Counts the items among the arguments.
        name: Gives code and class for an exception that has none by contract.
        after: Looks at what was swallowed once the call has returned.

    .. versionadded:: 0.1.0
    """

    def within(function: Part) -> Part:
        form = signature(function)
        return beside(function, lambda args, kwargs: _Tallied(count, name, after, partial(form.bind, *args, **kwargs)))

    return within


class _Tallied:
    """Tells what was swallowed in one call."""

    def __init__(self, count: Count | None, name: Name | None, after: After | None, bind: Bind) -> None:
        self._count, self._name, self._after, self._bind = count, name, after, bind
        self._outer, self._call = TALLY.get(), running()
        self._tally = Tally(self._call, self._outer)

    def __enter__(self) -> Self:
        TALLY.set(self._tally)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        TALLY.set(self._outer)
        if error is not None:
            self._raised(error)

    @never_raises
    def _raised(self, error: BaseException) -> None:
        tally, outer = self._tally, self._outer
        found = self._name(error) if self._name is not None else None
        if found is None and tally.named is not None and tally.named[0] is error:
            # A call inside this one has let it through.
            found = tally.named[1]
        if outer is not None:
            outer.raised = error
            outer.named = None if found is None else (error, found)
        if found is not None and self._call is not None:
            self._call.fail(error, code=found[0], error_class=found[1])
        tally.forget()

    @never_raises
    def returned(self, _: Any) -> None:
        if self._after is not None:
            self._after(self._tally)
        items = None
        if self._count is not None:
            try:
                items = self._count(self._bind().arguments)
            except Exception as error:
                # Arguments of another shape than those of the release that this was written for.
                LEDGER.failure("instrument", error)
        self._tally.close(items)


def streamed(function: Part) -> Part:
    """Return an async generator function that tells of a stream's last event, which may be an error.

    .. versionadded:: 0.1.0
    """

    @wraps(function)
    async def stream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        tally = Tally(running(), None)
        inner = function(*args, **kwargs)
        try:
            while True:
                before = TALLY.get()
                TALLY.set(tally)
                try:
                    item = await anext(inner)
                except StopAsyncIteration:
                    break
                finally:
                    TALLY.set(before)
                if isinstance(item, dict) and item.get("type") == "error":
                    tally.ended_with(item.get("code"))
                yield item
        except BaseException:
            tally.forget()
            raise
        finally:
            await inner.aclose()
        tally.close()

    return stream


def completed(function: Part) -> Part:
    """Return what asks the LLM, registers its reply, and notices that there is none.

    A reply without text is an error with 0.3's code, although 0.2.8 returns it.

    .. versionadded:: 0.1.0
    """
    return beside(function, lambda _args, _kwargs: _Completed())


class _Completed:
    """Looks at one request to the LLM."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self._raised(error)

    @never_raises
    def _raised(self, error: BaseException) -> None:
        tally, call = TALLY.get(), running()
        if tally is not None:
            tally.raised = error
            tally.blank = False
        if call is not None and isinstance(error, Exception) and is_own(traceback_of(error)):
            # No contract has a code for what its code can't do with a reply; for 0.3's own errors it has one.
            call.fail(error, code="invalid_reply", error_class="upstream")

    @never_raises
    def returned(self, value: Any) -> None:
        tally, call = TALLY.get(), running()
        blank = type(value) is not str or not value.strip()
        if tally is not None:
            tally.blank = blank
        if blank and call is not None:
            call.fail(code="empty_reply", error_class="upstream")
        register_reply(value if type(value) is str else None, outside=call)


def unread(function: Part) -> Part:
    """Return what extracts from several documents, all of which have failed if the reply can't be read.

    .. versionadded:: 0.1.0
    """
    form = signature(function)
    return beside(function, lambda args, kwargs: _Unread(partial(form.bind, *args, **kwargs)))


class _Unread:
    """Takes the exceptions of replies that weren't read in one run."""

    def __init__(self, bind: Bind) -> None:
        self._bind = bind
        self._found: list[Any] = []
        self._before: list[Any] | None = None

    def __enter__(self) -> Self:
        self._before = UNREAD.get()
        UNREAD.set(self._found)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        UNREAD.set(self._before)

    @never_raises
    def returned(self, _: Any) -> None:
        tally = TALLY.get()
        if self._found and tally is not None:
            for _document in self._bind().arguments["documents"]:
                tally.item_failed(self._found[0])


def _heard(hear: Callable[[int], None]) -> Callable[[Part], Part]:
    """A logger is asked before each record whether there shall be one, whatever its level is."""

    def within(function: Part) -> Part:
        @wraps(function)
        def enabled(level: int) -> Any:
            if level >= logging.WARNING:
                try:
                    hear(level)
                except Exception as error:
                    # The library goes on; a failure of its stays unknown.
                    LEDGER.failure("instrument", error)
            return function(level)

        return enabled

    return within


def _hear_extractors(level: int) -> None:
    tally, frame = TALLY.get(), frame_of("extractors.py")
    if tally is None or frame is None:
        return
    where = frame.f_code.co_name
    if where in _QUOTES:
        tally.warn("quote_not_found")
    elif where == "_extract_token_spans":
        tally.warn("chunk_truncated")
    elif level >= logging.ERROR and where in _LLM_ITEMS | _MODEL_ITEMS:
        tally.item_failed(handled_in(frame), of_llm=where in _LLM_ITEMS)


def _hear_client(level: int) -> None:
    tally, frame = TALLY.get(), frame_of("llm_client.py")
    if tally is None or frame is None:
        return
    error, found = handled_in(frame), UNREAD.get()
    if frame.f_code.co_name.startswith("generate_template"):
        tally.fell_back("template_fallback", error)
    elif found is not None and error is not None:
        found.append(error)


heard_in_extractors: Final = _heard(_hear_extractors)
heard_in_client: Final = _heard(_hear_client)


def items_told(function: Part) -> Part:
    """Return a logger's filter that sees records of failed items that 0.3 gives their event and code itself.

    .. versionadded:: 0.1.0
    """

    @wraps(function)
    def filtered(record: logging.LogRecord) -> Any:
        event, tally = vars(record).get("event"), TALLY.get()
        if type(event) is str and event == "item_failed" and tally is not None:
            tally.item_told(vars(record).get("error_code"))
        return function(record)

    return filtered


def without_template(function: Part) -> Part:
    """Return what makes the fallback template: also for no spans at all, which is no fallback.

    .. versionadded:: 0.1.0
    """

    @wraps(function)
    def fallback(*args: Any, **kwargs: Any) -> Any:
        tally, frame = TALLY.get(), frame_of("contextual.py")
        if tally is not None and frame is not None:
            error = handled_in(frame)
            if error is not None or frame.f_code.co_name == "_post_process_template":
                tally.fell_back("template_fallback", error)
        return function(*args, **kwargs)

    return fallback
