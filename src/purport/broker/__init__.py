"""One door to the engines: what is published, subscribed and told, as a pure step for each."""
