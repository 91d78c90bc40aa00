"""The texts of a run by where they come from, to look up where a sentence of a lesson was said before."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import filterfalse

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.anchors import ANCHOR, HOST, LOCAL_NAME, NETWORK_ADDRESS, anchors_in
from mcp_reflect.domain.provenance.base64_texts import decoded, encoded
from mcp_reflect.domain.provenance.calls import Call
from mcp_reflect.domain.provenance.channels import Channel, is_signed
from mcp_reflect.domain.provenance.command_outcomes import CommandOutcomes
from mcp_reflect.domain.provenance.first_mentions import FirstMentions
from mcp_reflect.domain.provenance.observed import Contents, Observed, TextReading
from mcp_reflect.domain.provenance.remedies import Attempt, Remedy, remedies_in
from mcp_reflect.domain.provenance.text_sentences import sentences_of
from mcp_reflect.domain.provenance.tokens import stem_of, stems_of, tells_author, tokens_of
from mcp_reflect.domain.provenance.well_known import is_well_known
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.inert import skeleton

UNTRUSTED: tuple[TextOrigin, ...] = ("web", "tool", "memory", "file")
"""The least trusted first: the first of them that holds a sentence is its source."""
_HELD = 0.5
"""Least share of a sentence's word triples in a text that it is held to stem from."""
_REPEATED = 0.75
"""The same share for a sentence that wants nothing: what the agent put into words of its own is the agent's."""
_SIZE = 3

_WORD = re.compile(r"\w+")
_IN_QUOTES = re.compile(r"[\"'`\[(]{1,2}([^\"`\[\]\n]{3,80}?)[\"'`\])]{1,2}(?!\w)")


_MOST_LINES = 200
"""Lines of a call that are looked at for dangers."""


