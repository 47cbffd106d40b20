from typing import Any, TypeVar

_Node = TypeVar("_Node", bound=Any)

def topological_order(root: _Node) -> list[_Node]: ...
