"""Arms, truths and policies as JSON has them, by the names in their registries."""

from __future__ import annotations

from typing import Any, get_args

from rogue_bandits.belief.radius import Radius, TunedRadius
from rogue_bandits.model import DYNAMICS, FAMILIES
from rogue_bandits.model.priors import PRIORS
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.policies.bounded import Bounded
from rogue_bandits.policies.registry import NEIGHBOURS, POLICIES, PolicySpec
from rogue_bandits.policies.rogue_ucb import RogueUCB
from rogue_bandits.types import Arm, Truth

PARTS = (("dynamics", DYNAMICS), ("rewards", FAMILIES))
RADII: dict[str, Any] = {kind.__name__: kind for kind in get_args(Radius)}


def known() -> dict[str, PolicySpec]:
    """Return all policies by id, those too that were put in `POLICIES` since."""
    return {**POLICIES, **NEIGHBOURS}


def policy_to_plain(policy: Any) -> dict[str, Any]:
    """Return a policy as its id and settings; that which `Bounded` bounds is one of them, and so is a radius."""
    if isinstance(policy, Bounded):
        return {"id": "bounded", "policy": policy_to_plain(policy.policy), "least": policy.least}
    return {"id": policy_id(policy), **{key: setting_to_plain(value, key) for key, value in policy._asdict().items()}}


def setting_to_plain(value: Any, name: str) -> Any:
    """Return a setting as JSON has it: a radius with its type, tuples as lists.

    >>> setting_to_plain(RADII["HellingerRadius"](alpha=0.1), "radius")
    {'type': 'HellingerRadius', 'alpha': 0.1}
    """
    if hasattr(value, "_fields"):
        return part_to_plain(value, name, RADII)
    return [setting_to_plain(part, name) for part in value] if isinstance(value, tuple) else value


def policy_from_plain(plain: Any) -> Any:
    """Return the policy that `policy_to_plain` wrote."""
    settings = dict(plain)
    name = settings.pop("id")
    if name == "bounded":
        return Bounded(policy_from_plain(settings["policy"]), settings["least"])
    if name not in known():
        raise ValueError(
            f"this file has policy '{name}', which is none of {', '.join(known())}: "
            "a policy of your own must be put in rb.POLICIES first"
        )
    spec = known()[name]
    if spec.policy_class is RogueUCB and isinstance(settings.get("radius"), list):
        settings["radius"] = untyped_radius(settings["radius"])
    return spec(**{key: setting_from_plain(value) for key, value in settings.items()})


def setting_from_plain(value: Any) -> Any:
    """Return the setting that `setting_to_plain` wrote.

    >>> setting_from_plain({"type": "HellingerRadius", "alpha": 0.1})
    HellingerRadius(alpha=0.1)
    """
    if isinstance(value, dict) and value.get("type") in RADII:
        return part_from_plain(value, "radius", RADII)
    return tuple(map(setting_from_plain, value)) if isinstance(value, list) else value


def untyped_radius(numbers: list[Any]) -> Any:
    """Return the radius with these numbers, where only one type has so many: earlier builds did not write the type.

    >>> untyped_radius([None, "corrected"])
    TunedRadius(eta=None, variant='corrected')
    """
    if len(numbers) == len(TunedRadius._fields):
        return TunedRadius(*numbers)
    types = ", ".join(name for name in RADII if name != TunedRadius.__name__)
    raise ValueError(
        f"this file has radius {numbers} without its type, which earlier builds did not write; it may be that of "
        f"any of {types}: make it again with this release"
    )


def without_lists(value: Any) -> Any:
    """Return tuples where JSON has lists."""
    return tuple(map(without_lists, value)) if isinstance(value, list) else value


def policy_id(policy: Any) -> str:
    """Return the id of the registry's first entry with the policy's class; the saved settings tell variants apart."""
    for name, spec in known().items():
        if type(policy) is spec.policy_class:
            return name
    raise ValueError(
        f"{policy!r} cannot be saved: it is none of {', '.join(known())}; "
        "a policy of your own must be put in rb.POLICIES"
    )


def arm_to_plain(arm: Arm) -> dict[str, Any]:
    """Return an arm as JSON has it."""
    plain = arm._asdict()
    for part, kinds in PARTS:
        plain[part] = part_to_plain(plain[part], part, kinds)
    if arm.x0 is None:
        del plain["x0"]  # as files of earlier versions have it
    return plain


def part_to_plain(thing: Any, part: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """Return dynamics or a reward family as JSON has it, with the family or prior inside it."""
    name = type(thing).__name__
    if kinds.get(name) is not type(thing):
        raise ValueError(f"{part} {thing!r} cannot be saved: it is none of {', '.join(kinds)}")
    fields = thing._asdict()
    within = {**kinds, **PRIORS}
    inside = {key: part_to_plain(value, part, within) for key, value in fields.items() if hasattr(value, "_fields")}
    return {"type": name, **fields, **inside}


def truth_to_plain(truth: Truth) -> dict[str, Any]:
    """Return a truth as JSON has it."""
    return {"arms": [arm_to_plain(arm) for arm in truth.arms], "theta": list(truth.theta), "x0": list(truth.x0)}


def truth_from_plain(plain: dict[str, Any]) -> Truth:
    """Return the truth that `truth_to_plain` wrote."""
    return checked_truth(Truth([arm_from_plain(arm) for arm in plain["arms"]], plain["theta"], plain["x0"]))


def arm_from_plain(plain: dict[str, Any]) -> Arm:
    """Return the arm that `arm_to_plain` wrote."""
    return Arm(**{**plain, **{part: part_from_plain(plain[part], part, kinds) for part, kinds in PARTS}})


def part_from_plain(plain: dict[str, Any], part: str, kinds: dict[str, Any]) -> Any:
    """Return the dynamics or reward family that `part_to_plain` wrote."""
    within = {**kinds, **PRIORS}
    fields = {k: part_from_plain(v, part, within) if isinstance(v, dict) else v for k, v in plain.items()}
    name = fields.pop("type")
    if name not in kinds:
        raise ValueError(
            f"this file has {part} '{name}', which is none of {', '.join(kinds)}: "
            "a type of your own must be put in that table of rogue_bandits.model first"
        )
    return kinds[name](**fields)
