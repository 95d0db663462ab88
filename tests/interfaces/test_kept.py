"""Results survive the failure of the job that makes them again."""

import pytest

from skillmill.interfaces.kept import (
    clear_leftovers,
    forget_results,
    keep_results,
    rescue_judged,
    restore_results,
)


@pytest.fixture
def places(tmp_path):
    results, kept = tmp_path / "results", tmp_path / "kept"
    (results / "s" / "library").mkdir(parents=True)
    (results / "s" / "library" / "scores.sqlite").write_text("scores")
    (results / "report.html").write_text("page")
    (results / "s" / "half.sqlite.elsewhere-7-00.tmp").write_text("draft")
    return results, kept


def test_a_missing_result_is_put_back_and_looks_old(places):
    results, kept = places
    assert keep_results(results, kept) == 2
    store = results / "s" / "library" / "scores.sqlite"
    store.unlink()
    assert restore_results(results, kept) == [store]
    assert store.read_text() == "scores"
    assert store.stat().st_mtime == 1
    assert not kept.exists()


def test_a_result_that_was_made_again_is_left_alone(places):
    results, kept = places
    keep_results(results, kept)
    page = results / "report.html"
    page.unlink()
    page.write_text("new page")
    assert restore_results(results, kept) == []
    assert page.read_text() == "new page"


def test_what_a_killed_run_kept_is_kept_on(places):
    results, kept = places
    keep_results(results, kept)
    store = results / "s" / "library" / "scores.sqlite"
    store.unlink()  # killed here: nothing was put back
    assert keep_results(results, kept) == 1
    assert restore_results(results, kept) == [store]


def test_nothing_kept_puts_nothing_back(places):
    results, kept = places
    keep_results(results, kept)
    forget_results(kept)
    (results / "report.html").unlink()
    assert restore_results(results, kept) == []


def test_drafts_of_killed_jobs_of_any_host_are_cleared(places):
    results, _ = places
    assert clear_leftovers(results) == 1
    assert not list(results.rglob("*.tmp"))
    assert (results / "s" / "library" / "scores.sqlite").exists()


HEADER = "source,relation,target,verdict,comment\n"


def test_a_judged_sample_that_was_drawn_anew_is_put_aside_once_and_never_over(places):
    results, kept = places
    sample = results / "s" / "library" / "edge_sample.csv"
    beside = sample.with_name("edge_sample.judged.csv")
    for verdict in ("correct", "wrong"):
        sample.unlink(missing_ok=True)
        sample.write_text(f"{HEADER}a,requires,b,{verdict},\n")
        keep_results(results, kept)
        assert rescue_judged(results, kept) == []  # still there
        sample.unlink()
        sample.write_text(f"{HEADER}a,requires,c,,\n")
        other = (
            beside if verdict == "correct" else beside.with_stem("edge_sample.judged-2")
        )
        assert rescue_judged(results, kept) == [other]
        assert rescue_judged(results, kept) == []
        assert f"b,{verdict}" in other.read_text()


def test_a_sample_that_nobody_judged_is_drawn_anew_without_a_word(places):
    results, kept = places
    sample = results / "s" / "library" / "edge_sample.csv"
    sample.write_text(f"{HEADER}a,requires,b, ,\n")
    keep_results(results, kept)
    sample.unlink()
    sample.write_text(f"{HEADER}a,requires,c,,\n")
    assert rescue_judged(results, kept) == []
    assert not list(sample.parent.glob("*judged*"))
