// A system without copies yet: everything is read in place.
#include "agent/reading/bounded_reader.hpp"

namespace reaper::agent {

// No copy is ever made, so no line has another end.
void ReaderLine::answer(std::string_view /*bytes*/, std::span<const int> /*descriptors*/) {}

std::string ReaderLine::ask(std::string_view /*question*/) {
    return {};
}

struct BoundedReader::State {};

BoundedReader& BoundedReader::of_program() {
    static BoundedReader reader;
    return reader;
}

BoundedReader::BoundedReader() : state_(nullptr) {}
BoundedReader::~BoundedReader() = default;

void BoundedReader::begin() {}
void BoundedReader::collect() {}
void BoundedReader::begin_last_task() {}

bool BoundedReader::reads_in_place() const {
    return true;
}

Result<Reply> BoundedReader::run(const ReadTask& /*task*/) {
    return failure(std::errc::function_not_supported, "read", "by a copy of this program");
}

}  // namespace reaper::agent
