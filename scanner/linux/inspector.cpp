#include "scanner/inspector.hpp"

#include "scanner/access_guard.hpp"
#include "scanner/directory.hpp"
#include "scanner/linux/descriptors.hpp"
#include "scanner/linux/leases.hpp"
#include "scanner/linux/own_folders.hpp"
#include "scanner/linux/package_name.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/linux/sock_diag.hpp"
#include "scanner/linux/stdio_probe.hpp"
#include "scanner/parse/proc_cgroup.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

// State that is shared by all processes of one look.
struct Inspector::State {
    const ProcessTable& table;
    InspectionObserver* witness;
    std::string boot_id{};
    Reading<std::uint64_t> own_pid_namespace{};
    Reading<std::uint64_t> own_network{};
    Reading<std::vector<DiagSocket>> listening{};  // not_read until it is needed
    DescriptorBudget descriptors{};

    void reached(Pid pid, InspectionPoint point) const {
        if (witness != nullptr) witness->reached(pid, point);
    }
    void take_evidence(int process, const InspectionRequest& request, ProcessFacts& facts);
};

namespace {

Reading<std::uint64_t> read_namespace(int process, const char* path) {
    const auto inode = namespace_at(process, path);
    if (!inode) return Reading<std::uint64_t>::failed(access_of_failure(inode.error()));
    return Reading<std::uint64_t>::of(*inode);
}

// Empty: not known, which compares as unknown.
std::string read_boot_id(const ProcessTable& table) {
    constexpr std::size_t kLength = 36;
    const auto text = read_at(fd_of(table), "sys/kernel/random/boot_id", kLength + 1);
    return text && text->bytes.size() >= kLength ? text->bytes.substr(0, kLength) : std::string();
}

// False: its main thread has ended, so /proc/PID/fd is empty although the other threads have open
// files. "Nothing is open" would be wrong.
bool shows_descriptors(const ProcessRow& row) {
    return row.state != 'Z' && row.state != 'X';
}

bool same_process_and_program(const ProcessRow& left, const ProcessRow& right) {
    return left.pid == right.pid && left.start_ticks == right.start_ticks &&
           left.exe == right.exe && left.command_line == right.command_line;
}

// If the handle says that the process is alive, its absence from /proc means hidepid.
tl::unexpected<Error> row_failure(const PidHandle& handle, Error error) {
    if (access_of(error.code) == Access::gone) {
        const auto why =
            handle.exited() ? std::errc::no_such_process : std::errc::permission_denied;
        error.code = std::make_error_code(why);
    }
    return tl::unexpected(std::move(error));
}

void take_status(int process, ProcessFacts& facts) {
    const auto status = read_status(process);
    if (!status) {
        const Access why = access_of_failure(status.error());
        facts.uids.access = facts.namespace_pids.access = facts.tracer.access = why;
        return;
    }
    facts.uids = Reading<Uids>::of(status->uids);
    facts.namespace_pids = Reading<std::vector<Pid>>::of(status->namespace_pids);
    facts.tracer = Reading<Pid>::of(status->tracer);
    facts.swap_bytes = status->swap_bytes;
}

void take_namespace(int process, const Reading<std::uint64_t>& own, ProcessFacts& facts) {
    const auto theirs = read_namespace(process, "ns/pid");
    facts.identity.pid_namespace = theirs.value;
    const Reading<std::uint64_t>& failed = theirs.ok() ? own : theirs;
    facts.same_pid_namespace = theirs.ok() && own.ok()
                                   ? Reading<bool>::of(theirs.value == own.value)
                                   : Reading<bool>::failed(failed.access);
}

// Tells whether a cgroup v2 has frozen the process: it is held on the way to a signal handler
// (kernel/signal.c, do_freezer_trap, possibly inlined into get_signal), while its state says
// sleeping. A stopped process waits there, too. A cgroup v1 shows as state D.
bool is_frozen(int process) {
    constexpr std::size_t kLongest = 256;
    const auto text = read_at(process, "wchan", kLongest);
    return text && (text->bytes == "do_freezer_trap" || text->bytes == "get_signal");
}

void take_stdio(int process, bool same_network, ProcessFacts& facts) {
    if (!shows_descriptors(facts.row)) {
        facts.standard_input.access = facts.standard_output.access = Access::denied;
        return;
    }
    const Uid user = facts.row.uid;
    facts.standard_input = probe_stdio(process, user, StandardStream::input, same_network);
    facts.standard_output = probe_stdio(process, user, StandardStream::output, same_network);
}

const Reading<std::vector<DiagSocket>>& listening_sockets(Reading<std::vector<DiagSocket>>& known) {
    if (known.access != Access::not_read) return known;
    auto sockets = list_listening_sockets();
    // Never "gone": a kernel that cannot answer has not said that there are none.
    known = sockets ? Reading<std::vector<DiagSocket>>::of(std::move(*sockets))
                    : Reading<std::vector<DiagSocket>>::failed(Access::denied);
    return known;
}

void take_open_files(int process, const Reading<std::vector<DiagSocket>>& listening,
                     const DescriptorAccount& account, ProcessFacts& facts) {
    using Found = Reading<std::vector<Listener>>;
    facts.listeners = Found::failed(listening.access);
    if (!listening.ok()) return;
    auto found = open_files_of(process, listening.value, account);
    if (found) facts.deleted_databases = std::move(found->deleted_databases);
    if (found) facts.sockets = std::move(found->sockets);
    facts.listeners = found ? Found::of(std::move(found->listeners))
                            : Found::failed(access_of_failure(found.error()));
}

// `listening` is null if the sockets of the process cannot be seen from here.
void take_descriptors(int process, const Reading<std::vector<DiagSocket>>* listening,
                      DescriptorBudget& budget, ProcessFacts& facts) {
    facts.listeners.access = facts.held_locks.access = Access::denied;
    if (!shows_descriptors(facts.row)) return;
    const DescriptorAccount account{&budget,
                                    facts.uids.ok() ? facts.uids.value.real : facts.row.uid};
    if (listening != nullptr) take_open_files(process, *listening, account, facts);
    facts.held_locks = read_held_locks(process, account);
    facts.leases = read_leases(process, facts.row.uid, facts.held_locks.value);
}

Reading<ServiceUnit> read_unit(const Reading<std::string>& cgroup) {
    if (!cgroup.ok()) return Reading<ServiceUnit>::failed(cgroup.access);
    auto unit = unit_of(cgroup.value);
    return unit ? Reading<ServiceUnit>::of(std::move(*unit))
                : Reading<ServiceUnit>::failed(Access::gone);
}

void take_program(int process, const InspectionRequest& request, ProcessFacts& facts) {
    const Uid user = facts.row.uid;
    facts.exe_deleted = may_read(user, facts.row.exe.value) && has_deleted_exe(process);
    facts.frozen = is_frozen(process);
    facts.rss_bytes = read_resident_bytes(process);
    facts.cwd = read_cwd(process, user);
    facts.cwd_deleted = has_deleted_cwd(process, user);
    facts.script = locate_script(request.script, facts.cwd);
    if (!request.look_up_package) return;
    facts.package = facts.script.ok() ? read_package_name(process, user, facts.script.value)
                                      : Reading<std::string>::failed(facts.script.access);
}

// Asks nothing by path about a process with another root, as its paths may lead to anything.
void take_folders(int process, const ProcessTable& table, const InspectionRequest& request,
                  ProcessFacts& facts) {
    facts.same_root = has_our_root(table, process, facts.row);
    if (!request.folders || !facts.same_root.ok() || !facts.same_root.value) return;
    NamedFolders named = request.folders(facts);
    if (!named.home.empty()) facts.same_home = sees_our_folder(process, facts.row.uid, named.home);
    if (facts.same_home.ok() && facts.same_home.value)
        std::erase(named.records, named.home);  // the same folder hides nothing
    facts.hidden_records = find_hidden_records(process, facts.row.uid, named.records);
}

}  // namespace

