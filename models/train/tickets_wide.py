"""Knows still more ways to say each topic: whole sentences in many registers, so that money, goods, accounts and feelings are met
in far more words than one scheme of templates gives. Training only; check_held.py compares them with the held-out sentences."""

WIDE = {}


def wide(key, lines):
    WIDE[key] = [x.strip() for x in lines.strip().split("\n") if x.strip()]


wide("late_delivery", """
(a fortnight|three weeks|nine days|a whole month) after (paying|ordering) I (still have not seen|am yet to see|have seen nothing of) my {item}
(the hallway|our porch|the front step|my letterbox) is as empty as ever, no sign of (the box|your parcel|that {item})
your driver marked (the shipment|it|my parcel) as (handed over|delivered|signed for), (but nobody was home|nobody here signed anything|I never held it)
(can someone|would you|please) (trace|locate|track down|hunt for) (parcel {order}|the shipment|my consignment|the box with the {item})
(the neighbours|my landlord|the concierge|reception) (did not take in|know nothing of|never saw) (any parcel|a package for me|my delivery)
(next day|express|overnight|same day) shipping was (promised|what I paid for), it is {day} now and (nothing|no van|no knock on the door)
(I took a day off|I rearranged my week|I cancelled plans) to (be in for|receive|wait for) the (courier|delivery|shipment) and (no one turned up|it was all for nothing)
the (depot|sorting centre|warehouse|hub) in {city} has (been sitting on|held|kept) my (parcel|box|order) since {day}
(still in transit|on its way|awaiting pickup|label created): that is all (the app|the tracker|your page) (tells|has told) me for (a week|{days} days)
(it is taking|this takes) (an eternity|longer than a sea voyage|far too long) for (one small {item}|a simple parcel|the {item}) to (travel|make its way) from {city}
(we moved|they moved|you pushed back) the (slot|date|arrival) (again|for the third time|once more), when do I actually (get|see|hold) the {item}
the {item} was (a present|meant) for (the wedding|his birthday|the party|Christmas), now the (day has|party is|date has) (gone by|over|passed) and it (has yet to show up|is still somewhere on a truck)
(no|not one) (notification|card|slip|message) from the (postman|courier|carrier), no (box|parcel|package) either
I (keep refreshing|stare at|look at) the tracking (page|map|number) (all day|every hour), the (dot|status|van) does not move
(is|could) my (order|consignment|shipment) (lying|stuck) (somewhere|at the border|in customs|in a depot)
you (wrote|told me|assured me) that it (left|was dispatched|went out) {when}, yet (it has not reached|nothing has got to) {city}
(dispatch|shipping) was confirmed {days} days ago and I am (empty handed|still waiting at the window|still without it)
(the eta|the arrival date|the forecast) (slips|changes|moves) (every morning|each time I look), what is holding (my order|the parcel|it) up
(the post|the carrier) (says it will|claims to) try again tomorrow, (they said that|same as) (yesterday|last week) and (never do|no parcel came)
(has|did) (anybody|anyone) (even|actually) (pack|hand over|post) my {item}? The (promised|stated|agreed) week (is over|ran out)
our office (needed|counted on) the {item} (by|for) {day}, the (late|missing|delayed) shipment (costs us money|holds everything up)
(half|one) of the two (parcels|boxes|packages) (got here|came), the other one is (still travelling|overdue|somewhere on the road)
(weather|strike|holiday) or not, (eleven|twelve|twenty) days for (a parcel|shipping|a letter sized box) is too (slow|long)
I (live|am) only (an hour|{nn} km) from your (warehouse|store), how can (bringing|delivering|sending) a {item} take (weeks|so long)
(the man|a lady) from the parcel shop says (nothing has come in|no package lies there) under (my name|{name}|{order})
(they|the couriers) keep (driving past|skipping) our (house|street), the {item} (goes round in the van|never gets handed over)
(the status|the tracking) jumped back (from out for delivery to|to) (warehouse|in transit|processing), (where is it now|so no parcel today)
(please|kindly) (hurry|push|chase) the (freight|transport|haulage) company, our (goods|chairs|pallet) should have (been|got) here on {date}
(no {item} at my door|nothing at the door) (even now|as of tonight|this week either), (am I forgotten|has it vanished)
I (expected|hoped) to (wear|use|hand over) the {item} on {day}, (it did not make it|it is still in the mail)
(received|got) a (mail|text) saying (your parcel is coming|we are on our way), then (silence|nothing) for {days} days
the second attempt (failed too|never happened), (the van|the courier) (stayed away|did not stop here)
shipment {order} (is past its date|should be here by now|ran {days} days over)
(when on earth|when exactly|on which day) is the (postman|van|shipment) (finally |)coming with my {item}
(a colleague|my cousin|my friend) ordered later than me and (holds|has) (hers|his) already, (mine is still out there|I am still waiting)
(I wonder|we wonder|one wonders) if the {item} will (ever|some day) (get|make it|find its way) to {city}
(the lorry|the truck|the ship|the plane) with my {item} (must have|seems to have) (got lost|taken a detour|broken down)
(promises|nice words|excuses) do not (bring|deliver) my {item}, it is {days} days (late|overdue|behind schedule)
(my patience|the grace period) (is over|has ended|runs out): (where have you left|what happened to|who has) my parcel
(the baby is born|the holiday is over|winter has ended) (and|but) the {item} I ordered in time (is not here|did not come|is still under way)
(please|could you) (let me know|say) (the reason for the wait|why it is delayed|what delays the package|which day it comes)
(I called|I rang|I phoned) (the carrier|the parcel service|the post) (three times|twice), (they cannot say when|no one knows where it is|it is just late)
(somebody|a person) must know (where|in which van|at which stop) my (order|parcel|{item}) (is|got stuck|remains)
""")

wide("damaged", """
(unboxed|unwrapped|took out) the {item} and (found|saw|discovered) (a hole in the side|the base split in two|the lid in shards|cracks everywhere)
(the top|the back|the front panel|the left arm) (has been|was|is) (caved in|crumpled|dinted|splintered), the {item} (cannot be used|looks terrible)
(whoever carried|the way someone threw) this (box|parcel) (wrecked|destroyed|ruined) the {item} (inside|)
(half|some|most) of the (plates|glasses|tiles|pieces) were (in shards|shattered|chipped) when I (lifted|took) them out
the carton (looks like|seems as if) (a truck drove over it|it was kicked|it fell down the stairs), so does the {item}
(paint|varnish|enamel) is (flaking|chipped|scraped) off the {item}, (brand new|straight from the courier|and I just opened it)
(the fabric|the leather|the seam|the lining) of the {item} (is ripped|has a tear|is slashed|came torn) (right out of the bag|on arrival|)
(liquid|oil|paint|shampoo) (leaked|spilled|ran) (inside the carton|all over the {item}|during transport) and (spoiled|stained|ruined) (it|everything)
(I sent|I enclose|please find|attached are) (pictures|snapshots|a video) (showing|of) the (dents|broken leg|smashed corner|split frame)
the {item} (wobbles|will not stand|does not close|is crooked) because (a leg is snapped|the frame got bent|the hinge broke) (on the way|in shipping|)
(fragile was written|it said fragile) on the (box|outside), (nobody cared|still it got smashed), the {item} is (in bits|in splinters)
it (rattled|jingled|sounded like broken glass) when (I picked up the parcel|the courier gave it to me), (no wonder|as I feared), the {item} is (smashed|in bits)
(my brand new|the freshly delivered|this new) {item} is (scuffed|marked|scraped|dinged) (all over|on every side|badly)
(that|this) {item} is (a total loss|beyond repair|good for the bin only), it was (squashed|flattened|crushed) (in the van|in transit|under other boxes)
(the packing|the padding|the foam) was (useless|much too thin|missing), (so|and) the {item} (got a crack|was squashed|took a knock)
(one of the|two of the) (wheels|legs|shelves|doors|drawers) (came|is|arrived) (snapped|loose|split|broken off)
the (display|glass|screen|mirror) (shows|has) a (spider web|long line|star) of cracks, (it was like that in the box|first thing I saw)
(could you|will you|please) (swap|replace|exchange) the (smashed|dented|torn|chipped) {item} that (came|was handed to me) {when}
(do not|never) ship (glass|a {item}) in (a paper bag|such a thin box) again, (mine broke|it is in a hundred pieces)
(we|I) refused to (sign|accept) at first, since the (pallet|parcel) was (soaked|torn open|flattened) and the {item} (bent|mouldy|smashed)
the {item} has (mould|rust|water marks|a burn mark|a bite mark) on it, (fresh from the box|delivered like that)
(a screw|a nail|a knife) went (straight |)through the (box|foil|package) and (pierced|scratched|tore) the {item}
(everything|the whole set|all six) (arrived|came) (in crumbs|bent|squashed|in fragments)
(my son cut his finger on|watch out for) the (shards|splinters|sharp edge) of the (cracked|broken|shattered) {item} you (sent|shipped)
the handle (fell|came|broke) off the (moment|second|instant) I (unpacked|lifted|touched) the new {item}
(the goods|items) of order {order} were (harmed|hurt|spoiled|crushed) (in transport|by the carrier|on the journey)
who (is liable|pays|answers) for (transport damage|a {item} broken in the mail|what the courier smashed)
(such a pretty|a lovely) {item}, (but|if only) it (were not cracked|had not come chipped|had arrived whole)
(defective|faulty|dead) on arrival: the {item} (has a crack|is snapped|is all dented)
it (survived|lasted) not even the (trip|journey), the {item} is (kaputt|broken into two|done for)
(inside|under) the wrapping (I saw|was|there is) (a dented|a torn|a splintered|an ugly scratched) {item}
(packaging intact|the box itself is fine), (contents|but the thing inside is) (shattered|cracked in the middle|broken apart)
(it is|it was) (not whole|in a sorry state|in poor shape|unusable) when (the postman handed it over|it got here|I lifted it out)
(look at|please see) the (picture|photo|clip): the {item} (has|shows) (a gash|a bend|deep marks|a broken edge)
(the delivery firm|the driver|transport) (mistreated|was rough with|must have dropped) (it|the crate), (now|so) the {item} is (cracked|bent|in two)
(I can hear|there is) something (loose|rattling|broken) in the new {item}, (it took a hit|the post was rough)
(the {item}|my order) (did not survive|suffered in|was harmed by) (the shipping|the journey|the mail)
(unusable|worthless|ready for the bin): (a bent|a crushed|a cracked|a torn) {item} (came|was brought) (today|{when})
(two|some|several) (of the|) (parts|corners|sides) (arrived|came) (squashed|broken|snapped)
""")

