#include "scanner/parse/proc_status.hpp"

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

namespace {

const std::string kGood =
    "Name:\tnode\nState:\tS (sleeping)\nTgid:\t42\nNgid:\t0\nPid:\t42\nPPid:\t1\nTracerPid:\t9\n"
    "Uid:\t1000\t1001\t1002\t1003\nGid:\t4\t4\t4\t4\nNStgid:\t42\t7\nNSpid:\t42\t7\nThreads:\t3\n";

std::string with(const std::string& from, const std::string& to) {
    std::string text = kGood;
    return text.replace(text.find(from), from.size(), to);
}

bool is_refused(std::string_view text) {
    const auto status = parse_status(text);
    return !status && status.error().code == std::errc::invalid_argument;
}

}  // namespace

TEST_CASE("status: all four uids, tracer, namespaces") {
    const auto status = parse_status(kGood);
    REQUIRE(status);
    CHECK(status->tgid == 42);
    CHECK(status->uids == Uids{1000, 1001, 1002, 1003});
    CHECK(status->tracer == 9);
    CHECK(status->namespace_pids == std::vector<Pid>{42, 7});
}

TEST_CASE("status: what is swapped out") {
    CHECK(parse_status(kGood)->swap_bytes == 0);
    CHECK(parse_status(kGood + "VmSwap:\t     128 kB\n")->swap_bytes == 128 * 1024);
    CHECK(parse_status(kGood + "VmSwap:\t12345678901 kB\n")->swap_bytes == 12345678901 * 1024);
    CHECK(parse_status(kGood + "VmSwap:\t       0 kB\n")->swap_bytes == 0);
    for (const char* odd :
         {"VmSwap:\t128 MB\n", "VmSwap:\t-1 kB\n", "VmSwap:\n", "VmSwap:\t\n", "VmSwap:\t     \n",
          "VmSwap: 7 kB\n", "VmSwap:\t18446744073709551615 kB\n"}) {
        INFO(odd);
        const auto status = parse_status(kGood + odd);
        REQUIRE(status);
        CHECK(status->swap_bytes == 0);
    }
    CHECK(is_refused(kGood + "VmSwap:\t1 kB\nVmSwap:\t1 kB\n"));
}

TEST_CASE("status: what a process does about SIGCHLD") {
    const auto signal = [](const char* blocked, const char* ignored, const char* caught) {
        return parse_child_signal(kGood + "SigBlk:\t" + blocked + "\nSigIgn:\t" + ignored +
                                  "\nSigCgt:\t" + caught + "\n");
    };
    CHECK(signal("0000000000000000", "0000000000000000", "0000000000000000") == ChildSignal{});
    CHECK(signal("0000000000000000", "0000000000010000", "0000000000000000") ==
          ChildSignal{.ignored = true});
    CHECK(signal("7be3c0fe28014a03", "0000000000001000", "00000001800004ec") ==
          ChildSignal{.blocked = true});
    CHECK(signal("fffffffffffeffff", "fffffffffffeffff", "0000000000010000") ==
          ChildSignal{.caught = true});
    CHECK_FALSE(signal("", "0", "0"));
    CHECK_FALSE(parse_child_signal(kGood));
    CHECK_FALSE(parse_child_signal(""));
}

TEST_CASE("status: a field that is missing is never a zero") {
    for (const char* field :
         {"Tgid:\t42\n", "Uid:\t1000\t1001\t1002\t1003\n", "TracerPid:\t9\n", "\nNSpid:\t42\t7"}) {
        INFO(field);
        CHECK(is_refused(with(field, "")));
    }
    CHECK(is_refused(""));
    CHECK(is_refused("\n\n"));
}

TEST_CASE("status: a field that stands there twice is refused") {
    for (const char* field :
         {"Tgid:\t42\n", "Uid:\t1000\t1001\t1002\t1003\n", "TracerPid:\t9\n", "NSpid:\t42\t7\n"}) {
        INFO(field);
        CHECK(is_refused(kGood + field));
    }
}

TEST_CASE("status: malformed values are refused") {
    for (const char* bad : {"Uid:\t1000\t1001\t1002\n", "Uid:\t1\t2\t3\t4\t5\n",
                            "Uid:\t-1\t0\t0\t0\n", "Uid:\n", "Uid:\t4294967296\t0\t0\t0\n",
                            "Uid: 1 2 3 4\n", "Uid:\t1\t2\t3\t4 \n", "Uid:\t1\t2\t3\t4x\n"}) {
        INFO(bad);
        CHECK(is_refused(with("Uid:\t1000\t1001\t1002\t1003\n", bad)));
    }
    for (const char* bad :
         {"TracerPid:\t\n", "TracerPid:\t-1\n", "TracerPid:\t99999999999\n", "TracerPid:\t1 \n"}) {
        INFO(bad);
        CHECK(is_refused(with("TracerPid:\t9\n", bad)));
    }
    for (const char* bad :
         {"\nNSpid:\n", "\nNSpid:\t\n", "\nNSpid:\t1\t\n", "\nNSpid:\t-1\n", "\nNSpid:\t1,2\n"}) {
        INFO(bad);
        CHECK(is_refused(with("\nNSpid:\t42\t7\n", bad)));
    }
}

TEST_CASE("status: cut off anywhere before its last needed line, it is refused") {
    const std::size_t enough = kGood.find("Threads:");
    for (std::size_t size = 0; size < kGood.size(); ++size) {
        INFO(size);
        CHECK(is_refused(kGood.substr(0, size)) == (size != enough));
    }
}

TEST_CASE("status: the name of a process is not a field") {
    CHECK(parse_status(with("Name:\tnode", "Name:\tUid:\t0\t0\t0\t0"))->uids.real == 1000);
    CHECK(parse_status(with("Name:\tnode", "Name:\tx\\nUid:\t0"))->uids.real == 1000);
    CHECK(parse_status(with("Name:\tnode", "Name:\t\xff\x1b[2J"))->uids.real == 1000);
}

TEST_CASE("status: whether KILL is pending, for the process or its thread") {
    const std::string none = "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\n";
    const std::string others = "SigPnd:\tfffffffffffffeff\nShdPnd:\t0000000000000080\n";
    CHECK_FALSE(is_kill_pending(kGood));
    CHECK_FALSE(is_kill_pending(kGood + none));
    CHECK_FALSE(is_kill_pending(kGood + others));
    CHECK_FALSE(is_kill_pending(kGood + "SigIgn:\t0000000000000100\n"));
    CHECK(is_kill_pending(kGood + "SigPnd:\t0000000000000100\n"));
    CHECK(is_kill_pending(kGood + "SigPnd:\t0000000000000000\nShdPnd:\t0000000000004102\n"));
}
