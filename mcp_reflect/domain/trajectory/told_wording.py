"""Wording of acts that are told: commands that were run, their outcomes, and changes of files (`told_acts.py`)."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_PROGRAM = r"""
    (?>(?:\w+=\S+\s+)*) (?:sudo\s+)?
    (?: \./[\w./-]+ | python[\d.]* | pytest | pip[\d.]* | pipx | uvx? | poetry | tox | nox | ruff | mypy
      | alembic | node | np[mx] | pnpm | yarn | bun | deno | tsc | jest | vitest | eslint | cargo | rustc
      | go | make | cmake | ctest | ninja | gcc | g\+\+ | clang | git | gh | docker | podman | kubectl
      | helm | terraform | ansible[\w-]* | mvnw? | gradle | javac? | dotnet | ruby | bundle | rake | rails
      | php | composer | perl | prove | bash | sh | sed | awk | jq | curl | wget | openssl | ssh[\w-]*
      | psql | mysql | sqlite3 | redis-cli | aws | gcloud | az | systemctl | apt(?:-get)? | brew | chmod
      | chown | tar | rsync
      | [\w.-]+(?=\s+--?[a-z])
    )(?=\s|$)
"""
"""The beginning of a command line: a known program, a path, or any word with an option behind it."""
_RAN = (
    r"(?:re-?)?(?:ran|executed|tried|retried|running|executing|invoked|issued)(?:\s+again)?:?"
    r"\s+(?:it\s+)?(?:with\s+|via\s+)?"
)
_ARROW = r"(?:->|=>|→)"
_CAME_OUT = (
    rf"(?:{_ARROW}|:|\(|[✓✔✅✗✘❌]|fail\w*|pass\w*|succeed\w*|work\w*|gave|gives|returned|printed|now\b|still\b|then\b)"
)

TOLD_RUN = re.compile(
    rf"""
      \b{_RAN} (?: `(?P<quoted>[^`\n]+)`
        | (?P<plain>{_PROGRAM}[^\n]*?)
          (?= \s*(?:{_ARROW}|:\s|[,;()]|\.\s|\.?$
              | \s(?:and|but|which|then|again|because|since|after|before|to|it|here|there|fail\w*|pass\w*|work\w*
                |succe\w*|gave|returned|printed|show\w*)\b)))
    | (?:^|(?<=[.;:]\s)) \s*(?:Run(?:ning)?\s+)? `(?P<first>[^`\n]+)` (?=\s*(?:{_CAME_OUT}|$))
    | (?:^|(?<=[.;]\s)) \s*Run:\s* (?P<named>\S[^\n]*?) (?=\s*(?:{_ARROW}|$))
    | \b(?:with|via|by|using|through)\s+(?:running\s+)? `(?P<means>[^`\n]+)`
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A command told as run, in one of four groups. Orders ("run `make`") and rules ("always run `make`") are none."""
BEGINS_WITH_PROGRAM = re.compile(_PROGRAM, re.VERBOSE)
"""What a command line of a program begins with that many have."""
IS_COMMAND_LINE = re.compile(rf"{_PROGRAM} | [a-z][\w.-]*\s+[\w./-]+(?:\s|$)", re.VERBOSE)
"""What a quotation begins with that is a command and no code."""

_CODE_WORD = r"[^\s`]*[=\"'()\[\]{}:_<>][^\s`,;]*"
FILE_NAME = re.compile(
    r"""
    (?<![\w./@-]) (?P<path> (?>(?:[\w.@-]++/)*)
        (?:[\w@-]+\.[A-Za-z]\w{0,9} | \.[a-z][\w.-]+ | Makefile | Dockerfile | Gemfile | Rakefile | Procfile)
    )(?![\w/(])
    """,
    re.VERBOSE,
)
"""The name of a file."""
TELLS_CHANGE = re.compile(
    rf"""
    \b(?:replac|chang|renam|switch|updat|swapp|convert|correct|mov|bump|fix|set)\w*\s+(?:the\s+\w+\s+)?(?:from\s+)?
    (?:`(?P<old>[^`\n]+)`|(?P<old_plain>{_CODE_WORD}))
    \s*(?:with|to|by|for|into|{_ARROW})\s*
    (?:`(?P<new>[^`\n]+)`|(?P<new_plain>{_CODE_WORD}))
    | `(?P<before>[^`\n]+)`\s*{_ARROW}\s*`(?P<after>[^`\n]+)`
    """,
    re.IGNORECASE | re.VERBOSE,
)
TELLS_ADDITION = re.compile(r"\b(?:add|insert|append)\w*\s+(?:the\s+\w+\s+)?`(?P<code>[^`\n]+)`", re.IGNORECASE)
TELLS_REMOVAL = re.compile(r"\b(?:remov|delet|dropp)\w*\s+(?:the\s+\w+\s+)?`(?P<code>[^`\n]+)`", re.IGNORECASE)
_EDIT_VERB = r"""
    \b(?:edited|changed|updated|modified|patched|fixed|replaced|renamed|switched|bumped|adjusted|added|removed|deleted
    |dropped|created|wrote|moved|rewrote|extended|inserted|appended|set|corrected|pinned)\b
"""
TELLS_EDIT_OF = re.compile(_EDIT_VERB, re.IGNORECASE | re.VERBOSE)

TELLS_NO_TROUBLE = re.compile(
    r"\b(?:0|no|zero|without(?:\s+any)?)\s+(?:tests?\s+)?(?:errors?|failures?|failed|issues?|problems?|warnings?)\b",
    re.IGNORECASE,
)
"""What sounds like trouble and is none."""
TELLS_FAILURE = re.compile(
    r"""
      \b(?:fail\w*|errors?|errored|traceback|crash\w*|broke\w*|denied|refused|rejected|timed?[ -]?out|not\sfound
      |no\ssuch|missing|cannot|can't|couldn't|could\snot|(?:did|does)(?:n't|\snot)\s(?:work|help|start|exist)|unable|abort\w*
      |panick?\w*|undefined|unknown|invalid|unexpected|exit(?:ed)?(?:\swith)?(?:\scode|\sstatus)?\s[1-9]\d*)\b
    | [✗✘❌] | \b\w+(?:Error|Exception)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
TELLS_SUCCESS = re.compile(
    r"""
      \b(?:pass\w*|ok|okay|succe\w*|works?|worked|green|clean|built|done|fine|fixed|resolved|complet\w*|finished|published
      |deployed|up\sto\sdate|exit(?:ed)?(?:\swith)?(?:\scode|\sstatus)?\s0)\b
    | [✓✔✅]
    """,
    re.IGNORECASE | re.VERBOSE,
)
ERROR_LEAD = re.compile(
    r"""
    ^(?: [\s:;,.()→✗✘❌>=-]
       | \b(?:it|this|that|which|but|still|again|first|now|then|and|was|with|by|an?|the|same|error|message|because|as
         |fail(?:ed|s|ing|ure)?|errored|out|gave|gives|gets?|got|returned|raised|threw|reported|printed|show(?:ed|s)|said
         |says|exit(?:ed)?(?:\scode|\sstatus)?(?:\s\d+)?)\b(?!\.) )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What stands before an error in words: "it failed with"."""
TOLD_ASIDE = re.compile(r"\s*\([^()\n]*\)")
NEXT_ACT = re.compile(
    rf"(?<=[\w`'\")\]])[.;]\s+(?=\S) | ,?\s+(?:and\s+)?(?:then\s+)?(?:i\s+)?(?={_EDIT_VERB})",
    re.IGNORECASE | re.VERBOSE,
)
"""Where the words on an outcome end: with their sentence, or before a change that is told next."""
TOLD_WORD = re.compile(r"[^\W\d_][\w'-]+")
SMALL_WORDS = frozenset(
    {
        *(
            "the",
            "and",
            "then",
            "again",
            "also",
            "now",
            "with",
            "from",
            "into",
            "this",
            "that",
            "was",
            "were",
            "been",
            "for",
        ),
        *(
            "but",
            "not",
            "all",
            "are",
            "its",
            "our",
            "out",
            "got",
            "ran",
            "run",
            "after",
            "before",
            "which",
            "first",
            "next",
        ),
        *(
            "finally",
            "step",
            "still",
            "just",
            "tests",
            "test",
            "command",
            "result",
            "output",
            "file",
            "set",
            "so",
            "it",
            "to",
        ),
        *("of", "in", "on", "as", "by", "his", "her"),
    }
)
