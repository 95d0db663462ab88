"""BM25 against two independent implementations."""

import bm25s
import numpy as np
import pytest
from rank_bm25 import BM25Okapi

from skillmill.compute.lexical import Bm25, words


def corpus(n, seed):
    """Invented documents; `every` is in all of them, so its classic idf is negative."""
    rng = np.random.default_rng(seed)
    return [
        [
            "every",
            *(f"w{word}" for word in rng.zipf(1.5, size=rng.integers(1, 30)) % 90),
        ]
        for _ in range(n)
    ]


QUERIES = [["w1"], ["every"], ["w2", "w2", "w7", "unknown"], ["w3", "every", "w40"]]


@pytest.mark.parametrize("n", [1, 2, 3, 200])
@pytest.mark.parametrize("query", QUERIES)
def test_the_literal_form_equals_rank_bm25(n, query):
    documents = corpus(n, seed=n)
    expected = BM25Okapi(documents, k1=1.2, b=0.6).get_scores(query)
    found = Bm25(documents, k1=1.2, b=0.6, literal=True).scores(query)
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 200])
@pytest.mark.parametrize("query", QUERIES)
def test_the_default_form_equals_bm25s_lucene(n, query):
    documents = corpus(n, seed=n)
    reference = bm25s.BM25(method="lucene", k1=1.2, b=0.6, dtype="float64")
    reference.index(documents, show_progress=False)
    expected = (
        reference.get_scores(query)
        if set(query) & {word for document in documents for word in document}
        else np.zeros(n)
    )
    found = Bm25(documents, k1=1.2, b=0.6).scores(query)
    assert found == pytest.approx(expected, abs=1e-6)


def test_texts_through_the_literal_tokeniser_equal_rank_bm25():
    texts = ["Merge PDF files.", "Plot the CSV files!", "Send a mail, then the report"]
    documents = [words(text, stem=False, stop=False) for text in texts]
    query = words("the files", stem=False, stop=False)
    found = Bm25(documents, literal=True).scores(query)
    assert found == pytest.approx(BM25Okapi(documents).get_scores(query), abs=1e-6)
