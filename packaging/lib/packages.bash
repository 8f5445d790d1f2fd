# shellcheck shell=bash
# Debian and Ubuntu packages, installed only where they are missing. Source it; it defines functions
# and lists, and does nothing else. An entry "package=command" is also satisfied by a command of
# that name that came another way (node from its maker, say).

# shellcheck disable=SC2034  # read by the scripts that source this file
build_packages=(
    cmake ninja-build g++ pkgconf
    libproc2-dev libsystemd-dev libfmt-dev nlohmann-json3-dev libexpected-dev
)
# shellcheck disable=SC2034
demo_packages=(nodejs=node python3=python3 iproute2=ip util-linux=unshare)

# missing_packages ENTRY... : prints the packages that have to be installed, one a line.
missing_packages() {
    local entry package command
    for entry in "$@"; do
        package=${entry%%=*}
        command=${entry#"$package"}
        command=${command#=}
        if [[ -n $command ]] && command -v "$command" >/dev/null 2>&1; then
            continue
        fi
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            printf '%s\n' "$package"
    done
}

# Prints the prefix that makes apt-get work for us: nothing for root, "sudo"; fails when neither can
# be had.
apt_prefix() {
    if [[ $EUID -eq 0 ]]; then
        return 0
    fi
    command -v sudo >/dev/null 2>&1 || return 1
    if sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; then
        printf 'sudo'
        return 0
    fi
    return 1
}

# install_packages LOG ENTRY... : 0 when all of them are there now, 2 when a person has to install
# them, 1 when apt failed.
install_packages() {
    local log=$1 prefix
    shift
    local -a missing apt
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if ! command -v apt-get >/dev/null 2>&1; then
        printf 'These packages are needed, and there is no apt-get here. Debian names them:\n' >&2
        printf '  %s\n' "${missing[*]}" >&2
        return 2
    fi
    if ! prefix=$(apt_prefix); then
        printf 'These packages are needed. Install them, then run this again:\n' >&2
        printf '  apt-get update && apt-get install -y --no-install-recommends %s\n' \
            "${missing[*]}" >&2
        return 2
    fi
    printf 'installing %s\n' "${missing[*]}" >&2
    apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    if [[ -n $prefix ]]; then
        apt=("$prefix" "${apt[@]}")
    fi
    local -a install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
    # A list that is a little old is fine; one that no longer names what the mirror holds is not:
    # update only then.
    if ! "${install[@]}" >"$log" 2>&1 </dev/null; then
        { "${apt[@]}" update && "${install[@]}"; } >>"$log" 2>&1 </dev/null || {
            printf 'apt-get failed; the end of %s:\n' "$log" >&2
            tail -n 20 "$log" >&2
            return 1
        }
    fi
}
