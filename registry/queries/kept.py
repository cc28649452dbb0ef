"""Things that never change once made, kept in this process by the digest that they were made of."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Kept(Generic[V]):
    """A bounded memory, least recently used out first. Threads may share it; two may make the same thing once each."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._things: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
                return self._things[key]
        thing = make()
        with self._lock:
            self._things[key] = thing
            while len(self._things) > self.size:
                self._things.popitem(last=False)
        return thing
