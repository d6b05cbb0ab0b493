#!/bin/sh
# Builds the Debian package: sh systemd/package/build.sh [amd64|arm64]
#
# The result, dist/table-controller_VERSION_ARCH.deb, serves Debian 12 and 13 and Raspberry Pi OS and
# holds all that the controller needs beside Debian's own Python, so that a board needs no network.
# Every wheel is the one whose hash stands in the lock file. The same commit gives the same bytes.
set -eu
cd "$(dirname "$0")/../.."
. tests/setup.sh

prefix=/opt/table-controller
# The Pythons of Debian 12 and of Debian 13.
pythons="3.11 3.13"
architecture=${1:-$(dpkg --print-architecture)}
case $architecture in
amd64) machine=x86_64 ;;
arm64) machine=aarch64 ;;
*) give_up "$architecture: a package can be built for amd64 and arm64" ;;
esac
have dpkg-deb || give_up "dpkg-deb is missing; on Debian it comes with dpkg"
need_python

umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root$prefix/bin" "$root$prefix/program" "$root/DEBIAN" "$work/source"
here=$work/source/systemd/package
"$python" -m venv "$work/tools" || give_up "$python could not create an environment"

export_source() { # what is committed, where there is a history; so no leftover gets in
    if git -c safe.directory="$PWD" rev-parse HEAD >/dev/null 2>&1; then
        # Files of a change that is not committed yet would make a package that nobody can name.
        if [ -n "$(git -c safe.directory="$PWD" status --porcelain -- controller hal config systemd)" ]
        then say "note: the working tree has changes; the package is built from the last commit"
        fi
        SOURCE_DATE_EPOCH=$(git -c safe.directory="$PWD" log -1 --format=%ct)
        git -c safe.directory="$PWD" archive HEAD | tar -x -C "$work/source"
    else
        SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y CHANGELOG.md)}
        tar -c --exclude=__pycache__ controller hal config systemd docs pyproject.toml README.md \
            LICENSE CHANGELOG.md requirements.txt | tar -x -C "$work/source"
    fi
    export SOURCE_DATE_EPOCH
}

install_locked() { # install_locked PYTHON LOCKFILE FOLDER: wheels for that Python and machine
    # The glibc of Debian 12 is 2.36; wheels name the oldest one that they work with.
    "$work/tools/bin/python" -m pip install --quiet --no-input --no-deps --no-compile --require-hashes \
        --only-binary :all: --implementation cp --python-version "$1" \
        --abi "cp$(echo "$1" | tr -d .)" --abi abi3 --abi none \
        --platform "manylinux_2_34_$machine" --platform "manylinux_2_31_$machine" \
        --platform "manylinux_2_28_$machine" --platform "manylinux_2_17_$machine" \
        --platform "manylinux2014_$machine" \
        --target "$3" --requirement "$2" 2>"$work/errors" || {
        cat "$work/errors" >&2
        give_up "the wheels of $2 could not be had for Python $1 on $machine (above)"
    }
}

environment() { # environment PYTHON: a virtual environment as `python3 -m venv` makes it
    say "packages for Python $1 on $machine"
    base=$root$prefix/python$1
    packages=$base/lib/python$1/site-packages
    mkdir -p "$base/bin" "$packages"
    ln -s "/usr/bin/python$1" "$base/bin/python3"
    # lgpio has no wheel for Python 3.13: there Raspberry Pi OS's own python3-lgpio serves.
    case $1 in
    3.11) lock=systemd/requirements-board.txt system=false ;;
    *) lock=requirements.txt system=true ;;
    esac
    printf 'home = /usr/bin\ninclude-system-site-packages = %s\nversion = %s\n' $system "$1" \
        >"$base/pyvenv.cfg"
    install_locked "$1" "$work/source/$lock" "$packages"
    # What builds packages, and programs of other packages, have no business on a board.
    rm -rf "$packages/bin" "$packages"/setuptools* "$packages/_distutils_hack" \
        "$packages/distutils-precedence.pth"
    # Their hashes are of scripts that name this build's folder; the scripts are gone.
    sed -i '/^\(\.\.\/\)*bin\//d' "$packages"/*.dist-info/RECORD
    printf '%s\n' "$prefix/program" >"$packages/table-controller.pth"
}

program() { # our three packages with their data
    say "the controller, $version"
    cp -R "$work/source/controller" "$work/source/hal" "$work/source/config" "$root$prefix/program"
    install -m 755 "$here/tablectl" "$root$prefix/bin/tablectl"
}

manifest() { # the list of what this build is, by which it knows itself (docs/install.md)
    set -- version --manifest
    for one in $pythons; do
        set -- "$@" --libraries "$one=$root$prefix/python$one/lib/python$one/site-packages"
    done
    PYTHONPATH="$root$prefix/program" "$work/tools/bin/python" -PB -m controller "$@" >"$work/manifest"
    install -m 644 "$work/manifest" "$root$prefix/program/controller/manifest.txt"
}

system_files() {
    units=$work/source/systemd
    install -D -m 644 -t "$root/usr/lib/systemd/system" "$units"/*.service "$units"/*.timer
    install -D -m 644 "$units/table-controller.sysusers" \
        "$root/usr/lib/sysusers.d/table-controller.conf"
    install -D -m 644 "$units/table-controller.tmpfiles" \
        "$root/usr/lib/tmpfiles.d/table-controller.conf"
    install -D -m 644 "$units/table-controller.modules" \
        "$root/usr/lib/modules-load.d/table-controller.conf"
    # Where a technician adds the adapters of his tables: a configuration file, kept at upgrades.
    install -D -m 644 -t "$root/etc/udev/rules.d" "$units/90-table-devices.rules"
    documents=$root/usr/share/doc/table-controller
    install -D -m 644 -t "$documents" "$work/source/README.md" "$work/source/CHANGELOG.md"
    install -D -m 644 -t "$documents/docs" "$work/source"/docs/*.md "$work/source"/docs/*.svg
    install -D -m 644 -t "$documents/examples" "$work/source"/config/examples/*.toml
    install -D -m 644 "$work/source/LICENSE" "$documents/copyright"
    mkdir -p "$root/usr/bin"
    ln -s "$prefix/bin/tablectl" "$root/usr/bin/tablectl"
}

control() {
    size=$(find "$root" -type f -printf '%s\n' | awk '{ sum += $1 } END { print int(sum / 1024) }')
    sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" \
        "$here/control" >"$root/DEBIAN/control"
    printf '/etc/udev/rules.d/90-table-devices.rules\n' >"$root/DEBIAN/conffiles"
    install -m 644 "$here/triggers" "$root/DEBIAN/triggers"
    for script in preinst postinst prerm postrm; do
        install -m 755 "$here/$script" "$root/DEBIAN/$script"
    done
    (cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z |
        xargs -0 md5sum >DEBIAN/md5sums)
}

export_source
version=${VERSION:-$(sed -n 's/^VERSION: Final = "\(.*\)"/\1/p' "$work/source/controller/__init__.py")}
program
for python in $pythons; do environment "$python"; done
manifest
system_files
control
# One time for all files, that of the commit: the same commit gives the same package.
find "$root" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
mkdir -p dist
package=dist/table-controller_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
say "$package: $(du -h "$package" | cut -f1), sha256 $(sha256sum "$package" | cut -d' ' -f1)"
