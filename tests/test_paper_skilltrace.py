"""The paper's settings of SkillTrace load, and hold the paper's numbers."""

from pathlib import Path

from skillmill.interfaces.configured import read_config
from skillmill.library.dependencies import DependencySettings
from skillmill.library.querytree import TreeSettings
from skillmill.library.tracing import TraceSettings
from tests.conftest import REPOSITORY

PAPER = REPOSITORY / "configs" / "paper" / "skilltrace.yaml"


def paper() -> object:
    return read_config([Path(PAPER)])


def test_the_papers_numbers_are_in_the_configuration():
    config = paper()
    trace = config.library.trace
    assert (trace.dependencies.candidates, trace.dependencies.threshold) == (8, 0.6)
    assert (trace.restart, trace.max_steps, trace.tolerance) == (0.2, 50, 1e-6)
    assert (trace.mode, trace.weights, trace.budget) == ("paper", "cosine", 6)
    assert config.encoder.name == "endpoint:text-embedding-3-large"
    assert config.encoder.dimension == 3072
    assert config.models.is_asked("decompose")
    assert config.models.is_asked("io_schema")


def test_settings_of_the_configuration_are_those_that_the_code_takes():
    for config in (paper(), read_config()):
        trace = config.library.trace
        own = trace.model_dump(exclude={"tree", "dependencies", "arms"})
        assert TraceSettings(**own).budget == trace.budget
        DependencySettings(**trace.dependencies.model_dump(exclude={"soft"}))
        TreeSettings(**trace.tree.model_dump())


def test_the_defaults_of_the_code_are_those_of_the_configuration():
    trace = read_config().library.trace
    own = trace.model_dump(exclude={"tree", "dependencies", "arms"})
    assert TraceSettings(**own) == TraceSettings()
    dependencies = trace.dependencies.model_dump(exclude={"soft"})
    assert DependencySettings(**dependencies) == DependencySettings()
    assert TreeSettings(**trace.tree.model_dump()) == TreeSettings()
