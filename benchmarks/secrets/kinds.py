"""Kinds of secrets that their own text shows, mostly by a vendor's prefix, and kinds that only a name shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of secret: templates of its text, and the names that it stands under.

    `bare`: the secret is known by its own text, so that it is tried without a name, too.
    """

    name: str
    templates: tuple[str, ...]
    names: tuple[str, ...]
    bare: bool


_BY_PREFIX = {
    "adafruit": "aio_{a28}",
    "age": "AGE-SECRET-KEY-1{U58}",
    "airtable": "pat{a14}.{h64}",
    "alibaba": "LTAI{a20}",
    "anthropic": "sk-ant-api03-{u93}AA",
    "artifactory": "AKCp{a69}",
    "asana": "2/{d16}/{d16}:{h32}",
    "atlassian": "ATATT3xFfGF0{u170}={H8}",
    "aws access key": "AKIA{U16}",
    "aws bedrock": "ABSK{b109}=",
    "azure client secret": "{a3}8Q~{u34}",
    "bitbucket": "ATBB{a32}",
    "cerebras": "csk-{l48}",
    "clojars": "CLOJARS_{l60}",
    "contentful": "CFPAT-{u43}",
    "databricks": "dapi{h32}",
    "digitalocean": "dop_v1_{h64}",
    "discord bot": "MT{a24}.G{u5}.{u38}",
    "docker hub": "dckr_pat_{u27}",
    "doppler": "dp.pt.{a43}",
    "dropbox": "sl.{u140}",
    "dynatrace": "dt0c01.{U24}.{U64}",
    "easypost": "EZAK{a54}",
    "elevenlabs": "sk_{h48}",
    "facebook": "EAA{a160}",
    "figma": "figd_{u40}",
    "fireworks": "fw_{a24}",
    "flutterwave": "FLWSECK_TEST-{h32}-X",
    "fly": "FlyV1 fm2_{b180}",
    "github": "ghp_{a36}",
    "github app": "ghs_{a36}",
    "github fine-grained": "github_pat_{a22}_{a59}",
    "gitlab": "glpat-{u20}",
    "gitlab runner": "glrt-{u20}",
    "google api": "AIza{u35}",
    "google oauth": "ya29.a0{u120}",
    "google client secret": "GOCSPX-{u28}",
    "google refresh": "1//0{u60}",
    "grafana": "glsa_{a32}_{h8}",
    "grafana cloud": "glc_eyJ{a80}",
    "groq": "gsk_{a52}",
    "heroku": "HRKU-AA{u58}",
    "hubspot": "pat-na1-{uuid}",
    "hugging face": "hf_{a34}",
    "jwt": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{json}.{u43}",
    "langsmith": "lsv2_pt_{h32}_{h10}",
    "launchdarkly": "sdk-{uuid}",
    "linear": "lin_api_{a40}",
    "mailchimp": "{h32}-us17",
    "mailgun": "key-{h32}",
    "mapbox": "sk.eyJ{a60}.{u22}",
    "neon": "napi_{l64}",
    "netlify": "nfp_{a36}",
    "newrelic": "NRAK-{U27}",
    "notion": "ntn_{d11}{a35}",
    "npm": "npm_{a36}",
    "nuget": "oy2{z43}",
    "nvidia": "nvapi-{u64}",
    "1password": "ops_eyJ{a200}",
    "openai": "sk-proj-{u48}T3BlbkFJ{u48}",
    "openai legacy": "sk-{a20}T3BlbkFJ{a20}",
    "openrouter": "sk-or-v1-{h64}",
    "perplexity": "pplx-{a48}",
    "pinecone": "pcsk_{a6}_{a60}",
    "plaid": "access-production-{uuid}",
    "planetscale": "pscale_tkn_{u43}",
    "postman": "PMAK-{h24}-{h34}",
    "prefect": "pnu_{l36}",
    "pulumi": "pul-{h40}",
    "pypi": "pypi-AgEIcHlwaS5vcmc{u150}",
    "render": "rnd_{a28}",
    "replicate": "r8_{a37}",
    "rubygems": "rubygems_{h48}",
    "sendgrid": "SG.{u22}.{u43}",
    "sentry": "sntrys_eyJ{a90}_{a43}",
    "sentry user": "sntryu_{h64}",
    "shippo": "shippo_live_{h40}",
    "shopify": "shpat_{h32}",
    "slack app": "xapp-1-A{U10}-{d13}-{h64}",
    "slack bot": "xoxb-{d12}-{d13}-{a24}",
    "slack user": "xoxp-{d12}-{d12}-{d13}-{h32}",
    "sonarqube": "squ_{h40}",
    "square": "EAAA{u60}",
    "square oauth": "sq0csp-{u43}",
    "stripe": "sk_live_{a99}",
    "stripe restricted": "rk_live_{a99}",
    "stripe webhook": "whsec_{a32}",
    "supabase": "sbp_{h40}",
    "supabase secret": "sb_secret_{u31}",
    "tailscale": "tskey-auth-k{a11}CNTRL-{a32}",
    "telegram": "{d10}:AA{u33}",
    "terraform": "{a14}.atlasv1.{u67}",
    "together": "tgp_v1_{u43}",
    "twilio": "SK{h32}",
    "typeform": "tfp_{u44}_{u14}",
    "vault": "hvs.CAES{u90}",
    "xai": "xai-{a80}",
    "yandex": "AQVN{u36}",
}

