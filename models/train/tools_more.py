"""Knows tools for training only: some sixty written by hand, and tools composed on the spot from verbs, nouns, attributes and random
parameters, so that an unseen tool is understood from its schema. No tool of the held-out part of tasks_tools.py is among them."""
from tool_kit import P, Tool, word
from words import ANIMALS, COLOURS, FRUITS, JOBS, THINGS, cap, fake, split_top

SOME = {  # slot kinds of the short notation below: JSON type and how a value is made
    "city": ("string", word("city")), "first": ("string", word("first")), "name": ("string", word("name")), "item": ("string", word("item")), "order": ("string", word("order")),
    "date": ("string", word("date")), "time": ("string", word("time")), "day": ("string", word("day")), "email": ("string", word("email")), "phone": ("string", word("phone")),
    "company": ("string", word("company")), "street": ("string", word("street")), "month": ("string", word("month")),
    "int": ("integer", lambda s: s.num(1, 60)), "big": ("number", lambda s: s.num(3, 950)), "year": ("integer", lambda s: s.s_year()),
    "colour": ("string", lambda s: s.any(COLOURS)), "animal": ("string", lambda s: s.any(ANIMALS)), "food": ("string", lambda s: s.any(FRUITS)), "thing": ("string", lambda s: s.any(THINGS)),
    "job": ("string", lambda s: s.any(JOBS)), "fake": ("string", lambda s: fake(s.rng)),
    "phrase": ("string", lambda s: s.any(["{a} {t}", "the {t} is {a}", "{a} {t} and {b} {u}", "my {t}", "{f}", "{t} for {n}", "{f} {t}"]).format(
        a=s.any(COLOURS + ["big", "small", "old", "new", "nice", "late"]), b=s.any(COLOURS), t=s.any(THINGS + ANIMALS), u=s.any(THINGS), n=s.s_first(), f=fake(s.rng))),
}


def choice(values):
    """A parameter with a fixed list of values."""
    return ("string", lambda s: s.any(values), values)


LISTED = {
    "sport": choice(["tennis", "golf", "hockey", "judo", "yoga", "chess", "rowing", "boxing"]), "shape": choice(["round", "square", "oval", "flat"]), "size": choice(["S", "M", "L", "XL"]),
    "mode": choice(["eco", "fast", "quiet", "auto"]), "level": choice(["low", "medium", "high"]), "priority": choice(["P1", "P2", "P3"]), "status": choice(["open", "closed", "paused", "done"]),
    "planet": choice(["Mars", "Venus", "Saturn", "Jupiter"]), "meal": choice(["breakfast", "lunch", "dinner"]), "transport": choice(["bus", "train", "tram", "ferry", "bike"]),
    "drink": choice(["tea", "coffee", "cocoa", "juice", "water"]), "lang": choice(["Dutch", "Greek", "Hindi", "Czech", "Latin"]), "unit": choice(["grams", "inches", "yards", "pints", "acres"]),
    "direction": choice(["north", "south", "east", "west", "left", "right"]), "format": choice(["pdf", "csv", "xml", "png", "txt"]), "season": choice(["spring", "summer", "autumn", "winter"]),
}

