"""Sources of settings, their priority, and messages about invalid values."""

from pathlib import Path

import pytest

from handheld.cli.arguments import parse
from handheld.settings import (
    Settings,
    SettingsError,
    load,
    options,
    split_address,
    unknown_variables,
)
from handheld.settings.folders import Folders
from handheld.settings.groups import AdbSettings, TlsSettings


def write(home: Path, text: str) -> dict[str, str]:
    (home / "handheld.toml").write_text(text, encoding="utf-8")
    return {"HANDHELD_HOME": str(home)}


def test_without_file_variable_or_flag_the_defaults_apply(tmp_path: Path) -> None:
    folders = Folders(tmp_path, tmp_path / "state")
    assert load({}, {"HANDHELD_HOME": str(tmp_path)}) == Settings(folders=folders)


def test_every_source_reaches_every_kind_of_field(tmp_path: Path) -> None:
    environment = write(
        tmp_path,
        'port = 1\nphone = "file"\nallow_host = ["a", "b"]\nno_token = true\n'
        '[tls]\nself_signed = true\n[adb]\nserver = "10.0.0.1:99"\n',
    )
    environment |= {"HANDHELD_PORT": "2", "HANDHELD_ALLOW_HOST": "c, d", "HANDHELD_NO_TOKEN": "no"}
    flags = {"port": "3", "tls_cert": "/c.pem", "tls_key": "/k.pem", "tls_self_signed": False}
    assert load(flags, environment) == Settings(
        phone=("file",),
        port=3,
        allow_host=("c", "d"),
        tls=TlsSettings(Path("/c.pem"), Path("/k.pem")),
        adb=AdbSettings("10.0.0.1:99"),
        folders=Folders(tmp_path, tmp_path / "state"),
    )


@pytest.mark.parametrize(
    ("environment", "flags", "phone"),
    [
        ({"ANDROID_SERIAL": "a"}, {}, "a"),
        ({"ANDROID_SERIAL": "a", "HANDHELD_PHONE": "b"}, {}, "b"),
        ({"ANDROID_SERIAL": "a", "HANDHELD_PHONE": "b"}, {"phone": "c"}, "c"),
    ],
)
def test_android_serial_has_the_lowest_priority(
    tmp_path: Path, environment: dict[str, str], flags: dict[str, str], phone: str
) -> None:
    assert load(flags, environment | {"HANDHELD_HOME": str(tmp_path)}).phone == (phone,)


@pytest.mark.parametrize(
    ("text", "flags", "phones", "slugs"),
    [
        ("", {}, (), {"": ""}),
        ("", {"slug": "pixel7"}, (), {"": "pixel7"}),
        ("slug = 'a'", {"phone": ["R58M"]}, ("R58M",), {"R58M": "a"}),
        ("phone = 'R58M'\n[phones.R58M]\nslug = 'a'", {}, ("R58M",), {"R58M": "a"}),
        ("[phones.R58M]\nslug = 'a'", {"slug": "b"}, ("R58M",), {"R58M": "b"}),
        (
            "[phones.virtual]\nslug = 'toy'\n[phones.'10.0.0.2:5555']",
            {},
            ("virtual", "10.0.0.2:5555"),
            {"virtual": "toy", "10.0.0.2:5555": ""},
        ),
        ("phone = ['a', 'b']", {}, ("a", "b"), {"a": "", "b": ""}),
        ("phone = 'a, b'", {}, ("a", "b"), {"a": "", "b": ""}),
        ("[phones.a]\nslug = 'x'", {"phone": ["b,c", "a"]}, ("b", "c", "a"), {"a": "x", "b": ""}),
    ],
)
def test_phones_and_their_slugs_come_from_flags_and_tables(
    tmp_path: Path,
    text: str,
    flags: dict[str, object],
    phones: tuple[str, ...],
    slugs: dict[str, str],
) -> None:
    settings = load(flags, write(tmp_path, text))
    assert settings.phones == phones
    assert {phone: settings.slug_of(phone) for phone in slugs} == slugs


