"""Knows the classification tasks: a label named in the system prompt, arbitrary codes with meanings, examples in the prompt,
sentiment and urgency, a JSON verdict, a summary and the topic of a ticket."""
import json

from talk_more import ABOUT_ASKS, BAD_MORE, CALM_MORE, GOOD_MORE, JSON_ASKS, MATCH_ASKS, MOOD_ASKS, NAME_ASKS, PLAIN_MORE, SUM_ASKS, URGENCY_ASKS, URGENT_MORE
from tickets import KEYS, TOPICS, reply, some_topics, ticket
from words import TEST, cap, codes

ASK = """(Classify|Label|Categorize|Categorise|Tag|Sort) (the|this|each|every|my) (ticket|message|text|mail|request|email|sentence). (Labels|Categories|Classes|Options|Tags|Possible labels|Choices): {labels}.
(Classify|Sort|Put|Group) (the|this) (ticket|message|text|mail|request) (into|in|as) one of (these|the following|these {n}) (labels|categories|classes|groups|topics): {labels}
(Choose|Pick|Select|Take) (one|the best|the right|a fitting|the matching) (label|category|class|topic|tag)(|for the message| for this ticket| for the text): {labels}
(Choose|Pick|Select|Find) the (best|right|fitting) (category|label|topic) (from|out of|among|in)(| this list| these)(:|) {labels}.
You (sort|label|classify|tag|route) (support |customer |incoming |)(tickets|messages|mails|emails|requests|texts). (Answer|Reply|Respond) with one of(|:| these:) {labels}.
(Which|What) (category|label|class|topic|tag) (fits|is right|matches|applies|does it have|belongs to the text)? (Options|Choices|Choose from|One of|Labels): {labels}. (Answer|Reply) with the (category|label) only.
(Labels|Categories|Classes|Topics|Tags|Allowed answers): {labels}. (Reply|Answer|Respond) with (the|one|exactly one) (label|category|class|of them)(| only| and nothing else).
(Labels|Categories|Classes|Topics|Tags|Groups): {labels}. (Give|Return|Output|Write|Print|Name) only the (category|label|class|topic|right one).
(Sort|Put|File) (this|the) (message|ticket|mail|request) (into|under|in) {labels}.
(Return|Output|Write|Give|Answer with) exactly one of (these|the) (words|labels|names|categories|values): {labels}
Your (task|job|work) is to (label|classify|sort|tag|categorize) (customer messages|tickets|texts|mails|requests). The (labels|categories|classes|tags|topics) are {labels}.
(Read|Look at) the (message|ticket|text|mail) and (answer|reply|respond) with its (label|category|topic|class). (Labels|Categories|Topics): {labels}
You are a (classifier|sorting machine|ticket sorter|labelling assistant|text classifier). (Possible classes|The classes are|Labels|Known categories): {labels}. (Output|Answer|Return) (the class|one class|the label) and nothing else.
(Decide|Tell me|Say|Determine|Find out) what the (customer|user|person|message) (writes|talks|asks|is) about: {labels}.
(Assign|Give|Attach|Add) (a|one|the right) (label|category|tag|class). (Allowed|Possible|Valid|Available) (labels|tags|categories) are(|:) {labels}.
(Tag|Mark|Label) the (text|message|ticket|mail) with one (tag|label) of(|:) {labels}.
{labels} - (which|which one|what) (fits|is it|is right|describes the message best)?
(Is this|Is the message|Does it belong to) {labels}? (Answer|Reply) with one (label|word|of them).
(Topic|Category|Label|Class), one of {labels}:
(The message is about|It is) one of {labels}. (Which|Which one|Say which)?
(Given|With) the (labels|categories|classes|topics) {labels}, (classify|label|sort|tag) the (message|ticket|text|mail).""".split("\n")