# names ; descriptions ; parameters as slot=names:kind:meaning ; then one request per line
HAND = """
send_sms|text_message|sms ; Send a text message to a phone|Text somebody ; to=phone|number|recipient:phone:Phone number ; body=text|message|body:phrase:The words to send
(Text|Send a text to|SMS to) {to}: {body}
Send {to} the words {body}
Let {to} know by SMS: {body}
I want to text {to} that {body}
---
order_taxi|call_taxi|book_cab ; Order a taxi|Call a cab to an address ; place=pickup|address|street:street:Where the ride starts ; time=time|at:time:When
(Get|Call|Order) me a (taxi|cab) at {time} from {place}
I need a ride from {place} at {time}
A taxi to {place} for {time} please
Pick me up at {place}, {time}
---
start_timer|timer|set_timer ; Start a countdown|Set a kitchen timer ; minutes=minutes|duration|length:int:Minutes until it rings
(Set|Start) a timer for {minutes} minutes
Wake me in {minutes} minutes
Count down {minutes} minutes
Ring after {minutes} minutes
---
find_recipe|recipe_search|recipes ; Find a recipe with an ingredient|What to cook ; food=ingredient|with|food:food:Main ingredient ; meal=meal|course:meal:Which meal
What can I cook with {food} for {meal}?
A {meal} recipe with {food}
I have {food} at home, what is for {meal}?
(Ideas|Suggest something) with {food} for {meal}
---
lookup_word|dictionary|define ; Meaning of a word|Look a word up in the dictionary ; word=word|term|entry:fake:The word
What does {word} mean?
(Define|Explain the word) {word}
Meaning of {word}
Look {word} up in the dictionary
---
rent_car|car_rental|hire_car ; Rent a car in a city|Hire a vehicle ; city=city|place|location:city:Where ; days=days|length|duration:int:How many days ; date=date|from|start:date:First day
I need a car in {city} for {days} days from {date}
Rent me a car, {city}, {date}, {days} days
(Hire|Get) a vehicle in {city} on {date} for {days} days
---
pay_bill|settle_bill|make_payment ; Pay a bill|Settle an open amount ; ref=reference|bill|bill_id:order:Number of the bill ; amount=amount|sum|total:big:How much
Pay {amount} for bill {ref}
Settle {ref} with {amount}
The bill {ref} over {amount} should be paid
(Please|Now) transfer {amount} for {ref}
---
water_garden|sprinkler|irrigate ; Water a part of the garden|Run the sprinkler ; zone=zone|area|bed:thing:Which bed ; minutes=minutes|duration:int:How long
Water the {zone} bed for {minutes} minutes
(Run|Start) the sprinkler at the {zone} for {minutes} minutes
The {zone} needs water, {minutes} minutes
---
set_heating|thermostat|heat ; Set the temperature of a room|Control the heating ; room=room|zone|where:thing:The room ; degrees=degrees|temperature|target:int:Wanted temperature
(Heat|Warm) the {room} room to {degrees} degrees
Make it {degrees} degrees in the {room} room
I am cold in the {room} room, {degrees} degrees please
Thermostat {room} room: {degrees}
---
open_door|unlock_door|door ; Open a door|Unlock an entrance ; door=door|entrance|gate:colour:Which door
(Open|Unlock) the {door} door
Let me in at the {door} door
The {door} door should be open
---
feed_pet|pet_feeder|feed ; Feed an animal|Give food to a pet ; pet=pet|animal|who:animal:Which animal ; grams=grams|portion|amount:int:Grams of food
(Feed|Give) the {pet} {grams} grams
The {pet} is hungry, {grams} grams
{grams} grams of food for the {pet}
---
vacuum_room|clean_room|robot_clean ; Send the cleaning robot|Clean a room ; room=room|area|place:thing:Room to clean
(Clean|Vacuum) the {room} room
Send the robot to the {room} room
The {room} room is dirty
---
post_message|chat_post|channel_message ; Post in a chat channel|Write to a team channel ; channel=channel|group|room:fake:Channel name ; text=text|message|content:phrase:What to post
(Post|Write) {text} in the channel {channel}
Tell the {channel} channel: {text}
Channel {channel}, message {text}
---
create_invoice|bill_customer|new_invoice ; Write an invoice|Bill a customer ; who=customer|client|to:name:Who pays ; amount=amount|total|sum:big:Amount in euros
(Bill|Invoice|Charge) {who} for {amount} euros
Write {who} an invoice of {amount}
{who} owes us {amount}, make an invoice
---
find_doctor|doctor_search|find_clinic ; Find a doctor|Search a practice in a city ; city=city|near|location:city:City
I need a doctor in {city}
Is there a clinic in {city}?
(Find|Search) a practice near {city}
---
book_appointment|make_appointment|reserve_slot ; Book an appointment|Reserve a slot with somebody ; who=doctor|with|provider:name:With whom ; day=day|date:day:Which day ; time=time|at|slot:time:Hour
(Book|Reserve) a slot with {who} on {day} at {time}
I want to see {who} on {day}, {time}
Appointment at {time} on {day} with {who}
---
log_hours|timesheet|track_time ; Write down working hours|Log time on a project ; hours=hours|time|amount:int:Number of hours ; project=project|task|on:fake:Project
(Log|Book|Enter) {hours} hours on {project}
I worked {hours} hours for {project}
{project}: {hours} hours
---
request_leave|holiday_request|take_leave ; Ask for days off|Request holidays ; start=from|start|first_day:date:First day off ; days=days|length|number:int:How many days
I want {days} days off from {start}
Holiday from {start}, {days} days
(Request|Ask for) {days} days of leave starting {start}
---
get_exchange_hours|market_hours|trading_hours ; When the market of a city is open|Trading hours ; city=city|market|place:city:City of the market
When does the market in {city} trade?
Trading hours of {city}
Is the {city} market open?
---
traffic_report|get_traffic|road_status ; Traffic in a city|How full the roads are ; city=city|area|town:city:City
How is the traffic in {city}?
Are there jams in {city}?
Traffic {city}
Are the roads full in {city}?
---
air_quality|get_aqi|pollution ; Air quality of a place|How clean the air is ; city=city|place|station:city:City
Is the air clean in {city}?
Air quality in {city}
How much smog does {city} have?
---
next_bus|departures|transport_times ; Next departure of a line|When the bus or train leaves ; kind=kind|vehicle|type:transport:Kind of transport ; stop=stop|station|from:city:Where it leaves
When does the next {kind} leave from {stop}?
Next {kind} at {stop}
I am waiting for the {kind} in {stop}
---
moon_phase|moon|lunar ; Phase of the moon on a date|How the moon looks ; date=date|on|day:date:Date
How does the moon look on {date}?
Moon on {date}
Is it full moon on {date}?
---
planet_info|planet_facts|astronomy ; Facts about a planet|Data of a planet ; planet=planet|name|body:planet:Which planet
Tell me about {planet}
Facts on {planet}
How big is {planet}?
---
sunrise_time|sun_times|daylight ; When the sun rises|Sunrise and sunset of a place ; city=city|place|where:city:Place ; date=date|day|on:date:Date
When does the sun rise in {city} on {date}?
Sunset in {city}, {date}
How long is the day in {city} on {date}?
---
make_drink|brew|coffee_machine ; Make a hot or cold drink|Control the drinks machine ; drink=drink|kind|what:drink:Which drink ; cups=cups|count|number:int:Number of cups
(Make|Brew) {cups} cups of {drink}
{cups} {drink} please
I would like {cups} cups of {drink}
---
charge_car|ev_charge|start_charging ; Charge the electric car|Start charging up to a level ; percent=percent|limit|until:int:Up to how many percent
Charge the car to {percent} percent
Fill the battery of the car up to {percent}
Load my car, {percent} percent
---
reserve_book|library_reserve|hold_book ; Reserve a book in the library|Put a book aside ; title=title|book|name:phrase:Title of the book
Reserve the book "{title}"
Put "{title}" aside at the library
I want to borrow "{title}"
---
donate|give_donation|make_donation ; Give money to a charity|Donate an amount ; amount=amount|sum|value:big:How much ; org=organisation|to|charity:company:Who gets it
(Donate|Give) {amount} to {org}
{org} should get {amount} from me
A gift of {amount} for {org}
---
check_spelling|spellcheck|spelling ; Check the spelling of a word|Is a word written right ; word=word|text|input:fake:Word
Is {word} spelled right?
Check the spelling of {word}
How do you write {word}?
---
roll_dice|dice|throw_dice ; Roll dice|Throw some dice ; count=count|number|dice:int:How many dice
(Roll|Throw) {count} dice
{count} dice please
---
draw_lots|pick_winner|raffle ; Pick a random winner|Draw lots ; count=winners|count|number:int:How many winners
Draw {count} winners
Who wins? Pick {count}
---
buy_shares|trade|order_shares ; Buy shares of a firm|Place a buy order ; company=company|firm|ticker:company:Which firm ; count=count|shares|quantity:int:Number of shares
Buy {count} shares of {company}
I want {count} pieces of {company} stock
Put in an order: {count} x {company}
---
restart_server|reboot|restart_machine ; Restart a server|Reboot a machine ; host=host|server|machine:fake:Name of the machine
(Restart|Reboot) {host}
The server {host} hangs, start it again
Please give {host} a restart
---
deploy_app|release|rollout ; Put a version of an app online|Deploy a program ; app=app|service|project:fake:Name of the app ; version=version|tag|build:order:Version
(Deploy|Release|Roll out) {app} in version {version}
Put {app} {version} online
Version {version} of {app} should go live
---
scale_service|set_replicas|scale ; Change the number of copies of a service|Scale a service ; service=service|app|name:fake:Service ; count=replicas|count|instances:int:How many copies
(Scale|Set) {service} to {count} copies
Run {count} instances of {service}
{service} needs {count} replicas
---
block_user|ban_user|lock_user ; Block a user|Lock a user out ; email=user|email|account:email:User's address
(Block|Ban|Lock) {email}
{email} must not come in any more
Keep {email} out
---
invite_user|add_member|send_invite ; Invite somebody to the team|Add a member ; email=email|user|invitee:email:Address to invite ; role=role|as|level:job:Role
Invite {email} as {role}
Add {email} to us as a {role}
{email} joins as {role}
---
convert_file|export_as|file_convert ; Turn a file into another format|Convert a document ; file=file|document|name:fake:Name of the file ; format=format|to|type:format:Wanted format
(Convert|Turn|Change) the file {file} (to|into) {format}
I need {file} as {format}
Save {file} in {format}
---
rate_movie|add_rating|review_film ; Rate a film|Give stars to a film ; film=film|movie|title:phrase:The film ; stars=stars|rating|score:int:Number of stars
(Give|Rate) the film "{film}" {stars} stars
{stars} stars for "{film}"
I liked "{film}", {stars}
---
buy_ticket|get_tickets|ticket_order ; Buy tickets for an event|Get seats at a show ; event=event|show|name:phrase:The ; count=count|seats|number:int:How many ; date=date|on|day:date:Date
(Buy|Get) {count} tickets for "{event}" on {date}
We want to see "{event}" on {date}, {count} seats
{count} seats, "{event}", {date}
---
find_hiking|trails|walk_finder ; Find walks near a place|Hiking trails ; place=place|near|region:city:Where ; km=length|km|distance:int:Length in kilometers
A walk of {km} km near {place}
Where can I hike {km} kilometers around {place}?
Trails at {place}, {km} km
---
join_course|enroll|course_signup ; Sign up for a course|Join a sports class ; sport=sport|course|class:sport:Which course ; day=day|on|weekday:day:Weekday
Sign me up for {sport} on {day}
I want to join the {sport} class on {day}
{sport} on {day}, put me down
---
order_food|food_order|delivery_order ; Order food to the door|Meal delivery ; food=dish|food|what:food:What to eat ; count=count|portions|quantity:int:Portions ; street=address|to|street:street:Where to bring it
(Order|Bring) {count} times {food} to {street}
We are hungry: {count} portions of {food} to {street}
{count} {food} to {street}
---
set_wallpaper|background|paint_screen ; Change the colour of the screen|Set the background ; colour=colour|color|background:colour:The colour
Make my screen {colour}
Background {colour} please
I want a {colour} desktop
---
drive_robot|move_robot|robot_move ; Move the robot|Drive in a direction ; direction=direction|where|heading:direction:Direction ; steps=steps|meters|distance:int:How far
(Go|Drive|Move) {steps} steps {direction}
{direction}, {steps} meters
Robot, {steps} steps to the {direction}
---
set_fan|ventilate|fan_mode ; Set the fan|Change the mode of the fan ; mode=mode|speed|program:mode:Which mode
Fan on {mode}
Run the fan in {mode} mode
Set ventilation to {mode}
---
open_file|read_file|load_document ; Open a document|Read a file ; file=path|file|name:fake:File name
(Open|Read|Load) {file}
What is written in {file}?
Show the file {file}
---
count_calories|nutrition|calories ; Calories of a food|How much energy food has ; food=food|product|item:food:Food ; grams=grams|weight|amount:int:Weight
How many calories have {grams} grams of {food}?
Calories: {food}, {grams} g
Is {food} healthy? {grams} grams
---
get_holidays|public_holidays|days_off ; Public holidays of a year|Which days are free ; year=year|for|in:year:The year
Which holidays are in {year}?
Days off in {year}
When is work free in {year}?
---
hire_helper|find_worker|book_helper ; Find a worker for a job|Book a helper ; job=job|trade|profession:job:What kind of worker ; city=city|place|where:city:Where
I need a {job} in {city}
Find me a {job} near {city}
Is there a good {job} in {city}?
---
send_gift|gift_order|flowers ; Send a present to somebody|Have a gift brought ; thing=gift|present|what:thing:The present ; who=to|for|recipient:name:Who gets it
Send {who} a {thing}
A {thing} as a present for {who}
Surprise {who} with a {thing}
---
save_note|note|write_note ; Keep a note|Write something down ; text=text|note|content:phrase:The note
Write down: {text}
Note that {text}
Keep in mind {text}
Make a note, {text}
---
add_expense|expense|log_expense ; Enter an expense|Write down what was spent ; what=for|item|reason:thing:What was bought ; amount=amount|price|cost:big:How much
I spent {amount} on a {what}
Expense: {what}, {amount}
The {what} cost me {amount}, enter it
---
open_account|new_account|register_customer ; Register a new customer|Open an account ; name=name|customer|holder:name:Who ; email=email|mail|contact:email:Address
(Register|Sign up) {name} with {email}
New customer {name}, {email}
{name} wants an account, {email}
---
close_ticket|resolve_case|finish_case ; Close a case|Mark a case as solved ; case=case|case_id|number:order:Number of the case
Case {case} is solved
(Close|Finish|Resolve) case {case}
We are done with case {case}
---
set_status|change_state|update_status ; Change the state of a thing|Set a status ; case=id|object|record:order:What ; status=status|state|to:status:New state
(Set|Change|Put) {case} to {status}
{case} is {status} now
Mark {case} as {status}
---
resize_picture|scale_image|image_size ; Change the size of a picture|Make an image larger or smaller ; file=image|picture|file:fake:Which picture ; width=width|pixels|size:big:Width in pixels
Make {file} {width} pixels wide
Resize the picture {file} to {width}
{file} should be {width} pixels
---
find_name_day|name_day|nameday ; Name day of a first name|When a name is celebrated ; name=name|first_name|who:first:First name
When is the name day of {name}?
Name day {name}
On which day do we celebrate {name}?
---
parking_spot|find_parking|park ; Find a place for the car|Parking near a street ; street=street|near|address:street:Near where ; hours=hours|time|length:int:How long
Where can I park near {street} for {hours} hours?
A parking place at {street}, {hours} hours
I leave the car {hours} hours at {street}
"""


