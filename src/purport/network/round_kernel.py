"""One round, message by message.

Time is in slots. An event begins in a slot of its own; who has received it sends it on from the
next slot on, those messages first that it has had first, and in every third slot at most, so that
what it has sent can be sent on. In a slot, senders pay first, in the order of the transmissions;
then, transmission by transmission, receivers pay, and those that confirm it with those that hear
that, then those that overhear it. Who cannot pay is dead at once, and what it has left is of no
use. Confirmations are control messages: of all faults of the air, only loss touches them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from purport.compilation import compiled, inlined
from purport.network.chance import chance
from purport.network.control_kernel import Costs, reached, receiving_pj, sending_pj
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
    costs: Costs


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


class Round(NamedTuple):
    """A round; `tally` and `hops` (deliveries after so many) are added to.

    Each copy is noted in a row of `notes`, as far as there are any: slot, transmission, attempt,
    receiver, whether it arrived.
    """

    traffic: Traffic
    rules: Rules
    nodes: Nodes
    due: Due
    desk: Desk
    tally: Places
    hops: Places
    notes: Numbers
    key: int


@compiled
def run_round(this: Round) -> None:
    """Run a round."""
    waiting = _begin(this)
    slot = 0
    while waiting:
        ring = slot % len(this.desk.queue)
        event = this.desk.begins[ring]
        this.desk.begins[ring] = -1
        while event >= 0:
            waiting += _publish(this, event, slot) - 1
            event = this.desk.next_begin[event]
        count = _gather(this.desk, ring)
        if count:
            waiting -= count
            sent = _send(this, count, slot)
            for place in range(sent):
                one = this.desk.active[place]
                waiting += _receive(this, one, sent, slot)
                _overhear(this, one, slot)
                waiting += _repeat(this, one, slot)
        slot += 1


@inlined
def _begin(this: Round) -> int:
    """Nothing has been sent; each event that is published waits for its slot."""
    this.desk.begins[:] = -1
    this.desk.queue[:] = -1
    this.desk.attempts[:] = 0
    this.desk.got[:] = False
    this.desk.confirmed[:] = False
    this.desk.free_at[:] = 0
    this.desk.sending[:] = -1
    this.desk.addressed[:] = -1
    this.desk.received[:] = False
    waiting = 0
    publishers = this.traffic.events.publisher
    for event in range(len(publishers)):
        node = publishers[event]
        if this.rules.chance < 1.0 and chance(this.key, _PUBLISHES, node, 0) >= this.rules.chance:
            continue
        slot = _awake(this.rules, int(chance(this.key, _START, node, 0) * this.rules.slots))
        ring = slot % len(this.desk.queue)
        this.desk.next_begin[event] = this.desk.begins[ring]
        this.desk.begins[ring] = event
        waiting += 1
    return waiting


@inlined
def _publish(this: Round, event: int, slot: int) -> int:
    """An event is there; how many transmissions it begins with."""
    node = this.traffic.events.publisher[event]
    if not this.nodes.up[node]:
        return 0
    this.tally[PUBLISHED] += 1
    this.tally[DUE] += this.due.due[event]
    this.tally[FORBIDDEN] += this.due.forbidden[event]
    this.tally[UNCONNECTED] += this.due.unconnected[event]
    if not _pay(this.nodes, node, this.traffic.events.work_pj[event], _COMPUTATION):
        return 0
    return _send_on(this, len(this.traffic.laid.receiver) + event, slot)


@inlined
def _send_on(this: Round, place: int, slot: int) -> int:
    """Have all transmissions wait that go on from a copy; how many these are."""
    first, end = this.traffic.starts[place], this.traffic.starts[place + 1]
    for number in range(first, end):
        _enqueue(this, this.traffic.following[number], slot)
    return int(end - first)


@inlined
def _enqueue(this: Round, one: int, slot: int) -> None:
    """A transmission waits for the first slot in which its sender can send it."""
    sender = this.traffic.laid.sender[one]
    at = _awake(this.rules, max(slot, this.desk.free_at[sender]))
    this.desk.free_at[sender] = at + EVERY
    ring = at % len(this.desk.queue)
    this.desk.next_queued[one] = this.desk.queue[ring]
    this.desk.queue[ring] = one


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
def _send(this: Round, count: int, slot: int) -> int:
    """Senders pay; those that can stay in `active`. How many there are."""
    sent = 0
    for place in range(count):
        one = this.desk.active[place]
        sender = this.traffic.laid.sender[one]
        if not this.nodes.up[sender]:
            continue
        if this.desk.attempts[one] == 0 and not _pay(
            this.nodes, sender, this.traffic.laid.work_pj[one], _COMPUTATION
        ):
            continue
        if not _pay(this.nodes, sender, this.traffic.sending_pj[one], _DATA):
            continue
        this.desk.sending[sender] = slot
        this.desk.active[sent] = one
        sent += 1
        this.tally[TRANSMISSIONS] += 1
        for copy in range(this.traffic.laid.first[one], this.traffic.laid.first[one + 1]):
            this.tally[SENT] += 0 if this.desk.confirmed[copy] else 1
    return sent


@inlined
def _receive(this: Round, one: int, sent: int, slot: int) -> int:
    """Those that a transmission is for receive it, or not; how many more are now to be sent."""
    more = 0
    for copy in range(this.traffic.laid.first[one], this.traffic.laid.first[one + 1]):
        if this.desk.confirmed[copy]:
            continue
        node = this.traffic.laid.receiver[copy]
        this.desk.addressed[node] = slot * len(this.nodes.up) + this.traffic.laid.sender[one]
        arrived = _arrives(this, one, copy, sent, slot)
        this.tally[RECEIVED if arrived else LOST] += 1
        if this.tally[NOTED] < len(this.notes):
            note = this.notes[this.tally[NOTED]]
            note[0], note[1], note[2] = slot, one, this.desk.attempts[one]
            note[3], note[4] = node, arrived
            this.tally[NOTED] += 1
        if not arrived:
            continue
        is_first = _take(this, one, copy)
        if is_first and len(this.traffic.anyhow):
            next_one = this.traffic.anyhow[this.traffic.laid.event[one], node]
            if next_one >= 0:
                _enqueue(this, next_one, slot + 1)
                more += 1
        if not this.desk.got[copy]:
            this.desk.got[copy] = True
            more += _send_on(this, copy, slot + 1)
        if this.rules.retransmissions:
            this.desk.confirmed[copy] = _confirm(this, one, copy)
    return more


@inlined
def _arrives(this: Round, one: int, copy: int, sent: int, slot: int) -> bool:
    """Whether a copy is understood; who listens pays, even if it is not."""
    sender, node = this.traffic.laid.sender[one], this.traffic.laid.receiver[copy]
    if not this.nodes.up[node]:
        return False
    if this.rules.half_duplex and this.desk.sending[node] == slot:
        return False
    if abs(this.nodes.clock_s[sender] - this.nodes.clock_s[node]) > this.rules.guard_s:
        return False
    if not _pay(this.nodes, node, this.traffic.receiving_pj[one], _DATA):
        return False
    if this.rules.interference:
        for place in range(sent):
            other = this.desk.active[place]
            source = this.traffic.laid.sender[other]
            if source not in (sender, node):
                apart = squared(this.nodes.positions, source, node)
                if apart <= this.traffic.reach_m2[other]:
                    return False
    if this.rules.loss > 0.0:
        return bool(chance(this.key, _LOST, copy, this.desk.attempts[one]) >= this.rules.loss)
    return True


@inlined
def _take(this: Round, one: int, copy: int) -> bool:
    """A node has an event; the first time, it matches it with its own subscriptions."""
    event, node = this.traffic.laid.event[one], this.traffic.laid.receiver[copy]
    if this.desk.received[event, node] or this.traffic.events.publisher[event] == node:
        return False
    this.desk.received[event, node] = True
    this.tally[RECEPTIONS] += 1
    kind = this.traffic.events.kind[event]
    if this.due.wanted[kind, node]:
        this.tally[RELEVANT] += 1
        this.hops[min(this.traffic.laid.hops[copy], len(this.hops) - 1)] += 1
    _pay(this.nodes, node, this.due.own_work_pj[kind, node], _COMPUTATION)
    return True


@inlined
def _confirm(this: Round, one: int, copy: int) -> bool:
    """A receiver confirms a message with a header; whether its sender hears that."""
    sender, node = this.traffic.laid.sender[one], this.traffic.laid.receiver[copy]
    costs, bits = this.rules.costs, this.rules.confirmation_bits
    reach = reached(costs, squared(this.nodes.positions, sender, node))
    sending = int(sending_pj(costs, bits, reach))
    if not this.nodes.up[node] or not _pay(this.nodes, node, sending, _CONTROL):
        return False
    this.tally[CONFIRMATIONS + TRANSMISSIONS] += 1
    this.tally[CONFIRMATIONS + SENT] += 1
    _overhear_confirmation(this, node, sender, reach)
    hearing = int(receiving_pj(costs, bits))
    is_heard = this.nodes.up[sender] and _pay(this.nodes, sender, hearing, _CONTROL)
    if is_heard and this.rules.loss > 0.0:
        is_heard = (
            chance(this.key, _CONFIRMATION_LOST, copy, this.desk.attempts[one]) >= this.rules.loss
        )
    this.tally[CONFIRMATIONS + (RECEIVED if is_heard else LOST)] += 1
    return bool(is_heard)


@inlined
def _overhear_confirmation(this: Round, node: int, sender: int, reach: float) -> None:
    """Others in range of a node that confirms pay for what they hear of that."""
    costs = this.rules.costs
    cost = int(receiving_pj(costs, min(this.rules.confirmation_bits, costs.overheard_bits)))
    near = this.nodes.near[node]
    for place in range(len(near)):
        other = near[place]
        if squared(this.nodes.positions, node, other) > reach:
            break
        if other != sender and this.nodes.up[other]:
            _pay(this.nodes, other, cost, _CONTROL)


@inlined
def _overhear(this: Round, one: int, slot: int) -> None:
    """Nodes in range that a transmission is not for pay for what they hear of it."""
    sender, cost = this.traffic.laid.sender[one], this.traffic.overhearing_pj[one]
    reach = this.traffic.reach_m2[one]
    near, stamp = this.nodes.near[sender], slot * len(this.nodes.up) + sender
    for place in range(len(near)):
        node = near[place]
        if squared(this.nodes.positions, sender, node) > reach:
            break
        if not this.nodes.up[node] or this.desk.addressed[node] == stamp:
            continue
        if this.rules.half_duplex and this.desk.sending[node] == slot:
            continue
        if abs(this.nodes.clock_s[sender] - this.nodes.clock_s[node]) > this.rules.guard_s:
            continue
        _pay(this.nodes, node, cost, _DATA)


@inlined
def _repeat(this: Round, one: int, slot: int) -> int:
    """Send again what somebody has not confirmed, after a pause; 1 if so."""
    if this.desk.attempts[one] >= this.rules.retransmissions:
        return 0
    for copy in range(this.traffic.laid.first[one], this.traffic.laid.first[one + 1]):
        if not this.desk.confirmed[copy]:
            this.desk.attempts[one] += 1
            pause = 1 + int(chance(this.key, _PAUSE, one, this.desk.attempts[one]) * _PAUSES)
            _enqueue(this, one, slot + pause)
            return 1
    return 0
