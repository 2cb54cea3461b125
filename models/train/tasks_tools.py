"""Knows the tool tasks: choosing a tool from JSON schemas, filling its arguments, two calls in one turn, answering after
the result, and answering without a tool when none fits. Some tools are invented on the spot so that unseen ones work."""
import json

import tasks_chat
from tool_kit import P, Tool, word
from tools_more import TOOLS_MORE, composed
from words import ANIMALS, COLOURS, FRUITS, TEST, THINGS, TRAIN, cap, fake, part

CURRENCY = ["USD", "EUR", "GBP", "JPY", "CHF", "SEK", "NOK", "PLN"]
LANG = ["English", "German", "French", "Spanish", "Italian", "Polish", "Dutch", "Swedish", "Greek", "Turkish"]
TEAMS = ["billing", "shipping", "technical", "sales", "returns"]
UNITS = ["km", "miles", "kg", "pounds", "meters", "feet", "liters", "gallons"]
WEATHER = ["sunny", "cloudy", "rainy", "windy", "foggy", "snowy", "clear"]


CITY = P("city|location|place|town", "string", "Name of the city|The city|City name", word("city"))
ORDER = P("order_id|order|order_number|id", "string", "The order number|Number of the order|Order id", word("order"))
NAME = P("name|customer|person|full_name", "string", "Name of the person|The name|Full name", word("name"))
EMAIL = P("email|address|to|recipient", "string", "Email address|The address to write to|Recipient", word("email"))
DATE = P("date|day|on", "string", "The date|Date|Day of the event", word("date"))
TIME = P("time|at|hour", "string", "Time of day|The time|Start time", word("time"))
ITEM = P("item|product|article|name", "string", "The product|Name of the product|Product name", word("item"))
COUNT = P("count|quantity|amount|number", "integer", "How many|Number of pieces|Quantity", lambda s: s.num(2, 40))


