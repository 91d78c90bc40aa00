"""Shapes of the files, commands and dumps in which the everyday secrets have a name."""

from __future__ import annotations

import base64
import html
import json

from benchmarks.secrets.shapes import Shape, camel, kebab, lower, upper

EVERYDAY_SHAPES: dict[str, Shape] = {
    "spring": lambda n, s: f"app:\n  client:\n    {kebab(n)}: {s}\n    timeout: 3s\n",
    "dotted": lambda n, s: f"com.corp.app.{camel(n)} = {s}\nserver.port = 80\n",
    "tfvars": lambda n, s: f'region = "eu"\n{lower(n)} = "{s}"\n',
    "terraform export": lambda n, s: f"export TF_VAR_{lower(n)}={s}",
    "terraform block": lambda n, s: f'variable "{lower(n)}" {{\n  default = "{s}"\n}}',
    "systemd": lambda n, s: f"[Service]\nEnvironment=PORT=80 {upper(n)}={s}\nRestart=always",
    "systemd quoted": lambda n, s: f'[Service]\nEnvironment="{upper(n)}={s}"\n',
    "compose": lambda n, s: f"services:\n  app:\n    environment:\n      {upper(n)}: {s}\n      PORT: 80\n",
    "compose list": lambda n, s: f"    environment:\n      - {upper(n)}={s}\n      - PORT=80\n",
    "github env": lambda n, s: f"    env:\n      {upper(n)}: '{s}'\n      CI: true\n",
    "kube env": lambda n, s: f"        - name: {upper(n)}\n          value: {s}\n",
    "yaml comment": lambda n, s: f"{lower(n)}: {s}  # rotate in May\nport: 80\n",
    "env comment": lambda n, s: f"# {upper(n)}={s}\nPORT=80\n",
    "env spaces": lambda n, s: f"{upper(n)} = {s}\nPORT = 80\n",
    "xml add": lambda n, s: f'<add key="{camel(n)}" value="{html.escape(s)}" />',
    "xml setting": lambda n, s: f'<setting name="{kebab(n)}">{html.escape(s)}</setting>',
    "xml two lines": lambda n, s: f"<entry>\n  <key>{lower(n)}</key>\n  <value>{html.escape(s)}</value>\n</entry>",
    "plist": lambda n, s: f"<key>{camel(n)}</key>\n<string>{html.escape(s)}</string>",
    "powershell splat": lambda n, s: f"@{{ {camel(n)} = '{s}'; port = 80 }}",
    "powershell parameter": lambda n, s: f"./deploy.ps1 -{camel(n).capitalize()} '{s}' -Verbose",
    "csv of columns": lambda n, s: f"id,{lower(n)},host\n1,{s},db1\n",
    "csv quoted": lambda n, s: f'"id","{lower(n)}"\n"1","{s}"\n',
    "table": lambda n, s: f"| id | {lower(n)} |\n|----|------|\n| 1 | {s} |",
    "escaped thrice": lambda n, s: json.dumps(json.dumps(json.dumps({"env": json.dumps({upper(n): s})}))),
    "escaped env file": lambda n, s: json.dumps({"stdout": f"PORT=80\n{upper(n)}={s}\nDEBUG=1\n"}),
    "base64 yaml": lambda n, s: base64.b64encode(f"app:\n  {lower(n)}: {s}\n  port: 80\n".encode()).decode(),
    "cli config": lambda n, s: f"app config set {kebab(n)} {s}",
    "cli pair": lambda n, s: f"app deploy --set {lower(n)}={s} --wait",
    "colon pair": lambda n, s: f"host:db1 {lower(n)}:{s} port:5432",
    "rust": lambda n, s: f'let {lower(n)} = "{s}".to_string();',
    "kotlin": lambda n, s: f'val {camel(n)} = "{s}"',
    "c sharp": lambda n, s: f'var {camel(n)} = config["{camel(n)}"] ?? "{s}";',
    "ruby symbol": lambda n, s: f"  {lower(n)}: '{s}', port: 80",
    "ruby rocket": lambda n, s: f"  :{lower(n)} => '{s}',",
    "python settings": lambda n, s: f'class Settings(BaseSettings):\n    {lower(n)}: str = "{s}"\n',
    "python default": lambda n, s: f"def connect(host, {lower(n)}='{s}', port=5432):",
    "javascript or": lambda n, s: f"const {camel(n)} = process.env.{upper(n)} || '{s}';",
    "pydantic error": lambda n, s: (
        f"{lower(n)}\n  Input should be longer [type=value_error, input_value='{s}', input_type=str]"
    ),
    "debug dump": lambda n, s: f"Config(host='db', {lower(n)}='{s}', port=80)",
    "go dump": lambda n, s: f"{{Host:db {camel(n).capitalize()}:{s} Port:80}}",
    "told": lambda n, s: f"Use {s} as the {n}.",
    "told after": lambda n, s: f"I changed the {n} from changeme to {s} yesterday.",
    "in parentheses": lambda n, s: f"connect as admin ({n}: {s}) and retry",
}
