"""The study as an app sees it, on both storages: decisions, rewards, corrections, people, versions."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.online.bandit import Bandit
from rogue_bandits.online.snapshot import HEAD
from rogue_bandits.study.engine import Ask, Choice
from rogue_bandits.study.file import StudyFileError
from rogue_bandits.study.loading import load_people
from rogue_bandits.study.operations import Asked, Enrolment, Observed
from rogue_bandits.study.person import LENGTH, person_to_bytes, seed_of
from rogue_bandits.study.problems import Problem
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.contract import Storage, StorageRefused
from tests.study.cases import WALK, Clock, asked, at, design


@pytest.fixture
def service(storage: Storage, clock: Clock) -> Iterator[Service]:
    with opened(design(), storage, clock) as made:
        yield made


def enrolled(service: Service, name: str = "ann") -> Any:
    return service.enrol(Enrolment(name)).result()


def lived(service: Service, name: str, first: int, last: int) -> list[Any]:
    """Decisions and rewards of some minutes; every third reward is missing, every fifth never comes."""
    made = []
    for k in range(first, last):
        made.append(service.decide(name, asked(k), f"k{k}").result())
        if k % 5:
            observed = Observed(None, "no answer") if k % 3 == 0 else Observed(float(k % 2))
            service.reward(made[-1]["id"], observed).result()
    return made


def refusal(call: Callable[[], Any]) -> Problem:
    with pytest.raises(Problem) as caught:
        call().result()
    return caught.value


def intact(service: Service) -> None:
    """Replay is identical, the chain holds, and people in memory are those of the log."""
    with service.storage.reading() as reader:
        assert replay(reader).differences == []
        assert verify(reader).faults == []
        for pid, person in service.writer.residents.people.items():
            loaded = load_people(reader, service.design, [pid])[pid]
            assert person_to_bytes(loaded) == person_to_bytes(person)


def test_a_study_day_by_day_replays_bit_for_bit(service: Service) -> None:
    enrolled(service)
    enrolled(service, "bob")
    made = lived(service, "ann", 0, 40)
    lived(service, "bob", 0, 10)
    assert [one["number"] for one in made] == list(range(40))
    assert all(abs(sum(one["probabilities"].values()) - 1.0) < 1e-12 for one in made)
    assert min(min(one["probabilities"].values()) for one in made) >= 0.2 - 1e-12
    assert {one["arm"] for one in made} == {"walk", "sleep"}
    intact(service)


def test_a_decision_is_that_of_a_bandit_with_the_same_history(service: Service) -> None:
    """Independent of the engine: a Bandit with the same stream, driven by hand."""
    pid = enrolled(service)["pid"]
    study = service.design
    bandit = rb.Bandit(study.arms, rb.Bounded(rb.EpsilonRogue(), least=0.2), seed=seed_of(study, pid, 3))
    for k in range(25):
        mine = bandit.choose()
        theirs = service.decide("ann", asked(k), f"k{k}").result()
        assert list(theirs["probabilities"].values()) == list(mine.probabilities)
        assert theirs["arm"] == study.names[mine.arm]
        bandit.update(mine, float(k % 2))
        service.reward(theirs["id"], Observed(float(k % 2))).result()


def test_the_same_key_gives_the_same_answer_for_ever(service: Service, another: Any, clock: Clock) -> None:
    enrolled(service)
    first = lived(service, "ann", 0, 5)[0]
    assert service.decide("ann", asked(0), "k0").result() == first
    with opened(design(limits={"least": 0.3}), another(), clock) as later:  # of another version
        assert later.decide("ann", asked(0), "k0").result() == first
        assert later.decide("ann", asked(9), "k9").result()["version"]["number"] == 2
        intact(later)


def test_a_key_with_other_content_is_refused(service: Service) -> None:
    enrolled(service)
    service.decide("ann", asked(0), "k").result()
    for other in (asked(1), asked(0, "driving")):
        assert refusal(lambda other=other: service.decide("ann", other, "k")).title == "key-reused"  # type: ignore[misc]
    assert service.decide("ann", asked(1), "k1").result()["number"] == 1


@pytest.mark.parametrize(
    ("hours", "rests"),
    [
        ((0, 4, 8, 24), 0),  # three a day, and the night is no gap
        ((0, 8, 24), 1),  # one was left over on the first day
        ((0, 4, 8, 72), 6),  # two whole days without any
        ((0, 48), 5),
    ],
)
def test_missed_decisions_are_rests(hours: tuple[int, ...], rests: int, storage: Storage, clock: Clock) -> None:
    with opened(design(decisions={"per_day": 3, "ahead_hours": 1e6}), storage, clock) as service:
        pid = enrolled(service)["pid"]
        for hour in hours:
            service.decide("ann", asked(60 * hour), f"k{hour}").result()
        bandit = service.writer.residents.people[pid].bandit
        assert bandit is not None
        assert bandit.number == len(hours) + rests
        intact(service)


def test_arms_may_be_unavailable_and_all_of_them_are_a_rest(service: Service) -> None:
    enrolled(service)
    one = service.decide("ann", asked(0, {"walk": "driving"}), "a").result()
    assert (one["arm"], one["probabilities"]) == ("sleep", {"walk": 0.0, "sleep": 1.0})
    rest = service.decide("ann", asked(1, "asleep"), "b").result()
    assert (rest["arm"], rest["available"], rest["probability"]) == (None, [], 1.0)
    assert rest["explanation"] == "Decision 1 is a rest: asleep."
    assert refusal(lambda: service.reward(rest["id"], Observed(1.0))).title == "rest-has-no-reward"
    assert refusal(lambda: service.decide("ann", asked(2, {"run": "driving"}), "c")).title == "unknown-arm"
    assert refusal(lambda: service.decide("ann", asked(2, "bored"), "c")).title == "unknown-reason"
    intact(service)


def test_what_cannot_be_is_refused_and_changes_nothing(service: Service, clock: Clock) -> None:
    enrolled(service)
    made = service.decide("ann", asked(5), "a").result()
    head = service.storage.reading
    with head() as reader:
        before = reader.head()
    assert refusal(lambda: service.decide("bob", asked(6), "b")).title == "unknown-person"
    assert refusal(lambda: service.decide("ann", asked(4), "b")).title == "time-before-last"
    assert refusal(lambda: service.reward("x-1", Observed(1.0))).title == "unknown-decision"
    assert refusal(lambda: service.reward(f"{made['id']}9", Observed(1.0))).title == "unknown-decision"
    assert refusal(lambda: service.reward(made["id"], Observed(0.5))).title == "reward-outside-support"
    assert refusal(lambda: service.reward(made["id"], Observed(1.0, None, "typo"))).title == "nothing-to-correct"
    assert refusal(lambda: service.enrol(Enrolment("ann", group="B"))).title == "enrolled-otherwise"
    assert enrolled(service)["status"] == "active"  # the same again
    with head() as reader:
        assert reader.head() == before
    intact(service)


def test_days_have_so_many_decisions_and_times_may_not_be_far_ahead(storage: Storage, clock: Clock) -> None:
    settings = {"per_day": 2, "ahead_hours": 24.0}
    with opened(design(decisions=settings), storage, clock) as service:
        enrolled(service)
        for k in range(2):
            service.decide("ann", asked(k), f"k{k}").result()
        assert refusal(lambda: service.decide("ann", asked(3), "k3")).title == "decisions-used-up"
        far = Asked(at(0) + timedelta(days=2))
        assert refusal(lambda: service.decide("ann", far, "k4")).title == "time-too-far-ahead"
        times = [far._replace(scheduled=True), Asked(at(0) + timedelta(days=3), scheduled=True)]
        ahead = service.schedule("ann", times, "week").result()
        assert [one["number"] for one in ahead] == [2, 3]
        assert service.schedule("ann", times, "week").result() == ahead
        intact(service)


def test_a_schedule_with_other_times_is_another_request(service: Service) -> None:
    enrolled(service)
    one, two = [asked(0)], [asked(0), asked(1)]
    made = service.schedule("ann", one, "s").result()
    assert refusal(lambda: service.schedule("ann", two, "s")).title == "key-reused"
    both = service.schedule("ann", [asked(1), asked(2)], "t").result()
    assert refusal(lambda: service.schedule("ann", [asked(1)], "t")).title == "key-reused"
    assert service.schedule("ann", one, "s").result() == made
    for scope in ("decide", "batch"):  # keys of their own
        assert service.decide("ann", asked(3), "s/0", scope).result()["id"] not in (made[0]["id"], both[0]["id"])
    assert service.decide("ann", asked(3), "s/0").result()["number"] == 3
    intact(service)


def test_a_schedule_is_made_as_a_whole_or_not_at_all(service: Service) -> None:
    enrolled(service)
    times = [asked(2), asked(1)]
    assert refusal(lambda: service.schedule("ann", times, "s")).title == "time-before-last"
    assert service.decide("ann", asked(0), "k").result()["number"] == 0
    intact(service)


def test_rewards_are_idempotent_and_corrections_are_events(service: Service) -> None:
    enrolled(service)
    made = lived(service, "ann", 0, 12)
    one = made[1]["id"]
    assert service.reward(one, Observed(1.0)).result()["corrected"] is False
    problem = refusal(lambda: service.reward(one, Observed(0.0)))
    assert (problem.status, problem.more["recorded"]) == (409, {"value": 1.0, "missing": None})
    assert service.reward(one, Observed(0.0, None, "typo")).result()["corrected"] is True
    assert service.reward(one, Observed(0.0)).result()["corrected"] is False
    lived(service, "ann", 12, 20)
    intact(service)


def test_what_is_repeated_late_changes_nothing(service: Service) -> None:
    enrolled(service)
    one = service.decide("ann", asked(0), "k").result()["id"]
    for status, recorded in (
        ("failed", "failed"),
        ("sent", "sent"),
        ("seen", "seen"),
        ("sent", "seen"),
        ("failed", "seen"),
    ):
        assert service.deliver(one, status).result()["delivery"] == recorded
    service.reward(one, Observed(0.0)).result()
    first, second = Observed(1.0, None, "typo"), Observed(None, "lost", "wrong person")
    assert [service.reward(one, each).result()["corrected"] for each in (first, second)] == [True, True]
    with service.storage.reading() as reader:
        before = reader.head()
    assert service.reward(one, first).result()["corrected"] is False
    assert service.deliver(one, "sent").result()["delivery"] == "seen"
    with service.storage.reading() as reader:
        assert reader.head() == before
        assert reader.rows("SELECT reward, missing, corrected, delivery FROM decisions") == [(None, "lost", 2, "seen")]
    assert service.reward(one, first._replace(correction="it was right")).result()["corrected"] is True
    for _ in range(2):
        assert service.change_status("ann", "erased").result()["status"] == "withdrawn"
    intact(service)


def test_a_corrected_person_knows_what_one_with_right_rewards_knows(service: Service) -> None:
    """The belief after a correction is that of a bandit that was given the right rewards from the start."""
    pid = enrolled(service)["pid"]
    made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(15)]
    for k, one in enumerate(made):
        service.reward(one["id"], Observed(float(k == 3))).result()
    service.reward(made[3]["id"], Observed(0.0, None, "typo")).result()
    right = rb.Bandit(service.design.arms, service.design.policy, seed=1)
    played = [right.record(service.design.names.index(one["arm"]), probability=one["probability"]) for one in made]
    for one in played:
        right.update(one, 0.0)
    corrected = service.writer.residents.people[pid].bandit
    assert corrected is not None
    mine, theirs = corrected.explain(), right.explain()
    assert [row for row in mine.rows if row.name != "probability"] == [
        row for row in theirs.rows if row.name != "probability"
    ]


def test_rewards_may_come_a_thousand_decisions_late(service: Service) -> None:
    enrolled(service)
    made = service.schedule("ann", [asked(k) for k in range(1001)], "s").result()
    service.reward(made[0]["id"], Observed(1.0)).result()
    assert service.decide("ann", asked(1001), "k").result()["number"] == 1001
    intact(service)


def test_nightly_rewards_wait_for_an_update(storage: Storage, clock: Clock, another: Any) -> None:
    with opened(design(learning={"when": "nightly"}), storage, clock) as service:
        pid = enrolled(service)["pid"]
        made = lived(service, "ann", 0, 8)
        bandit = service.writer.residents.people[pid].bandit
        assert bandit is not None
        assert sum(bandit.explain().row("rewards seen")) == 0
        first = service.update("night 1").result()
        assert service.update("night 1").result() == first
        assert sum(bandit.explain().row("rewards seen")) == 4
        service.reward(made[1]["id"], Observed(0.0, None, "typo")).result()
        lived(service, "ann", 8, 12)
        intact(service)
        with opened(service.design, another(), clock) as other:
            other.update("night 2").result()
            other.decide("ann", asked(12), "k12").result()
            intact(other)
        lived(service, "ann", 13, 15)
        intact(service)


@pytest.mark.parametrize("before", ["at once", "nightly"])
def test_a_version_with_nightly_learning_forgets_nothing(before: str, another: Any, clock: Clock) -> None:
    with opened(design(learning={"when": before}), another(), clock) as service:
        pid = enrolled(service)["pid"]
        made = lived(service, "ann", 0, 8)
    with opened(design(learning={"when": "nightly"}, limits={"least": 0.3}), another(), clock) as later:
        lived(later, "ann", 8, 9)
        bandit = later.writer.residents.people[pid].bandit
        assert bandit is not None
        assert sum(bandit.explain().row("rewards seen")) == 4
        later.reward(made[1]["id"], Observed(0.0, None, "typo")).result()
        bandit = later.writer.residents.people[pid].bandit
        assert bandit is not None
        assert sum(bandit.explain().row("rewards seen")) == 4
        lived(later, "ann", 9, 12)
        intact(later)


def test_a_state_that_was_saved_after_an_update_replays(another: Any, clock: Clock) -> None:
    with opened(design(learning={"when": "nightly"}), another(), clock) as service:
        enrolled(service)
        lived(service, "ann", 0, 5)
        service.update("night 1").result()
    with another().reading() as reader:
        assert reader.rows("SELECT revision FROM snapshots") == [(reader.head().seq,)]
        found = replay(reader)
        assert (found.snapshots, found.differences) == (1, [])


def test_a_snapshot_that_is_packed_otherwise_is_the_same_state(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        enrolled(service)
        lived(service, "ann", 0, 5)
    with another().writing() as tx:
        [(state,)] = tx.rows("SELECT state FROM snapshots")
        tx.execute("UPDATE snapshots SET state = ?", (packed_otherwise(bytes(state)),))
    with another().reading() as reader:
        assert replay(reader)[2:] == (1, [])
    with another().writing() as tx:
        tx.execute("UPDATE snapshots SET state = ?", (bytes(state)[:-9],))
    with another().reading() as reader:
        assert len(replay(reader).differences) == 1


def packed_otherwise(state: bytes) -> bytes:
    """Return a person's snapshot with the bandit's numbers deflated at another level."""
    start = LENGTH.size + LENGTH.unpack_from(state)[0]
    magic, version, mark, _ = HEAD.unpack_from(state, start)
    body = zlib.compress(zlib.decompress(state[start + HEAD.size :]), 1)
    other = state[:start] + HEAD.pack(magic, version, mark, zlib.crc32(body)) + body
    assert other != state
    return other


def test_keys_of_people_who_are_erased_cannot_be_guessed(service: Service) -> None:
    """HMAC by its definition (RFC 2104): with the salt a guess can be checked, and erasing deletes the salt."""
    pid = enrolled(service)["pid"]
    service.decide("ann", asked(0), "ann-2026-03-01").result()
    with service.storage.reading() as reader:
        [(salt,)] = reader.rows("SELECT salt FROM people")
        [(key,)] = reader.rows("SELECT key FROM events WHERE kind = 'decided'")
    inner, outer = (bytes(b ^ pad for b in bytes(salt).ljust(64, b"\0")) for pad in (0x36, 0x5C))
    guess = b"decide\nann-2026-03-01"
    assert hashlib.sha256(outer + hashlib.sha256(inner + guess).digest()).digest() == bytes(key)
    service.change_status("ann", "erased").result()
    enrolled(service)
    with service.storage.reading() as reader:
        salts = dict(reader.rows("SELECT pid, salt FROM people"))
        assert salts.pop(pid) is None
        assert bytes(salt) not in map(bytes, salts.values())
    assert pid not in service.writer.residents.salts
    intact(service)


def test_people_pause_withdraw_and_are_erased(service: Service) -> None:
    pid = enrolled(service)["pid"]
    made = lived(service, "ann", 0, 3)
    service.change_status("ann", "paused").result()
    assert service.decide("ann", asked(3), "k3").result()["explanation"] == "Decision 3 is a rest: paused."
    service.change_status("ann", "resumed").result()
    assert service.decide("ann", asked(4), "k4").result()["arm"] is not None
    service.change_status("ann", "withdrawn").result()
    problem = refusal(lambda: service.decide("ann", asked(5), "k5"))
    assert (problem.status, problem.title) == (409, "withdrawn")
    assert refusal(lambda: service.change_status("ann", "resumed")).title == "withdrawn"
    assert service.reward(made[0]["id"], Observed(1.0)).result()["value"] == 1.0  # a late reward is still a fact
    service.change_status("ann", "erased").result()
    assert refusal(lambda: service.decide("ann", asked(6), "k6")).title == "unknown-person"
    with service.storage.reading() as reader:
        everything = [
            row for table in ("events", "people", "decisions") for row in reader.rows(f"SELECT * FROM {table}")
        ]
        assert "ann" not in str(everything)
        assert pid in str(everything)
    again = enrolled(service)  # somebody with the same name is somebody else
    assert again["pid"] != pid
    assert service.decide("ann", asked(0), "k0").result()["number"] == 0
    intact(service)


def test_where_the_policy_raises_the_fallback_decides(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    enrolled(service)
    lived(service, "ann", 0, 6)
    choose = Bandit.choose

    def failing(self: Bandit, available: Any = None) -> Any:
        choose(self, available)  # it has moved on when it fails
        raise ZeroDivisionError("secret of ann")

    monkeypatch.setattr(Bandit, "choose", failing)
    made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(6, 30)]
    assert {one["fallback"] for one in made} == {"ZeroDivisionError in the policy"}
    assert {tuple(one["probabilities"].values()) for one in made} == {(0.5, 0.5)}
    assert {one["arm"] for one in made} == {"walk", "sleep"}
    one = service.decide("ann", asked(30, {"walk": "driving"}), "k30").result()
    assert (one["arm"], one["probability"]) == ("sleep", 1.0)
    monkeypatch.setattr(Bandit, "choose", choose)
    service.reward(made[0]["id"], Observed(1.0)).result()
    assert service.decide("ann", asked(31), "k31").result()["fallback"] is None
    intact(service)


def test_where_the_model_fails_the_fallback_decides_until_the_next_version(
    service: Service, monkeypatch: pytest.MonkeyPatch, another: Any, clock: Clock
) -> None:
    enrolled(service)
    made = lived(service, "ann", 0, 6)

    update = Bandit.update

    def failing(self: Bandit, decision: Any, reward: Any) -> None:
        if decision.number == 0:
            raise FloatingPointError("overflow")
        update(self, decision, reward)

    with monkeypatch.context() as patch:
        patch.setattr(Bandit, "update", failing)
        service.reward(made[0]["id"], Observed(1.0)).result()
        assert service.decide("ann", asked(6), "k6").result()["fallback"] == "FloatingPointError in the model"
        intact(service)
    with opened(design(limits={"least": 0.25}), another(), clock) as later:
        assert later.decide("ann", asked(7), "k7").result()["fallback"] is None


def test_two_servers_share_one_study(another: Any, clock: Clock) -> None:
    """Whatever one server does, the other knows before its next decision."""
    with opened(design(), another(), clock) as one, opened(design(), another(), clock) as other:
        assert one.design.version == other.design.version == 1
        enrolled(one)
        servers = [one, other]
        made = []
        for k in range(30):
            made.append(servers[k % 2].decide("ann", asked(k), f"k{k}").result())
            servers[(k // 2) % 2].reward(made[-1]["id"], Observed(float(k % 2))).result()
        assert [m["number"] for m in made] == list(range(30))
        one.reward(made[4]["id"], Observed(1.0, None, "typo")).result()
        other.change_status("ann", "paused").result()
        assert one.decide("ann", asked(30), "k30").result()["arm"] is None
        other.change_status("ann", "erased").result()
        assert refusal(lambda: one.decide("ann", asked(31), "k31")).title == "unknown-person"
        intact(one)
        intact(other)


def test_a_server_with_an_old_study_file_stops_deciding(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as old:
        enrolled(old)
        with opened(design(limits={"least": 0.3}), another(), clock) as new:
            new.decide("ann", asked(0), "a").result()
            problem = refusal(lambda: old.decide("ann", asked(1), "b"))
            assert (problem.status, problem.title) == (503, "study-changed")
            intact(new)


def test_a_change_makes_a_version_and_arms_stay(service: Service, another: Any, clock: Clock) -> None:
    enrolled(service)
    lived(service, "ann", 0, 20)
    with opened(design(policy={"id": "random"}), another(), clock) as later:
        assert later.design.version == 2
        lived(later, "ann", 20, 30)
        intact(later)
    with opened(design(policy={"id": "random"}), another(), clock) as same:
        assert same.design.version == 2
    with pytest.raises(StudyFileError, match="arms: under way they must stay walk, sleep"):
        opened(design(arms=[WALK]), another(), clock)
    with pytest.raises(StudyFileError, match=r"rewards\.scale: under way it must stay 1\.0"):
        opened(design(rewards={"family": "BernoulliLogit", "scale": 2.0}), another(), clock)
    with pytest.raises(StorageRefused, match="holds the study 'test', not 'other'"):
        opened(design(study={"name": "other"}), another(), clock)


def test_the_clock_of_the_server_may_jump(service: Service, clock: Clock) -> None:
    enrolled(service)
    lived(service, "ann", 0, 3)
    for k, days in enumerate((400, -800, 1)):
        clock.now += timedelta(days=days)
        assert service.decide("ann", asked(3 + k), f"k{3 + k}").result()["number"] == 3 + k
    intact(service)


def test_explanations_change_nothing(service: Service) -> None:
    enrolled(service)
    lived(service, "ann", 0, 6)
    words = service.explain("ann")
    following = service.decide("ann", asked(6), "k6").result()
    assert words.arms[words.arm] == following["arm"]
    assert np.array_equal(words.row("probability"), list(following["probabilities"].values()))
    intact(service)


def test_a_replay_notices_what_was_changed(service: Service, another: Any) -> None:
    enrolled(service)
    lived(service, "ann", 0, 10)
    with another().writing() as tx:
        [(seq, body)] = tx.rows("SELECT seq, body FROM events WHERE kind = 'decided' ORDER BY seq LIMIT 1")
        other = body.replace('"walk"', '"run"').replace('"sleep"', '"walk"').replace('"run"', '"sleep"')
        tx.execute("UPDATE events SET body = ? WHERE seq = ?", (other, seq))
    with another().reading() as reader:
        first, second = verify(reader).faults
        assert first == f"event {seq} was changed, or one before it: its hash does not fit"
        assert second.endswith("-0: its table differs from the log in arm, probability") or second.endswith(" in arm")
        assert replay(reader).differences


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("UPDATE decisions SET reward = 0.0 WHERE number = 1",
         "decision {pid}-1: its table differs from the log in reward"),
        ("UPDATE decisions SET delivery = 'seen' WHERE number = 0",
         "decision {pid}-0: its table differs from the log in delivery"),
        ("DELETE FROM decisions WHERE number = 3", "decision {pid}-3 is in the log and not in its table"),
        ("UPDATE decisions SET number = 77 WHERE number = 9", "decision {pid}-77 is in its table and not in the log"),
        ("UPDATE people SET status = 'paused'", "person {pid}: its table differs from the log in status"),
        ("UPDATE people SET name = NULL", "person {pid}: its table differs from the log in named"),
    ],
)  # fmt: skip
def test_derived_rows_that_were_changed_are_noticed(service: Service, another: Any, change: str, fault: str) -> None:
    pid = enrolled(service)["pid"]
    made = lived(service, "ann", 0, 10)
    service.deliver(made[0]["id"], "sent").result()
    intact(service)
    with another().writing() as tx:
        tx.execute(change)
    with another().reading() as reader:
        assert fault.format(pid=pid) in verify(reader).faults


def test_choices_say_their_probability() -> None:
    assert Choice(1, (0.25, 0.75)).probability == 0.75
    assert Choice(-1, (0.0, 0.0)).probability == 1.0
    assert Ask("t", (True,)).reason is None


def test_explanations_are_as_of_now(storage: Storage, clock: Clock) -> None:
    """After two months without a decision the arms have rested: the next decision has the stated probabilities."""
    daily = {"per_day": 1, "ahead_hours": 1e6}
    with opened(design(decisions=daily, limits={"least": 0.05}), storage, clock) as service:
        enrolled(service)
        for day in range(12):
            made = service.decide("ann", asked(1440 * day), f"k{day}").result()
            service.reward(made["id"], Observed(float(made["arm"] == "walk"))).result()
        before = service.explain("ann")
        clock.now = at(1440 * 60)
        found = service.explain("ann")
        assert found.row("state now, fitted") != before.row("state now, fitted")
        assert (found.number, found.sentence.split(" would")[0]) == (12, "Decision 12")
        made = service.decide("ann", asked(1440 * 60), "late").result()
        assert list(made["probabilities"].values()) == pytest.approx(list(found.row("probability")), abs=1e-12)


def test_a_rest_is_not_delivered(service: Service) -> None:
    enrolled(service)
    rest = service.decide("ann", asked(0, "driving"), "k0").result()
    assert refusal(lambda: service.deliver(rest["id"], "sent")).title == "rest-has-no-delivery"
    forced = service.decide("ann", asked(1, {"walk": "driving"}), "k1").result()
    assert forced["explanation"].endswith("it was the only one available.")
