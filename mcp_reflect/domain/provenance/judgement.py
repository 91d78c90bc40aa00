"""Judges a sentence: where it stems from, and whether a lesson may hold it, as it stands or as a quotation.

A sentence stems from the text that holds most of its word triples. What the user said counts as the user's, also where
a tool repeats it; what the agent's own calls hold counts as the agent's. What no text holds, the agent concluded.

Withheld is, in this order: what does harm and may be forged in a transcript (`forged_calls.py`); what carries an order
over from a text that was read (`carried_orders.py`); a command, an edit or a tool a word of which such a text chose
(`taint.py`) and that the run does not bear out (`endorsement.py`); what is dangerous (`text/danger.py`) or leads into
the network; what the agent only believed (`beliefs.py`); and of what only a text said, all but what a lesson may quote
(`quotation_rules.py`). What the reviewer of a failed run points to in what it had read, and rules that a run followed,
are quoted all the same. Of a run that is told in words nothing shows what the agent had read: what is dangerous counts
as read there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.beliefs import Beliefs
from mcp_reflect.domain.provenance.carried_orders import TELLS_EDIT, CarriedOrders
from mcp_reflect.domain.provenance.endorsement import Endorsement
from mcp_reflect.domain.provenance.forged_calls import ForgedCalls
from mcp_reflect.domain.provenance.hearsay import Hearsay
from mcp_reflect.domain.provenance.quotation_rules import QuotationRules, is_only_told
from mcp_reflect.domain.provenance.remedies import Remedy
from mcp_reflect.domain.provenance.run_texts import UNTRUSTED, RunTexts
from mcp_reflect.domain.provenance.taint import IN_BACKQUOTES, Taint
from mcp_reflect.domain.provenance.tokens import tells_author, tokens_of
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.instructions import instructs
from mcp_reflect.domain.text.observation import reads_as_data, reads_as_error, without_asides
from mcp_reflect.domain.text.quotation import Quotation
from mcp_reflect.domain.text.wishes import wants_something, without_advice
from mcp_reflect.domain.trajectory.tools import is_tool_name

CALL = re.compile(r"(?:`[^`]*`(?: failed:)?|(?:[Bb]efore that|At first) it failed:)\s*")
"""A call at the beginning of a sentence of a lesson, behind which its output stands."""
FAILED = re.compile(r"`[^`]*` failed:")
_TOOL_CALL = re.compile(r"`(\S[^`(]*)\((?=\w+=)")
_CHANGED = "` → `"
_JOINS = re.compile(r"\b(?:the|an?|into|without|with|of|to|for|in|on|no|not|before|after|all)\b", re.IGNORECASE)
"""Small words of which the name of a tool has one at most."""


@dataclass(frozen=True)
class Judged:
    """A sentence with its source, as a lesson may hold it; what may not stand in one is not kept.

    `is_taken` is true for what the run did or concluded by what it had read, `is_borne_out` where that then worked.
    `name` is that of the source of a quotation, where it is known.
    """

    source: TextOrigin
    text: str
    name: str = ""
    is_kept: bool = True
    is_quoted: bool = False
    is_taken: bool = False
    is_borne_out: bool = False

    @property
    def sources(self) -> tuple[TextOrigin, ...]:
        """Return what it rests on: what the run has borne out is the agent's, too."""
        return ("agent", self.source) if self.is_borne_out else (self.source,)

    @property
    def is_at_hand(self) -> bool:
        """Return true for edits that the run has borne out: their words come from its own tools and files."""
        return self.is_borne_out and bool(TELLS_EDIT.match(self.text))

    @property
    def quotation(self) -> Quotation:
        """Return it as a quotation with its source."""
        text = self.text.strip()
        is_listed = text.endswith("`;")  # between commands; behind code it belongs to that
        return Quotation(self.source, text[:-1] if is_listed else text, self.is_taken, self.name)

    def __str__(self) -> str:
        return str(self.quotation) if self.is_quoted else self.text

    def followed_by(self, failure: Judged) -> Judged:
        """Return what the run took from a text, with the failure that it mended in the same quotation."""
        return replace(self, text=f"{self.text} {failure.text}")


