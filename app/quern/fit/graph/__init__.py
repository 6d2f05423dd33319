"""The computation graphs of all architectures as memory sees them, and the allocator that lays them out."""
