"""Names that nobody chose for a run, because everybody knows them: public packages, programs and download hosts.

A text can only point to them, not change what is behind them. So a word of a command that is one of these says nothing
of who wanted it to be run. Hosts where anybody may publish (code hosting, pastes, object stores) are none of them, and
neither is a name that merely looks like one.
"""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_PYTHON = """
    pip setuptools wheel twine pipx poetry uv hatch hatchling pdm virtualenv tox nox pytest pytest-cov pytest-xdist
    pytest-asyncio pytest-mock pytest-django pytest-timeout hypothesis coverage mypy ruff black isort flake8 pylint
    pyright bandit pre-commit numpy scipy pandas polars pyarrow matplotlib seaborn plotly scikit-learn statsmodels
    xgboost lightgbm torch torchvision torchaudio tensorflow keras jax jaxlib transformers tokenizers datasets
    accelerate peft sentence-transformers openai anthropic langchain tiktoken requests httpx aiohttp urllib3 certifi
    django flask fastapi starlette uvicorn gunicorn hypercorn sqlalchemy alembic psycopg psycopg2 psycopg2-binary
    pymysql mysqlclient asyncpg redis celery kombu boto3 botocore awscli paramiko cryptography pyopenssl pyjwt pydantic
    pydantic-settings attrs typer tqdm jinja2 markupsafe werkzeug itsdangerous lxml beautifulsoup4 html5lib selenium
    playwright scrapy pillow opencv-python opencv-python-headless imageio pyyaml tomli tomlkit python-dotenv
    python-dateutil pytz tzdata typing-extensions importlib-metadata greenlet gevent eventlet jupyter jupyterlab
    notebook ipykernel nbconvert sphinx mkdocs mkdocs-material networkx sympy numba cython pybind11 cffi grpcio
    grpcio-tools protobuf openpyxl xlrd xlsxwriter reportlab fiona shapely geopandas rasterio pyproj h5py netcdf4 xarray
    dask ray apache-airflow dbt-core duckdb elasticsearch pymongo djangorestframework whitenoise sentry-sdk structlog
    loguru factory-boy faker freezegun responses moto tenacity filelock setuptools-scm flask-sqlalchemy flask-migrate
    types-pyyaml types-requests types-python-dateutil types-pytz types-redis types-setuptools types-toml types-six
    pandas-stubs django-stubs
"""
_NODE = """
    typescript ts-node tsx eslint prettier jest ts-jest babel-jest jest-environment-jsdom vitest mocha chai sinon
    cypress webpack webpack-cli vite rollup esbuild parcel react react-dom react-router react-router-dom nuxt vue
    vue-tsc svelte rxjs express fastify axios node-fetch undici lodash dayjs date-fns zod dotenv cross-env rimraf
    concurrently nodemon husky lint-staged tailwindcss postcss autoprefixer sass styled-components redux zustand
    prisma drizzle-orm typeorm sequelize knex mysql2 mongodb mongoose ioredis socket.io puppeteer jsdom happy-dom
    cheerio graphql corepack yarn pnpm npm nvm volta electron tslib typescript-eslint eslint-config-prettier
    eslint-plugin-react eslint-plugin-import node-gyp patch-package npm-run-all vite-tsconfig-paths
"""
_COMPILED = """
    serde serde_json tokio anyhow thiserror clap reqwest hyper axum actix-web tracing rayon sqlx sqlx-cli diesel
    sea-orm openssl-sys rustls native-tls tonic prost bindgen wasm-bindgen wasm-bindgen-cli criterion proptest
    cargo-edit cargo-nextest cargo-watch cargo-audit cargo-deny cargo-llvm-cov wasm-pack cross rustup rustfmt clippy
    gopls protoc-gen-go protoc-gen-go-grpc golangci-lint goimports testify cobra lombok lombok-mapstruct-binding
    mapstruct mapstruct-processor junit junit-jupiter mockito mockito-core slf4j-api logback hibernate flyway liquibase
    guava jackson-databind rspec rubocop nokogiri bundler puma sidekiq phpunit composer monolog guzzle credo dialyxir
"""
_SYSTEM = """
    libicu-dev libzip-dev libonig-dev libgmp-dev libmagickwand-dev libfreetype6-dev libwebp-dev libsodium-dev
    libyaml-dev libsasl2-dev libldap2-dev freetds-dev unixodbc-dev libexpat1-dev libevent-dev libboost-all-dev
    libopencv-dev ffmpeg libx11-dev libxext6 libsm6 libxrender1 libgtk-3-0 libgit2-dev acl attr rsync wget
    less procps iputils-ping dnsutils netcat-openbsd lsof strace gawk make build-base icu-dev oniguruma-dev
    postgresql-dev mariadb-dev jpeg-dev zlib-dev openssl-dev
    build-essential gcc g++ gfortran cmake pkg-config libssl-dev libffi-dev libpq-dev zlib1g-dev libjpeg-dev libpng-dev
    libxml2-dev libxslt1-dev libsqlite3-dev libreadline-dev libbz2-dev liblzma-dev libncurses-dev libcurl4-openssl-dev
    libgl1 libglib2.0-0 libgdal-dev libgeos-dev libproj-dev libudunits2-dev libopenblas-dev libasound2 libnss3 libgbm1
    libgomp1 libstdc++6 libmagic1 libxmlsec1-dev libsndfile1 libcairo2-dev libpango1.0-dev libusb-1.0-0-dev libudev-dev
    python3-dev python3-venv python3-pip python3-distutils default-jdk openjdk-11-jdk openjdk-17-jdk openjdk-21-jdk
    unzip gnupg ca-certificates lsb-release software-properties-common apt-transport-https musl-dev musl-tools libc6-dev
    libc-dev linux-headers protobuf-compiler clang llvm lld mold ccache nodejs tesseract-ocr imagemagick poppler-utils
    ghostscript texlive texlive-latex-extra texlive-fonts-recommended texlive-xetex fonts-noto fonts-dejavu
    postgresql-client default-libmysqlclient-dev gettext openssl sqlite3 tini dumb-init shellcheck
    setsebool getsebool semanage restorecon chcon sealert firewall-cmd nmcli resolvectl update-alternatives
    gcompat libc6-compat libstdc++ libgcc icu-libs icu-data-full tzdata glibc-compat fontconfig ttf-dejavu krb5-libs
    update-ca-certificates ldconfig sysctl modprobe locale-gen timedatectl hostnamectl loginctl
    nvidia-ctk nvidia-container-toolkit docker-ce docker-ce-cli containerd.io brew
    launchctl xcode-select
"""
_HOSTS = frozenset(
    """
    pypi.org files.pythonhosted.org bootstrap.pypa.io install.python-poetry.org astral.sh python.org www.python.org
    docs.python.org download.pytorch.org pytorch.org conda.anaconda.org repo.anaconda.com
    registry.npmjs.org registry.yarnpkg.com dl.yarnpkg.com nodejs.org deb.nodesource.com rpm.nodesource.com get.pnpm.io
    crates.io static.crates.io index.crates.io sh.rustup.rs static.rust-lang.org win.rustup.rs
    proxy.golang.org sum.golang.org go.dev golang.org google.golang.org go.uber.org k8s.io sigs.k8s.io
    repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org maven.google.com dl.google.com
    rubygems.org packagist.org getcomposer.org hex.pm repo.hex.pm api.nuget.org cran.r-project.org pub.dev
    download.docker.com get.helm.sh charts.helm.sh registry.k8s.io dl.k8s.io pkgs.k8s.io apt.releases.hashicorp.com
    rpm.releases.hashicorp.com releases.hashicorp.com registry.terraform.io apt.postgresql.org download.postgresql.org
    packages.microsoft.com packages.cloud.google.com awscli.amazonaws.com cli.github.com developer.download.nvidia.com
    nvidia.github.io archive.ubuntu.com security.ubuntu.com ports.ubuntu.com deb.debian.org security.debian.org
    dl-cdn.alpinelinux.org dl.fedoraproject.org cache.nixos.org nixos.org ftp.gnu.org
    """.split()  # noqa: SIM905 - as words they can be read
)
_LOOPBACK = "127.0.0.1 localhost ::1"
_NAMES = frozenset(f"{_LOOPBACK} {_PYTHON}{_NODE}{_COMPILED}{_SYSTEM}".split())
_SCOPE = re.compile(
    r"@?(?:types|babel|eslint|typescript-eslint|vitejs|vitest|testing-library|tanstack|nestjs|angular|sveltejs|storybook"
    r"|tailwindcss|swc|aws-sdk|playwright|prisma|rollup|reduxjs|mui|emotion|vue|nuxt|jest|commitlint|trpc|fastify)"
    r"/[a-z][a-z0-9-]{1,40}"
)
"""Scopes of the npm registry that belong to one project each."""
_ADDRESS = re.compile(r"(?:https?://)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::443)?(?![\w@:.-])[^\s]*")


def is_well_known(name: str) -> bool:
    """Return true for a public package or program, or an address of a well-known host or of the machine itself.

    `name` is in lower case.
    """
    if name in _NAMES or _SCOPE.fullmatch(name):
        return True
    address = _ADDRESS.fullmatch(name)
    return address is not None and address[1] in _HOSTS