money = lambda s: f"{s.num(2, 300)}.{s.num(0, 99):02d}"
TOOLS = [
    Tool("get_weather|weather|weather_lookup|fetch_weather|current_weather", "Get the weather of a city|Current weather for a place|Look up the weather", dict(city=CITY),
         "What is the weather in {city}?\nweather in {city}\nHow is the weather in {city} today?\nIs it raining in {city}?\nTell me the weather for {city}.\nDo I need an umbrella in {city}?\nHow warm is it in {city}?\nis it cold in {city} now",
         lambda s, a: dict(sky=s.any(WEATHER), temperature=s.num(-9, 38)), "It is {sky} in {city} with {temperature} degrees."),
    Tool("track_order|order_status|get_order|find_order|order_lookup", "Get the status of an order|Look up an order|Find out where an order is", dict(order=ORDER),
         "Where is order {order}?\nTrack order {order}\nWhat is the status of order {order}?\nPlease check my order {order}.\nHas order {order} been sent?\nWhen will order {order} arrive?\nI want to know about order {order}\nlook up order {order}",
         lambda s, a: dict(status=s.any(["shipped", "packed", "delivered", "delayed", "waiting"]), eta=s.s_date()), "Order {order} is {status}. Expected date: {eta}."),
    Tool("send_email|email|send_mail|write_email", "Send an email|Send a mail to somebody|Write an email", dict(to=EMAIL, subject=P("subject|title|about", "string", "Subject line|Subject of the mail|What the mail is about", lambda s: s.any(["meeting", "invoice", "holiday", "report", "lunch", "contract", "offer", "birthday", "project plan", "delivery"]))),
         "Send an email to {to} about the {subject}.\nWrite to {to} with the subject {subject}\nemail {to}, subject {subject}\nPlease mail {to} about {subject}.\nCan you send {to} a mail with subject {subject}?\nI need to email {to} about the {subject}",
         lambda s, a: dict(sent=True), "I sent the email to {to}."),
    Tool("convert_currency|currency|exchange|convert_money", "Convert money into another currency|Currency conversion|Exchange an amount of money", dict(
        amount=P("amount|value|sum", "number", "Amount of money|The amount|How much", lambda s: s.num(1, 999)), source=P("from|source|from_currency", "string", "Currency to convert from|Source currency", lambda s: s.any(CURRENCY)),
        target=P("to|target|to_currency", "string", "Currency to convert to|Target currency", lambda s: s.any(CURRENCY))),
         "Convert {amount} {source} to {target}\nHow much is {amount} {source} in {target}?\nWhat are {amount} {source} in {target}?\n{amount} {source} in {target} please\nChange {amount} {source} into {target}.\nexchange {amount} {source} to {target}",
         lambda s, a: dict(result=float(money(s))), "{amount} {source} is {result} {target}."),
    Tool("create_ticket|open_ticket|new_ticket|report_problem", "Open a support ticket|Create a ticket for a team|Report a problem", dict(
        team=P("team|queue|department", "string", "Team that gets the ticket|Which team", lambda s: s.any(TEAMS), enum=TEAMS), title=P("title|subject|summary", "string", "Short title|What it is about", lambda s: s.any(["broken {}", "missing {}", "wrong {}", "late {}", "new {} needed"]).format(s.s_item()))),
         "Open a ticket for the {team} team: {title}\nCreate a {team} ticket with the title {title}.\nPlease make a ticket for {team}: {title}\nReport to {team}: {title}\nnew ticket for {team}, title {title}\nI need a ticket at {team} about {title}",
         lambda s, a: dict(ticket=s.s_order()), "I opened ticket {ticket} for the {team} team."),
    Tool("book_table|reserve_table|table_booking|make_reservation", "Book a table in a restaurant|Reserve a table", dict(
        people=P("people|guests|persons", "integer", "Number of guests|How many people", lambda s: s.num(2, 12)), day=P("day|date", "string", "Day of the visit|The day", lambda s: s.any([s.s_day(), s.s_date()])), time=TIME),
         "Book a table for {people} on {day} at {time}.\nReserve a table on {day} at {time} for {people} people\ntable for {people}, {day}, {time}\nWe are {people} and want to eat on {day} at {time}.\nPlease reserve for {people} guests on {day} at {time}\nI need a table at {time} on {day} for {people}",
         lambda s, a: dict(booked=True, code=s.s_order()), "Your table for {people} on {day} at {time} is booked. The code is {code}."),
    Tool("find_flight|search_flights|flight_search|flights", "Search flights between two cities|Find a flight", dict(
        start=P("from|origin|departure", "string", "City of departure|Start of the trip", word("city")), goal=P("to|destination|arrival", "string", "City of arrival|Where the trip goes", word("city")), date=DATE),
         "Find a flight from {start} to {goal} on {date}.\nflights from {start} to {goal}, {date}\nI want to fly from {start} to {goal} on {date}\nSearch a flight on {date} from {start} to {goal}\nIs there a plane from {start} to {goal} on {date}?\nI need to get from {start} to {goal} by plane on {date}",
         lambda s, a: dict(flight=s.s_order(), price=s.num(40, 900)), "I found flight {flight} from {start} to {goal} for {price} euros."),
    Tool("set_reminder|remind|add_reminder|create_reminder", "Set a reminder|Remind the user of something", dict(
        what=P("text|what|message|task", "string", "What to remember|Text of the reminder", lambda s: s.any(["call {}", "write to {}", "meet {}", "pay {}", "visit {}"]).format(s.s_first()) if s.chance(0.6) else s.any(["buy milk", "water the plants", "take out the trash", "pay the rent", "feed the cat", "do the laundry", "book the hotel", "renew the passport"])), time=TIME),
         "Remind me to {what} at {time}.\nSet a reminder at {time}: {what}\nat {time} I have to {what}, remind me\nPlease remind me at {time} to {what}\nReminder: {what} at {time}\nDon't let me forget to {what} at {time}",
         lambda s, a: dict(saved=True), "I will remind you to {what} at {time}."),
    Tool("get_time|current_time|time_in|clock", "Get the local time of a city|What time it is somewhere", dict(city=CITY),
         "What time is it in {city}?\ntime in {city}\nTell me the time in {city}.\nHow late is it in {city} now?\nCurrent time in {city}?\nWhat does the clock say in {city}?",
         lambda s, a: dict(time=f"{s.num(0,23)}:{s.num(0,59):02d}"), "It is {time} in {city}."),
    Tool("check_stock|stock|product_stock|availability", "Check how many pieces of a product are in stock|Stock of a product", dict(item=ITEM),
         "Is the {item} in stock?\nDo you have the {item}?\nHow many {item} are left?\nCheck the stock of the {item}\nIs the {item} available?\nCan I still buy the {item}?",
         lambda s, a: dict(stock=s.num(1, 60)), "Yes, there are {stock} pieces of the {item} in stock."),
    Tool("get_price|price|product_price|price_check", "Get the price of a product|How much a product costs", dict(item=ITEM),
         "How much is the {item}?\nWhat does the {item} cost?\nprice of the {item}\nTell me the price of the {item}.\nWhat is the {item} priced at?\nHow expensive is the {item}?",
         lambda s, a: dict(price=money(s)), "The {item} costs {price} euros."),
    Tool("translate|translate_text|translation", "Translate a text into another language|Translation", dict(
        text=P("text|sentence|phrase", "string", "The text|Text to translate", lambda s: s.any(["good morning", "thank you", "where is the station", "I am hungry", "see you tomorrow", "how are you", "the book is red", "I like tea", "open the door"])), lang=P("language|to|target_language", "string", "Target language|Language to translate into", lambda s: s.any(LANG))),
         "Translate \"{text}\" to {lang}.\nHow do you say \"{text}\" in {lang}?\n\"{text}\" in {lang} please\nPut \"{text}\" into {lang}\nWhat is \"{text}\" in {lang}?\ntranslate into {lang}: {text}",
         lambda s, a: dict(translation=s.any(["bonjo", "merako", "tal vena", "sora limo", "kan dere", "pola mi"])), "In {lang} that is: {translation}"),
    Tool("cancel_order|stop_order|order_cancel", "Cancel an order|Stop an order before it is sent", dict(order=ORDER),
         "Cancel order {order}\nPlease cancel my order {order}.\nStop order {order}, I don't want it.\nI want to cancel {order}\ncan you cancel order {order} for me\nDo not ship order {order}, cancel it",
         lambda s, a: dict(cancelled=True), "Order {order} is cancelled."),
    Tool("refund_order|refund|make_refund|pay_back", "Refund an order|Pay the money of an order back", dict(order=ORDER, amount=P("amount|sum|value", "number", "Amount to pay back|How much to refund", lambda s: s.num(5, 300))),
         "Refund {amount} for order {order}.\nGive {amount} back for order {order}\nPlease pay back {amount} of order {order}\nI want a refund of {amount} for {order}\nrefund order {order} with {amount}\nReturn {amount} to the customer of order {order}.",
         lambda s, a: dict(refunded=True), "I refunded {amount} for order {order}."),
    Tool("find_customer|customer_lookup|get_customer|search_customer", "Find a customer by name|Look up a customer", dict(name=NAME),
         "Find the customer {name}.\nLook up {name}\nDo we have a customer called {name}?\nSearch for {name} in the customer list\nShow me the customer {name}\nwho is customer {name}",
         lambda s, a: dict(id=s.s_order(), city=s.s_city()), "{name} is customer {id} from {city}."),
    Tool("search_web|web_search|search|find_online", "Search the web|Search the internet for something", dict(query=P("query|q|text|search", "string", "What to search|Search words", lambda s: s.any(["cheap hotels in {}", "best pizza in {}", "museums in {}", "history of {}", "parks in {}", "events in {}"]).format(s.s_city()))),
         "Search the web for {query}.\nLook up {query} online\ngoogle {query}\nFind {query} on the internet\nSearch: {query}\nCan you search {query}?",
         lambda s, a: dict(hits=s.num(3, 90), top=s.s_company()), "I found {hits} pages. The first is {top}."),
    Tool("convert_units|unit_converter|convert", "Convert between units|Unit conversion", dict(value=P("value|amount|number", "number", "The number|Value to convert", lambda s: s.num(1, 500)), source=P("from|from_unit|source", "string", "Unit of the value|From unit", lambda s: s.any(UNITS)), target=P("to|to_unit|target", "string", "Unit wanted|To unit", lambda s: s.any(UNITS))),
         "Convert {value} {source} to {target}.\nHow many {target} are {value} {source}?\n{value} {source} in {target}\nWhat is {value} {source} in {target}?\nchange {value} {source} into {target}\nTell me {value} {source} in {target}",
         lambda s, a: dict(result=float(money(s))), "{value} {source} are {result} {target}."),
    Tool("add_to_cart|cart_add|put_in_cart", "Put a product into the cart|Add a product to the shopping cart", dict(item=ITEM, count=COUNT),
         "Put {count} {item} in my cart.\nAdd {count} of the {item} to the cart\nI want {count} of the {item} in my basket\ncart: {count} x {item}\nPlease add {count} pieces of {item}\nI take {count} of the {item}, into the cart please",
         lambda s, a: dict(items=a["count"]), "I put {count} of the {item} in your cart."),
    Tool("book_room|reserve_room|hotel_booking|book_hotel", "Book a hotel room|Reserve a room in a city", dict(city=CITY, nights=P("nights|days|length", "integer", "Number of nights|How many nights", lambda s: s.num(1, 14)), date=DATE),
         "Book a room in {city} for {nights} nights from {date}.\nHotel in {city}, {nights} nights, starting {date}\nI need a hotel in {city} on {date} for {nights} nights\nReserve a room in {city} from {date} for {nights} nights\n{nights} nights in {city} from {date}, please book\nFind me a bed in {city} on {date} for {nights} nights",
         lambda s, a: dict(hotel=s.s_company() + " Hotel", price=s.num(40, 400)), "I booked the {hotel} in {city} for {price} euros."),
    Tool("set_light|light|control_light|lamp", "Change the light in a room|Control a lamp", dict(room=P("room|where|place", "string", "Which room|The room", lambda s: s.any(["kitchen", "bedroom", "bathroom", "living room", "hall", "office", "garage"])), on=P("on|state|enabled", "boolean", "True for on, false for off|Whether the light is on", lambda s: s.chance(0.5))),
         "Turn {on_word} the light in the {room}.\nlight {on_word} in the {room}\nSwitch the {room} light {on_word}\nPlease turn the lamp in the {room} {on_word}\n{room} light {on_word}\nCan you switch {on_word} the {room} light?",
         lambda s, a: dict(ok=True), "The light in the {room} is {on_word} now."),
    Tool("play_music|play_song|music|play", "Play music|Play a kind of music", dict(genre=P("genre|style|kind|music", "string", "Kind of music|The genre", lambda s: s.any(["jazz", "rock", "pop", "classical", "blues", "folk", "piano", "dance"]))),
         "Play some {genre}.\nI want to hear {genre}\nput on {genre} music\nPlease play {genre}\nmusic: {genre}\nLet me hear some {genre} music",
         lambda s, a: dict(playing=True), "Now playing {genre}."),
    Tool("get_distance|distance|route_distance", "Distance between two cities|How far two places are apart", dict(start=P("from|start|origin", "string", "First city|Start", word("city")), goal=P("to|end|destination", "string", "Second city|End", word("city"))),
         "How far is it from {start} to {goal}?\ndistance from {start} to {goal}\nHow many kilometers are between {start} and {goal}?\nWhat is the distance between {start} and {goal}?\nIs it far from {start} to {goal}?\nKilometers from {start} to {goal}?",
         lambda s, a: dict(km=s.num(30, 9000)), "It is {km} km from {start} to {goal}."),
    Tool("update_address|change_address|set_address", "Change the delivery address of an order|Set a new address", dict(order=ORDER, street=P("address|street|new_address", "string", "The new address|New street and number", word("street"))),
         "Send order {order} to {street}.\nChange the address of order {order} to {street}\nNew address for order {order}: {street}\nPlease deliver {order} to {street}\nupdate order {order}, the address is {street}\nOrder {order} should go to {street}",
         lambda s, a: dict(updated=True), "Order {order} will go to {street}."),
    Tool("calculate|calculator|math|compute", "Calculate an expression|Do arithmetic", dict(expr=P("expression|formula|input", "string", "The expression|What to calculate", lambda s: s.any(["{} * {}", "{} + {}", "{} / {}", "{} - {}"]).format(s.num(100, 9999), s.num(11, 999)))),
         "What is {expr}?\nCalculate {expr}\n{expr}\nPlease compute {expr}.\nhow much is {expr}\nSolve {expr}",
         lambda s, a: dict(result=s.num(100, 99999)), "The result is {result}."),
    Tool("add_contact|new_contact|save_contact", "Save a contact|Add a person to the contacts", dict(name=NAME, phone=P("phone|number|phone_number", "string", "Phone number|The number", word("phone"))),
         "Save {name} with the number {phone}.\nNew contact: {name}, {phone}\nAdd {name} to my contacts, phone {phone}\nPlease store the number {phone} for {name}\ncontact {name} {phone}\nRemember that {name} has the number {phone}",
         lambda s, a: dict(saved=True), "I saved {name} with the number {phone}."),
    Tool("schedule_meeting|create_event|add_event|plan_meeting", "Put a meeting into the calendar|Create a calendar event", dict(who=P("with|person|attendee", "string", "Who takes part|Person to meet", word("first")), date=DATE, time=TIME),
         "Plan a meeting with {who} on {date} at {time}.\nMeeting with {who}, {date}, {time}\nPut a meeting with {who} on {date} at {time} in my calendar\nSchedule {who} for {date} at {time}\nI meet {who} on {date} at {time}, add it\nSet up a call with {who} on {date} at {time}",
         lambda s, a: dict(event=s.s_order()), "The meeting with {who} on {date} at {time} is in your calendar."),
    Tool("get_news|news|headlines", "Get news about a topic|Latest headlines", dict(topic=P("topic|about|subject", "string", "Topic of the news|What the news is about", lambda s: s.any(["sports", "science", "politics", "music", "business", "health", "space", "film"]))),
         "Show me news about {topic}.\nWhat is new in {topic}?\nlatest {topic} news\nAny headlines about {topic}?\nTell me the {topic} news\nNews on {topic} please",
         lambda s, a: dict(headline=s.any(["A big day for {}", "New plans for {}", "Record year in {}"]).format(s.s_city())), "The top story: {headline}."),
    Tool("reset_password|password_reset|send_reset_link", "Send a password reset link|Reset the password of a user", dict(email=EMAIL),
         "Reset the password of {email}.\n{email} forgot the password\nSend a reset link to {email}\nPlease reset the login for {email}\npassword reset for {email}\nThe user {email} cannot log in, send a new password link.",
         lambda s, a: dict(sent=True), "I sent a reset link to {email}."),
    Tool("assign_ticket|route_ticket|move_ticket", "Move a ticket to a team|Assign a ticket", dict(ticket=P("ticket|ticket_id|id", "string", "Ticket number|The ticket", word("order")), team=P("team|queue|department", "string", "The team|Which team gets it", lambda s: s.any(TEAMS), enum=TEAMS)),
         "Move ticket {ticket} to {team}.\nAssign {ticket} to the {team} team\nTicket {ticket} belongs to {team}\nGive ticket {ticket} to {team}\nroute {ticket} to {team} please\nPlease pass ticket {ticket} on to the {team} people.",
         lambda s, a: dict(moved=True), "Ticket {ticket} is now with the {team} team."),
    Tool("get_stock_price|share_price|stock_quote", "Get the share price of a company|Stock market price", dict(company=P("company|name|firm", "string", "The company|Name of the company", word("company"))),
         "What is the share price of {company}?\nstock price of {company}\nHow is the {company} share doing?\nPrice of a {company} share\nGet the {company} stock quote\nHow much is one share of {company}?",
         lambda s, a: dict(price=money(s)), "A share of {company} costs {price} dollars."),
]

