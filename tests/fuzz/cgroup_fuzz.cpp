#include "scanner/parse/proc_cgroup.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

namespace {

void check_path(std::string_view path) {
    const auto unit = scanner::unit_of(path);
    if (unit)
        fuzz::require(path.find(unit->name) != path.npos &&
                      unit->name.find('/') == unit->name.npos);
    if (unit) fuzz::require(unit->name.ends_with(".service") || unit->name.ends_with(".scope"));
    if (scanner::is_user_manager_path(path))
        fuzz::require(unit && unit->name == "init.scope" && unit->of_user_manager);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    check_path(text);
    const auto path = scanner::systemd_path(text);
    if (!path) return 0;
    fuzz::require(path->starts_with('/') && text.find(*path) != text.npos &&
                  path->find('\n') == path->npos);
    check_path(*path);
    return 0;
}
