"""Workers that connections share, and jobs that are tried by one of them at a time."""

from __future__ import annotations

from mcp_reflect.application.jobs.leases import JobLeases, SharedWorkers


class Recorded:
    def __init__(self) -> None:
        self.told: list[str] = []

    def start(self) -> None:
        self.told.append("start")

    def close(self) -> None:
        self.told.append("close")


def test_a_worker_runs_from_its_first_lease_to_its_last() -> None:
    workers: SharedWorkers[Recorded] = SharedWorkers()
    with workers.lease("a", Recorded) as first:
        with workers.lease("a", Recorded) as second, workers.lease("b", Recorded) as other:
            assert first is second
            assert first is not other
        assert (first.told, other.told) == (["start"], ["start", "close"])
    assert first.told == ["start", "close"]
    with workers.lease("a", Recorded) as again:
        assert again is not first


def test_a_job_is_tried_by_one_at_a_time() -> None:
    leases = JobLeases()
    with leases.lease("job") as ours, leases.lease("job") as theirs, leases.lease("other") as another:
        assert (ours, theirs, another) == (True, False, True)
    with leases.lease("job") as later:
        assert later


def test_a_project_has_a_model_as_long_as_one_worker_brings_it() -> None:
    leases = JobLeases()
    leases.add_model_worker("p")
    leases.add_model_worker("p")
    leases.remove_model_worker("p")
    assert leases.has_model("p")
    assert not leases.has_model("q")
    leases.remove_model_worker("p")
    assert not leases.has_model("p")
