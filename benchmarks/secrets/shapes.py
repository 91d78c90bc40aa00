"""Shapes that secrets are written in: files, commands, code, JSON, encodings and what programs print."""

from __future__ import annotations

import base64
import html
import json
import re
import shlex
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

Shape = Callable[[str, str], Any]
"""Writes a secret under a name of words, such as `db password`, as text or as a JSON value."""


def upper(name: str) -> str:
    """Return the name as DB_PASSWORD."""
    return re.sub(r"\W+", "_", name).upper()


def lower(name: str) -> str:
    """Return the name as db_password."""
    return upper(name).lower()


def camel(name: str) -> str:
    """Return the name as dbPassword."""
    first, *rest = lower(name).split("_")
    return first + "".join(word.title() for word in rest)


def kebab(name: str) -> str:
    """Return the name as db-password."""
    return lower(name).replace("_", "-")


def header(name: str) -> str:
    """Return the name as X-Db-Password."""
    return "X-" + kebab(name).title()


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _escaped(value: Any, levels: int) -> str:
    for _ in range(levels):
        value = json.dumps(value)
    return str(value)


_FILES: dict[str, Shape] = {
    "env file": lambda n, s: f"DEBUG=1\n{upper(n)}={s}\nPORT=80",
    "env double quotes": lambda n, s: f'{upper(n)}="{s}"',
    "env single quotes": lambda n, s: f"export {upper(n)}='{s}'",
    "yaml": lambda n, s: f"app:\n  {lower(n)}: {s}\n  debug: true",
    "yaml quoted": lambda n, s: f'{camel(n)}: "{s}"',
    "yaml block": lambda n, s: f"{lower(n)}: |\n  {s}\nnext: 1",
    "yaml list": lambda n, s: f"- name: {upper(n)}\n  value: {json.dumps(s)}\n",
    "toml": lambda n, s: f'[app]\n{lower(n)} = "{s}"\n',
    "ini": lambda n, s: f"[app]\n{lower(n)} = {s}\n",
    "properties": lambda n, s: f"app.{kebab(n)}={s}\n",
    "hcl": lambda n, s: f'  {lower(n)}   = "{s}"',
    "xml element": lambda n, s: f"<{camel(n)}>{html.escape(s)}</{camel(n)}>",
    "xml attribute": lambda n, s: f'<conn {camel(n)}="{html.escape(s)}" port="1"/>',
    "makefile": lambda n, s: f"{upper(n)} := {s}\n",
    "csv": lambda n, s: f"name,value\n{upper(n)},{s}\n",
    "markdown table": lambda n, s: f"| `{upper(n)}` | `{s}` |",
    "markdown bold": lambda n, s: f"- **{n.title()}**: `{s}`",
}
_COMMANDS: dict[str, Shape] = {
    "flag": lambda n, s: f"deploy --{kebab(n)} {shlex.quote(s)} --verbose",
    "flag equals": lambda n, s: f"deploy --{kebab(n)}={shlex.quote(s)} now",
    "flag underscore": lambda n, s: f"run.py --{lower(n)} '{s}'",
    "export": lambda n, s: f"export {upper(n)}={shlex.quote(s)} && make",
    "prefix": lambda n, s: f"{upper(n)}={shlex.quote(s)} python app.py",
    "docker": lambda n, s: f"docker run --rm -e {upper(n)}={shlex.quote(s)} app:1",
    "kubectl": lambda n, s: f"kubectl create secret generic x --from-literal={kebab(n)}={shlex.quote(s)}",
    "powershell": lambda n, s: f'$env:{upper(n)} = "{s}"',
    "fish": lambda n, s: f"set -x {upper(n)} {shlex.quote(s)}",
    "cmd": lambda n, s: f"set {upper(n)}={s}\r\n",
    "csh": lambda n, s: f"setenv {upper(n)} {shlex.quote(s)}",
}
_CODE: dict[str, Shape] = {
    "python": lambda n, s: f"{lower(n)} = {s!r}",
    "python constant": lambda n, s: f'{upper(n)}: Final = "{s}"',
    "python keyword": lambda n, s: f"client = Client(url, {lower(n)}={s!r}, timeout=3)",
    "python dict": lambda n, s: str({"user": "bob", lower(n): s}),
    "python environ": lambda n, s: f"os.environ[{upper(n)!r}] = {s!r}",
    "javascript": lambda n, s: f"const {camel(n)} = '{s}';",
    "javascript object": lambda n, s: f"  {camel(n)}: '{s}',",
    "typescript": lambda n, s: f'private readonly {camel(n)}: string = "{s}";',
    "go": lambda n, s: f'cfg.{camel(n).title()} = "{s}"',
    "java call": lambda n, s: f'props.setProperty("{camel(n)}", "{s}");',
    "php": lambda n, s: f"define('{upper(n)}', '{s}');",
    "php array": lambda n, s: f"'{lower(n)}' => '{s}',",
    "c": lambda n, s: f'#define {upper(n)} "{s}"',
    "ruby": lambda n, s: f"ENV['{upper(n)}'] = '{s}'",
}
_JSON: dict[str, Shape] = {
    "json": lambda n, s: json.dumps({"user": "bob", camel(n): s, "n": 1}),
    "json pretty": lambda n, s: json.dumps({"app": {lower(n): s}}, indent=2),
    "json next line": lambda n, s: f'{{"{lower(n)}":\n    {json.dumps(s)}}}',
    "json escaped": lambda n, s: _escaped({camel(n): s}, 2),
    "json escaped twice": lambda n, s: _escaped({"body": {lower(n): s}}, 3),
    "json env list": lambda n, s: json.dumps({"Env": [f"{upper(n)}={s}", "PATH=/bin"]}),
    "json name and value": lambda n, s: json.dumps([{"name": upper(n), "value": s}]),
    "unquoted key": lambda n, s: f"{{{camel(n)}: {json.dumps(s)}, port: 1}}",
}
_ENCODED: dict[str, Shape] = {
    "url query": lambda n, s: f"GET https://api.corp.com/v1?{lower(n)}={quote(s, safe='')}&page=2",
    "form": lambda n, s: f"user=bob&{lower(n)}={quote(s, safe='')}",
    "url encoded": lambda n, s: quote(json.dumps({lower(n): s}), safe=""),
    "html escaped": lambda n, s: html.escape(json.dumps({camel(n): s})),
    "unicode escaped": lambda n, s: json.dumps({lower(n): s}).replace('"', "\\u0022"),
    "base64 env file": lambda n, s: f"config: {_b64(f'DEBUG=1{chr(10)}{upper(n)}={s}{chr(10)}')}",
    "base64 json": lambda n, s: _b64(json.dumps({"name": "app", lower(n): s})),
    "base64 value": lambda n, s: f"apiVersion: v1\ndata:\n  {lower(n)}: {_b64(s)}\nkind: Secret",
}
_PRINTED: dict[str, Shape] = {
    "http header": lambda n, s: f"POST / HTTP/1.1\r\n{header(n)}: {s}\r\nAccept: */*",
    "curl verbose": lambda n, s: f"> {header(n).lower()}: {s}\n> accept: */*",
    "log fields": lambda n, s: f"2024-01-02T03:04:05Z level=info msg=start {lower(n)}={s} port=80",
    "log json": lambda n, s: f"INFO cfg={json.dumps({camel(n): s})} took 3 ms",
    "ansi": lambda n, s: f"\x1b[32m{upper(n)}\x1b[0m=\x1b[1m{s}\x1b[0m",
    "diff": lambda n, s: f"@@ -1,2 +1,2 @@\n-{upper(n)}=\n+{upper(n)}={s}",
    "grep": lambda n, s: f".env:12:{upper(n)}={s}\nsrc/a.py:3:import os",
    "numbered": lambda n, s: f"    11→DEBUG=1\n    12→{upper(n)}={s}\n    13→PORT=80",
    "cat -n": lambda n, s: f"     1\timport os\n     2\t{upper(n)} = '{s}'\n",
    "columns": lambda n, s: f"NAME          VALUE\n{upper(n)}    {s}\n",
    "python error": lambda n, s: f"ValueError: bad settings: {lower(n)}='{s}'",
    "shell trace": lambda n, s: f"+ export {upper(n)}={s}\n+ {upper(n)}={s}",
    "prose is": lambda n, s: f"The {n} is {s} for now.",
    "prose colon": lambda n, s: f"{n.capitalize()}: {s}",
    "prose backticks": lambda n, s: f"I set `{upper(n)}` to `{s}` and it worked.",
    "next line": lambda n, s: f"{n.capitalize()}:\n{s}\n\nDone.",
}
_VALUES: dict[str, Shape] = {
    "value by key": lambda n, s: {"config": {camel(n): s}},
    "value by name": lambda n, s: {"key": upper(n), "value": s},
    "value after flag": lambda n, s: {"argv": ["app", f"--{kebab(n)}", s]},
    "value in list": lambda n, s: {"env": {"vars": [f"{upper(n)}={s}"]}},
    "value of header": lambda n, s: {"headers": [[header(n), s]]},
}
NAMED = _FILES | _COMMANDS | _CODE | _JSON | _ENCODED | _PRINTED | _VALUES
"""Shapes in which the secret has a name."""

