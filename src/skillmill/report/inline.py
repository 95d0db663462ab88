"""SVG figures made fit to stand inside an HTML page."""

import re
from xml.etree import ElementTree

from skillmill.errors import InputError

#: What a drawing does not need and a page must not run or fetch.
_DROPPED = frozenset({"script", "style", "metadata", "foreignObject", "image", "a"})
_REFERENCE = re.compile(r"url\(#([^)]*)\)")


def inline_svg(name: str, text: str, label: str) -> str:
    """Return the drawing as one `svg` element without prolog and namespaces.

    Ids and the references to them get `name` as a prefix, so that figures do
    not share ids; scripts, event attributes and references out of the drawing are
    dropped. `label` is read out in its place.

    Raises
    ------
    InputError
        If the text is not an SVG document.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(
            f"figure {name!r}: expected an SVG document, got text that is not XML "
            f"({error}); draw it again",
            record=name,
        ) from error
    if _local(root.tag) != "svg":
        raise InputError(
            f"figure {name!r}: expected an svg element, got {_local(root.tag)!r}; "
            "draw it again",
            record=name,
        )
    _clean(root, re.sub(r"[^a-z0-9]+", "-", f"figure-{name}-".lower()))
    root.attrib.update({"role": "img", "aria-label": label})
    root.tail = None
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _local(name: object) -> str:
    """Return a tag or attribute without its namespace; a comment has no name."""
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _clean(element: ElementTree.Element, prefix: str) -> None:
    element.tag = _local(element.tag)
    attributes = [(_local(key), value) for key, value in element.attrib.items()]
    element.attrib.clear()
    for key, value in attributes:
        kept = _attribute(key, value, prefix)
        if kept is not None:
            element.set(key, kept)
    for child in list(element):
        if _local(child.tag) in _DROPPED or not isinstance(child.tag, str):
            element.remove(child)
        else:
            _clean(child, prefix)


def _attribute(key: str, value: str, prefix: str) -> str | None:
    """Return the value to keep, or None where the attribute must go."""
    if key.lower().startswith("on"):
        return None
    if key == "id":
        return prefix + value
    if key == "href":
        return f"#{prefix}{value[1:]}" if value.startswith("#") else None
    if "url(" in _REFERENCE.sub("", value):
        return None
    return _REFERENCE.sub(lambda found: f"url(#{prefix}{found[1]})", value)