wide("refund", """
(I handed|we brought|my wife took) the {item} back (to the shop|over the counter|to the branch) {when} and (am yet to be repaid|the money never followed|saw no money since)
(it has been|already) (a month|six weeks|{days} days) and my (bank balance|account|credit card) has not (grown by a cent|gone up|changed)
(how come|why) (do you sit on|are you holding on to|do you keep) my (money|cash|{money})
(according to|if I believe|says) your (mail|letter|chat) the (sum|amount|money) was (sent back|credited|repaid) on {date}, (my bank disagrees|I cannot find it)
(a credit note|a voucher|store credit) is no (good|use) to me, I (want|asked for|insist on) (cash|real money|the sum) back
(please|kindly) (wire|return|put) the (purchase price|full sum|whole amount|{money}) (back to|into|onto) my (bank account|card|paypal)
the {item} (was useless|never worked|never came), so (give|hand|pay) me (what it cost|back what I spent|the price)
(when|by which date) (can|may|should) I (expect|count on|see) (the repayment|the credit|my {money}) (for|of) (the return|order {order})
I (got back|was repaid|received) (just|only) {money} (out of|instead of|of) {money}, (the rest is open|where is the remainder|who keeps the difference)
(your accounts team|finance|the cashier) (forgot|keeps forgetting|has still) to (repay|reimburse|settle with) me
(do I have to|must I) (beg|fight|sue) for (my own money|the refund|what you owe me)
(the postage|shipping fee|delivery charge) (was to be|should be|has to be) (given back|refunded|returned) too
(I am entitled|the law entitles me|I have a right) to (my money|a full refund|reimbursement) (for|because of) the {item}
(we agreed|the deal was|it was settled) that you (pay|transfer|give) (the money|{money}|everything) back, (do it|I am waiting|where is it)
you (accepted|registered|confirmed) my return (on {date}|{when}), (since then no|yet not a single) (payment|euro|transfer)
(the tickets|the booking|the course|the concert) (was|were) (called off|cancelled by you), I want (every cent|the fee|the money) back
(wrong|an old|a closed) (account|card|IBAN) (was used|is on file) for the (repayment|refund), (please send it again|the money bounced)
(out of pocket|short of {money}) (since|because) you (have not|never) (refunded|repaid|credited) (order {order}|the {item}|me)
(it says|status) refund (in progress|pending|initiated|approved) for {days} days (now|), (that is no help|when is it done)
(settle|clear|square) (your debt|the open amount|what you owe) (with me|for the returned {item}) (please|now|this week)
I (would appreciate|demand|request) (reimbursement|repayment|compensation) of {money} (for the {item}|for the trouble|at once)
(the guarantee|your site|the leaflet) says (satisfied or|happy or) money back, (I am not satisfied|so I claim it)
(my card|my old card) (expired|was replaced) (meanwhile|since), (does the refund|can my money) still (get to me|arrive)
(cancelled|sent back|rejected) the {item}, (but|and) you (kept|still have) (my payment|my {money}|the fee)
(who do I|where can I) (turn to|ask|complain) about (a repayment|money you owe|a refund) that (never|has not) (came|shown up)
(not even|I have not got) (one cent|a penny|a dime) of the {money} (so far|back|until today)
(could you|please) (speed up|look into|check on) (the repayment|my reimbursement|returning my funds)
the seller (promised|swore) to (give me back|return|repay) (the {money}|my cash) (last month|by {day})
(I paid in advance|I paid upfront) for a {item} you (cannot|could not) (deliver|supply), (return the sum|so my money please|repay me)
(a partial|half a|an incomplete) refund (came in|arrived), (I expected|it should be) the (whole|full) {money}
(bank says|my bank writes) (nothing pending|no incoming payment) from {company}, so (the refund was never sent|where did you send it)
after (sending|taking|shipping) it all back I (am waiting|sit here waiting) to be (repaid|reimbursed|compensated)
(transfer|book|credit) (it|the amount|the money) (back to me|to my account), (you have the {item}|I returned everything|as agreed)
(you|the shop) (keep|kept|hold) (money|a sum|{money}) that (is mine|belongs to me|I should have back)
(I paid|I spent) {money} and (sent|gave|took) the (thing|{item}|goods) back, (so|now) (I wait for|where is) the (payback|money)
(no goods|no {item}|nothing delivered), (so no payment|then money back|I want the price returned)
(is|was) the (repayment|payout|money) (on its way|sent|transferred|approved) (yet|already|by now)
(my claim|my application|my form) for (repayment|a refund|money back) (lies|sits|rests) (on someone's desk|with you) since {month}
(put|place) the (amount|sum|{money}) on the card I (used|paid with)
(you never|nobody) (gave|paid|sent) me (back |)(the fee|the {money}|what I paid)
(even|still) (after|with) {n} reminders (no one|nobody) (repaid|refunded|reimbursed) (me|the {money}|us)
""")

wide("login", """
(typed|entered|tried) my (credentials|user name and password|details) (ten times|over and over), (no luck|it will not open|access refused)
(my brain|my memory|my old notebook) (has lost|does not hold) the (password|passphrase|user name) (any more|), (help me get in|what now)
(the door|my account|the {app}) stays (shut|closed|locked) (for me|whatever I type), (although|even though) the (password|details) (is right|are right)
(I switched|after switching) to a new (phone|tablet|browser) (and|) the {app} (does not recognise me|wants me to sign in and refuses|has logged me out for good)
(invalid|unknown|incorrect) (credentials|user|password|login): (this is all I read|that message greets me each time)
(let me|I just want to|I need to) (enter|reach|open) my (own account|profile|customer area), (it is barred|the login bounces me)
(forgotten|mislaid|lost): (one password|my login data|the password for {email}), (please reset|can I get a fresh one)
(I press|after pressing|hitting) (sign in|log in|enter) (and|) the (page|form|screen) (just reloads|blinks|comes back empty)
(someone set up|my late husband set up|my boss created) the account and (nobody knows|took along|I do not have) the password
(the mail|the message|the letter) with (my initial|the first|the starting) password (never reached me|got deleted)
(face id|my fingerprint|the thumb scan) (stopped|no longer|does not) (letting me in|work to sign in|opens the {app})
(because of|after) (too many|several|five) (failed|wrong) (tries|entries|attempts) you (froze|suspended|locked) my (access|account|user)
(could you|please) (re-enable|reactivate|unfreeze|free) (my user|my access|the account of {email})
(how|where) (does one|do you|can I) (recover|restore|regain) (access|entry|a lost login)
I (stand|am standing) (before|in front of) a (locked|closed) (account|profile) and (have no key|know no password)
(which|what) (email|address|user name) (did I register with|is my login), I (forgot|cannot remember)
(my kids|the cat|someone) (changed|reset) the (password|passcode) and now (I am out|the {app} throws me out)
(the {app}|your portal) (says|thinks|claims) (there is no such user|I do not exist|that address is unknown) when I (sign|log) (in|on)
(every|each) (morning|monday|time) it (asks|wants) me to (log in again|enter the password again) and then (rejects|refuses) it
(being|I am) (kept out|barred|excluded) from (the members area|my own profile|the {app}) (since {day}|for days)
(the link|the button) to (choose|set|pick) a new password (is dead|has run out|goes to an empty page)
(nothing|no mail|no link) comes when I (click|press|ask for) (forgot password|reset my password|send link)
(caps lock is off|I checked the spelling), (yet|still) (my password is called wrong|it tells me wrong password)
I (signed|logged) (out|off) (by accident|yesterday) and (now there is no way back in|cannot return)
(help an old lady|as a beginner I ask|simple question): how do I (log on|sign on|get into my account)
(my login|my sign-in|access) (broke|died|failed) (after|since) (the update|you changed the page|I moved to a new computer)
(google|apple|facebook) (sign-in|login) (leads nowhere|does not let me in|ends at an error)
(session expired|you are signed out|please authenticate), (again and again|says the {app}), (I never get inside|cannot stay logged in)
(please|kindly) (grant|give) me (entry|a way) (to|into) my account again, the (old|current) password (fails|is dead)
(today|since lunch) (nobody in our family|neither I nor my wife) can (get into|sign in to) (the shared account|our account)
the (user name|login) {email} and its password (are refused|do not open anything)
(my access data|my login details) (do not work|are no longer valid) (on the {app}|any more|)
(enter|recover|get back) my (account|profile), (how|please), (the reset|the mail with the link) (does not come|is missing)
(unlock|open) (it|my access|the user) for me, I (mistyped|entered it wrong|guessed) too often
(I am|we are) (unable|not able) to (sign on|enter|log on) (with|using) (my mail|my usual data|the right password)
""")

