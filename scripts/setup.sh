#!/bin/sh
# setup.sh UV VENV [PYTHON]: an environment that is the lock, and the project in it.
# Without PYTHON: the version of .python-version, or else whatever is >= 3.12.
set -eu
uv=$1 venv=$2 python=${3:-}

# A pyenv shim only answers for the versions that pyenv has switched on; show uv the others.
for bin in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3*/bin; do
    if [ -d "$bin" ]; then PATH=$bin:$PATH; fi
done

# What uv says of its searches and downloads is of use to few: it goes to a file.
mkdir -p .tools
log=.tools/python.log
: >"$log"
# rm, because `uv venv` replaces only when told to and older versions do not know the option.
make_venv() { rm -rf "$venv" && "$uv" venv --no-project --python "$1" "$venv" 2>>"$log"; }
give_up() {
    echo "No Python ${python:-3.12, 3.13 or 3.14} is installed, and none can be downloaded ($log):" \
        "install python${python:-3.13}, then run make again." >&2
    exit 1
}

want=${python:-$(cat .python-version)}
have=$("$venv/bin/python" -c 'import platform; print(platform.python_version())' 2>/dev/null || :)
case $have in
    "$want".*) ;; # there already
    *) make_venv "$want" || { [ -z "$python" ] && make_venv '>=3.12'; } || give_up ;;
esac

# Wheels only: nobody needs a compiler.
"$uv" pip sync --python "$venv" --require-hashes --no-build requirements.lock
"$uv" pip install --python "$venv" --no-deps --no-build-isolation --editable .
touch "$venv/.benchinfer-lock"