ASK_MAP = """(Route|Routing|Send to|Forward)(|:| by this table:) {map}
(Route|Forward|Dispatch|Assign) (the|this|every) (ticket|message|mail|request): {map}.
(Answer|Reply|Respond) with the (code|key|mark|queue)(| only| of the topic). {map}
(Codes|Keys|Marks|Labels|Queues|Teams|The codes): {map}. (Reply|Answer|Respond) with the (code|right one|matching one)(| only).
(Give|Return|Output|Print|Write|Find) (the|only the|me the) (code|key|queue|mark|label) (for|of|that fits) (the|this) (message|ticket|text|mail). {map}
Use (this|the|the following) (table|list|key|mapping|scheme)(|:| to answer:) {map}
(Routing table|Code table|Mapping|Code book|Our codes|Scheme): {map}. (Answer|Reply) with the code only.
(Queues|Desks|Teams|Channels|Groups|Departments)(:|) {map}
(Which|What) (code|queue|team|label|key) (fits|is right|gets it|applies|does the ticket get)? {map}
(Sort|Classify|Label|Code|Mark) the (ticket|message|text|mail). {map}. (Output|Give|Return|Answer with) only the (code|label|key).
We (use|have|work with) (these|the following|our own) (codes|labels|keys|marks|queues)(:|) {map}. (Label|Code|Classify|Sort) the (message|ticket|text).
(Choose|Pick|Select|Find) the (team|code|queue|desk|label). {map}
(Map|Translate|Turn|Convert) the (message|ticket|topic|text) (to|into) (a code|its code|one of the codes): {map}
(For|With) (each|every|this) (message|ticket|text) (say|write|give|use) (the|its|one) (code|label|mark): {map}
You (route|sort|code|label) (tickets|messages|mails). {map}
(Legend|Key|Meaning of the codes): {map}. (Code|Label|Answer) please.
{map}. (Which|Which one|What) (is it|fits|code is right)?
(The answer is|Answer) one (code|label|word) (from|of) this list: {map}""".split("\n")

PAIRS = ["{n}={c}", "{n} = {c}", "{n}: {c}", "{n} -> {c}", "{c}: {n}", "{c} = {n}", "{c} for {n}", "{n} is {c}", "{c} ({n})", "{n} goes to {c}", "if it is about {n}, say {c}"]

THINK = """The (message|ticket|text) is about {n}.
The customer writes about {n}.
This is about {n}, so the label is {c}.
It sounds like {n}. The answer is {c}.
Topic: {n}. Label: {c}.""".split("\n")


def wrap(say, text):
    """Sometimes the ticket comes with a word in front."""
    return say.any(["{}", "{}", "{}", "{}", "{}", "Ticket: {}", "Message: {}", "Text: {}", "Customer: {}", "\"{}\"", "Classify this: {}", "Ticket: \"{}\""]).format(text)


def sample(system, user, answer, thought=None):
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": user}, {"role": "assistant", "content": answer}]
    return dict(messages=messages, thought=thought)


def names(say, keys):
    """One name per topic; where the wording is held out, still a name of the training (the text is what is new)."""
    out = []
    for k in keys:
        n = say.rng.choice(TOPICS[k].names)
        out.append(n)
    return out


def style(say, labels):
    """Label names the way people write them."""
    f = say.any([lambda s: s, lambda s: s, lambda s: s, lambda s: s.upper(), lambda s: s.replace(" ", "_"), lambda s: s.replace(" ", "-"),
                 cap, lambda s: s.replace(" ", "_").upper(), lambda s: s.title()])
    return [f(x) for x in labels]


def by_label(say):
    key = say.rng.choice(KEYS)
    n = say.any([2, 3, 3, 4, 4, 5, 6, 8])
    keys = some_topics(say.rng, n, key)
    labels = style(say, names(say, keys))
    if len(set(labels)) < n: return by_label(say)
    other = say.chance(0.15)
    if other:
        answer_label = say.any(["other", "Other", "none", "misc"])
        labels.append(answer_label)
        if say.chance(0.6):
            outside = say.rng.choice([k for k in KEYS if k not in keys])
            text, label = ticket(say, outside), answer_label
        else:
            text, label = ticket(say, key), labels[keys.index(key)]
    else:
        text, label = ticket(say, key), labels[keys.index(key)]
    if say.chance(0.25):
        lines = [f"{x}: {say.rng.choice(TOPICS[k].desc)}" for x, k in zip(labels, keys)] + labels[len(keys):]
        system = say.any(["Labels:\n{}", "Classify the message.\n{}", "Choose a label:\n{}", "You sort tickets.\n{}"]).format("\n".join(say.any([["- "], [""]])[0] + x for x in lines))
    else:
        joined = say.any([", ", ", ", ", ", " | ", "; ", " / "]).join(labels)
        if joined.count(", ") == len(labels) - 1 and len(labels) > 1 and say.chance(0.3):
            joined = ", ".join(labels[:-1]) + say.any([" or ", " and "]) + labels[-1]
        system = say.ask(ASK, labels=joined, n=len(labels))
    thought = say.ask(THINK, n=label, c=label)
    if say.chance(0.12):
        return sample(None, system + "\n" + wrap(say, text), label, thought)
    return sample(system, wrap(say, text), label, thought)


