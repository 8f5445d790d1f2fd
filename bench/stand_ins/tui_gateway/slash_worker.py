"""Stands in for the real worker of that name: it sleeps, whatever becomes of its stdin."""
import signal

signal.pause()
