"""Knows what support tickets are about: for each topic its names, its meaning, the many ways people say it, and a fitting reply.
`lines` are for training; the sentences of tickets_held.py are never trained on and are the new wording of every test."""
import re

from tickets_held import HELD
from tickets_more import ASIDE_LINES, CONTRACT, MORE, SYNONYMS, WORDS
from tickets_wide import FRAMES_WIDE, WIDE
from words import TEST, cap, expand, fake, roughen

TOPICS = {}


class Topic:
    def __init__(self, key, area, names, desc, summary, replies, lines, others):
        block = lambda text: [x.strip() for x in text.strip().split("\n") if x.strip()]
        self.key, self.area, self.names, self.desc = key, area, names.split("|"), desc.split("|")
        self.summary, self.replies, self.lines = summary, block(replies), block(lines) + block(others) + MORE[key] + WIDE[key]
        self.words, self.held = WORDS[key], HELD[key]


def topic(key, area, names, desc, summary, replies, lines, others):
    TOPICS[key] = Topic(key, area, names, desc, summary, replies, lines, others)


topic("late_delivery", "shop", "shipping|late delivery|delivery delay|delivery|parcel late", "a parcel that is late or never arrived|delays in delivery|the order has not come yet",
"The parcel is late", """
I'm sorry your parcel is late. (I will check with the courier and|Let me ask the courier where it is; we will) send you an update today.
Sorry for the delay. Please allow one more day; if (nothing has arrived by then|it has not come by then), we will send a new one.
""", """
my (parcel|package|order|delivery|shipment) (has not arrived|hasn't arrived|still has not come|never arrived|is late|is very late|is overdue)(| yet| after {days} days)
where is my (parcel|package|order|delivery|shipment|{item})(|, it was due {when}|? I ordered it {days} days ago)
(I have been|I am still|I'm still|we are) waiting for (my {item}|the {item}|my parcel|my package|our order|order {order}) (|for {days} days|since {day})
the (courier|driver|post|carrier) (never came|did not come|did not show up|has not delivered anything)(| {when})
tracking (has not moved|has not changed|shows nothing new|has been stuck|says in transit) (since {day}|for {days} days)
the {item} should have (arrived|been here|come|been delivered) {days} days ago
delivery of (order|parcel) {order} is (delayed|late|taking too long|overdue)
(nothing has arrived|no parcel came|nothing was delivered)(| even though you said {day})
when will (my {item}|order {order}|my parcel|the package) (arrive|be delivered|come|get here)
it says delivered but (I got nothing|nothing is here|there is no parcel|I have not received it)
how long does (shipping|delivery) take? (My order|The {item}) (is|was) {days} days late
your delivery date (passed|was {when}) and (the {item} is not here|I still have no parcel)
""", """
(ten|five|eleven|six) days and (the van|your courier) still has not brought the {item}
could you find out why the shipment to {city} is taking forever
I stayed home all {day} and nobody delivered the package
the tracking page has said the same thing for a week and my {item} is nowhere
has my parcel been lost in the post? It is way overdue
expected the delivery on {day}, yet the doorstep is empty
""")

topic("damaged", "shop", "damaged item|damage|broken on arrival|broken goods|item damaged", "goods that arrived broken or damaged|items broken in transport|a product that came with damage",
"An item arrived damaged", """
I'm sorry the item arrived damaged. Please send a photo and we will replace it (free of charge|at no cost).
That should not happen. We can send a new one or give your money back; which do you prefer?
""", """
(the|my) {item} (arrived|came|was delivered) (broken|damaged|cracked|in pieces|with a crack|with a big scratch|smashed|dented)
the (box|parcel|package) was (crushed|torn|wet|open|smashed) and the {item} (is broken|is damaged|has a crack|is bent)
(there is|I found|I see) a (crack|scratch|dent|hole|tear|broken part) (in|on) the {item}
I opened the (box|parcel|package) and the {item} was (broken|cracked|damaged|shattered|bent)
(the glass|the screen|the handle|one leg|the lid|a corner) of (the|my) {item} is (broken|cracked|chipped|smashed|snapped off)
received a (broken|damaged|cracked|scratched|dented) {item} {when}
everything in the box is (broken|damaged|smashed|wet)
the {item} from order {order} is (damaged|broken|scratched all over)
the courier (dropped|damaged|broke) (my {item}|the parcel)
my new {item} (is full of scratches|has a broken part|came cracked)
""", """
when I unpacked the {item} it fell apart, the casing was cracked
somebody must have dropped the carton, because the {item} inside is smashed
the {item} has a nasty dent and scratches right out of the box
what a pity, the {item} reached me in pieces
shattered glass everywhere when I took the {item} out of its package
my {item} turned up with a bent frame and a chipped corner
""")

topic("wrong_item", "shop", "wrong item|wrong product|mix-up|incorrect item|wrong goods", "a different product than ordered|the customer got the wrong product|orders that were mixed up",
"The wrong item was sent", """
I'm sorry about the mix-up. We will send the right item today and collect the wrong one.
Sorry, that was our mistake. Please keep the wrong item ready; the courier will swap it.
""", """
I (ordered|bought|asked for) a {item} (but|and) (got|received|you sent) a {item}
you sent (me |)the wrong (item|product|colour|size|model|{item})
this is not (what I ordered|the {item} I ordered|the one I bought|my order)
I (got|received) someone else's (order|parcel|package)
the (colour|size|model) is (wrong|not the one I ordered|different from my order)
instead of (a|the) {item} (there was|I found|I got) a {item} in the (box|parcel)
wrong (product|item|size|colour|{item}) in (my parcel|the box|order {order})
I wanted the (black|blue|red|large|small) {item} and (got|received|you sent) the (white|green|grey|medium|tiny) one
(my order was mixed up|you mixed up my order|there was a mix-up): I got a {item}
the box (contained|had|came with) a different {item} than I ordered
""", """
why is there a {item} in my box when the order says {item}
I think two orders were swapped, this {item} belongs to another customer
not the article I chose: I picked the red one and a green one came
somebody packed the incorrect {item} for me
the label says {item}, but inside is something completely different
your warehouse sent another model than the one on my receipt
""")

topic("missing_parts", "shop", "missing parts|incomplete order|missing item|parts missing", "something is missing from the box|an order that is not complete|parts that were not in the package",
"Something is missing from the order", """
I'm sorry something is missing. We will send the missing part today.
Sorry about that. Please tell us which part is missing and we will post it right away.
""", """
(the|my) {item} (came|arrived) without (the screws|the cable|a charger|the manual|the lid|batteries|one part|the remote)
(the screws|the cable|the charger|the manual|one leg|a part|the remote) (is|are) missing (from the box|from my {item}|)
my order is (incomplete|not complete): the {item} is missing
I ordered (two|three|four) (pieces|items) and only one (was in the box|came|arrived)
there (is|was) (only one|only half|a part missing|one piece missing) in the (box|parcel|package)
(part|half) of (my order|order {order}) (is missing|did not come|was not in the box)
I cannot (assemble|build|use) the {item} because (a part|a screw|the cable|a piece) is missing
missing (cable|screws|part|piece|lid|manual) for (the|my) {item}
the box had no (charger|cable|manual|screws|batteries) (in it|inside)
""", """
three of the five pieces were in the carton, the rest is absent
no screws were packed with the {item}, so I cannot put it together
looks like you forgot to include the cable for my {item}
the {item} kit lacks two parts that the manual lists
I paid for a pair and there is just one in the box
""")

topic("returns", "shop", "returns|return|sending back|return request|exchange", "a customer wants to send something back|how to return goods|sending an item back or swapping it",
"The customer wants to return an item", """
You can return it within 30 days. I will (email you|send you) a return label.
No problem. Please pack the item in its box; the return label is on its way to you.
""", """
(I want to|I would like to|I'd like to|can I|how do I|may I) (return|send back|give back) (the|my|this) {item}
(the|my) {item} (does not fit|is too small|is too big|is not for me|is not what I expected), (can I return it|I want to send it back|how do I send it back)
how (do|can) I (return|send back) (something|an item|my order|order {order})
(please send|I need|can I get|where is) (me |)a return (label|slip|form)
what is your return (policy|address|deadline)
(can|may|could) I (exchange|swap) (the|my) {item} for (another one|a bigger one|a smaller size|a different colour)
I (changed my mind|don't like it|do not need it any more) and want to (return|send back) the {item}
is it still possible to (return|send back) (the|a) {item} after {days} days
(return|exchange) request for (the {item}|order {order})
where do I send (the {item}|it) back
""", """
this {item} is not my style, which address do I mail it back to
the {item} is a size too small, I would rather swap it
is there a label I can print so the {item} goes back to you
thirty days have not passed, so I hope I may still hand the {item} back
please explain how sending things back works, I do not want to keep the {item}
""")

topic("refund", "shop", "refund|money back|refund status|reimbursement", "the customer wants money back|a refund that was not paid|money owed to the customer",
"The customer is waiting for a refund", """
I'm sorry about the wait. I have asked our team to pay your refund; it takes 3 to 5 days.
Your refund is on its way. It can take a few days until your bank shows it.
""", """
(where is|when will I get|I am waiting for|I'm still waiting for|I have not received) my (refund|money back|money)
I (returned|sent back) the {item} {days} days ago and (still have no refund|got no money back|the refund is not here)
(I want|I would like|please give me|can I get) (my money back|a refund|a full refund) (for the {item}|for order {order}|)
the refund of {money} (has not arrived|is not on my account|never came|is missing|is late)
you (promised|said|told me) (a refund|I would get my money back) (but|and) nothing (happened|came|has been paid)
how long does a refund take
(please|could you) (refund|pay back|reimburse) (me|the {money}|my {item})
only part of the (refund|money) (was paid|came back|arrived)
refund (status|request|missing) for order {order}
when do you pay (me |)back (the {money}|my money)
""", """
you owe me {money} for the {item} I gave back
the bank says no reimbursement from you has come in
two weeks since I mailed the {item} back, and not a cent was returned to my card
kindly reimburse what I paid for the {item}
I was told the money would be back on my card by {day}, it is not
any news about the {money} you were going to pay back
""")

