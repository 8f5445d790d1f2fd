#include "agent/redaction/argv.hpp"
#include "agent/report/hosts.hpp"
#include "agent/report/json/parts.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json to_json(const scanner::TaskLimit& limit) {
    return {{"used", or_null(limit.used)},
            {"most", or_null(limit.most)},
            {"where", or_null(limit.where)}};
}

Json to_json(const std::optional<scanner::ChildSignal>& signal) {
    if (!signal) return nullptr;
    return {{"ignored", signal->ignored}, {"blocked", signal->blocked}, {"caught", signal->caught}};
}

Json to_json(const scanner::InitState& init) {
    return {{"name", or_null(init.name)},
            {"zombies", init.zombies},
            {"counted_all", init.counted_all},
            {"sigchld", to_json(init.child_signal)}};
}

}  // namespace

Json host_json(const HostTally& host) {
    return {{"pid", host.pid == 0 ? Json(nullptr) : Json(host.pid)},
            {"comm", or_null(host.comm)},
            {"argv", list(redact(host.argv))},
            {"helpers", host.helpers},
            {"leaked", host.leaked},
            {"families", host.families},
            {"rss_bytes", host.rss_bytes},
            {"swap_bytes", host.swap_bytes},
            {"memory_bytes", memory_bytes(host)}};
}

Json diagnosis_json(const scanner::Diagnosis& diagnosis) {
    Json user = to_json(diagnosis.user);
    user["uid"] = diagnosis.uid;
    return {{"init", to_json(diagnosis.init)},
            {"pids_max", to_json(diagnosis.cgroup)},
            {"ulimit_u", user}};
}

}  // namespace reaper::agent