NOUNS = "invoice booking parcel user task note project member device file report room course recipe song plant vehicle badge key contract policy claim lead shift photo playlist survey coupon".split()
VERBS = {"get": ["(Show me|Get|Give me|Open|Fetch|Read) (the |){n} {v}", "I want to see (the |){n} {v}", "(Can you|Please) (show|open|get) (the |){n} {v}", "(What is in|What about) {n} {v}?"], "delete": ["(Delete|Remove|Erase) (the |){n} {v}", "(Please|Can you) (delete|remove) (the |){n} {v}", "{n} {v} can go, (delete|remove) it", "I do not need (the |){n} {v}, delete it"],
         "create": ["(Create|Make|Add|Set up) a (new |){n} (called|named|with the name) {v}", "New {n}(:| called) {v}", "I need a {n} (with the name|called) {v}", "(Please|Can you) (create|make) a {n} called {v}"], "find": ["(Find|Search|Look for|Look up) (the |){n} {v}", "Where is (the |){n} {v}?", "(Can you|Please) (find|search) (the |){n} {v}", "I am looking for (the |){n} {v}"],
         "lock": ["(Lock|Close|Please lock) (the |){n} {v}", "{n} {v} must be locked", "Make sure {n} {v} is locked"], "copy": ["(Copy|Duplicate|Please copy) (the |){n} {v}", "Make a copy of (the |){n} {v}", "I need a second {n} like {v}, copy it"], "share": ["(Share|Please share) (the |){n} {v}", "I want to share (the |){n} {v}", "Share {n} {v} with the team"],
         "archive": ["(Archive|Please archive) (the |){n} {v}", "(Put|Move) {n} {v} (in|into) the archive", "{n} {v} belongs in the archive"], "approve": ["(Approve|Please approve) (the |){n} {v}", "I approve {n} {v}", "{n} {v} is approved"], "print": ["(Print|Please print) (the |){n} {v}", "I need {n} {v} on paper, print it"], "start": ["(Start|Begin|Please start) (the |){n} {v}", "{n} {v} should start now"], "stop": ["(Stop|End|Please stop) (the |){n} {v}", "{n} {v} must stop"],
         "check": ["(Check|Please check|Look over) (the |){n} {v}", "Is {n} {v} all right? Check it"], "rename": ["(Rename|Please rename) the {n} to {v}", "The {n} should be called {v}, rename it"]}