topic("payment_failed", "shop", "payment problem|payment failed|card declined|checkout error", "a payment that does not go through|the card was declined|problems paying at the checkout",
"A payment did not go through", """
I'm sorry the payment failed. Please check the card details or try another way to pay.
Your card was not charged. Please try again in a few minutes or use another card.
""", """
my (card|credit card|payment|debit card) (was declined|is declined|gets declined|was rejected|does not work|fails)(| at checkout| when I pay)
(I cannot|I can't|unable to|I am not able to) (pay|check out|complete my payment|finish my order|pay with my card)
(the |)payment (failed|does not go through|did not go through|keeps failing|shows an error)(| for order {order}| for the {item})
the checkout (gives an error|does not accept my card|rejects my card|fails) (when I pay|every time|)
(it says|I get the message) (payment failed|card declined|payment error|invalid card)
(paypal|bank transfer|apple pay|my visa) (does not work|is not accepted|fails) (at checkout|for my order|)
tried to pay (three times|twice|{n} times) and (it failed|the payment failed|got an error)
why was my (card|payment) (declined|rejected|refused)
I want to buy the {item} but (the payment fails|I cannot pay|the card is refused)
""", """
at the last step of the checkout my visa is turned down again
the shop will not take my card although there is money on it
I keep getting a payment error while buying a {item}
three cards tried, all of them refused by your till
cannot finish paying, it always ends with declined
""")

topic("double_charge", "shop", "billing|charged twice|wrong charge|overcharged|double charge", "a charge that is wrong or was taken twice|the customer paid too much|billing mistakes",
"The customer was charged wrongly", """
I'm sorry about the wrong charge. We will check it and return the extra amount.
Thank you for telling us. The second charge will be returned within 5 days.
""", """
(I was|I have been|you|my card was) charged (me |)(twice|two times|double|{n} times) (for order {order}|for the {item}|this month|)
(there are two|I see two|there is a second) (charges|payments|charge|bookings) (of {money} |)on my (card|account|statement)
(I was|you) (overcharged|charged too much|billed too much)(| by {money}| for the {item})
the (amount|total|charge) (is wrong|is too high|is not correct|does not match)(|: {money})
(why did you|why was I) (charge|charged) (me |){money}(| and not the price on the site| when the {item} costs less)
(I see|there is) (an unknown|a strange|an extra|a wrong) charge of {money} (on my card|on my account|)
you (took|debited|withdrew) {money} (twice|two times|too much) (from my account|from my card|)
my bill is (wrong|too high|higher than agreed)
double (charge|payment|billing) (for|on) (order {order}|my card|my account)
I paid {money} but (the price was|it should be) {money}
""", """
the same {money} left my account two times for one order
my statement lists your shop twice for a single {item}
the price tag said {money}, yet more was taken from my card
billed double, please correct the extra amount
an additional {money} shows up on my card that I never agreed to
""")

topic("invoice", "shop", "invoice|receipt|invoice request|billing documents", "a customer needs an invoice or a receipt|requests for billing documents|a missing or wrong invoice",
"The customer needs an invoice", """
I will send the invoice to your email address now.
You can download every invoice under My orders. I have sent you a copy as well.
""", """
(I need|please send me|can I get|could you send|I want) (an|the|a copy of the) (invoice|receipt|bill)(| for order {order}| for the {item}| by email)
(where|how) (can|do) I (find|download|get) my (invoice|receipt|invoices)
(the|my) (invoice|receipt) (is missing|was not in the box|never came|has the wrong address|has the wrong name|is wrong)
my (accountant|boss|company) needs (an invoice|a receipt|the invoice) (with the tax number|with VAT|for {month}|)
(please|could you) (add|put|change) (the company name|our VAT number|the tax number|my address) (on|to) the invoice
no (invoice|receipt) (came|was sent) with order {order}
invoice for {month} please
I did not (get|receive) (a|the) (receipt|invoice) (for my payment|for the {item}|)
can you (email|mail) the (receipt|invoice) to {email}
""", """
our bookkeeping wants the paper for order {order} with VAT shown
a PDF bill for the {item} would help me with my taxes
the receipt carries my old company name, please issue it again
to claim the costs I have to show a receipt, where do I get it
kindly forward the {month} invoice to our accountant
""")

topic("cancel_order", "shop", "cancel order|order cancellation|cancellation|stop order", "the customer wants to cancel an order|stopping an order before it is sent|orders that should not be sent",
"The customer wants to cancel an order", """
I have cancelled the order. You will not be charged.
No problem, the order is cancelled. Any payment will be returned within 3 days.
""", """
(please |I want to |I would like to |can you |can I |I need to )cancel (my order|order {order}|the order|the {item}|the {item} I ordered)
(I ordered|I bought) (the {item}|two of them|the {item} twice) by (mistake|accident), please (cancel|stop) (it|the order)
(stop|do not send|don't ship|do not ship) (my order|order {order}|the {item})
is it (too late|still possible) to cancel (order {order}|my order|the {item})
(I changed my mind|I found it cheaper|I do not need it any more), (cancel the order|please cancel my order)(| {order})
how (do|can) I cancel (an order|my order|order {order})
(the cancel button|cancelling) (does not work|is greyed out) for order {order}
order cancellation {order}
I don't want the {item} (any more|anymore), please cancel
""", """
hold back order {order}, I ordered it by mistake
my kid clicked buy on the {item}, please do not ship that order
call off the purchase of the {item} before it leaves the warehouse
I no longer wish to get the {item} I ordered {when}, stop it please
can the order placed {when} still be cancelled
""")

topic("change_address", "shop", "change address|address change|new address|delivery address", "the customer wants another delivery address|changing where a parcel goes|a wrong or new address",
"The customer wants to change the address", """
I have changed the delivery address. You will get a confirmation by email.
Thank you. Please send the full new address and I will update it at once.
""", """
(please |can you |I need to |I want to |how do I )(change|update|correct) (my|the) (delivery |shipping |)address(| for order {order}| to {street})
(I moved|I have moved|we moved|I am moving) (to {city}|to {street}|), (my address has changed|please update my address|send the {item} there)
I (gave|typed|entered) the wrong (address|street|house number|postcode)
(please |can you |could you )(send|deliver|ship) (it|the {item}|order {order}) to (my office|my neighbour|another address|{street}|{city}) instead
my (new|correct) address is {street}(|, {city})
the (address|street|house number|postcode) (on|of) (order {order}|my order) is (wrong|old)
(wrong|old|new) (delivery |)address for order {order}
the parcel is going to my old (address|flat|house)
""", """
since {when} I live in {city}, so the package must go to {street}
the house number on the label should be another one
redirect the {item} to my workplace at {street}
there is a mistake in the street I typed for order {order}
deliver to {street} from now on, the old flat is empty
""")

topic("discount", "shop", "discount code|voucher|promo code|coupon", "a discount code or voucher that does not work|questions about coupons|promotions and price reductions",
"A discount code does not work", """
I'm sorry the code did not work. Please tell us the code and we will check it.
Codes cannot be combined with sale prices. I can give you 5 percent off instead.
""", """
(my|the) (discount|promo|coupon|voucher) code (does not work|is not accepted|is invalid|gives an error|was rejected|has expired)
(I cannot|how do I|where do I|I can't) (use|enter|apply|redeem) (my|the|a) (voucher|coupon|discount|promo code|discount code)
(the|my) (discount|voucher|coupon|{n} percent off) was not (applied|taken off|subtracted|counted)(| on order {order}| for the {item})
do you have (a discount|a coupon|a promo code|any offers|a student discount) (for the {item}|for new customers|)
I forgot to (use|enter) my (voucher|coupon|discount code|promo code)
the (sale|offer|promotion) (price|discount) (is not shown|is gone|does not show) (at checkout|for the {item}|)
code (SAVE{nn}|WELCOME{nn}|SPRING{nn}|VIP{nn}) (does not work|is not valid|says expired)
is there (a|any) (discount|voucher|coupon) if I buy {n} (of them|pieces)
your newsletter promised {nn} percent off but (the code fails|I paid the full price)
""", """
I typed SUMMER{nn} in the coupon box and the price stayed the same
the voucher my friend gave me is refused as expired
ten percent off was promised for the {item}, I cannot see it in the basket
are teachers given a reduction, some kind of promo code
the coupon field says invalid although the offer runs until {day}
""")