def written():
    tools = []
    for part in HAND.strip().split("\n---\n"):
        head, *asks = part.split("\n")
        names, desc, *params = [x.strip() for x in head.split(" ; ")]
        made = {}
        for p in params:
            slot, rest = p.split("=", 1)
            keys, kind, meaning = rest.split(":", 2)
            spec = LISTED[kind] if kind in LISTED else SOME[kind]
            made[slot] = P(keys, spec[0], f"{meaning}|The {slot}", spec[1], spec[2] if len(spec) > 2 else None)
        tools.append(Tool(names, desc, made, "\n".join(asks), None, ""))
    return tools


TOOLS_MORE = written()

# ---------------------------------------------------------------- composed tools

NOUN = """account address alarm album appointment article asset backup ball bag band bank banner batch bed bike bill board boat bonus book box branch brand bridge bucket budget building bus button camera
campaign candidate cable card cart case chapter channel chart class client clinic cluster code column comment company concert contest copy course crate crew cycle deal delivery department deposit
desk dish document domain door draft driver drone drug employee engine entry exam expense factory farm fee field filter flat fleet flight floor folder form forum fund game garage garden gate gift
goal grade grant graph group guest guide guard hall heater hotel house image index insurance item job journey label lab lamp landlord language layer lawyer lease lesson letter level library light
line link list loan lock locker log machine map mark market match meal medal menu message meter method mission model module mortgage motor movie museum network node number office offer order
outlet package page painting parking part partner passport patient payment pen permit person pet phone pilot pipe place plan player poem point pool post printer prize product profile program
proposal protocol pump quest queue quote race rack radio rate record refund region rental request review ride ring river road robot role roof route rule sample scan schedule school score screen
script seat section seller sensor server service session shelf shop show signal site skill slot sound source space speaker sport stage stamp station statue step stock stop store story street
student studio supplier switch table tag tank tape target tax team template tenant term test thread ticket tile tool topic tour tower toy track train transport trial trip truck tunnel unit valve
van vendor video village visit visitor voice vote voucher wagon wall warehouse wheel window wire word worker workshop zone""".split()
ATTRIBUTE = """price weight height age size colour owner status balance address name length width speed level score rank title value cost fee area population capital language currency climate temperature
humidity history meaning origin author maker model year date deadline start end duration location distance direction capacity number total average maximum minimum rating review summary content text code
id version type kind category class grade salary bonus profit loss share rate tax discount limit quota stock supply demand schedule plan route map menu opening contact phone email website password key
battery signal pressure altitude depth density volume power energy voltage calories sugar protein rainfall wind sunset tide pollen noise traffic delay gate seat platform""".split()
# what the tool does -> words of the name, of the description, of the request
DEEDS = [
    ("get show fetch read view display open load", "Get|Show|Return|Read|Display|Fetch", "(Show|Get|Give|Open|Fetch|Display|Read|Bring) (me |us |)(the |){n} {v}|(I want|I would like|I need) to (see|read|have|view) (the |){n} {v}|(Can|Could|Would) you (show|open|get|bring up|pull up) (the |){n} {v}|(Let me|May I) (see|view|read) {n} {v}|(Details|Information|Data) (of|about|on) {n} {v}|(What is|What's|What do you know) (in|about|with) {n} {v}"),
    ("delete remove erase drop destroy discard", "Delete|Remove|Erase|Throw away|Drop", "(Delete|Remove|Erase|Drop|Throw away|Get rid of|Discard) (the |){n} {v}|(Please|Kindly) (delete|remove|erase|wipe) (the |){n} {v}|(We|I) (no longer|do not) need (the |){n} {v}|{n} {v} (is not needed|can be deleted|should disappear|must go)|(Take|Clear) {n} {v} (away|out)"),
    ("create add make new insert register build", "Create|Add|Make|Register|Set up", "(Create|Make|Add|Set up|Register|Build|Open|Insert) (a|a new|another) {n} (called|named|with the name|for|:) {v}|(New|Another) {n}(:| called| named) {v}|(We|I) (need|want|would like) a (new |){n} (called|named|for) {v}|(Please|Can you) (add|create|make|set up) (a |){n} {v}|{v} (should|must) (be added|be created|become) (as |)a {n}"),
    ("find search locate lookup query seek", "Find|Search|Look for|Look up|Locate", "(Find|Search|Look for|Look up|Locate|Seek) (the |a |){n} {v}|(Where is|Where can I find|Do we have|Is there|Do you know) (the |a |){n} {v}|(I am|We are) (looking|searching) for (the |a |){n} {v}|(Can|Could) you (find|locate|look up) (the |){n} {v}|(Any|Some) {n} (called|named|like) {v}|(Who|What) is (the |){n} {v}|{n} {v}(, do you have it|, do we know it|, who is that)"),
    ("lock close block freeze suspend disable", "Lock|Close|Block|Freeze|Disable", "(Lock|Close|Block|Freeze|Disable|Suspend) (the |){n} {v}|{n} {v} (must|should) be (locked|blocked|frozen|closed)|(Nobody|No one) may (use|enter|open) {n} {v}|(Please|Kindly) (lock|block|close) {n} {v}"),
    ("unlock enable activate resume reopen", "Unlock|Enable|Activate|Open again", "(Unlock|Enable|Activate|Resume|Reopen|Turn on) (the |){n} {v}|{n} {v} (should|must) (run|work|be active) again|(Please|Kindly) (activate|enable|unlock) {n} {v}|(Make|Set) {n} {v} active"),
    ("copy duplicate clone", "Copy|Duplicate|Clone", "(Copy|Duplicate|Clone) (the |){n} {v}|(Make|I need) a copy of (the |){n} {v}|(Another|A second) {n} (just like|same as) {v}"),
    ("share send forward publish post", "Share|Send|Forward|Publish", "(Share|Send|Forward|Publish|Post) (the |){n} {v}|(Let|Make) (everybody|the team|others) (see|have) {n} {v}|{n} {v} (should|must) (go out|be sent|be shared|be published)"),
    ("archive store save keep backup", "Archive|Store|Save|Keep", "(Archive|Store|Save|Keep|Put away) (the |){n} {v}|{n} {v} (belongs|goes) (in|into) the archive|(Please|Kindly) (save|store|archive) {n} {v}"),
    ("approve accept confirm sign", "Approve|Accept|Confirm|Sign", "(Approve|Accept|Confirm|Sign|Allow) (the |){n} {v}|(I|We) (agree with|approve|accept|say yes to) {n} {v}|{n} {v} is (fine|okay|accepted|approved)"),
    ("reject refuse deny decline", "Reject|Refuse|Deny|Decline", "(Reject|Refuse|Deny|Decline|Turn down) (the |){n} {v}|(I|We) (say no to|do not accept|refuse) {n} {v}|{n} {v} is (refused|not accepted|denied)"),
    ("start run launch begin play trigger", "Start|Run|Launch|Begin|Play", "(Start|Run|Launch|Begin|Play|Turn on|Switch on) (the |){n} {v}|{n} {v} (should|must|can) (start|begin|run|play) (now|)|(I want|We want) to (start|hear|run|play) {n} {v}|(Put|Switch) {n} {v} on|(Some|A little|More) {v} {n} please|(Let us have|I feel like|How about|I fancy) (some |){v} {n}"),
    ("stop end pause halt quit", "Stop|End|Pause|Halt", "(Stop|End|Pause|Halt|Quit|Turn off|Switch off) (the |){n} {v}|{n} {v} (should|must) (stop|end|pause)|(No more|Enough of) {n} {v}|(Put|Switch) {n} {v} off"),
    ("check test verify validate inspect", "Check|Test|Verify|Inspect", "(Check|Test|Verify|Inspect|Examine|Look over) (the |){n} {v}|(Is|Does) {n} {v} (okay|all right|valid|work|fine)|(Please|Kindly) (check|test|verify) {n} {v}"),
    ("rename change edit update modify", "Change|Edit|Update|Modify", "(Change|Edit|Update|Modify|Correct) (the |){n} {v}|{n} {v} (needs|must get) (a change|an update|an edit)|(Please|Kindly) (edit|update|change) {n} {v}"),
    ("book reserve hold order", "Book|Reserve|Order", "(Book|Reserve|Order|Hold) (the |a |){n} {v}|(I|We) (need|want|would like) (the |a |){n} {v}|(Please|Kindly) (reserve|book|order) {n} {v}|(Put|Keep) {n} {v} aside"),
    ("cancel revoke withdraw void", "Cancel|Revoke|Withdraw|Call off", "(Cancel|Revoke|Withdraw|Call off|Annul) (the |){n} {v}|{n} {v} (is off|will not happen|is cancelled)|(I|We) (do not|no longer) want {n} {v}"),
    ("count measure calculate estimate", "Count|Measure|Calculate|Estimate", "(Count|Measure|Calculate|Estimate|Work out) (the |){n} {v}|(How much|How many|How big) is {n} {v}|(I need|Give me) the (number|amount|size) (for|of) {n} {v}"),
    ("notify remind warn alert inform call contact", "Notify|Remind|Warn|Inform|Contact", "(Notify|Remind|Warn|Inform|Contact|Call|Tell|Alert) (the |){n} {v}|(Let|Make sure) {n} {v} (know|knows about it|is informed)|(Get|Be) in touch with {n} {v}"),
    ("assign move transfer route give", "Assign|Move|Transfer|Hand over", "(Assign|Move|Transfer|Hand over|Pass|Route) (the |){n} {v}|{n} {v} (should|must) (move|go over|be handed over)|(Give|Bring) {n} {v} (over|across)"),
    ("download upload import export sync", "Download|Import|Export|Transfer", "(Download|Import|Export|Sync|Load) (the |){n} {v}|(I need|We need) {n} {v} (as a file|on disk|in our system)|(Please|Kindly) (export|import|download) {n} {v}"),
    ("translate convert turn transform", "Convert|Transform|Turn", "(Convert|Transform|Turn|Translate|Change) (the |){n} {v}|(I need|Give me) {n} {v} (converted|in another form|changed)"),
]
QUESTIONS = """(What is|What's|Tell me|Give me|I need|Say|Show me) the {a} (of|for|in) {v}(?|.|)
(How|What) (is|about) the {a} (of|in|at|for) {v}(?|)
{a} (of|for|in) {v}(|?| please)
(Do you know|Can you tell me|Could you look up|Could you find) the {a} (of|for|in) {v}(?|)
(I want|I would like|We would like) to know the {a} (of|for|in) {v}(.|)
{v}: (what is|which is|and) the {a}(?|)
(Which|What) {a} (does {v} have|has {v}|is {v}|applies to {v})(?|)
(Look up|Check|Get|Find|Fetch|Read) the {a} (of|for|in) {v}(.|)
(Latest|Current|Today's|Exact) {a} (of|for|in) {v}(|?| please)
(Any|Is there any) (idea|information|data) (on|about) the {a} (of|in) {v}(?|)
(Some|The|A|Fresh|Recent|More) {v} {a}(| please|.)
{v} {a}(|?|.| please)
{a} (about|on|regarding|concerning) {v}(|?| please)
(I wonder|I ask myself|I forgot|Remind me) (what |)the {a} of {v} (is|)(.|)
(How late|How high|How big|How far|How good) is the {a} (of|in|at) {v}(?|)
(What does|What says) the {a} (say |show |)(of|for|in) {v}(?|)"""
PREFIX = ["", "", "", "", "", "app_", "my_", "crm_", "api_", "shop_", "hr_", "do_", "svc_", "home_"]
KEY_HEAD = ["", "", "", "target_", "new_", "user_", "max_", "min_", "first_", "the_", "main_", "home_", "given_"]


