"""Knows the held-out wording: sentences about each topic that no training data shows, used by tests and the demo only.
check_held.py measures that they share no longer run of words with the training sentences."""

HELD = {}


def held(key, lines):
    HELD[key] = [x.strip() for x in lines.strip().split("\n") if x.strip()]


held("late_delivery", """
please check the whereabouts of {order}, the parcel service keeps moving the delivery to the next day
it's {month} already and the {item} from your spring sale has not been delivered
I gave the courier my phone number and he never rang, so there is still no package
a delivery that was meant to take two days is now in its third week
my kids ask me every evening whether the {item} has arrived, what should I tell them
can somebody explain the delay? My shipment left {city} ages ago
""")
held("damaged", """
the screen protector did not help, my {item} came out of the parcel with a cracked front
I had to sign for a box that was obviously crushed, and yes, the {item} inside is broken
both handles of the {item} are bent, it must have happened during shipping
water got into the package and the {item} is ruined
this is how the {item} looked when it was delivered: torn on the left and scratched on the right
I would like a replacement, the {item} was damaged when I received it
""")
held("wrong_item", """
I was looking forward to my {item}, but you shipped me some {item} that I never chose
funny, this parcel holds a product for a lady called {name}, not for me
the model number on the box is different from the one in my order
there must be an error at the warehouse, I have an incorrect colour here
on the picture it was blue and I ordered blue, what I have is the wrong one
please collect this {item}, it is not mine and I ordered something different
""")
held("missing_parts", """
I counted everything twice and one of the screws for the {item} just is not included
step three of the manual needs a cable which is missing here
the set is not complete, where is the other piece of the {item}
you only put one in the package and I ordered a pack of {n}
opened the {item}, no batteries and no remote to be found in the box
""")
held("returns", """
the {item} is lovely but one number too small, could we swap
I have {n} days left to decide and would like to return the {item}
do I need the original box in order to return it
my order came with a {item} that I would prefer to send back unopened
where is the nearest shop that accepts returned goods
""")
held("refund", """
my request for a refund is from {month} and nobody has paid me
you cancelled the order yourselves, so where are my {money}
I was charged a deposit of {money} and want it refunded
how can a refund take longer than making the {item}
the money for the returned {item} did not show up on my credit card
please confirm in writing that I will be reimbursed {money}
""")
held("payment_failed", """
your payment page hates my credit card, declined on every attempt
I filled in the card number correctly, then a red payment error popped up
neither visa nor paypal worked when I wanted to pay for the {item}
the transaction was refused when I tried to purchase a {item}
my order is stuck because the card payment was not accepted
""")
held("double_charge", """
my credit card statement shows {money} twice from {company}
the shop assistant scanned the {item} two times, so I paid double
why is there another charge after I had already paid for the {item}
I think I was overcharged, the receipt and my card differ by {money}
you keep charging me for order {order} although it was settled weeks ago
please look at my bill, I am paying for something twice
""")
held("invoice", """
my employer pays me back only if I hand in a proper invoice for the {item}
the finance department is missing the receipt that belongs to {order}
where on your site do I get the bill as a document
put our VAT id on the invoice and mail it once more please
I threw the receipt away by accident, may I have another copy
""")
held("cancel_order", """
oh no, I ordered the {item} in a hurry, can it be cancelled at once
please withdraw my purchase of {when}, I found a {item} elsewhere
kindly do not send out {order}, we have changed our plans
the order for the {item} was an accident, please scrap it
I hope it is early enough to cancel the {item}
""")
held("change_address", """
we are relocating to {city} next week, where do I enter the new address for my parcel
the driver should go to {street} and not to where I lived before
I noticed a typo in my street after ordering, please fix the delivery address
could order {order} be sent to my parents' house at {street}
my flat number is missing in the shipping address
""")
held("discount", """
my coupon gives an error as soon as the {item} is in the cart
it says {nn} percent off on the banner, the discount is not in my total
where do I type in the promotional code when ordering
the birthday voucher you mailed me is rejected
do you offer a lower price with a membership coupon
""")
held("stock", """
I keep looking at the {item} every day, will it ever become available again
your site has the {item} greyed out as unavailable, is more on the way
how soon do you expect the {item} to be in stock
is there a {item} left in any of your shops
please put me on the waiting list for the sold out {item}
""")
held("warranty", """
a year of light use and the {item} is defective, I would like a repair
my {item} failed after {n} months, please tell me what the guarantee covers
how do I hand in a {item} for repair, I bought it in {month}
the switch of my {item} wore out early, is that a warranty case
can your workshop mend a {item} that no longer starts
""")
held("gift_card", """
can I see somewhere how many euros remain on a gift card
I bought three gift cards for colleagues and one code is unreadable
does a gift card also work in your {city} shop
the gift card I ordered for Christmas was never emailed
please block my lost gift card and issue another
""")
held("login", """
I got a new laptop and it asks for a password that I don't have
my mother can't open her account, she says the login is not correct
do I need a capital letter in my password? It won't let me sign in
I'd like to unlock my access to the {app}, I entered the wrong password too many times
how do I recover an account if the password reset does not reach my inbox
the sign-in worked on Monday, today I am told that the user is unknown
""")
held("verification", """
it wants a code from my phone, but the text message doesn't appear
by the time the verification mail gets here the code is no longer valid
I switched phone companies and now the sign-in codes go nowhere
how can I turn the two-factor thing off on my profile
typed the security digits five times, all wrong according to you
""")
held("close_account", """
it's time to say goodbye, please have my account removed
I wish to cancel my registration and have the profile deleted completely
delete the user {email} and everything that goes with it
which button finally closes an account at your company
my late father's account should be closed
""")
held("account_details", """
after the wedding I need my last name changed to {last} in the system
I have a different phone now, the number to save is {phone}
your records have my birth date wrong, please update
the email in my profile has a typo, it must read {email}
let me know how to edit the name on my account
""")
held("unsubscribe", """
please delete my address from the newsletter, I get one every single morning
how many times do I have to unsubscribe before the emails stop
your marketing mails are annoying, remove me
I never wanted a newsletter about {item} offers
quit sending advertising to {email}
""")
held("privacy", """
I would like to know what information about me sits in your database
do other companies get to see my personal data
send me all data you saved about me, I have a right to it
my question is about your cookies and how you protect data
how is my personal information secured and who has it
""")
held("fraud", """
there was a purchase of {money} on my profile that I know nothing about, I suspect a hacker
is the email from your security team genuine or a trick to get my password
my account is being abused, somebody had a {item} sent to {city}
I clicked on a phishing link, what now
a thief seems to have got hold of my login
""")
held("app_crash", """
after ten minutes of use the {app} crashes and my phone gets warm
I cannot attach a file without the {app} freezing
the {app} starts, shows my name and then shuts down
it is impossible to finish an order since the {app} keeps closing on the payment page
my screen stays white after opening the {app}, even with the latest version
your {app} crashed three times during one meeting
""")
held("slow", """
it took the {app} ages just to show my list today
why does everything load so slowly since you changed the design
your {app} needs far too long to react to a click
the speed of the {app} is terrible in the evening
my colleagues complain too that the pages are really slow
""")
held("export_bug", """
when I print a report the last column is cut off, please fix this bug
the search does not find entries that clearly exist
I get error {nn} after I upload a picture
all dates jumped by one day after saving, something is faulty in the calendar
the share function shows an error and my file is not sent
""")
held("integration", """
we would like to fetch our tickets with a script, do you offer an API for that
since {day} your webhook answers with error 500
how do I get an API token for my developer
connecting your product with our accounting system does not work
is there a sample program that calls your interface
""")
held("feature_request", """
would be cool if one could choose larger letters in the {app}
my suggestion for the next version: a search by date
please let us export the calendar, that feature is what I miss
an option for keyboard shortcuts would be great to have
why don't you build a widget for the home screen
""")
held("outage", """
neither the web page nor the {app} can be reached from our office, are you down
all users report a server error this morning
your whole platform went offline while we were working
how long will this outage last? Nothing responds
is it only us or has the service broken down for everyone
""")
held("install", """
I want the {app} on my new computer, but the setup stops with an error
after the update the old version is still there, how do I install it properly
the download ends and then the installer won't open
what do I need to install first on Windows
my laptop says the installation file is damaged
""")
held("upgrade_plan", """
please tell me the monthly price if {nn} employees use it
is the premium plan worth it and what does it cost compared to basic
we have run out of seats, how do we buy a bigger plan
I'd like to see a price list before I upgrade
do schools pay less for the team plan
""")
held("cancel_subscription", """
I would like my subscription stopped before the next payment
please end my membership, I hardly use it
my trial is almost over and I do not want to continue with a subscription
how do I switch off the automatic renewal of my plan
we decided to leave the pro plan at the end of {month}, please cancel it
""")
held("printer", """
every document I send to the printer comes out empty
the printer near the kitchen needs new ink
could someone fix the paper jam on the second floor
I pressed print three times and the printer just blinks
scanning to my mail stopped working on the big copier
""")
held("network", """
since the storm we have no internet in the whole building
my wifi is so weak that calls are impossible
I can't get into the company network from home, the VPN gives up
please send me the password for the visitors' wifi
the connection in room {nn} breaks all the time
""")
held("hardware", """
my screen went dark and the laptop doesn't react
the keyboard of my notebook is missing a key
I sat on my laptop and now the display has lines
could I have a second monitor for my desk
my computer makes a burning smell, what should I do
""")
held("software_access", """
I can't open the project folder, can you give me permission
our intern {first} has no access to the shared calendar yet
which form do I fill in to get a licence for the drawing program
my rights on the drive were removed, please restore them
I changed teams and need access to the sales database
""")
held("mailbox", """
an email I sent to {email} came straight back
my inbox stopped showing new messages this morning
the mailbox of our team is full again, can it get more space
I accidentally deleted a mail in outlook, can you bring it back
how can I set an automatic reply in my mail program
""")
held("booking_change", """
is it okay if we arrive a day after the date we booked
I'd prefer the flight on {date}, can you change mine
I'd like two more nights added to my reservation
we booked for {n} but there will be one more person, please update it
my appointment on {day} doesn't suit me, is another day possible
""")
held("booking_cancel", """
unfortunately my mother is in hospital so we must cancel the room in {city}
what happens if I don't show up, can I still cancel my reservation
please cancel the dinner table for {n} people on {day}
I no longer travel on {date}, cancel my ticket
our flight got cancelled, so we don't need the hotel booking
""")
held("checkin", """
my plane lands at {time}, until when can I check in
do you keep our luggage if we come before check-in
is a late check-out until {time} possible
nobody told us how to get the room key
what time may we arrive on {day}
""")
held("baggage", """
everyone else took their suitcase from the belt, mine never appeared
I think my camera is still on seat {nn} of your train, was it found
how heavy can my suitcase be for the flight
the airline sent my bag to {city} by mistake
since the trip my luggage has a broken zip, who pays
""")
held("room_complaint", """
this hotel room has not been cleaned and the towels are used
the air conditioning blows hot air and we can't sleep in this room
our bathroom floods whenever someone takes a shower
people in the next room shout all night long
I found a cockroach under the bed of my room
""")
held("card_lost", """
I must have dropped my bank card on the bus, please block it
my handbag was stolen and the credit card was in it
can you send me a new card because the old one is gone
which number do I call to have a stolen card blocked
I typed my PIN wrong too often and the card is locked
""")
held("transfer", """
I sent my rent by bank transfer and it has still not reached the landlord
please raise the limit so that I can transfer {money} today
I mixed up two account numbers in my transfer, can it be called back
how many days until money I sent to {city} gets there
my transfer to {name} was refused
""")
held("loan", """
my partner and I think about buying a flat, what mortgage could we get
if I borrow {money} for a car, how high is the interest
I would like to pay my loan back faster
did you approve the credit I asked for in {month}
who advises me about a loan for my business
""")
held("mobile_plan", """
I put the SIM card into my phone and it says no network
is using my mobile data in {city} free of extra cost
my data is always empty before the month ends, which contract has more
how long does it take until my number is moved to you
the phone contract I signed {when} has the wrong minutes
""")
held("praise", """
I have to say that I am amazed how well this {item} works
my compliments, the staff in {city} treated us like family
best decision of the year to buy the {item} from you, we all love it
so grateful for the help of {first}, who stayed on the phone with me
everything about this order was excellent, even the wrapping
the children are thrilled and so am I, thanks
""")
held("staff_complaint", """
the way your employee talked to my mother was disgusting
I want a complaint on record, the man in your shop was very impolite
I feel ignored, nobody replies no matter how often I write
what a horrible experience with your support, the agent was rude
your manager refused to listen and that made me really angry
""")
held("hours", """
I would like to drop by on {day}, what are your opening times
does the {city} store open over the holidays
where exactly is the office and can I park my car there
do you close for lunch
until what time can I shop at your place tonight
""")
held("job", """
my studies end in {month}, could I start working for {company} after that
is it enough to send a resume by mail or do you have a form for applicants
what kind of jobs do you have for people without experience
I was invited to an interview on {day} but lost the address
are there any vacancies in your warehouse
""")
held("partnership", """
our magazine plans a report on {company}, who answers press questions
we run a small store and want to be a reseller of your {item}
are you interested in sponsoring our marathon
{company} is looking for a partner for a joint event
I represent a supplier with a business offer for you
""")
held("human", """
this chat does not help, I would like to talk to a real employee
please have an agent phone me at {phone}
is there any human I could speak to today
can I get a call back from your team
stop these automatic answers and connect me with a person
""")
