"""Quality of retrieval and learning on real data: `python -m benchmarks.quality`; see docs/quality.md."""
