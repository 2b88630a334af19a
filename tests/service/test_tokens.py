"""Tokens: whose they are, for how long, and what is taken for none."""

import base64
import json
import re
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from purport.service.problems import Refused
from purport.service.settings import Authentication, Identity, Token
from purport.service.tokens import Tokens, is_long_enough, new_token, token_hash

KEY, OLD_KEY, STRANGE_KEY = b"k" * 64, b"o" * 64, b"s" * 64
NOON = 1_800_000_000
WHO_IS_WHO = Authentication(
    (Identity("ann", 60), Identity("bob", 3600), Identity("eve", disabled=True))
)


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = float(NOON)

    def __call__(self) -> float:
        return self.now


def tokens(
    settings: Authentication = WHO_IS_WHO, *keys: bytes, clock: Time | None = None
) -> Tokens:
    return Tokens(settings, keys or (KEY,), clock or Time())


def signed(claims: dict[str, Any], key: bytes = KEY, algorithm: str = "HS256") -> str:
    return jwt.encode(claims, key, algorithm=algorithm)


def claims_of_ann(**others: Any) -> dict[str, Any]:
    return {"iss": "purport", "sub": "ann", "exp": NOON + 60, **others}


def encoded(part: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def refusal(judge: Tokens, token: str) -> Refused:
    with pytest.raises(Refused) as refused:
        judge.name(token)
    assert refused.value.status == 401
    return refused.value


def test_a_token_lasts_as_long_as_its_identity_says() -> None:
    clock = Time()
    judge = tokens(clock=clock)
    (anns, for_ann), (bobs, for_bob) = judge.made("ann"), judge.made("bob")

    assert (for_ann, for_bob) == (60, 3600)
    clock.now += 59
    assert (judge.name(anns), judge.name(bobs)) == ("ann", "bob")
    clock.now += 1
    assert refusal(judge, anns).code == "invalid_grant"
    assert judge.name(bobs) == "bob"


def test_no_two_tokens_are_the_same() -> None:
    judge = tokens()

    assert judge.made("ann") != judge.made("ann")


def test_the_first_key_signs_and_all_are_accepted() -> None:
    before = tokens(WHO_IS_WHO, OLD_KEY).made("ann")[0]
    rotated = tokens(WHO_IS_WHO, KEY, OLD_KEY)
    after = rotated.made("ann")[0]

    assert rotated.name(before) == rotated.name(after) == "ann"
    assert tokens(WHO_IS_WHO, KEY).name(after) == "ann"
    assert refusal(tokens(WHO_IS_WHO, KEY), before).code == "invalid_token"
    assert refusal(tokens(WHO_IS_WHO, OLD_KEY), after).code == "invalid_token"


def test_a_token_that_somebody_else_has_signed_is_none() -> None:
    strange = signed(claims_of_ann(), STRANGE_KEY)

    assert refusal(tokens(), strange).code == "invalid_token"


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", None, "HS1", ["HS256"], 5])
def test_a_token_without_a_signature_is_none(algorithm: object) -> None:
    bare = f"{encoded({'typ': 'JWT', 'alg': algorithm})}.{encoded(claims_of_ann())}."
    _, _, signature = signed(claims_of_ann()).split(".")

    assert refusal(tokens(), bare).code == "invalid_token"
    assert refusal(tokens(), bare + signature).code == "invalid_token"


@pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
def test_only_one_algorithm_is_taken(algorithm: str) -> None:
    other = signed(claims_of_ann(), KEY, algorithm)

    assert refusal(tokens(), other).code == "invalid_token"


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"sub": "ann", "exp": NOON + 60},
        {"iss": "purport", "exp": NOON + 60},
        {"iss": "purport", "sub": "ann"},
        claims_of_ann(iss="another"),
        claims_of_ann(sub="nobody"),
        claims_of_ann(sub="eve"),
        claims_of_ann(sub=""),
        claims_of_ann(sub=5),
        claims_of_ann(sub=["ann"]),
        claims_of_ann(aud="others"),
    ],
)
def test_what_is_signed_and_names_nobody_is_none(claims: dict[str, Any]) -> None:
    token = jwt.PyJWS().encode(json.dumps(claims).encode(), KEY, algorithm="HS256")

    assert refusal(tokens(), token).code == "invalid_token"


