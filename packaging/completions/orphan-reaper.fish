# fish completion for orphan-reaper

set -l commands report sweep preflight run watch explain rules pidfiles history help

# All that the rules know, also those of the user's own files.
function __orphan_reaper_families
    orphan-reaper rules show --format jsonl 2>/dev/null |
        string replace -rf '^{"family":"([^"]*)","pack":"([^"]*)".*' '$1\n$2' | string split '\n' | sort -u
end

complete -c orphan-reaper -f
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a report -d "what leaked and why; changes nothing"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a sweep -d "end what leaked"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a preflight -d "sweep, remove stale files, say what is in the way of an update"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a run -d "start a helper that cannot outlive its host"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a watch -d "stay, and end what a host leaves behind as soon as it has died"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a explain -d "every fact and rule that decided"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a rules -d "the rules in effect, or what a file would change"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a pidfiles -d "pid and lock files and what they really name"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a history -d "what was done, and how much memory came back"
complete -c orphan-reaper -n "not __fish_seen_subcommand_from $commands" -a help -d "help about the program or a command"
complete -c orphan-reaper -n "__fish_seen_subcommand_from help" -a "report sweep preflight run watch explain rules pidfiles history"
complete -c orphan-reaper -n "__fish_seen_subcommand_from rules; and not __fish_seen_subcommand_from show check" -a "show check"
complete -c orphan-reaper -n "__fish_seen_subcommand_from check" -F
complete -c orphan-reaper -n "__fish_seen_subcommand_from explain" -a "(__fish_complete_pids)"

complete -c orphan-reaper -l home -x -a "(__fish_complete_directories)" -d "only helpers that serve this data home"
complete -c orphan-reaper -l family -x -a "(__orphan_reaper_families)" -d "only this family or pack of helpers"
complete -c orphan-reaper -l user -x -a "(__fish_complete_users)" -d "only processes of this user"
complete -c orphan-reaper -l all-users -d "processes of every user"
complete -c orphan-reaper -l min-age -x -d "leave younger processes alone"
complete -c orphan-reaper -l reap -x -a "abandoned duplicate held in-service" -d "also end these"
complete -c orphan-reaper -l config -r -F -d "rules that change or add to the built-in ones"
complete -c orphan-reaper -l from-facts -r -F -d "judge what --facts wrote"
complete -c orphan-reaper -l facts -r -F -d "write down everything that was found"
complete -c orphan-reaper -n "__fish_seen_subcommand_from pidfiles" -l clean -d "remove the files that are provably stale"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight pidfiles" -l dry-run -d "decide everything, do nothing"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight watch" -l max-kills -x -d "refuse to end more than this"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight watch" -l settle -x -d "time between the two looks"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight watch" -l lock-wait -x -d "how long to wait for another sweep"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight run watch" -l grace -x -d "time between TERM and KILL"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight run watch" -l grace-cap -x -d "longest grace while a database is written"
complete -c orphan-reaper -n "__fish_seen_subcommand_from sweep preflight watch pidfiles" -l no-history -d "keep no record of what was done"
complete -c orphan-reaper -n "__fish_seen_subcommand_from preflight" -l timeout -x -d "how long it may take"
complete -c orphan-reaper -n "__fish_seen_subcommand_from watch" -l interval -x -d "time between two looks at everything"
complete -c orphan-reaper -n "__fish_seen_subcommand_from watch" -l events -x -a "auto pidfd connector scan" -d "how it learns that a host died"
complete -c orphan-reaper -n "__fish_seen_subcommand_from watch" -l census -r -F -d "append how many helpers each host has"
complete -c orphan-reaper -n "__fish_seen_subcommand_from watch" -l report-only -d "say what would be ended, end nothing"
complete -c orphan-reaper -n "__fish_seen_subcommand_from run" -l parent -x -a "(__fish_complete_pids)" -d "the host that it ends with"
complete -c orphan-reaper -n "__fish_seen_subcommand_from run" -l idle -x -d "end it also after so long without traffic"
complete -c orphan-reaper -n "__fish_seen_subcommand_from history" -l since -x -d "only what was done in that time"
complete -c orphan-reaper -l json -d "the same as --format json"
complete -c orphan-reaper -l format -x -a "text json jsonl prometheus html" -d "form of the report"
complete -c orphan-reaper -s o -l output -r -F -d "write the report there"
complete -c orphan-reaper -s q -l quiet -d "one line when something is wrong"
complete -c orphan-reaper -s v -l verbose -d "every process with all of its evidence"
complete -c orphan-reaper -l color -x -a "auto always never" -d "when to use colour"
complete -c orphan-reaper -s h -l help -d "help"
complete -c orphan-reaper -l version -d "the version"
