"""`ExamQuiz`: ten questions of the gym, drawn from the exam's seed; the first answer to each is stored and counts."""

from exercises.clinic.answers import LEVELS, given, kept_seed, note_given
from exercises.practice.questions import question
from exercises.practice.round import Round, place_of


class ExamQuiz(Round):
    """The questions of the current exam, with the answers given so far.

    If another exam has begun since, nothing more is stored.
    """

    called = "exam.questions()"

    def __init__(self):
        self.seed, known = kept_seed(), given()
        made = [question(level, f"exam {self.seed} {place}") for place, level in enumerate(LEVELS, start=1)]
        super().__init__(
            "The exam, part 3: ten questions", made, given={f"gym-{place - 1}": each for place, each in known.items()}
        )
        if not self.waiting():
            self.summary = self.end()

    def trained(self, name, right, given_now):
        place = place_of(name) + 1
        if self.seed == kept_seed() and place not in given():
            note_given(place, right, str(self.typed.get(name)))

    def end(self):
        return f"{sum(right for right, _ in given().values())} of {len(self.made)} count as right."
