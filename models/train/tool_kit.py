"""Knows what a tool is made of: parameters with their names, types and values, and the sentences that ask for the tool."""


class P:
    """A parameter: the names it may have, its JSON type, what it means, and how a value is made."""
    def __init__(self, names, kind, desc, make, enum=None, optional=False):
        self.names, self.kind, self.desc, self.make, self.enum, self.optional = names.split("|"), kind, desc.split("|"), make, enum, optional


class Tool:
    def __init__(self, names, desc, params, asks, result, answer):
        self.names, self.desc, self.params = names.split("|"), desc.split("|"), params
        self.asks, self.result, self.answer = asks.strip().split("\n"), result, answer


def word(slot):
    """A value maker: text of one of the fillers."""
    return lambda s: str(s.slot(slot))
