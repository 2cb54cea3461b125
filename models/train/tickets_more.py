"""Knows further ways to say each topic and the words that point to it, so that meaning and not one sentence is learned."""

MORE, WORDS = {}, {}


def more(key, lines, words):
    MORE[key] = [x.strip() for x in lines.strip().split("\n") if x.strip()]
    WORDS[key] = [x.strip() for x in words.strip().split(",")]


more("late_delivery", """
(nobody|no one|the van|the delivery man) has (brought|delivered) (my|the) {item} (so far|until now|to my house|to our door)
(I wonder|can you tell me|please find out|could you check) (where my parcel is|what happened to my shipment|why the delivery is so slow|why my package takes so long)
(it has been|already) {days} days (and|but) (the mailbox is empty|my {item} is nowhere to be seen|the package is still on its way|I am still without my {item})
I think (the post|the carrier|your courier) (lost|forgot) (my parcel|the package|my {item})
(the shipment|my parcel) (seems lost|seems stuck|got lost|is stuck in {city}|is stuck at customs)
I was home (all day|the whole {day}) (but|and) (nobody rang|the courier did not come|no van came)
(promised|expected|planned) (for|on) {day}, (not here yet|still not here|yet no delivery)
I need the {item} (by {day}|for a birthday), (will it come in time|why is it not here|and it is late)
(the parcel|the box) is (nowhere|not at my door|not at the pickup point)
(slow|late|delayed) (shipping|post|delivery), (I am losing patience|what is going on|when does it come)
""", "late parcel, package lost, where is my package, tracking number, courier, delivery late, not delivered, shipment delayed, overdue parcel, waiting for delivery, lost in the post, van did not come, empty doorstep, empty mailbox, in transit, shipping delay, taking forever, never delivered, the driver, still not here, delivery date, expected delivery, missing parcel, nothing arrived")
more("damaged", """
(what came|the thing I got|the {item} I received) is (in pieces|totally broken|badly damaged|all bent)
(when|as soon as) I (unpacked|opened|took out) the {item} (I saw a crack|it was in two pieces|a part fell off|it fell apart)
(the packaging|the carton|the box) (looked fine|was badly crushed|had a hole|was ripped) (but|and) the {item} (inside |)was (cracked|smashed|damaged|broken)
(broken glass|pieces|bits of plastic|splinters) (all over|inside|everywhere in) the (box|parcel|package|carton)
(somebody|the delivery man|the post) (dropped|threw|crushed) (the box|my parcel), the {item} is (broken|bent|dented)
the {item} has (dents|scratches|cracks|a chip|torn fabric|a bent frame) (straight from the box|out of the box|on one side)
(such a shame|too bad|sadly), the {item} (is cracked|came in pieces|arrived smashed|reached me broken)
(the cover|the frame|the casing|the wheel|the edge) is (bent|cracked|chipped|torn) on (my new|the) {item}
I cannot use the {item} (because it is cracked|since it came broken|with that crack)
""", "broken on arrival, cracked, smashed, shattered, dented, scratched, arrived broken, damaged goods, in pieces, bent frame, chipped, torn, crushed box, broken glass, fell apart, damaged package, crack in the casing, dropped carton, out of the box broken, ripped")
more("wrong_item", """
(somebody else's|another customer's|a stranger's) (parcel|order|{item}) (came to me|was sent to me|is in my box)
the (receipt|order|label|invoice) says {item} (but|and) (inside is|the box has|I hold) (a|another) {item}
(you|your warehouse|the team) (packed|sent|shipped) (another|a different|the incorrect) (model|article|product|colour|{item})
I (chose|picked|selected|clicked) (the red|the blue|the big|the small) one, (a green|a black|a tiny|a huge) one (came|arrived|is in the box)
(not the|this is not the) (right|correct) (product|article|item|model|one)
what I (hold in my hands|got) is (completely different|something else|not my {item})
(orders|parcels) (were|got) (swapped|mixed up|confused)
why did (I get|you send|I receive) a {item} (when I ordered|instead of) a {item}
""", "wrong item, wrong product, wrong size, wrong colour, different product, not what I ordered, mixed up, swapped orders, incorrect article, another model, someone else's order, mistaken item, sent the wrong one, not the article I chose, instead of my order, incorrect item packed")
more("missing_parts", """
(the kit|the set|the box|the package) (lacks|is missing|does not include) (a part|two screws|the cable|the lid|some pieces)
(you forgot|someone forgot|your team forgot) (to pack|to include|to add) (the charger|the screws|the second one|the manual|a piece)
(the list|the manual) (says|names) {n} parts (but|and) (I have|there are|I count) (only |)(two|three|fewer)
I paid for {n} (but|and) got (fewer|only one|just one)
(without|no) (the cable|screws|a plug|the remote) (I cannot put it together|it is useless|the {item} cannot be used)
(where are|I cannot find) (the screws|the batteries|the other pieces|the rest of the parts)
the rest of (my order|the set|the pieces) (is not there|is absent|was not packed)
""", "missing part, missing screws, incomplete, not complete, missing cable, no charger in the box, forgot to include, lacks parts, missing piece, only half of it, one piece absent, rest is missing, kit incomplete, forgot to pack, parts list, not all pieces")
more("returns", """
(it|the {item}) is not (my taste|my style|right for me|what I want), (I would like to send it back|how can it go back|take it back please)
(I would rather|can I) (swap|exchange|trade) (it|the {item}) for (a larger one|a smaller one|another colour)
(how does|please explain how) (a return|returning|sending back) (work|works|go)
(which|what) (address|label|form) (do I need|do I use) (to send things back|for a return|to mail it back)
(print|email|send) (me|us) (a|the) (return label|return form|label to send it back)
I (do not|don't) want to keep (the|this) {item}
(am I|are we) allowed to (return|bring back|hand back) (a used {item}|the {item}|opened goods)
I'd like to (hand back|bring back|give back) the {item} (to your shop|by post|)
the size is wrong for me, (exchange|return) please
""", "return, send back, return label, exchange, swap, give back, bring back, hand back, take it back, does not fit, too small, too big, return address, mail it back, do not want to keep it, return form, swap the size, thirty day return, another size, not my style")
more("refund", """
(my bank|my card|my account) (shows no|has no|got no) (refund|money from you|reimbursement|payment from you)
(you still|you) owe me (money|{money}|the price of the {item})
(not a cent|no money|nothing) (has come back|was paid back|was returned) (to my card|to me|so far)
the {item} (went back|was sent back|is back with you) (but|and) (my money is not|no refund came|the money is missing)
(any news|what is the status|what about) (of|on|about) my (refund|money|reimbursement|repayment)
(kindly|please) (return|transfer|send) (my money|the {money}|the sum) (back to my card|back|to my account)
I (gave|sent) the {item} back, now (I want my money|give me my money|pay me back)
how do I get (reimbursed|my money back|repaid)
(weeks|{days} days) without (a refund|my money|reimbursement)
""", "refund, money back, reimbursement, reimburse, pay me back, owe me money, repayment, refund missing, refund late, get my money, not a cent, returned money, refunded, waiting for refund, credited to my card, repay, money returned")
more("payment_failed", """
(the shop|the till|your checkout|the site) (will not|does not|won't) (take|accept) my (card|money|visa|mastercard)
(each|every) (try|attempt) to pay (fails|ends with an error|is refused)
(all my cards|both cards|my visa) (are|were|is|get) (refused|turned down|rejected|declined)
(at the last step|when paying|in the basket) (I get an error|it stops|the card is refused|nothing happens)
there is (enough money|money) on my card (but|yet) (it is refused|the payment fails|it says declined)
I cannot (finish|complete|place) (the purchase|my order|the payment)
the (pay|buy) button (gives an error|does nothing|fails)
""", "card declined, payment failed, card refused, payment error, cannot pay, checkout error, card rejected, turned down, paying fails, not accepted, visa refused, cannot finish paying, card not working at checkout, payment does not go through, purchase fails")
more("double_charge", """
(the same|one) (amount|sum|payment) (was taken|left my account|was booked|appears) (twice|two times|again)
my (statement|bank|card) (lists|shows) (your shop|{company}|the order) (twice|two times|double)
(more|{money} more) (was taken|was charged|than agreed was booked) (from my card|from my account|)
I never agreed to (this charge|pay {money}|an extra {money})
(please correct|fix) (my bill|the extra amount|the double booking|the wrong sum)
(the price tag|the site|the offer) said {money} (but|yet) (I paid more|more was taken|my card shows {money})
(billed|debited|booked) (twice|double|two times) for (a single|one) (order|{item})
(what is|explain) this (extra|additional|unknown|second) (charge|amount|payment)
""", "charged twice, double charge, billed double, overcharged, wrong amount, extra charge, two payments, unknown charge, taken twice, bill too high, double booking, additional amount, debited two times, wrong total, paid too much, statement lists it twice, price was different")
more("invoice", """
(for my taxes|for the tax office|for bookkeeping|for our accounts) (I need|we need) (the bill|a receipt|an invoice|a PDF invoice)
(the bill|the invoice) (carries|shows|has) (the wrong company|an old address|no VAT|the wrong name)
(please|kindly) (issue|write|forward|resend) the (invoice|receipt|bill) (again|to our accountant|with VAT|as PDF)
(a|the) PDF (invoice|bill|receipt) (would help|is needed|please)
I (have to|must) show a (receipt|bill|invoice) (to my boss|to claim the costs|for my expenses)
(paper|documents) for order {order} (with VAT|for the accountant)
""", "invoice, receipt, bill as PDF, VAT, tax number, accountant, bookkeeping, copy of the invoice, proof of purchase, expenses, invoice missing, tax office, company name on the invoice, download invoice, issue it again, claim the costs")
more("cancel_order", """
(I no longer|I don't) (want|need|wish to get) (the {item}|what I ordered|my order)(|, stop it|, please cancel)
(my child|my kid|my son|the cat) (clicked buy|ordered a {item}) (by mistake|by accident|), (do not ship it|cancel that|stop the order)
(hold|call off|withdraw|undo) (my order|the order|my purchase|order {order})
(before it ships|before it leaves the warehouse|if it has not been sent), (cancel|stop) (order {order}|the {item}|my order)
(can|could) (the order|order {order}|my purchase) (still |)be (cancelled|stopped|undone|withdrawn)
I (placed|made) (the order|order {order}) (twice|by mistake|in error)
""", "cancel order, stop the order, ordered by mistake, do not ship, call off the purchase, cancel purchase, withdraw the order, undo order, order placed twice, no longer want it, clicked buy by accident, before it ships, hold the order, order cancelled")
more("change_address", """
(please |)(redirect|forward|reroute) (the parcel|my order|the {item}) to (my workplace|{street}|a friend|the new flat)
(from now on|since {when}) (I live|we live) (in {city}|at {street}|somewhere else)
(the label|the order) (shows|has) (the wrong house number|my old street|a mistake in the street|the old address)
(the house number|the street|the zip code|the postcode) should be (another one|{nn}|{street})
(we have|I have) a new (home|flat|office), (send it there|the package must go there|use that address)
(deliver|bring|take) (the package|my parcel|the {item}) to (my work|my mother|{street}) please
""", "new address, change address, wrong address, moved house, house number, redirect parcel, another street, delivery address, postcode, zip code, old flat, new flat, deliver to my office, address label, relocate, living elsewhere now, wrong street")
more("discount", """
(the basket|the price|the total) (stayed the same|did not change|shows no reduction) (after|when) I (typed|entered) (the code|the coupon)
(a friend|your newsletter|my sister) gave me (a voucher|a code|a coupon) (but|and) (it is refused|it is expired|it fails)
(are there|is there|do you give) (reductions|a reduction|special prices|a deal) for (teachers|students|families|regular customers)
(the coupon|the voucher|the promo) (field|box) (says invalid|does nothing|gives an error)
(ten|{nn}) percent (was|were) (promised|advertised) (but|yet) (not taken off|I cannot see it|missing)
(the offer|the sale|the deal) (runs until|ends on) {day}, (why is my code refused|but the code fails)
""", "discount code, coupon, voucher, promo code, percent off, reduction, sale price, special offer, code expired, invalid code, student discount, promotion, deal, price reduction, voucher refused, redeem code, basket price")
more("stock", """
(the page|the site) (shows none left|says sold out|says not available) for the {item}
(can|could) I (still |)(buy|get|order) the {item} (somewhere|in green|in another colour|)
(will you|do you) (get|receive|have) (more|a new batch|new stock) of the {item} (soon|next month|)
does (the shop|your store|the branch) in {city} (carry|have|sell) the {item}
(any idea|do you know) when (you get more of the {item}|the {item} returns|new ones come)
(I need|we need) {n} of the {item}, (are there enough|do you have that many|is that possible)
is the {item} (gone|discontinued|finished) (for good|)
""", "in stock, out of stock, sold out, available, back in stock, none left, new batch, availability, when available again, do you sell, do you carry it, how many left, discontinued, notify me when available, restock")
more("warranty", """
(worked|it worked) (fine|well) for {n} months, (now|then) (it is dead|it quit|it needs a repair|it gave up)
(bought|purchased) in {month}, (dead|broken|defective) (now|already|in less than a year)
(does|will) the (guarantee|warranty) (pay for|cover) (the motor|the battery|the repair|my {item})
(a technician|somebody) should (look at|repair|fix) my {item}
my {item} (gave up|quit|failed|died) after {n} months of use
(is|are) (repairs|a repair) (free|covered) (in the first two years|under warranty|)
the {item} is (only half a year|less than two years|{n} months) old and (broken|does not work|dead)
""", "warranty, guarantee, repair, technician, covered by warranty, stopped working after months, quit working, gave up after a year, motor died, needs a repair, defective after use, warranty claim, two years guarantee, still covered, fix my device")
more("gift_card", """
(grandma|a friend|my aunt|my boss) gave me a gift card (and|but) (it is refused|it has no balance|it does not work)
(until when|how long|till which date) (can|may) I (spend|use) (a|the|my) gift card
(can you|is it possible to) (top up|load|extend) (a|my) gift card
the (present card|gift card|gift voucher) for {first} (never reached|did not come to) (the inbox|{email})
(there is|only) {money} (is |)left on my gift card
(scratch|code) (area|field) of the gift card (is damaged|cannot be read)
""", "gift card, gift card balance, gift voucher, present card, top up gift card, redeem gift card, store credit, gift code, gift card expired, gift card for a friend, spend the gift card, balance on the card from grandma")
more("login", """
(the {app}|it|the site) (will not|won't|does not) (let me in|accept my password|know my username)
(I have no idea|I don't know) what my (password|username|login) (is|was)
(please |can you |)(unlock|unblock|open) my (account|profile|login)
(after|I made) {n} (tries|attempts) (and |)(my account is blocked|I am blocked|it locked me out)
(my username|my user name|my email) is (unknown|not recognised|not found) when I (sign in|log in)
(it|the page) (throws me back|sends me back) to the (sign in|login) page
how (can|do) I get a new password
the (mail|message|link) (for|to) (resetting|changing) (my|the) password (never comes|does not reach me|is not there)
(I am|we are) shut out (of|from) (my|our) account
""", "cannot log in, forgot password, sign in, reset password, wrong password, locked out, account blocked, unlock my account, username, login page, login failed, new password, access denied to my account, cannot get in, shut out, password reset mail, blocked profile")
more("verification", """
(no|not one) (SMS|text message|code|message with the code) (reaches|comes to|arrives on) my phone
(the six digits|the digits|the code) (do not work|are refused|are rejected|come too late)
(since I|after I) (changed my phone|got a new phone|lost my phone) (I cannot confirm|the second step fails|no code comes)
(switch off|remove|stop) the (two-step check|second step|code check)
(please |)(send|resend|give me) (a new|another|the) (confirmation|security|verification) code
(I wait|waiting) for the (confirmation|security|verification) code
my (authenticator|code app) is (lost|gone|empty|out of sync)
""", "verification code, security code, SMS code, two-factor, two-step check, authenticator, confirmation code, six digits, code expired, code rejected, second step, no code arrives, one-time code, 2FA, code by text message, confirm my phone")
more("close_account", """
(I am leaving|I leave|goodbye), (wipe|erase|delete|remove) my (profile|account|membership)
(get rid of|wipe out|shut down) my (account|profile)
(I no longer|I don't) want (an account|a profile|to be a member) (here|with you|any more)
(what must I do|how do I manage) (so that|that) my (profile|account) (disappears|is gone|is deleted)
(nobody uses|I never use) (the account|my account) {email}, (erase it|delete it|close it)
(end|terminate|cancel) my (user account|profile|membership account)
""", "delete my account, close my account, remove profile, wipe my profile, erase account, account deletion, deactivate account, terminate account, get rid of my account, leave for good, profile should disappear, shut down my account")
more("account_details", """
(the profile|my profile|my account) (still shows|has) (my old name|the old number|a wrong birthday|my maiden name)
(please |)(put|use|enter) {email} (in place of|instead of) (the old mail|my old email)
(where|in which menu) (can|do) I (edit|change) my (personal details|data|name|profile)
my (surname|last name|first name) is (now {last}|{last} now|spelled {last})
(correct|fix) the (spelling|writing) of my name
(that|the) phone number (belongs to someone else|is not mine any more)
""", "change email, update phone number, change my name, new surname, edit profile, personal details, spelling of my name, new number, update my details, change username, correct my birthday, profile settings, married name, replace my email")
more("unsubscribe", """
(my inbox|my mailbox) is (full of|flooded with) (your ads|your newsletter|your mails)
(I do not|I don't) (wish|want) to (hear from you|get your newsletter|get your ads)
(I opted out|I did opt out|I clicked unsubscribe) (but|and) (the mails keep coming|still get ads|nothing changed)
(make it stop|enough), (too much marketing|no more ads|no more promotion mails)
(end|stop) (these|the|your) (weekly|daily) (mails|newsletters|promotions)
(take|strike|remove) (me|my address|{email}) (off|from) (the list|your mailing list)
""", "unsubscribe, newsletter, too many emails, marketing mail, mailing list, stop emails, opt out, ads in my inbox, promotion mails, spam from you, weekly newsletter, take me off the list, no more ads")
more("privacy", """
(tell me|I ask) (what you have stored|everything you know|which details you keep) about me
is my (personal information|data|address) (passed on|sold|given) to (advertisers|others|partners)
(in which country|on which server|where) is my (data|information) (kept|stored|saved)
(I do not|I don't) (consent|agree) to (cookies|tracking|sharing my data)
(explain|send me) your (privacy rules|privacy policy|data protection rules)
(list|show me) (all|the) personal data (you hold|you have|your company holds)
""", "privacy, personal data, GDPR, data protection, cookies, data stored about me, copy of my data, privacy policy, share my data, advertisers, tracking, consent, information kept, third parties")
more("fraud", """
(criminals|thieves|strangers|hackers) (shop|buy things|order) (with|on) my (account|card|name)
(a sign-in|a login) from {city} (was not me|that I did not make)
(was I|have I been|am I) (hacked|scammed|robbed online)
(a caller|a man|someone) (pretended|claims) to be (from your company|your support) and (wanted|asked for) my (password|PIN|code)
(this mail|this message|the link) (looks like|seems to be) (phishing|a scam|fraud)
(someone|a thief) (stole|took) my (profile|account|identity|password)
(there are|I see) (orders|purchases|logins) I never made
""", "hacked, fraud, scam, phishing, stolen account, suspicious login, not me, identity theft, stranger in my account, fake email, criminals, orders I never made, misuse, hacker, pretended to be you, stole my profile")
more("app_crash", """
(a second|seconds|two seconds) after (I tap the icon|the start|I open it) the {app} (is gone|closes|vanishes)
(the {app}|it) (just shuts itself|dies at once|quits|stops) (without a message|with a blank screen|again)
(will not|won't|does not) (launch|start|open) (since the update|at all|any more), the {app}
I lost (all my work|my text|an hour of work) because the {app} (froze|crashed|closed)
(the program|the {app}) (hangs|freezes) (while saving|when I scroll|for a minute) (and then closes|and dies|)
(black|blank|empty) screen (after|when) (starting|opening|launching) the {app}
""", "app crashes, crash, keeps closing, freezes, will not launch, does not start, shuts down by itself, blank screen, app closes, hangs, program dies, crash on start, froze while saving, stopped responding, quits unexpectedly")
more("slow", """
(loading|opening|saving) (a page|anything|a file) (needs|takes) (a minute|half a minute|an eternity)
(typing|scrolling|clicking) (lags|is slow|comes with a delay|stutters)
(could you|please) (speed up|make faster) (the search|the {app}|the site)
the {app} (crawls|is a snail|is sluggish|has become sluggish)
(long|endless) (loading|waiting) times (again|today|everywhere)
I (wait|have to wait) {nn} seconds (per click|for each page|for every search)
""", "slow, very slow, lags, long loading times, takes forever to load, sluggish, speed, delay when typing, slow search, slow page, performance, half a minute per click, snail, stutters, waiting for the page")
more("export_bug", """
(pressing|clicking|hitting) (save|print|send|export) (has no effect|does nothing|gives an error)
the (totals|sums|dates|values) in the (report|list|table) are (miscalculated|wrong|mixed up)
(the PDF|the file|the export) (I export |)(is empty|has only empty pages|contains errors|is damaged)
(an error|a strange message|error {nn}) (pops up|appears|is shown) (whenever|when) I (import|save|upload|export) (a file|something|)
(sorting|filtering|searching) (the list|by date|by name) (puts everything in the wrong order|gives wrong results|does not work)
(looks like|this must be|I found) a bug
nothing is (stored|saved) when I (click save|close the window|leave the page)
""", "bug, error message, export fails, save does nothing, wrong numbers in the report, import error, function does not work, error code, empty PDF, miscalculated, button does nothing, wrong order in the list, feature broken, upload error")
more("integration", """
(which|what) endpoint (lists|returns|gives) (the orders|the users|all tickets)
(can|does) your (service|system|product) (talk to|work with|connect to) (our CRM|Slack|Zapier|our database)
(no|our) webhook (calls|events) (reach our server|arrive|are missing)
(the token|the key) is refused with (401|403|an error)
(is there|where is) (documentation|a guide) for (your REST interface|the API|developers)
(we are building|our developers build) (a connector|a plugin|an integration) and need (help|an API key|a sandbox)
""", "API, webhook, API key, token, endpoint, integration, connector, REST, SDK, developers, sync with our CRM, documentation for developers, 401, sandbox, connect to Slack, plugin, rate limit")
more("feature_request", """
(I wish|it would help if) the {app} (could|would) (remind me|work offline|show a map|have folders|speak German)
(have you considered|did you think about|why not add) (a dark theme|pinning notes|folders|colours|a timer)
(an improvement|one thing) I would (love|like|enjoy): (dark theme|offline use|folders|bigger text)
(just a thought|an idea): (let users|allow us to|please) (pin notes|choose colours|sort folders|print labels)
(a dark theme|an undo button|voice input|a calendar) would be (handy|lovely|easier on my eyes|so useful)
(please think about|my wish is) (adding|building) (a dark theme|reminders|a widget|voice input)
""", "feature request, suggestion, idea, wish, please add, dark mode, would be nice, improvement, new feature, it would be handy, why not add, proposal, could you build, I miss a function, would love to have")
more("outage", """
(all|every one) of (us|our colleagues|the users) (sees|see|get) (service unavailable|an error page|a timeout)
(your servers|the servers|all systems) (seem|are) (offline|down|dead|unreachable)
(not one|not a single) page (loads|can be reached|opens) (since {time}|today|)
(complete|total) (blackout|outage|failure) (of the {app}|for every user|since {time}|)
(the status page|your status) is red, (how long will it last|what happened|when is it back)
(is there|are you doing) maintenance, we cannot (reach|open) anything
""", "outage, service down, server offline, site is down, cannot be reached, service unavailable, downtime, maintenance, blackout, everything is offline, 503, nobody can open it, status page red, servers dead")
more("install", """
(setup|the installer|the update) (breaks off|stops|hangs|quits) (at {nn} percent|in the middle|every time)
my (Mac|PC|computer|tablet) (refuses|does not want) to (run the installer|install it|open the setup)
(can|will) (your software|the program) (run on|be put on|be installed on) (Linux|an old PC|a Mac|Windows)
version {n} (will not install|cannot be installed|does not go) over the old one
(stuck|waiting) on the progress bar (for an hour|since {time}|)
I (downloaded|have) the file, (what next|how do I install it|but it does not run)
""", "install, installer, setup fails, update stuck, download the program, progress bar, new version, cannot install, installation error, which system, Linux version, update failed, run the installer, administrator rights for setup")
more("upgrade_plan", """
(our team|the company) (grows|has grown) to {nn} people, (what would that cost|which plan fits|what is the price)
(quote|offer|tell) us (a price|the price) for (the business plan|{nn} seats|more storage)
(which|what) plan (has|includes|comes with) (more storage|unlimited users|phone support)
I (would like|want) to (move up|switch) from (free|basic) to (premium|pro|business)
(can|may) (seats|users|licences) be (added|bought) later
(how are|what do) (more seats|extra users) (priced|cost)
""", "price of the plan, pricing, upgrade, premium plan, pro plan, quote, more seats, licence price, plans, business plan, how much per month, price list, switch to pro, more storage, yearly price, move up to premium")
more("cancel_subscription", """
(I quit|I stop|I drop) (the monthly plan|my membership|my subscription|premium)
(let|please let) my (membership|subscription|plan) (run out|expire|end)
(no|without) renewal (please|of my plan|of the membership)
(the free trial|my trial) must not (turn into|become) a paid (plan|subscription)
what is the notice period (for my plan|if I drop my subscription|for members)
(from {month} on|next month) I (will not|do not want to) pay (for the premium plan|for my subscription|the monthly fee)
(confirm|tell me) the end date of my (plan|subscription|membership)
""", "cancel subscription, end my plan, stop renewal, auto-renew off, membership end, cancel the trial, no renewal, quit the monthly plan, notice period, drop my subscription, stop paying monthly, end of membership, let it expire")
more("printer", """
(sheets|pages|paper) get (stuck|jammed|torn) in the (copier|printer)
(someone|somebody|please) (has to|should|must) (change|refill) the (toner|ink|paper)
the (machine|printer|copier) on floor {n} (leaves stripes|prints nothing|beeps|blinks)
(black|grey) (stripes|spots) on every page (I print|)
(my laptop|my computer) (does not find|no longer finds|has lost) (the|any) printer
nothing comes out (of the printer|when I print)
the print (queue|job) is (blocked|stuck|frozen)
""", "printer, paper jam, toner, print queue, copier, scanner, cannot print, printing, ink, blank pages, stripes on the page, printer offline, double-sided print")
more("network", """
(the signal|the connection|wifi) (drops|breaks|disappears) every few minutes
(how do|which network should) (guests|visitors|we) (get online|join|use)
(the router|the box) (blinks red|has no light|must be restarted)
(connected|it says connected) (without|but no) internet
(working from home|at home) (the VPN|the tunnel) (throws me out|drops|fails)
I am (offline|disconnected|cut off) (again|all the time|since {time})
""", "wifi, network, no internet, VPN, router, connection drops, signal, offline laptop, guest network, access point, get online, disconnected, LAN cable, weak signal in the meeting room")
more("hardware", """
(water|coffee|tea) (ran over|fell on|got into) my (keyboard|laptop|computer)
(half of|some of|all) the keys (are dead|do not respond|are stuck)
(the notebook|my laptop|the computer) (gets boiling hot|screams|stays black|beeps)
(no picture|nothing|only lines) on my (second screen|monitor|display)
(the fan|the hard disk|the speaker) of my (laptop|PC) (is loud|screams|rattles|is broken)
pressing the power button does nothing, my (PC|laptop|work computer) stays (black|off|dead)
I need a (replacement|new battery|second screen|stronger laptop)
""", "laptop broken, keyboard, monitor, screen flickers, battery, computer does not turn on, notebook hot, fan loud, docking station, mouse broken, power button, second screen, spilled coffee, new laptop, charger broken")
more("software_access", """
(could somebody|please|who can) grant (me|us|{first}) (the rights|access|permission) (for|to) (the finance reports|the team folder|the wiki|the drive)
(we|I) (lack|miss) (permission|rights) to (edit|open|read) (the wiki|the folder|the file)
{name} (starts|begins) on {day} and (needs access|should be able to open the team folder|needs an account)
(the shared drive|the system|the folder) (tells me|says) I am not (authorised|allowed)
the (design program|editor|CAD tool) (asks for|wants) a licence
(give|take) {first} (rights|access) (to|from) the (project|archive|folder)
""", "access to the folder, permission, not authorised, shared drive, licence for the program, rights, grant access, new colleague account, user rights, permission denied, team folder, licence expired, access rights")
more("mailbox", """
(messages|mails) (that I send|I send) (come back|bounce|are undeliverable)
no (mail|message) (has landed|arrives|came) in my inbox since {day}
(outlook|my mailbox) says there is no space (left|)
(how do I|please) (tell people|set a message that) I am out of (office|the office)
(everything|all mail) from {company} (goes|lands) (straight |)in (the spam folder|junk)
my (inbox|outlook|mail program) (is frozen|shows nothing|lost all folders)
""", "mailbox full, outlook, inbox, cannot send email, mails bounce, out of office, spam folder, shared mailbox, attachment too big, undeliverable, mail program, signature, junk folder, calendar in outlook")
more("booking_change", """
(something came up|my boss needs me), (may we come later|can we take another date|we need a new date)
(shift|postpone|push|move) (our reservation|my trip|the stay|the appointment) (by a week|to {month}|to {date}|please)
(one more|another|an extra) (guest|person|child) (is joining|comes along|is coming), (please adjust|update) the booking
I would rather (take|fly|travel|come) (in the evening|on {date}|a day later)
(the trip|our stay|the dinner) has to be (postponed|moved|rescheduled)
(adjust|modify|edit) my (booking|reservation)
""", "change my booking, reschedule, rebook, another date, postpone the trip, move the reservation, one more guest, later flight, adjust the booking, different day, shift our stay, extend my stay, modify reservation")
more("booking_cancel", """
(the holiday|our trip|the journey) is off, (annul|cancel|drop) the (room|booking|seats)
(free|release|give away) our (table|room|seats), nobody (will come|comes)
(up to which date|until when) is (cancelling|calling off) a (stay|booking|trip) free
we (will not|won't) (fly|travel|come) (to {city} |)after all(|, cancel both seats)
(illness|an accident) in the family: (we must cancel|our reservation cannot be used|cancel the stay)
(call off|annul|void) (our stay|the reservation|my booking)
""", "cancel my booking, cancel reservation, trip is off, annul the room, cancellation fee, call off the stay, cancel the flight, cannot come, free our table, not travelling, cancel the room, void my reservation")
more("checkin", """
(our train|my flight) (reaches|arrives in|lands in) {city} (near midnight|late|at {time}), (who gives us the key|is the desk open)
(at which hour|by when) must (we|guests) (have left|leave|vacate) the room
(is|will) the room (be |)ready (before noon|early|at {time})
(may|can) (the suitcases|our bags) stay (at the desk|with you) until (our departure|the evening)
(boarding pass|online check-in) (missing|does not work|question)
who (hands|gives) (us|me) the key (at night|when we come late)
""", "check-in, check-out, arrival time, late arrival, room key, early check-in, boarding pass, leave the luggage, when is the room ready, departure time, night desk, key at midnight, vacate the room")
more("baggage", """
I landed in {city} (but|and) my (case|bag|suitcase) (stayed behind|did not|is not here)
(a|my) (brown|black|red) (suitcase|bag) (has vanished|is gone|disappeared) (at the airport|on the way|)
did (the cleaners|anyone|your staff) find (my glasses|my watch|a charger|my keys), I left (them|it) (there|in room {nn})
the (wheels|handle) of my (luggage|suitcase) (were torn off|broke|is gone) (during the flight|)
what (weight|size) may a bag have (on board|)
(I forgot|left behind): (my glasses|my phone|a jacket) (in the room|on the train)
""", "lost suitcase, luggage, baggage, bag missing, lost and found, left in the room, suitcase damaged, airport belt, hand luggage weight, forgot my glasses, case stayed behind, wheels torn off, baggage claim")
more("room_complaint", """
we (could not|cannot) sleep (a minute|at night), (loud music|noise|a party) next (door|to our room)
(cold water only|no warm water|brown water) in (the shower|our bathroom)
(the sheets|the towels|the carpet) (are dirty|have stains|smell|are wet)
(somebody should|please) (clean|fix|check) (the bathroom|our room|the heating) in (room |){nn}, it is (filthy|broken|cold)
(put|move) us (somewhere quieter|in another room|to a clean room)
it (smells|stinks) of (smoke|paint|fish) in (our|my) room
""", "dirty room, noisy room, loud neighbours, no hot water, room smells, heating broken, stains on the sheets, filthy bathroom, cannot sleep, another room, insects in the bed, air conditioning, quieter room, not cleaned")
more("card_lost", """
(pickpockets|thieves) in {city} (got|took|stole) my (purse|wallet|bank card)
(freeze|lock|stop|block) my (credit card|bank card|card) (right now|at once|please)
the machine (at the station|in {city}) (pulled in|ate|kept) my card
(how do I|please) order a (replacement|new one) for (the stolen card|my lost card)
(three times|twice) the wrong PIN, (now it is blocked|my card is blocked)
my (purse|wallet) is gone (with|and) (all cards|the bank card) (in it|too)
""", "lost card, stolen card, block my card, freeze my card, new bank card, cash machine kept my card, PIN, wallet stolen, pickpockets, replacement card, card gone, debit card lost, purse with the card")
more("transfer", """
{money} left my account (on {day}|) and never reached ({name}|the landlord|my brother)
(one digit|a digit) of the IBAN was wrong, (get the money back|what now|stop it)
I want to (wire|send|move) more than (the daily limit|my limit) (allows|)
(a|my) standing order (to my landlord|for the rent) was (not carried out|missed|wrong)
(sending|moving) {money} abroad, (what fee|how long|which way is best)
the money I (sent|wired) to {name} (is not there|did not reach the account)
""", "transfer, IBAN, standing order, wire money, send money abroad, transfer limit, money not received, wrong account number, bank transfer pending, daily limit, recall the transfer, transfer fee")
more("loan", """
(financing|money) for (a new kitchen|a car|a flat), (around|about) {money}, (is that possible|can I borrow that)
(which|what) (rate|sum) would we pay each month for a (house|car) loan
can the (mortgage|loan|credit) be paid off early
my application to borrow {money}: any (decision|news)
I am looking for a cheap (credit|loan|mortgage)
(we want|I want) to finance (a used car|a house|my studies)
""", "loan, mortgage, borrow money, interest rate, credit application, financing, house loan, car loan, monthly rate, repay the loan, pay off early, cheap credit, loan approved")
more("mobile_plan", """
(the new SIM|my phone) shows no (bars|network|signal) (at all|)
(gigabytes|my data) (all |)used up (and it is only the {n}th|again|already)
(travelling to|in) {city}: (can I surf there|is roaming included|does my contract work)
I (would like|want) to bring my old (phone |)number to (you|your network)
(switch|move) my phone to an eSIM
how much (data|volume) (comes with|is in) my (contract|plan)
""", "SIM card, eSIM, roaming, mobile data, gigabytes, phone contract, keep my number, no signal on my phone, data used up, minutes left, activate SIM, surf abroad, mobile network bars")
more("praise", """
(you|your team) made my day(|, thank you|, keep it up)
(hats off|big thanks|a big thank you|bravo) to (your support|your team|{first}|everyone)
I am (delighted|thrilled|so pleased|impressed)(|, the {item} is lovely|, it is even nicer than in the pictures)
(keep up the good work|keep it up)(|, you are great|, well done)
(could not be|never been) happier (with the {item}|with your service|as a customer)
(please tell|tell) {first} that (the help was brilliant|I am grateful|it was a pleasure)
(what a|such a) (friendly|nice|great|kind) (team|shop|person|service)
(quick|fast) and (kind|friendly) (support|help|people), (well done|I am impressed|I love it)
""", "thank you so much, great service, well done, love it, very happy, wonderful team, excellent support, five stars, delighted, impressed, hats off, brilliant help, friendly team, keep up the good work, perfect, best service ever, made my day, grateful")
more("staff_complaint", """
(the lady|the man|the girl) at the (counter|desk|till) (rolled her eyes|ignored me|was unfriendly|laughed at me)
(not one|none) of my (mails|calls|letters) (was answered|got an answer)
(the agent|they|someone) hung up on me
I have never been treated (so badly|so rudely|like this)
(shame on you|I am furious|this is outrageous)(|, nobody cares|, what a service)
(let me|I wish to) (talk to your manager|file a complaint|complain officially)
your (driver|waiter|agent|seller) (shouted|was shouting|swore) at (me|my wife|us)
(an hour|{nn} minutes) in the phone (queue|line) (for nothing|and no help|)
""", "rude staff, complaint, unfriendly, terrible service, nobody answers, ignored me, manager, hung up on me, worst service, shouted at me, no reply, treated badly, file a complaint, shame on you, on hold for an hour, impolite")
more("hours", """
(at which hour|when) do (the doors|you) (close|open) (on {day}|in {city}|)
(I would|can I) come by after work, is (somebody|anyone) (still |)there (at {time}|)
how do I (find|get to|reach) your (nearest store|shop|office) (from the station|in {city}|)
(closed|open) on (public holidays|{day}|Sundays)
on which days (can one visit|is open) (the branch|your shop|the store) (in {city}|)
(directions|the way) to your (shop|office|store)
""", "opening hours, when open, closing time, store location, open on Sunday, nearest shop, address of the shop, holidays open, parking, branch in the city, directions, doors close, visit the store")
more("job", """
(as a|I am a) (student|driver|nurse|cook) I would (love|like) to work for you (in the summer|in {city}|)
did my (resume|CV|application) reach (you|your HR people)
is the (vacancy|job|position) (in {city} |)still (to be filled|free|open)
(whom|who) do I (contact|ask) about (an internship|a job|a position)
(experienced|young|trained) (driver|cook|designer|nurse) (seeks|looks for|wants) (work|a job)
(do you need|are you looking for) (someone|a driver|help) in {city}
""", "job, vacancy, apply, CV, resume, internship, hiring, careers, open position, work for you, application, job interview, HR, seeks work, part-time job, employment")
more("partnership", """
(on behalf of|I write for) {company}, (I propose|we offer) (a partnership|that our firms work together|a deal)
for a (newspaper|magazine|radio) story I need (to speak with your press office|a comment|an interview)
could (a shop like ours|we|our store) (resell|sell|stock) (the {item}|your goods)
would you (put your logo on|sponsor|support) (our shirts|our football club|a school event)
(let us|can we) (talk about|plan) a (joint|common) (marketing campaign|project)
(wholesale|bulk) (prices|conditions) for (resellers|shops|{company})
""", "partnership, press office, sponsor, reseller, cooperation, journalist, wholesale, marketing campaign, work together, business offer, interview for a magazine, supplier, joint project, resell your goods")
more("human", """
(can|could) (somebody|a person|a colleague) (ring|call|phone) me (on {phone}|this afternoon|)
(machines|bots) do not (understand|help) me, (give me a person|hand me over)
(give me|what is) the number of your hotline
I (wish|want) to be called back (by an agent|today|)
(no|not a) (robot|bot|computer) please, (a real human|a person)
(hand|pass|put) me over to (a person|an agent|your team)
""", "talk to a human, real person, agent, call me back, hotline number, speak to someone, not a bot, connect me, phone call, human please, call back, live chat with a person")


