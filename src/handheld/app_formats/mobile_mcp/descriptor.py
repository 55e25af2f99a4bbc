"""The capability descriptor: the XML resource in which a service declares its capabilities."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

VERSION = "1.0"
ROOT = "mobile-mcp-capabilities"
OLD_ROOT = "mcp"
LONGEST = 256 * 1024
MOST_CAPABILITIES = 200
MOST_PARAMETERS = 100
MOST_PROBLEMS = 100
"""The maximum of reported problems."""

JSON_TYPES = {
    "string": "string",
    "boolean": "boolean",
    "bool": "boolean",
    "int": "integer",
    "integer": "integer",
    "long": "integer",
    "number": "number",
    "float": "number",
    "double": "number",
    "array": "array",
    "list": "array",
    "object": "object",
    "map": "object",
    "json": "object",
}


@dataclass(frozen=True, slots=True)
class CapabilityParameter:
    name: str
    type: str
    """The declared type."""
    description: str
    required: bool = False

    @property
    def json_type(self) -> str:
        """The JSON type of its values; values of a non-standard type are sent as strings."""
        return JSON_TYPES.get(self.type.lower(), "string")


@dataclass(frozen=True, slots=True)
class Capability:
    id: str
    description: str
    version: str
    input: tuple[CapabilityParameter, ...] = ()
    output: tuple[CapabilityParameter, ...] = ()


@dataclass(frozen=True, slots=True)
class DescriptorProblem:
    """A problem in a descriptor."""

    source: str
    element: str
    """The element: `capability "clock_in"`, `param 2 of input of capability "clock_in"`."""
    message: str
    tolerated: bool = False
    """Whether the part with this problem is used anyway."""

    def __str__(self) -> str:
        return f"{self.source}: {self.element}: {self.message}"


class BadDescriptor(ValueError):
    """The descriptor is unusable."""

    def __init__(self, problem: DescriptorProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Descriptor:
    capabilities: tuple[Capability, ...]
    problems: tuple[DescriptorProblem, ...] = ()

    def find(self, id: str) -> Capability | None:
        return next((one for one in self.capabilities if one.id == id), None)


def parse_descriptor(text: str, source: str = "the descriptor") -> Descriptor:
    """Parse plain XML, not Android's binary form. Raises BadDescriptor."""
    if len(text) > LONGEST:
        raise _bad(source, "document", f"is longer than {LONGEST} characters")
    # Safe: the length is bounded, and a document type, which entities need, is refused.
    parser = XMLParser(target=_Builder())  # noqa: S314
    try:
        parser.feed(text)
        root = parser.close()
    except _Doctype:
        raise _bad(source, "document", "has a document type, which is not allowed") from None
    except (ParseError, ValueError) as problem:
        raise _bad(source, "document", f"is not XML: {problem}") from None
    return read_descriptor(root, source)


def read_descriptor(root: Element, source: str = "the descriptor") -> Descriptor:
    """Read a descriptor. Invalid parts are left out and reported as problems. Raises BadDescriptor
    if nothing remains."""
    return _Reader(source).read(root)


class _Doctype(Exception):
    pass


