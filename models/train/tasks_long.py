"""Knows the reading tasks: answering from a policy or a price list in the prompt, short or up to two thousand tokens long,
and staying on the task after long prompts and long conversations."""
import tasks_chat
import tasks_classify
import tasks_transform
from words import split_top

# (facts as the policy states them) | (questions) | answer
RULES = [
    ("(Returns are accepted|Goods can be returned|You may return goods) within {v} days.|You can return goods for {v} days.|The return period is {v} days.", "How long can I (return|send back) (something|goods|it|an item)?|What is (the|your) return (period|deadline|time)?|(Until when|How long) may I (send goods back|return things)?|How many days do I have (for a return|to send it back)?|(return deadline|return period|days for a return)?|(What about|Tell me about) returns(, how long|: how many days|)?", "You can return goods within {v} days.", lambda s: s.num(7, 100)),
    ("(Delivery|Shipping) takes {v} working days.|We deliver (in|within) {v} working days.|Parcels arrive after {v} working days.", "How long does (delivery|shipping) take?|When will my (parcel|order|package) (come|arrive)?|(delivery time|shipping time|time of delivery)?|How (fast|quickly) do you (ship|deliver)?|What is your (shipping|delivery) time?|How many days (until|before) my (order|parcel) (arrives|comes)?|How long (do I wait|must I wait) for my (order|parcel)?", "Delivery takes {v} working days.", lambda s: s.num(2, 14)),
    ("(Shipping|Delivery) costs {v}.|The shipping fee is {v}.|We charge {v} for shipping.", "(How much|What) (is|does|costs) (shipping|delivery)(| cost)?|What (does|do I pay for) (delivery|shipping)( cost|)?|(shipping fee|shipping cost|delivery fee|price of shipping)?|Is (shipping|delivery) free?|(What do you charge|Do I pay) for (shipping|delivery)?|How much do you charge for (delivery|shipping)?|(How expensive|What) is the (shipping|delivery)( fee|)?", "Shipping costs {v}.", lambda s: s.s_money()),
    ("The warranty (lasts|is) {v} months.|All products have a warranty of {v} months.|We give {v} months of warranty.", "How long is (the|your) (warranty|guarantee)?|(warranty time|warranty|months of warranty)?|How many months of (warranty|guarantee) (do I get|are there)?|Is there a (warranty|guarantee)?|How long does the (warranty|guarantee) last?|(How long|Until when) are products covered?|(Tell me|What about) the (warranty|guarantee)( time|)?", "The warranty lasts {v} months.", lambda s: s.num(6, 60)),
    ("Our office is in {v}.|We are (located|based) in {v}.|You find us in {v}.", "Where is (your|the) office?|In which (city|town) (are you|is your office)?|Where are you (located|based)?|Where can I (find|visit) you?|(office location|location of the office|your city)?|Which city is your office in?|Where do I find your office?", "Our office is in {v}.", lambda s: s.s_city()),
    ("The hotline number is {v}.|Call us at {v}.|Our phone number is {v}.", "What is your (phone|hotline|telephone) number?|How can I (call|phone) you?|(hotline number|phone number|telephone)?|Which number (do|can|should) I call?|(Can|How can) I phone you?|What's the number (of the hotline|to call)?|(Give me|I need) your phone number", "Our phone number is {v}.", lambda s: s.s_phone()),
    ("Write to {v} for help.|Our email address is {v}.|Support is reached at {v}.", "What is your (email|mail|email address)?|Where can I write to?|(support email|email|mail address)?|Which (mail|email) address do you have?|How do I (reach|contact) you by (email|mail)?|What's your (mail|email)?|(Give me|I need) your email address", "Our email address is {v}.", lambda s: s.s_email()),
    ("The (shop|store) opens at {v}.|We open at {v}.|Opening time is {v}.", "When do you open?|(At what time|When) does the (shop|store) open?|(opening time|opening hour)?|From (when|what time) are you open?|What time do you open(| in the morning)?|When can I come in the morning?|How early do you open?", "We open at {v}.", lambda s: s.s_time()),
    ("The (shop|store) closes at {v}.|We close at {v}.|Closing time is {v}.", "When do you close?|(At what time|When) does the (shop|store) close?|(closing time|closing hour)?|Until (when|what time) are you open?|What time do you close(| in the evening| today)?|How late are you open?|How long are you open(| in the evening)?", "We close at {v}.", lambda s: s.s_time()),
    ("We are closed on {v}.|On {v} the shop is closed.|There is no service on {v}.", "(On which day|When) are you closed?|Which day is the (shop|store) closed?|(closed day|day off|rest day)?|(When|On which day) is there no service?|(What|Which) day do you not (work|open)?|Is there a day when you are closed?|(What is|Which is) your day off?", "We are closed on {v}.", lambda s: s.s_day()),
    ("Our manager is {v}.|The shop is led by {v}.|{v} is the manager.", "Who is (the|your) (manager|boss|head)?|What is the name of (your|the) manager?|(manager name|name of the manager|manager)?|Who (leads|runs|manages) the (shop|company|team)?|Who is (in charge|responsible)?|Who is your (boss|head|manager)?|(Tell me|Give me) the (manager's name|name of the boss)", "The manager is {v}.", lambda s: s.s_name()),
    ("Refunds are paid within {v} days.|A refund takes {v} days.|We pay refunds after {v} days.", "How long does a refund take?|When (do|will) I get my money back?|(refund time|days for a refund|refund)?|How (fast|quickly) are refunds paid?|When is (my|the) refund paid?|(After how many days|When) is the refund paid?|How long until my (refund|money) comes?", "A refund takes {v} days.", lambda s: s.num(2, 30)),
    ("The minimum order is {v}.|Orders start at {v}.|You must order for at least {v}.", "What is the (minimum|smallest) order?|Is there a minimum order(| value)?|(minimum order|minimum|smallest order)?|How much must I order(| at least)?|(What|Which) is the least I (can|must) order?|(From which|What) sum can I order(| for)?|(Do I need|Must I reach) a minimum order?", "The minimum order is {v}.", lambda s: s.s_money()),
    ("The pro plan costs {v} per month.|Pro is {v} per month.|For the pro plan we charge {v} a month.", "(How much|What) (is|does|costs) (the pro plan|pro)( cost|)?|What (do I pay|is the price) for (the pro plan|pro)?|(pro plan price|price of pro|pro price)?|What does the pro plan cost?|(Price|Cost) of (pro|the pro plan)?|How much per month is (pro|the pro plan)?|How expensive is (pro|the pro plan)?", "The pro plan costs {v} per month.", lambda s: s.s_money()),
    ("The free plan has {v} users.|Up to {v} users are free.|With the free plan {v} users can work.", "How many users (does the free plan have|are free|can use the free plan)?|(free plan users|users for free|number of free users)?|Up to how many users is it free?|How many people can (use|work with) the free plan?|(What is|Tell me) the user limit of the free plan?|(users in|people in) the free plan?|How big is the free plan?", "The free plan has {v} users.", lambda s: s.num(2, 50)),
    ("Cancel at least {v} days before.|Cancellations must come {v} days before.|You can cancel until {v} days before.", "(Until when|How late) can I cancel?|How many days before must I cancel?|(cancellation deadline|cancellation period|cancel deadline)?|When is the last day to cancel?|What is the (cancellation period|deadline to cancel)?|How (early|long before) do I have to cancel?|(Can I|May I) cancel, and until when?", "You can cancel until {v} days before.", lambda s: s.num(2, 30)),
    ("Breakfast starts at {v}.|We serve breakfast from {v}.|Breakfast is served from {v}.", "When is breakfast?|(From when|When) do you serve breakfast?|(breakfast time|breakfast|time of breakfast)?|(What time|When) does breakfast (start|begin)?|When can (we|I) (eat|have breakfast)(| in the morning)?|At what time is breakfast(| served)?|How early is breakfast?", "Breakfast starts at {v}.", lambda s: s.s_time()),
    ("The wifi password is {v}.|Use {v} as the wifi password.|Wifi password: {v}.", "What is the (wifi|internet) (password|code)?|(wifi password|wifi|wifi code|internet password)?|How do I get into the wifi?|(Which|What) password does the wifi have?|(Can I have|Give me|I need) the wifi (code|password)?|(password|code) for the (internet|wifi)?|How do I (connect to|log into) the wifi?", "The wifi password is {v}.", lambda s: s.s_order()),
    ("Gift cards are valid for {v} years.|A gift card lasts {v} years.|You can use gift cards for {v} years.", "How long (is|are) (a gift card|gift cards) valid?|(gift card validity|validity of gift cards)?|How many years does a gift card last?|When does a gift card expire?|(For how long|How long) can I use a gift card?|Do gift cards expire?|(Until when|How long) is a gift card good?", "Gift cards are valid for {v} years.", lambda s: s.num(2, 9)),
    ("The company was founded in {v}.|We started in {v}.|Our company exists since {v}.", "When was (the|your) company (founded|started)?|How old is (your|the) company?|(founding year|year of founding|founded when)?|Since when (do you exist|does the company exist)?|In which year did (you|the company) start?|When did (you|the company) (start|begin)?|(Which|What) year were you founded?", "The company was founded in {v}.", lambda s: s.s_year()),
]

