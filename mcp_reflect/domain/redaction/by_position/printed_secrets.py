"""Secrets that a command prints by themselves: the one word that `op read …` or `jq -r .password …` answers with.

Neither the output nor the command shows the secret alone: the one has no name beside it, the other no value.
"""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.firm_gaps import is_told_word, is_word
from mcp_reflect.domain.redaction.by_name.secret_names import secret_names
from mcp_reflect.domain.redaction.values.chosen_words import looks_chosen
from mcp_reflect.domain.redaction.values.secret_values import MARK, looks_random
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
_PICKS = re.compile(
    r"\b(?:jq|yq|dasel|awk|cut|sed|grep|printenv|echo|printf|(?:terraform|pulumi)[ ].*output|get|lookup|read|show)\b"
)
"""Programs that print one value out of many."""
_COUNTED = re.compile(r"[ ]-\w*[clLq]\b|\bwc\b|\b(?:sha\d*|md5)sum\b")
_LONGEST_COMMAND = 400
_LEAST, _LONGEST = 6, 500
_HEX = frozenset("0123456789abcdef-")


def printed_secrets(trajectory: Trajectory) -> frozenset[str]:
    """Return the words in the results of a run that commands printed as secrets."""
    return frozenset(_found(trajectory))


def _found(trajectory: Trajectory) -> Iterator[str]:
    calls: dict[str, ToolCall] = {}
    last: ToolCall | None = None
    for event in trajectory.events:
        if isinstance(event, ToolCall):
            last = calls[event.id] = event
        elif isinstance(event, ToolResult):
            call = calls.get(event.call_id) or last
            word = event.text.strip()
            is_word_alone = _LEAST <= len(word) <= _LONGEST and len(word.split()) == 1
            if call and not event.failed and is_word_alone and _is_printed(call.arguments, word):
                yield word


def _is_printed(arguments: str, word: str) -> bool:
    command = arguments[:_LONGEST_COMMAND]
    if MARK in word or "://" in word or not is_word(word):
        return False
    if _READS_SECRET.search(command) and not _COUNTED.search(command):
        return is_told_word(word) or looks_random(word, _LEAST)
    is_hash = _HEX.issuperset(word.lower())
    mixed = looks_chosen(word) or (looks_random(word, _LEAST) and not word.islower() and not is_hash)
    return mixed and is_told_word(word) and bool(_PICKS.search(command)) and _names_secret(command)


def _names_secret(command: str) -> bool:
    return any(not name.is_weak for name in secret_names(command))
