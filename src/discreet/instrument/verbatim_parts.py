"""What runs in the place of verbatim's functions: they do what they did, and what they swallow is noticed."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from functools import wraps
from inspect import iscoroutinefunction, signature
from typing import Any, Final

from discreet.call import Call
from discreet.export.ledger import LEDGER
from discreet.instrument.quiet import never_raises
from discreet.instrument.streams import pass_over
from discreet.instrument.verbatim_swallowed import TALLY, UNREAD, Tally, frame_of, handled_in, is_own
from discreet.scope import owners
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

_LLM_ITEMS: Final = frozenset(
    {"_extract_spans_batch", "_extract_spans_batch_async", "_extract_spans_individual", "_extract_one"}
)
_MODEL_ITEMS: Final = frozenset({"_extract_highlighter", "extract_spans"})
_QUOTES: Final = frozenset({"_verify_spans", "_verify_spans_fuzzy"})


def _call() -> Call | None:
    return next((owner for owner in owners() if isinstance(owner, Call)), None)


def tallied(
    count: Callable[[dict[str, Any]], int] | None = None,
    name: Callable[[BaseException], tuple[str, str] | None] | None = None,
    after: Callable[[Tally], None] | None = None,
) -> Callable[[Part], Part]:
    """Return what runs a call and tells what was swallowed in it.

    Args:
        count: Counts the items among the arguments.
        name: Gives code and class for an exception that has none by contract.
        after: Looks at what was swallowed once the call has returned.

    .. versionadded:: 0.1.0
    """

    def within(function: Part) -> Part:
        form = signature(function)

        @never_raises
        def end(tally: Tally, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            if after is not None:
                after(tally)
            items = None
            if count is not None:
                try:
                    items = count(form.bind(*args, **kwargs).arguments)
                except Exception as error:
                    # Arguments of another shape than those of the release that this was written for.
                    LEDGER.failure("instrument", error)
            tally.close(items)

        @never_raises
        def failed(error: BaseException, call: Call | None, tally: Tally, outer: Tally | None) -> None:
            found = name(error) if name is not None else None
            if found is None and tally.named is not None and tally.named[0] is error:
                # A call inside this one has let it through.
                found = tally.named[1]
            if outer is not None:
                outer.raised = error
                outer.named = None if found is None else (error, found)
            if found is not None and call is not None:
                call.fail(error, code=found[0], error_class=found[1])
            tally.forget()

        if iscoroutinefunction(function):

            @wraps(function)
            async def coroutine(*args: Any, **kwargs: Any) -> Any:
                outer, call = TALLY.get(), _call()
                tally = Tally(call, outer)
                TALLY.set(tally)
                try:
                    value = await function(*args, **kwargs)
                except BaseException as error:
                    failed(error, call, tally, outer)
                    raise
                finally:
                    TALLY.set(outer)
                end(tally, args, kwargs)
                return value

            return coroutine

        @wraps(function)
        def plain(*args: Any, **kwargs: Any) -> Any:
            outer, call = TALLY.get(), _call()
            tally = Tally(call, outer)
            TALLY.set(tally)
            try:
                value = function(*args, **kwargs)
            except BaseException as error:
                failed(error, call, tally, outer)
                raise
            finally:
                TALLY.set(outer)
            end(tally, args, kwargs)
            return value

        return plain

    return within


def streamed(function: Part) -> Part:
    """Return an async generator function that tells of a stream's last event, which may be an error.

    .. versionadded:: 0.1.0
    """

    @wraps(function)
    async def stream(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        tally = Tally(_call(), None)
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

    @never_raises
    def replied(value: Any) -> None:
        tally, call = TALLY.get(), _call()
        blank = type(value) is not str or not value.strip()
        if tally is not None:
            tally.blank = blank
        if blank and call is not None:
            call.fail(code="empty_reply", error_class="upstream")
        register_reply(value if type(value) is str else None, outside=call)

    @never_raises
    def failed(error: BaseException) -> None:
        tally, call = TALLY.get(), _call()
        if tally is not None:
            tally.raised = error
            tally.blank = False
        if call is not None and isinstance(error, Exception) and is_own(traceback_of(error)):
            # No contract has a code for what its code can't do with a reply; for 0.3's own errors it has one.
            call.fail(error, code="invalid_reply", error_class="upstream")

    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            try:
                value = await function(*args, **kwargs)
            except BaseException as error:
                failed(error)
                raise
            replied(value)
            return value

        return coroutine

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        try:
            value = function(*args, **kwargs)
        except BaseException as error:
            failed(error)
            raise
        replied(value)
        return value

    return plain


def unread(function: Part) -> Part:
    """Return what extracts from several documents, all of which have failed if the reply can't be read.

    .. versionadded:: 0.1.0
    """
    form = signature(function)

    @never_raises
    def tell(found: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        tally = TALLY.get()
        if found and tally is not None:
            for _ in form.bind(*args, **kwargs).arguments["documents"]:
                tally.item_failed(found[0])

    if iscoroutinefunction(function):

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            before, found = UNREAD.get(), list[Any]()
            UNREAD.set(found)
            try:
                value = await function(*args, **kwargs)
            finally:
                UNREAD.set(before)
            tell(found, args, kwargs)
            return value

        return coroutine

    @wraps(function)
    def plain(*args: Any, **kwargs: Any) -> Any:
        before, found = UNREAD.get(), list[Any]()
        UNREAD.set(found)
        try:
            value = function(*args, **kwargs)
        finally:
            UNREAD.set(before)
        tell(found, args, kwargs)
        return value

    return plain


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