topic("stock", "shop", "availability|in stock|stock question|product availability", "whether a product is available|when goods are back in stock|questions on what can be bought",
"The customer asks if an item is available", """
It should be back in stock next week. I can send you an email when it is here.
Yes, it is available at the moment. You can order it on our site.
""", """
(is|are) (the|your) {item} (in stock|available|still available|back in stock|sold out)(| in blue| in size M| in {city})
when will the {item} be (back in stock|available again|available|back)
(do you have|do you sell|do you still have) (the|a|any) {item} (in black|in size L|in stock|in your shop in {city}|)
the {item} (is|has been) (sold out|out of stock|not available) (for weeks|since {day}|), when (will it be|is it) back
(can you|please) (tell|notify|email) me when the {item} is (back|available|in stock)
how many of the {item} (do you have|are left|are in stock)
(I cannot find|where can I find) the {item} (on your site|in the shop|)
is the {item} (coming|coming back) soon
out of stock {item}
""", """
any idea when you get more of the {item}, the page shows none left
could I still buy the {item} in green or is it gone
does the {city} shop carry the {item} at the moment
will there be a new batch of the {item} soon, it was sold out
I need {n} of the {item}, do you have that many in stock
""")

topic("warranty", "shop", "warranty|guarantee|repair|warranty claim", "a product that broke after some time of use|warranty and repair|things that stopped working and should be repaired",
"A product stopped working and needs a repair", """
Your product has a two-year warranty. Please send it to us and we will repair it.
I'm sorry it stopped working. I will open a warranty claim for you.
""", """
(the|my) {item} (stopped working|broke|died|does not turn on any more|no longer works) after ({n} months|{days} weeks|a year|half a year)
(is|does) (the|my) {item} (still under warranty|covered by the warranty|have a guarantee|under guarantee)
(I want|I need|I would like) (to claim the warranty|a repair|to have my {item} repaired|to make a warranty claim)
how long is the (warranty|guarantee) (on|for) the {item}
(can you|do you|who can) (repair|fix) (my|the) {item}
my {item} from (last year|{month}|{n} months ago) (is broken now|does not work any more|is defective)
(warranty|guarantee|repair) (claim|case|request) for (the|my) {item}
the (motor|battery|switch|zip|button) of my {item} (gave up|died|failed|is worn out) after {n} months
where do I send my {item} for (repair|a warranty check)
""", """
bought in {month}, dead in less than a year: is the {item} covered
the {item} worked fine for months, now it needs a repair
does the guarantee pay for the motor of my {item}
half a year old and the {item} has given up, what about the warranty
a technician should look at my {item}, it quit after {n} months of use
""")

topic("gift_card", "shop", "gift card|gift cards|gift voucher|store credit", "gift cards and their balance|buying or using a gift card|problems with store credit",
"The customer has a question about a gift card", """
You can see the balance of a gift card on our site under Gift cards.
Please send me the number of the gift card and I will check it.
""", """
(how much is|what is the balance|how do I check the balance) (left |)(on|of) my gift card
(my|the) gift card (does not work|is not accepted|shows zero|has no balance|has expired|was never sent)
(I want to|can I|how do I) (buy|order|send|use|redeem) a gift card(| for {money}| for a friend| of {money})
I (lost|deleted|threw away) (my|the) gift card
the gift card (for|of) {money} (never arrived|did not come|is not working|has not been emailed)
can I pay (part of the {item}|with two gift cards|with a gift card and a card)
how long is (a|the|my) gift card valid
my store credit of {money} is gone
gift card (balance|problem|code) {order}
""", """
grandma gave me a gift card and the till says there is no balance
is it possible to top up a gift card by {money}
the present card I bought for {first} never reached the inbox
until which date may I spend the gift card
only {money} is left on my gift card although I never used it
""")

topic("login", "account", "login|password|login problem|access|sign-in problem", "a customer cannot sign in|password problems|trouble logging in",
"The customer cannot log in", """
I'm sorry you cannot log in. Please use "Forgot password" to set a new one.
I have sent you a link to reset the password. It is valid for one hour.
""", """
(I cannot|I can't|I am not able to|I'm unable to) (log in|sign in|login|get into my account|access my account)(| since {day}| any more)
(I forgot|I lost|I don't remember|I have forgotten) my (password|login|username)
my (password|login) (does not work|is not accepted|is wrong|stopped working)(| any more| on the {app})
(the reset|the password) (link|email|mail) (does not work|never arrives|has expired|did not come)
(how do I|please help me|can you|I need to) (reset|change) my password
my account (is locked|is blocked|has been locked|got locked)(| after {n} tries)
(the {app}|it) (keeps saying|says) (wrong password|invalid login|user not found)
the login (page|button) (does not work|does nothing|gives an error)
locked out of my (account|profile)
(I get|there is) an error when I (log in|sign in|try to log in)
I was (logged out|signed out|thrown out) and (cannot get back in|can't log in again)
""", """
the {app} will not let me in, it says the password is wrong
after five tries my profile is blocked, please unlock it
I have no idea what my password was, how can I get a new one
every time I type my username it throws me back to the sign in page
the mail for resetting the password does not reach me
shut out of my own account again
""")

topic("verification", "account", "verification code|two-factor|security code|2FA", "codes for two-step sign-in|a verification code that does not come|two-factor sign-in",
"A verification code does not arrive", """
Please wait one minute and ask for a new code. Check the spam folder too.
I have sent a new verification code. It is valid for ten minutes.
""", """
(I do not get|I never receive|I did not receive|I'm not getting) (the|a|any) (verification|security|confirmation|SMS|sign-in) code
the (verification|security|confirmation|six digit) code (does not arrive|never comes|is invalid|has expired|does not work)
(I lost my phone|I have a new phone|my phone number changed) and (cannot get the code|the code goes to the old one)
(how do I|I want to|can I) (turn on|turn off|set up|disable) (two-factor|two-step|2FA|the second step)
the (text message|SMS) with the code (never came|does not come|is late)
my authenticator (app |)(shows wrong codes|was deleted|does not work|is gone)
two-factor (login|sign-in|authentication) (does not work|fails|is broken)
it asks for a (code|verification code) but (none comes|I get no message)
the code you (texted|sent|emailed) (is wrong|is invalid|expired)
""", """
no SMS with the six digits reaches my phone
since I changed my phone the second step cannot be confirmed
the security code is rejected each time, even when I am quick
could you switch off the two-step check, my authenticator is lost
I wait for the confirmation code and it does not show up
""")

topic("close_account", "account", "close account|delete account|account deletion|remove account", "the customer wants the account deleted|closing an account|removing a profile for good",
"The customer wants the account deleted", """
I'm sorry to see you go. I have started the deletion; it takes 7 days.
You can delete the account under Settings. Please save your data first.
""", """
(please |I want to |I would like to |how do I |can you )(delete|close|remove) my (account|profile|user account)
(I want|I'd like) my account (deleted|closed|removed)(| with all data| today)
(I do not|I don't) (use|need) (my account|the {app}|this) (any more|anymore), please (delete|close) it
how (can|do) I (close|delete|remove) (an|my) account
where is the (button|option) to (delete|close) my account
(deactivate|erase|terminate) my (account|profile) please
account (deletion|closure) request
my account {email} should be (deleted|removed|closed)
I want to leave, (delete|close) my account
""", """
kindly wipe my profile, I am leaving the {app} for good
I no longer want an account here, get rid of it
what must I do so that my profile disappears completely
end my membership account and remove everything about it
erase the account under {email}, nobody uses it
""")

topic("account_details", "account", "account details|profile change|update details|personal details", "changing an email, a name or a phone number|updating personal details|data in the profile that must change",
"The customer wants to change account details", """
You can change this under Settings, Profile. I am happy to do it for you, too.
I have updated your details. Please check them in your profile.
""", """
(I want to|please|how do I|can you|I need to) (change|update|correct) my (email|email address|phone number|name|last name|username|profile)
my (new |)(email|phone number|number) is ({email}|{phone})(|, please update it)
(I got married|my name changed|I have a new number), please (update|change) (my name|my details|my profile)
my name is (spelled wrong|written wrong|wrong) (in my account|in the profile|on the {app})
(change|update) (the email|my email|the phone number) from {email} to {email}
I no longer (use|have) (this email|that phone number|the old email)
the (birthday|phone number|email|name) in my (account|profile) is (wrong|old|not correct)
how do I (add|set) a (profile picture|second email|phone number)
""", """
my surname is {last} now, the profile still shows the old one
please put {email} in place of the mail you have for me
the phone number in my profile belongs to someone else today
where in the settings can I edit my personal details
correct the spelling of my name, it should be {first}
""")

topic("unsubscribe", "account", "unsubscribe|newsletter|email settings|marketing mail", "too many emails or the newsletter|stopping marketing mail|leaving a mailing list",
"The customer wants no more newsletters", """
I have removed you from the newsletter. It may take a day to take effect.
Done: you will get no more marketing mail from us.
""", """
(please |I want to |how do I |can you )(unsubscribe|stop the newsletter|take me off your list|remove me from the mailing list|stop sending me emails)
(I get|you send|I receive) (too many|way too many|daily|so many) (emails|mails|newsletters|ads|messages)
the unsubscribe (link|button) (does not work|is broken|does nothing)
I (never|did not) (signed up|sign up|asked|subscribe) (for|to) (this newsletter|your emails|these mails)
no more (emails|newsletters|marketing|ads) please
I unsubscribed (twice|{when}|{n} times) and still get (mails|emails|the newsletter)
stop (spamming|mailing) me
please remove {email} from (your list|the newsletter|the mailing list)
""", """
my inbox is full of your ads, make it stop
take {email} off whatever mailing list you run
I did opt out but the weekly newsletter keeps coming
enough marketing mail, I do not wish to hear from you
how can I end these daily promotion mails
""")

