"""An edit that repaired an error, in a form in which a file tells whether it still needs it."""

from __future__ import annotations

from typing import NamedTuple


class RepairingEdit(NamedTuple):
    """The file of an edit as the run named it, the text that was replaced (empty for a new file), and the new one."""

    path: str
    replaced: str
    written: str

    def is_needed_by(self, text: str | None) -> bool:
        """Return true where a file is as it was before the edit; `text` is its content, None for no file."""
        if text is None or not self.replaced:
            return text is None and not self.replaced
        # What was written may be a part of what it replaced, as where a letter too many was taken out.
        elsewhere = text.replace(self.replaced, "\0") if self.written in self.replaced else text
        return self.replaced in text and not (self.written.strip() and self.written in elsewhere)
