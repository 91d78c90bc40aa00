"""Endorsement: tainted sentences that a lesson may tell all the same, since the run that they are about bears them out.

It does where a command that had failed passed by what they tell, and where the run did it with nothing but what was
there already.
"""

from __future__ import annotations

from functools import cached_property

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.command_words import shell_words, unknown_programs, words_brought_in
from mcp_reflect.domain.provenance.remedies import Remedy
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.provenance.taint import CHOOSES_CODE, COMMAND_ERROR, COMMANDS_ONLY, IN_BACKQUOTES, Taint
from mcp_reflect.domain.provenance.tokens import names_of, tells_author, tokens_of
from mcp_reflect.domain.text.observation import is_prose

_ACTS = re.compile(r"(?:`[^`\n]+`|(?:editing|Edit|writing)\s\S++|moving|up|down|after|then|and|[\s;.,()+→…-])+")
"""A sentence that tells commands and edits, and nothing else."""
_TAKEN_OUT = re.compile(r"(?<![\w`])- `([^`\n]+)`")
"""What an edit took out of a file: nobody tells to write it."""
_OPTION = re.compile(r"(?<!\S)--([a-z][a-z-]{2,40})(?![\w=-])")
_CODE_SIGN = re.compile(r"[(){}\[\]=<>;]")
_EDITED = re.compile(r"\b(?:editing|Edit|writing)\s+(\S+)")
_RUNS_COMMANDS = re.compile(
    r"(?:^|/)(?:GNUmakefile|[Mm]akefile|[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Procfile|Vagrantfile|crontab|tox\.ini"
    r"|\.envrc|\.husky/\S+|[\w.-]+\.(?:mk|sh|bash|zsh|fish|bat|cmd|ps1|service|timer|desktop))$"
)
"""Files each line of which may be a command."""
_CODE_FILE = re.compile(
    r"\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|vue|svelte|go|rs|java|kt|kts|scala|swift|m|mm|c|cc|cpp|cxx|h|hpp|cs|fs|rb|php|ex|exs"
    r"|erl|hs|ml|clj|dart|lua|pl|pm|r|jl|sql|zig|nim)$",
    re.IGNORECASE,
)


def edits_code(sentence: str) -> bool:
    """Return true for a sentence that tells edits, all of them of files with code."""
    files = [shown.strip("`:;.,") for shown in _EDITED.findall(sentence)]
    return bool(files) and all(map(_CODE_FILE.search, files))


