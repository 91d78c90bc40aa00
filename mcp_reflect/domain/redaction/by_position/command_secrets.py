"""Secrets in the arguments of commands, by the command and its option."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_name.named_values import is_variable
from mcp_reflect.domain.redaction.by_pattern.secret_pattern import SecretPattern, random_value
from mcp_reflect.domain.redaction.values.secret_values import is_harmless

_ARGUMENTS = r"(?:[^\n;|&\\]{0,150}?)"
"""Arguments of one command, up to the relevant option."""
_ENDS_WORD = r"\s\"'`\\;|&<>\u3000-\u3002\u300c\u300d\uff08\uff09\uff0c\uff1a\uff1b"
"""What ends a word that stands in no quotes, among them the marks of Chinese and Japanese prose around a command."""
_VALUE = (
    r"(?:\\{0,8}[\"'])?(?!\[redacted:)(?![,)]{1,3}(?:\s|\Z))"
    r"((?<=\")(?!\$)[^\"\n\\]{1,300}(?=\\{0,8}\")|(?<=')(?!\$)[^'\n\\]{1,300}(?=\\{0,8}')"
    rf"|[^${_ENDS_WORD}][^{_ENDS_WORD}]{{0,300}})"
)

_ANY, _OF_COMMAND = r"\S", r"[^\s;|&]"
_OPTIONS: tuple[tuple[str, str, str], ...] = (
    # root is what the files of Compose in documents give to root.
    ("mysql", r"\w*", r"-p(?!\d+:\d|[\"']?root(?![\w!@#$%^&*.-]))(?=\S)"),
    ("mariadb", r"(?:-\w+)?", r"-p(?!\d+:\d|[\"']?root(?![\w!@#$%^&*.-]))(?=\S)"),
    ("redis-cli", "", r"(?:-a|--pass)[ =]"),
    ("mongo", r"(?:sh|dump|restore|export|import|stat|top)?", r"-p[ =](?!--)"),
    ("openssl", "", r"-k "),
    ("openssl", "", r"-(?:pass|passin|passout)[ =]pass:"),
    ("7z", r"\w?", r"-p(?=\S)"),
    ("zip", "", r"-P ?"),
    ("unzip", "", r"-P ?"),
    ("rar", "", r"-h?p(?=\S)"),
    ("unrar", "", r"-h?p(?=\S)"),
    ("ldap", r"\w{3,10}", r"-w ?"),
    ("smbclient", "", r"-U ?['\"]?[^\s%]{1,80}%"),
    # With -n there is no file before the user.
    ("htpasswd", "", r"-[a-zA-Z]{0,5}(?:(?:nb|bn)[a-zA-Z]{0,5} |b[a-zA-Z]{0,5} (?:-\S+ )?\S{1,200} )\S{1,100} "),
    ("snmp", r"\w{2,10}", r"-(?:[AX] ?|c ?(?!public\b|private\b|/))"),
    ("kadmin", "", r"-w ?"),
    ("ipmitool", "", r"-P ?"),
    ("mosquitto_", r"\w{3}", r"-P ?"),
    ("sqlcmd", "", r"-P ?"),
    ("bcp ", "", r"-P ?"),
    ("cqlsh", "", r"-p ?"),
    ("sshpass", "", r"-p ?"),
    ("login", "", r"-p[ =](?!\d+(?:\s|\Z))"),  # of docker, helm registry, az, cf, oras; not a port
    ("ngrok", "", r"(?:add-)?authtoken "),
    ("ejabberdctl", "", r"(?:register|change_password) \S{1,60} \S{1,60} "),
    ("-setcookie", "", r"(?=[A-Za-z])"),
    ("pkcs11-tool", "", r"--(?:so-)?pin[ =]"),
    ("twine upload", "", r"-p[ =]"),
    ("rabbitmqctl", "", r"(?:add_user|change_password) \S{1,60} "),
    ("mysqladmin", "", r"password "),
    ("nmcli", "", r"password "),
    ("net use", "", r"/user:\S{1,80} (?!/)"),
    ("lftp", "", r"-u ?[^\s,]{1,80},"),
    ("http ", "", r"-a [^\s:]{1,80}:"),
    ("xfreerdp", "", r"/p:"),
    ("wpa_passphrase", "", r"\S{1,60} "),
    ("connect-network", "", r"wpa\d "),
    ("net user", "", r"\S{1,60} (?=[^/\s])"),
    ("useradd", "", r"-p[ =]?"),
    ("sqlplus", "", r"(?:-\w+ ){0,3}[\w.]{1,60}/(?=[^/])"),
    *((tool, "", r"(?:-\w+ ){0,3}[\w.]{1,60}/(?=[^/])") for tool in ("expdp", "impdp", "sqlldr", "rman target")),
    ("curl", "", r"-[a-zA-Z]{1,8}u ?[\"']?[\w.@-]{1,80}:"),
    ("psexec", r"(?:64)?(?:\.exe)?", r"-p "),
    ("security unlock-keychain", "", r"-p ?"),
    ("signtool", "", r"/p "),
    ("gem push", "", r"-k "),
    ("codecov", "", r"-t "),
    ("mvn", "", r"-D[\w.-]{1,60}\.login="),
    ("sonar-scanner", "", r"-D[\w.-]{1,60}\.login="),
    ("put-parameter", "", r"--value[ =]"),
    ("mc alias set", r" \S{1,60} https?://\S{1,100} \S{1,100}", r"(?=\w)"),
    ("schtasks", "", r"/rp "),
    ("security add-", r"\w{3,10}-password", r"-w ?"),
    ("ssh-keygen", "", r"-[NP] ?"),
    ("http-basic", r"\.\S{1,80}", r"\S{1,60} "),
    ("bundle config", "", r"[\w.-]{3,80} [^\s:]{1,40}:"),
    ("aws configure", "", r"set aws_(?:secret_access_key|session_token) "),
    *((tool, "", r"-p ") for tool in ("hydra", "medusa", "ncrack")),
    ("ConvertTo-SecureString", "", r"(?:-String )?(?=[^-\s])"),
)
"""(command, rest of its name, option up to its value)."""

_PIPED = (
    r"(?:chpasswd|passwd[ ][^\n|]{0,40}--stdin|sudo[ ](?:-\w+[ ])*-\w*S"
    r"|[^\n|]{1,120}--(?:[\w-]{0,20}-)?pass[\w-]{0,12}-stdin"
    r"|[^\n|]{1,80}[ ](?:secrets?|login|auth|token)[ :][^\n|]{0,80}"
    r"|[^\n|]{1,120}--with-token|[^\n|]{1,120}--passphrase-fd|cryptsetup|smbpasswd|kinit|openssl[ ]pkcs)"
)
"""Commands that read a secret from their input."""

_IN_QUOTES = r"\\{0,8}[\"']((?:[^\"'\n\\]|\\(?![\"'])){1,500})(?=\\{0,8}[\"'])"
_STATEMENTS: tuple[tuple[str, str], ...] = (
    *(
        (word, r"[ \t]{1,5}\S{1,80}[ \t]{0,5}(?:=|TO|to)(?:[ \t]{0,5}(?i:password)\()?")
        for word in ("PASSWORD FOR", "password for")
    ),
    *(
        (word, rf"(?<=(?i:with) {word})|(?<=(?i:login) {word})|(?<=(?i:encrypted) {word})")
        for word in ("PASSWORD", "password")
    ),
    ("IDENTIFIED", r"(?i:[ \t]{1,5}with[ \t]{1,5}\S{1,60})?(?i:[ \t]{1,5}by(?:[ \t]{1,5}password)?)"),
    # In small letters, "identified by" is prose but for the statement that it ends.
    ("user ", r"\S{1,100}[ \t]{1,5}identified(?:[ \t]{1,5}with[ \t]{1,5}\S{1,60})?[ \t]{1,5}by(?:[ \t]{1,5}password)?"),
)
"""(word, what belongs to it) before the password in statements of SQL."""

_BETWEEN_CODES = r"(?:\s|\\+[rn]|[\[\"',;*|]|\d{1,2}[.)][ \t]|\d{1,6}→|[>#-][ \t]|(?:and|und)[ ])"
_CODE = (
    r"(?:[A-Za-z0-9]{4,6}(?:-[A-Za-z0-9]{4,6}){1,3}|\d{3,5} \d{3,5}|\d{6,10}"
    r"|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{8,12})"
)
"""One code of a list of recovery codes."""


COMMAND_PATTERNS: tuple[SecretPattern, ...] = (
    *(
        # A pattern that begins with literal characters is found fast.
        SecretPattern(
            "password",
            (command,),
            re.compile(
                rf"{command}(?<![\w-]{command}){rest}(?=[ ]|(?<=[ ])){_ARGUMENTS}(?<![^ ])"
                # An argument ends where the command does.
                rf"{option.replace(_ANY, _OF_COMMAND)}{_VALUE}"
            ),
        )
        for command, rest, option in _OPTIONS
    ),
    SecretPattern(
        "password",
        ("echo ", "printf "),
        re.compile(
            r"\b(?:echo|printf)[ ](?:-\w+[ ])?(?:[\"']?%s(?:\\+n)?[\"']?[ ])?(?:\\{0,8}[\"'])?(?:[\w.-]{1,60}:)?"
            r"([^\s\"'|:$\\][^\s\"'|\\]{3,200})"
            rf"(?:\\{{0,8}}[\"'])?[ ]?\|[ ]?(?:sudo[ ])?{_PIPED}"
        ),
    ),
    SecretPattern(
        "secret",
        ("echo ", "printf "),
        # Written into a file that is named for a secret
        re.compile(
            r"\b(?:echo|printf)[ ](?:-\w+[ ])?(?:\\{0,8}[\"'])?([^\s\"'|:$\\<>][^\s\"'|\\<>]{3,200})(?:\\{0,8}[\"'])?"
            r"[ ]?>{1,2}[ ]?[^\s|;&<>\"'\\]{0,100}?(?i:pass|secret|token|cred|\.pw|api_?key)"
        ),
        judge=lambda value: not is_harmless(value, "password") and not is_variable(value),
    ),
    SecretPattern(
        "secret",
        ("<<<",),
        re.compile(rf"(?:secret|token|password|passwd|login|auth)[^\n]{{0,150}}?<<<[ ]?{_VALUE}"),
        judge=lambda value: not value.rstrip("!").isalpha(),  # not the verdicts of tests
    ),
    SecretPattern(
        "password",
        ("net use",),
        re.compile(r"\bnet use (?:\w:|\*)? ?\S{3,100} ([^\s/\"'][^\s\"']{3,100}) /user"),
    ),
    SecretPattern(
        "password",
        ("pass", "PASS"),
        re.compile(rf"(?<=\s)-(?:(?:src|dest)?(?:store|key)|new)pass(?:word)?[ =]{_VALUE}"),
    ),
    SecretPattern(
        "token",
        ("_auth", "_password"),
        re.compile(
            r"_(?:authToken|auth|password)(?:[ \t]{0,3}=[ \t]{0,3}|[ \t]{1,3})[\"']?([A-Za-z0-9+/=_.-]{12,500})"
        ),
        judge=random_value(12),
    ),
    SecretPattern(
        "basic-auth",
        (" -u", " --user", " -U", " --proxy-user"),
        # Options of curl; the same name twice is user and group in a docker command.
        re.compile(
            r" (?:-[uU] ?|--(?:proxy-)?user[ =])(?:\\{0,8}[\"'])?(?=[^\s:]*[A-Za-z])(?!\[redacted:)"
            r"([^\s:\"'/\\<>]{1,100})"
            r":(?!\1(?:\s|$))([^\s\"'\\:/<>]{4,200}+)(?!:)"
        ),
        unless=re.compile(
            r"\b(?:docker(?:-compose)?|podman|nerdctl|chown|chroot|setpriv|rsync)\b"
            r"(?:(?!curl|wget)[^\n;|&])*\Z"
        ),
    ),
    SecretPattern(
        "password",
        ("assword:",),
        # A script for expect or pexpect
        re.compile(
            r"assword:[^\n]{0,40}?(?:[\s;]|\\{1,8}[rn]|\d{1,6}→|>){1,30}(?:\w{1,20}\.)?"
            r"send\w{0,10}[ (](?:--[ ])?\\{0,8}[\"']"
            r"([^\"'\\\n]{4,200})"
        ),
    ),
    # The user of a domain stands behind a backslash.
    SecretPattern("password", ("cmdkey ",), re.compile(rf"cmdkey[ ][^\n;|&]{{0,150}}?/pass:{_VALUE}")),
    SecretPattern(
        "password",
        ("requirepass ", "masterauth "),
        re.compile(rf"(?:requirepass|masterauth)[ ](?!is |was |has ){_VALUE}"),
    ),
    SecretPattern(
        "recovery-codes",
        (" codes", "_codes", "Codes", "-codes", "scodes"),
        # A list of codes, each in groups or of digits
        re.compile(
            r"(?:ecovery|ackup|cratch|mergency|escue|2FA|MFA|TOTP|ne-time|ingle-use|iederherstellung)"
            r"[ _-]?s?(?:[ _-](?:pass|login|2FA|MFA))?[ _-]?[cC]odes"
            rf"[^\n\\:\[.]{{0,40}}?(?:[:=(\[]|\s*\n|\\+n| are| is){_BETWEEN_CODES}{{0,20}}"
            rf"({_CODE}(?!\w)(?:{_BETWEEN_CODES}{{1,20}}{_CODE}(?!\w)){{0,20}})"
        ),
    ),
    *(
        SecretPattern("password", (word,), re.compile(rf"{word}(?:{before})[ \t]{{0,5}}{_IN_QUOTES}"))
        for word, before in _STATEMENTS
    ),
)
