"""Who gets in: CSRF tokens, headers, roles; and what an auditor can check. Without a browser."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import httpx
import pytest
from starlette.routing import Route

from rogue_bandits.online.bandit import Bandit
from rogue_bandits.study import access, queries
from rogue_bandits.study.api.app import create_app
from rogue_bandits.study.metrics import Metrics
from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.page.app import ROUTES
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.contract import StorageDown
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import issue, revoke
from tests.study.cases import Clock, asked, design
from tests.study.served import PATIENCE, served

ANN = "ann <b>&"


class Site(NamedTuple):
    """A small study that is served."""

    http: httpx.Client
    service: Service
    tokens: dict[str, str]
    path: Path
    clients: ExitStack

    def signed_in(self, role: str = "staff") -> httpx.Client:
        """Return a client that has signed in."""
        fresh = httpx.Client(base_url=self.http.base_url, follow_redirects=True, verify=False, timeout=PATIENCE)
        client = self.clients.enter_context(fresh)
        page = client.get("/page/sign-in")
        answer = client.post("/page/sign-in", data={"csrf": csrf_of(page), "token": self.tokens[role]})
        assert answer.url.path == "/page/people", answer.text
        return client

    def pid(self) -> str:
        """Return Ann's random name."""
        with self.service.storage.reading() as reader:
            return queries.pid_of(reader, ANN)


def csrf_of(page: httpx.Response) -> str:
    """Return the token of the first form of a page."""
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', page.text)
    assert found is not None
    return found[1]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    path, clock = tmp_path / "study.db", Clock()
    with opened(design(), SqliteStorage(path), clock) as service:
        service.enrol(Enrolment(ANN)).result()
        for k in range(4):
            made = service.decide(ANN, asked(k), f"k{k}").result()
            service.reward(made["id"], Observed(float(k % 2))).result()
        with service.storage.writing() as tx:
            tokens = {role: issue(tx, role, "", clock(), 30) for role in ("app", "staff", "auditor")}
        with served(service) as running, ExitStack() as clients:
            http = clients.enter_context(httpx.Client(base_url=running.address, verify=False, timeout=PATIENCE))
            yield Site(http, service, tokens, path, clients)


# ---- the page --------------------------------------------------------------------------------------------------------
def test_nothing_is_shown_to_those_who_have_not_signed_in(site: Site) -> None:
    fields = {"pid": site.pid(), "part": "balance", "name": "log.jsonl", "change": "pause"}
    places = [route.path.format(**fields) for route in ROUTES[4:-1] if isinstance(route, Route)]
    assert len(places) > 8
    for place in places:
        for method in ("GET", "POST"):
            answer = site.http.request(method, f"/page{place}")
            assert answer.status_code in (303, 401, 405), place
            assert "ann" not in answer.text
        part = site.http.get(f"/page{place}", headers={"HX-Request": "true"})
        assert part.status_code in (401, 405)


def test_headers_and_cookies(site: Site) -> None:
    client = site.signed_in()
    for place in ("/page/people", "/page/sign-in", "/page/nowhere", "/page/static/page.css", "/page/audit/log.jsonl"):
        headers = client.get(place).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert set(policy.values()) == {"'none'", "'self'"}  # nothing inline, no other host
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
    cookie = client.get("/page/people").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Secure" not in cookie  # plain http on loopback
    assert site.tokens["staff"].split("_", 2)[2] not in cookie


def test_forms_without_the_token_of_the_session_change_nothing(site: Site) -> None:
    client, other = site.signed_in(), site.signed_in()
    place = f"/page/people/{site.pid()}"
    for csrf in ({}, {"csrf": ""}, {"csrf": "0" * 64}, {"csrf": csrf_of(other.get(place))}):
        for form in (f"{place}/pause", "/page/audit/verify", "/page/sign-out"):
            assert client.post(form, data=csrf).status_code == 403
    assert "this form is not from this session, or too old" in client.post(f"{place}/pause").text
    with site.service.storage.reading() as reader:
        assert queries.person(reader, ANN).status == "active"
    assert client.post(f"{place}/pause", data={"csrf": csrf_of(client.get(place))}).status_code == 200
    with site.service.storage.reading() as reader:
        assert queries.person(reader, ANN).status == "paused"


