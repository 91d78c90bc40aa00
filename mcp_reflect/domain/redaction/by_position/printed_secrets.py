"""Secrets that a command prints by themselves: the one word that `op read …` or `jq -r .password …` answers with.

Neither the output nor the command shows the secret alone: the one has no name beside it, the other no value. A run has
both as messages; in other text a prompt stands before the command, and the output on the next line.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word, is_word
from mcp_reflect.domain.redaction.by_name.secret_names import kind_of_name, secret_names
from mcp_reflect.domain.redaction.by_pattern.notation import END_OF_LINE
from mcp_reflect.domain.redaction.by_position.key_parts import shown_key_lines
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_mixed, looks_random
from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult
from mcp_reflect.domain.trajectory.parsing import Trajectory

_READS_SECRET = re.compile(
    r"""\b(?:
    op[ ](?:read|item[ ]get\b.*--(?:fields|reveal)) | (?:pass|gopass)[ ](?:show|[\w-]+/)\S* | lpass[ ]show\b.*--password
    | bw[ ]get[ ](?:password|totp|notes) | vault[ ](?:kv[ ]get|read|print|token)\b | chamber[ ]read | keyring[ ]get
    | secretsmanager[ ]get-secret-value | ssm[ ]get-parameters?\b.*--with-decryption | ecr[ ]get-login-password
    | gcloud[ ](?:secrets[ ]versions[ ]access|auth\b.*[ ]print-(?:access|identity)-token) | gh[ ]auth[ ]token
    | az[ ](?:keyvault[ ]secret[ ]show|account[ ]get-access-token) | (?:doppler|infisical)[ ]secrets[ ]get
    | kubectl\b.*[ ](?:get[ ]secrets?|create[ ]token)\b | oc[ ]whoami[ ].*-t | security[ ]find-\w+-password\b.*-w
    | secret-tool[ ]lookup | openssl[ ]rand | pwgen | wg[ ]genkey | age-keygen | sops\b.*[ ](?:-d|--decrypt|--extract)
    | (?:cat|head|tail|less|more|bat|type)[ ].*(?:/run/secrets/|\.vault-token
      |[\w-]*(?:password|passwd|passphrase|secret|token)[\w-]*(?:\.txt|\.pw)?(?=[\s|;&"']|\Z))
    | heroku[ ]config:get
    )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Programs whose very task is to print a secret, and files that hold nothing else."""
_SHOWS_VARIABLE = re.compile(r"(?:echo|printenv|printf)[ ](?:-\w+[ ]|\"?%s\"?[ ])?[\"']?\$?\{?(?P<name>\w+)\}?[\"']?\Z")
_PICKS = re.compile(
    r"\b(?:jq|yq|dasel|awk|cut|sed|grep|printenv|echo|printf|(?:terraform|pulumi)[ ].*output|get|lookup|read|show)\b"
)
"""Programs that print one value out of many."""
_COUNTED = re.compile(r"[ ]-\w*[clLq]\b|\bwc\b|\b(?:sha\d*|md5)sum\b")
_TRANSCRIPT = re.compile(
    # A pattern that begins with a set of characters is found faster than one that looks back first.
    r"[$#❯](?:(?<=[$❯])|(?<=[\w~/\])]\#))[ ](?P<command>[^\n\\]{2,400}?)(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)"
    rf"\\{{0,8}}[\"']?(?P<word>[^\s\"'\\]{{6,500}}){END_OF_LINE}"
)
_NAME = re.compile(r"pass(?:word|wd|phrase)?|pwd|secret|token|api-?key", re.IGNORECASE)
_LEAST_MIXED, _LONGEST_MIXED = 20, 64
_LONGEST_COMMAND = 400
_LEAST, _LONGEST = 6, 500
_HEX = frozenset("0123456789abcdef-")
_NO_WORD = frozenset("/:=<>()")


def printed_secrets(trajectory: Trajectory) -> frozenset[str]:
    """Return the words in the results of a run that commands printed as secrets."""
    return frozenset(_found(trajectory))


def redact_printed(text: str) -> str:
    """Return a text with each secret replaced that stands alone below the command that printed it."""
    if "$ " not in text and "# " not in text and "❯ " not in text:
        return text
    done: list[str] = []
    copied = 0
    for each in _TRANSCRIPT.finditer(text):
        command, word = each["command"].strip(), each["word"]
        if _is_printed(command, word) or (_NAME.search(command) and _is_mixed_word(word)):
            done += (text[copied : each.start("word")], f"{MARK}secret]")
            copied = each.end("word")
    return "".join((*done, text[copied:])) if done else text


def _is_mixed_word(word: str) -> bool:
    """Return whether a word below a command about a secret is one by its form: no hash, no path, no name."""
    mixed = any(map(str.isdigit, word)) and any(map(str.isupper, word)) and any(map(str.islower, word))
    is_text = len(word) <= _LONGEST_MIXED and not _HEX.issuperset(word) and _NO_WORD.isdisjoint(word)
    return is_text and (mixed or looks_chosen(word)) and is_told_word(word)


def _found(trajectory: Trajectory) -> Iterator[str]:
    calls: dict[str, ToolCall] = {}
    last: ToolCall | None = None
    for event in trajectory.events:
        if isinstance(event, ToolCall):
            last = calls[event.id] = event
        elif isinstance(event, ToolResult):
            call = calls.get(event.call_id) or last
            if call:
                yield from shown_key_lines(call.arguments[:_LONGEST_COMMAND], event.text)
            word = event.text.strip()
            is_word_alone = _LEAST <= len(word) <= _LONGEST and len(word.split()) == 1
            if call and not event.failed and is_word_alone and _is_printed(call.arguments, word):
                yield word


def _is_printed(arguments: str, word: str) -> bool:
    command = arguments[:_LONGEST_COMMAND]
    if MARK in word or "://" in word or not is_word(word):
        return False
    shown = _SHOWS_VARIABLE.fullmatch(command)
    if shown and kind_of_name(shown["name"]):
        return is_told_word(word)
    if _READS_SECRET.search(command) and not _COUNTED.search(command):
        return is_told_word(word) or looks_random(word, _LEAST) or (len(word) >= _LEAST_MIXED and is_mixed(word))
    is_hash = _HEX.issuperset(word.lower())
    mixed = looks_chosen(word) or (looks_random(word, _LEAST) and not word.islower() and not is_hash)
    return mixed and is_told_word(word) and bool(_PICKS.search(command)) and _names_secret(command)


def _names_secret(command: str) -> bool:
    return any(not name.is_weak for name in secret_names(command))