topic("privacy", "account", "privacy|data request|data protection|personal data", "what data is kept about a person|copies of personal data|privacy questions",
"The customer asks about personal data", """
We will send you a copy of your data within 30 days.
We keep only what your orders need. Our privacy page lists everything.
""", """
(what|which) (data|personal data|information) do you (have|store|keep|save) about me
(I want|please send me|I would like|can I get) a copy of (my|all my) (personal |)data
(do you|are you) (share|sell|sharing|selling) my (data|details|email|information) (with|to) (others|third parties|advertisers)
how long do you (keep|store) (my data|my personal data|my details)
(please|you must) (delete|erase) (all data|my personal data|everything you store) about me
I have a question about (data protection|privacy|your privacy policy|GDPR|cookies)
(GDPR|privacy|data protection) request
where is my data (stored|kept|saved)
who can see my (data|messages|address|files)
""", """
under GDPR I ask for everything you have stored about me
is my personal information passed on to advertisers
tell me in which country my data is kept
I do not consent to cookies that follow me, explain your privacy rules
please list the personal data your company holds on me
""")

topic("fraud", "account", "fraud|security|hacked account|suspicious activity|security incident", "an account that was hacked or misused|suspicious activity|fraud and stolen accounts",
"The customer reports misuse of the account", """
Thank you for reporting this. I have locked the account; please change your password now.
We take this seriously. Our security team will call you today.
""", """
(someone|somebody|a stranger) (hacked|broke into|used|logged into|got into|took over) my account
(my account|my profile) (was|has been|got) (hacked|stolen|taken over|misused)
(there is|I see|I found) (an order|a login|a purchase|activity) (I did not make|that is not mine|from another country|I don't know)
(I got|I received) a (strange|suspicious|fake|phishing) (email|call|message) (in your name|from your company|asking for my password)
(I did not|I never) (order|buy|make|place) (this|the {item}|order {order}), (someone used my card|this is fraud|it wasn't me)
unknown (login|device|order|activity) (on|in) my account
I think (this is a scam|I was scammed|my card was stolen|my password was stolen)
(report|reporting) (fraud|a scam|phishing|a hacked account)
my (password|email) was changed (but|and) (it was not me|I did not do it)
""", """
a sign in from {city} that was certainly not me, was I hacked
a caller pretending to be your company wanted my password
criminals seem to shop with my account, there are orders I never made
this mail looks like phishing, did you really send it
someone stole my profile and changed the password
""")

topic("app_crash", "software", "app crash|crash|app crashes|program crash", "an app that crashes or does not start|programs that close by themselves|crashes",
"The app crashes", """
I'm sorry the app crashes. Please update to the newest version and restart the device.
Thank you for the report. Could you send the crash log from Settings, Help?
""", """
(the|your) {app} (crashes|keeps crashing|crashed|closes by itself|freezes|hangs|shuts down)(| when I open it| on start| every time| after {n} seconds)
(the|your) {app} (does not open|does not start|won't open|won't start|no longer starts)(| on my phone| since the update| any more)
(I get|there is) a (white|black|blank) screen when I (open|start) the {app}
(every time|whenever|as soon as) I (open|start|tap|click) (the {app}|a file|the menu|a photo), it (crashes|closes|freezes)
since the (update|last update|new version) the {app} (crashes|freezes|closes|does not start)
crash (on start|when saving|after login|on my tablet)
the {app} (froze|crashed|hung) and I lost (my work|my data|everything)
it (crashes|freezes|closes) (constantly|all the time|again and again)
my phone shows that the {app} has stopped
""", """
two seconds after I tap the icon the {app} is gone again
the {app} just shuts itself and shows a blank screen
all my work vanished because the {app} froze while saving
it will not launch, the {app} dies at once after the update
the program hangs, then closes without a message
""")

topic("slow", "software", "performance|slow|slowness|speed problem", "something that is very slow|long loading times|speed problems",
"The service is slow", """
I'm sorry it is slow. Please try again in an hour; we are adding more servers.
Thank you for telling us. Which page is slow for you?
""", """
(the|your) {app} (is|has become|got) (very slow|so slow|slow|terribly slow|slower every day)(| since {day}| today)
(it takes|it needs) ({n} minutes|ages|forever|very long|{nn} seconds) (to load|to open|until the page opens|to save a file)
(pages|reports|searches|files|pictures) (load|open) (very slowly|too slowly|so slowly)
the (loading|search|upload|export) (takes forever|is very slow|takes too long|takes ages)
why is (the {app}|everything|the search) so slow
(bad|poor|terrible) (performance|speed) (of|on) the {app}
the {app} lags (all the time|when I type|when I scroll|)
everything (is loading forever|is slow|lags) (since the update|today|this week|)
""", """
I can make coffee while the {app} loads one page
scrolling lags and typing comes with a long delay
could you speed up the search, each one needs a minute
the {app} has turned into a snail since {day}
long loading times again, half a minute per click
""")

topic("export_bug", "software", "bug|error|bug report|malfunction|defect in the program", "a function of the program that does not work as it should|bugs and error messages|wrong results in the program",
"A function of the program is faulty", """
Thank you for the report. Our developers will look at this bug.
I'm sorry about that error. Could you send a screenshot, please?
""", """
the (export|import|search|filter|save|print|share|upload) (button|function|feature) (does not work|does nothing|gives an error|is broken)
(I get|there is|it shows) (an error|error {nn}|error code {order}|an error message) when I (export|save|upload|print|search|import) (a file|the report|)
the (report|total|chart|list|calendar) shows (wrong|the wrong|incorrect|strange) (numbers|dates|names|values|data)
(exporting|importing|saving|uploading) (a file|to Excel|to PDF|pictures|the list) (fails|does not work|ends with an error)
the (filter|sorting|search) (does not work|finds nothing|gives wrong results)
(I found|there is) a bug in (the {app}|the calendar|the report|the editor)
(my changes|my settings|the entries) are not saved
the (date|time|name|total) is shown (wrong|twice|incorrectly)
clicking (save|send|export|the button) does nothing
""", """
sorting the list by date puts everything in the wrong order, looks like a bug
the PDF that I export contains only empty pages and an error
pressing save has no effect, nothing is stored
the totals in the report are miscalculated
an error message with code {nn} pops up whenever I import a file
""")

topic("integration", "software", "integration|API|api question|developer question", "connecting the product with other systems|the API and webhooks|technical questions of developers",
"The customer asks about an integration", """
You find the API documentation under Developers on our site.
Please check that the API key is active. I can send you a new one.
""", """
(how do I|can I|is it possible to|we want to) (connect|integrate|link|sync) (the {app}|your service|it) (with|to) (our CRM|Slack|Google Calendar|our shop|our database|Excel)
(do you have|where is|is there) (an API|the API documentation|a webhook|a developer guide|an SDK)
(my|our|the) API (key|token) (does not work|is invalid|has expired|is rejected)
the (API|webhook|endpoint) (returns|gives|answers with) (an error|error 500|error 401|nothing|a timeout)
the (webhook|sync|integration|connector) (stopped working|does not fire|fails|is broken)
what is the rate limit of (the|your) API
(we|our developers) need (access to the API|an API key|a test account|sandbox access)
the sync with (Slack|our CRM|the calendar|our shop) (fails|stopped|does not work)
""", """
our developers ask which endpoint lists the orders
the token is refused with 401 although it was created {when}
can your service talk to our CRM through a connector
no webhook calls reach our server any more
is there documentation for your REST interface and an API key for tests
""")

topic("feature_request", "software", "feature request|suggestion|idea|wish", "a wish for something new|ideas to make the product better|suggestions",
"The customer suggests a new feature", """
Thank you for the idea! I have passed it on to our product team.
That is a nice suggestion. I have added it to our list of wishes.
""", """
(it would be|it'd be) (nice|great|useful|good|helpful) (to have|if there was|if you added) (a dark mode|a calendar|a search|an export|an offline mode|keyboard shortcuts|a bigger font)
(please add|could you add|can you add|I would love|I miss) (a dark mode|a calendar view|an export to PDF|tags|reminders|a widget|more languages|a map)
(I have|here is) (an idea|a suggestion|a wish|a proposal)(| for the {app}): (add|make|allow) (reminders|a timer|folders|colours|groups)
(are you planning|do you plan|will there be) (a dark mode|an app for tablets|a new version|a German version|an offline mode)
why is there no (dark mode|export|calendar|undo button|search)
my suggestion: (let us|allow users to) (sort the list|share folders|change the colours|add notes)
feature request: (dark mode|tags|export|reminders|folders)
(you should|you could) (add|offer|build) (a dark mode|reminders|a chat|templates)
""", """
a dark theme would be easier on my eyes, please think about it
have you considered letting users pin notes, that would be handy
I wish the {app} could remind me of dates
just a thought: folders with colours would help a lot
an improvement I would love is working without internet
""")

topic("outage", "software", "outage|service down|downtime|site down", "the whole service is down|nobody can reach the service|outages",
"The service is down", """
I'm sorry, we have an outage at the moment. Our team is working on it.
Thank you. The service should be back within the hour; see our status page.
""", """
(the|your) (site|website|server|service|{app}) (is down|is offline|is not reachable|cannot be reached|is unavailable|does not respond)
(is there|do you have) (an outage|a problem with the server|a downtime|maintenance) (right now|today|at the moment|)
(nobody|no one|none of us|our whole team) can (reach|open|use|access) (the service|the {app}|your site)
(I get|it shows|we see) (error 503|error 502|server not found|service unavailable|a timeout)
(is the|is your) (site|service|server|{app}) down
when will the (service|server|site) be (back|online again|up again)
everything is (down|offline) since {time}
the whole (system|service|platform) is (down|offline|not working)
(server|service) (down|outage|offline)
""", """
all our colleagues see service unavailable since {time}
seems your servers are offline, not one page can be reached
we cannot reach anything of yours, is there maintenance going on
the status page is red, how long will the downtime last
complete blackout of the {app} for every user here
""")

