"""Which study a command is about where none is named."""

import json

import pytest
from click.testing import CliRunner

from skillmill.errors import InputError
from skillmill.interfaces.cli import main
from skillmill.interfaces.studies import study_meant
from tests.interfaces import gardens


def built(results, *studies):
    for study in studies:
        folder = results / study / "library"
        folder.mkdir(parents=True)
        (folder / "catalogue.sqlite").touch()
    return results


def test_the_only_study_is_meant_and_a_named_one_before_it(tmp_path):
    assert study_meant(built(tmp_path / "a", "mine"), None) == "mine"
    assert study_meant(built(tmp_path / "b", "mine", "yours"), "yours") == "yours"


def test_of_several_the_shipped_sample_is_meant(tmp_path):
    assert study_meant(built(tmp_path, "mine", "sample"), None) == "sample"


@pytest.mark.parametrize(
    ("studies", "study", "said"),
    [
        ((), None, "no study is below .*none yet, run `skillmill run` first"),
        (("a", "b"), None, "several studies are below .*there are: a, b"),
        (("a",), "b", "no study 'b' is below .*there are: a"),
    ],
)
def test_where_none_is_clear_those_there_are_named(tmp_path, studies, study, said):
    results = built(tmp_path, *studies)
    with pytest.raises(InputError, match=said):
        study_meant(results, study)


def test_a_folder_without_a_store_is_no_study(tmp_path):
    (tmp_path / "figures").mkdir()
    assert study_meant(built(tmp_path, "mine"), None) == "mine"


def test_what_needs_no_study_goes_on_without_one(tmp_path):
    assert study_meant(tmp_path, None, needed=False) == "sample"
    assert study_meant(built(tmp_path, "a", "b"), None, needed=False) == "sample"
    with pytest.raises(InputError, match="no study 'c'"):
        study_meant(tmp_path, "c", needed=False)


def test_a_question_of_the_only_study_needs_no_study(tmp_path):
    gardens.build(tmp_path)
    done = CliRunner().invoke(
        main, ["recall", "garden/q0", "--results", str(tmp_path), "--json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[1])["atom"] == "garden/2/0"


def test_a_summary_of_a_study_that_is_not_there_is_no_empty_one(tmp_path):
    done = CliRunner().invoke(main, ["show", "summary", "--results", str(tmp_path)])
    assert (done.exit_code, done.stdout) == (3, "")
    assert "no study is below" in done.stderr
