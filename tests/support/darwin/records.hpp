// Makes the answers of macOS by the table that the product reads them by. A test that wants a wrong
// one changes a field afterwards.
#pragma once

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "scanner/parse/darwin/descriptors.hpp"
#include "scanner/parse/darwin/layout.hpp"
#include "scanner/parse/darwin/process_info.hpp"
#include "scanner/parse/darwin/process_rows.hpp"

namespace reaper::test::darwin {

template <class T>
void put(std::string& record, scanner::darwin::Field<T> field, std::type_identity_t<T> value) {
    if (field.offset + sizeof(T) > record.size()) throw std::out_of_range("a field");
    std::memcpy(record.data() + field.offset, &value, sizeof value);
}

// Leaves room for a NUL, as the kernel does.
inline void put(std::string& record, scanner::darwin::TextField field, std::string_view text) {
    record.replace(field.offset, field.size, field.size, '\0');
    text = text.substr(0, field.size - 1);
    record.replace(field.offset, text.size(), text);
}

[[nodiscard]] std::string row_bytes(const scanner::darwin::KernelRow& row);
[[nodiscard]] std::string unique_bytes(const scanner::darwin::UniqueIdentity& identity);
[[nodiscard]] std::string coalition_bytes(std::uint64_t resource);
[[nodiscard]] std::string task_bytes(std::int32_t threads);
[[nodiscard]] std::string usage_bytes(const scanner::darwin::Usage& usage);
[[nodiscard]] std::string folders_bytes(const scanner::darwin::OwnFolders& folders);
[[nodiscard]] std::string descriptor_bytes(const std::vector<scanner::darwin::Descriptor>& all);
[[nodiscard]] std::string pipe_bytes(const scanner::darwin::PipeEnd& end);
[[nodiscard]] std::string vnode_bytes(const scanner::darwin::Vnode& vnode);
[[nodiscard]] std::string socket_bytes(const scanner::darwin::Socket& socket);

// What KERN_PROCARGS2 returns. No environment: it is hidden.
struct Started {
    std::string path;
    std::vector<std::string> argv;
    std::optional<std::vector<std::string>> environment = std::vector<std::string>();
};
[[nodiscard]] std::string arguments_bytes(const Started& started);

}  // namespace reaper::test::darwin
