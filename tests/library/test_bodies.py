"""Bodies longer than an encoder reads, found by their last words."""

import pytest

from skillmill.data.skillfile import load_library
from skillmill.library.passages import skill_passages
from skillmill.library.ranker import Query, Ranker
from skillmill.library.study import gather_skills
from skillmill.models.encoder import EncoderSettings, load_encoder, load_pieces
from tests.conftest import REPOSITORY
from tests.library.skills import skill

FILLER = (
    "The archive keeps yearly tables of the harbour, with tides, ships and cargo. "
    "Each table is checked twice, and what is missing is written down by hand. "
)
LAST = "\n\nStores are opened through zarr consolidated metadata, read in one request."


@pytest.mark.slow
@pytest.mark.model
def test_the_last_paragraph_of_6000_words_is_found_by_the_dense_part_alone_u50():
    body = FILLER * 240 + LAST
    assert len(body.split()) > 6000
    others, _ = load_library(REPOSITORY / "data" / "sample" / "library")
    target = skill("harbour", description="Keeps the books of a harbour", body=body)
    skills = sorted([target, *others], key=lambda one: one.id)
    settings = EncoderSettings()
    encoder = load_encoder(settings)

    def ranks(pieces):
        rows = skill_passages(skills, pieces)
        vectors = encoder.encode([text for *_, text in rows])
        found = gather_skills([one.name for one in skills], rows, vectors)
        library = Ranker(found.ids, found.texts, found.vectors, bodies=found.bodies)
        phrase = "zarr consolidated metadata"
        query = Query("q", phrase, encoder.encode([phrase]))
        return library.answer("semantic", query)[0].items

    assert "harbour" in ranks(load_pieces(settings))[:3]
    assert "harbour" not in ranks(None)[:3]
