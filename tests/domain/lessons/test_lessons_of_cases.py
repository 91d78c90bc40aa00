"""Of a run that served one case a lesson keeps the rules that it met and the calls it made, not the case's data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.run.case_data import may_identify
from mcp_reflect.domain.text.quotation import SAID, Quotation
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.domain.lessons.test_lessons import call, lesson
from tests.support.values import make_review, make_trace

Messages = list[dict[str, Any]]
TASK = "I would like to change my flight."


def called(tool: str, arguments: dict[str, Any], answer: str) -> Messages:
    call = {"id": f"{tool}{arguments}", "type": "function"}
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return [
        {"role": "assistant", "content": "", "tool_calls": [{**call, "function": function}]},
        {"role": "tool", "tool_call_id": call["id"], "content": answer},
    ]


def agent(text: str) -> Messages:
    return [{"role": "assistant", "content": text}]


def user(text: str) -> Messages:
    return [{"role": "user", "content": text}]


def told(messages: Messages, result: str = "pass", task: str = TASK) -> str:
    trajectory = parse(messages)
    trace = make_trace(task=task, trajectory=trajectory.text, tools_used=trajectory.tools_used)
    run = ParsedRun(trace, trajectory).reviewed(make_review(trace, 1, result=result, feedback=""))
    return render_reflection(extract_lesson(run))


SERVED = [
    *user(TASK),
    *called("get_booking", {"id": "Q7XK2M"}, '{"from": "Oslo", "to": "Rome", "flight": "NX204", "date": "2024-05-19"}'),
    *agent(
        "I found your booking:\n- Flight Number: NX204\n- Departure: 09:00 on May 19\n- Passenger: Ann Berg\n"
        "- Oslo to Rome on May 19"
    ),
    *user("I'd prefer a flight that leaves after 8 am, and my booking is Q7XK2M."),
    *agent("Saver tickets cannot be changed, only cancelled within 24 hours of booking."),
    *user("Alright, that sounds good. Cancel it please."),
    *called("cancel_booking", {"id": "Q7XK2M", "reason": "plans"}, '{"ok": true}'),
    *agent("Your booking is cancelled. Don't hesitate to reach out. Have a wonderful day!"),
    *user("Everything sounds great. Thank you!"),
]


def test_a_call_that_any_case_has_is_told_with_what_it_was_for() -> None:
    report = "The $50 certificate has been issued as compensation for your delayed flight Q7XK2M."
    delayed = [
        *user(TASK),
        *agent("What is the number of the booking?"),
        *user("Q7XK2M"),
        *called("send_certificate", {"amount": 50, "id": "Q7XK2M"}, '{"ok": true}'),
        *agent(f"Great news! {report} Can I help you with anything else?"),
        *user("No, thanks."),
    ]
    said = report.replace("Q7XK2M", "…")
    assert told(delayed) == f"What worked: `send_certificate(amount=50, …)`. The agent said: {said}"
    assert said not in told(delayed, result="fail").partition("Mistake:")[0]
    assert said not in told([*delayed[:-2], *agent("Your certificate is done."), *delayed[-1:]])


def test_the_data_of_one_customer_give_way_to_the_rule_that_was_stated() -> None:
    lesson = told(SERVED)
    assert "Saver tickets cannot be changed, only cancelled within 24 hours of booking." in lesson
    assert "`cancel_booking(reason=plans, …)`" in lesson
    assert "Q7XK2M" not in lesson
    for datum in ("NX204", "Ann Berg", "Oslo to Rome", "after 8 am", "sounds g", "hesitate", "wonderful"):
        assert datum not in lesson


def test_a_run_on_files_keeps_what_it_says_without_the_words_of_a_rule() -> None:
    command = {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "make test"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "12 passed"}
    run = [
        *user("Read the names."),
        {"role": "assistant", "content": [command]},
        {"role": "user", "content": [result]},
        *agent("The ERP writes names.csv in Windows-1252."),
    ]
    assert "Windows-1252" in told(run, task="Read the names.")


def test_a_wrong_answer_is_told_with_the_words_that_led_to_it() -> None:
    run = [
        *user("Who founded the club?"),
        *called("Search", {"input": "the club"}, "Could not find [the club]. Similar: ['The Club', 'Club']"),
        *called("Search", {"input": "The Club (Riga)"}, "The Club was founded by three brothers."),
        *agent("Three sons of a glazier founded it, so the answer is the Berg brothers."),
        *called("Finish", {"input": "the Berg brothers"}, "Answer is INCORRECT"),
    ]
    lesson = told(run, "fail", "Who founded the club?")
    assert lesson.startswith("Mistake: Wrong answer: `the Berg brothers`. The agent said: ")
    assert "so the answer is the Berg brothers" in lesson
    assert "Guidance: `Search(input=The Club (Riga))` found something, `Search(input=the club)` did not" in lesson
    assert "Do instead" not in lesson


def test_words_that_only_say_a_wrong_answer_again_are_left_out() -> None:
    run = [
        *user("Who founded the club?"),
        *called("Search", {"input": "The Club (Riga)"}, "The Club was founded by three brothers."),
        *agent("So the answer is the Berg brothers."),
        *called("Finish", {"input": "the Berg brothers"}, "Answer is INCORRECT"),
    ]
    lesson = told(run, "fail", "Who founded the club?")
    assert lesson == "Mistake: Wrong answer: `the Berg brothers`"


def test_a_quotation_names_its_source_once() -> None:
    assert str(Quotation("tool", f"{SAID}The palace is in London.")) == str(
        Quotation("tool", "The palace is in London.")
    )


def test_an_answer_is_told_with_the_searches_that_led_to_it() -> None:
    run = [
        *user("Where did they meet?"),
        *called("Search", {"input": "The Club (Riga)"}, "They met at the house of John B. Berg in Riga."),
        *agent("They met at the house of John B. Berg, so the answer is Riga."),
        *called("Finish", {"input": "Riga"}, "Answer is CORRECT"),
    ]
    lesson = told(run, task="Where did they meet?")
    assert "What worked: `Finish(input=Riga)` after `Search(input=The Club (Riga))`" in lesson
    assert "the house of John B. Berg, so the answer is Riga." in lesson


def test_an_answer_without_a_rule_is_told_with_the_finding_before_it() -> None:
    run = [
        *user("Which band sang it?"),
        *called("Search", {"input": "It (song)"}, "It is a song that Owl Street covered."),
        *agent("Owl Street is the band that covered the song."),
        *called("Finish", {"input": "Owl Street"}, "Answer is CORRECT"),
    ]
    assert told(run, task="Which band sang it?").endswith("Guidance: Owl Street is the band that covered the song.")


def test_a_failed_run_is_told_by_the_reason_that_was_given_last() -> None:
    run = [
        *user(TASK),
        *agent("Saver tickets cannot be changed, because their fare is fixed."),
        *user("Then cancel it."),
        *called("cancel_booking", {"id": "Q7XK2M"}, '{"ok": true}'),
        *agent("Done.\n- Booking: Q7XK2M\n- Fee: 5 EUR per passenger\nWould you like a receipt?"),
    ]
    assert told(run, "fail").endswith("said: Saver tickets cannot be changed, because their fare is fixed.")


def test_of_a_call_that_was_refused_and_then_worked_only_what_changed_is_told() -> None:
    given = {"booking": "Q7XK2M", "bags": 2}
    run = [
        *called("add_bags", {**given, "payment": "card_1"}, "Error: card balance is not enough"),
        *called("add_bags", {**given, "payment": "card_2"}, '{"ok": true}'),
    ]
    assert (
        "`add_bags(payment=card_2, …)`. `add_bags(payment=card_1, …)` failed: Error: card balance is not enough"
        in told(run)
    )


def test_a_call_that_was_refused_for_good_is_told_with_the_reason() -> None:
    run = [
        *called("add_bags", {"bags": 9}, "Error: at most 5 bags"),
        *called("transfer_to_human", {"summary": "wants nine bags"}, "done"),
    ]
    assert "`add_bags(bags=9)` failed: Error: at most 5 bags" in told(run)


def test_every_argument_of_a_long_call_is_named() -> None:
    flights = [{"flight": f"NX{n}", "date": "2024-05-19"} for n in range(20)]
    given = {"user": "ann_berg_7557", "origin": "OSL", "flights": flights, "people": flights, "insurance": "no"}
    lesson = told(called("book", given, '{"ok": true}'))
    assert all(f"{name}=" in lesson for name in given)
    assert "user=ann_berg_7557" in lesson
    assert len(lesson) < 400


def test_a_call_of_a_failed_run_is_told_by_its_form_and_not_by_the_data_of_the_case() -> None:
    flights = [{"flight": "NX204", "date": "2024-05-19"}, {"flight": "NX310", "date": "2024-05-21"}]
    given = {"booking": "Q7XK2M", "cabin": "business", "flights": flights, "payment": "card_7434610"}
    run = [
        *user(TASK),
        *called("update_booking", given, '{"ok": true}'),
        *called("update_booking", {**given, "booking": "A1B2C3"}, '{"ok": true}'),
        *agent("Your booking has been successfully updated."),
    ]
    assert "Wrong or incomplete: `update_booking(cabin=business, …)`." in told(run, "fail")
    assert "card_7434610" in told(run)


def test_a_run_that_ended_in_vain_says_so_in_a_word_and_once() -> None:
    asked = [
        called("Search", {"input": each}, "Could not find that page, please try again.") for each in ("war", "Hal")
    ]
    run = [*user("Which war?"), *called("Search", {"input": "Hal town"}, "Hal is a town."), *asked[0], *asked[1]]
    lesson = told(run, "fail", "Which war?")
    assert lesson == "Mistake: The run ended without an answer, in a search that found nothing: `Search(input=Hal)`"


def test_a_failure_is_told_once() -> None:
    missing = called("Search", {"input": "Hal Memorial"}, "Could not find [Hal Memorial]. Similar: ['Hal', 'Memorial']")
    run = [*user("Which war?"), *missing, *called("Search", {"input": "war memorial"}, "A war memorial is …"), *missing]
    lesson = told(run, "fail", "Which war?")
    assert lesson.count("Hal Memorial)` failed") == 1
    assert lesson.endswith("Guidance: `Search(input=war memorial)` found something")


def test_a_search_that_found_nothing_is_told_in_a_word() -> None:
    run = [
        *user("Where did they meet?"),
        *called("Search", {"input": "the club they met in"}, "Could not find [the club they met in]. Similar: ['Met']"),
        *called("Search", {"input": "The Club (Riga)"}, "They met at the house of John B. Berg in Riga."),
        *called("Finish", {"input": "Riga"}, "Answer is CORRECT"),
    ]
    lesson = told(run, task="Where did they meet?")
    assert (
        "`Search(input=The Club (Riga))`; `Search(input=the club they met in)` found nothing\n  `Finish(input=Riga)`"
        in lesson
    )


def test_a_text_about_the_case_and_personal_data_are_left_out_of_the_calls_that_worked() -> None:
    run = [
        *user(TASK),
        *agent("Saver tickets cannot be changed."),
        *called("update_passengers", {"id": "Q7XK2M", "people": [{"first_name": "Ann", "dob": "1990-01-02"}]}, "ok"),
        *called("hand_over", {"summary": "Ann Berg wants to change her saver ticket since her mother is ill."}, "ok"),
    ]
    lesson = told(run)
    assert "`update_passengers(id=Q7XK2M, people=…)`; `hand_over`" in lesson
    assert "Saver tickets cannot be changed." in lesson
    answered = told(
        [*user(TASK), *called("finish", {"answer": "the port of Oslo and the road to the north of it"}, "ok")]
    )
    assert "the port of Oslo and the road to the north of it" in answered


def test_a_failed_conversation_tells_what_the_user_objected_to() -> None:
    cancelled = called("cancel_booking", {"id": "Q7XK2M"}, '{"ok": true}')
    done = agent("Your booking is cancelled. The refund of $120 goes to the card ending in 1784.")
    objection = user("But I asked for a later flight, not for a refund. My number is 555-0100.")
    lesson = told([*user(TASK), *cancelled, *done, *objection], "fail")
    assert lesson.startswith("Mistake: Wrong or incomplete: `cancel_booking`")
    assert "The user objected: But I asked for a later flight, not for a refund." in lesson
    assert "1784" not in lesson
    assert "555" not in lesson
    assert not told([*user(TASK), *cancelled, *done, *user("Thank you, that is all.")], "fail")


def test_what_a_failed_conversation_asked_for_is_no_reason() -> None:
    asked = agent("To go on, I'll need the following details:\n- Passenger information (your first name, last name)")
    assert not told([*user(TASK), *asked, *user("I don't have that right now.")], "fail")


def test_a_policy_is_told_and_what_holds_for_one_customer_is_not() -> None:
    lesson = told(
        [
            *user(TASK),
            *called("get_booking", {"id": "Q7XK2M"}, '{"id": "Q7XK2M", "flight": "NX204"}'),
            *user("I don't actually have my card with me right now. The reason is to visit a friend."),
            *agent("NX204 on May 19 cannot be changed. Additionally, saver tickets cannot be changed within 24 hours."),
            *agent("You can find it in your email. The change is due to a new plan."),
        ]
    )
    assert lesson == "Guidance: Saver tickets cannot be changed within 24 hours."


def test_a_call_that_was_refused_a_customer_is_told_without_their_data() -> None:
    refused = called(
        "pay", {"card": "card_74346", "amount": [{"value": 5}, {"value": 7}]}, "Error: card 74346 not found"
    )
    taken = called("pay", {"card": "gift_11223", "amount": [{"value": 5}, {"value": 7}]}, '{"ok": true}')
    run = [*user(TASK), *refused, *taken, *user("Thanks."), *agent("Cards from abroad are not accepted.")]
    assert "`pay` with another `card`; before that it failed: Error: card … not found" in told(run)


def test_a_failed_run_that_only_looked_things_up_says_so() -> None:
    looked = called("get_booking", {"id": "Q7XK2M"}, '{"id": "Q7XK2M"}')
    run = [*user(TASK), *looked, *agent("Saver tickets cannot be changed."), *user("Oh."), *agent("Anything else?")]
    assert told(run, "fail") == (
        "Mistake: Only looking things up was not enough. The agent said: Saver tickets cannot be changed."
    )


def test_a_failed_run_that_only_called_with_the_data_of_a_case_teaches_nothing() -> None:
    done = called("update_booking", {"id": "Q7XK2M", "cabin": "economy"}, '{"ok": true}')
    assert told([*user(TASK), *done, *user("Thank you."), *agent("You are welcome!")], "fail") == ""


def test_a_call_of_which_only_the_name_is_told_is_no_lesson_by_itself() -> None:
    handed = called(
        "hand_over", {"summary": "Ann Berg wants to change her saver ticket since her mother is ill."}, "ok"
    )
    assert told([*user(TASK), *handed, *user("Thank you."), *agent("You are welcome!")]) == ""


def served(*said: str) -> Messages:
    """The same customer, told something in the place of the rule."""
    profile = called("get_customer", {"id": "ann"}, '{"first_name": "Ann", "last_name": "Berg"}')
    return [
        *SERVED[:5],
        *profile,
        *(message for text in said for message in [*agent(text), *user("Alright.")]),
        *SERVED[7:],
    ]


def test_a_policy_is_told_without_the_ids_of_the_case() -> None:
    lesson = told(served("Booking Q7XK2M is a saver ticket, so it cannot be changed."))
    assert "Booking … is a saver ticket, so it cannot be changed." in lesson


@pytest.mark.parametrize(
    "said",
    [
        "It's a saver ticket, non-refundable.",
        "No, it wasn't booked within the last 24 hours, unfortunately.",
        "The seat was never reserved, and unfortunately insurance isn't part of my ticket.",
    ],
)
def test_what_customers_say_of_themselves_and_of_their_case_is_no_rule(said: str) -> None:
    run = served("Let me look.")
    assert said not in told([*run[:2], *user(said), *run[2:]])


def test_a_rule_that_the_one_whose_case_it_is_states_for_good_is_told() -> None:
    said = "A change of the saver fare must be signed by the desk manager."
    assert said in told([*served("Done, the seat is changed."), *user(said)])


@pytest.mark.parametrize(
    "said",
    [
        "The booking only holds one passenger, Ann Berg.",  # somebody of the case
        "The refund has been sent to your card, free of charge.",  # what was done in it
        "Your booking does not include travel insurance.",  # what it holds
    ],
)
def test_what_holds_for_one_customer_is_no_policy(said: str) -> None:
    lesson = told(served(said))
    assert "What worked: `cancel_booking(reason=plans, …)`" in lesson
    assert "Guidance" not in lesson


@pytest.mark.parametrize(
    ("said", "policy"),
    [
        ("I'm sorry, but once insurance is bought, it cannot be refunded.", "Once insurance is bought, it cannot be"),
        ("Since the booking is older than a day, I cannot cancel it.", "Since the booking is older than a day"),
    ],
)
def test_a_refusal_in_the_agents_own_name_is_a_policy(said: str, policy: str) -> None:
    assert f"The agent said: {policy}" in told(served(said), "fail")


def test_a_search_for_something_else_does_not_mend_one_that_found_nothing() -> None:
    run = [
        *user("Who founded the club?"),
        *called("Search", {"input": "old sports societies"}, "Could not find [old sports societies]."),
        *called("Search", {"input": "The Club (Riga)"}, "The Club was founded by three brothers."),
        *called("Finish", {"input": "the Berg brothers"}, "Answer is CORRECT"),
    ]
    lesson = told(run, "pass", "Who founded the club?")
    assert lesson.startswith("What worked: `Finish(input=the Berg brothers)` after `Search(input=The Club (Riga))`")
    assert lesson.endswith("Guidance: `Search(input=old sports societies)` found nothing")


def test_a_failed_run_without_an_answer_tells_its_last_look_ups_and_what_it_found() -> None:
    looked = called("Search", {"input": "The Club (Riga)"}, "The Club was founded in 1921.")
    run = [
        *user("Who founded the club?"),
        *looked,
        *agent("The club was founded in 1921."),
        *called("Search", {"input": "1921 in Riga"}, "In 1921 the port was opened."),
    ]
    lesson = told(run, "fail", "Who founded the club?")
    assert lesson.startswith("Mistake: The run ended without an answer: it only looked things up, at last by ")
    assert "`Search(input=1921 in Riga)`. The agent said: The club was founded in 1921." in lesson
    assert (
        told([*run, *agent("Ann Berg founded it.")], "fail")
        == "Mistake: Wrong or incomplete answer: Ann Berg founded it."
    )


def test_several_calls_written_into_one_are_told_as_that() -> None:
    given = "The Club], Lookup[founder], Search[Ann Berg"
    vain = called("Search", {"input": given}, "Could not find that page, please try again.")
    lesson = told([*user(TASK), *called("Lookup", {"input": "club"}, "A club."), *vain], "fail")
    assert lesson.startswith(
        "Mistake: The run ended without an answer, as several calls written into one found nothing: "
    )


def test_a_failed_run_says_which_form_of_a_refused_call_was_accepted() -> None:
    refused = called("pay", {"id": "Q7XK2M", "kind": "gift"}, "Error: gift cards are not accepted here")
    taken = called("pay", {"id": "Q7XK2M", "kind": "credit"}, '{"ok": true}')
    lesson = told([*user(TASK), *refused, *taken, *user("Thanks."), *agent("Goodbye!")], "fail")
    assert (
        "`pay(kind=gift, …)` failed: Error: gift cards are not accepted here. "
        "Accepted, rightly or not: `pay(kind=credit, …)`"
    ) in lesson


def test_a_failed_run_that_only_edited_says_what() -> None:
    edit = called("Edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}, "done")
    lesson = told([*user("Mend it."), *edit], "fail", "Mend it.")
    assert lesson == "Mistake: Wrong or incomplete: editing a.py (`x = 1` → `x = 2`)"


@pytest.mark.parametrize(
    "said",
    [
        "If you upgrade, the additional fare must be paid at once, which is $1,436.",
        "The policy is strict in these cases.",
        "This restriction applies regardless of the circumstances.",
    ],
)
def test_a_sum_of_the_case_and_that_there_are_rules_is_no_policy(said: str) -> None:
    assert "Guidance" not in told(served(said))
    assert "Guidance: Each bag beyond the first must be paid with $50." in told(
        served("Each bag beyond the first must be paid with $50.")
    )


def test_what_a_run_found_out_on_the_web_is_its_answer() -> None:
    run = [
        *called("browser_open", {"url": "https://a.example/data"}, "License: MIT. See DATA_LICENSE.md"),
        *agent("MIT for the scripts."),
        *called("browser_find", {"text": "cc0"}, "contrib_cc0.txt: 2,914 of 10,000 ids"),
        *agent("Usable commercially are the 2,914 images that are listed in contrib_cc0.txt (CC0)."),
        *user("great, legal agrees. we go with the CC0 subset"),
        *agent("Good."),
    ]
    text = told(run, task="Can we use the dataset commercially?")
    assert "the 2,914 images that are listed in contrib_cc0.txt" in text
    assert "We go with the CC0 subset" in text or "we go with the CC0 subset" in text


def test_what_a_customer_was_told_of_their_case_is_no_answer_for_others() -> None:
    run = [
        *user(TASK),
        *called("get_order", {"id": "77120"}, '{"status": "delayed", "until": "May 5"}'),
        *agent("Your order is delayed until May 5."),
        *user("ok"),
        *agent("Have a nice day!"),
    ]
    assert "May 5" not in told(run)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"address": "Hafenstr. 12, 20457 Hamburg", "option": "retry"}, "option=retry"),
        ({"card": "4412", "kind": "fraud"}, "kind=fraud"),
        ({"phone_number": "0171", "plan": "small"}, "plan=small"),
        ({"customer": "C-7", "plan": "small"}, "plan=small"),
        ({"adresse": "rue 14", "plan": "small"}, "plan=small"),
        ({"geburtsdatum": "x", "plan": "small"}, "plan=small"),
        ({"apellido": "Rey", "plan": "small"}, "plan=small"),
    ],
)
@pytest.mark.parametrize("result", ["pass", "fail"])
def test_what_somebody_is_known_by_is_not_told(arguments: dict[str, str], shown: str, result: str) -> None:
    text = told([*user(TASK), *called("change_case", arguments, '{"ok": true}'), *agent("Done, all is set.")], result)
    assert "change_case(" in text
    assert shown in text
    assert next(iter(arguments.values())) not in text


def test_a_call_that_was_rejected_by_its_status_has_failed() -> None:
    rejected = '{"status": "rejected", "code": "LV-31", "message": "no"}'
    text = told(
        [
            *user(TASK),
            *called("create_leave", {"kind": "parental", "share": "full"}, rejected),
            *agent("Shall I enter a half one?"),
            *user("yes"),
            *called("create_leave", {"kind": "parental", "share": "half"}, '{"status": "created"}'),
        ]
    )
    assert "`create_leave(share=full, …)` failed" in text or "before that it failed: status: rejected" in text


def test_a_status_that_was_asked_for_is_no_failure() -> None:
    rejected = called("decide_application", {"decision": "reject", "reason": "DTI"}, '{"status": "rejected"}')
    notified = called("notify", {"kind": "mail"}, '{"ok": true}')
    text = told([*user(TASK), *rejected, *notified, *agent("Done, all is set.")])
    assert "decide_application(" in text
    assert "failed" not in text


def test_an_address_of_a_network_or_a_way_to_reach_somebody_is_told() -> None:
    run = [
        *user(TASK),
        *called("add_rule", {"address": "10.0.0.0", "kind": "allow"}, '{"error": "must be in CIDR form"}'),
        *called("add_rule", {"address": "10.0.0.0/8", "kind": "allow"}, '{"ok": true}'),
        *called("book_table", {"contact": "email"}, '{"ok": true}'),
        *agent("Done, all is set."),
    ]
    assert "address=10.0.0.0/8" in told(run)
    assert "contact=email" in told(run)


def test_an_argument_that_made_a_call_work_is_named_though_its_value_is_not_told() -> None:
    run = [
        *user(TASK),
        *called("book_room", {"hotel": "Adler", "rate": "CORP"}, '{"error": "rate code missing"}'),
        *agent("One moment."),
        *user("ok"),
        *called("book_room", {"hotel": "Adler", "rate": "CORP", "corp_code": "NL-4471"}, '{"ok": true}'),
    ]
    text = told(run)
    assert "corp_code" in text
    assert "NL-4471" not in text


def test_a_statement_for_a_database_is_told_in_small_letters_too() -> None:
    wrong, right = "select a from t join u using(id)", "select t.a from t join u using(id)"
    run = [
        *user(TASK),
        *called("run_sql", {"query": wrong}, '{"error": "column a is ambiguous"}'),
        *agent("One moment."),
        *user("ok"),
        *called("run_sql", {"query": right}, '{"rows": 4}'),
    ]
    assert right in told(run)


@pytest.mark.parametrize(
    ("name", "value"),
    [("passenger_name", "anna"), ("customerName", "anna"), ("surname", "weller"), ("diagnosis", "flu")],
)
def test_names_of_arguments_for_persons_are_known_in_any_form(name: str, value: str) -> None:
    booked = called("book_seat", {name: value, "kind": "aisle"}, '{"ok": true}')
    run = [*user(TASK), *booked, *agent("Done, all is set.")]
    assert value not in told(run)
    assert "aisle" in told(run)


WATERED = [
    *user("Water beds 3 and 4 with 12 mm tonight."),
    *called("set_program", {"bed": 3, "start": "20:30", "minutes": 120}, '{"program": "P-31"}'),
    *agent("Bed 3 gets 12 mm from 20:30."),
]
AGAIN = called("set_program", {"bed": 3, "start": "22:00", "minutes": 60}, '{"program": "P-33"}')


def watered(said: str, first: str = "Water beds 3 and 4 with 12 mm tonight.") -> str:
    run = [*user(first), *WATERED[1:], *user(said), *AGAIN, *agent("Changed: bed 3 starts at 22:00.")]
    return told(run, task=first)


@pytest.mark.parametrize(
    "said",
    [
        "Never start before 22:00, our water rights only begin then.",
        "Max 60 minutes at a time there.",
        "On slopes the water has to soak in between.",
    ],
)
def test_whoever_has_the_case_of_somebody_else_dealt_with_says_how_to_do_it(said: str) -> None:
    assert said in watered(said)


def test_a_correction_is_told_whole() -> None:
    said = "You count on rain: beds below 40 cm are never watered by it. That's the clay."
    lesson = watered(said)
    assert said in lesson.replace("\n  ", " ")


@pytest.mark.parametrize(
    ("asked", "said", "is_told"),
    [
        ("Bed 3 gets 12 mm from 20:30. Which valve is it?", "Valve 7, that is at the wall by the road.", False),
        ("Bed 3 gets 12 mm from 20:30. Shall it begin?", "No, beds at the wall get 7 mm at night.", True),
        ("Bed 3 gets 12 mm from 20:30.", "Beds at the wall never get more than 7 mm.", True),
        ("Bed 3 gets 12 mm from 20:30.", "That is rather late.", False),
        ("Bed 3 gets 12 mm from 20:30.", "The same for bed 4, please, from 21:00 for 90 minutes.", False),
        ("Bed 3 gets 12 mm from 20:30.", "Muchas gracias, perfecto, hasta el 12 de mayo.", False),
        ("Bed 3 gets 12 mm from 20:30. Which valve is it? (1-9)", "No. 7 at the wall by the road.", False),
        ("Bed 3 gets 12 mm from 20:30. Shall it begin?", "The rule: for any bed at the wall use valve 7.", True),
        ("Beet 3 bekommt 12 mm ab 20:30. Soll es beginnen?", "Beete an der Mauer höchstens 7 mm, nie abends.", True),
        ("3番の畝に12mm散水します。始めますか。", "壁際の畝は必ず7番の弁だけで散水すること。", True),
    ],
)
def test_a_report_that_is_objected_to_is_corrected_and_an_answer_to_a_question_is_not(
    asked: str, said: str, is_told: bool
) -> None:
    run = [*WATERED[:-1], *agent(asked), *user(said), *AGAIN, *agent("Changed: bed 3 starts at 22:00.")]
    assert (said in told(run, task="Water beds 3 and 4 with 12 mm tonight.")) is is_told


def test_who_has_an_agent_of_their_own_says_what_holds_from_then_on() -> None:
    said = "Beds at the wall: name starts with W, valve in grey, seven minutes each."
    assert said not in watered(said, "Water my beds 3 and 4 with 12 mm, I am away.")
    assert said in watered(
        f"{said} Never before 22:00. Please remember that for all beds.", "Water my beds 3 and 4, I am away."
    )


def test_what_a_user_says_right_behind_an_act_corrects_it() -> None:
    said = "Not there. When the bed lies on a slope, split it in two and label it SL, whatever the amount."
    run = [*WATERED[:-1], *user(said), *AGAIN, *agent("Changed: bed 3 starts at 22:00.")]
    assert "label it SL" in told(run, task="Water beds 3 and 4 with 12 mm tonight.")


def test_a_conclusion_that_names_how_data_are_got_is_told() -> None:
    code = "cur='*'\nwhile cur:\n    j = get(base, cursor=cur)\n    cur = j['next']"
    run = [
        *user("Collect the works."),
        *called("python", {"code": code}, "18743"),
        *agent("works.csv holds 18743 works. Paging by `page` ends at 10 000, so start with cursor=*."),
    ]
    assert "start with cursor=*" in told(run, task="Collect the works.")


def test_a_rule_for_good_may_name_whom_it_is_about() -> None:
    said = "Gut, aber bei der Kanzlei Brenner immer mit Festschreibung 1 übergeben."
    assert said in watered(said)
    assert "Kanzlei Brenner" not in watered("Gut, dann noch die Kanzlei Brenner mit Bett 4 um 21 Uhr.")


def test_an_encoding_is_told_and_an_id_is_not() -> None:
    export = called("export", {"encoding": "windows-1252", "client": "AB12345", "batch": "X77120Y"}, '{"ok": true}')
    lesson = told([*user("Export the bookings of client AB12345."), *export, *agent("Done."), *user("thanks")])
    assert "windows-1252" in lesson
    assert "AB12345" not in lesson
    assert "X77120Y" not in lesson


@pytest.mark.parametrize(
    "rule",
    [
        "Rule for all our release notes: British spelling and no emojis.",
        "Always put the customer's name first.",
        "As a rule, summaries for us are in Swedish.",
        "Leave out the slow tests, that is our rule for local runs.",
    ],
)
def test_a_rule_in_a_task_that_holds_for_all_of_its_kind_is_told(rule: str) -> None:
    task = f"Write the release notes for 3.2. {rule}"
    run = [*user(task), *called("list_commits", {"since": "3.1"}, "dark mode"), *agent("3.2: dark mode.")]
    assert rule in told(run, task=task)
    plain = "Write the release notes for 3.2. The app always crashes at noon."
    assert "noon" not in told([*user(plain), *run[1:]], task=plain)


def test_of_their_own_case_people_only_say_what_they_want() -> None:
    said = "No, my water rights only begin at 22:00."
    assert said not in watered(said, "I need my beds 3 and 4 watered with 12 mm.")


@pytest.mark.parametrize(
    "said",
    [
        "No, Claire Dubois, 12 Elm Road, Leeds.",
        "No, it is claire.dubois@example.com, card ending 4242, phone 0170 1234567.",
        "Nein, Heidestraße 17 in Köln, geboren am 12.08.1964.",
        "No, only Mrs. Miller has the key to it, ask her.",
        "Dr. Krause pays 1234.56 EUR, so only use ward 4.",
        "Patient is diabetic, insulin 12 units, born 03/04/1980.",
    ],
)
def test_no_correction_tells_of_a_person(said: str) -> None:
    assert said not in watered(said)


def test_the_same_done_for_another_one_is_done_beside_the_first() -> None:
    first = called("assign_ticket", {"ticket": "T-1", "to": "ann"}, '{"ok": true}')
    second = called("assign_ticket", {"ticket": "T-2", "to": "ann"}, '{"ok": true}')
    task = "Handle the desk."
    run = [*user(task), *first, *agent("Done."), *user("T-2 goes to Ann as well."), *second, *agent("Done.")]
    lesson = told(run, task=task)
    assert "ticket=T-1" in lesson
    assert "ticket=T-2" in lesson


def test_by_what_a_caller_was_told_apart_is_not_told() -> None:
    run = [
        {"role": "user", "content": "My phone was stolen, move my number"},
        *call("verify_identity", {"method": "dob_postcode", "value": "1988-06-14|5063"}, "AUTH_OK"),
        *call("block_sim", {"reason": "stolen"}, "blocked"),
        {"role": "user", "content": "thanks"},
    ]
    told = lesson(run, task="My phone was stolen, move my number")
    assert "1988" not in str(told)
    assert "5063" not in str(told)


def test_a_search_that_found_nothing_did_not_lead_to_the_answer() -> None:
    run = [
        *call("paper_search", {"query": "ferry Aallotar"}, "0 hits"),
        *call("paper_search", {"query": "Aallotar Kallawesi", "lang": "fi"}, "7 hits: 1907-05-23 launched"),
        *call("paper.page", {"id": "savotar-2"}, "launched on Saturday, the 18th of May"),
    ]
    told = lesson(run, task="In which year was the ferry launched?").correct_action
    assert "query=Aallotar Kallawesi, lang=fi" in told
    assert "ferry Aallotar" not in told


def test_a_code_that_a_rule_named_is_told_and_an_id_of_the_case_is_not() -> None:
    run = [
        *user("I move to Nantes, may I keep the fibre without fees?"),
        *called("get_client", {"client": "8812"}, '{"offer": "FIBRE1007", "since": "2022-02-11"}'),
        *called("rules_lookup", {"topic": "moving"}, "Moving is free after 24 months with the code FID24."),
        *agent("Which day?"),
        *user("The first of July, thank you."),
        *called("plan_move", {"client": "8812", "offer": "FIBRE1007", "code": "FID24"}, '{"status": "planned"}'),
        *agent("It is planned."),
    ]
    text = told(run)
    assert "plan_move(code=FID24, …)" in text
    assert "8812" not in text
    assert "FIBRE1007" not in text


def test_a_booking_that_a_search_in_words_found_is_no_value_of_a_rule() -> None:
    run = [
        *user("Please rebook me from Oslo to Rome."),
        *called("search_bookings", {"query": "Oslo Rome"}, '{"pnr": "QX7L2M", "seat": "12A"}'),
        *called(
            "terms_of_contract", {"query": "rebooking"}, '{"guest": "Ann Berg", "text": "Rebook QX7L2M with LATE77."}'
        ),
        *agent("Shall I?"),
        *user("Yes, thanks."),
        *called("rebook", {"pnr": "QX7L2M", "code": "LATE77", "fee": "0"}, '{"status": "done"}'),
        *agent("It is done."),
    ]
    text = told(run)
    assert "QX7L2M" not in text
    assert "Ann" not in text


POLICY_CHECKED = [
    *user("Look for a hotel in Graz within our travel policy."),
    *called("wiki_get", {"page": "Travel policy"}, "Hotels: at most 130 EUR per night, with free cancellation only."),
    *agent("The wiki says at most 130 EUR per night. Is this still the valid policy?"),
]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes, that's right, 130 EUR per night and only with free cancellation.", "only with free cancellation"),
        ("No, the wiki is old. Since January it's 145 EUR a night.", "Since January it's 145 EUR a night."),
    ],
)
def test_what_a_user_says_of_a_rule_that_was_found_is_told(answer: str, expected: str) -> None:
    run = [
        *POLICY_CHECKED,
        *user(answer),
        *called("hotel_search", {"city": "Graz", "max": 130}, "1. Hotel Murblick 118 EUR"),
        *agent("Hotel Murblick is within the policy."),
    ]
    lesson = told(run, task="Look for a hotel in Graz within our travel policy.")
    assert expected in lesson
    assert answer.startswith("Yes") or "130" not in lesson.replace("max=130", "")


def test_a_rule_that_is_confirmed_is_told_though_nothing_is_done_behind_it() -> None:
    run = [
        *user("Which liability cap do we offer to agencies?"),
        *called("doc_read", {"doc": "Template agency contract"}, "12. Liability is limited to twice the yearly fee."),
        *agent("The template limits liability to twice the yearly fee. Shall I use this?"),
        *user("Yes, twice the yearly fee is what legal approved for agencies."),
        *agent("For agencies the cap is twice the yearly fee."),
    ]
    task = "Which liability cap do we offer to agencies?"
    assert "wice the yearly fee is what legal approved for agencies." in told(run, task=task)
    asked = [*run[:3], *agent("I found two files of July. Do you want the PDF?"), *run[4:]]
    assert "legal approved" not in told(asked, task=task)


def test_what_is_to_be_so_in_general_is_told_though_the_user_speaks_of_themselves() -> None:
    run = [
        *user("Find a slot for Ada, Ben and me."),
        *called("freebusy", {"from": "10:00"}, "common: Wed 14:00-15:30, Fri 10:00-11:00"),
        *user("Wednesday then. And please no meetings on Friday for me, in general."),
        *called("calendar_add", {"title": "Ada/Ben", "at": "Wed 14:00"}, "created"),
        *agent("It's in the calendar."),
    ]
    assert "lease no meetings on Friday for me, in general." in told(run, task="Find a slot for Ada, Ben and me.")


@pytest.mark.parametrize(
    "said",
    ["Since January it is 12 weeks.", "At most 130 EUR per night.", "Use Gate A.", "where x AND DATE_ADD(y) holds"],
)
def test_words_that_name_nobody(said: str) -> None:
    assert not may_identify(said)


@pytest.mark.parametrize(
    "said",
    [
        "Ask Ann Berg first.",
        "ask Włodek Nowak first",
        "ask Żaneta Świt first",
        "ask BERG Ann first",
        "ask Ann BERG first",
        "She lives at 12 Main.",
        "Send it to ann@berg.example.",
    ],
)
def test_words_that_may_name_somebody(said: str) -> None:
    assert may_identify(said)


ASKED_TO_ANSWER = [
    *user("Answer ticket 9120, the goodwill rules are in the wiki."),
    *called("wiki_get", {"page": "Goodwill"}, "Late parcel: voucher LATE10. Damage: the lead decides."),
    *called("reply_ticket", {"id": 9120, "text": "Please take the voucher LATE10."}, '{"ok": true}'),
]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Yes, LATE10 is correct for parcels more than 7 days late.", "LATE10 is correct for parcels more than 7 days"),
        ("Too casual. We address customers by their surname.", "We address customers by their surname."),
    ],
)
def test_what_a_user_says_of_what_was_done_for_others_is_told(said: str, expected: str) -> None:
    again = called("reply_ticket", {"id": 9120, "text": "Dear Ms Holm, please take it."}, '{"ok": true}')
    run = [*ASKED_TO_ANSWER, *user(said), *again, *agent("Ticket 9120 is answered.")]
    lesson = told(run, task="Answer ticket 9120, the goodwill rules are in the wiki.")
    assert expected in lesson
    assert "What worked: `reply_ticket`" not in lesson


def test_a_refused_proposal_is_no_guidance() -> None:
    run = [
        *user("The new column isn't in the table. Get it in."),
        *agent("The simplest thing is a rebuild of the table fct_sessions with --full-refresh. Shall I?"),
        *user("Please don't. fct_sessions must never be full-refreshed in prod."),
        *call("Bash", {"command": "dbt run -s fct_sessions"}, "OK"),
        *agent("The column is there."),
    ]
    lesson = told(run, task="The new column isn't in the table. Get it in.")
    assert "must never be full-refreshed" in lesson
    assert "simplest" not in lesson


def test_what_a_user_named_in_mid_run_and_the_agent_then_used_is_told() -> None:
    messages = [
        *user("Warm up the bathroom to 24 for an hour please."),
        *called("call_service", {"domain": "climate", "data": {"temperature": 24}}, '{"error": "Duty cycle limit"}'),
        *agent("The thermostat can take no more commands, I wait with the next one."),
        *user("just use the boost script, 'script.bad_party'. it was built for the duty cycle thing."),
        *called("get_script", {"entity_id": "script.bad_party"}, "fields: minutes, temp"),
        *called("call_service", {"domain": "script", "service": "bad_party", "data": {"temp": 24}}, '{"ok": true}'),
        *agent("The bathroom is heating."),
    ]
    assert "just use the boost script, 'script.bad_party'." in told(messages, task="Warm up the bathroom")


def test_a_failed_call_is_not_repaired_by_one_that_shares_only_the_names_of_its_arguments() -> None:
    messages = [
        *user("Heat the bath and switch the light on."),
        *called("call_service", {"domain": "climate", "data": {"entity_id": "climate.bad"}}, '{"error": "limit"}'),
        *called("call_service", {"domain": "light", "data": {"entity_id": "light.hall"}}, '{"ok": true}'),
        *agent("The light is on."),
    ]
    assert "`call_service(domain=light, …)`. `call_service" not in told(messages)


def test_the_search_is_told_that_found_what_was_acted_on_after_another_one_had_found_nothing() -> None:
    messages = [
        *user("Find the credit note that the mill sent and forward it to finance."),
        *called("mail_search", {"query": "from:mill has:attachment"}, '{"messages": [], "resultSizeEstimate": 0}'),
        *called("mail_search", {"query": "in:anywhere kreditfaktura"}, '{"messages": [{"id": "18e01c4f"}]}'),
        *called("mail_label", {"message_id": "18e01c4f", "add": ["INBOX"]}, '{"ok": true}'),
        *called("mail_forward", {"message_id": "18e01c4f", "to": ["finance"]}, '{"ok": true}'),
        *agent("Found and forwarded."),
    ]
    assert "after `mail_search(query=in:anywhere kreditfaktura)`" in told(messages, task="Find the credit note")


def test_a_listing_that_is_handed_in_is_no_lookup() -> None:
    refused = '{"status": "REJECTED", "issues": [{"code": 5665, "message": "gtin or exemption required"}]}'
    messages = [
        *user("List the gift set."),
        *called("listing_submit", {"sku": "GS-4", "price": 49.9}, refused),
        *called(
            "listing_submit",
            {"sku": "GS-4", "price": 49.9, "exemption": "bundle"},
            '{"status": "ACTIVE", "issues": []}',
        ),
        *agent("It is listed."),
    ]
    found = told(messages, task="List the gift set")
    assert "`listing_submit(exemption=bundle, …)`. `listing_submit(…)` failed: gtin or exemption required" in found
