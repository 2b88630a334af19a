"""What brokers ask each other for: enough for every subscriber, no more, and nothing for ever."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from purport import Event, Matcher, parse
from purport.covering.covers import covers
from purport.covering.forwarding import Digest, Forwarding
from purport.covering.interest import EVERYTHING, PARTS, Interest
from purport.covering.topology import LinkState, Topology
from tests.covering.asking_brokers import AskingBrokers
from tests.strategies.overlays import Shape, asked_texts, meshes, readings, trees

CHAIN = Shape(4, frozenset({(0, 1), (1, 2), (2, 3)}))
RING = Shape(4, frozenset({(0, 1), (1, 2), (2, 3), (0, 3)}))
WITH_TAIL = Shape(5, frozenset({(0, 1), (1, 2), (2, 3), (1, 3), (3, 4)}))

Subscribed = dict[tuple[int, str], str]


def texts(wanted: Mapping[str, Interest]) -> set[str]:
    return set(wanted)


def accepts(text: str, reading: Mapping[str, object]) -> bool:
    return bool(Matcher([parse(text)], measure="exact").match(Event.from_json(reading)))


def reached(brokers: AskingBrokers, begin: int, reading: Mapping[str, object]) -> set[int]:
    """Where an event comes that is published at a broker and goes where it was asked for."""
    seen, going = {begin}, [(begin, -1)]
    while going:
        at, came_from = going.pop()
        for neighbour in brokers.shape.neighbours(at):
            asked = brokers.wanted_from(at, neighbour)
            if neighbour != came_from and any(accepts(text, reading) for text in asked):
                if neighbour not in seen:
                    going.append((neighbour, at))
                seen.add(neighbour)
    return seen


def act(brokers: AskingBrokers, data: st.DataObject, steps: int = 12) -> Subscribed:
    """Subscribe and unsubscribe, while messages are on their way in any order."""
    subscribed: Subscribed = {}

    def choose(count: int) -> int:
        return data.draw(st.integers(0, count - 1), "the link whose message arrives")

    for _ in range(data.draw(st.integers(1, steps))):
        what = data.draw(st.sampled_from(("subscribe", "unsubscribe", "hear", "hear")))
        if what == "hear":
            brokers.let_through(choose)
        elif what == "subscribe":
            broker = data.draw(st.integers(0, brokers.shape.count - 1))
            name, text = data.draw(st.sampled_from("abc")), data.draw(asked_texts())
            subscribed[broker, name] = text
            brokers.want(broker, name, {text})
        elif subscribed:
            broker, name = data.draw(st.sampled_from(sorted(subscribed)))
            del subscribed[broker, name]
            brokers.want(broker, name, ())
    brokers.settle(choose)
    return subscribed


@given(st.one_of(trees(), meshes()), st.data())
def test_every_event_comes_to_all_who_subscribe(shape: Shape, data: st.DataObject) -> None:
    brokers = AskingBrokers(shape, most_hops=2 * shape.count)
    subscribed = act(brokers, data)

    reading, begin = data.draw(readings()), data.draw(st.integers(0, shape.count - 1))

    wanting = {broker for (broker, _), text in subscribed.items() if accepts(text, reading)}
    assert wanting <= reached(brokers, begin, reading)


@given(trees(), st.data())
def test_in_a_tree_no_event_comes_to_a_broker_that_leads_to_no_subscriber(
    shape: Shape, data: st.DataObject
) -> None:
    brokers = AskingBrokers(shape)
    subscribed = act(brokers, data)

    reading, begin = data.draw(readings()), data.draw(st.integers(0, shape.count - 1))

    wanting = {broker for (broker, _), text in subscribed.items() if accepts(text, reading)}
    needed = {one for end in wanting for one in way(shape, begin, end)} | {begin}
    assert reached(brokers, begin, reading) == needed


def way(shape: Shape, begin: int, end: int, came_from: int = -1) -> list[int]:
    """The brokers between two of a tree, both included; none if it does not lead there."""
    if begin == end:
        return [end]
    for neighbour in shape.neighbours(begin):
        if neighbour != came_from and (rest := way(shape, neighbour, end, begin)):
            return [begin, *rest]
    return []


@given(st.one_of(trees(), meshes()), st.data())
def test_nobody_is_asked_for_what_something_else_asks_for_anyway(
    shape: Shape, data: st.DataObject
) -> None:
    brokers = AskingBrokers(shape)
    act(brokers, data)

    for broker in range(shape.count):
        for neighbour in shape.neighbours(broker):
            asked = [parse(one) for one in brokers.wanted_from(broker, neighbour)]
            assert not any(covers(one, other) for one in asked for other in asked if one != other)


@given(st.one_of(trees(), meshes()), st.data())
def test_when_all_have_unsubscribed_nothing_is_asked_for(shape: Shape, data: st.DataObject) -> None:
    brokers = AskingBrokers(shape)
    for broker, name in act(brokers, data):
        brokers.want(broker, name, ())
    brokers.settle()

    for broker in range(shape.count):
        for neighbour in shape.neighbours(broker):
            assert brokers.wanted_from(broker, neighbour) == {}


@given(trees(), st.data())
def test_what_is_asked_for_does_not_depend_on_what_came_first(
    shape: Shape, data: st.DataObject
) -> None:
    brokers, again = AskingBrokers(shape), AskingBrokers(shape)
    subscribed = act(brokers, data)
    for (broker, name), text in data.draw(st.permutations(list(subscribed.items()))):
        again.want(broker, name, {text})
    again.settle()

    for broker in range(shape.count):
        for neighbour in shape.neighbours(broker):
            assert brokers.wanted_from(broker, neighbour) == again.wanted_from(broker, neighbour)


def test_what_was_covered_is_asked_for_again() -> None:
    brokers = AskingBrokers(CHAIN)
    brokers.want(3, "few", {"{heat > 3}"})
    brokers.want(2, "many", {"{heat > 1}"})
    brokers.settle()

    assert texts(brokers.wanted_from(0, 1)) == {"{heat > 1}"}

    brokers.want(2, "many", ())
    brokers.settle()

    assert brokers.wanted_from(0, 1) == {"{heat > 3}": Interest("{heat > 3}", 3)}


def test_what_a_neighbour_alone_wants_it_is_not_asked_for() -> None:
    brokers = AskingBrokers(CHAIN)
    brokers.want(0, "a", {"{heat > 1}"})
    brokers.settle()

    assert brokers.wanted_from(0, 1) == {}
    assert texts(brokers.wanted_from(3, 2)) == {"{heat > 1}"}


def test_of_what_is_covered_nothing_is_sent() -> None:
    brokers = AskingBrokers(CHAIN)
    brokers.want(0, "many", {"{heat > 1}"})
    brokers.settle()
    before = brokers.sent
    brokers.want(0, "few", {"{heat > 3}"})
    brokers.settle()

    assert brokers.sent == before


def test_in_a_circle_what_is_over_ends_everywhere_although_each_hears_it_of_another() -> None:
    for shape in (RING, WITH_TAIL):
        brokers = AskingBrokers(shape, most_hops=12)
        brokers.want(1, "few", {"{heat > 3}"})
        brokers.want(0, "many", {"{heat > 1}"})
        brokers.settle()
        assert "{heat > 1}" in brokers.wanted_from(1, 2)  # around the circle, and back

        brokers.want(0, "many", ())
        brokers.settle()

        for broker in range(shape.count):
            for neighbour in shape.neighbours(broker):
                assert texts(brokers.wanted_from(broker, neighbour)) <= {"{heat > 3}"}


def test_what_wants_everything_covers_all_and_what_cannot_be_read_is_passed_on() -> None:
    one = Forwarding()
    one.add_neighbour("north")
    one.want({"a": {"{heat > 1}", PARTS, "what a later version may write"}})

    assert set(one.asked("north")) == {"{heat > 1}", PARTS, "what a later version may write"}

    one.want({"b": {EVERYTHING}})
    assert set(one.asked("north")) == {EVERYTHING}

    one.want({"b": ()})
    assert set(one.asked("north")) == {"{heat > 1}", PARTS, "what a later version may write"}


def test_a_neighbour_that_has_gone_wants_nothing_and_a_new_one_is_told_all() -> None:
    one = Forwarding()
    one.add_neighbour("north")
    one.add_neighbour("south")
    one.take("south", [Interest("{heat > 1}", 4)])
    one.want({"a": {"{heat > 2}"}})
    one.add_neighbour("west")

    assert texts(one.asked("west")) == {"{heat > 1}"}

    one.remove_neighbour("south")

    assert set(one.neighbours) == {"north", "west"}
    assert texts(one.asked("north")) == texts(one.asked("west")) == {"{heat > 2}"}


def test_what_is_said_to_a_neighbour_begins_at_what_it_knows() -> None:
    one = Forwarding()
    one.add_neighbour("north")
    one.want({"a": {"{heat > 1}"}, "b": {"{room = hall}"}})
    known = one.asked("north")
    assert one.next_asking("north") and not one.next_asking("north")

    one.begin_anew("north", known)
    assert not one.next_asking("north")

    one.begin_anew("north", {"{heat > 9}": Interest("{heat > 9}", 1)})
    asking = one.next_asking("north")
    assert {say.text for say in asking.wanted} == set(known)
    assert asking.unwanted == ("{heat > 9}",)


def test_interests_have_one_digest_in_whatever_order_they_stand() -> None:
    some = [Interest("{a = 1}", 1), Interest("{b = 1}", 2)]
    others: tuple[list[Interest], ...] = ([], some[:1], [some[0].farther(), some[1]])

    assert str(Digest(some)) == str(Digest(some[::-1]))
    assert str(Digest(some)) not in {str(Digest(other)) for other in others}


@given(st.one_of(trees(), meshes()), st.data())
def test_digests_say_what_was_asked_for_and_heard(shape: Shape, data: st.DataObject) -> None:
    brokers = AskingBrokers(shape)
    act(brokers, data)

    for broker in range(shape.count):
        for neighbour in shape.neighbours(broker):
            one, other = brokers.brokers[broker], brokers.brokers[neighbour]
            asked = one.asked(str(neighbour))
            assert asked == other.taken(str(broker))
            digests = {
                one.asked_digest(str(neighbour)),
                other.taken_digest(str(broker)),
                str(Digest(asked.values())),
            }
            assert len(digests) == 1 and one.count_asked(str(neighbour)) == len(asked)


def test_over_a_spare_link_nobody_is_asked_for_anything_until_it_is_used() -> None:
    one = Forwarding()
    for name in ("north", "south"):
        one.add_neighbour(name)
    one.want({"a": {"{heat > 2}"}})
    one.take("south", [Interest("{heat > 1}", 1)])
    one.next_asking("north")
    one.next_asking("south")

    one.use("south", False)

    assert one.next_asking("south").unwanted == ("{heat > 2}",)
    assert set(one.next_asking("north").unwanted) == {"{heat > 1}"}
    assert texts(one.asked("north")) == {"{heat > 2}"} and one.asked("south") == {}
    assert texts(one.taken("south")) == {"{heat > 1}"}

    one.use("south", True)

    assert texts(one.asked("north")) == {"{heat > 1}"} and texts(one.asked("south")) == {
        "{heat > 2}"
    }


def test_what_a_neighbour_asks_for_may_be_asked_for_by_others_too() -> None:
    one = Forwarding()
    for name in ("a", "b", "c"):
        one.add_neighbour(name)
    one.want({"here": {EVERYTHING}})
    one.take("a", [Interest("{heat > 3}", 1), Interest("{heat > 4, room = hall}", 1)])
    one.take("b", [Interest("{heat > 2, room = hall}", 1)])
    assert one.is_covered_elsewhere("c") and not one.is_covered_elsewhere("a")

    one.take("c", [Interest("{heat > 2}", 1)])
    assert one.is_covered_elsewhere("a") and one.is_covered_elsewhere("b")

    one.use("c", False)
    assert not one.is_covered_elsewhere("a") and one.is_covered_elsewhere("c") is False

    one.take("b", [Interest(EVERYTHING, 1)])
    assert one.is_covered_elsewhere("a") and one.is_covered_elsewhere("c")


@given(meshes(), st.data())
def test_over_the_links_of_a_tree_a_mesh_is_a_tree(shape: Shape, data: st.DataObject) -> None:
    brokers = AskingBrokers(shape)
    act(brokers, data, steps=6)
    topology = Topology("0")
    for one in range(shape.count):
        near = tuple(map(str, shape.neighbours(one)))
        topology.set_near(near) if one == 0 else topology.take(LinkState(str(one), 1, near))
    used = {(int(a), int(b)) for a, b in topology.tree()}
    for a, b in shape.links - used:
        brokers.use(a, b, False)
    brokers.settle()
    act(brokers, data, steps=6)
    again = AskingBrokers(Shape(shape.count, frozenset(used)))
    for broker, forwarding in enumerate(brokers.brokers):
        for registration, wanted in forwarding._wanted_by.items():
            again.want(broker, registration, wanted)
    again.settle()

    for a, b in shape.links:
        for here, there in ((a, b), (b, a)):
            expected = again.wanted_from(here, there) if (a, b) in used else {}
            assert brokers.wanted_from(here, there) == expected
