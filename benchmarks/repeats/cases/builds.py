# ruff: noqa: E501 - files and commands as they stand in the projects
"""Sessions with tools that build: npm, node, cargo, java, gcc, cmake, make, terraform, kubectl, perl."""

from __future__ import annotations

from benchmarks.lessons.scenario import Run, Say, Scenario
from benchmarks.repeats.case import Case

_PACKAGE = '{"name": "shop", "version": "1.0.0", "scripts": {"unit": "echo 12 passed", "build": "echo built"}}\n'
_SEED = """const known = ["stage", "production"];
const env = process.argv[process.argv.indexOf("--env") + 1];
if (!known.includes(env)) {
  throw new Error(`unknown environment ${env}, known are ${known}`);
}
console.log("seeded", env);
"""
_FORMATTER = """#!/usr/bin/env node
if (process.argv.includes("--check")) {
  console.error("tidy: unknown option --check, see --help");
  process.exit(2);
}
console.log("all files are tidy");
"""
_LIST = "int main(void) {\n    for (int i = 0; i < 3; i++) {\n    }\n    return 0;\n}\n"
_CRATE = '[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n'
_OVERLAY = "resources:\n- map.yaml\n"
_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n"

BUILDS = (
    Case(
        Scenario(
            "npm-script-name",
            "node",
            "Run the unit tests.",
            "Unit tests, please.",
            {"package.json": _PACKAGE},
            (Run("npm run test:unit"), Run("npm run"), Run("npm run unit")),
            "npm run unit",
        ),
        (
            "npm run test:unit",
            "cd {project} && npm run test:unit 2>&1 | tail -20",
            "CI=true npm run test:unit",
            "npm run -s test:unit",
            "npm run test:unit --silent",
            "timeout 300 npm run test:unit",
            "npm run 'test:unit'",
        ),
        (
            "npm run unit",
            "npm run build",
            "npm run test:units-of-cart",
            "grep -n test:unit package.json",
            "npm ls",
            "CI=true npm run unit 2>&1 | tail -20",
        ),
    ),
    Case(
        Scenario(
            "node-seed-env",
            "node",
            "Seed the staging environment.",
            "Fill staging with data.",
            {"scripts/seed.js": _SEED},
            (Run("node scripts/seed.js --env staging"), Run("node scripts/seed.js --env stage")),
            "--env stage",
            client="openhands",
        ),
        (
            "node scripts/seed.js --env staging",
            "node ./scripts/seed.js --env staging",
            "cd {project} && node scripts/seed.js --env 'staging' 2>&1 | head -20",
            "NODE_ENV=test node scripts/seed.js --env staging",
            "node --trace-warnings scripts/seed.js --env staging",
            "node {project}/scripts/seed.js --env staging",
        ),
        (
            "node scripts/seed.js --env stage",
            "node scripts/seed.js --env production",
            "node scripts/clear.js --env staging",
            "cat scripts/seed.js",
            "node --check scripts/seed.js",
            "kubectl get pods --env staging",
        ),
    ),
    Case(
        Scenario(
            "npx-unknown-option",
            "node",
            "Are all files formatted?",
            "Check the formatting.",
            {"node_modules/.bin/tidy": _FORMATTER, "package.json": _PACKAGE},
            (Run("npx tidy --check src"), Run("npx tidy --list src")),
            "npx tidy --list src",
            setup="chmod +x node_modules/.bin/tidy",
        ),
        (
            "npx tidy --check src",
            "npx --no-install tidy --check src",
            "node_modules/.bin/tidy --check src",
            "./node_modules/.bin/tidy --check src | tail -5",
            "yarn tidy --check src",
            "pnpm exec tidy --check src",
            "cd {project} && npx tidy --check ./src",
        ),
        (
            "npx tidy --list src",
            "./node_modules/.bin/tidy --list src",
            "npx tidy --help",
            "npx prettier --check src",
            "npm install tidy",
            "ls node_modules/.bin",
        ),
    ),
    Case(
        Scenario(
            "cargo-package-name",
            "rust",
            "Run the tests of the core crate.",
            "Test the core.",
            {
                "Cargo.toml": '[workspace]\nmembers = ["core"]\nresolver = "2"\n',
                "core/Cargo.toml": _CRATE.format(name="shop-core"),
                "core/src/lib.rs": "#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n",
            },
            (Run("cargo test -p core"), Run("cat core/Cargo.toml"), Run("cargo test -p shop-core")),
            "cargo test -p shop-core",
        ),
        (
            "cargo test -p core",
            "RUST_BACKTRACE=1 cargo test -p core",
            "cargo test -q -p core",
            "cargo test -p core --verbose",
            "cd {project} && cargo test -p core 2>&1 | grep -v warning",
            "cargo test -p core -- --nocapture",
        ),
        (
            "cargo test -p shop-core",
            "cargo test -p shop-core -- --nocapture",
            "cargo build",
            "cargo test",
            "cargo new core",
            "cat core/Cargo.toml",
        ),
    ),
    Case(
        Scenario(
            "java-package-class",
            "java",
            "Start the app that is in build.",
            "Run the built app.",
            {
                "src/com/shop/App.java": 'package com.shop;\n\npublic class App {\n    public static void main(String[] a) {\n        System.out.println("open");\n    }\n}\n'
            },
            (Run("java -cp build App"), Run("java -cp build com.shop.App")),
            "java -cp build com.shop.App",
            setup="javac -d build src/com/shop/App.java",
        ),
        (
            "java -cp build App",
            "java -cp ./build App",
            "cd {project} && java -cp build App 2>&1 | head",
            "JAVA_TOOL_OPTIONS=-Xmx64m java -cp build App",
            "java -Xmx128m -cp build App",
            "java -cp {project}/build App",
        ),
        (
            "java -cp build com.shop.App",
            "java -cp build com.shop.Admin",
            "javac -d build src/com/shop/App.java",
            "java -version",
            "java -Xmx128m -cp build com.shop.App",
        ),
    ),
    Case(
        Scenario(
            "gcc-standard",
            "c",
            "Build list.c.",
            "Compile the list.",
            {"list.c": _LIST},
            (Run("gcc -std=c89 list.c -o list"), Run("gcc -std=c99 list.c -o list"), Run("./list")),
            "-std=c99",
            client="log",
        ),
        (
            "gcc -std=c89 list.c -o list",
            "gcc -Wall -std=c89 list.c -o list",
            "gcc -std=c89 ./list.c -o list 2>&1 | head -20",
            "cd {project} && gcc -std=c89 list.c -o list && ./list",
            "gcc -std=c89 -g list.c -o list",
            "/usr/bin/gcc -std=c89 list.c -o list",
        ),
        (
            "gcc -std=c99 list.c -o list",
            "gcc -std=c11 -Wall list.c -o list",
            "gcc -std=c89 tree.c -o tree",
            "./list",
            "gcc --version",
        ),
    ),
    Case(
        Scenario(
            "cmake-no-cache",
            "c",
            "Build the project with cmake.",
            "cmake build",
            {
                "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(a C)\nadd_executable(a a.c)\n",
                "a.c": _LIST,
            },
            (Run("cmake --build ."), Run("cmake -S . -B build && cmake --build build")),
            "cmake -S . -B build",
        ),
        (
            "cmake --build .",
            "cmake --build . --verbose",
            "cd {project} && cmake --build . 2>&1 | tail -20",
            "cmake --build . -j4",
            "time cmake --build .",
            "cmake --build {project}",
        ),
        (
            "cmake --build build",
            "cmake --build build -j4",
            "cmake -S . -B build",
            "cmake -S . -B out && cmake --build out",
            "cmake --version",
        ),
    ),
    Case(
        Scenario(
            "make-target",
            "c",
            "Run the tests with make.",
            "make the tests",
            {"Makefile": "check:\n\t@echo 4 passed\nclean:\n\t@rm -f out\n"},
            (Run("make tests"), Run("cat Makefile"), Run("make check")),
            "make check",
            client="codex",
        ),
        (
            "make tests",
            "make -j8 tests",
            "make tests -j4",
            "make -C {project} tests",
            "cd {project} && make tests 2>&1 | tail -n 15",
            "env CI=1 make tests",
            "make -s tests",
            "make tests V=1",
        ),
        (
            "make check",
            "make -j8 check",
            "make clean",
            "make tests-report",
            "ls tests",
            "make -C {project} check 2>&1 | tail -n 15",
        ),
    ),
    Case(
        Scenario(
            "terraform-var-file",
            "terraform",
            "Plan the production environment.",
            "terraform plan for production",
            {
                "main.tf": 'variable "size" {\n  type = number\n}\noutput "size" {\n  value = var.size\n}\n',
                "env/prod.tfvars": "size = 3\n",
            },
            (
                Run("terraform plan -var-file=prod.tfvars"),
                Run("ls env"),
                Run("terraform plan -var-file=env/prod.tfvars"),
            ),
            "-var-file=env/prod.tfvars",
        ),
        (
            "terraform plan -var-file=prod.tfvars",
            "terraform plan -no-color -var-file=prod.tfvars",
            "terraform plan -var-file=prod.tfvars -input=false",
            "cd {project} && terraform plan -var-file=prod.tfvars | tail -20",
            'terraform plan -var-file="prod.tfvars"',
            "terraform -chdir={project} plan -var-file=prod.tfvars",
        ),
        (
            "terraform plan -var-file=env/prod.tfvars",
            "terraform apply -var-file=env/prod.tfvars",
            "terraform plan -var-file=env/dev.tfvars",
            "terraform validate",
            "cat env/prod.tfvars",
            "terraform fmt -check",
        ),
    ),
    Case(
        Scenario(
            "kubectl-overlay",
            "kubernetes",
            "Show what the production overlay renders.",
            "Render production.",
            {"deploy/overlays/prod/kustomization.yaml": _OVERLAY, "deploy/overlays/prod/map.yaml": _MAP},
            (
                Run("kubectl kustomize overlays/prod"),
                Run("find . -name kustomization.yaml"),
                Run("kubectl kustomize deploy/overlays/prod"),
            ),
            "deploy/overlays/prod",
        ),
        (
            "kubectl kustomize overlays/prod",
            "kubectl kustomize ./overlays/prod/",
            "kubectl kustomize overlays/prod | head -80",
            "cd {project} && kubectl kustomize overlays/prod > out.yaml",
            "KUBECONFIG=/dev/null kubectl kustomize overlays/prod",
            "kubectl kustomize overlays/prod -v=6",
        ),
        (
            "kubectl kustomize deploy/overlays/prod",
            "kubectl kustomize deploy/overlays/prod | kubectl apply -f -",
            "kubectl get pods",
            "ls overlays",
            "kubectl kustomize --help",
        ),
    ),
    Case(
        Scenario(
            "perl-lib-option",
            "perl",
            "Write the report of 2026.",
            "The report of the year.",
            {
                "report.pl": "use strict;\nuse Shop::Report;\nShop::Report::run(@ARGV);\n",
                "lib/Shop/Report.pm": 'package Shop::Report;\nsub run { print "written\\n" }\n1;\n',
            },
            (Run("perl report.pl --year 2026"), Say("The module is in lib."), Run("perl -Ilib report.pl --year 2026")),
            "perl -Ilib report.pl",
            client="log",
        ),
        (
            "perl report.pl --year 2026",
            "perl ./report.pl --year 2026",
            "perl -w report.pl --year 2026",
            "cd {project} && perl report.pl --year=2026",
            "perl report.pl --year 2026 > report.txt",
            "LANG=C perl {project}/report.pl --year 2026 | tail",
        ),
        (
            "perl -Ilib report.pl --year 2026",
            "PERL5LIB=lib perl report.pl --year 2026",
            "perl -c lib/Shop/Report.pm",
            "perl -Ilib -w report.pl --year 2025",
            "perl -v",
        ),
    ),
)