@pytest.mark.parametrize(
    ("text", "flags", "sentence"),
    [
        ("", {"slug": "a" * 21}, "slug: Device slug must be at most 20 characters."),
        (
            "",
            {"slug": "pixel-7"},
            "slug: Device slug can only contain letters, digits, and underscores.",
        ),
        (
            "",
            {"slug": "é"},
            "slug: Device slug can only contain letters, digits, and underscores.",
        ),
        (
            "[phones.R58M]\nslug = 'a b'",
            {},
            "phones.R58M.slug: Device slug can only contain letters, digits, and underscores.",
        ),
        (
            "[phones.a]\nslug = 'x'\n[phones.b]\nslug = 'X'",
            {},
            "phones.b.slug is the name of another phone.",
        ),
        (
            "[phones.a]\nslug = 'b'\n[phones.b]",
            {},
            "phones.a.slug is the name of another phone.",
        ),
        (
            "",
            {"phone": ["a", "b"], "slug": "c"},
            "slug names a single phone, but several are chosen: give each its own slug in "
            "handheld.toml, under [phones.SERIAL].",
        ),
        ("", {"phone": ["a", "a"]}, "phone lists a phone twice."),
        ("phone = ['a,b']", {}, "phone must be a serial, HOST:PORT or `virtual`."),
    ],
)
def test_an_invalid_slug_is_refused(
    tmp_path: Path, text: str, flags: dict[str, object], sentence: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        load(flags, write(tmp_path, text))
    assert str(raised.value) == sentence


@pytest.mark.parametrize("slug", ["", "a" * 20, "Work_Phone_7"])
def test_a_slug_of_letters_digits_and_underscores_is_valid(tmp_path: Path, slug: str) -> None:
    assert load({"slug": slug}, {"HANDHELD_HOME": str(tmp_path)}).single_slug == slug


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, ("127.0.0.1", 5037)),
        ({"ANDROID_ADB_SERVER_PORT": "7"}, ("127.0.0.1", 7)),
        ({"ANDROID_ADB_SERVER_ADDRESS": "pi"}, ("pi", 5037)),
        ({"ANDROID_ADB_SERVER_ADDRESS": "pi", "ANDROID_ADB_SERVER_PORT": "7"}, ("pi", 7)),
        ({"ADB_SERVER_SOCKET": "tcp:8"}, ("127.0.0.1", 8)),
        ({"ADB_SERVER_SOCKET": "tcp:[::1]:8", "ANDROID_ADB_SERVER_PORT": "7"}, ("::1", 8)),
        ({"ADB_SERVER_SOCKET": "tcp:8", "HANDHELD_ADB_SERVER": "x:9"}, ("x", 9)),
    ],
)
def test_the_adb_server_address_follows_adbs_variables(
    tmp_path: Path, environment: dict[str, str], address: tuple[str, int]
) -> None:
    assert load({}, environment | {"HANDHELD_HOME": str(tmp_path)}).adb_address == address


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prot = 1", "{file} has an unknown key 'prot'. Did you mean port?"),
        ("[tls]\ncrt = 'x'", "{file} has an unknown key 'tls.crt'. Did you mean tls.cert?"),
        ("zzz = 1", "{file} has an unknown key 'zzz'. docs/settings.md lists the known ones."),
        ("port = '1'", "port in {file} must be a whole number from 0 to 65535, not '1'."),
        ("port = true", "port in {file} must be a whole number from 0 to 65535, not True."),
        ("port = 65536", "port in {file} must be a whole number from 0 to 65535, not 65536."),
        ("no_token = 1", "no_token in {file} must be true or false, not 1."),
        ("allow_host = 1", "allow_host in {file} must be a text or a list of texts, not 1."),
        ("allow_host = [1]", "allow_host in {file} must be a text or a list of texts, not [1]."),
        ("slug = ['a']", "slug in {file} must be a text, not ['a']."),
        ("phones = 1", "phones in {file} must be a table for each phone: [phones.SERIAL]."),
        ("[phones]\na = 1", "phones in {file} must be a table for each phone: [phones.SERIAL]."),
        ("[phones.a]\nb = 1", "{file} has an unknown key 'phones.a.b'."),
        ("[phones.a]\nslug = 1", "phones.a.slug in {file} must be a text, not 1."),
        ("token = 7", "token in {file} must be a text."),
        (
            "log_level = 'loud'",
            "log_level in {file} must be one of error, warning, info, debug, not 'loud'.",
        ),
        ("tls = 1", "{file} has an unknown key 'tls'. Did you mean tls.key?"),
    ],
)
def test_an_invalid_key_in_the_file_is_reported(tmp_path: Path, text: str, sentence: str) -> None:
    environment = write(tmp_path, text)
    with pytest.raises(SettingsError) as raised:
        load({}, environment)
    assert str(raised.value) == sentence.format(file=tmp_path / "handheld.toml")


