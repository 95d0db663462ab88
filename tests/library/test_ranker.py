import math
import time
from dataclasses import replace

import numpy as np
import pytest

from skillmill.library import ranker
from skillmill.library.ranker import Bodies, Query, Ranker, RankerSettings

IDS = ["merge-pdf", "plot-csv", "send-mail"]
TEXTS = [
    "merge-pdf: join several PDF documents",
    "plot-csv: draw a chart from a CSV table",
    "send-mail: write and send a letter",
]
#: the query is nearest to the second skill, then the first, then the third
VECTORS = [[0.6, 0.8], [1.0, 0.0], [-1.0, 0.0]]
QUERY = [1.0, 0.0]
ARMS = ["keyword", "semantic", "hybrid"]


#: every best match counts in full, so that shares can be worked out by hand
FULL = RankerSettings(full_match=0)


def one(arm, text, vector=QUERY, library=None):
    library = library or Ranker(IDS, TEXTS, VECTORS, FULL)
    (found,) = library.rank(arm, ["q"], [text], np.array([vector]))
    return found


def test_the_keyword_arm_returns_only_what_shares_a_word_u56():
    found = one("keyword", "Join the documents and draw")
    assert found.items == ("merge-pdf", "plot-csv")
    assert found.scores[0] > found.scores[1] > 0
    assert (found.arm, found.query, found.state) == ("keyword", "q", "ok")


def test_the_keyword_score_is_bm25_by_hand():
    # one word in one of three documents, all of five words: idf ln(1 + 2.5 / 1.5)
    library = Ranker(["a", "b", "c"], ["x1 x2", "x3 x4", "x5 x6"], None)
    (found,) = library.rank("keyword", ["q"], ["x1"])
    assert found.scores == (round(math.log(1 + 2.5 / 1.5) / 3, 6),)


def test_the_semantic_arm_ranks_by_cosine():
    found = one("semantic", "whatever")
    assert found.items == ("plot-csv", "merge-pdf", "send-mail")
    assert found.scores == (1, 0.6, -1)


def test_the_hybrid_arm_adds_half_of_each_stretched_score():
    # cosines stretch to .8, 1, 0; only the first matches the words
    found = one("hybrid", "several documents")
    assert found.items == ("merge-pdf", "plot-csv", "send-mail")
    assert found.scores == (0.5 * 0.8 + 0.5 * 1, 0.5, 0)


def test_the_dense_weight_shifts_the_hybrid_score():
    library = Ranker(
        IDS, TEXTS, VECTORS, RankerSettings(dense_weight=0.9, full_match=0)
    )
    found = one("hybrid", "several documents", library=library)
    assert found.items[0] == "plot-csv"
    assert found.scores[:2] == pytest.approx((0.9, 0.9 * 0.8 + 0.1), abs=1e-6)


def test_reciprocal_rank_fusion_adds_the_ranks_of_both_lists():
    library = Ranker(IDS, TEXTS, VECTORS, RankerSettings(fusion="rrf", rrf_k=1))
    found = one("hybrid", "several documents", library=library)
    assert found.items == ("merge-pdf", "plot-csv", "send-mail")
    assert found.scores == pytest.approx((1 / 2 + 1 / 3, 1 / 2, 1 / 4), abs=1e-6)


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
@pytest.mark.parametrize("arm", ARMS)
def test_the_explained_parts_sum_up_to_each_score(arm, fusion):
    library = Ranker(IDS, TEXTS, VECTORS, RankerSettings(fusion=fusion))
    text = "draw a chart of the documents"
    found = one(arm, text, library=library)
    parts = library.answer(arm, Query("q", text, QUERY))[1]
    assert tuple(parts) == found.items
    sums = [p.get("keyword", 0) + p.get("semantic", 0) for p in parts.values()]
    assert sums == pytest.approx(found.scores, abs=1e-6)


def test_an_explanation_holds_raw_and_normalised_values():
    library = Ranker(IDS, TEXTS, VECTORS, FULL)
    parts = library.answer("hybrid", Query("q", "several documents", QUERY))[1]
    assert parts["merge-pdf"] == pytest.approx(
        {
            "keyword": 0.5,
            "semantic": 0.4,
            "bm25": one("keyword", "several documents").scores[0],
            "cosine": 0.6,
        },
        abs=1e-6,
    )
    assert set(library.answer("keyword", Query("q", "pdf"))[1][IDS[0]]) == {
        "keyword",
        "bm25",
    }