def test_signing_in_needs_a_form_of_ours_and_few_attempts(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "MOST_FAILURES", 3)
    good = {"token": site.tokens["staff"]}
    assert site.http.post("/page/sign-in", data=good).status_code == 403  # another site's form
    for status in (401, 401, 401, 429):
        csrf = csrf_of(site.http.get("/page/sign-in"))
        assert site.http.post("/page/sign-in", data={"csrf": csrf, "token": "rogue_a_b"}).status_code == status
    csrf = csrf_of(site.http.get("/page/sign-in"))
    many = {"csrf": csrf, **{f"field{k}": "" for k in range(30)}}
    assert site.http.post("/page/sign-in", data=many).status_code == 422
    csrf = csrf_of(site.http.get("/page/sign-in"))
    assert site.http.post("/page/sign-in", data={"csrf": csrf, **good}).status_code == 303  # a valid one is let in


def test_auditors_read_and_change_nothing(site: Site) -> None:
    client = site.signed_in("auditor")
    place = f"/page/people/{site.pid()}"
    page = client.get(place)
    assert page.status_code == 200
    answer = client.post(f"{place}/pause", data={"csrf": csrf_of(page)})
    assert answer.status_code == 403
    assert "a token with role auditor may not do this: staff" in answer.text


def test_a_session_ends_with_its_token_and_when_it_is_left(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "FRESH", 0.0)
    client, other = site.signed_in(), site.signed_in("auditor")
    kept = dict(client.cookies)
    client.post("/page/sign-out", data={"csrf": csrf_of(client.get("/page/people"))})
    assert client.get("/page/people").url.path == "/page/sign-in"
    site.http.cookies.update(kept)
    assert site.http.get("/page/people").status_code == 303  # a copy of the cookie is worth nothing
    with site.service.storage.writing() as tx:
        assert revoke(tx, site.tokens["auditor"].split("_")[1], site.service.clock())
    assert other.get("/page/people").url.path == "/page/sign-in"


def test_names_are_escaped_and_stay_out_of_addresses_and_logs(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = site.signed_in()
    for place in ("/page/people", f"/page/people/{site.pid()}", f"/page/people/{site.pid()}/events"):
        text = client.get(place).text
        assert "ann &lt;b&gt;&amp;" in text
        assert "<b>" not in text
    assert "no-such" in str(client.get("/page/people/no-such").url)
    assert client.get("/page/people/no-such").status_code == 404
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("rogue")]
    assert not any("ann" in line or site.tokens["staff"] in line for line in ours)


def test_odd_queries_are_no_faults(site: Site) -> None:
    client = site.signed_in()
    for query in ("page=0", "page=-1", "page=99999999999", "page=x", "show=x", "search=" + "y" * 5000):
        assert client.get(f"/page/people?{query}").status_code == 200
    assert client.get(f"/page/people/{site.pid()}/older?before=x").status_code == 200


def test_characters_that_a_database_does_not_take_are_no_faults(another: Any, clock: Clock) -> None:
    """PostgreSQL has no NUL in text, SQLite has."""
    with opened(design(), another(), clock) as service:
        with service.storage.writing() as tx:
            token = issue(tx, "staff", "", clock(), 30)

        async def statuses() -> list[int]:
            transport = httpx.ASGITransport(create_app(service, Metrics()))
            async with httpx.AsyncClient(transport=transport, base_url="https://study.test") as client:
                form = {"csrf": csrf_of(await client.get("/page/sign-in")), "token": token}
                assert (await client.post("/page/sign-in", data=form)).status_code == 303
                odd = ("people?search=%00", "people/next?pid=%00", "people/%00", "people?search=%ED%A0%80")
                return [(await client.get(f"/page/{place}")).status_code for place in odd]

        assert asyncio.run(statuses()) in ([200, 200, 404, 200], [422, 422, 422, 200])


