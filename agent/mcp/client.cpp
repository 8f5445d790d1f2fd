#include "agent/mcp/client.hpp"

#include <algorithm>
#include <array>

namespace reaper::agent {

namespace {

constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18",
                                                             "2025-03-26", "2024-11-05"};
constexpr std::string_view kFirstThatAsks = "2025-06-18";
constexpr std::size_t kLongestName = 40;

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kInfoKey = "io.modelcontextprotocol/clientInfo";

// The client may be hostile, and its name goes into the history and the journal.
std::string plain_name(const std::string& name) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    std::string plain = name.substr(0, kLongestName);
    std::ranges::replace_if(
        plain, [&](char c) { return kPlain.find(c) == std::string_view::npos; }, '-');
    return plain;
}

// An empty object means forms; one that only has "url" can show none.
bool shows_forms(const Json& capabilities) {
    const Json& elicitation = member_of(capabilities, "elicitation");
    return elicitation.is_object() &&
           (elicitation.empty() || member_of(elicitation, "form").is_object());
}

}  // namespace

std::span<const std::string_view> legacy_versions() {
    return kLegacyVersions;
}

Json supported_versions() {
    Json versions = Json::array({kModernVersion});
    for (const std::string_view version : kLegacyVersions) versions.push_back(version);
    return versions;
}

bool is_modern(const Json& params) {
    return !member_of(member_of(params, "_meta"), kVersionKey).is_null();
}

McpClient modern_client(const Json& params, std::string& wrong) {
    const Json& meta = member_of(params, "_meta");
    const Json& capabilities = member_of(meta, kCapabilitiesKey);
    if (!member_of(meta, kVersionKey).is_string())
        wrong = "_meta: " + std::string(kVersionKey) + " is no text";
    else if (!capabilities.is_object())
        wrong = "_meta: " + std::string(kCapabilitiesKey) + " is missing";
    return {true, text_member(meta, kVersionKey),
            plain_name(text_member(member_of(meta, kInfoKey), "name")), shows_forms(capabilities)};
}

McpClient legacy_client(const Json& params) {
    const std::string wanted = text_member(params, "protocolVersion");
    const bool known = std::ranges::find(kLegacyVersions, wanted) != kLegacyVersions.end();
    McpClient client;
    client.version = known ? wanted : kLegacyVersions.front();
    client.name = plain_name(text_member(member_of(params, "clientInfo"), "name"));
    client.can_be_asked =
        client.version >= kFirstThatAsks && shows_forms(member_of(params, "capabilities"));
    return client;
}

}  // namespace reaper::agent
