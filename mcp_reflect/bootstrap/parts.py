"""Builds the adapter behind each port, as the settings say. Each is imported only where it is wanted."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.application.ports import Clock, Embedder, Ledger, LedgerFile, ReadableLedger, Usage, VectorIndex
from mcp_reflect.application.profile import InsightRules, Profile
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.domain.insights.merging import merge_threshold
from mcp_reflect.domain.ranking.thresholds import hybrid_threshold
from mcp_reflect.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp_reflect.adapters.openai_reflector import OpenAIReflector
    from mcp_reflect.adapters.prompts import Prompts
    from mcp_reflect.application.known_errors.mirror import Mirror


def build_profile(settings: Settings, embedder: Embedder, connection: str) -> Profile:
    """Return the profile of a connection, with thresholds by the embedder where the settings name none."""
    threshold = settings.memory.similarity_threshold
    own = embedder.default_threshold
    return Profile(
        project=settings.project,
        project_origin=settings.project_origin,
        user=settings.user,
        scope=settings.memory.scope,
        similarity_threshold=own if threshold is None else threshold,
        relevance_threshold=hybrid_threshold(own) if threshold is None else threshold,
        judges_by_lead=threshold is None,
        retrieval=settings.memory.retrieval,
        limit=settings.memory.limit,
        lambda_=settings.memory.lambda_,
        mmr_lambda=settings.memory.mmr_lambda,
        initial_q=settings.memory.initial_q,
        alpha=settings.q_learning.alpha,
        credit=settings.q_learning.credit,
        optimism=settings.q_learning.optimism,
        author=settings.reflection.author,
        uses_model=settings.llm_configured and settings.reflection.author in {"auto", "llm"},
        recency_weight=settings.memory.recency_weight,
        insights=InsightRules(**settings.insights.model_dump(), merge_threshold=merge_threshold(own)),
        connection=connection,
    )


def build_mirror(settings: Settings, ledger: Ledger, embedder: Embedder, profile: Profile, clock: Clock) -> Mirror:
    """Return the mirror of the errors; it writes no file where the settings name none."""
    from mcp_reflect.application.known_errors.mirror import Mirror  # noqa: PLC0415 - 400 patterns of errors

    return Mirror(Path(settings.errors.mirror) if settings.errors.mirror else None, ledger, embedder, profile, clock)


def build_ledger(settings: Settings, home: Home) -> Ledger:
    """Open the ledger of the settings, by default the one in the home."""
    from mcp_reflect.adapters.sql_ledger import SqlLedger  # noqa: PLC0415 - heavy

    return SqlLedger(settings.ledger.url or home.ledger_url)


def open_ledger_beside_owner(settings: Settings, home: Home) -> Ledger:
    """Open the ledger of the settings for a command; unlike the owner's, it does not take the place of a missing one.

    Raises LedgerError where it was deleted or moved away.
    """
    from mcp_reflect.adapters.sql_ledger.read_only import refuse_missing  # noqa: PLC0415 - heavy

    if not settings.ledger.url:
        refuse_missing(home.ledger_path)
    return build_ledger(settings, home)


def open_ledger_for_reading(settings: Settings, home: Home) -> ReadableLedger:
    """Open the ledger of the settings for a process that writes nothing to it."""
    from mcp_reflect.adapters.sql_ledger.read_only import open_for_reading  # noqa: PLC0415 - heavy

    return open_for_reading(settings.ledger.url or home.ledger_url)


def home_ledger_file(settings: Settings) -> LedgerFile:
    """Return the ledger as a file. Raises ConfigurationError where it is none of the home's own."""
    if settings.ledger.url:
        raise ConfigurationError(
            f"ledger.url = {mask_secrets(settings.ledger.url)}: only the SQLite ledger in the home is backed up and "
            "restored here; use the database's own tools, or `mcp-reflect export`"
        )
    from mcp_reflect.adapters.sql_ledger.file import SqliteFile  # noqa: PLC0415 - beside its siblings

    return SqliteFile(Home(settings.home).ledger_path)


def build_index(settings: Settings, home: Home) -> VectorIndex:
    """Open the vector index of the settings, by default the one in the home."""
    from mcp_reflect.adapters.chroma_index import ChromaIndex  # noqa: PLC0415 - beside its siblings

    of = settings.index
    token = "" if of.token is None else of.token.get_secret_value()
    return ChromaIndex(home.index_folder, of.url, token=token, tenant=of.tenant, database=of.database)


def build_embedder(settings: Settings, home: Home) -> Embedder:
    """Return the embedder of the settings; it loads its model when it is first used."""
    model = settings.embedding.model
    if model.startswith("openai:"):
        from mcp_reflect.adapters.openai_embedder import OpenAIEmbedder  # noqa: PLC0415 - only where asked for

        return OpenAIEmbedder(
            model.removeprefix("openai:"),
            base_url=settings.openai_base_url,
            api_key=_secret(settings),
            timeout_s=settings.reflection.timeout_s,
        )
    from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder  # noqa: PLC0415 - beside its siblings

    return FastembedEmbedder(model, cache_dir=home.models_folder)


def build_bundled_embedder() -> Embedder:
    """Return the embedder of the model that comes with the package."""
    from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder  # noqa: PLC0415 - beside its siblings

    return FastembedEmbedder()


def build_language_model(settings: Settings, ledger: Ledger, prompts: Prompts, clock: Clock) -> OpenAIReflector:
    """Return the configured language model, whose use of tokens is counted in the ledger."""
    from mcp_reflect.adapters.openai_reflector import OpenAIReflector  # noqa: PLC0415 - only where asked for

    def spend(usage: Usage) -> None:
        with ledger.writing() as session:
            session.usage.add(clock().astimezone(UTC).date().isoformat(), usage)

    return OpenAIReflector(
        settings.reflection.model,
        base_url=settings.openai_base_url,
        api_key=_secret(settings),
        timeout_s=settings.reflection.timeout_s,
        prompts=prompts,
        spend=spend,
    )


def _secret(settings: Settings) -> str | None:
    return None if settings.openai_api_key is None else settings.openai_api_key.get_secret_value()
