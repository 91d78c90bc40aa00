"""Instructions of the server for a model: one text for clients without hooks, one for those whose hooks do part.

The plugin's skill is the second text, copied by `python -m docs.tools.generate`.
"""

from __future__ import annotations

_QUERY = """\
query_memories with the task in the user's words, or augment_task for a ready-made prompt. Check that a memory fits \
before you follow it: a high q_value led to success often, a failed one (success=false) is a warning. No result is \
fine: go on."""

_LESSON = """\
summary, key_mistake (what went wrong, empty if nothing), correct_action (tool and arguments that work), guidance (a \
rule for similar tasks, not a retelling), claims (facts worth knowing on other tasks too). It is what the next run \
will read."""

_MEMORIES = """\
Name the memories that helped in helpful_memory_ids and those that misled in harmful_memory_ids."""

_ERROR = "find_error_fixes with its text; once solved: record_error_fix."

_SECRETS = "Never put secrets in a trace; known kinds are redacted anyway."

INSTRUCTIONS = f"""\
A memory of what earlier runs in this project learned. It only works if you use it on every task, unasked. \
project_context tells at the start of a session what is known here:

1. BEFORE you start a task that takes more than one step (code, debugging, research, anything with tools): call \
{_QUERY}
2. AFTER the task: call submit_trace once, with the task, what you did (trajectory: messages, or a short honest log of \
the commands you ran, their errors and results), final_response, and the retrieval_id from step 1.
   - If the outcome is known (tests pass or fail, the user is satisfied or not), set review_result to "pass" or "fail" \
with the evidence in feedback. Never guess: leave it empty and call review_trace(trace_id, result) when you know.
   - {_MEMORIES}
   - Write the lesson yourself: {_LESSON}
3. WHEN AN ERROR occurs: {_ERROR}
4. If a verdict turns out wrong, call review_trace again: it replaces the earlier one.

Each review moves the q_value of the memories the run was given, so honest verdicts make the next answer better. \
list_traces shows runs that wait for a review. {_SECRETS}
"""
"""Clients cut instructions near 2,000 characters; what makes the loop run comes first."""

HOOKED_INSTRUCTIONS = f"""\
A memory of what earlier runs in this project learned. Hooks of this client do the routine: what \
they add in recall tags are lessons for the prompt or the fix of an error, and at the end of each turn they submit \
the run and review it where tests or the user's words show how it ended. So do not call submit_trace unless the user \
asks for it. What only you can do:

1. A task turns into another half-way, or nothing was recalled for it: call {_QUERY}
2. A HOOK ASKS FOR THE LESSON of the run: call review_trace with the trace_id it names, result="" (the verdict stays \
as it is) and the lesson in your words: {_LESSON}
3. WHEN AN ERROR occurs for which nothing was recalled: {_ERROR}
4. The user says that an earlier run was good or bad, or a verdict was wrong: list_traces, then review_trace with the \
user's words as feedback; it replaces the earlier verdict. {_MEMORIES}
5. A memory is plainly wrong: manage_memory with deprecate and the reason.

Each review moves the q_value of the memories the run was given. {_SECRETS}
"""
"""For clients with hooks (`hooks.active`). Only what hooks leave to the model, so that no run is submitted twice."""
