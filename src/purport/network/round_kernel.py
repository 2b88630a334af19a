"""One round, message by message.

Time is in slots. An event begins in a slot of its own; who has received it sends it on from the
next slot on, those messages first that it has had first, and in every third slot at most, so that
what it has sent can be sent on. In a slot, senders pay first, in the order of the transmissions;
then, transmission by transmission, receivers pay, those that overhear it, and those that confirm
it. Who cannot pay is dead at once, and what it has left is of no use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined
from purport.network.chance import chance
from purport.network.traffic import Traffic
from purport.network.traffic_kernel import squared

Numbers = NDArray[np.int32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Reals = NDArray[np.float64]

EVERY = 3  # slots there are from one message of a node to its next, at least
WINDOW = 100  # slots, of which nodes are awake in the first ones
_COMPUTATION, _CONTROL, _DATA = 0, 1, 2  # as in `For`
_START, _PUBLISHES, _LOST, _CONFIRMATION_LOST, _PAUSE = 1, 2, 3, 4, 5  # what chances are for
_PAUSES = 16  # slots, at most, before a message is sent again

# places of a tally
TRANSMISSIONS, SENT, RECEIVED, LOST = 0, 1, 2, 3
CONFIRMATIONS = 4  # the same four of these
PUBLISHED, DUE, FORBIDDEN, UNCONNECTED, RECEPTIONS, RELEVANT, NOTED = 8, 9, 10, 11, 12, 13, 14
TALLIES = 15


class Rules(NamedTuple):
    """How messages fare; `awake` is a number of slots of each window."""

    half_duplex: bool
    interference: bool
    loss: float
    retransmissions: int
    slots: int
    awake: int
    guard_s: float
    chance: float
    confirmation_bits: int
    electronics_pj_per_bit: float
    amplifier_pj_per_bit_m2: float


class Nodes(NamedTuple):
    """What nodes are and have; `fell` are those that die in this round.

    `near` has, of each node, all others in the order of their distance, or no columns if nobody
    overhears anything. `clock_s` is by how much each clock is wrong.
    """

    positions: Reals
    left_pj: Places
    spent_pj: Places
    up: Flags
    fell: Flags
    near: Numbers
    clock_s: Reals


class Due(NamedTuple):
    """By events: who wants it and what matching takes it, and how many it is due to.

    The first two go by kinds of events and by nodes.
    """

    wanted: Flags
    own_work_pj: Places
    due: Numbers
    forbidden: Numbers
    unconnected: Numbers


class Desk(NamedTuple):
    """Room to work, for one `Traffic`; `received[event, node]` stays as the round leaves it.

    `begins` and `queue` are rings of slots, with the first event or transmission of each;
    `addressed` tells of each node which message was for it last, by slot and sender.
    """

    begins: Numbers
    next_begin: Numbers
    queue: Numbers
    next_queued: Numbers
    active: Numbers
    attempts: Numbers
    got: Flags
    confirmed: Flags
    free_at: Places
    sending: Places
    addressed: Places
    received: Flags


@compiled
def run_round(
    traffic: Traffic,
    rules: Rules,
    nodes: Nodes,
    due: Due,
    desk: Desk,
    tally: Places,
    hops: Places,
    notes: Numbers,
    key: int,
) -> None:
    """Run a round; `tally` and `hops` (deliveries after so many) are added to.

    Each copy is noted in a row of `notes`, as far as there are any: slot, transmission, attempt,
    receiver, whether it arrived.
    """
    waiting = _begin(traffic, rules, desk, key)
    slot = 0
    while waiting:
        ring = slot % len(desk.queue)
        event = desk.begins[ring]
        desk.begins[ring] = -1
        while event >= 0:
            waiting += _publish(traffic, rules, nodes, due, desk, tally, event, slot) - 1
            event = desk.next_begin[event]
        count = _gather(desk, ring)
        if count:
            waiting -= count
            sent = _send(traffic, rules, nodes, desk, tally, count, slot)
            for place in range(sent):
                one = desk.active[place]
                waiting += _receive(
                    traffic, rules, nodes, due, desk, tally, hops, notes, key, one, sent, slot
                )
                _overhear(traffic, rules, nodes, desk, one, slot)
                waiting += _repeat(traffic, rules, desk, key, one, slot)
        slot += 1


@inlined
def _begin(traffic: Traffic, rules: Rules, desk: Desk, key: int) -> int:
    """Nothing has been sent; each event that is published waits for its slot."""
    desk.begins[:] = -1
    desk.queue[:] = -1
    desk.attempts[:] = 0
    desk.got[:] = False
    desk.confirmed[:] = False
    desk.free_at[:] = 0
    desk.sending[:] = -1
    desk.addressed[:] = -1
    desk.received[:] = False
    waiting = 0
    publishers = traffic.events.publisher
    for event in range(len(publishers)):
        node = publishers[event]
        if rules.chance < 1.0 and chance(key, _PUBLISHES, node, 0) >= rules.chance:
            continue
        slot = _awake(rules, int(chance(key, _START, node, 0) * rules.slots))
        ring = slot % len(desk.queue)
        desk.next_begin[event] = desk.begins[ring]
        desk.begins[ring] = event
        waiting += 1
    return waiting


@inlined
def _publish(
    traffic: Traffic,
    rules: Rules,
    nodes: Nodes,
    due: Due,
    desk: Desk,
    tally: Places,
    event: int,
    slot: int,
) -> int:
    """An event is there; how many transmissions it begins with."""
    node = traffic.events.publisher[event]
    if not nodes.up[node]:
        return 0
    tally[PUBLISHED] += 1
    tally[DUE] += due.due[event]
    tally[FORBIDDEN] += due.forbidden[event]
    tally[UNCONNECTED] += due.unconnected[event]
    if not _pay(nodes, node, traffic.events.work_pj[event], _COMPUTATION):
        return 0
    return _send_on(traffic, rules, desk, len(traffic.laid.receiver) + event, slot)


@inlined
def _send_on(traffic: Traffic, rules: Rules, desk: Desk, place: int, slot: int) -> int:
    """Have all transmissions wait that go on from a copy; how many these are."""
    first, end = traffic.starts[place], traffic.starts[place + 1]
    for number in range(first, end):
        _enqueue(traffic, rules, desk, traffic.following[number], slot)
    return int(end - first)


@inlined
def _enqueue(traffic: Traffic, rules: Rules, desk: Desk, one: int, slot: int) -> None:
    """A transmission waits for the first slot in which its sender can send it."""
    sender = traffic.laid.sender[one]
    at = _awake(rules, max(slot, desk.free_at[sender]))
    desk.free_at[sender] = at + EVERY
    ring = at % len(desk.queue)
    desk.next_queued[one] = desk.queue[ring]
    desk.queue[ring] = one


@inlined
def _awake(rules: Rules, slot: int) -> int:
    """The first slot from this one on in which nodes are awake."""
    within = slot % WINDOW
    return slot if within < rules.awake else slot - within + WINDOW


@inlined
def _gather(desk: Desk, ring: int) -> int:
    """The transmissions of a slot, in their order; how many."""
    count = 0
    one = desk.queue[ring]
    desk.queue[ring] = -1
    while one >= 0:
        place = count
        while place > 0 and desk.active[place - 1] > one:
            desk.active[place] = desk.active[place - 1]
            place -= 1
        desk.active[place] = one
        count += 1
        one = desk.next_queued[one]
    return count


@inlined
def _pay(nodes: Nodes, node: int, amount: int, purpose: int) -> bool:
    """Take from a battery; whether it had so much. Who has not is dead."""
    if nodes.left_pj[node] < amount:
        nodes.up[node] = False
        nodes.fell[node] = True
        return False
    nodes.left_pj[node] -= amount
    nodes.spent_pj[purpose, node] += amount
    return True


@inlined
def _send(
    traffic: Traffic, rules: Rules, nodes: Nodes, desk: Desk, tally: Places, count: int, slot: int
) -> int:
    """Senders pay; those that can stay in `active`. How many there are."""
    sent = 0
    for place in range(count):
        one = desk.active[place]
        sender = traffic.laid.sender[one]
        if not nodes.up[sender]:
            continue
        if desk.attempts[one] == 0 and not _pay(
            nodes, sender, traffic.laid.work_pj[one], _COMPUTATION
        ):
            continue
        if not _pay(nodes, sender, traffic.sending_pj[one], _DATA):
            continue
        desk.sending[sender] = slot
        desk.active[sent] = one
        sent += 1
        tally[TRANSMISSIONS] += 1
        for copy in range(traffic.laid.first[one], traffic.laid.first[one + 1]):
            tally[SENT] += 0 if desk.confirmed[copy] else 1
    return sent


@inlined
def _receive(
    traffic: Traffic,
    rules: Rules,
    nodes: Nodes,
    due: Due,
    desk: Desk,
    tally: Places,
    hops: Places,
    notes: Numbers,
    key: int,
    one: int,
    sent: int,
    slot: int,
) -> int:
    """Those that a transmission is for receive it, or not; how many more are now to be sent."""
    more = 0
    for copy in range(traffic.laid.first[one], traffic.laid.first[one + 1]):
        if desk.confirmed[copy]:
            continue
        node = traffic.laid.receiver[copy]
        desk.addressed[node] = slot * len(nodes.up) + traffic.laid.sender[one]
        arrived = _arrives(traffic, rules, nodes, desk, key, one, copy, sent, slot)
        tally[RECEIVED if arrived else LOST] += 1
        if tally[NOTED] < len(notes):
            note = notes[tally[NOTED]]
            note[0], note[1], note[2] = slot, one, desk.attempts[one]
            note[3], note[4] = node, arrived
            tally[NOTED] += 1
        if not arrived:
            continue
        is_first = _take(traffic, nodes, due, desk, tally, hops, one, copy)
        if is_first and len(traffic.anyhow):
            next_one = traffic.anyhow[traffic.laid.event[one], node]
            if next_one >= 0:
                _enqueue(traffic, rules, desk, next_one, slot + 1)
                more += 1
        if not desk.got[copy]:
            desk.got[copy] = True
            more += _send_on(traffic, rules, desk, copy, slot + 1)
        if rules.retransmissions:
            desk.confirmed[copy] = _confirm(traffic, rules, nodes, desk, tally, key, one, copy)
    return more


@inlined
def _arrives(
    traffic: Traffic,
    rules: Rules,
    nodes: Nodes,
    desk: Desk,
    key: int,
    one: int,
    copy: int,
    sent: int,
    slot: int,
) -> bool:
    """Whether a copy is understood; who listens pays, even if it is not."""
    sender, node = traffic.laid.sender[one], traffic.laid.receiver[copy]
    if not nodes.up[node]:
        return False
    if rules.half_duplex and desk.sending[node] == slot:
        return False
    if abs(nodes.clock_s[sender] - nodes.clock_s[node]) > rules.guard_s:
        return False
    if not _pay(nodes, node, traffic.receiving_pj[one], _DATA):
        return False
    if rules.interference:
        for place in range(sent):
            other = desk.active[place]
            source = traffic.laid.sender[other]
            if source not in (sender, node):
                apart = squared(nodes.positions, source, node)
                if apart <= traffic.reach_m2[other]:
                    return False
    if rules.loss > 0.0:
        return bool(chance(key, _LOST, copy, desk.attempts[one]) >= rules.loss)
    return True


@inlined
def _take(
    traffic: Traffic,
    nodes: Nodes,
    due: Due,
    desk: Desk,
    tally: Places,
    hops: Places,
    one: int,
    copy: int,
) -> bool:
    """A node has an event; the first time, it matches it with its own subscriptions."""
    event, node = traffic.laid.event[one], traffic.laid.receiver[copy]
    if desk.received[event, node] or traffic.events.publisher[event] == node:
        return False
    desk.received[event, node] = True
    tally[RECEPTIONS] += 1
    kind = traffic.events.kind[event]
    if due.wanted[kind, node]:
        tally[RELEVANT] += 1
        hops[min(traffic.laid.hops[copy], len(hops) - 1)] += 1
    _pay(nodes, node, due.own_work_pj[kind, node], _COMPUTATION)
    return True


@inlined
def _confirm(
    traffic: Traffic,
    rules: Rules,
    nodes: Nodes,
    desk: Desk,
    tally: Places,
    key: int,
    one: int,
    copy: int,
) -> bool:
    """A receiver confirms a message with a header; whether its sender hears that."""
    sender, node = traffic.laid.sender[one], traffic.laid.receiver[copy]
    apart = squared(nodes.positions, sender, node)
    each = rules.electronics_pj_per_bit + rules.amplifier_pj_per_bit_m2 * apart
    if not nodes.up[node] or not _pay(
        nodes, node, int(np.rint(each * rules.confirmation_bits)), _CONTROL
    ):
        return False
    tally[CONFIRMATIONS + TRANSMISSIONS] += 1
    tally[CONFIRMATIONS + SENT] += 1
    hearing = int(np.rint(rules.electronics_pj_per_bit * rules.confirmation_bits))
    is_heard = nodes.up[sender] and _pay(nodes, sender, hearing, _CONTROL)
    if is_heard and rules.loss > 0.0:
        is_heard = chance(key, _CONFIRMATION_LOST, copy, desk.attempts[one]) >= rules.loss
    tally[CONFIRMATIONS + (RECEIVED if is_heard else LOST)] += 1
    return bool(is_heard)


@inlined
def _overhear(
    traffic: Traffic, rules: Rules, nodes: Nodes, desk: Desk, one: int, slot: int
) -> None:
    """Nodes in range that a transmission is not for pay for what they hear of it."""
    sender, cost = traffic.laid.sender[one], traffic.overhearing_pj[one]
    reach = traffic.reach_m2[one]
    near, stamp = nodes.near[sender], slot * len(nodes.up) + sender
    for place in range(len(near)):
        node = near[place]
        if squared(nodes.positions, sender, node) > reach:
            break
        if not nodes.up[node] or desk.addressed[node] == stamp:
            continue
        if rules.half_duplex and desk.sending[node] == slot:
            continue
        _pay(nodes, node, cost, _DATA)


@inlined
def _repeat(traffic: Traffic, rules: Rules, desk: Desk, key: int, one: int, slot: int) -> int:
    """Send again what somebody has not confirmed, after a pause; 1 if so."""
    if desk.attempts[one] >= rules.retransmissions:
        return 0
    for copy in range(traffic.laid.first[one], traffic.laid.first[one + 1]):
        if not desk.confirmed[copy]:
            desk.attempts[one] += 1
            pause = 1 + int(chance(key, _PAUSE, one, desk.attempts[one]) * _PAUSES)
            _enqueue(traffic, rules, desk, one, slot + pause)
            return 1
    return 0
