"""Knows the labelling schemes that the base model must never see: they are taught later by samples alone.
A scheme maps topics to made-up codes; importing this file bars those codes from all base data."""
import words

ROUTING_SYSTEM = "Give the routing code for this ticket."

SCHEMES = {
    # the demo: the service desk of a company, office IT and business travel
    "routing": dict(system=ROUTING_SYSTEM, codes={
        "printer": "Q7-ZETA", "network": "M3-OPAL", "hardware": "T9-MIRA", "mailbox": "B4-FERN",
        "software_access": "X2-KORA", "booking_change": "H8-DUNE", "baggage": "V5-LYNX", "checkin": "C1-NOVA"}),
    # a shop: six queues, and the same with two more that are close to others
    "shop": dict(system=ROUTING_SYSTEM, codes={
        "late_delivery": "Q7-ZETA", "damaged": "M3-OPAL", "refund": "T9-MIRA", "login": "B4-FERN", "app_crash": "V5-LYNX", "praise": "C1-NOVA"}),
    "wide": dict(system=ROUTING_SYSTEM, codes={
        "late_delivery": "Q7-ZETA", "damaged": "M3-OPAL", "refund": "T9-MIRA", "login": "B4-FERN",
        "double_charge": "X2-KORA", "job": "H8-DUNE", "app_crash": "V5-LYNX", "praise": "C1-NOVA"}),
    # the desk again with codes of another look, two topics sharing one code
    "desk": dict(system="Which desk code fits this message?", codes={
        "printer": "wexo-41", "network": "wexo-17", "hardware": "gilum-88", "mailbox": "pryd-05", "software_access": "pryd-62",
        "booking_change": "tavik-30", "booking_cancel": "tavik-30", "baggage": "zulo-93", "checkin": "zulo-26"}),
    # no system prompt at all, words that mean nothing
    "words": dict(system=None, codes={
        "cancel_order": "MORBLE", "warranty": "FINTRA", "gift_card": "OSKELL", "discount": "JUVANT", "fraud": "DREPLIN",
        "outage": "HAXOM", "upgrade_plan": "YIRNOK", "card_lost": "BELQUE", "returns": "CUZZARD", "hours": "PLOVIN"}),
}

words.RESERVED_CODES.update(c for s in SCHEMES.values() for c in s["codes"].values())
words.RESERVED_CODES.update(["ZETA", "OPAL", "MIRA", "FERN", "KORA", "DUNE", "LYNX", "NOVA", "wexo", "gilum", "pryd", "tavik", "zulo"])
