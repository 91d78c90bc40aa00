"""What a run replaced, cancelled, took back or was stopped at ended well, and is not what worked."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.lessons.run.working_tree import find_gone
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.lessons.test_lessons import Messages, bash, call, edit, lesson, said
from tests.domain.lessons.test_lessons_of_cases import TASK, agent, called, told, user


def write(path: str, content: str) -> Messages:
    return call("Write", {"file_path": path, "content": content}, "File written")


def test_a_value_that_a_later_call_replaced_is_not_told() -> None:
    found = lesson(
        [
            *call("type", {"id": 1, "text": "2024-05-16"}, "ok"),
            *call("type", {"id": 2, "text": "14:00"}, "ok"),
            *call("type", {"id": 1, "text": "16.05.2024"}, "ok"),
        ],
        task="Book a room",
    )
    assert found.correct_action == "`type(id=2, text=14:00)`; `type(id=1, text=16.05.2024)`"


def test_calls_that_say_nowhere_where_they_put_something_are_all_told() -> None:
    found = lesson(
        [*call("send", {"to": "ann", "body": "one"}, "ok"), *call("send", {"to": "ann", "body": "two"}, "ok")],
        task="Invite Ann",
    )
    assert found.correct_action == "`send(to=ann, body=one)`; `send(to=ann, body=two)`"


def test_what_was_made_and_then_cancelled_is_not_told() -> None:
    text = told(
        [
            *user(TASK),
            *called("booking_create", {"room": "304", "rate": "ADVANCE"}, '{"id": "HB-5871"}'),
            *agent("I made a new booking."),
            *user("But the old one is paid for."),
            *called("booking_cancel", {"id": "HB-5871", "reason": "agent error"}, '{"status": "cancelled"}'),
            *called("change_request", {"id": "HB-5512", "type": "DATE"}, '{"status": "sent"}'),
        ]
    )
    assert "change_request(type=DATE, …)" in text
    assert "booking_create" not in text
    assert "booking_cancel" not in text


def test_a_case_that_was_there_before_is_cancelled_for_good() -> None:
    text = told(
        [
            *user(TASK),
            *called("booking_get", {"guest": "Berg"}, '{"id": "HB-5512"}'),
            *agent("Shall I cancel it?"),
            *user("yes"),
            *called("booking_cancel", {"id": "HB-5512", "reason": "illness"}, '{"status": "cancelled"}'),
        ]
    )
    assert "booking_cancel(reason=illness, …)" in text
    assert "booking_get" not in text


@pytest.mark.parametrize(
    "words",
    [
        "Stop, don't do that, it charges me twice.",
        "I restarted it, still nothing",
        "That didn't help.",
        "Thanks, but it is still failing with the same error.",
        "OK, that’s wrong. Undo it.",
        "argo reverts a kubectl patch within minutes, change the overlay",
    ],
)
def test_what_the_user_spoke_up_against_is_not_told(words: str) -> None:
    patch = "kubectl patch deploy api --type json -p timeout=5"
    found = lesson(
        [
            *said(("user", "Pods restart")),
            *bash(patch, "patched"),
            *said(("user", words)),
            *bash("argocd app sync api", "Synced"),
        ]
    )
    assert found.correct_action == "`argocd app sync api`"


def test_what_the_user_was_content_with_stays() -> None:
    found = lesson(
        [
            *said(("user", "Pods restart")),
            *bash("kubectl patch deploy api -p timeout=5", "patched"),
            *said(("user", "Good. Don't forget the other kubectl context.")),
            *bash("argocd app sync api", "Synced"),
        ]
    )
    assert "kubectl patch deploy api" in found.correct_action


def test_a_file_that_was_written_anew_is_told_as_it_was_written_last() -> None:
    found = lesson(
        [*write("page.md", "Use `offset`."), *write("page.md", "Use `after`."), *edit("a.md", "x = 1", "x = 2")]
    )
    assert "page.md (+ `Use `after`.`)" in found.correct_action
    assert "offset" not in found.correct_action


def test_a_file_written_again_between_failure_and_success_is_told_by_what_changed() -> None:
    found = lesson(
        [
            *write("load.py", "rows = read(path)\nprint(len(rows))"),
            *bash("python load.py", "ValueError: column 'day' is missing", failed=True),
            *write("load.py", "rows = read(path, header=2)\nprint(len(rows))"),
            *bash("python load.py", "8412"),
        ]
    )
    assert "editing load.py (`rows = read(path)` → `rows = read(path, header=2)`)" in found.correct_action


def test_what_is_appended_writes_no_file_anew() -> None:
    run = [*write("a.sh", "set -e"), *bash("cat >> a.sh <<'EOF'\nmake\nEOF")]
    steps = find_steps(parse(run))
    assert [step.change for step in NetChanges(steps).of(steps)] == [(("", "set -e"),), (("", "make"),)]


def test_what_an_edit_repaired_is_no_repair_once_that_was_taken_back() -> None:
    found = lesson(
        [
            *bash("mix test test/a_test.exs", "** (DBConnection.OwnershipError) cannot find owner", failed=True),
            *bash("sed -i 's/async: true/async: false/' test/a_test.exs && mix test", "412 tests, 0 failures"),
            *said(("user", "keep it async please")),
            *bash(
                "git checkout test/a_test.exs && cat > test/b.exs <<'EOF'\nallow()\nEOF\nmix test --all", "0 failures"
            ),
        ]
    )
    assert "async: false" not in found.correct_action
    assert "`mix test --all`" in found.correct_action


def test_files_that_version_control_restored_were_not_what_was_wanted() -> None:
    found = lesson(
        [
            *bash("make proto", "23 files changed"),
            *bash("git checkout gen && PATH=$PWD/bin:$PATH make proto", "Updated 23 paths from the index"),
        ]
    )
    assert found.correct_action == "`git checkout gen && PATH=$PWD/bin:$PATH make proto`"


def test_files_that_the_beginning_of_a_failed_chain_restored_are_gone() -> None:
    found = lesson(
        [
            *edit("rules.pro", "# rules", "# rules\n-keep class a.**"),
            *bash("./gradlew run", "SerializationException: not found", failed=True),
            *bash("git checkout rules.pro; grep -n keep a.pro", "Updated 1 path from the index", failed=True),
            *edit("build.kts", "minSdk = 24", "minSdk = 24\nconsumerFiles()"),
            *bash("./gradlew run", "login ok"),
        ]
    )
    assert "rules.pro" not in found.correct_action
    assert "editing build.kts (+ `consumerFiles()`)" in found.correct_action
    assert "after editing rules.pro (+ `-keep class a.**`), which was taken back." in found.guidance


def test_commands_that_the_reviewer_of_a_pass_objects_to_are_not_told() -> None:
    run = [*edit("iam.tf", "main", "tags"), *bash("terraform apply -auto-approve", "1 changed")]
    found = lesson(run, feedback="Fine. Terraform must be applied by Atlantis, not from the shell.")
    assert found.correct_action == "editing iam.tf (`main` → `tags`)"
    assert "terraform apply" in lesson(run, feedback="Fine, use tags for the rest too.").correct_action


def test_a_name_that_the_task_says_to_change_is_told_by_the_task() -> None:
    run = [
        *edit("report.py", "tmp2 = sum(rows)", "total = sum(rows)"),
        *said(("assistant", "Renamed it in report.py.")),
    ]
    assert lesson(run, task="rename the variable tmp2 in report.py to total").is_empty
    assert lesson(run, task="rename a variable in report.py").correct_action != ""
    slip = edit("README.md", "Clients recieve a token", "Clients receive a token")
    assert lesson(slip, task="fix the typo 'recieve' in README.md").is_empty
    value = edit("app.toml", "timeout = 10", "timeout = 30")
    assert lesson(value, task="raise the timeout in app.toml to 30").correct_action != ""


def test_a_command_from_before_the_first_edit_says_how_things_stood() -> None:
    found = lesson(
        [*bash("go test -race ./cache", "ok"), *edit("lru.go", "RLock", "Lock"), *bash("go test ./...", "ok")]
    )
    assert "`go test ./...`" in found.correct_action
    assert "`go test -race ./cache`" not in found.correct_action


def test_of_programs_for_the_moment_the_last_gave_the_answer() -> None:
    found = lesson(
        [*bash("python -c 'print(mean(rows))'", "7.3"), *bash("python -c 'print(mean(rows, weights))'", "7.1")],
        task="Mean satisfaction",
    )
    assert found.correct_action == "`python -c 'print(mean(rows, weights))'`"


def test_what_the_user_said_before_they_thought_better_of_it_is_not_told() -> None:
    found = lesson(
        [
            *said(
                ("user", "Decide on pagination for the public API"),
                ("assistant", "I'd pick cursors, as they are stable under inserts."),
                ("user", "Let's go with offset and limit, default 20, max 100."),
                ("assistant", "Noted: `?offset=&limit=`, default 20, max 100."),
            ),
            *write("page.md", "Use `offset`."),
            *said(
                ("user", "hold on, offset above 100k times out. cursor after all: `after` is opaque, `limit` max 200.")
            ),
            *write("page.md", "Use `after`."),
            *said(
                ("assistant", "The guide now says: cursors with `after`, limit at most 200, offset only internally.")
            ),
        ],
        task="Decide on pagination",
    )
    text = f"{found.summary}\n{found.guidance}"
    assert "max 100" not in text
    assert "cursor after all: `after` is opaque" in text


def test_what_was_put_aside_and_brought_back_stays() -> None:
    found = lesson(
        [
            *bash("pytest", "AssertionError: 4 != 5", failed=True),
            *edit("a.py", "return four", "return five"),
            *bash("pytest", "1 passed"),
            *bash("git stash", "Saved working directory"),
            *bash("pytest", "AssertionError: 4 != 5", failed=True),
            *bash("git stash pop", "Dropped refs/stash"),
        ]
    )
    assert found.correct_action.startswith("`pytest` after editing a.py (`return four` → `return five`)")
    assert "git stash" not in found.correct_action


def test_a_revert_takes_back_the_edits_of_the_last_commit_only() -> None:
    found = lesson(
        [
            *edit("a.py", "x = 1", "x = 2"),
            *bash("git commit -qam first"),
            *edit("b.py", "y = 1", "y = 2"),
            *bash("git commit -qam second && make check", "stale", failed=True),
            *bash("git revert --no-edit HEAD", "Revert second"),
        ]
    )
    assert "editing a.py (`x = 1` → `x = 2`)" in found.correct_action
    assert "b.py" not in found.correct_action
    assert "git revert" not in found.correct_action


def test_lines_of_a_file_are_told_apart_where_edits_name_them() -> None:
    def sed(line: int, old: str, new: str) -> Messages:
        return bash(f"sed -i '{line}s/{old}/{new}/' a.py")

    apart = lesson([*sed(5, "port=1", "port=2"), *sed(9, "port=2", "port=3")])
    assert "`port=1 (line 5)` → `port=2`; `port=2 (line 9)` → `port=3`" in apart.correct_action
    back = lesson([*sed(5, "port=1", "port=2"), *bash("make", "boom", failed=True), *sed(5, "port=2", "port=1")])
    assert "editing a.py" not in back.correct_action


def test_a_command_whose_files_were_restored_changed_nothing() -> None:
    found = lesson(
        [
            *bash("sed -i 's/^KEY/VITE_KEY/' .env .env.example"),
            *bash("git checkout .env.example && rm .env", "Updated 1 path from the index"),
            *edit("Map.vue", "env.KEY", "env.APP_KEY"),
        ]
    )
    assert found.correct_action == "editing Map.vue (`env.KEY` → `env.APP_KEY`)"


@pytest.mark.parametrize(
    ("command", "then", "output"),
    [
        ("docker compose exec db psql -c 'CREATE EXTENSION pg_trgm'", "git checkout v2.3.0", "HEAD is now at 1a2b"),
        ("npm ci", "git checkout package-lock.json", "Updated 1 path from the index"),
    ],
)
def test_what_does_more_than_to_make_files_is_not_discarded_with_them(command: str, then: str, output: str) -> None:
    assert command in lesson([*bash(command), *bash(then, output), *bash("./deploy.sh prod")]).correct_action


def test_programs_about_other_things_stay_beside_each_other() -> None:
    sent = "python - <<'EOF'\nimport billing\nbilling.send_all('2026-05', dry=False)\nEOF"
    found = lesson([*bash(sent), *bash("python -c \"print(len(open('/tmp/a.log').readlines()))\"", "12")])
    assert "billing.send_all" in found.correct_action


@pytest.mark.parametrize(
    "words",
    [
        "Looks fine to me. It does not change the API, right?",
        "Super. No difference in latency either, as I had hoped.",
        "And is the staging cluster still there?",
    ],
)
def test_harmless_words_object_to_nothing(words: str) -> None:
    run = [
        *said(("user", "Upgrade")),
        *bash("helm upgrade shop ./chart"),
        *said(("user", words), ("assistant", "Yes.")),
    ]
    assert "helm upgrade shop" in lesson(run).correct_action


def test_what_the_agent_itself_calls_wrong_did_not_work() -> None:
    found = lesson(
        [
            *bash("sqlite3 sales.db '.import a.csv sales'", "3811.204"),
            *said(("assistant", "That's wrong: the decimal commas are lost.")),
            *bash("sqlite3 sales.db 'delete from sales' && python load.py", "381120.40"),
        ]
    )
    assert "'.import a.csv" not in found.correct_action
    assert "python load.py" in found.correct_action


def test_a_word_that_an_earlier_command_shares_with_a_remark_is_no_objection_to_it() -> None:
    run = [
        *said(("user", "Make it start")),
        *bash("npm rebuild sharp"),
        *bash("make deploy"),
        *said(("user", "Great, it works! Please add a note. Rebuild was needed as sharp was not built.")),
    ]
    assert "npm rebuild sharp" in lesson(run).correct_action


@pytest.mark.parametrize(
    "words",
    [
        "This does not change the public API; callers go on as before.",
        "Still green after the upgrade.",
        "Wrong tokens are refused now, as they should be.",
        "Still no errors, so the list of releases comes next.",
        "No change, as expected, in the lock file.",
        "It's not right away visible, since the cache lives for five minutes.",
    ],
)
def test_what_an_agent_reports_is_no_verdict(words: str) -> None:
    run = [
        *bash("helm upgrade shop ./chart", "Release shop upgraded"),
        *said(("assistant", words)),
        *bash("helm list -A", "shop v7"),
    ]
    assert "helm upgrade shop" in lesson(run).correct_action


@pytest.mark.parametrize(
    ("commands", "stays"),
    [
        (["git checkout -- a.py && git commit -qm cleanup"], False),
        (["git checkout b.py && git commit -qam done"], True),
        (["git commit -qam done", "git checkout -- ."], True),
        (["git commit -qam done", "git stash"], True),
        (["git commit -qam done", "git revert --no-edit 1f3c9aa"], True),  # another commit
        (["git commit -qam done", "git revert --no-edit HEAD"], False),
        (["git commit -qam done", "git rm -q a.py"], False),
        (["git stash push a.py", "git stash pop"], True),
        (["git stash push b.py"], True),
        (["git stash push -u -m wip", "git stash drop"], False),
        (["git stash -- a.py"], False),
        (["git checkout -- \\\n  a.py"], False),
        (["git -C sub checkout -- ."], True),
        (["git -c user.name=b checkout -- a.py"], False),
        (["git checkout --theirs a.py && git add a.py"], True),
        (["git add b.py && git commit -qm x", "git checkout -- ."], False),
        (["git add a.py && git commit -qm x", "git checkout -- ."], True),
        (["git commit -qam done", "git reset --hard HEAD~1"], False),
        (["git commit -qam done", "git reset HEAD^", "git checkout ."], False),
        (["git commit -qam done", "git reset --soft HEAD~1", "git commit -qm again"], True),
        (["git commit -qam done", "git checkout HEAD~1 -- a.py"], False),
        (["git commit -qam done", "git revert --no-edit HEAD", "git revert --no-edit HEAD"], True),
        (["git commit -qam done", "git cherry-pick 1f3c9aa", "git revert HEAD"], True),
        (["git diff > /tmp/p && git checkout -- .", "git apply /tmp/p"], True),
        (["cd /tmp/clone && git reset --hard origin/main"], True),
        (["cd docs\ngit restore .\nmake html"], True),
        (["cd ~/shop && git checkout a.py"], False),
    ],
)
def test_edits_are_followed_through_version_control(commands: list[str], *, stays: bool) -> None:
    run = edit("a.py", "x = 1", "x = 2")
    for command in commands:
        run += bash(command, "done")
    assert ("`x = 1` → `x = 2`" in lesson(run).correct_action) is stays


def test_a_commit_is_known_by_the_name_that_was_printed_for_it() -> None:
    run = [
        *edit("a.py", "x = 1", "x = 2"),
        *bash("git commit -am first", "[main 1a2b3c4] first\n 1 file changed"),
        *edit("b.py", "y = 1", "y = 2"),
        *bash("git commit -am second", "[main 5d6e7f8] second\n 1 file changed"),
        *bash("git revert --no-edit 1a2b3c4", "Revert first"),
    ]
    told = lesson(run).correct_action
    assert "`y = 1` → `y = 2`" in told
    assert "x = 1" not in told


def test_putting_edits_aside_again_and_again_takes_no_time() -> None:
    run: Messages = []
    for number in range(600):
        run += [*edit(f"a{number}.py", "x = 1", "x = 2"), *bash("git stash"), *bash("git stash pop")]
    assert find_gone(find_steps(parse(run))) == {}


def test_a_case_is_not_cancelled_by_what_removes_something_else_of_it() -> None:
    run = [
        *call("create_ticket", {"title": "Printer broken", "queue": "facilities"}, '{"ticket_id": "T1001"}'),
        *call("remove_ticket_tag", {"ticket_id": "T1001", "tag": "untriaged"}, '{"ok": true}'),
    ]
    assert "create_ticket(title=Printer broken, queue=facilities)" in lesson(run).correct_action


def test_programs_that_only_print_are_not_all_for_the_moment() -> None:
    run = [
        *bash("python -c \"import billing; print(billing.close_month('2026-05'))\"", "closed"),
        *bash("python -c \"import stock; print(stock.count_all(region='eu'))\"", "41"),
    ]
    assert "close_month" in lesson(run).correct_action


def test_comments_of_one_issue_stand_beside_each_other() -> None:
    run = [
        *call("jira_addComment", {"id": "X-1", "body": "Deployed to staging"}, "ok"),
        *call("jira_addComment", {"id": "X-1", "body": "Deployed to production"}, "ok"),
    ]
    assert lesson(run).correct_action.count("jira_addComment") == 2


def test_a_result_of_another_form_costs_no_lesson() -> None:
    run = [
        *call("Write", {"file_path": "/r/settings.json", "content": {"port": 8080}}, "written"),
        *bash("npm test", "ok"),
    ]
    assert "`npm test`" in lesson(run).correct_action


def test_what_a_command_made_and_the_run_removed_repaired_nothing() -> None:
    found = lesson(
        [
            *bash("manage.py makemigrations --check", "CommandError: Conflicting migrations detected", failed=True),
            *bash(
                "manage.py makemigrations --merge loyalty", "Created new merge migration loyalty/migrations/0018_a.py"
            ),
            *bash("pytest loyalty", "AssertionError: merge migrations are not allowed", failed=True),
            *bash("rm loyalty/migrations/0018_a.py && git mv loyalty/0017.py loyalty/0018.py"),
            *bash("pytest loyalty", "84 passed"),
        ]
    )
    assert "--merge" not in found.correct_action


def test_what_is_emptied_and_loaded_again_is_told_as_it_was_loaded_last() -> None:
    def load(options: str) -> str:
        return f"sqlite3 sales.db 'delete from sales' && python3 load.py sales {options}"

    found = lesson([*bash(load("--thousands=."), "1970-01-01"), *bash(load("--text"), "2024-01-03")])
    assert load("--text") in found.correct_action


def test_what_a_run_made_and_removed_is_no_part_of_a_repair() -> None:
    made = "Generating migrations/versions/0d9a_merge_heads.py ... done"
    found = lesson(
        [
            *bash("alembic upgrade head", "ERROR Multiple head revisions are present", failed=True),
            *bash("alembic merge -m merge 8c1f e07b", made),
            *bash("rm migrations/versions/0d9a_merge_heads.py"),
            *edit("migrations/versions/8c1f.py", "down_revision = '51be'", "down_revision = 'e07b'"),
            *bash("alembic upgrade head", "Running upgrade e07b -> 8c1f"),
        ]
    )
    assert "alembic upgrade head` after editing migrations/versions/8c1f.py" in found.correct_action
    assert "alembic merge" not in found.correct_action


def test_a_statement_that_a_later_one_took_back_is_not_told() -> None:
    found = lesson(
        [
            *bash('psql app -c "create index concurrently tickets_email on tickets(email)"', "CREATE INDEX"),
            *bash("make bench", "slow", failed=True),
            *bash('psql app -c "drop index tickets_email"', "DROP INDEX"),
            *bash('psql app -c "create index tickets_lower on tickets(lower(email))"', "CREATE INDEX"),
        ]
    )
    assert found.correct_action == '`psql app -c "create index tickets_lower on tickets(lower(email))"`'


def test_the_last_of_two_replacements_of_a_pattern_stays() -> None:
    found = lesson(
        [
            *bash("sed -i 's/vendorHash = .*/vendorHash = \"sha256-Zk3\";/' flake.nix"),
            *bash("nix build", "hash mismatch", failed=True),
            *bash("sed -i 's/vendorHash = .*/vendorHash = null;/' flake.nix && nix build"),
        ]
    )
    assert "`vendorHash = .*` → `vendorHash = null;`" in found.correct_action
    assert "sha256" not in found.correct_action


def test_a_command_that_the_user_names_as_wrong_is_not_told_though_others_followed_it() -> None:
    found = lesson(
        [
            *said(("user", "Open the port")),
            *bash("ssh bastion2 'sudo ufw allow 51820/udp && sudo ufw --force enable'", "Firewall is active"),
            *bash("systemctl restart wg-quick@wg0", "ok"),
            *said(("user", "The firewall is nftables there, managed by Ansible, never ufw.")),
            *bash("ansible-playbook site.yml -t fw", "changed=1"),
        ]
    )
    assert "ufw" not in found.correct_action
    assert "ansible-playbook site.yml -t fw" in found.correct_action


def test_a_line_that_a_pattern_replaced_is_told_as_it_ended() -> None:
    run = [
        *bash("pio run", "Error: The program size is greater than maximum allowed", failed=True),
        *bash("echo 'partitions = huge_app.csv' >> platformio.ini && pio run", "SUCCESS"),
        *said(("user", "that one has no second slot, we update over the air")),
        *bash("sed -i 's/^partitions.*/partitions = min_spiffs.csv/' platformio.ini && pio run", "SUCCESS"),
    ]
    told = lesson(run, task="Make the image fit").correct_action
    assert "min_spiffs.csv" in told
    assert "huge_app.csv" not in told


def test_a_line_that_an_edit_ended_with_and_another_replaced_is_told_as_it_ended() -> None:
    first = edit("app.rb", 'zone = "Oslo"', 'zone = "Oslo"\nunsafe_load = true')
    then = edit("app.rb", "unsafe_load = true\n", "permitted = [Time]\n")
    [net] = NetChanges(steps := find_steps(parse([*first, *then]))).of(steps)
    assert net.change == (('zone = "Oslo"', 'zone = "Oslo"\npermitted = [Time]'),)


def test_what_a_run_changed_besides_in_the_file_of_a_repair_is_told_too() -> None:
    run = [
        *bash("rspec", "Failure/Error: session deleted because of page crash", failed=True),
        *edit("spec/capybara.rb", "wait_time = 2", "wait_time = 10"),
        *bash("rspec spec/system", "61 examples, 0 failures"),
        *edit("spec/capybara.rb", 'add("--no-sandbox")', 'add("--no-sandbox")\nadd("--disable-dev-shm-usage")'),
    ]
    told = lesson(run, task="System specs die in CI").correct_action
    assert '+ `add("--disable-dev-shm-usage")`' in told
    assert told.count("wait_time = 10") == 1


def test_an_edit_that_only_takes_back_once_more_what_was_restored_is_not_told() -> None:
    found = lesson(
        [
            *edit("flake.nix", "import ./api.nix", 'import "${self}/api.nix"'),
            *bash("nix build", "error: no such file", failed=True),
            *bash("git checkout flake.nix"),
            *edit("flake.nix", 'import "${self}/api.nix"', "import ./api.nix"),
            *bash("git add --intent-to-add nix/ && nix build", "built"),
        ],
        task="Make it build",
    )
    assert "editing flake.nix" not in found.correct_action
    assert "git add --intent-to-add nix/" in found.correct_action


def test_a_line_that_was_put_in_and_replaced_with_others_is_told_as_it_ended() -> None:
    found = lesson(
        [
            *bash("docker build .", "ERROR: no matching key", failed=True),
            *bash("sed -i '3a ENV CHECK_KEYS=0' Dockerfile && docker build . | tail -3", "naming done"),
            *said(("user", "no, we don't switch checks off")),
            *edit("Dockerfile", "ENV CHECK_KEYS=0\nRUN npm run setup", "RUN npm install tool@3 && npm run setup"),
            *bash("docker build . | tail -4", "naming done"),
        ],
        task="Fix the image",
    )
    assert "tool@3" in found.correct_action
    assert "CHECK_KEYS" not in found.correct_action


@pytest.mark.parametrize(
    ("script", "kept"),
    [
        ("/timeout/d", "  retries: 3"),
        ("/^limits:/,$d", None),
        ("/^limits:/,/timeout/d", "  retries: 3"),
        ("/memory/d", "limits:\n  timeout: 5\n  retries: 3"),
    ],
)
def test_lines_that_a_script_deletes_are_gone_as_a_whole(script: str, kept: str | None) -> None:
    before = [
        *call(
            "Edit",
            {"file_path": "a.yml", "old_string": "end", "new_string": "limits:\n  timeout: 5\n  retries: 3\nend"},
            "ok",
        )
    ]
    steps = find_steps(parse([*before, *bash(f"sed -i '{script}' a.yml", "")]))
    change = [pair for step in NetChanges(steps).of([steps[0]]) for pair in step.change]
    text = change[0][1] if change else ""
    assert "timeou" not in text.replace("timeout: 5", "")
    assert kept is None or kept in text


def test_a_file_that_was_written_anew_leaves_nothing_of_what_it_held() -> None:
    found = lesson(
        [
            *write("scripts/rotate.sh", "#!/bin/bash\nmapfile -t logs < <(ls)\n"),
            *said(("user", "Everything here runs under ash: no mapfile, no bash arrays.")),
            *write("scripts/rotate.sh", '#!/bin/sh\nls | while read -r f; do rm -- "$f"; done\n'),
            *bash("scripts/selftest.sh", "ok"),
        ]
    )
    assert "mapfile -t logs" not in found.guidance + found.correct_action


def test_what_the_user_forbids_in_backquotes_is_not_told_where_it_only_undoes_that() -> None:
    found = lesson(
        [
            *said(("user", "Rename the queue")),
            *bash("terraform state mv a b", "moved"),
            *said(("user", "Stop: renames go into moved.tf, never `terraform state mv`. Put it back.")),
            *bash("terraform state mv b a", "moved"),
            *write("moved.tf", "moved {\n  from = a\n  to = b\n}\n"),
            *bash("terraform plan", "No changes."),
        ]
    )
    assert "terraform state mv" not in found.correct_action
    assert "moved.tf" in found.correct_action


def test_the_same_file_by_two_names_is_one() -> None:
    found = lesson(
        [
            *bash("sed -i 's/safe()/True/' mails/render.py && pytest -q", "1 failed\nAssertionError: x"),
            *call(
                "Edit",
                {"file_path": "/srv/app/mails/render.py", "old_string": "True", "new_string": 'safe("html")'},
                "ok",
            ),
            *bash("pytest -q", "1 passed"),
        ]
    )
    assert '`safe()` → `safe("html")`' in found.correct_action
    assert "`True` →" not in found.correct_action


def test_a_file_that_was_copied_back_holds_nothing_of_what_was_tried_between() -> None:
    found = lesson(
        [
            *call(
                "Edit",
                {"file_path": "gauge/Cargo.toml", "old_string": "edition = 2018", "new_string": "edition = 2021"},
                "ok",
            ),
            *bash("cp gauge/Cargo.toml /tmp/g.bak && sed -i '/dev-dep/,$d' gauge/Cargo.toml", ""),
            *bash("cargo build", "ok"),
            *bash("cp /tmp/g.bak gauge/Cargo.toml", ""),
            *call(
                "Edit",
                {"file_path": "Cargo.toml", "old_string": "[workspace]", "new_string": '[workspace]\nresolver = "2"'},
                "ok",
            ),
            *bash("cargo build --release", "ok"),
        ]
    )
    assert 'resolver = "2"' in found.correct_action
    assert "`edition = 2018` → `edition = 2021`" in found.correct_action
    assert "dev-dep" not in found.correct_action


def test_how_things_stood_before_the_change_is_not_what_worked() -> None:
    found = lesson(
        [
            *bash("bash -x tools/batch.sh | tail -3", "+ read -r id"),
            *bash("npm ci", "added 3 packages"),
            *call(
                "Edit",
                {"file_path": "tools/batch.sh", "old_string": "render", "new_string": "render < /dev/null"},
                "ok",
            ),
            *bash("tools/batch.sh && ls out", "1 2 3"),
        ]
    )
    assert "bash -x" not in found.correct_action
    assert "npm ci" in found.correct_action
    assert "`tools/batch.sh`" in found.correct_action


def test_edits_below_a_folder_that_was_checked_out_are_gone_and_so_is_the_checkout() -> None:
    found = lesson(
        [
            *call(
                "Edit",
                {"file_path": "/srv/fmt/packages/shop/index.mjs", "old_string": "fmt/de", "new_string": "fmt/dist/de"},
                "ok",
            ),
            *bash("git checkout -q packages", ""),
            *call(
                "Edit",
                {
                    "file_path": "/srv/fmt/packages/fmt/package.json",
                    "old_string": "{}",
                    "new_string": '{"./de": "./dist/de.js"}',
                },
                "ok",
            ),
            *bash("node packages/shop/index.mjs", "ok"),
        ]
    )
    assert '"./de": "./dist/de.js"' in found.correct_action
    assert "fmt/dist/de" not in found.correct_action
    assert "git checkout" not in found.correct_action


def test_a_later_edit_that_takes_in_more_than_an_earlier_one_is_told_for_itself() -> None:
    def edit_of(old: str, new: str) -> Messages:
        return call("Edit", {"file_path": "plan.tcl", "old_string": old, "new_string": new}, "ok")

    found = lesson(
        [
            *edit_of("    set cum", "    set m [string trimleft $m 0]\n    set cum"),
            *edit_of(
                "    set m [string trimleft $m 0]\n",
                "    set m [string trimleft $m 0]\n    set d [string trimleft $d 0]\n",
            ),
            *edit_of(
                "    lassign [split $date -] y m d\n    set m [string trimleft $m 0]\n"
                "    set d [string trimleft $d 0]\n",
                "    scan $date %d-%d-%d y m d\n",
            ),
            *bash("tclsh plan.tcl 2025-08-09", "221"),
        ]
    )
    assert "`lassign [split $date -] y m d` → `scan $date %d-%d-%d y m d`" in found.correct_action
    assert "trimleft" not in found.correct_action
