"""Command lines of a run: which program they call, which of them only read, change something, or do the same."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.wrappers import without_wrappers
from mcp_reflect.domain.text.memoize import memoize_short

_VARIANT = 0.34
"""Least share of common words (Jaccard) from which two commands of one program are variants of each other."""
_OTHER_PROGRAM = 0.6
"""The same for commands of two programs."""

_WORD = re.compile(r"\w+")
_SHORTENS = r"\|\s*(?:tail|head|cat|grep|tee|less)\b"
_NOISE = re.compile(
    rf"(?:(?<!\s)\s+)?(?:2>&1|{_SHORTENS}[^|&;]*|(?:(?<!\S)[12&])?>\s*/dev/null|;\s*exit\s+\$(?:\?|PIPESTATUS\b|\{{PIPESTATUS\[\d\]\}}))\s*"
)
_SETUP = re.compile(
    r"^(?:cd\s+\S+\s*(?:&&|;)\s*|set -\w+(?:\s+pipefail)?\s*(?:&&|;)\s*|export\s+\w+=\S*\s*(?:&&|;)\s*)+"
)
_HIDES_STATUS = re.compile(rf"{_SHORTENS}[^|&;]*$|\|\|\s*(?:true|:|echo\b[^|&;]*)$")
"""An end of a command line whose exit status is not that of the command before it."""
_PREPARES = re.compile(
    r"\b(?:install|add|sync|up|start|init|create|merge|migrate|makemigrations|build|compile|generate|export|mkdir|chmod|chown|ln|cp|mv|rm|sed|patch"
    r"|git\s+(?:checkout|restore|pull|fetch|submodule|config|stash|apply|clean)|kill|pkill|unset|source|restore|upgrade|update"
    r"|downgrade|pin|lock|enable|set)\b|^cd\s+\S+$",
    re.IGNORECASE,
)
_INSPECTS = re.compile(
    r"^(?:sudo\s+)?(?:ls|ll|pwd|cat|head|tail|less|more|echo|printf|which|type|whereis|wc|grep|rg|ag|ack|find|fd|tree|file|stat"
    r"|env|printenv|date|whoami|id|uname|hostname|history|true|false|sleep|clear|man|help|jq|sort|uniq|diff|cmp|awk|cut|nl|xxd"
    r"|sed\s+-n|git\s+branch(?:\s+-(?:a|r|v+|-all|-list|-show-current)\b)*\s*$|git\s+(?:status|diff|log|shortlog|show|blame|remote|rev-parse|ls-files|grep|reflog|describe|(?:stash|worktree)\s+list|submodule\s+status|config\s+--(?:get|list)\S*)"
    r"|tar\s+-?[abd-wyz]*t[abd-wyz]*|unzip\s+-[lv]+|sqlite3\s+\S+\s+[\"']?\.(?:schema|tables|indexes)"
    r"|facter|nm|ldd|readelf|objdump|strings|locale\s+-a|lsof|ss|netstat|ps|df|du|dig|nslookup|journalctl|apt-cache|timedatectl|crontab\s+-l|xcrun\s+simctl\s+list)\b"
)
_ASKS = re.compile(
    r"^(?:sudo\s+)?(?:python[\d.]*\s+-m\s+)?(?:kubectl|oc|docker|podman|helm|terraform|tofu|alembic|dotnet|systemctl|npm|pnpm|yarn|pip3?|uv|poetry|conda"
    r"|cargo|go|gh|glab|aws|gcloud|az|brew|apt|rustup|composer|bundle|gem|mix|flask|nvm|pyenv|psql|java|vagrant|pulumi"
    r"|consul|facter|fly|flyctl|heroku|nomad|puppet|supabase|wrangler)\b"
    r"(?:\s+-{1,2}[\w-]+(?:=\S+)?(?:\s+(?!-)\S+)?)*?"
    r"(?:\s+(?:image|container|volume|network|compose|context|state|workspace|project|stack|pip|env|pr|release|toolchain|alloc|app|deployment|node|service|config|index|run|workflow|issue|job|cache|secret|variable|repo))?"
    r"\s+(?:get|describe|list|ls|show|status|logs|inspect|info|heads|current|history|top|tree|version|versions|view|explain|freeze|why"
    r"|whoami|ps|images|outdated|is-active|list-units|rollout\s+history|lookup|logs|-l|--list\S*|--info|--runtimes)(?![\w:-])"
    r"|^(?:npm|pnpm|yarn|bun)\s+run\s*$|^(?:just|task|rake|rails|invoke|nox|make)\s+(?:-l|-T|--list\S*|--tasks)\s*$"
    r"|^\S*gradlew?\s+tasks\b|^\S+\s+help\b|^\S+(?:\s+\S+)?\s+(?:--version|-V|-version|--ini)(?=\s*\||$)|^\S+\s+(?:-v|version)$|^[^|]*\s-{1,2}help\b"
)
"""Subcommands that only ask, of programs that have them."""
_SHOWS_TEXT = re.compile(
    r"^(?:sudo\s+)?(?:(?:cat|bat|head|tail|less|zcat|grep|egrep|rg|ag|journalctl|dmesg)\b|sed\s+-n\s"
    r"|(?:kubectl|oc|docker|podman|docker-compose|heroku|fly|aws|gcloud|az|nomad|pm2)\s[^|;&]*\blogs?\b)"
)
_SHOWS_LOG = re.compile(
    r"(?:sudo\s+)?(?:journalctl\b|dmesg\b|(?:cat|bat|head|tail|less|zcat|grep|egrep|rg)\b[^|]*\.log\b"
    r"|(?:kubectl|oc|docker|podman|docker-compose|heroku|fly|aws|gcloud|az|nomad|pm2)\s[^|;&]*\blogs?\b)"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"")
_JOINED = re.compile(r"&&|\|\|?|;|(?<![<>&])&(?![>&\d])|\n")
_LISTED = re.compile(r"&&|\|\||;|\n")
_SEARCHES = re.compile(
    r"\|\s*(?:grep|rg)\b[^|>]*(?:\|\s*(?:head|sort|tail|wc)\b[^|>]*)?$|\|\s*(?:head|wc|less)\b[^|>]*$"
)
_READS_ON = re.compile(
    r"(?:cd|set|export|test|read|tr|column|rev|paste|fold|xargs\s+(?:-\S+\s+)*(?:ls|cat|grep|wc|head|stat|file))\b|\[\s"
)
"""What may stand beside commands that read, without changing anything."""
_SCRIPTED = re.compile(r"(?:jq|yq|awk|gawk|sort|diff|cmp)\s")
"""What only reads, but is a program of its own: one that was mended is worth a lesson."""
_WRITES = re.compile(r"(?<![\d&<>=-])>{1,2}\s*(?![\s&>(]|/dev/|/tmp/)")
"""What a program prints goes into a file, but for a passing one."""
_EXPORT = re.compile(r"\bexport\s+(\w+=[^\s;&]*)")
_FOLDER = re.compile(r"\s*cd\s+(\S+)\s*(?:&&|;)")
_INTERPRETED = re.compile(
    r"(?:python|node|ruby|php|perl|bash|sh)[\d.]*\s+(?:-\w+\s+)*"
    r"((?:[\w./-]+\.\w{2,4}|[\w./-]*artisan)\b(?:\s+[a-z][a-z:_-]+(?!\S))?)"
)
"""A script behind its interpreter, with its subcommand: together they are the program."""
_INLINE = re.compile(r"(?:uv\s+run\s+)?(python|node|ruby|perl|php|Rscript)[\d.]*\s+(?:-\s*<<|<<|-[ce]\s)")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]*")


@memoize_short(entries=2_048, chars=8_000)
def normalised(command: str) -> str:
    """Return a command line without changes of the folder before it and pipes that shorten its output."""
    return " ".join(without_noise(_SETUP.sub("", command.strip())).split())


def without_noise(command: str) -> str:
    """Return a command line without what only shortens its output or hands on its exit status."""
    kept, done = [], 0
    for found in _NOISE.finditer(blanked(command)):
        kept.append(command[done : found.start()])
        done = found.end()
    return " ".join(filter(None, map(str.strip, [*kept, command[done:]])))


def blanked(command: str) -> str:
    """Return a command line with `x` for each character that is quoted in it."""
    return _QUOTED.sub(lambda found: "x" * len(found[0]), command)


@memoize_short(entries=2_048, chars=8_000)
def parts_of(command: str) -> tuple[str, ...]:
    """Return the parts of a command line that have all worked where it has, without those that only read."""
    line = normalised(command)
    ends = [found.span() for found in re.finditer(r"\s*&&\s*", blanked(line))]
    starts = [0, *(end for _, end in ends)]
    parts = [line[start:end] for start, end in zip(starts, [*(start for start, _ in ends), len(line)], strict=True)]
    return tuple(part for part in parts if not only_reads(part)) or (line,)


def repeats(ours: str, theirs: str) -> bool:
    """Return true where a command line runs another one as it stands, among others or alone."""
    mine, others = parts_of(ours), parts_of(theirs)
    return mine == others or (len(mine) == 1 and mine[0] in others)


def hides_status(command: str) -> bool:
    """Return true where a command line that changes something may end well although its command failed."""
    hides = _HIDES_STATUS.search(blanked(command.strip())) is not None
    return hides and "pipefail" not in command and not only_reads(command)


def shows_text(command: str) -> bool:
    """Return true for a command that shows a file or a log, and nothing of its own."""
    return _SHOWS_TEXT.match(_SETUP.sub("", command.strip())) is not None and only_reads(command)


def begins_with_log(command: str) -> bool:
    """Return true where a command line shows a log first, and then does something else."""
    first, *others = [part.strip() for part in re.split(r";|&&|\n", blanked(_SETUP.sub("", command.strip())))]
    return bool(others) and _SHOWS_LOG.match(first) is not None and not only_reads(command)


def setup_of(command: str) -> str:
    """Return the changes of the folder and of the shell before a command; empty where there are none."""
    found = _SETUP.match(command.strip())
    return found[0] if found else ""


def folder_of(command: str) -> str:
    """Return the folder that a command line changes to first; empty where it does not."""
    found = _FOLDER.match(command)
    return found[1].rstrip("/") if found else ""


def exports_of(command: str) -> frozenset[str]:
    """Return the assignments that a command line exports before anything else."""
    found = _SETUP.match(command.strip())
    return frozenset(_EXPORT.findall(found[0])) if found else frozenset()


@memoize_short(entries=2_048, chars=8_000)
def program_of(command: str) -> str:
    """Return the program that a normalised command starts, behind assignments, `sudo`, `uv run`, `python -m` etc."""
    words = _called(command)
    if len(words) > 2 and re.match(r"(?:.*/)?python[\d.]*$", words[0]) and words[1] == "-m":  # noqa: PLR2004 - python -m x
        return words[2]
    return words[0].rpartition("/")[2] if words else ""


def subcommand_of(command: str) -> str:
    """Return the word behind the program that says what it does, as in `alembic merge`; empty where there is none."""
    words = _called(command)
    return words[1] if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1]) else ""


def _called(command: str) -> Sequence[str]:
    return without_wrappers([word for word in command.split() if "=" not in word.split("/")[0] or word.startswith("-")])


def are_variants(ours: str, theirs: str) -> bool:
    """Return true where one normalised command repeats the other, as it stands or in another form."""
    if ours == theirs:
        return True
    if program_of(ours) != program_of(theirs):
        a, b = set(_WORD.findall(ours)), set(_WORD.findall(theirs))
        return _overlap(a, b) >= _OTHER_PROGRAM  # as in `sh backup.sh`, `bash backup.sh`
    a, b = _words_of(ours), _words_of(theirs)
    return _overlap(a, b) >= _VARIANT or (len(a) > 1 and a <= b)


def is_variant_text(ours: str, theirs: str) -> bool:
    """Return true for two texts, such as queries, that have as many words in common as variants of a command."""
    return _overlap(set(_WORD.findall(ours.lower())), set(_WORD.findall(theirs.lower()))) >= _VARIANT


def _words_of(command: str) -> set[str]:
    """The words of a command; an interpreter with its script counts as one."""
    script = _INTERPRETED.search(command)
    if script is None:
        return set(_WORD.findall(command))
    return {script[1], *_WORD.findall(command[: script.start()]), *_WORD.findall(command[script.end() :])}


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(len(a | b), 1)


@memoize_short(entries=2_048, chars=8_000)
def only_reads(command: str) -> bool:
    """Return true where a command line only reads or asks, in each part of a pipe or a list of commands.

    What writes a file with what it reads does more.
    """
    parts = [
        without_noise(part)
        for part in _JOINED.split(_QUOTED.sub("''", _SETUP.sub("", command.strip())))
        if part.strip()
    ]
    if any(map(_WRITES.search, parts)):
        return False
    return any(map(_is_reading, parts)) and all(_is_reading(part) or _READS_ON.match(part) for part in parts)


def searches_output(command: str) -> bool:
    """Return true where each part of a command line only reads, or ends in a search through what it prints."""
    line = blanked(_SETUP.sub("", command.strip()))
    parts = [part for part in _LISTED.split(line) if part.strip()]
    return bool(parts) and all(_SEARCHES.search(part) or only_reads(part) for part in parts)


def writes_file(command: str) -> bool:
    """Return true where a command line, without what is quoted in it, writes what a program prints into a file."""
    return _WRITES.search(command) is not None


def _is_reading(command: str) -> bool:
    return bool(_INSPECTS.match(command) or _ASKS.match(command))


def is_small_program(command: str) -> bool:
    """Return true for a command that reads by a program of its own, such as an `awk` script."""
    return bool(_SCRIPTED.match(normalised(command)))


def inline_interpreter(command: str) -> str:
    """Return the interpreter of a command that runs a program written in its line; empty for any other command."""
    found = _INLINE.match(_SETUP.sub("", command.strip()))
    return found[1] if found else ""


@memoize_short(entries=2_048, chars=8_000)
def prepares(command: str) -> bool:
    """Return true for a command line that changes what other commands need."""
    return not only_reads(command) and bool(_PREPARES.search(command))
