"""What all populations of one problem and one policy share: tables, settings in numbers and compiled kernels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import remembered, specialised
from rogue_bandits.model.problem import types_in
from rogue_bandits.numerics.pcg64 import Words, stream_of
from rogue_bandits.online.kernels import Chosen, OnlineState, Pending, Session, choose_kernel, learn_kernel, play_kernel
from rogue_bandits.online.personal import with_own_arrays
from rogue_bandits.policies.bounded import unbounded
from rogue_bandits.policies.trial import named_policy_laws, raise_on_broken_policy
from rogue_bandits.types import Arm, Problem, start, uniforms

FIRST_SLOTS = 2  # for decisions whose rewards have not come
LARGEST_EXACT = 2**53  # of whole numbers that floats hold exactly


class Engine(NamedTuple):
    """A problem and a policy, ready to serve people."""

    problem: Problem
    policy: Any
    state: Any  # of one fresh person: `shared` is everybody's, `personal` a template
    session: Session  # likewise
    marks: tuple[bytes, bytes]  # tell problems and policies apart; see `fingerprints`
    uniforms: int
    choose: Any
    play: Any
    learn: Any


def engine_of(problem: Problem, policy: Any) -> Engine:
    """Return the engine of a problem and a policy; made once for each."""
    try:
        return _engine(types_in((problem.arms, policy)), problem, policy)
    except TypeError as error:  # settings of a user's policy that cannot be hashed
        if "unhashable" not in str(error):
            raise
        return _engine.__wrapped__((), problem, policy)


@remembered(256)
def _engine(types: tuple[Any, ...], problem: Problem, policy: Any) -> Engine:
    raise_on_broken_policy(policy, problem)
    state, m, n = start(policy, problem, 1), uniforms(policy, problem), len(problem.arms)
    session, people, u = (
        fresh_sessions(stream_of(np.random.SeedSequence(0))[None]),
        np.zeros(1, dtype=np.int64),
        np.empty(m),
    )
    chosen, available = new_chosen(1, n), np.ones((1, n), dtype=np.bool_)
    with named_policy_laws(policy, problem):
        return Engine(
            problem, policy, state, session, fingerprints(problem.arms, policy), m,
            specialised(choose_kernel, state, session, people, available, u, chosen, 0),
            of_unbounded(play_kernel, state, session, people, chosen, 0),
            of_unbounded(learn_kernel, state, session, people, chosen, np.zeros(1), 0),
        )  # fmt: skip


def fresh_state(engine: Engine, streams: Words) -> OnlineState:
    """Return people before their first decision, one for each random stream."""
    fresh = engine.state if len(streams) == 1 else start(engine.policy, engine.problem, len(streams))
    return OnlineState(engine, with_own_arrays(fresh.personal, engine.state.personal), fresh_sessions(streams))


def of_unbounded(kernel: Any, state: Any, *args: Any) -> Any:
    """Return a kernel that plays or learns; with bounded probabilities that of the policy, compiled once for both."""
    inner = unbounded(state)
    compiled = specialised(kernel, inner, *args)
    return compiled if inner is state else lambda state, *rest: compiled(unbounded(state), *rest)


def new_chosen(n: int, arms: int) -> Chosen:
    """Return room for n choices among so many arms."""
    return Chosen(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), np.ones(n), np.full((n, arms), np.nan))


def fresh_sessions(stream: Words) -> Session:
    """Return the sessions of people before their first decision."""
    people, shape = len(stream), (len(stream), FIRST_SLOTS)
    return Session(
        number=np.zeros(people, dtype=np.int64),
        token=(stream[:, 3] >> np.uint64(33)).astype(np.int64) + 1,  # of the increment, which never changes
        stream=stream,
        pending=Pending(
            np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros((*shape, 4))
        ),
    )


def fingerprints(arms: Sequence[Arm], policy: Any) -> tuple[bytes, bytes]:
    """Return 8 bytes that tell problems and policies apart, and those that earlier releases had in their place.

    They are a hash of types and numbers, whatever the arms are called: snapshots keep the names beside it
    (`snapshot.packed`), as those of version 1 have this hash and no names. Earlier releases hashed the settings of the
    policy as they were written.
    """
    nameless = repr([arm._replace(name="") for arm in arms])
    settings = (with_plain_numbers(policy), policy)
    new, old = (hashlib.sha256(f"({nameless}, {one!r})".encode()).digest()[:8] for one in settings)
    return new, old


def with_plain_numbers(setting: Any) -> Any:
    """Return settings in which numbers that are equal are written alike, however deep.

    >>> with_plain_numbers((1, np.float64(1.0), ("paper", None, True)))
    (1.0, 1.0, ('paper', None, True))
    """
    if isinstance(setting, tuple):
        fields = map(with_plain_numbers, setting)
        return setting._make(fields) if hasattr(setting, "_make") else tuple(fields)
    plain = setting.item() if isinstance(setting, np.generic) else setting
    is_exact = isinstance(plain, int) and not isinstance(plain, bool) and abs(plain) <= LARGEST_EXACT
    return float(plain) if is_exact else plain