topic("install", "software", "installation|update|setup|install problem", "installing or updating the program|setup problems|an installation that fails",
"The installation fails", """
Please restart the computer and run the installer again as administrator.
I'm sorry the installation failed. Which system do you use?
""", """
(I cannot|I can't|how do I) (install|update|download|set up) (the {app}|the new version|the program|your software)(| on Windows| on my Mac| on Linux)
the (installation|update|setup|download) (fails|stops at {nn} percent|does not finish|gives an error|is stuck|hangs)
the installer (does not start|shows an error|says access denied|cannot be opened)
(where|how) can I download (the latest version|the installer|the program|version {n})
which (version|system) do I need (for Windows|for the {app}|)
(is there|do you have) a version for (Linux|Mac|Windows {nn}|tablets)
after the setup (the program is not there|nothing happens|I see no icon)
the update to version {n} (failed|cannot be installed|does not work)
not enough space to install the {app}
""", """
setup breaks off at {nn} percent every time
I downloaded the file, but my Mac refuses to run the installer
can your software be put on a Linux machine
version {n} will not install over the old one
the update has been stuck on the progress bar for an hour
""")

topic("upgrade_plan", "software", "plans and pricing|upgrade|pricing|sales|subscription plans", "prices and plans|buying more or upgrading|questions before a purchase",
"The customer asks about plans and prices", """
The Pro plan costs more but has no limits. I can switch you today.
I am happy to help. How many people will use it?
""", """
(how much|what) (does|is) (the pro plan|the team plan|a licence for {nn} users|the premium plan|the business plan) (cost|per month|per year)(| for {n} people|)
(I want to|can I|how do I|we would like to) (upgrade|switch|change) (to|my plan to) (pro|premium|the team plan|the yearly plan|a bigger plan)
what is the (difference|price difference) between (the plans|basic and pro|free and premium)
(do you|is there|do you have) (a discount|a cheaper plan|a price) for (schools|students|non-profits|{nn} users|big teams)
(we need|I need) (more users|more seats|{n} more licences|more storage|a bigger plan)
(can you|please) (send|make) (us|me) (an offer|a quote|a price list)(| for {nn} users)
how many (users|projects|files) are (included|possible) in the (free|basic|pro) plan
is there a (yearly|monthly|family|student) plan
pricing for {nn} (people|users|employees)
""", """
our team grows to {nn} people, what would that cost per month
please quote us a price for the business plan
which plan has more storage than basic and what is the price
I would like to move up from free to premium
can seats be added later and how are they priced
""")

topic("cancel_subscription", "software", "cancel subscription|end subscription|subscription cancellation|stop plan", "ending a subscription|the customer wants to stop the plan|cancelling a membership or a plan",
"The customer wants to end the subscription", """
I have cancelled the subscription. You can use it until the end of the month.
Sorry to see you go. The plan ends on the last day of this period.
""", """
(please |I want to |I would like to |how do I |can you )(cancel|end|stop) my (subscription|plan|membership|pro plan|premium plan)
(I do not|I don't) (need|want|use) (the subscription|the premium plan|my plan|the membership) (any more|anymore)
(do not|don't|please do not) renew my (subscription|plan|membership)
how (can|do) I (turn off|stop) (automatic renewal|the renewal|auto-renew)
my (subscription|plan|membership) should (end|stop|not renew) (this month|in {month}|after the trial)
(cancel|end|stop) the (trial|free trial|subscription|monthly plan) (before it renews|please|now)
subscription (cancellation|cancel)
I (tried to|want to) unsubscribe from (premium|the pro plan|the paid plan)
when does my subscription end if I cancel (today|now)
""", """
from {month} on I will not pay for the premium plan, end it
let my membership run out, no renewal
the free trial must not turn into a paid plan, stop it
I quit the monthly plan, confirm the end date
what is the notice period if I drop my subscription
""")

topic("printer", "it", "printer|printing|printer problem", "printers and printing|a printer that does not print|paper jams and toner",
"The printer does not work", """
Please turn the printer off and on again. If it still fails, I will send a technician.
I have cleared the print queue. Please try once more.
""", """
(the|our|my) printer (does not print|is not printing|is offline|shows an error|is jammed|is out of toner|prints blank pages)(| on floor {n}| in room {nn}| since {day})
(paper jam|no toner|out of ink|toner empty) (in|on) (the printer|the printer on floor {n}|the copier)
(I cannot|I can't|nobody can) print (from my laptop|a PDF|any document|double-sided|in colour|)
(how do I|please) (add|connect|install) (the|a|our new) printer
(the copier|the scanner|the printer) (is broken|does not scan|makes strange noises|prints stripes)
my (document|print job) is stuck in the (queue|print queue)
the printer (wants|needs|asks for) (paper|new toner|a PIN)
printed pages (are blurry|have stripes|are blank|come out black)
""", """
sheets get stuck in the copier next to room {nn}
the machine on floor {n} leaves black stripes on every page I print
someone has to change the toner of our printer
my laptop no longer finds any printer
the print queue is blocked, nothing comes out
""")

topic("network", "it", "network|wifi|internet connection|connection problem", "no internet or bad wifi|network trouble|VPN and connection problems",
"The network connection fails", """
Please restart the router and wait two minutes. Does it connect then?
I have reset your network profile. Please connect again.
""", """
(the|our|my) (wifi|wi-fi|internet|network|connection) (does not work|is down|keeps dropping|is unstable|is very weak|is gone)(| on floor {n}| in room {nn}| at home| since {day})
(I cannot|I can't|we cannot) (connect|connect to the wifi|get online|reach the internet|join the network)
(the|my) VPN (does not connect|keeps disconnecting|fails|is down|asks for a password)
(no|bad|weak|poor) (internet|wifi|signal|connection) (in the meeting room|in room {nn}|on floor {n}|in my office|)
what is the (wifi|guest wifi) password
my laptop (loses the wifi|shows no internet|is not connected|does not find the network)
video calls (break up|keep dropping|freeze) because of the (wifi|connection|network)
the (network cable|router|access point) (is broken|has no light|is dead)
""", """
in the meeting room the signal drops every few minutes
the guests ask how to get online, which network should they join
I am disconnected from the VPN all the time when I work from home
the router blinks red and there is no internet
my computer says connected without internet
""")

topic("hardware", "it", "hardware|laptop problem|device|computer problem", "a laptop or other device that is broken|computers, screens, keyboards|hardware trouble",
"A device is broken", """
Please bring the device to the IT desk; we will give you another one.
I'm sorry about that. I will order a replacement part today.
""", """
my (laptop|computer|notebook|PC) (does not start|does not turn on|is very hot|shuts down by itself|makes loud noises|has a blue screen)
(the|my) (screen|monitor|keyboard|mouse|docking station|battery|camera|touchpad|webcam) (of my laptop |on my computer |)(is broken|does not work|flickers|is dead|stopped working)
I (spilled|dropped) (coffee on my laptop|my laptop|water on the keyboard|my work phone)
(I need|can I get|please order) (a new|another|a second|a bigger) (laptop|monitor|keyboard|mouse|headset|charger|screen)
the battery of my (laptop|phone|notebook) (is empty after an hour|does not charge|is swollen)
my computer (is broken|is too old|needs a repair|fell down)
the (charger|power supply|cable) of my laptop (is broken|does not charge|is lost)
some keys (do not work|are stuck) on my (keyboard|laptop)
""", """
water ran over my keyboard and now half of the keys are dead
the notebook gets boiling hot and the fan screams
there is no picture on my second screen
the laptop battery lasts ten minutes, I need a new one
my work computer stays black when I press the power button
""")

topic("software_access", "it", "software access|permissions|access rights|licence", "rights to a folder or program|a licence or access somebody needs|permissions",
"Somebody needs access or a licence", """
I have asked your manager to approve it. You will have access today.
The access is set up now. Please sign out and in again.
""", """
(I need|please give me|can I get|{first} needs|our new colleague needs) (access|permission|rights) to (the folder|the shared drive|the database|the finance system|the calendar|the {company} project)
(I have no|I do not have|I lost my) (access|permission|rights) (to|for) (the folder|the shared drive|the wiki|the project|this page)
(it says|I get) (access denied|permission denied|not authorised) (for the folder|on the shared drive|when I open the file|)
(I need|please order|can I have) a licence for (the editor|Excel|the design program|the CAD software|the PDF tool)
my licence (has expired|is invalid|ran out|is missing)
please (add|remove) {name} (to|from) (the group|the project|the mailing list|the shared folder)
who can give me (access|rights|permission) to (the archive|the drive|the reports)
set up an account for (our new colleague|{name}|the intern)
""", """
the shared drive tells me I am not authorised
{name} starts on {day} and should be able to open the team folder
could somebody grant me the rights for the finance reports
the design program asks for a licence that I do not own
we lack permission to edit the wiki
""")

