"""How good retrieval and learning are on real data: `python -m benchmarks.quality`; see docs/quality.md."""
