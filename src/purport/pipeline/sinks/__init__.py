"""Where matches go."""