RESULT_WORDS = {"status": ["open", "closed", "ready", "active", "new", "late"], "total": None, "owner": "first", "city": "city", "count": None, "date": "date", "code": "order", "score": None, "level": ["low", "high", "medium"], "place": "city", "price": None, "id": "order"}


EXTRAS = {"date": P("date", "string", "The date|Day it is for", word("date")), "count": P("count", "integer", "How many|Number", lambda s: s.num(1, 90)), "city": P("city", "string", "The city|Which city", word("city")),
          "owner": P("owner", "string", "Who owns it|Name of the owner", word("name")), "price": P("price", "number", "The price|Price in euros", lambda s: s.num(1, 900)), "email": P("email", "string", "Email address|Where to write", word("email")),
          "time": P("time", "string", "The time|Time of day", word("time")), "colour": P("colour", "string", "The colour|Which colour", lambda s: s.any(COLOURS)), "level": P("level", "string", "The level|Priority", lambda s: s.any(["low", "medium", "high"]), enum=["low", "medium", "high"]),
          "public": P("public", "boolean", "Whether all can see it|True if public", lambda s: s.chance(0.5)), "product": P("product", "string", "The product|Name of the product", word("item"))}


def invented(say):
    """A tool put together from a verb and a noun; in training the noun is often a word that does not exist."""
    verb = say.rng.choice(list(VERBS))
    noun = say.any([fake(say.rng), say.any(THINGS), say.any(ANIMALS), say.any(FRUITS)]) if say.made_up(0.6) else say.pick(NOUNS)
    param = say.any([noun, f"{noun}_id", "id", "name", "title", "value"]) if verb not in ("create", "rename") else say.any(["name", "title", f"{noun}_name", "new_name"])
    wordy = verb in ("create", "rename") or param in ("name", "title")
    make = (lambda s: s.any([s.s_first(), s.s_company(), s.any(COLOURS) + " " + s.any(["one", "set", "team", "plan"]), fake(s.rng) if s.split != TEST else s.s_first()])) if wordy else (lambda s: s.s_order())
    p = P(param, "string", f"The {noun}|Which {noun}|{cap(param)} of the {noun}|{cap(noun)} to {verb}", make)
    fields = say.rng.sample(list(RESULT_WORDS), say.num(1, 3)) if verb in ("get", "find", "check") else []

    def result(s, a):
        if not fields: return dict(ok=True)
        return {f: s.num(1, 500) if RESULT_WORDS[f] is None else s.any(RESULT_WORDS[f]) if isinstance(RESULT_WORDS[f], list) else s.slot(RESULT_WORDS[f]) for f in fields}

    said = [f"the {f} is {{{f}}}" for f in fields]
    answer = cap(" and ".join([", ".join(said[:-1])] * (len(said) > 1) + said[-1:]) + ".") if fields else f"Done: {verb} {noun} {{v}}."
    params, asks = {"v": p}, [x.replace("{n}", noun) for x in VERBS[verb]]
    for slot in say.rng.sample(list(EXTRAS), say.any([0, 0, 1, 1, 2, 3])):
        if slot == param: continue
        params[slot] = EXTRAS[slot]
        link = say.any([" with {s} {%s}", ", {s} {%s}", ", {s}: {%s}", " and the {s} {%s}", "; the {s} is {%s}", " with the {s} {%s}", ", {s} should be {%s}"])
        asks = [x.rstrip("?.") + (link % slot).replace("{s}", slot.replace("_", " ")) for x in asks]
    return Tool(f"{verb}_{noun}|{noun}_{verb}|{verb}{cap(noun)}|{verb}-{noun}", f"{cap(verb)} a {noun}|{cap(verb)} the {noun} with this {param}|{cap(verb)} one {noun}|Use this to {verb} a {noun}", params, "\n".join(asks), result, answer)


