"""What is inside the binaries: a list of all crates (SBOM, CycloneDX) and their licences, for the wheel."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import project

LICENCE_NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")
# Crates that compile C keep its licence some directories below.
DEEPEST = 3


def of_wheel(crates: list[str]) -> dict[str, str]:
    """Files of the directory .dist-info, by name."""
    packages = linked_packages(crates)
    files = {f"licenses/{name}": (project.workspace() / name).read_text() for name in ["LICENSE-APACHE", "LICENSE-MIT"]}
    files["licenses/THIRD-PARTY.txt"] = third_party(packages)
    # Where PEP 770 wants it.
    files[f"sboms/{project.NAME}.cdx.json"] = json.dumps(bill(packages), indent=1) + "\n"
    return files


def linked_packages(crates: list[str]) -> list[dict]:
    """All packages that are linked into these crates, theirs and others', as `cargo metadata` describes them."""
    cargo = os.environ.get("CARGO", "cargo")
    host = subprocess.run([cargo, "-vV"], capture_output=True, text=True, check=True).stdout
    [host] = [line.split(": ")[1] for line in host.splitlines() if line.startswith("host: ")]
    command = [cargo, "metadata", "--format-version", "1", "--locked", "--filter-platform", host]
    done = subprocess.run(command, cwd=project.workspace(), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    # Crates of the workspace have distinct names.
    waiting = [name for name in found["workspace_members"] if packages[name]["name"] in crates]
    linked = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            # Neither what only builds nor what only tests.
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in linked:
                linked.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    return sorted((packages[name] for name in linked), key=lambda package: (package["name"], package["version"]))


def is_foreign(package: dict) -> bool:
    """Whether it is not of this workspace."""
    return package["source"] is not None


def bill(packages: list[dict]) -> dict:
    """The list of crates that are not ours."""
    components = [
        {
            "type": "library",
            "name": package["name"],
            "version": package["version"],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
            "licenses": [{"expression": expression(package)}],
        }
        for package in packages
        if is_foreign(package)
    ]
    about = {"type": "application", "name": project.NAME, "version": project.version()}
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": about}, "components": components}


def expression(package: dict) -> str:
    """The licence. Crates that are old write `/` for OR."""
    return (package["license"] or "NOASSERTION").replace("/", " OR ")


def third_party(packages: list[dict]) -> str:
    """The licences of what others wrote, with their texts; a text that several have is there once."""
    by_text: dict[str, list[str]] = {}
    for package in filter(is_foreign, packages):
        name = f"{package['name']} {package['version']} ({expression(package)})"
        for text in licence_texts(Path(package["manifest_path"]).parent) or ["(its package contains no text of its licence)"]:
            by_text.setdefault(text, []).append(name)
    rule = "=" * 100
    parts = [f"{rule}\n" + "\n".join(names) + f"\n{rule}\n\n{text}\n" for text, names in by_text.items()]
    return "The plugins and the command contain the following crates, and the C libraries in them.\n\n" + "\n".join(parts)


def licence_texts(folder: Path) -> list[str]:
    """The texts in a package, those of C libraries in it included."""
    found = []
    for path in sorted(folder.rglob("*")):
        depth = len(path.relative_to(folder).parts)
        if depth <= DEEPEST and path.is_file() and path.name.lower().startswith(LICENCE_NAMES) and path.suffix not in (".rs", ".c", ".h"):
            found.append(path.read_text(errors="replace").strip())
    return list(dict.fromkeys(found))
