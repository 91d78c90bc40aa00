"""Checks of a model's reflection against the run that it is about."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.models import DRAFT_TEXTS, ReflectionDraft
from mcp_reflect.domain.text.orders import addresses_reader, runs_from_network
from mcp_reflect.domain.trajectory.run import ReviewedRun

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[`]?[A-Z0-9])|\n+")
_PLACEHOLDER = re.compile(r"\W*(?:\.\.\.|…|<[^<>]*>)?\W*")
_CALL = re.compile(r"`([A-Za-z_][\w.-]{1,63})\(|\b([a-z]+_[a-z_0-9]+)\(")
_WORD = re.compile(r"\w+")
_LEAST_ECHO = 5
"""Words from which a sentence that stands in the prompt's own text is an echo of it and no coincidence."""


def check_draft(draft: ReflectionDraft, run: ReviewedRun, instructions: str) -> ReflectionDraft:
    """Return the part of a model's draft that its run supports.

    Left out are sentences that repeat the prompt (`instructions`), that call a tool which neither the run nor its
    feedback or reference names, and that hand on an order from the run to the reader; tools that do not occur; and the
    key mistake of a run that passed, which models invent to fill the field. The draft is empty where nothing is left.
    """
    known = _Known(run, instructions)
    kept = {name: known.keep(getattr(draft, name)) for name in DRAFT_TEXTS}
    if run.review.result == "pass":
        kept["key_mistake"] = ""
    return draft.model_copy(
        update={
            **kept,
            "applicable_tools": tuple(name for name in draft.applicable_tools if known.has(name)),
            "claims": tuple(claim for claim in draft.claims if known.keep(claim) == claim),
        }
    )


class _Known:
    """The texts of a run, to compare a model's sentences with."""

    def __init__(self, run: ReviewedRun, instructions: str) -> None:
        trace = run.trace
        texts = [trace.task, trace.trajectory, trace.final_response, trace.reference_context, run.review.feedback]
        self._said = "\n".join(texts)
        self._tools = frozenset(trace.tools_used)
        self._commands = "\n".join(step.subject for step in find_steps(run.trajectory) if step.kind == "command")
        self._instructions = _plain(instructions)

    def has(self, tool: str) -> bool:
        """Return true for tools that the run names, and for any where it recorded no call: it may be a summary."""
        return (
            not self._tools
            or tool in self._tools
            or re.search(rf"(?<!\w){re.escape(tool)}(?!\w)", self._said) is not None
        )

    def keep(self, text: str) -> str:
        """Return a text without the sentences that are not the run's; unchanged where all of them are."""
        sentences = [part for part in _SENTENCE_END.split(text) if part.strip()]
        kept = [sentence for sentence in sentences if self._is_supported(sentence)]
        if len(kept) == len(sentences):
            return text
        return " ".join(part.strip() for part in kept)

    def _is_supported(self, sentence: str) -> bool:
        if _PLACEHOLDER.fullmatch(sentence) or addresses_reader(sentence):
            return False
        piped = runs_from_network(sentence)
        if piped and piped not in self._commands:
            return False
        words = _plain(sentence)
        if words.count(" ") + 1 >= _LEAST_ECHO and words in self._instructions:
            return False
        return all(self.has(first or second) for first, second in _CALL.findall(sentence))


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
