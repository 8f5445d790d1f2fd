# shellcheck shell=bash
# Root folders of a fresh system, made with debootstrap from the mirror that apt here is set up
# with. Kept for the next time in $REAPER_ROOTS. Source it; needs root. Functions print why they
# failed on their last line. $REAPER_SUITE: of which release; without it the one that this machine
# runs.

REAPER_ROOTS=${REAPER_ROOTS:-/var/cache/orphan-reaper-check}

release_field() { sed -n "s/^$1=//p" /etc/os-release | tr -d '"'; }

own_suite() { release_field VERSION_CODENAME; }
suite() { printf '%s' "${REAPER_SUITE:-$(own_suite)}"; }

# The folder of a root: those of another release than this machine's have its name.
root_folder() {
    local name=$1
    [[ $(suite) == "$(own_suite)" ]] || name+=-$(suite)
    printf '%s/%s' "$REAPER_ROOTS" "$name"
}

# The mirror of this machine's release, whatever else apt knows: it has the other releases of the
# same maker, too.
own_mirror() {
    # shellcheck disable=SC2016  # apt's own variables
    apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$(own_suite)" '$2 == release { print $1; exit }'
}

# in_root ROOT COMMAND... : in namespaces of its own, with /proc, /dev and /sys; all of it ends with
# the command. The folder becomes the root of its mount namespace: the kernel makes no user
# namespace in a chroot. Of this machine are seen in there, as well: ${root_binds[@]},
# FOLDER PLACE...
root_binds=()
in_root() {
    local root=$1
    shift
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --pid --fork --kill-child=KILL --propagation private sh -c '
        root=$1 binds=$2; shift 2
        mount --rbind "$root" "$root" && mount -t proc proc "$root/proc" &&
            mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" || exit
        while [ "$binds" -gt 0 ]; do
            mkdir -p "$root$2" && mount --bind "$1" "$root$2" || exit
            shift 2; binds=$((binds - 2))
        done
        cd "$root" && pivot_root . . && umount --lazy . && cd / || exit
        exec env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
    ' sh "$root" "${#root_binds[@]}" "${root_binds[@]}" "$@"
}

# make_base FOLDER: a minimal system with git, which is what the README promises to start from.
make_base() {
    local mirror components=main
    mirror=$(own_mirror)
    [[ -n $mirror ]] || { echo "apt here knows no mirror of $(own_suite)"; return 1; }
    [[ $(release_field ID) != ubuntu ]] || components=main,universe
    debootstrap --variant=minbase --components="$components" --include=ca-certificates,git \
        "$(suite)" "$1" "$mirror" ||
        { echo "debootstrap could not make $1"; return 1; }
    # A proxy that apt needs here, it needs in there.
    apt-config dump | grep -E '^Acquire::https?::Proxy ' >"$1/etc/apt/apt.conf.d/90proxy"
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
}

# make_root FOLDER PACKAGE... : a copy of the base, with these packages.
make_root() {
    local made=$1
    shift
    make_kept base || return 1
    cp -a "$(root_folder base)" "$made" || return 1
    if ! in_root "$made" apt-get -q update ||
        ! in_root "$made" env DEBIAN_FRONTEND=noninteractive \
            apt-get -q install -y --no-install-recommends "$@"; then
        echo "apt-get could not install $* in $made"
        return 1
    fi
}

# make_kept NAME PACKAGE... : as fresh_root, for one at a time.
make_kept() {
    local status=0 made
    made=$(root_folder "$1")
    shift
    [[ ! -f $made.made || $(<"$made.made") != "$*" ]] || return 0
    rm -rf --one-file-system "$made" "$made.made"
    if [[ $# -eq 0 ]]; then make_base "$made"; else make_root "$made" "$@"; fi || status=1
    [[ $status -ne 0 ]] || printf '%s' "$*" >"$made.made"
    return "$status"
}

# fresh_root NAME PACKAGE... : makes the root NAME, a minimal system with these packages, unless it
# is there already. Waits while another check on this machine makes one.
fresh_root() {
    local status=0 lock
    mkdir -p "$REAPER_ROOTS" && exec {lock}>"$REAPER_ROOTS/.lock" && flock "$lock" || return 1
    make_kept "$@" || status=1
    exec {lock}>&-
    return "$status"
}
