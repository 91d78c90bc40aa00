"""Common words of programs, settings and their output, which say nothing of who brought them.

They name things that every tool and project has; none is the name of a product, a package or a person.
"""

from __future__ import annotations

TECHNICAL_WORDS = frozenset(
    """
    abort abs absolute access activate address admin agent alias align alloc allow alter amd64 annotation api app
    append applied apply approve arch archive arg args argument arm64 array artifact ascii assert asset assign async
    atomic attach attempt attribute auth auto autoload await backend backup balance bare base bash batch bench
    binary bind bit bits blank blob block body bool boolean boot branch break broker browser bucket buffer bug bugs
    build builder bundle byte bytes cache callback callee caller cap capabilities capacity cascade case cast catch
    cert certificate cfg change changed char charset check checkout checksum child chmod chunk class classpath clean
    cleanup client clone cloud cluster code codec collate collection column columns commit compact compare
    compatible compile compiler complete component compose compress compression concurrency concurrent cond conf
    config configuration configure conflict connect connection connector console const constant constraint container
    content context convert copy core cors count cpp cpu crash create created cron cross css csv cuda current cursor
    custom cwd daemon dark data database dataset date datetime day deactivate debug dec decimal declare decode
    default define delay delete deleted delta deny depend dependencies dependency deploy deployment deprecated deps
    depth descriptor dest destination detach dev developer device dict diff digest dim dir direct directory dirs
    disable disabled disk dispatch display dist dns doc docs document domain done dot double download downloads
    driver drop dry dtype dump duplicate duration dynamic echo edge edit editor element empty enable enabled encode
    encoding encrypt end endpoint engine entities entity entries entry entrypoint enum env environment epoch equal
    err errno error errors escape eval event events exact example examples except exception exclude exec executable
    execute execution executor exist exists exit expect expected expire expired expires explain export expose expr
    expression ext extend extension extensions extern external extra extract fail failed failing failure failures
    fallback false fatal feature features fetch field fields file filename files filesystem filter filters final
    find finished fixture flag flags flat float flow flush fold folder folders font fonts force foreign fork form
    format formatter forward frame framework free freeze frequency frontend full function functions gateway generate
    generated generator generic get gif git global globals gpu gpus graph graphql grep grid group groups guid gzip
    handle handler handlers hash hashes head header headers headless health healthy heap height hide history hold
    home hook hooks host hostname hosts hpp html http https ico icon id identifier identity idle ids ignore image
    images immutable import imports include incremental index indexes info infra ingress inherit ini init initial
    initialize inject inline inner input inputs insecure insert inspect install installed instance instances int
    integer integration interactive interface internal interpreter interval invalid invoke ipv4 ipv6 isolated
    isolation item items iterator jar job jobs join journal jpeg jpg json jsx kernel key keys keyword kill kind
    label labels lambda lang language latest launch layer layers layout lazy leak lease length level levels lib
    libraries library license limit limits line linear lines link linked linker links lint linter linux list listen
    listener lists literal load loader local locale localhost location lock locked lockfile log logger logging logic
    login logs long loop lower machine macro mail main major makefile manager manifest manual map mapping margin
    mark markdown mask master match matches matrix max maximum media member memory menu merge message messages meta
    metadata method methods metric metrics middleware migrate migration migrations mime min minimal minimum minor
    mirror missing mixed mock mod mode model models modified module modules monitor mount mounts move msg mutable
    mutex name named names namespace native nested network never new newline next nightly node nodes none normal not
    note notes nothing notice null nullable num number numeric numpy object objects octet offline offscreen offset
    open operation operator optimize optimized option optional options order origin orphan outer output outputs
    overflow overlay override overwrite owner package packages padding page pages panic parallel param parameter
    parameters params parent parse parser part partial partition partitions pass passed password patch path paths
    pattern pause payload pdf peer pending perf perl permission permissions permit persist persistent phase php pid
    ping pip pipe pipeline pixel placeholder plain plan platform platforms plugin plugins png pod pods point pointer
    policies policy poll pool port ports post postgres prefer prefix prepare prerelease preserve preset preview
    previous primary print priority private probe process processes processor prod production profile profiles
    program progress project projects prompt prop properties property props protect protected protocol provider
    providers proxy prune public publish pull push python queries query queue quiet quit quota quote quotes random
    range rate ratio raw read reader readme readonly ready real rebase rebuild receive record records recover
    recreate recursive redirect reduce ref reference refresh refs refuse regex region register registry regular
    reject relative release reload remote remove removed rename render replace replica replicas replication repo
    report repositories repository request requests require required requirements reserved reset resolve resolved
    resolver resource resources response rest restart restore result results resume retention retries retry return
    returned returns reverse revert review revision rewrite right role roles rollback rollout root route router
    routes row rows rst rule rules run runner running runs runtime safe sample samples sandbox save scale scan
    schedule schema schemas scope scopes screen script scripts scroll sdk search secret section secure security
    segment select selector self send sender sequence serial serialize server servers service services session set
    setting settings setup severity shadow shape shard shards share shared sheet shell shift short show shutdown
    sidecar sign signal signature silent simple single site size skip slave sleep slice slot slots slow small
    snapshot socket soft sort source sources space span spec specs split sql src ssh ssl stable stack stage staging
    standalone start started startup stat state statement static statistics stats status stderr stdin stdout step
    steps stop stopped storage store stream strict string strings strip struct structure style stylesheet sub
    subject submit submodule subnet subprocess subscribe subset succeeded success suffix suite sum summary super
    suppress swap switch symbol symbols symlink sync syntax sys system systemd tab table tables tag tags tail tar
    target targets task tasks tcp template templates temporary tenant terminal terminate test testing tests text
    tfvars theme thread threads threshold throw ticket tile time timeout timer timestamp timezone title tmp toggle
    token tokens toml tool toolchain tools tooltip top topic topics total trace traffic transaction transactions
    transfer transform transport trap tree trigger triggers trim true truncate trust tsv tsx tuple txt type types
    udp unchanged undefined unexpected unicode union unique unit units unix unknown unlock unset unstable
    unsupported untracked unused update updated updates upgrade upload upper upstream uri url urls usage user
    username users utc utf utf-8 utf8 util utils uuid valid validate validation value values var variable variables
    variant vector vendor verbose verify version versions view views virtual visible volume volumes wait warn
    warning warnings watch web webhook webp weight whl wide width wildcard window windows wire word worker workers
    workflow workflows workspace workspaces wrap wrapper write writer x64 x86 xcode xml yaml yes yml zip zone
    """.split()  # noqa: SIM905 - as words they can be read
)