@pytest.mark.parametrize("arm", ARMS)
def test_an_empty_library_gives_an_empty_ranking_with_its_reason_u56(arm):
    found = one(arm, "csv", library=Ranker([], [], np.empty((0, 2))))
    assert (found.items, found.scores) == ((), ())
    assert (found.state, found.reason) == ("empty", ranker.EMPTY_LIBRARY)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("the of and", ranker.NO_WORDS),
        ("quantum", ranker.NO_MATCH),
    ],
)
def test_a_query_without_a_match_is_empty_by_keyword_and_not_by_meaning_u56(
    text, reason
):
    found = one("keyword", text)
    assert (found.items, found.state, found.reason) == ((), "empty", reason)
    assert one("hybrid", text).items == one("semantic", text).items


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("text", ["", "***", "\x00\x01", "\ufffd\ufffd", "'; --"])
def test_a_query_without_a_letter_or_digit_finds_nothing_by_any_arm_u56(arm, text):
    found = one(arm, text)
    assert (found.items, found.state) == ((), "empty")
    assert found.reason == "the query holds no letter and no digit"
    assert one("semantic", f"{text}7").items


@pytest.mark.parametrize("vector", [[0.0, 0.0], [np.nan, 1.0]])
@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_a_query_without_direction_leaves_the_words_u59(vector, fusion):
    library = Ranker(IDS, TEXTS, VECTORS, RankerSettings(fusion=fusion))
    found = one("semantic", "csv", vector, library)
    assert (found.items, found.reason) == ((), ranker.NO_DIRECTION)
    assert one("hybrid", "csv", vector, library).items == ("plot-csv",)
    nothing = one("hybrid", "the", vector, library)
    assert nothing.state == "empty"
    assert ranker.NO_WORDS in nothing.reason
    assert ranker.NO_DIRECTION in nothing.reason


def test_skills_without_direction_score_zero_and_are_named_u59():
    library = Ranker(IDS, TEXTS, [[0.0, 0.0], QUERY, [np.inf, 1.0]])
    assert library.without_direction == ("merge-pdf", "send-mail")
    found = one("semantic", "csv", library=library)
    assert found.items == ("plot-csv", "merge-pdf", "send-mail")
    assert found.scores == (1, 0, 0)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("arm", ARMS)
def test_one_and_two_skills_are_a_library_u55(arm, n):
    library = Ranker(IDS[:n], TEXTS[:n], VECTORS[:n])
    found = one(arm, "pdf documents", [0.6, 0.8], library)
    assert found.items[0] == "merge-pdf"
    assert found.scores[0] > 0
    assert len(found.items) == (1 if arm == "keyword" else n)


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
@pytest.mark.parametrize("arm", ARMS)
def test_equal_texts_are_ranked_by_id_however_many_u59(arm, fusion):
    ids = [f"copy-{i:02}" for i in range(37)][::-1]
    rng = np.random.default_rng(0)
    row = rng.normal(size=384).astype(np.float32)
    library = Ranker(
        ids, ["csv tool"] * 37, np.tile(row, (37, 1)), RankerSettings(fusion=fusion)
    )
    # a plain product of equal rows differs in six decimals for one query in 200
    queries = rng.normal(size=(1000, 384)).astype(np.float32)
    for found in library.rank(arm, ["q"] * 1000, ["csv"] * 1000, queries):
        assert found.items == tuple(sorted(ids))
        if fusion == "weighted" or arm != "hybrid":
            assert len(set(found.scores)) == 1


def test_chinese_skills_are_found_by_their_words_u37():
    library = Ranker(["a", "b"], ["合并文件", "发送邮件"], None)
    (found,) = library.rank("keyword", ["q"], ["把两个文件合并"])
    assert found.items[0] == "a"


def test_at_most_depth_skills_are_returned():
    library = Ranker(IDS, TEXTS, VECTORS, RankerSettings(depth=2))
    assert one("semantic", "x", library=library).items == ("plot-csv", "merge-pdf")
    assert len(one("hybrid", "letter", library=library).items) == 2


def test_rankings_come_in_the_order_of_the_queries_and_depend_on_none_other():
    library = Ranker(IDS, TEXTS, VECTORS)
    texts, vectors = ["csv table", "letter", "pdf"], np.array([QUERY, [-1, 0.1], QUERY])
    together = library.rank("hybrid", ["q1", "q2", "q3"], texts, vectors)
    assert [found.query for found in together] == ["q1", "q2", "q3"]
    for i, found in enumerate(together):
        (alone,) = library.rank("hybrid", ["q"], [texts[i]], vectors[[i]])
        assert replace(alone, query=found.query) == found


def test_no_queries_give_no_rankings():
    assert Ranker(IDS, TEXTS, VECTORS).rank("keyword", [], []) == []


def test_scores_are_plain_numbers():
    found = one("hybrid", "csv")
    assert {type(score) for score in found.scores} == {float}


def test_an_arm_without_its_vectors_is_refused():
    with pytest.raises(ValueError, match="without vectors"):
        Ranker(IDS, TEXTS, None).rank("semantic", ["q"], ["csv"], np.array([QUERY]))
    with pytest.raises(ValueError, match="without vectors"):
        Ranker(IDS, TEXTS, VECTORS).rank("hybrid", ["q"], ["csv"])


def test_an_unknown_arm_is_refused():
    with pytest.raises(ValueError, match="arm is one of"):
        Ranker(IDS, TEXTS, VECTORS).rank("fuzzy", ["q"], ["csv"])


