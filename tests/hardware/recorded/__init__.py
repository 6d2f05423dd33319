"""Machines, each written down as its system's files and answers, with what Quern must make of it."""