def test_a_policy_that_raises_leaves_the_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    client = site.signed_in()
    monkeypatch.setattr(Bandit, "explain", mock.Mock(side_effect=FloatingPointError("no")))
    page = client.get(f"/page/people/{site.pid()}")
    assert page.status_code == 200
    assert "Where the study&#39;s rule fails, its fallback chooses." in page.text
    part = client.get(f"/page/people/next?pid={site.pid()}", headers={"HX-Request": "true"})
    assert "cannot be said now" in part.text
    assert client.get("/page/study/curves").status_code == 200


def test_a_database_that_is_away_is_no_fault_of_the_page(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    client = site.signed_in()
    monkeypatch.setattr(site.service.storage, "reading", mock.Mock(side_effect=StorageDown("gone")))
    for place in ("/page/people", "/page/study", "/page/audit", f"/page/people/{'0' * 16}"):
        answer = client.get(place)
        assert answer.status_code == 503
        assert "Nothing is lost: try again in a minute." in answer.text


def test_a_server_with_an_old_study_file_says_so_on_the_page(site: Site) -> None:
    client = site.signed_in()
    form = {"csrf": csrf_of(client.get("/page/people"))}
    with opened(design(limits={"least": 0.3}), SqliteStorage(site.path), site.service.clock):
        answer = client.post(f"/page/people/{site.pid()}/pause", data=form)
    assert answer.status_code == 503
    assert "restart this one with the new study file" in answer.text


def test_the_root_leads_to_the_page_and_https_makes_cookies_secure(site: Site) -> None:
    async def cookies() -> list[str]:
        transport = httpx.ASGITransport(create_app(site.service, Metrics()))
        async with httpx.AsyncClient(transport=transport, base_url="https://study.test") as client:
            for place in ("/", "/page", "/page/"):
                found = await client.get(place, follow_redirects=True)
                assert (found.status_code, found.url.path) == (200, "/page/sign-in")
            page = await client.get("/page/sign-in")
            form = {"csrf": csrf_of(page), "token": site.tokens["staff"]}
            return [page.headers["set-cookie"], (await client.post("/page/sign-in", data=form)).headers["set-cookie"]]

    for cookie in asyncio.run(cookies()):
        assert {"HttpOnly", "Path=/page", "SameSite=strict", "Secure"} <= set(cookie.split(", ")[0].split("; "))


# ---- the audit -------------------------------------------------------------------------------------------------------
def test_the_log_can_be_checked_without_us(site: Site) -> None:
    lines = [json.loads(line) for line in site.signed_in("auditor").get("/page/audit/log.jsonl").text.splitlines()]
    before = bytes(32)
    for line in lines:
        content = json.dumps([line[name] for name in ("seq", "pid", "kind", "at", "key", "body")])
        before = hashlib.sha256(before + content.encode()).digest()
        assert before.hex() == line["hash"]
    with site.service.storage.reading() as reader:
        assert (len(lines), before) == tuple(reader.head())


def test_a_changed_event_is_reported(site: Site) -> None:
    client = site.signed_in("auditor")
    form = {"csrf": csrf_of(client.get("/page/audit"))}
    assert "are intact" in client.post("/page/audit/verify", data=form).text
    with sqlite3.connect(site.path) as database:
        database.execute(
            "UPDATE events SET body = replace(body, '\"value\":1.0', '\"value\":0.0') WHERE kind = 'rewarded'"
        )
    database.close()
    text = client.post("/page/audit/verify", data=form).text
    assert "are intact" not in text
    assert "was changed, or one before it" in text


def test_files(site: Site) -> None:
    client = site.signed_in("auditor")
    table = client.get("/page/audit/decisions.csv")
    assert table.headers["content-disposition"] == "attachment; filename=decisions.csv"
    assert len(table.text.splitlines()) == 1 + 4
    assert client.get("/page/audit/decisions.parquet").content[:4] == b"PAR1"
    columns = table.text.splitlines()[0].split(",")
    book = client.get("/page/audit/codebook.csv").text.splitlines()
    assert [line.split(",")[0] for line in book[1:]] == columns
    assert client.get("/page/audit/study.db").status_code == 404
