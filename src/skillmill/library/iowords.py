"""File types and artefacts that a text reads or writes, by the words around them."""

import re
from typing import Literal

from skillmill.library.textlinks import FILE_TYPES

#: Name and kind of a slot.
Found = tuple[str, Literal["artefact", "file"]]

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD = re.compile(r"\.?[A-Za-z][A-Za-z0-9]*")

#: Words after which a thing is taken, and after which it is given.
_TAKES = frozenset(
    """
    analyse analyze analyzing audit check compare convert edit extract extracting fetch
    from given import importing ingest inspect load loading manipulate merge open parse
    parses parsing process processing read reading reads redact review scan split
    summarise summarize transcribe validate validating verify
    """.split()  # noqa: SIM905
)
_GIVES = frozenset(
    """
    as author build building compile compose create creates creating draft draw emit
    export exporting exports format generate generates generating into make output
    outputs plot produce produces producing publish render rendering save saves saving
    synthesise synthesize to write writes writing yield yields
    """.split()  # noqa: SIM905
)

#: Endings that are common words, too: they count only with the dot before them.
_PLAIN_WORDS = frozenset(
    """
    avi cif dat db doc fig fit fits key log mat mid mod mol nc obj opus orc pages pps
    proto rds tar text
    """.split()  # noqa: SIM905
)
#: What a file type is also called.
_CALLED = {
    "excel": "xlsx",
    "jpeg": "jpg",
    "latex": "tex",
    "markdown": "md",
    "powerpoint": "pptx",
    "spreadsheet": "xlsx",
    "spreadsheets": "xlsx",
    "tiff": "tif",
    "yml": "yaml",
}
#: Things with content that tell skills apart, in the singular.
_ARTEFACTS = frozenset(
    """
    abstract agenda alert animation annotation article audiobook benchmark
    bibliography brief budget calendar caption changelog chart citation codebase
    contour contract dashboard dataset diagram diff dockerfile email embedding
    estimate figure flashcard forecast icon image infographic inventory invoice
    itinerary keyframe ledger lesson manuscript map mesh newsletter notebook outline
    patch photo playlist podcast portfolio poster presentation proposal prototype
    quiz raster receipt recipe recording reminder report resume roadmap schedule
    screenshot slide spectrogram spectrum storyboard subtitle survey syllabus
    timeline timetable tracklist trajectory transcript transcription translation
    tutorial video waveform webpage website wireframe worksheet
    """.split()  # noqa: SIM905
)


def slots_in(text: str) -> tuple[set[Found], set[Found]]:
    """What a text takes and what it gives; code blocks are not read.

    The last word before a thing, within its sentence, that takes or gives decides;
    a thing without one is in neither set.
    """
    takes: set[Found] = set()
    gives: set[Found] = set()
    for sentence in _SENTENCE.split(_FENCED.sub("\n", text)):
        side: set[Found] | None = None
        for word in _WORD.findall(sentence):
            lower = word.lower()
            if lower in _TAKES:
                side = takes
            elif lower in _GIVES:
                side = gives
            elif side is not None and (thing := _thing(lower)):
                side.add(thing)
    return takes, gives


def _thing(word: str) -> Found | None:
    """The slot that a lower-case word names."""
    ending = word.removeprefix(".")
    ending = _CALLED.get(ending, ending)
    if ending in FILE_TYPES and (word.startswith(".") or ending not in _PLAIN_WORDS):
        return ending, "file"
    single = ending if ending in _ARTEFACTS else ending.removesuffix("s")
    return (single, "artefact") if single in _ARTEFACTS else None
