#include "scanner/parse/sock_diag_reply.hpp"

#include <cstring>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

namespace {

template <class Number>
std::string raw(Number value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::string padded(std::string bytes) {
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    return bytes;
}

std::string message(std::uint16_t type, const std::string& payload, std::uint32_t sequence = 1,
                    std::uint16_t flags = 2) {
    const auto length = static_cast<std::uint32_t>(16 + payload.size());
    return padded(raw(length) + raw(type) + raw(flags) + raw(sequence) + raw(std::uint32_t{0}) +
                  payload);
}

std::string attribute(std::uint16_t type, const std::string& value) {
    return padded(raw(static_cast<std::uint16_t>(4 + value.size())) + raw(type) + value);
}

std::string unix_socket(std::uint8_t state, std::uint32_t inode, const std::string& attributes) {
    return std::string{'\1', '\1', static_cast<char>(state), '\0'} + raw(inode) +
           std::string(8, '\0') + attributes;
}

std::string tcp_socket(std::uint8_t family, std::uint8_t state, std::uint16_t port,
                       std::string address, std::uint32_t inode) {
    address.resize(16, '\0');
    const std::string port_bytes{static_cast<char>(port >> 8), static_cast<char>(port & 0xff)};
    return std::string{static_cast<char>(family), static_cast<char>(state), '\0', '\0'} +
           port_bytes + std::string(2, '\0') + address + std::string(16 + 12 + 16, '\0') +
           raw(inode);
}

const std::string kDone = message(3, raw(std::int32_t{0}));

std::error_code error_of(std::string_view bytes) {
    const auto reply = parse_sock_diag(bytes, 1);
    return reply ? std::error_code() : reply.error().code;
}

}  // namespace

TEST_CASE("a unix socket, its peer and what is shut") {
    const auto reply = parse_sock_diag(
        message(20, unix_socket(1, 77, attribute(2, raw(std::uint32_t{0})) + attribute(6, "\3"))) +
            message(20,
                    unix_socket(1, 78, attribute(6, "\1") + attribute(2, raw(std::uint32_t{79})))) +
            kDone,
        1);
    REQUIRE(reply);
    CHECK(reply->done);
    REQUIRE(reply->sockets.size() == 2);
    CHECK(reply->sockets[0] == DiagSocket{SocketFamily::unix_domain, false, 77, false, "", 0,
                                          std::nullopt, 0, true, true});
    CHECK(reply->sockets[1] == DiagSocket{SocketFamily::unix_domain, false, 78, false, "", 0,
                                          std::nullopt, 79, true, false});
}

TEST_CASE("what waits to be accepted by a unix socket") {
    const std::string waiting = raw(std::uint32_t{5}) + raw(std::uint32_t{6});
    const auto reply = parse_sock_diag(message(20, unix_socket(10, 77, attribute(3, waiting))), 1);
    REQUIRE(reply);
    CHECK(reply->sockets.at(0).waiting == std::vector<std::uint64_t>{5, 6});
    CHECK(error_of(message(20, unix_socket(10, 77, attribute(3, waiting + "x")))) ==
          std::errc::bad_message);
}

TEST_CASE("listening sockets and their addresses") {
    const std::string abstract("\0name", 5);
    const std::string path("/run/a.sock\0", 12);
    const auto reply =
        parse_sock_diag(message(20, tcp_socket(2, 10, 18800, std::string("\x7f\0\0\1", 4), 5)) +
                            message(20, tcp_socket(10, 10, 80, std::string(15, '\0') + "\1", 6)) +
                            message(20, unix_socket(10, 7, attribute(0, abstract))) +
                            message(20, unix_socket(10, 8, attribute(0, path))),
                        1);
    REQUIRE(reply);
    CHECK_FALSE(reply->done);
    REQUIRE(reply->sockets.size() == 4);
    CHECK(reply->sockets[1] == DiagSocket{SocketFamily::tcp6, true, 6, false, "::1", 80,
                                          std::nullopt, std::nullopt, false, false});
    CHECK(reply->sockets[0] == DiagSocket{SocketFamily::tcp4, true, 5, false, "127.0.0.1", 18800,
                                          std::nullopt, std::nullopt, false, false});
    CHECK(reply->sockets[2].address == "@name");
    CHECK((reply->sockets[2].abstract && !reply->sockets[3].abstract));
    CHECK(reply->sockets[3].address == "/run/a.sock");
}

TEST_CASE("a unix socket has an owner, and listens or does not") {
    const auto reply =
        parse_sock_diag(message(20, unix_socket(10, 8, attribute(7, raw(std::uint32_t{0})))) +
                            message(20, unix_socket(7, 9, attribute(7, raw(std::uint32_t{1000})))),
                        1);
    REQUIRE(reply);
    REQUIRE(reply->sockets.size() == 2);
    CHECK((reply->sockets[0].listening && reply->sockets[0].owner == 0U));
    CHECK((!reply->sockets[1].listening && reply->sockets[1].owner == 1000U));
}

TEST_CASE("an error of the kernel keeps its code") {
    CHECK(error_of(message(2, raw(std::int32_t{-2}) + std::string(16, '\0'))) ==
          std::errc::no_such_file_or_directory);
    CHECK(error_of(message(2, raw(std::int32_t{-13}))) == std::errc::permission_denied);
    CHECK(error_of(message(3, raw(std::int32_t{-4}))) == std::errc::interrupted);
    CHECK(error_of(message(2, raw(std::numeric_limits<std::int32_t>::min()))) ==
          std::errc::io_error);
    CHECK(error_of(message(2, raw(std::int32_t{0}))) == std::error_code());
    CHECK(error_of(message(20, unix_socket(1, 7, ""), 1, 0x12)) ==
          std::errc::resource_unavailable_try_again);
}

TEST_CASE("answers to other questions are skipped") {
    const auto reply = parse_sock_diag(
        message(20, unix_socket(1, 7, ""), 9) + message(2, raw(std::int32_t{-2}), 8), 1);
    REQUIRE(reply);
    CHECK(*reply == DiagReply{});
    CHECK(parse_sock_diag("", 1).value() == DiagReply{});
    CHECK(parse_sock_diag(message(1, ""), 1).value() == DiagReply{});
}

TEST_CASE("every way to cut a message off is an error, never a read past the end") {
    const std::string whole =
        message(20, unix_socket(1, 77, attribute(2, raw(std::uint32_t{5})) + attribute(6, "\3")));
    REQUIRE(parse_sock_diag(whole, 1));
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const std::string cut = whole.substr(0, size);  // of that size exactly, for the sanitizers
        CHECK(error_of(cut) == std::errc::bad_message);
    }
    const std::string payload = unix_socket(1, 77, attribute(2, raw(std::uint32_t{5})));
    for (std::size_t size = 0; size < payload.size(); ++size) {
        if (size == 16) continue;  // no attributes at all is fine
        INFO(size);
        CHECK(error_of(message(20, payload.substr(0, size))) == std::errc::bad_message);
    }
    const std::string tcp = tcp_socket(2, 10, 1, "", 5);
    CHECK(error_of(message(20, tcp.substr(0, 71))) == std::errc::bad_message);
}

TEST_CASE("lengths that lie") {
    std::string zero = message(20, unix_socket(1, 7, ""));
    zero.replace(0, 4, raw(std::uint32_t{0}));
    std::string huge = message(20, unix_socket(1, 7, ""));
    huge.replace(0, 4, raw(std::uint32_t{0xffffffff}));
    for (const std::string& bytes :
         {zero, huge, message(20, unix_socket(1, 7, raw(std::uint16_t{0}) + raw(std::uint16_t{2}))),
          message(20, unix_socket(1, 7, raw(std::uint16_t{0xffff}) + raw(std::uint16_t{2}))),
          message(20, unix_socket(1, 7, attribute(2, "ab"))),
          message(20, unix_socket(1, 7, attribute(7, "abc"))),
          message(20, unix_socket(1, 7, attribute(6, ""))), message(2, "ab"), message(3, ""),
          message(20, ""), message(20, std::string(80, '\x63'))}) {
        CHECK(error_of(bytes) == std::errc::bad_message);
    }
}
