"""llama-cpp-python's package; Quern never runs its __init__ (see quern.llama.binding)."""