def by_code(say):
    """Arbitrary codes with their meaning in the prompt: the task that makes new schemes easy to learn."""
    key = say.rng.choice(KEYS)
    n = say.any([2, 3, 3, 4, 4, 5, 6, 7, 8])
    keys = some_topics(say.rng, n, key)
    marks = codes(say.rng, n)
    use_desc = say.chance(0.35)
    meanings = [say.rng.choice(TOPICS[k].desc if use_desc else TOPICS[k].names) for k in keys]
    if len(set(meanings)) < n: return by_code(say)
    pair = say.rng.choice(PAIRS)
    if say.chance(0.08):
        table = json.dumps(dict(zip(meanings, marks)), ensure_ascii=False)
    else:
        rows = [pair.format(n=m, c=c) for m, c in zip(meanings, marks)]
        table = say.any([", ", ", ", "; ", "\n", "\n- ", ", ", " | "]).join(rows)
        if "\n- " in table: table = "- " + table
        if "\n" in table: table = "\n" + table
    system = say.ask(ASK_MAP, map=table)
    i = keys.index(key)
    thought = say.ask(THINK, n=meanings[i], c=marks[i])
    text = ticket(say, key)
    if say.chance(0.1):
        return sample(None, system + "\n" + wrap(say, text), marks[i], thought)
    if say.chance(0.1):  # several tickets in one conversation
        messages = [{"role": "system", "content": system}]
        for _ in range(say.num(1, 3)):
            j = say.rng.randrange(n)
            messages += [{"role": "user", "content": ticket(say, keys[j])}, {"role": "assistant", "content": marks[j]}]
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": marks[i]}]
        return dict(messages=messages, thought=thought)
    return sample(system, wrap(say, text), marks[i], thought)


def by_examples(say):
    """Codes whose meaning only examples show."""
    key = say.rng.choice(KEYS)
    n = say.any([2, 2, 3, 3, 4])
    keys = some_topics(say.rng, n, key)
    marks = codes(say.rng, n) if say.chance(0.75) else style(say, names(say, keys))
    if len(set(marks)) < n: return by_examples(say)
    shots = [(k, m) for k, m in zip(keys, marks) for _ in range(say.any([1, 1, 2]))]
    say.rng.shuffle(shots)
    i = keys.index(key)
    text = ticket(say, key)
    thought = say.ask(THINK, n=TOPICS[key].names[0], c=marks[i])
    head = say.any(["Label the message like the examples.", "Examples:", "Follow the examples.", "Give the code, as in these examples:", "Answer like this:"])
    if say.chance(0.6):
        arrow = say.any([" -> ", " => ", "\nLabel: ", " = ", "\nCode: "])
        system = head + "\n" + "\n".join(ticket(say, k, "train", 0.5) + arrow + m for k, m in shots)
        return sample(system, text, marks[i], thought)
    messages = [{"role": "system", "content": say.any(["Label the messages.", "Give the code.", "Answer with the code of the ticket."])}]
    for k, m in shots:
        messages += [{"role": "user", "content": ticket(say, k, "train")}, {"role": "assistant", "content": m}]
    messages += [{"role": "user", "content": text}, {"role": "assistant", "content": marks[i]}]
    return dict(messages=messages, thought=thought)


# ---------------------------------------------------------------- sentiment, urgency, yes or no

