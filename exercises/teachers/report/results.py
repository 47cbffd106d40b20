"""What is known of a class: for each learner and exercise the best that was found, and the mistakes named most."""

import collections
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from exercises.shelf import library
from exercises.shelf.lessons import LESSONS
from exercises.teachers.report import handed_in, rerun
from exercises.teachers.report.handed_in import PROGRESS, Unreadable
from exercises.verdicts.seen import NOT_YET, PASSED, WRONG

CLAIMED, TRIED, NOTHING = "passed, says the progress file", "tried, says the progress file", "nothing"
RANKS = PASSED, WRONG, CLAIMED, TRIED, NOT_YET, NOTHING  # of two, the earlier stands


@dataclass(frozen=True)
class Result:
    """How far a learner is with an exercise, which kind of file says so, and what its check said.

    mistakes: (name, where it is treated) of each that the check named. tries, day: from a progress file.
    """

    state: str = NOTHING
    kind: str = ""
    says: str = ""
    mistakes: tuple = ()
    tries: int = 0
    day: str = ""

    def and_also(self, other):
        """The better of two Results, with the tries and the day that either has."""
        best, rest = sorted((self, other), key=lambda result: RANKS.index(result.state))
        tries, day = max(best.tries, rest.tries), best.day or rest.day
        return Result(best.state, best.kind, best.says, best.mistakes, tries, day)


@dataclass
class Report:
    """The Results of a class by (learner, exercise), its learners, and (file, why) of what could not be used."""

    learners: list = field(default_factory=list)
    results: dict = field(default_factory=dict)
    faults: list = field(default_factory=list)

    def add(self, learner, name, result):
        """Take in a Result; the best of several stands."""
        self.results[learner, name] = self.at(learner, name).and_also(result)

    def at(self, learner, name):
        """The Result of a learner for an exercise."""
        return self.results.get((learner, name), Result())

    def lessons(self):
        """(lesson, its exercises) of the lessons for which anything was handed in."""
        known = {name for _, name in self.results}
        return [(each, names) for each in LESSONS if known & set(names := library.names(each.number))]

    def passed(self, learner):
        """How many exercises a learner has passed, in whatever way that is known."""
        return sum(self.at(learner, name).state in (PASSED, CLAIMED) for _, names in self.lessons() for name in names)

    def mistakes(self):
        """(how many learners, exercise, mistake, where it is treated), the most frequent first."""
        count = collections.Counter(
            (name, *mistake) for (_, name), result in self.results.items() for mistake in result.mistakes
        )
        order = library.names()
        return sorted(
            ((times, *which) for which, times in count.items()), key=lambda each: (-each[0], order.index(each[1]))
        )


def gather(folder, tell, runs=True, seconds=rerun.SECONDS, jobs=1):
    """The Report of a folder.

    tell: a function that is told each file as its turn is over. runs: whether learners' code is run. seconds: for a
    file. jobs: how many files are run at once.
    """
    files, report = handed_in.files(folder), Report()
    report.learners = list(dict.fromkeys(file.learner for file in files))

    def look(file):
        """(results of a file by exercise, what is wrong with it)."""
        try:
            if file.kind == PROGRESS:
                return of_progress(handed_in.progress_in(file.path)), ""
            if not runs:
                return {}, ""
            verdicts, fault = rerun.judged(file, seconds)
            return {name: of_verdict(said, file.kind) for name, said in verdicts.items()}, fault
        except Unreadable as why:
            return {}, str(why)

    with ThreadPoolExecutor(jobs) as pool:
        for i, (file, (found, fault)) in enumerate(zip(files, pool.map(look, files)), start=1):
            tell(f"{i} of {len(files)}: {file.path.relative_to(folder)}")
            for name, result in found.items():
                report.add(file.learner, name, result)
            if fault:
                report.faults.append((str(file.path.relative_to(folder)), fault))
    return report


def of_progress(entries):
    """Results from what a progress file says."""
    return {
        name: Result(CLAIMED if day else TRIED if tries else NOTHING, PROGRESS, tries=tries, day=day or "")
        for name, (day, tries) in entries.items()
    }


def of_verdict(said, kind):
    """A Result from what a check said when the code was run again."""
    return Result(said["state"], kind, said["says"], tuple(map(tuple, said["mistakes"])))
