"""Laws, interpreted and compiled: dispatch by type, borrowed arrays, the cache of kernels, user code."""