GOOD = """I love (the|my|this) {item}(|, it is great|, it works perfectly)
(great|wonderful|excellent|fantastic|lovely) (service|hotel|film|food|book|shop|{item})(|, I will come back|, thank you)
the {item} is (perfect|beautiful|better than expected|really good|worth every cent)
(very|really|so) (happy|pleased|satisfied) with (the {item}|my stay|the food|it)
the (staff|food|room|concert|movie) was (amazing|delicious|lovely|wonderful|great)
(best|nicest) {item} I ever had
(good|top) quality and (fast|quick) delivery
what a (great|beautiful|nice) {item}
I would (buy|recommend) (it|the {item}) (again|to everyone|to my friends)
we had (a lovely time|so much fun|a great evening) in {city}""".split("\n")
BAD = """I hate (the|my|this) {item}(|, it never works|, it is awful)
(terrible|awful|horrible|bad|poor) (service|hotel|film|food|book|shop|{item})(|, never again|, stay away)
the {item} is (useless|ugly|worse than expected|really bad|a waste of money)
(very|really|so) (unhappy|disappointed|angry) with (the {item}|my stay|the food|it)
the (staff|food|room|concert|movie) was (rude|disgusting|dirty|boring|terrible)
(worst|cheapest) {item} I ever had
(bad|poor) quality and (slow|late) delivery
what a (bad|boring|stupid) {item}
I would (not buy it|never recommend it|not recommend the {item}) (again|to anyone|to my friends)
we had (a horrible time|no fun|a bad evening) in {city}""".split("\n")
PLAIN = """the {item} is (blue|made of wood|{nn} cm wide|okay|as described)
I (bought|ordered|got) (the|a) {item} {when}
the (shop|hotel|office) is in {city}
it is (okay|fine|average|neither good nor bad|so so)
the {item} (came|arrived) on {day}
we stayed {n} nights in {city}
the meeting is on {day} at {time}
(my|the) {item} has {n} (buttons|pockets|parts|colours)
nothing special, a normal {item}
the film lasts {nn} minutes""".split("\n")


def sentiment(say):
    kind = say.rng.randrange(3)
    text = cap(say(say.pick([GOOD, BAD, PLAIN][kind], [GOOD_MORE, BAD_MORE, PLAIN_MORE][kind]))) + say.any([".", "!", "", "."])
    sets = [("positive", "negative", "neutral"), ("positive", "negative", "neutral"), ("good", "bad", "neutral"), ("happy", "unhappy", "neutral"), ("pos", "neg", "neu"), ("POSITIVE", "NEGATIVE", "NEUTRAL"), ("+", "-", "0")]
    labels = say.rng.choice(sets)
    if kind < 2 and say.chance(0.3): labels = labels[:2]
    shown = list(labels)
    say.rng.shuffle(shown)
    ask = say.ask(["(Sentiment|Mood|Tone|Feeling|Opinion)(| of the text| of the review): {l}?", "Is (this|the text|the review|the message|the customer) {l}?", "(Classify|Judge|Rate|Give|Label) the (sentiment|mood|tone|feeling|opinion) as {l}.", "What is the (mood|sentiment|tone|feeling|opinion) of the (text|review|message)? {l}",
                   "(Rate|Judge|Label|Sort) the (review|comment|opinion|feedback|text): {l}", "(Answer|Say|Write|Reply) {l} for the (feeling|mood|sentiment|tone) of the (message|text|review).", "(Sentiment|Mood|Tone) of the (text|message|review), one of {l}.", "(Does|How does) the (writer|customer|author) (sound|feel) {l}?",
                   "(Sentiment|Mood|Feeling) (analysis|check|label): {l}", "(Tell me|Decide) if the (mood|sentiment|tone|review) is {l}.", "Do they like it? (Sentiment|Mood): {l}", "Give the (sentiment|mood|tone) ({l}|{l} only)."], MOOD_ASKS, l=", ".join(shown[:-1]) + say.any([" or ", " or ", ", ", " and "]) + shown[-1])
    thought = ["The text praises something.", "The text complains.", "The text only states facts."][kind]
    return sample(ask, text, labels[kind], thought) if say.chance(0.75) else sample(None, ask + "\n" + text, labels[kind], thought)


URGENT = ["It is urgent!", "Please answer at once.", "I need this today!", "This is an emergency.", "ASAP please!", "We cannot work until this is solved.", "Please hurry, it cannot wait.", "I need it within the hour.", "Right now, please!"]
CALM = ["No hurry.", "Take your time.", "It is not urgent.", "Whenever you have time.", "This can wait.", "There is no rush.", "Next week is fine.", "Only if you find the time.", "It is not so important."]


def hurry(say, high):
    """A sentence that says whether there is time."""
    return say(say.pick(URGENT if high else CALM, URGENT_MORE if high else CALM_MORE))


