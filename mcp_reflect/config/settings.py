"""All settings, by section. Read by `load.py`."""

from __future__ import annotations

from typing import Annotated

from mcp_reflect.config.project import DEFAULT_PROJECT, PROJECT_ID_RULE, check_project_id
from mcp_reflect.config.sections import (
    DEFAULT_OPENAI_URL,
    EmbeddingSettings,
    ErrorSettings,
    HookSettings,
    HubSettings,
    IndexSettings,
    InsightSettings,
    LedgerSettings,
    MemorySettings,
    QLearningSettings,
    ReflectionSettings,
)
from mcp_reflect.config.setting_types import Folder, SecretText, Section, Text, setting


class Settings(Section):
    """Everything that can be set. `home` is absolute; it need not exist yet."""

    home: Folder = setting(..., "folder where everything is kept", "the path of a folder", shown="platform data dir")
    project: Annotated[str, check_project_id] = setting(
        DEFAULT_PROJECT,
        "the project whose memories are used",
        PROJECT_ID_RULE,
        shown="the git repository, else the client's folder",
    )
    user: Text = setting(
        "user", "whose run it was", "1 to 200 characters", shown="login name", min_length=1, max_length=200
    )
    memory: MemorySettings = MemorySettings()
    q_learning: QLearningSettings = QLearningSettings()
    reflection: ReflectionSettings = ReflectionSettings()
    insights: InsightSettings = InsightSettings()
    errors: ErrorSettings = ErrorSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    index: IndexSettings = IndexSettings()
    ledger: LedgerSettings = LedgerSettings()
    hub: HubSettings = HubSettings()
    hooks: HookSettings = HookSettings()
    _project_origin = ""
    _project_settled = True

    @property
    def project_origin(self) -> str:
        """Return what the project was taken from, as words; empty where nobody noted it."""
        return self._project_origin

    @property
    def project_settled(self) -> bool:
        """Return false where the project is the working folder's for want of anything better."""
        return self._project_settled

    def note_project_origin(self, origin: str, *, is_settled: bool) -> None:
        """Note what the project was taken from, and whether a client's roots could still say better."""
        vars(self).update(_project_origin=origin, _project_settled=is_settled)

    openai_api_key: SecretText | None = setting(
        None, "key for the LLM and for openai: embeddings; alone it causes no call", "a key", shown="none"
    )

    @property
    def llm_configured(self) -> bool:
        """Return whether an LLM may be called. A key alone does not: it may be there for another program."""
        return bool(self.reflection.model)

    @property
    def openai_base_url(self) -> str:
        """The URL of the server for the LLM and for `openai:` embeddings."""
        return self.reflection.base_url or DEFAULT_OPENAI_URL
