"""The nouns of Purport: frozen values, and the subscription language."""
