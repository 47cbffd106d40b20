"""A stream with a limit for what a learner's code prints during a check."""

import io

MOST = 2**21  # characters that a learner's code may print in one call


class Printed(BaseException):
    """Raised if a learner's code has printed more than MOST characters."""


class Output(io.StringIO):
    """A stream that holds up to MOST characters; printing more stops the code."""

    def write(self, text):
        if self.tell() + len(text) > MOST:
            raise Printed
        return super().write(text)
