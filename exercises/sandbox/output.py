"""What a learner's code prints while it is checked, with a limit."""

import io

MOST = 2**21  # characters that a learner's code may print in one call


class Printed(BaseException):
    """Raised where a learner's code has printed more than MOST characters."""


class Output(io.StringIO):
    """What a learner's code prints, up to MOST characters: what comes after them is dropped, and stops the code."""

    def write(self, text):
        if self.tell() + len(text) > MOST:
            raise Printed
        return super().write(text)
