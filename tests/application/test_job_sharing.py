"""Queues that connections share."""

from __future__ import annotations

from mcp_reflect.application.jobs.sharing import Claims, SharedWorkers


class Recorded:
    def __init__(self) -> None:
        self.told: list[str] = []

    def start(self) -> None:
        self.told.append("start")

    def close(self) -> None:
        self.told.append("close")


def test_a_queue_runs_from_its_first_lease_to_its_last() -> None:
    queues: SharedWorkers[Recorded] = SharedWorkers()
    with queues.lease("a", Recorded) as first:
        with queues.lease("a", Recorded) as second, queues.lease("b", Recorded) as other:
            assert first is second
            assert first is not other
        assert (first.told, other.told) == (["start"], ["start", "close"])
    assert first.told == ["start", "close"]
    with queues.lease("a", Recorded) as again:
        assert again is not first


def test_a_job_is_tried_by_one_at_a_time() -> None:
    claims = Claims()
    with claims.claimed("job") as ours, claims.claimed("job") as theirs, claims.claimed("other") as another:
        assert (ours, theirs, another) == (True, False, True)
    with claims.claimed("job") as later:
        assert later


def test_a_project_has_a_model_as_long_as_one_queue_brings_it() -> None:
    claims = Claims()
    claims.model_came("p")
    claims.model_came("p")
    claims.model_went("p")
    assert claims.has_model("p")
    assert not claims.has_model("q")
    claims.model_went("p")
    assert not claims.has_model("p")
