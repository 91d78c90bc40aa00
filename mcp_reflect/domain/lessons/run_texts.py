"""The texts of a run by where they come from, to look up where a sentence of a lesson was said before."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mcp_reflect.domain.lessons.anchors import ANCHOR, HOST, NETWORK_ADDRESS, anchors_in
from mcp_reflect.domain.lessons.dictated_commands import may_be_told, telling_words, words_that_run
from mcp_reflect.domain.lessons.heard import Call, Heard, decoded, encoded, sentences_of, stems_of, tokens_of
from mcp_reflect.domain.lessons.vouching import Brought, carries_over
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.observation import reads_as_error, without_asides

UNTRUSTED: tuple[TextOrigin, ...] = ("web", "tool", "memory", "file")
"""The least trusted first: the first of them that holds a sentence is its source."""
_HELD = 0.5
"""Least share of a sentence's word triples in a text that it is held to stem from."""
_REPEATED = 0.75
"""The same share for a sentence that wants nothing: what the agent put into words of its own is the agent's."""
_SIZE = 3
_TOLD_WORDS = 4
"""Words of a statement that an instruction has to share to be made of it."""

_WORD = re.compile(r"\w+")
_IN_BACKQUOTES = re.compile(r"`([^`\n]+)`")
_COMMANDS_ONLY = re.compile(r"(?:`[^`\n]+`|after|then|and|[\s;.,])+")
_TELLS_EDIT = re.compile(r"(?:after )?editing |Edit |`[^`\n]+` after editing ")
_IN_QUOTES = re.compile(r"[\"'`\[(]{1,2}([^\"`\[\]\n]{3,80}?)[\"'`\])]{1,2}(?!\w)")