void Inspector::State::take_evidence(int process, const InspectionRequest& request,
                                     ProcessFacts& facts) {
    take_status(process, facts);
    take_namespace(process, own_pid_namespace, facts);
    take_program(process, request, facts);
    facts.environment = read_environment(process, facts.row, request.environment_keys);
    const auto network = read_namespace(process, "ns/net");
    const bool same_network = network.ok() && network == own_network;
    take_stdio(process, same_network, facts);
    take_descriptors(process, same_network ? &listening_sockets(listening) : nullptr, descriptors,
                     facts);
    facts.unit = read_unit(facts.row.cgroup);
    take_folders(process, table, request, facts);
}

Inspector::Inspector(const ProcessTable& table, InspectionObserver* witness)
    : state_(std::make_unique<State>(State{table, witness})) {
    state_->boot_id = read_boot_id(table);
    state_->own_pid_namespace = read_namespace(fd_of(table), "self/ns/pid");
    state_->own_network = read_namespace(fd_of(table), "self/ns/net");
}

Inspector::~Inspector() = default;

Result<ProcessFacts> Inspector::inspect(const PidHandle& handle, const InspectionRequest& request) {
    State& state = *state_;
    const Pid pid = handle.pid();
    state.reached(pid, InspectionPoint::pinned);
    const auto opened = open_process(state.table, pid);
    if (!opened) return row_failure(handle, opened.error());
    auto row = read_row(state.table, pid);
    if (!row) return row_failure(handle, row.error());
    state.reached(pid, InspectionPoint::row_read);

    ProcessFacts facts;
    facts.identity = {state.boot_id, 0, pid, row->start_ticks, handle.inode()};
    facts.row = std::move(*row);
    state.take_evidence(opened->get(), request, facts);
    state.reached(pid, InspectionPoint::evidence_read);

    const auto again = read_row(state.table, pid);
    // Checked after the last read: had the process exited before, another one could have had its
    // pid meanwhile.
    if (handle.exited())
        return failure(std::errc::no_such_process, "inspect", "pid " + std::to_string(pid));
    if (!again) return row_failure(handle, again.error());
    if (!same_process_and_program(facts.row, *again)) {
        return failure(std::errc::resource_unavailable_try_again, "inspect",
                       "pid " + std::to_string(pid));
    }
    state.reached(pid, InspectionPoint::verified);
    return facts;
}

}  // namespace reaper::scanner
