"""The sizes of the buffers that llama.cpp makes beside the weights, by formula."""
