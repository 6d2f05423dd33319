"""What each operating system tells of its machine: CPU, memory, where a process runs."""
