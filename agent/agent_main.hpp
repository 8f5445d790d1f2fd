#pragma once

namespace reaper::agent {

// The whole program; returns its exit status. The only place that catches exceptions.
int agent_main(int argc, char** argv);

}  // namespace reaper::agent