class SentenceJudge:
    """Judges the sentences of lessons about one run."""

    def __init__(self, texts: RunTexts) -> None:
        self._texts = texts
        self._taint = Taint(texts)
        self._beliefs = Beliefs(texts, self._taint)
        self._endorsement = Endorsement(texts, self._taint)
        self._rules = QuotationRules(texts, self._taint, self._endorsement, self._beliefs)
        self._orders = CarriedOrders(texts, self._taint)
        self._hearsay = Hearsay(texts)
        self._forged = ForgedCalls(texts)
        self._judged: dict[tuple[str, TextOrigin | None, bool, bool], Judged] = {}

    def judge(
        self, said: str, given: TextOrigin | None = None, *, is_output: bool = False, is_mistake: bool = False
    ) -> Judged:
        """Judge a sentence; `given` is the source of the quotation in which it stands, if any.

        `is_output` is true for what a lesson shows as the output of a command, `is_mistake` for what it tells as gone
        wrong, which nobody is told to do. The lesson of a run and its errors share sentences: each is judged once.
        """
        asked = (said, given, is_output, is_mistake)
        if asked not in self._judged and not (is_mistake or FAILED.match(said)) and self._forged.tells_harm(said):
            self._judged[asked] = Judged("tool", said, is_kept=False)
        if asked not in self._judged:
            recalled = None if is_mistake else self._recalled(said, given)
            found = recalled or self._judge(said, given, is_output=is_output, is_mistake=is_mistake)
            may_be_hearsay = found.is_kept and not (recalled or is_mistake or FAILED.match(said))
            self._judged[asked] = self._unless_hearsay(found, is_output=is_output) if may_be_hearsay else found
        return self._judged[asked]

    def _recalled(self, said: str, given: TextOrigin | None) -> Judged | None:
        """What the reviewer points to in what the run had read, as a quotation unless its operator said it."""
        if not self._rules.is_recalled(said):
            return None
        if " ".join(said.split()).rstrip(".;") in self._texts.of_operator:
            return Judged("user", said)
        source = given or self._texts.source_of(said)
        source = source if source in UNTRUSTED else "tool"
        return Judged(source, said, self._texts.name_of(said, source), is_quoted=True)

    def _judge(self, said: str, given: TextOrigin | None, *, is_output: bool, is_mistake: bool) -> Judged:
        source, is_kept = self._source_of(said, given, is_output=is_output)
        remedy = None if given or is_mistake else self._remedy_in(said, source, is_kept=is_kept)
        if remedy:
            by: TextOrigin = source if source in UNTRUSTED else "tool"
            return self._taken(said, by) if remedy.is_quoted else Judged(by, said, is_borne_out=True)
        for shorter in _shortened(said) if is_output and not is_kept else ():
            source, is_kept = self._source_of(shorter, given, is_output=True)
            if is_kept:
                said = shorter
                break
        if not is_kept:
            is_act = not (is_mistake or given) and self._rules.may_quote_acts(said)
            return self._taken(said, source) if is_act else Judged(source, said, is_kept=False)
        if source == "agent" and not is_mistake and (led_by := self._taint.led_to(said)) is not None:
            leads_out = (
                ("://" in said or "@" in said) and self._texts.leads_to(said) is not None
            ) or self._taint.acts_for_outsiders(said)
            is_advice = not is_output and (
                self._taint.brings_in(said) or self._beliefs.names_host(said) or self._beliefs.is_passed_on(said)
            )
            if leads_out or is_advice or self._texts.is_dangerous(said):
                return Judged(led_by, said, is_kept=False)
            return self._taken(said, led_by, is_borne_out=is_output and self._endorsement.is_borne_out(said))
        if source not in UNTRUSTED or (is_output and not is_only_told(CALL.sub("", said))):
            return Judged(source, said)
        return Judged(source, said, self._texts.name_of(said, source), is_quoted=True)

    def _takes_check_away(self, said: str) -> bool:
        """Return true for an edit with a danger in it whose names the user had not said: nobody asked for it."""
        if not TELLS_EDIT.match(said) or not is_dangerous(said):
            return False
        dangers = "\n".join(filter(is_dangerous, IN_BACKQUOTES.findall(said))) or said
        return frozenset(filter(tells_author, tokens_of(dangers))).isdisjoint(self._texts.user_tokens)

    def _unless_hearsay(self, found: Judged, *, is_output: bool) -> Judged:
        """Withhold what is hearsay and not borne out; what the agent concluded from a publication is a quotation."""
        if found.is_borne_out and not found.is_quoted:
            return found
        heard = self._hearsay.of(found.text, is_output=is_output and not found.is_quoted)
        if heard is None:
            return found
        if not heard.may_be_quoted:
            return replace(found, is_kept=False)
        return found if found.is_quoted else self._taken(found.text, heard.source)

    def _remedy_in(self, said: str, source: TextOrigin, *, is_kept: bool) -> Remedy | None:
        """Return what mended a failure, alone and without harm, where it would be a quotation or withheld otherwise."""
        is_led = source == "agent" and self._taint.led_to(said) is not None
        if (is_kept and not is_led) or self._texts.is_dangerous(said) or self._texts.hidden_in(said):
            return None
        return self._endorsement.remedy_in(said)

    def _taken(self, said: str, source: TextOrigin, *, is_borne_out: bool = False) -> Judged:
        name = self._texts.name_of(said, source)
        return Judged(source, said, name, is_quoted=True, is_taken=True, is_borne_out=is_borne_out)

    def is_tool(self, name: str) -> bool:
        """Return true for the name of a tool that no text chose, and that is no sentence."""
        words = name.rpartition("__")[2].replace("_", " ").replace("-", " ")
        reads_as_prose = len(_JOINS.findall(words)) > 1 or ": " in words
        if reads_as_prose or not is_tool_name(name.partition("(")[0]) or is_dangerous(words):
            return False
        told = self._orders.find(words, instructs=False) or self._taint.of_tool(name)
        return told is None and not self._orders.is_in_name(words)

    def vouches_for(self, sentence: str, source: TextOrigin | None = None) -> bool:
        """Return true where the user or the agent vouches for a sentence; `source` is where it stems from, if known."""
        return self._orders.vouches_for(sentence, source or self._texts.source_of(sentence))

    def _source_of(self, said: str, given: TextOrigin | None, *, is_output: bool) -> tuple[TextOrigin, bool]:
        """The source of a sentence, and whether it is kept."""
        call = CALL.match(said) if is_output else None
        body = said[call.end() :] if call else said
        is_told = instructs(body) and not (is_output and reads_as_error(body))
        if not is_output and given in {None, "tool"} and self._rules.is_limit(said):
            return "tool", True
        named = _TOOL_CALL.match(said)
        if named and not is_tool_name(named[1]):
            return "tool", False
        if chosen := self._chosen_by(said, call[0] if call else "", body, is_told=is_told, is_output=is_output):
            return chosen, False
        dangerous = self._texts.is_dangerous(said)
        source = self._texts.source_of(body or said, dangerous=dangerous)
        elsewhere = None if dangerous else self._texts.leads_to(said)
        if elsewhere is not None and (is_told or (elsewhere != "file" and not is_output)):
            dangerous, source = True, elsewhere
        source = given or source
        is_only_read = source == "agent" and self._beliefs.may_be_read_only(
            said, dangerous=dangerous, is_output=is_output
        )
        if is_only_read or (source == "agent" and self._takes_check_away(said)):
            return source, False
        if source not in UNTRUSTED or not (dangerous or any(each.isalpha() for each in body)):
            return source, True
        return source, not dangerous and (
            self._rules.may_stand_behind(body) if is_output else self._rules.may_quote(body)
        )

    def _chosen_by(self, said: str, call: str, body: str, *, is_told: bool, is_output: bool) -> TextOrigin | None:
        """The source of a text that caused a sentence: whose order it carries over, or whose words it carried out."""
        if is_output and self._endorsement.is_borne_out(said) and not self._texts.is_dangerous(said):
            return self._texts.hidden_in(body)
        found: TextOrigin | None = None
        if not self._endorsement.is_untouched(said):
            if not reads_as_data(body):
                found = self._orders.find(body, instructs=is_told)
            if call and found is None:
                found = self._orders.find(call, instructs=False)
        found = found or self._texts.hidden_in(body)
        if not FAILED.match(said):  # what failed is told as a failure, whoever chose it
            found = found or self._taint.of_calls(said, instructs=is_told)
        return found or (self._orders.find_in_code(body) if is_told and not is_output else None)


def _shortened(piece: str) -> Iterator[str]:
    """An error without what stands in parentheses, and without the advice at its end; a command is never cut.

    Behind the command that failed with it an error keeps its advice: without what mended it, nothing bears it out.
    """
    call = CALL.match(piece)
    before, output = (call[0], piece[call.end() :]) if call else ("", piece)
    shorter = without_asides(output)
    if shorter != output and reads_as_error(shorter) and _CHANGED not in shorter:  # what it tells of an edit is whole
        yield before + shorter
    shorter = without_advice(output)
    is_cut = shorter != output and shorter.count("`") == output.count("`") and not before.startswith("`")
    if is_cut and not wants_something(shorter, of_error=True) and (not call or reads_as_error(shorter)):
        yield before + shorter
