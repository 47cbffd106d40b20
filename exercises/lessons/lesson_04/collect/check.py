"""The check of `collect`: the rules of + and *, where contributions meet others or what is there already."""

from exercises.judging.vocabulary import method_exercise
from exercises.lessons.lesson_03.shared import both_rules


@method_exercise(work=5000)
def collect(Collecting, *, engine, seed):
    """The backward rules of + and *, on numbers that are used twice and on grads that hold something already."""
    yield from both_rules(engine.Value, collecting=True, seed=seed)
    return (
        "Both rules are right, also where something had arrived before. In a + a the input received the upstream "
        "gradient twice; in a * a it received it times 2·a, the slope of a²."
    )
