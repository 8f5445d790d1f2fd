"""hermes_probe.py DIR WISH: does with a plugin what the loader and the probe of Hermes are
documented to do, and prints what it registered and what came of calling that. WISH is JSON:
settings, seconds (that an answer may take), words (of slash commands)."""
import asyncio
import importlib.util
import inspect
import json
import os
import sys
import time
import types

FOLDER, WISH = sys.argv[1], json.loads(sys.argv[2])
SESSION = {"telemetry_schema_version": "hermes.observer.v1", "future_field": object()}
# As documented, as the exit paths leave it, and with no more than a host may leave out.
PAYLOADS = [
    {"session_id": "s", "platform": "cli", "reason": "quit", **SESSION},
    {"session_id": None, "platform": "gateway", "old_session_id": "a", "new_session_id": "b"},
    {},
]
found = {"hooks": {}, "tools": [], "commands": {}, "other": [], "calls": [], "answers": []}


class Context:
    """What a plugin gets: it records; what it does not know does nothing."""

    plugin_id, profile_name = "orphan-reaper", "default"

    def register_hook(self, name, callback):
        found["hooks"].setdefault(name, []).append(callback)

    def register_tool(self, name, *_words, **_more):
        found["tools"].append(name)

    def register_command(
        self, name, handler, description="", args_hint="", argument_mode=None
    ):  # pylint: disable=unused-argument
        found["commands"][name] = handler

    def get_config(self, key, default=None):
        if WISH.get("settings") == "broken":
            raise KeyError(key)
        return WISH.get("settings", {}).get(key, default)

    def __getattr__(self, name):
        return lambda *_words, **_more: found["other"].append(name)


def load():
    package = types.ModuleType("hermes_plugins")
    package.__path__ = []
    sys.modules["hermes_plugins"] = package
    spec = importlib.util.spec_from_file_location(
        "hermes_plugins.orphan_reaper",
        FOLDER + "/__init__.py",
        submodule_search_locations=[FOLDER],
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def call(name, callback, payload):
    began, trouble = time.monotonic(), ""
    try:
        callback(**payload)
    except BaseException as error:  # pylint: disable=broad-exception-caught
        trouble = repr(error)
    found["calls"].append([name, time.monotonic() - began, trouble])


def children():
    """Of this process, also those that have ended and were not waited for."""
    path = f"/proc/self/task/{os.getpid()}/children"
    with open(path, encoding="ascii") as file:
        return file.read().split()


def answer(handler, words):
    said = handler(words)
    return asyncio.run(said) if inspect.isawaitable(said) else said


def main():
    before = set(sys.modules)
    module = load()
    found["imported"] = sorted(set(sys.modules) - before)
    for name, value in WISH.get("values", {}).items():
        assert hasattr(module, name), name
        setattr(module, name, value)
    module.register(Context())
    for name, callbacks in found["hooks"].items():
        for callback in callbacks:
            kinds = [one.kind for one in inspect.signature(callback).parameters.values()]
            assert inspect.Parameter.VAR_KEYWORD in kinds, f"{name} takes no unknown keywords"
            for payload in PAYLOADS[: WISH.get("payloads", len(PAYLOADS))]:
                call(name, callback, payload)
    for words in WISH.get("words", []):
        found["answers"].append(answer(found["commands"]["orphans"], words))
    found["children"] = children()
    found["hooks"], found["commands"] = sorted(found["hooks"]), sorted(found["commands"])
    print(json.dumps(found))


main()
