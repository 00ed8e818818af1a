"""Fetches netCDF4's own tests: `fetch_netcdf4_tests.py FOLDER`. They are in its source package only, not in the wheel.

pip would build the package to fetch it, so it is taken from the index that pip is configured for.
"""

import hashlib
import io
import os
import re
import ssl
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from pathlib import Path

# The version of requirements.txt.
NAME = "netcdf4-1.7.5.1.post1"
SHA256 = "9823076013fd54e7984d3ae8f431671fd199b15eeb267f91b8c4b057fd8324ab"


def index():
    """The address of the package index."""
    given = os.environ.get("PIP_INDEX_URL")
    if not given:
        asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        given = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    return given or "https://pypi.org/simple"


def get(address):
    certificates = os.environ.get("PIP_CERT")
    context = ssl.create_default_context(cafile=certificates if certificates else None)
    with urllib.request.urlopen(address, timeout=120, context=context) as answer:
        return answer.read()


def main():
    folder = Path(sys.argv[1])
    page = f"{index().rstrip('/')}/netcdf4/"
    links = re.findall(rf'href="([^"]*/{re.escape(NAME)}\.tar\.gz[^"]*)"', get(page).decode())
    if not links:
        sys.exit(f"{page} has no {NAME}.tar.gz")
    package = get(urllib.parse.urljoin(page, links[0]))
    found = hashlib.sha256(package).hexdigest()
    if found != SHA256:
        sys.exit(f"{NAME}.tar.gz has the checksum {found} instead of {SHA256}")
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        prefix = f"{NAME}/test/"
        members = [member for member in archive if member.isfile() and member.name.startswith(prefix)]
        for member in members:
            place = folder / member.name.removeprefix(prefix)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(archive.extractfile(member).read())
    if len(members) < 60:
        sys.exit(f"{NAME}.tar.gz has only {len(members)} files of tests")


main()
