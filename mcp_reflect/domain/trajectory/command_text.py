"""Whether a text is a command line or a sentence, where nothing around it tells."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.error_lines import errors_in_text

_PROGRAMS = frozenset(
    """
    ansible ansible-playbook ant apt apt-get awk aws az bash bat bazel brew bun bunx bundle bzip2 cargo cat cc cd chgrp
    chmod chown clang cmake comm composer convert cp cpio crontab ctest curl cut date dd deno df diff dig docker
    docker-compose dotnet dpkg du echo egrep emacs env erl eslint export ffmpeg fgrep file find flake8 g++ gawk gcc
    gcloud gdb gem getent gh git go gofmt gpg gradle grep groovy groupadd gunzip gzip head helm hg hostname iconv id
    install ip iptables isort java javac jar jest journalctl jq julia kill kotlinc kubectl latexmk ld ldd less lint ln
    locale ls lsof lua luac magick make man md5sum mix mkdir mkfifo mktemp mongo mongosh more mount msgfmt mv mvn mypy
    mysql mysqldump nc netstat nginx ninja nl nm node nohup npm npx nslookup objdump od openssl pandoc paste patch
    pdflatex perl pg_dump pg_restore pgrep php phpunit ping pip pip3 pipx pkill pnpm podman poetry pre-commit prettier
    printenv printf protoc ps psql pwd pylint pyright pytest python python2 python3 readelf readlink realpath
    redis-cli rg rm rmdir ruby ruff rsync rustc rustup sbt scala scp screen sed seq set sh sha256sum shasum shellcheck
    shuf sleep sort source split sqlite3 ss ssh ssh-add ssh-keygen stat strace strings su sudo svn swift swiftc sysctl
    systemctl tac tail tar tclsh tee terraform test time timeout tmux touch tox tr tree true truncate tsc ts-node tsx
    ulimit umask uname uniq unset unzip useradd uv uvx valgrind vi vim vitest wc wget which who whoami xargs xmllint xxd
    xz yarn yq zcat zig zip zsh
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Programs that agents call by name."""
_VERBS = frozenset(
    """
    cat cut date echo file find go head install join kill less make man more mount patch paste ping print read screen
    set sleep sort source split strings test time touch tree true watch which who
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Those whose names are words of English, too."""
_TOOL_NAMES = frozenset(("bash", "sh", "zsh", "python", "python3", "node", "patch", "find", "ls", "cat", "grep"))
"""Those which are names of tools as well: alone they are no command line."""
_WRAPPERS = frozenset(("sudo", "time", "env", "nohup", "command", "exec", "then", "!", "("))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,60}=\S{0,200}")
_PATH = re.compile(
    r"(?:\.{1,2}|~|/(?:usr|bin|opt|home|tmp|srv|etc|app|work\w*))?/?[\w.+-]{1,80}(?:/[\w.+-]{1,80}){0,9}"
)
_ENGLISH = re.compile(
    r"\b(?:the|a|an|is|are|was|were|that|this|it|its|to|of|and|we|i|you|they|so|because|with|has|have|not|now|but)\b",
    re.IGNORECASE,
)
_MOST_CHARS = 400
_FEW_WORDS = 2
_LEAST_WORDS = 4
_SENTENCE = re.compile(r"(?:[A-Z\u00c0-\u00de]|I'|[\"'`(]\w|[^\x00-\x7f])[^\n]*[.:!?…)\"'`]$")


def looks_like_command(text: str) -> bool:
    """Return true for a line that calls a program by its name or path; false for a sentence."""
    words = text[:_MOST_CHARS].split()
    while words and (words[0] in _WRAPPERS or _ASSIGNMENT.fullmatch(words[0])):
        del words[0]
    if not words:
        return False
    program = words[0].lstrip("(")
    if "/" in program:
        is_path = bool(program[0] in "./~" and _PATH.fullmatch(program) and not program.endswith("/"))
        return is_path and (len(words) > 1 or program.startswith("./"))
    if program not in _PROGRAMS or (program in _TOOL_NAMES and len(words) == 1):
        return False
    return program not in _VERBS or not _reads_like_words(" ".join(words[1:]))


def is_sentence(line: str) -> bool:
    """Return true for a line of words as somebody says them; false for one that a program prints of an error."""
    if len(line.split()) < _LEAST_WORDS or not _SENTENCE.match(line):
        return False
    return not any(sign in line for sign in ("{", "};", " = ", "==", "\t", "|")) and not any(errors_in_text(line))


def _reads_like_words(rest: str) -> bool:
    return len(_ENGLISH.findall(rest)) >= _FEW_WORDS or rest.endswith((".", "!", "?"))
