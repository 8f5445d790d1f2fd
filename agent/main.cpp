#include "agent/agent_main.hpp"

int main(int argc, char** argv) {
    return reaper::agent::agent_main(argc, argv);
}
