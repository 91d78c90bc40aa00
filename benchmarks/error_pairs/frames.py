"""Frames in which an output comes back: logs of CI services, containers, units and task runners, as each prints them.

A frame is a function from the lines of an output to a text. What varies from run to run is drawn from the number of the
line, so that every call gives the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

Frame = Callable[[Sequence[str]], str]

_START = datetime(2027, 3, 4, 5, 6, 7)  # noqa: DTZ001 - a log's own time


def _at(number: int, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    return (_START + timedelta(seconds=number)).strftime(form)


def _prefixed(prefix: Callable[[int], str], above: Sequence[str] = (), below: Sequence[str] = ()) -> Frame:
    """Return a frame with something before each line, and lines of the runner above and below."""

    def frame(lines: Sequence[str]) -> str:
        return "\n".join(f"{prefix(number)}{line}" for number, line in enumerate([*above, *lines, *below]))

    return frame


def _coloured(lines: Sequence[str]) -> str:
    """Words of severity in red, quoted names in bold, as many tools print them on a terminal."""

    def painted(line: str) -> str:
        line = re.sub(r"\b(error|fatal|warning)\b", "\x1b[1;31m\\1\x1b[0m", line, flags=re.IGNORECASE)
        return re.sub(r"'([\w./-]+)'", "'\x1b[1m\\1\x1b[22m'", line)

    return "\n".join(map(painted, lines))


def _docker_json(lines: Sequence[str]) -> str:
    """The file that the json-file driver of docker writes."""
    return "\n".join(
        json.dumps({"log": f"{line}\n", "stream": "stderr", "time": f"{_at(number)}.123456789Z"})
        for number, line in enumerate(lines)
    )


def _quotes(opening: str, closing: str) -> Frame:
    def frame(lines: Sequence[str]) -> str:
        return "\n".join(
            re.sub(r"(?<!\w)['`‘]([^'`‘’\n]+)['’](?!\w)", rf"{opening}\1{closing}", line) for line in lines
        )

    return frame


def _windows(lines: Sequence[str]) -> str:
    """The folder of the project on Windows, and its line ends."""

    def moved(line: str) -> str:
        return re.sub(
            r"/(?:builds/team-7/checkout_41|home/dev)((?:/[\w.-]+)+)", lambda p: "C:\\a" + p[1].replace("/", "\\"), line
        )

    return "\r\n".join(map(moved, lines))


FRAMES: Mapping[str, Frame] = {
    "plain": "\n".join,
    "github": _prefixed(
        lambda n: f"{_at(n)}.{n * 7919 % 10_000_000:07}Z ",
        [
            "##[group]Run bash ci/step.sh",
            "\x1b[36;1mbash ci/step.sh\x1b[0m",
            "shell: /usr/bin/bash -e {0}",
            "env:",
            "  CI: true",
            "##[endgroup]",
        ],
        ["##[error]Process completed with exit code 1."],
    ),
    "github raw": _prefixed(
        lambda n: f"build (3.12, ubuntu-24.04)\tRun tests\t{_at(n)}.{n * 7919 % 10_000_000:07}Z ",
        below=["##[error]Process completed with exit code 2."],
    ),
    "gitlab": _prefixed(
        lambda _: "",
        [
            (
                "section_start:1772600767:step_script\r\x1b[0K\x1b[0K"
                '\x1b[36;1mExecuting "step_script" stage of the job script\x1b[0;m'
            ),
            "\x1b[32;1m$ bash ci/step.sh\x1b[0;m",
        ],
        [
            "section_end:1772600790:step_script\r\x1b[0K",
            "\x1b[31;1mERROR: Job failed: exit code 1\x1b[0;m",
        ],
    ),
    "gitlab stamped": _prefixed(
        lambda n: f"{_at(n)}.{n * 7919 % 1_000_000:06}Z 01{'OE'[n % 2]} ",
        ["\x1b[32;1m$ bash ci/step.sh\x1b[0;m"],
        ["\x1b[0KERROR: Job failed: command terminated with exit code 1"],
    ),
    "jenkins": _prefixed(
        lambda n: f"[{_at(n)}.{n * 7919 % 1000:03}Z] ",
        ["[Pipeline] sh", "+ bash ci/step.sh"],
        ["[Pipeline] }", "[Pipeline] // stage", "ERROR: script returned exit code 1", "Finished: FAILURE"],
    ),
    "compose": _prefixed(lambda _: "worker-1  | ", below=["worker-1 exited with code 1"]),
    "compose stamped": _prefixed(lambda n: f"api_1       | {_at(n)}.{n * 7919 % 1_000_000_000:09}Z "),
    "journal": _prefixed(lambda n: f"{_at(n, '%b %d %H:%M:%S')} build-host nightly[41200]: "),
    "journal unit": lambda lines: _prefixed(lambda n: f"{_at(n, '%b %d %H:%M:%S')} node7 ")(
        [
            "systemd[1]: Started nightly.service - Nightly build.",
            *(f"nightly[8123]: {line}" for line in lines),
            "systemd[1]: nightly.service: Main process exited, code=exited, status=1/FAILURE",
            "systemd[1]: nightly.service: Failed with result 'exit-code'.",
        ]
    ),
    "syslog": _prefixed(lambda n: f"{_at(n)}.{n * 7919 % 1_000_000:06}+00:00 app-3 runner[77]: "),
    "kubernetes": _prefixed(lambda _: "[pod/worker-7d9c5b6f4-x2x8k/worker] "),
    "traced": _prefixed(lambda _: "", ["+ set -e", "+ cd project", "++ date +%s", "+ bash ci/step.sh"]),
    "npm": _prefixed(
        lambda _: "",
        ["", "> shop@1.4.0 check", "> bash ci/step.sh", ""],
        [
            "npm ERR! code ELIFECYCLE",
            "npm ERR! errno 1",
            "npm ERR! shop@1.4.0 check: `bash ci/step.sh`",
            "npm ERR! Exit status 1",
            "npm ERR! ",
            "npm ERR! Failed at the shop@1.4.0 check script.",
            "npm ERR! This is probably not a problem with npm. There is likely additional logging output above.",
        ],
    ),
    "yarn": _prefixed(
        lambda _: "",
        ["yarn run v1.22.22", "$ bash ci/step.sh"],
        [
            "error Command failed with exit code 1.",
            "info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.",
        ],
    ),
    "pnpm": _prefixed(
        lambda _: "packages/shop check: ",
        below=[
            "Failed",
            "/home/dev/project/packages/shop:",
            "\u2009ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL\u2009 shop@1.4.0 check: `bash ci/step.sh`",
            "Exit status 1",
            "\u2009ELIFECYCLE\u2009 Command failed with exit code 1.",
        ],
    ),
    "turbo": _prefixed(
        lambda _: "shop:check: ",
        ["cache miss, executing 3f1a9c27b8e04d55", "> bash ci/step.sh"],
        ["ERROR: command finished with error: command (/home/dev/project/shop) npm run check exited (1)"],
    ),
    "tox": _prefixed(
        lambda _: "",
        ["py312: commands[0]> bash ci/step.sh"],
        [
            "py312: exit 1 (0.53 seconds) /home/dev/project> bash ci/step.sh pid=4711",
            "  py312: FAIL code 1 (2.05=setup[1.52]+cmd[0.53] seconds)",
            "  evaluation failed :( (2.13 seconds)",
        ],
    ),
    "nox": _prefixed(
        lambda _: "",
        ["nox > Running session checks-3.12", "nox > bash ci/step.sh"],
        ["nox > Command bash ci/step.sh failed with exit code 1", "nox > Session checks-3.12 failed."],
    ),
    "foreman": _prefixed(lambda n: f"{_at(n, '%H:%M:%S')} check.1  | ", below=["exited with code 1"]),
    "buildkit": _prefixed(
        lambda n: f"#12 {n * 0.137:.3f} " if n else "",
        ["#12 [build 5/7] RUN bash ci/step.sh"],
        [
            'ERROR: process "/bin/sh -c bash ci/step.sh" did not complete successfully: exit code: 1',
        ],
    ),
    "docker json": _docker_json,
    "logging": _prefixed(lambda n: f"{_at(n, '%Y-%m-%d %H:%M:%S')},{n * 7919 % 1000:03} INFO     runner: "),
    "coloured": _coloured,
    "windows": _windows,
    "curly quotes": _quotes("\u2018", "\u2019"),
    "guillemets": _quotes("\u00ab", "\u00bb"),
    "german quotes": _quotes("\u201e", "\u201c"),
}
"""The frames by name."""
