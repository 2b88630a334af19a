"""What a client speaks with, which the extra `client` brings."""

from __future__ import annotations

import re
from typing import Any

from purport.errors import InvalidInput, MissingExtra

_KEPT_AS_TEXT = ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")


def read_yaml(text: str, source: str) -> Any:
    """What YAML says; dates stay texts, and so does what is not true or false, such as `on`."""
    try:
        import yaml
    except ModuleNotFoundError:
        raise MissingExtra("client") from None

    class Loader(yaml.SafeLoader):
        """Reads truth values as YAML 1.2 does."""

        yaml_implicit_resolvers = {  # noqa: RUF012 - that is where PyYAML looks
            first: [one for one in resolvers if one[0] not in _KEPT_AS_TEXT]
            for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    truths = re.compile("true|false|True|False|TRUE|FALSE")
    Loader.add_implicit_resolver(_KEPT_AS_TEXT[0], truths, list("tfTF"))
    try:
        return yaml.load(text, Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise InvalidInput(f"{source}: not valid YAML: {' '.join(str(error).split())}") from None
