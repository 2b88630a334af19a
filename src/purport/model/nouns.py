"""Nouns in the singular: `batteries` is *battery*, `status` stays what it is.

Rules, and lists of what they do not hold for. Both stand here, so that a word has the same singular
on every machine, whatever else is on it.
"""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot",
    "mens": "man", "womens": "woman", "childrens": "child", "brethren": "brother", "oxen": "ox",
    "teeth": "tooth", "mice": "mouse", "dormice": "dormouse", "lice": "louse", "geese": "goose",
    "lives": "life", "afterlives": "afterlife", "leaves": "leaf", "elves": "elf", "hooves": "hoof",
    "dwarves": "dwarf", "wharves": "wharf", "sheaves": "sheaf", "axes": "axis", "testes": "testis",
    "quizzes": "quiz", "whizzes": "whiz", "lenses": "lens", "synopses": "synopsis",
    "ellipses": "ellipsis", "exegeses": "exegesis", "irises": "iris", "trellises": "trellis",
    "metropolises": "metropolis", "crises": "crisis", "oases": "oasis", "emphases": "emphasis",
    "nemeses": "nemesis", "catharses": "catharsis", "impasses": "impasse", "posses": "posse",
    "topazes": "topaz", "axles": "axle",
    "corpora": "corpus", "genera": "genus", "taxa": "taxon", "automata": "automaton",
    "criteria": "criterion", "phenomena": "phenomenon", "polyhedra": "polyhedron",
    "schemata": "schema", "stigmata": "stigma", "lemmata": "lemma",
    "codices": "codex", "cortices": "cortex", "indices": "index", "vertices": "vertex",
    "vortices": "vortex", "apices": "apex", "appendices": "appendix", "helices": "helix",
    "matrices": "matrix", "ids": "id", "tvs": "tv", "pcs": "pc", "cds": "cd",
}  # fmt: skip

# Words that are written together with another: `grandchildren`, `bookshelves`, `plateaux`.
_LAST_WORDS = (
    ("children", "child"), ("people", "person"), ("men", "man"), ("feet", "foot"),
    ("teeth", "tooth"), ("wives", "wife"), ("knives", "knife"), ("shelves", "shelf"),
    ("wolves", "wolf"), ("halves", "half"), ("calves", "calf"), ("loaves", "loaf"),
    ("thieves", "thief"), ("scarves", "scarf"), ("eaux", "eau"),
)  # fmt: skip
_NO_MEN = frozenset(
    "abdomen acumen albumen amen bitumen bremen cerumen cognomen cyclamen dolmen foramen hymen "
    "lumen numen omen ramen regimen rumen semen specimen stamen tutankhamen yemen".split()
)

# Plurals from Latin and Greek, without their ending. `data`, `media` and `agenda` are not among
# them: in English they are said of one thing.
_LATIN = (
    (
        "a",
        "um",
        "addend aquari auditori bacteri compendi consorti crematori curricul equilibri errat "
        "gymnasi honorari memorand millenni moratori ov planetari quant referend sanatori spectr "
        "stadi strat symposi terrari",
    ),
    ("ae", "a", "alg alumn antenn formul larv nebul supernov vertebr"),
    (
        "i",
        "us",
        "abac alumn bacill cact foc fung hippopotam loc nucle octop radi stimul syllab termin",
    ),
)

# Words that end like plurals and are none, or of which nobody says the singular.
_ALIKE = frozenset(
    "alias asbestos atlas barracks bias biceps bordeaux canvas caries chaos christmas corps "
    "cosmos crossroads diabetes earnings ethos faeces feces forceps fracas gallows goods "
    "headquarters herpes hertz innings kudos lens means measles mumps news odds pancreas pathos "
    "proceeds rabies remains rhinoceros sassafras scabies series siemens species subspecies "
    "summons surroundings thanks thermos triceps "
    "binoculars clothes jeans pajamas pants pliers pyjamas scissors shorts tongs trousers "
    "tweezers "
    "afterwards always besides does downstairs hers nowadays ours ourselves overseas perhaps "
    "sometimes theirs themselves towards upstairs versus whereas yours yourselves "
    "acoustics aerobics aesthetics classics ethics forensics graphics hydraulics olympics optics "
    "poetics proteomics tactics tectonics therapeutics tropics "
    "adams aires alps andes angeles ardennes arkansas athens bahamas balkans barbados brussels "
    "cannes caracas charles dallas dickens douglas evans flanders hercules honduras hughes james "
    "jones kansas laos lucas maldives mars marseilles massachusetts moses nantes naples "
    "netherlands nicholas philippines reuters seychelles socrates texas thomas ulysses vegas "
    "versailles wales williams".split()
)
_SCIENCES = (
    "botics", "chanics", "dontics", "emantics", "gistics", "guistics", "iatrics", "matics",
    "namics", "nastics", "nautics", "netics", "nomics", "olitics", "physics", "thletics",
    "tistics", "tronics",
)  # fmt: skip

