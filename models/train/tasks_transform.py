"""Knows the small exact tasks: sorting and reshaping lists, rewriting dates, and two-digit arithmetic with its working shown."""
import datetime
import json

from tools_more import NOUN
from words import ANIMALS, COLOURS, DAYS, FIRST, FRUITS, ITEMS, MONTHS, THINGS, TRAIN, cap, fake, part


def pair(user, answer, thought=None, system=None):
    return dict(messages=([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": user}, {"role": "assistant", "content": answer}], thought=thought)


def words_list(say, low=2, high=7):
    pool = say.rng.choice([FRUITS, ANIMALS, THINGS, FIRST, COLOURS, ITEMS])
    pool = list(part(pool, say.split))
    if say.split == TRAIN and say.chance(0.25): pool = NOUN
    n = min(say.num(low, high), len(pool))
    chosen = say.rng.sample(pool, n)
    if say.made_up(0.4):
        chosen = list(dict.fromkeys(fake(say.rng) if say.chance(0.6) else w for w in chosen))
    return chosen


JOBS = {
    "sort": ["(Sort|Order|Arrange) (this list|the list|these words|these|alphabetically|by alphabet|the words)(:| from A to Z:) {l}", "(Put|Bring|Write) (this|these|the list|the words) in(|to) alphabetical order: {l}", "(Please sort|Can you sort|Could you sort) (this list|these|alphabetically)(:|?) {l}", "(Alphabetical order|A to Z|Sorted|In alphabetical order)(| please): {l}", "{l} - (sort|sort this|sort alphabetically|put in alphabetical order)", "{l}. (Sort them|Sort this list|Alphabetical order please)", "(Sort|Order) {l} (alphabetically|from A to Z|by alphabet)"],
    "reverse": ["(Reverse|Turn around|Flip|Invert) (this list|the list|the order|these|the words): {l}", "(Write|Give|Say|Put) (the list|these|the words|this) (backwards|in reverse order|in reverse|from last to first): {l}", "(Please reverse|Can you reverse|Reverse) {l}", "(Last one first|Backwards|In reverse|Reverse order|From the end to the start)(| please): {l}", "{l} - (backwards|reverse this|in reverse order)", "{l}. (Reverse it|Now backwards|Reverse the list)", "(What is|Give me) {l} (backwards|in reverse|in reverse order)(?|.)"],
    "upper": ["(Write|Put|Give) (this |these |everything |it |)in (capital letters|capitals|upper case|uppercase): {l}", "(Uppercase|Upper case|Capital letters|Capitals|All caps|ALL CAPS)(| please): {l}", "(Make|Turn|Change|Convert) (this|these|it|everything|the words) (to |into |)(upper case|uppercase|capital letters|capitals): {l}", "(Capitalize|Capitalise) (all letters|everything|every letter): {l}", "{l} - (in capitals|in upper case|uppercase please|in capital letters)", "(Change|Convert|Switch) to (uppercase|upper case|capital letters): {l}", "{l}. (All caps please|Now in capitals|Make it uppercase)"],
    "lower": ["(Write|Put|Give) (this |these |everything |it |)in (small letters|lower case|lowercase): {L}", "(Lowercase|Lower case|Small letters|No capitals)(| please): {L}", "(Make|Turn|Change|Convert) (this|these|it|everything|the words) (to |into |)(lower case|lowercase|small letters): {L}", "(Remove|Take away|Drop) (the|all) (capitals|capital letters): {L}", "{L} - (in lower case|in small letters|lowercase please)", "(Change|Convert|Switch) to (lowercase|lower case|small letters): {L}", "{L}. (Now in small letters|Make it lowercase|All lower case please)"],
    "first": ["(What|Which) is the first (word|item|one|element|entry)(| in the list| here)? {l}", "(Give|Tell|Show) me the first (item|word|one|element|entry): {l}", "(First|The first) (item|word|one|element|entry) (of|in)(| the list| this list): {l}", "Which (one |word |item |)comes first (in|here:|in the list) {l}", "(Only|Just|Return|Keep) the first (one|word|item|element|entry): {l}", "(First of this list|The first of these): {l}", "{l} - (the first one|what comes first|first item)?"],
    "last": ["(What|Which) is the last (word|item|one|element|entry)(| in the list| here)? {l}", "(Give|Tell|Show) me the last (item|word|one|element|entry): {l}", "(Last|The last) (item|word|one|element|entry) (of|in)(| the list| this list): {l}", "Which (one |word |item |)comes last (in|here:|in the list) {l}", "(Only|Just|Return|Keep) the last (one|word|item|element|entry): {l}", "(Last of this list|The last of these): {l}", "{l} - (the last one|what comes last|last item)?"],
    "count": ["How many (items|words|things|entries|elements) are (in this list|in the list|there|here)? {l}", "(Count|Please count|Can you count) (the words|the items|these|the entries|the list): {l}", "How many (are there|are these|do you see|is that)(:|?) {l}", "(Count|Number of items|Number of words|How many|List length|Length): {l}", "(Tell me|Say) how many (words|items|entries)(| there are): {l}", "{l} - how many (words|items|are these)?", "(What is the number|Give the number) of (items|words|entries) in {l}"],
    "json": ["(Write|Put|Give|Show) (this |these |it |the list |)as (a JSON array|JSON|a JSON list): {l}", "(JSON array|JSON list|JSON) (of|from|for)(| this| these)(:|) {l}", "(Make|Build|Create) a JSON (array|list)(| from| of| out of)(:|) {l}", "(Turn|Convert|Change|Transform) (this|the list|these) (into|to) (a JSON array|JSON|a JSON list): {l}", "(As JSON|JSON array please|JSON list please|In JSON): {l}", "(Convert|Turn) (this list|these words) to JSON: {l}", "{l} - (as JSON|as a JSON array)"],
    "bullets": ["(Write|Put|Show|Give) (this |these |it |)as (bullet points|bullets|a bullet list): {l}", "(Make|Create|Build) (a bullet list|bullet points|a list with dashes|bullets)(| from| of)(:|) {l}", "(As a list with dashes|With dashes|Dash list|One per line with a dash): {l}", "(Bullet points|Bullets|Bullet list|A bulleted list)(| please): {l}", "(Turn|Convert|Change) (this|these|the list) (into|to) (bullets|bullet points|a bullet list): {l}", "(Bulleted list|List with bullets|Itemize): {l}", "{l} - as (bullets|bullet points)"],
    "numbered": ["(Number|Please number|Can you number) (this list|the items|these|the words|them): {l}", "(Make|Create|Build|Give me) a numbered list(| from| of)(:|) {l}", "(Write|Put|Show) (this |these |it |)(as a numbered list|with numbers|numbered): {l}", "(Numbered list|A numbered list|With numbers)(| please): {l}", "(Put|Write|Add) numbers (in front|before each|to each item): {l}", "(Turn|Convert) (this|these) into a numbered list: {l}", "{l} - (numbered|with numbers|as a numbered list)"],
    "comma": ["(Join|Put together|Write|Separate) (these |this |them |)with commas:(| |\n){n}", "(Put|Write) (this |these |it |everything |)(on|in) one line(| with commas):\n{n}", "(Make|Give me) (one line|a comma list|a comma separated list):\n{n}", "(Comma separated|Comma list|With commas)(| please):\n{n}", "(Turn|Convert|Change) (this|these|the lines) (into|to) a comma (list|separated list):\n{n}", "(Separate|Join) (the lines|the words|these) (by|with) commas:\n{n}", "{n}\n(With commas please.|One line with commas.|Join with commas.)"],
    "unique": ["(Remove|Delete|Drop|Take out) (the |all |)(duplicates|doubles|repeats|repeated words|double words)(| from the list): {d}", "(Each|Every) (word|item) only once: {d}", "(Unique|Distinct) (items|words|values)(| of| only)(:|) {d}", "(Drop|Remove|Delete) (duplicates|repeats|doubles) (from|in)(:|) {d}", "(No duplicates|No repeats|Without duplicates|Deduplicate)(| please): {d}", "(Keep|List) (each word|every word|each item) once: {d}", "{d} - (remove duplicates|without repeats|no doubles)"],
    "without": ["(Remove|Delete|Drop|Take out|Leave out|Cut) {x} (from the list|from this list|from these): {l}", "(Leave out|Skip|Omit|Drop|Without) {x}: {l}", "(Delete|Remove|Take|Cut) {x} (from|out of): {l}", "(Everything but|All but|All except|Everything except) {x}: {l}", "(Take|Leave) {x} out (of|of the list:|of this:) {l}", "(The list without|These without|Give me all without) {x}: {l}", "{l} - (without|remove|leave out) {x}"],
    "has": ["Is {x} (in|on|part of) (the|this) list? {l}", "Does (the|this) list (contain|have|include) {x}? {l}", "(Yes or no|Tell me), is {x} (there|in the list)(:|?) {l}", "(Check|See|Look) if {x} is (in|in the list|there)(:|) {l}", "(Can you|Do you) (find|see) {x} (in|here:|in this list:) {l}?", "Does {x} (appear|occur|stand) in {l}?", "{l} - is {x} (in it|there|in the list)?"],
}


# further ways to ask, for training only
JOBS_MORE = {
    "sort": ["(Alphabetise|Alphabetize|Rank|Line up) (these|this|the list|the words)(| by letter| by name): {l}", "(Bring|Get) {l} into (alphabetical order|order by letter)(.|)", "(I want|I need) (these|this list|the words) (sorted|in alphabetical order|from A to Z): {l}", "(Which|What) is the (alphabetical order|order from A to Z) of {l}?", "(Would|Will) you (sort|order|arrange) {l}( for me| by letter|)?", "List: {l}\n(Sort it|Alphabetical order|Order it by letter)(.|)"],
    "reverse": ["(Start|Begin) (with|at|from) the (last|end)(| one| word): {l}", "(I want|I need) (these|this list|the words) (reversed|backwards|in the opposite order): {l}", "(Swap|Change|Mirror) the (order|sequence|direction)(| of): {l}", "(The other way round|Opposite order|Reversed|Mirror image): {l}", "List: {l}\n(Reverse it|Backwards|From the back)(.|)", "(Would|Will|Could) you (turn round|flip) {l}( for me|)?"],
    "upper": ["(I want|I need) (these|this|it) in (big letters|capitals|capital letters): {l}", "(Shout|Big letters|Block letters|Block capitals)(:| please:) {l}", "(Would|Will|Could) you (capitalise|uppercase|write in capitals) {l}( for me|)?", "(Switch|Set|Raise) (all|every) (letter|letters|words) to (capitals|upper case): {l}", "Text: {l}\n(Uppercase|In capitals|Big letters)(.|)"],
    "lower": ["(I want|I need) (these|this|it) in (little letters|small letters|lower case): {L}", "(Little letters|Only small letters|All small)(:| please:) {L}", "(Would|Will|Could) you (lowercase|write in small letters|uncapitalise) {L}( for me|)?", "(Switch|Set|Lower) (all|every) (letter|letters|words) to (small|lower case): {L}", "Text: {L}\n(Lowercase|In small letters|Little letters)(.|)"],
    "first": ["(Name|Say|Pick|Print|Take) the (first|opening|initial) (word|item|one|entry): {l}", "(What|Which) (stands|is) (at the start|at the front|in first place)(| of the list)? {l}", "(Who|What) leads the list? {l}", "List: {l}\n(First|First one|The first word)(?|.)", "(Number one|Position one|The beginning)(| of the list): {l}"],
    "last": ["(Name|Say|Pick|Print|Take) the (last|final|closing) (word|item|one|entry): {l}", "(What|Which) (stands|is) (at the end|at the back|in last place)(| of the list)? {l}", "(Who|What) closes the list? {l}", "List: {l}\n(Last|Last one|The last word)(?|.)", "(The final one|The end|The tail)(| of the list): {l}"],
    "count": ["(Give|State|Print|Write) the (number|count) of (words|items|entries|things): {l}", "(How long|What size|How big) is (the|this) list? {l}", "List: {l}\n(How many|Count|Number of items)(?|.)", "(Would|Will|Could) you count {l}( for me|)?", "(I want|I need) to know how many (items|words|things) these are: {l}"],
    "json": ["(I want|I need) (these|this list|the words) as (JSON|a JSON array): {l}", "(Encode|Format|Express|Output|Print|Serialise) (this|these|the list|the words) (as|in) JSON: {l}", "List: {l}\n(JSON|As JSON|JSON array)(.|)", "(Would|Will|Could) you (write|turn|put) {l} (as|into) (JSON|a JSON array)( for me|)?", "(Array|List) in JSON(|:| form:) {l}"],
    "bullets": ["(I want|I need) (these|this list|the words) (as bullets|as bullet points|dashed): {l}", "(Format|Print|Output|List) (these|this|the words) as (bullets|bullet points|dash lines): {l}", "List: {l}\n(Bullets|As bullet points|With a dash each)(.|)", "(A dash|Dashes|A hyphen) (before|in front of) (each|every) (word|item|entry): {l}", "(Lines|One line each) with (a dash|dashes) in front: {l}"],
    "numbered": ["(I want|I need) (these|this list|the words) (numbered|with numbers|as a numbered list): {l}", "(Format|Print|Output|List) (these|this|the words) (as a numbered list|with numbers|one by one with numbers): {l}", "List: {l}\n(Numbered|With numbers|Number it)(.|)", "(Count them through|Give each a number|1, 2, 3 and so on)(:| please:) {l}", "(Enumerate|Numbering)(:| for:| of:) {l}"],
    "comma": ["(I want|I need) (these|this|the words) (on one line|with commas between|as a comma list):\n{n}", "(Glue|Chain|Link|Merge) (these|the lines|the words) (with|by) commas:\n{n}", "List:\n{n}\n(Comma separated|One line|With commas)(.|)", "(A single line|In a row|Side by side)(| with commas)(| please):\n{n}"],
    "unique": ["(I want|I need) (these|this list|the words) without (doubles|repeats|duplicates): {d}", "(Clean|Tidy) (the|this) list(|, no doubles|, remove repeats): {d}", "List: {d}\n(No doubles|Each only once|Remove repeats)(.|)", "(What|Which) (different|various) (words|items) (are there|are in it)? {d}", "(Every|Each) (thing|name|entry) (one time|once) only: {d}"],
    "without": ["(I want|I need) (all|everything|the list) (except|but|without) {x}: {l}", "(Strike|Scratch|Cross out|Kick out|Throw out) {x}(:| from:| in:) {l}", "List: {l}\n(Without|Remove|Drop) {x}(.|)", "{x} (should go|must go|is not wanted|is wrong here): {l}", "(Would|Will|Could) you (strip|drop|lift) {x} (off|out of) {l}?"],
    "has": ["(I want to know|Find out|See) (if|whether) {x} is (listed|part of it|among them): {l}", "(Is|Was) {x} (among|one of|listed in) (these|them|the words|the items)? {l}", "List: {l}\n(Is {x} there|Does it have {x}|{x} inside)?", "(Did|Do) (I|we) (list|write|mention) {x}? {l}", "{x}: (in the list or not|listed or not|there or not)? {l}"],
}


def lists(say):
    job = say.rng.choice(list(JOBS))
    items = words_list(say)
    x = say.rng.choice(items)
    double = items + [say.rng.choice(items) for _ in range(say.num(1, 2))]
    say.rng.shuffle(double)
    if job == "has" and say.chance(0.5):
        x = say.rng.choice([f for f in FRUITS + ANIMALS + THINGS if f not in items])
    slots = dict(l=", ".join(items), L=", ".join(say.any([w.upper(), w.title(), cap(w)]) for w in items), n="\n".join(items), d=", ".join(double), x=x)
    text = say.ask(JOBS[job], JOBS_MORE[job], **slots)
    ordered = sorted(items, key=str.lower)
    unique = list(dict.fromkeys(double))
    answer = {
        "sort": lambda: ", ".join(ordered), "reverse": lambda: ", ".join(items[::-1]), "upper": lambda: ", ".join(items).upper(),
        "lower": lambda: slots["L"].lower(), "first": lambda: items[0], "last": lambda: items[-1], "count": lambda: str(len(items)),
        "json": lambda: json.dumps(items), "bullets": lambda: "\n".join("- " + w for w in items), "numbered": lambda: "\n".join(f"{i}. {w}" for i, w in enumerate(items, 1)),
        "comma": lambda: ", ".join(items), "unique": lambda: ", ".join(unique), "without": lambda: ", ".join(w for w in items if w != x) or "(empty)",
        "has": lambda: "Yes" if x in items else "No"}[job]()
    if say.chance(0.04) and job not in ("upper", "lower"): text = text.lower(); answer = answer.lower() if job != "has" else answer
    thought = {"sort": "Alphabetical order: " + ", ".join(f"{w[0].lower()}" for w in ordered) + ".", "count": ", ".join(f"{i} {w}" for i, w in enumerate(items, 1)) + ".",
               "unique": f"Keep each word once.", "has": f"Look for {x}.", "without": f"Take out {x}."}.get(job, f"The list has {len(items)} items.")
    return pair(text, answer, thought)


def number_lists(say):
    n = say.num(2, 6)
    nums = [say.num(0, 99) for _ in range(n)]
    job = say.any(["up", "down", "max", "min", "sum2"])
    l = ", ".join(map(str, nums))
    ask, answer = {
        "up": (["(Sort|Order|Arrange) (these numbers|the numbers|these)(:| from small to large:| ascending:| upwards:) {l}", "(Sort|Put|Bring) (these |the numbers |)(from small to large|from low to high|in ascending order|in rising order): {l}", "(Ascending order|Ascending|Smallest first|Lowest first|Small to large|From small to big)(| please): {l}", "(Sort up|Sort|Order|Count up): {l}", "{l} - (sort|sort these|smallest first|in ascending order)", "(Sort|Order) {l} (from small to large|ascending|upwards)", "{l}. (Sort the numbers|Smallest first please)"], ", ".join(map(str, sorted(nums)))),
        "down": (["(Sort|Order|Arrange) (these |the numbers |)(from large to small|from high to low|descending|downwards|from big to small): {l}", "(Put|Bring) (these|the numbers) in (descending|falling) order: {l}", "(Descending order|Descending|Largest first|Highest first|Biggest first|High to low|From big to small)(| please): {l}", "(Sort down|Order down|Count down): {l}", "{l} - (descending|largest first|from high to low)", "(Biggest|Largest|Highest) to (smallest|lowest): {l}", "(Sort|Order) {l} (from large to small|descending|downwards)"], ", ".join(map(str, sorted(nums)[::-1]))),
        "max": (["(Largest|Biggest|Highest|Greatest|Maximum) (number|one|value)(| of| in)(:|) {l}", "(What|Which) (number |one |)is the (biggest|largest|highest|greatest|maximum)? {l}", "(Find|Give|Tell me|Show) the (maximum|largest|biggest|highest)(| number| one): {l}", "(Max|Maximum) (of|in|from)(:|) {l}", "{l} - (which is the biggest|the largest|maximum)?", "The (greatest|largest|biggest|highest) of {l}", "(Of|Among) {l}, which is the (largest|biggest|highest)?"], str(max(nums))),
        "min": (["(Smallest|Lowest|Least|Minimum) (number|one|value)(| of| in)(:|) {l}", "(What|Which) (number |one |)is the (smallest|lowest|least|minimum)? {l}", "(Find|Give|Tell me|Show) the (minimum|smallest|lowest)(| number| one): {l}", "(Min|Minimum) (of|in|from)(:|) {l}", "{l} - (which is the smallest|the lowest|minimum)?", "The (least|smallest|lowest) of {l}", "(Of|Among) {l}, which is the (smallest|lowest)?"], str(min(nums))),
        "sum2": (["How many numbers are (there|in the list|here)? {l}", "(Count|Please count|Can you count) the numbers: {l}", "(Number|Count) of numbers in(| the list)(:|) {l}", "How many (numbers|values)(:|?) {l}", "(Tell me|Say) how many numbers(| there are): {l}", "{l} - how many numbers?", "How many (numbers|values) do you (see|count)? {l}"], str(n)),
    }[job]
    return pair(say.ask(ask, l=l), answer, f"The numbers are {l}.")


# ---------------------------------------------------------------- dates

def ordinal(d):
    return f"{d}{'th' if 10 < d % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(d % 10, 'th')}"


SHOW = {
    "iso": (lambda d: d.isoformat(), ["ISO", "ISO format", "YYYY-MM-DD", "the form 2024-01-31", "ISO 8601", "year-month-day"]),
    "slash": (lambda d: f"{d.day:02d}/{d.month:02d}/{d.year}", ["DD/MM/YYYY", "day/month/year", "dd/mm/yyyy", "the form 31/01/2024"]),
    "us": (lambda d: f"{d.month:02d}/{d.day:02d}/{d.year}", ["MM/DD/YYYY", "US format", "month/day/year", "mm/dd/yyyy"]),
    "dot": (lambda d: f"{d.day:02d}.{d.month:02d}.{d.year}", ["DD.MM.YYYY", "dd.mm.yyyy", "German format", "the form 31.01.2024"]),
    "long": (lambda d: f"{MONTHS[d.month-1]} {d.day}, {d.year}", ["words", "long form", "Month D, YYYY", "a form with the month name"]),
}
READ = [lambda d: f"{MONTHS[d.month-1]} {d.day}, {d.year}", lambda d: f"{d.day} {MONTHS[d.month-1]} {d.year}", lambda d: f"{MONTHS[d.month-1][:3]} {d.day}, {d.year}",
        lambda d: f"{ordinal(d.day)} of {MONTHS[d.month-1]} {d.year}", lambda d: f"{d.day} {MONTHS[d.month-1][:3]} {d.year}", lambda d: f"{MONTHS[d.month-1]} {ordinal(d.day)}, {d.year}",
        lambda d: d.isoformat(), lambda d: f"{d.day:02d}.{d.month:02d}.{d.year}", lambda d: f"{d.year}/{d.month:02d}/{d.day:02d}"]


def dates(say):
    day = datetime.date(say.num(1950, 2049), 1, 1) + datetime.timedelta(days=say.num(0, 364))
    thought = f"Day {day.day}, month {day.month}, year {day.year}."
    roll = say.rng.random()
    if roll < 0.7:
        target = say.any(["iso", "iso", "iso", "slash", "us", "dot", "long"])
        show, names_ = SHOW[target]
        source = say.rng.choice(READ if target != "long" else READ[6:])(day)
        text = say.ask(["(Write|Put|Give|Show|Express) (the date |) {d} (in|as) {f}(.|)", "(Convert|Change|Turn|Transform) (the date |){d} (to|into) {f}(.|)", "{d} (in|as|to) {f}(| please|?)", "(Change|Convert) the date {d} to {f}.", "(Format|Reformat|Rewrite|Write) {d} as {f}(.|)", "(Please|Can you|Could you) (write|format|convert) (the date |){d} (in|as|to) {f}", "What is {d} in {f}?", "(Date|The date): {d}. (Give it|Write it|I need it|Show it) (in|as) {f}.", "(Rewrite|Format) {d} (as|in) {f}", "(I need|I want) {d} (in|as) {f}.", "{f}: {d}", "How do I write {d} in {f}?"], d=source, f=say.rng.choice(names_)).replace("  ", " ")
        if say.chance(0.15): return pair(source, show(day), thought, system=f"Rewrite dates as {say.rng.choice(names_)}.")
        return pair(text, show(day), thought)
    if roll < 0.8:
        field = say.any(["day", "month", "year"])
        source = say.rng.choice(READ)(day)
        answer = {"day": str(day.day), "month": MONTHS[day.month-1], "year": str(day.year)}[field]
        return pair(say.ask(["Which {f} is {d}?", "What is the {f} (of|in) {d}?", "{f} (of|in) {d}(|?)", "(Give|Tell|Show) me (only |)the {f}(:| of) {d}", "(The|Only the|Just the) {f} (in|of) {d}(?|)", "(Find|Extract|Name|Say) the {f} (of|in) {d}.", "{d}: (which|what) {f}(| is it)?"], f=field, d=source), answer, thought)
    if roll < 0.9:
        step, word = say.any([(1, "after"), (-1, "before")])
        i = say.rng.randrange(7)
        return pair(say.ask(["(Which|What) day (comes|is|follows|stands) {w} {d}?", "(The|Which is the|What is the) day {w} {d}(?|)", "(Tell|Give) me the day {w} {d}.", "(Day|Weekday) {w} {d}(|?)", "(Say|Name) the day {w} {d}", "{d}: (which|what) day is {w} it?", "(If|When) it is {d}, (which|what) day is {w} that?"], w=word, d=DAYS[i]), DAYS[(i + step) % 7], f"The days go {DAYS[(i-1)%7]}, {DAYS[i]}, {DAYS[(i+1)%7]}.")
    i = say.rng.randrange(12)
    if say.chance(0.5):
        step, word = say.any([(1, "after"), (-1, "before")])
        return pair(say.ask(["(Which|What) month (comes|is|stands) {w} {m}?", "(The|Which is the|What is the) month {w} {m}(?|)", "(Tell|Give) me the month {w} {m}.", "Month {w} {m}(|?)", "(Say|Name) the month {w} {m}", "{m}: (which|what) month is {w} it?", "(If|When) it is {m}, (which|what) month is {w} that?"], w=word, m=MONTHS[i]), MONTHS[(i + step) % 12], f"{MONTHS[i]} is month {i+1}.")
    return pair(say.ask(["(Which|What) number (is|has) (the month |){m}?", "{m} as a number(|?|.)", "What number does {m} have?", "Month number (of|for) {m}(|?)", "(Number|The number) of the month {m}", "(Give|Write|Show) {m} as a number.", "{m} is month number (what|...)?"], m=MONTHS[i]), str(i + 1), f"{MONTHS[i]} is month {i+1}.")


# ---------------------------------------------------------------- arithmetic

def working_add(a, b):
    ones = a % 10 + b % 10
    tens = a // 10 * 10 + b // 10 * 10
    return f"{a//10*10} + {b//10*10} = {tens}, {a%10} + {b%10} = {ones}, {tens} + {ones} = {a+b}."


def working_sub(a, b):
    if a < b: return f"{b} - {a} = {b-a}, so {a} - {b} = {a-b}."
    t = a - b // 10 * 10
    return f"{a} - {b//10*10} = {t}, {t} - {b%10} = {a-b}."


def working_mul(a, b):
    if a < 10 and b < 10: return f"{a} times {b} is {a*b}."
    if b < 10:
        return f"{a//10*10} * {b} = {a//10*10*b}, {a%10} * {b} = {a%10*b}, {a//10*10*b} + {a%10*b} = {a*b}."
    if a < 10: return working_mul(b, a)
    x, y = a * (b // 10 * 10), a * (b % 10)
    return f"{a} * {b//10} = {a*(b//10)}, so {a} * {b//10*10} = {x}. {a} * {b%10} = {y}. {x} + {y} = {a*b}."


WAYS = {
    "+": ["{a} + {b}", "{a}+{b}", "(What is|What's|Compute|Calculate|Solve|Work out) {a} (+|plus|and) {b}(?|.|)", "{a} + {b} =(| ?)", "(Add|Sum|Add up) {a} and {b}(.|)", "How much is {a} (plus|+|and) {b}?", "(Sum|The sum|Total) of {a} and {b}(|?)", "{a} plus {b}(|?)", "(Can you|Could you|Please) add {a} (and|to|plus) {b}(?|)", "I (have|own|had) {a} (apples|coins|books|stamps|eggs) and (get|buy|find|receive) {b} more. How many (do I have|are that)(| now| in all)?", "There are {a} (red|big|old|green) and {b} (blue|small|new|white) (balls|cups|cars|pens). How many (in all|together|in total|are there)?", "(please |)(tell me|I need|what makes) {a} (+|plus) {b}", "One (box|bag|room|shelf) has {a} (pens|cups|books|chairs), another {b}. How many (pens|cups|books|chairs) together?", "(What do you get|What comes out) if you add {a} and {b}?", "(Increase|Raise) {a} by {b}(.|)"],
    "-": ["{a} - {b}", "{a}-{b}", "(What is|What's|Compute|Calculate|Solve|Work out) {a} (-|minus) {b}(?|.|)", "{a} - {b} =(| ?)", "(Subtract|Take|Deduct) {b} from {a}(.|)", "How much is {a} (minus|-|less) {b}?", "(Difference|The difference) (of|between) {a} and {b}(|?)", "{a} minus {b}(|?)", "(Can you|Could you|Please) subtract {b} from {a}(?|)", "I (have|had|own) {a} (apples|coins|books|stamps|eggs) and (give away|lose|sell|eat) {b}. How many (are left|do I have left|remain)?", "Take {b} away from {a}.", "(please |)(tell me|I need|what makes) {a} (-|minus) {b}", "(Reduce|Lower|Decrease) {a} by {b}(.|)", "(What do you get|What comes out) if you subtract {b} from {a}?"],
    "*": ["{a} (*|x) {b}", "{a}*{b}", "(What is|What's|Compute|Calculate|Solve|Work out) {a} (*|times|x) {b}(?|.|)", "{a} (*|x) {b} =(| ?)", "Multiply {a} (by|with|and) {b}(.|)", "How much is {a} (times|*|x) {b}?", "(Product|The product) of {a} and {b}(|?)", "{a} times {b}(|?)", "(Can you|Could you|Please) multiply {a} (by|with) {b}(?|)", "{a} (boxes|bags|rooms|shelves) with {b} (pens|cups|books|chairs) each. How many (pens|cups|books|chairs)(| in all| are there)?", "(please |)(tell me|I need|what makes) {a} (*|times) {b}", "(What do you get|What comes out) if you multiply {a} and {b}?", "(Each|Every) of {a} (boxes|bags|children) has {b} (pens|cups|coins). How many in all?"],
}


def arithmetic(say):
    op = say.any("+++---**")
    if op == "*" and say.chance(0.6): a, b = say.num(2, 99), say.num(2, 9)
    elif op == "*": a, b = say.num(11, 99), say.num(11, 99)
    else: a, b = say.num(2, 99), say.num(2, 99)
    if op == "-" and a < b and say.chance(0.85): a, b = b, a
    if op == "*" and say.chance(0.3): a, b = b, a
    text = say.ask(WAYS[op], a=a, b=b)
    if op == "-" and a < b and ("left" in text or "remain" in text): text = f"{a} - {b}"
    if say.chance(0.15): text = text.lower()
    result = {"+": a + b, "-": a - b, "*": a * b}[op]
    working = {"+": working_add, "-": working_sub, "*": working_mul}[op](a, b)
    answer = f"{a} {op} {b} = {result}"
    steps = f"{working[:-1]}. So {answer}."
    if op == "*" and a > 9 and b > 9:  # too hard in the head: the working is part of the answer
        return dict(messages=[{"role": "user", "content": text}, {"role": "assistant", "content": steps}], thought=working, after=answer)
    if say.chance(0.3):
        ask = say.any([" Show your steps.", " Explain.", " Step by step, please.", " Show the working."])
        return dict(messages=[{"role": "user", "content": text + ask}, {"role": "assistant", "content": steps}], thought=working, after=steps)
    return dict(messages=[{"role": "user", "content": text}, {"role": "assistant", "content": answer}], thought=working)


def compare(say):
    a, b = say.num(0, 99), say.num(0, 99)
    if a == b: b += 1
    big = say.chance(0.5)
    w = say.any(["bigger", "larger", "greater"]) if big else say.any(["smaller", "less"])
    text = say.ask(["(Which|What) (number |)is {w}(,|:) {a} or {b}?", "{a} or {b}, (which|what|which one) is {w}?", "(The|Which is the) {w} of {a} and {b}(?|)", "(Tell me|Say) which (number |one |)is {w}: {a} or {b}", "(Is|Are) {a} or {b} {w}?", "{w}: {a} or {b}?", "(Compare|Look at) {a} and {b}: which is {w}?"], w=w, a=a, b=b)
    return pair(text, str(max(a, b) if big else min(a, b)), f"{max(a,b)} is greater than {min(a,b)}.")
