// JSON-RPC 2.0, one message a line: text in, values out, and back. Pure.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace reaper::agent {

using Json = nlohmann::ordered_json;

// The codes of errors that are sent: those of JSON-RPC, and one of the protocol.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kUnknownMethod = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kUnsupportedVersion = -32022;

enum class RpcKind {
    request,
    notification,
    response,
    invalid,  // answered with an error, by `code` and `wrong`
};

struct RpcMessage {
    RpcKind kind = RpcKind::invalid;
    Json id = nullptr;  // a text or an integer, as it came; null: there is none
    std::string method;
    Json params = Json::object();
    Json result = nullptr;  // of a response; null: it is an error
    int code = 0;
    std::string wrong;
};

// Never fails: what is no message is `invalid`. Batches are none.
[[nodiscard]] RpcMessage parse_rpc(std::string_view line);

// Each is one line of ASCII with its newline, whatever bytes the values have.
[[nodiscard]] std::string result_line(const Json& id, const Json& result);
[[nodiscard]] std::string error_line(const Json& id, int code, std::string_view message,
                                     const Json& data = nullptr);
[[nodiscard]] std::string request_line(const Json& id, std::string_view method, const Json& params);
// As the text of a result has it.
[[nodiscard]] std::string json_text(const Json& value);

// The member of that name; null where `object` has none, or is no object.
[[nodiscard]] const Json& member_of(const Json& object, std::string_view name);
// Empty where that is no text.
[[nodiscard]] std::string text_member(const Json& object, std::string_view name);

}  // namespace reaper::agent