@dataclass
class RunTexts:
    """The texts of a run by source, as words and as they stand, to look sentences up in; and the run's own calls.

    `is_told` is true where the agent told the run in words, so that nothing shows where it had them from. `recalled` is
    what the reviewer points to in what the run had read (`lessons/run/recalled_readings.py`), and the rules that it had
    looked up and followed (`lessons/run/followed_rules.py`). `of_operator` is what whoever runs the agent told it.
    `may_be_forged` is true for a transcript, an output of which may look like any turn. No output can hold `sure`, what
    the user said before the first call and about the run, nor `closing`, what the agent said behind the last output.
    """

    parts: dict[TextOrigin, list[str]] = field(default_factory=dict)
    words: dict[TextOrigin, str] = field(default_factory=dict)
    plain: dict[TextOrigin, str] = field(default_factory=dict)
    observed: list[Observed] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    outcomes: CommandOutcomes = field(default_factory=CommandOutcomes)
    tools: set[str] = field(default_factory=set)
    own: str = ""
    is_told: bool = False
    place: int = 0
    user_tokens: frozenset[str] = frozenset()
    user_stems: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    mentions: FirstMentions = field(default_factory=FirstMentions)
    attempts: list[Attempt] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    recalled: str = ""
    of_operator: str = ""
    may_be_forged: bool = False
    closing: str = ""
    sure: str = ""

    def add(
        self,
        source: TextOrigin,
        text: str,
        failed: str = "",
        holds: Contents = "prose",
        name: str = "",
        channel: Channel = "own",
    ) -> None:
        """Add a text of a source, with the further fields of its `TextReading`."""
        if text.strip():
            self.place += 1
            self.parts.setdefault(source, []).append(text)
            if source in UNTRUSTED:
                channel = "correspondence" if source == "tool" and is_signed(text) else channel
                reading = TextReading(source, self.place, failed, holds, name, channel)
                hidden = tuple(decoded(text))
                self.observed += sentences_of(text, hidden, reading, self.without_own_names)
                self.parts[source] += hidden
                self.mentions.by_text(self.place, text, *hidden)
            else:
                self.mentions.by_user(text)

    def say(self, text: str) -> None:
        """Add words of the agent itself, which are its own as far as nothing that it read had them before."""
        self.place += 1
        self.mentions.by_run(self.place, text)

    def call(self, tool: str, text: str, command: str = "", *, is_edit: bool = False, named: str = "") -> None:
        """Add a call of the agent, as `Call` describes it; `named` are its arguments with their names."""
        self.place += 1
        self.tools.add(tool)
        self.calls.append(Call(self.place, text, command, is_edit))
        self.mentions.by_run(self.place, text)
        self.parts.setdefault("agent", []).extend(filter(None, (text, named)))

    def is_reason(self, said: str) -> bool:
        """Return true for words by which a tool that the agent called said why it refused that, or what it warns of."""
        return any(said.strip() in reason for reason in self.reasons)

    def without_own_names(self, text: str) -> str:
        """Return a text with `x` for what it quotes of the user, or of calls that are no commands, such as searches."""
        return _IN_QUOTES.sub(lambda found: "x" if skeleton(found[1]) in self.own else found[0], text)

    def close(self) -> None:
        """Prepare the texts for being looked at, once all of them were added."""
        own = [*self.parts.get("user", ()), *(call.text for call in self.calls if not call.command)]
        self.own = skeleton("\n".join(own))
        for source, parts in self.parts.items():
            self.plain[source] = skeleton("\n".join(parts))
            self.words[source] = f" {' '.join(_WORD.findall(self.plain[source]))} "
        self.user_tokens = tokens_of("\n".join(self.parts.get("user", ())))
        self.user_stems = stems_of(self.user_tokens)
        queries = [call.text for call in self.calls if not (call.command or call.is_edit)]
        self.asked = stems_of(frozenset(filter(tells_author, self.user_tokens)) | tokens_of("\n".join(queries)))

    def observed_with(self, word: str) -> list[Observed]:
        """Return the sentences that hold a word, or a word with this stem, in the order in which they were read."""
        return [self.observed[number] for number in self._by_word.get(word, ())]

    def observed_near(self, words: frozenset[str]) -> list[Observed]:
        """Return the sentences that share a word or a stem with others, in the order in which they were read."""
        found = set[int]().union(*(self._by_word.get(word, ()) for word in words))
        return [self.observed[number] for number in sorted(found)]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, each in enumerate(self.observed):
            for token in tokens_of(each.text):  # and not each.tokens, which few sentences are asked for again
                found.setdefault(token, []).append(number)
        by_stem: dict[str, set[int]] = {}
        for token, numbers in found.items():  # a run repeats its words: each has its stem taken once
            stem = stem_of(token)
            if stem and stem != token:
                by_stem.setdefault(stem, set()).update(numbers)
        return found | {stem: sorted(numbers.union(found.get(stem, ()))) for stem, numbers in by_stem.items()}

    @cached_property
    def remedies(self) -> tuple[Remedy, ...]:
        """What alone mended commands that had failed."""
        return tuple(remedies_in(self.attempts))

    @cached_property
    def has_dangers(self) -> bool:
        """Whether the user said something dangerous, or a call did it."""
        texts = (*self.parts.get("user", ()), *(call.text for call in self.calls))
        return any(is_dangerous(line) for text in texts for line in text.splitlines()[:_MOST_LINES])

    def is_dangerous(self, said: str) -> bool:
        """Return true for a dangerous sentence, unless all that makes it so are addresses which the user named."""
        return is_dangerous(said) and is_dangerous(self._without_addresses_of_user(said))

    def _without_addresses_of_user(self, said: str) -> str:
        named = skeleton(self.sure) if self.may_be_forged else self.plain.get("user", "")
        addresses = (found.strip(".,;:)") for found in NETWORK_ADDRESS.findall(said))
        for address in sorted(addresses, key=len, reverse=True):
            if HOST.search(address) and skeleton(address) in named:
                said = said.replace(address, "there")
        return said

    def has_read_danger_like(self, said: str) -> bool:
        """Return true where a dangerous text that was read shares a word with a sentence."""
        return any(is_dangerous(each.text) for each in self.observed_near(tokens_of(said)))

    @cached_property
    def edited(self) -> frozenset[str]:
        """The words of all edits."""
        return frozenset[str]().union(*(call.tokens for call in self.calls if call.is_edit))

    @cached_property
    def borne_out(self) -> frozenset[str]:
        """The words of edits after which a command passed that had failed before."""
        return frozenset[str]().union(
            *(call.tokens for call in self.calls if call.is_edit and self.outcomes.bear_out(call.place))
        )

    def is_about(self, text: str) -> bool:
        """Return true for a text about what the user named, or what the agent asked a tool other than a shell for."""
        return bool(stems_of(tokens_of(text)) & self.asked)

    def source_of(self, sentence: str, *, dangerous: bool = False) -> TextOrigin:
        """Return where a sentence stems from; a dangerous one also by the addresses, paths and options in it."""
        plain = skeleton(sentence)
        held = self._held(plain)
        told = plain
        while ": " in told and len(_WORD.findall(told := told.partition(": ")[2])) > 1:  # "the lesson learned: …"
            held |= {source: max(share, held[source]) for source, share in self._held(told).items()}
        best = max((held.get(source, 0.0) for source in UNTRUSTED), default=0.0)
        if held.get("user", 0.0) >= max(best, _HELD):
            return "user"
        least = _HELD if dangerous else _REPEATED
        if best >= least and (dangerous or held.get("agent", 0.0) < _HELD):
            return next(source for source in UNTRUSTED if held.get(source, 0.0) >= least)
        if dangerous:
            named = [each for each in anchors_in(plain, ANCHOR) if each not in self.plain.get("user", "")]
            named = [each for each in named if self.mentions.foreign_words(each)]
            for source in UNTRUSTED:
                if any(each in self.plain.get(source, "") for each in named):
                    return source
        return "agent"

    def name_of(self, sentence: str, source: TextOrigin) -> str:
        """Return the name of the text of a source that has most of a sentence's foreign words, else of its words.

        Empty where it has none, and where texts brought it themselves.
        """
        told = self.mentions.foreign_words(sentence) or tokens_of(sentence)
        said = " ".join(sentence.split()).strip(" .;")
        shared: dict[str, frozenset[str]] = {}
        for each in self.observed_near(told):
            if each.source == source:
                if said in each.text:
                    return "" if self.mentions.foreign_words(each.name) else each.name
                shared[each.name] = shared.get(each.name, frozenset()) | (told & each.tokens)
        name = max(shared, key=lambda name: len(shared[name]), default="")
        return "" if self.mentions.foreign_words(name) else name

    def was_replaced(self, observed: Observed) -> bool:
        """Return true for a line of code that an edit of the run replaced: what is told of the edit repeats it."""
        return observed.holds == "code" and any(observed.text in text for text in self.replaced)

    def was_read(self, words: str) -> bool:
        """Return true where a text that was read has these words, most of them in this order."""
        held = self._held(skeleton(words))
        return any(held.get(source, 0.0) >= _HELD for source in UNTRUSTED)

    def _held(self, plain: str) -> dict[TextOrigin, float]:
        """The share of a sentence's word triples that each source holds."""
        words = _WORD.findall(plain)
        size = min(_SIZE, len(words))
        triples = [f" {' '.join(words[i : i + size])} " for i in range(len(words) - size + 1)] if words else []
        return {
            source: sum(triple in text for triple in triples) / len(triples) if triples else 0.0
            for source, text in self.words.items()
        }

    def hidden_in(self, sentence: str) -> TextOrigin | None:
        """Return the source of a text in base64 that a sentence holds and that nobody but such a source brought."""
        if not any(True for _ in decoded(sentence)):
            return None
        blobs = encoded(sentence)
        brought = ((source, text) for source in UNTRUSTED for text in self.parts.get(source, ()))
        return next((source for source, text in brought if any(blob in text for blob in blobs)), None)

    def leads_to(self, sentence: str) -> TextOrigin | None:
        """Return the least trusted source of an address in the network that such a source brought to a sentence."""
        hosts = filter(HOST.search, anchors_in(skeleton(sentence), NETWORK_ADDRESS))
        addresses = filterfalse(LOCAL_NAME.fullmatch, hosts)
        found = [each for each in addresses if not (is_well_known(each) or self.mentions.brought_first(each))]
        named = [
            each.rpartition("://")[2]
            for each in found
            if each not in self.plain.get("user", "") and self.mentions.foreign_words(each)
        ]
        return next((source for source in UNTRUSTED if any(each in self.plain.get(source, "") for each in named)), None)
