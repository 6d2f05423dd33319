"""A ggml RPC server on this machine's CPU, from a llama.cpp that was built with GGML_RPC=ON.

Usage: LLAMA_CPP_LIB_PATH=FOLDER python -m tests.journeys.rpc_server HOST:PORT. Serves until it is killed. What
`ggml-rpc-server` does after reading its arguments (tools/rpc/rpc-server.cpp).
"""

import ctypes
import sys

from quern.llama.ggml import library


def main(endpoint: str) -> None:
    """Serve the CPU at `endpoint`, with one thread."""
    by_name = library("ggml").ggml_backend_dev_by_name
    by_name.argtypes, by_name.restype = [ctypes.c_char_p], ctypes.c_void_p
    devices = (ctypes.c_void_p * 1)(by_name(b"CPU"))
    start = library("ggml-rpc").ggml_backend_rpc_start_server
    start.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
    start(endpoint.encode(), None, 1, 1, ctypes.addressof(devices))


if __name__ == "__main__":
    main(sys.argv[1])
