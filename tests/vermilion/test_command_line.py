"""The command line: what it prints, what it refuses, and what its exit codes mean."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vermilion.__main__ import main
from vermilion.installation import Installation
from vermilion.people import DEMO_PEOPLE
from vermilion.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
HOLIDAY = ROOT / "tests" / "vermilion" / "holiday"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command on a database of its own, with the demo people in it."""
    url = f"sqlite:///{tmp_path}/vermilion.sqlite"
    with Installation(Settings(database=url)) as here:
        here.seed(DEMO_PEOPLE)
    monkeypatch.setenv("VERMILION_DATABASE", url)
    (tmp_path / "empty.toml").touch()
    monkeypatch.setenv("VERMILION_SETTINGS", str(tmp_path / "empty.toml"))
    runner = CliRunner()
    return lambda *arguments: runner.invoke(main, [str(each) for each in arguments])


def _json(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_instances_of_a_process_that_is_not_there_names_those_there_are(run: Run) -> None:
    run("deploy", HOLIDAY)

    assert run("instances", "--process", "holiday").exit_code == 0
    refused = run("instances", "--process", "bogus")
    assert refused.exit_code == 2
    assert 'no process "bogus". Those there are: holiday' in refused.output


def test_the_shipped_process_passes_the_check(run: Run) -> None:
    result = run("check", ROOT / "processes" / "procurement")

    assert result.exit_code == 0
    assert "0 errors" in result.output


def test_a_drawing_that_cannot_run_is_refused_with_element_reason_and_remedy(run: Run, tmp_path: Path) -> None:
    drawing = (HOLIDAY / "process.bpmn").read_text()
    file = tmp_path / "broken.bpmn"
    file.write_text(
        drawing.replace("<bpmn:userTask ", "<bpmn:adHocSubProcess ").replace(
            "</bpmn:userTask>", "</bpmn:adHocSubProcess>"
        )
    )
    result = run("check", file, "--json")
    report = json.loads(result.stdout)

    assert result.exit_code == 1
    assert report["errors"] >= 1
    first = report["findings"][0]
    assert (first["element_id"], bool(first["reason"]), bool(first["remedy"])) == ("approve", True, True)


def test_a_process_is_deployed_started_decided_and_shown(run: Run, tmp_path: Path) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"who": "Lin Mei", "days": 3}')

    assert "version 1" in run("deploy", HOLIDAY).output
    assert "Already deployed" in run("deploy", HOLIDAY).output
    started = _json(run("start", "holiday", "--input", request, "--business-key", "H-1", "--as", "lin"))
    again = _json(run("start", "holiday", "--input", request, "--business-key", "H-1", "--as", "lin"))
    (task,) = _json(run("tasks", "--as", "wei", "--json"))["items"]
    decided = _json(run("decide", task["task_id"], "--as", "wei", "--set", "granted=true"))
    shown = run("show", started["workflow_id"])

    assert (again["workflow_id"], again["is_new"]) == (started["workflow_id"], False)
    assert decided["instance"]["execution_state"] == "finished"
    assert "Grant the holiday" in shown.output
    assert "decided" in shown.output
    assert "H-1" in run("instances").output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "0" * 32), "There is no case"),
        (("decide", "0" * 32, "--as", "wei", "--set", "a=1"), "no open task"),
        (("tasks", "--as", "nobody"), "nobody with the login"),
        (("start", "nothing", "--as", "lin"), 'no deployed process "nothing"'),
        (("deploy", "tests"), "process.bpmn"),
        (("check", "nowhere.bpmn"), "cannot be read"),
        (("decide", "0" * 32, "--as", "wei", "--set", "approve"), "is not NAME=VALUE"),
        (("demo", "--fault", "write=2"), "OPERATION:NAME=COUNT"),
        (("start", "x", "--as", "lin", "--input", "nowhere.json"), "nowhere.json cannot be read"),
        (("start", "holiday", "--as", "zhao"), "permission"),
    ],
)
def test_a_mistake_is_told_in_a_sentence_with_exit_code_1(run: Run, arguments: tuple[str, ...], sentence: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 1, result.output
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_an_unknown_command_is_exit_code_2(run: Run) -> None:
    assert run("approve-everything").exit_code == 2


def test_a_wrong_setting_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("workers = 0\n")
    result = run("--settings", tmp_path / "wrong.toml", "instances")

    assert result.exit_code == 1
    assert "`workers`" in result.output


def test_a_token_signs_in_and_is_printed_once(run: Run) -> None:
    result = run("token", "wei")

    assert result.output.startswith("vmt_")


def test_a_token_is_listed_and_taken_away(run: Run) -> None:
    run("token", "wei", "--name", "laptop")
    listed = run("tokens", "wei").output
    (line,) = [each for each in listed.splitlines() if "laptop" in each]
    token_id = line.split()[0]

    assert run("token", "--revoke", token_id).exit_code == 0
    assert run("token", "--revoke", token_id).exit_code == 1
    assert run("token").exit_code == 2
    assert run("token", "wei", "--revoke", token_id).exit_code == 2


def test_a_person_is_changed_and_barred(run: Run) -> None:
    run("add-person", "kim", "--name", "Kim Sand", "--role", "requester", "--group", "planning")

    changed = run("change-person", "kim", "--role", "auditor", "--no-groups", "--barred")

    assert "roles auditor; groups none; barred" in changed.output
    assert run("token", "kim").exit_code == 1
    assert run("change-person", "setup", "--barred").exit_code == 1