PADDING = """Please read these rules with care.
Our team is happy to help you on every working day.
We answer all messages in the order in which they come in.
Customers who are not happy may write to us at any time.
Our goods are checked by hand before they leave the warehouse.
Please keep the box and the papers until you are sure that you want to keep the goods.
All prices include the tax of the country.
We use only safe ways to pay.
Pictures on the site may look a little different from the goods.
If something is not clear, ask a colleague.
We speak {lang}.
The rules were last checked in {month}.
Do not share your password with anyone.
Our {item} was the most popular product of the year.
Many customers also like the {item} and the {item}.
In {city} and in {city} we have partner shops.
Good service means listening first and answering after that.
The team meets every {day} to talk about new ideas.
Notes for new colleagues are kept in a shared folder.
{name} wrote the first version of this text.
Orders of the {item} are packed on {day}.
On holidays we need a little more time.
Always be polite, even if the customer is angry.
Write short answers and do not promise what we cannot keep.
Every order gets a number, and every number belongs to one order only.
A customer may have more than one order at the same time.
Old orders are kept in the archive.
Boxes made of paper can be used again.
We plan a new shop in {city}.
The staff room is next to the {item} shelf.
There is coffee in the kitchen and tea in the {item} room.
The {item} and the {item} stand on shelf {nn}.""".split("\n")


