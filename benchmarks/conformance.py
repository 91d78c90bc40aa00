"""Runs the MCP conformance suite against the server: `python -m benchmarks.conformance [--write]`.

The suite is `@modelcontextprotocol/conformance@0.2.0-alpha.12` from npm (the release, 0.1.16, lacks the second era). It
needs Node 22 or later, which npm has as the package `node`. MCP_REFLECT_TEST_CONFORMANCE is the command that starts it,
with blanks between its words. It speaks HTTP alone, so the server is served by the SDK's transport on a port of this
machine. Both protocol eras are run, which takes minutes. `--write` puts the table into docs/clients.md.

Much of the suite is about a server made for it, with tools named `test_…`. Each scenario that is not passed needs a
reason in REASONS: the script fails where one is missing, or where a scenario passes for which there is one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio

from docs.tools.marked import ROOT, write_block
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.server.app import build_server
from tests.support.servers import environment
from tests.support.waiting import until

ERAS = ("2025-11-25", "2026-07-28")
LONGEST_S = 300
_STAMP = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z\Z")
DOCUMENT = "clients.md"
BLOCK = "conformance"

FIXTURE = "asks for a {} of the suite's own server"
REASONS: Mapping[str, str] = {
    **dict.fromkeys(
        ("tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content"),
        FIXTURE.format("tool") + "; ours return text and structured content",
    ),
    "tools-call-with-progress": FIXTURE.format("tool") + "; no call here takes long enough to report progress",
    "tools-call-with-logging": FIXTURE.format("tool") + "; the server declares no log messages and sends none",
    "tools-call-sampling": FIXTURE.format("tool") + "; ours asks for sampling only to write a reflection",
    **dict.fromkeys(
        ("tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"),
        FIXTURE.format("tool") + "; the server asks the user nothing",
    ),
    "json-schema-2020-12": FIXTURE.format("tool"),
    "server-sse-polling": FIXTURE.format("tool") + "; HTTP is not offered, clients use stdio",
    **dict.fromkeys(
        ("resources-read-text", "resources-read-binary", "resources-templates-read"), FIXTURE.format("resource")
    ),
    **dict.fromkeys(
        ("resources-subscribe", "resources-unsubscribe"), "optional; the server does not declare subscriptions"
    ),
    **dict.fromkeys(
        (
            "prompts-get-simple",
            "prompts-get-with-args",
            "prompts-get-embedded-resource",
            "prompts-get-with-image",
        ),
        FIXTURE.format("prompt"),
    ),
    "server-stateless": "26 checks pass; the two others ask for a tool of the suite's own server",
    "http-header-validation": "of the SDK's HTTP transport, which is not offered; 13 of 14 checks pass",
    "http-custom-header-server-validation": "of HTTP, which is not offered, and for a tool with header annotations",
    **dict.fromkeys(
        (
            *(f"input-required-result-basic-{kind}" for kind in ("elicitation", "sampling", "list-roots")),
            *(f"input-required-result-{kind}" for kind in ("request-state", "multiple-input-requests", "multi-round")),
            *(f"input-required-result-{kind}" for kind in ("result-type", "tampered-state", "capability-check")),
        ),
        FIXTURE.format("tool"),
    ),
    "input-required-result-non-tool-request": FIXTURE.format("prompt"),
}
"""By the name of a scenario."""

VACUOUS = frozenset({"tools-call-simple-text", "tools-call-error", "server-sse-multiple-streams"}) | {
    f"input-required-result-{kind}"
    for kind in ("missing-input-response", "unsupported-methods", "ignore-extra-params", "validate-input")
}
"""Scenarios that call a tool of the suite's own server and are content with our answer that there is none."""


class Scenario(NamedTuple):
    """A scenario with the number of its checks that passed and of all that were judged."""

    name: str
    passed: int
    judged: int
    failures: tuple[str, ...]


