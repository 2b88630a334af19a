import pytest

from purport.model.iris import last_part, opaque_id
from purport.model.plain_words import attribute_name, kind_name, thing_name

RESOURCE = "http://dbpedia.org/resource/"


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://dbpedia.org/ontology/birthPlace", "birth place"),
        ("http://dbpedia.org/ontology/Person/height", "height"),
        ("http://dbpedia.org/property/home_teams", "home team"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type"),
        ("http://www.w3.org/2002/07/owl#sameAs", "same as"),
        ("http://rdf.freebase.com/ns/location.location.containedby", "containedby"),
        ("http://rdf.freebase.com/ns/people.person.date_of_birth", "date of birth"),
        ("http://example.org/caf%C3%A9s/", "café"),
        ("http://example.org/@id", "id"),
        ("urn:sensor:airTemperature", "air temperature"),
        ("http://example.org/%20", "http://example.org/%20"),
    ],
)
def test_a_property_is_said_in_plain_words(iri: str, name: str) -> None:
    assert attribute_name(iri) == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("FootballMatch", "Football Match"),
        ("10thCenturyBCConflicts", "10th Century BC Conflict"),
        ("AcademicConferences", "Academic Conference"),
        ("AviationAccidentsAndIncidentsIn2001", "Aviation Accident And Incident In 2001"),
        ("CitiesInTheUnitedStates", "City In The United States"),
        ("sports_championship_events", "sport championship event"),
        ("People", "Person"),
    ],
)
def test_a_class_is_said_in_the_singular(name: str, words: str) -> None:
    assert kind_name(f"http://dbpedia.org/class/yago/{name}") == words


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Spain_national_football_team", "Spain national football team"),
        ("Category:10th-century_BC_conflicts", "10th-century BC conflict"),
        ("Academic_conferences", "Academic conference"),
        ("By-elections", "By-election"),
        ("Laptops", "Laptop"),
        ("groundFloors", "ground Floor"),
        ("United_States", "United States"),
        ("Netherlands", "Netherlands"),
        ("Los_Angeles_Lakers", "Los Angeles Lakers"),
        ("Wembley_Stadium_(1923)", "Wembley Stadium (1923)"),
        ("Cars_(film)", "Cars (film)"),
        ("Douglas_MacArthur", "Douglas MacArthur"),
        ("Star_Trek:_First_Contact", "Star Trek: First Contact"),
        ("12:30", "12:30"),
        ("AIDS", "AIDS"),
        ("index.html", "index.html"),
        ("8c7d2fb0-a91e-44b2-9d1f-0123456789ab", "8c7d2fb0-a91e-44b2-9d1f-0123456789ab"),
        ("S%C3%A3o_Paulo", "São Paulo"),
    ],
)
def test_of_things_common_nouns_become_singular_and_names_stay(title: str, words: str) -> None:
    assert thing_name(RESOURCE + title) == words


@pytest.mark.parametrize(
    ("iri", "part"),
    [
        ("http://www.fifa.com/", "www.fifa.com"),
        ("http://example.org/net#LinkFault", "LinkFault"),
        ("http://example.org/a#", "a"),
        ("urn:x:Wembley_Stadium", "Wembley_Stadium"),
        ("mailto:someone@example.org", "someone@example.org"),
        ("http://rdf.freebase.com/ns/time.event", "event"),
        ("http://rdf.freebase.com/ns/m.0abc", "m.0abc"),
        ("http://example.org/time.event", "time.event"),
    ],
)
def test_of_an_iri_the_last_part_counts(iri: str, part: str) -> None:
    assert last_part(iri) == part


@pytest.mark.parametrize(
    ("iri", "identifier"),
    [
        ("http://rdf.freebase.com/ns/m.0abc", "m.0abc"),
        ("http://rdf.freebase.com/ns/g.11b60", "g.11b60"),
        ("http://www.freebase.com/m/0abc", "m.0abc"),
        ("https://freebase.com/m/0abc", "m.0abc"),
        ("http://rdf.freebase.com/ns/music.album", None),
        ("http://example.org/ns/m.0abc", None),
    ],
)
def test_a_machine_id_is_told_from_a_name(iri: str, identifier: str | None) -> None:
    assert opaque_id(iri) == identifier
