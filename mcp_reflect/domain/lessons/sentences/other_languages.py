"""Wordings of rules in other languages than English.

These are German, French, Spanish, Portuguese, Italian, Polish, Russian, Chinese, Japanese and Korean.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.text.memoize import memoize_short

_WORDS = re.compile(
    r"\b(?:nie(?:mals)?|immer|nur|ausschlie(?:ß|ss)lich|darf|dürfen|muss|müssen|soll(?:en)? nicht|mindestens|höchstens"
    r"|spätestens|frühestens|maximal|statt(?:dessen)?|au(?:ß|ss)er|sondern|bevor|erst (?:wenn|nach|ab)|verboten|erlaubt"
    r"|zulässig|gilt|gelten|pflicht|grundsätzlich|bitte (?:nicht|kein\w*)"
    r"|jamais|toujours|uniquement|seulement|doi(?:t|vent)|faut|interdite?s?|obligatoires?|autorisée?s?"
    r"|au (?:plus|moins|maximum|minimum|lieu)|avant (?:de|d'|la|le|que)|sauf|plutôt que|ne [^.;]{1,40}(?:que|pas)"
    r"|nunca|jam[aá]s|siempre|sempre|s[oó]lo|somente|apenas|únicamente|debe[nr]?|devem?|hay que|tienen? que"
    r"|obrigat[oó]ri[oa]s?|obligatori[oa]s?|pro[hi]{1,2}bid[oa]s?|permitid[oa]s?|como (?:máximo|mínimo)|no máximo"
    r"|al menos|pelo menos|e[nm] (?:vez|lugar) de|salvo|except?o|antes de"
    r"|soltanto|devono|bisogna|vietat[oa]|obbligatori[oa]|invece di|tranne|almeno"
    r"|nigdy|zawsze|tylko|musi|wolno|нельзя|всегда|никогда|только|должн\w+|запрещ\w+)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:the|and|with|that|this|are|from|was|have)\b", re.IGNORECASE)
"""Words of nearly every English sentence, and of hardly any other."""
_SIGNS = re.compile(
    r"しないこと|しないで|必ず|禁止|のみ|だけ(?:で|は|に)|べき|てはいけ|てはなら|なければ|に限り|まで待|以内|以上|以下|場合は"
    r"|必须|必須|不得|不要|只能|应当|应该|仅限|不可|一律|之前|반드시|금지|하지 ?마|만 가능|해야"
)


@memoize_short(entries=64, chars=400)
def states_rule_elsewhere(sentence: str) -> bool:
    """Return true where a sentence in another language than English is worded as a rule."""
    if not sentence.isascii() and _SIGNS.search(sentence):
        return True
    return _ENGLISH.search(sentence) is None and _WORDS.search(sentence) is not None
