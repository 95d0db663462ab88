import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillmill.compute.fusion import top
from skillmill.compute.lexical import STOP_WORDS, Bm25, words


def literal(text):
    return words(text, stem=False, stop=False)


def test_words_are_stemmed_and_stop_words_left_out():
    text = "Parse the CSV-files, and quickly!"
    assert words(text, stem=True, stop=True) == ["pars", "csv", "file", "quick"]


def test_the_literal_form_keeps_every_word_in_lower_case_with_repeats():
    assert literal("The CSV, the 2 files") == ["the", "csv", "the", "2", "files"]


def test_snake_case_and_kebab_case_are_words():
    assert literal("read_csv pdf-merge übung_eins") == (
        ["read", "csv", "pdf", "merge", "übung", "eins"]
    )


@pytest.mark.parametrize("text", ["", "  ", "!?", "👍🏽", "the of and", "I'll do it"])
def test_a_text_may_hold_no_word_u56(text):
    assert words(text, stem=True, stop=True) == []


def test_composed_and_decomposed_letters_are_one_word_u37():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert literal(composed) == literal(decomposed) == ["caf\u00e9"]


def test_chinese_gives_characters_and_pairs_u37():
    assert literal("合并文件") == ["合", "并", "文", "件", "合并", "并文", "文件"]


def test_a_word_within_chinese_stays_whole_u37():
    assert literal("用CSV文件") == ["用", "csv", "文", "件", "文件"]


def test_vowel_signs_do_not_cut_a_hindi_word_u37():
    assert literal("हिन्दी फ़ाइल") == ["हिन्दी", "फ़ाइल"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ไฟล์ PDF", ["ไฟ", "ฟล์", "pdf"]),
        ("ນ້ຳ", ["ນ້ຳ"]),
        ("ឯកសារ", ["ឯក", "កសា", "សារ"]),
    ],
)
def test_scripts_of_indochina_give_pairs_of_letters_with_their_signs_u37(
    text, expected
):
    assert words(text, stem=True, stop=True) == expected


def test_a_thai_word_finds_the_sentence_that_holds_it_u37():
    documents = ["แปลงไฟล์เอกสารเป็นพีดีเอฟ", "ส่งจดหมายถึงลูกค้า"]
    index = Bm25([words(text, stem=True, stop=True) for text in documents])
    first, second = index.scores(words("เอกสาร", stem=True, stop=True))
    assert first > second == 0


def test_direction_marks_and_lone_surrogates_are_no_words_u37():
    assert literal("\u200fcsv\u200f \ud83d pdf") == ["csv", "pdf"]


def test_stop_words_are_single_lower_case_words_and_no_subjects():
    assert all(literal(word) == [word] for word in STOP_WORDS)
    assert not STOP_WORDS & {"may", "us", "don", "won", "march", "data"}


@pytest.mark.parametrize(
    ("documents", "query", "expected"),
    [
        # idf ln(1 + .5/1.5), length as the mean: 1 / (1 + 1.5) = .4
        ([["csv", "tool"]], ["csv"], [0.4 * math.log(4 / 3)]),
        # in one of two: ln(1 + 1.5/1.5)
        ([["csv", "tool"], ["pdf", "tool"]], ["csv"], [0.4 * math.log(2), 0]),
        # in all three: ln(1 + .5/3.5)
        ([["tool"], ["tool"], ["tool"]], ["tool"], [0.4 * math.log(8 / 7)] * 3),
    ],
)
def test_small_libraries_score_matches_above_zero_u55(documents, query, expected):
    assert Bm25(documents).scores(query) == pytest.approx(expected)


def test_golden_value_with_repeats_and_unequal_lengths():
    # lengths 4 and 2, mean 3; k1 = 1.2, b = .75; idf of `a`: ln(1 + .5/2.5) = ln 1.2
    scores = Bm25([["a", "a", "b", "c"], ["a", "d"]], k1=1.2, b=0.75).scores(["a"])
    longer = 2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3))  # 2 / 3.5
    shorter = 1 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3))  # 1 / 1.9
    assert scores == pytest.approx([math.log(1.2) * longer, math.log(1.2) * shorter])