wide("double_charge", """
(one purchase|a single order|one {item}), two (withdrawals|debits|deductions): (that cannot be right|one too many)
(a closer look|looking) at my (bank statement|card bill|account) (reveals|shows) {money} (booked|taken|withdrawn) on two (days|dates)
(I was|we were) (made to|forced to) pay (double|twice over|two times) for (the same thing|one {item}|order {order})
(the till|the cashier|the terminal) (ran|swiped|put) my card (through |)(two times|twice) and (billed|booked) me (double|two times)
(the receipt|the order page|the mail) says {money}, (the bank|my card|the statement) says {money}
(there is|I count) {money} too much on (this month's bill|the bill|my statement)
(a mystery|a strange|an unexplained) (deduction|withdrawal|debit|fee) of {money} (from you|by {company}) (sits|appeared) on my (account|card)
(you|the system) (debited|billed|charged) me after I had (cancelled|paid|settled) (already|everything)
(where does|what is) the (surcharge|extra fee|extra {money}|added amount) (come from|for) (on my bill|)
(I never|nobody) (signed|agreed|subscribed) (up |to |)(for|to) (this fee|that amount|paying {money}) (a month|each month|)
(the sum|the figure|the total) (you took|on my card) (differs|is different) from (what I agreed to|the price I saw)
(correct|check|review|recalculate) my bill, (I pay|you want) (more|far more) than (the contract says|we agreed|the offer)
(two|three|several) (transactions|entries|lines) from {company} for (just one|the very same) (purchase|{item}|order)
(the instalment|the monthly fee|my rate|the subscription fee) (was|got) (collected|taken|drawn) (twice|a second time|two times) (in {month}|this month|)
(the discounted|the advertised|the catalogue) price was {money} (but|yet|and) you (billed|took|deducted) {money}
(my wife and I|both of us|both cards) (were|got) (charged|billed) for (one|the same) (dinner|order|{item})
(reading|checking) (the bill|my statement) I (noticed|found) (you billed us double|the same line twice|too high a sum)
(please|kindly) (void|strike|take off|remove) the (duplicate|surplus|mistaken|repeated) (entry|transaction|amount)
(why|for what) (am I|are we) (paying|being billed) (again|for things I never bought|for two)
(tax|shipping|the tip|service) was (added|counted|calculated) twice, (the amount is wrong|so I paid too much)
(I only bought|there was just) (one|a single) {item}, (the card|the bank|the bill) (counts|has|shows) (two|three)
(billing|invoicing|the accounting) went wrong: {money} (instead of|rather than|and not) {money}
(overbilled|overpaid|taken too much) by {money}, (please verify|check the amount)
(my account|our account) was (hit|debited) by the same (sum|payment|amount) (again|once more) (on {day}|)
a (hidden|second|doubled) (fee|booking|payment) (ate up|took) {money} of my (account|balance)
(you have|your shop has) (helped yourselves to|drawn|collected) {money} more than (due|allowed|I owed)
(the charge|this payment) (is not|was not) (what I consented to|authorised|approved), (one was enough|please explain)
(compare|look at) the (booking|debits) of {date} and {date}: (identical|the very same), (a mistake|someone pressed twice)
(one bill|a single item|one dinner), (yet|but) (my money|the sum|{money}) (is gone|left) twice
(I suspect|I think|I believe) (you billed|your till billed|they booked) me (too much|more than once|double)
(the amount|the sum|what) you (collected|withdrew|took) is {money} (above|over|more than) the (receipt|price|agreed one)
(the statement|my bank) (lists|has) (another|an extra|one more) (charge|entry) (after|besides) the (right|first|real) one
(paying|to pay) (once|one time) is (enough|fair|normal), (twice|two times) is (not|too much)
(I am being|we are being) (billed|charged|debited) (over and over|again and again|each week) (for one thing|for order {order}|)
(an overcharge|a wrong sum|a false amount|a mistake) of {money} on (my|the) (bill|card|receipt)
""")

wide("job", """
(I have just|my sister has|my friend has) (finished|completed) (school|training|university) and (seeks|is hoping for|would love) a (position|place|start) (at|with) {company}
(your|the) (advert|posting|ad) for a (cook|clerk|driver|nurse|baker) (caught my eye|sounds good|interests me), (can I still apply|what do I do)
(enclosed|attached|below) (is|you find) my (curriculum vitae|cover letter|application|resume)
(how much|what) (does one|would I|do you) (earn|pay|make) as a (driver|waiter|cleaner|junior designer) (with you|at {company}|)
(do you|would you) (train|recruit|engage|take) (apprentices|graduates|interns|temps|older people)
(I can|able to|willing to) (start|begin) (at once|on {date}|next month), (need anyone|any opening for me|is there work)
(after|since) my (interview|trial day|application) {when} I (have heard nothing|wait for your decision|am curious how it went)
(is|are) there (night|weekend|holiday|seasonal|remote) (shifts|jobs|work) (to be had|going|free) (at your {city} site|)
(which|what) (qualifications|skills|papers|degree) (must|should|does) (an applicant|a candidate|one) (have|bring) for the (post|role|position)
(I would|my son would) (fit|be a good addition to) your (team|crew), (twelve years|ten years|lots) of experience as a (baker|plumber|teacher)
(looking|searching|hunting) for (employment|a new challenge|a summer job|a traineeship), (do you have something|any chance at {company})
(who|whom) (reads|receives|handles) (applications|resumes|CVs) (in your company|at {company}|)
(a career|working) (at|with) {company} (is my dream|sounds great), how (do I start|can I become part of it)
(the deadline|closing date) for (applying|applications), (when is it|has it passed)
(may|can) I (do|complete) (a placement|my practical term|work experience) (with|at) {company} in {month}
(my|the) job interview on {day}: (whom do I meet|what should I bring|can it be moved)
(the position of|the post as|role:) (accountant|designer|lawyer|warehouse worker), is it (taken|vacant|still open)
(does the job|is the position) (come with|include) (insurance|a company car|home office|holidays)
(unemployed|between jobs|retired) but (eager|keen) to work, (what can you offer|do you hire)
(I speak|with) three languages and (a licence|good grades), (may I work for you|is there a place in your team)
(recruiting|recruitment|HR department|your personnel office): (a question about|status of) my (candidacy|application)
(I was turned down|you rejected me) {when}, may I (apply again|send a new application)
(part time|twenty hours a week|mornings only), is such a (job|post) (on offer|possible) (at your shop|in {city}|)
(wanted|needed): (staff|helping hands|salespeople), (so says your window|I read in the paper), I am (interested|available)
(please consider|consider) me (for|as) (the role|a trainee|your new driver|an assistant)
(hire me|employ me|give me a chance), I (work hard|learn fast|am reliable)
(references|a certificate|my diploma) (can be|will be) sent, (what else do you need for the application|is that enough to apply)
""")

wide("app_crash", """
(boom|zack|puff), (and|) the {app} (was gone|vanished|shut) (while|just as) I (was typing|wanted to pay|looked at a photo)
(I tap|tapping|pressing) (any|the first|the blue) (button|icon|tab) and (the whole|) {app} (collapses|dies|bails out|drops me to the desktop)
(the screen|my display|everything) (freezes|locks up|goes dead) (inside|within|in) the {app}, (only a reboot helps|I must pull the plug)
(unexpectedly|abruptly|out of nowhere) the {app} (quit|terminated|ended|exited) (on me|in the middle of a form|)
(a pop-up|a window|a box) says the {app} has (stopped working|ended unexpectedly|stopped responding)
(it opens|it loads) (for|) a (blink|moment|split second) (and|then) (is closed|disappears|falls shut) again
(can't|cannot) get past the (splash|start|welcome|logo) (screen|page), the {app} (hangs|dies) there
(three|five|ten) (crashes|freezes) (in|within) (an hour|one day|a row), your {app} (is a disaster|needs repair|is not usable)
(rotating|turning) (my phone|the tablet|the screen) (kills|crashes|closes) the {app}
(the camera|the map|the chat|the player) inside the {app} makes (it|everything) (crash|freeze|shut down)
my (unsaved|half written) (note|letter|form) (was lost|went up in smoke) as the {app} (crashed|died|hung up)
(reinstalling|deleting and reinstalling|updating) (did not cure|changed nothing about) the (crashes|freezing|sudden closing)
(on my old|with my new|on every) (phone|tablet|laptop) the {app} (gives up|breaks down|falls over) (at once|after a minute)
(not responding|does not respond), that is what (the window|the task list) says about your {app} (all day|)
the {app} (stalls|locks|jams) (at|when|on) (loading|scrolling|saving) and (must|has to) be (killed|ended|forced to quit)
(I see|there comes) (a flash|the first page) and (bang|then) the {app} (is off|closes down|drops out)
(the latest|yesterday's|your) (patch|release|update) (broke|ruined|wrecked) the {app}: it (will not run|crashes right away|no longer opens)
(opening|viewing|sending) a (file|message|picture|video) (brings|knocks) the {app} down
the {app} (eats|drains) (the battery|all memory) and then (crashes|shuts|kills itself)
(since|ever since) (the system update|{day}|I changed my phone) the {app} (refuses to start|is dead|falls shut on launch)
(in the middle of|during|halfway through) (a game|a video|checkout|a meeting) the {app} (froze|blacked out|quit)
(the program|the {app}) (kicks|throws|boots) me out (to the home screen|every other minute|when I upload)
(constant|endless|daily) (freezing|crashing|hang-ups) of the {app}, (fix it|what a pain|I am fed up)
(a crash|a freeze) (report|log) is (attached|on its way), the {app} (goes down|dies) (whenever I sync|on opening)
(just|only) a (spinning wheel|hourglass|black window), then the {app} (closes|crashes|is gone)
(black|empty|white) (display|window) (instead of|and not) the (start page|menu) of the {app}, (then it ends itself|and it hangs)
(typing|clicking|swiping) (two|three) times is enough to (crash|hang|freeze) the {app}
i (cannot|can't) keep the {app} (open|running) for (more than|over) a minute
""")

