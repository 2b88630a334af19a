"""Messages on disk, in the order in which they came: kept before they are acknowledged."""
