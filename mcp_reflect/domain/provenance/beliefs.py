"""What an agent only believed: names, settings, commands and dangers of a text by which it did nothing itself.

That it says them shows nothing: a lesson tells them in no way. What it acted by is judged by what came of that
(`endorsement.py`).
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.carried_orders import tells_calls
from mcp_reflect.domain.provenance.command_words import is_known_program
from mcp_reflect.domain.provenance.run_texts import UNTRUSTED, RunTexts
from mcp_reflect.domain.provenance.taint import IN_BACKQUOTES, Taint
from mcp_reflect.domain.provenance.tokens import JOINT
from mcp_reflect.domain.text.inert import skeleton

_FOR_LATER = re.compile(
    r"\b(?:(?:for|in) (?:later|(?:the )?future|next time|subsequent|coming)|next time|from now on"
    r"|keep (?:it |that |this )?in mind|(?:to|please|must) remember|handy|going forward)\b",
    re.IGNORECASE,
)
"""Words that speak to whoever comes later."""
_SETTING = re.compile(
    r"\w[=_]\S|`|\S://|\b(?:[\w-]+\.){1,5}[a-z][\w-]*:\d{2,5}\b|\b(?:[\w-]+\.){2,5}[a-z]{2,12}\b|\b[Pp]ort \d"
    r"|\w: [*\"']"
)
"""A setting, a command or an address: what somebody may do something by."""
_TERM = re.compile(r"\d+ (?:days?|hours?|minutes?|seconds?|times)\b|\b[A-Z]+-[A-Z\d]+\b|\b\d+[a-z]+\b")
"""A code or a term, which may be a setting and may be a fact."""
_ADVISES = re.compile(
    r"\b(?:should|must|shall|needs?|needed|requires?|required|have to|has to|please|mind|note|by the way|generally"
    r"|alternatively|alternative|otherwise|also|too|further|later|other|additional(?:ly)?|way is|recommend\w*|advis\w+"
    r"|suggests?"
    r"|says|states|reports|claims|prescribes|according to|as \w+ (?:says?|notes?)|sanctioned|official|standard"
    r"|intended|obsolete|belongs?|house|guild|per|by the|fine|allowed|option|lever|from now|to choose|is to)\b",
    re.IGNORECASE,
)
"""Words of advice, of an aside, and of what somebody else had said: more than a fact that was found."""
_WRITTEN = (
    r"(?:order|rules?|word|notes?|guild|wiki|page|polic(?:y|ies)|comparison|metadata|digest|report|remark|comments?|text"
    r"|docs?|documentation|file|table|advice|convention|article|ticket|mail|readme|description|listing|blog|post|memo"
    r"|dictionary|guide|manual|handbook|runbook|template|spec(?:ification)?|sheet|catalog(?:ue)?)"
)
_ATTRIBUTES = re.compile(
    rf"\b(?:by|per|following|under|according to) (?:(?:the|its|their|an?) )?(?:[\w.’'-]+ ){{0,3}}?{_WRITTEN}\b"
    rf"|\bas (?:the|its) (?:[\w.’'-]+ ){{0,3}}?{_WRITTEN} (?:says?|states?|notes?|has it"
    r"|asks?|wants?|requires?|demands?|prescribes?|recommends?|advises?|suggests?|instructs?|orders?|tells?)\b"
    rf"|\bthe (?:[\w.’'-]+ ){{0,2}}?{_WRITTEN} (?:says?|states?|reports?|claims?|gives|notes|warns)\b"
    r"|\b[\w-]+\.(?:txt|md|rst|ya?ml|json|csv|docx|pdf) (?:says|states|gives|claims)\b|\bfrom earlier runs\b|\bby ADR"
    r"|\b(?:laut|gemäß|gemaess) (?:\w+ ){0,2}?(?:handbuch|wiki|dok\w*|richtlinie|notiz|datei|seite|hinweis|anleitung)"
    r"|\b(?:selon|d['’]après|según|segundo|conforme|secondo|volgens) (?:l[ea]s?|el|los|o|a|il|het|de) "
    r"|\bmind that\b|\bis certified\b|\bthe only (?:\w+ )?(?:authori[sz]ed|certified|approved|compliant|supported)\b",
    re.IGNORECASE,
)
"""A statement that is told as somebody else's, or in the words of those who recommend something."""
_HOST = re.compile(
    r"(?<![\w.])(?:[\w-]+\.)+(?:com|org|net|io|dev|app|ai|co|cloud|eu|de|uk|fr|nl|ch|at|us|es|it|pl|info|biz|xyz|site"
    r"|online|tech|example|test|invalid)(?![\w.-])"
)
"""A host by its name."""
_PUBLIC_IP = re.compile(
    r"(?<![\w.])(?!(?:0|10|127|255|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"
)
"""The number of a host outside of the house's own network."""
_SMALL = 3
"""Digits of a count or of a status."""