def urgency(say):
    key = say.rng.choice(KEYS)
    high = say.chance(0.5)
    body = ticket(say, key, rough=0.5)
    body = body.replace(". It is urgent", "").replace(". Please answer soon", "").replace(". it is urgent", "").replace(". please answer soon", "")
    extra = hurry(say, high)
    text = body + (" " if body[-1] in ".!?" else ". ") + extra if say.chance(0.7) else extra + " " + body
    labels = say.any([("high", "low"), ("urgent", "normal"), ("yes", "no"), ("HIGH", "LOW"), ("P1", "P3")])
    ask = say.ask(["(Give|Rate|Tell me|Return|Judge) the (urgency|priority)(| of the ticket| of this message): {l}.", "(Is|How urgent is) (the ticket|this message|it|this request)(|:) {l}?", "(Urgency|Priority)(|:|?) {l}", "(Urgency|Priority) (label|level|class|of the text): {l}", "(Decide|Say|Classify) how urgent (this|the ticket|the message) is: {l}.", "(Does it|Can it) wait? (Urgency|Priority) {l}", "(Set|Choose|Pick) the (priority|urgency)(:|) {l}"], URGENCY_ASKS,
                  l={"high": say.any(["high or low", "low or high", "high, low"]), "urgent": say.any(["urgent or normal", "normal or urgent"]), "yes": "urgent yes or no", "HIGH": say.any(["HIGH or LOW", "LOW, HIGH"]), "P1": "P1 if urgent, P3 if it can wait"}[labels[0]])
    return sample(ask, text, labels[0 if high else 1], f"The customer says: {extra}")


def about(say):
    """Is the ticket about X? yes or no."""
    key = say.rng.choice(KEYS)
    yes = say.chance(0.5)
    shown = key if yes else say.rng.choice([k for k in some_topics(say.rng, 6, key) if k != key])
    name = say.rng.choice(TOPICS[shown].names + TOPICS[shown].desc)
    ask = say.ask(["Is (this|the) (message|ticket|text|mail) about {n}? (Answer|Reply|Say) yes or no.", "Does the (customer|user|person|message|text) (write|talk|ask|complain) about {n}? (yes or no|Yes or no?|Answer yes or no.)", "(Say|Answer|Reply|Write) yes if the (text|message|ticket) is about {n}, (else|otherwise) no.", "About {n}? (Answer with yes or no only.|yes or no|Yes/no.)",
                   "(Answer|Reply|Respond) yes or no: is (it|this|the message|the ticket) about {n}?", "Is the (topic|subject|theme|matter) {n}? (yes/no|Yes or no|Answer yes or no)", "Yes or no: (the message|this|the ticket) is about {n}.", "Topic {n}, (yes or no|true? yes or no)?", "(Check|Tell me|Decide) (if|whether) (this|the message|the ticket) is about {n}: yes or no.", "(Is it|Would you say it is) about {n}, yes or no?", "(Does|Would) the (label|tag|topic) {n} fit? yes or no", "{n}: yes or no?"], ABOUT_ASKS, n=name)
    return sample(ask, ticket(say, key), "yes" if yes else "no", f"The message is about {TOPICS[key].names[0]}.")


def json_verdict(say):
    key = say.rng.choice(KEYS)
    n = say.any([3, 4, 5])
    keys = some_topics(say.rng, n, key)
    labels = names(say, keys)
    if len(set(labels)) < n: return json_verdict(say)
    high = say.chance(0.5)
    text = ticket(say, key, rough=0.5)
    text += (" " if text[-1] in ".!?" else ". ") + hurry(say, high)
    field = say.any(["topic", "label", "category", "queue"])
    fields = {field: labels[keys.index(key)], "urgent": high}
    if say.chance(0.3): del fields["urgent"]
    shown = say.any([", ", " | ", " / "]).join(labels)
    keys_text = say.any([" and ", ", "]).join(fields)
    ask = say.ask(["(Answer|Reply|Respond) (as|in|with) JSON with (the field|the fields|the keys|) {k}. {f}: {l}.", "(Return|Give|Output|Write|Produce) (a JSON object|JSON|only JSON) (with|containing) {k}. {f} (is|must be) one of {l}.", "JSON (only|please|output), (keys|fields) {k}; {f} is one of {l}", "(Classify|Label|Judge) the (ticket|message|text) as JSON: {k}. {f} (can be|is) {l}.", "(Keys|Fields) of the JSON: {k}. (Values|Choices) for {f}: {l}.", "(Write|Print|Make) (a verdict|the result|your answer) as JSON with {k}. (Possible|Allowed) {f}: {l}", "Fill {k} (as JSON|in a JSON object). {f} out of {l}."], JSON_ASKS,
                  k=keys_text, f=field, l=shown)
    return sample(ask, text, json.dumps(fields, ensure_ascii=False), f"It is about {labels[keys.index(key)]}.")


