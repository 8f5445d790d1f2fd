#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/linux/late_library.hpp"
#include "scanner/linux/units.hpp"

namespace reaper::scanner {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kLibrary = "libsystemd.so.0";
using std::chrono::microseconds;

// The functions of libsystemd that are needed here.
struct SdBus {
    explicit SdBus(const LateLibrary& library)
        : create(library.function<decltype(sd_bus_new)>("sd_bus_new")),
          set_address(library.function<decltype(sd_bus_set_address)>("sd_bus_set_address")),
          set_bus_client(
              library.function<decltype(sd_bus_set_bus_client)>("sd_bus_set_bus_client")),
          start(library.function<decltype(sd_bus_start)>("sd_bus_start")),
          is_ready(library.function<decltype(sd_bus_is_ready)>("sd_bus_is_ready")),
          process(library.function<decltype(sd_bus_process)>("sd_bus_process")),
          wait(library.function<decltype(sd_bus_wait)>("sd_bus_wait")),
          set_timeout(library.function<decltype(sd_bus_set_method_call_timeout)>(
              "sd_bus_set_method_call_timeout")),
          path_encode(library.function<decltype(sd_bus_path_encode)>("sd_bus_path_encode")),
          get_number(library.function<decltype(sd_bus_get_property_trivial)>(
              "sd_bus_get_property_trivial")),
          get_text(
              library.function<decltype(sd_bus_get_property_string)>("sd_bus_get_property_string")),
          close(library.function<decltype(sd_bus_close_unref)>("sd_bus_close_unref")) {}

    // All are of one library since version 240: if the last exists, all do.
    [[nodiscard]] bool complete() const {
        return create != nullptr && set_timeout != nullptr && close != nullptr;
    }

    decltype(&sd_bus_new) create;
    decltype(&sd_bus_set_address) set_address;
    decltype(&sd_bus_set_bus_client) set_bus_client;
    decltype(&sd_bus_start) start;
    decltype(&sd_bus_is_ready) is_ready;
    decltype(&sd_bus_process) process;
    decltype(&sd_bus_wait) wait;
    decltype(&sd_bus_set_method_call_timeout) set_timeout;
    decltype(&sd_bus_path_encode) path_encode;
    decltype(&sd_bus_get_property_trivial) get_number;
    decltype(&sd_bus_get_property_string) get_text;
    decltype(&sd_bus_close_unref) close;
};

// Closes without a flush, as a bus that hangs would make us wait.
struct CloseBus {
    const SdBus* library;
    void operator()(sd_bus* bus) const { library->close(bus); }
};
using Bus = std::unique_ptr<sd_bus, CloseBus>;

std::uint64_t until(Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<microseconds>(deadline - Clock::now());
    return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 0;
}

struct Address {
    std::string text;
    bool is_manager;  // the socket of the manager itself, as systemctl uses it: works without a bus
};

// Not sd_bus_open_*: under cron no variable tells where the bus of this user is, but it is always
// here.
std::vector<Address> addresses_of(bool user_manager) {
    const std::string folder = "unix:path=/run/user/" + std::to_string(::geteuid());
    if (user_manager) return {{folder + "/systemd/private", true}, {folder + "/bus", false}};
    if (const char* configured = ::secure_getenv("DBUS_SYSTEM_BUS_ADDRESS"))
        return {{configured, false}};
    const Address bus{"unix:path=/run/dbus/system_bus_socket", false};
    if (::geteuid() == 0) return {{"unix:path=/run/systemd/private", true}, bus};
    return {bus};
}

// Null: it could not even be tried.
Bus start_bus(const SdBus& library, const Address& address) {
    sd_bus* raw = nullptr;
    if (library.create(&raw) < 0) raw = nullptr;
    Bus bus(raw, CloseBus{&library});
    const bool started = bus && library.set_address(raw, address.text.c_str()) >= 0 &&
                         library.set_bus_client(raw, address.is_manager ? 0 : 1) >= 0 &&
                         library.start(raw) >= 0;
    if (!started) bus.reset();
    return bus;
}

// Waits for the greeting here, as calls would wait 90 s for it on a bus that hangs, whatever their
// own limit.
bool become_ready(const SdBus& library, sd_bus* bus, Clock::time_point deadline) {
    while (library.is_ready(bus) == 0) {
        const int done = library.process(bus, nullptr);
        if (done < 0) return false;
        if (done > 0) continue;
        const std::uint64_t left = until(deadline);
        if (left == 0 || library.wait(bus, left) < 0) return false;
    }
    return library.is_ready(bus) > 0;
}

// Null: neither address answers in time.
Bus open_bus(const SdBus& library, bool user_manager, Clock::time_point deadline) {
    for (const Address& address : addresses_of(user_manager)) {
        Bus bus = start_bus(library, address);
        if (bus && become_ready(library, bus.get(), deadline)) return bus;
    }
    return Bus(nullptr, CloseBus{&library});
}

using Text = std::unique_ptr<char, decltype(&std::free)>;

// One unit, and how to ask about it.
class Unit {
   public:
    Unit(const SdBus& library, sd_bus* bus, const std::string& name, Clock::time_point deadline)
        : library_(library), bus_(bus), path_(nullptr, &std::free), deadline_(deadline) {
        char* path = nullptr;
        if (library.path_encode("/org/freedesktop/systemd1/unit", name.c_str(), &path) >= 0)
            path_.reset(path);
    }

