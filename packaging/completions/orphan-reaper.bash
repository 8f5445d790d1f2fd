# bash completion for orphan-reaper

# All that the rules know, also those of the user's own files.
_orphan_reaper_families() {
    orphan-reaper rules show --format jsonl 2>/dev/null |
        sed -n 's/^{"family":"\([^"]*\)","pack":"\([^"]*\)".*/\1 \2/p'
}

_orphan_reaper() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} word command=""
    local everywhere="--home --family --user --all-users --min-age --reap --config --from-facts --facts --json --format
        --output -o --quiet -q --verbose -v --color --help -h --version"
    local past="--since --json --format --output -o --quiet -q --verbose -v --color --help -h"
    local cleaning="--clean --dry-run --no-history"
    local watching="--interval --events --census --report-only"
    local ending="--max-kills --settle --lock-wait --grace --grace-cap --no-history"
    COMPREPLY=()
    case $prev in
        --home) compopt -o dirnames; return ;;
        --config | --from-facts | --facts | --census | --output | -o) compopt -o default; return ;;
        --user) mapfile -t COMPREPLY < <(compgen -u -- "$cur"); return ;;
        --family) mapfile -t COMPREPLY < <(compgen -W "$(_orphan_reaper_families)" -- "$cur"); return ;;
        --format) mapfile -t COMPREPLY < <(compgen -W "text json jsonl prometheus html" -- "$cur"); return ;;
        --color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$cur"); return ;;
        --reap) mapfile -t COMPREPLY < <(compgen -W "abandoned duplicate held in-service" -- "$cur"); return ;;
        --min-age | --settle | --lock-wait | --timeout | --interval | --grace | --grace-cap | --idle | --since)
            mapfile -t COMPREPLY < <(compgen -W "500ms 30s 5m 2h" -- "$cur"); return ;;
        --events) mapfile -t COMPREPLY < <(compgen -W "auto pidfd connector scan" -- "$cur"); return ;;
        --max-kills) return ;;
        --parent) mapfile -t COMPREPLY < <(cd /proc && compgen -G "[1-9]*" | grep "^$cur"); return ;;
    esac
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        [[ $word == -- ]] && return  # another program's words
        case $word in report | sweep | preflight | run | watch | explain | rules | pidfiles | history | help) command=${command:-$word} ;; esac
    done
    case $command/$cur in
        sweep/*) mapfile -t COMPREPLY < <(compgen -W "--dry-run $everywhere $ending" -- "$cur") ;;
        preflight/*) mapfile -t COMPREPLY < <(compgen -W "-- --dry-run --timeout $everywhere $ending" -- "$cur") ;;
        run/*) mapfile -t COMPREPLY < <(compgen -W "-- --parent --idle --grace --grace-cap --verbose -v --help -h" -- "$cur") ;;
        watch/*) mapfile -t COMPREPLY < <(compgen -W "$everywhere $ending $watching" -- "$cur") ;;
        pidfiles/*) mapfile -t COMPREPLY < <(compgen -W "$everywhere $cleaning" -- "$cur") ;;
        history/*) mapfile -t COMPREPLY < <(compgen -W "$past" -- "$cur") ;;
        help/*) mapfile -t COMPREPLY < <(compgen -W "report sweep preflight run watch explain rules pidfiles history" -- "$cur") ;;
        */-*) mapfile -t COMPREPLY < <(compgen -W "$everywhere" -- "$cur") ;;
        /*) mapfile -t COMPREPLY < <(compgen -W "report sweep preflight run watch explain rules pidfiles history help $everywhere" -- "$cur") ;;
        rules/*)
            if [[ $prev == check ]]; then compopt -o default; return; fi
            mapfile -t COMPREPLY < <(compgen -W "show check" -- "$cur") ;;
        explain/*) mapfile -t COMPREPLY < <(cd /proc && compgen -G "[1-9]*" | grep "^$cur") ;;
    esac
}

complete -F _orphan_reaper orphan-reaper
