"""The main job on a simulated city: what a newcomer sees first."""
