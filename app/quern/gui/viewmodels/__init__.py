"""What the pages show and what a person can do, without a window: state, signals and verbs."""
