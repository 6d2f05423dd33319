"""What the machine has, whether it suffices, and what to change."""
