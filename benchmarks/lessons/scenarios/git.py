"""Git: a detached head, histories without a common commit, branches."""

from __future__ import annotations

from benchmarks.lessons.scenario import Run, Say, Scenario

GIT = (
    Scenario(
        "git-detached",
        "git",
        "Push the hotfix branch to the remote called origin.",
        "git does not want to push the branch for the hotfix.",
        {"a.txt": "a\n"},
        (
            Run("git push"),
            Run("git push --set-upstream origin hotfix"),
            Say("New branches need --set-upstream origin once; push.autoSetupRemote is off here."),
        ),
        "git push --set-upstream origin hotfix",
        setup="git init -q -b hotfix . && git config user.email a@example.org && git config user.name a"
        " && git add a.txt"
        " && git commit -qm a && git init -q --bare ../remote.git && git remote add origin ../remote.git",
    ),
    Scenario(
        "git-merge-unrelated",
        "git",
        "Merge the imported history branch into main.",
        "Merging the branch with the imported history is refused.",
        {"a.txt": "a\n"},
        (Run("git merge imported"), Run("git merge --allow-unrelated-histories -m 'merge import' imported")),
        "git merge --allow-unrelated-histories",
        setup="git init -q -b main . && git config user.email a@example.org && git config user.name a && git add a.txt"
        " && git commit -qm a && git checkout -q --orphan imported && git rm -qf a.txt && echo b > b.txt"
        " && git add b.txt"
        " && git commit -qm b && git checkout -q main",
    ),
    Scenario(
        "git-delete-branch",
        "git",
        "Delete the local branch experiment.",
        "Removing the experiment branch fails since it was not merged.",
        {"a.txt": "a\n"},
        (
            Run("git branch -d experiment"),
            Run("git branch -D experiment"),
            Say("experiment was abandoned on purpose, so -D is right for it."),
        ),
        "git branch -D experiment",
        setup="git init -q -b main . && git config user.email a@example.org && git config user.name a && git add a.txt"
        " && git commit -qm a && git checkout -q -b experiment && echo c > c.txt && git add c.txt && git commit -qm c"
        " && git checkout -q main",
    ),
)