class Use:
    """A tool as one conversation sees it: fixed names and schema."""
    def __init__(self, say, tool):
        self.tool = tool
        self.name = say.rng.choice(tool.names)
        self.keys, used = {}, set()
        for slot, p in tool.params.items():
            free = [n for n in p.names if n not in used] or [slot]
            self.keys[slot] = say.rng.choice(free)
            used.add(self.keys[slot])
        bare = say.chance(0.25)
        props = {}
        for slot, p in tool.params.items():
            spec = {"type": p.kind}
            if not bare or p.kind == "boolean": spec["description"] = say.rng.choice(p.desc)
            if p.enum: spec["enum"] = p.enum
            props[self.keys[slot]] = spec
        self.required = list(props)
        self.schema = {"name": self.name, "description": say.rng.choice(tool.desc), "parameters": {"type": "object", "properties": props, "required": self.required}}

    def values(self, say):
        """Values for the slots, and the argument object as the call writes it."""
        slots = {}
        for s, p in self.tool.params.items():
            v = p.make(say)
            while v in slots.values() and not isinstance(v, (bool, int)): v = p.make(say)
            slots[s] = v
        args = {self.keys[s]: v for s, v in slots.items()}
        if "on" in slots: slots["on_word"] = "on" if slots["on"] else "off"
        return slots, args

    def ask(self, say, slots):
        return say.ask(self.tool.asks, **{k: str(v).lower() if isinstance(v, bool) else v for k, v in slots.items()})


