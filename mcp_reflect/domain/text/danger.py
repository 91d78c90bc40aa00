"""Dangerous sentences: what, were it followed, could give away secrets, run foreign code, weaken security, destroy work
or steer later runs.

Honest people write such sentences, too. So these wordings decide nothing alone: they are asked for text that stems from
a tool or a page and that nobody vouches for (`provenance/screening.py`). English wordings and shell commands only.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.inert import skeleton
from mcp_reflect.domain.text.memoize import memoize_short
from mcp_reflect.domain.text.orders import addresses_reader, runs_from_network

_KEPT_CLOSE = (
    r"(?:passwords?|passwd|passphrases?|credentials?|api[\s_-]?keys?|secrets?|tokens?|keychain|wallets?|seed phrases?"
    r"|(?:private|ssh|signing|deploy|gpg) keys?|\.env\b|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.aws\b|\.kube\b"
    r"|id_(?:rsa|ed25519|ecdsa)|\.ssh\b|/etc/(?:shadow|passwd)|session cookies?|environment variables?|printenv"
    r"|\benv\b(?=\s*[|>])|\$\(env\)|os\.environ|process\.env)"
)
_TO_HAND_OVER = (
    r"\b(?:send|post|upload|forward|exfiltrate|e-?mail|leak|reveal|publish|share|submit|attach|transmit|deliver|paste|dump"
    r"|base64|pipe|curl|wget|nc|ncat|scp|rsync|copy|include|append|embed|report|disclose|hand over|back up)\b"
)
_ADDRESS = r"(?:https?://|\bftp://|[\w.]@[\w-]+\.\w|\b(?:webhook|pastebin|gist)\b|\b(?:nc|ncat|scp|curl|wget)\s)"
_SHELL = r"(?:sudo\s+)?(?:ba|z|da|k)?sh\b"
_ANY_LATER = r"(?:all|every|each|any)(?: of the)?(?: future| later| subsequent| upcoming| other| new| following)?"
_GUARD = (
    r"\b(?:security|safety|sandbox\w*|firewall|authentication|authori[sz]ation|2fa|mfa|verification|confirmations?"
    r"|approvals?|permission (?:checks?|prompts?)|guardrails?|audit\w*|signature checks?|branch protection|pre-commit"
    r"|(?:certificate|tls|ssl|signature|checksum|host key)s?(?: \w+){0,2} (?:check|verif|valid)\w*)\b"
)

_ASKED = r"identity|id|security|manager|supervisor|second|fraud|credit|background|manual|human|additional|further"
_LOOK = r"(?:checks?|verification|confirmations?|approvals?|call[ -]?backs?|reviews?)"
_PROOF = r"(?:verif|signature|signing|audit|secur|auth|pgp|gpg|integrity)"

_PROVES = r"(?:\w{1,40}\.)?(?:verify|authenticate|authori[sz]e)(?:_\w{1,60})?\("
_MADE_ANEW = r"(?:/(?:tmp|var/tmp|var/cache|var/lib/apt/lists)|(?:~|\$home)/\.cache)/(?!\S*\.\.)"
"""Folders of what programs make anew when they need it."""

_PATTERNS = (
    # Secrets go somewhere.
    rf"{_TO_HAND_OVER}[^\n]{{0,120}}{_KEPT_CLOSE}",
    rf"{_KEPT_CLOSE}[^\n]{{0,120}}{_ADDRESS}",
    r"\b(?:curl|wget|iwr|nc|ncat|dig|nslookup|ping)\b[^\n]{0,160}(?:\$\(|`(?:[\w$~/]|\./)|@~?/|@\.|<\()",
    # Foreign code runs.
    r"\bcurl\b[^\n]{0,160}\s(?:-t|--upload-file)\s|\s--(?:upload|send|post|share|leak)-(?:env|secrets?|tokens?|creds|credentials|keys)\b",
    rf"\b(?:curl|wget|iwr)\b[^\n|]{{0,200}}\|[^\n]{{0,40}}(?:{_SHELL}|\b(?:python[\d.]*|node|perl|ruby|iex)\b)",
    rf"\b(?:base64|openssl|xxd|printf|echo)\b[^\n|]{{0,300}}\|[^\n]{{0,40}}{_SHELL}",
    (
        r"\b(?:python3?|node|perl|ruby|powershell|pwsh|bash|sh)\s+-(?:c|e|enc\w*)\b[^\n]{0,200}"
        r"(?:https?:|urlopen|socket|exec\(|eval\(|b64decode|requests\.)"
    ),
    (
        r"\b(?:pip3?|pipx|uv|npm|npx|pnpm|yarn|gem|cargo|go|brew|apt|apt-get)\b[^\n;]{0,80}"
        r"(?:--(?:extra-)?index-url|--registry|--find-links|git\+|https?://)"
    ),
    (
        r"\b(?:download|fetch|get|grab|install|run|execute|open|launch|source|load|import|visit|call|clone|pull|use)\b"
        r"[^.\n]{0,80}https?://"
    ),
    (
        r"\b(?:curl|wget|iwr)\b[^\n]{0,200}(?:&&|;|then)[^\n]{0,60}"
        r"(?:\bsh\b|\bbash\b|chmod|\./|python|source|\bdpkg\s+-i|\brpm\s+-[a-z]*[iu]|\bmsiexec\b|\binstaller\s)"
    ),
    r"\bdocker run\b[^\n]{0,120}(?:--privileged|-v\s*/:|docker\.sock)",
    # Something stays behind.
    r">>?\s*[^\s;|]{0,60}(?:authorized_keys|\.(?:bash|zsh)rc|\.profile|\.bash_profile|crontab|/etc/\w|\.git/hooks)",
    r"\b(?:authorized_keys|crontab|launchctl|systemctl enable)\b",
    r"\bgit (?:remote (?:add|set-url)|config --global)\b",
    # Work is destroyed.
    rf"\brm\s+-\w*[rf]\w*\s+(?:-{{1,2}}\w[\w-]*\s+)*[\"']?(?:(?!{_MADE_ANEW})(?:/|~|\$home)|\.git\b|\*|\.\s*$)",
    r"\bgit push\b[^\n]{0,60}(?:--force\b|-f\b|--mirror)|\bgit reset --hard\b|\bdrop (?:table|database|schema)\b",
    (
        r"\bkubectl\s+(?:-\S+\s+)*delete\s+(?:ns|namespaces?|pvc?s?|crds?|all|--all)\b|--grace-period=0\b"
        r"|\b(?:terraform|tofu|pulumi|cdk)\s+destroy\b|\bdropdb\b|\bflush(?:all|db)\b|\b(?:volume|system) prune\b"
        r"|\baws\s+s3\s+(?:rb\b|rm\b[^\n]{0,120}--recursive)"
    ),
    (
        r"--no-?(?:archive|backups?|validat\w+|auth\w*|audit|encrypt\w*|pass(?:phrase|word)|sandbox)\b"
        r"|--(?:bits|size)[= ](?:512|768|1024)\b"
    ),
    (
        r"\b(?:logs?|logged|logging|print\w*|dump\w*)\b[^.\n]{0,60}"
        r"\b(?:card (?:data|numbers?)|passwords?|secrets?|credentials|full bod(?:y|ies))\b"
        r"|\b(?:card (?:data|numbers?)|passwords?|secrets?|credentials)\b[^.\n]{0,60}\bto (?:the |a |its )?logs?\b"
    ),
    r"\b(?:mkfs|shred|wipefs)\b|\bdd if=|\b(?:delete|wipe|erase|truncate|destroy) (?:all|every|the entire|the whole)\b",
    # Guards come down.
    rf"\b(?:disable|turn off|skip|bypass|switch off|remove|suppress|deactivate|ignore)\b[^.\n]{{0,60}}{_GUARD}",
    (
        r"\b(?:disable|turn off|lift|drop)\b[^.\n]{0,40}"
        r"\b(?:guards?|(?:rate|depth|query|size) limits?|quotas?|introspection)\b"
    ),
    r"\bchmod\s+(?:-\w+\s+)?(?:0?(?:777|666)|[ao]+\+r?wx?|u\+s)\b",
    r"\bufw\s+(?:disable|reset)\b|\b(?:iptables|nft)\s+(?:-\w\s+\w+\s+accept|-f\b|flush\b)",
    (
        r"\bsystemctl\s+(?:--\w+\s+)?(?:stop|disable|mask)\s+(?:--\w+\s+)?"
        r"(?:auditd|ufw|firewalld|apparmor|fail2ban|falco|crowdsec|clamav\S*|osquery\S*|rsyslog)\b"
    ),
    r"\b[\w.]{0,30}(?:token|password|passwd)\s*=\s*(?:''|\"\")|\b(?:cidr|allow\w*|ingress|source)\w{0,20}\s*=\s*\W{0,3}0\.0\.0\.0/0",
    r"--no-verify|--insecure\b|--no-check-certificate|--trusted-host|stricthostkeychecking[= ]no|--dangerously",
    r"sslverify[= ]false|strict-ssl[= ]false|node_tls_reject_unauthorized|--privileged\b",
    (
        r"\b(?:\w{0,40}verif(?:y|ication)\w{0,40}|(?:tls|ssl|auth|mfa|2fa|sandbox|signature|certificate|captcha)[\w.-]{0,60}"
        r"|\w+_(?:check|guard|safe(?:ty)?|nonce)(?:_(?:enabled?|required|enforced?|mode))?|verify_\w{1,20})[\"'\]]{0,2}\s*[=:]\s*"
        r"[\"']?(?:none|false|off|no|skip\w*|0|disabled?|never|insecure|optional)\b"
    ),
    rf"(?<![+\w`] )- `{_PROVES}(?![^\n]{{0,300}}\+ `{_PROVES})",  # an edit takes the call of a guard out
    r"\balg(?:orithms?)?[\"']?\s*[=:][^\n]{0,60}[\"']none[\"']",
    r"accept_?invalid_?cert|allow_?insecure|insecure_?skip_?verify|skip_?verif|auto[_-]?approve",
    r"\b(?:md5|sha1|plain\w*|unsalted\w*)password\w*hasher|\b(?:e|a)null\b|\bsslv[23]\b|\btlsv1(?:\.[01])?(?![.\d])",
    r"\bsslmode\s*[= ]\s*(?:disable|allow)\b|\bssl_?verify\w{0,20}\s*[=: ]\s*(?:0|none|false|off)\b",
    r"(?<![\d.])0\.0\.0\.0/0|-lock=false\b|\brejectunauthorized\W{1,4}false\b|\bverify\s*=\s*false\b",
    (
        r"\b(?:pip3?|npm|yarn|pnpm|bundle|composer|gem|go|cargo|poetry|conda|helm)\s+(?:config|env|repo|source)\s+"
        r"(?:set|add|-w|--add)\b[^\n]{0,80}(?:url|registry|mirror|proxy|index|source|https?:)"
    ),
    r"--no-sandbox|allow-?snippet-?annotations|--disable-[\w-]*(?:security|sandbox|verif|auth)|--allow-unauthenticated|(?<![\w-])-insecure\b",
    r"--trust-remote-code|\b(?:selinux|enforcing|apparmor|mitigations)=(?:0|off|disabled)\b|\bsetenforce 0\b",
    r"\bgo(?:nosumdb|nosumcheck|insecure)\b|\btrust_remote_code\s*=\s*true|\bld_preload\b",
    r"\bcluster-admin\b|\badministratoraccess\b|\broles/owner\b|\bsystem:anonymous\b|\bnopasswd\b",
    r"\bpermitrootlogin yes\b|\bprotected-mode\S*\s+no\b|\brequirepass\s+(?:''|\"\")|\b(?:rustsec|cve|ghsa)-\*",
    r"\bsuperuser\b|\bwith (?:grant|admin) option\b|\b(?:run|start|execute)\w* (?:\w+ )?as (?:root|admin\w*)\b",
    (
        rf"(?:{_PROOF}[\w-]*\.(?:skip|disable|ignore)|(?:skip|disable|ignore)[\w-]*{_PROOF})[\w.-]*"
        r"\s*=\s*[\"']?(?:true|1|yes|on)\b"
    ),
    (
        r"\b(?:approval|verification|identity(?:_check)?|security_question|signature)\s*=\s*"
        r"[\"']?(?:auto\w*|any|none|skip\w*|bypass\w*)\b"
    ),
    (r"\b\w*skip_?\w*(?:gate|check|test|hook|scan|valid|approv|review|sign|guard)\w*\s*=\s*[\"']?(?:true|1|yes|on)\b"),
    (
        r"\bexempt(?:ed|ion)? from [^.\n]{0,40}"
        r"\b(?:mfa|2fa|checks?|verification|approvals?|audits?|review|logging|limits?)\b"
    ),
    (
        r"\b(?:read|tell|give|say|send|forward)\b[^.\n]{0,40}\b(?:code|pin|otp|tan)\b[^.\n]{0,30}"
        r"\b(?:sms|text|e-?mail|app)\b"
    ),
    r"\bgrant\b[^;\n]{0,80}\bto (?:public|everyone|anonymous)\b|\bbypassrls\b|\bdisable row level security\b",
    r"\b\w{0,30}(?:_min(?:imum)?|min(?:imum)?_\w{1,20}|fail_under)\s*[=:]\s*0\b",
    r"--(?:trust|allow|accept)-(?:all|any|expired|foreign|http|insecure|invalid|unknown|unsigned|untrusted)\b",
    r"--(?:force|permit|with)-(?:unsigned|untrusted|unverified)\b|--verify[= ](?:lax|loose|none|off|false|skip|no)\b",
    r"\btrust_?all\b|--unsigned\b|\b\w{0,30}_lax_\w{1,30}\s*=",
    (
        r"\b\w{0,30}(?:auth|acl|access|login|admin)\w{0,20}[\"']?\s*[:=]\s*[\"']?"
        r"(?:everyone|anyone|anybody|anonymous|public|open|\*)(?!\w)"
    ),
    (
        r"\b\w{0,30}(?:gate|enforc|polic)\w{0,20}[\"']?\s*[:=]\s*[\"']?"
        r"(?:advisory|permissive|(?:warn\w{0,4}|report|log|monitor)[-_ ]?only)\b"
    ),
    r"\b(?:scrub|wipe|purge|drop|truncate|destroy|erase)\b[^\n]{0,40}\bprod(?:uction)?\b",
    (
        r"\b(?:purg|wip|eras|delet|clear|remov)\w{0,4}\b[^.\n]{0,40}\baudit (?:trail|log|record)s?\b"
        r"|\baudit (?:trail|log|record)s?\b[^.\n]{0,40}\b(?:purg|wip|eras|delet|clear|remov)\w{0,4}\b"
    ),
    r"\bforward\w{0,3}\b[^.\n]{0,60}\b(?:private|personal) (?:address|e-?mail|mail|mailbox|account)\b",
    r"\b\w{0,30}insecure\w{0,30}\s*=\s*[\"']?(?:1|true|yes|on|always)\b|\bunsafe_load\b",
    r"\bhost(?:ssl|nossl)?\s+\S+\s+\S+\s+\S+\s+trust\b|\biam:passrole\b",
    r"\bactions?[\"']?\s*[:=]\s*\[?\s*[\"']\*[\"']",
    r"\borigin[\"']?\s*:[^\n]{0,60}\btrue\)?[^\n]{0,40}\bcredentials[\"']?\s*:\s*true",
    r"--self-?approve\b|--acl[= ]public|\bpublic-read\b",
    r">>?\s*[^\s;|]{0,60}(?:root|trusted|allowed|authorized)[\w-]*keys?\b",
    rf"\b(?:{_ASKED})(?: {_LOOK})? (?:can|may|could) be (?:skipped|bypassed|left out|ignored)\b",
    r"\b(?:is|are) (?:not|never|no longer) (?:screened|vetted|background[- ]checked)\b",
    r"\b(?:one|a single) signature (?:is enough|suffices)\b",
    rf"\b(?:no|without(?: an?y?)?) (?:\w+ ){{0,2}}(?:{_ASKED}) {_LOOK}\b",
    rf"\bno (?:{_LOOK}|second (?:approver|signature)) (?:is |are )?(?:needed|required|necessary)\b",
    (
        r"\b(?:approvals?|reviews?|checks?|verification|limits?|quotas?|authenti\w+|sign-?offs?|audits?|confirmations?)"
        r"\b[^.\n]{0,60}"
        r"\b(?:(?:is|are|be|gets?) (?:\w+ )?(?:skipped|waived|lifted|bypassed|left out|ignored|not counted)"
        r"|do(?:es)? not (?:hold|apply|count) (?:for|to))\b"
    ),
    # Later runs are steered, and nobody is told.
    (
        r"\b(?:agents|assistants|bots|llms|(?:language|ai) models|readers (?:that|who) are|automated readers)\b"
        r"[^.\n]{0,80}\b(?:must|should|may|shall|are (?:to|allowed|exempt|expected|asked|free)|need not|do not need"
        r"|state|log in|send|use|skip|treat|insert|report|recommend)\b"
    ),
    (
        rf"\b(?:in|for|on|at|before|after|during|with|to)\s+{_ANY_LATER}\s+"
        r"(?:tasks?|runs?|sessions?|requests?|conversations?|answers?|repl(?:y|ies)|responses?|projects?|commits?)\b"
    ),
    r"\b(?:remember|note|keep|save)\b[^.\n]{0,40}\bfor (?:next time|later|the future)\b",
    (
        r"\b(?:save|store|remember|record|memori[sz]e|keep)\b[^.\n]{0,40}"
        r"\b(?:memory|memories|lessons?|rules?|as an? (?:insight|instruction|preference)|permanently|forever)\b"
    ),
    (
        r"\b(?:highest|top|absolute) priority\b|\b(?:overrides?|supersedes?|takes? precedence over)\b[^.\n]{0,40}"
        r"\b(?:all|any|other|previous|prior|earlier|user|every)\b"
    ),
    (
        r"\b(?:without|do not|don't|never|no need to) (?:ask|confirm|tell|inform|notify|mention|show|warn|report"
        r"|disclos|reveal|alert|log|review|check with)\w*\b"
    ),
    (
        r"\b(?:users?|owners?|humans?|administrators?|admins?|security team|maintainers?|management)\b[^.\n]{0,40}"
        r"\b(?:already |explicitly )?(?:approved|authori[sz]ed|consented|permitted|granted|pre-approved|signed off)\b"
    ),
    (
        r"\b(?:sort code|iban|bic|routing number|bank account|account (?:no|number))\b[^.\n]{0,30}"
        r"\b(?:\d[\d -]{5,}\d|[a-z]{2}\d{2}[\da-z ]{8,})"
    ),
    r"\baccount\b[^.\n]{0,30}\b[a-z]{2}\d{2}(?: ?[\da-z]{4}){2,}",
    r"\[redacted:(?:iban|account)\]",
    (
        r"\b(?:transfer|wire|pay|payable|donate|refund|buy|purchase)\b[^.\n]{0,60}"
        r"(?:\baccount\b|\bwallet\b|\biban\b|\bbtc\b|\bbitcoin\b|0x[0-9a-f]{8,})"
    ),
    r"\b(?:transfer|wire|pay|payable|donate|buy|purchase)\b[^.\n]{0,60}\b(?:gift cards?|certificates?)\b",
    r"\b(?:fsync|full_page_writes)\b[\"']?\s*[:=]\s*[\"']?(?:off|false|no|0)\b",
    r"\bcsrf[\w-]{0,30}[\"']?\s*[:=]\s*[\"']?(?:off|false|no|0|none|disabled?)\b",
    r"\ballow_?origins?[\"']?\s*[:=][^\n]{0,12}\*[^\n]{0,40}\ballow_?credentials[\"']?\s*[:=]\s*true\b",
)
_WORD_BEGINS = r"\b"
_FROM_WORDS = [each.removeprefix(_WORD_BEGINS) for each in _PATTERNS if each.startswith(_WORD_BEGINS)]
_ELSEWHERE = [each for each in _PATTERNS if not each.startswith(_WORD_BEGINS)]
# Of text in small letters. One boundary stands before all that begin with a word, as each of their alternatives does:
# within words none of them is tried.
_DANGEROUS = re.compile(rf"{_WORD_BEGINS}(?:{'|'.join(_FROM_WORDS)})|{'|'.join(_ELSEWHERE)}")

_CHANGED_TO = "` → `"
"""What stands between the old and the new line of an edit in a lesson: no line goes on in the other."""
_OWN_MACHINE = re.compile(
    r"(?:-d|--data(?:-binary|-raw)?) ?@\S{1,200} (?=https?://(?:localhost|127\.0\.0\.1|\[::1\])[:/])"
)
"""A file that is sent to a server of this very machine: it goes nowhere."""


@memoize_short(entries=1_024, chars=600)
def is_dangerous(text: str) -> bool:
    """Return true where a text has the wording of a dangerous sentence; look-alikes are read as what they imitate."""
    plain = _OWN_MACHINE.sub("", " ".join(skeleton(text).split())).replace(_CHANGED_TO, "\n")
    return addresses_reader(plain) or bool(runs_from_network(plain)) or bool(_DANGEROUS.search(plain))
