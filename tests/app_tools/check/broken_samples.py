"""Mistakes of app makers: what is put in place of what in a sample, and what the check says."""

from dataclasses import dataclass

MANIFEST = "AndroidManifest.xml"
DESCRIPTOR = "res/xml/mcp_capabilities.xml"
FUNCTIONS = "assets/app_functions_v2.xml"
SERVICE = "service org.example.teashop.TeaService"
PROVIDER = "provider org.example.teashop.TeaProvider"
FUNCTION_SERVICE = "service org.example.teashop.TeaFunctions"
WEATHER = "provider com.yourcompany.yourapp.McpToolProvider"
_EXPORTED = '<service android:name=".TeaService" android:exported="true">'
_ACTION = '<action android:name="mobile.mcp.SERVICE" />'

_ROOT = '<mobile-mcp-capabilities version="1.0">'
_TEAS = """\
        <output>
            <param name="teas" type="array" description="Their names" />
        </output>
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    name: str
    file: str
    old: str
    new: str
    verdict: str
    subject: str
    sentence: str
    """How it begins."""
    sample: str = "tea-shop"
    more: int = 0
    """How many further findings follow from it."""


MISTAKES = [
    Mistake(
        "not exported",
        MANIFEST,
        _EXPORTED,
        _EXPORTED.replace("true", "false"),
        "problem",
        SERVICE,
        "It is not exported",
    ),
    Mistake(
        "export left open",
        MANIFEST,
        _EXPORTED,
        '<service android:name=".TeaService">',
        "problem",
        SERVICE,
        "It does not say whether it is exported",
    ),
    Mistake(
        "a permission",
        MANIFEST,
        _EXPORTED,
        _EXPORTED.replace(">", ' android:permission="org.example.USE">'),
        "warning",
        SERVICE,
        "It demands the permission org.example.USE",
    ),
    Mistake(
        "disabled",
        MANIFEST,
        _EXPORTED,
        _EXPORTED.replace(">", ' android:enabled="false">'),
        "problem",
        SERVICE,
        "It is disabled.",
    ),
    Mistake(
        "action misspelt",
        MANIFEST,
        _ACTION,
        _ACTION.replace("SERVICE", "Service"),
        "problem",
        SERVICE,
        "It has meta-data of Mobile MCP and no filter",
    ),
    Mistake(
        "filter with data",
        MANIFEST,
        _ACTION,
        f'{_ACTION}<data android:mimeType="text/plain" />',
        "problem",
        SERVICE,
        "Its filter with mobile.mcp.SERVICE asks for data",
    ),
    Mistake(
        "no name",
        MANIFEST,
        '"mobile.mcp.tool.name"',
        '"mobile.mcp.name"',
        "problem",
        SERVICE,
        "It has no meta-data mobile.mcp.tool.name.",
    ),
    Mistake(
        "no description",
        MANIFEST,
        '"mobile.mcp.tool.description"',
        '"description"',
        "problem",
        SERVICE,
        "It has no meta-data mobile.mcp.tool.description.",
    ),
    Mistake(
        "name by number",
        MANIFEST,
        'android:value="@string/app_name"',
        'android:resource="@string/app_name"',
        "problem",
        SERVICE,
        "Its meta-data mobile.mcp.tool.name is a resource's number",
        more=1,
    ),
    Mistake(
        "no descriptor",
        MANIFEST,
        '"mobile.mcp.tool.capabilities"',
        '"capabilities"',
        "problem",
        SERVICE,
        "It has no meta-data mobile.mcp.tool.capabilities",
    ),
    Mistake(
        "descriptor as text",
        MANIFEST,
        'android:resource="@xml/mcp_capabilities"',
        'android:value="mcp_capabilities"',
        "problem",
        SERVICE,
        "It has no meta-data mobile.mcp.tool.capabilities that names an XML resource.",
    ),
    Mistake(
        "two services",
        MANIFEST,
        "android.app.appfunctions.AppFunctionService",
        "mobile.mcp.SERVICE",
        "problem",
        "services",
        "2 services have the action mobile.mcp.SERVICE",
        more=4,
    ),
    Mistake(
        "service as activity",
        MANIFEST,
        "android.intent.action.MAIN",
        "mobile.mcp.SERVICE",
        "problem",
        "activity org.example.teashop.ShopActivity",
        "It has the action mobile.mcp.SERVICE, but is not a service",
    ),
    Mistake(
        "provider not exported",
        MANIFEST,
        'tools"\n            android:exported="true"',
        'tools"\n            android:exported="false"',
        "problem",
        PROVIDER,
        "It is not exported",
    ),
    Mistake(
        "function service open",
        MANIFEST,
        "android.permission.BIND_APP_FUNCTION_SERVICE",
        "android.permission.INTERNET",
        "problem",
        FUNCTION_SERVICE,
        "It does not demand android.permission.BIND_APP_FUNCTION_SERVICE",
    ),
    Mistake(
        "function file unnamed",
        MANIFEST,
        "android.app.appfunctions.v2",
        "android.app.appfunctions.v3",
        "problem",
        FUNCTION_SERVICE,
        "It has no property android.app.appfunctions.v2",
    ),
    Mistake(
        "function file elsewhere",
        MANIFEST,
        "app_functions_v2.xml",
        "functions.xml",
        "problem",
        "assets/functions.xml",
        "It is not in the APK",
    ),
    Mistake(
        "function file cut off",
        FUNCTIONS,
        "</appfunctions>",
        "",
        "problem",
        FUNCTIONS,
        "It cannot be read: it is not XML",
    ),
    Mistake(
        "older root",
        DESCRIPTOR,
        "mobile-mcp-capabilities",
        "mcp",
        "warning",
        "descriptor",
        "root <mcp>: is the name of an early draft",
    ),
    Mistake(
        "no version",
        DESCRIPTOR,
        _ROOT,
        "<mobile-mcp-capabilities>",
        "warning",
        "descriptor",
        "root <mobile-mcp-capabilities>: has no version",
    ),
    Mistake(
        "another version",
        DESCRIPTOR,
        _ROOT,
        _ROOT.replace("1.0", "2.0"),
        "problem",
        "descriptor",
        "root <mobile-mcp-capabilities>: has version '2.0'",
    ),
    Mistake(
        "one id twice",
        DESCRIPTOR,
        "list_teas",
        "brew_tea",
        "problem",
        "descriptor",
        'capability "brew_tea": is declared twice.',
    ),
    Mistake(
        "no id",
        DESCRIPTOR,
        ' id="list_teas"',
        "",
        "problem",
        "descriptor",
        "capability 2: has no id.",
    ),
    Mistake(
        "no capability description",
        DESCRIPTOR,
        ' description="Brews a cup of tea."',
        "",
        "problem",
        "descriptor",
        'capability "brew_tea": has no description.',
    ),
    Mistake(
        "parameter without name",
        DESCRIPTOR,
        ' name="minutes"',
        "",
        "problem",
        "descriptor",
        'param 1 of input of capability "brew_tea": has no name.',
    ),
    Mistake(
        "parameter with a space",
        DESCRIPTOR,
        'name="minutes"',
        'name="how long"',
        "problem",
        "capability brew_tea",
        "It has a parameter 'how long'",
    ),
    Mistake(
        "unknown type",
        DESCRIPTOR,
        'name="minutes" type="integer"',
        'name="minutes" type="duration"',
        "warning",
        "capability brew_tea",
        "Parameter 'minutes' has the type 'duration'",
    ),
    Mistake(
        "unclear requirement",
        DESCRIPTOR,
        'required="true" description="How long, 1 to 10"',
        'required="yes" description="How long, 1 to 10"',
        "problem",
        "descriptor",
        'param 1 of input of capability "brew_tea": has required="yes"',
    ),
    Mistake(
        "output misspelt",
        DESCRIPTOR,
        _TEAS,
        _TEAS.replace("output", "result"),
        "warning",
        "descriptor",
        'capability "list_teas": holds <result>',
    ),
    Mistake(
        "type misspelt",
        MANIFEST,
        "vnd.mcp.tool",
        "vnd.mcp.tools",
        "problem",
        "offers",
        "It offers nothing",
        sample="weather",
    ),
    Mistake(
        "another action",
        MANIFEST,
        "android.intent.action.VIEW",
        "android.intent.action.SEND",
        "problem",
        WEATHER,
        "It has a filter for application/vnd.mcp.tool without the action",
        sample="weather",
    ),
    Mistake(
        "authority forgotten",
        MANIFEST,
        'android:authorities="com.yourcompany.yourapp.mcptool"',
        "",
        "problem",
        WEATHER,
        "It has no authority",
        sample="weather",
    ),
]
