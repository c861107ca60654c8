"""The identities that every installation has, and the people of the demo company; nobody of them is real."""

from __future__ import annotations

from engine.identity import NewPerson, Role

SERVICE_LOGIN = "service"
DEPLOYER_LOGIN = "setup"
#: Everybody's first password in the demo, and nowhere else.
DEMO_PASSWORD = "vermilion-demo"  # noqa: S105 (it is printed)

#: Service identities: the workers, and the one that set-up deploys the shipped processes with.
SYSTEM_PEOPLE: tuple[NewPerson, ...] = (
    NewPerson(login=SERVICE_LOGIN, name="Vermilion", roles=(Role.SERVICE,), is_service=True),
    NewPerson(
        login=DEPLOYER_LOGIN, name="Set-up", roles=(Role.ADMIN, Role.ANALYST, Role.PROCESS_OWNER), is_service=True
    ),
)

#: The demo company's staff. Groups are those that ``process.yaml`` maps roles to.
DEMO_PEOPLE: tuple[NewPerson, ...] = (
    NewPerson(login="lin", name="Lin Mei", roles=(Role.REQUESTER, Role.APPROVER), groups=("planning",), language="zh"),
    NewPerson(login="wei", name="Li Wei", roles=(Role.APPROVER,), groups=("purchasing",), language="en"),
    NewPerson(login="mara", name="Mara Okafor", roles=(Role.APPROVER,), groups=("purchasing", "purchasing-heads")),
    NewPerson(login="anna", name="Anna Berger", roles=(Role.APPROVER,), groups=("finance",), language="en"),
    NewPerson(login="omar", name="Omar Haddad", roles=(Role.OPERATOR,), groups=("operations",), language="en"),
    NewPerson(login="zhao", name="Zhao Min", roles=(Role.AUDITOR,), groups=("audit",), language="zh"),
    NewPerson(login="ines", name="Ines Costa", roles=(Role.ANALYST, Role.PROCESS_OWNER), groups=("process",)),
    NewPerson(login="adam", name="Adam Novak", roles=(Role.ADMIN,), groups=("administration",)),
)