topic("mailbox", "it", "email problem|mailbox|outlook|mail", "sending and receiving mail at work|a full mailbox|mail program problems",
"The mailbox has a problem", """
Your mailbox was full; I have made it bigger.
Please restart the mail program. If mails still do not come, call us.
""", """
(I cannot|I can't) (send|receive|open) (emails|mails|any mail|attachments)(| since {day})
(my|the) mailbox is (full|almost full|locked|empty)
(my|the) (outlook|mail program|inbox) (does not open|does not sync|shows old mails|is empty|asks for a password again and again)
(emails|mails) (do not arrive|come too late|land in spam|are rejected|bounce back)
(I need|please set up) (a shared mailbox|an out of office reply|a mail address for {first}|a signature|a distribution list)
an (important |)email (was deleted|is gone|disappeared|cannot be found)
the attachment (is too big|cannot be opened|is blocked)
my calendar (in outlook |)(does not sync|is empty|shows wrong times)
""", """
messages that I send come back as undeliverable
no mail has landed in my inbox since {day}
outlook says there is no space left in my mailbox
how do I tell people automatically that I am out of office
everything from {company} goes straight into the spam folder
""")

topic("booking_change", "travel", "change booking|rebooking|booking change|reschedule", "moving a trip, a stay or an appointment to another date|changing a booking|rescheduling",
"The customer wants to change a booking", """
I can move your booking. Which new date would you like?
Your booking has been changed. You will get a new confirmation.
""", """
(I want to|can I|I need to|please|could you) (change|move|reschedule|rebook) my (booking|reservation|flight|stay|appointment|trip|table)(| {order}| to {date}| to {day}| from {day} to {day})
(can I|I would like to) (stay|arrive|travel|come) (one day later|one day earlier|on {date} instead|a week later|{n} nights longer)
(add|I want to add|can I add) (a night|a person|breakfast|a bed|one more guest) to my (booking|reservation|stay)
my (plans|dates) changed, (can we move the booking|I need another date|please rebook me)
is it possible to (move|change) (the flight|our stay|my reservation) to (another day|{date}|next month)
(a later|an earlier|another) (flight|train|room|date) (would be better|please|if possible)
the (date|name|number of guests) (on|in) my booking (is wrong|must be changed)
I booked the wrong (date|day|month|room|flight)
""", """
something came up, may we come on {date} and not on {day}
shift our reservation by a week please
I would rather take the evening flight, can you rebook it
one more guest is joining us, please adjust the booking
the trip has to be postponed to {month}
""")

topic("booking_cancel", "travel", "cancel booking|booking cancellation|cancel reservation|trip cancellation", "cancelling a trip, a room or a table|ending a reservation|trips that will not happen",
"The customer wants to cancel a booking", """
Your booking is cancelled. There is no fee until one day before.
I have cancelled the reservation. We hope to see you another time.
""", """
(I want to|please|I need to|can I|how do I) cancel (my|our|the) (booking|reservation|flight|room|stay|trip|table|appointment)(| {order}| on {date}| for {day})
(I am sick|we are ill|my flight was cancelled|my plans changed), (please cancel the room|we have to cancel our stay|I must cancel the trip)
(what does it cost|is it free|is there a fee) to cancel (a booking|my reservation|the room|my flight)
we (cannot|can't|will not) (come|travel|make it) (on {day}|on {date}|), please cancel (the table|our room|the reservation)
(booking|reservation|trip) cancellation {order}
(cancel|delete) (the reservation|the booking|my room) (under the name {last}|for {name}|) please
do I (get|have to pay) (anything|a fee) if I cancel (the trip|our stay|the flight)
""", """
sadly the holiday is off, annul the room for {date}
free our table on {day}, nobody will come
up to which date is calling off a stay free of charge
we will not fly to {city} after all, cancel both seats
illness in the family: our reservation cannot be used
""")

topic("checkin", "travel", "check-in|arrival|check-in question|arrival and departure", "times and ways of arrival and departure|check-in and check-out|when rooms can be entered",
"The customer asks about check-in", """
Check-in starts at 3 pm and check-out is until 11 am.
You can arrive late; the night desk will give you the key.
""", """
(when|what time|from what time) (is|can I|can we|does) (check-in|check in|check-in start|get the key|the room ready)
(when|until when|what time) (is|do we have to) (check-out|check out|leave the room)
(can I|can we|is it possible to) (check in|arrive) (early|late|after midnight|at {time}|before noon)
(we|I) will arrive (late|at {time}|around {time}|after {time}), is (that a problem|someone there|the desk open)
(can I|may we) (leave|store) (my|our) (bags|luggage|suitcases) (before check-in|after check-out|at the hotel)
(how do I|where do I|can I) check in (online|for my flight|at the airport|)
is (late|early) (check-out|check-in) possible
where do I get the (key|room key|boarding pass) (at night|when I arrive|)
""", """
our train reaches {city} near midnight, will anybody hand us the key
is the room ready before noon on {day}
at which hour must we have left the room
boarding pass missing, how does the online check-in work
may the suitcases stay at the desk until our departure
""")

topic("baggage", "travel", "lost baggage|luggage|baggage|lost property", "bags that were lost or damaged on a trip|luggage problems|things left behind",
"The customer's baggage is lost", """
I'm sorry about your bag. Please send the tag number and I will trace it.
We have found a bag that fits. We will bring it to your hotel.
""", """
my (suitcase|bag|luggage|baggage|backpack) (did not arrive|is lost|never came|is missing|was not on the belt)(| in {city}| after my flight from {city})
(I lost|I left|I forgot) my (bag|jacket|phone|glasses|suitcase|wallet) (on the train|on the plane|in the room|at the airport|on the bus)
(the airline|you) (lost|damaged|broke) my (suitcase|luggage|bag)
my suitcase (came|arrived) (with a broken wheel|damaged|open|without a handle)
how (much|many bags|many kilos) (luggage|can I take|may I bring) (on the flight|on board|to {city})
(where|how) (do|can) I (report|find) (lost luggage|a lost bag|my bag)
lost (luggage|bag|suitcase|property) (on flight {order}|from {city}|)
has anyone found my (bag|phone|jacket|umbrella) (in room {nn}|on the train|)
""", """
I landed in {city} but my case stayed behind somewhere
a brown suitcase with my clothes has vanished at the airport
did the cleaners find glasses in room {nn}, I left them there
the wheels of my luggage were torn off during the flight
what weight may a bag have on board
""")

topic("room_complaint", "travel", "room complaint|hotel complaint|noise and dirt|room problem", "a dirty, loud or faulty room|complaints about the room|guests who are not happy with their room",
"The guest complains about the room", """
I'm sorry about the room. I will send someone at once or give you another room.
Please accept our apology. We can move you to a quiet room tonight.
""", """
(the|our|my) room (is dirty|is too loud|smells|is too cold|is too hot|was not cleaned|is too small|has no hot water)(| again| since {day})
the (shower|heating|air conditioning|TV|toilet|light|safe|window) in (our room|my room|room {nn}) (is broken|does not work|leaks|is blocked)
(our neighbours|the people next door|the street|the bar) (are|is) (very loud|too noisy|so loud that we cannot sleep)
(there are|we found) (insects|hairs|stains|bugs) in (the bed|the bathroom|our room)
(we have|there are) no (towels|hot water|clean sheets|pillows) in (our room|room {nn})
(can we|I want to|we would like to) (get|have|move to) (another|a different|a quieter) room
nobody cleaned (our room|room {nn}|the bathroom) (today|yesterday|for {n} days)
the bed (is broken|is too hard|squeaks|is not made)
""", """
we could not sleep a minute, loud music next to room {nn}
cold water only in the shower and stains on the sheets
the heating in our room does nothing and it smells
somebody should clean the bathroom in {nn}, it is filthy
please put us somewhere quieter than this room
""")

topic("card_lost", "bank", "lost card|card blocked|stolen card|card loss", "a bank card that was lost or stolen|blocking a card|a new card is needed",
"The customer lost a card", """
I have blocked your card. A new one will come in 5 days.
Thank you for calling at once. The card is blocked and nobody can use it.
""", """
(I lost|I cannot find|somebody stole|I can't find) my (bank card|credit card|debit card|card|wallet with my card)(| {when}| in {city})
(please |can you |I need to )block my (card|credit card|bank card|debit card)
my (card|credit card|bank card) (was stolen|is lost|has been stolen|is gone)(| in {city}| {when})
the (cash machine|ATM) (kept|swallowed|did not return) my card
(I need|please send|can I get) a (new|replacement) (card|bank card|credit card)
(please |)unblock my card, I (found it|have it again)
my new (card|PIN) (has not arrived|did not come|is not here)
I forgot the PIN of my (card|bank card|credit card)
(stolen|lost|blocked) card
""", """
pickpockets in {city} got my purse with the bank card in it
freeze my credit card right now, it is gone
the machine at the station pulled in my card and kept it
how do I order a replacement for the card that was stolen
three times the wrong PIN, now the card is blocked
""")

topic("transfer", "bank", "transfer|money transfer|bank transfer|wire", "sending money to another account|a transfer that is missing or wrong|transfers and limits",
"The customer asks about a transfer", """
A transfer takes one working day. I can see it is on its way.
I can try to call the transfer back. Please tell me the amount and the date.
""", """
(my|the|a) transfer (of {money} |)(has not arrived|is missing|did not go through|is still pending|was rejected|is late)
I (sent|transferred|wired) {money} to the wrong (account|person|IBAN)
(how do I|can I|I want to) (transfer|send|wire) (money|{money}) to (another bank|{city}|my brother|{first}|an account abroad)
how long does a (transfer|bank transfer|transfer abroad) take
(what is|can you raise) (my|the) (transfer|daily) limit
(please |can you )(cancel|stop|recall|call back) (my|the) transfer (of {money}|to {name}|)
the (standing order|payment to {name}|transfer) (was made twice|was not made|failed)
what is the fee for a transfer (abroad|to {city}|in dollars)
""", """
{money} left my account on {day} and never reached {name}
one digit of the IBAN was wrong, get the money I sent back
I want to wire more than the daily limit allows
a standing order to my landlord was not carried out
sending {money} abroad, what fee do you take
""")

