"""The channel by which a text came to a run: what people write to one another, what is published, or its own means.

Its own means are the project's files, its programs and their errors, and the records of its data. Mails, chats, tickets
and comments may be by anybody, and so may pages and what a search finds: what they state as a fact holds as far as
something else bears it out (`hearsay.py`).
"""

from __future__ import annotations

from typing import Literal

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin

Channel = Literal["correspondence", "publication", "own"]

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z]+")
_CORRESPONDENCE = re.compile(
    r"(?:e?mails?|inbox|gmail|outlook|imap|messages?|sms|chats?|channels?|slack|teams|discord|telegram|threads?|conversation"
    r"|comments?|tickets?|issues?|jira|zendesk|forums?|posts?|reviews|ask|correos?|courriels?|nachricht(?:en)?|postfach"
    r"|mensajes?|mensage(?:m|ns)|messaggi[oi]?|bericht(?:en)?)"
)
_PUBLICATION = re.compile(
    r"(?:web|browser?|pages?|search|wiki|confluence|notion|kb|knowledge|faq|docs|help(?:center)?|intranet|articles?"
    r"|buscar?|recherche|suche|zoek|cerca)"
)
_OWN = re.compile(
    r"(?:code|repo(?:sitory)?|files?|symbols|logs?|tables?|db|sql|eval(?:uate)?|snapshot|dom|console|network)"
)
"""Words of tools that search what the project itself holds, or look into a program that runs in a browser."""
_CORRESPONDENCE_COMMAND = re.compile(
    r"\b(?:gh|glab) (?:issue|pr|mr|discussion) (?:view|list|status)|(?<=\s)--comments\b"
    r"|(?:^|[;&|])\s*(?:jira|mutt|mailx?|notmuch)\b"
)
_PUBLICATION_COMMAND = re.compile(r"(?:^|[;&|])\s*(?:wiki|kb|confluence|tldr|cheat)\b")
_SIGNED = re.compile(
    r"\b(?:anonymous|guest|gast|external|extern[eoa]?|unverified|community)\b.{0,24}"
    r"\b(?:edit(?:ed|or)?|user|comment\w*|account|note|answer|poste?d?|beitrag|kommentar)\b"
    r"|\((?:last )?edit(?:ed)?\b[^)\n]{0,60}\)|\bedited (?:just now|today|yesterday|\d+ \w+ ago) by\b"
    r"|\b(?:comment|kommentar|comentario|commentaire|commento|forum answer|forum post|customer note|review)\b"
    r"(?: (?:by|from|von|de|di|par)\b|[^\n:]{0,40}:)|^\s*(?:from|von|de|da):\s\S+@"
    r"|\(external\)|\[(?:external|anonymous|guest)[^\]\n]{0,24}\]",
    re.IGNORECASE | re.MULTILINE,
)
"""Signs by which a text itself says that somebody from elsewhere wrote it."""


def channel_of(source: TextOrigin, tool: str, command: str) -> Channel:
    """Return the channel of what a call of a tool, or a command line, brought from a source."""
    if command:
        if source == "file":
            return "own"
        if _CORRESPONDENCE_COMMAND.search(command):
            return "correspondence"
        return "publication" if source == "web" or _PUBLICATION_COMMAND.search(command) else "own"
    words = [word.lower() for word in _WORDS.split(tool)]
    if any(map(_CORRESPONDENCE.fullmatch, words)):
        return "correspondence"
    if source == "file" or any(map(_OWN.fullmatch, words)):
        return "own"
    return "publication" if source in {"web", "memory"} or any(map(_PUBLICATION.fullmatch, words)) else "own"


def is_signed(text: str) -> bool:
    """Return true for a text that says that somebody wrote it who may be anybody: a comment, a guest, a sender."""
    return _SIGNED.search(text) is not None
