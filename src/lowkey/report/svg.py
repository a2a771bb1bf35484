"""From Matplotlib's SVG to one that stands inline in a page, or alone, in any theme."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from lowkey.report.theme import TOKENS, Theme

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
NUMBER = re.compile(r"-?\d+\.\d+")
FONT_FAMILY = re.compile(r"font-family:[^;]*")
NO_TURN = re.compile(r"^rotate\(-?0 ")
REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline_svg(source: str, key: str, description: str) -> str:
    """The picture as an element of a page: colours are the page's CSS variables, ids are unique to `key`.

    It has no namespaces (HTML needs none) and so no address of any kind; a screen reader says the description.
    """
    root = _cleaned(source, key, {colour: f"var(--{role})" for role, colour in TOKENS.roles.items()}, "inherit")
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.attrib.update({"role": "img", "aria-label": description})
    return _serialised(root)


def standalone_svg(source: str, description: str, theme: Theme) -> str:
    """The picture as a file of its own, in the colours of one theme on a transparent ground."""
    colours = {token: theme.roles[role] for role, token in TOKENS.roles.items()}
    root = _cleaned(source, "p", colours, FONTS)
    _, _, width, height = root.attrib["viewBox"].split()
    root.attrib.update({"xmlns": SVG, "width": width, "height": height, "role": "img"})
    title = ET.Element("title")
    title.text = description
    root.insert(0, title)
    return _serialised(root) + "\n"


def _cleaned(source: str, key: str, colours: dict[str, str], font: str) -> ET.Element:
    root = ET.fromstring(source)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith("}metadata") or child.tag.endswith("}style"):
                parent.remove(child)
    used = {found for element in root.iter() for found in _references(element)}
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]
        element.text, element.tail = (element.text or "").strip() or None, None
        _rename(element, key, used)
        _restyle(element, colours, font)
    root.attrib.pop("version", None)
    root.set("stroke-linejoin", "round")
    return root


def _references(element: ET.Element) -> list[str]:
    """The ids that an element points to."""
    link = [element.attrib[LINK].removeprefix("#")] if LINK in element.attrib else []
    return link + [found for value in element.attrib.values() for found in REFERENCE.findall(value)]


def _rename(element: ET.Element, key: str, used: set[str]) -> None:
    """Ids that something points to get the picture's key, the others go."""
    own = element.attrib.pop("id", None)
    if own in used:
        element.set("id", f"{key}-{own}")
    if LINK in element.attrib:
        element.set("href", f"#{key}-{element.attrib.pop(LINK).removeprefix('#')}")
    for name, value in element.attrib.items():
        element.set(name, REFERENCE.sub(rf"url(#{key}-\1)", value))


def _restyle(element: ET.Element, colours: dict[str, str], font: str) -> None:
    attributes = element.attrib
    if "style" in attributes:
        style = FONT_FAMILY.sub(f"font-family: {font}", attributes["style"])
        for token, colour in colours.items():
            style = style.replace(token, colour)
        attributes["style"] = style
    if NO_TURN.match(attributes.get("transform", "")):
        del attributes["transform"]
    for name in ("d", "x", "y", "width", "height"):
        if name in attributes:
            attributes[name] = NUMBER.sub(lambda found: f"{float(found[0]):.2f}", " ".join(attributes[name].split()))


def _serialised(root: ET.Element) -> str:
    return ET.tostring(root, encoding="unicode")
