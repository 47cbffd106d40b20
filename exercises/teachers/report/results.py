"""The results of a class: the best of each learner and exercise, and the mistakes named most often."""

import collections
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from exercises.content import library
from exercises.content.lessons import BY_NUMBER
from exercises.teachers.report import handed_in, rerun
from exercises.teachers.report.handed_in import PROGRESS, Unreadable
from exercises.teachers.report.names import printable
from exercises.teachers.report.rerun import DOUBT, LEFT, LOOP, MEMORY, PROCESSES
from exercises.verdicts.results import NOT_YET, PASSED, WRONG

NOTHING, CLAIMED, TRIED = "nothing", "passed", "tried"
RANKS = PASSED, WRONG, DOUBT, LOOP, MEMORY, PROCESSES, LEFT, NOT_YET, NOTHING  # of two, the earlier counts
NOT_THERE = "nothing was handed in"
CLAIMS = CLAIMED, TRIED, NOTHING


@dataclass(frozen=True)
class Result:
    """A learner's result in an exercise: from running it again, and from the claims of a progress file.

    kind: of the file that was run. says: the check's report, or why there is none. mistakes: (name, where it is
    treated) of each that the check named. claim, tries, day: from a progress file, which is the learner's own. same:
    whether the text is that of the course's solution, which each exercise offers.
    """

    state: str = NOTHING
    kind: str = ""
    says: str = ""
    mistakes: tuple = ()
    claim: str = NOTHING
    tries: int = 0
    day: str = ""
    same: bool = False

    def and_also(self, other):
        """Return the better of two Results, by what was run and by what is claimed."""
        best, _ = sorted((self, other), key=lambda result: RANKS.index(result.state))
        claim = min(self.claim, other.claim, key=CLAIMS.index)
        tries, day = max(self.tries, other.tries), self.day or other.day
        return Result(best.state, best.kind, best.says, best.mistakes, claim, tries, day, best.same)


@dataclass
class Report:
    """The Results of a class by (learner, exercise), its learners, and (file, why) of what could not be used.

    unused: {learner: the same in words}, also for learners whose folder is empty.
    apart: whether everything ran apart: see `supervisor.Ended`.
    """

    learners: list = field(default_factory=list)
    results: dict = field(default_factory=dict)
    faults: list = field(default_factory=list)
    unused: dict = field(default_factory=dict)
    apart: bool = True

    def add(self, learner, name, result):
        """Add a Result; the best of several counts."""
        self.results[learner, name] = self.result_of(learner, name).and_also(result)

    def result_of(self, learner, name):
        """Return the Result of a learner for an exercise."""
        return self.results.get((learner, name), Result())

    def lessons(self):
        """Return (lesson, its exercises) of the lessons for which anything was handed in."""
        known = {name for _, name in self.results}
        return [(each, names) for each in BY_NUMBER.values() if known & set(names := library.names(each.number))]

    def names(self):
        """Return the exercises of these lessons."""
        return [name for _, names in self.lessons() for name in names]

    def passed(self, learner):
        """Return how many exercises of a learner passed when run again."""
        return sum(self.result_of(learner, name).state == PASSED for name in self.names())

    def claimed(self, learner):
        """Return how many passes a learner's progress file claims."""
        return sum(self.result_of(learner, name).claim == CLAIMED for name in self.names())

    def mistakes(self):
        """Return (how many learners, exercise, mistake, where it is treated), the most frequent first."""
        count = collections.Counter(
            (name, *mistake) for (_, name), result in self.results.items() for mistake in result.mistakes
        )
        order = library.names()
        return sorted(
            ((times, *which) for which, times in count.items()), key=lambda each: (-each[0], order.index(each[1]))
        )


def gather(folder, tell, runs=True, seconds=rerun.SECONDS, jobs=1):
    """Return the Report of a folder. All files are read before the first one runs: running code may change them.

    tell: a function called with a line on each file when it is done. runs: whether learners' code is run. seconds: for
    a file. jobs: how many files run at once.
    """
    files, report = handed_in.files(folder), Report()
    known = {file.learner for file in files}
    report.unused = {name: NOT_THERE for name in handed_in.folders(folder) if name not in known}
    report.learners = sorted({*known, *report.unused}, key=str.casefold)
    read = [reading(file) for file in files]

    def read_file(file, held):
        try:
            if isinstance(held, Unreadable):
                raise held
            if file.kind == PROGRESS:
                return of_progress(held), ""
            if not runs:
                return {}, ""
            verdicts, fault, apart = rerun.judged(held, seconds)
            report.apart = report.apart and apart
            return {name: of_verdict(said, file.kind, name in held.same) for name, said in verdicts.items()}, fault
        except Unreadable as why:
            return {}, str(why)
        except Exception as fault:  # it costs this file's row and no other
            return {}, f"it could not be judged ({type(fault).__name__})"

    with ThreadPoolExecutor(jobs) as pool:
        for i, (file, (found, fault)) in enumerate(zip(files, pool.map(read_file, files, read)), start=1):
            shown = printable(str(file.path.relative_to(folder)))
            tell(f"{i} of {len(files)}: {shown}")
            for name, result in found.items():
                report.add(file.learner, name, result)
            if fault:
                report.faults.append((shown, printable(fault)))
                before = report.unused.get(file.learner)
                report.unused[file.learner] = f"{f'{before}; ' if before else ''}{shown}: {printable(fault)}"
    return report


def reading(file):
    """Read a file; return, and do not raise, an Unreadable if it cannot be used."""
    try:
        return handed_in.progress_in(file.path) if file.kind == PROGRESS else handed_in.work_in(file)
    except Unreadable as why:
        return why
    except Exception as fault:
        return Unreadable(f"it could not be read ({type(fault).__name__})")


def of_progress(entries):
    """Return Results from the entries of a progress file."""
    return {
        name: Result(claim=CLAIMED if day else TRIED if tries else NOTHING, tries=tries, day=day or "")
        for name, (day, tries) in entries.items()
    }


def of_verdict(said, kind, same=False):
    """Return a Result from the check's report on code that was run again. same: see `Result`."""
    mistakes = tuple((printable(name), printable(place)) for name, place in said["mistakes"])
    return Result(said["state"], kind, printable(said["says"]), mistakes, same=same and said["state"] == PASSED)
