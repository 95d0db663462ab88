"""The fields of one SKILL.md, from its bytes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from skillmill.data.frontmatter import Frontmatter, read_frontmatter
from skillmill.data.loadreport import Remark
from skillmill.data.plaintext import (
    content_hash,
    decode,
    hidden_characters,
    one_line,
    tidy,
)
from skillmill.data.yamltext import Entry, Json

_LONGEST_FALLBACK = 1024
_LFS_POINTER = "version https://git-lfs.github.com/spec/"
_ASIDE = re.compile(r"<!--.*?(?:-->|\Z)|^(```|~~~).*?(?:^\1|\Z)", re.DOTALL | re.M)
#: What is meant as a value; a comment has a blank after its mark.
_HASHTAG = re.compile(r"#[^\s#]")
_HEADING = re.compile(r"#{1,6}(\s+|$)")
_RULE = re.compile(r"([-=*_])\1{2,}$|[-=]+$")
_BY_COMMA = re.compile(r"(?:\([^()]*\)|[^,\n])+")
_BY_BLANK = re.compile(r"(?:\([^()]*\)|[^,\s])+")


@dataclass(frozen=True, slots=True)
class SkillFields:
    """What a SKILL.md says; `""` and `()` where it says nothing.

    `name` and `description` are one line without hidden characters. `metadata`
    is the whole frontmatter as text, lists and maps, so always JSON. `body` is
    the text below it, and `content_hash` the hash of the whole file (LF, NFC).
    """

    name: str
    description: str
    department: str
    category: str
    tags: tuple[str, ...]
    related: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    tools: tuple[str, ...]
    metadata: Mapping[str, Json]
    body: str
    content_hash: str


def parse_skill_file(
    data: bytes, folder: str
) -> tuple[SkillFields | None, list[Remark]]:
    """Read the bytes of a SKILL.md; whatever they are, nothing is raised.

    Parameters
    ----------
    data : bytes
        UTF-8 with or without a byte order mark, or UTF-16 or UTF-32 with one.
    folder : str
        The name of the file's folder: the skill's name where it gives none.

    Returns
    -------
    fields : SkillFields or None
        None if the file cannot be decoded, or holds no text or none of its own.
    remarks : list of Remark
        One `failed` remark if `fields` is None, else warnings alone.
    """
    try:
        text, remarks = tidy(decode(data))
    except UnicodeDecodeError as error:
        message = (
            f"expected UTF-8, or UTF-16 with a byte order mark; byte {error.start}"
            f" is not ({error.reason}). Save the file as UTF-8"
        )
        return None, [Remark(None, "undecodable", message, "failed")]
    if not text.strip():
        message = "the file holds no text; write a skill or remove it"
        return None, [Remark(None, "empty-file", message, "failed")]
    if text.startswith(_LFS_POINTER):
        message = "the file is a pointer of Git LFS; `git lfs pull` fetches the text"
        return None, [Remark(None, "lfs-pointer", message, "failed")]
    front = read_frontmatter(text)
    reader = _FieldReader(front)
    name, description = reader.name(folder), reader.description()
    fields = SkillFields(
        name=name,
        description=description,
        department=reader.text("department"),
        category=reader.text("category"),
        tags=reader.items("tags"),
        related=reader.items("related"),
        inputs=reader.items("inputs"),
        outputs=reader.items("outputs"),
        tools=reader.items("allowed-tools"),
        metadata={key: entry.value for key, entry in (front.entries or {}).items()},
        body=front.body,
        content_hash=content_hash(text),
    )
    hidden = hidden_characters(text) or reader.hidden
    return fields, [*remarks, *front.remarks, *reader.remarks, *hidden]


class _FieldReader:
    """Looks fields up in a frontmatter and remarks on what it had to do."""

    def __init__(self, front: Frontmatter) -> None:
        self._body = front.body
        self._entries: dict[str, Entry] = {}
        for entry in (front.entries or {}).values():
            key = _field_key(entry.key)
            if key not in self._entries or entry.key == key:
                self._entries[key] = entry
        metadata = self._entries["metadata"].value if "metadata" in self else {}
        self._nested = (
            {_field_key(key): value for key, value in metadata.items()}
            if isinstance(metadata, dict)
            else {}
        )
        self.remarks: list[Remark] = []
        self.hidden: list[Remark] = []
        self._has_header = front.entries is not None
        if not self._has_header:
            message = (
                "no frontmatter at the top; the name is the folder's, the"
                " description is taken from the text. Add both between `---` lines"
            )
            self.remarks.append(Remark(1, "missing-frontmatter", message))

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def name(self, folder: str) -> str:
        return self._own_text("name") or self._missing(
            "name", one_line(folder), "the folder's name is used"
        )

    def description(self) -> str:
        return self._own_text("description") or self._missing(
            "description", fallback_description(self._body), "the text is used"
        )

    def text(self, key: str) -> str:
        own = self._own_text(key)
        return own or one_line(", ".join(_items(self._nested.get(key, ""), key)))

    def items(self, key: str) -> tuple[str, ...]:
        own = self._entries[key].value if key in self else ""
        if key in self and not own and _HASHTAG.match(self._entries[key].text):
            message = (
                f"YAML reads `{key}` as a comment, so it is empty; put it in quotes"
            )
            line = self._entries[key].line
            self.remarks.append(Remark(line, "cut-comment", message))
        cleaned = map(one_line, _items(own or self._nested.get(key, ""), key))
        return tuple(dict.fromkeys(item for item in cleaned if item))

    def _own_text(self, key: str) -> str:
        if key not in self:
            return ""
        entry = self._entries[key]
        self.remarks.extend(entry.doubts)
        if not self.hidden and key in ("name", "description"):
            self.hidden = [
                Remark(entry.line, remark.code, remark.message)
                for remark in hidden_characters(entry.text)
            ]
        return one_line(entry.text)

    def _missing(self, key: str, fallback: str, used: str) -> str:
        line = self._entries[key].line if key in self else None
        if self._has_header:
            used = used if fallback else "and nothing stands in for it"
            message = f"no `{key}` is given; {used}. Add one to the frontmatter"
            self.remarks.append(Remark(line, f"missing-{key}", message))
        return fallback


def fallback_description(body: str) -> str:
    """The first paragraph of a body, else its first heading, on one line.

    Code blocks and HTML comments are no prose. At most 1,024 characters; `""` if
    there is neither.
    """
    heading = ""
    for block in re.split(r"\n\s*\n", _ASIDE.sub("\n\n", body)):
        lines = [line.strip() for line in block.split("\n") if line.strip()]
        if len(lines) > 1 and re.fullmatch("=+|-+", lines[1]):
            lines[0] = "# " + lines[0]
        prose = [x for x in lines if not (_HEADING.match(x) or _RULE.fullmatch(x))]
        if prose:
            return one_line(" ".join(prose))[:_LONGEST_FALLBACK].rstrip()
        titles = (_HEADING.sub("", x, count=1) for x in lines if _HEADING.match(x))
        heading = heading or next(titles, "").rstrip("# ")
    return one_line(heading)[:_LONGEST_FALLBACK].rstrip()


def _field_key(key: str) -> str:
    return key.strip().casefold().replace("_", "-")


def _items(value: Json, key: str) -> Iterator[str]:
    """A value as items: lists, maps (their keys), or text parted by commas.

    Tools without any comma are parted by blanks; brackets hold together.
    """
    if isinstance(value, str):
        parts = _BY_COMMA.findall(value)
        if key == "allowed-tools" and len(parts) == 1:
            parts = _BY_BLANK.findall(value)
        yield from (part.strip().removeprefix("- ") for part in parts)
    elif isinstance(value, dict):
        yield from value
    else:
        yield from map(_item, value)


def _item(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        name = value.get("name")
        pairs: Iterable[str] = (f"{key}: {_item(each)}" for key, each in value.items())
        return name if isinstance(name, str) else ", ".join(pairs)
    return ", ".join(map(_item, value))