def padding(say):
    return say(say.rng.choice(PADDING), lang=say.any(["English", "German", "French", "Spanish"]))


def rules(say, count, extra):
    """A policy text of `count` rules and `extra` sentences around them."""
    chosen = say.rng.sample(RULES, count)
    facts = []
    for stated, asks, answer, make in chosen:
        v = make(say)
        facts.append((say(say.rng.choice(split_top(stated)), v=v), split_top(asks), answer.format(v=v)))
    lines = [f[0] for f in facts] + [padding(say) for _ in range(extra)]
    say.rng.shuffle(lines)
    return facts, lines


HEADS = ["(Answer|Reply) (from|with|using) (these|the following|our) (rules|facts).", "You are the (assistant|helper|bot) of {company}. (Use|Know|Here are) these (facts|rules):", "(Policy|Rules|Facts|Information|Handbook)(| of {company}):", "(Facts|Rules|Notes|Information) (about|of|for) {company}:", "Use only (this|the following) (information|text|page).", "(Company rules|House rules|Our rules|What you must know):", "You (answer|help|serve) (customers|guests|users) of {company}.", "(Help page|FAQ|Handbook|Guide) of {company}:", "(Read|Know) (this|these rules) and answer (questions|the customer)."]


def policy(say, count=None, extra=None):
    count = count or say.num(1, 6)
    extra = say.num(0, 3) if extra is None else extra
    facts, lines = rules(say, count, extra)
    system = say.ask(HEADS) + say.any(["\n", " ", "\n\n"]) + say.any([" ", "\n", "\n- "]).join(lines)
    messages = [{"role": "system", "content": system}]
    thought = ""
    for _ in range(say.any([1, 1, 1, 2])):
        if say.chance(0.15):
            other = say.rng.choice([r for r in RULES if not any(r[2].split("{v}")[0] and f[2].startswith(r[2].split("{v}")[0]) for f in facts)])
            q, a, thought = say.ask(split_top(other[1])), "I'm sorry, I have no information about that.", "The rules do not say this."
        else:
            stated, asks, answer = say.rng.choice(facts)
            q, a, thought = say.ask(asks), answer, f"The rules say: {stated}"
        if say.chance(0.2): q = q.lower()
        if say.chance(0.15): q = say.any(["Hi, ", "Hello! ", "Hey, "]) + q
        messages += [{"role": "user", "content": q}, {"role": "assistant", "content": a}]
    return dict(messages=messages, thought=thought)


def long_policy(say):
    """A system prompt of several hundred to two thousand tokens."""
    return policy(say, say.num(5, 16), say.any([25, 40, 60, 80, 100]))


def long_task(say):
    """A long house style before an ordinary task."""
    inner = say.rng.choice([tasks_classify.by_label, tasks_classify.by_code, tasks_chat.support, tasks_chat.persona])(say)
    lead = " ".join(padding(say) for _ in range(say.any([15, 30, 50, 70, 90])))
    messages = list(inner["messages"])
    if messages[0]["role"] == "system":
        own = messages[0]["content"]
        messages[0] = {"role": "system", "content": lead + "\n" + own if say.chance(0.7) else own + "\n" + lead}
    else:
        messages.insert(0, {"role": "system", "content": lead})
    return dict(inner, messages=messages)


def long_chat(say):
    """Many turns of all kinds in one conversation."""
    messages = []
    if say.chance(0.5): messages.append({"role": "system", "content": say.ask(tasks_chat.HELPFUL)})
    for _ in range(say.num(6, 30)):
        inner = say.rng.choice([tasks_chat.support, tasks_chat.smalltalk, tasks_chat.facts, tasks_chat.refuse, tasks_transform.arithmetic, tasks_transform.lists, tasks_transform.dates])(say)
        messages += [m for m in inner["messages"] if m["role"] != "system"]
    return dict(inner, messages=messages)
