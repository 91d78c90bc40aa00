"""What a failed run did wrong is what its reviewer has a word about: its other edits may have been right."""

from __future__ import annotations

from tests.domain.lessons.test_lessons import bash, call, edit, lesson, said

WRONG = "Wrong or incomplete"


def test_of_several_edits_those_are_wrong_that_the_reviewer_has_a_word_about() -> None:
    run = [
        *edit("player/build.gradle.kts", 'media3-exoplayer:1.2.0"', 'media3-exoplayer:1.4.1"'),
        *edit("player/build.gradle.kts", "minSdk = 19", "minSdk = 21"),
    ]
    told = lesson(run, "fail", feedback="You raised minSdk silently, 4% of our users are on older ones. Ask before.")
    assert f"{WRONG}: editing player/build.gradle.kts (`minSdk = 19` → `minSdk = 21`)" in told.key_mistake
    assert "media3" not in told.key_mistake


def test_of_several_edits_none_is_wrong_where_the_reviewer_speaks_of_something_else() -> None:
    run = [*edit("ledger.cabal", "aeson >=1.5", "aeson >=2.2"), *edit("src/Json.hs", "HM.lookup k", "KM.lookup k")]
    told = lesson(run, "fail", feedback="Still red in CI: `freeze.lock` was not updated.")
    assert WRONG not in told.key_mistake


def test_all_edits_may_be_wrong_where_the_reviewer_names_nothing() -> None:
    run = [*edit("session.py", "sign(a)", "sign(a, key)"), *edit("views.py", "return page", "return cached")]
    told = lesson(run, "fail", feedback="Nobody can log in any more, every attempt returns an error.")
    assert "session.py" in told.key_mistake
    assert "views.py" in told.key_mistake
    assert "Not objected to" not in told.guidance


def test_the_only_edit_is_what_was_wrong() -> None:
    told = lesson(edit("db.yml", "pool: 5", "pool: 50"), "fail", feedback="The connections are closed by the proxy.")
    assert f"{WRONG}: editing db.yml (`pool: 5` → `pool: 50`)" in told.key_mistake


def test_a_search_through_an_output_is_not_what_was_wrong() -> None:
    run = [*bash("systemctl restart web", "ok"), *bash("systemctl show web | grep Memory", "MemoryCurrent=1")]
    assert "grep" not in lesson(run, "fail", task="Make it start").key_mistake


def test_the_edits_that_the_reviewer_has_no_word_about_are_told_as_that() -> None:
    run = [
        *edit("prisma/schema.prisma", 'provider = "client"', 'provider = "client"\nbinaryTargets = ["musl"]'),
        *edit("Dockerfile", "FROM node:20", "FROM node:22"),
    ]
    told = lesson(run, "fail", feedback="It starts, but you moved the image to node 22 at the same time.")
    assert f"{WRONG}: editing Dockerfile (`FROM node:20` → `FROM node:22`)" in told.key_mistake
    assert "schema.prisma" not in told.key_mistake
    assert 'Not objected to: editing prisma/schema.prisma (+ `binaryTargets = ["musl"]`)' in told.guidance


def test_an_edit_with_a_word_of_the_reviewer_is_not_told_as_right() -> None:
    run = [*edit("camera.gd", "_physics_process(d)", "_process(d)"), *edit("project.godot", "max_fps=0", "max_fps=60")]
    told = lesson(run, "fail", feedback="Moving the camera into _process only hides it, see project.godot.")
    assert "Not objected to" not in told.guidance


def test_of_several_edits_that_is_wrong_which_the_user_objects_to_last() -> None:
    run = [
        *edit("src/Tax/Rate.php", "'food' => 0.19", "'food' => 0.07"),
        *edit("tests/Export/DatevTest.php", "EXTF;700;21", "EXTF;510;21"),
        *said(("assistant", "All is green."), ("user", "No! The test was right, it has to be 700. I do it myself.")),
    ]
    told = lesson(run, "fail", task="Fix what is red").key_mistake
    assert "DatevTest.php" in told
    assert "Rate.php" not in told


def test_behind_a_review_that_names_no_act_stand_the_last_ones() -> None:
    write = 'week.write.mode("overwrite").parquet("s3://lake/events")'
    run = [*call("databricks_run", {"code": write}, "done"), *said(("assistant", "Seven days were rewritten."))]
    found = lesson(run, "fail", task="Backfill a week", feedback="It dropped every partition outside of the week.")
    assert found.key_mistake.endswith(f"\nThe run did: `databricks_run(code={write})`")
