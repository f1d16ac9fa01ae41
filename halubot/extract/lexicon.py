"""English word lists: the closed classes whole, and of the open ones the verbs.

The verbs are told apart by how often they are also nouns: "includes" is always a verb, "plays"
only where its neighbours say so. Irregular forms are spelt out; the regular ones are found by
their endings (`verb_forms`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in text.split("|"))


# Phrases that lead a clause and say nothing of the fact.
ADVERB_PHRASES: Final = _phrases(
    "on the other hand|in summary|in general|in conclusion|in fact|for example|for instance|of course"
    "|in other words|as a result|in addition|in particular|at the same time|to date|at first|at last"
    "|on the one hand|in total|in short|as such|by contrast|in contrast|to summarize|after all|in order"
)
ARTICLES: Final = _words("a an the")
DETERMINERS: Final = ARTICLES | _words(
    "this these those each every all both any some no another several many few most much more"
    " various numerous such half enough certain other either neither"
)
POSSESSIVES: Final = _words("his her its their my our your")
SUBJECT_PRONOUNS: Final = _words("he she it they i we you")
OBJECT_PRONOUNS: Final = _words("him them me us himself herself itself themselves one ones")
PRONOUNS: Final = (
    SUBJECT_PRONOUNS
    | OBJECT_PRONOUNS
    | _words(
        "everyone everything someone something anyone anything nobody nothing others hers theirs"
        " here yours mine ours there"
    )
)
SPEAKERS: Final = _words("i we you me us my our your yours mine ours let let's")
RELATIVES: Final = _words("who whom whose which that where")
CONJUNCTIONS: Final = _words("and or but nor & yet plus")
SUBORDINATORS: Final = _words(
    "because although though while when whenever if unless whereas whether until once how why what"
    " even-though so whilst"
)
HYPOTHETICAL: Final = _words("if unless whether how why what whenever")
BE: Final = _words("am is are was were be been being 's 're 'm")
HAVE: Final = _words("have has had having 've 'd")
DO: Final = _words("do does did")
MODALS: Final = _words("can could may might must shall should will would ca wo 'll cannot ought")
NEGATIONS: Final = _words("not n't never cannot nor neither hardly scarcely")

PREPOSITIONS: Final = _words(
    "of in on at by for with from to into onto upon about above across after against along among"
    " amongst around as before behind below beneath beside besides between beyond despite during"
    " except inside like near off outside over past per since through throughout toward towards"
    " under underneath until unlike via within without amid alongside aboard including excluding"
    " following regarding concerning than versus aged"
)
# Prepositions of several words, longest first where one begins another.
COMPOUND_PREPOSITIONS: Final = _phrases(
    "in and around|in front of|on behalf of|as part of|in addition to|as a result of"
    "|in response to|with respect to|in terms of|in honor of|in honour of"
    "|at the age of|in collaboration with|as well as|rather than|along with|together with"
    "|such as|because of|due to|instead of|prior to|according to|out of|apart from|next to"
    "|close to|based on|based in|up to|ahead of|as of|other than|thanks to|owing to"
)
# Phrases before a number that belong to it, by their first word.
APPROXIMATORS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    first: tuple(tuple(phrase.split()) for phrase in phrases)
    for first, phrases in {
        **{
            word: (word,)
            for word in (
                "about approximately around nearly almost roughly over only just circa exactly some"
                " approx c. ca. below above under"
            ).split()
        },
        "more": ("more than",),
        "less": ("less than",),
        "fewer": ("fewer than",),
        "at": ("at least", "at most"),
        "up": ("up to",),
        "as": ("as many as", "as much as", "as few as"),
        "well": ("well over",),
        "no": ("no fewer than", "no more than", "no less than"),
    }.items()
}
PARTICLES: Final = _words("up out off down away back on over together apart forward along")

ADVERBS: Final = _words(
    "also then thus therefore however very quite rather too often always sometimes usually"
    " never ever again already still just only even soon later now today once twice well best"
    " better most more less least almost nearly about perhaps maybe instead indeed moreover"
    " furthermore meanwhile nevertheless nonetheless hence otherwise together apart abroad away"
    " overseas here there thereafter afterwards afterward before ago alone thrice ahead forever"
    " long far much yes no sure okay ok likewise elsewhere jointly currently formerly"
    " yesterday tomorrow additionally finally first eventually not-only so anymore yet"
)
# Adverbs that say nothing of the fact, so a relation goes without them.
DISCOURSE: Final = _words(
    "also then therefore thus however indeed moreover furthermore meanwhile nevertheless hence"
    " additionally subsequently eventually finally instead just even overall not-only"
)
ADJECTIVES: Final = _words(
    "good bad big small large great high low long short old new young early late major minor main"
    " first second third last next same different own own few several important common rare famous"
    " popular well-known best-known better-known best better worst top key chief senior junior sole single double"
    " likely unlikely able unable due open free full empty rich poor strong weak active dead alive"
    " safe healthy sick available responsible similar equal eligible true false right wrong real"
    " clear certain sure aware worth born-again human foreign native royal holy sacred modern"
    " ancient white black red green blue yellow brown grey gray light dark warm cold hot cool dry"
    " wet mild deep wide broad narrow thick thin heavy fast slow hard soft easy difficult simple"
    " complex rapid independent present former latter prolific renowned skilled talented"
    " influential left-handed right-handed married single widowed nutritious acidic sacred frequent"
    " entire unclear unknown uncertain unsafe unusual unlikely unaware unfair unhappy friendly efficient largest smallest highest lowest longest oldest youngest earliest latest"
    " inflammatory random bright severe fresh violent ripe tall bold incorrect correct unique humid"
    " sunny golden intelligent dense accurate solar moist raw autoimmune incomplete persistent proper"
    " honest vibrant diverse pure civil nuclear tiny endocrine muscular recurrent intermittent acute"
    " coarse sensory modest inner outer respiratory urgent elegant sincere vast wooden remote fierce"
    " adjacent excellent urban rural subtle amino bitter tolerant cheap expensive recent relevant"
    " abundant dominant significant important prominent permanent ancient convenient sufficient"
    " evident consistent inconsistent apparent frequent distant constant instant elegant brilliant"
    " pregnant resistant reluctant distinct direct indirect perfect exact strict secret numerous"
    " spanish german russian italian american european african asian indian canadian mexican"
    " secondary tertiary greater lesser fewer higher lower larger smaller longer shorter older"
    " younger newer stronger weaker upper federal inflammatory northwest northeast southwest southeast"
)
NOT_PARTICIPLES: Final = _words(
    "hundred bed seed need speed feed indeed red shed sacred naked breed greed exceed proceed"
    " succeed embed wed sled weed reed deed creed bled fled bred shred kindred wicked rugged"
    " embedded united unmanned so-called ned ted fred"
)

MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)

# Rarely or never nouns in their present form.
VERBS: Final = _words(
    """
    accept accompany accomplish achieve acknowledge acquire act adapt add adhere adjust admire admit
    adopt advise advocate affect afford agree aim allege allow alter amend analyse analyze announce
    anticipate apologize appear apply appoint appreciate approach approve arise arrange arrest
    arrive ascend ask aspire assassinate assemble assert assess assign assist associate assume
    attain attend attract attribute authorize avoid await award ban base become befriend begin
    behave believe belong bind borrow bring build bury buy call calculate carry catch celebrate
    characterize choose circulate cite claim classify climb coin collaborate collapse collect
    combine come command commemorate commence commission commit communicate compare compel compete
    compile complain complete compose comprise conceive conclude conduct confess confirm connect
    conquer consider consist constitute construct consult consume contain continue contradict
    contribute convert convey convict convince cooperate coordinate correspond co-found co-write
    create criticize cultivate cure deal debut decide declare decline decorate dedicate defeat
    defend define deliver demonstrate deny depart depend depict deploy depose derive descend
    describe deserve destroy detain detect deteriorate determine develop devise devote diagnose die
    differ diminish direct disagree disappear discontinue discover discuss dismiss display dispute
    dissolve distinguish distribute divide divorce dominate donate draw earn eat edit educate elect
    elevate eliminate embark emerge emigrate emphasize employ enable encompass encounter encourage
    endorse engage enhance enjoy enlist ensure enter entertain entitle equip eradicate escape
    establish evaluate evolve examine exceed exclude execute exercise exhibit exile exist expand
    expect experiment expire explain explore export express extend face facilitate fail fall
    feature feel finance find finish fit flee flow fly follow forbid forget form found fulfil
    fulfill function gain gather generate get give go govern graduate grant grow guarantee guide
    happen have headline hear help hold host identify illustrate imagine immigrate implement imply
    import imprison improve incorporate increase indicate induct infect infer influence inform
    inhabit inherit initiate injure inspire install integrate intend interact interpret introduce
    invade invent invest investigate invite involve issue join justify keep kill know lack land
    last launch lay lead learn leave lend let lie lift like list listen live locate lose maintain
    make manage manufacture mark marry mature mean meet melt mention merge migrate modify motivate
    move murder name negotiate nominate note obtain occupy occur offer operate oppose organise
    organize originate oversee overthrow overtake own paint participate pass perform persuade
    pioneer play possess praise preach precede predict prefer prepare prescribe preserve preside
    prevent proceed proclaim produce prohibit promote prompt propose prosecute protect protest
    prove provide publish purchase pursue qualify quote range reach react read realise realize
    rebuild recall receive recognise recognize recommend reconstruct recover recruit redesign
    redshirt reduce refer reflect refuse regain regard register regulate reign reinforce reject
    relate relaunch release relegate relieve relocate rely remain remember remove rename render
    renew renovate reopen repair replace reply represent reproduce require rescue research resemble
    reside resign resist resolve respond restore restrict result resume retain retire return reveal
    revise revive revolve rise rule run save say secure see seek seem select sell send separate
    serve settle share shed shoot show sign simplify sing situate solve speak specialise specialize
    specify speculate spend split sponsor spread stand star start state steal stem stop store
    strengthen strike study submit succeed suffer suggest suit summarize supervise supply support
    surpass surrender survive suspect suspend symbolize take teach tell tend terminate think threaten
    train transfer transform translate transmit travel treat turn tweet undergo understand undertake
    unify unite unveil update uphold urge use utilize vary view visit vow vote want warn wear
    accommodate accumulate activate administer adore advertise alleviate allude amaze amplify assure
    automate avenge breathe broaden cancel capitalize categorize certify characterise cherish clarify
    classify cohere coincide collide compensate complicate comply concede conceal condemn confer
    confront confuse consolidate contend criticise culminate dedicate defy delve dine discourage
    disrupt dissolve dispose disturb divert elucidate embody emit empower emulate endure enforce
    enlarge enrich envision equate equip erode erupt escalate evaporate evoke evolve exacerbate excel
    exclaim exert expel explode fascinate fluctuate frustrate generalize glisten greet harass harden
    heal hesitate hinder hover ignite ignore illuminate imitate immerse impair impose indulge inflict
    infuse inhibit inject insist instruct insulate integrate intensify interfere interrupt intersect
    intervene invoke irritate isolate justify loosen magnify manipulate mitigate navigate normalize
    notify obey observe obstruct omit oscillate oust outperform outweigh owe oxidize penetrate
    perish perpetuate persist pertain pierce portray postpone preheat prevail prioritize prosper
    provoke punish quantify reclaim reconcile reconsider redefine redirect refute reiterate remind
    renounce repay repel reset resurrect retell retreat retrieve reunite revamp rotate satisfy seize
    shatter shorten simulate smuggle soften solidify soothe speculate stabilize streamline stun
    subscribe subside subtract sue summarise summon suppose suppress surge sustain swear synthesize
    tend terrify thrive tighten tolerate topple undermine undergo unfold unveil utilise validate
    vanish venture verify vibrate violate visualize vomit wander weaken whisper widen wield worsen
    worship yearn zoom
    hack highlight include argue align log pour provoke bake intercept thank recycle multiply testify disrupt
    stimulate relax soothe compute minimize maximize attach append refine orient incorporate enroll
    weigh win withdraw witness work write yield absorb accelerate accuse advance age allocate
    amount appeal bear beat blend boost break burn chair challenge change cross champion circle
    coach complement control cost cover credit cut damage decrease design dream drive drop end
    estimate fight fill focus force gross head hit house hope hunt impact lecture limit love
    measure need number object orbit order peak perceive pilot place plan point pose practice
    practise premiere print process profit progress project publicize race raise rank rate record
    reform rest risk score screen set shape sit ski smoke sound stay step stress struggle
    surround talk target taste test trace trade trail transport trigger triumph try unlock value
    wait walk watch water wish worry average stretch span stage tour capture host link sound
    """
)
# Verbs whose present form is as often a noun; they need a neighbour's word for it.
ALSO_NOUNS: Final = _words(
    """
    act aim appeal approach award ban base call cause chair challenge champion change circle claim
    coach command commission complement contact control cost cover credit cross cure cut damage deal
    debut decline decrease design display dispute divorce dream drive drop end escape estimate
    exercise exhibit exile experiment export face fall feature feel fight fill finance finish fit
    flow focus follow force form function gain grant gross guarantee guide head headline help hit
    hold hope host house hunt impact import increase influence interest issue keep kill lack land
    last launch lead lecture lie lift like limit link list love mark master measure mention merge
    model move murder name need note number object offer orbit order own paint pass peak perform
    pilot pioneer place plan play point pose practice praise premiere present print process profit
    progress project prompt protest purchase quote race raise range rank rate reach record reform
    reign release remain repair reply report rescue research rest result return rise risk rule run
    sail save say score screen set shape share shed show sign ski smoke sound split sponsor spread
    stage stand star start state stay stem step stop store stress stretch strike struggle study
    suit supply support surrender suspect talk target taste test tour trace trade trail train
    transfer transport travel treat trigger triumph try turn tweet update use value view visit vote
    vow wait walk want watch water weigh win wish witness work worry yield average age amount
    experience span land promise request start attempt average attack address battle benefit
    contract balance crown comment document double effect honor honour judge market matter
    partner perfect post proof rival season sense service shadow signal source stick storm structure
    subject substitute surface survey tax term title top total triple trick welcome wonder match
    check mix cook dance film border center centre label monitor pop aid switch clean count sort fuel
    double triple lower leave drink shop pitch style type power voice guard back boil wrap edit free close slow warm dry lower
    contrast concern contest demand desire envy escape fear figure ground guest group plant season
    """
)

_IRREGULAR: Final = """
    arise arose arisen|awake awoke awoken|bear bore born|bear bore borne|beat beat beaten
    become became become|begin began begun|bend bent bent|bet bet bet|bind bound bound|bite bit bitten
    bleed bled bled|blow blew blown|break broke broken|breed bred bred|bring brought brought
    broadcast broadcast broadcast|build built built|burn burnt burnt|buy bought bought
    cast cast cast|catch caught caught|choose chose chosen|cling clung clung|come came come
    cost cost cost|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug|draw drew drawn
    dream dreamt dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
    feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled|fly flew flown
    forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen
    get got gotten|get got got|give gave given|go went gone|grow grew grown|hang hung hung
    hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept
    kneel knelt knelt|know knew known|lay laid laid|lead led led|lean leant leant|learn learnt learnt
    leave left left|mistake mistook mistaken|lend lent lent|let let let|lie lay lain|light lit lit|lose lost lost
    make made made|mean meant meant|meet met met|overcome overcame overcome|oversee oversaw overseen
    overthrow overthrew overthrown|overtake overtook overtaken|pay paid paid|put put put
    quit quit quit|read read read|rebuild rebuilt rebuilt|ride rode ridden|ring rang rung
    rise rose risen|run ran run|say said said|see saw seen|seek sought sought|sell sold sold
    send sent sent|set set set|shake shook shaken|shed shed shed|shine shone shone|shoot shot shot
    show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk|sit sat sat
    sleep slept slept|slide slid slid|speak spoke spoken|speed sped sped|spend spent spent
    spin spun spun|split split split|spread spread spread|spring sprang sprung|stand stood stood
    steal stole stolen|stick stuck stuck|sting stung stung|strike struck struck|strive strove striven
    swear swore sworn|sweep swept swept|swim swam swum|swing swung swung|take took taken
    teach taught taught|tear tore torn|tell told told|think thought thought|throw threw thrown
    undergo underwent undergone|understand understood understood|undertake undertook undertaken
    upset upset upset|wake woke woken|wear wore worn|weave wove woven|win won won|wind wound wound
    withdraw withdrew withdrawn|withstand withstood withstood|write wrote written
    co-write co-wrote co-written|rewrite rewrote rewritten|foresee foresaw foreseen
    uphold upheld upheld|mislead misled misled|outsell outsold outsold