def topic_name(say):
    key = say.rng.choice(KEYS)
    name_it = say.chance(0.3)
    ask = say.ask(["(Name|Give|Tell me|Write) the (topic|subject|theme)(| of the ticket| of this message| in one or two words).", "(Topic|Subject|Theme)(?|:|)", "What is the (topic|subject|theme)(| of the message| here)?", "(Which|What) topic (is this|does it have)?", "(Topic|Subject) (of the message|of the ticket|please)", "(State|Return|Say) the topic."] if name_it else
                  ["What is (this|the) (ticket|message|mail|text) about?", "What does the (customer|user|person) (want|need|say|write|ask)?", "(Summarize|Summarise|Sum up|Shorten) (the|this) (ticket|message|text|mail)(| in a few words| in one sentence| shortly).", "(Give|Write|Make) (a|me a|one) (short|brief|one-line) (summary|description)(| of the message| of this ticket).", "What is the (problem|matter|issue|request)(| here| of the customer)?",
                   "Tell me (in short|briefly|shortly) what (this|the message|it) is about.", "(Summary|Short summary|Summary in one line|In short)(:|?|)", "(Describe|Explain) (the ticket|the message|this) in (one sentence|a few words|short).", "(Read|Look at) this and (sum it up|summarize it|tell me what it is about).", "(Say|Put) it in (short|one sentence|a few words)."], NAME_ASKS if name_it else SUM_ASKS)
    answer = TOPICS[key].names[0] if name_it else TOPICS[key].summary + "."
    text = ticket(say, key)
    thought = f"The message is about {TOPICS[key].desc[0]}."
    if say.chance(0.35):
        return sample(None, ask + say.any(["\n", " ", "\n\n"]) + wrap(say, text), answer, thought)
    return sample(ask, wrap(say, text), answer, thought)


def match(say):
    """Do two tickets have the same topic?"""
    key = say.rng.choice(KEYS)
    same = say.chance(0.5)
    other = key if same else say.rng.choice([k for k in some_topics(say.rng, 5, key) if k != key])
    ask = say.ask(["Do (both|the two|these two) (messages|tickets|texts|mails) (have|share) the same (topic|subject|problem)? (Answer|Say|Reply) yes or no.", "Same (topic|subject|problem|theme)? (yes or no|yes/no|Answer yes or no.)", "Are these (two |)(tickets|messages|texts) about the same (thing|topic|problem)? (Answer yes or no.|yes or no)", "(Say|Answer|Write) yes if both (texts|messages|tickets) are about the same (topic|thing), else no.", "(Is it|Do they have) the same (problem|topic|matter), yes or no?", "Compare the two (tickets|messages|texts): same topic, yes or no?", "(Duplicates|Same matter|Same request)? yes or no"], MATCH_ASKS)
    return sample(ask, "1. " + ticket(say, key) + "\n2. " + ticket(say, other), "yes" if same else "no",
                  f"The first is about {TOPICS[key].names[0]}, the second about {TOPICS[other].names[0]}.")


def area(say):
    """Coarser groups: the area a ticket belongs to."""
    meaning = {"shop": "orders and goods", "account": "user accounts", "software": "software", "it": "office IT", "travel": "travel and hotels", "bank": "banking", "telecom": "phone contracts", "general": "general questions"}
    key = say.rng.choice([k for k in KEYS if TOPICS[k].area != "general"])
    own = TOPICS[key].area
    rest = [a for a in meaning if a not in (own, "general")]
    say.rng.shuffle(rest)
    chosen = [own] + rest[:say.num(1, 4)]
    say.rng.shuffle(chosen)
    marks = codes(say.rng, len(chosen)) if say.chance(0.5) else None
    if marks:
        system = say.ask(ASK_MAP, map=", ".join(f"{meaning[a]}={m}" for a, m in zip(chosen, marks)))
        return sample(system, ticket(say, key), marks[chosen.index(own)], f"It belongs to {meaning[own]}.")
    system = say.ask(ASK, labels=", ".join(meaning[a] for a in chosen), n=len(chosen))
    return sample(system, ticket(say, key), meaning[own], f"It belongs to {meaning[own]}.")