wide("praise", """
(what can I say|wow|hurray|oh my), (I am|we are) (overjoyed|beaming|enchanted|in heaven) (with|about) (the {item}|your shop|how this went)
(your {item}|this {item}|the new {item}) (exceeds|beats|tops) (everything|all I hoped for|every other one I had)
(a heartfelt|a warm|a huge|my sincere) thank you (goes |)to (all of you|the lady at the desk|{first}|the whole crew)
(it is|it's) (rare|seldom) to (meet|find|get) such (courtesy|care|attentive staff|kind people) (these days|)
(I take my hat off|chapeau|three cheers|applause) (to|for) (the craftsmen|your crew|{first}|you all)
(I shall|we will certainly|I will gladly) (be back|buy here again|stay loyal|spread the word)
(from order to delivery|from the first call to the last|start to end) (all was smooth|a dream|flawless|pure joy)
(your man|the mechanic|the waiter|the technician|the nurse) was (an angel|a gem|so patient|a true gentleman)
(the quality|the finish|the taste|the comfort) (is second to none|blew me away|is superb|speaks for itself)
(my old mum|our baby|grandpa|my girlfriend) (beams|smiles|sleeps well|is so happy) (thanks to|since we have|because of) (your|the) {item}
(ten out of ten|full marks|top grade|a plus), (nothing to improve|I would change nothing|simply first class)
(you rock|you are heroes|you are the best|you guys are awesome), (never change|stay as you are|that is all)
(I recommend|I keep recommending) you to (everybody I meet|my neighbours|all my friends), (because|since) you are (so good|reliable|kind)
(the fastest|the kindest|the smoothest) (service|help|advice) I (ever had|have known|got anywhere)
(sparkling|tidy|charming|gorgeous) (room|place|shop|{item}), (heavenly|delicious|wonderful) (food|bed|experience), (we enjoyed every minute|we loved it)
(my problem|the trouble|the mess) was (gone|sorted|history) in (minutes|no time), (bravo|hats off|I am so relieved and grateful)
(please|do) (give|tell) {first} a (raise|hug|big thank you) (from me|), (she|he) (was fantastic|saved my day|went the extra mile)
(it made|that put|this brought) (us|me) (a smile|so much joy|a happy tear|sunshine)
(worth|well worth) (every penny|the money|the wait), (I adore|we adore|I am crazy about) (it|my {item})
(no complaints|nothing to complain about) (at all|whatsoever|this time), (on the contrary|just compliments|only kind words)
(I felt|we felt) (welcome|well looked after|at home|treated like royalty) (in your shop|at {company}|in {city}|)
(how|so) (thoughtful|sweet|generous|kind) of you to (add a card|include a gift|call me back), (I was touched|it made me smile)
(congratulations|kudos|respect) (on|for) (such a|this) (marvellous|well made|clever|lovely) {item}
(I have been|being) a customer for (years|{n} years) and you never (disappoint|let me down)
(pleasantly|positively) surprised by (the {item}|your speed|the friendly voice on the phone)
(splendid|magnificent|delightful|terrific|gorgeous), (that is my verdict|that is what we think|what else can I say)
(the event|the dinner|the concert|our stay) was (magical|unforgettable|a delight|the highlight of our year)
(happy|glad|relieved|grateful) (beyond words|as can be|like a child), (that {item} is a gem|you did so well)
(could you|please) (forward|hand on|pass) (this praise|my gratitude|these kind words) to (your boss|the kitchen|the team)
(well made|beautifully made|solid), (comfortable|elegant|handy), (a joy to use|I love to look at it)
(thumbs up|a big like|two thumbs up|gold star) (for|to) (your colleagues|the {item}|this shop)
(thanks to|because of) {first} (I could finish|my day was saved|our holiday was perfect), (wonderful|lovely) (person|woman|man|colleague)
(everyone|all of us) (at home|in the office|in the family) (raves about|is a fan of|enjoys) (your {item}|it|the {item})
(friendly faces|good mood|kind voices) (everywhere|all around), (keep going|I will return|that is how it should be)
(I must|I have to|let me) (say|tell you|admit) (how good|how lovely|how well done|what a treat) (this|your work|the {item}) (is|was)
(my|our) (compliments|respect|thanks) (to the chef|to your staff|to the makers|for the work)
(never|rarely) (before|) have (we|I) been (looked after|served|helped|advised) so (well|kindly|warmly)
(such|what) (warm|great|fine|attentive) (hosts|people|staff|hospitality), (we felt at home|thank you|we will be back)
(I am|we are) (amazed|astonished|speechless|stunned) (at|by) (the quality|how fast you are|how good it looks|your kindness)
(excellent|superb|perfect) in (every way|all respects|each detail)
""")

wide("wrong_item", """
(in the carton|under the lid|inside) lay (a|some) {item}, (which|that) (nobody here|no one) (ordered|asked for)
(the receipt|my order) (names|lists) a {item}, (the content is|you packed|I unwrapped) a {item}
(you|they) (confused|mistook) (me with another buyer|my order for someone else's|two customers)
(left shoe right|size 38 ordered|medium ordered), (the wrong one|size 44|extra large) (delivered|sent|in the bag)
I (clicked|chose|paid for) (oak|cotton|leather|steel), (this is|you sent) (plastic|pine|wool|paper)
(this parcel|the box) has (my name|my label) on it (but|yet) (strange|other|unknown) (goods|things|stuff) (in it|inside)
(a totally|an entirely|a quite) different (article|thing|version|edition) (than|from the one) (I picked|on my order|in the photo)
(could you|please) (trade|swap) this (mistaken|incorrect|foreign) {item} for the (right|real|ordered) one
(blue is not green|a lamp is not a {item}|that is no {item}), (someone grabbed the wrong box|please look at my order)
the (barcode|article number|sticker) is (right|correct), (the thing|what is) inside is (not|another)
(we|I) (got|were given) (version two|the old model|the left handed one|the kids size) (instead of|rather than) (version three|the new one|the adult one)
(not mine|not ours|never ordered), (this|that) {item} must be for (somebody else|{name}|another house)
""")

wide("missing_parts", """
(the instructions|the leaflet|page two) (mention|talk of) (bolts|a hex key|a strap|feet), (I find none|there are none in my parcel)
(one sock|one glove|one speaker|one shoe) of the (pair|two) is (absent|not there|lacking)
(counting|after counting) (twice|again), I (am short of|lack|still miss) (a hinge|four bolts|one shelf|the adapter)
(how am I|how are we) (supposed|meant) to (build|mount|hang) the {item} without the (brackets|bolts|frame|plug)
(the accessories|the spare bag|the second half|the lens cap) (were|was) (left out|not packed|nowhere) (in the box|)
(a gap|an empty slot) in the (box|foam) where the (cable|remote|battery) (should be|belongs)
(ordered|paid for|bought) (a set of six|three|a dozen), (received|got|counted) (five|two|only ten)
(please|could you) (send on|supply|post) the (lacking|forgotten|remaining|absent) (piece|parts|screws|items) (of|for) (the {item}|order {order})
(incomplete|only part|not everything) in (delivery|parcel|order) {order}, the {item} (was left out|did not come along)
the {item} is (useless|no good) (without|if) (its|the) (power cord|lid|stand|key) (is not there|)
(somebody|your packer) (overlooked|left out|did not put in) (the manual|half of it|the cushion|two legs)
""")

wide("returns", """
(it pinches|it is tight|the sleeves are long|it hangs on me like a sack), the {item} (has to|must) go back
(tried on|tested|looked at) the {item} and (it is not me|we do not get along|my wife says no), (taking it back possible|how can I give it back)
(wrapped up again|packed and ready|never worn), the {item} (waits|wants) to (be picked up|be sent back to you|go home)
(what is|how many days is) the (period|window|limit) for (bringing back|handing back|giving back) (goods|a {item})
(do you|will you) (take|accept) (back|returns of) (opened|worn|sale|used) (things|clothes|goods|items)
(a parcel sticker|a label|the slip) for (the way back|the return journey|sending it to you), (where do I print it|please)
(a size up|one size smaller|the blue one|another cut) would (suit|fit) me, (trade|exchange|swap) possible
(I ordered|we ordered) three to (try|choose from), two (of them |)(go back|will be returned)
(double present|got it twice|received the same gift), (so|) one {item} (should go back|may I return it|I want to give back)
(at which|in which) (counter|shop|branch) (may|can) I (drop off|hand in|leave) (a return|goods for return|the {item})
(is it|must it be) in the (original|old) (carton|wrapping|bag) when I (bring|send|give) it back
(second thoughts|on reflection|thinking again), I (do not|won't) keep the {item}, (return|sending it back)
(free|paid) returns? (what does|how much is) (sending|posting) (the {item}|it) back
(the courier|a van) could (fetch|collect|pick up) the {item} I (am sending|want to send|give) back
(withdrawal|right of withdrawal|fourteen day rule): I (use it|send the {item} back|return the goods)
(the heel|the colour|the shape|the feel) (is not my thing|disappoints me|is off), I (return|will give back) the {item}
""")

wide("payment_failed", """
(at the till|in the basket|on the final page) (my money is not wanted|the terminal says no|it will not take payment)
(the bank|my bank) (says|confirms) all is (fine|in order), (only|but) your (shop|checkout|terminal) (blocks|refuses|rejects) the (card|payment)
(entered|typed) (the numbers|the CVC|my IBAN) (with care|three times), (rejected|could not process|not authorised)
(pay now|buy now|confirm payment) (loads forever|jumps back|gives a red box)
(apple pay|google pay|klarna|direct debit) (spins|hangs|breaks) (and|then) (says|shows) (try again|unsuccessful)
(how|in what way) (else|) can I pay if (my card|paypal|the terminal) (keeps refusing|is turned away)
my (purchase|basket|order) (never goes|does not get) (through|past the payment step)
(insufficient|do not honour|3d secure failed|transaction denied): (that|this) is what (I read|the screen says) when I pay
(want to|ready to|trying to) (spend|pay) {money}, your (system|site) (does not let me|stops me|says declined)
(both my wife's and my|two different) (cards|accounts) (bounce|fail|are denied) at (your checkout|the last step)
(the payment|paying) (hung|stalled|timed out) (half way|at the bank page), was it (paid|booked) or not
""")

wide("invoice", """
(the tax man|our auditor|the insurance|my employer) (asks for|demands|wants) (written proof|the bill|a proper receipt) (of|for) (the {item}|order {order})
(could you|please) (draw up|make out|print|reissue) (the bill|an invoice|a receipt) (in the name of|to) {company}
(which|in which) (menu|folder|tab) (holds|has) my (bills|receipts|invoices|paperwork)
(the figures|the date|the VAT line|our name) on (the bill|invoice {order}) (is|are) (off|not right|wrong), (please issue a new one|correct the document)
(no|without) (paperwork|slip|bill) (was enclosed|in the parcel), I (need it|want one) for (the warranty|my files|tax)
(year end|quarter end|our books): (all|the) invoices (of|from) {month} (please|are needed)
(a duplicate|a second copy|a scan) of the (bill|receipt|invoice) (would do|is enough|please)
(we deduct|I deduct) it from tax, so (the VAT|the tax number) must (appear|stand) on the (bill|document)
(send|mail|fax) the (paper|document|bill) (for|of) (my purchase|the {item}) to {email}
(receipt|bill) (washed|torn|faded), (can you print it once more|I need another)
""")

