#include "agent/schedule/situation_parts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/command.hpp"
#include "agent/schedule/program.hpp"
#include "agent/schedule/view.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/exit_status.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"
#include "policy/text/escape.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostOfFile = std::size_t{256} * 1024;

using Account = tl::expected<scanner::User, Message>;

Account account_of(const Result<std::optional<scanner::User>>& found, std::string_view who) {
    if (!found || !*found)
        return tl::unexpected(
            usage_error(fmt::format("schedule: there is no user {}", policy::escape(who))));
    return **found;
}

// With --system that of --user, else the one that called sudo.
Account find_account(const ScheduleWish& wish) {
    const std::string name = wish.user.empty() ? variable("SUDO_USER") : wish.user;
    if (wish.system && name.empty())
        return tl::unexpected(usage_error("schedule --system: say whose processes: --user NAME"));
    if (wish.system) return account_of(scanner::find_user(name), name);
    auto own = account_of(scanner::find_user(::geteuid()), fmt::format("id {}", ::geteuid()));
    const std::string home = variable("HOME");
    // That of root may be the one of the user that called sudo.
    if (own && own->uid != 0 && home.starts_with('/')) own->home = home;
    return own;
}

}  // namespace

bool exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

std::string resolved(const std::string& path) {
    char whole[PATH_MAX];
    return ::realpath(path.c_str(), whole) == nullptr ? path : std::string(whole);
}

tl::expected<Situation, Message> begin_situation(const ScheduleWish& wish) {
    const auto account = find_account(wish);
    if (!account) return tl::unexpected(account.error());
    Situation found;
    found.program = own_program_path();
    found.account = account->name;
    found.uid = account->uid;
    found.group = account->group;
    found.home = account->home;
    found.is_root = ::geteuid() == 0;
    found.of_system = wish.system;
    return found;
}

tl::expected<void, Message> expect_folder(const Situation& found, const std::string& folder) {
    const auto answered = found.of_system ? Result<void>{} : expect_answer(folder);
    if (answered) return {};
    return tl::unexpected(Message{fmt::format("orphan-reaper: {}\n", describe(answered.error())),
                                  static_cast<int>(ExitStatus::incomplete)});
}

// A link or a folder is a file of another maker.
void read_files(Situation& found, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        struct stat status{};
        if (::lstat(path.c_str(), &status) != 0) continue;
        found.files[path] = S_ISREG(status.st_mode)
                                ? read_file_up_to(path, kMostOfFile).value_or("cannot be read")
                                : "no regular file";
    }
}

void read_crontab(Situation& found) {
    const auto answer = ask({{"crontab", "-l"}});
    if (!answer) found.cron_trouble = describe(answer.error());
    if (!answer || answer->status == 127) return;
    if (answer->status == 0) {
        found.crontab = answer->out;
    } else if (answer->err.find("no crontab") != std::string::npos) {
        found.crontab = "";
    } else {
        found.cron_trouble = fmt::format("crontab -l: {}", complaint(*answer));
    }
}

void find_bad_programs(Situation& found) {
    for (const ScheduleEntry& entry : entries_of(found)) {
        const std::string program = entry.command.substr(0, entry.command.find(' '));
        if (::access(program.c_str(), X_OK) != 0) {
            found.missing_programs.insert(program);
            continue;
        }
        const scanner::Uid owner = entry.kind == ScheduleKind::system_timer ? 0 : found.uid;
        if (std::string why = refuse_place(resolved(program), owner); !why.empty())
            found.unsafe_programs[program] = std::move(why);
    }
}

}  // namespace reaper::agent
