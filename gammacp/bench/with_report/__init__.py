"""Views of sweeps for notebooks."""