wide("cancel_order", """
(scrap|drop|kill|annul|revoke) (that|my|the last) order (before|if) (it goes out|you pack it|anyone packs it)
(oops|sorry|my bad), (wrong click|that was a slip|I hit the button too soon), (no {item} please|take the order out)
(kindly|please) (refrain from|do not bother) (sending|packing|preparing) the {item} (I asked for|of {order})
(is there|any) (chance|way|time left) to (back out of|get out of|pull) (the purchase|order {order}|my {item} order)
(we no longer|nobody here) (need|needs|wants) the {item}, (strike it|remove it from the list|cancel it)
(another shop|the shop next door|ebay) has it (cheaper|today), (so|hence) I (withdraw|cancel|take back) my order
(do not|please don't) (dispatch|hand over|process) (order |){order}
(my order|the order) of {when} is (void|to be cancelled|no longer wanted)
(order|purchase) {order} (may|can|should) be (stopped|dropped|scrapped), (I changed plans|thanks)
(too late|still time) to say no to the {item} I (bought|ordered) (this morning|an hour ago|{when})
(pull the brake|stop everything), I (do not|no longer) want (what I bought|the {item})
(delete|erase) the {item} from (what I ordered|my purchase), (the whole order|all of it) (please|in fact)
(the boss said no|budget is gone|we have no money), so (cancel|withdraw) (the purchase|order {order}|all {n} pieces)
(ordered|bought) (drunk|half asleep|in a rush|by my toddler), please (undo|reverse|cancel) (it|the order)
(can you|could someone) (catch|intercept|hold) my order (before it ships|in the warehouse), I (want out|do not want it)
""")

wide("change_address", """
(the moving van comes|we relocate|we leave our flat) on {date}, (bring|send|take) the (parcel|{item}) to {street} (then|please)
(I shall be|we are) (on holiday|at my sister's|in hospital) then, (deliver|drop) (it|the {item}) (next door|at {street}|at {city})
(my|the) (door|house|flat) number (is|reads) {nn} and not {nn}
(I wrote|I put|the form has) the (wrong|previous) (town|street|zip), (the right one is|correct is|should be) {street}
(please|kindly) (amend|alter|fix|adapt) the (shipping|postal|drop off) (data|details|address)
(goods|parcels|letters) for (me|us) (now|from {month}) go to {street}, {city}
(can you|could the courier) (leave|bring) (it|the box) at (my job|the back door|the office in {city}) (and not|rather than) at home
(no longer|not any more) at {street}, (new place|now living at|we are at) {street}
(reroute|divert|redirect) (shipment|order) {order} to (a pickup point|my parents|{city})
(swap|switch) the destination (of my order|) from {city} to {city}
""")

wide("discount", """
(the saving|the rebate|my bonus|the ten percent) (vanishes|disappears|is not taken off) (at the till|when I pay|on the last page)
(typed in|entered|pasted) (FALL{nn}|HELLO{nn}|FAMILY{nn}) and (the shop laughs at me|nothing got cheaper|the sum is unchanged)
(is there|do you run|have you got) (a sale|black friday prices|some bargain|a cheaper deal|a bonus) (on the {item}|for seniors|for two|this week)
(a leaflet|the radio|your own mail) (announced|promised|spoke of) (half price|{nn} percent less|a special price), (the shop wants the full sum|where is it)
(my loyalty points|bonus points|stamps), (can I turn them into|do they give) (money off|a reduction|a coupon)
(this|the) (promotional|welcome|referral|birthday) (code|coupon|offer) is (worthless|dead|turned away)
(why|how come) do I (pay|see) the (regular|full|normal) price (although|when) I (have a code|am a member|got a voucher)
(sadly|unfortunately) I (paid|checked out) before (entering|using|finding) (the coupon|my voucher), (can it be added later|still count it)
(how|where) does (a|the) (coupon|promo|rebate) (go|get in|be used), I see no (box|field|place)
(students|soldiers|pensioners|groups) (get|have|enjoy) a (rebate|lower price|reduction), (how do I claim it|right)
(buy two pay one|three for two|bundle price) (is not counted|does not show|does not work) (for the {item}|)
(offer|action|deal) (over already|ended early|not valid), (but the date says {date}|your banner is still up)
the (rebate|coupon|code) (only took off|gave) {money} (instead of|and not) {money}
(can|could) (you|your team) (send|give|offer) me a (fresh|new|working) (coupon|promo code|voucher)
""")

wide("stock", """
(shelves|the shelf) (empty|was bare) in {city}, is the {item} (to be had|obtainable) (anywhere|online)
(is|are) (the|any) {item} (on hand|at hand|in the warehouse|left for me)
(reserve|put aside|keep|hold) one {item} for me (if|when) (it comes in|you have it|there is one)
(next|another) (shipment|delivery|batch) of the {item} (from the maker|), (when is it due|when do you get it)
(notify|ping|alert|tell) me (the moment|as soon as) the {item} (can be bought|is orderable|comes in) again
(gone|vanished) from the (catalogue|shop|list): the {item}, (do you still make it|will it return)
(how big|what) is your (supply|inventory) of {item}, (I want|we need) {nn} (of them|pieces)
(pre-order|preorder) (the|a) {item}, (possible|can I), (since|as) it is (unavailable|not out yet)
do you (keep|stock|have) spare parts or (colours|sizes) of the {item}, (say in red|like XXL)
(last|final) {item} (sold|gone), (more to come|when do new ones land)
""")

wide("warranty", """
(barely|hardly|just) (a year|{n} months) (of use|old) and (the motor|the pump|the screen|the heating) of my {item} (is dead|burned out|gave in)
(used it|I used it) (gently|once a week|normally), (still|yet) the {item} (conked out|packed up|died on me|broke down)
(the maker|the manufacturer|your leaflet) (promises|grants|gives) (two|three|five) years, (mine|my {item}) (failed|died) (before that|in the second year)
(who|which workshop) (services|mends|repairs) (a|my) {item} that (no longer heats|makes smoke|went silent|lost its power)
(is|would) (wear|a dead battery|a broken button|the motor) (be |)(included|covered|part of it) (in|by) the (guarantee|cover|warranty)
(must I|do I have to) (register|show the slip|keep the receipt) to (claim|use) the (guarantee|warranty)
(send in|bring in|post) the {item} for (service|inspection|a check), (it broke down in {month}|it has a fault)
(a spare part|new motor|new battery|a fix) for my {n} month old {item} (please|at no cost|under guarantee)
(after|following) (one winter|{n} months|many washes) the (zip|seam|blade|lamp) (came apart|quit|failed) on the {item}
the {item} (leaks|smokes|sparks|squeaks) since {month}, it is (not even two years|just {n} months) old, (repair please|guarantee case)
(extended|longer|extra) (warranty|cover|protection) for (the|my) {item}, (how long|does it help now that it broke)
(the repair shop|your technician) wants money, (yet|though) the {item} is (under guarantee|within the two years)
(it ran|it served me) (well|without trouble) (until|till) {when}, now my {item} is (out of order|kaput|lifeless), (fix it please|a case for repair)
(when|until when) does the (guarantee|cover) of (the|my) {item} (bought in {month}|) (end|run out)
(mending|servicing|overhauling) (of|) the {item}: do you (do that|offer it), it (stopped|jammed|wore out) after (a year|long use)
""")

wide("gift_card", """
(aunt {first}|my team|the office) (handed|slipped|presented) me one of your (gift cards|gift vouchers), how (is it used|do I spend it)
(the plastic|the paper) gift card from (the supermarket|your {city} shop) (cannot be read|was never activated|is blank)
(scraped|scratched) the (silver|grey) field of my gift card (too hard|), (digits gone|the number is unreadable)
(how much|what sum|what credit) (sits|remains|is stored) on (gift card |my gift voucher ){order}
(print|email|post) a gift card (over|worth|of) {money} to {email}
(may|can) (one|I) (combine|join|add up) (several|two|three) gift cards (in|for) one (purchase|order)
(my|the) gift card (went through the wash|was in the lost wallet|got thrown out), (is a replacement possible|can it be blocked)
(does|do) (gift cards|a gift voucher) (lapse|run out|go bad|end) (some day|after years|)
(spent|used) {money} of my gift card, (what is left|where is the rest of the credit)
(choose|pick) the (design|amount|picture) of a gift card (for my mum|for {first}), (how does that go|please help)
(turn|change|convert) my gift card (into|to) (cash|euros), (allowed|is that possible)
(a gift card|gift voucher) as a (present|prize|thank you) for {nn} employees, (how do I order so many|is there a bulk order)
(the recipient|{first}) (says|claims) the gift card (is empty|has zero on it|had been used)
(can|does) the gift card (work|count) (online|abroad|for sale items) (as well|)
""")

wide("verification", """
(the digits|six numbers|the passcode) you (text|send) (arrive|come) (an hour later|when they are stale|never)
(an old|my dead|a lost) (handset|number|phone) (gets|receives) the (codes|one-time passwords), I (do not|have no access to it)
(enter the code|confirm it is you), says the (page|app), (which code|none was sent|I have no code)
(backup|recovery|rescue) codes (are gone|lost|used up), the (second factor|authenticator) (blocks me|asks for more)
(resend|send again) (does nothing|brings no text|is greyed out), I (need|await) the (pin|code|digits)
(how do I|please) (move|transfer) the (authenticator|two-step login|second factor) to (my new phone|another number)
(two-step|two-factor|double) (check|login|security) (annoys me|is too much|should be off), (remove it|can it be disabled)
(the text|SMS|push message) with the (login|security) (number|code) (stays away|does not ring|is not coming)
your (code|pin) (is always one behind|expired before I typed it|was refused as old)
""")