"""
IRREGULAR: Final = tuple(
    tuple(entry.split()) for line in _IRREGULAR.strip().splitlines() for entry in line.split("|")
)
PASTS: Final = {past: base for base, past, _ in IRREGULAR}
PARTICIPLES: Final = {participle: base for base, _, participle in IRREGULAR}
# Irregular forms that are more often another word.
_WEAK_PASTS: Final = _words("bound found wound bore lay read set put cut hit cost let left")

ALL_VERBS: Final = VERBS | ALSO_NOUNS | {base for base, _, _ in IRREGULAR}


@lru_cache(maxsize=4096)
def verb_forms(word: str) -> str:
    """What a lower-case word may be as a verb: a string of b(ase), z (-s), d (past),
    n (participle), g (-ing); empty where it is none. Forms in -ed and -ing need no known
    base; present forms do."""
    forms = ""
    if word in ALL_VERBS:
        forms += "b"
    if word in PASTS:
        forms += "d"
    if word in PARTICIPLES:
        forms += "n"
    if len(word) > 3 and word.endswith("ed") and word not in NOT_PARTICIPLES:
        forms += "dn"
    if len(word) > 4 and word.endswith("ing") and word not in _NOT_GERUNDS:
        forms += "g"
    if base_of_present(word):
        forms += "z"
    return forms


_NOT_GERUNDS: Final = _words(
    "king ring sing string spring thing nothing something anything everything wing morning evening"
    " during sibling ceiling being building darling sterling viking bring cling swing duckling wedding"
)


@lru_cache(maxsize=4096)
def base_of_present(word: str) -> str:
    """The known base of a third-person form ("studies" -> "study"), or the empty string."""
    if not word.endswith("s") or len(word) < 4 or word.endswith("ss"):
        return ""
    candidates = [word[:-1]]
    if word.endswith("ies"):
        candidates.append(word[:-3] + "y")
    elif word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        candidates.append(word[:-2])
    for candidate in candidates:
        if candidate in ALL_VERBS:
            return candidate
        if candidate.endswith(("ise", "ize", "ify")) and len(candidate) > 5:
            return candidate
    return ""


@lru_cache(maxsize=4096)
def is_plural(word: str) -> bool:
    """Whether a lower-case noun looks like a plural."""
    return word in _PLURALS or (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics"))
    )


_PLURALS: Final = _words(
    "people men women children police media data feet teeth mice geese criteria"
)

ADJECTIVE_ENDINGS: Final = (
    "al", "ic", "ive", "ous", "ful", "less", "able", "ible", "ary", "ese", "ish", "ern", "an-born",
    "most", "ical", "based", "like",
)  # fmt: skip
_NOT_ADJECTIVES: Final = _words(
    "festival hospital capital material animal journal arrival trial rival signal metal approval"
    " proposal removal survival musical individual official professional goal deal meal canal total"
    " music public topic clinic magic republic fabric critic traffic panic graphic logic picnic"
    " archive native detective executive motive alternative initiative perspective objective olive"
    " table cable vegetable variable dictionary library secretary anniversary salary territory"
    " boundary documentary diary january february summary military military cheese fish dish wish"
    " finish british published almost cathedral funeral general admiral mineral terminal criminal"
    " chemical medical-center original principal manual annual-report referral numeral dial mural"
    " narrative representative relative adjective drive dive hive five live give receive achieve"
    " believe arrive survive mosaic epic ethic comic traffic arabic catholic arctic pacific atlantic"
    " olympic fiscal-year coral crystal pedal medal oral rehearsal tribunal rental burial denial"
    " revival recital withdrawal dismissal disposal"
)


@lru_cache(maxsize=4096)
def is_adjective(word: str) -> bool:
    """Whether a lower-case word is an adjective by list or by ending."""
    return word in ADJECTIVES or (
        len(word) > 4 and word.endswith(ADJECTIVE_ENDINGS) and word not in _NOT_ADJECTIVES
    )


# Words for the text itself or what it answers: "the passage states that ..." is not its topic.
SOURCES: Final = _words(
    "passage passages text texts context article articles answer answers question questions"
    " information snippet snippets prompt response excerpt paragraph"
)
# Verbs that bring a statement of someone's.
REPORTING: Final = _words(
    "state states stated say says said mention mentions mentioned indicate indicates indicated"
    " suggest suggests suggested note notes noted show shows showed shown report reports reported"
    " claim claims claimed explain explains explained describe describes believe believes believed"
    " imply implies find finds found conclude concludes concluded reveal reveals revealed confirm"
    " confirms confirmed announce announced announces discuss discusses means mean highlight"
    " highlights emphasize emphasizes argue argues argued estimate estimates estimated think thought"
    " know known consider considered remember important worth possible likely clear true appears"
    " seems"
)
PERSON_NOUNS: Final = _words(
    "man woman person boy girl king queen prince princess actor actress singer writer author poet"
    " painter artist lawyer politician soldier player footballer physicist chemist musician composer"
    " director scientist philosopher mathematician engineer doctor physician bishop priest judge"
    " businessman businesswoman entrepreneur journalist novelist dramatist playwright screenwriter"
    " producer rapper songwriter guitarist drummer coach athlete runner boxer wrestler swimmer"
    " cricketer golfer skier cyclist general admiral officer leader activist nurse teacher professor"
    " historian economist architect sculptor photographer dancer model comedian host broadcaster"
    " explorer inventor designer chef saint pope emperor empress president minister senator governor"
    " mayor member founder son daughter brother sister father mother wife husband uncle aunt cousin"
    " nephew niece grandson granddaughter widow widower student scholar theologian botanist biologist"
    " astronaut astronomer pilot sailor programmer developer editor critic translator diplomat"
    " ambassador jurist attorney statesman nobleman aristocrat merchant banker farmer goalkeeper"
    " midfielder defender striker forward quarterback pitcher catcher outfielder linebacker"
    " illustrator engraver conductor pianist violinist soprano tenor filmmaker executive character"
    " figure victim suspect criminal killer murderer teenager child baby adult patient"
)
FEMALE: Final = _words(
    "woman girl queen princess actress wife mother daughter sister aunt niece granddaughter widow"
    " empress businesswoman grandmother duchess countess lady goddess heroine soprano nun mrs ms"
    " miss she her herself"
)
MALE: Final = _words(
    "man boy king prince actor husband father son brother uncle nephew grandson widower emperor"
    " businessman grandfather duke count lord god hero tenor monk priest mr sir he his him himself"
    " statesman nobleman"
)
GROUP_NOUNS: Final = _words(
    "band group team club company organization organisation family committee government army"
    " duo trio quartet orchestra party people couple firm crew ensemble"
)
# Last words of names that may hold an "and" of their own.
ORGANISATION_NOUNS: Final = _words(
    "establishment company corporation department commission institute university museum sons co"
    " co. inc inc. ltd ltd. agency association society ministry committee council bureau office"
    " college school academy foundation authority administration organization organisation act"
    " service services centre center press records studios partners hospital library union board"
    " industries technology sciences sciences arts"
)
WORKS: Final = _words(
    "film movie play novel book song album single series show opera poem painting game documentary"
    " magazine newspaper musical comedy drama story"
)
# Subjects that act on each other stay together: "A and B married".
RECIPROCAL: Final = _words(
    "meet meets met marry married merge merged combine combined differ differs"
)

# Nouns that tell that a name is no person's.
THINGS: Final = _words(
    "city town village country state county district region province island river lake mountain park"
    " building church bridge tower castle school university college disease disorder condition"
    " syndrome virus bacterium gene protein species genus plant animal bird fish insect language"
    " battle war ship aircraft car vehicle drug medicine award prize law treaty festival event sport"
    " system program software network website food dish drink element compound mineral planet star"
    " anthem area place location neighborhood neighbourhood municipality community station airport"
    " railway road street stadium arena museum hospital theatre theater institution device method"
)
_KINDS = (
    "film movie picture|band group duo trio quartet ensemble|company firm business corporation"
    "|novel book|song single track|series show programme program sitcom|city town"
)
# Nouns that may stand for each other when something is mentioned again.
SAME_KIND: Final = {word: _words(kind) for kind in _KINDS.split("|") for word in kind.split()}
LIGHT_OBJECTS: Final = _words("part place advantage care")
KIN: Final = _words(
    "son daughter child sibling brother sister grandson granddaughter nephew niece eldest"
)
# What happens to things, never to people.
THING_VERBS: Final = _words(
    "directed written published released produced filmed built located composed constructed painted"
)
# Verbs that at the head of a sentence give an order, though they are nouns too.
ORDERS: Final = _words(
    "use try call visit cook mix check talk cut keep take get put set place note"
)
WISHES: Final = _words("hope plan want need try seek aim attempt start work move")
# After these an -ing form is a noun: "includes bleeding".
HOLDING: Final = _words("include includes included involve involves involved")