_BY_NAME: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "password": (("{password}",), ("password", "db password", "postgres password", "admin password")),
    "short password name": (("{password}",), ("db pass", "email pass", "user pwd", "ftp passwd")),
    "passphrase": (("{password}", "{words4}"), ("passphrase", "key passphrase", "gpg passphrase")),
    "store password": (("{password}",), ("keystore password", "truststore password", "ssl key password")),
    "root password": (("{password}",), ("mysql root password", "mongo initdb root password", "rabbitmq default pass")),
    "api key": (("{h32}", "{a40}", "{uuid}"), ("api key", "dd api key", "algolia admin api key", "mistral api key")),
    "app key": (("{h40}", "base64:{b43}="), ("app key", "dd app key", "application key")),
    "aws secret": (("{b40}",), ("aws secret access key", "secret access key", "s3 secret key")),
    "aws session": (("IQoJb3JpZ2luX2Vj{b300}=",), ("aws session token", "session token")),
    "access token": (("{a43}", "{u86}"), ("access token", "fb access token", "twitter access token")),
    "refresh token": (("{a64}",), ("refresh token", "oauth refresh token")),
    "auth token": (("{h32}", "{a40}"), ("auth token", "twilio auth token", "npm auth token")),
    "bot token": (("{a50}",), ("bot token", "deploy token", "personal access token")),
    "client secret": (("{a40}", "{u34}"), ("client secret", "oauth client secret", "azure client secret")),
    "consumer secret": (("{a50}",), ("consumer secret", "twitter api secret", "token secret")),
    "webhook secret": (("{h40}", "{a32}"), ("webhook secret", "github webhook secret", "hook secret")),
    "jwt secret": (("{h64}", "{password}{a12}"), ("jwt secret", "jwt signing key", "jwt secret key")),
    "django": (("{l20}{password}{l20}",), ("secret key", "django secret key")),
    "rails": (("{h128}",), ("secret key base", "rails master key")),
    "session secret": (("{a32}",), ("session secret", "cookie secret", "nextauth secret", "csrf secret")),
    "encryption key": (("{b43}=", "{h64}"), ("encryption key", "fernet key", "aes key", "data encryption key")),
    "signing key": (("{h64}", "{b43}="), ("signing key", "hmac key", "signing secret", "signature key")),
    "wireguard": (("{b42}A=",), ("private key", "preshared key")),
    "ethereum": (("0x{h64}",), ("private key", "deployer private key", "wallet private key")),
    "storage key": (("{b86}==",), ("account key", "azure storage key", "storage account key", "shared access key")),
    "master key": (("{a32}", "{b43}="), ("master key", "meili master key", "cosmos primary key")),
    "service key": (("{a40}",), ("service key", "service role key", "subscription key")),
    "write key": (("{a32}",), ("segment write key", "ingest key", "license key", "ingestion key")),
    "totp": (("{z32}",), ("totp secret", "otp seed", "mfa secret")),
    "mnemonic": (("{words12}",), ("mnemonic", "seed phrase", "wallet mnemonic")),
    "vault token": (("{a26}",), ("vault token", "consul http token", "nomad token")),
    "credential": (("{a36}", "{password}"), ("credential", "db credentials", "api credentials")),
    "salt": (("{u64}",), ("auth salt", "nonce salt", "password salt")),
    "pin": (("{d6}", "{d8}"), ("password", "admin passcode", "device passcode")),
    "cloudflare": (("{u40}",), ("cloudflare api token", "cf api key")),
    "heroku legacy": (("{uuid}",), ("heroku api key", "client secret", "api secret")),
}


def kinds() -> list[Kind]:
    """Return all kinds that are single values."""
    return kinds_of(_BY_PREFIX, _BY_NAME)


def kinds_of(by_prefix: dict[str, str], by_name: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]) -> list[Kind]:
    """Return the kinds of two tables: templates by name, and (templates, names) by name."""
    prefixed = [Kind(name, (text,), (f"{name} token", "value"), bare=True) for name, text in by_prefix.items()]
    return prefixed + [Kind(f"by name: {name}", texts, names, bare=False) for name, (texts, names) in by_name.items()]
