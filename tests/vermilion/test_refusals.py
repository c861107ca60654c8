"""Clumsy command lines and settings: each is refused with a sentence that names the place."""

from __future__ import annotations

import fcntl
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vermilion.__main__ import main
from vermilion.installation import Installation
from vermilion.people import DEMO_PEOPLE
from vermilion.settings import Settings, SettingsRefused, load_settings


@pytest.fixture
def url(tmp_path: Path) -> str:
    address = f"sqlite:///{tmp_path}/vermilion.sqlite"
    with Installation(Settings(database=address)) as here:
        here.seed(DEMO_PEOPLE)
    return address


def _run(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"VERMILION_DATABASE": url, "VERMILION_SETTINGS": ""})


def _free_ports() -> list[str]:
    """Return a start of the workplace on ports that nobody uses."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(4)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        ports = [str(each.getsockname()[1]) for each in sockets]
    names = ("--port", "--erp-port", "--wms-port", "--mes-port")
    return ["run", *(part for pair in zip(names, ports, strict=True) for part in pair)]


_ID = "0" * 32

_FILES = {
    "latin.json": b'{"a": "\xff"}',
    "deep.json": b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "nan.json": b'{"a": NaN}',
    "list.json": b"[]",
    "huge.json": b'{"a": 1e99999999999999999999}',
    "half.json": b'{"a": "\\ud800"}',
    "size.json": b'{"a": 1e400000}',
}


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("show", "xyz"), 2, "'xyz' is no id"),
        (("decide", "../etc", "--as", "wei"), 2, "is no id"),
        (("cancel", "1", "--as", "omar", "--reason", "none"), 2, "is no id"),
        (("repair", "1", "--as", "omar", "--reason", "none"), 2, "is no id"),
        (("repair", _ID, "--as", "omar", "--incident", "1", "--reason", "none"), 2, "is no id"),
        (
            ("repair", _ID, "--as", "omar", "--found", "nowhere.json", "--reason", "none"),
            1,
            "nowhere.json cannot be read",
        ),
        (("repair", _ID, "--as", "omar", "--found", "latin.json", "--reason", "none"), 1, "latin.json cannot be read"),
        (("start", "procurement", "--as", "\udcff"), 1, "character"),
        (("start", "procurement", "--as", "l" * 500), 1, "500 characters"),
        (("start", "procurement", "--as", "lin", "--input", "nowhere.json"), 1, "nowhere.json cannot be read"),
        *(
            (("start", "procurement", "--as", "lin", "--input", file), 1, f"{file} ")
            for file in ("latin.json", "deep.json", "nan.json", "list.json", "huge.json")
        ),
        (("--settings", "latin.json", "people"), 1, "latin.json cannot be read"),
    ],
)
def test_a_clumsy_command_is_refused_with_a_sentence(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in _FILES.items():
        (tmp_path / name).write_bytes(content)
    result = _run(url, *arguments)

    assert (result.exit_code, type(result.exception)) == (code, SystemExit)
    assert sentence in result.stderr


def test_two_workplaces_do_not_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second would overwrite the first one's settings, tokens and all."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".data").mkdir()
    with (tmp_path / ".data" / "in-use").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = CliRunner().invoke(main, _free_ports())

    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert "Another `vermilion run` uses the folder .data" in result.stderr


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".data").touch()
    result = CliRunner().invoke(main, _free_ports())

    assert (result.exit_code, type(result.exception)) == (1, SystemExit)
    assert "The folder .data cannot be written" in result.stderr


def test_an_id_may_be_written_in_capitals(url: str) -> None:
    assert f"There is no case {'ab' * 16}." in _run(url, "show", "AB" * 16).stderr


@pytest.mark.parametrize(
    ("content", "entry"),
    [
        ('[event_senders.mes]\nlogin = "service"\nsecret = ""', "event_senders.mes.secret"),
        ('[event_senders.mes]\nlogin = "service"\nsecret = "!!not base64 at all, but long enough!!"', "mes.secret"),
        ('[event_senders.mes]\nlogin = "service"\nsecret = "c2hvcnQ="', "event_senders.mes.secret"),
        ("port = 70000", "port"),
        ('colour = "red"', "colour"),
    ],
)
def test_a_wrong_setting_is_named_and_no_secret_is_told(tmp_path: Path, content: str, entry: str) -> None:
    file = tmp_path / "vermilion.toml"
    file.write_text(content)

    with pytest.raises(SettingsRefused, match=entry) as refused:
        load_settings(file, environment={})
    assert "c2hvcnQ" not in str(refused.value)


def test_a_settings_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    """Else a misspelt name would quietly start a new, empty installation."""
    with pytest.raises(SettingsRefused, match=r"nowhere\.toml"):
        load_settings(environment={"VERMILION_SETTINGS": str(tmp_path / "nowhere.toml")})


def test_a_port_in_other_digits_is_refused() -> None:
    with pytest.raises(SettingsRefused, match="port"):
        load_settings(environment={"VERMILION_PORT": "²"})
