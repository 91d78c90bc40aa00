from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.verdicts.wording import find_lone_verdict, find_verdict, is_only_praise, may_object
from tests.support.linear_time import takes_linear_time

ENDINGS = Path(__file__).parents[3] / "benchmarks" / "endings"
PRAISE = ["that works, thanks", "It works now!", "works", "perfect", "LGTM", "fixed, thanks", "ok, that's fixed"]
PRAISE += ["looks good to me, thanks!", "so it works like a charm", "That solved the problem. Thank you!"]
BLAME = ["no, still broken", "No, it still fails with the same error", "that's wrong, use the other table"]
BLAME += ["I'm still getting the same error", "That didn't work", "still not working", "you broke it", "Not working"]
NEITHER = [
    "thanks",
    "no",
    "The login page does not work",
    "Does it work?",
    "is it still broken?",
    "fixed width columns",
]
NEITHER += ["Add a test that works offline", "it works but the colours are off", "working directory as a setting"]
NEITHER += ["Perfect forward secrecy please", "works for me? no", "make it work", "if it still fails, revert it", ""]
NEITHER += [
    "Yes, that's correct. Please go ahead with the cancellation.",
    "Perfect, thank you for confirming the number!",
]
NEITHER += ["Perfect, that sounds like a good plan.", "That's perfect! Thanks for your help."]
PRAISE += ["sweet, it works now", "Works now 👍", "love it, exactly what I had in mind", "can confirm"]
PRAISE += ["funktioniert jetzt, danke!", "parfait, ça marche maintenant, merci", "¡perfecto, ya funciona! gracias"]
PRAISE += ["funcionou, obrigado!", "ora funziona, grazie mille", "werkt nu, bedankt", "теперь работает, спасибо"]
PRAISE += ["可以了，谢谢", "直りました！ありがとうございます", "이제 잘 돼요 감사합니다"]
BLAME += ["wait no, it's still missing on the second page", "hm actually it still fires on every key"]
BLAME += ["nope. still shows MM/DD", "that's not it", "WTF everything is broken now", "thanks, but that didn't help"]
BLAME += ["geht immer noch nicht", "non, ça ne marche toujours pas", "sigue sin funcionar", "ainda não funcionou"]
BLAME += [
    "non funziona ancora",
    "het werkt nog steeds niet",
    "всё ещё не работает",
    "还是不行，还是乱码",
    "まだ動きません",
]
BLAME += ["아직도 같은 오류가 나요"]
NEITHER += [
    "It still needs a --version flag",
    "geht das auch mit Umlauten?",
    "mach ihn bitte blau",
    "ahora ponlo a la derecha",
]
NEITHER += [
    "funktioniert, aber nur auf dem Server",
    "再加一个导入按钮",
    "如果列表是空的还可以用吗？",
    "可以了，但是很慢",
]


@pytest.mark.parametrize("prompt", PRAISE)
def test_plain_praise_is_a_pass(prompt: str) -> None:
    assert find_verdict(prompt) == "pass"
    assert is_only_praise(prompt)


@pytest.mark.parametrize("prompt", BLAME)
def test_plain_blame_is_a_fail(prompt: str) -> None:
    assert find_verdict(prompt) == "fail"
    assert not is_only_praise(prompt)


@pytest.mark.parametrize("prompt", NEITHER)
def test_what_is_not_plain_is_no_verdict(prompt: str) -> None:
    assert find_verdict(prompt) is None


def test_praise_before_a_new_task_is_a_verdict_and_a_task() -> None:
    prompt = "Great, that works. Now add the documentation."
    assert find_verdict(prompt) == "pass"
    assert not is_only_praise(prompt)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Yes, that's correct.", None),
        ("perfect, thanks", None),
        ("No, that's wrong", None),
        ("that works, thanks", "pass"),
        ("no, still broken", "fail"),
    ],
)
def test_an_answer_to_a_question_is_a_verdict_where_it_says_what_came_of_the_work(
    prompt: str, expected: str | None
) -> None:
    assert (
        find_verdict(prompt, "I changed the parser.\n\nIs that the file you meant? I can look at others.") == expected
    )
    assert find_verdict(prompt, "Should I go on? Yes, I did.\n\nAll 12 tests pass.") is not None


def test_praise_before_a_wish_is_a_verdict() -> None:
    assert find_verdict("works great! can you also group them by scope?") == "pass"


@pytest.mark.parametrize("prompt", ["thanks!", "ty", "ok, thank you", "danke", "merci beaucoup", "谢谢"])
def test_thanks_say_nothing_of_the_work_and_ask_for_nothing(prompt: str) -> None:
    assert find_verdict(prompt) is None
    assert is_only_praise(prompt)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("tests are green but the cache is never hit in prod", True),
        ("uploading an empty file crashes the worker", True),
        ("Tests sind grün, aber es ist immer noch falsch", True),
        ("Fix the failing tests in the parser", False),
        ("next: the broken links in the README", False),
        ("that works. The docs are missing", False),
        ("bump the version", False),
    ],
)
def test_what_may_object_is_told_from_new_work(prompt: str, expected: bool) -> None:
    assert may_object(prompt) is expected


@pytest.mark.parametrize("unit", ["no, ", "ok thanks ", "好的不是", "it still ", "hm"])
def test_the_time_for_a_text_grows_with_its_length(unit: str) -> None:
    def read(number: int) -> None:
        text = unit * number
        find_verdict(text)
        is_only_praise(text)
        may_object(text)

    assert takes_linear_time(read, 5_000)


@given(st.text())
def test_any_text_has_one_verdict_at_most(prompt: str) -> None:
    assert find_verdict(prompt) in {"pass", "fail", None}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("that works, thanks", "pass"),
        ("Works now 👍", "pass"),
        ("danke, funktioniert jetzt", "pass"),
        ("no, still broken: the header is gone", "fail"),
        ("still not working", "fail"),
        ("всё ещё не работает, та же ошибка", "fail"),
        ("thanks!", ""),
        ("ok great", ""),
        ("danke!", ""),
        ("yes", None),
        ("ok, makes sense", None),
        ("That didn't work, add a retry", None),
        ("that's wrong. Use the other table and show both columns", None),
        ("works great! can you also group them by scope?", None),
        ("still broken: " + "the header of the page is gone, " * 8, None),
        ("Fix the broken build", None),
    ],
)
def test_a_text_that_is_a_verdict_and_nothing_else(text: str, verdict: str | None) -> None:
    assert find_lone_verdict(text) == verdict


@pytest.mark.parametrize("name", ["seen", "held_out"])
def test_no_first_prompt_of_a_session_is_only_a_verdict(name: str) -> None:
    sessions = json.loads((ENDINGS / f"{name}.json").read_text(encoding="utf-8"))
    prompts = [session["turns"][0]["prompt"] for session in sessions]
    assert [prompt for prompt in prompts if find_lone_verdict(prompt) is not None] == []
