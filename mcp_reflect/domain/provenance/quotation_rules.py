"""The rules for what a lesson may quote: what only a text said that the run had read, and acts that such a text led to.

Reports, errors and values about what the run was asked or asked for may be; what wants something may not.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.beliefs import Beliefs
from mcp_reflect.domain.provenance.endorsement import Endorsement
from mcp_reflect.domain.provenance.run_texts import UNTRUSTED, RunTexts
from mcp_reflect.domain.provenance.taint import Taint
from mcp_reflect.domain.text.danger import is_dangerous
from mcp_reflect.domain.text.observation import (
    is_prose,
    reads_as_command,
    reads_as_data,
    reads_as_error,
    reads_as_report,
    reads_as_titles,
)
from mcp_reflect.domain.text.tool_rules import states_limit
from mcp_reflect.domain.text.wishes import wants_something

_SYNTAX = re.compile(r"[(){}\[\]=<>@+$|]|\w[./]\w")
"""Signs of code, patches and paths, which a name with its value has none of."""

_LEAST_RECALLED = 12
"""Characters from which words are known again in what a reviewer points to."""


class QuotationRules:
    """The rules for the texts of one run."""

    def __init__(self, texts: RunTexts, taint: Taint, endorsement: Endorsement, beliefs: Beliefs) -> None:
        self._texts = texts
        self._taint = taint
        self._endorsement = endorsement
        self._beliefs = beliefs

    def _brings_names(self, said: str) -> bool:
        """Return true for words with a name that only texts brought, on what nobody had asked about."""
        return self._taint.of(said) is not None and not (self._texts.is_about(said) or reads_as_titles(said))

    def may_quote(self, said: str) -> bool:
        """Return true for what a lesson may quote although only a text said it: reports, errors, and values.

        Code, patches and paths are quoted where the run itself brought what they name: anything could be in them.
        """
        if self._brings_names(said):
            return False
        plain = self._texts.without_own_names(said)
        if reads_as_error(plain) or reads_as_report(plain) or (reads_as_data(said) and " " in said.strip()):
            return True
        is_code = not (is_prose(plain) or reads_as_command(plain) or wants_something(plain))
        return is_code and not (_SYNTAX.search(said) and self._texts.mentions.foreign_words(said))

    def is_recalled(self, said: str) -> bool:
        """Return true for what the reviewer of a failed run points to in what it had read, without danger."""
        told = " ".join(said.split()).rstrip(".;")
        if len(told) < _LEAST_RECALLED or told not in self._texts.recalled or is_dangerous(said):
            return False
        return self._texts.hidden_in(said) is None and self._texts.leads_to(said) != "web"

    def is_limit(self, said: str) -> bool:
        """Return true for a rule in the reason for which a tool refused a call, which nobody else had said."""
        if not (self._texts.is_reason(said) and states_limit(said)) or is_dangerous(said):
            return False
        return self._texts.source_of(said) in UNTRUSTED and self._texts.hidden_in(said) is None

    def may_quote_acts(self, said: str) -> bool:
        """Return true for what the run did by what it had read, with what was there already and without danger."""
        if self._texts.hidden_in(said) is not None or self._taint.acts_for_outsiders(said):
            return False
        if self._beliefs.names_host(said):
            return False
        return self._endorsement.tells_acts_at_home(said) and not is_dangerous(said)

    def may_stand_behind(self, said: str) -> bool:
        """Return true for the output of a call that may stand behind it: errors, and what brings no name with it."""
        plain = self._texts.without_own_names(said)
        if reads_as_error(plain):
            return True
        if self._brings_names(said):
            return False
        if reads_as_report(plain) or reads_as_data(said):
            return True
        return not is_prose(plain) and (not wants_something(plain, of_error=True) or len(plain.split()) == 1)


def is_only_told(said: str) -> bool:
    """Return true for a statement in the output of a command that is no error: it is shown as a quotation."""
    return is_prose(said) and reads_as_report(said) and not reads_as_error(said)
