# shellcheck shell=bash
# The steps of packaging/make-release, which sets root, output, scratch, version and commit, and of
# the owner's data: maintainer, repository, npm_scope, signing_key.
# shellcheck disable=SC2154

refuse() { printf 'packaging/make-release: %s\n' "$*" >&2; exit 2; }
say() { printf '%s\n' "$*" >&2; }

# A placeholder is no answer.
read_owner() {
    local name
    [[ -r $1 ]] || refuse "$1 cannot be read"
    # shellcheck source=packaging/owner.conf
    source "$1"
    for name in maintainer repository npm_scope signing_key; do
        [[ -n ${!name-} && ${!name} != '<'* ]] ||
            refuse "$1: $name is still to be filled in: ${!name-}"
    done
    [[ $maintainer =~ ^[^\<]+\ \<[^\>]+@[^\>]+\>$ ]] ||
        refuse "$1: maintainer: expected a name and an address in <>"
    [[ $repository == https://* ]] || refuse "$1: repository: expected https://..."
    [[ $npm_scope == @* ]] || refuse "$1: npm_scope: expected @NAME"
    [[ -r $signing_key ]] || refuse "$1: signing_key: $signing_key cannot be read"
}

# The one place of the version.
tree_version() {
    sed -n 's/^project(orphan-reaper VERSION \([^ ]*\).*/\1/p' "$root/CMakeLists.txt"
}

check_tree() {
    local known branch
    known=$(tree_version)
    [[ $1 == "$known" ]] || refuse "CMakeLists.txt has version $known, not $1"
    grep -q "^## \[$1\] - 20" "$root/packaging/CHANGELOG.md" ||
        refuse "packaging/CHANGELOG.md has no \"## [$1] - DATE\""
    [[ -z $(git -C "$root" status --porcelain) ]] || refuse 'there are changes without a commit'
    ! git -C "$root" rev-parse -q --verify "refs/tags/v$1" >/dev/null ||
        [[ $(git -C "$root" rev-parse "v$1^{commit}") == $(git -C "$root" rev-parse HEAD) ]] ||
        refuse "the tag v$1 is another commit"
    branch=$(git -C "$root" symbolic-ref -q --short HEAD || true)
    [[ $branch == main || -z $branch ]] || refuse "this is the branch $branch, not main"
}

need_tools() {
    local tool
    local -a tools=(cmake ninja gzip tar)
    [[ -n $1 && $1 != deb ]] || tools+=(dpkg-buildpackage dh lintian)
    [[ -n $1 && $1 != aarch64 ]] || tools+=(aarch64-linux-gnu-g++ qemu-aarch64-static)
    [[ -n $1 && $1 != rpm ]] || tools+=(cpack rpmbuild rpm)
    [[ -n $1 ]] || tools+=(npm minisign python3)
    for tool in "${tools[@]}"; do
        command -v "$tool" >/dev/null || refuse "$tool is needed. On Debian:
  apt-get install cmake ninja-build debhelper lintian rpm g++-aarch64-linux-gnu qemu-user-static \\
      binutils-aarch64-linux-gnu minisign npm python3"
    done
}

# pack NAME FOLDER...: NAME.tar.gz out of folders of $scratch/tree, the same bytes each time.
pack() {
    local name=$1
    shift
    tar --directory "$scratch/tree" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner --format=ustar --create "$@" | gzip -9n >"$output/$name.tar.gz"
}

# A copy of what is committed: what lies around in the tree is not built.
make_source() {
    say "source of $version, commit $commit"
    source_name=orphan-reaper-$version
    mkdir -p "$scratch/tree"
    git -C "$root" archive --prefix="$source_name/" HEAD | tar --extract --directory "$scratch/tree"
    pack "$source_name" "$source_name"
}

# configure FOLDER OPTION...: $scratch/FOLDER. Paths of this machine do not get into the program.
configure() {
    local folder=$scratch/$1
    shift
    (cd "$scratch/tree/$source_name" && CXXFLAGS="-ffile-prefix-map=$scratch=." cmake -S . \
        -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DREAPER_TESTS=OFF \
        -DREAPER_PRECOMPILE=ON -DREAPER_COMMIT="$commit" "$@" >"$folder.log")
    cmake --build "$folder" >>"$folder.log" || { tail -n 40 "$folder.log" >&2; return 1; }
}

# Looks at this machine, and has to know its own version and the same facts on every machine.
run_program() {
    local -a program=("$@")
    "${program[@]}" --version | grep -q "^orphan-reaper $version (commit $commit)" ||
        { say "${program[*]} --version says: $("${program[@]}" --version)"; return 1; }
    local status=0
    "${program[@]}" report --json --from-facts \
        "$scratch/tree/$source_name/tests/data/facts/machine.json" >"$scratch/report" ||
        status=$?
    [[ $status -eq 1 ]] || { say "${program[*]}: exit status $status, not 1"; return 1; }
}

fill() {
    sed -e "s|@VERSION@|$version|g" -e "s|@REPOSITORY@|$repository|g" \
        -e "s|@MAINTAINER@|$maintainer|g" -e "s|@SCOPE@|$npm_scope|g" "${@:2}" "$1"
}

make_deb() {
    local build=$scratch/deb/$source_name file
    say 'deb'
    mkdir -p "$scratch/deb"
    cp -a "$scratch/tree/$source_name" "$build"
    cp -a "$build/packaging/debian" "$build/debian"
    mkdir -p "$build/debian/source"
    echo '3.0 (native)' >"$build/debian/source/format"
    sed 's/^/ /' "$build/packaging/description.txt" >"$scratch/description"
    fill "$build/debian/control.in" -e "/@DESCRIPTION@/{r $scratch/description" -e 'd}' \
        >"$build/debian/control"
    rm "$build/debian/control.in"
    printf 'orphan-reaper (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$build/debian/changelog"
    (cd "$build" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) \
        >"$scratch/deb.log" 2>&1 || { tail -n 40 "$scratch/deb.log" >&2; return 1; }
    file=$(find "$scratch/deb" -maxdepth 1 -name 'orphan-reaper_*.deb')
    lintian --allow-root --fail-on error,warning "$file" >&2
    dpkg-deb --extract "$file" "$scratch/deb/installed"
    run_program "$scratch/deb/installed/usr/bin/orphan-reaper"
    mv "$scratch"/deb/*.deb "$output"
}

make_static() {
    local machine=$1 name=orphan-reaper-$version-$1-linux objcopy=objcopy program
    local -a run=()
    say "static, $machine"
    # All files as one: without what they have twice it is a tenth smaller.
    configure "$machine" -DREAPER_STATIC=ON -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
        -DCMAKE_INSTALL_PREFIX=/usr/local "${@:2}"
    if [[ $machine != "$(uname -m)" ]]; then
        objcopy=$machine-linux-gnu-objcopy run=("qemu-$machine-static")
    fi
    mkdir -p "$scratch/symbols"
    program=$scratch/$machine/agent/orphan-reaper
    "$objcopy" --only-keep-debug "$program" "$scratch/symbols/orphan-reaper-$machine.debug"
    "$objcopy" --strip-all "$program"
    [[ $(stat -c %s "$program") -le 4194304 ]] || { say 'larger than 4 MB'; return 1; }
    run_program "${run[@]}" "$program"
    DESTDIR=$scratch/$machine-root cmake --install "$scratch/$machine" >>"$scratch/$machine.log"
    mv "$scratch/$machine-root/usr/local" "$scratch/tree/$name"
    cp "$scratch/tree/$source_name/packaging/container/Containerfile" "$scratch/tree/$name"
    pack "$name" "$name"
    cp -a "$scratch/symbols" "$scratch/tree/"
    pack "$name-symbols" "symbols/orphan-reaper-$machine.debug"
}

make_rpm() {
    say 'rpm and tgz'
    configure rpm -DREAPER_BUNDLE=ON -DCMAKE_INSTALL_PREFIX=/usr -DREAPER_MAINTAINER="$maintainer"
    run_program "$scratch/rpm/agent/orphan-reaper"
    (cd "$scratch/rpm" && cpack -G 'TGZ;RPM' >>"$scratch/rpm.log" 2>&1) ||
        { tail -n 40 "$scratch/rpm.log" >&2; return 1; }
    rpm --checksig --nosignature "$scratch"/rpm/*.rpm >&2
    mv "$scratch"/rpm/*.rpm "$scratch"/rpm/*.tar.gz "$output"
}

# pack_npm FOLDER
pack_npm() { (cd "$output" && npm pack --silent "$1" >/dev/null); }

make_npm() {
    local machine cpu folder
    say 'npm'
    for machine in x86_64 aarch64; do
        cpu=x64
        [[ $machine == x86_64 ]] || cpu=arm64
        folder=$scratch/npm/$cpu
        mkdir -p "$folder/bin"
        cp "$scratch/tree/orphan-reaper-$version-$machine-linux/bin/orphan-reaper" "$folder/bin/"
        fill "$root/packaging/npm/platform.json.in" -e "s|@CPU@|$cpu|g" >"$folder/package.json"
        pack_npm "$folder"
    done
    folder=$scratch/npm/main
    mkdir -p "$folder/bin"
    fill "$root/packaging/npm/launcher.js" >"$folder/bin/orphan-reaper.js"
    chmod +x "$folder/bin/orphan-reaper.js"
    fill "$root/packaging/npm/package.json.in" >"$folder/package.json"
    cp "$root/README.md" "$folder/"
    pack_npm "$folder"
}

make_formula() {
    local sum
    sum=$(sha256sum "$output/$source_name.tar.gz")
    fill "$root/packaging/homebrew/orphan-reaper.rb.in" -e "s|@SHA256@|${sum%% *}|g" \
        >"$output/orphan-reaper.rb"
}

make_materials() {
    python3 "$root/packaging/lib/materials.py" "$version" "$commit" >"$output/bom.cdx.json"
}

sign() {
    (cd "$output" && rm -f SHA256SUMS SHA256SUMS.minisig && sha256sum -- * >SHA256SUMS)
    minisign -S -s "$signing_key" -m "$output/SHA256SUMS" \
        -t "orphan-reaper $version, commit $commit" >/dev/null
}