BARE: dict[str, Shape] = {
    "alone": lambda _, s: s,
    "in prose": lambda _, s: f"I used {s} and it worked.",
    "at the end of a sentence": lambda _, s: f"It worked with {s}.",
    "in parentheses": lambda _, s: f"call({s}, 3)",
    "in quotes": lambda _, s: f"x = foo('{s}')",
    "other name": lambda _, s: f"X={s}\nY=2",
    "in a url path": lambda _, s: f"https://api.corp.com/{s}/items?page=2",
    "user of a url": lambda _, s: f"git clone https://{quote(s, safe='')}@git.corp.com/a/b.git",
    "query of a url": lambda _, s: f"curl 'https://api.corp.com/v1?t={quote(s, safe='')}&p=1'",
    "after a line end": lambda _, s: f"first\\n{s}\\nsecond",
    "json string": lambda _, s: json.dumps(["a", s]),
    "escaped string": lambda _, s: _escaped(["a", f"got {s}\n"], 3),
    "after a colon": lambda _, s: f"login:{s}",
    "in a list": lambda _, s: f"a,{s},b",
    "in backticks": lambda _, s: f"- `{s}`",
    "in tags": lambda _, s: f"<td>{html.escape(s)}</td>",
    "coloured": lambda _, s: f"\x1b[32m{s}\x1b[0m",
    "added line": lambda _, s: f"+{s}\n-old",
    "in base64": lambda _, s: _b64(f"first line\nt {s}\nlast line"),
    "key of an object": lambda _, s: {s: 1},
    "name of a tool": lambda _, s: {"type": "tool_use", "name": s, "input": {}},
}


def carriers() -> dict[str, Callable[[str], Any]]:
    """Return what a text that shows its secret by itself is carried in."""
    return {
        "as it is": lambda text: text,
        "between lines": lambda text: f"$ run\n{text}\nexit 0\n",
        "output in json": lambda text: json.dumps({"output": text, "code": 0}),
        "escaped twice": lambda text: _escaped({"result": text}, 2),
        "of a call": lambda text: {"type": "tool_use", "name": "Bash", "input": {"command": text}},
        "encoded": lambda text: f"payload {_b64(text)} sent",
        "indented": lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
        "numbered": lambda text: "\n".join(f"{n:6}→{line}" for n, line in enumerate(text.split("\n"), 1)),
        "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
        "windows lines": lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n"),
        "coloured": lambda text: f"\x1b[36m{text}\x1b[0m",
    }


def pick(shapes: dict[str, Any], rng: Random, count: int) -> list[str]:
    """Return so many different names of shapes, in order."""
    return sorted(rng.sample(sorted(shapes), min(count, len(shapes))))
