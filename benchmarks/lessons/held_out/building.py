# ruff: noqa: E501 - files as they stand in the projects
"""Sessions about compilers, build files and checkers."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Hear, Run, Say, Scenario

BUILDING = (
    Scenario(
        "make-generate-first",
        "make",
        "Get `make check` green on a fresh checkout.",
        "A new clone of the repository does not pass its checks because of a header that is not there.",
        {
            "Makefile": "CFLAGS = -Wall -Igen\n\ngenerate:\n\tmkdir -p gen\n\techo '#define VERSION \"4.2\"' > gen/version.h\n\n"
            "check: app\n\t./app\n\napp: app.c\n\tgcc $(CFLAGS) -o app app.c\n\nclean:\n\trm -rf app gen\n",
            "app.c": '#include <stdio.h>\n#include "version.h"\n\nint main(void) {\n    puts(VERSION);\n    return 0;\n}\n',
        },
        (
            Run("make check"),
            Say("There may be stale objects, I'll clean up first."),
            Run("make clean"),
            Run("make check"),
            Run("grep -n '^[a-z]*:' Makefile"),
            Run("make generate"),
            Run("make check"),
        ),
        "make generate",
    ),
    Scenario(
        "cpp-standard",
        "c++",
        "tool.cpp has to build on this machine.",
        "Compiling the C++ tool complains about span.",
        {
            "tool.cpp": "#include <iostream>\n#include <span>\n#include <vector>\n\nint sum(std::span<const int> xs) {\n"
            "    int s = 0;\n    for (int x : xs) s += x;\n    return s;\n}\n\nint main() {\n"
            "    std::vector<int> v{1, 2, 3};\n    std::cout << sum(v) << '\\n';\n}\n"
        },
        (
            Run("ls build"),
            Run("cat BUILDING.md"),
            Run("grep -rn 'std=' ."),
            Run("g++ -o tool tool.cpp -std=c++14"),
            Run("g++ -o tool tool.cpp -std=c++17"),
            Run("g++ -o tool tool.cpp -std=c++20"),
            Run("./tool"),
        ),
        "g++ -o tool tool.cpp -std=c++20",
    ),
    Scenario(
        "cmake-find-library",
        "cmake",
        "Configure and build the gateway.",
        "CMake does not find the tinyproto headers when the gateway is configured.",
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.16)\nproject(gateway C)\n"
            "find_path(TINYPROTO_INCLUDE tinyproto.h PATHS ${TINYPROTO_ROOT}/include NO_DEFAULT_PATH REQUIRED)\n"
            "add_executable(gateway main.c)\ntarget_include_directories(gateway PRIVATE ${TINYPROTO_INCLUDE})\n",
            "main.c": '#include "tinyproto.h"\nint main(void) {\n    return TP_OK;\n}\n',
            "vendor/tinyproto/include/tinyproto.h": "#define TP_OK 0\n",
        },
        (
            Run("cmake -S . -B out"),
            Run("cmake -S . -B out -DCMAKE_PREFIX_PATH=vendor"),
            Run("find . -name 'tinyproto.h'"),
            Run('cmake -S . -B out -DTINYPROTO_ROOT="$PWD/vendor/tinyproto"'),
            Run("cmake --build out"),
        ),
        '-DTINYPROTO_ROOT="$PWD/vendor/tinyproto"',
    ),
    Scenario(
        "make-parallel-race",
        "make",
        "The nightly job runs make -j4 and fails now and then. Make it reliable.",
        "Parallel builds break although a serial make works.",
        {
            "Makefile": "all: config.h server\n\nconfig.h:\n\tsleep 1\n\techo '#define PORT 8080' > config.h\n\n"
            "server: main.o\n\tgcc -o server main.o\n\nmain.o: main.c\n\tgcc $(CFLAGS) -c main.c\n",
            "main.c": '#include "config.h"\nint main(void) {\n    return PORT == 0;\n}\n',
        },
        (
            Run("make -j4 all"),
            Say("The compiler looks for config.h in the wrong folder, so the include path is missing."),
            Run("rm -f *.o config.h && make -j4 all CFLAGS=-I."),
            Say("Still the same. It is compiled before config.h has been written: main.o does not depend on it."),
            Edit("Makefile", "main.o: main.c\n", "main.o: main.c config.h\n"),
            Run("rm -f *.o config.h && make -j4 all"),
        ),
        "main.o: main.c config.h",
        client="codex-exec",
    ),
    Scenario(
        "c-heap-overflow",
        "c",
        "test_ring crashes under the address sanitizer.",
        "The ring buffer reads one element too far.",
        {
            "ring.c": "#include <stdlib.h>\n#include <stdio.h>\n\nstruct ring { int cap; int *items; };\n\n"
            "static int sum(struct ring *r) {\n    int s = 0;\n    for (int i = 0; i <= r->cap; i++) s += r->items[i];\n"
            "    return s;\n}\n\nint main(void) {\n    struct ring r = {4, calloc(4, sizeof(int))};\n"
            '    printf("%d\\n", sum(&r));\n    free(r.items);\n    return 0;\n}\n'
        },
        (
            Run("gcc -g -fsanitize=address -o test_ring ring.c && ./test_ring"),
            Run("sed -n 1,20p ring.c"),
            Edit("ring.c", "i <= r->cap", "i < r->cap"),
            Run("gcc -g -fsanitize=address -o test_ring ring.c && ./test_ring"),
        ),
        "i < r->cap",
        client="openhands",
    ),
    Scenario(
        "cargo-required-feature",
        "rust",
        "Run the command line front end of the indexer crate and show its version.",
        "cargo run says the indexer's target cannot be built like this.",
        {
            "Cargo.toml": '[package]\nname = "indexer"\nversion = "0.3.0"\nedition = "2021"\n\n[features]\ncli = []\n\n'
            '[[bin]]\nname = "indexer-cli"\npath = "src/cli.rs"\nrequired-features = ["cli"]\n',
            "src/lib.rs": 'pub fn version() -> &\'static str {\n    env!("CARGO_PKG_VERSION")\n}\n',
            "src/cli.rs": 'fn main() {\n    println!("indexer {}", indexer::version());\n}\n',
        },
        (
            Run("cargo run --offline"),
            Run("cargo run --offline --bin indexer"),
            Run("cargo run --offline --bin indexer-cli"),
            Run("cargo run --offline --bin indexer-cli --features cli"),
        ),
        "cargo run --offline --bin indexer-cli --features cli",
        client="codex",
    ),
    Scenario(
        "cargo-wrong-folder",
        "rust",
        "Do the engine's unit tests pass?",
        "Where are the tests of the engine crate run?",
        {
            "README.md": "# Mono\n",
            "services/engine/Cargo.toml": '[package]\nname = "engine"\nversion = "0.1.0"\nedition = "2021"\n',
            "services/engine/src/lib.rs": "pub fn half(a: u32) -> u32 {\n    a / 2\n}\n\n#[test]\nfn halves() {\n"
            "    assert_eq!(half(8), 4);\n}\n",
        },
        (
            Run("cargo test --offline"),
            Run("git ls-files '*Cargo.toml' || find . -name Cargo.toml"),
            Run("cargo test --offline", folder="services/engine"),
        ),
        "services/engine",
        client="codex",
    ),
    Scenario(
        "mypy-untyped-package",
        "python",
        "mypy fails on app.py since the payment package was added.",
        "The type checker stops at an import without stubs.",
        {
            "mypy.ini": "[mypy]\nstrict = True\n",
            "app.py": "import acme_payments\n\n\ndef charge(cents: int) -> str:\n    return str(acme_payments.charge(cents))\n",
        },
        (
            Run("mypy app.py"),
            Edit("app.py", "import acme_payments\n", "import acme_payments  # type: ignore\n"),
            Run("mypy app.py"),
            Hear("No ignores in the code please, that belongs into mypy.ini."),
            Edit("app.py", "import acme_payments  # type: ignore\n", "import acme_payments\n"),
            Run("mypy app.py"),
            Edit(
                "mypy.ini",
                "strict = True\n",
                "strict = True\n\n[mypy-acme_payments.*]\nignore_missing_imports = True\n",
            ),
            Run("mypy app.py"),
        ),
        "[mypy-acme_payments.*]",
        client="codex-exec",
    ),
    Scenario(
        "ruff-generated-code",
        "python",
        "The lint job is red, get it green.",
        "ruff complains about code that nobody wrote by hand.",
        {
            "ruff.toml": "line-length = 100\n",
            "gen/api_pb2.py": "import sys\nimport os\nx = lambda: 1\nif x == None: pass\n",
            "app.py": "import gen.api_pb2\n\nprint(gen.api_pb2.x())\n",
        },
        (
            Run("ruff check --no-cache ."),
            Run("head -3 ruff.toml"),
            Edit("ruff.toml", "line-length = 100\n", 'line-length = 100\nextend-exclude = ["gen"]\n'),
            Run("ruff check --no-cache ."),
        ),
        'extend-exclude = ["gen"]',
        client="openhands",
    ),
    Scenario(
        "node-engine-version",
        "node",
        "npm install stops with an engine error on CI. Fix it.",
        "Installing the front end's packages is refused because of the Node version.",
        {
            ".npmrc": "engine-strict=true\n",
            "package.json": '{\n  "name": "front",\n  "version": "1.0.0",\n  "engines": {\n    "node": ">=22"\n  }\n}\n',
        },
        (
            Run("npm install --offline --no-audit"),
            Say("I could switch the check off with --no-engine-strict."),
            Hear("Don't. We are on Node 20 everywhere, the field in package.json is wrong."),
            Edit("package.json", '"node": ">=22"', '"node": ">=20"'),
            Run("npm install --offline --no-audit"),
        ),
        '"node": ">=20"',
        client="codex",
    ),
)
