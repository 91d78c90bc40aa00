"""An attacker who placed a template, by a backup for example, wants it to run code or to stop the hub."""

from __future__ import annotations

import itertools
import resource
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.adapters.prompts import TEMPLATES, Prompts
from mcp_reflect.errors import ConfigurationError
from tests.adapters.test_prompts import a_run
from tests.support.effort import examples

DOUBLING = "{% set x = 'aaaaaaaa' %}" + "{% set x = x ~ x %}" * 60 + "{{ x | length }}"

CODE = [
    "{{ self.__init__.__globals__.__builtins__.__import__('os').system('touch owned') }}",
    "{{ cycler.__init__.__globals__.os.popen('touch owned').read() }}",
    "{{ lipsum.__globals__['os'].popen('touch owned').read() }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ task['__class__']['__base__'] }}",
    "{{ task|attr('__class__')|attr('mro') }}",
    "{{ task|map(attribute='__class__')|list }}",
    "{{ ['touch owned']|map('string')|sum(start='') }}",
    "{{ '{0.__class__.__init__.__globals__}'.format(task) }}",
    "{{ task.format_map({}) }}",
    "{{ task.upper() }}",
    "{{ dict(a=1) }}",
    "{{ namespace() }}",
    "{{ joiner }}",
    "{{ caller }}",
    "{{ loop }}",
    "{{ self }}",
    "{% import 'rules.md' as r %}{{ r }}",
    "{% from 'rules.md' import x %}",
    "{% extends 'rules.md' %}",
    "{% block b %}{% endblock %}{{ self.b() }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% call(x) y() %}{% endcall %}",
    "{% filter upper %}a{% endfilter %}",
    "{% set x %}{{ task }}{% endset %}",
    "{% with x = task %}{{ x }}{% endwith %}",
    "{% do task %}",
    "{% include task %}",
    "{% include '/etc/passwd' %}",
    "{% include '../config.toml' %}",
    "{% debug %}",
]
ENDLESS = [
    "{% for i in range(10000000000) %}x{% endfor %}",
    "{% for c in task %}{% for d in task %}{{ task }}{% endfor %}{% endfor %}",
    "{% for x in recursion recursive %}{{ loop(x) }}{% endfor %}",
    "{{ 'x' * 10000000000 }}",
    "{{ 9 ** 9 ** 9 ** 9 }}",
    "{{ '%10000000000d' % 1 }}",
    "{{ 'x' + 'y' }}",
    "{{ 'x'|center(10000000000) }}",
    "{{ task|indent(10000000000) }}",
    "{{ task|replace('', task)|replace('', task) }}",
    "{{ lipsum(n=100000000) }}",
    "{{ task|tojson|tojson|tojson }}",
    "{{ [task, task] }}",
    "{{ {'a': task} }}",
    "{{ task[::-1] }}",
    "{{ task|batch(1)|list }}",
    "{% include 'rules.md' %}",  # rules.md itself
    "{% include ['rules.md', 'run.md'] %}",
    "{% include 'answer_json.md' %}" * 1_000,
    "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "{% if task %}" * 2_000 + "{% endif %}" * 2_000,
    "x" * 1_000_001,
    DOUBLING,
]


@pytest.mark.parametrize("text", [*CODE, *ENDLESS], ids=lambda text: text[:40])
def test_a_template_that_wants_more_than_to_print_is_refused_and_not_carried_out(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/rules.md").write_text(text, encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ConfigurationError, match=r"prompts: ") as caught:
        Prompts(tmp_path / "prompts")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000
    assert not (tmp_path / "owned").exists()
    assert len(str(caught.value)) < 1_000


def test_templates_that_multiply_by_including_each_other_end(tmp_path: Path) -> None:
    chain = ["rules.md", "run.md", "answer_json.md", "answer_prose.md", "answer_structured.md", "reflect_fail.md"]
    for name, inner in itertools.pairwise(chain):
        (tmp_path / name).write_text(f"{{% include '{inner}' %}}" * 100, encoding="utf-8")
    (tmp_path / chain[-1]).write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="includes more than"):
        Prompts(tmp_path)


def test_a_template_prints_chooses_and_includes(tmp_path: Path) -> None:
    text = (
        "{# mine #}{% set what = task | upper %}{{ what }} {{ feedback or 'none' }}"
        "{% if errors and task | length > 3 %} {{ errors | trim }}{% elif not retrieved %} nothing{% endif %}"
        "{{ 'a' if task is defined else 'b' }}{{ task | default('x') }}"
    )
    (tmp_path / "reflect_fail.md").write_text(text, encoding="utf-8")
    assert Prompts(tmp_path).prompt(a_run(task="Sort it.")) == "SORT IT. none nothingaSort it."


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.sampled_from([*CODE, "{{ task }}", "{% include 'rules.md' %}", "{{ boundary }}", "text"]), max_size=4)
)
def test_no_mixture_of_templates_evaluates_what_a_run_says(parts: list[str]) -> None:
    hostile = " ".join(parts)
    prompt = Prompts().prompt(a_run(task=hostile))
    assert hostile.strip() in prompt


def test_the_packaged_templates_need_no_more_than_is_allowed() -> None:
    prompts = Prompts()
    for result in ("pass", "fail"):
        assert prompts.prompt(a_run(result))
    assert len(TEMPLATES) == 8
