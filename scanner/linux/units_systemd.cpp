#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "scanner/linux/late_library.hpp"
#include "scanner/linux/units.hpp"

namespace reaper::scanner {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kPatience = std::chrono::seconds(1);

// The part of libsystemd that is needed here, loaded.
struct SdBus {
    explicit SdBus(const LateLibrary& library)
        : create(library.function<decltype(sd_bus_new)>("sd_bus_new")),
          set_address(library.function<decltype(sd_bus_set_address)>("sd_bus_set_address")),
          set_bus_client(library.function<decltype(sd_bus_set_bus_client)>("sd_bus_set_bus_client")),
          start(library.function<decltype(sd_bus_start)>("sd_bus_start")),
          is_ready(library.function<decltype(sd_bus_is_ready)>("sd_bus_is_ready")),
          process(library.function<decltype(sd_bus_process)>("sd_bus_process")),
          wait(library.function<decltype(sd_bus_wait)>("sd_bus_wait")),
          set_timeout(library.function<decltype(sd_bus_set_method_call_timeout)>("sd_bus_set_method_call_timeout")),
          path_encode(library.function<decltype(sd_bus_path_encode)>("sd_bus_path_encode")),
          get_property(library.function<decltype(sd_bus_get_property_trivial)>("sd_bus_get_property_trivial")),
          close(library.function<decltype(sd_bus_close_unref)>("sd_bus_close_unref")) {}

    // All are of one library since version 240: who has the last has every one.
    [[nodiscard]] bool complete() const { return create != nullptr && set_timeout != nullptr && close != nullptr; }

    decltype(&sd_bus_new) create;
    decltype(&sd_bus_set_address) set_address;
    decltype(&sd_bus_set_bus_client) set_bus_client;
    decltype(&sd_bus_start) start;
    decltype(&sd_bus_is_ready) is_ready;
    decltype(&sd_bus_process) process;
    decltype(&sd_bus_wait) wait;
    decltype(&sd_bus_set_method_call_timeout) set_timeout;
    decltype(&sd_bus_path_encode) path_encode;
    decltype(&sd_bus_get_property_trivial) get_property;
    decltype(&sd_bus_close_unref) close;
};

// Closed without a flush: a bus that hangs would keep us waiting.
struct CloseBus {
    const SdBus* library;
    void operator()(sd_bus* bus) const { library->close(bus); }
};
using Bus = std::unique_ptr<sd_bus, CloseBus>;

std::uint64_t until(Clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<microseconds>(deadline - Clock::now());
    return left.count() > 0 ? static_cast<std::uint64_t>(left.count()) : 0;
}

// Not sd_bus_open_*: under cron there is no environment that says where this user's bus is, but it is always here.
std::string address_of(bool user_manager) {
    if (user_manager) return "unix:path=/run/user/" + std::to_string(::geteuid()) + "/bus";
    const char* configured = ::secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");
    return configured != nullptr ? configured : "unix:path=/run/dbus/system_bus_socket";
}

// Null: it could not even be tried.
Bus start_bus(const SdBus& library, const std::string& address) {
    sd_bus* raw = nullptr;
    if (library.create(&raw) < 0) raw = nullptr;
    Bus bus(raw, CloseBus{&library});
    const bool started = bus && library.set_address(raw, address.c_str()) >= 0 && library.set_bus_client(raw, 1) >= 0 &&
                         library.start(raw) >= 0;
    if (!started) bus.reset();
    return bus;
}

// Calls would wait 90 s for the greeting of a bus that hangs, whatever their own limit, so the greeting is waited for here.
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

std::optional<Pid> read_main_pid(const SdBus& library, sd_bus* bus, const std::string& unit) {
    char* raw = nullptr;
    if (library.path_encode("/org/freedesktop/systemd1/unit", unit.c_str(), &raw) < 0) return std::nullopt;
    const std::unique_ptr<char, decltype(&std::free)> path(raw, &std::free);
    std::uint32_t pid = 0;
    const int result = library.get_property(bus, "org.freedesktop.systemd1", path.get(),
                                            "org.freedesktop.systemd1.Service", "MainPID", nullptr, 'u', &pid);
    if (result < 0 || pid == 0) return std::nullopt;
    return static_cast<Pid>(pid);
}

}  // namespace

std::optional<Pid> ask_main_pid(const ServiceUnit& unit) {
    const auto deadline = Clock::now() + kPatience;
    const SdBus library(LateLibrary("libsystemd.so.0"));
    if (!library.complete()) return std::nullopt;
    const Bus bus = start_bus(library, address_of(unit.of_user_manager));
    if (!bus || !become_ready(library, bus.get(), deadline)) return std::nullopt;
    const std::uint64_t left = std::max<std::uint64_t>(until(deadline), 1);
    if (library.set_timeout(bus.get(), left) < 0) return std::nullopt;
    return read_main_pid(library, bus.get(), unit.name);
}

}  // namespace reaper::scanner
