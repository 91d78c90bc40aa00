"""Sessions with git and the tools of a shell."""

from __future__ import annotations

from benchmarks.lessons.scenario import Run, Say, Scenario
from benchmarks.repeats.case import Case

_COMMIT = "git config user.email a@example.org && git config user.name a"
_REPOSITORY = "git init -q -b main . && " + _COMMIT + " && git add -A && git commit -qm first"
_DATA = '{"items": [{"name": "pen", "price-total": 3}]}\n'
_DEPLOY = 'files=(a b)\necho "deploy ${#files[@]} files to $1"\n'

SHELLS = (
    Case(
        Scenario(
            "git-push-upstream",
            "git",
            "Push the branch of the fix.",
            "Push my branch.",
            {"a.txt": "a\n"},
            (Run("git push"), Run("git push -u origin HEAD")),
            "git push -u origin HEAD",
            setup="git init -q --bare ../remote.git && "
            + _REPOSITORY
            + " && git remote add origin ../remote.git && git checkout -qb fix",
        ),
        (
            "git push",
            "cd {project} && git push 2>&1 | tail -5",
            "git -C {project} push",
            "git push -v",
            "GIT_TRACE=1 git push",
            "timeout 60 git push",
        ),
        (
            "git push -u origin HEAD",
            "git push origin main",
            "git push --set-upstream origin fix",
            "git pull",
            "git push --tags origin",
            "git stash push",
        ),
    ),
    Case(
        Scenario(
            "git-default-branch",
            "git",
            "Go back to the main line and look at what is new.",
            "Switch to the main line.",
            {"a.txt": "a\n"},
            (Run("git checkout master"), Run("git branch -a"), Run("git checkout main")),
            "git checkout main",
            setup=_REPOSITORY + " && git checkout -qb fix",
            client="codex",
        ),
        (
            "git checkout master",
            "git checkout -q master",
            "git -C {project} checkout master",
            "cd {project} && git checkout 'master' 2>&1",
            "git checkout master && git log -3",
            "git fetch -q; git checkout master",
        ),
        (
            "git checkout main",
            "git checkout -b master-fix",
            "git checkout -- a.txt",
            "git branch -a",
            "git log --grep 'git checkout master'",
            "git checkout -b master",
        ),
    ),
    Case(
        Scenario(
            "git-worktree-branch",
            "git",
            "Make a second working tree for a hotfix.",
            "A working tree for the hotfix.",
            {"a.txt": "a\n"},
            (Run("git worktree add ../hotfix main"), Run("git worktree add -b hotfix ../hotfix main")),
            "git worktree add -b hotfix ../hotfix main",
            setup=_REPOSITORY,
        ),
        (
            "git worktree add ../hotfix main",
            "git -C {project} worktree add ../hotfix main",
            "cd {project} && git worktree add ../hotfix main && cd ../hotfix",
            'git worktree add "../hotfix" main',
            "git worktree add ../hotfix main 2>&1 | cat",
        ),
        (
            "git worktree add -b hotfix ../hotfix main",
            "git worktree add --detach ../hotfix main",
            "git worktree list",
            "git worktree remove ../hotfix",
            "git worktree add ../spike spike",
        ),
    ),
    Case(
        Scenario(
            "jq-hyphen",
            "shell",
            "Add up the totals in data.json.",
            "Sum the totals of the items.",
            {"data.json": _DATA},
            (Run("jq '.items[] | .price-total' data.json"), Run("""jq '.items[] | .["price-total"]' data.json""")),
            '.["price-total"]',
        ),
        (
            "jq '.items[] | .price-total' data.json",
            'jq ".items[] | .price-total" data.json',
            "jq -r '.items[] | .price-total' data.json",
            "jq '.items[] | .price-total' {project}/data.json | head -3",
            "cat data.json | jq '.items[] | .price-total'",
            "jq '.items[]|.price-total' ./data.json",
        ),
        (
            """jq '.items[] | .["price-total"]' data.json""",
            """jq -r '[.items[] | .["price-total"]] | add' data.json""",
            "jq '.items[] | .name' data.json",
            "jq . data.json",
            "jq '.items | length' data.json",
            "cat data.json",
        ),
    ),
    Case(
        Scenario(
            "sqlite-keyword",
            "sql",
            "How many orders does shop.db hold?",
            "Count the orders.",
            {"schema.sql": 'create table "order" (id integer);\n'},
            (
                Run("sqlite3 shop.db 'select count(*) from order'"),
                Run("sqlite3 shop.db .schema"),
                Run("""sqlite3 shop.db 'select count(*) from "order"'"""),
            ),
            'from "order"',
            setup="sqlite3 shop.db < schema.sql",
        ),
        (
            "sqlite3 shop.db 'select count(*) from order'",
            'sqlite3 shop.db "select count(*) from order"',
            "sqlite3 -header shop.db 'select count(*) from order'",
            "sqlite3 {project}/shop.db 'select count(*) from order'",
            "sqlite3 shop.db 'select count(*) from order;'",
            "cd {project} && sqlite3 -readonly shop.db 'select count(*) from order' | tail -1",
        ),
        (
            """sqlite3 shop.db 'select count(*) from "order"'""",
            """sqlite3 shop.db 'select id from "order" limit 5'""",
            "sqlite3 shop.db .tables",
            "sqlite3 shop.db .schema",
            "sqlite3 shop.db 'select 1'",
            "ls -la shop.db",
        ),
    ),
    Case(
        Scenario(
            "tar-not-gzip",
            "shell",
            "Unpack the backup.",
            "Restore what is in the backup.",
            {"notes/a.txt": "a\n"},
            (Run("tar xzf backup.tar.gz"), Run("file backup.tar.gz || true"), Run("tar xf backup.tar.gz")),
            "tar xf backup.tar.gz",
            setup="tar cf backup.tar.gz notes",
            client="codex-exec",
        ),
        (
            "tar xzf backup.tar.gz",
            "tar -xzf backup.tar.gz",
            "tar xzvf backup.tar.gz",
            "tar -xzf {project}/backup.tar.gz",
            "cd {project} && tar xzf ./backup.tar.gz 2>&1 | tail -2",
            "tar -xvzf backup.tar.gz",
        ),
        (
            "tar xf backup.tar.gz",
            "tar -xf backup.tar.gz -v",
            "tar czf backup.tar.gz notes",
            "tar tf backup.tar.gz",
            "tar xzf release.tar.gz",
            "rm backup.tar.gz",
        ),
    ),
    Case(
        Scenario(
            "sh-bash-only",
            "shell",
            "Deploy to staging.",
            "Bring it to staging.",
            {"deploy.sh": _DEPLOY},
            (Run("sh deploy.sh staging"), Say("It uses arrays."), Run("bash deploy.sh staging")),
            "bash deploy.sh staging",
        ),
        (
            "sh deploy.sh staging",
            "sh ./deploy.sh staging",
            "/bin/sh deploy.sh staging",
            "cd {project} && sh deploy.sh staging 2>&1 | tee deploy.log",
            "sh -x deploy.sh staging",
            "DRY_RUN=1 sh deploy.sh 'staging'",
            "nohup sh deploy.sh staging &",
        ),
        (
            "bash deploy.sh staging",
            "bash -x ./deploy.sh staging",
            "sh test.sh staging",
            "shellcheck deploy.sh",
            "cat deploy.sh",
            "chmod +x deploy.sh",
        ),
    ),
    Case(
        Scenario(
            "grep-lookbehind",
            "shell",
            "Which prices stand in the data files?",
            "Find the prices in data.",
            {"data/a.txt": "price: 12\n"},
            (Run("grep -rE '(?<=price: )[0-9]+' data"), Run("grep -rP '(?<=price: )[0-9]+' data")),
            "grep -rP",
        ),
        (
            "grep -rE '(?<=price: )[0-9]+' data",
            'grep -rE "(?<=price: )[0-9]+" data',
            "grep -rnE '(?<=price: )[0-9]+' data",
            "grep -r -E '(?<=price: )[0-9]+' data/ | sort",
            "cd {project} && grep -rE '(?<=price: )[0-9]+' data | head",
        ),
        (
            "grep -rP '(?<=price: )[0-9]+' data",
            "grep -rnP '(?<=price: )[0-9]+' data | sort",
            "grep -rE 'price: [0-9]+' data",
            "grep -rn price data",
            "rg '(price: )[0-9]+' data",
        ),
    ),
    Case(
        Scenario(
            "sed-in-place",
            "shell",
            "Rename the shop to store in the settings.",
            "Rename it in the settings.",
            {"settings.ini": "name = shop\n"},
            (
                Run("sed -i '' 's/shop/store/' settings.ini"),
                Say("That is the form of macOS."),
                Run("sed -i 's/shop/store/' settings.ini"),
            ),
            "sed -i 's/shop/store/' settings.ini",
            client="gemini",
        ),
        (
            "sed -i '' 's/shop/store/' settings.ini",
            "sed -i \"\" 's/shop/store/' settings.ini",
            "sed -i '' 's/shop/store/' {project}/settings.ini",
            "cd {project} && sed -i '' \"s/shop/store/\" settings.ini && cat settings.ini",
            "sed -i '' -e 's/shop/store/' settings.ini",
        ),
        (
            "sed -i 's/shop/store/' settings.ini",
            "sed -i.bak 's/shop/store/' settings.ini",
            "sed -n '1,20p' settings.ini",
            "cat settings.ini",
            "grep -n shop settings.ini",
        ),
    ),
)
