#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "scanner/linux/units.hpp"

namespace reaper::scanner {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kPatience = std::chrono::seconds(1);

// Closed without a flush: a bus that hangs would keep us waiting.
using Bus = std::unique_ptr<sd_bus, decltype([](sd_bus* bus) { sd_bus_close_unref(bus); })>;

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

Bus start_bus(const std::string& address) {
    sd_bus* raw = nullptr;
    if (sd_bus_new(&raw) < 0) return nullptr;
    Bus bus(raw);
    if (sd_bus_set_address(raw, address.c_str()) < 0 || sd_bus_set_bus_client(raw, 1) < 0) return nullptr;
    if (sd_bus_start(raw) < 0) return nullptr;
    return bus;
}

// Calls would wait 90 s for the greeting of a bus that hangs, whatever their own limit, so the greeting is waited for here.
bool become_ready(sd_bus* bus, Clock::time_point deadline) {
    while (sd_bus_is_ready(bus) == 0) {
        const int done = sd_bus_process(bus, nullptr);
        if (done < 0) return false;
        if (done > 0) continue;
        const std::uint64_t left = until(deadline);
        if (left == 0 || sd_bus_wait(bus, left) < 0) return false;
    }
    return sd_bus_is_ready(bus) > 0;
}

std::optional<Pid> read_main_pid(sd_bus* bus, const std::string& unit) {
    char* raw = nullptr;
    if (sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit.c_str(), &raw) < 0) return std::nullopt;
    const std::unique_ptr<char, decltype(&std::free)> path(raw, &std::free);
    std::uint32_t pid = 0;
    const int result = sd_bus_get_property_trivial(bus, "org.freedesktop.systemd1", path.get(),
                                                   "org.freedesktop.systemd1.Service", "MainPID", nullptr, 'u', &pid);
    if (result < 0 || pid == 0) return std::nullopt;
    return static_cast<Pid>(pid);
}

}  // namespace

std::optional<Pid> ask_main_pid(const ServiceUnit& unit) {
    const auto deadline = Clock::now() + kPatience;
    const Bus bus = start_bus(address_of(unit.of_user_manager));
    if (!bus || !become_ready(bus.get(), deadline)) return std::nullopt;
    if (sd_bus_set_method_call_timeout(bus.get(), std::max<std::uint64_t>(until(deadline), 1)) < 0) return std::nullopt;
    return read_main_pid(bus.get(), unit.name);
}

}  // namespace reaper::scanner
