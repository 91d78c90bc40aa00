"""The sections of the settings: names, types, defaults and descriptions."""

from __future__ import annotations

from typing import Literal

from mcp_reflect.config.setting_types import (
    FRACTION,
    HTTP_URL,
    Bool,
    Float,
    HttpUrl,
    Int,
    LedgerUrl,
    SecretText,
    Section,
    Text,
    setting,
)
from mcp_reflect.domain import defaults
from mcp_reflect.domain.limits import MAX_LIMIT

DEFAULT_OPENAI_URL = "https://api.openai.com/v1"


class MemorySettings(Section):
    """The settings of retrieval and ranking, section `memory`."""

    scope: Literal["project", "user"] = setting(
        "project", "whose memories serve a query: everyone's in the project, or only the user's own", "project or user"
    )
    retrieval: Literal["semantic", "hybrid"] = setting(
        "hybrid", "what makes a memory relevant: meaning alone, or words and meaning together", "semantic or hybrid"
    )
    similarity_threshold: Float | None = setting(
        None,
        "cosine (hybrid: relevance) below which a memory is not retrieved",
        FRACTION,
        shown="the embedding model's own",
        ge=0,
        le=1,
    )
    limit: Int = setting(
        defaults.LIMIT, "most memories a query returns", f"an integer from 1 to {MAX_LIMIT}", ge=1, le=MAX_LIMIT
    )
    lambda_: Float = setting(defaults.LAMBDA, "weight of q_value against relevance in the score", FRACTION, ge=0, le=1)
    mmr_lambda: Float = setting(
        defaults.MMR_LAMBDA, "weight of score against diversity; 1 is no diversity", FRACTION, ge=0, le=1
    )
    initial_q: Float = setting(defaults.INITIAL_Q, "q_value of a new memory", FRACTION, ge=0, le=1)
    recency_weight: Float = setting(
        0.0, "how much staleness costs a memory in the ranking; 1 is 0.15 of q_value at most", FRACTION, ge=0, le=1
    )


class QLearningSettings(Section):
    """The settings of learning from reviews, section `q_learning`."""

    alpha: Float = setting(defaults.ALPHA, "learning rate: how far one review moves a q_value", FRACTION, ge=0, le=1)
    optimism: Float | None = setting(
        None,
        "UCB bonus for memories with few reviews, in standard deviations; 0 ranks by the plain q_value",
        "a number from 0 to 3",
        shown=f"{defaults.OPTIMISM:g} in hybrid queries, 0 in semantic ones",
        ge=0,
        le=3,
    )
    credit: Literal["retrieved", "used"] = setting(
        "used",
        "what a review without helpful or harmful ids moves: all that was retrieved alike, or each as far as the run "
        "followed it",
        "retrieved or used",
    )


class ReflectionSettings(Section):
    """The settings of writing reflections and of the LLM, section `reflection`."""

    author: Literal["auto", "agent", "llm", "sampling", "extractive"] = setting(
        "auto", "who writes reflections; auto takes the first that can", "auto, agent, llm, sampling or extractive"
    )
    model: Text = setting("", "model that writes reflections; empty: no LLM is ever called", "a name", shown="none")
    base_url: HttpUrl = setting("", "address of the OpenAI-compatible server", HTTP_URL, shown=DEFAULT_OPENAI_URL)
    timeout_s: Float = setting(30.0, "seconds one call to the LLM may take", "a number from 1 to 600", ge=1, le=600)
    max_prompt_chars: Int = setting(
        defaults.MAX_PROMPT_CHARS,
        "characters of a question to the LLM; a longer run is condensed",
        "an integer from 5000 to 200000",
        ge=5_000,
        le=200_000,
    )
    max_tokens_per_day: Int = setting(
        500_000, "tokens for reflections per UTC day; 0 is no limit", "an integer of 0 or more", ge=0
    )


