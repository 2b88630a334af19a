"""Access rules that tests share."""

from purport.broker.access import AccessRule, AccessRules, Action
from purport.embedded.settings import BrokerSettings

EVERYBODY_OWN = BrokerSettings(  # ann and bob do what they like with what is theirs
    access=AccessRules(
        (
            AccessRule(frozenset({"ann", "bob"}), frozenset(set(Action) - {Action.MANAGE})),
            AccessRule(frozenset({"root"}), frozenset(Action)),
        )
    )
)
