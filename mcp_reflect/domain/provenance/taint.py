"""Taint: words that reached a command, an edit or a sentence of a run from what it read, and from nowhere else.

A word is tainted where a text that the agent read mentioned it first and nothing shows that it is at hand: no listing,
no table or value in the output of a command, no source code, no error of a command that failed. Pages, documents and
earlier memories show nothing, whatever form their text has. What chooses the code that runs (a program, a package, a
plugin) may come from an error alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.command_words import (
    conventional_words,
    quoted_commands,
    unknown_programs,
    words_brought_in,
    words_that_run,
)
from mcp_reflect.domain.provenance.dictated_commands import chooses_code, may_be_told
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.provenance.tokens import JOINT, names_inside, names_of, tells_author
from mcp_reflect.domain.provenance.well_known import is_well_known
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.technical_words import TECHNICAL_WORDS

IN_BACKQUOTES = re.compile(r"`([^`\n]+)`")
CHOOSES_CODE = re.compile(
    r"\b(?:package(?:-lock)?\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|Pipfile|Cargo\.toml|go\.(?:mod|sum)"
    r"|Gemfile|composer\.json|pom\.xml|build\.gradle\S*|Dockerfile|[\w.-]*compose[\w.-]*\.ya?ml|Jenkinsfile|[\w-]+\.csproj)"
    r"|\.github/|\.gitlab-ci|\.circleci|\.npmrc|\bpip\.conf|\.gitmodules|\.(?:bash|zsh)rc|\.profile"
)
"""Files that choose the packages, images and actions which a project runs."""
_MANIFEST = "requirements.txt"
"""The file of packages that each Python project has: by its name nobody chooses one."""
BRINGS_IN = re.compile(
    r"\b(?:pip3?|pipx|uv|npm|npx|uvx|pnpm|yarn|bun|cargo|apt|apt-get|apk|dnf|yum|brew|gem|go|conda|composer|helm|code)\s"
    r"+(?:[\w-]+\s+)?(?:install|add|i|get)\s[^\n`]*|\b(?:npx|uvx|pipx run|bunx|pnpm dlx|yarn dlx)\s[^\n`]*"
)
"""A command in a sentence that brings in what was not there, or runs it from where it is published."""
_SAYS_INSTALLED = re.compile(
    r"\b(?:[Ii]nstalled|[Aa]dded the (?:package|module|plugin)) ([\w@][\w@./-]*[-=@][\w.@/-]*)"
)
"""A package that a sentence says was installed."""
OUTSIDERS = re.compile(
    r"(?<![./])\b(?:(?:gh|glab) (?:pr|mr|org|secret|auth|repo|label|release|api|ssh-key|gpg-key)"
    r"|(?:docker|podman) (?:pull|push|login)"
    r"|git (?:config|remote|push)|(?:npm|yarn|pnpm|pip3?|composer) config|createuser|useradd|adduser|usermod|visudo"
    r"|kafka-acls(?:\.sh)?|gpasswd|crontab|ssh(?:-\w+)?|scp|sftp|rsync|gpg|mail|sendmail|nc|ncat|chown|chgrp|setfacl)\b[^`&|;\n]*"
    r"|\b(?:cp|mv|ln|tee|install)\s[^`&|;\n]*(?:sudoers|authorized_keys|\.(?:key|pem|p12|pfx)\b)[^`&|;\n]*"
    r"|/tmp/\S+|\b(?:\w+_)?(?:send|post|mail|message|comment|reply|tweet|invite|share|grant|publish|transfer)(?:_\w+)?\([^`]*"
    r"|\b\w*(?:add|assign|set)_(?:\w+_)?(?:groups?|members?|roles?|permissions?|owners?|acls?|users?)\([^`]*"
    r"|(?:^|[ `])/\S* @[\w/-]+"
)
"""Commands that act on accounts, owners, keys, registries, remotes and images, commands and tools that send something
away, and the folder where everybody may write."""
COMMANDS_ONLY = re.compile(r"(?:`[^`\n]+`|after|then|and|[\s;.,])+")
"""A sentence of a lesson that tells commands and nothing else."""

_NAMES_PART = re.compile(
    r"\b(?:without|field|column|parameter|argument|property|key|table|type|class|flag|value|header|no)s? \Z",
    re.IGNORECASE,
)
"""Words before the name of a part of something, not of a program."""
_VARIABLE = re.compile(r"\b([A-Z][A-Z0-9_]+)=")
_SQL = re.compile(r"(?:ALTER|CREATE|SELECT|WITH|INSERT|UPDATE) [\w\"]")
"""A statement in a file, which a client of the database may have been given, too: it names no program."""
COMMAND_ERROR = re.compile(r"` failed: .*", re.DOTALL)
"""The error behind a command that failed."""


def _quoted_acts(sentence: str) -> Iterator[str]:
    """What a sentence quotes in code, but for single names of what a clause is about: "without `after`"."""
    for found in IN_BACKQUOTES.finditer(sentence):
        if not _NAMES_PART.search(sentence[: found.start()]) or " " in found[1].strip():
            yield found[1].strip()


class Taint:
    """Finds who chose the words of what a run did; each question returns the source of the text that did, or None."""

    def __init__(self, texts: RunTexts) -> None:
        self._texts = texts

    def of(self, text: str) -> TextOrigin | None:
        """Return the source of a tainted word in a text that is no number: any text may hold the same number."""
        return self._source_of(self._names(text))

    def _names(self, text: str) -> Iterator[str]:
        return (word for word in self.words(text) if not word.isdecimal())

    def _source_of(self, words: Iterable[str]) -> TextOrigin | None:
        return next((self._texts.observed_with(word)[0].source for word in words), None)

    def of_calls(self, sentence: str, *, instructs: bool) -> TextOrigin | None:
        """Return the source of a tainted word in a command, an edit or a tool that a sentence quotes.

        Of a sentence that does not instruct, only what the run carried out counts.
        """
        calls, tools = self._texts.calls, self._texts.tools
        for quoted in _quoted_acts(sentence):
            ran = any(call.command and call.holds(quoted) for call in calls)
            edited = not (ran and not _SQL.match(quoted)) and any(call.is_edit and call.holds(quoted) for call in calls)
            source: TextOrigin | None = None
            tool = next((each for each in tools if quoted == each or quoted.startswith(f"{each}(")), "")
            if tool:
                source = self.of_tool(tool)
            elif edited:
                source = None if may_be_told(quoted) else self._of_edit(quoted)
            elif ran or instructs:
                source = None if may_be_told(quoted) else self.of_command(quoted)
            if source is not None:
                return source
        return None

    def led_to(self, sentence: str) -> TextOrigin | None:
        """Return the source of a text that led to what a sentence says: of a tainted word, an address or a program.

        A command that may be told, whoever suggested it, is the agent's; a program that an error alone named is not.
        Of what failed the error is left out: it is told as one, whoever wrote it.
        """
        said = COMMAND_ERROR.sub("`", sentence)
        found = self._texts.leads_to(said)
        for text in IN_BACKQUOTES.findall(said) or [said]:
            if (
                any(call.command and call.holds(text.strip()) for call in self._texts.calls)
                and self.of_command(text) is None
            ):
                found = found or self._of_program(text)
                said = said.replace(text, "")
        return found or self._source_of(self.words(said))

    def brings_in(self, sentence: str) -> bool:
        """Return true for a sentence that names a command which brings in code that a text had named."""
        if any(
            self.of_words(frozenset({said.partition("=")[0].lower()})) for said in _SAYS_INSTALLED.findall(sentence)
        ):
            return True
        commands = (found[0] for found in BRINGS_IN.finditer(sentence))
        return any(self.of_words(words_brought_in(command.strip("`'\"., "))) is not None for command in commands)

    def acts_for_outsiders(self, sentence: str) -> bool:
        """Return true for a sentence with a command on accounts, keys, remotes or images that has a word of a text.

        That it passed shows nothing of whom it let in.
        """
        return any(self.of(command[0]) is not None for command in OUTSIDERS.finditer(sentence))

    def of_tool(self, tool: str) -> TextOrigin | None:
        """Return the source of a text that brought the name of a tool: as it stands, or each word that tells something.

        A single word of it may stand in any text about what the tool does.
        """
        name = skeleton(tool.rpartition("__")[2])
        words = [word for word in JOINT.split(name) if word]
        telling = frozenset(filter(tells_author, words))
        if len(words) > 1 and (telling <= frozenset(self.words(" ".join(words))) or self._texts.observed_with(name)):
            return self.of(" ".join(words))
        return None

    def words(self, text: str) -> Iterator[str]:
        """Yield the tainted words of a text: names as a whole where they were read as a whole, else their parts.

        Names inside of others (`-lcurl`) count beside these. Public names and what is in them have no author.
        """
        names = names_of(text)
        public = frozenset(filter(is_well_known, names))
        rest = skeleton(text)
        for name in public:
            rest = rest.replace(name, " ")
        for name in sorted((names - public) | names_inside(rest)):
            for word in [name] if self._texts.observed_with(name) else JOINT.split(name):
                if word not in TECHNICAL_WORDS and tells_author(word) and not self._is_own(word):
                    said = self._texts.observed_with(word)
                    if said and not any(each.shows(word) for each in said):
                        yield word

    def of_command(self, command: str) -> TextOrigin | None:
        """Return the source of a text that chose a program or a word of a command; None where it may be told anyway."""
        if may_be_told(command):
            return None
        if (program := self.of_foreign_program(command)) is not None:
            return program
        conventional = conventional_words(command)
        for word in self._names(self._chosen_in(command)):
            if word in conventional:
                continue
            said = self._texts.observed_with(word)
            if not any(each.failed and may_be_told(command, each.failed) for each in said):
                return said[0].source
        return None

    def _chosen_in(self, command: str) -> str:
        """The parts of a command line that somebody has to choose, without the name of a variable that nobody read."""
        chosen = " && ".join(part for part in quoted_commands(command) if not may_be_told(part))
        return _VARIABLE.sub(lambda found: found[0] if self._is_chosen_variable(found[1]) else "", chosen)

    def _is_chosen_variable(self, name: str) -> bool:
        return chooses_code(name) or bool(self._texts.observed_with(skeleton(name)))

    def of_foreign_program(self, command: str) -> TextOrigin | None:
        """Return the source of a program, package or plugin in a command that only texts had named.

        What an error names may be a package that is missing; a program that nobody knows it only advises to run.
        """
        return self.of_words(words_that_run(command)) or self.of_advised_programs(unknown_programs(command))

    def of_advised_programs(self, programs: frozenset[str]) -> TextOrigin | None:
        """Return the source of one of these programs that texts, but no manifest of the project, had named."""
        for program in sorted(programs):
            said = [] if self._is_own(program) else self._texts.observed_with(program)
            if said and not any(each.is_of_manifest for each in said):
                return said[0].source
        return None

    def of_words(self, words: frozenset[str]) -> TextOrigin | None:
        """Return the source of one of these words or of a name in it.

        Words that the run itself, an error or a manifest named have none.
        """
        for word in sorted(words.union(*map(names_of, words))):
            said = [] if self._is_own(word) else self._texts.observed_with(word)
            if said and not any(each.is_diagnosis or each.is_of_manifest for each in said):
                return said[0].source
        return None

    def _of_program(self, command: str) -> TextOrigin | None:
        """The source of a program, a package or a plugin in a command that only texts had named."""
        named = () if may_be_told(command) else sorted(words_that_run(command))
        found = (self._texts.observed_with(word) for word in named if not self._is_own(word))
        return next((said[0].source for said in found if said), None)

    def _of_edit(self, written: str) -> TextOrigin | None:
        """A program that fails may say what to write: the tainted words of an edit are those that none did."""
        for word in self._names(written):
            said = self._texts.observed_with(word)
            if not any(each.failed for each in said):
                return said[0].source
        return None

    def _is_own(self, word: str) -> bool:
        folder, _, file = word.rpartition("/")
        is_manifest = file == _MANIFEST and (not folder or folder in self._texts.user_tokens)
        return is_manifest or word in self._texts.user_tokens or self._texts.mentions.is_known(word)
