"""Tools refuse in many forms: an object with an error, a status, a flag, or words of their own."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.error_lines import errors_in_result


@pytest.mark.parametrize(
    ("answer", "errors"),
    [
        ('{"status": 400, "message": "term is not supported"}', ["status: 400"]),
        ('{"success": false, "errors": [{"code": "LIMIT_ABOVE_MAX", "detail": "max 4000"}]}', ["LIMIT_ABOVE_MAX"]),
        ('{"error": {"code": "LOCKED", "message": "locked by somebody"}}', ["LOCKED"]),
        ('{"error": {"message": "too late"}}', ["too late"]),
        ('{"error": {"id": 4}}', ['{"id": 4}']),
        ('{"ok": false, "message": "too late"}', ["ok: False"]),
        ('{"ok": false}', []),
        ('{"status": "rejected", "code": "LV-31", "message": "no"}', ["LV-31"]),
        ('{"status": "error", "code": "SEAT_LIMIT", "detail": "max 5 seats"}', ["SEAT_LIMIT"]),
        ('{"success": false, "messages": ["E: qty exceeds 27"]}', ["success: False"]),
        ('{"status": "rejected"}', []),
        ('{"status": "rejected", "reason": "no receipt"}', []),
        ('{"status": "REJECTED", "issues": [{"code": 5665, "message": "gtin is required"}]}', ["gtin is required"]),
        ('{"status": "ACTIVE", "issues": [{"code": 12, "message": "no photo"}]}', []),
        ('{"status": "rejected", "issues": ["no photo"]}', []),
        ("Error: no such table: orders", ["Error: no such table: orders"]),
        ("Errors: no problem", []),
        ('{"url": "a", "status_code": 503}', []),
        ('{"error": {"type": "validation_error", "message": "field region is invalid"}}', ["field region is invalid"]),
        ('{"error": {"message": "half \\ud83d of it"}}', ["half ? of it"]),
        ("ORA-00933: SQL command not properly ended", ["ORA-00933: SQL command not properly ended"]),
        ("ORA-stations: 4", []),
        ("SQLSTATE[42S02]: table shop.bags is not there", ["SQLSTATE[42S02]: table shop.bags is not there"]),
        ("Msg 102, Level 15, State 1\nNear GO.", ["Msg 102, Level 15, State 1"]),
        ("err: <nil>, user: <nil>", []),
        ("amounts: expected '1.5' got '1,5'  FAIL", ["amounts: expected '1.5' got '1,5' FAIL"]),
        ("checks: 14 ok, 0 FAIL", []),
        ("It ended. Couldn't find a valid package", ["It ended. Couldn't find a valid package"]),
        ("ERR 22: use a code, not names", ["ERR 22: use a code, not names"]),
        ('{"status": 200, "ok": true}', []),
        ('{"status": true}', []),
        ('{"status": "ERROR"}', ["status: ERROR"]),
        ('{"status": "rejected", "title": "Loan", "details": "Income too low"}', []),
        ('{"status": "failed", "order": "A", "code": "SAVE"}', ["status: failed"]),
        ('{"error": {"code": "BAD_REQUEST", "message": "Stack size above 2"}}', ["Stack size above 2"]),
        ('{"error": {"code": "E", "message": "Amount exceeds the limit"}}', ["Amount exceeds the limit"]),
        ('{"status": 450.0}', []),
        ("422: field 'start' must be a Monday", ["422: field 'start' must be a Monday"]),
        ("420: 12 rows", []),
        ('{"blad": "REZ-422", "komunikat": "Odrzucono"}', ["REZ-422"]),
        ('{"fehler": null, "ok": true}', []),
        ("E: Failed to fetch x.xz Hash Sum mismatch", ["E: Failed to fetch x.xz Hash Sum mismatch"]),
        ("E: Package foo has no installation candidate", ["E: Package foo has no installation candidate"]),
        ("vitamins A, C and E: Fails nobody", []),
        ("errands are done", []),
        ("Erry was here", []),
    ],
)
def test_a_refusal_is_known_without_a_flag(answer: str, errors: list[str]) -> None:
    assert list(errors_in_result(answer, failed=None)) == errors


def test_of_a_long_output_without_a_known_error_the_telling_part_counts() -> None:
    output = "===> Verifying dependencies\n===> Compiling lib\n===> Compiling cowboy_http2.erl failed\nundefined x/1"
    assert list(errors_in_result(output, failed=True)) == ["===> Compiling cowboy_http2.erl failed undefined x/1"]
    assert list(errors_in_result("one\ntwo", failed=True)) == ["one two"]
    taken = "Room Lyra is already taken on this day.\nFree rooms: Vega\nError code: B-17"
    assert list(errors_in_result(taken, failed=True)) == [" ".join(taken.split())]