class InsightSettings(Section):
    """The settings of insights into many runs, section `insights`."""

    recent_capacity: Int = setting(
        defaults.RECENT_CAPACITY,
        "newest runs that insights are drawn from; 0 is none",
        f"an integer from 0 to {MAX_LIMIT}",
        ge=0,
        le=MAX_LIMIT,
    )
    capacity: Int = setting(
        defaults.INSIGHT_CAPACITY,
        "insights kept in use; less important ones are archived",
        "an integer from 0 to 100",
        ge=0,
        le=100,
    )
    reflect_every: Int = setting(
        defaults.REFLECT_EVERY,
        "runs after which the LLM draws insights by itself; 0 is by hand only",
        "an integer of 0 or more",
        ge=0,
    )
    importance_threshold: Float = setting(
        defaults.IMPORTANCE_THRESHOLD, "importance below which a run is passed over", FRACTION, ge=0, le=1
    )


class ErrorSettings(Section):
    """The setting of the error mirror file, section `errors`."""

    mirror: Text = setting(
        "",
        "file in the project's repository that mirrors the errors, for people, such as docs/memory/reflexion.jsonl",
        "the path of a .jsonl file inside the repository, relative to it",
        shown="none",
    )


class EmbeddingSettings(Section):
    """The setting of the embedding model, section `embedding`."""

    model: Text = setting(
        "bundled",
        "bundled, a fastembed model name (downloaded once), openai:NAME, or the path of a folder with an ONNX model, "
        "beginning with /, ~ or .",
        "bundled, a fastembed model name, openai:NAME or the path of a folder",
        min_length=1,
    )


class IndexSettings(Section):
    """The settings of the vector index, section `index`."""

    url: HttpUrl = setting("", "address of a Chroma server", HTTP_URL, shown="embedded")
    token: SecretText | None = setting(None, "token for the Chroma server or Chroma Cloud", "a token", shown="none")
    tenant: Text = setting("", "tenant on the Chroma server", "a name", shown="the server's default")
    database: Text = setting("", "database on the Chroma server", "a name", shown="the server's default")


class LedgerSettings(Section):
    """The setting of the ledger's database, section `ledger`."""

    url: LedgerUrl = setting(
        "", "SQLAlchemy URL of the ledger", "a URL like postgresql+psycopg://host/name", shown="SQLite in home"
    )


class HubSettings(Section):
    """The settings of the hub process, section `hub`."""

    enabled: Bool = setting(
        default=True, meaning="one owner process for all clients", rule="true or false", shown="true"
    )
    idle_exit_s: Float = setting(
        600.0, "seconds without a client after which the hub leaves", "a number above 0", gt=0, le=10**9
    )
    start_timeout_s: Float = setting(
        60.0, "seconds that a client waits for a hub that is starting", "a number above 0, up to 3600", gt=0, le=3600
    )
    answer_within_s: Float | None = setting(
        None,
        "seconds after which a call that no hub has answered is answered without: a run goes to the outbox, a query "
        "is told to call again",
        "a number above 0, up to 3600",
        shown="2.5 for a run, 45 for other calls",
        gt=0,
        le=3600,
    )


class HookSettings(Section):
    """Read by the hooks themselves too, without this module: see `hooks/options.py`."""

    memories: Int = setting(
        3, "most memories that a hook adds to a prompt; 0 is none, ever", "an integer from 0 to 20", ge=0, le=20
    )
    tokens: Int = setting(
        800, "room for what a hook adds, in tokens of four bytes", "an integer from 0 to 2000", ge=0, le=2_000
    )
    submit: Bool = setting(
        default=True, meaning="hooks hand in each run by themselves", rule="true or false", shown="true"
    )
    ask_for_lesson: Literal["interactive", "always", "never"] = setting(
        "interactive",
        "where a run overcame something, its end asks the agent once to write the lesson: where a person reads along, "
        "always, or never",
        "interactive, always or never",
    )
    active: Bool = setting(
        default=False,
        meaning="the client runs our hooks, so the server's instructions leave submitting to them; the plugin sets it",
        rule="true or false",
        shown="false",
    )
