"""Who may do what is one table, which every route and the page ask."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.routing import APIRoute

from rogue_bandits.study.api import batches, decisions, exports, people, status
from rogue_bandits.study.api.access import RoleBearer
from rogue_bandits.study.problems import Kind, RequestProblem
from rogue_bandits.study.roles import ROLES, ROLES_BY_ACTION, raise_unless_allowed

BY_OTHERS = {"correct", "use the page", "verify"}  # of an operation and of the page


def actions_of(router: Any) -> list[list[str]]:
    """Return the actions for which each route of a router checks the role."""
    routes = [route for route in router.routes if isinstance(route, APIRoute)]
    each = [[one.call for one in route.dependant.dependencies] for route in routes]
    return [[call.action for call in calls if isinstance(call, RoleBearer)] for calls in each]


def test_every_route_has_one_action_of_the_table() -> None:
    asked = [actions for one in (decisions, batches, exports, people) for actions in actions_of(one.router)]
    assert len(asked) > 15
    assert all(len(actions) == 1 for actions in asked)
    assert {actions[0] for actions in asked} == ROLES_BY_ACTION.keys() - BY_OTHERS
    assert actions_of(status.router) == [[], [], []]  # health, readiness and numbers are for anybody


def test_the_table_has_roles_that_tokens_have() -> None:
    assert {role for roles in ROLES_BY_ACTION.values() for role in roles} == ROLES.keys()


@pytest.mark.parametrize("action", ROLES_BY_ACTION)
def test_another_role_is_refused(action: str) -> None:
    for role in ROLES_BY_ACTION[action]:
        raise_unless_allowed(role, action)
    for role in {*ROLES, "nobody"} - {*ROLES_BY_ACTION[action]}:
        with pytest.raises(RequestProblem, match=f"a token with role {role} may not do this: ") as caught:
            raise_unless_allowed(role, action)
        assert (caught.value.kind, caught.value.title) == (Kind.NOT_ALLOWED, "role-not-allowed")


def test_auditors_change_nothing() -> None:
    changes = {"enrol", "change status", "decide", "deliver", "reward", "correct", "update"}
    assert [action for action in changes if "auditor" in ROLES_BY_ACTION[action]] == []
