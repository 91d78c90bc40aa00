"""Results of the calls of Cline and of Roo Code: whether a call failed, and what its user said in the result."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.programs.cline_calls import SPOKEN_TOOLS

SPOKEN_ELEMENTS = ("task", "feedback", "answer", "user_message")
"""Elements into which the client puts what its user said."""
DETAILS = ("<environment_details>", "</environment_details>")
"""The marks around what the client adds of its surroundings."""
_RUNS = "execute_command"
_BEGUN_BY_CLIENT = frozenset(
    {
        *(_RUNS, "write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_and_replace"),
        *("edit_file", "update_todo_list", "switch_mode"),
    }
)
"""Tools whose results begin with the client's own words, so that no text of others can stand there."""
_SHOWS = frozenset(
    {
        *("read_file", "search_files", "list_files", "list_code_definition_names", "codebase_search"),
        *("browser_action", "access_mcp_resource", "web_fetch", "web_search", "fetch_instructions", "use_skill"),
    }
)
"""Tools whose results begin with a text of others: it may have the word `Error` as its first."""
_FAILED = re.compile(
    r"\s{0,9}(?:<error(?:_details)?>|The tool execution failed|The user denied this operation\b"
    r"|(?:<files>\s{0,9})?<file>\s{0,9}<path>[^<\n]{0,400}</path>\s{0,9}<error>)"
)
_FAILED_PLAINLY = re.compile(r"\s{0,9}(?:Error\b|Unable to apply\b|Missing value for required parameter\b)")
_BEHIND_CLIENT = re.compile(r"\n(?:Output:|Here's the output so far:)(?:[ \t]{0,9}\n|\Z)")
"""The line between the client's words on a command and its output."""
_OF_COMMAND = re.compile(r"\s{0,9}(?:Command|Process)\b")
_EXIT_CODE = re.compile(r"\b[Ee]xit(?:ed)?(?: with)?(?: code)?:? (?P<code>-?\d{1,5})\b")
_NO_SUCCESS = re.compile(r"\bexecution was not successful\b|\bterminated by signal\b")
_MOST_OF_CLIENT = 600
_DENIED = re.compile(
    r"\s{0,9}The user denied this operation\b[^\n<]{0,80}\n\s{0,9}"
    r"(?:The user provided the following feedback:\s{0,9})?(?P<begin><(?P<name>feedback|user_message)>)"
)
_SAID = re.compile(
    r"\s{0,9}(?:(?:\[?The user|You)\b[^\n<]{0,400}\n\s{0,9}){0,2}(?P<begin><(?P<name>feedback|user_message|answer)>)"
)


def failure_of(tool: str, result: str) -> bool | None:
    """Return whether a result says that its call failed; None where it tells neither.

    `tool` is empty for a result that does not name it. Only the client's own words tell, not the output behind them.
    """
    if _FAILED.match(result) or (tool not in _SHOWS and _FAILED_PLAINLY.match(result)):
        return True
    said = _BEHIND_CLIENT.split(result[:_MOST_OF_CLIENT], 1)[0]
    if tool and not (tool == _RUNS and _OF_COMMAND.match(said)):
        return None
    code = _EXIT_CODE.search(said)
    if code:
        return int(code["code"]) != 0
    return True if _NO_SUCCESS.search(said) else None


def output_of(tool: str, result: str) -> str:
    """Return the output in the result of a command; any other result, and one without an output, as it is."""
    if tool != _RUNS or not _OF_COMMAND.match(result):
        return result
    mark = _BEHIND_CLIENT.search(result, 0, _MOST_OF_CLIENT)
    output = result[mark.end() :] if mark else ""
    return output if output.strip() else result


def split_result(tool: str, result: str) -> tuple[str, str, str]:
    """Return what the client says in a result, what the user said there, and what stands behind that.

    The last two are empty where the user said nothing. A text that the call shows may imitate the user. So their words
    count only behind the client's denial at the very beginning of a result, if no text of others can stand there, and
    in the answer to what the agent said to them.
    """
    said = None
    if tool in SPOKEN_TOOLS:
        said = _SAID.match(result)
    elif tool in _BEGUN_BY_CLIENT:
        said = _DENIED.match(result)
    if said is None:
        return result, "", ""
    words, _, behind = result[said.end() :].partition(f"</{said['name']}>")
    return result[: said.start("begin")].strip(), words.strip(), behind.strip()
