"""Effects of a command line: it only reads or asks, shows a text, searches, writes a file, or prepares something."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.inner_commands import with_inner_commands
from mcp_reflect.domain.lessons.run.commands.lines import (
    QUOTED_PART,
    SETUP,
    SHORTENS,
    blanked,
    normalised,
    without_noise,
)
from mcp_reflect.domain.text.memoize import memoize_short

_HIDES_STATUS = re.compile(rf"{SHORTENS}[^|&;]*(?:;\s*done\b[^;&]*)?$|\|\|\s*(?:true|:|echo\b[^|&;]*)$")
"""An end of a command line whose exit status is not that of the command before it."""
_LOOKS = re.compile(
    r"\s*(?:ls|ll|wc|du|stat|pwd|git\s+(?:-C\s+\S+\s+)?(?:status|diff\s+--stat|log|branch|stash\s+list|submodule\s+status)|echo)\b[^|]*$"
)
_SHOWS_WORDS = re.compile(r"\b(?:cat|tail|head|less|grep|rg|sed\s+-n|awk|jq|journalctl|dmesg|logs?|bat|diff|show)\b")
"""What looks at the outcome of commands before it, and what may show the words of others."""
_PREPARES = re.compile(
    r"\b(?:install|add|sync|up|start|init|create|merge|migrate|makemigrations|build|compile|generate|export|mkdir|chmod|chown|ln|cp|mv|rm|sed|patch"
    r"|git\s+(?:checkout|restore|pull|fetch|submodule|config|stash|apply|clean)|(?:npm|pnpm|yarn|bun)\s+ci|kill|pkill|unset|source|restore|upgrade|update"
    r"|downgrade|pin|lock|enable|set)\b|^cd\s+\S+$",
    re.IGNORECASE,
)
_SUDO = r"^(?:sudo\s+(?:-u\s+\S+\s+|-[A-Za-z]+\s+)*)?"
_GIT = r"git\s+(?:-C\s+\S+\s+|--no-pager\s+)*"
_INSPECTS = re.compile(
    rf"{_SUDO}(?:ls|ll|pwd|z?cat|[bx]zcat|zgrep|readlink|realpath|basename|dirname|sha\d*sum|md5sum|head|tail|less|more|echo|printf|which|type|whereis|wc|grep|rg|ag|ack|find|fd|tree|file|stat"
    r"|env(?=(?:\s+\w+=\S*)*\s*(?:[|;&]|$))|printenv|date|whoami|id|uname|hostname|history|true|false|sleep|clear|man|help|jq|sort|uniq|diff|cmp|awk|cut|nl|xxd"
    rf"|sed\s+-n|{_GIT}branch(?:\s+-(?:a|r|v+|-all|-list|-show-current)\b)*\s*$"
    rf"|{_GIT}(?:status|diff|log|shortlog|show|blame|remote(?=\s+(?:-v|show|get-url)\b|\s*$)|rev-parse|rev-list|ls-files"
    r"|ls-remote|merge-base|cat-file|grep|reflog|describe|(?:stash|worktree)\s+list|submodule\s+status"
    r"|config\s+(?:--(?:global|system|local)\s+)?(?:--(?:get|list)\S*|-l\b))"
    r"|php\s+-[im]|pidof|pgrep|getent|free|uptime|findmnt|lsblk|blkid|lscpu|nproc|ulimit\s+-a|wg\s+show|nft\s+list|sysctl\s+-n"
    r"|ip\s+(?:-\w+\s+)*(?:a|addr|address|l|link|r|route|neigh)(?:\s+(?:show|list|ls|get)\b[^;&|]*)?\s*$|iptables\s+-[LSnv]+"
    r"|tar\s+-?[abd-wyz]*t[abd-wyz]*|unzip\s+-[lv]+|sqlite3\s+\S+\s+[\"']?\.(?:schema|tables|indexes)"
    r"|kpsewhich|dpkg\s+-[lLsS]|rpm\s+-q\w*|pacman\s+-Q\w*|apk\s+info|loginctl\s+(?:show|list)-\w+|hash\s+-r"
    r"|facter|nm|ldd|readelf|objdump|strings|locale\s+-a|lsof|ss|netstat|ps|df|du|dig|nslookup|journalctl|apt-cache|timedatectl|crontab\s+-l|xcrun\s+simctl\s+list)\b"
)
_ASKS = re.compile(
    rf"{_SUDO}(?:python[\d.]*\s+-m\s+)?(?:kubectl|oc|docker|podman|helm|terraform|tofu|alembic|dotnet|systemctl|npm|pnpm|yarn|pip3?|uv|poetry|conda"
    r"|cargo|go|gh|glab|aws|gcloud|az|brew|apt|rustup|composer|bundle|gem|mix|flask|nvm|pyenv|psql|java|vagrant|pulumi"
    r"|consul|facter|fly|flyctl|heroku|nomad|puppet|supabase|wrangler)\b"
    r"(?:\s+-{1,2}[\w-]+(?:=\S+)?(?:\s+(?!-)\S+)?)*?"
    r"(?:\s+(?:image|container|volume|network|compose|context|state|workspace|project|stack|pip|env|pr|release|toolchain|alloc|app|deployment|node|service|config|index|run|workflow|issue|job|cache|secret|variable|repo|buildx|imagetools|manifest|system|plugin|registry)){0,2}"
    r"\s+(?:get|describe|list|ls|show|status|logs|inspect|info|heads|current|history|top|tree|version|versions|view|explain|freeze|why"
    r"|whoami|ps|images|providers(?!\s+(?:lock|mirror))|outdated|cat|is-active|is-enabled|is-failed|list-units|rollout\s+history|lookup|logs|-l|--list\S*|--info|--runtimes)(?![\w:-])"
    r"|^(?:gh|glab)\s+(?:ci|job|pipeline|pr|mr|run)\s+(?:checks|status|trace|watch)\b"
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
_JOINED = re.compile(r"&&|\|\|?|;|(?<![<>&])&(?![>&\d])|\n")
_LISTED = re.compile(r"&&|\|\||;|\n")
_SEARCHES = re.compile(
    r"\|\s*(?:grep|rg)\b[^|>]*(?:\|\s*(?:head|sort|tail|wc)\b[^|>]*)?$|\|\s*(?:head|wc|less)\b[^|>]*$"
)
_READS_ON = re.compile(
    r"(?:cd|set|export|test|read|tr|column|rev|paste|fold|kill\s+%\d|xargs\s+(?:-\S+\s+)*(?:ls|cat|grep|wc|head|stat|file))\b|\[\s"
)
"""What may stand beside commands that read, without changing anything."""
_SCRIPTED = re.compile(r"(?:jq|yq|awk|gawk|sort|diff|cmp)\s")
"""What only reads, but is a program of its own: one that was mended is worth a lesson."""
_WRITES = re.compile(r"(?<![\d&<>=-])>{1,2}\s*(?![\s&>(]|/dev/|/tmp/)")
"""What a program prints goes into a file, but for a passing one."""
_DATABASE_CLIENT = r"\b(?:mysql|mariadb|psql|sqlite3|duckdb|clickhouse-client|sqlcmd|cqlsh|bq query)\b"
_ASKS_DATA = r"\s*(?:select|show|desc(?:ribe)?|explain|with|pragma|\\d|\.(?:schema|tables))"
_QUERY = re.compile(
    rf"{_DATABASE_CLIENT}[^|;&<>\"'\n]{{0,200}}(?:\"{_ASKS_DATA}[^\"]{{0,2000}}\"|'{_ASKS_DATA}[^']{{0,2000}}')",
    re.IGNORECASE,
)
_CHANGES_DATA = re.compile(
    r"\b(?:insert|update|delete|alter|create|drop|truncate|grant|revoke|merge|replace|call|load|copy|analyze|vacuum"
    r"|(?:pg_(?:cancel|terminate|drop|create|reload|promote|switch|stat_reset)|setval|lo_)\w*)\b",
    re.IGNORECASE,
)


def hides_status(command: str) -> bool:
    """Return true where a command line that changes something may end well although its command failed."""
    line = blanked(command.strip())
    hides = _HIDES_STATUS.search(line) is not None or _ends_by_a_look(line)
    return hides and "pipefail" not in command and not only_reads(command)


def _ends_by_a_look(line: str) -> bool:
    """Return true where a list of commands ends with one that looks at what came of them, and shows no text of others.

    What reports an error in such an output is a command of the list.
    """
    *others, last = re.split(r"[;\n]", SETUP.sub("", line))
    return bool(others) and _LOOKS.match(last) is not None and not any(map(_SHOWS_WORDS.search, others))


def shows_text(command: str) -> bool:
    """Return true for a command that shows a file or a log, and nothing of its own."""
    return _SHOWS_TEXT.match(SETUP.sub("", command.strip())) is not None and only_reads(command)


def begins_with_log(command: str) -> bool:
    """Return true where a command line shows a log first, and then does something else."""
    first, *others = [part.strip() for part in re.split(r";|&&|\n", blanked(SETUP.sub("", command.strip())))]
    return bool(others) and _SHOWS_LOG.match(first) is not None and not only_reads(command)


@memoize_short(entries=2_048, chars=8_000)
def only_reads(command: str) -> bool:
    """Return true where a command line only reads or asks, in each part of a pipe or a list of commands.

    What writes a file with what it reads does more.
    """
    parts = [
        without_noise(part)
        for part in _JOINED.split(QUOTED_PART.sub("''", SETUP.sub("", with_inner_commands(command.strip()))))
        if part.strip()
    ]
    if any(map(_WRITES.search, parts)):
        return False
    return any(map(_is_reading, parts)) and all(_is_reading(part) or _READS_ON.match(part) for part in parts)


def asks_database(command: str) -> bool:
    """Return true where a command line only reads, or asks a database by queries that change nothing in it."""

    def asked(found: re.Match[str]) -> str:
        return found[0] if _CHANGES_DATA.search(found[0]) else "echo"

    return only_reads(_QUERY.sub(asked, command))


def searches_output(command: str) -> bool:
    """Return true where each part of a command line only reads, or ends in a search through what it prints."""
    line = blanked(SETUP.sub("", command.strip()))
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


@memoize_short(entries=2_048, chars=8_000)
def prepares(command: str) -> bool:
    """Return true for a command line that changes what other commands need."""
    return not only_reads(command) and bool(_PREPARES.search(command))
