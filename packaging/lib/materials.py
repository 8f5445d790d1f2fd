"""Prints what a release consists of, as CycloneDX 1.6: the libraries that are linked into it, in
the versions of Debian's packages that it was built with.

materials.py VERSION COMMIT
"""
import json
import os
import subprocess
import sys
import uuid
from datetime import datetime, timezone

# Package of Debian -> name, licence.
LIBRARIES = {
    "libfmt-dev": ("fmt", "MIT"),
    "nlohmann-json3-dev": ("nlohmann_json", "MIT"),
    "libexpected-dev": ("tl-expected", "CC0-1.0"),
    "libc6-dev": ("glibc", "LGPL-2.1-or-later"),
    "libstdc++-12-dev": ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1"),
}


def version_of(package):
    query = ["dpkg-query", "-W", "-f=${Version}", package]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout


def component(package, name, licence):
    version = version_of(package)
    url = f"pkg:deb/debian/{package.replace('+', '%2B')}@{version.replace('+', '%2B')}"
    said = {"expression": licence} if " " in licence else {"license": {"id": licence}}
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": version,
        "licenses": [said],
        "purl": url,
    }


def main():
    version, commit = sys.argv[1:]
    when = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc)
    program = f"orphan-reaper@{version}"
    libraries = [component(package, *about) for package, about in LIBRARIES.items()]
    materials = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{program}+{commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": program,
                "name": "orphan-reaper",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
            },
        },
        "components": libraries,
        "dependencies": [{"ref": program, "dependsOn": [one["bom-ref"] for one in libraries]}]
        + [{"ref": one["bom-ref"], "dependsOn": []} for one in libraries],
    }
    json.dump(materials, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