def serve(home: Path, port: int) -> None:
    """Serve a memory over HTTP, until the process is ended."""
    settings = load_settings(environment(home), home.parent)
    server = build_server(lambda: open_memory(settings))
    anyio.run(lambda: server.run_streamable_http_async(host="127.0.0.1", port=port))


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server in a process of its own; its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "benchmarks.conformance", "--serve", str(folder / "home"), str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until(lambda: _listens(port))
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as link:
        return link.connect_ex(("127.0.0.1", port)) == 0


def run_suite(command: list[str], url: str, era: str, folder: Path) -> list[Scenario]:
    """Return what the suite found, in its order."""
    words = [*command, "server", "--url", url, "--suite", "all", "--spec-version", era, "--output-dir", str(folder)]
    # Its exit code counts failures.
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=LONGEST_S)
    files = sorted(folder.glob("*/checks.json"), key=lambda file: file.stat().st_mtime)
    if not files:
        raise SystemExit(f"the suite ran no scenario; it said: {done.stderr.strip()[-500:]}")
    return [_scenario(file) for file in files]


def _scenario(file: Path) -> Scenario:
    checks: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    judged = [check for check in checks if check["status"] in {"SUCCESS", "FAILURE"}]
    failed = tuple(check["id"] for check in judged if check["status"] == "FAILURE")
    name = _STAMP.sub("", file.parent.name.removeprefix("server-"))
    return Scenario(name, len(judged) - len(failed), len(judged), failed)


def table(found: Mapping[str, list[Scenario]]) -> str:
    """Return the results of both eras in Markdown: the scenarios passed, and each other one with its reason."""
    lines = []
    for era, scenarios in found.items():
        full = [each for each in scenarios if not each.failures]
        real = [each.name for each in full if each.name not in VACUOUS]
        checks = sum(each.passed for each in scenarios), sum(each.judged for each in scenarios)
        unmeant = [each.name for each in full if each.name in VACUOUS]
        lines += [
            f"**{era}**: {len(full)} of {len(scenarios)} scenarios, {checks[0]} of {checks[1]} checks. Passed: "
            + ", ".join(f"`{name}`" for name in real)
            + "; and, as they are content with the error for an unknown tool, "
            + ", ".join(f"`{name}`" for name in unmeant)
            + ".",
            "",
        ]
    lines += ["| not passed | version | why |", "|---|---|---|"]
    reasons: dict[str, list[tuple[str, str]]] = {}
    for era, scenarios in found.items():
        for each in scenarios:
            if each.failures:
                reasons.setdefault(REASONS[each.name], []).append((each.name, era))
    for why, cases in reasons.items():
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(name for name, _ in cases))
        eras = ", ".join(dict.fromkeys(era for _, era in cases))
        lines.append(f"| {names} | {eras} | {why} |")
    return "\n".join(lines)


def check_reasons(found: Mapping[str, list[Scenario]]) -> list[str]:
    """Return what REASONS lacks, and what it says of scenarios that pass."""
    failed = {each.name for scenarios in found.values() for each in scenarios if each.failures}
    passed = {each.name for scenarios in found.values() for each in scenarios} - failed
    return [f"no reason for {name}" for name in sorted(failed - REASONS.keys())] + [
        f"a reason for {name}, which passes" for name in sorted(passed & REASONS.keys())
    ]


def run_both_eras(command: list[str]) -> dict[str, list[Scenario]]:
    """Return what the suite found in each era, in which the server begins with an empty memory."""
    found = {}
    for era in ERAS:
        with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as url:
            found[era] = run_suite(command, url, era, Path(folder) / "results")
    return found


def main() -> None:
    if sys.argv[1:2] == ["--serve"]:
        serve(Path(sys.argv[2]), int(sys.argv[3]))
        return
    command = shlex.split(os.environ.get("MCP_REFLECT_TEST_CONFORMANCE", "conformance"))
    found = run_both_eras(command)
    if problems := check_reasons(found):
        raise SystemExit("\n".join(problems))
    text = table(found)
    print(text)
    if "--write" in sys.argv:
        write_block(ROOT / "docs" / DOCUMENT, BLOCK, text)


if __name__ == "__main__":
    main()
