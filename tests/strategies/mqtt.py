"""Packets of MQTT, in either version."""

from hypothesis import strategies as st

from purport.mqtt.packets import (
    NOTHING,
    Asked,
    ConnAck,
    Connect,
    Disconnect,
    Packet,
    PingReq,
    PingResp,
    Properties,
    PubAck,
    PubComp,
    Publish,
    PubRec,
    PubRel,
    SubAck,
    Subscribe,
    UnsubAck,
    Unsubscribe,
    Version,
)

texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12)
topics = texts.map(lambda text: text.replace("+", "p").replace("#", "h") or "t")
packet_ids = st.integers(1, 65_535)
_two_bytes = st.none() | st.integers(0, 65_535)
_four_bytes = st.none() | st.integers(0, 2**32 - 1)
_bytes = st.none() | st.integers(0, 255)
properties = st.builds(
    Properties,
    session_expiry_s=_four_bytes,
    receive_maximum=_two_bytes,
    maximum_packet_size=_four_bytes,
    topic_alias_maximum=_two_bytes,
    maximum_qos=_bytes,
    is_retain_available=_bytes,
    server_keep_alive_s=_two_bytes,
    assigned_client_id=st.none() | texts,
    reason=st.none() | texts,
    will_delay_s=_four_bytes,
    message_expiry_s=_four_bytes,
    content_type=st.none() | texts,
    topic_alias=_two_bytes,
    user_properties=st.lists(st.tuples(texts, texts), max_size=3).map(tuple),
)


def packets(version: Version) -> st.SearchStrategy[Packet]:
    """Any packet that this version can write."""
    said = (st.just(NOTHING) | properties) if version is Version.V5 else st.just(NOTHING)
    reasons = st.integers(0, 255)
    later = reasons if version is Version.V5 else st.just(0)
    flags = st.booleans() if version is Version.V5 else st.just(False)
    some_texts = st.lists(texts, min_size=1, max_size=3).map(tuple)
    kinds: list[st.SearchStrategy[Packet]] = [
        publications(version),
        st.builds(
            Connect, texts, st.just(version), st.booleans(), st.integers(0, 65_535),
            st.none() | texts, st.none() | st.binary(max_size=9),
            st.none() | st.builds(Publish, topics, st.binary(max_size=9), st.integers(0, 2),
                                  st.booleans(), properties=said),
            said,
        ),
        st.builds(ConnAck, reasons, st.booleans(), said),
        st.builds(PubAck, packet_ids, later, said),
        st.builds(PubRec, packet_ids, later, said),
        st.builds(PubRel, packet_ids, later, said),
        st.builds(PubComp, packet_ids, later, said),
        st.builds(
            Subscribe, packet_ids,
            st.lists(st.builds(
                Asked, texts, st.integers(0, 2),
                flags, flags,
            ), min_size=1, max_size=3).map(tuple),
            said,
        ),
        st.builds(SubAck, packet_ids, st.lists(reasons, max_size=3).map(tuple), said),
        st.builds(Unsubscribe, packet_ids, some_texts, said),
        st.builds(UnsubAck, packet_ids, st.lists(reasons, max_size=3).map(tuple), said),
        st.just(PingReq()),
        st.just(PingResp()),
        st.builds(Disconnect, later, said),
    ]  # fmt: skip
    return st.one_of(kinds)


@st.composite
def publications(draw: st.DrawFn, version: Version) -> Publish:
    """Messages, some of them so long that their size takes more than a byte."""
    qos = draw(st.integers(0, 2))
    return Publish(
        draw(topics),
        draw(st.binary(max_size=20)) * draw(st.sampled_from([1, 1, 20, 2_000])),
        qos,
        draw(st.booleans()),
        bool(qos) and draw(st.booleans()),
        draw(packet_ids) if qos else 0,
        draw(st.just(NOTHING) | properties) if version is Version.V5 else NOTHING,
    )