topic("loan", "bank", "loan|credit|mortgage|loan request", "borrowing money|loans and interest rates|mortgages",
"The customer asks about a loan", """
I am happy to help. An adviser will call you about the loan.
The interest rate depends on the sum and the term. Shall I book a meeting?
""", """
(I want to|I would like to|can I|we would like to) (borrow|get a loan of|apply for a loan of|take a credit of) {money}(| for a car| for a house| for my kitchen)
what is the (interest|interest rate) (for|on) (a loan|a mortgage|a car loan|a credit of {money})
(has my|was my|what about my) (loan|mortgage|credit) (application|request) (been approved|approved|decided|)
(I cannot|can I|I want to) (pay|pay back|repay) (my loan|the rate|the loan early|this month's rate)
(we want|I plan) to (buy a house|build a house|buy a flat|buy a car) and need (a loan|a mortgage|financing)
how much (can I borrow|would a loan of {money} cost|can we afford)
(I need|please send) (information|papers|a form) (about|for) (a loan|a mortgage|a credit)
(loan|mortgage|credit) (request|application|question)
""", """
financing for a new kitchen, around {money}, is that possible
which rate would we pay each month for a house loan
can the mortgage be paid off early without a fee
my application to borrow {money}: any decision yet
I am looking for a cheap credit to buy a used car
""")

topic("mobile_plan", "telecom", "mobile plan|SIM card|phone contract|mobile data", "SIM cards, data and phone contracts|mobile phone plans|roaming and numbers",
"The customer asks about the mobile plan", """
I have checked your plan. Your data will be reset on the first of the month.
I will send you a new SIM card today.
""", """
(my|the) SIM card (does not work|is broken|is not active|is lost|has no signal)
(I have|there is) no (signal|mobile data|network) on my phone (in {city}|abroad|since {day}|)
(how much|how many) (data|gigabytes|minutes) (do I have|is left|are left)(| this month)
(does|is) (roaming|my plan|the data) (work|included|valid) (in {city}|abroad|in other countries)
(can I|I want to) (keep|take) my (number|phone number) (when I switch|to you|)
(my data|the data) (is used up|ran out|is gone) after {n} days
(I want|I need) (an eSIM|a second SIM|more data|a cheaper phone contract)
my phone (contract|bill) (is too expensive|runs until {month}|is wrong this month)
activate my (SIM|SIM card|eSIM|number)
""", """
the new SIM shows no bars at all
gigabytes all used up and it is only the {n}th
travelling to {city}: can I surf there with my contract
I would like to bring my old phone number to your network
switch my phone to an eSIM please
""")

topic("praise", "general", "praise|compliment|positive feedback|thanks", "a customer who is happy and says thanks|kind words|good feedback",
"The customer is happy", """
Thank you so much for your kind words! I will pass them on to the team.
How nice to hear! We are glad you are happy.
""", """
(thank you|thanks|many thanks) (so much |)for (the great service|your quick help|the fast delivery|the lovely {item}|everything)
(great|excellent|wonderful|amazing|fantastic|super) (service|support|work|product|team|job)(|, thank you|, I will come back)
(I love|we love|I really like|I am so happy with) (the|my|our) (new |){item}
(your|the) (team|support|colleague|staff) was (so kind|very friendly|really helpful|great|wonderful)
(I just wanted|just a note) to say (thank you|how happy I am|that everything was perfect|thanks)
(everything|it all) (was perfect|went well|works perfectly|is great)
(best|nicest) (shop|service|hotel|support) (ever|I know|in {city})
{first} (helped me|from your team helped me) (so quickly|very well|a lot), (thank you|that was great)
five stars (for your team|from me|for the {item})
very (happy|pleased|satisfied) with (the {item}|your service|everything)
""", """
please tell {first} that the help was brilliant, what a friendly team
I am delighted, the {item} is even nicer than in the pictures
you made my day, keep up the good work
hats off to your support, quick and kind
could not be happier with the {item}, thanks to everyone
""")

topic("staff_complaint", "general", "complaint|staff complaint|rude staff|bad service", "a complaint about people or service|rude or unhelpful staff|customers who are angry at the service",
"The customer complains about the service", """
I'm very sorry about this. I have passed your complaint to the manager.
That is not how we want to treat you. May we call you about it?
""", """
(your|the) (colleague|employee|staff|agent|driver|waiter|person on the phone) was (rude|very rude|unfriendly|impolite|not helpful at all)(| to me| {when})
(I want to|I would like to) (complain|make a complaint|file a complaint)(| about your service| about {first}| about the driver)
(nobody|no one) (answers|picks up|helps me|calls me back|replies to my emails)
I have (called|written|asked) {n} times and (nobody helps|no one answers|got no reply)
(this is|that was) the worst (service|support|hotel|shop) (ever|I have seen|of my life)
(terrible|awful|horrible|bad) (service|support|experience|treatment)(|, I am angry|, never again)
I (waited|was on hold) (an hour|{nn} minutes|for ages) (on the phone|in the line|) and (then was hung up on|nobody helped)
I want to (speak|talk) to (the manager|your boss|someone in charge)
(the manager|{first}|the man at the desk) (shouted at me|was laughing at me|ignored me)
very (disappointed|unhappy|angry) (with|about) (your service|how I was treated|your staff)
""", """
the lady at the counter rolled her eyes and ignored me
an hour in the phone queue and then the agent hung up on me
I have never been treated so rudely, let me talk to your manager
not one of my five mails was answered, shame on you
your driver shouted at me, I wish to file a complaint
""")

topic("hours", "general", "opening hours|store hours|location|shop hours", "when and where a shop is open|opening hours|addresses of shops",
"The customer asks about opening hours", """
We are open Monday to Friday from 9 to 18 and Saturday from 10 to 14.
Our shop is in the city centre, next to the station.
""", """
(when|what time|until when) (are you|is the shop|is your office|do you|is your store in {city}) (open|close|opening)(| today| on {day}| on Sundays| on holidays)
what are (your|the) (opening|business|office|store) hours(| on {day}| in {city}| this week)
(are you|is the shop|is the office) open (on {day}|on Sundays|today|at {time}|at Easter)
where is (your|the) (shop|office|store|nearest shop)(| in {city})
do you have a (shop|store|branch|office) in {city}
(can I|is it possible to) (visit|come to) (your shop|the store|your office) (on {day}|after {time}|today|)
what is the address of (your|the) (shop|store|office) (in {city}|)
is there parking (at|near) (your shop|the store|the office)
""", """
at which hour do the doors of your {city} shop close on {day}
I would come by after work, is somebody still there at {time}
how do I find your nearest store from the station
closed on public holidays or open as usual
on which days can one visit the branch in {city}
""")

topic("job", "general", "job application|careers|jobs|HR", "people who look for a job|applications and careers|open positions",
"Somebody asks about a job", """
Thank you for your interest! Please send your CV to our HR team.
All open positions are on our careers page. Good luck!
""", """
(are you|is your company) (hiring|looking for people|looking for staff)(| in {city})
(I want to|I would like to|can I|how do I) apply (for a job|for the position|as a driver|for an internship|as an engineer)(| in {city})
(do you have|are there) (any |)(open positions|jobs|vacancies|internships|part-time jobs)(| in {city})
(here is|I attached|please find) my (CV|application|resume)
(what happened to|any news about|have you read) my (application|job application|CV)
where do I send my (CV|application|resume)
I am a (nurse|teacher|driver|engineer|designer|student) (and looking for work|looking for a job|and want to work for you)
is the (job|position|internship) in {city} still open
job (application|offer|interview) (for {name}|question|)
""", """
as a student I would love to work for you in the summer
did my resume reach your HR people
is the vacancy in {city} still to be filled
whom do I contact about an internship
experienced driver seeks work, do you need someone
""")

topic("partnership", "general", "partnership|press|business inquiry|cooperation", "offers to work together|press and partners|business inquiries",
"Somebody offers a partnership", """
Thank you for your offer. I have passed it to our partner team.
Please send the details to our business team; they will answer this week.
""", """
(we are|I am) a (journalist|blogger|supplier|small company|magazine|reseller) (and want to|and would like to) (work with you|write about you|sell your products|interview your CEO)
(I would like to|can we|we want to) (become a partner|become a reseller|sell your products|sponsor your event|advertise with you)
(who|whom) (can I|do I) (contact|talk to) (for press questions|about a partnership|about marketing|for business offers)
(press|partner|media|business) (inquiry|question|request)(| from {company})
our company {company} (offers|proposes|is interested in) (a cooperation|a partnership|a joint project)
(would you like to|can you) (sponsor|support) (our event|our school|our club|a podcast)
I am writing an article about {company} and need (a quote|photos|information)
{company} (wants|would like) to (buy {nn} pieces for resale|work together|sell your {item})
""", """
on behalf of {company} I propose that our firms work together
for a newspaper story I need to speak with your press office
could a local shop like ours resell the {item}
would you put your logo on the shirts of our football club as a sponsor
let us talk about a joint marketing campaign
""")

