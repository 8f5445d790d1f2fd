# shellcheck shell=bash
# Boots a root folder by systemd-nspawn, with what scenes need of this tree. Source it after
# packaging/lib/debian_root.bash. What is told to `skip` cannot be done here: exit status 125.
# shellcheck disable=SC2154  # root: this tree

skip() { printf 'skipped: %s\n' "$*"; exit 125; }

can_boot() {
    local tool
    [[ $EUID -eq 0 ]] || skip 'booting a container needs root'
    for tool in systemd-nspawn debootstrap; do
        command -v "$tool" >/dev/null || skip "booting a container needs $tool"
    done
}

# Where no systemd runs, nspawn makes its cgroups at the very top of the hierarchy: they get a place
# of their own.
own_unit=() cgroups=()
if [[ ! -d /run/systemd/system ]]; then
    own_unit=(--keep-unit)
    for hierarchy in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
        [[ ! -f $hierarchy/cgroup.procs ]] || cgroups+=("$hierarchy/orphan-reaper-test.$$")
    done
fi

enter_cgroup() {
    local group
    for group in "${cgroups[@]}"; do
        mkdir -p "$group"
        echo "$BASHPID" >"$group/cgroup.procs"
    done
}

# What was booted may still be on its way down.
free_cgroups() {
    local group tries
    for group in "${cgroups[@]}"; do
        for ((tries = 0; tries < 150; tries++)); do
            [[ -d $group ]] || break
            find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
        done
    done
}

# boot SECONDS ARGUMENT... : boots it, for so long at most, and not longer than this script lives.
# In a subshell: it enters a cgroup, and is replaced. Whatever ends nspawn or this script ends what
# was booted: a pid namespace around it goes with them.
boot() {
    local seconds=$1
    shift
    enter_cgroup
    exec setpriv --pdeathsig KILL unshare --pid --fork --kill-child=KILL --mount-proc \
        timeout --kill-after=10 "$seconds" systemd-nspawn --quiet --boot \
        --machine="reaper-test-$$" --register=no "${own_unit[@]}" --private-network --console=pipe \
        --bind-ro="$root/packaging/demo:/demo" --bind-ro="$root/tests/system/booted:/booted" \
        --bind-ro="$root/tests/programs:/programs" "$@"
}
