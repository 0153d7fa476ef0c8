"""The package as a whole: settings against the engine's, documentation, types, examples, README."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import stiction
from stiction import _stiction
from stiction.settings import ContactModel, SettingsOptions

ROOT = pathlib.Path(__file__).resolve().parents[3]
EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def test_the_settings_classes_are_the_engines() -> None:
    engine = json.loads(_stiction.default_settings())
    for formulation in engine["formulations"]:
        ((name, fields),) = formulation.items()
        assert dataclasses.asdict(getattr(stiction, name)()) == fields
    ours = json.loads(stiction.Settings().to_json())
    assert {**ours, "formulation": None, "duration": None} == engine["options"]
    assert set(SettingsOptions.__annotations__) == {f.name for f in dataclasses.fields(stiction.Settings)} | {"dt"}
    # What the engine's settings have, Settings has.
    assert set(engine["settings"]) - {"formulation"} <= {f.name for f in dataclasses.fields(stiction.Settings)}
    assert list(ContactModel.__args__) == engine["names"]
    stepper = str(inspect.get_annotations(stiction.Settings)["stepper"])
    assert all(name in stepper for name in engine["steppers"])
    impact = str(inspect.get_annotations(stiction.Settings)["impact"])
    assert all(name in impact for name in engine["impacts"])
    # The default of each formulation, given in full, is accepted.
    for name in ("ExactCone", "Polyhedral", "FrictionBox", "NoSlip"):
        stiction.Simulation(stiction.Model.builtin("pendulum"), contact=getattr(stiction, name)())


def public_members() -> list[tuple[str, object]]:
    """Everything a user can name."""
    modules = [stiction]
    for name in ("plot", "gym", "rerun"):
        modules.append(__import__(f"stiction.{name}", fromlist=[name]))
    members: list[tuple[str, object]] = []
    for module in modules:
        names = getattr(module, "__all__", None) or [
            n for n, v in vars(module).items() if not n.startswith("_") and getattr(v, "__module__", "") == module.__name__
        ]
        for name in names:
            value = getattr(module, name)
            members.append((f"{module.__name__}.{name}", value))
            if inspect.isclass(value):
                for attribute, inner in vars(value).items():
                    if not attribute.startswith("_") and not isinstance(inner, (str, int, float, type(None), bool, dict)):
                        members.append((f"{module.__name__}.{name}.{attribute}", inner))
    return members


def test_every_public_name_has_a_docstring() -> None:
    pytest.importorskip("gymnasium", reason="SKIPPED: gymnasium is not installed")
    from stiction.gym import Task

    members = [(name, value) for name, value in public_members() if name not in ("stiction.__version__", "stiction.Formulation")]
    assert len(members) > 130
    missing = [name for name, value in members if not (inspect.getdoc(value) or "").strip()]
    # Fields of dataclasses are documented in their class, by name.
    missing = [name for name in missing if not name.startswith("stiction.gym.Task.")]
    assert missing == []
    for cls in (stiction.Settings, stiction.ExactCone, stiction.Polyhedral, stiction.FrictionBox, stiction.NoSlip, Task):
        for field in dataclasses.fields(cls):
            assert f"{field.name}:" in (cls.__doc__ or ""), (cls, field.name)


def test_numbers_with_a_unit_say_it() -> None:
    units = re.compile(r"\((.*\b)?(s|m|kg|N|J|W|rad|dimensionless|1/kg|N s|N m|m/s|rad/s)\b.*\)|unit quaternion", re.S)
    for name in ("time", "timestep"):
        assert units.search(getattr(stiction.Simulation, name).__doc__)
    for cls in (stiction.Certificate, stiction.Work):
        for name in vars(cls):
            if not name.startswith("_") and name != "as_dict":
                assert units.search(getattr(cls, name).__doc__), name
    for function in (stiction.mass_matrix, stiction.bias_forces, stiction.jacobian):
        assert units.search(function.__doc__ or "")


def run(*command: str, cwd: pathlib.Path = ROOT) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, "MPLBACKEND": "Agg"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs(example: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for need, names in {"gymnasium": ["gymnasium_env"], "matplotlib": ["plots"]}.items():
        if example.stem in names:
            pytest.importorskip(need, reason=f"SKIPPED: {need} is not installed")
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    assert run(sys.executable, str(example), cwd=tmp_path)


def test_types_are_strict_in_package_and_examples() -> None:
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not installed")
    pytest.importorskip("gymnasium", reason="SKIPPED: gymnasium is not installed")
    package = ROOT / "crates" / "stiction-py" / "python" / "stiction"
    run(sys.executable, "-m", "mypy", "--strict", str(package), *map(str, EXAMPLES))


def test_the_stub_is_the_module() -> None:
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not installed")
    run(sys.executable, "-m", "mypy.stubtest", "stiction._stiction", "--mypy-config-file", str(ROOT / "pyproject.toml"))


DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs" / "src").glob("*.md"))]
DOCUMENTS = [path for path in DOCUMENTS if "```python\n" in path.read_text()]


def test_the_documents_have_python_snippets() -> None:
    assert {"README", "python", "getting-started", "recordings"} <= {path.stem for path in DOCUMENTS}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)
def test_every_python_snippet_of_the_documents_runs(document: pathlib.Path, tmp_path: pathlib.Path) -> None:
    snippets = re.findall(r"```python\n(.*?)```", document.read_text(), re.S)
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    for snippet in snippets:
        if "grasp.npz" in snippet:
            sim = stiction.Simulation(stiction.Model.builtin("grasp"), record=True)
            for _ in range(100):
                sim.step()
            sim.save(tmp_path / "grasp.npz")
        run(sys.executable, "-c", snippet, cwd=tmp_path)
