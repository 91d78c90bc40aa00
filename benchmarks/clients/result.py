"""What was seen of one client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_reflect.server.refusals import CALL_AGAIN

TASK = "Mend the importer of invoices, whose tests fail"
AGAIN = "The importer of invoices fails its tests; mend it"
LESSON = "Read the invoices as latin-1 before parsing them."
SUBMIT: Mapping[str, Any] = {"task": TASK, "review_result": "pass", "guidance": LESSON}
MISSPELT: Mapping[str, Any] = {"task": AGAIN, "limitt": 5}
REFUSAL = CALL_AGAIN
"""How our answer to a misspelt argument ends."""


class ClientResult(NamedTuple):
    """Each in words for people; "yes" where all is well."""

    client: str
    version: str
    cold: str
    loop: str
    hooks: str
    errors: str

    @property
    def is_well(self) -> bool:
        """Return whether all that was tried went well."""
        return all(each.startswith(("yes", "–")) for each in self[2:])
