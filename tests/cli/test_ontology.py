"""`purport ontology`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from purport.ontology.codes.encoding_file import read_encodings
from tests.commands import Run

ONTOLOGIES = Path(__file__).parent.parent / "ontologies"
PIZZA = ONTOLOGIES / "pizza.owl"


@pytest.fixture
def run(run: Run) -> Run:
    """Runs `purport ontology`."""
    return run.below("ontology")


def test_classes_are_shown_as_a_tree(run: Run) -> None:
    done = run("classify", PIZZA, "--below", "VegetarianPizza")

    assert done.status == 0, done.errors
    assert "99 classes, 8 properties, 5 individuals" in done.output
    assert "used: " in done.output
    assert "ignored: 124 annotations" in done.output
    assert "can have no members: pizza:CheeseyVegetableTopping, pizza:IceCream" in done.output
    same = "pizza:VegetarianPizzaEquivalent1 = pizza:VegetarianPizzaEquivalent2"
    assert f"\n  {same}\n" in done.output
    assert "\n    pizza:Margherita\n" in done.output


def test_what_can_have_no_members_is_told_once_and_not_below_every_class(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "drinks.ttl").write_text(
        "@prefix : <http://example.org/drinks#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":Wine a owl:Class . :Water a owl:Class ; owl:disjointWith :Wine .\n"
        ":Red a owl:Class ; rdfs:subClassOf :Wine .\n"
        ":Miracle a owl:Class ; rdfs:subClassOf :Wine, :Water .\n"
    )

    done = run("classify", tmp_path / "drinks.ttl")

    told, _, tree = done.output.partition("\n\n")
    assert "can have no members: drinks:Miracle" in told
    assert tree.splitlines() == ["drinks:Water", "drinks:Wine", "  drinks:Red"]


def test_classes_are_told_as_json_lines(run: Run) -> None:
    done = run("classify", PIZZA, "--json")

    rows = {
        row["class"].rpartition("#")[2]: row for row in map(json.loads, done.output.splitlines())
    }
    assert len(rows) == 99
    assert not rows["IceCream"]["satisfiable"]
    assert {one.rpartition("#")[2] for one in rows["MozzarellaTopping"]["parents"]} == {
        "CheeseTopping"
    }


@pytest.mark.parametrize(
    ("wider", "narrower", "answer"),
    [
        ("Pizza", "Margherita", "yes"),
        ("Margherita", "Pizza", "no"),
        ("hasIngredient", "hasTopping", "yes"),
        ("Pizza that hasTopping some CheeseTopping", "Margherita", "yes"),
        ("not (hasTopping some MeatTopping)", "Margherita", "yes"),
    ],
)
def test_one_class_contains_another_or_not(
    run: Run, wider: str, narrower: str, answer: str
) -> None:
    assert run("subsumes", PIZZA, wider, narrower).output == f"{answer}\n"


def test_codes_are_written_to_a_file(run: Run, tmp_path: Path) -> None:
    codes = tmp_path / "pizza.codes"

    done = run("encode", PIZZA, "-o", codes, "--objective", "longest")

    assert done.status == 0, done.errors
    assert "104 classes and individuals with 100 codes (equivalent ones share" in done.output
    names = read_encodings(codes).classes
    pizza, margherita = (next(one for one in names if one.endswith(f"#{last}"))
                         for last in ("Pizza", "Margherita"))  # fmt: skip
    assert names.subsumes(pizza, margherita)


def test_a_part_is_written_to_the_output(run: Run) -> None:
    done = run("encode", PIZZA, "--only", "Pizza", "--only", "Margherita")

    assert done.output.splitlines()[-2:] == [":Pizza=11, 66", ":Margherita=313, 5236534446"]


def test_a_picture_is_drawn(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "pizza.svg"

    done = run("draw", PIZZA, "--around", "Margherita", "-o", picture)

    assert done.output == f"picture in {picture}\n"
    assert "Margherita" in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("classify", ONTOLOGIES / "README.md"), "README.md"),
        (("classify", "no-such.owl"), "no-such.owl"),
        (("classify", ONTOLOGIES / "saref.ttl"), "http://www.w3.org/2006/time"),
        (("subsumes", PIZZA, "Piza", "Margherita"), "did you mean pizza:Pizza"),
        (("subsumes", PIZZA, "Pizza and", "Margherita"), "column"),
        (("draw", PIZZA, "-o", "x.doc"), "x.doc"),
    ],
)
def test_bad_input_is_told_in_one_line(
    run: Run, arguments: tuple[object, ...], message: str
) -> None:
    done = run(*arguments)

    assert done.status == 2
    assert done.errors.startswith("purport: ")
    assert message in done.errors
    assert "Traceback" not in done.errors


def test_a_picture_says_what_is_left_out(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "pizza.svg"

    done = run("draw", PIZZA, "--depth", "1", "-o", picture)
    as_json = run("draw", PIZZA, "--depth", "1", "-o", picture, "--json")

    left_out = "pizza:CheeseyVegetableTopping, pizza:IceCream"
    assert f"left out, since they can have no members: {left_out}\n" in done.output
    assert "without 2 that can have no members" in picture.read_text()
    row = json.loads(as_json.output)
    assert row["picture"] == str(picture) and len(row["without"]) == 2


def test_names_that_look_alike_are_drawn_with_their_prefixes_and_without_warnings(
    run: Run, tmp_path: Path
) -> None:
    file, picture = tmp_path / "names.ttl", tmp_path / "names.svg"
    file.write_text(
        "@prefix a: <http://x.org/a#> . @prefix b: <http://x.org/b#> . "
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . "
        "a:Bank a owl:Class . b:Bank a owl:Class . a:River a owl:Class . a:\u4e2d a owl:Class ."
    )

    done = run("draw", file, "-o", picture)

    assert done.status == 0 and done.errors == ""
    text = picture.read_text()
    assert "a:Bank" in text and "b:Bank" in text and "a:River" not in text


def test_an_unknown_name_is_told_with_its_column(run: Run) -> None:
    done = run("subsumes", PIZZA, "Pizza", "Pizza and hasTopping some Chese")

    assert done.status == 2
    assert "knows no class 'Chese'" in done.errors and "(column 27)" in done.errors