wide("close_account", """
(strike|wipe|purge) (me|my user|my data and account) (from|off) your (system|books|site) (completely|for ever)
(I am done|I quit|farewell), (please|) (dissolve|shut|remove) (my account|the account {email})
(no wish|no desire|no reason) to (stay|remain) (a member|registered) (here|with {company}), (delete me|end it)
(how|where) (does one|do I) (resign|sign off|deregister) (for good|as a user|from the {app})
(my son|my mother|the company) no longer (needs|uses) (his|her|its) account, (take it down|please delete)
(permanently|irrevocably|fully) (delete|close|cancel) (my registration|my user profile|my membership account)
(I set up|I opened) an account (by mistake|twice), (remove|delete) (one|it)
(make|let) my (profile|account|user) (vanish|disappear|go away) (please|today)
""")

wide("account_details", """
(divorced|newly wed|renamed), I am {last} (these days|now), (kindly adapt|please change) (my data|the profile)
(another|a fresh|my private) (mobile|phone|mail) (should be|must be) (saved|stored|on file): {phone}
(you have|the system has) me as (Mr|Mrs|male|female), (that is wrong|please change it)
(my date of birth|my first name|the title) (was|is) (mistyped|entered wrongly|not mine) in (your files|the profile)
(swap|replace|overwrite) (the old mail|my contact data|the number) (with|by) {email}
(update|refresh|amend) my (file|record|data|contact details), (new number|new mail) {phone}
(how can|where can) one (alter|edit|adjust) (a user name|one's profile|the contact person)
(nickname|display name|avatar|language) of my (user|profile), (how do I change it|I want another)
""")

wide("unsubscribe", """
(enough is enough|mercy), (your adverts|the bulletins|these promos) (clog|fill|flood) my (inbox|mail)
(I tick|I ticked|I unticked) (no mail|no news) (and|yet) (the circulars|ads|weekly letters) (keep|go on) coming
(strike|scratch|drop) {email} from (your distribution|every list|the mailing)
(neither|no) (offers|promos|news), (not for me|leave me alone|I do not read them)
(how|where) (can|do) I (opt out|sign off|cancel) (of|from) the (bulletin|newsletter|mailings)
(a mail from you|an ad|a promotion) (each|every) (day|hour|morning) is (too much|madness), (stop that|end it)
(I never gave|who gave you) my (address|consent) for (advertising|marketing|mass mail)
""")

wide("privacy", """
(disclose|reveal|tell me) (which records|what files|what notes) (exist|you keep) on (me|my person)
(who|which companies) (reads|sees|receives|buys) (my personal details|the data I leave here|my shopping history)
(on what legal basis|why) do you (store|collect|process|record) my (location|birthday|voice|data)
(article 15|a subject access request|data subject request): (please answer in 30 days|I want all my records)
(do you|does the {app}) (track|follow|profile|spy on) me (across sites|with cookies|)
(your data officer|the person for data protection), how do I (reach|contact) (him|her|them)
(anonymise|erase|blank out) what you (recorded|stored|hold) about (my family|me|my child)
(is|are) (my chats|my calls|my documents) (encrypted|kept private|safe from others), (who has a look|how long kept)
""")

wide("fraud", """
(a crook|some thief|an impostor|a con man) (is using|goes shopping with|has taken over) my (identity|user|account)
(purchases|payments|bookings) in {city} (which|that) (nobody in my house|I certainly never) (made|ordered|authorised)
(a text|a caller|a letter) (claiming|pretending) to come from {company} (wants|demanded|begged for) my (bank data|codes|card details)
(beware|careful|I report): a (fake|forged|copied) (site|shop|mail) (in your style|with your logo|under your name)
(my mail address|my number|my details) (was|were) (leaked|stolen|abused), (now odd logins appear|someone orders in my name)
(I fell for|I was tricked by|my mum fell for) a (trick|con|fake page|swindle) and (gave away|typed in) (the password|my PIN)
(three logins|access|sign-ins) from (russia|{city}|a foreign land) (last night|while I slept), (not by me|an intruder)
(freeze|secure|protect) everything, (a stranger|someone|an intruder) (is inside my account|has cracked my password)
(I want to|let me) (report|flag) (a swindle|identity theft|an abuse|a criminal)
(an unknown|some strange) (delivery address|card|device|person) (was added|appeared) in my (profile|account), (I did not do that|am I being robbed)
(is it|was that) (really you|your company|genuine), the (call|message|link) asking (to confirm my card|for money)
(money|points|credit) (was|were) (drained|stolen|siphoned off) from my account by (someone|criminals|a hacker)
(somebody|a third party) (impersonates|poses as) (me|you) (and sells {item}|on the internet|)
(suspicious|dubious|shady) (things|movements|entries) on my account, (check for misuse|I suspect foul play)
(I got|there came) a bill for (a phone|goods|a {item}) (which somebody|that a cheat) (bought|ordered) (with my data|in my name)
""")

wide("slow", """
(the hourglass|a spinner|the wheel) (turns and turns|is all I see) before (anything|one page|a list) (shows up|opens)
(patience|tea breaks|a nap) is what the {app} (demands|needs) (between|for) (two clicks|each view)
(response|reaction|load) time(s are|) (awful|above {nn} seconds|unbearable) (in the afternoon|today|)
(it drags|it creeps|everything crawls) (since|ever since) (the redesign|{day}|the last version)
(do something about|please improve|tune) the (pace|tempo|speed) of (your {app}|the search|the uploads)
(my old computer|the fax) was (faster|quicker) than (the {app}|your new page)
(a report|one photo|a simple list) (loads|takes) {n} minutes, (that is too long|it used to be instant)
(sluggish|laggy|jerky) (scrolling|menus|typing) (in|on) the {app}
""")

wide("export_bug", """
(the column|the chart|a row|the footer) (is missing|doubles|shifts|overlaps) (when I export|in the printed list|after saving)
(umlauts|accents|special characters|dates) (turn into|become|show as) (question marks|garbage|boxes)
(undo|copy|drag and drop|the filter) (is faulty|misbehaves|acts up|does the opposite)
(adding|summing) up gives {nn} where (it should be|I expect) {nn}, a (calculation|rounding) (fault|bug)
(an exception|null|undefined|stack trace) (appears|is printed) (on|when) (clicking|opening|editing) (a record|the table)
(my entry|the form|the comment) (is not kept|gets lost|reverts) after (pressing|clicking) (ok|apply|save)
(CSV|Excel|PDF) (download|file|output) (comes out|is) (garbled|blank|cut off|broken)
(steps to reproduce|how to see it): (open the list, click sort|choose a date, press save), (wrong result|error)
""")

wide("integration", """
(our|the) (backend|script|robot|shop system) (cannot|does not) (authenticate|talk|post|reach) (against|to|) your (interface|service|endpoint)
(JSON|XML|SOAP|GraphQL|CSV) (schema|feed|format) (of|for) the (interface|API), (where is it described|do you have one)
(callbacks|events|pushes) (arrive|come) (twice|late|not at all) (at|on) our (server|hook|endpoint)
(what|which) (header|scope|parameter|method) (does|do) (the call|your API) (expect|want|need)
(an import|a bridge|an adapter|a plug-in) (from|to|for) (SAP|Salesforce|WordPress|our ERP), (does it exist|how to build it)
(429|403|500|timeouts) (on|from) (every|each|your) (request|call|API call) (since {day}|)
(rotate|renew|revoke|create) (an|our) (API key|access token|client secret), (where is that done|how)
""")

wide("feature_request", """
(might I|may I|could I) (propose|suggest) (a small|one) (addition|improvement): (bigger buttons|a night theme|voice control|sound alerts)
(what is lacking|missing in the {app}|on my wish list) is (a way to|an option to) (group|duplicate|colour|lock|star) (items|notes|pages)
(competitors|other apps|your rival) (offer|have) (swipe gestures|templates|a trash bin|themes), (you could too|please copy that)
(imagine|picture) (a button|an option) that (prints all|merges lists|reads aloud), (that would be neat|how nice)
(a plea|a request|a hint) to (your programmers|the makers): (support|add|invent) (stickers|multiple windows|tabs|French)
(in the next release|some day) I (hope for|would welcome|dream of) (a tablet layout|offline maps|a dark look|shared lists)
(how about|why not) (a shortcut|a weekly summary|a family mode|larger type) in the {app}
""")

wide("outage", """
(lights out|dead silence|nothing works) at your (end|data centre|side), (the entire|the whole) (platform|site|service) is (gone|unreachable)
(colleagues|friends|customers) (in three cities|everywhere|in {city}) (report|say) the same: (no connection|your page does not load|gateway error)
(502|504|bad gateway|connection refused) (for|to) (every one|all of us) (since {time}|all morning)
(have|did) (your servers|you) (crashed|burned down|gone offline|collapse), (not a thing|no page) (responds|loads) (for anyone|)
(any|an) (estimate|idea) when (service|normal operation|the system) (resumes|is restored|comes back)
(the shop|the portal|the whole web presence) (went dark|has vanished|is dead) (at {time}|a while ago|) (for everybody|)
(is|was) there a (power cut|planned shutdown|major incident|breakdown) (on your side|at {company}|)
(total|nationwide|general) (failure|standstill|disruption), (we cannot work|everyone is affected)
(customers cannot|nobody is able to) (order|log on|do anything) because (you are|your cloud is) (down|unavailable)
(ping|requests|calls) to your (server|domain) (time out|get no answer), (entire company affected|is it down)
(down again|another outage|third breakdown this week), (what is going on over there|when will it be stable)
(the network of yours|your hosting|the cloud) (lies in ruins|is interrupted|has failed) (for hours|since {time})
""")