@pytest.mark.parametrize(
    ("environment", "flags", "sentence"),
    [
        (
            {"HANDHELD_PORT": "x"},
            {},
            "HANDHELD_PORT must be a whole number from 0 to 65535, not 'x'.",
        ),
        ({}, {"port": "-1"}, "--port must be a whole number from 0 to 65535, not '-1'."),
        (
            {},
            {"body_limit": "1"},
            "--body-limit must be a whole number from 1024 to 1073741824, not '1'.",
        ),
        (
            {"HANDHELD_NO_TOKEN": "maybe"},
            {},
            "HANDHELD_NO_TOKEN must be true or false, not 'maybe'.",
        ),
        (
            {"ANDROID_ADB_SERVER_PORT": "0"},
            {},
            "ANDROID_ADB_SERVER_PORT must be a whole number from 1 to 65535, not '0'.",
        ),
        (
            {"ADB_SERVER_SOCKET": "local:x"},
            {},
            "ADB_SERVER_SOCKET must be tcp:PORT or tcp:HOST:PORT, not 'local:x'.",
        ),
        ({}, {"adb_server": "here"}, "adb.server must be HOST:PORT, not 'here'."),
        ({}, {"host": "a b"}, "host must be an address or a name, such as 127.0.0.1."),
        ({}, {"phone": "a\nb"}, "phone must be a serial, HOST:PORT or `virtual`."),
        ({}, {"token": "a b"}, "token must not contain spaces."),
        ({}, {"token": "é"}, "token must be plain ASCII: it is sent in an HTTP header."),
        (
            {},
            {"token": "a", "no_token": True},
            "no_token and token cannot be combined: leave one out.",
        ),
        (
            {},
            {"host": "0.0.0.0", "no_token": True},
            "no_token is for loopback only, and host is 0.0.0.0: anyone who reaches that address "
            "could use the phone. Leave out one of the two.",
        ),
        (
            {},
            {"tls_cert": "/c"},
            "tls.cert and tls.key belong together: give both or neither.",
        ),
        (
            {},
            {"tls_cert": "/c", "tls_key": "/k", "tls_self_signed": True},
            "tls.self_signed and tls.cert cannot be combined: leave one out.",
        ),
    ],
)
def test_an_invalid_variable_or_flag_is_reported(
    tmp_path: Path, environment: dict[str, str], flags: dict[str, object], sentence: str
) -> None:
    with pytest.raises(SettingsError) as raised:
        load(flags, environment | {"HANDHELD_HOME": str(tmp_path)})
    assert str(raised.value) == sentence


def test_a_configured_file_must_exist(tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    with pytest.raises(SettingsError, match="does not exist"):
        load({}, {"HANDHELD_HOME": str(tmp_path), "HANDHELD_CONFIG": str(named)})
    named.write_text("port = 5\n", encoding="utf-8")
    assert load({}, {"HANDHELD_HOME": str(tmp_path), "HANDHELD_CONFIG": str(named)}).port == 5


@pytest.mark.parametrize("text", ["port =", "a = 1\na = 2"])
def test_a_file_that_is_not_toml_is_reported(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="is not valid TOML"):
        load({}, write(tmp_path, text))


def test_a_misspelled_variable_gets_a_suggestion() -> None:
    assert unknown_variables(
        {"HANDHELD_PROT": "1", "HANDHELD_PORT": "1", "HANDHELD_HOME": "/"}
    ) == ["HANDHELD_PROT is set, but there is no such option. Did you mean HANDHELD_PORT?"]


def test_the_repr_of_settings_does_not_contain_the_token(tmp_path: Path) -> None:
    settings = load({"token": "hush-hush"}, {"HANDHELD_HOME": str(tmp_path)})
    assert "hush" not in repr(settings)


def test_keys_variables_and_flags_are_one_to_one() -> None:
    for names in ("key", "variable", "flag", "dest"):
        found = [getattr(option, names) for option in options()]
        assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("h:1", ("h", 1)),
        ("[::1]:5555", ("::1", 5555)),
        ("h:0", None),
        ("h:65536", None),
        ("h:", None),
        (":1", None),
        ("h", None),
        ("h:١", None),
    ],
)
def test_an_address_is_parsed_or_refused(text: str, address: tuple[str, int] | None) -> None:
    assert split_address(text) == address


def test_an_option_that_is_on_by_default_is_switched_off_by_its_flag(tmp_path: Path) -> None:
    environment = {"HANDHELD_HOME": str(tmp_path)}
    given = parse(["call", "tap", "--no-wake"])
    assert load(vars(given), environment).wake is False
    assert load({}, environment | {"HANDHELD_WAKE": "false"}).wake is False
    assert load({}, environment).wake is True
