#include "scanner/parse/proc_cgroup.hpp"

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

namespace {

std::string unit_name(std::string_view path) {
    const auto unit = unit_of(path);
    return unit ? unit->name : "none";
}

bool is_refused(std::string_view text) {
    const auto path = systemd_path(text);
    return !path && path.error().code == std::errc::invalid_argument;
}

}  // namespace

TEST_CASE("the systemd path on unified, legacy and hybrid systems") {
    CHECK(systemd_path("0::/system.slice/a.service\n") == "/system.slice/a.service");
    CHECK(systemd_path("4:memory:/x\n1:name=systemd:/user.slice\n") == "/user.slice");
    CHECK(systemd_path("12:cpu,cpuacct:/c\n1:name=systemd:/named\n0::/unified\n") == "/named");
    CHECK(systemd_path("1:name=systemd:/\n0::/unified\n") == "/unified");
    CHECK(systemd_path("1:name=systemd:/\n0::/\n") == "/");
    CHECK(systemd_path("1:name=systemd:/\n") == "/");
}

TEST_CASE("a cgroup path may hold colons, and loses the kernel's note that it was removed") {
    CHECK(systemd_path("0::/a:b/c::d\n") == "/a:b/c::d");
    CHECK(systemd_path("0::/a.service (deleted)\n") == "/a.service");
    CHECK(systemd_path("0::/../../outside\n") == "/../../outside");
}

TEST_CASE("no systemd hierarchy is not the same as a malformed file") {
    for (const char* text :
         {"", "4:memory:/x\n", "1:name=openrc:/x\n", "3:name=systemd2:/x\n", "0:cpu:/x\n"}) {
        INFO(text);
        const auto path = systemd_path(text);
        REQUIRE_FALSE(path);
        CHECK(path.error().code == std::errc::no_such_file_or_directory);
    }
}

TEST_CASE("malformed cgroup files are refused") {
    for (const char* text :
         {"0::/cut", "0::\n", "0::relative\n", ":\n", "::/\n", "-1::/\n", "x::/\n", "\n", "0:/a\n",
          "0::/a\n0::/b\n", "1:name=systemd:/a\n2:name=systemd:/b\n", "99999999999::/\n",
          "0::/a\n\n"}) {
        INFO(text);
        CHECK(is_refused(text));
    }
}

TEST_CASE("the innermost unit of a path") {
    CHECK(unit_name("/system.slice/hermes-gateway.service") == "hermes-gateway.service");
    CHECK(unit_name("/user.slice/user-1000.slice/session-3.scope") == "session-3.scope");
    CHECK(unit_name("/system.slice/docker-abc.scope/system.slice/inner.service/payload") ==
          "inner.service");
    CHECK(unit_name("/system.slice/system-a\\x2db.slice/a\\x2db@1.service") == "a\\x2db@1.service");
    CHECK(unit_name("/system.slice/__odd.service") == "_odd.service");
    CHECK(unit_name("/init.scope") == "init.scope");
}

TEST_CASE("what a service calls a scope is a part of it") {
    CHECK(unit_name("/system.slice/agents.service/worker.scope") == "agents.service");
    CHECK(unit_name("/system.slice/agents.service/a/b.scope/c") == "agents.service");
    CHECK(unit_name("/system.slice/agents.service/app.slice/own.scope") ==
          "own.scope");  // a manager inside of it
    CHECK(unit_name("/user.slice/user-1.slice/user@1.service/app.slice/app-x.scope") ==
          "app-x.scope");
    CHECK(unit_name("/docker/0123/init.scope") == "init.scope");
}

