# shellcheck shell=bash
# Root folders of a fresh system of the release that this machine runs, made with debootstrap from the mirror that apt here is set up
# with. Kept for the next time in $REAPER_ROOTS. Source it; needs root. Functions print why they failed on their last line.

REAPER_ROOTS=${REAPER_ROOTS:-/var/cache/orphan-reaper-check}

release_field() { sed -n "s/^$1=//p" /etc/os-release | tr -d '"'; }

# The mirror of this release itself, whatever else apt knows.
own_mirror() {
    # shellcheck disable=SC2016  # apt's own variables
    apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$(release_field VERSION_CODENAME)" '$2 == release { print $1; exit }'
}

# in_root ROOT COMMAND... : chroot in namespaces of its own, with /proc, /dev and /sys; all of it ends with the command. The folder is
# mounted onto itself: unshare(1) wants "/" to be a mount.
in_root() {
    local root=$1
    shift
    # shellcheck disable=SC2016  # for the inner shell
    unshare --mount --pid --fork --kill-child=KILL --propagation private sh -c '
        root=$1; shift
        mount --rbind "$root" "$root" && mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --rbind /dev "$root/dev" &&
            exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
    ' sh "$root" "$@"
}

# make_base FOLDER: a minimal system with git, which is what the README promises to start from.
make_base() {
    local mirror components=main
    mirror=$(own_mirror)
    [[ -n $mirror ]] || { echo "apt here knows no mirror of $(release_field VERSION_CODENAME)"; return 1; }
    [[ $(release_field ID) != ubuntu ]] || components=main,universe
    debootstrap --variant=minbase --components="$components" --include=ca-certificates,git \
        "$(release_field VERSION_CODENAME)" "$1" "$mirror" || { echo "debootstrap could not make $1"; return 1; }
    # A proxy that apt needs here, it needs in there.
    apt-config dump | grep -E '^Acquire::https?::Proxy ' >"$1/etc/apt/apt.conf.d/90proxy"
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
}

# make_root FOLDER PACKAGE... : a copy of the base, with these packages.
make_root() {
    local made=$1
    shift
    fresh_root base || return 1
    cp -a "$REAPER_ROOTS/base" "$made" || return 1
    if ! in_root "$made" apt-get -q update ||
        ! in_root "$made" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "$@"; then
        echo "apt-get could not install $* in $made"
        return 1
    fi
}

# fresh_root NAME PACKAGE... : makes $REAPER_ROOTS/NAME, a minimal system with these packages, unless it is there already.
fresh_root() {
    local name=$1 status=0
    shift
    local made=$REAPER_ROOTS/$name
    [[ ! -f $made.made || $(<"$made.made") != "$*" ]] || return 0
    mkdir -p "$REAPER_ROOTS"
    rm -rf --one-file-system "$made" "$made.made"
    if [[ $# -eq 0 ]]; then make_base "$made"; else make_root "$made" "$@"; fi || status=1
    [[ $status -ne 0 ]] || printf '%s' "$*" >"$made.made"
    return "$status"
}
