"""English verbs: their forms, and verb groups with auxiliaries, adverbs and negation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims.english_words import Word

# Rarely or never nouns in their present form.
VERBS: Final = lex.words(
    "accept accompany accomplish achieve acknowledge acquire act adapt add adhere adjust admire"
    " admit adopt advise advocate affect afford agree aim allege allow alter amend analyse analyze"
    " announce anticipate apologize appear apply appoint appreciate approach approve arise arrange"
    " arrest arrive ascend ask aspire assassinate assemble assert assess assign assist associate"
    " assume attain attend attract attribute authorize avoid await award ban base become befriend"
    " begin behave believe belong bind borrow bring build bury buy call calculate carry catch"
    " celebrate characterize choose circulate cite claim classify climb coin collaborate collapse"
    " collect combine come command commemorate commence commission commit communicate compare"
    " compel compete compile complain complete compose comprise conceive conclude conduct confess"
    " confirm connect conquer consider consist constitute construct consult consume contain"
    " continue contradict contribute convert convey convict convince cooperate coordinate"
    " correspond co-found co-write create criticize cultivate cure deal debut decide declare"
    " decline decorate dedicate defeat defend define deliver demonstrate deny depart depend depict"
    " deploy depose derive descend describe deserve destroy detain detect deteriorate determine"
    " develop devise devote diagnose die differ diminish direct disagree disappear discontinue"
    " discover discuss dismiss display dispute dissolve distinguish distribute divide divorce"
    " dominate donate draw earn eat edit educate elect elevate eliminate embark emerge emigrate"
    " emphasize employ enable encompass encounter encourage endorse engage enhance enjoy enlist"
    " ensure enter entertain entitle equip eradicate escape establish evaluate evolve examine"
    " exceed exclude execute exercise exhibit exile exist expand expect experiment expire explain"
    " explore export express extend face facilitate fail fall feature feel finance find finish fit"
    " flee flow fly follow forbid forget form found fulfil fulfill function gain gather generate"
    " get give go govern graduate grant grow guarantee guide happen have headline hear help hold"
    " host identify illustrate imagine immigrate implement imply import imprison improve"
    " incorporate increase indicate induct infect infer influence inform inhabit inherit initiate"
    " injure inspire install integrate intend interact interpret introduce invade invent invest"
    " investigate invite involve issue join justify keep kill know lack land last launch lay lead"
    " learn leave lend let lie lift like list listen live locate lose maintain make manage"
    " manufacture mark marry mature mean meet melt mention merge migrate modify motivate move"
    " murder name negotiate nominate note obtain occupy occur offer operate oppose organise"
    " organize originate oversee overthrow overtake own paint participate pass perform persuade"
    " pioneer play possess praise preach precede predict prefer prepare prescribe preserve preside"
    " prevent proceed proclaim produce prohibit promote prompt propose prosecute protect protest"
    " prove provide publish purchase pursue qualify quote range reach react read realise realize"
    " rebuild recall receive recognise recognize recommend reconstruct recover recruit redesign"
    " redshirt reduce refer reflect refuse regain regard register regulate reign reinforce reject"
    " relate relaunch release relegate relieve relocate rely remain remember remove rename render"
    " renew renovate reopen repair replace reply represent reproduce require rescue research"
    " resemble reside resign resist resolve respond restore restrict result resume retain retire"
    " return reveal revise revive revolve rise rule run save say secure see seek seem select sell"
    " send separate serve settle share shed shoot show sign simplify sing situate solve speak"
    " specialise specialize specify speculate spend split sponsor spread stand star start state"
    " steal stem stop store strengthen strike study submit succeed suffer suggest suit summarize"
    " supervise supply support surpass surrender survive suspect suspend symbolize take teach tell"
    " tend terminate think threaten train transfer transform translate transmit travel treat turn"
    " tweet undergo understand undertake unify unite unveil update uphold urge use utilize vary"
    " view visit vow vote want warn wear accommodate accumulate activate administer adore"
    " advertise alleviate allude amaze amplify assure automate avenge breathe broaden cancel"
    " capitalize categorize certify characterise cherish clarify cohere coincide collide"
    " compensate complicate comply concede conceal condemn confer confront confuse consolidate"
    " contend criticise culminate defy delve dine discourage disrupt dispose disturb divert"
    " elucidate embody emit empower emulate endure enforce enlarge enrich envision equate erode"
    " erupt escalate evaporate evoke exacerbate excel exclaim exert expel explode fascinate"
    " fluctuate frustrate generalize glisten greet harass harden heal hesitate hinder hover ignite"
    " ignore illuminate imitate immerse impair impose indulge inflict infuse inhibit inject insist"
    " instruct insulate intensify interfere interrupt intersect intervene invoke irritate isolate"
    " loosen magnify manipulate mitigate navigate normalize notify obey observe obstruct omit"
    " oscillate oust outperform outweigh owe oxidize penetrate perish perpetuate persist pertain"
    " pierce portray postpone preheat prevail prioritize prosper provoke punish quantify reclaim"
    " reconcile reconsider redefine redirect refute reiterate remind renounce repay repel reset"
    " resurrect retell retreat retrieve reunite revamp rotate satisfy seize shatter shorten"
    " simulate smuggle soften solidify soothe stabilize streamline stun subscribe subside subtract"
    " sue summarise summon suppose suppress surge sustain swear synthesize terrify thrive tighten"
    " tolerate topple undermine unfold utilise validate vanish venture verify vibrate violate"
    " visualize vomit wander weaken whisper widen wield worsen worship yearn zoom hack highlight"
    " include argue align log pour bake intercept thank recycle multiply testify stimulate relax"
    " compute minimize maximize attach append refine orient enroll weigh win withdraw witness work"
    " write yield absorb accelerate accuse advance age allocate amount appeal bear beat blend"
    " boost break burn chair challenge change cross champion circle coach complement control cost"
    " cover credit cut damage decrease design dream drive drop end estimate fight fill focus force"
    " gross head hit house hope hunt impact lecture limit love measure need number object orbit"
    " order peak perceive pilot place plan point pose practice practise premiere print process"
    " profit progress project publicize race raise rank rate record reform rest risk score screen"
    " set shape sit ski smoke sound stay step stress struggle surround talk target taste test"
    " trace trade trail transport trigger triumph try unlock value wait walk watch water wish"
    " worry average stretch span stage tour capture link"
    " adjourn annex apologise apprehend articulate ascertain assimilate augment avert banish"
    " bestow betray bless browse burst bypass cater cease chew coexist colonise colonize"
    " commercialise commute compress condense configure confine conform congratulate conserve"
    " conspire constrain contemplate convene converge converse correct corrupt counteract crawl"
    " crush decay decode decompose deduce deem degrade delete demolish denote deplete deport"
    " deprive detach deter devour differentiate digest dilute disband discard disclose distort"
    " drown dwell elaborate elude emanate embrace emphasise enact enclose encode endanger enslave"
    " ensue entail entice entrust erect evacuate evade excavate excite excrete expedite expose"
    " extinguish extract fabricate fade fasten ferment fertilize flatten flourish foster fuse"
    " grasp graze grind hatch haunt hire impede impress inhale insert inspect insure intimidate"
    " iterate lament legalise legalize linger maximise mediate meditate memorise memorize mimic"
    " mingle minimise modernise modernize mourn narrate nationalise nationalize neglect neutralize"
    " nourish nurture oblige obscure offend optimise optimize outlaw overlook permeate permit"
    " persecute plead plunder plunge popularise popularize populate presume prioritise privatise"
    " privatize procure prolong propagate purify quell ratify reappear rearrange reassure"
    " recapture recite reckon recur refrain refresh rehabilitate rejoin relinquish reorganize"
    " repeal replicate rescind resent resettle reshape resonate restrain retaliate revert revisit"
    " revoke roam salvage scatter skew sow spawn sprinkle squeeze startle starve steer stray"
    " subdivide subsidize succumb supersede swallow symbolise sympathise tackle tempt transcend"
    " transcribe traverse wither withhold"
)
# Verbs whose present form is as often a noun; they need a neighbour's word for it.
ALSO_NOUNS: Final = lex.words(
    "act aim appeal approach award ban base call cause chair challenge champion change circle"
    " claim coach command commission complement contact control cost cover credit cross cure cut"
    " damage deal debut decline decrease design display dispute divorce dream drive drop end"
    " escape estimate exercise exhibit exile experiment export face fall feature feel fight fill"
    " finance finish fit flow focus follow force form function gain grant gross guarantee guide"
    " head headline help hit hold hope host house hunt impact import increase influence interest"
    " issue keep kill lack land last launch lead lecture lie lift like limit link list love mark"
    " master measure mention merge model move murder name need note number object offer orbit"
    " order own paint pass peak perform pilot pioneer place plan play point pose practice praise"
    " premiere present print process profit progress project prompt protest purchase quote race"
    " raise range rank rate reach record reform reign release remain repair reply report rescue"
    " research rest result return rise risk rule run sail save say score screen set shape share"
    " shed show sign ski smoke sound split sponsor spread stage stand star start state stay stem"
    " step stop store stress stretch strike struggle study suit supply support surrender suspect"
    " talk target taste test tour trace trade trail train transfer transport travel treat trigger"
    " triumph try turn tweet update use value view visit vote vow wait walk want watch water weigh"
    " win wish witness work worry yield average age amount experience span promise request attempt"
    " attack address battle benefit contract balance crown comment document double effect honor"
    " honour judge market matter partner perfect post proof rival season sense service shadow"
    " signal source stick storm structure subject substitute surface survey tax term title top"
    " total triple trick welcome wonder match check mix cook dance film border center centre label"
    " monitor pop aid switch clean count sort fuel lower leave drink shop pitch style type power"
    " voice guard back boil wrap edit free close slow warm dry contrast concern contest demand"
    " desire envy fear figure ground guest group plant"
)

# Verbs that at the head of a sentence give an order, though they are nouns too.
ORDERS: Final = lex.words(
    "use try call visit cook mix check talk cut keep take get put set place note"
)
WISHES: Final = lex.words("hope plan want need try seek aim attempt start work move")
# After these an -ing form is a noun: "includes bleeding".
HOLDING: Final = lex.words("include includes included involve involves involved")
# After these a clause may follow without "that": "says the dam failed".
SAYING: Final = lex.words(
    "say suggest state claim note mention believe think argue show indicate report know hope imply"
    " estimate explain confirm reveal assume conclude fear"
)
# What happens to things, never to people.
THING_VERBS: Final = lex.words(
    "directed written published released produced filmed built located composed constructed painted"
)

_IRREGULAR: Final = """
    arise arose arisen|awake awoke awoken|bear bore born|bear bore borne|beat beat beaten
    become became become|begin began begun|bend bent bent|bet bet bet|bind bound bound
    bite bit bitten|bleed bled bled|blow blew blown|break broke broken|breed bred bred
    bring brought brought|broadcast broadcast broadcast|build built built|burn burnt burnt
    buy bought bought|cast cast cast|catch caught caught|choose chose chosen|cling clung clung
    come came come|cost cost cost|creep crept crept|cut cut cut|deal dealt dealt|dig dug dug
    draw drew drawn|dream dreamt dreamt|drink drank drunk|drive drove driven|eat ate eaten
    fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found
    flee fled fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
    forgive forgave forgiven|freeze froze frozen|get got gotten|get got got|give gave given
    go went gone|grow grew grown|hang hung hung|hear heard heard|hide hid hidden|hit hit hit
    hold held held|hurt hurt hurt|keep kept kept|kneel knelt knelt|know knew known|lay laid laid
    lead led led|lean leant leant|learn learnt learnt|leave left left|mistake mistook mistaken
    lend lent lent|let let let|lie lay lain|light lit lit|lose lost lost|make made made
    mean meant meant|meet met met|overcome overcame overcome|oversee oversaw overseen
    overthrow overthrew overthrown|overtake overtook overtaken|pay paid paid|put put put
    quit quit quit|read read read|rebuild rebuilt rebuilt|ride rode ridden|ring rang rung
    rise rose risen|run ran run|say said said|see saw seen|seek sought sought|sell sold sold
    send sent sent|set set set|shake shook shaken|shed shed shed|shine shone shone|shoot shot shot
    show showed shown|shrink shrank shrunk|shut shut shut|sing sang sung|sink sank sunk
    sit sat sat|sleep slept slept|slide slid slid|speak spoke spoken|speed sped sped
    spend spent spent|spin spun spun|split split split|spread spread spread|spring sprang sprung
    stand stood stood|steal stole stolen|stick stuck stuck|sting stung stung|strike struck struck
    strive strove striven|swear swore sworn|sweep swept swept|swim swam swum|swing swung swung
    take took taken|teach taught taught|tear tore torn|tell told told|think thought thought
    throw threw thrown|undergo underwent undergone|understand understood understood
    undertake undertook undertaken|upset upset upset|wake woke woken|wear wore worn
    weave wove woven|win won won|wind wound wound|withdraw withdrew withdrawn
    withstand withstood withstood|write wrote written|co-write co-wrote co-written
    rewrite rewrote rewritten|foresee foresaw foreseen|uphold upheld upheld|mislead misled misled
    outsell outsold outsold