def extra(key, lines):
    MORE[key] += [x.strip() for x in lines.strip().split("\n") if x.strip()]


# sentences whose words point in two directions: only the whole says what is meant
extra("late_delivery", """
I (ordered|bought|paid for) (a|my) {item} {when} and (it has not come|there is no trace of it|have not seen it since)
(the tracking|your tracking page|the link) (is empty|shows an error|knows nothing|has no news) and my (parcel|package) (is missing|did not come)
(can you|please) (ask|call|push) the (courier|delivery company|driver|post office) (about my parcel|to hurry|where they are)
the (delivery company|carrier|post office) (does not know|cannot tell me|has no idea) where (my package|the {item}) is
(other people|my friend|a colleague) (already got|have received) (theirs|the same {item}), (mine is late|mine has not come|where is mine)
(the gift|the present) (is for tomorrow|was for {day}) and (the parcel is late|the delivery did not come|still on its way)
(how much longer|how many more days) (do I wait|must I wait|will it take) (for the {item}|for my delivery|until it arrives)
(did|has) (my {item}|the package|the shipment) (get lost|got lost|gone missing|disappear) (on the way|in {city}|)
(every day|each morning) I (look|check) (at the door|the mailbox|outside), no (parcel|package|delivery)
(your|the) (estimate|delivery estimate) was wrong, (it is {days} days over|the parcel is not here)
""")
extra("damaged", """
(the courier|the delivery|the driver) (brought|left) (a|my) {item} (that is broken|with a crack|in a crushed box)
(I am attaching|I took|here are|see the) (a photo|photos|pictures) of the (broken|damaged|cracked|smashed) {item}
(after delivery|on delivery|when it came) the {item} (was already cracked|had a hole|was bent|was wet and damaged)
(delivered {when}|arrived {when}), (but broken|but damaged|completely smashed|with cracks)
(something|a piece) (is loose|rattles|broke off) (inside|in) the {item}
(bad|poor|thin) packaging, (so the {item} broke|the {item} is damaged|everything cracked)
(one|the left|the right|the top|the bottom) (side|corner|edge|part) of the {item} is (smashed|dented|cracked|crushed)
the {item} is (ruined|destroyed|wrecked|not usable|a wreck), (it was dropped|it came like that|the box was soaked)
(do you replace|can I get a new one for) (broken|damaged|cracked) (goods|items|things) (from delivery|)
I (paid|ordered) (for a new|a perfect) {item}, not (a scratched|a broken|a damaged|a dented) one
""")
extra("refund", """
(I returned|I sent back|you received) (the {item}|everything|my return) (but|and) (you have not paid|the money is still with you|I am not refunded)
(your email|your mail|your colleague) (said|confirmed|promised) (the refund|my money) (by {day}|within days|for {when})
(still|so far) no (refund|money|repayment) (in my bank account|on my statement|on my card)
(who|which department) (handles|processes|pays) (refunds|my refund|repayments)
(when|how) (is|will) (the {money}|my money) (be |)(refunded|repaid|credited|returned)
I (will call|am going to) (my bank|a lawyer|the police) (if|unless) (I do not get my money|you refund me|the refund comes)
(the return was accepted|you got the {item} back), (so pay|where is the money|but no refund)
(has|was) (my refund|the repayment) (been processed|been sent|booked|approved)
the cancelled order was (paid|expensive), (refund it|I need that money back|please give the money back)
""")
extra("login", """
(my|the) (password|login) (worked {when}|was fine {when}) and (now it does not|now I cannot get in|today it is wrong)
(your|the) (form|page|screen) (tells me|claims|insists) (my password is wrong|the login is invalid|I do not exist)
(I wrote down|I saved|I am sure of) my password (but|yet) (it is not accepted|login fails|it says incorrect)
(my wife|my son|a colleague|we) (changed|forgot) the password and (nobody can sign in|cannot log in)
(what do I do|what are the steps|where do I click) (if|when) I (forgot|lost|do not remember) (my password|my login)
(the forgot password|reset) (page|button|link) (does not help|is broken|sends nothing)
(signing in|logging in|login) (on my phone|with my email|on the {app}) (fails|is impossible|does not work)
(why|how come) (is my account|am I) (locked|blocked|locked out)
(let|help) me (back |)(into|in to) my account
""")
extra("double_charge", """
(I bought|I ordered|there was) (one|only one|a single) {item} (but|and) (you charged two|there are two charges|I was billed twice)
(on {day} and again on {day}|twice this week|two days in a row) you (charged|booked|took) {money}
(my bank|my banking app|the bank) (shows|lists|says) (two charges|a second charge|a wrong amount) (from you|of {money}|for the order)
(there is|it must be|I see) (a mistake|an error|something wrong) (in|with) (my bill|the billing|the charge|your billing)
(why|how come) (have you|did you|were) (billed|charged|booked) (me |)(for two|more than the price|again)
(the charge|the amount) on my (credit card|statement|account) is (higher|more|bigger) than (the price|the total|the order)
(explain|take back|correct) the (second|additional|extra|wrong) (charge|billing|booking)
I (ordered|bought) nothing (else|more|on {day}), (what is this charge|why is there a charge)
(charged|billed) (again|once more|a second time) (for the same order|for order {order}|although I paid)
""")
extra("returns", """
(I tried|after trying|I have tested) the {item} and (want to return it|it goes back|would like to give it back)
(my wife|my husband|my son|a friend) (already has|also bought|does not like) (this|the) {item}, (can I return it|so I want to send it back)
(what are|tell me) the (steps|rules|conditions) for (a return|returning goods|sending something back)
(who|do I|do you) (pay|pays) (the postage|for the return|the shipping) (when I send it back|of a return|)
(I hope|is it okay|is it a problem) (to return|to exchange|if I return) the {item} (without the box|after {days} days|)
(exchange|swap) the {item} for (the next size|a bigger size|a smaller one|another model)
the {item} (is nice but|works but) (too large|too small|not for me), (return|I will send it back|please take it back)
(start|open|register) a return for (the {item}|order {order}|my purchase)
(I have decided|I decided) (not to keep|to return|to send back) the {item}
""")
extra("app_crash", """
(my phone|my tablet|the computer) (throws me out of|kicks me out of|closes) the {app} (while typing|when I pay|every few minutes)
(I see|there is only) (the logo|a grey screen|the start screen) and then the {app} (crashes|closes|is gone)
(opened|clicked|touched) (a picture|a message|the settings), {app} (crashed|froze|stopped|closed)
(had to|I must) (restart|reboot) (my phone|the computer|the device) because the {app} (froze|hung|crashed)
(the newest|your latest|the new) (release|version|update) of the {app} (crashes|is unstable|stops) (on my device|on my phone|all the time)
(each time|whenever|when) (a call|a message|an alarm) comes (in|), the {app} (closes|crashes|stops)
(suddenly|without warning) (the {app} closed|the {app} was gone|back on the home screen)
the {app} is (unstable|not stable|crashing) (today|on my tablet|since {day})
it (crashes|closes|freezes) (right after|in the middle of|before) (the login|typing|the menu opens)
""")
extra("praise", """
(I never|I rarely|I don't often) (write|leave) (reviews|comments|messages like this) but (you are great|this was excellent|I am so happy)
(my mother|my husband|my son|the whole family) (loves|is happy with|is delighted with|adores) (the|her|his) {item}
(simply|really|truly|absolutely) (the best|great|wonderful|perfect|lovely)
(solved|fixed|answered) in (a minute|no time|five minutes), (great|wonderful|thank you|so friendly)
(a happy|a very happy|a satisfied) customer (here|again|says thanks)
(great|top|super) quality, (I will order again|I recommend you|thank you)
(a lovely|what a nice|such a) surprise(|, thank you all|, the {item} is beautiful)
(I will|we will) (tell my friends|recommend you|come again|order again)(|, great shop|, it was perfect)
(thank you all|thanks everyone|thank you to the team), (lovely|great|perfect) (work|help|{item})
""")
extra("fraud", """
(things|a {item}|something) (was|were) (ordered|bought) (in my name|with my account|to {city}) (by a stranger|and not by me|without me)
(a text|a message|an email) with your (logo|name) (asks|asked) for my (bank details|password|card number)
(I believe|I fear|I am worried) (someone has my password|it is fraud|a hacker is in my account|this is a scam)
(please |)(lock|secure|freeze) my account, (it was hacked|someone is using it|there is fraud)
my account (sent|wrote|posted) (messages|things) (I did not write|by itself)
(an unknown|a foreign) (person|device|user) (is in|uses|changed) my account
""")
extra("discount", """
(the shop|the site|the checkout) says (the coupon|my voucher|the code) (was already used|is not valid|does not exist)
(why|how come) (is|isn't) my (student discount|coupon|voucher) (not shown|missing|not counted) (in the basket|at checkout|)
(your advert|the flyer|the mail) (has|had|shows) a (promo code|coupon), (it takes nothing off|it does not work)
(can|may) (I|one) (combine|use) two (codes|coupons|vouchers)
(a code|a coupon|a voucher) worth {money} (is refused|does nothing|cannot be used)
I (signed up|registered) for (a coupon|a discount|a promo code) and (got none|it fails)
""")
extra("cancel_order", """
(my husband|my wife|someone) (already bought|also ordered) the (same |){item}, (so cancel mine|please cancel the order)
I (pressed|clicked|hit) (order|buy) (too early|twice|by accident), (cancel it|please stop the order)
(make sure|see to it that) (order {order}|my order) is (not sent|not shipped|cancelled)
(forget|drop|remove|delete) (order {order}|my order|the {item} order)
(take|strike) the {item} off (before you ship|my order)
""")
extra("outage", """
(your service|the site|your server) is not (responding|answering|working) for (any of us|all customers|anyone)
(we all|everybody here|all my customers) (get|see|have) (a timeout|an error page|no connection to you)
(is something wrong|what is wrong) with your (servers|site|service)
(our shop|our work|the office) (stands still|stops) because (your service|the platform) is (down|offline)
(unreachable|offline|down) for (everybody|all users|an hour) (in {city}|since {time}|)
""")
extra("warranty", """
(I have had|I own|we use) the {item} for {n} months and (it died|it simply stopped|it broke)
(the {item}|it) (does not switch on|stopped|quit) (any longer|after the winter|this week), (can it be fixed|do you repair it|what about the warranty)
(who pays|what does it cost) (for|to) (repairing|repair|fixing) (a|the) {item} (in the guarantee period|under warranty|)
(I kept|here are) the (papers|receipt), (please repair|fix) my {item} (under warranty|)
""")
extra("gift_card", """
(I want|I'd like) to (surprise|give) {first} (with |)a gift card (of {money}|)
my gift card (number|code) is not (recognised|accepted|found) (at checkout|)
(an old|my old) gift card, (is it still valid|has it expired)
""")