def key(say, *parts):
    """A parameter or tool name in one of the usual spellings."""
    look = say.num(0, 5)
    words = [w for p in parts for w in p.split("_") if w]
    if look == 0: return words[0] + "".join(cap(w) for w in words[1:])
    if look == 1: return "-".join(words)
    return "_".join(words)


def noun(say):
    roll = say.rng.random()
    if roll < 0.2: return fake(say.rng)
    if roll < 0.3: return say.any(THINGS + ANIMALS + FRUITS)
    if roll < 0.4: return say.any(NOUN) + " " + say.any(NOUN)
    return say.any(NOUN)


def main_value(say):
    """How the thing itself is named in this tool: by number, by a person, a place, a word or a phrase."""
    return say.any([("order", "id|number|code|key|ref"), ("order", "id|number"), ("name", "name|person|who"), ("first", "name|user|member"), ("city", "city|place|location|where"), ("fake", "name|title|label|value"),
                    ("phrase", "title|text|subject|query|description"), ("company", "company|firm|client|brand"), ("email", "email|user|address"), ("item", "product|item|article|name"), ("thing", "object|name|thing"),
                    ("date", "date|day|on"), ("animal", "animal|kind|pet"), ("food", "food|dish|what"), ("colour", "colour|theme|tone"), ("job", "job|role|position"), ("day", "day|weekday")])


