"""Skills that the text of another names, links to, or shares tools and files with."""

import math
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import unquote, urlsplit

from skillmill.library.declared import names_of
from skillmill.types import LibrarySkill

#: A candidate and how much speaks for it.
Scored = tuple[str, float]

_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)")
#: A name of several parts stands for itself; one of a single word needs a sign.
_TOKEN = re.compile(r"[^\W_]+(?:[-_/][^\W_]+)+")
_SIGNED = re.compile(
    r"`([\w.-]+)`\s+skill|skill\s+`([\w.-]+)`|\*\*([\w.-]+)\*\*\s+skill"
    r"|[\"“]([\w.-]+)[\"”]\s+skill|\bskill\s+[\"“]([\w.-]+)[\"”]|(?<![\w/.])/([\w-]+)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^(```|~~~)[^\n]*\n(.*?)(?:^\1|\Z)", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:import|from)\s+([A-Za-z_]\w*)", re.MULTILINE)
_INSTALL = re.compile(
    r"\b(?:pip3?|uv pip|uv|npm|cargo|gem|brew|apt(?:-get)?)\s+(?:install|add|i)\s+"
    r"([^\n;&|`]+)"
)
_PACKAGE = re.compile(r"[A-Za-z][\w.-]*")
_ALLOWED = re.compile(r"\w+\(([\w.+-]+)(?::[^)]*)?\)")
_FILE = re.compile(r"(?:[\w*<>{}-]|(?<=[\s`\"'(]))\.([A-Za-z][A-Za-z0-9]{1,6})\b")

#: Endings of files that are worked on; code itself says little about what a skill does.
FILE_TYPES = frozenset(
    re.findall(
        r"\w+",
        """
        aac avi avif bib bmp cif csv dat db doc docx dxf eml epub fasta fastq
        feather fig fit fits flac geojson gif gml gpkg gpx graphml h5 hdf5 heic ics
        ifc ipynb jpeg jpg json jsonl kml las laz log m4a mat md mid mkv mol mol2
        mov mp3 mp4 mseed nc ndjson npy npz obj odp ods odt ogg onnx opus orc
        parquet pcap pcapng pdb pddl pdf pgn pkl ply png pps ppt pptx proto psd pt
        qif rds rtf safetensors sav sdf shp sqlite sqlite3 srt stl svg tar tex tif
        tiff toml tsv vcf vtt wav webm webp xls xlsx xml yaml yml zarr zip
        """,
    )
)


def links(skills: Sequence[LibrarySkill]) -> dict[str, list[Scored]]:
    """Skills whose folder or file a skill's markdown links to, 1 a link.

    Links are resolved relative to the skill's folder and to the library's root; a
    fragment or a query is ignored, a web address leads nowhere.
    """
    homes = {
        place: skill.id for skill in skills for place in (skill.id, *skill.aliases)
    }
    found = {}
    for skill in skills:
        hits: dict[str, float] = defaultdict(float)
        for target in _LINK.findall(skill.body):
            home = _linked(target, posixpath.dirname(skill.path), homes)
            if home is not None and home != skill.id:
                hits[home] += 1
        found[skill.id] = _ordered(hits)
    return found


def mentions(skills: Sequence[LibrarySkill]) -> dict[str, list[Scored]]:
    """Skills whose name a skill's description or body holds, 1 a mention.

    A name of several parts (`speech-to-text`) counts wherever it stands as written,
    whatever its case; one of a single word only where a sign says that a skill is
    meant: `` `pdf` skill``, `skill "pdf"`, `/pdf`.
    """
    named: dict[str, set[str]] = defaultdict(set)
    for skill in skills:
        for name in (skill.id, *names_of(skill)):
            named[name.casefold()].add(skill.id)
    found = {}
    for skill in skills:
        hits: dict[str, float] = defaultdict(float)
        for name in _names_in(f"{skill.description}\n{skill.body}"):
            for other in named.get(name.casefold(), ()):
                hits[other] += 1
        hits.pop(skill.id, None)
        found[skill.id] = _ordered(hits)
    return found