extra("late_delivery", """
(the delivery|my delivery) (window|slot|appointment) (passed|was missed|came and went) (without a parcel|and nobody came|)
(my|the) {item} (has been|is) on (the way|the road|a truck) for {days} days
(weeks|ages|{days} days) (behind|after) the (planned|promised|expected) (date|day), (no package|no parcel|my {item} is missing)
(shipped|sent|posted) (long ago|{days} days ago|last month) (but|yet) (not here|never reached me|nothing in my letterbox)
(was|is) my (order|parcel|{item}) (ever|really|actually) (sent|shipped|posted)(, nothing came|, I got no delivery|)
(the courier's|the carrier's) (depot|office|hotline) (has no record of my parcel|knows nothing about the package)
(out for delivery|on the van|in the depot) (since {day}|for days), (but never at my door|no parcel yet|what is this)
I (stayed in|stayed at home|waited in) for (the van|the courier|the delivery) (for nothing|in vain)
""")
extra("damaged", """
(shards|fragments|crumbs|broken bits) of (the {item}|glass|wood|plastic) (in|fell out of) the (wrapping|box|carton|bag)
(the {item}|it) (split|snapped|tore|broke) (in two|in half|apart) (in the post|during transport|on the way to me)
(deep|ugly|long|many) (scratches|cracks|dents|stains) (on|across|along|in) (the|my) (new |){item}
(the hinge|the lock|the leg|the arm|a button|the zip) (was|is|came) (snapped off|broken off|loose|torn) (on arrival|already|)
the (wrapping|box|outer carton) was (thin|weak|wet|torn open) so the (goods|{item}) (got crushed|suffered|broke)
(not acceptable|unacceptable|what a mess): (a broken|a cracked|a crushed|a shattered) {item}
it (leaks|wobbles|rattles) because it (was damaged|got broken|cracked) (in transit|in the mail|on the way)
""")
extra("refund", """
(I am owed|you owe me) (a refund|{money}|the full price) (for order {order}|since {day}|)
(pay out|release|transfer) (my refund|the money|what I paid)(, please| now| at last)
(the shop|the store|your branch) (took|accepted) the {item} back (but|and) (gave no money|no refund followed)
(I check|I look at) my (bank|account|card) (daily|every day), no (refund|repayment|money from you)
(three|two|five) (days|weeks) were (promised|announced) for the (refund|repayment)(, it is longer|, nothing yet|)
(finally|at last) (repay|refund|reimburse) me
the (reimbursement|repayment|refund) (of|for) the {item} (is overdue|takes too long|has not happened|never followed)
""")
extra("login", """
(the right|a correct|my usual) password (and|but) (still|yet) (no entry|no access|it refuses me)
(cleared|changed|deleted) my (browser|cookies|phone) and (now I cannot log in|the login is gone|my password is lost)
(neither|not even) my (email|username) (nor the old password |)(opens|unlocks) (the account|my account|it)
(give|send|mail) me a (fresh|new|temporary) password
the (link|page) (in|of) your password (mail|email|message) (is empty|is dead|leads nowhere|shows an error)
(my profile|my account|it) (is|says|shows) (locked|blocked|disabled)(, open it please|, why|)
(stuck|hanging) (at|on) the (login|sign-in|password) (page|screen|form)
""")
extra("double_charge", """
(two|three) (identical|equal|same) (payments|charges|debits|bookings) (within|in) (an hour|a day|one week)
(a duplicate|a doubled|a repeated) (charge|payment|debit|booking) (on my card|from your shop|of {money})
(reverse|undo|return|cancel) the (duplicate|double|second|extra) (charge|payment|booking)
(I authorised|I approved|I confirmed) (only one|just one|a single) (payment|charge)
(deducted|subtracted|withdrawn|taken) (double|twice|two times) (from my account|from my card|)
the (sum|amount|total) (deducted|charged|billed) (does not match|differs from|is above) the (basket|order|receipt|price)
I (discovered|noticed|saw|found) (a second|another|an unexpected) (charge|payment|debit) (for the {item}|in my account|)
""")
extra("app_crash", """
(I reinstalled|I updated|I restarted) (it|the {app}) (twice|again), (but it crashes|it still closes|still freezes)
(half way|in the middle|at the end) (through|of) (writing|a call|my work) the {app} (disappeared|went black|crashed|quit)
(the {app}|it) (quits|exits|closes|crashes) (whenever|as soon as|if) I (press|touch|open) (a button|the camera|a symbol|settings)
(I have to|I must) (kill|force close|shut down) the {app}, it (hangs|is frozen|does not react)
(no chance|impossible) to (use|open|run) the {app}, it (freezes|crashes|hangs) (after a tap|on the first screen|at once)
(my text|my draft|my photo) was lost when the {app} (crashed|closed|disappeared)
the {app} (went|turns|goes) (black|white|grey) and (stops|crashes|closes)
""")
extra("praise", """
(I am|We are|I'm) (over the moon|in love|so glad|more than happy) (with the {item}|with your shop|about it|)
(pass|give|send) (my|our) (compliments|thanks|regards|praise) to (the team|{first}|your colleagues)
(superb|outstanding|marvellous|splendid|top) (service|quality|{item}|help|support)
(only|nothing but) (praise|thanks|good words) (for you|from me|for your team)
(your|the) (patient|helpful|quick|friendly|kind) (answer|support|advice|colleague) (was great|helped a lot|deserves praise|made me happy)
(compared with|of all) (other shops|the shops I know), (you are the best|yours is a joy|yours is the nicest)
(just|simply) (perfect|lovely|brilliant|wonderful)(, from start to finish|, really|)
(it is|it was) a (joy|pleasure) to (shop with you|be your customer|use the {item})
""")
extra("job", """
(I am|my daughter is|my brother is) (looking for|searching) (work|a job|a position|an apprenticeship)(| in {city})
(would you|do you) (hire|employ|take on) (students|drivers|trainees|people like me)
(my|the) (job application|CV|application letter) (was sent|went to you) {when}, (any news|did you get it)
(who|which person) (is responsible|decides) for (hiring|applications|new staff)
(how|where) (can|do) (people|I) (apply|send an application) (at your company|with you|for a job)
(salary|working hours|pay) for the (job|position) in {city}
I (saw|read|found) your (job advert|vacancy|job offer)
""")
extra("returns", """
(ship|post|carry) the {item} back (to you|to the store|)
(no use|no need) for the {item}, (may I return it|let me send it back|I return it)
(is|would) a return (still |)(be |)(fine|possible|okay) (after use|when worn|without a receipt)
(which|what) (parcel service|post office|way) (is best|do I use) for (returning|sending back) (the {item}|it)
the (colour|look|material) of the {item} (is not right for me|does not suit me), (return|back it goes|how do I return it)
""")

