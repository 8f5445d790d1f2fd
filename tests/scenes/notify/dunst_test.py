"""A real notification daemon, dunst, on a screen without a monitor. Only
`packaging/check --release` fetches it, everything else counts the case as skipped."""
import json
import os
import subprocess
import sys

from harness import debian, sandbox
from harness.actor import wait_until
from harness.desktop import NAME, PATH, Desktop
from harness.sandbox import case, expect
from harness.stage import Stage

WANTED = "REAPER_DUNST"
UNPACKED = "dunst-1"
PACKAGES = ("dunst", "libnotify4", "xvfb", "xserver-common", "x11-xkb-utils", "libxfont2")
QUICKLY = ("--min-age", "1ms", "--settle", "1ms", "--grace", "1s")
SCREEN = {"DISPLAY": ":77"}


large = sandbox.only_with(WANTED)


def show_packages():
    """In the mount namespace of the case, as if they were installed."""
    layers = f"lowerdir={debian.folder_of(UNPACKED)}/usr:/usr"
    sandbox.mount("tmpfs", "/tmp", "tmpfs", data="mode=1777")  # a screen has a socket there
    sandbox.mount("overlay", "/usr", "overlay", data=layers)
    for program in ("Xvfb", "dunst"):
        linked = subprocess.run(["ldd", f"/usr/bin/{program}"], capture_output=True, text=True)
        if "not found" in linked.stdout:
            raise sandbox.Skip(f"{program} needs more libraries than there are: {linked.stdout}")


@case
@large
def it_shows_what_was_ended():
    """By the same interface as the stand-in of the other scenes."""
    show_packages()
    stage = Stage()
    desktop = Desktop(stage)
    stand_in = desktop.methods()
    desktop.daemon.terminate()
    desktop.daemon.wait()
    desktop.start("Xvfb", SCREEN["DISPLAY"], "-screen", "0", "640x480x24", "-nolisten", "tcp")
    wait_until(lambda: os.path.exists("/tmp/.X11-unix/X77"), "the screen")
    desktop.start("dunst", "-config", "/dev/null", env=SCREEN)
    wait_until(desktop.owns_the_name, "dunst")
    real = desktop.methods()
    differ = {name: (form, real.get(name)) for name, form in stand_in.items() if real[name] != form}
    expect(not differ, f"{differ}")
    stage.orphans([stage.bridge("one"), stage.bridge("two")])
    result = stage.reaper("sweep", "--notify", *QUICKLY, env=desktop.environment())
    expect(result.status == 0, result.out + result.err)

    def shown():
        answer = desktop.busctl(
            *["--json=short", "call", NAME, PATH, "org.dunstproject.cmd0"],
            *["NotificationListHistory"],
        )
        return json.loads(answer.stdout)["data"][0] if answer.returncode == 0 else None

    desktop.busctl("call", NAME, PATH, "org.dunstproject.cmd0", "NotificationCloseAll")
    wait_until(shown, "the history of dunst")
    (told,) = shown()
    words = {key: told[key]["data"] for key in ("appname", "summary", "body")}
    expect(words["appname"] == "orphan-reaper", f"{words}")
    expect(words["summary"] == "2 leaked helpers ended", f"{words}")
    expect(words["body"].startswith("2 bridge: parent is init"), f"{words}")


if __name__ == "__main__":
    wanted = os.environ.get(WANTED) and sys.argv[1:2] not in (["--inside"], ["--list"])
    if wanted and not sandbox.missing_here():
        debian.unpack(UNPACKED, *PACKAGES)
    sandbox.main(__file__, globals())
