// The form of the facts as data: every field has its name here once, for the writer and the reader.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "scanner/model/record.hpp"

namespace reaper::scanner::json {

template <class Record, class T>
struct Field {
    std::string_view name;
    T Record::* member;
    bool optional = false;  // written only if it says something; older files do not have it
};
template <class Record, class T>
Field(const char*, T Record::*) -> Field<Record, T>;
template <class Record, class T>
Field(const char*, T Record::*, bool) -> Field<Record, T>;

template <class Record>
struct FieldsOf;

// The names of an enumeration, in its order.
template <class Enum>
struct NamesOf;

template <class T>
concept IsRecord = requires { FieldsOf<T>::kList; };

template <>
struct NamesOf<Access> {
    static constexpr std::array<std::string_view, 5> kList = {"not_read", "ok", "denied", "gone",
                                                              "malformed"};
};

template <>
struct NamesOf<EndKind> {
    static constexpr std::array<std::string_view, 8> kList = {
        "closed", "pipe", "socket", "fifo", "null_device", "terminal", "file", "other"};
};

template <>
struct NamesOf<PeerState> {
    static constexpr std::array<std::string_view, 3> kList = {"alive", "dead", "unknown"};
};

template <>
struct NamesOf<FirstParent> {
    static constexpr std::array<std::string_view, 6> kList = {
        "not_told", "dead", "alive", "launchd", "orphan_that_executed", "launchd_or_orphan"};
};

template <>
struct NamesOf<ClaimKind> {
    static constexpr std::array<std::string_view, 19> kList = {
        "bridge_pid",    "bridge_stdio_pid",      "gateway_pid",       "desktop_lock",
        "ledger",        "update_marker",         "headless_registry", "process_registry",
        "browser_owner", "compute_host_registry", "meet_bot_record",   "proxy_pid",
        "gateway_lock",  "gateway_scope_lock",    "viewer_lock",       "whatsapp_bridge_pid",
        "openclaw_lock", "host_record",           "host_lock"};
};

template <>
struct FieldsOf<Identity> {
    static constexpr std::tuple kList = {Field{"boot_id", &Identity::boot_id},
                                         Field{"pid_namespace", &Identity::pid_namespace},
                                         Field{"pid", &Identity::pid},
                                         Field{"start_ticks", &Identity::start_ticks},
                                         Field{"pidfs_inode", &Identity::pidfs_inode},
                                         Field{"exec_version", &Identity::exec_version, true}};
};

template <>
struct FieldsOf<Uids> {
    static constexpr std::tuple kList = {
        Field{"real", &Uids::real}, Field{"effective", &Uids::effective},
        Field{"saved", &Uids::saved}, Field{"filesystem", &Uids::filesystem}};
};

template <>
struct FieldsOf<CommandLine> {
    static constexpr std::tuple kList = {Field{"argv", &CommandLine::argv},
                                         Field{"truncated", &CommandLine::truncated}};
};

template <>
struct FieldsOf<StdioEnd> {
    static constexpr std::tuple kList = {
        Field{"kind", &StdioEnd::kind}, Field{"peer", &StdioEnd::peer},
        Field{"inode", &StdioEnd::inode}, Field{"holders", &StdioEnd::holders}};
};

template <>
struct FieldsOf<Listener> {
    static constexpr std::tuple kList = {
        Field{"transport", &Listener::transport}, Field{"address", &Listener::address},
        Field{"port", &Listener::port}, Field{"owner", &Listener::owner, true},
        Field{"clients", &Listener::clients, true}};
};

template <>
struct FieldsOf<ServiceUnit> {
    static constexpr std::tuple kList = {
        Field{"name", &ServiceUnit::name}, Field{"of_user_manager", &ServiceUnit::of_user_manager},
        Field{"main_pid", &ServiceUnit::main_pid}, Field{"asked", &ServiceUnit::asked},
        Field{"control_pid", &ServiceUnit::control_pid, true}};
};

template <>
struct FieldsOf<ProcessRow> {
    static constexpr std::tuple kList = {Field{"pid", &ProcessRow::pid},
                                         Field{"ppid", &ProcessRow::ppid},
                                         Field{"pgrp", &ProcessRow::pgrp},
                                         Field{"session", &ProcessRow::session},
                                         Field{"tty", &ProcessRow::tty},
                                         Field{"state", &ProcessRow::state},
                                         Field{"threads", &ProcessRow::threads},
                                         Field{"kernel_thread", &ProcessRow::kernel_thread},
                                         Field{"forked", &ProcessRow::forked, true},
                                         Field{"start_ticks", &ProcessRow::start_ticks},
                                         Field{"uid", &ProcessRow::uid},
                                         Field{"comm", &ProcessRow::comm},
                                         Field{"exe", &ProcessRow::exe},
                                         Field{"command_line", &ProcessRow::command_line},
                                         Field{"cgroup", &ProcessRow::cgroup}};
};

template <>
struct FieldsOf<Lease> {
    static constexpr std::tuple kList = {Field{"install", &Lease::install},
                                         Field{"generation", &Lease::generation},
                                         Field{"selected", &Lease::selected}};
};

template <>
struct FieldsOf<ProcessFacts> {
    using P = ProcessFacts;
    static constexpr std::tuple kList = {Field{"identity", &P::identity},
                                         Field{"row", &P::row},
                                         Field{"uids", &P::uids},
                                         Field{"namespace_pids", &P::namespace_pids},
                                         Field{"same_pid_namespace", &P::same_pid_namespace},
                                         Field{"same_root", &P::same_root},
                                         Field{"same_home", &P::same_home},
                                         Field{"hidden_records", &P::hidden_records},
                                         Field{"tracer", &P::tracer},
                                         Field{"cwd", &P::cwd},
                                         Field{"cwd_deleted", &P::cwd_deleted, true},
                                         Field{"environment", &P::environment},
                                         Field{"script", &P::script},
                                         Field{"package", &P::package},
                                         Field{"standard_input", &P::standard_input},
                                         Field{"standard_output", &P::standard_output},
                                         Field{"listeners", &P::listeners},
                                         Field{"sockets", &P::sockets, true},
                                         Field{"frozen", &P::frozen, true},
                                         Field{"unit", &P::unit},
                                         Field{"held_locks", &P::held_locks},
                                         Field{"deleted_databases", &P::deleted_databases},
                                         Field{"leases", &P::leases, true},
                                         Field{"rss_bytes", &P::rss_bytes},
                                         Field{"swap_bytes", &P::swap_bytes, true},
                                         Field{"user", &P::user},
                                         Field{"tty_name", &P::tty_name},
                                         Field{"cpu_seconds", &P::cpu_seconds},
                                         Field{"exe_deleted", &P::exe_deleted},
                                         Field{"first_parent", &P::first_parent, true},
                                         Field{"coalition", &P::coalition, true}};
};

template <>
struct FieldsOf<Machine> {
    using M = Machine;
    static constexpr std::tuple kList = {Field{"name", &M::name},
                                         Field{"os", &M::os},
                                         Field{"kernel", &M::kernel},
                                         Field{"boot_id", &M::boot_id},
                                         Field{"pid_namespace", &M::pid_namespace},
                                         Field{"self", &M::self},
                                         Field{"uid", &M::uid},
                                         Field{"own_ancestors", &M::own_ancestors},
                                         Field{"knows_ancestors", &M::knows_ancestors},
                                         Field{"ticks_per_second", &M::ticks_per_second},
                                         Field{"now_ticks", &M::now_ticks},
                                         Field{"now_epoch", &M::now_epoch},
                                         Field{"hides_processes", &M::hides_processes},
                                         Field{"has_handles", &M::has_handles}};
};

template <>
struct FieldsOf<ScanCount> {
    static constexpr std::tuple kList = {
        Field{"seen", &ScanCount::seen}, Field{"vanished", &ScanCount::vanished},
        Field{"denied", &ScanCount::denied}, Field{"foreign", &ScanCount::foreign}};
};

template <>
struct FieldsOf<Claim> {
    using C = Claim;
    static constexpr std::tuple kList = {Field{"kind", &C::kind},
                                         Field{"path", &C::path},
                                         Field{"home", &C::home},
                                         Field{"scope", &C::scope},
                                         Field{"owner", &C::owner},
                                         Field{"access", &C::access},
                                         Field{"pid", &C::pid},
                                         Field{"start_ticks", &C::start_ticks},
                                         Field{"start_epoch", &C::start_epoch},
                                         Field{"written_epoch", &C::written_epoch},
                                         Field{"named", &C::named},
                                         Field{"spawner", &C::spawner},
                                         Field{"spawner_start_epoch", &C::spawner_start_epoch},
                                         Field{"spawner_start_ticks", &C::spawner_start_ticks},
                                         Field{"spawner_row", &C::spawner_row}};
};

template <>
struct FieldsOf<ClaimMark> {
    using M = ClaimMark;
    static constexpr std::tuple kList = {Field{"path", &M::path},
                                         Field{"scope", &M::scope},
                                         Field{"device", &M::device},
                                         Field{"inode", &M::inode},
                                         Field{"size", &M::size},
                                         Field{"changed_s", &M::changed_s},
                                         Field{"changed_ns", &M::changed_ns},
                                         Field{"settled", &M::settled}};
};

template <>
struct FieldsOf<Protection> {
    using P = Protection;
    static constexpr std::tuple kList = {Field{"uid", &P::uid}, Field{"origin", &P::origin},
                                         Field{"exe", &P::exe}, Field{"arguments", &P::arguments},
                                         Field{"home", &P::home}};
};

template <>
struct FieldsOf<UserWithUnreadableRules> {
    static constexpr std::tuple kList = {Field{"uid", &UserWithUnreadableRules::uid},
                                         Field{"why", &UserWithUnreadableRules::why}};
};

template <>
struct FieldsOf<Keepalive> {
    using K = Keepalive;
    static constexpr std::tuple kList = {Field{"uid", &K::uid},
                                         Field{"family", &K::family},
                                         Field{"home", &K::home},
                                         Field{"host", &K::host},
                                         Field{"host_start_ticks", &K::host_start_ticks},
                                         Field{"host_command", &K::host_command},
                                         Field{"ends", &K::ends},
                                         Field{"last_ticks", &K::last_ticks}};
};

template <>
struct FieldsOf<Record> {
    static constexpr std::tuple kList = {
        Field{"machine", &Facts::machine},
        Field{"scope_uids", &Facts::scope_uids},
        Field{"count", &Facts::count},
        Field{"candidates", &Facts::candidates},
        Field{"relatives", &Facts::relatives},
        Field{"unread", &Facts::unread},
        Field{"wrappers", &Facts::wrappers, true},
        Field{"plain_wrappers", &Facts::plain_wrappers, true},
        Field{"claims", &Facts::claims},
        Field{"claim_marks", &Facts::claim_marks, true},
        Field{"real_paths", &Facts::real_paths},
        Field{"protections", &Background::protections, true},
        Field{"untold", &Background::users_with_unreadable_rules, true},
        Field{"descendants", &Facts::descendants, true},
        Field{"unseen_below", &Facts::unseen_below, true},
        Field{"unanswered", &Facts::unanswered, true},
        Field{"keepalives", &Background::keepalives, true}};
};

}  // namespace reaper::scanner::json
