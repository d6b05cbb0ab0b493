# Everything that a fresh machine lacks; sourced by demo.sh and all.sh, never run by itself.
#
# Debian 12/13 and Raspberry Pi OS need no preparation: what is missing comes from apt when we are
# root or may use sudo, else it is named. Python packages go into .venv of this checkout, each with
# the hash in its lock file. A second run finds its stamp and needs neither network nor seconds.

set -eu

# An empty environment (env -i, cron, a service) has no PATH; brokers live in sbin on Debian.
PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin"
export PATH
# Messages of the tools that we read must not depend on the user's language.
export LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf 'setup: %s\n' "$*" >&2; }

give_up() { # give_up LINE...: what is missing and what to do about it, then exit 2 (usage)
    for line in "$@"; do say "$line"; done
    exit 2
}

have() { command -v "$1" >/dev/null 2>&1; }

python_fits() { # python_fits COMMAND: 3.11 to 3.13, able to build an environment with pip
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
        >/dev/null 2>&1
}

find_python() { # prints the first interpreter that serves; PYTHON in the environment leads
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if have "$candidate" && python_fits "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

may_be_root() { # sudo asks for a password only at a terminal
    [ "$(id -u)" -eq 0 ] || { have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }
}

as_root() { # as_root COMMAND...: as root, through sudo if need be
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif may_be_root; then
        sudo "$@"
    else
        return 1
    fi
}

apt_install() { # apt_install PACKAGE...: false where apt is absent, forbidden, or fails
    have apt-get && may_be_root || return 1
    say "installing with apt: $*"
    as_root env DEBIAN_FRONTEND=noninteractive sh -eu -c '
        apt-get -q=2 update >/dev/null || echo "setup: apt-get update failed, trying on" >&2
        apt-get -q=2 install --yes --no-install-recommends "$@" >/dev/null
    ' sh "$@"
}

need_python() {
    if ! find_python >/dev/null; then
        apt_install python3 python3-venv || true
    fi
    python=$(find_python) || give_up \
        "Python 3.11 to 3.13 with venv is missing, and could not be installed from here." \
        "Debian, Raspberry Pi OS: sudo apt-get install python3 python3-venv" \
        "elsewhere: install it and name it, as in PYTHON=/path/to/python3.13 sh $0"
}

need_mosquitto() { # the tests speak to a real broker that they start themselves
    have mosquitto && return 0
    # Debian's package starts a service on port 1883 that nobody here wants: keep it from starting.
    if [ -d /run/systemd/system ]; then
        as_root systemctl --quiet mask mosquitto.service 2>/dev/null || true
    fi
    apt_install mosquitto || true
    if [ -d /run/systemd/system ]; then
        as_root systemctl --quiet unmask mosquitto.service 2>/dev/null || true
        as_root systemctl --quiet disable mosquitto.service 2>/dev/null || true
    fi
    have mosquitto || give_up \
        "mosquitto, the MQTT broker that the tests start, is missing and could not be installed." \
        "Debian, Raspberry Pi OS: sudo apt-get install mosquitto" \
        "(then, if you want no broker on port 1883: sudo systemctl disable --now mosquitto)"
}

need_packages() { # need_packages LOCKFILE: .venv with exactly what the lock says, and this checkout
    lock=$1
    mkdir -p .venv
    if have flock; then
        # Two runs at once would build the same environment into each other.
        exec 9>.venv/.lock
        flock 9
    fi
    if ! .venv/bin/python -c 'import pip' >/dev/null 2>&1; then
        need_python
        say "creating .venv with $("$python" --version)"
        rm -rf .venv/bin .venv/lib .venv/lib64 .venv/include .venv/pyvenv.cfg .venv/stamp-*
        "$python" -m venv .venv || give_up "$python could not create .venv"
    fi
    stamp=.venv/stamp-${lock##*/}
    wanted=$(pwd && cat "$lock" pyproject.toml | cksum)
    if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
        pip_install "$lock"
        printf '%s\n' "$wanted" >"$stamp"
    fi
    if have flock; then
        exec 9>&-
    fi
}

pip_install() { # pip_install LOCKFILE: one line a package while it works, the log when it fails
    total=$(grep -c '^[a-z0-9].*==' "$1")
    log=.venv/pip.log
    say "installing $total locked packages from $1"
    # The pipe hides pip's exit code, so it travels in a file.
    {
        code=0
        .venv/bin/python -m pip install --progress-bar off --no-input --require-hashes \
            --only-binary :all: --requirement "$1" 2>"$log.errors" || code=$?
        printf '%s\n' "$code" >"$log.code"
    } | tee "$log" | pip_progress "$total"
    if [ "$(cat "$log.code")" != 0 ]; then
        tail -n 15 "$log.errors" >&2
        give_up "pip could not install $1 (above; all of it in $log)." \
            "The first run needs the network, or a package mirror named in PIP_INDEX_URL."
    fi
    .venv/bin/python -m pip install --quiet --no-input --no-deps --no-index \
        --no-build-isolation --editable . ||
        give_up "pip could not install this checkout into .venv (above)."
}

pip_progress() { # pip_progress TOTAL: reads pip's output, says which package it is at
    count=0
    while read -r word package rest; do
        case $word in
        Collecting | Processing) # from an index, or a wheel that is here already
            count=$((count + 1))
            package=${package%%==*}
            package=${package##*/}
            printf 'setup:   %s/%s %s\n' "$count" "$1" "${package%%-[0-9]*}" >&2
            ;;
        esac
    done
}
