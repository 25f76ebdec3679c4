#!/bin/sh
# uv into .tools/bin, with nothing but python3.
set -eu
tools=$PWD/.tools
# From the root folder: in the clone .python-version would speak to pyenv, which may not have it.
cd /
rm -rf "$tools"
if python3 -m venv "$tools" 2>/dev/null; then
    "$tools/bin/pip" install --quiet uv
else # Debian's python3 without python3-venv
    rm -rf "$tools"
    python3 -m pip install --quiet --target "$tools" uv
fi