def listed(say):
    """An enum made on the spot."""
    if say.chance(0.5): return say.any(list(LISTED.items()))
    pool = say.any([ANIMALS, COLOURS, FRUITS, THINGS, JOBS, None])
    values = sorted({fake(say.rng) for _ in range(say.num(2, 5))}) if pool is None else say.rng.sample(pool, say.num(2, 5))
    return say.any(["kind", "type", "group", "style", "option", "choice", "variant", "target"]), choice(values)


def composed(say):
    """A tool that exists once: a deed on a thing, or a question about an attribute."""
    n = noun(say)
    kind, names = main_value(say)
    spec = SOME[kind]
    main_key = key(say, say.any([say.any(names.split("|")), n.replace(" ", "_"), n.replace(" ", "_") + "_" + say.any(names.split("|"))]))
    if say.chance(0.3):
        a = say.any(ATTRIBUTE) if say.chance(0.75) else fake(say.rng)
        if say.chance(0.25): a = say.any(NOUN) + " " + a
        verb = say.any(["get", "get", "lookup", "find", "fetch", "check", "read", "query"])
        name = key(say, say.any(PREFIX) + say.any([f"{verb}_{a}", a, f"{a}_{verb}", f"{n}_{a}", f"{verb}_{n}_{a}", f"{a}_info"]).replace(" ", "_"))
        about = "|".join([f"{say.any(['Get', 'Find', 'Look up', 'Return', 'Tell'])} the {a} of a {n}", f"{cap(a)} of a {n}", f"{cap(a)} by {main_key}", f"The {a}"])
        asks = QUESTIONS.replace("{a}", a).split("\n")
        if say.chance(0.3): asks = [x.replace("{v}", f"{n} {{v}}") for x in asks]
    else:
        verbs, says, requests = say.any(DEEDS)
        verb = say.any(verbs.split())
        name = key(say, say.any(PREFIX) + say.any([f"{verb}_{n}", f"{verb}_{n}", f"{n}_{verb}", f"{verb}_one_{n}"]).replace(" ", "_"))
        does = say.any(says.split("|"))
        about = "|".join([f"{does} a {n}", f"{does} the {n} with this {main_key}", f"{does} one {n}", f"Use this to {does.lower()} a {n}", f"{cap(n)}: {does.lower()}"])
        asks = [x.replace("{n}", n) for x in split_top(requests)]
    if say.chance(0.08):
        name = say.any([f"fn_{say.num(1, 99)}", fake(say.rng), f"tool{say.num(1, 30)}", f"{fake(say.rng)}_{fake(say.rng)}", f"action_{say.any('abcdefgh')}"])
    desc = f"The {n}|Which {n}|{cap(main_key)} of the {n}|{cap(main_key)}"
    params = {"v": P(main_key, spec[0], desc, spec[1])}
    used = {main_key}
    for i in range(say.any([0, 0, 0, 1, 1, 1, 2, 2, 3])):
        slot = "abc"[i]
        roll = say.rng.random()
        if roll < 0.2:
            label, made = listed(say)
            enum = made[2]
        elif roll < 0.28:
            label, made, enum = say.any(["public", "urgent", "active", "paid", "visible", "signed", "express"]), ("boolean", lambda s: s.chance(0.5)), None
        else:
            kind = say.any(["city", "first", "name", "item", "order", "date", "time", "day", "email", "phone", "company", "int", "int", "big", "year", "colour", "animal", "food", "thing", "job", "fake", "phrase", "month"])
            label = say.any({"int": ["count", "quantity", "level", "amount", "size", "hours", "days", "pages", "score"], "big": ["price", "total", "amount", "budget", "value"], "name": ["owner", "customer", "author", "contact"],
                             "first": ["owner", "person", "assignee"], "fake": ["code", "tag", "label", "group", fake(say.rng)], "phrase": ["note", "comment", "title", "reason", "text"], "order": ["reference", "number", "code"]}.get(kind, [kind, kind, fake(say.rng)]))
            made, enum = SOME[kind], None
        label = (say.any(KEY_HEAD) + label).replace("_", " ")
        k = key(say, label.replace(" ", "_"))
        if k in used: continue
        used.add(k)
        params[slot] = P(k, made[0], f"The {label}|{cap(label)}|{cap(label)} of the {n}", made[1], enum)
        link = say.any([" with %s {%s}", ", %s {%s}", ", %s: {%s}", " and the %s {%s}", "; the %s is {%s}", " with the %s {%s}", ", %s should be {%s}", ". %s: {%s}", " (%s {%s})", " using %s {%s}", ", and set %s to {%s}"])
        asks = [x.rstrip("?.") + link.replace("(", "[").replace(")", "]") % (label, slot) for x in asks]
    return Tool(name, about, params, "\n".join(asks), None, "")

