# Short names for the commands that do the work; none of them needs make.
.PHONY: demo test style types lock bench package machine

demo:
	sh tests/demo.sh

test:
	sh tests/all.sh

style:
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

types:
	.venv/bin/mypy

lock:
	.ci/lock

# The daemon against the least that is possible, on this machine; some minutes, best left alone.
bench:
	.venv/bin/python -m tests.bench

# The Debian package, into dist/: docs/install.md.
package:
	sh systemd/package/build.sh

# The package in clean Debians, and a whole emulated machine whose supply fails; needs root, mmdebstrap
# and QEMU, and most of an hour.
machine:
	timeout 5400 .venv/bin/python -m pytest -n 0 -m machine tests/machine