    [[nodiscard]] std::optional<Pid> number(const char* property) const {
        std::uint32_t value = 0;
        const bool read = is_in_time() && library_.get_number(bus_, kManager, path_.get(), kService,
                                                              property, nullptr, 'u', &value) >= 0;
        return read ? std::optional(static_cast<Pid>(value)) : std::nullopt;
    }
    // Empty: not known.
    [[nodiscard]] std::string text(const char* interface, const char* property) const {
        char* raw = nullptr;
        const bool read = is_in_time() && library_.get_text(bus_, kManager, path_.get(), interface,
                                                            property, nullptr, &raw) >= 0;
        const Text text(read ? raw : nullptr, &std::free);
        return text ? text.get() : "";
    }
    // True if the unit has no process left that the manager counts. If it runs without a main
    // process, the manager could not tell which one that is (Type=forking without PIDFile=), or all
    // of them are (ExitType=cgroup).
    [[nodiscard]] bool is_over() const {
        constexpr std::array<std::string_view, 4> kOver = {"dead", "failed", "exited",
                                                           "auto-restart"};
        return std::ranges::find(kOver, text("org.freedesktop.systemd1.Unit", "SubState")) !=
               kOver.end();
    }
    // False: it may be a unit of the same name of another manager, such as one in a container.
    [[nodiscard]] bool has(std::string_view cgroup) const {
        const std::string own = text(kService, "ControlGroup");
        const std::size_t place = cgroup.rfind(own);
        return own.starts_with('/') && place != std::string_view::npos &&
               (cgroup.size() == place + own.size() || cgroup[place + own.size()] == '/');
    }

   private:
    [[nodiscard]] bool is_in_time() const {
        const std::uint64_t left = until(deadline_);
        return path_ && left > 0 && library_.set_timeout(bus_, left) >= 0;
    }

    static constexpr const char* kManager = "org.freedesktop.systemd1";
    static constexpr const char* kService = "org.freedesktop.systemd1.Service";

    const SdBus& library_;
    sd_bus* bus_;
    Text path_;
    Clock::time_point deadline_;
};

void ask(const Unit& unit, UnitQuestion& question) {
    const auto main = unit.number("MainPID");
    const auto control = unit.number("ControlPID");
    if (!main || !control) return;
    const bool lives = *main != 0 || *control != 0;
    if (lives ? !unit.has(question.cgroup) : !unit.is_over()) return;
    question.control_pid = *control;
    if (*main != 0 || !lives) question.main_pid = main;
}

void ask_manager(const SdBus& library, std::span<UnitQuestion> questions, bool user_manager,
                 Clock::time_point deadline) {
    const auto concerns = [=](const UnitQuestion& question) {
        return question.of_user_manager == user_manager;
    };
    if (std::ranges::none_of(questions, concerns)) return;
    const Bus bus = open_bus(library, user_manager, deadline);
    if (!bus) return;
    for (UnitQuestion& question : questions) {
        if (concerns(question)) ask(Unit(library, bus.get(), question.unit, deadline), question);
    }
}

}  // namespace

bool can_ask_units() {
    return SdBus(LateLibrary(kLibrary)).complete();
}

void ask_units(std::span<UnitQuestion> questions, std::chrono::steady_clock::time_point deadline) {
    const SdBus library{LateLibrary(kLibrary)};
    if (!library.complete()) return;
    for (const bool user_manager : {true, false})
        ask_manager(library, questions, user_manager, deadline);
}

}  // namespace reaper::scanner