class _Builder(TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        # A document type declares entities, and one can expand to a billion letters.
        raise _Doctype


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._problems: list[DescriptorProblem] = []

    def read(self, root: Element) -> Descriptor:
        if root.tag not in (ROOT, OLD_ROOT):
            raise _bad(self._source, f"root <{root.tag}>", f"must be <{ROOT}>")
        where = f"root <{root.tag}>"
        if root.tag == OLD_ROOT:
            self._tolerate(where, f"is the name of an early draft; it must be <{ROOT}>")
        version = root.get("version")
        if version is None:
            self._tolerate(where, f'has no version; it must be version="{VERSION}"')
        elif version != VERSION:
            raise _bad(
                self._source, where, f"has version {version!r}, of which only {VERSION!r} is known"
            )
        capabilities: dict[str, Capability] = {}
        for number, element in enumerate(self._children(root, where, "capability"), 1):
            if number > MOST_CAPABILITIES:
                self._refuse(where, f"has over {MOST_CAPABILITIES} capabilities; the rest is left")
                break
            capability = self._capability(element, number)
            if capability is None:
                continue
            if capability.id in capabilities:
                self._refuse(f'capability "{capability.id}"', "is declared twice")
                continue
            capabilities[capability.id] = capability
        return Descriptor(tuple(capabilities.values()), tuple(self._problems))

    def _capability(self, element: Element, number: int) -> Capability | None:
        id = element.get("id")
        where = f'capability "{id}"' if id else f"capability {number}"
        attributes = [
            self._attribute(element, where, name) for name in ("id", "description", "version")
        ]
        lists: dict[str, tuple[CapabilityParameter, ...] | None] = {"input": (), "output": ()}
        seen: set[str] = set()
        for child in self._children(element, where, "input", "output"):
            if child.tag in seen:
                self._refuse(where, f"has more than one <{child.tag}>")
                return None
            seen.add(child.tag)
            lists[child.tag] = self._parameters(child, f"{child.tag} of {where}")
        given, returned = lists["input"], lists["output"]
        if None in attributes or given is None or returned is None:
            return None
        id, description, version = (word or "" for word in attributes)
        return Capability(id, description, version, given, returned)

    def _parameters(self, element: Element, where: str) -> tuple[CapabilityParameter, ...] | None:
        found: dict[str, CapabilityParameter] = {}
        whole = True
        for number, child in enumerate(self._children(element, where, "param"), 1):
            if number > MOST_PARAMETERS:
                self._refuse(where, f"has over {MOST_PARAMETERS} parameters")
                return None
            parameter = self._parameter(child, f"param {number} of {where}", element.tag == "input")
            if parameter is None:
                whole = False
            elif parameter.name in found:
                self._refuse(where, f'has two parameters "{parameter.name}"')
                whole = False
            else:
                found[parameter.name] = parameter
        return tuple(found.values()) if whole else None

    def _parameter(
        self, element: Element, where: str, is_input: bool
    ) -> CapabilityParameter | None:
        for child in element:
            self._tolerate(where, f"holds <{child.tag}>, where nothing means anything")
        attributes = [
            self._attribute(element, where, name) for name in ("name", "type", "description")
        ]
        required = self._attribute(element, where, "required") if is_input else "false"
        if required not in (None, "true", "false"):
            self._refuse(where, f'has required="{required}"; it must be "true" or "false"')
            return None
        if None in attributes or required is None:
            return None
        name, type, description = (word or "" for word in attributes)
        return CapabilityParameter(name, type, description, required == "true")

    def _attribute(self, element: Element, where: str, name: str) -> str | None:
        value = element.get(name)
        if value is None:
            self._refuse(where, f"has no {name}")
        elif not value.strip() and name in ("id", "name", "type"):
            self._refuse(where, f"has an empty {name}")
            return None
        return value

    def _children(self, element: Element, where: str, *known: str) -> Iterator[Element]:
        for child in element:
            if child.tag in known:
                yield child
            elif len(self._problems) < MOST_PROBLEMS:
                wanted = " or ".join(f"<{tag}>" for tag in known)
                self._tolerate(where, f"holds <{child.tag}>, where only {wanted} means something")

    def _refuse(self, element: str, message: str) -> None:
        self._note(element, message, False)

    def _tolerate(self, element: str, message: str) -> None:
        self._note(element, message, True)

    def _note(self, element: str, message: str, tolerated: bool) -> None:
        if len(self._problems) < MOST_PROBLEMS:
            problem = DescriptorProblem(self._source, element, message, tolerated=tolerated)
            self._problems.append(problem)


def _bad(source: str, element: str, message: str) -> BadDescriptor:
    return BadDescriptor(DescriptorProblem(source, element, message))
