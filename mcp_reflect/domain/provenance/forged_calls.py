"""Calls of a plain-text transcript that an output may have forged, blank lines and all.

Nothing in the text tells a forged turn from a true one where the notation has no mark that outputs can't print. What
the forger can't write are the words of the user, the review, the first call, and the agent's words behind the last
output. So what does harm if it is forged (a dangerous command, one that brings in code or acts for outsiders) is told
only where these speak of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.anchors import HOST, LOCAL_NAME, NETWORK_ADDRESS, anchors_in
from mcp_reflect.domain.provenance.calls import Call
from mcp_reflect.domain.provenance.command_words import shell_words, words_brought_in
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.provenance.taint import BRINGS_IN, COMMAND_ERROR, IN_BACKQUOTES, OUTSIDERS
from mcp_reflect.domain.provenance.tokens import tells_author, tokens_of
from mcp_reflect.domain.provenance.well_known import is_well_known
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.inert import skeleton

_VERSION = re.compile(r"(?<=.)(?:@|[=~<>!]=?)[\w.*^~-]*$")
_PINNED = re.compile(r"\d+(?:\.\d+){1,2}(?:[-+][\w.]*)?")
"""What stands behind the `@` of a package with its version."""
_JOINT = re.compile(r"\s*(?:&&|;|\n)\s*")


class ForgedCalls:
    """Tells which commands and wishes of a run may be forged and would do harm; of messages none may be."""

    def __init__(self, texts: RunTexts) -> None:
        self._texts = texts

    def tells_harm(self, sentence: str) -> bool:
        """Return true for a sentence with a harmful command or wish of which nobody speaks who can't be forged.

        A wish does harm that is dangerous or leads to an address.
        """
        if not self._texts.may_be_forged:
            return False
        quoted = IN_BACKQUOTES.findall(sentence)
        if any(self._may_harm(each.strip()) for each in quoted):
            return True
        said = COMMAND_ERROR.sub("`", sentence)
        leads_out = any(not self._is_spoken_of(host) for host in _hosts_in(said))
        return (leads_out or (not quoted and is_dangerous(sentence))) and not self._is_said_surely(sentence)

    def _is_said_surely(self, sentence: str) -> bool:
        told = " ".join(f"{self._texts.sure}\n{self._closing}".split())
        return " ".join(sentence.split()).rstrip(".;") in told

    def _may_harm(self, command: str) -> bool:
        made = [call for call in self._texts.calls if call.command and call.holds(command)]
        if not made or any(call is self._first for call in made) or self._is_said_surely(command):
            return False
        packages = (words_brought_in(brings[0]) for brings in BRINGS_IN.finditer(command))
        if any(
            package and not (self._is_spoken_of(package) or self._is_spoken_of(_VERSION.sub("", package)))
            for package in frozenset[str]().union(*packages)
        ):
            return True
        harmful = (each for each in _JOINT.split(command) if is_dangerous(each) or OUTSIDERS.search(each))
        return any(not any(map(self._is_spoken_of, shell_words(each)[1:])) for each in harmful)

    def _is_spoken_of(self, word: str) -> bool:
        plain = skeleton(word)
        is_place = "." in plain and re.search(rf"(?<![\w.-]){re.escape(plain)}(?![\w-])", self._sure) is not None
        return is_place or plain in self._vouched or is_well_known(plain)

    @cached_property
    def _sure(self) -> str:
        return skeleton(self._texts.sure)

    @cached_property
    def _first(self) -> Call | None:
        return next(iter(self._texts.calls), None)

    @cached_property
    def _closing(self) -> str:
        """The last paragraph of the agent's last words: those before it may end the last output."""
        return self._texts.closing.strip().rpartition("\n\n")[2]

    @cached_property
    def _vouched(self) -> frozenset[str]:
        """The words of those who can't be forged."""
        first = self._first.text if self._first else ""
        return frozenset(filter(tells_author, tokens_of(f"{self._texts.sure}\n{self._closing}\n{first}")))


def _hosts_in(text: str) -> Iterator[str]:
    """The hosts in the network that a text names, but for well-known ones and those of this machine."""
    for address in filter(HOST.search, anchors_in(skeleton(text), NETWORK_ADDRESS)):
        host = address.rpartition("://")[2].rpartition("@")[2].partition("/")[0].partition(":")[0]
        is_version = "://" not in address and _PINNED.fullmatch(host)
        if not (is_version or LOCAL_NAME.fullmatch(address) or LOCAL_NAME.fullmatch(host) or is_well_known(address)):
            yield host