class Endorsement:
    """Finds what a run bore out of the sentences that tell of it."""

    def __init__(self, texts: RunTexts, taint: Taint) -> None:
        self._texts = texts
        self._taint = taint

    def is_borne_out(self, sentence: str) -> bool:
        """Return true for what the run did, all of it, after which a command passed that had failed before.

        Nothing bears out what comes from outside: an address that a text brought, words of pages and earlier memories,
        programs, packages and plugins that only texts named, and changes of files that choose the code which is run.
        What passes shows nothing of who stands behind them.
        """
        acts, texts = False, self._texts
        if texts.leads_to(sentence) or CHOOSES_CODE.search(sentence):
            return False
        for text in map(str.strip, IN_BACKQUOTES.findall(sentence)):
            words = tokens_of(text)
            if not words or texts.outcomes.had_failed(text):
                continue
            ran = [call for call in texts.calls if call.command and call.holds(text)]
            if ran:
                borne_out = any(texts.outcomes.bear_out(call.place) for call in ran)
                if (self._taint.of_foreign_program(text) if borne_out else self._taint.of_command(text)) is not None:
                    return False
                acts |= borne_out
            elif words <= texts.edited:  # the lesson tells several edits of one place as one
                if self._is_dictated_line(sentence, text):
                    return False
                acts |= bool(words & texts.borne_out)
            else:
                return False
        return acts and all(
            word in self._done_and_borne_out and not self._is_from_outside(word) for word in self._taint.words(sentence)
        )

    def remedy_in(self, sentence: str) -> Remedy | None:
        """Return the remedy that a sentence tells, each tainted word of which the failing command brought.

        The commands that it quotes are those of the remedy, or owe nothing to a text.
        """
        said = COMMAND_ERROR.sub("`", sentence)
        if not self._texts.remedies or self._texts.leads_to(said) or CHOOSES_CODE.search(said):
            return None
        tainted = set(self._taint.words(said))
        for remedy in self._texts.remedies:
            brought = (self._texts.observed_with(word) for word in tainted)
            if tainted <= remedy.words and all(
                all(each.source == "tool" for each in observed) and observed[0].place == remedy.place
                for observed in brought
            ):
                quoted = (text.strip() for text in IN_BACKQUOTES.findall(said))
                if all(tokens_of(text) & remedy.words or self._taint.of_command(text) is None for text in quoted):
                    return remedy
        return None

    def tells_acts_at_home(self, sentence: str) -> bool:
        """Return true for what the run did and no more, which brings in no code, address or sentence of a text.

        It worked with what was there already: files of the project, and programs of the machine.
        """
        if self._texts.leads_to(sentence) or self._lets_a_text_choose_code(sentence):
            return False
        if not _ACTS.fullmatch(sentence) and (COMMAND_ERROR.search(sentence) or self._texts.was_read(sentence)):
            return False
        acts = [text.strip() for text in IN_BACKQUOTES.findall(sentence)]
        names_host = any("@" in word for word in self._taint.words(sentence))
        taken_out = frozenset(text.strip() for text in _TAKEN_OUT.findall(sentence))
        return (
            bool(acts)
            and not names_host
            and all(
                self._is_act_at_home(sentence, text) or (text in taken_out and not self._is_read_prose(text))
                for text in acts
            )
        )

    def _lets_a_text_choose_code(self, sentence: str) -> bool:
        """Return true for a change of files that choose the code which is run, by a word that somebody's prose brought.

        What a listing, a setting or code showed is at hand; an option without a value chooses none.
        """
        if not CHOOSES_CODE.search(sentence):
            return False
        options = frozenset(_OPTION.findall(sentence))
        brought = (self._texts.observed_with(word)[0] for word in self._taint.words(sentence) if word not in options)
        return any(first.holds == "prose" or first.is_prose for first in brought)

    def _is_dictated_line(self, sentence: str, text: str) -> bool:
        """Return true for a line written into a file of commands, a word of which a text chose: it is one to be run."""
        files = [shown.strip("`:;.,") for shown in _EDITED.findall(sentence)]
        return any(map(_RUNS_COMMANDS.search, files)) and self._taint.of_command(text) is not None

    def _is_act_at_home(self, sentence: str, text: str) -> bool:
        ran = [call.command for call in self._texts.calls if call.command and call.holds(text)]
        if ran:
            said = [word for word in shell_words(text) if " " in word]
            programs = unknown_programs(text) & frozenset[str]().union(*map(unknown_programs, ran))
            brings_in = self._taint.of_words(words_brought_in(text)) or self._taint.of_advised_programs(programs)
            return brings_in is None and not any(map(self._is_read_prose, said))
        if (
            not text
            or not tokens_of(text) <= self._texts.edited
            or self._taint.of_words(words_brought_in(text)) is not None
            or self._is_dictated_line(sentence, text)
        ):
            return False
        return _CODE_SIGN.search(text) is not None or not self._is_read_prose(text)

    def _is_read_prose(self, text: str) -> bool:
        return is_prose(text) and self._texts.was_read(text)

    def _is_from_outside(self, word: str) -> bool:
        return "@" in word or self._texts.observed_with(word)[0].source in {"web", "memory"}

    @cached_property
    def _done_and_borne_out(self) -> frozenset[str]:
        """The words of calls after which a command passed that had failed before."""
        calls = (call for call in self._texts.calls if self._texts.outcomes.bear_out(call.place))
        return frozenset[str]().union(*(call.tokens for call in calls))

    def is_untouched(self, sentence: str) -> bool:
        """Return true for a sentence of nothing but commands that the agent ran and no word of which it had read."""
        commands = [each.strip() for each in IN_BACKQUOTES.findall(sentence)]
        if not commands or COMMANDS_ONLY.fullmatch(sentence) is None:
            return False
        ran = [call for call in self._texts.calls if call.command]
        words = {word for each in commands for word in filter(tells_author, names_of(each))}
        return all(any(call.holds(each) for call in ran) for each in commands) and all(
            map(self._texts.mentions.is_known, words)
        )
