"""The answer by llama.cpp itself, measured in a child process without loading."""