# sentences that say nothing about the topic and stand anywhere
NEUTRAL = """my (daughter|son|husband|wife|mother|father|sister|brother|neighbour|boss|friend) (told me to write|sits next to me|says hello|is waiting)
(honestly|frankly|to be honest|actually|well|anyway), (I did not expect this|I am a bit surprised|here we go|this is new to me)
I (came home|got up|sat down|had lunch) (late today|an hour ago|and saw this|and thought I should write)
it (was|is) a (long|nice|rainy|busy|quiet) (day|week|morning|evening)
(unfortunately|luckily|funny enough|strangely), (I have little time|I am at home|it is like that)
I (usually|normally|often|rarely) (write|call|come to you) (with questions|about such things|by phone)
according to (my notes|my calendar|my husband|your site) (it is so|that is right|this is the place to ask)
(could|can|would) you (believe it|tell me more|be so kind|have a look|explain that)
I have (tried everything|looked everywhere|waited long enough|read the help page|no clue)
(what a week|good grief|oh dear|no joke|seriously|believe me)
(by the way|as I said|just so you know|in case you wonder), my (name|city|number) is ({first}|{city}|{order})
I (hope|think|guess|suppose|believe) (you can help|this is the right place|somebody reads this|it is easy for you)
(my|our) (dog|cat|garden|car|kitchen|school|office) (is fine|is big|keeps me busy|needs me)
(this|that) (happened|started|was) ({when}|on {day}|at {time})
(please|kindly) (reply|write back|answer|react) (quickly|when you can|before {day}|to {email})
(thank you in advance|many thanks in advance|thanks for reading|thanks for your time)
I (work|live|study|am on holiday) (in {city}|at home|near {city}|with {first})
(two|three|several|many) (people|friends|colleagues) (said the same|know about it|laughed)
(simply|clearly|surely|finally|properly|hardly) (put|said|explained), (that is it|that is all|I mean it)
(let me know|tell me|inform me) (what happens next|what you need|how to continue|if you need more)"""
ASIDE_LINES = NEUTRAL.split("\n")

