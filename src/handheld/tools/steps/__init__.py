"""Steps that are kept: what they are, their parameters, and the file that has them."""

from .model import (
    MOST_STEPS,
    TARGETS,
    Front,
    SavedStep,
    SavedSteps,
    SavedTarget,
    StepParameter,
    StepSequence,
    StepsError,
)
from .parameters import (
    MARK,
    check_filled,
    check_values,
    example_of,
    fill,
    fill_arguments,
    fill_step,
    find_parameters,
    read_name,
    read_values,
    undeclared,
)
from .steps_file import StepsFile

__all__ = [
    "MARK",
    "MOST_STEPS",
    "TARGETS",
    "Front",
    "SavedStep",
    "SavedSteps",
    "SavedTarget",
    "StepParameter",
    "StepSequence",
    "StepsError",
    "StepsFile",
    "check_filled",
    "check_values",
    "example_of",
    "fill",
    "fill_arguments",
    "fill_step",
    "find_parameters",
    "read_name",
    "read_values",
    "undeclared",
]
