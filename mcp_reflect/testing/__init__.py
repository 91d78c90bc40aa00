"""A memory for the tests of programs that use the Python API: in this process, in a folder that is deleted.

    from mcp_reflect.testing import memory_for_tests

    with memory_for_tests() as client:
        my_agent(client)
        assert client.list_traces(review_status="reviewed")[0].result == "pass"

It is the real server with the real ranking and the model of the package, without a hub. pytest has it as the fixture
`reflect_client`.
"""

from mcp_reflect.testing.client import memory_for_tests

__all__ = ["memory_for_tests"]
