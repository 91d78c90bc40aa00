"""JavaScript under Node: scripts, modules, promises, settings."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Say, Scenario

NODE = (
    Scenario(
        "node-missing-script",
        "node",
        "Run the tests of the web client.",
        "npm cannot start the web client's tests; what is the right command?",
        {
            "package.json": '{"name": "web", "scripts": {"test:unit": "node --test"}}\n',
            "sum.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "test('sum', () => assert.strictEqual(1 + 1, 2));\n",
        },
        (Run("npm test"), Run("cat package.json"), Run("npm run test:unit")),
        "npm run test:unit",
    ),
    Scenario(
        "node-esm",
        "node",
        "node build.js fails with a syntax error about import.",
        "The build script does not start: cannot use import statement.",
        {
            "package.json": '{\n  "name": "site",\n  "version": "1.0.0"\n}\n',
            "build.mjs.txt": "",
            "build.js": "import fs from 'node:fs';\nimport { a } from './lib.js';\n"
            "console.log(fs.existsSync('.'), a);\n",
            "lib.js": "export const a = 1;\n",
        },
        (
            Run("node --no-experimental-detect-module build.js"),
            Edit("package.json", '  "version": "1.0.0"\n', '  "version": "1.0.0",\n  "type": "module"\n'),
            Run("node --no-experimental-detect-module build.js"),
            Say('The sources are ES modules, so package.json needs "type": "module".'),
        ),
        '"type": "module"',
    ),
    Scenario(
        "node-undefined-property",
        "node",
        "The price formatter crashes for products without a discount.",
        "Formatting a product that has no discount throws a TypeError.",
        {
            "format.js": "module.exports = (p) => `${p.price} (-${p.discount.percent}%)`;\n",
            "format.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "const format = require('./format');\n"
            "test('no discount', () => assert.strictEqual(format({ price: 5 }), '5 (-0%)'));\n",
        },
        (
            Run("node --test format.test.js"),
            Edit("format.js", "p.discount.percent", "p.discount?.percent ?? 0"),
            Run("node --test format.test.js"),
            Say("discount is optional in the catalogue: read it with ?. and default to 0."),
        ),
        "p.discount?.percent ?? 0",
    ),
    Scenario(
        "node-port-env",
        "node",
        "Start the mock server once to see that it answers.",
        "The mock API server refuses to start.",
        {
            "server.js": "if (!process.env.MOCK_PORT) { throw new Error('MOCK_PORT is not set'); }\n"
            "console.log('listening on ' + process.env.MOCK_PORT);\n"
        },
        (Run("node server.js"), Run("MOCK_PORT=4010 node server.js")),
        "MOCK_PORT=4010 node server.js",
    ),
    Scenario(
        "node-async-test",
        "node",
        "The loader test fails although the file is there.",
        "A test of the asynchronous loader compares a promise instead of its value.",
        {
            "load.js": "module.exports = async () => 42;\n",
            "load.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "const load = require('./load');\ntest('loads', () => { assert.strictEqual(load(), 42); });\n",
        },
        (
            Run("node --test load.test.js"),
            Edit(
                "load.test.js",
                "test('loads', () => { assert.strictEqual(load(), 42); });",
                "test('loads', async () => { assert.strictEqual(await load(), 42); });",
            ),
            Run("node --test load.test.js"),
        ),
        "await load()",
    ),
    Scenario(
        "node-json-comma",
        "node",
        "check-config.js reports that config.json is broken.",
        "The configuration file cannot be parsed by the checker.",
        {
            "config.json": '{\n  "retries": 3,\n  "timeout": 30,\n}\n',
            "check-config.js": "const text = require('node:fs').readFileSync('config.json', 'utf8');\n"
            "console.log(JSON.parse(text).retries);\n",
        },
        (
            Run("node check-config.js"),
            Edit("config.json", '"timeout": 30,\n', '"timeout": 30\n'),
            Run("node check-config.js"),
            Say("config.json must be strict JSON: no trailing comma behind the last entry."),
        ),
        "trailing comma",
    ),
)
