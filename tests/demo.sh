#!/bin/sh
# Sets up what is missing and plays a table that works end to end: sh tests/demo.sh [ARGUMENT]...
# The arguments are those of `tablectl demo`, such as --game fortune-asia-poker --fault shuffler-jam.
cd "$(dirname "$0")/.."
. tests/setup.sh

need_packages requirements-demo.txt
exec .venv/bin/tablectl demo "$@"