TEST_CASE("desktops start each program in a scope of its own, or in a service") {
    const std::string apps = "/user.slice/user-1000.slice/user@1000.service/app.slice/";
    CHECK(unit_name(apps + "app-gnome-org.gnome.Terminal-4321.scope") ==
          "app-gnome-org.gnome.Terminal-4321.scope");
    CHECK(unit_name(apps + R"(app-gnome-claude\x2ddesktop-12345.scope)") ==
          R"(app-gnome-claude\x2ddesktop-12345.scope)");
    CHECK(unit_name(apps + "app-org.gnome.Terminal.slice/vte-spawn-0123.scope") ==
          "vte-spawn-0123.scope");
    CHECK(unit_name(apps + "app-org.kde.konsole@0123.service") ==
          "app-org.kde.konsole@0123.service");
}

TEST_CASE("whether a manager made the cgroup of a unit") {
    CHECK(lies_in_slices("/system.slice/a.service", ""));
    CHECK(lies_in_slices("/system.slice/a.service/sub/b.service", ""));  // of a.service
    CHECK(lies_in_slices("/a.service", ""));
    CHECK(lies_in_slices("/machine.slice/x/system.slice/a.service", "/machine.slice/x"));
    CHECK(lies_in_slices("/user.slice/user@1.service/app.slice/a.service",
                         "/user.slice/user@1.service"));
    CHECK_FALSE(lies_in_slices("/machine.slice/x/system.slice/a.service", ""));
    CHECK_FALSE(
        lies_in_slices("/user.slice/user@1.service/x/a.service", "/user.slice/user@1.service"));
    CHECK_FALSE(lies_in_slices("/system.slice", ""));
    CHECK_FALSE(lies_in_slices("/other.slice/a.service", "/system.slice"));
    CHECK_FALSE(lies_in_slices("", ""));
}

TEST_CASE("no unit") {
    for (const char* path : {"", "/", "//", "/user.slice/user-1000.slice", "/docker/0123",
                             "/.service", "/.scope", "/a.services", "/a.scope.d", "service"}) {
        INFO(path);
        CHECK(unit_name(path) == "none");
    }
}

TEST_CASE("units of a user manager, and the manager itself") {
    const auto app =
        unit_of("/user.slice/user-1000.slice/user@1000.service/app.slice/hermes.service");
    REQUIRE(app);
    CHECK(app->name == "hermes.service");
    CHECK(app->of_user_manager);
    const auto init = unit_of("/user.slice/user-1000.slice/user@1000.service/init.scope");
    REQUIRE(init);
    CHECK(init->name == "init.scope");
    CHECK(init->of_user_manager);
    CHECK_FALSE(unit_of("/user.slice/user-1000.slice/user@1000.service")->of_user_manager);
    CHECK_FALSE(unit_of("/init.scope")->of_user_manager);
    CHECK_FALSE(unit_of("/user@x.service/a.service")->of_user_manager);
    CHECK_FALSE(app->asked);
}

TEST_CASE("the path of a systemd --user process") {
    CHECK(is_user_manager_path("/user.slice/user-1000.slice/user@1000.service/init.scope"));
    CHECK(is_user_manager_path("/user@0.service/init.scope"));
    for (const char* path :
         {"/init.scope", "/user@1000.service", "/user@1000.service/app.slice/init.scope",
          "/user@.service/init.scope", "/user@-1.service/init.scope", "/user@1x.service/init.scope",
          "/user@1000.service/init.scope/x", "/xuser@1000.service/init.scope", ""}) {
        INFO(path);
        CHECK_FALSE(is_user_manager_path(path));
    }
}

TEST_CASE("the path in the hierarchy of one controller of version 1") {
    const std::string text = "9:name=systemd:/s\n8:cpu,pids:/a:b\n7:pidsy:/no\n0::/u\n";
    CHECK(controller_path(text, "pids") == "/a:b");
    CHECK(controller_path(text, "cpu") == "/a:b");
    CHECK(controller_path("0::/u\n", "pids").error().code == std::errc::no_such_file_or_directory);
    CHECK(controller_path("", "pids").error().code == std::errc::no_such_file_or_directory);
    for (const char* odd : {"8:pids:/a", "pids\n", "8:pids:a\n"})
        CHECK(controller_path(odd, "pids").error().code == std::errc::invalid_argument);
}
