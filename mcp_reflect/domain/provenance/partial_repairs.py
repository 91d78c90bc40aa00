"""What is left of a repair to be told where one of its steps was dictated by a text: the others, and the command.

An ellipsis stands for what is left out: the others alone did not mend it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.carried_orders import TELLS_EDIT
from mcp_reflect.domain.provenance.judgement import Judged, SentenceJudge
from mcp_reflect.domain.truncate import CUT

_AFTER = re.compile(r"(`[^`]*`) after (.+?)([.;]?)", re.DOTALL)
"""A command that worked, and the steps before it."""
_IN_BACKQUOTES = re.compile(r"`[^`]*`")
_EDIT = re.compile(r"(editing [^()`]{1,200}) \((.+)\)", re.DOTALL)


def judge_rest(judge: SentenceJudge, withheld: str, failed: str) -> Judged | None:
    """Return a withheld command that worked with those of the steps before it that may be told; None without any.

    A command in another form than the one that `failed` tells is told alone, too. Where no edit may be told with the
    command, those that may be told by themselves are, without it.
    """
    worked = _AFTER.fullmatch(withheld)
    if worked is None:
        return None
    command, steps, end = worked.groups()
    parts = _split_steps(steps)
    kept = [told for step in parts if (told := _kept_part(judge, command, step))]
    is_other = bool(failed) and not failed.startswith(command)
    told = f"{command} after {'; '.join(kept)}" if kept else command if is_other else ""
    found = judge.judge(f"{told}{end}", is_output=True) if told else None
    is_kept = found is not None and found.is_kept
    if not (is_kept and any(map(TELLS_EDIT.match, kept))) and (edits := _judge_edits(judge, parts, end)) is not None:
        return edits  # the change says more than the command that it made work
    if found is None or not is_kept:
        return None
    is_cut = 0 < len(kept) < len(parts)
    return replace(found, text=f"{command} after {'; '.join([*kept, CUT])}{end}") if is_cut else found


def _judge_edits(judge: SentenceJudge, steps: Sequence[str], end: str) -> Judged | None:
    """Return the edits among some steps that may be told without the command behind them; None without any."""
    kept = [step for step in steps if TELLS_EDIT.match(step) and _is_act(judge, step)]
    found = judge.judge(f"{'; '.join(kept)}{end}", is_output=True) if kept else None
    return found if found is not None and found.is_kept else None


def _kept_part(judge: SentenceJudge, command: str, step: str) -> str:
    """Return a step before a command, of an edit those changes that may be told; empty where none of it is."""
    if _is_act(judge, f"{command} after {step}"):
        return step
    edit = _EDIT.fullmatch(step)
    parts = _split_steps(edit[2]) if edit else []
    kept = [part for part in parts if edit and _is_act(judge, f"{command} after {edit[1]} ({part})")]
    return f"{edit[1]} ({'; '.join([*kept, CUT])})" if edit and kept else ""


def _is_act(judge: SentenceJudge, told: str) -> bool:
    """Return true for what the agent did, by itself or by what it had read, where a lesson may tell it."""
    judged = judge.judge(told, is_output=True)
    return judged.is_kept and (judged.is_taken or not judged.is_quoted)


def _split_steps(told: str) -> list[str]:
    """Return the steps of a list that semicolons part, but for those in backquotes and parentheses."""
    steps = [""]
    for part in told.split("; "):
        outer = _IN_BACKQUOTES.sub("", steps[-1])
        inside = "`" in outer or outer.count("(") > outer.count(")")
        steps[-1:] = [f"{steps[-1]}; {part}"] if inside else [*filter(None, steps[-1:]), part]
    return steps
