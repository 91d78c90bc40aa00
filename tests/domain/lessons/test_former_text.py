"""Of a file that a run had read and then wrote anew, what changed is told."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.lessons.test_lessons import Messages, bash, call, edit, lesson

OLD = "org.gradle.jvmargs=-Xmx4g\norg.gradle.parallel=true\n"
NEW = "org.gradle.jvmargs=-Xmx5g\nkotlin.daemon.jvmargs=-Xmx3g\norg.gradle.parallel=true\n"
NUMBERED = "".join(f"{number:>6}\t{line}\n" for number, line in enumerate(OLD.splitlines(), 1))


def written(*before: Messages) -> tuple[tuple[str, str], ...]:
    messages = [
        *(each for some in before for each in some),
        *call("Write", {"file_path": "a/g.properties", "content": NEW}, "ok"),
    ]
    return find_steps(parse(messages))[-1].change


@pytest.mark.parametrize(
    "reading",
    [
        call("Read", {"file_path": "a/g.properties"}, NUMBERED),
        call("read_file", {"path": "./a/g.properties"}, OLD),
        call("str_replace_editor", {"command": "view", "path": "/repo/a/g.properties"}, NUMBERED),
        bash("cat a/g.properties", OLD),
    ],
)
def test_the_former_text_is_what_the_run_had_read(reading: Messages) -> None:
    [(old, new)] = written(reading)
    assert old.split() == OLD.split()
    assert new == NEW


@pytest.mark.parametrize(
    "before",
    [
        (call("Read", {"file_path": "a/g.properties", "offset": 2}, NUMBERED),),
        (call("Read", {"file_path": "b/g.properties"}, NUMBERED),),
        (bash("cat a/g.properties", "cat: no such file", failed=True),),
        (call("Read", {"file_path": "a/g.properties"}, NUMBERED), edit("a/g.properties", "-Xmx4g", "-Xmx6g")),
    ],
)
def test_a_part_another_file_and_what_was_edited_since_are_not(before: tuple[Messages, ...]) -> None:
    assert written(*before) == (("", NEW),)


def test_the_lesson_tells_what_changed_and_not_the_whole_file() -> None:
    found = lesson(
        [
            *bash("./gradlew build", "e: java.lang.OutOfMemoryError: GC overhead limit exceeded", failed=True),
            *call("Read", {"file_path": "gradle.properties"}, NUMBERED),
            *call("Write", {"file_path": "gradle.properties", "content": NEW}, "ok"),
            *bash("./gradlew build", "BUILD SUCCESSFUL"),
        ],
        task="The build runs out of memory",
    )
    assert "+ `kotlin.daemon.jvmargs=-Xmx3g`" in found.correct_action
    assert "parallel" not in found.correct_action


def test_of_a_new_file_of_settings_the_first_are_told_and_of_a_program_the_name() -> None:
    rules = "# why\n-keepattributes Signature\n-keep class a.B\n-keep class a.C\n-keep class a.D\n"

    def told(path: str, text: str = rules) -> str:
        run = [
            *bash("make", "error: type argument missing", failed=True),
            *call("Write", {"file_path": path, "content": text}, "ok"),
            *bash("make", "ok"),
        ]
        return lesson(run, task="The release crashes").correct_action

    assert "editing rules.pro (+ `-keepattributes Signature`; + `-keep class a.B`" in told("rules.pro")
    assert "writing rules.py" in told("rules.py")
    small = "import { log } from './log'\nconst fmt = new Format('en-GB', {\n  timeZone: 'Europe/London',\n})\n"
    small += "export const time = (iso) => {\n  return fmt.format(iso)\n}\n"
    assert "timeZone: 'Europe/London'," in told("time.ts", small)
    assert "import" not in told("time.ts", small)
    assert "writing time.ts" in told("time.ts", small + "step()\n" * 10)


def test_of_a_file_that_was_shown_among_others_the_lines_that_stayed_are_not_what_changed() -> None:
    shown = bash("jq --version; cat x.sh a/g.properties; ./x.sh", f"jq-1.6\n./gradlew\n{OLD}done")
    assert written(shown) == (("org.gradle.parallel=true", NEW),)  # what else stood there is not known
    assert written(bash("cat x.sh b/g.properties", OLD)) == (("", NEW),)
    told = lesson([*shown, *call("Write", {"file_path": "a/g.properties", "content": NEW}, "ok"), *bash("make", "ok")])
    assert "kotlin.daemon.jvmargs=-Xmx3g" in told.correct_action
    assert "org.gradle.parallel" not in told.correct_action
