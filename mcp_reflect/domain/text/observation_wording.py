"""Wordings by which reports, errors and rows of values (`observation.py`) are told from wishes (`wishes.py`)."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

CLOSED = (
    r"the|a|an|this|that|these|those|its|it|they|he|she|there|we|i|our|their|his|her|both|all|some|many|most"
    r"|several|no|one"
    r"|two|three|four|five|in|on|at|by|of|from|with|without|within|for|to|into|under|over|after|since|during"
    r"|because|as|than"
    r"|and|but|or|while|which|who|whose|where|when|what|how|not|only|also|about|between|per|via|here|neither"
    r"|either|other"
)
FINITE = (
    r"is|are|was|were|isn't|aren't|wasn't|weren't|has|had|hasn't|does|did|doesn't|didn't|cannot|can't|couldn't"
    r"|fails|returns|raises"
    r"|expects|contains|exists|lacks|shows|took|takes|uses|supports|became|becomes|came|comes|made|makes|found"
    r"|left|ran|runs"
    r"|went|gave|gives|began|stands|lives|lies|means|holds|reads|writes|says|said|got|gets|kept|keeps|grew|lost"
    r"|won|wrote|born"
    r"|known|built|sent|sits|needs|belongs|begins|ends|occurs|appears|includes|consists|refers|describes|filters"
    r"|defaults|issues|differs?"
    r"|calls|starts|stops|loads|drops|sets|broke|breaks|threw|throws|prints|crashes|saw|led|stood|fell|held"
    r"|brought|rose"
    r"|\w{2,}ed"
)
TROUBLE = (
    r"error|exception|fail(?:ed|ure|s|ing)?|cannot|can't|could not|couldn't|unable|not found|no such|does not"
    r"|doesn't|did not"
    r"|is not|isn't|are not|was not|not (?:a|an|in|allowed|supported|permitted|set|defined|installed|available"
    r"|valid|enough)"
    r"|undefined|undeclared|unresolved|unexpected|unknown|unrecognized|unsupported|invalid|illegal|missing|denied"
    r"|refus(?:ed|es|ing)"
    r"|rejected|forbidden|timed? ?out|mismatch|expected|conflict\w*|already|out of|too (?:many|few|long|large"
    r"|short|old|big)"
    r"|has no|have no|no (?:module|attribute|rule|matching|space|route|upstream|default|tests?|command)|ambiguous"
    r"|duplicate"
    r"|fatal|abort\w*|panic\w*|traceback|errno|segmentation|violat\w+|require[ds]|incompatible|unhandled|uncaught"
    r"|corrupt\w*|differs?"
    r"|overwritten|diverge\w*|exceeded|overflow|moved value|borrow\w*|races?|unused|implicit|stale|connection (?:lost"
    r"|reset|closed)|killed"
)
VERBS = (
    r"accept|access|activate|add|adopt|agree|allow|alter|always|announce|answer|append|apply|approve|ask|assign"
    r"|assume|attach|avoid"
    r"|be|begin|bootstrap|bring|build|buy|bypass|call|change|check|choose|clean|clear|click|clone|close|come"
    r"|comment|commit|compile"
    r"|configure|confirm|connect|consider|consult|contact|continue|convert|copy|create|cut|decode|define|delete"
    r"|deliver|deploy"
    r"|deregister|destroy|disable|discard|do|don't|download|drop|edit|email|embed|empty|enable|encode|ensure"
    r"|enter|erase"
    r"|escalate|execute|exempt|expect|export|expose|extend|fall|fetch|fill|find|finish|fix|follow|force|forget"
    r"|forward|get|give"
    r"|go|grab|grant|hand|have|help|hide|hold|ignore|import|include|inform|insert|install|invoke|issue|join|keep|launch"
    r"|leave|let|link|list|load|log|look|mail|make|mark|mention|merge|mirror|modify|mount|move|name|never|note"
    r"|notify|obtain"
    r"|omit|open|order|override|overwrite|paste|patch|pay|pick|pin|pipe|place|please|point|post|prefer|prepend"
    r"|press|print|proceed"
    r"|promote|provide|publish|pull|purge|push|put|query|raise|read|rebuild|recommend|redirect|refer|refrain"
    r"|refund|register"
    r"|reinstall|release|rely|remember|remove|rename|repeat|replace|reply|report|request|require|reset|respond|restart"
    r"|restore|retry|return|reveal|revert|review|rotate|run|save|say|search|see|select|send|set|share|ship|show"
    r"|sign|skip|start"
    r"|stop|store|submit|suppress|swap|switch|sync|take|tell|test|transfer|treat|trigger|trust|try|turn|type|uninstall"
    r"|unlock|unpack|unset|update|upgrade|upload|use|verify|view|visit|wait|whitelist|wipe|wire|work|write|yield"
)
LET_OFF = "open|read|write|exec|connect|dial|mkdir|stat|lstat|link|rename|remove|unlink|accept|listen|send|load|import"
"""Operations that errors begin with, as in `open /a/b: no such file`."""

ASKS = re.compile(
    r"""
      \b(?:should|shall|must|ought|always|never|please|kindly|let's|lets|whoever)\b
    | \b(?:needs?|have|has|had|got|is|are|was|were|be)\s+(?:now\s+|only\s+|best\s+)?to\s+(?!blame\b)\w+
    | \b(?:required|advised|recommended|supposed|encouraged|expected|invited|mandatory|obligatory|best|better)\b
        (?=\s+(?:to|that|for|practice|if|when)\b)
    | \b(?:asked|told|instructed|ordered|requested|urged|advises?|recommends?|suggests?|wants?|wishe[sd]?|hopes?)\b
    | \b(?:if|unless|whenever|in\s+case|henceforth|next\s+time|so\s+as\s+to|prior\s+to)\b
    | \bbefore\s+(?:each|every|any|all|the\s+(?:next|build|tests?|release|run)\w*|\w+ing|you|commits?)\b
    | \b(?:in|for|on|at|after|with)\s+(?:all|each|every|any)
        \s+(?:future|later|subsequent|new|tasks?|runs?|builds?|sessions?|commits?)\b
    | \bfrom\s+(?:now|then|here)\s+on\b | \b(?:urgent|attention|reminder|notice|warning|hint|tip|note)\b
    | \b(?:todo|fixme)\b | \b(?:agents?|assistants?|language\s+models?)\b | \bwhat\s+gets\b
    | \b(?:as|by|of|with|be|being|become|made|hold\w*|gets?|any|no|into)\s+(?:the\s+|an?\s+)?
        (?:root|sudo\w*|admin\w*|owner\w*)\b
    | \b(?:privileg\w*|write\s+access|sudoers)\b
    """,
    re.VERBOSE,
)
HEDGES = re.compile(
    r"""
      \b(?:(?<!\d\s)may(?!\s\d)|might|will|would|can(?!'t|not)|once|until|permanently|forever|important|every(?:body|one)?)\b
    | \b(?:in|for|on|at|after|with)\s+(?:all|each|every|any|future|later|subsequent)\b | \b(?:readers?|developers?|ai)\b
    | \b(?:(?:per|by|our|company|security)\s+polic(?:y|ies)|approved|authori[sz]ed
        |official\w*|documented|mandated?|certified|trusted|priority|provided\s+that|permitted|consent\w*)\b
    | \b(?:root|sudo\w*|admin\w*|owners?|ownership)\b | \b(?:instead|rather\s+than|in\s+place)\s+of\b
    """,
    re.VERBOSE,
)
"""What an order may hide behind. A statement that one only repeats may have none of it."""
SYSTEM_CALL = re.compile(
    r"\b(?:open|openat|l?stat|read|write|mkdir|rmdir|chmod|chown|chdir|link|unlink|unlinkat|remove|rename|readlink|exec"
    r"|fork/exec|connect|listen|dial tcp) \S{1,200}"
    r"(?=: (?:no such file or directory|permission denied|file exists|is a directory|not a directory"
    r"|directory not empty|operation not permitted|read-only file system|no space left on device|connection refused"
    r"|exec format error|executable file not found|address already in use|i/o timeout)\b)",
    re.IGNORECASE,
)
"""What a program asked of the system, in front of the system's own words for why it failed: no order to a reader."""

TYPED = re.compile(
    r"\bmust (?:be|have|contain|match|return|implement|start|end) (?:a|an|of|one|either|str\w*|int\w*|in|between"
    r"|at|exactly|the same"
    r"|positive|non\w*|greater|less|unique|equal|valid|defined|set|specified|callable|hashable|real|numeric|bytes"
    r"|not)\b"
    r"|\bmust not be\b|\b(?:warning|note|hint)(?=[:\[])|\bmay (?:not|have been) \w+|\bwould be overwritten\b"
    r"|\bwill be removed\b"
    r"|\b(?:root|admin\w*|owner)(?=\W)|\bif\b(?=[^a-z]*$)|\bexpected to\b|\bwas expected\b|\ballowed\b|\byour\b"
    r"|\bcan only\b|\bmust be (?:caught|declared)\b|\bshould be (?:declared|a|an|in|of)\b"
)
"""Wishes of a type checker or a program, which say of a value how it was wrong."""
YOU = re.compile(r"\b(?:you|your|yourself|u)\b")
CREDENTIALS = re.compile(
    r"\b(?:pass(?:words?|wd|phrases?)|credentials?|api.?keys?|secrets?|tokens?|(?:deploy|ssh|signing"
    r"|private) keys?|cookies?)\b|\.env\b"
)
ADDRESS = re.compile(r"\w://|\bwww\.|\w@\w|\b\d{1,3}(?:\.\d{1,3}){3}\b")
COMMAND = re.compile(
    r"(?:^|[`$(;|&]|\b(?:by|is|via|with|through|run|call)\s)\s*(?:pip3?|pipx|uv|npm|npx|pnpm|yarn|curl|wget|sudo"
    r"|git|gh|docker|make|cargo"
    r"|python3?|node|bash|sh|apt|apt-get|brew|chmod|chown|cp|mv|rm|tee|echo|export|go|gem|kubectl|ssh|scp"
    r"|systemctl)\s+[\w./-]"
    r"|`[^`\s]+\s[^`]*`|\s--[a-z]|\$\(|\|\s*\w*sh\b|&&|<\("
)
ERROR_PREFIX = re.compile(r"^(?:\w+ )?(?:error|err!|fatal|warning|failed)(?: \d+)?[:!]\s*")
INSTALLS = re.compile(
    r"\b(?:pip3?|pipx|uv|npm|pnpm|yarn|cargo|apt|apt-get|brew|gem|go)\s+(?:install|add|i|get)\b|\b(?:curl|wget"
    r"|sudo|ssh|scp)\s+[\w/~-]"
    r"|\bgit\s+(?:push|config|remote)\b|\|\s*\w*sh\b|\$\("
)
USE = re.compile(
    r"\b(?:by|with|call|called|via|through|command|documented\b.{0,20})\s+(?:is\s+|are\s+)?`[^`\s]+\s[^`]*`"
)
ASIDE = re.compile(r"\s*\([^()]*\)")
OPAQUE = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
MARKS = re.compile(r"^[\s>#*|/<!\-–—\d.)\]\[(]+|[\s*|>\-]+$")
CLAUSE = re.compile(r"[.!?;:]+(?:\s+|$)|\s+[-–—]+\s+|\s+-+>\s+|\n|[()\[\]{}|]")
SETTING = re.compile(
    r"([\w.-]{2,})(?:\s*[:=]\s*(?:'[^'\s]+'|\"[^\"\s]+\"|-?\d+),?|(?:=|:\s+)[a-z\d][\w@.+-]*)", re.ASCII
)
AGAIN = re.compile(r",?\s*\b(?:please )?(?:re-?)?try again(?: later)?\b")
"""A courtesy at the end of errors that tells nothing."""
LISTED = re.compile(r",\s+|\s+then\s+")
PART = re.compile(r",\s+|\s+(?:and|or|then|so)\s+")
FUNCTION_WORD = re.compile(rf"\b(?:{CLOSED}|is|was|are|were|has|had|does|did)\b")
FOREIGN_WORD = re.compile(
    r"\b(?:der|die|das|den|dem|und|nicht|mit|vor|von|für|ist|ein|eine|einen|jede[mnrs]?|alle|bisherigen|auf|zu|le"
    r"|la|les|des|une?|et"
    r"|avant|chaque|pour|avec|dans|que|qui|en|el|los|las|para|con|antes|cada|por|una|il|lo|di|che|prima|ogni|per"
    r"|non|i|e|o|os|as|do|da"
    r"|não|com|sem|het|een|niet|voor|elke|met|och|att|inte|före|varje|się|nie|przed|jest|na|w|ve|bir|bu|her)\b"
)
SUBJECT = re.compile(
    r"^(?:(?:import|build|test|merge|type|lock|index|release|request|return|view|name|list|commit|check) [a-z]+"
    r"|\w+ (?:(['\"`])[^'\"`]{1,80}\1|index|indices|access|permission|object|attribute|argument|value)) "
    r"(?:is|was|are|were|has|have|had|does|did|do|cannot|could|out of|denied|refused)\b"
)
"""A noun that is a verb too, as the subject of a finite one: "name 'c' is not defined", "list index out of range"."""
FIRST = re.compile(
    r"(?:(?:and|or|then|so|but|also|just|simply|now|first|next|please|kindly|to|do not"
    r"|don't)\s+)*([\w'-]+)(?:\s+(\S+))?"
)
DETERMINER = frozenset(
    "the a an it them this that these those all any each every your its his her their our me us him my".split()  # noqa: SIM905
)
IS_FINITE = re.compile(rf"(?:{FINITE})")
IS_CLOSED = re.compile(rf"(?:{CLOSED})")
IS_VERB = re.compile(rf"(?:{VERBS})")
IS_LET_OFF = re.compile(rf"(?:{LET_OFF})")
TROUBLED = re.compile(rf"(?<![a-z])(?:{TROUBLE})(?![a-z])|\w(?:error|exception)\b|\b(?:ts|e)\d{{3,5}}\b")
WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
NOUNS_BEFORE_TO = frozenset({"call", "access", "attempt", "request", "reference", "change", "connect", "write"})
MOST_BEFORE_VERB = 4
LIST = re.compile(r"\[['\"].*")
ITEM = re.compile(r"'((?:[^']|'(?=\w))*)'(?=[,\]]|$)|\"([^\"]*)\"(?=[,\]]|$)")
MOST_WORDS_OF_TITLE, MOST_AROUND_LIST = 12, 20
LEAST_FUNCTION_WORDS = 2
MOST_WORDS_OF_ROW = 8
FOREIGN_SHARE = 0.2
"""Share of letters beyond ASCII: names of people and places have some in English, too."""
PROPER = re.compile(r"\W*[A-ZÀ-Þ][\w'’.-]*\s+(?:\(?[A-ZÀ-Þ\d]|of\b|de\b|van\b|von\b|&)")
CODE = re.compile(
    r"[;{}]\s*$|[=!]=|=>|^\S*\w\(.*\)[;:{]?\s*$|^\s*[\w.\[\]]+\s*[:+-]?=\s*\S"
    r"|^\s*(?:import|from\s+\S+\s+import|def|class|return|const|let|var|function|#include|if\s*\()\b"
    r"|^\s*[a-z]+[A-Z_]\w*\s+[\w.]+[(\[].*[)\]]\s*$"  # a setting of Gradle: `storePassword System.getenv('PW')`
)
