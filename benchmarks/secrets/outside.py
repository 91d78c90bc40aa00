"""A fourteenth set: half of 560 secrets in real surroundings, written by somebody who had not read the rules.

Its misses were read and mended first; the other half is in `outside_held.py`.
"""

from __future__ import annotations

OUTSIDE_CONTEXTS = {
    "aws credentials file": (
        "[default]\naws_access_key_id = «AKIA{Z16}»\naws_secret_access_key = «{b40}»\nregion = eu-west-1"
    ),
    "aws secret prose": (
        "I pasted the secret access key «{b40}» into the console and it still says SignatureDoesNotMatch"
    ),
    "aws sts json": (
        '{\n  "Credentials": {\n    "AccessKeyId": "«ASIA{Z16}»",\n    "SecretAccessKey":'
        ' "«{b40}»",\n    "Expiration": "2026-01-02T03:04:05Z"\n  }\n}'
    ),
    "aws presigned url": (
        "GET https://acme-artifacts.s3.amazonaws.com/build/41.zip?X-Amz-Algorithm=AWS4-HMAC-S"
        "HA256&X-Amz-Expires=3600&X-Amz-Signature=«{h64}» 403"
    ),
    "azure ad secret value": "AADSTS7000215: Invalid client secret provided. Value used: «{a3}8Q~{u34}»",
    "azure servicebus": (
        "Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=RootManageShare"
        "dAccessKey;SharedAccessKey=«{b43}=»"
    ),
    "gcp oauth secret": "GOOGLE_CLIENT_SECRET: «GOCSPX-{u28}»",
    "github pat classic": "remote: https://octo-bot:«ghp_{a36}»@github.com/acme/site.git (fetch)",
    "github app token": "Run actions/checkout@v4\n  with:\n    token: «ghs_{a36}»",
    "gitlab runner": ("gitlab-runner register --url https://gitlab.acme.io --registration-token «GR1348941{u20}»"),
    "gitlab deploy": "docker login registry.acme.io -u gitlab+deploy-token-12 -p «gldt-{u20}»",
    "bitbucket app password": "git remote set-url origin https://jdoe:«ATBB{a32}»@bitbucket.org/acme/api.git",
    "slack bot": "slack_sdk.errors.SlackApiError: token xoxb rejected: «xoxb-{d12}-{d13}-{a24}»",
    "slack webhook": ('curl -X POST -d \'{"text":"done"}\' https://hooks.slack.com/services/T{U8}/B{U10}/«{a24}»'),
    "mailgun": "curl -s --user 'api:«key-{h32}»' https://api.mailgun.net/v3/mg.acme.io/messages",
    "resend": 'resend.api_key = "«re_{a8}_{a24}»"',
    "openai old": "OPENAI_API_KEY=«sk-{a20}T3BlbkFJ{a20}»",
    "openrouter": 'headers={"Authorization": "Bearer «sk-or-v1-{h64}»"}',
    "groq": "GROQ_API_KEY=«gsk_{a52}»",
    "perplexity": "key used: «pplx-{a48}»",
    "xai": "xai key «xai-{a80}» rejected with 403",
    "stripe restricted": "stripe listen --api-key «rk_live_{a99}»",
    "square": "square access token: «EAAA{u60}»",
    "square secret": "application secret «sq0csp-{u43}»",
    "braintree": "access_token$production${l16}$«{h32}»",
    "shopify": "X-Shopify-Access-Token: «shpat_{h32}»",
    "plaid": "PLAID_SECRET=«{h30}»",
    "npm token": "//registry.npmjs.org/:_authToken=«npm_{a36}»",
    "yarnrc": ("npmScopes:\n  acme:\n    npmRegistryServer: https://npm.acme.io\n    npmAuthToken: «{uuid}»"),
    "pypi token": "twine upload -u __token__ -p «pypi-AgEIcHlwaS5vcmc{u150}» dist/*",
    "pypirc": "[acme]\nrepository = https://pypi.acme.io\nusername = ci\npassword = «{password}»\n",
    "rubygems": "---\n:rubygems_api_key: «rubygems_{h48}»",
    "bundler": "bundle config set --global gems.contribsys.com «{h8}:{h8}»",
    "nuget key": ("dotnet nuget push bin/*.nupkg --api-key «oy2{l43}» --source https://api.nuget.org/v3/index.json"),
    "gradle props": "signing.keyId=24875D73\nsigning.password=«{password}»\nossrhUsername=acme",
    "composer auth": '{"http-basic": {"repo.magento.com": {"username": "{h32}", "password": "«{h32}»"}}}',
    "composer github": '{"github-oauth": {"github.com": "«gho_{a36}»"}}',
    "docker pat": "echo «dckr_pat_{u27}» | docker login -u acmebot --password-stdin",
    "docker login": "docker login -u ci -p «{password}» registry.acme.io:5000",
    "helm repo": "helm repo add acme https://charts.acme.io --username ci --password «{a12}_{a3}»",
    "helm values": "postgresql:\n  auth:\n    username: app\n    password: «{password}»\n    database: app",
    "postgres sqlalchemy": 'engine = create_engine("postgresql+psycopg2://app:«{password}»@localhost/app")',
    "postgres dsn": 'psycopg2.connect("dbname=app user=app password=«{a12}_{a3}» host=10.0.0.7")',
    "pgpassword": "PGPASSWORD=«{password}» psql -h db.acme.io -U app -c 'select 1'",
    "jdbc url": "jdbc:postgresql://db.acme.io/app?user=app&password=«{a12}_{a3}»",
    "spring props": (
        "spring.datasource.url=jdbc:mysql://db/app\nspring.datasource.username=app"
        "\nspring.datasource.password=«{password}»"
    ),
    "sqlserver pwd": ("Driver={ODBC Driver 18 for SQL Server};Server=sql01;Database=app;UID=svc;PWD=«{password}»"),
    "mysqldump": "mysqldump --user=backup --password=«{a12}_{a3}» --all-databases | gzip > all.sql.gz",
    "my cnf": '[client]\nuser = backup\npassword = "«{password}»"\n',
    "mysql env": "docker run -e MYSQL_ROOT_PASSWORD=«{password}» -p 3306:3306 mysql:8",
    "redis url": "redis://:«{u32}»@cache.acme.io:6379/0",
    "redis user url": "REDIS_URL=rediss://default:«{h32}»@eu1-cat-1234.upstash.io:6380",
    "kafka py": "conf = {'sasl.mechanisms': 'PLAIN', 'sasl.username': 'K2', 'sasl.password': '«{b64}»'}",
    "elastic url": "curl 'https://elastic:«{a24}»@es.acme.io:9243/_cat/indices?v'",
    "elastic apikey": "Authorization: ApiKey «{basic}»",
    "elastic reset": (
        "$ bin/elasticsearch-reset-password -u elastic\nPassword for the [elastic] user"
        " successfully reset.\nNew value: «{u20}»"
    ),
    "clickhouse": "clickhouse-client --host ch.acme.io --secure --user default --password '«{a12}_{a3}»'",
    "snowflake": ("snowflake.connector.connect(user='SVC', password='«{a12}_{a3}»', account='xy12345.eu-west-1')"),
    "neo4j": 'driver = GraphDatabase.driver(uri, auth=("neo4j", "«{password}»"))',
    "sql create user": "CREATE USER reporting WITH LOGIN PASSWORD '«{a12}_{a3}»';",
    "sql identified": "CREATE USER 'shop'@'%' IDENTIFIED BY '«{password}»';",
    "sql set password": "SET PASSWORD FOR 'bob'@'localhost' = PASSWORD('«{password}»');",
    "sql tsql": "CREATE LOGIN svc_app WITH PASSWORD = N'«{a12}_{a3}»', CHECK_POLICY = OFF",
    "sql oracle": 'SQL> create user app identified by "«{a8}_{a3}»" default tablespace users;',
    "sql insert": "INSERT INTO settings (name, value) VALUES ('smtp_password', '«{a12}_{a3}»');",
    "mongo createuser": "db.createUser({user: 'app', pwd: '«{password}»', roles: ['readWrite']})",
    "ldap bindpw": "binddn cn=reader,dc=acme,dc=io\nbindpw «{password}»",
    "neon": ("psql 'postgresql://neondb_owner:«npg_{a12}»@ep-cool-fog-123456.eu-central-1.aws.neon.tech/neondb'"),
    "upstash rest": 'UPSTASH_REDIS_REST_TOKEN="«AX{u56}=»"',
    "smtp url": "MAILER_DSN=smtp://mailer:«{a12}_{a3}»@smtp.acme.io:587",
    "smtp login": "server.login('noreply@acme.io', '«{password}»')",
    "imap gmail app": "imaplib.IMAP4_SSL('imap.gmail.com').login('bot@acme.io', '«{l4} {l4} {l4} {l4}»')",
    "curl u": "curl -u admin:«{password}» https://jenkins.acme.io/job/web/build",
    "curl bearer": 'curl -sS -H "Authorization: Bearer «{u40}»" https://api.acme.io/v1/me',
    "curl xauth": "curl -H 'X-Auth-Token: «gAAAAAB{u120}»' https://api.acme.io/servers",
    "curl cookie": "curl -b 'sessionid=«{l32}»; csrftoken=x' https://admin.acme.io/",
    "wget pw": "wget --user=ci --password='«{a12}_{a3}»' https://dl.acme.io/app.zip",
    "jarsigner": "jarsigner -keystore release.jks -storepass «{a12}_{a3}» app.apk upload",
    "unzip P": "unzip -P «{password}» export.zip",
    "7z": "7z a -p«{password}» -mhe=on backup.7z ./data",
    "restic": "RESTIC_PASSWORD='«{password}»' restic -r s3:s3.amazonaws.com/bk snapshots",
    "borg": "export BORG_PASSPHRASE=«{password}»",
    "chpasswd": "echo 'deploy:«{a12}_{a3}»' | sudo chpasswd",
    "sudo S": "echo «{password}» | sudo -S systemctl restart nginx",
    "htpasswd b": "htpasswd -bc /etc/nginx/.htpasswd admin «{password}»",
    "useradd": "net user svc_backup «{a12}_{a3}» /add",
    "kubectl secret": (
        "kubectl create secret generic db --from-literal=username=app --from-literal=password='«{a12}_{a3}»'"
    ),
    "kubectl token": "kubectl --token=«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{json}.{u43}» get pods -A",
    "vault login": "vault login «hvs.{u90}»",
    "vault unseal": "Unseal Key 1: {b43}=\nUnseal Key 2: «{b43}=»\n",
    "vault root": "Initial Root Token: «hvs.{a24}»\n\nVault initialized with 5 key shares",
    "vault kv put": "vault kv put secret/app db_password=«{a12}_{a3}»",
    "aws secretsmanager": (
        "aws secretsmanager create-secret --name prod/db --secret-string"
        ' \'{"username":"app","password":"«{a12}_{a3}»"}\''
    ),
    "flyctl": "fly secrets set STRIPE_KEY=«{a36}»",
    "fly token": 'FLY_API_TOKEN="FlyV1 «fm2_{b267}=»"',
    "gh secret": 'gh secret set DEPLOY_PASSWORD --body "«{a12}_{a3}»"',
    "cloudflare global": (
        "curl -H 'X-Auth-Email: ops@acme.io' -H 'X-Auth-Key: «{h37}»' https://api.cloudflare.com/client/v4/zones"
    ),
    "digitalocean": "doctl auth init -t «dop_v1_{h64}»",
    "hcloud": "HCLOUD_TOKEN=«{a64}» hcloud server list",
    "linode": "linode-cli configure --token «{h64}»",
    "netlify": "netlify deploy --prod --auth «nfp_{a36}»",
    "wg key": "[Interface]\nPrivateKey = «{b43}=»\nAddress = 10.8.0.2/24",
    "wg psk": "[Peer]\nPublicKey = {b43}=\nPresharedKey = «{b43}=»\nAllowedIPs = 10.8.0.0/24",
    "wg genkey": "$ wg genkey\n«{b43}=»",
    "age key": "# created: 2025-03-02T10:00:00Z\n# public key: age1{l58}\n«AGE-SECRET-KEY-1{U58}»",
    "svn": "svn co --username ci --password «{a12}_{a3}» https://svn.acme.io/trunk",
    "p4": "p4 -u build -P «{H32}» sync",
    "ansible inventory": "web01 ansible_host=10.0.0.4 ansible_user=ops ansible_ssh_pass=«{a12}_{a3}»",
    "cmd set": "set SONAR_TOKEN=«squ_{h40}»&& mvn sonar:sonar",
    "fish set": "set -gx GITEA_TOKEN «{h40}»",
    "adb wifi": "adb shell cmd wifi connect-network Office wpa2 «{password}»",
    "git credentials": "https://jdoe:«{a12}_{a3}»@git.acme.io",
    "git extraheader": '[http "https://git.acme.io/"]\n\textraheader = AUTHORIZATION: basic «{basic}»',
    "env plain": "APP_ENV=production\nSECRET_KEY=«{u50}»\nDEBUG=false",
    "env export": "export GEMINI_API_KEY='«AIza{u35}»'",
    "php array": "'mysql' => ['host' => 'db', 'username' => 'app', 'password' => '«{password}»']",
    "node config": "module.exports = { session: { secret: '«{a16}_{a3}»', resave: false } }",
    "js const": 'const ADMIN_PASSWORD = "«{password}»";',
    "go struct": 'cfg := Config{Host: "db", Password: "«{password}»"}',
    "rust const": 'const API_TOKEN: &str = "«{a40}»";',
    "swift": 'let clientSecret: String = "«{a40}»"',
    "paramiko": "ssh.connect('10.0.0.5', username='root', password='«{password}»')",
    "perl dbi": ("my $dbh = DBI->connect('dbi:Pg:dbname=app', 'app', '«{password}»', { RaiseError => 1 });"),
    "lua": 'local red = redis:new(); red:auth("«{u24}»")',
    "toml": "[smtp]\nhost = \"smtp.acme.io\"\npassword = '«{password}»'",
    "yaml block": "client_secret: |\n  «{u44}»\nissuer: https://sso.acme.io",
    "yaml env list": '        env:\n        - name: DB_PASSWORD\n          value: "«{a12}_{a3}»"',
    "compose env": "    environment:\n      - POSTGRES_PASSWORD=«{password}»\n      - POSTGRES_DB=app",
    "k8s secret": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: «{basic}»\n",
    "k3s token": "K3S_TOKEN=«K10{h64}::server:{h32}»",
    "swarm": "docker swarm join --token «SWMTKN-1-{l50}-{l25}» 10.0.0.1:2377",
    "tf output": "$ terraform output -raw db_password\n«{a16}_{a3}»",
    "tf variable": 'variable "admin_password" {\n  type    = string\n  default = "«{password}»"\n}',
    "ansible yaml": ('- name: create db user\n  postgresql_user:\n    name: app\n    password: "«{password}»"'),
    "ansible groupvars": "vault_mysql_root_password: «{a12}_{a3}»",
    "xml attr conn": (
        '<add name="Default" connectionString="Data Source=sql01;Initial Catalog=App;User'
        ' Id=app;Password=«{a12}_{a3}»" />'
    ),
    "xml property": '<property name="hibernate.connection.password">«{password}»</property>',
    "httpd conf": 'proxy_set_header Authorization "Basic «{basic}»";',
}
