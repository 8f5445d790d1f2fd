// The tools that are offered, and what an argument of theirs may be: both from one file, which is
// compiled in (packaging/schema/orphan-reaper-mcp-tools.json).
#pragma once

#include <string>
#include <string_view>

#include "agent/mcp/rpc.hpp"

namespace reaper::agent {

// The file, as it is.
[[nodiscard]] std::string_view tools_text();

// The tools as tools/list has them, always in the same order. `sweep` is only among them when
// `with_sweep` is set. No schema refers to another place.
[[nodiscard]] Json list_tools(bool with_sweep);

// Says what about `value` is not as `schema` has it; empty: nothing. Knows the words of JSON Schema
// that the tools use: type, enum, properties, required, additionalProperties, items, maxItems,
// maxLength, minimum, maximum.
[[nodiscard]] std::string find_mismatch(const Json& schema, const Json& value,
                                        const std::string& name);

}  // namespace reaper::agent
