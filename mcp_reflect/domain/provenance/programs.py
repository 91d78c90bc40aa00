"""Programs that projects are worked on with: which build and test, which run others, and what installs and loads."""

from __future__ import annotations

RAILS_DATABASE_TASKS = (
    "db:migrate",
    "db:prepare",
    "db:setup",
    "db:test:prepare",
    "db:seed",
    "db:seed:replant",
    "db:schema:load",
)
BUILDERS: dict[str, frozenset[str] | None] = {
    **dict.fromkeys(("make", "just", "task", "ninja", "cmake", "ctest", "gcc", "g++", "clang", "cc", "javac", "tsc")),
    **dict.fromkeys(("pytest", "tox", "nox", "ruff", "mypy", "eslint", "jest", "vitest", "rspec", "phpunit")),
    **dict.fromkeys(("gradle", "./gradlew"), frozenset({"test", "build", "check", "clean", "assemble"})),
    **dict.fromkeys(("mvn", "./mvnw"), frozenset({"test", "compile", "package", "verify", "clean"})),
    **dict.fromkeys(("npm", "pnpm", "yarn"), frozenset({"test", "t", "run", "start", "ci", "build"})),
    "cargo": frozenset({"build", "test", "check", "clippy", "fmt", "bench"}),
    "go": frozenset({"build", "test", "vet", "fmt", "generate"}),
    "dotnet": frozenset({"build", "test", "restore"}),
    "swift": frozenset({"build", "test"}),
    "mix": frozenset({"test", "compile", "deps.get", "ecto.migrate", "ecto.setup"}),
    "rustup": frozenset({"update", "default", "component", "target", "toolchain"}),
    "playwright": frozenset({"install", "test"}),
    "prisma": frozenset({"generate", "migrate"}),
    "pre-commit": frozenset({"run", "install"}),
    "alembic": frozenset({"upgrade", "downgrade", "current", "history"}),
    "flask": frozenset({"db"}),
    "rails": frozenset({"test", *RAILS_DATABASE_TASKS}),
    "rake": frozenset({"test", "spec", *RAILS_DATABASE_TASKS}),
    "terraform": frozenset({"init", "plan", "validate", "fmt"}),
    **dict.fromkeys(("docker-compose", "docker compose"), frozenset({"up", "start", "restart", "build", "ps", "logs"})),
    "manage.py": frozenset({"test", "check", "migrate", "makemigrations", "collectstatic"}),
    "git": frozenset(
        {"status", "log", "diff", "show", "stash", "switch", "checkout", "merge", "rebase", "pull", "add"}
    ),
}
"""Programs that build and test, with their subcommands; None where they have none."""
PYTHON_BUILDERS = frozenset(("pytest", "unittest", "build", "compileall", "mypy", "ruff", "doctest", "playwright"))
RUNNERS = {
    "uv": "run",
    "poetry": "run",
    "pipenv": "run",
    "pdm": "run",
    "bundle": "exec",
    "npx": "",
}
"""Programs that run another one of the project, with the word between."""
COMMON_WORDS = frozenset(
    """
    docker kubectl python python3 pip3 node ruby java perl bash curl wget sudo psql sqlite3 mysql redis-cli terraform
    helm alembic django flask yarn pnpm install remove update upgrade config commit push pull clone checkout build test
    tests start stop restart compose exec logs migrate init create delete apply release deploy list show help version
    main master origin prod local database server status rollout from pods
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Programs, subcommands and words that say nothing of who chose them."""
OWN_STEPS = {
    "alembic": frozenset({"merge", "stamp", "heads", "current", "history", "upgrade"}),
    "terraform": frozenset({"init", "validate", "fmt", "get", "providers"}),
    "helm": frozenset({"lint", "template", "dependency", "repo"}),
    "kubectl": frozenset({"get", "describe", "logs", "wait"}),
    "docker": frozenset({"build", "ps", "logs", "inspect", "images"}),
    "mix": frozenset({"compile", "deps.get", "deps.compile", "ecto.create", "ecto.migrate", "format"}),
    "dotnet": frozenset({"restore", "build", "clean", "format"}),
    "cargo": frozenset({"build", "fetch", "check", "clean", "fmt", "update", "generate-lockfile"}),
    "bundle": frozenset({"install", "check", "lock"}),
    "composer": frozenset({"install", "dump-autoload"}),
    "git": frozenset({"status", "stash", "add", "fetch", "merge", "rebase", "switch"}),
    "poetry": frozenset({"lock", "install", "check"}),
    "uv": frozenset({"lock", "sync"}),
}
"""What a program that failed may name as the step that was missing: its own steps that work on the project alone."""
SELECTING_OPTIONS = {"cargo": frozenset(("-p",)), "dotnet": frozenset(("-c", "-f"))}
"""Options that select a part of the project, and that with other programs load something."""
COMPILERS = frozenset(("make", "cmake", "rustc", "javac", "tsc", "gcc", "g++", "clang", "cc"))
WRAPPING_WORDS = frozenset(("sudo", "env", "exec", "time", "nohup", "npx", "uvx", "pipx", "run"))
INSTALLING_WORDS = frozenset(("install", "add", "i", "get", "pull"))
HAVE_OTHER_INSTALLS = frozenset((("git",), ("gh",), ("kubectl",), ("dotnet", "ef")))
"""Beginnings of commands of which these subcommands bring in nothing that was not there."""
FETCHING_WORDS = frozenset(("npx", "uvx", "bunx", "pipx", "dlx", "tool"))
LOADING_OPTIONS = frozenset(("-p", "-m", "-f", "--plugin", "--import", "--require"))
UNIX_PROGRAMS = "awk cat cp cut diff find grep head ln ls mkdir mv rm sed sort tail tar tee touch tr xargs".split()  # noqa: SIM905
KNOWN_PROGRAMS = frozenset((*BUILDERS, *OWN_STEPS, *RUNNERS, *UNIX_PROGRAMS, "php"))
"""Programs that projects of a kind are worked on with, or that every machine has."""
PROJECT_TOOLS = frozenset(
    """
    gofmt goimports prettier black isort rustfmt clang-format clang-tidy autopep8 shfmt stylelint msgfmt ktlint detekt
    swiftlint rubocop phpstan psalm php-cs-fixer hlint ormolu golangci-lint staticcheck shellcheck hadolint yamllint
    markdownlint tflint ansible-lint sqlfluff flake8 pylint pyright
    sphinx-build mkdocs hugo jekyll pandoc latexmk pdflatex xelatex lualatex biber tectonic luaotfload-tool
    protoc buf sqlc mockgen thrift openapi-generator
    flutter dart pod xcodebuild fastlane adb gradle swift expo eas
    mix rebar3 erlc gleam sbt scalac kotlinc lein stack cabal ghc dune opam elm zig nim nimble crystal dub julia rscript
    meson bazel buck2 scons conan vcpkg qmake ant pkg-config pio arduino-cli idf.py west verilator iverilog yosys ghdl
    vite webpack rollup esbuild parcel turbo nx lerna ng next nuxt astro gatsby cypress mocha karma ava storybook
    wasm-pack wasm-bindgen trunk tauri drizzle-kit knex typeorm sequelize
    conda mamba micromamba dbt airflow dagster prefect spark-submit papermill jupyter
    pg_dump pg_restore pgbench createdb mysqldump mongodump duckdb
    kafka-topics.sh kafka-configs.sh kafka-consumer-groups.sh
    ansible-playbook packer terragrunt kustomize helmfile skaffold kind minikube k3d pulumi cdk sam nomad
    podman buildah ffmpeg ffprobe identify exiftool qpdf tesseract jq yq xmllint
    aws gcloud az oc mongosh cqlsh clickhouse-client ogr2ogr ogrinfo gdal_translate gdalinfo cobc rabbitmqctl
    nginx systemctl journalctl sbatch srun squeue nvcc nvidia-smi gdb lldb valgrind objdump readelf nm ldd
    pnpm
    """.split()  # noqa: SIM905 - as words they can be read
)
"""Formatters, generators, builders, and the usual tools of databases, clusters and documents."""
RUN_OTHERS = frozenset((*RUNNERS, *"awk tee tar xargs rm php".split()))  # noqa: SIM905
"""Of these, those that run what they are given, or that write or delete anywhere."""
