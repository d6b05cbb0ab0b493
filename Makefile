# Short names for the commands that do the work; none of them needs make.
.PHONY: demo test style types lock

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
