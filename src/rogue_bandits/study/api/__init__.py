"""The HTTP API: FastAPI, version 1 under /v1."""
