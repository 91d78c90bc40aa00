"""Common English words, which say nothing of who brought them.

They are the stems of the first 2,000 in the vocabulary of the bundled embedding model, which is in the order of their
frequency.
"""

from __future__ import annotations

COMMON_STEMS = frozenset(
    """
    ability able academic academy accept acces accord account acquir acros act action active activit activity
    actor actres actual adam add addition additional administration administrative adopt advanc affair africa
    african age agency agent ago agre agreement ahead air aircraft airport album alex alexander alive allow
    almost alone along alongside already although alway america american among amount analysi ancient andrew
    angel animal announc annual another answer anti anyone anyth anyway apart appear appearanc appearance appl
    appoint approach approximate april architecture area arm army around arriv art arthur article artist asia
    asian ask assemb assign assistant associat association attack attempt attend attention august australia
    australian author authority available avenue average award away baby back background bad ball band bank bar
    bas base baseball basi basic basketball battalion battle bay bbc beach beat beautiful became becom become
    bed began begin beginn behind believ believe bell ben beneath berlin beside best better beyond big bill
    birth bishop bit black block blood blue board boat bob bod body book border born boston bottom bought box
    boy brain branch break breath bridge brigade bring britain british broadcast broke broken brother brought
    brown build building built bur bus busines california call came camp campaign campu canada canadian
    candidate cannot capacity capital captain captur car card care career carolina carr carry cas case cast
    castle catholic caught caus cause cell censu center central centre century certain chair chairman challenge
    champion championship chance chang change channel chapter character charge charl chart chest chicago chief
    child children china chinese choice chosen chri christian christma church cit city civil claim clas class
    clear clos close closer cloth club coach coast code coffee cold collection college colonel color columbia
    com combat combin come comedy command commander commercial commission committee common communit community
    compan company compar compet competition complet complete complex compos computer concept concert condition
    conduct conference congres connect consider consist construct construction contact contain contemporary
    content continu continue contract control corner corp corporation cost couldn council count countr country
    county couple course court cover creat create creation creek crew crime critical cros crowd cultural culture
    cup current cut dad dai damage damn dance daniel dark data date daughter david day dead deal death debut
    december decid decision declar dedicat deep defeat defense defin degree del democratic density department
    deputy der des describ design designat despite destroy determin develop development didn die died different
    difficult digital direct direction director discover disease distance distribution district divid division
    doctor doesn dog don done door double drama draw dream drew drive driver dropp drug drum dry due duke dutch
    ear earlier earn earth easi east eastern easy economic edge edition editor education edward effect effort
    eight either elect election electric element elizabeth else emperor empire empty end enemy energy engine
    engineer england english enough enter entertainment entire entrance environment episod episode equipment era
    escape especial establish estate estimat europe european even event eventual ever every everyone everyth
    evidence exact example except exchange executive expect experience expression extend eye eyes fac face
    facilit facility fact fail fair fall fami famil famou far farm fast father fear featur feature february
    federal feel feet fell fellow felt femal female festival fiction field fifth fight figure fill film final
    financial find fine finger finish fire firm first fish five flat fleet flight floor florida fly focu focus
    follow food foot football footballer forc force foreign forest form format formation former fort forward
    fought found foundation founder four fourth france francisco frank free freedom french friend front ful full
    function future gain gallery gam game garden gas gave gaze general generation genu george georgia german
    germany girl giv give given glanc glas global goal god gold golden gone good got government governor grabb
    grade graduat grand grant gray great greater greek green grew ground group grow growth guard gues guest
    guitar gun guy hadn hair half hall hand happen happy hard harry haven head headquarter health hear heard
    heart heat heavy held hell help henry heritage herself high higher highest highway hill himself historic
    historical history hit hockey hold holy home hong honor hope horse hospital host hot hotel hour hous house
    household however huge human hundr hurt husband ice idea iii illinoi image immediate impact important inc
    includ include income increas increase independence independent india indian individual industrial industry
    infantry influence information initial inside instead institute intend interest international internet
    interview introduc involv iran ireland irish iron isbn island isn israel issu issue ita italian jack jackson
    jam january japan japanese jazz jean jersey jewish jim job joe john johnson join joint jon joseph journal
    judge july june junior justice keep kept key kid kill kilometr kind king kingdom kis kitchen knew know
    knowledge known kong label lack lady laid lake land languag language large larger largest last late later
    latin latter laugh launch law lay lead leader leadership league lean learn least leav leave led lee left leg
    legal length les letter level liberal library lies lieutenant life lift light like limit lin line lip list
    literature little liv live local locat location london long longer look lord los lost lot loui lov love low
    lower machine made magazine magic main major majority mak mal male man manag management manager many march
    maria marine mark market marr marriage martin mary mas master match material matter max may maybe mayor mean
    meant medal media median medical medicine meet member memorial memory men mention met metal method metr
    mexico michael michigan mid middle mike mil mile military million mind mine minister ministry minor minut
    minute mis mission mix model modern mom moment money month moon morn most mother motion mount mountain mouth
    mov move movement movie mrs multiple municipality murder museum music musical must myself nam name nation
    national native natural nature naval navy near nearby necessary neck need network never new newspaper next
    nice nick night nine nodd nominat non none normal north northern not notable note noth novel november number
    numerou occurr ocean october offer office officer official often ohio oil old older olympic ones online onto
    open opera operat operation orchestra order organiz organization original other outside overall own owner
    oxford pacific page paid pain paint pair palace paper parent pari parish park parliament part participat
    particular partner party pas pass past path paul pay peace pennsylvania people per percent perfect perform
    performance perhap period person personal peter phone physical piano pick picture piec piece plac place plan
    plann plant platform play player point poland police policy polish politic political politician poor pop
    popular population port position positive possib possible post potential power powerful practice pre premier
    pres presence present president pressure pretty previou previous price primari primary prime prince
    principal prior prison private prize pro probab problem proces produc produce producer product production
    professional professor program project prominent promot property propos protect protection provid provide
    province public publish pull purchas purpose push put quality quarter queen question quick quiet quite rac
    race radio rail railroad railway rais ran range rate rather ray reach read ready real realiz rear reason
    receiv receive recent recogniz record red reduc referr refus regiment region regional register regular relat
    relation relationship releas release relief religiou remain remember remov renam repl replac report
    represent republic republican requir research reserve resident resourc response responsible rest result
    retir return reveal review revolution rich richard right ring rise risk river road robert rock role roman
    rome room rose round route royal rugby rul rule run runn rural russia russian safe safety said saint sal sam
    san santa sat save saw say scale scene school scienc science scientific scor score scotland scott scottish
    screen sea search season seat second secondary secret secretary section security see seem seen select self
    semi senate senior sense sent separate september ser seriou serv serve servic service set sett settl
    settlement seven several sex shape shar share ship shirt shook short shot shoulder show shown shut sid side
    sight sign significant silence silent silver similar simon simp simple since singer singl single sir sister
    sit site sitt situat situation six sixth size skin sky sleep slight slow small smaller smil smile smith
    social society soft software sold soldier solo someone someth sometim son song soon sorry sort soul sound
    sourc source south southern soviet space spain spanish spe speak spec special specific spent split spoke
    sport spot spr spread squadron square stadium staff stage stand standard star start stat state station statu
    stay steel step stepp steve still stomach stone stood stop stopp stor store storm story straight strange
    street strength strong structure stud student studio study style subject subsequent succes successful sudden
    suffer suggest summer sun super support suppos supreme surface surround sweet sydney system table tak take
    taken talk tall taught tax taylor teach teacher team tear technical technology teeth television tell temple
    ten term territory test texa text theater theatre theme themselv theory therefore thick thing think third
    thirty thoma though thought three throat throughout thu tim time titl title today together told tom tone
    tonight tony took top toronto total touch tour tournament toward tower town township track trade traditional
    traffic train transferr transport travel tre treatment tree trial tried troop true trust truth try turn
    twenty twice two typ type typical unable understand union unique unit university unknown upon upper urban
    usa usual valley value van variety variou vehicle version via vice victoria victory video view village
    virginia visit vocal voice volume von vote wait wal walk wall want war warm washington wasn watch water way
    weapon wear website week weight went west western whatever whether whisper white whole whose wide wife wild
    william wilson win wind window wing winn winner winter wish within without woman women won wood word work
    worker world worth wouldn writ write writer written wrong wrote yard yeah year yellow yet york young younger
    youth zealand zone
    """.split()  # noqa: SIM905 - as words they can be read
)