# words that may stand for each other in any ticket
SYNONYMS = [x.split("/") for x in """parcel/package/packet
broken/damaged/wrecked/ruined
fix/repair/mend/sort out
help/assist/support
quick/fast/speedy/swift
buy/purchase/get
bought/purchased/got
show/display/list
problem/issue/trouble/difficulty
error/fault/failure/mistake
please/kindly/pls
big/large/huge
small/little/tiny
picture/photo/image
strange/odd/weird/funny
start/begin/open
stop/halt/end
wrong/incorrect/false/not right
angry/mad/furious/annoyed
happy/glad/pleased/content
tell me/let me know/inform me
today/this morning/tonight/now
colleague/coworker/teammate
company/firm/business
shop/store
phone/mobile/smartphone
trip/journey/travel
ask/enquire/find out
missing/absent/not there/gone
arrived/came/turned up/reached me
send/mail/post
received/got/was given
change/alter/modify/switch
delete/remove/erase
cancel/call off/annul
very/really/so/extremely
nobody/no one/not a soul
always/constantly/all the time
again/once more/another time
money/cash/funds
price/cost/amount
customer/client/buyer
email/mail/e-mail
website/site/web page/homepage
need/require/must have
want/would like/wish
cannot/am unable to/fail to
use/work with/operate
month/few weeks
old/former/previous
new/fresh/brand new
car/van
house/home
answer/reply/respond
notice/see/spot
try/attempt
closed/shut
everyone/everybody/all
maybe/perhaps/possibly
finish/complete
terrible/awful/horrible/dreadful
great/excellent/wonderful/fantastic
crack/split/break
friendly/kind/nice""".split("\n")]
CONTRACT = {"do not": "don't", "does not": "doesn't", "did not": "didn't", "is not": "isn't", "are not": "aren't", "was not": "wasn't", "cannot": "can't", "will not": "won't", "has not": "hasn't", "have not": "haven't",
            "I am": "I'm", "I have": "I've", "I would": "I'd", "it is": "it's", "could not": "couldn't", "would not": "wouldn't", "that is": "that's", "what is": "what's", "where is": "where's", "you are": "you're", "we are": "we're", "should not": "shouldn't"}
