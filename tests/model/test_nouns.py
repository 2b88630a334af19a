import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.model.nouns import singular

NOUNS = """
abacus ache address agenda album alias analysis appendix archive axle baby bacterium base basis
battery bias blouse bonus box boy brush bureau bus business cache calf calorie campus cantata
canvas case cause census chief child church city class clause conflict cookie corpus cpu crisis
criterion cry curve data database day diagnosis disease dish dose echo election enterprise excuse
exercise expense fairy farm festival final firewoman fish fly focus foot formula fox fuse gas genre
glass glove goalie goose grandchild guru half headache hero hoe horse house housewife hypothesis
index israeli key kiss knife lady larva leaf lens licence license life lion louse man match matrix
medium menu metropolis mouse movie neighbour neurosis niche nose nucleus nurse oasis olive ox pass
patch pause person phase phenomenon phrase photo piano pie plateau plus policeman potato prairie
prize process pulse purchase purpose quiz radio radius reef release reserve rise rose safari
schoolchild series sheriff shoe sick ski sleeve sortie species specimen spouse stadium status steppe
stimulus studio story tax taxi taxon thesis thief toe tomato tooth toy trophy use valve vertebra
virus wave wharf wife wiki wish wolf woman workforce zombie
""".split()


@pytest.mark.parametrize(
    ("plural", "noun"),
    [
        ("conflicts", "conflict"),
        ("batteries", "battery"),
        ("movies", "movie"),
        ("calories", "calorie"),
        ("ties", "tie"),
        ("boys", "boy"),
        ("boxes", "box"),
        ("matches", "match"),
        ("caches", "cache"),
        ("dishes", "dish"),
        ("heroes", "hero"),
        ("shoes", "shoe"),
        ("photos", "photo"),
        ("houses", "house"),
        ("databases", "database"),
        ("licenses", "license"),
        ("glasses", "glass"),
        ("buses", "bus"),
        ("viruses", "virus"),
        ("uses", "use"),
        ("clauses", "clause"),
        ("gases", "gas"),
        ("canvases", "canvas"),
        ("lenses", "lens"),
        ("hypotheses", "hypothesis"),
        ("analyses", "analysis"),
        ("diagnoses", "diagnosis"),
        ("roses", "rose"),
        ("crises", "crisis"),
        ("axes", "axis"),
        ("prizes", "prize"),
        ("quizzes", "quiz"),
        ("waltzes", "waltz"),
        ("leaves", "leaf"),
        ("sleeves", "sleeve"),
        ("knives", "knife"),
        ("olives", "olive"),
        ("bookshelves", "bookshelf"),
        ("housewives", "housewife"),
        ("people", "person"),
        ("salespeople", "salesperson"),
        ("men", "man"),
        ("policewomen", "policewoman"),
        ("womens", "woman"),
        ("grandchildren", "grandchild"),
        ("feet", "foot"),
        ("geese", "goose"),
        ("oxen", "ox"),
        ("criteria", "criterion"),
        ("stadia", "stadium"),
        ("millennia", "millennium"),
        ("alumni", "alumnus"),
        ("larvae", "larva"),
        ("indices", "index"),
        ("matrices", "matrix"),
        ("genera", "genus"),
        ("plateaux", "plateau"),
        ("bureaus", "bureau"),
        ("menus", "menu"),
        ("taxis", "taxi"),
    ],
)
def test_nouns_become_singular(plural: str, noun: str) -> None:
    assert singular(plural) == noun


@pytest.mark.parametrize(
    "noun",
    (
        "status celsius analysis gas bus glass news lens series species chaos canvas corps means "
        "mathematics politics electronics headquarters diabetes texas honduras netherlands wales "
        "specimen regimen yemen data media agenda police rice sheep co2 address business basis "
        "was has its this always does james"
    ).split(),
)
def test_what_is_no_plural_stays_as_it_is(noun: str) -> None:
    assert singular(noun) == noun


@pytest.mark.parametrize("noun", NOUNS)
def test_a_noun_is_its_own_singular(noun: str) -> None:
    assert singular(noun) == noun


@given(
    st.one_of(
        st.sampled_from(NOUNS).flatmap(
            lambda noun: st.sampled_from(["s", "es", "ses", "ies", "ves"]).map(
                lambda ending: noun + ending
            )
        ),
        st.text("aeioumnsvxzhcty", max_size=8),
    )
)
def test_the_singular_of_a_singular_is_itself(word: str) -> None:
    assert singular(singular(word)) == singular(word)
