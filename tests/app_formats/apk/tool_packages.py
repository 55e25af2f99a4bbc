"""APKs that declare tools, written by the tests' own writer."""

from collections.abc import Mapping
from xml.etree import ElementTree

from .writer import Given, Node, config, manifest, reference, small_apk, table, xml

DESCRIPTOR = 0x7F020000
NAME = 0x7F010000
LABEL = 0x7F010001
CAPABILITY = """
<mobile-mcp-capabilities version="1.0">
  <capability id="{id}" description="{description}" version="1">
    <input><param name="amount" type="int" required="true" description="How much"/></input>
    <output><param name="total" type="int" description="In all"/></output>
  </capability>
</mobile-mcp-capabilities>
"""


def capability(id: str = "count", description: str = "Counts.") -> str:
    return CAPABILITY.format(id=id, description=description)


def packed(descriptor: str) -> bytes:
    """Return the descriptor as binary XML."""
    return xml(_node(ElementTree.fromstring(descriptor)))


def _node(element: ElementTree.Element) -> Node:
    return Node(element.tag, dict(element.attrib), [_node(child) for child in element])


def service(
    meta_data: Mapping[str, Mapping[str, Given]] | None = None,
    *,
    name: str = ".Tools",
    action: str = "mobile.mcp.SERVICE",
    **more: Given,
) -> Node:
    data = {
        "mobile.mcp.tool.name": {"android:value": reference(NAME)},
        "mobile.mcp.tool.description": {"android:value": "Counts things."},
        "mobile.mcp.tool.capabilities": {"android:resource": reference(DESCRIPTOR)},
    }
    given: dict[str, Given] = {"android:name": name, "android:exported": True}
    return Node(
        "service",
        given | {f"android:{key}": value for key, value in more.items()},
        (
            Node("intent-filter", {}, (Node("action", {"android:name": action}),)),
            *(
                Node("meta-data", {"android:name": key, **value})
                for key, value in (data if meta_data is None else meta_data).items()
            ),
        ),
    )


def provider(
    authorities: str = "org.example.counter.tools",
    *,
    action: str = "android.intent.action.VIEW",
    mime_type: str = "application/vnd.mcp.tool",
    **more: Given,
) -> Node:
    data = (Node("data", {"android:mimeType": mime_type}),) if mime_type else ()
    filter = Node("intent-filter", {}, (Node("action", {"android:name": action}), *data))
    given: dict[str, Given] = {"android:name": ".Provider", "android:exported": True}
    if authorities:
        given["android:authorities"] = authorities
    given |= {f"android:{key}": value for key, value in more.items()}
    return Node("provider", given, (filter,))


def tool_apk(
    package: str = "org.example.counter",
    *components: Node,
    version: int = 1,
    descriptor: str | None = None,
    label: str = "Counter",
    german: str = "",
    certificate: bytes | None = b"a certificate",
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return an APK with a Mobile MCP service and a provider, unless other components are given."""
    root = manifest(
        package,
        *(components or (service(), provider(f"{package}.tools"))),
        versionCode=version,
        application={"android:label": reference(LABEL)},
    )
    values = {
        NAME: {config(): "Counter"},
        LABEL: {config(): label, **({config("de"): german} if german else {})},
        DESCRIPTOR: {config(): "res/a.xml"},
    }
    files = {"res/a.xml": packed(descriptor or capability()), **(more or {})}
    return small_apk(root, certificate=certificate, resources=table(values), more=files)