class Beliefs:
    """Tells what the agent of one run only believed."""

    def __init__(self, texts: RunTexts, taint: Taint) -> None:
        self._texts = texts
        self._taint = taint

    def is_passed_on(self, said: str) -> bool:
        """Return true for advice to whoever comes later, or a setting, with a name that no call has.

        That is a name of a text on which the agent did not act itself: it was only believed.
        """
        is_setting = _SETTING.search(said) or (_TERM.search(said) and _ADVISES.search(said))
        speaks_on = _FOR_LATER.search(said) or (is_setting and not self._names_command_run(said))
        speaks_on = speaks_on or _ATTRIBUTES.search(said)
        return bool(speaks_on) and not tells_calls(said) and self._names_in_no_call(said)

    def may_be_read_only(self, said: str, *, dangerous: bool, is_output: bool) -> bool:
        """Return true for a danger or a command of which nothing shows that the run did it: it may have been read."""
        if dangerous and self._texts.is_told:
            return True
        return not is_output and (
            (dangerous and not self._texts.has_dangers and self._texts.has_read_danger_like(said))
            or self._names_command_not_run(said)
        )

    def _names_in_no_call(self, sentence: str) -> bool:
        """Return true for a sentence with a tainted word that the agent's calls do not hold: it was only believed.

        A small number may be what came of a call.
        """
        named = {word for word in self._taint.words(sentence) if not (word.isdigit() and len(word) <= _SMALL)}
        words = named - frozenset[str]().union(*(call.tokens for call in self._texts.calls))
        if not words:
            return False
        called = "\n".join(call.text.lower() for call in self._texts.calls)
        return any(word not in called for word in words)

    def _names_command_run(self, sentence: str) -> bool:
        """Return true for a sentence with a command that the run ran."""
        quoted = [each.strip() for each in IN_BACKQUOTES.findall(sentence)]
        return any(call.command and call.holds(each) for each in quoted if each for call in self._texts.calls)

    def _names_command_not_run(self, sentence: str) -> bool:
        """Return true for a sentence with a command that stands in a text alone: neither run, nor the user's."""
        for quoted in IN_BACKQUOTES.findall(sentence):
            command = quoted.strip()
            if " " in command and is_known_program(command.split()[0]):
                plain = skeleton(command)
                known = plain in self._texts.own or any(call.holds(command) for call in self._texts.calls)
                if not known and any(plain in self._texts.plain.get(source, "") for source in UNTRUSTED):
                    return True
        return False

    def names_host(self, sentence: str) -> bool:
        """Return true for a sentence with a host that a text had named: whom it belongs to, no run can show."""
        plain = skeleton(sentence)
        hosts = {part for host in _HOST.findall(plain) for part in (host, *JOINT.split(host))}
        hosts.update(_PUBLIC_IP.findall(plain))
        return bool(hosts) and not hosts.isdisjoint(self._taint.words(sentence))