topic("human", "general", "human agent|speak to a person|live agent|callback", "the customer wants to talk to a person|a call back|a human and not a machine",
"The customer wants to talk to a person", """
Of course. I will connect you with a colleague.
I have asked a colleague to call you. What is your number?
""", """
(I want to|can I|please let me|I need to) (talk|speak|chat) (to|with) (a human|a person|a real person|someone|an agent|a colleague)
(please |can you |could someone )call me (back |)(at {phone}|today|on {phone}|tomorrow)
(are you|am I talking to) a (bot|machine|robot|computer)? I want a (human|person)
(connect|transfer|put) me (to|through to|with) (an agent|a human|a person|your support team)
(no more bots|stop the bot), (a human|a person|an agent) please
what is your phone number? I want to (call|talk to someone)
(is there|do you have) (a hotline|a phone number|someone I can call)
I prefer to (talk on the phone|speak to a person)
""", """
can somebody of flesh and blood ring me on {phone}
machines do not understand me, hand me over to a person
give me the number of your hotline, I would rather talk
I wish to be called back by an agent this afternoon
""")

KEYS = list(TOPICS)

FRAMES = """{x}.
{x}.
{x}.
{x}!
{x}?
{x}
Hi, {x}.
Hello, {x}.
Hi there, {x}.
Hello! {x}.
Hey, {x}
Good morning, {x}.
Dear team, {x}.
Hello support, {x}.
{x}. Please help.
{x}. Can you help me?
{x}. Thanks!
{x}. Thank you, {first}
{x}. Regards, {name}
{x}. What can I do?
{x}, please help me
Hi, I have a problem: {x}.
I have a question: {x}?
Hello, my name is {first}. {x}.
Hi, this is {name}. {x}.
Question: {x}?
{x}. My order number is {order}.
{x}. Order {order}.
Order {order}: {x}.
Hello, {x}. I am a customer since {year}.
{x}. Please answer soon.
{x}. It is urgent!
It's me again. {x}.
Sorry to bother you, but {x}.
Good evening. {x}. Best wishes, {first}
I am writing because {x}.
Just to let you know, {x}.
{x}. I am not happy.
Quick question, {x}?
{x} and I do not know what to do.
Dear Sir or Madam, {x}. Yours, {name}
Subject: help. {x}.
{x}. You can reach me at {phone}.
{x}. My email is {email}.
Hi {company} team, {x}.
Hey guys, {x}
{x}. Any idea?
Hello again, {x}.
Ticket from {first}: {x}.
{x}. I am in {city}.
Okay so {x}
Hi!! {x}
um, {x}
{x}. Please reply by email.
{x}. I wrote you {when} already.
Greetings. {x}.
To whom it may concern: {x}.
{x}. Awaiting your answer, {name}
Would you kindly look into this? {x}.
Morning! {x}. Cheers, {first}
A short message from {city}: {x}.
{x} - that is all I wanted to say.
Not sure whom to ask, so I ask you: {x}.
Evening all, {x}.
{x}. Let me know, {first}
As a loyal customer of {company}: {x}.
{x}. Looking forward to hearing from you.
Pardon me, {x}.
Attention please: {x}.
{x} customer {order}""".split("\n") + FRAMES_WIDE

FRAMES_HELD = """Hi folks, {x}.
{x}. Hope you can sort this out.
So, here is my story: {x}.
{x}. With kind greetings from {city}, {first}
Dear {company} people, {x}.
My name's {name}, customer number {order}. {x}.
{x}. Tell me what happens next.
Long time customer here. {x}.
{x} - any advice would be welcome.
Hello there, quick one from me: {x}.
{x}. I look forward to your reply.
Could you have a look? {x}.""".split("\n")

ASIDES = """I hope you are well.
I have been a customer for years.
My {item} is great by the way.
It is raining in {city} today.
I am writing from my phone.
Sorry for my English.
My friend {first} told me to write to you.
I use your service every day.
This is my first message to you.
I found your address on the internet.
We are a family of {n}.
I have never had this before.
I will be away on {day}.
My colleague {first} has the same thing.
I am usually patient.
You can write back in English.
It is the {n}th time.
I asked {first} but got no idea.
Nice weather today.
I talked to {name} {when}.
Please do not call before {time}.
I live in {city}.
Let me explain.
Here is what happened.
I am at work right now.
As you may know, I am {first}.""".split("\n")

KEYWORDS = """{w}
{w}, {w2}
about {w}
problem with {w}
{w} problem
a question about {w}
I want to ask about {w}
need help: {w}
please look at this: {w}
it is about {w} and {w2}
{w} and {w2}
{w} / {w2}
my topic is {w}
we have a case of {w}
the thing is {w}
this is about {w}, also {w2}
what about {w}
can you help with {w}
I write because of {w}
{w} again
talking about {w}, what should I do
someone mentioned {w}
is there anything you can do about {w}
not sure if it is {w} or {w2}""".split("\n")


def core_text(say, topic_, held):
    """What the customer says, without greeting."""
    if held:
        return say(say.rng.choice(topic_.held))
    roll = say.rng.random()
    if roll < 0.12:
        a, b = say.rng.sample(topic_.words, 2)
        return say(say.rng.choice(KEYWORDS), w=a, w2=b)
    core = say(say.rng.choice(topic_.lines))
    if roll < 0.2:
        core += say.any([". ", ", ", " and ", ". Also "]) + say(say.rng.choice(topic_.lines))
    elif roll < 0.26:
        core += say.any([". ", ", ", " - "]) + say.rng.choice(topic_.words)
    if core.count(" ") > 5 and say.chance(0.2):  # words fall out: the meaning must not hang on one of them
        core = " ".join(w for w in core.split(" ") if not say.chance(0.12)) or core
    core = reword(say, core)
    return disturb(say, core) if say.noise and say.chance(say.noise) else core


def disturb(say, text):
    """Some words lost, foreign or out of place: the topic must follow from whatever is left."""
    words, kind = text.split(" "), say.num(0, 3)
    if len(words) < 5: return text
    if kind == 0: return " ".join([w for w in words if not say.chance(0.25)] or words)
    if kind == 1: return " ".join(say.any([fake(say.rng), say.any(words), say.any(LOOSE)]) if say.chance(0.15) else w for w in words)
    if kind == 2:
        length = max(4, len(words) * 2 // 3)
        start = say.num(0, len(words) - length)
        return " ".join(words[start:start + length])
    order = sorted(range(len(words)), key=lambda i: i + 2.5 * say.rng.random())
    return " ".join(words[i] for i in order)


LOOSE = sorted({w for line in ASIDE_LINES for w in re.findall(r"[a-z]+", line) if len(w) > 2})
_SWAP = {}
for group in SYNONYMS:
    for word in group: _SWAP.setdefault(word, []).extend(w for w in group if w != word)
_SWAP_RE = re.compile(r"\b(" + "|".join(sorted((re.escape(w) for w in _SWAP), key=len, reverse=True)) + r")\b")
_CONTRACT_RE = re.compile(r"\b(" + "|".join(sorted((re.escape(w) for w in CONTRACT), key=len, reverse=True)) + r")\b")


def reword(say, text):
    """The same in other words: some synonyms, some contractions."""
    if say.chance(0.5):
        text = _SWAP_RE.sub(lambda m: say.rng.choice(_SWAP[m[0]]) if say.chance(0.35) else m[0], text)
    if say.chance(0.5):
        text = _CONTRACT_RE.sub(lambda m: CONTRACT[m[0]], text)
    return text


QUESTION = set("where when how can is do what why could may which who are does has will did would whom have should".split())


def ticket(say, key, wording=None, rough=1.0):
    """One ticket about a topic. wording "held" uses sentences and frames that no training data shows."""
    held = (say.split == TEST) if wording is None else wording == "held"
    core = core_text(say, TOPICS[key], held)
    frame = say.rng.choice(FRAMES_HELD if held else FRAMES)
    if frame.startswith("{x}") or ". {x}" in frame or "! {x}" in frame or "? {x}" in frame:
        core = cap(core)
    text = say(frame, x=core)
    if core.split(" ")[0].lower() in QUESTION:
        text = text.replace(core + ".", core + "?")
    elif text.endswith("?") and say.chance(0.6):
        text = text[:-1] + "."
    text = text.replace("??", "?").replace("?.", "?")
    if not held and say.chance(0.22):
        aside = say(say.rng.choice(ASIDES)) if say.chance(0.4) else cap(say(say.rng.choice(ASIDE_LINES))) + say.any([".", "!", "."])
        text = aside + " " + cap(text) if say.chance(0.5) else text + (" " if text[-1] in ".!?" else ". ") + aside
    if held or say.chance(0.5):
        text = cap(text)
    return roughen(text, say.rng, rough)


def reply(say, key):
    return say(say.rng.choice(TOPICS[key].replies))


def replies(key):
    """Every reply that fits the topic."""
    return [text for template in TOPICS[key].replies for text in expand(template)]


def some_topics(rng, n, always=None):
    """n different topics, with `always` among them; sometimes all of one area, which is harder."""
    pool = KEYS
    if always and rng.random() < 0.35:
        pool = [k for k in KEYS if TOPICS[k].area == TOPICS[always].area]
    chosen = [always] if always else []
    rest = [k for k in pool if k not in chosen]
    rng.shuffle(rest)
    chosen += rest[:n - len(chosen)]
    if len(chosen) < n:
        more = [k for k in KEYS if k not in chosen]
        rng.shuffle(more)
        chosen += more[:n - len(chosen)]
    rng.shuffle(chosen)
    return chosen