"""
IRREGULAR: Final = tuple(
    tuple(entry.split()) for line in _IRREGULAR.strip().splitlines() for entry in line.split("|")
)
PASTS: Final = {past: base for base, past, _ in IRREGULAR}
PARTICIPLES: Final = {participle: base for base, _, participle in IRREGULAR}

ALL_VERBS: Final = VERBS | ALSO_NOUNS | {base for base, _, _ in IRREGULAR}


_NOT_PARTICIPLES: Final = lex.words(
    "hundred bed seed need speed feed indeed red shed sacred naked breed greed exceed proceed"
    " succeed embed wed sled weed reed deed creed bled fled bred shred kindred wicked rugged"
    " embedded united unmanned so-called ned ted fred"
)


@lru_cache(maxsize=4096)
def verb_forms(word: str) -> str:
    """Return the forms that a lower-case word may be as a verb: a string of b(ase), z (-s), d
    (past), n (participle), g (-ing); empty if it is none. Forms in -ed and -ing need no known
    base; present forms do."""
    forms = ""
    if word in ALL_VERBS:
        forms += "b"
    if word in PASTS:
        forms += "d"
    if word in PARTICIPLES:
        forms += "n"
    # No known base is asked for: a text may hold any verb, and few nouns end so.
    if len(word) > 3 and word.endswith("ed") and word not in _NOT_PARTICIPLES:
        forms += "dn"
    if len(word) > 4 and word.endswith("ing") and word not in _NOT_GERUNDS:
        forms += "g"
    # A known base is needed here: any plural noun ends in -s.
    if base_of_present(word):
        forms += "z"
    return forms


_NOT_GERUNDS: Final = lex.words(
    "king ring sing string spring thing nothing something anything everything wing morning"
    " evening during sibling ceiling being building darling sterling viking bring cling swing"
    " duckling wedding"
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


Kind = Literal["noun", "verb", "to", "prep", "and", ",", "sub", "rel", "adj", "adv", "mark"]


Mood = Literal["", "finite", "part", "ing", "inf", "base"]


_AUXILIARIES: Final = frozenset({"BE", "HV", "DO", "MD"})


_FULL: Final = frozenset({"VB", "VZ", "VD", "VN", "VG"})


_VERBAL: Final = _AUXILIARIES | _FULL


_FINITE: Final = _AUXILIARIES | {"VZ", "VD"}


_BARE: Final = frozenset({"VB", "BE", "HV", "DO"})


class Phrase(NamedTuple):
    """The words ``first:last``; ``head`` is the noun or main verb. ``mood`` is of verb groups:
    finite, "part"iciple, "ing" form, "inf"initive or bare "base"."""

    kind: Kind
    first: int
    last: int
    head: int
    mood: Mood = ""
    negated: bool = False
    passive: bool = False


def tag_at(words: Sequence[Word], i: int) -> str:
    """The tag of a word; empty outside the sentence."""
    return words[i].tag if 0 <= i < len(words) else ""


def low_at(words: Sequence[Word], i: int) -> str:
    """A word in lower case; empty outside the sentence."""
    return words[i].low if 0 <= i < len(words) else ""


def verb_group(words: Sequence[Word], start: int) -> Phrase | None:
    """The verb group that begins at ``start``; None if none does."""
    i = _past_adverbs(words, start)
    infinitive = tag_at(words, i) == "TO"
    if infinitive:
        i = _past_adverbs(words, i + 1)
        # "To" before anything but a verb is a preposition.
        if tag_at(words, i) not in _BARE:
            return None
    if tag_at(words, i) not in _VERBAL:
        return None
    mood = "inf" if infinitive else _mood(words[i])
    head, end = i, i + 1
    while True:
        further = _further(words, head, end)
        if further <= end:
            break
        verb = next((k for k in range(end, further) if words[k].tag in _VERBAL), -1)
        end = further
        if verb < 0:
            continue
        head = verb
        if words[head].tag in _FULL and tag_at(words, end) in _FINITE:
            break  # the next clause's verb
    negated = any(word.tag == "NG" for word in words[start:end])
    return Phrase("verb", start, end, head, mood, negated, _is_passive(words, start, head))


def _mood(word: Word) -> Mood:
    if word.tag == "VN":
        return "part"
    if word.tag == "VG" or word.low in ("being", "having"):
        return "ing"
    return "base" if word.tag == "VB" or word.low == "be" else "finite"


def _past_adverbs(words: Sequence[Word], i: int) -> int:
    while tag_at(words, i) in ("RB", "NG"):
        i += 1
    return i


def _further(words: Sequence[Word], head: int, end: int) -> int:
    """Return the end of the group one step after ``end``; ``end`` if it is over."""
    tag = tag_at(words, end)
    auxiliary = words[head].tag in _AUXILIARIES
    # Two finite verbs in a row belong to two clauses: "what he said was".
    if words[head].tag in _FULL and tag in _FINITE:
        return end
    if tag in _VERBAL:
        return end + 1
    if tag in ("RB", "NG"):
        ahead = _past_adverbs(words, end)
        if tag_at(words, ahead) in _VERBAL and auxiliary:
            return ahead + 1
        particle = words[end].low in lex.PARTICLES and not auxiliary
        longer = words[end].low == "longer" and words[end - 1].low == "no"
        return end + 1 if tag == "NG" or particle or longer else end
    if tag == "CC" and _joins(words, head, end):
        return _past_adverbs(words, end + 1) + 1
    if _is_particle(words, end) and not auxiliary:
        return end + 1
    if tag == "TO" and _governs(words, end):
        return _past_adverbs(words, end + 1) + 1
    # "Is able to swim", "is likely to fall": the verb behind is what is said.
    able = tag == "JJ" and words[head].tag == "BE" and tag_at(words, end + 1) == "TO"
    return end + 1 if able and _governs(words, end + 1) else end


def _joins(words: Sequence[Word], head: int, end: int) -> bool:
    """Return True if "and" joins two verbs with one object ("written and directed")."""
    if words[end].low not in ("and", "or") or head != end - 1:
        return False
    j = _past_adverbs(words, end + 1)
    same = tag_at(words, j) == words[head].tag and words[head].tag in _FULL
    # Without an object behind, these are two predicates: "He sang and danced, and ...".
    return same and tag_at(words, j + 1) not in ("CC", ",", ".", "")


def _is_particle(words: Sequence[Word], i: int) -> bool:
    """A preposition with no noun to govern ("take off, hover")."""
    return (
        tag_at(words, i) == "IN"
        and words[i].low in lex.PARTICLES
        and tag_at(words, i + 1) in (",", ".", "CC", "IN", "TO", "")
    )


def _governs(words: Sequence[Word], i: int) -> bool:
    """Return True if "to" at ``i`` brings a verb."""
    return tag_at(words, _past_adverbs(words, i + 1)) in _BARE


def _is_passive(words: Sequence[Word], start: int, head: int) -> bool:
    if words[head].tag != "VN":
        return False
    j = head - 1
    while j >= start and words[j].tag in ("RB", "NG"):
        j -= 1
    return j >= start and words[j].tag == "BE"
