"""Laws, interpreted and compiled: dispatch by type, borrowed arrays, the cache of kernels, user code.

laws.py         law, inlined, routine, kernel: functions that are defined once and run both ways
kernel.py       kernels: compiled once for each signature
cache.py        their files; reach.py: their keys; extensions.py: what other packages add to numba
borrowed.py     arrays whose references a kernel does not count; references.py: counting only where needed
linking.py      machine code of kernels alone; overloads.py: one compilation for all callers
"""
