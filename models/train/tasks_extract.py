"""Knows the extraction tasks: reading named fields out of a text and writing them as JSON, with null for what is absent."""
import json

from words import COLOURS, ITEMS, JOBS, cap, roughen

# field name variants -> kind of value
FIELDS = {
    "name": ["name", "customer", "full_name", "person", "customer_name"],
    "city": ["city", "town", "place", "location"],
    "order": ["order", "order_id", "order_number", "reference"],
    "email": ["email", "mail", "email_address", "contact"],
    "phone": ["phone", "phone_number", "tel", "number"],
    "item": ["item", "product", "article", "goods"],
    "date": ["date", "day", "when", "due"],
    "money": ["amount", "price", "total", "sum"],
    "count": ["count", "quantity", "pieces", "how_many"],
    "company": ["company", "firm", "organisation"],
    "colour": ["colour", "color"],
    "job": ["job", "profession", "occupation"],
    "age": ["age", "years"],
    "time": ["time", "hour", "at"],
    "street": ["street", "address"],
}

# a text is a chain of such pieces; each says one or two fields
PIECES = {
    ("name",): ["my name is {name}", "this is {name}", "I am {name}", "{name} writes", "regards, {name}", "the customer is {name}", "name: {name}", "from {name}", "signed {name}"],
    ("name", "city"): ["{name} from {city}", "I am {name} and live in {city}", "{name} lives in {city}", "{name}, {city}", "my name is {name}, I am in {city}", "{name} is based in {city}"],
    ("name", "job"): ["{name} is a {job}", "I am {name}, a {job}", "{name} works as a {job}", "{name}, {job}", "{name} has worked as a {job} for years"],
    ("name", "age"): ["{name} is {age} years old", "{name}, {age}", "I am {name} and I am {age}", "{name} turned {age}", "{name} ({age})".replace("(", "[").replace(")", "]")],
    ("name", "company"): ["{name} works at {company}", "{name} of {company}", "I am {name} from {company}", "{name}, {company}", "{name} joined {company}"],
    ("order",): ["my order number is {order}", "order {order}", "it is about order {order}", "order no. {order}", "reference {order}", "the order is {order}", "see order {order}"],
    ("order", "item"): ["order {order} was a {item}", "I ordered a {item}, number {order}", "order {order}: one {item}", "the {item} has order number {order}", "{item} in order {order}"],
    ("item",): ["I bought a {item}", "it is about the {item}", "the {item} is the problem", "product: {item}", "I need a {item}", "we want the {item}"],
    ("count", "item"): ["I want {count} of the {item}", "please send {count} pieces of {item}", "{count} x {item}", "we ordered the {item}, {count} pieces", "we need {count} of your {item}"],
    ("item", "colour"): ["a {colour} {item}", "the {item} in {colour}", "I want the {colour} {item}", "{item}, colour {colour}", "my {item} is {colour}"],
    ("item", "money"): ["the {item} costs {money}", "I paid {money} for the {item}", "{item} for {money}", "the price of the {item} is {money}", "a {item} at {money}"],
    ("email",): ["my email is {email}", "write to {email}", "you can reach me at {email}", "mail: {email}", "contact {email}", "send it to {email}"],
    ("phone",): ["my phone is {phone}", "call {phone}", "phone: {phone}", "ring me on {phone}", "my number is {phone}", "tel. {phone}"],
    ("date",): ["it was on {date}", "on {date}", "the date is {date}", "please come on {date}", "since {date}", "it is due {date}", "delivery on {date}"],
    ("date", "time"): ["the meeting is on {date} at {time}", "on {date} at {time}", "{date}, {time}", "we meet on {date} at {time}", "the call is at {time} on {date}"],
    ("city", "date"): ["I travel to {city} on {date}", "to {city} on {date}", "flight to {city}, {date}", "we arrive in {city} on {date}", "a trip to {city} on {date}"],
    ("money",): ["the total was {money}", "I paid {money}", "the amount is {money}", "it cost {money}", "a sum of {money}"],
    ("city",): ["I live in {city}", "I am in {city}", "send it to {city}", "the shop is in {city}", "greetings from {city}"],
    ("street", "city"): ["my address is {street}, {city}", "I live at {street} in {city}", "deliver to {street}, {city}", "{street}, {city}", "please send it to {street} in {city}"],
    ("company", "city"): ["{company} in {city}", "our company {company} is in {city}", "{company} has an office in {city}", "{company}, {city}", "we are {company} from {city}"],
}