def fill(template, slots):
    for k, v in slots.items():
        template = template.replace("{" + k + "}", str(v))
    return template


def choose(say, n, known=False):
    """n tools of a conversation, names all different; the first is the one that will be used. Tests use unseen tools,
    unless the answer needs a phrase that only a known tool has."""
    base = TOOLS_TRAIN if known else list(part(TOOLS, say.split))
    wide = say.split == TRAIN and not known
    uses, names = [], set()
    while len(uses) < n:
        if wide and say.chance(0.5): tool = composed(say) if say.chance(0.6) else say.rng.choice(TOOLS_MORE)
        else: tool = invented(say) if say.chance(0.4) else say.rng.choice(base)
        if any(u.tool is tool for u in uses): continue
        use = Use(say, tool)
        if use.name in names or any(set(use.tool.names) & set(u.tool.names) for u in uses): continue
        names.add(use.name)
        uses.append(use)
    return uses


TOOLS_TRAIN = list(part(TOOLS, "train"))

SYSTEMS = ["", "", "", "", "You are a (helpful|friendly|polite|smart|) assistant(.|with tools.| that can use tools.)", "(Use|Call) (the tools|a tool|tools|functions) (if they help|when needed|when it fits|if needed).", "You (can|may|are able to) (call|use) (tools|functions|these tools).", "You (help|support|serve) (customers|users|people)(| of {company}). Use a tool when it fits.", "You are the (assistant|helper|bot) of {company}.", "(Answer|Reply) (shortly|briefly|politely). Use tools."]