@pytest.mark.parametrize("expires", [0, -1, NOON, 1.5e300, "tomorrow", None, True, [NOON + 60]])
def test_a_token_without_a_time_to_come_has_expired(expires: object) -> None:
    assert refusal(tokens(), signed(claims_of_ann(exp=expires))).code in (
        "invalid_grant",
        "invalid_token",
    )


def test_a_token_that_was_cut_short_or_changed_is_none() -> None:
    judge = tokens()
    token = judge.made("ann")[0]

    for length in range(len(token)):
        assert refusal(judge, token[:length]).code == "invalid_token"
    for place in range(len(token)):
        changed = token[:place] + ("A" if token[place] != "A" else "B") + token[place + 1 :]
        assert refusal(judge, changed).code == "invalid_token"


@given(
    st.text(st.characters(codec="utf-8"), max_size=200) | st.text(".eyJhbGcOi5lIn0", max_size=90)
)
def test_whatever_is_told_is_refused_with_401(text: str) -> None:
    assert refusal(tokens(), text).code == "invalid_token"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ),
    st.sampled_from(["typ", "alg", "crit", "b64", "kid", "jwk"]),
)
def test_whatever_a_header_or_the_claims_are_is_refused_with_401(part: object, name: str) -> None:
    header = {"typ": "JWT", "alg": "HS256", name: part}
    _, _, signature = signed(claims_of_ann()).split(".")
    of_claims = jwt.PyJWS().encode(json.dumps(part).encode(), KEY, algorithm="HS256")

    assert refusal(tokens(), f"{encoded(header)}.{encoded(part)}.{signature}")
    assert refusal(tokens(), of_claims)


def test_nesting_and_length_are_no_way_around() -> None:
    deep = base64.urlsafe_b64encode(b"[" * 5_000).rstrip(b"=").decode()

    assert refusal(tokens(), f"{deep}.{deep[:1000]}.x").code == "invalid_token"
    assert refusal(tokens(), "x" * 10_000_000).code == "invalid_token"


def test_a_token_that_lasts_is_known_by_its_hash() -> None:
    lasting, other = new_token(), new_token()
    known = Authentication(
        tokens=(
            Token("operator", token_hash(lasting)),
            Token("gone", token_hash(other), disabled=True),
        )
    )
    judge = tokens(known)

    assert judge.name(lasting) == "operator"
    assert refusal(judge, other).code == "invalid_token"
    assert refusal(judge, token_hash(lasting)).code == "invalid_token"
    assert refusal(judge, lasting[:-1]).code == "invalid_token"


def test_where_only_lasting_tokens_are_known_nothing_that_is_signed_counts() -> None:
    known = Authentication(tokens=(Token("ann", token_hash(new_token())),))
    unsigned = tokens(known, b"")

    for key in (KEY, b"", b"\0" * 32):
        parts = f"{encoded({'typ': 'JWT', 'alg': 'HS256'})}.{encoded(claims_of_ann())}"
        signature = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256).sign(
            parts.encode(), key
        )
        token = f"{parts}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"
        assert refusal(unsigned, token).code == "invalid_token"


def test_a_refusal_does_not_repeat_the_token() -> None:
    token = signed(claims_of_ann(), STRANGE_KEY)

    refused = refusal(tokens(), token)

    assert not any(part in str(refused) for part in token.split("."))


def test_what_somebody_thinks_of_has_to_be_long_and_in_ascii() -> None:
    assert is_long_enough(new_token())
    assert not any(map(is_long_enough, ("x" * 31, "ä" * 40, "x" * 40 + "\n", "")))
    assert re.fullmatch("sha256:[0-9a-f]{64}", token_hash("x"))
