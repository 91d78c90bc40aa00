"""Edits that a command line makes beside what else it does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.trajectory.patches import FilePatch
from mcp_reflect.domain.trajectory.scripted_edits import read_scripted_edits
from tests.support.linear_time import takes_linear_time

SCRIPT = """\
python3 - <<'PY'
p = "src/limits.py"
s = open(p).read()
s = s.replace("LIMIT = 10", "LIMIT = 25")
open(p, "w").write(s)
PY
pytest -q"""


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("sed -i 's/old/new/' a.ini", (FilePatch("a.ini", (("old", "new"),)),)),
        ("sed -i 's#/a#/b#; s/x/y/g' a.ini && make", (FilePatch("a.ini", (("/a", "/b"), ("x", "y"))), "make")),
        ("make && sed -i 's/1/2/' a.ini; make test", ("make", FilePatch("a.ini", (("1", "2"),)), "make test")),
        ("cd app && perl -pi -e 's/a/b/' x.pl && prove", (FilePatch("app/x.pl", (("a", "b"),)), "prove")),
        (
            r"sed -i 's/^FROM slim$/&\nRUN make/' Dockerfile",
            (FilePatch("Dockerfile", (("FROM slim", "FROM slim\nRUN make"),)),),
        ),
        (r"sed -i 's/\btmp\b/total/g' a.py", (FilePatch("a.py", (("tmp", "total"),)),)),
        ("sudo sed -i 's/on/off/' /etc/a.conf && sudo a -t", (FilePatch("/etc/a.conf", (("on", "off"),)), "sudo a -t")),
        (r"sed -i '9i\    include b.conf;' a.conf", (FilePatch("a.conf", (("", "include b.conf;"),)),)),
        ("sed -i '/^foo(/a bar(1)' a.txt && make", (FilePatch("a.txt", (("", "bar(1)"),)), "make")),
        (r"sed -i '2a\b=1' a.ini", (FilePatch("a.ini", (("", "b=1"),)),)),
        (r"sed -i '1i #!/bin/sh\nset -e' a.sh", (FilePatch("a.sh", (("", "#!/bin/sh\nset -e"),)),)),
        ("sed -i '/^port/c port = 81' a.ini", (FilePatch("a.ini", (("port", "port = 81"),)),)),
        ("echo 'a=1' | sudo tee -a /etc/x >/dev/null", (FilePatch("/etc/x", (("", "a=1"),)),)),
        ("echo -n 'a=1' | tee x && make", (FilePatch("x", (("", "a=1"),), writes=True), "make")),
        (
            "sudo tee /etc/a.conf >/dev/null <<'E'\ngzip off;\nE\nsudo a -t",
            (FilePatch("/etc/a.conf", (("", "gzip off;"),), writes=True), "sudo a -t"),
        ),
        # A pattern keeps its escapes: without them it would name something that never existed.
        (r"sed -i 's/rev\s*=\d/rev = 2\n/' a.py", (FilePatch("a.py", ((r"rev\s*=\d", "rev = 2\n"),)),)),
        (r"sed -i -E 's/(a)\/(b)/\2.\1/' a.py", (FilePatch("a.py", (("(a)/(b)", r"\2.\1"),)),)),
        (r'sed -i "s/v = \"1\"/v = \"2\"/" a.py', (FilePatch("a.py", (('v = "1"', 'v = "2"'),)),)),
        (
            "git checkout a.c && sed -i 's/x/y/' a.c\ncat > b.txt <<'EOF'\nz\nEOF\nmake",
            (
                "git checkout a.c",
                FilePatch("a.c", (("x", "y"),)),
                FilePatch("b.txt", (("", "z"),), writes=True),
                "make",
            ),
        ),
        (  # a script that is not plain stays a command, with all behind it
            "sed -i 's/x/y/' a.c && python3 - <<'EOF'\ncompile(1)\nEOF\nmake",
            (FilePatch("a.c", (("x", "y"),)), "python3 - <<'EOF'\ncompile(1)\nEOF\nmake"),
        ),
        (  # the folder that each part ran in
            "cd web && npm ci && cd .. && sed -i 's/1/2/' a.py && cd /srv/b; sed -i 's/1/2/' c.py && echo 'x' >> ~/.rc",
            (
                "cd web && npm ci && cd ..",
                FilePatch("a.py", (("1", "2"),)),
                FilePatch("/srv/b/c.py", (("1", "2"),)),
                FilePatch("~/.rc", (("", "x"),)),
            ),
        ),
        (  # and where it is not known
            "cd sub && pushd 'my dir' && sed -i 's/1/2/' a.py",
            ("cd sub && pushd 'my dir'", FilePatch("a.py", (("1", "2"),))),
        ),
        ("cd $HOME && sed -i 's/1/2/' a.py", (FilePatch("a.py", (("1", "2"),)),)),
        (
            "cat > a.py <<'EOF'\nA = 1\nEOF\necho 'B = 2' >> a.py",
            (FilePatch("a.py", (("", "A = 1"),), writes=True), FilePatch("a.py", (("", "B = 2"),))),
        ),
        ("sed -i '14s#localhost#0.0.0.0#' a.yml", (FilePatch("a.yml", (("localhost (line 14)", "0.0.0.0"),)),)),
        ("sed -i '1i import time' a.py && pytest", (FilePatch("a.py", (("", "import time"),)), "pytest")),
        ("sed -i '/debug/d' a.ini", (FilePatch("a.ini", (("debug", ""),)),)),
        (
            "printf '%s\\n' >> a && printf 'biber %%O\\n' >> rc",
            (FilePatch("a", (("", "%s\n"),)), FilePatch("rc", (("", "biber %O\n"),))),
        ),
        ("echo 'LEVEL=3' >> .env && make", (FilePatch(".env", (("", "LEVEL=3"),)), "make")),
        (SCRIPT, (FilePatch("src/limits.py", (("LIMIT = 10", "LIMIT = 25"),)), "pytest -q")),
        ("cat > a.txt <<'EOF' && make\nhello\nEOF", (FilePatch("a.txt", (("", "hello"),), writes=True), "make")),
    ],
)
def test_edits_are_read_from_a_command_line_in_order(command: str, parts: tuple[FilePatch | str, ...]) -> None:
    assert read_scripted_edits(command) == parts


@pytest.mark.parametrize(
    "command",
    [
        "make test",
        "sed -n 1,5p a.ini",
        "sed -i '5d' a.ini && make",  # says nothing of what stood there
        "sed -i 's/a/b/' a.ini || make",  # may not have run
        "if [ ! -f a.yml ]; then\ncat > a.yml <<'EOF'\nport: 1\nEOF\nfi\n./start.sh",
        "test -f a.yml && exit 0\ncat > a.yml <<'EOF'\nport: 1\nEOF",
        "for f in a b; do\ncat > $f <<'EOF'\nport: 1\nEOF\ndone",
        "for f in a b; do sed -i 's/a/b/' $f; done",
        "sed -i 's/a/b/' a.ini b.ini",
        # Never answered while an escape could be read in two ways.
        r"sed -i 's/\(foo\)\.\(bar\)\.\(baz\)\s\+\(\w\+\)\s\+\(\w\+\)\/\(x\)\/y/\1\.\2\.\3\ \4\ \5/gp' conf.txt",
        "sed -i 's/" + r"\." * 2_000 + "/x/w out' a.ini && make",
        "python - <<'PY'\nprint(open('a').read().replace('a', 'b'))\nPY",  # writes nothing
        "python - <<'PY'\nopen('a', 'w').write(\nPY",
    ],
)
def test_what_is_not_certain_to_be_an_edit_stays_a_command(command: str) -> None:
    assert read_scripted_edits(command) == ()


def test_the_time_for_a_head_of_blank_lines_grows_with_its_length() -> None:
    def read(lines: int) -> None:
        head = "echo a" + "\n" * lines
        assert read_scripted_edits(f"{head}x <<E\nhello\nE") == ()

    assert takes_linear_time(read, 1_750)


@given(st.text(alphabet="sed -i's/a#\\&\n<>EOF;|()\"$", max_size=80))
def test_no_command_line_is_too_odd(command: str) -> None:
    parts = read_scripted_edits(f"sed -i {command}")
    assert all(isinstance(each, str) or each.path for each in parts)


def test_a_line_that_sed_appends_is_an_edit() -> None:
    appended = read_scripted_edits(
        "sed -i 's/optimizer = true/optimizer = false/; $a via_ir = true' foundry.toml && forge test"
    )
    changes = (("optimizer = true", "optimizer = false"), ("", "via_ir = true"))
    assert appended == (FilePatch("foundry.toml", changes), "forge test")


@pytest.mark.parametrize("program", ["patch -p1", "patch -p1 -", "git apply", "git apply --index -"])
def test_a_patch_in_a_here_document(program: str) -> None:
    diff = "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-int a;\n+int b;"
    assert read_scripted_edits(f"{program} <<'EOF'\n{diff}\nEOF\nmake") == (
        FilePatch("x.c", (("int a;", "int b;"),)),
        "make",
    )
    moved = FilePatch("src/x.c", (("int a;", "int b;"),))
    assert read_scripted_edits(f"cd src && {program} <<'EOF'\n{diff}\nEOF") == (moved,)