def dress(say, text):
    text = say.any(["{}", "{}", "{}", "{}", "{}", "Hi, {}", "Please: {}", "{} Thanks!", "Hello! {}", "Hey, {}", "{} please", "Ok, {}", "I have a wish: {}", "Good morning. {}", "One thing: {}", "{} Thank you."]).format(text)
    if say.chance(0.1): text = text[:1].lower() + text[1:]
    if say.chance(0.1): text = text.rstrip(".?")
    return text


def call(use, args):
    return {"name": use.name, "arguments": args}


def show_result(say, result):
    return json.dumps(result, ensure_ascii=False)


def finish(say, messages, uses, thought):
    shown = [u.schema for u in uses]
    say.rng.shuffle(shown)
    system = say(say.rng.choice(SYSTEMS))
    if system: messages = [{"role": "system", "content": system}] + messages
    return dict(messages=messages, tools=shown, thought=thought)


def one_call(say):
    uses = choose(say, say.any([1, 2, 2, 3, 3, 4]))
    use = uses[0]
    slots, args = use.values(say)
    messages = [{"role": "user", "content": dress(say, use.ask(say, slots))}]
    if say.chance(0.1):
        messages = chat_before(say) + messages
    messages.append({"role": "assistant", "content": "", "tool_calls": [call(use, args)]})
    return finish(say, messages, uses, say.any(["I need the tool {}.", "The tool {} fits.", "I call {}."]).format(use.name))