@pytest.mark.parametrize(
    ("ids", "texts", "vectors"),
    [
        (["a", "a"], ["x", "y"], None),
        (["a", "b"], ["x"], None),
        (["a", "b"], ["x", "y"], [QUERY]),
    ],
)
def test_a_library_whose_parts_do_not_fit_is_refused(ids, texts, vectors):
    with pytest.raises(ValueError, match=r"ids|skills"):
        Ranker(ids, texts, vectors)


@pytest.mark.parametrize(
    "bad", [{"fusion": "max"}, {"dense_weight": 1.1}, {"depth": 0}, {"rrf_k": -1}]
)
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=r"fusion|expected"):
        RankerSettings(**bad)


@pytest.mark.slow
def test_a_query_over_22600_skills_is_ranked_in_a_few_milliseconds():
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"w{i}" for i in range(20_000)])
    texts = [" ".join(r) for r in vocabulary[rng.zipf(1.3, size=(22_600, 25)) % 20_000]]
    ids = [f"s{i}" for i in range(len(texts))]
    library = Ranker(ids, texts, rng.normal(size=(22_600, 384)).astype(np.float32))
    queries = rng.normal(size=(39, 384)).astype(np.float32)
    seconds = []
    for i in range(39):
        start = time.process_time()
        library.rank("hybrid", ["q"], [" ".join(texts[i : i + 6])], queries[[i]])
        seconds.append(time.process_time() - start)
    assert np.percentile(seconds, 95) < 0.02


def test_the_best_sentence_counts_as_much_as_the_whole_text():
    library = Ranker(IDS, TEXTS, VECTORS)
    vectors = [QUERY, [-1.0, 0.0], [0.6, 0.8]]
    found, parts = library.answer("semantic", Query("q", "x", vectors))
    # whole: .6, 1, -1; best of two sentences: 1, .6, 1
    assert dict(zip(found.items, found.scores, strict=True)) == {
        "merge-pdf": 0.8,
        "plot-csv": 0.8,
        "send-mail": 0,
    }
    assert parts["send-mail"] == pytest.approx(
        {"semantic": 0, "cosine": -1, "sentence": 1}
    )


def test_sentences_are_compared_with_the_candidates_alone():
    library = Ranker(IDS, TEXTS, VECTORS, RankerSettings(candidates=2))
    found, _ = library.answer("semantic", Query("q", "x", [QUERY, [-1.0, 0.0]]))
    assert set(found.items) == {"merge-pdf", "plot-csv"}


def test_a_weak_best_match_does_not_outvote_the_cosine():
    # BM25 of one word of three texts is a fraction of three rare words
    few = Ranker(IDS, TEXTS, VECTORS).answer("hybrid", Query("q", "several", QUERY))
    full = Ranker(IDS, TEXTS, VECTORS, RankerSettings(full_match=0)).answer(
        "hybrid", Query("q", "several", QUERY)
    )
    assert few[0].items[0] == "plot-csv"
    assert full[0].items[0] == "merge-pdf"
    assert few[1]["merge-pdf"]["keyword"] < full[1]["merge-pdf"]["keyword"] == 0.5


def test_a_name_that_a_task_holds_is_a_bonus_and_its_words_count_twice():
    names = ["merge pdf", "plot csv", "send mail"]
    settings = RankerSettings(name_bonus=0.25)
    library = Ranker(IDS, TEXTS, VECTORS, settings, names=names)
    _, parts = library.answer("hybrid", Query("q", "mail to send", QUERY))
    assert {item: p["name"] for item, p in parts.items()} == {
        "merge-pdf": 0,
        "plot-csv": 0,
        "send-mail": 0.25,
    }
    plain = Ranker(IDS, TEXTS, VECTORS).answer("keyword", Query("q", "mail"))[0]
    heavy = library.answer("keyword", Query("q", "mail"))[0]
    assert heavy.scores[0] > plain.scores[0]


def test_a_skill_scores_as_the_best_of_its_passages():
    bodies = Bodies(["send-mail", "send-mail"], [[0.0, 1.0], [1.0, 0.0]])
    full = RankerSettings(body_weight=1)
    library = Ranker(IDS, TEXTS, VECTORS, full, bodies=bodies)
    found, parts = library.answer("semantic", Query("q", "x", [QUERY, [0.0, 1.0]]))
    assert parts["send-mail"]["cosine"] == 1
    assert parts["send-mail"]["sentence"] == 1
    light = RankerSettings(body_weight=0.5)
    library = Ranker(IDS, TEXTS, VECTORS, light, bodies=bodies)
    assert library.answer("semantic", Query("q", "x", QUERY))[1]["send-mail"][
        "cosine"
    ] == pytest.approx(0.5)
    assert found.items[0] == "send-mail"


def test_a_skill_of_5_mb_is_ranked_like_any_other():
    texts = [*TEXTS[:2], "letter " * 700_000]
    found = one("hybrid", "letter", library=Ranker(IDS, texts, VECTORS))
    assert len(found.items) == 3
