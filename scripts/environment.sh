# The project's Python environment, .venv in the checkout. Sourced by the other scripts;
# POSIX sh, needs nothing but a Python with venv and a package index.
#
# An environment is ready when it holds a stamp for the lock in question: a copy of all
# that decides its contents. `.venv/incomplete` marks one that is being made, with the
# process that makes it, so that an interrupted set-up is started over.

unset PYTHONHOME PYTHONPATH

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
venv=$root/.venv

note() {
    printf '%s\n' "$*" >&2
}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# prepare LOCK...: install what the first lock pins, and gaia itself, unless that is done.
# The further locks are those that the first one includes.
prepare() {
    if is_ready "$1"; then
        return
    fi
    if ! is_usable; then
        make_venv
    fi
    printf '%s\n' "$$" >"$venv/incomplete"
    install_lock "$1"
    install_gaia
    for lock in "$@"; do
        stamp "$lock" >"$venv/stamp-$lock"
    done
    rm -f "$venv/incomplete"
}

stamp() {
    printf '%s\n' "$venv"
    cat "$root/pyproject.toml" "$root/$1"
}

is_ready() {
    [ -f "$venv/stamp-$1" ] && [ ! -e "$venv/incomplete" ] &&
        stamp "$1" | cmp -s - "$venv/stamp-$1" &&
        [ -x "$venv/bin/gaia" ] && "$venv/bin/python" -c '' 2>/dev/null
}

# Whether packages can be installed into the environment as it stands.
is_usable() {
    if [ -e "$venv/incomplete" ]; then
        maker=$(cat "$venv/incomplete")
        if [ -n "$maker" ] && [ "$maker" != "$$" ] && kill -0 "$maker" 2>/dev/null; then
            fail "Another set-up of $venv is running (process $maker): wait for it," \
                "or remove that folder if there is none."
        fi
        note 'An earlier set-up was interrupted; starting over.'
        return 1
    fi
    is_suitable "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1 &&
        [ -f "$venv/bin/activate" ] && grep -qF -- "$venv" "$venv/bin/activate"
}

make_venv() {
    python=$(find_python)
    note "Making an environment in $venv with $("$python" --version 2>&1) ..."
    rm -rf -- "$venv"
    mkdir -- "$venv"
    printf '%s\n' "$$" >"$venv/incomplete"
    "$python" -m venv "$venv" >&2 || fail "$python could not make an environment in $venv."
}

# The path of a Python that is new enough and can make environments.
# GAIA_PYTHON names one; else the usual names are tried.
find_python() {
    lacks_venv=
    for name in ${GAIA_PYTHON:+"$GAIA_PYTHON"} python3.13 python3.12 python3.11 python3 \
        python3.14 python; do
        python=$(command -v "$name" 2>/dev/null) || continue
        is_suitable "$python" || continue
        if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
            printf '%s\n' "$python"
            return
        fi
        lacks_venv=$python
    done
    if [ -n "$lacks_venv" ]; then
        fail "$lacks_venv cannot make environments: its venv module is missing." \
            'Install it (Debian and Ubuntu: apt install python3-venv), then run this again.'
    fi
    fail 'gaia needs Python 3.11 or newer, and none was found.' \
        'Install one from your system or from https://www.python.org/downloads/,' \
        'or name it: GAIA_PYTHON=/path/to/python3 scripts/start'
}

is_suitable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

run_pip() {
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore PIP_USER=0 \
        "$venv/bin/python" -m pip "$@" </dev/null
}

install_lock() {
    total=$(grep -c '^[A-Za-z0-9].*==' "$root/$1")
    note "Installing about $total packages from $1. The first time takes a few minutes."
    {
        if run_pip install --progress-bar off --require-hashes -r "$root/$1" 2>&1; then
            echo 'gaia: installed'
        else
            echo 'gaia: failed'
        fi
    } | tee "$venv/install.log" | show_progress "$total"
    if ! tail -n 1 "$venv/install.log" | grep -qx 'gaia: installed'; then
        rm -f "$venv/incomplete"
        grep -v '^gaia: failed$' "$venv/install.log" | tail -n 15 >&2
        fail "The packages could not be installed; all that pip said is in $venv/install.log." \
            'Check that a package index can be reached, then run this again.'
    fi
}

# Count pip's lines. A terminal gets one line that is drawn again, anything else one a phase.
show_progress() {
    count=0
    while IFS= read -r line; do
        case $line in
        Collecting\ * | 'Requirement already satisfied'*)
            count=$((count + 1))
            if [ -t 2 ]; then printf '\r  looked up %s of %s ' "$count" "$1" >&2; fi
            ;;
        'Installing collected packages'*)
            if [ -t 2 ]; then printf '\r\033[K' >&2; fi
            note '  all downloaded; installing'
            ;;
        esac
    done
}

# pip compiles packages, but not what stays in the checkout. Who may not write there later,
# as a service, would compile all of gaia at each start.
install_gaia() {
    run_pip install --quiet --no-deps --no-build-isolation --editable "$root" >&2 ||
        fail "gaia could not be installed from $root into $venv."
    "$venv/bin/python" -m compileall -q "$root/gaia" "$root/channels" >&2 ||
        note "gaia could not be compiled in $root: it starts the slower for it."
}
