"""English words: one in its place, the closed classes whole, and nouns by what they name."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple


class Word(NamedTuple):
    """A word in its place: ``text`` stands at ``start:end`` of the document.

    Tags: DT determiner, PS possessive pronoun, GE the possessive 's, PR pronoun, RL relative,
    IN preposition, TO, CC conjunction, SB subordinator, NG negation, RB adverb, JJ adjective,
    NN noun, NP name (a quotation is one), CD number, DA date, BE HV DO MD auxiliaries, VB base or
    plural present, VZ third person, VD past, VN participle, VG -ing form; punctuation carries
    itself. A word of no closed class has the tag "?" until `halubot.claims.tagger` settles it.
    """

    text: str
    low: str
    start: int
    end: int
    tag: str


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in text.split("|"))


# Phrases that lead a clause and say nothing of the fact.
ADVERB_PHRASES: Final = _phrases(
    "on the other hand|in summary|in general|in conclusion|in fact|for example|for instance"
    "|of course|in other words|as a result|in addition|in particular|at the same time|to date"
    "|at first|at last|on the one hand|in total|in short|as such|by contrast|in contrast"
    "|to summarize|after all|in order|by the way|as a rule|by and large|at any rate|in any case"
    "|on the whole|as a matter of fact"
)
# Nouns that count or measure something else.
MEASURES: Final = words(
    "number amount share proportion percentage rate level total sum quantity majority minority half"
    " third quarter rest remainder price cost length height width depth weight size age"
)
ARTICLES: Final = words("a an the")
DETERMINERS: Final = ARTICLES | words(
    "this these those each every all both any some no another several many few most much more"
    " various numerous such half enough certain other either neither"
)
POSSESSIVES: Final = words("his her its their my our your")
SUBJECT_PRONOUNS: Final = words("he she it they i we you")
OBJECT_PRONOUNS: Final = words("him them me us himself herself itself themselves one ones")
PRONOUNS: Final = (
    SUBJECT_PRONOUNS
    | OBJECT_PRONOUNS
    | words(
        "everyone everything someone something anyone anything nobody nothing others hers theirs"
        " here yours mine ours there"
    )
)
SPEAKERS: Final = words("i we you me us my our your yours mine ours let let's")
RELATIVES: Final = words("who whom whose which that where")
CONJUNCTIONS: Final = words("and or but nor & yet plus")
SUBORDINATORS: Final = words(
    "because although though while when whenever if unless whereas whether until once how why"
    " what even-though so whilst"
)
HYPOTHETICAL: Final = words("if unless whether how why what whenever")
BE: Final = words("am is are was were be been being 's 're 'm")
HAVE: Final = words("have has had having 've 'd")
DO: Final = words("do does did")
MODALS: Final = words("can could may might must shall should will would ca wo 'll cannot ought")
NEGATIONS: Final = words("not n't never cannot nor neither hardly scarcely")

PREPOSITIONS: Final = words(
    "of in on at by for with from to into onto upon about above across after against along among"
    " amongst around as before behind below beneath beside besides between beyond despite during"
    " except inside like near off outside over past per since through throughout toward towards"
    " under underneath until unlike via within without amid alongside aboard including excluding"
    " following regarding concerning than versus aged"
)
# Prepositions of several words, longest first where one begins another.
COMPOUND_PREPOSITIONS: Final = _phrases(
    "in and around|in front of|on behalf of|as part of|in addition to|as a result of"
    "|in response to|with respect to|in terms of|in honor of|in honour of|at the age of"
    "|in collaboration with|as well as|rather than|along with|together with|such as|because of"
    "|due to|as for|instead of|prior to|according to|out of|apart from|next to|close to|based on"
    "|based in|up to|ahead of|as of|other than|thanks to|owing to"
)
# Phrases before a number that belong to it, by their first word.
APPROXIMATORS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    first: tuple(tuple(phrase.split()) for phrase in phrases)
    for first, phrases in {
        **{
            word: (word,)
            for word in [
                "about",
                "approximately",
                "around",
                "nearly",
                "almost",
                "roughly",
                "over",
                "only",
                "just",
                "circa",
                "exactly",
                "some",
                "approx",
                "c.",
                "ca.",
                "below",
                "above",
                "under",
            ]
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
BEFORE_YEARS: Final = words("in since by until before after")
PARTICLES: Final = words("up out off down away back on over together apart forward along")

ADVERBS: Final = words(
    "also then thus therefore however very quite rather too often always sometimes usually never"
    " ever again already still just only even soon later now today once twice well best better"
    " most more less least almost nearly about perhaps maybe instead indeed moreover furthermore"
    " meanwhile nevertheless nonetheless hence otherwise together apart abroad away overseas here"
    " there thereafter afterwards afterward before ago alone thrice ahead forever long far much"
    " yes no sure okay ok likewise elsewhere jointly currently formerly yesterday tomorrow"
    " additionally finally first eventually not-only so anymore yet upstairs"
    " downstairs downstream upstream indoors outdoors yearly"
)
# Adverbs that say nothing of the fact, so a relation goes without them.
DISCOURSE: Final = words(
    "also then therefore thus however indeed moreover furthermore meanwhile nevertheless hence"
    " additionally subsequently eventually finally instead just even overall not-only"
)
ADJECTIVES: Final = words(
    "good bad big small large great high low long short old new young early late major minor main"
    " first second third last next same different own few several important common rare famous"
    " popular well-known best-known better-known best better worst top key chief senior junior"
    " sole single double likely unlikely able unable due open free full empty rich poor strong"
    " weak active dead alive safe healthy sick available responsible similar equal eligible true"
    " false right wrong real clear certain sure aware worth born-again human foreign native royal"
    " holy sacred modern ancient white black red green blue yellow brown grey gray light dark warm"
    " cold hot cool dry wet mild deep wide broad narrow thick thin heavy fast slow hard soft easy"
    " difficult simple complex rapid independent present former latter prolific renowned skilled"
    " talented influential left-handed right-handed widowed nutritious acidic frequent"
    " entire unclear unknown uncertain unsafe unusual unaware unfair unhappy friendly efficient"
    " largest smallest highest lowest longest oldest youngest earliest latest inflammatory random"
    " bright severe fresh violent ripe tall bold incorrect correct unique humid sunny golden"
    " intelligent dense accurate solar moist raw autoimmune incomplete persistent proper honest"
    " vibrant diverse pure civil nuclear tiny endocrine muscular recurrent intermittent acute"
    " coarse sensory modest inner outer respiratory urgent elegant sincere vast wooden remote"
    " fierce adjacent excellent urban rural subtle amino bitter tolerant cheap expensive recent"
    " relevant abundant dominant significant prominent permanent convenient sufficient evident"
    " consistent inconsistent apparent distant constant instant brilliant pregnant resistant"
    " reluctant distinct direct indirect perfect exact strict secret numerous spanish german"
    " russian italian american european african asian indian canadian mexican secondary tertiary"
    " greater lesser fewer higher lower larger smaller longer shorter older younger newer stronger"
    " weaker valid invalid solid vivid avid arid fluid upper federal northwest northeast southwest"
    " southeast"
)
MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)


@lru_cache(maxsize=4096)
def is_plural(word: str) -> bool:
    """Return True if a lower-case noun looks like a plural."""
    return word in _PLURALS or (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics"))
    )


_PLURALS: Final = words(
    "people men women children police media data feet teeth mice geese criteria"
)

ADJECTIVE_ENDINGS: Final = (
    "al", "ic", "ive", "ous", "ful", "less", "able", "ible", "ary", "ese", "ish", "ern", "an-born",
    "most", "ical", "based", "like",
)  # fmt: skip
_NOT_ADJECTIVES: Final = words(
    "festival hospital capital material animal journal arrival trial rival signal metal approval"
    " proposal removal survival musical individual official professional goal deal meal canal"
    " total music public topic clinic magic republic fabric critic traffic panic graphic logic"
    " picnic archive native detective executive motive alternative initiative perspective"
    " objective olive table cable vegetable variable dictionary library secretary anniversary"
    " salary territory boundary documentary diary january february summary military cheese fish"
    " dish wish finish british published almost cathedral funeral general admiral mineral terminal"
    " criminal chemical medical-center original principal manual annual-report referral numeral"
    " dial mural narrative representative relative adjective drive dive hive five live give"
    " receive achieve believe arrive survive mosaic epic ethic comic arabic catholic arctic"
    " pacific atlantic olympic fiscal-year coral crystal pedal medal oral rehearsal tribunal"
    " rental burial denial revival recital withdrawal dismissal disposal"
)


@lru_cache(maxsize=4096)
def is_adjective(word: str) -> bool:
    """Return True if a lower-case word is an adjective by list or by ending."""
    return word in ADJECTIVES or (
        len(word) > 4 and word.endswith(ADJECTIVE_ENDINGS) and word not in _NOT_ADJECTIVES
    )


# Words for the text itself or what it answers: "the passage states that ..." is not its topic.
SOURCES: Final = words(
    "passage passages text texts context article articles answer answers question questions"
    " information snippet snippets prompt response excerpt paragraph"
)
# The text itself, where a fact is said to stand in it: "based on the passages".
TEXTS: Final = words(
    "passage passages text texts context snippet snippets prompt excerpt source sources"
)
# What there is, or is not, of the text's own matter: "there is no evidence".
MATTER: Final = SOURCES | words("evidence mention indication way doubt")
# After these a text says what it is about: "Here are some facts about the Nile:".
OVERVIEWS: Final = words(
    "facts details points information overview summary explanation history things steps aspects"
    " features highlights background description"
)
PERSON_NOUNS: Final = words(
    "man woman person boy girl king queen prince princess actor actress singer writer author poet"
    " painter artist lawyer politician soldier player footballer physicist chemist musician"
    " composer director scientist philosopher mathematician engineer doctor physician bishop"
    " priest judge businessman businesswoman entrepreneur journalist novelist dramatist playwright"
    " screenwriter producer rapper songwriter guitarist drummer coach athlete runner boxer"
    " wrestler swimmer cricketer golfer skier cyclist general admiral officer leader activist"
    " nurse teacher professor historian economist architect sculptor photographer dancer model"
    " comedian host broadcaster explorer inventor designer chef saint pope emperor empress"
    " president minister senator governor mayor member founder son daughter brother sister father"
    " mother wife husband uncle aunt cousin nephew niece grandson granddaughter widow widower"
    " student scholar theologian botanist biologist astronaut astronomer pilot sailor programmer"
    " developer editor critic translator diplomat ambassador jurist attorney statesman nobleman"
    " aristocrat merchant banker farmer goalkeeper midfielder defender striker forward quarterback"
    " pitcher catcher outfielder linebacker illustrator engraver conductor pianist violinist"
    " soprano tenor filmmaker executive character figure victim suspect criminal killer murderer"
    " teenager child baby adult patient native graduate veteran alumnus democrat republican pupil"
    " star champion legend genius convert recipient resident activist citizen"
)
FEMALE: Final = words(
    "woman girl queen princess actress wife mother daughter sister aunt niece granddaughter widow"
    " empress businesswoman grandmother duchess countess lady goddess heroine soprano nun mrs ms"
    " miss she her herself"
)
MALE: Final = words(
    "man boy king prince actor husband father son brother uncle nephew grandson widower emperor"
    " businessman grandfather duke count lord god hero tenor monk priest mr sir he his him himself"
    " statesman nobleman"
)
GROUP_NOUNS: Final = words(
    "band group team club company organization organisation family committee government army duo"
    " trio quartet orchestra party people couple firm crew ensemble"
)
# Last words of names that may hold an "and" of their own.
ORGANISATION_NOUNS: Final = words(
    "establishment company corporation department commission institute university museum sons co"
    " co. inc inc. ltd ltd. agency association society ministry committee council bureau office"
    " college school academy foundation authority administration organization organisation act"
    " service services centre center press records studios partners hospital library union board"
    " industries technology sciences arts"
)
WORKS: Final = words(
    "film movie play novel book song album single series show opera poem painting game"
    " documentary magazine newspaper musical comedy drama story"
)
# Nouns that tell that a name is no person's.
THINGS: Final = words(
    "city town village country state county district region province island river lake mountain"
    " park building church bridge tower castle school university college disease disorder"
    " condition syndrome virus bacterium gene protein species genus plant animal bird fish insect"
    " language battle war ship aircraft car vehicle drug medicine award prize law treaty festival"
    " event sport system program software network website food dish drink element compound mineral"
    " planet star anthem area place location neighborhood neighbourhood municipality community"
    " station airport railway road street stadium arena museum hospital theatre theater"
    " institution device method"
)
_KINDS = (
    "film movie picture|band group duo trio quartet ensemble|company firm business corporation"
    "|novel book|song single track|series show programme program sitcom|city town"
)
# Nouns that may stand for each other when something is mentioned again.
SAME_KIND: Final = {word: words(kind) for kind in _KINDS.split("|") for word in kind.split()}
LIGHT_OBJECTS: Final = words("part place advantage care")
KIN: Final = words(
    "son daughter child sibling brother sister grandson granddaughter nephew niece eldest"
)
NUMBERS: Final = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand million billion trillion dozen dozens hundreds thousands millions billions"
)
