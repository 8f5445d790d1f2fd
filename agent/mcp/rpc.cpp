#include "agent/mcp/rpc.hpp"

#include <array>

#include "scanner/json/strict_json.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostMembers = 1000;

// Looks before anything is built: a tree is walked by recursion, and each name is looked for among
// all before it. For a text that is not nested deeper than kDeepest.
bool has_too_many_members(std::string_view text) {
    std::array<std::size_t, kDeepest + 1> members{};
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (in_string && letter == '\\')
            ++at;
        else if (letter == '"')
            in_string = !in_string;
        else if (in_string)
            continue;
        else if (letter == '{' || letter == '[')
            members.at(++depth) = 0;
        else if ((letter == '}' || letter == ']') && depth > 0)
            --depth;
        else if (letter == ':' && ++members.at(depth) > kMostMembers)
            return true;
    }
    return false;
}

// Null is no id: an answer to it could not be told from one to a line that is no message.
bool is_id(const Json& value) {
    return value.is_string() || value.is_number_integer();
}

RpcMessage invalid(const Json& id, std::string wrong) {
    RpcMessage message;
    message.id = is_id(id) ? id : Json(nullptr);
    message.code = kInvalidRequest;
    message.wrong = std::move(wrong);
    return message;
}

RpcMessage unreadable(std::string wrong) {
    RpcMessage message;
    message.code = kParseError;
    message.wrong = std::move(wrong);
    return message;
}

RpcMessage response(const Json& line) {
    RpcMessage message;
    message.kind = RpcKind::response;
    message.id = member_of(line, "id");
    message.result = member_of(line, "result");
    return message;
}

RpcMessage call(const Json& line) {
    const Json& id = member_of(line, "id");
    const Json& params = member_of(line, "params");
    if (line.contains("id") && !is_id(id)) return invalid(id, "the id is no text and no integer");
    if (!params.is_null() && !params.is_object()) return invalid(id, "params is no object");
    RpcMessage message;
    message.kind = line.contains("id") ? RpcKind::request : RpcKind::notification;
    message.id = id;
    message.method = text_member(line, "method");
    if (params.is_object()) message.params = params;
    return message;
}

std::string line_of(const Json& id, std::string_view key, const Json& value) {
    Json line = {{"jsonrpc", "2.0"}, {"id", id}};
    line[std::string(key)] = value;
    return json_text(line) + "\n";
}

}  // namespace

RpcMessage parse_rpc(std::string_view text) {
    if (scanner::json::is_nested_deeper(text, kDeepest)) return unreadable("nested too deeply");
    if (has_too_many_members(text)) return unreadable("an object has more than 1000 members");
    const Json line = Json::parse(text, nullptr, false);
    if (line.is_discarded()) return unreadable("this is no JSON");
    const Json& id = member_of(line, "id");
    if (!line.is_object()) return invalid(id, "this is no object; batches are not taken");
    if (text_member(line, "jsonrpc") != "2.0") return invalid(id, "jsonrpc is not \"2.0\"");
    if (member_of(line, "method").is_string()) return call(line);
    const bool answers = line.contains("result") || line.contains("error");
    if (answers && is_id(id) && !line.contains("method")) return response(line);
    return invalid(id, "there is no method");
}

std::string result_line(const Json& id, const Json& result) {
    return line_of(id, "result", result);
}

std::string error_line(const Json& id, int code, std::string_view message, const Json& data) {
    Json error = {{"code", code}, {"message", message}};
    if (!data.is_null()) error["data"] = data;
    return line_of(id, "error", error);
}

std::string request_line(const Json& id, std::string_view method, const Json& params) {
    const Json line = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
    return json_text(line) + "\n";
}

// `replace` cannot throw half-way through.
std::string json_text(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

const Json& member_of(const Json& object, std::string_view name) {
    static const Json none = nullptr;
    if (!object.is_object()) return none;
    const auto found = object.find(std::string(name));
    return found == object.end() ? none : *found;
}

std::string text_member(const Json& object, std::string_view name) {
    const Json& value = member_of(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace reaper::agent