@dataclass
class RunTexts:
    """The texts of a run by source, as words and as they stand, to look sentences up in; and the run's own calls."""

    parts: dict[TextOrigin, list[str]] = field(default_factory=dict)
    words: dict[TextOrigin, str] = field(default_factory=dict)
    plain: dict[TextOrigin, str] = field(default_factory=dict)
    heard: list[Heard] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    own: str = ""
    place: int = 0
    user_tokens: frozenset[str] = frozenset()
    user_stems: frozenset[str] = frozenset()
    brought: Brought = field(default_factory=Brought)

    def add(self, source: TextOrigin, text: str, failed: str = "") -> None:
        """Add a text of a source; `failed` is the command whose failure it tells."""
        if text.strip():
            self.place += 1
            self.parts.setdefault(source, []).append(text)
            if source in UNTRUSTED:
                self.heard += sentences_of(text, source, self.place, failed)
                self.parts[source] += decoded(text)
                self.brought.by_text(self.place, text)
            else:
                self.brought.by_user(text)

    def say(self, text: str) -> None:
        """Add words of the agent itself, which are its own as far as nothing that it read had them before."""
        self.place += 1
        self.brought.by_run(self.place, text)

    def call(self, text: str, command: str = "", *, is_edit: bool = False) -> None:
        """Add a call of the agent, as `Call` describes it."""
        self.place += 1
        self.calls.append(Call(self.place, text, command, is_edit))
        self.brought.by_run(self.place, text)
        self.parts.setdefault("agent", []).append(text)

    def without_own_names(self, text: str) -> str:
        """Return a text with `x` for what it quotes of the user, or of calls that are no commands, such as searches."""
        return _IN_QUOTES.sub(lambda found: "x" if skeleton(found[1]) in self.own else found[0], text)

    def close(self) -> None:
        """Prepare the texts for being looked at, once all of them were added."""
        own = [*self.parts.get("user", ()), *(call.text for call in self.calls if not call.command)]
        self.own = skeleton("\n".join(own))
        self.heard = [Heard(each.text, each.source, each.place, each.failed, self._plain(each)) for each in self.heard]
        for source, parts in self.parts.items():
            self.plain[source] = skeleton("\n".join(parts))
            self.words[source] = f" {' '.join(_WORD.findall(self.plain[source]))} "
        self.user_tokens = tokens_of("\n".join(self.parts.get("user", ())))
        self.user_stems = stems_of(self.user_tokens)

    def _plain(self, heard: Heard) -> str:
        text = self.without_own_names(heard.text)
        return without_asides(text) if heard.failed else text

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
            named = [each for each in named if self.brought.foreign_words(each)]
            for source in UNTRUSTED:
                if any(each in self.plain.get(source, "") for each in named):
                    return source
        return "agent"

    def vouches_for(self, sentence: str, source: TextOrigin) -> bool:
        """Return true where the user or the agent vouches for a sentence of this source (`vouching.py`)."""
        if source in UNTRUSTED or self.brought.foreign_words(sentence):
            return False
        return source == "user" or not carries_over(sentence, self.heard, self.user_stems)

    def _held(self, plain: str) -> dict[TextOrigin, float]:
        """The share of a sentence's word triples that each source holds."""
        words = _WORD.findall(plain)
        size = min(_SIZE, len(words))
        triples = [f" {' '.join(words[i : i + size])} " for i in range(len(words) - size + 1)] if words else []
        return {
            source: sum(triple in text for triple in triples) / len(triples) if triples else 0.0
            for source, text in self.words.items()
        }

    def order_in(self, sentence: str, *, instructs: bool) -> Heard | None:
        """Return the order that a sentence carries over from what was read and that the agent's calls do not bear out.

        A sentence that `instructs` carries over statements, too: they became an order in it. So does a command.
        """
        tokens = tokens_of(sentence)
        stems = stems_of(tokens)
        end = self._place_of(sentence)
        near = [heard for heard in self.heard if heard.place < end and not tokens.isdisjoint(heard.tokens)]
        if not instructs and any(heard.is_repeated_by(stems) for heard in near):
            return None
        for heard in near:
            by_words = heard.is_carried_by(stems, self.user_stems)
            if heard.words & stems <= stems_of(tokens_of(" ".join(heard.names & tokens))):
                by_words = False  # the parts of a name say no more than the name
            if not instructs and heard.is_order and heard.verb not in stems:
                by_words = False  # a statement without the verb of the order says what is, not what to do
            named = heard.names & tokens - self.user_tokens
            if not (by_words or named):
                continue
            if not heard.is_order:
                if not (instructs and heard.is_statement) or (heard.failed and reads_as_error(heard.plain)):
                    continue
                by_words = by_words and len(heard.words - self.user_stems) >= _TOLD_WORDS
            named = frozenset(name for name in named if self._is_foreign(name, heard))
            if (by_words or named) and not self._is_borne_out(heard, named, by_words=by_words):
                return heard
        return None

    def chooser_of(self, sentence: str, *, instructs: bool) -> TextOrigin | None:
        """Return the source whose prose alone chose a word of a command that a sentence holds; None for other commands.

        Of a sentence that does not instruct, only the commands that the run carried out count.
        """
        for quoted in map(str.strip, _IN_BACKQUOTES.findall(sentence)):
            called = next((call for call in self.calls if call.command and quoted in call.command), None)
            if (called is None and (not instructs or self._is_edited(quoted))) or may_be_told(quoted):
                continue
            place = self.place + 1 if called is None else called.place
            if source := self._source_of_code(quoted):
                return source
            for word in _with_stems(telling_words(quoted)) - self.user_tokens:
                if self.brought.is_known(word):
                    continue
                said = [each for each in self.heard if each.place < place and word in each.tokens]
                told = [each for each in said if not (each.is_data or each.is_about_failure_of(quoted))]
                if told and not self._is_known(word, said, told[0].place):
                    return told[0].source
        return None

    def _is_edited(self, quoted: str) -> bool:
        return any(call.is_edit and quoted in call.text for call in self.calls)

    def _source_of_code(self, command: str) -> TextOrigin | None:
        """The source that named the program, package or plugin of a command, other than by an error."""
        for word in words_that_run(command) - self.user_tokens:
            said = [] if self.brought.is_known(word) else [each for each in self.heard if word in each.tokens]
            if said and not any(each.failed and reads_as_error(each.plain) for each in said):
                return said[0].source
        return None

    def told_code(self, sentence: str) -> TextOrigin | None:
        """Return the source of code or data that a sentence carries over with a word which no call of the run holds."""
        used = {word for call in self.calls for word in call.tokens}
        unused = self.brought.foreign_words(sentence) - used
        stems = stems_of(tokens_of(sentence))
        told = (each for each in self.heard if each.is_data and each.tokens & unused)
        return next((each.source for each in told if each.is_carried_by(stems, self.user_stems)), None)

    def _is_known(self, word: str, said: list[Heard], place: int) -> bool:
        """Another text shows a word as data or code, or an earlier call holds it."""
        if any(each.is_data and each.place != place for each in said):
            return True
        return any(word in call.tokens for call in self.calls if call.place < place)

    def _place_of(self, sentence: str) -> int:
        """The place of the calls that a sentence tells and nothing else: no later text can have led to them."""
        quoted = [each.strip() for each in _IN_BACKQUOTES.findall(sentence)]
        if not quoted or not (_COMMANDS_ONLY.fullmatch(sentence) or _TELLS_EDIT.match(sentence)):
            return self.place + 1
        places = [next((call.place for call in self.calls if each in call.text), self.place + 1) for each in quoted]
        return max(places)

    def is_own_command(self, sentence: str) -> bool:
        """Return true for a sentence of nothing but commands that the agent ran and no word of which a text chose."""
        commands = [each.strip() for each in _IN_BACKQUOTES.findall(sentence)]
        if not commands or _COMMANDS_ONLY.fullmatch(sentence) is None:
            return False
        ran = [call.command for call in self.calls if call.command]
        words = {word for each in commands for word in telling_words(each)}
        return all(any(each in one for one in ran) for each in commands) and all(map(self.brought.is_known, words))

    def told_name(self, words: str) -> bool:
        """Return true for the words of a name that carry over a sentence which was read, in whatever form."""
        stems = stems_of(tokens_of(words))
        return len(stems) >= _SIZE and any(
            heard.is_carried_by(stems, self.user_stems, _SIZE) for heard in self.heard if len(heard.words) >= _SIZE
        )

    def hidden_in(self, sentence: str) -> TextOrigin | None:
        """Return the source of a text in base64 that a sentence holds and that nobody but such a source brought."""
        if not any(True for _ in decoded(sentence)):
            return None
        return next(
            (source for source in UNTRUSTED if source in self.parts and self._shares_blob(sentence, source)), None
        )

    def _shares_blob(self, sentence: str, source: TextOrigin) -> bool:
        return any(blob in text for blob in encoded(sentence) for text in self.parts[source])

    def holds_dictated(self, words: str) -> bool:
        """Return true for words in a lesson that quote a command or an edit of the run which no text may dictate."""
        quoted = [each.strip() for each in _IN_BACKQUOTES.findall(words)]
        return any(
            each in call.text and not (call.command and may_be_told(call.command))
            for each in quoted
            for call in self.calls
            if call.command or call.is_edit
        )

    def _is_foreign(self, name: str, heard: Heard) -> bool:
        """Return true for a name that the run has from prose alone: no other text shows it as data or code.

        The output of a command that failed names what is at hand; only a call that it dictated makes an order of that.
        """
        if heard.failed and not any(name in call.tokens and not call.is_the_agents(heard) for call in self.calls):
            return False
        return not any(name in each.tokens and each.place != heard.place and each.is_data for each in self.heard)

    def _is_borne_out(self, heard: Heard, named: frozenset[str], *, by_words: bool) -> bool:
        return any(
            call.is_the_agents(heard)
            and ((not by_words or heard.is_carried_by(call.stems, self.user_stems)) and named <= call.tokens)
            for call in self.calls
        )

    def leads_to(self, sentence: str) -> TextOrigin | None:
        """Return the least trusted source of an address in the network that a sentence names and the user did not."""
        found = [each for each in anchors_in(skeleton(sentence), NETWORK_ADDRESS) if HOST.search(each)]
        named = [each for each in found if each not in self.plain.get("user", "")]
        return next((source for source in UNTRUSTED if any(each in self.plain.get(source, "") for each in named)), None)


def _with_stems(words: frozenset[str]) -> frozenset[str]:
    """Return words and, of names of files, the names without their ending."""
    stems = (word.rpartition(".")[0] for word in words)
    return words | {stem for stem in stems if len(stem) >= 5}  # noqa: PLR2004 - characters that tell who chose it
