"""Programs that drive an agent library: each lists the tools, then makes the calls, as a model would.

They run in the environment of the library, get JSON on stdin, and end by a line of JSON: `version` of the library, and
`said`, the seconds until each answer with the answer.
"""

from __future__ import annotations

from collections.abc import Mapping

BEGINNING = """
import asyncio, importlib.metadata, json, sys, time
given = json.loads(sys.stdin.read())
left = [("submit_trace", given["submit"]), ("query_memories", given["query"]), ("query_memories", given["misspelt"])]
program, variables = given["command"], given["environ"]
began, said = time.monotonic(), []
def tell(what):
    said.append([time.monotonic() - began, what if isinstance(what, str) else sorted(what)])
def next_call(last=None):
    # Who is told to call again, or finds nothing, asks again after a moment.
    if last is not None and len(left) == 1 and given["lesson"] not in last and len(said) < 15:
        time.sleep(0.5)
        return "query_memories", given["query"]
    return left.pop(0) if left else None
async def call_all(call):
    last = None
    while (wanted := next_call(last)) is not None:
        try:
            last = str(await call(*wanted))
        except Exception as error:
            last = f"{type(error).__name__}: {error}"
        tell(last)
"""
ENDING = """
try:
    asyncio.run(run())
except BaseException as error:
    tell(f"{type(error).__name__}: {error}")
print(json.dumps({"version": importlib.metadata.version(given["package"]), "said": said}))
"""

DRIVERS: Mapping[str, str] = {
    "pydantic-ai-slim[mcp,openai]": """
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
def model(messages, info):
    last = None if not said else str([part.content for part in messages[-1].parts])
    tell(last or [tool.name for tool in info.function_tools])
    wanted = next_call(last)
    return ModelResponse(parts=[ToolCallPart(*wanted) if wanted else TextPart("done")])
async def run():
    toolset = MCPToolset(StdioTransport(program[0], program[1:], env=variables))
    await Agent(FunctionModel(model), toolsets=[toolset]).run("work")
""",
    "openai-agents": """
from agents.mcp import MCPServerStdio
async def run():
    async with MCPServerStdio({"command": program[0], "args": program[1:], "env": variables}) as server:
        tell(tool.name for tool in await server.list_tools())
        await call_all(server.call_tool)
""",
    "google-adk[mcp]": """
import logging
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai import types
from mcp import StdioServerParameters
logging.disable(logging.CRITICAL)
class Model(BaseLlm):
    async def generate_content_async(self, request, stream=False):
        answers = [part.function_response.response for part in request.contents[-1].parts if part.function_response]
        last = str(answers) if answers else None
        tell(last or request.tools_dict)
        wanted = next_call(last)
        part = types.Part.from_function_call(name=wanted[0], args=wanted[1]) if wanted else types.Part(text="done")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))
async def run():
    server = StdioServerParameters(command=program[0], args=program[1:], env=variables)
    toolset = McpToolset(connection_params=StdioConnectionParams(server_params=server))
    runner = InMemoryRunner(agent=LlmAgent(name="agent", model=Model(model="scripted"), tools=[toolset]))
    await runner.run_debug("work", quiet=True)
    await runner.close()
""",
    "langchain-mcp-adapters": """
from langchain_mcp_adapters.client import MultiServerMCPClient
async def run():
    server = {"transport": "stdio", "command": program[0], "args": program[1:], "env": variables}
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"reflect": server}).get_tools()}
    tell(tools)
    await call_all(lambda name, arguments: tools[name].ainvoke(arguments))
""",
    "fastmcp": """
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
async def run():
    async with Client(StdioTransport(program[0], program[1:], env=variables)) as client:
        tell(tool.name for tool in await client.list_tools())
        await call_all(lambda name, arguments: client.call_tool(name, arguments, raise_on_error=False))
""",
}

NODE_DRIVERS: Mapping[str, str] = {
    "@modelcontextprotocol/sdk": """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const client = new Client({ name: "driver", version: "1" });
await client.connect(new StdioClientTransport({ command: program[0], args: program.slice(1), env: given.environ }));
tell((await client.listTools()).tools.map((tool) => tool.name));
await callAll((name, args) => client.callTool({ name, arguments: args }));
await client.close();
""",
    "@modelcontextprotocol/inspector": """
import { execFile } from "node:child_process";
import { promisify } from "node:util";
async function inspect(...words) {
  const run = promisify(execFile);
  const command = ["node_modules/.bin/mcp-inspector", "--cli", ...program, ...words];
  const options = { env: { ...process.env, ...given.environ }, maxBuffer: 1 << 24 };
  // A tool's error is printed like any result, and the program exits with 5.
  const done = await run(process.execPath, command, options).catch((error) => error);
  if (!done.stdout) throw done;
  return JSON.parse(done.stdout);
}
tell((await inspect("--method", "tools/list")).tools.map((tool) => tool.name));
await callAll((name, args) => inspect("--method", "tools/call", "--tool-name", name,
  ...Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`])));
""",
}
NODE_BEGINNING = """
import fs from "node:fs";
const given = JSON.parse(fs.readFileSync(0, "utf8"));
const program = given.command, began = Date.now(), said = [];
const left = [["submit_trace", given.submit], ["query_memories", given.query], ["query_memories", given.misspelt]];
const tell = (what) => said.push([(Date.now() - began) / 1000, what]);
async function callAll(call) {
  for (let last = null; ; tell(last)) {
    let wanted = left[0];
    if (last !== null && left.length === 1 && !last.includes(given.lesson) && said.length < 15) {
      await new Promise((done) => setTimeout(done, 500));
      wanted = ["query_memories", given.query];
    } else if (!left.shift()) return;
    try { last = JSON.stringify(await call(...wanted)); } catch (error) { last = String(error); }
  }
}
"""
NODE_ENDING = """
const told = JSON.parse(fs.readFileSync(`node_modules/${given.package}/package.json`, "utf8"));
console.log(JSON.stringify({ version: told.version, said }));
"""
