import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.data.evidence import read_evidence

TURNS = {"D3:2", "D5:9", "D4:7", "D7:4", "D1:1", "D30:5", "note 7"}


def codes(value):
    return [remark.code for remark in read_evidence(value, TURNS)[1]]


def test_clean_ids_are_kept_in_the_order_given():
    assert read_evidence(["D5:9", "D1:1"], TURNS) == (("D5:9", "D1:1"), [])


def test_the_odd_ids_of_u19_are_read_as_far_as_they_can_be():
    evidence, remarks = read_evidence(
        ["D3:2; D5:9", "D4:07", "D", "D:7:4", "D99:1"], TURNS
    )
    assert evidence == ("D3:2", "D5:9", "D4:7", "D7:4")
    assert [remark.code for remark in remarks] == [
        "evidence-joined",
        "evidence-zero-padded",
        "evidence-unknown-turn",
        "evidence-extra-colon",
        "evidence-unknown-turn",
    ]
    assert "'D'" in remarks[2].message
    assert "'D99:1'" in remarks[4].message


@pytest.mark.parametrize("joint", ["; ", ";", ", ", ",", " ", "\t", "  ;  "])
def test_ids_joined_by_semicolon_comma_or_blanks_are_parted_u19(joint):
    assert read_evidence([f"D3:2{joint}D5:9{joint}D1:1"], TURNS)[0] == (
        "D3:2",
        "D5:9",
        "D1:1",
    )
    assert codes([f"D3:2{joint}D5:9"]) == ["evidence-joined"]


@pytest.mark.parametrize("value", [None, []])
def test_no_evidence_is_an_empty_tuple_and_reported_u19(value):
    assert read_evidence(value, TURNS)[0] == ()
    assert codes(value) == ["evidence-empty"]


def test_a_repeated_id_is_kept_once_also_after_folding():
    evidence, remarks = read_evidence(["D4:7", "D4:07", "D4:7"], TURNS)
    assert evidence == ("D4:7",)
    assert [remark.code for remark in remarks] == [
        "evidence-zero-padded",
        "evidence-repeated",
        "evidence-repeated",
    ]


def test_zero_padding_is_folded_in_session_and_turn():
    assert read_evidence(["D030:005"], TURNS)[0] == ("D30:5",)


def test_an_id_that_exists_as_written_is_never_folded_or_parted():
    turns = {"D4:07", "D4:7", "note 7", "a,b"}
    assert read_evidence(["D4:07", "note 7", "a,b"], turns) == (
        ("D4:07", "note 7", "a,b"),
        [],
    )


def test_an_extra_colon_is_not_dropped_if_no_such_turn_exists():
    assert codes(["D:99:1"]) == ["evidence-unknown-turn"]


def test_a_single_text_is_read_like_a_list_of_one():
    assert read_evidence("D3:2", TURNS) == (("D3:2",), [])


def test_whole_numbers_name_turns_that_are_called_so():
    assert read_evidence([12], {"12"}) == (("12",), [])


@pytest.mark.parametrize("entry", [None, True, 1.5, {}, ["D3:2"], "", "\ud83d"])
def test_an_entry_that_is_no_id_is_left_out_and_reported(entry):
    assert read_evidence([entry, "D3:2"], TURNS)[0] == ("D3:2",)
    assert codes([entry, "D3:2"]) == ["evidence-unknown-turn"]


def test_a_very_long_number_is_an_unknown_turn():
    assert codes(["D1:" + "9" * 10_000]) == ["evidence-unknown-turn"]


@given(st.lists(st.text(alphabet="D0123456789:;, ", max_size=30), max_size=8))
def test_what_comes_back_exists_and_comes_once(entries):
    evidence, _ = read_evidence(entries, TURNS)
    assert set(evidence) <= TURNS
    assert len(evidence) == len(set(evidence))
