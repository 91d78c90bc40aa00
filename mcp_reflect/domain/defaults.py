"""Defaults of what users may set or give, each said once: settings, requests and profiles take them from here."""

from __future__ import annotations

LIMIT = 10
"""Memories that a query returns."""

LAMBDA = 0.5
"""Weight of q_value against relevance in the score, in [0, 1]."""

MMR_LAMBDA = 0.95
"""Weight of score against diversity, in [0, 1]; 1 is no diversity."""

OPTIMISM = 0.75
"""Optimism of hybrid queries, in standard deviations of `learning/confidence.py`. While the set of memories is
fixed, 0.75 to 1.5 learn alike. In use every run adds a memory; then 1 earns no more than the plain q_value and 1.5 far
less, because the bonus of untried memories displaces proven ones (docs/quality.md).
"""

INITIAL_Q = 0.5
"""q_value of a new memory, in [0, 1]."""

ALPHA = 0.3
"""Learning rate of a review, in [0, 1]."""

RECENT_CAPACITY = 20
"""Newest runs that insights are drawn from."""

INSIGHT_CAPACITY = 10
"""Insights kept in use."""

REFLECT_EVERY = 15
"""Runs after which the LLM draws insights by itself."""

IMPORTANCE_THRESHOLD = 0.5
"""Importance, in [0, 1], below which insights pass a run over."""

MAX_PROMPT_CHARS = 6_000
"""About 1,500 tokens: small local models read no more with attention, and answer within their time limit."""
