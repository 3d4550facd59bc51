"""UIMA type systems: the supertype of each type, and the types of its features.

After "UIMA References", chapters "Component Descriptor Reference" (typeSystemDescription) and
"CAS Reference" (built-in types), and the JSON CAS specification 0.4.0 (%TYPES).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from gammacp.errors import DataError
from gammacp.formats.source import TYPE_SYSTEMS, Source
from gammacp.formats.xmltree import Element, parse

ANNOTATION = "uima.tcas.Annotation"
STRING = "uima.cas.String"
ARRAY = "uima.cas.FSArray"
RESOURCES = "http://uima.apache.org/resourceSpecifier "
_PRIMITIVE = tuple(
    f"uima.cas.{name}"
    for name in ("String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double")
)
_SEVERAL = frozenset(f"{p}{several}" for p in _PRIMITIVE for several in ("Array", "[]", "List"))
ENDS = (("Governor", "Dependent"), ("source", "target"))
"""Features that hold the two ends of a relation."""


@dataclass(frozen=True)
class TypeSystem:
    """The types of a document's annotations; built-in types need no entry.

    Attributes
    ----------
    supertypes
        Supertype of each type.
    ranges
        For each type, its own features with the types of their values.
    """

    supertypes: Mapping[str, str]
    ranges: Mapping[str, Mapping[str, str]]

    def __contains__(self, name: str) -> bool:
        """Return whether the type is declared."""
        return name in self.supertypes

    def ancestors(self, name: str) -> Iterator[str]:
        """Yield the type, its supertype, and so on."""
        names: set[str] = set()
        while name and name not in names:
            names.add(name)
            yield name
            name = self.supertypes.get(name, "")

    def features(self, name: str) -> dict[str, str]:
        """Return a type's features, including inherited ones, with the types of their values."""
        return {f: r for x in self.ancestors(name) for f, r in self.ranges.get(x, {}).items()}

    def layers(self, name: str) -> tuple[str, ...]:
        """Return the type and its supertypes up to, but without, the general type of annotations.

        The last one is the layer of the type.
        """
        general = (ANNOTATION, "uima.cas.")
        below = takewhile(lambda x: not x.startswith(general), self.ancestors(name))
        return tuple(below) or (name,)

    def holds_values(self, range_type: str) -> bool:
        """Return whether a feature of this range holds text or numbers, not other structures."""
        return range_type in _SEVERAL or any(a in _PRIMITIVE for a in self.ancestors(range_type))

    def is_relation(self, name: str) -> bool:
        """Return whether annotations of this type have two ends that refer to structures."""
        features = self.features(name)
        return any(
            all(end in features and not self.holds_values(features[end]) for end in ends)
            for ends in ENDS
        )


def holds_several(range_type: str) -> bool:
    """Return whether values of this range are arrays or lists of values."""
    return range_type in _SEVERAL


def beside(source: Source) -> TypeSystem | None:
    """Return the type system in the folder or archive of a document; None without one.

    The file is called TypeSystem.xml, or has the name of the document with the extension .xml (as
    in INCEpTION's zipped documents inside a project).

    Raises
    ------
    DataError
        TypeSystem.xml is broken.
    """
    own_name = f"{Path(source.member or source.path.name).stem}.xml"
    named = Path(source.member or source.path.name).name
    for name in (*TYPE_SYSTEMS, own_name):
        if name != named:
            content = source.neighbour(name)
        else:
            content = None
        if content is None:
            continue
        try:
            type_system = _from_xml(content)
        except DataError as error:
            if name == own_name:
                continue
            raise source.error(f"{name} beside it: {error.message}") from None
        if type_system is not None:
            return type_system
    return None


@lru_cache(maxsize=4)
def _from_xml(content: bytes) -> TypeSystem | None:
    """Return the type system in a descriptor; None if the XML is not a descriptor."""
    root = parse(Source(Path(TYPE_SYSTEMS[0]), "", "", content))
    if root.tag != f"{RESOURCES}typeSystemDescription":
        return None
    supertypes: dict[str, str] = {}
    ranges: dict[str, dict[str, str]] = {}
    for entry in root.at(f"{RESOURCES}types").all(f"{RESOURCES}typeDescription"):
        name = _text(entry, "name")
        supertypes[name] = _text(entry, "supertypeName")
        features = entry.at(f"{RESOURCES}features").all(f"{RESOURCES}featureDescription")
        ranges[name] = {_text(f, "name"): _text(f, "rangeTypeName") for f in features}
    return TypeSystem(supertypes, ranges)


def _text(entry: Element, name: str) -> str:
    return entry.at(f"{RESOURCES}{name}").text.strip()


def from_json(types: object) -> TypeSystem | None:
    """Return the type system embedded in a JSON CAS as %TYPES; None without one."""
    if not isinstance(types, dict) or not types:
        return None
    declared = {n: t for n, t in types.items() if isinstance(t, dict)}
    return TypeSystem(
        {name: str(t.get("%SUPER_TYPE", "")) for name, t in declared.items()},
        {
            name: {
                key: str(f.get("%RANGE", ""))
                for key, f in t.items()
                if not key.startswith("%") and isinstance(f, dict)
            }
            for name, t in declared.items()
        },
    )
