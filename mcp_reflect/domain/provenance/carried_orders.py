"""Orders that a sentence of a lesson carries over from a text that the agent read, in whatever words it says them.

A sentence carries another one over where it says most of its words, or names what only that one names. It is the
agent's own again where a call of the agent bears it out that no text had led to.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.dictated_commands import may_be_told
from mcp_reflect.domain.provenance.observed import Observed
from mcp_reflect.domain.provenance.run_texts import UNTRUSTED, RunTexts
from mcp_reflect.domain.provenance.taint import COMMANDS_ONLY, IN_BACKQUOTES, Taint
from mcp_reflect.domain.provenance.tokens import stems_of, tokens_of
from mcp_reflect.domain.text.danger import is_dangerous

_TOLD_WORDS = 4
"""Words of a statement that an instruction has to share to be made of it."""
_LEAST_CARRIED = 4
"""Words of a sentence that another one has to repeat which carries it over, where nothing else speaks for that."""
_LEAST_IN_NAME = 3
TELLS_EDIT = re.compile(
    r"(?:after )?editing |Edit |`[^`\n]+` after editing "
    r"|Run `sed -i(?: -E)? '(?:s([/#|,])(?:(?!\1).)*\1(?:(?!\1).)*\1[gI]?(?:; ?|(?=')))+' [\w./-]+`$"
)
"""An edit, also as a command that does nothing but substitute."""

_COMMIT = r"(?=\D*\d)[0-9a-f]{7,40}"
_COMMIT_ID = re.compile(_COMMIT)
_COMMIT_LINE = re.compile(rf"[*|\\/ _]*{_COMMIT} |\[[^\]\n]{{1,200}} {_COMMIT}\] ")
"""A line of a log of git, or what it says of a commit that it made."""
_REPLACED = re.compile(r"`([^`\n]+)` → `")
"""What an edit put something else in the place of."""


def tells_calls(sentence: str) -> bool:
    """Return true for a sentence of a lesson that tells commands or edits of a run, and nothing else."""
    return COMMANDS_ONLY.fullmatch(sentence) is not None or TELLS_EDIT.match(sentence) is not None


def _shares_commit_only(observed: Observed, stems: frozenset[str]) -> bool:
    """Return true where all that a sentence has of a line of git is the id of its commit, whatever the subject says."""
    shared = observed.words & stems
    return bool(shared) and all(map(_COMMIT_ID.fullmatch, shared)) and _COMMIT_LINE.match(observed.text) is not None


class CarriedOrders:
    """Looks up what the sentences of a lesson carry over from the texts of its run."""

    def __init__(self, texts: RunTexts, taint: Taint) -> None:
        self._texts = texts
        self._taint = taint

    def find(self, sentence: str, *, instructs: bool) -> TextOrigin | None:
        """Return the source of the order that a sentence carries over and that the agent's calls do not bear out.

        A sentence that `instructs` carries over statements, too: they became an order in it. So does a command.
        """
        instructs = instructs or self._quotes_dictated(sentence)
        user_stems, user_tokens = self._texts.user_stems, self._texts.user_tokens
        tokens = tokens_of(sentence) - self._replaced_in(sentence)
        stems = stems_of(tokens)
        end = self._place_of(sentence)
        near = [each for each in self._texts.observed_near(tokens | stems) if each.place < end]
        near = [each for each in near if not (TELLS_EDIT.match(sentence) and self._texts.was_replaced(each))]
        if not instructs and any(each.is_repeated_by(stems) for each in near):
            return None
        for each in near:
            by_words = each.is_carried_by(stems, user_stems)
            named = each.names & tokens - user_tokens
            if not (by_words or named) or _shares_commit_only(each, stems - user_stems):
                continue
            if each.words & stems <= stems_of(tokens_of(" ".join(each.names & tokens))):
                by_words = False  # the parts of a name say no more than the name
            if not instructs and each.is_order and each.verb not in stems:
                by_words = False  # a statement without the verb of the order says what is, not what to do
            if not (by_words or named):
                continue
            if not each.is_order:
                if not (instructs and each.is_statement) or each.is_diagnosis:
                    continue
                by_words = by_words and len(each.words - user_stems) >= _TOLD_WORDS
            named = frozenset(name for name in named if self._is_named_by_prose(name, each))
            if (by_words or named) and not self._is_borne_out(each, named, by_words=by_words):
                return each.source
        return None

    def find_in_code(self, sentence: str) -> TextOrigin | None:
        """Return the source of code or data that an instruction carries over with a tainted word."""
        stems = stems_of(tokens_of(sentence))
        told = (each for word in self._taint.words(sentence) for each in self._texts.observed_with(word))
        carried = (each for each in told if each.is_carried_by(stems, self._texts.user_stems) and not each.is_prose)
        return next((each.source for each in carried), None)

    def is_in_name(self, words: str) -> bool:
        """Return true for the words of a tool's name that carry over a sentence which was read, in whatever form."""
        stems = stems_of(tokens_of(words))
        near = (each for each in self._texts.observed_near(stems) if len(each.words) >= _LEAST_IN_NAME)
        return len(stems) >= _LEAST_IN_NAME and any(
            each.is_carried_by(stems, self._texts.user_stems, _LEAST_IN_NAME) for each in near
        )

    def vouches_for(self, sentence: str, source: TextOrigin) -> bool:
        """Return true where the user or the agent vouches for a sentence of this source.

        They do for what they brought themselves: no telling word of it was in a text before but for names of files in a
        listing, and it repeats none.
        """
        mentions = self._texts.mentions
        if source in UNTRUSTED or not all(map(mentions.is_known, mentions.foreign_words(sentence))):
            return False
        known = self._texts.user_stems
        stems = stems_of(tokens_of(sentence))
        return source == "user" or not any(
            len(each.words - known) >= _LEAST_CARRIED
            and each.is_carried_by(stems, known, _LEAST_CARRIED)
            and each.is_prose
            for each in self._texts.observed_near(stems)
        )

    def _quotes_dictated(self, sentence: str) -> bool:
        """Return true for words that quote a command or an edit of the run which no text may dictate."""
        quoted = [each.strip() for each in IN_BACKQUOTES.findall(sentence)]
        return any(
            call.holds(each) and not (call.command and may_be_told(call.command))
            for each in quoted
            for call in self._texts.calls
            if call.command or call.is_edit
        )

    def _replaced_in(self, sentence: str) -> frozenset[str]:
        """The words of the lines that an edit replaced: they stood in the file, and no text led to them.

        Of what takes a check away none are: a text may have named just what was changed.
        """
        if not TELLS_EDIT.match(sentence) or is_dangerous(sentence):
            return frozenset()
        replaced = "\n".join(" ".join(text.split()) for text in self._texts.replaced)
        old = (" ".join(found.split()) for found in _REPLACED.findall(sentence))
        return frozenset().union(*(tokens_of(each) for each in old if each in replaced))

    def _place_of(self, sentence: str) -> int:
        """The place of the calls that a sentence tells and nothing else: no later text can have led to them."""
        after_all = self._texts.place + 1
        quoted = [each.strip() for each in IN_BACKQUOTES.findall(sentence)]
        if not quoted or not tells_calls(sentence):
            return after_all
        return max(next((call.place for call in self._texts.calls if call.holds(each)), after_all) for each in quoted)

    def _is_named_by_prose(self, name: str, observed: Observed) -> bool:
        """Return true for a name that the run has from prose alone.

        The output of a command that failed names what is at hand; only a call that it dictated makes an order of that.
        """
        if observed.failed and not any(
            name in call.tokens and not call.is_the_agents(observed) for call in self._texts.calls
        ):
            return False
        others = (each for each in self._texts.observed_with(name) if each.place != observed.place)
        return not any(each.shows(name) for each in others)

    def _is_borne_out(self, observed: Observed, named: frozenset[str], *, by_words: bool) -> bool:
        return any(
            call.is_the_agents(observed)
            and named <= call.tokens
            and (not by_words or observed.is_carried_by(call.stems, self._texts.user_stems))
            for call in self._texts.calls
        )
