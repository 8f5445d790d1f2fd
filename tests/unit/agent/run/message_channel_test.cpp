#include "agent/run/message_channel.hpp"

#include "tests/support/catch.hpp"

namespace reaper::agent {

TEST_CASE("the last note of the other one is received, although it left one unread") {
    Link link = make_link().value();
    send_note(link.ours, {Note::Kind::pass_on, 15});  // never read
    send_note(link.theirs, {Note::Kind::ended, 7});
    link.theirs.reset();
    Note note;
    REQUIRE(receive_note(link.ours, note) == Received::note);
    CHECK(note.kind == Note::Kind::ended);
    CHECK(note.value == 7);
    CHECK(receive_note(link.ours, note) == Received::other_is_gone);
}

TEST_CASE("nothing is received from another one that lives and says nothing") {
    const Link link = make_link().value();
    Note note;
    CHECK(receive_note(link.ours, note) == Received::nothing);
}

}  // namespace reaper::agent
