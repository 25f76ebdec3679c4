#!/bin/sh
# uv into .tools/bin, with nothing but python3.
set -eu
tools=$PWD/.tools

if ! command -v python3 >/dev/null; then
    echo "python3 (3.9 or later) is not installed: install it, then run make again." >&2
    exit 1
fi
# From the root folder: in the clone .python-version would speak to pyenv, which may not have it.
cd /
rm -rf "$tools"
if python3 -m venv "$tools" 2>/dev/null; then
    pip=$tools/bin/pip target=
else # Debian's python3 without python3-venv
    rm -rf "$tools"
    pip="python3 -m pip" target="--target $tools"
fi
mkdir -p "$tools"
# shellcheck disable=SC2086 # words
$pip install --quiet $target uv 2>"$tools/uv.log" || {
    echo "uv could not be installed (.tools/uv.log): install uv, or make pip reach its package index." >&2
    exit 1
}
