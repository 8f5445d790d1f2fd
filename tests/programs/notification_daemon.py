"""Stands in for the desktop: owns org.freedesktop.Notifications on the session bus, with the
methods of that interface, and appends what it is told to a file, one line of JSON each."""
import json
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"


class Desktop(dbus.service.Object):
    def __init__(self, bus, file):
        super().__init__(bus, "/org/freedesktop/Notifications")
        self.file, self.last = file, 0

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, summary, body, actions, hints, timeout):
        self.last += 1
        told = {"app": app, "replaces": replaces, "icon": icon, "summary": summary, "body": body}
        told.update(actions=list(actions), timeout=timeout, hints={k: int(hints[k]) for k in hints})
        with open(self.file, "a") as file:
            file.write(json.dumps(told) + "\n")
        return self.last

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return ["body", "body-markup"]

    @dbus.service.method(NAME, out_signature="ssss")
    def GetServerInformation(self):
        return ("stand-in", "orphan-reaper", "1", "1.2")

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
session = dbus.SessionBus()
name = dbus.service.BusName(NAME, session, do_not_queue=True)
desktop = Desktop(session, sys.argv[1])
GLib.MainLoop().run()
