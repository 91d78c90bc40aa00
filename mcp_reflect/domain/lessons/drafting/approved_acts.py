"""Acts of a failed run that its reviewer calls right: what went wrong is something else, and they are to be kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.drafting.wrong_acts import describe_act
from mcp_reflect.domain.lessons.failures.course_changes import names, names_in
from mcp_reflect.domain.lessons.failures.mending_commands import is_inspection
from mcp_reflect.domain.lessons.failures.objections import ANY_RUN
from mcp_reflect.domain.lessons.failures.wording import NEW_FILE
from mcp_reflect.domain.lessons.run.commands.operands import words_in
from mcp_reflect.domain.lessons.run.commands.told_command import only_records
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.vocabulary import stem
from mcp_reflect.domain.trajectory.tools import command_line

APPROVED = "Right, says the reviewer: "
_CLAUSE = re.compile(r"[;:,]\s++(?:but|yet|only|the|and)\s+|(?<!\s)\s++(?:but|–)\s+|;\s+")
_RIGHT = re.compile(
    r"\b(?:is|are|was|were|looks?)\s+(?:now\s+|indeed\s+)?(?:the\s+)?"
    r"(?:right|correct|fine|good|ok(?:ay)?|what\s+(?:we|I)\s+(?:want|need|use|do)\w*)\b(?!\s+(?:for|if|only)\b)",
    re.IGNORECASE,
)
_HAD_WORKING = re.compile(
    r"\byou (?:\w+ ){0,2}had (?:that|this|it|the right one) (?:\w+ ){0,2}(?:working|right|running|going)\b"
    r"|\b(?:that|this|it|which) (?:had )?(?:already )?worked in your (?:own )?(?:experiment|test|first|try|trial)\b",
    re.IGNORECASE,
)
_PLACES = ("first", "second", "third", "fourth")
_NUMBERED = re.compile(
    rf"\b(?P<place>{'|'.join(_PLACES)}|last) (?P<what>version|attempt|try|edit|patch|command|query|call)\b"
    r"[^.;,]{0,60}?"
    r"\b(?:is|was|were)\s+(?:\w+\s+){0,2}?(?:right|correct|fine|good|it|solution|answer|way)\b",
    re.IGNORECASE,
)
_OWN_CHECK = re.compile(
    r"\byour own (?:\w+ )?(?:check|command|test|query|script|listing|experiment) (?:had )?"
    r"(?:printed|prints|showed|shows|said|says|listed|lists|told|tells)\b",
    re.IGNORECASE,
)
_REMOVES = re.compile(r"\brm\b|\s-[dD]\b|\bdelete\b|\bpush\b")
_LEAST_NAME = 4
_ANY_WORD = re.compile(r"[a-z]{4,}")
_LEAST_SHARED = 2
"""Words that a command shares with what a reviewer says of one that had worked."""
_WORD = re.compile(r"[a-z][a-z-]{3,}")
_CALLED = 3
"""Words with which a command begins that say what it does: a program, and what it is to do."""
_MOST = 2


def approved_acts(feedback: str, steps: Sequence[Step]) -> list[str]:
    """Return the acts that a reviewer's words call right and name, as a lesson tells them, in the words' order."""
    clauses = (
        clause for sentence in split_sentences(feedback) for clause in _CLAUSE.split(sentence) if _RIGHT.search(clause)
    )
    named = [
        *(_act_named_in(clause, steps) for clause in clauses),
        *_acts_by_number(feedback, steps),
        _act_that_worked(feedback, steps),
        _check_of_run(feedback, steps),
    ]
    acts = dict.fromkeys(filter(None, named))
    return [act for act in acts if not act.startswith(NEW_FILE)][:_MOST]


def _acts_by_number(feedback: str, steps: Sequence[Step]) -> Iterator[str]:
    """The acts that a reviewer calls right by their place: "your first version was right"."""
    for found in _NUMBERED.finditer(feedback):
        kind = "command" if found["what"].lower() in {"command", "query", "call"} else "edit"
        done = [step for step in steps if step.kind == kind and not step.failed]
        place = -1 if found["place"].lower() == "last" else _PLACES.index(found["place"].lower())
        if -len(done) <= place < len(done):
            yield describe_act(done[place])


def _check_of_run(feedback: str, steps: Sequence[Step]) -> str:
    """The command of whose output a reviewer speaks as the run's own check, by a name in it."""
    found = _OWN_CHECK.search(feedback)
    if found is None:
        return ""
    sentence = next(each for each in split_sentences(feedback, shortest=1) if found[0] in each)
    told = [name for name in names_in(sentence) if len(name) >= _LEAST_NAME]
    showing = (step for step in reversed(steps) if step.kind == "command" and not _REMOVES.search(step.subject))
    return next((describe_act(step) for step in showing if any(name in step.output for name in told)), "")


def _act_that_worked(feedback: str, steps: Sequence[Step]) -> str:
    """The command of a run of which its reviewer says that it had that working, by what they say of it."""
    if not _HAD_WORKING.search(feedback):
        return ""
    said = {stem(word) for word in _ANY_WORD.findall(feedback.lower()) if word not in ANY_RUN}
    done = [step for step in steps if step.kind == "command" and not step.failed and not is_inspection(step)]
    shared = [(len(said & {stem(word) for word in _ANY_WORD.findall(step.subject.lower())}), step) for step in done]
    most = max((count for count, _ in shared), default=0)
    return describe_act(next(step for count, step in shared if count == most)) if most >= _LEAST_SHARED else ""


def _act_named_in(clause: str, steps: Sequence[Step]) -> str:
    """The last act that worked and that a clause names: a command by its program or an option, an edit by its lines.

    An edit that a command made is told as that command where the clause names an option of it.
    """
    named = [name for name in names_in(clause) if len(name) > 1]
    for step in reversed(steps):
        if step.failed or is_inspection(step) or only_records(step.subject):
            continue
        ran = command_line(step.tool, dict(step.arguments)) if step.kind != "call" else ""
        options = [name for name in named if name.startswith("-") and names(ran, name)]
        if options or (step.kind == "command" and _calls(step.subject, clause)):
            return describe_act(replace(step, kind="command", subject=ran or step.subject))
        changed = "\n".join(new for _, new in step.change)
        if changed and any(names(changed, name) for name in named):
            kept = NetChanges(steps).of([step])
            return describe_act(kept[0]) if kept else ""
    return ""


def _calls(command: str, clause: str) -> bool:
    """Return true where a clause names the program of a command, or what that is to do."""
    called = {word for part in parts_of(command) for word in words_in(part)[:_CALLED]}
    return not called.isdisjoint(set(_WORD.findall(clause)) - ANY_RUN)