DOCUMENT = st.lists(st.sampled_from("abcdef"), max_size=6)


@given(st.lists(DOCUMENT, max_size=8), DOCUMENT)
def test_any_match_scores_above_any_other_document_u55(documents, query):
    scores = Bm25(documents).scores(query)
    matched = [bool(set(query) & set(document)) for document in documents]
    assert [score > 0 for score in scores.tolist()] == matched


@pytest.mark.parametrize(
    ("documents", "query"),
    [([], ["csv"]), ([[], []], ["csv"]), ([["csv"]], []), ([["csv"]], ["pdf"])],
)
@pytest.mark.parametrize("variant", [False, True])
def test_nothing_to_match_gives_zeros_and_no_hit_u56(documents, query, variant):
    scores = Bm25(documents, literal=variant).scores(query)
    assert scores.tolist() == [0] * len(documents)
    assert top(scores, [str(i) for i in range(len(scores))], 10, 0).tolist() == []


def test_more_results_than_documents_are_clipped_and_zero_scores_left_out_u56():
    scores = Bm25([["csv"], ["pdf"]]).scores(["csv"])
    assert top(scores, ["one", "two"], k=10, floor=0).tolist() == [0]


def test_a_chinese_query_finds_its_document_u37():
    texts = ["合并文件", "画图表", "merge files"]
    scores = Bm25([literal(text) for text in texts]).scores(literal("文件合并"))
    assert top(scores, texts, 10, 0).tolist() == [0]


def test_the_literal_form_keeps_the_classic_flaws_u55():
    # measured with rank_bm25 0.2.2
    one = Bm25([["csv", "tool"]], literal=True).scores(["csv"])
    two = Bm25([["csv", "tool"], ["pdf", "tool"]], literal=True).scores(["csv"])
    assert one == pytest.approx([0.25 * math.log(1 / 3)])
    assert two == pytest.approx([0, 0])


@pytest.mark.parametrize(("k3", "times"), [(0, 1), (2, 3 * 3 / 5), (math.inf, 3)])
def test_a_word_repeated_by_the_query_counts_by_k3(k3, times):
    index = Bm25([["a", "b"], ["b"]], k3=k3)
    assert index.scores(["a"] * 3) == pytest.approx(times * index.scores(["a"]))


def test_the_order_of_a_query_changes_no_bit():
    index = Bm25([list("abcdefg"), list("abc"), list("gfedcba")])
    forwards, backwards = index.scores("abcdefg"), index.scores("gfedcba")
    assert forwards.tolist() == backwards.tolist()
    assert forwards[0] == forwards[2]


def test_an_explanation_sums_up_to_the_score_largest_first():
    index = Bm25([["a", "b", "b"], ["a", "c"], ["c"]])
    query = ["a", "b", "c", "c", "z"]
    first = index.explain(query, 0)
    assert list(first) == ["b", "a"]
    assert sum(first.values()) == pytest.approx(index.scores(query)[0])
    assert index.explain(["z"], 0) == {}


@pytest.mark.parametrize("bad", [{"k1": -1}, {"b": 1.1}, {"k3": -1}, {"k1": math.nan}])
def test_constants_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match="expected k1 >= 0"):
        Bm25([["a"]], **bad)


@pytest.mark.slow
def test_80000_short_documents_are_indexed_within_five_seconds():
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"word{i}ing" for i in range(30_000)])
    drawn = rng.zipf(1.3, size=(80_000, 25)) % len(vocabulary)
    texts = [" ".join(row) for row in vocabulary[drawn]]
    start = time.process_time()
    index = Bm25([words(text, stem=True, stop=True) for text in texts])
    assert time.process_time() - start < 5
    query = words(" ".join(texts[:10]), stem=True, stop=True)
    start = time.process_time()
    for _ in range(20):
        index.scores(query)
    assert (time.process_time() - start) / 20 < 0.02