# What ends in -ie, -che, -oe, -u or -i, where -y, -ch, -o and -us or -is would be the rule.
_IE = frozenset(
    "aerie auntie birdie bogie bookie bowtie brasserie brownie budgie caddie calorie collie cookie "
    "coterie curie cutie eyrie foodie freebie genie goalie groupie hippie hoodie indie junkie "
    "kilocalorie laddie lassie magpie menagerie movie necktie newbie nightie oldie patisserie "
    "pinkie pixie potpie prairie quickie reverie rookie rotisserie selfie smoothie sortie sweetie "
    "talkie techie townie valkyrie veggie yuppie zombie".split()
)
_CHE = frozenset(
    "ache apache attache avalanche backache brioche cache cartouche cliche creche earache headache "
    "heartache microfiche moustache mustache niche pastiche porsche psyche quiche stomachache "
    "toothache tranche".split()
)
_OE = frozenset(
    "aloe backhoe canoe doe floe foe gumshoe hoe horseshoe mistletoe oboe overshoe roe shoe sloe "
    "snowshoe throe tiptoe toe woe".split()
)
_U_OR_I = frozenset(
    "bayou beau bureau caribou chateau cpu ecu emu flu gnu gpu guru haiku hindu impromptu kudu "
    "landau menu milieu plateau portmanteau sku tableau thou tutu zulu "
    "afghani alibi alkali api azerbaijani bahraini bengali bikini bonsai chili daiquiri deli emoji "
    "gui hopi israeli iraqi jacuzzi kauri khaki kiwi litchi maori martini mini multi nazi nepali "
    "omani pakistani rabbi safari salami samurai sari semi ski somali swami taxi thai tipi tsunami "
    "wapiti wiki yeti yogi zucchini".split()
)

# Plurals of words in -s itself; the rule for -ses is -se: `houses`, `databases`, `licenses`.
_AS = frozenset("aliases atlases biases biogases canvases christmases gases pancreases".split())
_USE = frozenset(
    "abuse accuse amuse confuse cruse defuse diffuse disuse excuse fuse hypotenuse infuse masseuse "
    "misuse muse overuse peruse recluse refuse reuse ruse transfuse use".split()
)
_SIS = (
    "apotheoses", "bioses", "cirrhoses", "eneses", "fibroses", "gnoses", "hypnoses", "kineses",
    "meioses", "mitoses", "morphoses", "narcoses", "necroses", "neuroses", "osmoses", "phoreses",
    "poreses", "psychoses", "scleroses", "stases", "stenoses", "theses", "thromboses", "yses",
)  # fmt: skip

_LATIN_PLURALS = {
    stem + plural: stem + ending for plural, ending, stems in _LATIN for stem in stems.split()
}


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """The singular of an English noun in small letters; what is no plural comes back as it is.

    >>> [singular(word) for word in ("conflicts", "batteries", "matches", "viruses", "status")]
    ['conflict', 'battery', 'match', 'virus', 'status']
    """
    found = _irregular(word) or _regular(word)
    return found if found == word else singular(found)


def _irregular(word: str) -> str | None:
    """The singular of a word that no rule gives, where there is one."""
    if word in _ALIKE or word in _NO_MEN:
        return word
    found = _IRREGULAR.get(word) or _LATIN_PLURALS.get(word)
    if found is not None:
        return found
    for plural, one in _LAST_WORDS:
        if word.endswith(plural):
            return word.removesuffix(plural) + one
    return None


def _regular(word: str) -> str:
    """The singular of a word by how it ends."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", *_SCIENCES)):
        return word
    cut = word[:-1]
    match word[-2]:
        case "u" | "i":
            return cut if cut in _U_OR_I else word
        case "e":
            return _without_es(word, cut)
    return cut


def _without_es(word: str, cut: str) -> str:
    """The singular of a word in -es; `cut` is the word without its -s."""
    if word.endswith("ies"):
        return cut if len(word) == 4 or cut in _IE else word[:-3] + "y"
    if word.endswith("ses"):
        return _without_ses(word, cut)
    if word.endswith("ches"):
        return cut if cut in _CHE else word[:-2]
    if word.endswith("oes"):
        return cut if cut in _OE else word[:-2]
    return word[:-2] if word.endswith(("shes", "xes", "zzes", "tzes")) else cut


def _without_ses(word: str, cut: str) -> str:
    if word.endswith(_SIS):
        return word[:-2] + "is"
    is_virus = word.endswith("uses") and not word.endswith(("auses", "ouses")) and cut not in _USE
    return word[:-2] if word.endswith("sses") or word in _AS or is_virus else cut
