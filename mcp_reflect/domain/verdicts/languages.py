"""Words of praise, blame and thanks in languages other than English, for `verdicts`.

The patterns of a language are compiled where a prompt holds one of its cues, because every prompt waits for them.
"""

from __future__ import annotations

from functools import lru_cache

from mcp_reflect.domain import lazy_re as re

TYPE_CHECKING = False  # as typing's, whose import every prompt would wait for

if TYPE_CHECKING:
    from collections.abc import Iterator


class Wording:
    """The wordings of one language, as alternatives of a regular expression.

    Each `good`, `bad` and `thanks` holds one of the `cues`. `openers` may stand before them and mean nothing; `thanks`
    likewise, and behind praise. `good` says that the work does what it should, `bad` that it does not, and `doubt`
    takes praise back, or objects.
    """

    def __init__(self, cues: tuple[str, ...], openers: str, thanks: str, good: str, bad: str, doubt: str) -> None:
        self.cues = cues
        self.openers = openers
        self.thanks = thanks
        self.good = good
        self.bad = bad
        self.doubt = doubt


_WORDINGS = (
    Wording(  # German
        (
            "dank",
            "funktion",
            "geht",
            "klappt",
            "läuft",
            "passt",
            "perfekt",
            "sieht gut",
            "falsch",
            "immer noch",
            "fehler",
        ),
        r"ja|ok(?:ay)?|super|toll|prima|perfekt|klasse|gut|nein|nee|nö|hm+|leider|moment|doch|aber|jetzt",
        r"danke(?:\s+(?:dir|schön|sehr))?|vielen\s+dank|merci",
        r"(?:es|das|alles)?\s*(?:funktioniert|geht|klappt|läuft|passt)(?:\s+(?:jetzt|nun|wieder|alles|wunderbar|super))*"
        r"|(?:jetzt|nun)\s+(?:funktioniert|geht|klappt|läuft|passt)\s+(?:es|das|alles)"
        r"|(?:das\s+)?hat\s+(?:funktioniert|geklappt|geholfen)|perfekt|sieht\s+gut\s+aus",
        r"(?:es\s+|das\s+)?(?:funktioniert|geht|klappt|läuft|stimmt|hilft)\s+(?:leider\s+|immer\s+|noch\s+|so\s+|jetzt\s+)*"
        r"(?:nicht|nix)\b|(?:es\s+|das\s+)?(?:ist\s+)?immer\s+noch\s+(?:nicht|kaputt|falsch|der|derselbe|dasselbe|ein)\b"
        r"|das\s+(?:ist|war)\s+(?:falsch|nicht\s+(?:richtig|das))|(?:der\s?selbe|gleiche[rn]?)\s+fehler"
        r"|das\s+hat\s+(?:leider\s+)?nicht\s+(?:funktioniert|geklappt|geholfen)",
        r"aber|nur|nicht|immer\s+noch|jedoch|allerdings|falsch|fehler|fast|wenn",
    ),
    Wording(  # French
        ("merci", "marche", "fonctionn", "parfait", "nickel", "c'est", "c’est", "toujours", "même erreur"),
        r"oui|ok|super|parfait|génial|nickel|bien|non|désolé|hélas|bon|hm+|mais|maintenant|attends",
        r"merci(?:\s+(?:beaucoup|bien))?",
        r"(?:ça|cela|tout)\s+(?:marche|fonctionne)(?:\s+(?:maintenant|bien|parfaitement|enfin))*|parfait|nickel"
        r"|c['’]est\s+(?:bon|réglé|corrigé|parfait|exactement\s+ça)|ça\s+a\s+(?:marché|fonctionné)",
        r"(?:ça|cela)\s+ne\s+(?:marche|fonctionne)\s+(?:toujours\s+|plus\s+)?(?:pas|plus)\b|(?:ça|cela)\s+(?:marche|fonctionne)"
        r"\s+(?:toujours\s+)?pas\b|toujours\s+(?:pas|la\s+même|le\s+même|cassé)\b|c['’]est\s+(?:faux|incorrect|pas\s+"
        r"(?:bon|ça|correct|ce\s+que))|ce\s+n['’]est\s+pas\s+(?:bon|ça|correct|ce\s+que)|(?:la\s+)?même\s+erreur",
        r"mais|pas|sauf|presque|encore|toujours|erreur|quand|si",
    ),
    Wording(  # Spanish
        ("gracias", "funcion", "perfecto", "arreglado", "todavía", "aún no", "sigue", "mal", "mismo error"),
        r"sí|si|ok|vale|genial|perfecto|excelente|bien|bueno|no|lo\s+siento|hm+|pero|ahora|espera",
        r"(?:muchas\s+)?gracias",
        r"(?:ya|ahora|todo|esto|eso)\s+(?:sí\s+)?(?:funciona|va|anda)(?:\s+(?:bien|perfecto|ya|todo|perfectamente))*"
        r"|funciona(?:\s+(?:bien|perfecto|ya|perfectamente|ahora))*|perfecto|funcionó|(?:está|quedó)\s+(?:arreglado|perfecto)",
        r"(?:todavía|aún)\s+no\s+(?:funciona|va|anda)|(?:sigue|continúa)\s+(?:sin\s+(?:funcionar|ir)|fallando|igual|roto|dando)"
        r"|no\s+(?:funciona|funcionó|sirve|anda)\b|(?:eso|esto)\s+(?:está\s+mal|es\s+incorrecto|no\s+es\s+(?:correcto|lo\s+que))"
        r"|(?:el\s+)?mismo\s+error",
        r"pero|no|aunque|casi|todavía|sigue|error|falla|cuando|si",
    ),
    Wording(  # Portuguese
        ("obrigad", "valeu", "funcion", "perfeito", "certo", "ainda", "continua", "errado", "mesmo erro"),
        r"sim|ok|ótimo|perfeito|legal|beleza|bom|não|desculpe|hm+|mas|agora|espera",
        r"(?:muito\s+)?obrigad[oa]|valeu",
        r"(?:agora|já|tudo|isso|está|tá)\s+(?:está\s+|tá\s+)?(?:funciona(?:ndo)?|certo)(?:\s+(?:bem|agora|perfeitamente))*"
        r"|funcion(?:ou|a|ando)(?:\s+(?:bem|agora|perfeitamente))*|perfeito|(?:deu|ficou)\s+(?:certo|perfeito)",
        r"ainda\s+não\s+(?:funciona|funcionou|está|deu)|não\s+(?:funciona|funcionou|deu\s+certo)\b"
        r"|continua\s+(?:sem\s+funcionar|falhando|quebrado|igual|dando)|isso\s+está\s+errado|(?:o\s+)?mesmo\s+erro",
        r"mas|não|porém|quase|ainda|continua|erro|falha|quando|se",
    ),
    Wording(  # Italian
        ("grazie", "funziona", "perfetto", " va", "ancora", "continua", "sbagliato", "stesso errore"),
        r"sì|si|ok|ottimo|perfetto|grande|bene|no|purtroppo|hm+|ma|adesso|ora|aspetta",
        r"grazie(?:\s+mille)?",
        r"(?:ora|adesso|tutto)\s+(?:funziona|va)(?:\s+(?:bene|tutto|perfettamente))*"
        r"|funziona(?:\s+(?:bene|ora|adesso|perfettamente|tutto))*|perfetto|ha\s+funzionato",
        r"non\s+(?:funziona|va|ha\s+funzionato)\b|ancora\s+(?:non|rotto|lo\s+stesso)\b|continua\s+a\s+(?:non|fallire|dare)\b"
        r"|(?:è|questo\s+è)\s+sbagliato|(?:lo\s+)?stesso\s+errore",
        r"ma|non|però|quasi|ancora|errore|quando|se",
    ),
    Wording(  # Dutch
        ("bedankt", "dank", "werkt", "opgelost", "nog steeds", "nog altijd", "fout"),
        r"ja|ok(?:é)?|top|mooi|perfect|super|goed|nee|helaas|hm+|maar|nu|wacht",
        r"bedankt|dank\s?(?:je|u)(?:\s*wel)?",
        r"(?:het|dat|alles)\s+werkt(?:\s+(?:nu|goed|weer|perfect))*|werkt(?:\s+(?:nu|goed|weer|perfect))*|het\s+is\s+opgelost",
        r"(?:het|dat)?\s*werkt\s+(?:nog\s+(?:steeds\s+|altijd\s+)?)?niet\b|nog\s+(?:steeds|altijd)\s+(?:niet|kapot|dezelfde)\b"
        r"|dat\s+is\s+(?:fout|niet\s+(?:goed|wat))|dezelfde\s+fout",
        r"maar|niet|bijna|nog\s+steeds|fout|als",
    ),
    Wording(  # Russian
        (
            "спасибо",
            "благодарю",
            "работа",
            "получилось",
            "исправлено",
            "идеально",
            "помогло",
            "ошибка",
            "неправильно",
            "неверно",
            "не то",
            "еще",
            "ещё",
        ),
        r"да|ок(?:ей)?|супер|отлично|класс|здорово|хорошо|нет|увы|к\s+сожалению|хм+|но|теперь|подожди",
        r"спасибо(?:\s+(?:большое|огромное))?|благодарю",
        r"(?:теперь\s+|вс[её]\s+|уже\s+)*(?:работает|заработало|получилось|исправлено)(?:\s+(?:теперь|отлично|хорошо))*|идеально",
        r"(?:вс[её]\s+)?(?:ещ[её]|по-прежнему|опять|снова|так\s+и)\s+(?:не\s+\w+|та\s+же|ошибка|падает|сломано)"
        r"|(?:это\s+)?не\s+(?:работает|помогло|заработало|получилось)|(?:опять\s+)?та\s+же\s+(?:самая\s+)?ошибка"
        r"|это\s+(?:неправильно|неверно|не\s+то)",
        r"но|не|однако|почти|ошибка|если|когда|вс[её]\s+ещ[её]",
    ),
    Wording(  # Chinese
        ("谢", "謝", "了", "完美", "不", "没", "还", "還", "仍", "一样"),
        r"好的?|嗯|是的|太好了|很好|不|不是|现在|呃|等等|但是?",
        r"(?:多谢|谢谢|感谢|謝謝)(?:你|您)?(?:了|啦)?",
        r"(?:现在)?(?:可以|好|没问题|解决|修好|搞定|成功|正常)了|完美|(?:現在)?(?:可以|沒問題|解決|修好|搞定)了",
        r"(?:还|還)(?:是|在)?(?:不行|不对|不能|没|有(?:问题|错|bug)|报错|一样|坏|失败|不行|有問題|報錯)|仍然?(?:不|有|报错|没|是)"
        r"|不行|不对|不對|没用|没有用|没解决|(?:同样|一样)的(?:错误|问题|報錯)",
        r"但|可是|不过|还是|還是|不|没|错|如果|的话",
    ),
    Wording(  # Japanese
        (
            "ありがとう",
            "助かり",
            "ました",
            "います",
            "完璧",
            "まだ",
            "動",
            "直",
            "違",
            "ダメ",
            "だめ",
            "エラー",
            "間違",
        ),
        r"はい|うん|おお|いいえ|いや|うーん|すみません|でも|今は|ちょっと待って",
        r"ありがとう(?:ございます|ございました)?|助かりました",
        r"(?:今度は|ちゃんと|正しく|無事)?(?:動きました|動いています|直りました|できました|うまくいきました|解決しました)|完璧(?:です)?",
        r"まだ(?:動|直|エラー|でき|同じ|ダメ|だめ|壊れ|治)|(?:やっぱり)?(?:動きません|動かない|直っていません|直ってない)"
        r"|違います|(?:ダメ|だめ)です|同じエラー|間違って",
        r"でも|しかし|けど|ですが|ただ|まだ|ない|ません|エラー",
    ),
    Wording(  # Korean
        ("감사", "고마", "고맙", "돼요", "됩니다", "되네요", "작동", "됐", "완벽", "아직", "여전히", "틀렸", "같은"),
        r"네|예|응|좋아요|아니요?|음+|근데|이제|잠깐",
        r"감사합니다|고마워요?|고맙습니다",
        r"(?:이제\s*)?(?:잘\s*)?(?:돼요|됩니다|되네요|작동해요|작동합니다|됐어요|됐습니다|해결됐어요|해결됐습니다)|완벽(?:해요|합니다)",
        r"아직(?:도)?\s*(?:안|같은|에러|오류|못)|여전히\s*\S+|(?:작동이?\s*)?안\s*(?:돼요|됩니다|되네요)|틀렸어요|같은\s*(?:에러|오류)",
        r"하지만|근데|지만|안|아직|여전히|오류|에러",
    ),
)
_CONNECTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that put no space between words."""
_END = r"\s*(?:[.!,;:…、，。！；：～~)-]|\Z|\n)"


class Patterns:
    """The wording of a language compiled; all but `doubt` are for the beginning of a prompt.

    `aside` is thanks or praise with nothing else.
    """

    def __init__(
        self, good: re.Pattern[str], bad: re.Pattern[str], doubt: re.Pattern[str], aside: re.Pattern[str]
    ) -> None:
        self.good = good
        self.bad = bad
        self.doubt = doubt
        self.aside = aside


def patterns_for(text: str) -> Iterator[Patterns]:
    """Yield the patterns of each language of which a text holds a cue."""
    folded = text.lower()
    for words in _WORDINGS:
        if any(cue in folded for cue in words.cues):
            yield _compiled(words)


@lru_cache(maxsize=len(_WORDINGS))
def _compiled(words: Wording) -> Patterns:
    connected = _CONNECTED.search(words.thanks) is not None
    gap = r"[\s,.!;:…、，。！；：～~]*" if connected else r"[\s,.!;:…–—-]+"
    edge = "" if connected else r"\b"
    before = rf"(?:(?:{words.openers}|{words.thanks}){gap})*"
    after = rf"(?:{gap}(?:{words.openers}|{words.thanks}))*{_END}"

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    return Patterns(
        good=compiled(rf"{before}(?:{words.good}){after}"),
        bad=compiled(rf"{before}(?:{words.bad})"),
        doubt=compiled(rf"{edge}(?:{words.doubt}){edge}"),
        aside=compiled(rf"{before}(?:{words.good}|{words.thanks}){after}"),
    )