def two_calls(say):
    uses = choose(say, say.any([1, 2, 2, 3, 4]))
    first = uses[0]
    second = uses[1] if len(uses) > 1 and say.chance(0.6) else first
    s1, a1 = first.values(say)
    s2, a2 = second.values(say)
    if first is second and len(first.tool.params) == 1 and s1 != s2 and "{" in first.tool.asks[0] and say.chance(0.6):
        slot = next(iter(first.tool.params))
        text = say.ask(first.tool.asks, **{**s1, slot: f"{s1[slot]} and {s2[slot]}"})
    else:
        q1, q2 = first.ask(say, s1), second.ask(say, s2)
        text = q1 + say.any([" And ", " Also, ", " Then ", " "]) + q2 if q1[-1] in ".?!" else q1 + say.any([" and ", ", and ", ". Also ", ". And "]) + q2
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "", "tool_calls": [call(first, a1), call(second, a2)]}]
    return finish(say, messages, uses, say.any(["Two calls are needed.", "I need two calls: {} and {}."]).format(first.name, second.name))


def after_result(say):
    uses = choose(say, say.any([1, 2, 3]), known=True)
    use = uses[0]
    slots, args = use.values(say)
    result = use.tool.result(say, slots)
    messages = [{"role": "user", "content": dress(say, use.ask(say, slots))}, {"role": "assistant", "content": "", "tool_calls": [call(use, args)]}]
    if say.chance(0.1):
        messages += [{"role": "tool", "content": show_result(say, {"error": say.any(["not found", "timeout", "unknown id", "no access", "service down"])})}]
        error = json.loads(messages[-1]["content"])["error"]
        messages.append({"role": "assistant", "content": f"Sorry, that did not work: {error}."})
        return finish(say, messages, uses, "The tool gave an error.")
    messages += [{"role": "tool", "content": show_result(say, result)}, {"role": "assistant", "content": fill(use.tool.answer, {**slots, **result})}]
    thought = "The tool has answered, so I can reply."
    if say.chance(0.2):
        messages += [{"role": "user", "content": say.any(["Thanks!", "thank you", "Great, thanks.", "Perfect, thank you!"])}, {"role": "assistant", "content": "You're welcome!"}]
        thought = "The user says thanks."
    elif say.chance(0.25):
        s2, a2 = use.values(say)
        messages += [{"role": "user", "content": use.ask(say, s2)}, {"role": "assistant", "content": "", "tool_calls": [call(use, a2)]}]
        thought = f"I call {use.name} again."
    return finish(say, messages, uses, thought)


def after_two(say):
    uses = choose(say, say.any([2, 3]), known=True)
    first, second = uses[0], uses[say.num(0, 1)]
    s1, a1 = first.values(say)
    s2, a2 = second.values(say)
    q1, q2 = first.ask(say, s1), second.ask(say, s2)
    text = q1 + (" And " if q1[-1] in ".?!" else " and ") + q2
    r1, r2 = first.tool.result(say, s1), second.tool.result(say, s2)
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": "", "tool_calls": [call(first, a1), call(second, a2)]},
                {"role": "tool", "content": show_result(say, r1)}, {"role": "tool", "content": show_result(say, r2)},
                {"role": "assistant", "content": fill(first.tool.answer, {**s1, **r1}) + " " + fill(second.tool.answer, {**s2, **r2})}]
    return finish(say, messages, uses, "Both tools have answered.")


def chat_before(say):
    q, a = tasks_chat.smalltalk_pair(say)
    return [{"role": "user", "content": q}, {"role": "assistant", "content": a}]


def no_tool(say):
    """Tools are there, but the message needs none."""
    uses = choose(say, say.any([1, 2, 3]))
    kind = say.rng.choice(list(tasks_chat.TALK))
    q, a, _ = tasks_chat.talk_kind(say, kind)
    sample = finish(say, [{"role": "user", "content": q}, {"role": "assistant", "content": a}], uses, say.any(["No tool is needed.", "I can answer without a tool."]))
    return dict(sample, accept=tasks_chat.fitting(kind))


def no_fit(say):
    """The wish needs a tool that is not there."""
    uses = choose(say, say.any([2, 3, 4]))
    wanted, rest = uses[0], uses[1:]
    slots, _ = wanted.values(say)
    answer = "I'm sorry, I have no tool for that."
    return finish(say, [{"role": "user", "content": dress(say, wanted.ask(say, slots))}, {"role": "assistant", "content": answer}], rest, "No tool fits.")