wide("install", """
(the wizard|setup.exe|the package|the script) (aborts|quits|complains|rolls back) (half way|at step {n}|with code {nn})
(does it|will it) (run|work|go) on (my old|a) (Windows {nn}|Chromebook|iPad|Ubuntu) (machine|)
(where|from where) (do I|can one) (fetch|grab|get) the (newest|current|64 bit) (build|version|release)
(double clicked|started|opened) the (downloaded|setup) file, (no window|nothing) (opens|happens)
(it wants|setup demands) (admin rights|{nn} GB free|another library|a reboot), (what do I do|how)
(upgrading|going) from version {n} to {n} (ends in|gives) (an error|a mess|a rollback)
(missing|unsigned|blocked) (dll|driver|package|certificate) (stops|hinders) the (installation|setup|update)
""")

wide("upgrade_plan", """
(what would|how much would) (it come to|we have to pay) (for|with) {nn} (seats|colleagues|accounts) (a year|monthly|)
(too small|outgrown|at the limit): our (tier|package|plan), which (one|tier) is (next|bigger|right for us)
(list|compare|explain) the (tiers|packages|editions) and (what they cost|their rates|prices)
(does|is) (the gold|the enterprise|the starter|the pro) (tier|package|edition) (include|have|with) (support|backups|an API)
(thinking of|planning on|ready for) (going|moving|switching) (premium|to enterprise|to the next tier), (your best price|what are the terms)
(a tariff|rates|a cost estimate) for (a school|a charity|two offices|{nn} workstations) (please|)
(do you bill|is it billed) per (user|month|gigabyte), and (is there|do we get) a (yearly|volume) (rate|price)
(before we sign|before buying) we (would like|need) (an offer|numbers|a demo and a price)
(raise|extend|increase) our (storage|quota|seat number|limit), (what is the price|for how much)
(what do|how do) (basic|free) and (pro|premium) differ, (and in price|and what do I pay)
(can we|may I) (test|trial) the (big|paid|full) plan before (buying|we upgrade)
(cheapest|smallest|best) (package|plan|subscription) for (a freelancer|one person|a couple)
(add|book|buy) {n} (extra|additional|more) (licences|accounts|users) to our (contract|plan)
""")

wide("cancel_subscription", """
(as of|with effect from|starting) {month} I (give notice|resign|terminate) my (membership|abo|subscription)
(kindly|please) (terminate|discontinue|wind up) (the monthly|our yearly|the premium) (contract|plan|subscription)
(no more|stop the) monthly (fees|debits|plan), I (am leaving|quit premium|resign)
(the trial week|the test month) (ends|is up) on {day}, (no follow-up plan|I will not go on|do not convert it)
(how|by when) (must|do) I (give notice|resign|terminate) (to leave the plan|as a member)
(downgrade|put) me (to|on) (the free plan|free), (I stop paying|no paid subscription any more)
(my membership|our team plan|the season pass) is to (lapse|cease|finish) (in {month}|at year end|)
(I gave notice|I resigned) {when}, (please confirm|is the subscription over now)
""")

wide("printer", """
(the device|that thing|the copier) by (the lift|reception|the window) (chews|eats|crumples) (every sheet|the paper)
(cartridge|drum|toner|ink) (low|empty|finished), (where are new ones|who swaps it|please refill)
(my letter|the report|forty pages) (sits|waits|hangs) in the (spooler|queue) and the printer (sleeps|ignores it)
(faint|pale|smudged|crooked) (letters|print|pages) from the (laser|office) printer
(a red light|an alarm|error E{nn}|a beep) on the (copier|printer|scanner)
(duplex|colour|A3|envelope) (printing|copies) (is|are) (not possible|grey|refused)
(scans|copies) (come out|look|are) (black|tilted|empty|cut off)
(mapping|adding|finding) the (office|new|third floor) printer on my (mac|laptop) (fails|is impossible)
""")

wide("network", """
(pages|mails|calls) (stutter|drop|fail) as the (line|router|wireless) (comes and goes|breaks off)
(zero|one|no) bars of (wifi|wireless|signal) (at my desk|in the basement|in {nn})
(the ethernet|the wall socket|the LAN port|the switch) (is dead|gives nothing|does not light up)
(visitors|clients|the trainer) (need|ask for) (a guest login|wireless access|internet) (tomorrow|today|)
(remote access|the tunnel|home office connection) (collapses|refuses|times out) (after a minute|each morning)
(limited connectivity|no ip address|dns error|cannot resolve) (on my laptop|on all machines|)
(streaming|teams|zoom) (lags|cuts out) since the (internet|line) is (thin|shaky|unsteady)
""")

wide("hardware", """
(a key|the hinge|the lid|the trackpad) of (my|the) (notebook|machine|laptop) (came off|jammed|cracked|is worn)
(the machine|my pc|the tower) (beeps|reboots|smells of smoke|stays dark) (at power-up|out of the blue|)
(lines|spots|a shadow|green tint) (across|on) (the|my) (display|panel|monitor)
(dropped|knocked over|sat down on) (the work phone|the tablet|the laptop), it (is cracked|is dead|will not wake)
(requesting|I request|may I have) (a headset|a docking station|an adapter|a larger display|a mouse)
(the battery|accumulator|adapter) (bulges|lasts minutes|does not hold|is dying)
(usb ports|the sound|the microphone|the webcam) (are|is) (dead|mute|gone) on my (computer|notebook)
(blue screen|disk failure|overheating|fan error) (again|on startup|since {day})
""")

wide("software_access", """
(locked|greyed out|read only): the (sheet|folder|archive|board), (who unlocks it|I need to edit)
(a seat|a key|an account|an activation) for (photoshop|the CRM|autocad|the ERP) (is needed|please|for {first})
(add|include|invite) {first} (to|in) the (team|channel|distribution|project) (with|and give) (edit|read|full) (rights|access)
(insufficient|missing|no) (privileges|clearance|rights) (says|shows) the (drive|tool|system)
(trainee|temp|newcomer|contractor) {name} (requires|waits for|has no) (a login to the ERP|folder access|permissions)
(my role|my department|my position) changed, (the old|my) (rights|permissions|folders) (are gone|must follow)
(could the owner|may I ask to) (share|open|release) the (finance|HR|design) (folder|area|space) (to|for) (us|me)
""")

wide("mailbox", """
(delivery failed|mailer daemon|message rejected) (comes back|is the answer) (to|for) (each|every) mail I (write|send)
(quota|limit|storage) of my (mail account|inbox|mailbox) (reached|exceeded|is used up)
(subfolders|old mails|contacts|the drafts) (vanished|are missing|disappeared) (from|in) (my mail|outlook|thunderbird)
(newsletters|invitations|letters) from (clients|{company}) (get|are) (filtered|quarantined|swallowed) (as junk|)
(vacation|holiday|absence) (notice|message|reply) for my (mail|inbox), (how is it set|from {date})
(appointments|meetings) (doubled|vanish|do not appear) in my (mail calendar|outlook calendar)
(a group address|an alias|a joint inbox) such as {email} (is needed|please create)
(my phone|the mobile) (no longer fetches|does not sync) (my work mail|mails)
""")

wide("booking_change", """
(could we|may we|is there a way to) (bring forward|push back|extend|shorten) our (stay|visit|holiday|session) (by {n} days|)
(rather than|instead of) {day} I (want|prefer|would take) {day} for (the appointment|the table|the tour)
(we are|there will be) (fewer|two less|three more) (people|guests|travellers), (amend|correct) the (reservation|booking)
(a window seat|twin beds|a sea view|a bigger room) (in place of|rather than) (what we booked|the present one), (can it be switched)
(my meeting|the wedding|our conference) moved to {date}, (so must|so should) (the flight|my room|the ticket)
(departure|return|outbound) (flight|train) on another (day|hour), (what does a change cost|please rebook)
(mixed up|muddled) the (dates|months), (make it|put us down for) {date} (please|)
(upgrade|switch) our room (to a suite|to a quiet one) for the (booking|stay) in {month}
""")

wide("booking_cancel", """
(scrap|annul|drop) (our|the) (trip|voyage|tour|dinner) on {date}, (nobody can go|the group is ill|we stay home)
(we have|I have) to (back out of|pull out of|give up) (the holiday|our cruise|the booking)
(let|please let) (the room|our seats|the table) go to (someone else|others), we (are not coming|stay away)
(storm|strike|surgery|a death) (forces|obliges) us to (cancel|call off) (the journey|the hotel|the flight)
(penalty|fee|cost) for (not coming|withdrawing|stepping back from) (a booking|the reservation)
(how late|until which hour) may (one|guests) (withdraw|step back|cancel) (free of charge|without paying)
(reservation|ticket|booking) {order}: (void it|not needed|please cancel), (plans fell through|we changed our mind)
""")

wide("checkin", """
(reception|the front desk|the lobby) (staffed|open|manned) at {time}, (as|because) we (land|get in) (so late|then)
(pick up|collect|get) (the keys|the door code|the key card) (after hours|at {time}), (how|where)
(must|do) (we|guests) be (out|gone|off) by (ten|noon|{time}), or (may we linger|is there a grace hour)
(could|may) the (room|flat|cabin) be (ready|had|entered) (sooner|by {time}|in the morning)
(drop|park|leave) (our cases|the bikes|bags) (at reception|with you) (on the last day|before the room is free)
(register|fill in the form|show passports) (on arrival|in advance|online), (what is needed|how does it go)
(seat number|gate|boarding) and (web|mobile) check-in for (flight {order}|my flight), (since when|how)
(earliest|latest) (hour|time) (of arrival|to arrive|for leaving) (on {day}|)
""")

wide("baggage", """
(carousel|conveyor|belt) (stopped|empty), (no sign of|without) my (trunk|holdall|rucksack|pram)
(left|forgot|lost) (an umbrella|my scarf|a laptop|the teddy) (under the seat|in the overhead bin|at gate {nn}|in your taxi)
(tag|claim|report) number {order}: (any trace of|where is) my (bag|case|skis)
(my case|the rucksack|our pram) was (ripped|crushed|soaked|opened) (by the handlers|on the plane|at the airport)
(extra|overweight|sports|second) (luggage|bag|piece), (what does it cost|how many kilos|allowed)
(lost and found|the found office|lost property): (a ring|gloves|a book) (left|forgotten) (on the bus|in {nn}|)
(the handlers|ground staff) (loaded|routed|put) (our things|the cases) (on another plane|onto the wrong bus|somewhere else)
(three days|no clothes|nothing to wear) because (my luggage|the bags) (stayed in {city}|went astray|never landed)
""")

