"""JSON by the interpreter's own C functions, without the import of `json`.

`json` imports `re`, `enum`, `functools` and `collections`: half as much again as the start of the interpreter, for
which an agent waits before each of its commands. The C functions are the ones that `json` itself calls. Whatever they
refuse, and everything where an interpreter has them in another form, goes through `json`, whose results and errors
these are therefore.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SPACE = " \t\n\r"


class _Decoding:
    """The attributes of `json.JSONDecoder` that the C scanner reads."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _refused(value: object) -> Any:
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _c_functions() -> tuple[Callable[..., Any], Callable[..., Any], Callable[[str], str], Callable[[str], str]] | None:
    try:
        from _json import (  # noqa: PLC0415 - not every interpreter has it
            encode_basestring,
            encode_basestring_ascii,
            make_encoder,
            make_scanner,
        )

        scan = make_scanner(_Decoding())  # type: ignore[arg-type] # it reads the attributes only
        tried = {"a": [1, 2.5, None, True, "é"]}
        text = "".join(make_encoder({}, _refused, encode_basestring, None, ": ", ", ", False, False, True)(tried, 0))  # noqa: FBT003 - takes no keywords
        if scan(text, 0) != (tried, len(text)):
            return None
    except (ImportError, TypeError, ValueError, AttributeError):
        return None
    return scan, make_encoder, encode_basestring, encode_basestring_ascii


_FUNCTIONS = _c_functions()


def loads(text: str | bytes) -> Any:
    """Return what `json.loads` returns, and raise what it raises."""
    if _FUNCTIONS is not None:
        try:
            decoded = text if isinstance(text, str) else text.decode("utf-8", "surrogatepass")
            start = len(decoded) - len(decoded.lstrip(_SPACE))
            value, end = _FUNCTIONS[0](decoded, start)
            if not decoded[end:].strip(_SPACE):
                return value
        except (ValueError, StopIteration, SystemError):  # told by `json`, which the C function itself does not import
            pass
    import json  # noqa: PLC0415 - see above

    return json.loads(text)


def dumps(value: object, *, ensure_ascii: bool = True, allow_nan: bool = True) -> str:
    """Return what `json.dumps` returns for the same arguments, and raise what it raises."""
    if _FUNCTIONS is not None:
        _, make_encoder, plain, ascii_only = _FUNCTIONS
        encode_text = ascii_only if ensure_ascii else plain
        try:
            encode = make_encoder({}, _refused, encode_text, None, ": ", ", ", False, False, allow_nan)  # noqa: FBT003
            return "".join(encode(value, 0))
        except (TypeError, ValueError):  # told in the words of `json`
            pass
    import json  # noqa: PLC0415 - see above

    return json.dumps(value, ensure_ascii=ensure_ascii, allow_nan=allow_nan)
