"""Whether a model sees. In: a server's first answers. Out: the sentence for one that does not.

Text-only servers answer a picture with any error: HTTP 500 (llama.cpp), 400, 422. Waiting does not
mend that, and the other questions would meet it too. So the first picture goes out alone, and when
it meets an error the server is asked two small questions: one without a picture and one with a
plain one. Where only the first is answered, the model does not see.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

from memeloc.errors import ServiceError
from memeloc.language_models.questions import Message, Picture

BLIND = frozenset((400, 406, 415, 422, 500, 501))
"""HTTP statuses with which text-only servers answer a picture."""


class Sight:
    """What is known of whether a server's model sees. May be used from several threads.

    Attributes:
        known: a picture was answered; there is nothing to find out any more.
    """

    def __init__(self) -> None:
        self.known = False
        self._lock = Lock()
        self._blind: bool | None = None
        self._refused: ServiceError | None = None

    @contextmanager
    def first_picture(self, service: str, stop: Event) -> Iterator[None]:
        """Pictures one after the other, until one is answered; `stop` is the run's end.

        Raises:
            ServiceError: the model does not see, or the run ended meanwhile.
        """
        with self._lock:
            if self._refused is not None:
                raise self._refused
            if not self.known:
                if stop.is_set():
                    raise ServiceError(
                        service, "the run ended before this was asked", retryable=True
                    )
                yield
                self.known = True
                return
        yield

    def refuse(self, error: ServiceError) -> ServiceError:
        """Raise this error for every further picture; it is given back."""
        self._refused = error
        return error

    def blind(self, ask: Callable[[Message], bool]) -> bool:
        """Whether the model answers a text, but no picture; `ask` says whether it answers."""
        if self._blind is None:
            text = "Answer with one word: hello."
            sees = Message("user", text, (_PLAIN,))
            self._blind = ask(Message("user", text)) and not ask(sees)
        return self._blind


_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAK0lEQVR42u3MMREAAAgEoNfkRjeEmwcBqMlNRyAQCAQC"
    "gUAgEAgEAsHzYAFAdAEArKmlZAAAAABJRU5ErkJggg=="
)
_PLAIN = Picture("64 x 64 grey pixels", lambda: base64.b64decode(_PNG), "image/png")
