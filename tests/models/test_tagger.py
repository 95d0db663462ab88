import pytest

from skillmill.errors import ModelError
from skillmill.models.tagger import DEFAULT_TAGGER, load_tagger, tagger_identity

TEXT = "Where did Nora  Berg\nmove in May 2021? The cats' houses were painted :-)"


@pytest.fixture(scope="module")
def tagger():
    return load_tagger()


@pytest.mark.model
def test_named_entities_are_kept_as_written_with_white_space_collapsed(tagger):
    [tags] = tagger.tag([TEXT])
    assert tags["ner"] == {"May 2021": 1, "Nora Berg": 1}


@pytest.mark.model
def test_nouns_are_lower_case_lemmas_without_stop_words_and_marks(tagger):
    [tags] = tagger.tag([TEXT])
    assert tags["noun"] == {"berg": 1, "cat": 1, "house": 1, "nora": 1}


@pytest.mark.model
def test_repeated_nouns_are_counted(tagger):
    [tags] = tagger.tag(["Two cats chased another cat around the houses."])
    assert tags["noun"] == {"cat": 2, "house": 1}


@pytest.mark.model
def test_texts_are_tagged_in_order_whatever_the_batch(tagger):
    texts = [TEXT, "", "Oslo is cold.", "The roof leaks."] * 3
    tags = tagger.tag(texts, batch_size=1)
    assert tags == tagger.tag(texts, batch_size=5)
    assert tags[1] == {"ner": {}, "noun": {}}
    assert list(tags[2]["ner"]) == ["Oslo"]
    assert list(tags[3]["noun"]) == ["roof"]


@pytest.mark.model
@pytest.mark.parametrize("kind", ["ner", "noun"])
def test_one_kind_alone_finds_the_same_with_fewer_parts(tagger, kind):
    texts = [TEXT, "The mice of Oslo's better harbours were swimming.", ""]
    alone = load_tagger(kinds=[kind])
    assert alone.tag(texts) == [{kind: tags[kind]} for tags in tagger.tag(texts)]
    loaded = set(alone._pipeline.component_names)
    assert ("ner" in loaded, "tagger" in loaded) == (kind == "ner", kind == "noun")


def test_what_one_kind_found_is_recorded_apart():
    assert tagger_identity(kinds=["noun"]) == {**tagger_identity(), "kinds": "noun"}
    assert tagger_identity(kinds=["noun", "ner"]) == tagger_identity()


def test_without_any_kind_nothing_is_loaded():
    tagger = load_tagger(kinds=[])
    assert tagger.tag([TEXT]) == [{}]
    assert tagger._pipeline is None


def test_the_identity_names_model_version_and_library():
    identity = tagger_identity()
    assert identity["model"] == DEFAULT_TAGGER
    assert identity["version"] == "3.8.0"
    assert identity["spacy"].startswith("3.8")


def test_no_texts_need_no_model():
    assert load_tagger().tag([]) == []


def test_a_model_that_is_not_installed_is_refused_with_the_way_out():
    with pytest.raises(
        ModelError, match=r"not installed; run `pip install de_nothing`"
    ):
        load_tagger("de_nothing")


def test_a_package_that_is_no_model_is_refused():
    with pytest.raises(ModelError, match="'PyStemmer' holds no module of that name"):
        tagger_identity("PyStemmer")


def test_a_text_of_a_million_characters_is_tagged_in_pieces(tagger):
    one = "Maria sold the boat in Lisbon. "
    text = one * 1700  # more than one piece
    (long,), (short,) = tagger.tag([text]), tagger.tag([one])
    assert long["noun"]["boat"] == 1700 * short["noun"]["boat"]
    assert long["ner"]["Lisbon"] == 1700


def test_a_cut_falls_between_words_and_loses_none():
    from skillmill.models.tagger import _cut

    text = "abc def ghi " * 5 + "x" * 30
    pieces = list(_cut(text, 10))
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= 10 for piece in pieces)
    assert pieces[0] == "abc def"
