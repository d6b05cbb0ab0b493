#!/bin/sh
# Sets up what is missing and passes every test, style and types included: sh tests/all.sh
# The arguments are those of pytest, such as -m heavy (the full counts) or tests/hal (one room).
cd "$(dirname "$0")/.."
. tests/setup.sh

need_mosquitto
need_packages requirements-dev.txt
# Two workers: the appliance's board, and the smallest machine that builds it, have two cores to
# spare; whoever is idle takes over what is left of the other's share.
exec .venv/bin/python -m pytest -n 2 --dist worksteal "$@"