wide("room_complaint", """
(dust|crumbs|dirty dishes|hair) (under the bed|everywhere|in the sink) of (our|this) (suite|chamber|room)
(a drunk party|drilling|a barking dog|the lift) keeps us awake in (room |){nn}
(mouldy|damp|icy|stuffy) (walls|room|air) in (our room|the bathroom), (unbearable|we want to move)
(the tap|the toilet|the kettle|the blind) (drips|is clogged|is dead|hangs) in (our|my) (room|bath)
(fresh|clean) (linen|towels|sheets) (missing|never came|please), (it is disgusting|the bed was used)
(the view|the room) is (nothing like|not as) (the photos|promised|booked), (we look at a wall|please move us)
(spiders|ants|mice|bed bugs) in (the|our) (bed|cupboard|room), (help|we want another room)
""")

wide("card_lost", """
(block|freeze|stop|disable) (it|the card|my visa) (quickly|at once|now), (I dropped it|it slipped out of my pocket|it vanished) in {city}
(my purse|the wallet|my bag) with (all|both) (bank cards|my cards) was (snatched|nicked|taken) (on the tram|at the market|)
(the ATM|the cash dispenser|the machine) (swallowed|ate|would not give back) (it|my bank card)
(the PIN|my secret number|four digits) of (the|my) (bank|debit) card (slipped my mind|is gone), (what now|send a new one)
(a substitute|a new|another) (bank card|debit card|mastercard), (mine is bent|mine disappeared|the chip is dead) (please|)
(I turned|we searched) the (house|car) upside down, my (credit|bank) card (is nowhere|cannot be found)
(unlock|unfreeze|reopen) the card I (reported|had blocked), (it was in my coat|I found it again)
(when|in how many days) does the (replacement|new) card (get to me|reach {city}), the (lost|old) one is (blocked|stolen)
(emergency|help|alarm): card (gone|stolen|robbed), (stop all payments|please lock it)
my (daughter|father) (mislaid|lost) (her|his) (bank|credit) card, (how do we get it locked|block please)
""")

wide("transfer", """
(the rent|wages|the deposit) I (paid in|remitted|sent off) on {day} (hangs|floats|is stuck) (somewhere|between two banks)
(remit|move|push) {money} (to my savings|to {name}|overseas), (how|what are the costs|which form)
(recall|reverse|retrieve) the (payment order|remittance|transfer) to {name}, (wrong payee|typed a wrong digit)
(a higher|a bigger) (cap|limit|ceiling) for (sending|wiring|online transfers) (please|today)
(the payee|my landlord|{name}) (says|swears) (no|not a single) (transfer|remittance) (came in|arrived)
(set up|change|end) a (standing|monthly|regular) (order|payment) (to {name}|of {money}|for the rent)
(SWIFT|BIC|routing number|foreign IBAN): what (do I enter|goes there) to (send|wire) money to {city}
""")

wide("loan", """
(lend|advance|finance) me {money} (for|towards) (a roof|a van|the studies|our wedding), (on what terms|possible)
(monthly|the) (instalments|rates) are (too heavy|hard to pay), (can the loan be stretched|a pause possible)
(mortgage|house|building) (offer|papers|advice) for (a cottage|our first home), (who can help|please)
(how high|what) are (the interest|your rates|the costs) (these days|at present) (for|on) (borrowing|a ten year loan)
(early|full) (payoff|repayment) of my (credit|mortgage), (what is the penalty|how much is left)
(self employed|student|retired): may (I|one) (borrow|get credit|have a loan) (from you|of {money})
(co-signer|security|income proof) for the (credit|loan), (what do you require|what papers)
""")

wide("mobile_plan", """
(calls|texts|surfing) (abroad|in {city}|on the ferry), (what does my tariff say|is that included)
(the allowance|high speed volume|my gigs) (is|are) (eaten up|exhausted|gone) (by the {n}th|too early)
(port|carry over|take along) my (old|existing) (number|mobile number) to (your network|you)
(no service|emergency calls only|searching) (on|says) my (handset|mobile|phone), (SIM fine|new SIM)
(tariff|contract|prepaid) with (more|unlimited|less) (data|minutes), (what have you got|can I switch)
(PUK|eSIM profile|nano SIM|second SIM) (needed|please|for my watch)
(extend|renew|end) my (phone|mobile) (contract|tariff) (with a new handset|in {month}|)
""")

wide("staff_complaint", """
(arrogant|insolent|cold|bored) (clerk|cashier|guard|operator) (at your desk|on the line|in {city}), (unbelievable|I protest)
(we were|I was) (snapped at|mocked|sent away|left standing|insulted) by (your|the) (man|waiter|nurse|agent)
(is that|what kind of) (manners|training|respect) (your people|your staff|the drivers) (have|get), (outrageous|a scandal)
(passed|pushed|sent) from one (desk|agent|number) to the (next|other), (nobody feels responsible|no one wants to help)
(my letters|eight calls|all my pleas) (were ignored|went unanswered|lead to nothing), (how dare you|I have had it)
(I demand|I expect) an apology (from|for) (the rude|{first}|that) (lady|man|behaviour)
(never|not once) have I (met|seen|experienced) such (incompetent|lazy|unkind) (people|service|helpers)
(your hotline|the call centre|the counter) (cut me off|kept me waiting|lied to me), (a formal complaint|where is your boss)
""")

wide("hours", """
(still|already) open (at {time}|when I leave work|on new year's eve), (your shop|the {city} branch)
(which|what) (street|tram stop|floor|entrance) is (the shop|your showroom|the branch) (on|at|near)
(do you|does the shop) (work|serve|trade) (on saturdays|on bank holidays|at the weekend|over Christmas)
(from when|until what hour) (may|can) (we|customers) (look around|drop in|visit) (the showroom|your place|)
(a branch|an outlet|a shop) (close to|near|around) {city} (is there|do you have)
(how early|at what hour) (do|does) (you|the counter) (start|begin) (in the morning|on {day})
(summer|winter|holiday) (hours|times) of (your store|the counter|the branch)
(lunch break|siesta|midday), are you (closed|shut|there)
(coming|driving) from {city}, how do I get to (your store|the shop), and (is it open|until when)
(car park|wheelchair ramp|bus) at (your|the) (shop|store|building)
(late night|evening|sunday) shopping (at your store|in {city}), (which days|when)
(is|will) anyone (be |)(in|there) on {day} (afternoon|morning|), I would (drop in|come round) (to look|)
(map|route|plan) to the (shop|branch) in {city} (please|)
(when|what day) does the new (shop|branch|store) in {city} open
""")

wide("partnership", """
(our|a) (brand|studio|start-up|bakery) would (gladly|like to) (team up|join forces|collaborate) with {company}
(distribute|stock|import|carry) your (line|goods|{item}) in (our country|{city}|our outlets), (terms please|interested)
(radio|tv|podcast|a daily) (feature|interview|piece) on {company}, (who speaks for you|may we film)
(donation|prize|support) for (a charity run|the school fair|our team) (in return for|with) (your logo|a banner)
(supplier|factory|agency) (presents|offers) (itself|its services|samples) to your (purchasing|board|managers)
(affiliate|influencer|franchise) (programme|deal|contract) with {company}, (whom to ask|how does it work)
(joint|common|shared) (venture|booth|campaign|study), (is {company} open to it|shall we meet)
""")

wide("human", """
(flesh and blood|a living soul|a proper employee) please, (not this|no more) (robot|automat|machine)
(phone|ring|dial) me (back|) (at noon|on {phone}|tonight), I (hate|cannot) (typing|chatting with machines)
(is there|where is) (anybody|a person|some colleague) (behind this|I can talk to|on duty)
(switch|hand|forward) (me|this chat) (over |)to (your colleague|the operator|a clerk)
(your bot|this chat) (repeats itself|does not get it|goes in circles), (get me a human|operator please)
(the number|a phone line|extension) where (a person|someone) (answers|picks up|listens)
(I insist|I would prefer) (on talking|to speak|to discuss it) (with a person|in person|by phone)
""")

# ---------------------------------------------------------------- ways to begin and end a ticket

FRAMES_WIDE = """Hi all, {x}.
Dear customer service, {x}. Sincerely, {name}
{x}. Kind regards from {city}.
Ok, {x}.
Well, {x}
Excuse me, {x}?
Dear friends at {company}, {x}.
{x}. That is my problem.
{x}. What do you suggest?
{x}. How do we go on from here?
Listen, {x}.
The matter is this: {x}.
{first} here. {x}.
My customer id is {order}. {x}.
{x}. I count on you.
{x}. Please take care of it.
{x}. Could somebody look at that?
Hello dear team, a short note: {x}.
Just a quick word: {x}.
{x}, that is it.
This is {first} from {city}: {x}.
Let me tell you something. {x}.
Maybe you can help, {x}.
{x}. I hope this is the right address.
{x}. Sent from my phone
Hey {company}, {x}
{x}. Many greetings, {first} {last}
Here is the situation: {x}.
Here's the thing, {x}.
Good day, {x}. My number is {phone}.
{x}; what should I do now?
{x}. I would be glad about an answer.
{x}. Yours truly, {name}
{x}. Have a nice day.
{x}. Bye, {first}
For the attention of your team: {x}.
Re: {order}. {x}.
FYI: {x}
{x}. Thx
I wanted to tell you: {x}.
Ladies and gentlemen, {x}.
Support request: {x}.
As I wrote {when}: {x}.
On {date} I noticed: {x}.
Message for {first}: {x}.
{x}. Account: {email}
Can I bother you for a second? {x}.
I am contacting you since {x}.
So {x}
Alright, {x}.
{x}. Over to you.
{x}. Nothing more to add.
Hope this reaches somebody: {x}.
My story in one line: {x}.
{x}. I have been with {company} since {year}.""".split("\n")