def shared_tools(skills: Sequence[LibrarySkill], most: int) -> dict[str, list[Scored]]:
    """Skills with the rarest tools in common, the `most` best of each.

    Tools are what code blocks import or install, and the programs that `allowed-tools`
    lets run. The score sums ln(n / users) over the shared ones.
    """
    return _shared({skill.id: tools_of(skill) for skill in skills}, most)


def shared_file_types(
    skills: Sequence[LibrarySkill], most: int
) -> dict[str, list[Scored]]:
    """Skills with the rarest file types in common, the `most` best of each.

    File types are endings out of `FILE_TYPES` in description, body and declared
    inputs and outputs. The score is that of `shared_tools`.
    """
    return _shared({skill.id: file_types_of(skill) for skill in skills}, most)


def tools_of(skill: LibrarySkill) -> frozenset[str]:
    """Programs and packages that a skill uses, in lower case."""
    found = {
        match[1].lower() for tool in skill.tools if (match := _ALLOWED.search(tool))
    }
    for fence in _FENCE.finditer(skill.body):
        code = fence.group(2)
        found |= {name.lower() for name in _IMPORT.findall(code)}
        for words in _INSTALL.findall(code):
            found |= {
                package[0].lower()
                for word in words.split()
                if (package := _PACKAGE.match(word))
            }
    return frozenset(found)


def file_types_of(skill: LibrarySkill) -> frozenset[str]:
    """Types of files that a skill speaks of, in lower case."""
    text = f"{skill.description}\n{skill.body}"
    slots = [slot.rsplit("-", 1)[-1] for slot in (*skill.inputs, *skill.outputs)]
    endings = {ending.lower() for ending in [*_FILE.findall(text), *slots]}
    return frozenset(endings & FILE_TYPES)


def _linked(target: str, folder: str, homes: Mapping[str, str]) -> str | None:
    """The skill that a link in a file of some folder leads to."""
    try:
        address = urlsplit(target)
    except ValueError:
        return None
    if address.scheme or address.netloc or not address.path:
        return None
    path = unquote(address.path)
    for base in (folder, ""):
        place = posixpath.normpath(posixpath.join("/", base, path)).strip("/")
        above, _, file = place.rpartition("/")
        if file.lower() == "skill.md":
            place = above
        if place in homes:
            return homes[place]
    return None


def _names_in(text: str) -> Iterable[str]:
    """Words of a text that may be names of skills."""
    for token in _TOKEN.findall(text):
        yield token
        if "/" in token:
            yield from (part for part in token.split("/") if re.search("[-_]", part))
    for groups in _SIGNED.findall(text):
        yield from (group for group in groups if group)


def _shared(
    features: Mapping[str, frozenset[str]], most: int
) -> dict[str, list[Scored]]:
    """The `most` others of each that share the rarest features.

    What more than `_widest` skills have in common says nothing and would cost the
    square of their number.
    """
    users: dict[str, list[str]] = defaultdict(list)
    for skill, own in features.items():
        for feature in own:
            users[feature].append(skill)
    n = len(features)
    weight = {
        feature: math.log(n / len(group))
        for feature, group in users.items()
        if 1 < len(group) <= _widest(n)
    }
    found = {}
    for skill, own in features.items():
        score: dict[str, float] = defaultdict(float)
        # In order, so that equal sums are equal to the last bit.
        for feature in sorted(own & weight.keys()):
            for other in users[feature]:
                score[other] += weight[feature]
        score.pop(skill, None)
        found[skill] = _ordered(score)[:most]
    return found


def _widest(n: int) -> int:
    """The most skills that may share a feature: a tenth, between 8 and 200."""
    return min(max(n // 10, 8), 200)


def _ordered(scores: Mapping[str, float]) -> list[Scored]:
    """Candidates by score, six decimals, then by id."""
    rounded = [(skill, round(score, 6)) for skill, score in scores.items() if score > 0]
    return sorted(rounded, key=lambda pair: (-pair[1], pair[0]))
