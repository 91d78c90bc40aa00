"""Orders to a reader inside a text: what an injected instruction says, and a lesson never has to."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_ORDERS = re.compile(
    r"""
      \b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}
          \b(?:instructions?|rules|prompts?|guidelines|polic(?:y|ies)|(?:previous|prior|earlier|above)\b)
    | \b(?:new|updated|following|hidden|these)\s+instructions?\b[^.\n]{0,40}
          \b(?:for|to)\s+(?:you|the\s+(?:agent|assistant|model|ai))\b
    | \b(?:system|developer)\s*(?:prompt|message)\b
    | \byou\s+are\s+(?:now|no\s+longer)\b
    | \bfrom\s+now\s+on,?\s+you\b
    | \bas\s+an?\s+(?:ai|assistant|language\s+model)\b
    | \b(?:do\s+not|don't|never|without)\s+(?:tell|inform|telling|informing|mention\w*\s+(?:this|it)\s+to|alert\w*)\b
          [^.\n]{0,20}\b(?:user|human|owner|anyone)\b
    | \b(?:send|post|upload|forward|exfiltrate|e-?mail|leak|reveal|print|paste|share)\b[^.\n]{0,60}
          \b(?:passwords?|credentials?|api[\s_-]?keys?|secrets?|tokens?|(?:private|ssh)\s+keys?|\.env|id_rsa
              |environment\s+variables)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PIPED_TO_SHELL = re.compile(
    r"\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|;]{0,200}(?:\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\|\s*(?:python|iex)\b)"
    r"|\b(?:ba)?sh\s+<\(\s*curl\b|\beval\b[^\n]{0,20}\bcurl\b",
    re.IGNORECASE,
)


def addresses_reader(text: str) -> bool:
    """Return true where a text gives its reader orders about instructions, secrets or whom to keep in the dark.

    English wordings only, and no proof: other words pass, and a sentence about such an attack is caught as well.
    """
    return bool(_ORDERS.search(text))


def runs_from_network(text: str) -> str:
    """Return the command in a text that runs what it downloads, as in `curl … | sh`; empty where there is none."""
    found = _PIPED_TO_SHELL.search(text)
    return found[0] if found else ""