ASK = """(Extract|Get|Pull out|Read|Find|Take) (the |){f} (as|in|into) JSON.
(Return|Output|Print|Write|Give back) (the |){f} (as|in) (JSON|a JSON object|JSON format).
(Give me|I need|I want|Please give) (the |){f} (as|in) (JSON|a JSON object).
(Read|Look at|Take) the (text|message|mail|note) and (return|write|give|output) JSON with {f}.
(Extract|Collect|Fill) the (fields|keys|values|data) {f}. (Answer|Reply|Respond) (in|with|as) JSON.
JSON (with|of|for) {f}(| please|, please).
(Fields|Keys|Needed|Wanted)(:|) {f}. (Output|Answer|Return) (JSON only|only JSON|JSON|a JSON object).
(Write|Put|Convert|Turn) (the |){f} (of|from) (this|the) (text|message|mail) (as|into|to) JSON.
(Find|Search|Look for) {f} in the (text|message|mail). (Answer|Reply) (as a JSON object|in JSON|with JSON).
(Pull out|Extract|Pick out) {f} as a JSON object. (Use|Write|Put) null (if|when|where) (missing|absent|not there).
(Turn|Convert|Change|Transform) the (text|message|note) (into|to) JSON with (the |)(keys|fields) {f}.
You (extract|read|collect) (data|fields|information)(| from texts). (Keys|Fields): {f}. (Missing values are null.|Missing is null.|)
(What are|Which are) {f}? (Answer|Reply) (as|in) JSON.
{f} (as|in) JSON(|.| please|:)
(Make|Build|Create) (a JSON object|JSON|a JSON record) (with|from) {f}.
(Parse|Structure) (the|this) (text|message): {f}. JSON (only|output)""".split("\n")

def value(say, kind):
    if kind == "count": return say.num(2, 60)
    if kind == "age": return say.num(18, 90)
    if kind == "colour": return say.any(COLOURS)
    if kind == "job": return say.pick(JOBS)
    return str(say.slot(kind))


def text_with(say, groups):
    values, parts = {}, []
    for g in groups:
        for kind in g: values[kind] = value(say, kind)
        parts.append(say(say.pick(PIECES[g]), **values))
    joined = ""
    for i, p in enumerate(parts):
        if i == 0: joined = cap(p)
        else:
            link = say.any([". ", ". ", ", ", " and ", "; "])
            joined += link + (cap(p) if link == ". " else p)
    return joined + say.any([".", "", ".", "!"]), values


def as_json(say):
    groups, used = [], set()
    options = list(PIECES)
    say.rng.shuffle(options)
    for g in options:
        if len(groups) == say.any([1, 2, 2, 3, 3, 4]): break
        if not used & set(g):
            groups.append(g); used |= set(g)
    if not groups: return as_json(say)
    text, values = text_with(say, groups)
    if say.chance(0.2):
        text = say.any(["Hello! ", "Hi, ", "Dear team, ", "Note: ", "Good morning. "]) + text
    kinds = list(values)
    say.rng.shuffle(kinds)
    kinds = kinds[:say.any([1, 2, 2, 3, 4, 5])]
    if say.chance(0.25):
        kinds.append(say.rng.choice([k for k in FIELDS if k not in values and not (k == "count" and "age" in values)]))
        say.rng.shuffle(kinds)
    keys = []
    for k in kinds:
        name = say.rng.choice(FIELDS[k]) if say.chance(0.6) else FIELDS[k][0]
        keys.append(name)
    if len(set(keys)) < len(keys): return as_json(say)
    out = {n: values.get(k) for n, k in zip(keys, kinds)}
    if say.chance(0.06): text = text.lower(); out = {n: (v.lower() if isinstance(v, str) else v) for n, v in out.items()}
    shown = ", ".join(keys)
    if len(keys) > 1 and say.chance(0.5): shown = ", ".join(keys[:-1]) + " and " + keys[-1]
    elif say.chance(0.2): shown = ", ".join(f'"{k}"' for k in keys)
    ask = say.ask(ASK, f=shown)
    answer = json.dumps(out, ensure_ascii=False)
    found = [f"{n} is {v}" for n, v in out.items() if v is not None]
    thought = ("The " + ", ".join(found) + "." if found else "Nothing of this is in the text.")
    if say.chance(0.4):
        return dict(messages=[{"role": "user", "content": ask + say.any(["\n", "\n\n", " Text: ", " "]) + text}, {"role": "assistant", "content": answer}], thought=thought)
    return dict(messages=[{"role": "system", "content": ask}, {"role": "user", "content": text}, {"role": "assistant", "content": answer}], thought=thought)


def one_field(say):
    """A plain question about a text: what is the order number?"""
    groups = say.rng.sample(list(PIECES), 2)
    if set(groups[0]) & set(groups[1]): return one_field(say)
    text, values = text_with(say, groups)
    kind = say.rng.choice(list(values))
    word = {"order": "order number", "money": "amount", "item": "product", "count": "number of pieces"}.get(kind, kind)
    ask = say.ask(["What is the {w}?", "Which {w} is (in the text|named|mentioned|given|there)?", "(Give|Tell|Show) me the {w}(| only|, nothing else).", "(Only the|Just the|The) {w}(, please|.|?|)", "{w}?", "(Find|Extract|Get|Return|Copy|Read|Name|Pick) the {w}(| from the text| in the text| of this message).", "(Do you see|Can you find) the {w}?", "(I need|I want|I am looking for) the {w}.", "What (does the text say|is written) as the {w}?", "What's the {w} (in the text|here|)?", "(Output|Print|Write) (only |)the {w}."], w=word)
    answer = str(values[kind])
    if say.chance(0.5):
        return dict(messages=[{"role": "user", "content": say.any([f"{ask}\n{text}", f"{text}\n{ask}", f"Text: {text}\nQuestion: {ask}", f"{text} {ask}"])}, {"role": "assistant", "content": answer}], thought=f"The text says the {word} is {answer}.")
    return dict(messages=[{"role": "system", "content": ask}, {"role": "user", "content": text}, {"role": "assistant", "content": answer}], thought=f"The text says the {word} is {answer}.")
