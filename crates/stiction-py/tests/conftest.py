"""Scenes and models that several tests share."""

from __future__ import annotations

import pathlib

import pytest

import stiction

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def grasp() -> stiction.Model:
    return stiction.Model.from_file(ROOT / "scenes" / "grasp.xml")


@pytest.fixture
def humanoid() -> stiction.Model:
    return stiction.Model.from_file(ROOT / "scenes" / "humanoid.xml")
