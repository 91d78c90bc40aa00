"""The other half of the fourteenth set: its misses were read once the rules of the first half were counted."""

from __future__ import annotations

OUTSIDE_HELD_CONTEXTS = {
    "aws access key": (
        "ERROR botocore: InvalidAccessKeyId: The AWS Access Key Id you provided («AKIA{Z16}»)"
        " does not exist in our records."
    ),
    "aws session token": 'export AWS_SESSION_TOKEN="«FwoGZXIvYXdzE{b280}»"',
    "azure storage connection": (
        "DefaultEndpointsProtocol=https;AccountName=acmelogs;AccountKey=«{b86}==»;EndpointSuffix=core.windows.net"
    ),
    "azure client secret": "az login --service-principal -u {uuid} -p «{u40}» --tenant {uuid}",
    "azure sas": (
        "azcopy copy ./dist 'https://acmelogs.blob.core.windows.net/"
        "web?sv=2022-11-02&ss=b&srt=co&sp=rwdl&se=2026-09-01T00:00:00Z&sig=«{b43}%3D»'"
    ),
    "azure devops pat": "git clone https://anything:«{z52}»@dev.azure.com/acme/web/_git/web",
    "gcp api key": 'curl "https://maps.googleapis.com/maps/api/geocode/json?address=Bern&key=«AIza{u35}»"',
    "gcp access token": "Authorization: Bearer «ya29.a0{u160}»",
    "gcp refresh token": (
        '{"client_id": "764086051850.apps.googleusercontent.com", "refresh_token":'
        ' "«1//0{u99}»", "type": "authorized_user"}'
    ),
    "github pat fine": "gh auth login --with-token <<< «github_pat_{a22}_{a59}»",
    "github oauth device": "got access_token=«gho_{a36}»&scope=repo&token_type=bearer",
    "gitlab pat": 'curl --header "PRIVATE-TOKEN: «glpat-{u20}»" https://gitlab.acme.io/api/v4/projects',
    "gitlab runner auth": "Verifying runner... is valid   runner=«glrt-{u20}»",
    "atlassian api": "JIRA_API_TOKEN=«ATATT3xFfGF0{u170}={H8}» python sync.py",
    "slack user": "SLACK_TOKEN='«xoxp-{d12}-{d12}-{d13}-{h32}»'",
    "slack app": 'app = App(); SocketModeHandler(app, "«xapp-1-A{U10}-{d13}-{h64}»").start()',
    "discord webhook": "POST https://discord.com/api/webhooks/{d18}/«{u68}» 204",
    "discord bot": "client.run('«MTA{a21}.{a6}.{u38}»')",
    "telegram bot": "requests.get('https://api.telegram.org/bot{d10}:«{u35}»/getMe').json()",
    "telegram env": "TELEGRAM_TOKEN=«{d10}:AA{u33}»",
    "twilio auth": "client = Client('AC{h32}', '«{h32}»')",
    "twilio key": "TWILIO_API_KEY=«SK{h32}»",
    "sendgrid": "sg = sendgrid.SendGridAPIClient(api_key='«SG.{u22}.{u43}»')",
    "mailgun new": 'MAILGUN_API_KEY = "«{h32}-{h8}-{h8}»"',
    "mailchimp": "mailchimp_marketing.Client().set_config({'api_key': '«{h32}-us14»'})",
    "postmark": "X-Postmark-Server-Token: «{uuid}»",
    "brevo": "api-key: «xkeysib-{h64}-{a16}»",
    "huggingface": "huggingface-cli login --token «hf_{a34}»",
    "openai proj": (
        "openai.AuthenticationError: Error code: 401 - Incorrect API key provided:"
        " «sk-proj-{u74}T3BlbkFJ{u74}». You can find your key at https://platform.openai.com"
    ),
    "anthropic": "-H 'x-api-key: «sk-ant-api03-{u93}AA»' -H 'anthropic-version: 2023-06-01'",
    "replicate": "export REPLICATE_API_TOKEN=«r8_{a37}»",
    "mistral": 'mistral = Mistral(api_key="«{a32}»")',
    "cohere": "co = cohere.Client('«{a40}»')",
    "stripe live": "stripe.api_key = '«sk_live_{a24}»'",
    "stripe webhook": "> Ready! Your webhook signing secret is «whsec_{a32}» (^C to quit)",
    "paypal": (
        "curl -v https://api-m.paypal.com/v1/oauth2/token -u"
        ' "AYSq3RDGsmBLJE-otTkBtM:«EGnHDxD_{u60}»" -d grant_type=client_credentials'
    ),
    "shopify secret": 'SHOPIFY_API_SECRET: "«shpss_{h32}»"',
    "adyen": "checkout-api-key: «AQE{a40}-{b43}=-{a16}»",
    "npmrc auth": "//nexus.acme.io/repository/npm/:_auth=«{basic}»\nalways-auth=true",
    "npmrc legacy uuid": '//npm.acme.io/:_authToken="«{uuid}»"',
    "npmrc password": "//npm.acme.io/:username=ci\n//npm.acme.io/:_password=«{basic}»",
    "pip index": ("pip install --extra-index-url https://reader:«{a10}_{a3}»@pypi.acme.io/simple acme-core"),
    "pip conf": (
        "[global]\nindex-url = https://__token__:«{u24}»@gitlab.acme.io/api/v4/projects/7/packages/pypi/simple"
    ),
    "poetry": "poetry config http-basic.acme ci «{a12}_{a3}»",
    "poetry token": "poetry config pypi-token.pypi «pypi-{u100}»",
    "uv env": "UV_INDEX_ACME_PASSWORD=«{password}» uv sync",
    "nuget config": (
        '<packageSourceCredentials><acme><add key="Username" value="ci" /><add'
        ' key="ClearTextPassword" value="«{a12}_{a3}»" /></acme></packageSourceCredentials>'
    ),
    "maven settings": (
        "<server>\n  <id>nexus</id>\n  <username>deploy</username>\n  <password>«{password}»</password>\n</server>"
    ),
    "cargo token": "cargo login «cio{a32}»",
    "cargo credentials": '[registry]\ntoken = "«{a32}»"',
    "docker config": '{"auths": {"https://index.docker.io/v1/": {"auth": "«{basic}»"}}}',
    "helm set": (
        "helm upgrade --install pg bitnami/postgresql --set auth.postgresPassword=«{a12}_{a3}»,auth.database=app"
    ),
    "postgres url": "DATABASE_URL=postgres://app:«{a12}_{a3}»@db.acme.io:5432/app?sslmode=require",
    "pgpass": "db.acme.io:5432:app:app_rw:«{a12}_{a3}»",
    "jdbc oracle": "jdbc:oracle:thin:app/«Tiger{a7}»@//ora.acme.io:1521/ORCLPDB1",
    "sqlserver net": (
        "Server=tcp:acme.database.windows.net,1433;Initial Catalog=app;User ID=sa;Password=«{a12}_{a3}»;Encrypt=True;"
    ),
    "mysql cli": "mysql -h db.acme.io -u root -p«{a8}_{a3}» app < dump.sql",
    "mongo srv": "mongodb+srv://app:«{a12}_{a3}»@cluster0.ab1cd.mongodb.net/app?retryWrites=true",
    "mongosh": "mongosh --host mongo01 -u admin -p «{password}» --authenticationDatabase admin",
    "redis cli": "redis-cli -h cache.acme.io -a «{password}» ping",
    "redis conf": "requirepass «{u40}»\nmaxmemory 2gb",
    "redis auth cmd": "127.0.0.1:6379> AUTH «{a12}_{a3}»\nOK",
    "amqp": "CELERY_BROKER_URL = 'amqps://worker:«{u22}»@rabbit.acme.io:5671/prod'",
    "rabbitmqctl": "rabbitmqctl add_user worker «{a12}_{a3}»",
    "kafka jaas": (
        "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required"
        ' username="ABCD" password="«{b64}»";'
    ),
    "cassandra": "auth_provider = PlainTextAuthProvider(username='cassandra', password='«{password}»')",
    "snowflake url": "snowflake://svc:«{a12}_{a3}»@xy12345/app/public?warehouse=wh",
    "influx token": "influx write --token «{u86}==» --bucket metrics",
    "sql alter role": "app=# ALTER ROLE app_rw WITH PASSWORD '«{password}»';\nALTER ROLE",
    "sql identified with": (
        "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '«{a12}_{a3}»'; FLUSH PRIVILEGES;"
    ),
    "sqlplus": "sqlplus system/«Mgr{a9}»@ORCL @migrate.sql",
    "ldap": ("ldapsearch -x -H ldap://dc01 -D 'cn=svc,dc=acme,dc=io' -w '«{a12}_{a3}»' -b dc=acme,dc=io"),
    "supabase service": "SUPABASE_SERVICE_ROLE_KEY=«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{json}.{u43}»",
    "supabase pat": "supabase login --token «sbp_{h40}»",
    "planetscale": "DATABASE_PASSWORD=«pscale_pw_{u43}»",
    "ftp url": "wget ftp://deploy:«{a12}_{a3}»@ftp.acme.io/releases/app.tgz",
    "lftp": "lftp -u deploy,«{a12}_{a3}» sftp://files.acme.io -e 'mirror -R dist'",
    "proxy url": "export https_proxy=http://jdoe:«{a12}_{a3}»@proxy.acme.io:3128",
    "proxy curl": "curl -x proxy.acme.io:3128 -U jdoe:«{a12}_{a3}» https://example.org",
    "smb": "mount -t cifs //nas/share /mnt -o username=svc,password=«{a12}_{a3}»,vers=3.0",
    "smbclient": "smbclient //nas/share -U 'ACME\\svc%«{a12}_{a3}»' -c ls",
    "net use": "net use Z: \\\\nas\\share «{a12}_{a3}» /user:ACME\\svc /persistent:no",
    "curl user long": 'curl --user "svc-ci:«{a12}_{a3}»" -T app.war https://nexus.acme.io/repository/raw/',
    "curl token header": "curl -H 'Authorization: token «{h40}»' https://api.github.com/user",
    "curl json body": (
        "curl -XPOST https://api.acme.io/login -H 'content-type: application/json' -d"
        ' \'{"email":"ops@acme.io","password":"«{a12}_{a3}»"}\''
    ),
    "curl form": (
        "curl -d 'grant_type=password&username=ops&password=«{a12}_{a3}»&client_id=web' https://sso.acme.io/token"
    ),
    "httpie": "http -a admin:«{password}» GET https://grafana.acme.io/api/org",
    "sshpass": "sshpass -p '«{a12}_{a3}»' scp build.tgz deploy@10.1.2.3:/srv",
    "sshpass joined": "sshpass -p«{password}» ssh root@10.1.2.3 uptime",
    "openssl passin": "openssl rsa -in key.pem -passin pass:«{a12}_{a3}» -out plain.pem",
    "openssl enc k": "openssl enc -aes-256-cbc -d -in secrets.enc -out secrets.tar -k «{password}»",
    "gpg passphrase": 'gpg --batch --yes --passphrase "«{password}»" -d backup.gpg > backup.tar',
    "keytool": (
        "keytool -importkeystore -srckeystore app.p12 -srcstorepass «{password}» -destkeystore"
        " app.jks -deststorepass changeit1"
    ),
    "signtool": "signtool sign /f cert.pfx /p «{a12}_{a3}» /tr http://ts.acme.io app.exe",
    "zip P": "zip -r -P «{password}» export.zip data/",
    "passwd stdin": 'echo "«{a12}_{a3}»" | passwd --stdin jenkins',
    "kubectl docker": (
        "kubectl create secret docker-registry regcred --docker-server=r.acme.io"
        " --docker-username=ci --docker-password=«{a12}_{a3}»"
    ),
    "oc login": "oc login --token=sha256~«{u43}» --server=https://api.ocp.acme.io:6443",
    "vault old": "export VAULT_TOKEN=«s.{a24}»",
    "aws ssm": ("aws ssm put-parameter --name /app/db/password --type SecureString --value '«{a12}_{a3}»'"),
    "heroku config": "heroku config:set SECRET_KEY_BASE=«{h128}» -a acme-web",
    "wrangler": "CLOUDFLARE_API_TOKEN=«{u40}» npx wrangler deploy",
    "cloudflared": "cloudflared service install «eyJhIjoi{b160}»",
    "vercel": "vercel --prod --token «{a24}»",
    "scaleway": "scw init secret-key=«{uuid}»",
    "ngrok": "ngrok config add-authtoken «{a27}_{a21}»",
    "tailscale": "tailscale up --authkey «tskey-auth-{a12}CNTRL-{a32}»",
    "rsync pw": "RSYNC_PASSWORD=«{password}» rsync -a rsync://bk@nas/data .",
    "ansible vars": "ansible-playbook site.yml -e 'ansible_become_pass=«{password}»'",
    "winrm": "evil-winrm -i 10.0.0.9 -u Administrator -p '«{a12}_{a3}»'",
    "powershell env": '$env:DB_PASSWORD = "«{a12}_{a3}»"',
    "powershell secure": "$pw = ConvertTo-SecureString '«{a12}_{a3}»' -AsPlainText -Force",
    "powershell cred": (
        "New-Object PSCredential('ACME\\svc', (ConvertTo-SecureString \"«{password}»\" -AsPlainText -Force))"
    ),
    "sonar flag": "mvn sonar:sonar -Dsonar.login=«{h40}»",
    "java D": "java -Djavax.net.ssl.keyStorePassword=«{password}» -jar app.jar",
    "nmcli": "nmcli dev wifi connect Office password '«{password}»'",
    "wpa supplicant": 'network={\n  ssid="Office"\n  psk="«{password}»"\n}',
    "netrc": "machine api.heroku.com\n  login ops@acme.io\n  password «{h36}»",
    "netrc line": "machine git.acme.io login ci password «{a12}_{a3}»",
    "env quoted spaces": 'DB_PASS="«pepper otter saddle pepper»"',
    "env human": "ADMIN_PASSWORD=«{password}»",
    "env printenv": "HOME=/root\nJWT_SECRET=«{u48}»\nPATH=/usr/bin",
    "django": "SECRET_KEY = 'django-insecure-«{a49}q»'",
    "rails master": "config/master.key\n«{h32}»",
    "rails env": "RAILS_MASTER_KEY=«{h32}» bin/rails console",
    "laravel": "APP_KEY=base64:«{b43}=»",
    "wp salt": "define('AUTH_KEY',         '«{a64}»');",
    "wp db": "define( 'DB_PASSWORD', '«{a12}_{a3}»' );",
    "symfony": "APP_SECRET=«{h32}»",
    "flask": "app.config['SECRET_KEY'] = '«{h48}»'",
    "ts object": "  auth: { user: 'mailer', pass: '«{a12}_{a3}»' },",
    "java field": 'private static final String CLIENT_SECRET = "«{u36}»";',
    "kotlin": 'val apiKey = "«{a32}»"',
    "csharp": 'public const string ApiKey = "«{h32}»";',
    "python kwarg": 'client = Client(base_url, token="«{a40}»", timeout=5)',
    "python auth tuple": "requests.get(url, auth=('svc', '«{a12}_{a3}»'))",
    "python dict": "payload = {'username': 'admin', 'passwd': '«{password}»'}",
}
