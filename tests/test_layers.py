"""The architecture's law: a module imports from layers below it, never from one above; heavy libraries stay put."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "lowkey"

# From the ground up; what stands in one line may import each other.
LAYERS = (
    ("errors",),
    ("checks",),
    ("files", "encoding"),
    ("attributes", "records"),
    ("schema",),
    ("workloads",),
    ("mechanisms",),
    ("analysis",),
    ("optimize",),
    ("survey", "survey_document", "deployment", "counts"),
    ("simulate", "estimate"),
    ("report",),
    ("__init__",),
    ("experiments",),
    ("cli",),
    ("__main__",),
)
LEVEL = {name: level for level, layer in enumerate(LAYERS) for name in layer}

# Libraries that may be imported only in these modules (a folder's name stands for all in it).
HOMES = {
    "matplotlib": ("report",),
    "jinja2": ("report",),
    "torch": ("optimize", "experiments.machine"),
    "array_api_compat": ("optimize",),
    "duckdb": ("workloads.sql", "workloads.cell_table", "workloads.predicate"),
    "typer": ("cli",),
    "rich": ("cli", "report", "optimize.progress"),
    "pydantic": ("deployment", "survey", "survey_document"),
    "narwhals": ("records", "estimate"),
}


def modules() -> list[str]:
    """Every module below lowkey, by its name within the package: "workloads.sql"."""
    names = []
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts))
    return names


def imports(module: str) -> Iterator[str]:
    """What a module imports, wherever in it: "lowkey.schema", "numpy"; type-checking imports are not followed."""
    path = SOURCE.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    yield from imported(ast.parse(file.read_text(encoding="utf-8")))


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they point"
            if node.module == "lowkey":
                yield from (f"lowkey.{alias.name}" for alias in node.names)
            else:
                yield str(node.module)
        elif isinstance(node, ast.Call) and "import_module" in ast.dump(node.func):
            yield from (str(argument.value) for argument in node.args if isinstance(argument, ast.Constant))
        yield from imported(node)


def level_of(name: str) -> int:
    """The layer of "lowkey.workloads.sql" or "workloads.sql"; "lowkey.__version__" is the package's own."""
    return LEVEL.get(name.removeprefix("lowkey.").split(".")[0], LEVEL["__init__"])


def upward(module: str, found: Iterator[str]) -> list[str]:
    own = [name for name in found if name.startswith("lowkey.")]
    return [name for name in own if level_of(name) > level_of(module)]


@pytest.mark.parametrize("module", modules())
def test_imports_point_downward(module: str) -> None:
    assert upward(module, imports(module)) == []


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_only_at_home(library: str) -> None:
    strangers = [
        module
        for module in modules()
        for name in imports(module)
        if name.split(".")[0] == library
        and not any(module == home or module.startswith(f"{home}.") for home in HOMES[library])
    ]
    assert strangers == []


def test_every_module_has_a_layer() -> None:
    assert {module.split(".")[0] for module in modules()} <= set(LEVEL)


def test_an_upward_import_is_found() -> None:
    tree = ast.parse("def f():\n    from lowkey.report import page\n    from lowkey.schema import Schema")
    assert upward("analysis.variance", imported(tree)) == ["lowkey.report"]


def test_importing_lowkey_loads_no_extra() -> None:
    program = "import sys, lowkey; print(sorted({'matplotlib', 'jinja2', 'torch', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
