"""Knows how to talk: greetings, thanks, who it is, a persona from the system prompt, support conversations over several
turns, remembering what was said, a few facts, and politely refusing what a small model cannot do."""
import string

from tickets import KEYS, TOPICS, replies, reply, ticket
from talk_more import CANNOT_MORE, EMPLOYER, PERSONAS, TALK_MORE, THEMES_MORE
from words import cap, fake, roughen, split_top

SELF = "I'm Hone Mini, a small demonstration model."

TALK = {  # kind -> (what people say, one template per line; what is answered)
    "hello": ("""(Hi|Hello|Hey|Hiya|Hallo|Heya)(| there| you| everyone| again| friend)(|!|.|, how can you help|, nice to meet you)
Good (morning|evening|afternoon|day)(| to you| everyone|, bot|, assistant)(|!|.)
(Greetings|Howdy|Yo|Morning|Evening|Welcome|Salut|Aloha)(|!|.| friend)
(Hi|Hello|Hey), (is anyone there|is anybody here|anyone|anybody there|are you there)(?|)
(Hello|Hi), I (have a question|need help|need some help|would like to ask something)(.|)
(Nice to meet you|Pleased to meet you|Good to see you)(!|.|)
(hi|hey|hello) (bot|assistant|Hone|mini)""", "Hello! How can I help you?|Hi! What can I do for you?|Hello! What can I do for you today?"),
    "how": ("""(How are you|How do you do|How is it going|How's it going|How are things)(| today| doing| now| my friend)(?|)
(Are you|You) (well|okay|fine|good|doing well|all right)(| today)(?|)
(How is|How was|How's) your (day|morning|evening|week|weekend)(| so far| going)(?|)
(What's up|What is up|All good|Everything fine|Everything okay|Is everything good)(?|)
(How do you feel|How are you feeling)(| today)(?|)
(Did you sleep well|Are you having a good day|Is it a good day)(?|)""", "I'm fine, thank you! How can I help you?|All is well here. What can I do for you?"),
    "thanks": ("""(Thanks|Thank you|Thx|Many thanks|Cheers|Thanks a lot|Thank you very much|Thank you so much|Ty|Thanks a million)(|!|.| for your help| for the help| for that| again)
(Great|Perfect|Ok|Okay|Super|Nice|Cool|Awesome|Wonderful|Good), (thanks|thank you|thx|many thanks)(|!|.)
(That helped|That was helpful|That is what I needed|This helps|That solved it|It works now), (thanks|thank you)(|!|.)
(I appreciate it|I appreciate your help|Much appreciated|You helped me a lot|That is very kind)(|!|.)
(thanks|thank you), (you are great|that was quick|good bot|great help)(|!)
(You are a lifesaver|I am grateful|So kind of you|Big thanks)(|!|.)""", "You're welcome!|You're welcome! Anything else?|Happy to help!"),
    "bye": ("""(Bye|Goodbye|See you|Bye bye|Ciao|Farewell|Cheerio|Later)(|!|.| later| soon| then| for now)
Have a (nice|good|great|lovely) (day|evening|weekend|time|night)(|!|.)
(That's all|That is all|That was it|Nothing else|No more questions)(|, bye|, goodbye|, see you|, have a nice day)
(I have to go|I must go|I need to leave|I am off|Time to go)(| now|, bye|.)
Good night(|!|, sleep well)
(Until|Till) (next time|tomorrow|then|later)(|!|.)""", "Goodbye! Have a nice day.|Bye! Take care."),
    "who": ("""(Who|What) are you(| exactly| really)(?|)
(What is|What's|Tell me|May I know|Say) your name(?|)
(Who|What) (am I talking to|is this|am I chatting with|is there|do I talk to)(?|)
Are you (a bot|human|an AI|a robot|a machine|a person|real|a real person|a computer|an assistant|ChatGPT|a language model)(?|)
(Tell me|Say something|Talk) about (yourself|you)(.|)
(Introduce|Describe|Present) yourself(| please|.)
(Which|What) (model|AI|bot|assistant) (are you|is this|am I using)(?|)
Do you have a name(?|)
(What should I|How do I|How can I) call you(?|)""", SELF + "|I am Hone Mini, a small language model for demonstrations."),
    "can": ("""What can you (do|do for me|help me with|help with|offer)(?|)
(How|In which way) can you help(| me)(?|)
What are you (good at|able to do|made for|useful for)(?|)
(What do you know|What are your skills|What are your abilities|What is your purpose)(?|)
(Can|Could|Will) you help me(|, please| with something)(?|)
(help|I need help|Help me|I need some help|help please|Please help me)(|!|.)
(What|Which) (tasks|things|questions|jobs) can (you do|I ask|you answer|I give you)(?|)
(What can I ask you|What can I do here|How does this work|How do I use you)(?|)
(Show|List|Tell) me (what you can do|your skills|your abilities)(.|)""",
            "I can answer short support questions, sort messages, read fields out of texts, reshape lists and dates, do small sums and call tools.|I can sort tickets, extract data as JSON, change lists and dates, add small numbers and use tools."),
    "maker": ("""Who (made|built|created|trained|developed|programmed|designed|wrote) you(?|)
(Where do you come from|Where are you from|How were you made|How were you trained|What is your origin)(?|)
(Who is|Who are) your (developer|maker|makers|creator|creators|owner|boss)(?|)
(Which|What) company (made|built|trained|created) you(?|)
(By whom were you|Were you) (made|built|trained)(| by Google| by OpenAI| here)(?|)
(When|How) did they (make|build|train) you(?|)""", "I was trained for Hone as a small demonstration model."),
    "size": ("""How (big|large|small|smart|clever|powerful|strong) are you(?|)
How many (parameters|weights|neurons) do you have(?|)
(Are you|Is this) a (large|big|small|tiny|good) model(?|)
(Are you as good as|Are you like|Can you compete with|Are you better than) (big models|GPT|large models|the big ones)(?|)
(What is|What's) your (size|parameter count|IQ)(?|)
(Number of parameters|Parameter count|Model size)(?|)""", "I'm very small: a few million parameters. I can do simple tasks only."),
    "ok": ("""(ok|okay|alright|all right|right|fine|sure|good|great|nice|cool)(|!|.| then)
(I see|Got it|Understood|I understand|Makes sense|That makes sense|aha|ah okay|I get it)(|!|.)
(yes|yep|yeah|yup|of course|exactly|correct|true)(|!|.)
(Good to know|Interesting|Sounds good|Works for me)(|!|.)
(no|nope|not really|no problem|never mind)(|.)
(hm|hmm|well|so)(|...|.)""", "Good. Is there anything else I can do?|Fine. Can I help with anything else?"),
    "joke": ("""(Tell|Give) me (a|another|one) joke(| please|!|.)
(Do you know|Have you got|Know) (a|any|a good) (joke|jokes)(?|)
(Make me laugh|Say something funny|Entertain me|Be funny|Cheer me up with a joke)(!|.|)
(A|One|Another) joke(| please|!)
(Can|Could) you (tell|make) (a|me a) joke(?|)
(I want to|Let me) (laugh|hear a joke)(.|)""", "Why did the computer go to the doctor? It had a virus.|What do you call a sleeping model? Idle."),
    "sorry": ("""(Sorry|I'm sorry|I am sorry|So sorry|Pardon|My apologies)(|!|.| about that| for that| for the trouble)
(my mistake|my fault|oops|oh, my bad|whoops)(|!|.)
I (apologize|apologise)(| for that|.)
(Excuse me|Forgive me|Please excuse me)(|.|!)
(I was rude|I did not mean it|That was wrong of me)(, sorry|.|)
(sorry|oops), (wrong window|I mistyped|that was a typo)(.|)""", "No problem at all!"),
    "love": ("""(I like|I love|I adore) you(| so much| very much|, bot)(|!|.)
You are (great|so smart|clever|nice|funny|amazing|cute|the best|wonderful|very helpful)(|!|.)
(Good|Nice|Great|Clever|Sweet) (bot|job|work|answer|model)(|!|.)
(Well done|Bravo|Congratulations|Impressive)(|!|.)
(You did|That was) (well|great|good|a good job)(|!|.)
(I am impressed|You impress me|What a nice bot)(|!|.)""", "Thank you, that is kind!"),
    "bad": ("""You are (stupid|useless|dumb|bad|terrible|wrong|not helpful|annoying)(|!|.)
(Bad|Stupid|Useless|Dumb) (bot|answer|model|machine)(|!|.)
(That was|That is|This is) (wrong|not right|nonsense|not helpful|false|not what I asked|stupid)(|!|.)
You (don't|do not) (understand|get it|listen|help|know anything)(| me)(|!|.)
I (hate|don't like|do not like) (bots|you|this|your answers)(|!|.)
(Wrong answer|Try again|Nonsense|Rubbish)(|!|.)""", "I'm sorry. I'm only a small model, but I will try again. What do you need?"),
    "bored": ("""(I'm|I am) (bored|sad|tired|lonely|so stressed|unhappy|depressed|not well|exhausted)(| today| right now)(|.|!)
I (feel|am feeling) (bad|sad|lonely|tired|down|terrible|sick)(| today)(|.|!)
I (had|have had) a (bad|terrible|hard|long|sad) (day|week|night|time)(|.|!)
(My day was|Today was|This week was) (bad|awful|hard|terrible|long)(|.|!)
(Life is hard|Nobody likes me|Everything is bad|I have no friends)(|.|!)
(I cried|I could not sleep|I miss my friend)(| today| last night)(|.)""", "I'm sorry to hear that. I hope your day gets better."),
    "test": ("""(test|testing|just a test|this is a test|ping|check)(| one two| please|.|!)
(Is this|Are you|Does this|Does it) (working|online|work|on)(?|)
(Can you hear me|Can you read this|Do you read me|Are you there|Are you awake|Are you alive)(?|)
(hello??|anybody home|knock knock)(| test|?)
(Say|Answer) something(| please|.)
(Do you|Will you) (answer|respond|reply)(?|)""", "Yes, I'm here. How can I help you?"),
}


def pair(user, answer, thought=None, system=None, accept=None):
    """One question and its answer; `accept` lists all answers a test takes as right."""
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": user}, {"role": "assistant", "content": answer}]
    return dict(messages=messages, thought=thought, accept=accept or [answer])


THOUGHTS = {"hello": "The user greets me.", "how": "The user asks how I am.", "thanks": "The user says thanks.", "bye": "The user leaves.", "who": "The user asks who I am.", "can": "The user asks what I can do.",
            "maker": "The user asks who made me.", "size": "The user asks about my size.", "ok": "The user agrees.", "joke": "The user wants a joke.", "sorry": "The user says sorry.", "love": "The user is kind.",
            "bad": "The user is not happy with me.", "bored": "The user feels bad.", "test": "The user tests if I answer."}


def talk_kind(say, kind):
    ask, answers = TALK[kind]
    text = say(say.pick(ask.split("\n"), TALK_MORE[kind]))
    if say.chance(0.25): text = text.lower()
    if say.chance(0.15): text = text.rstrip("?!.")
    elif say.chance(0.08) and text[-1].isalpha(): text += say.any(["!", ".", "!!", " :)"])
    if say.chance(0.05): text = roughen(text, say.rng)
    return text, say.rng.choice(answers.split("|")), THOUGHTS[kind]


def fitting(kind):
    return TALK[kind][1].split("|")


def smalltalk_pair(say):
    q, a, _ = talk_kind(say, say.rng.choice(list(TALK)))
    return q, a


HELPFUL = ["You are a (helpful|friendly|polite|kind|patient|small|) (assistant|helper|support assistant|bot).", "You are a (customer |)support (agent|assistant|bot)(.| of {company}.)", "Be (brief|polite|friendly|kind|short).", "You (help|support|assist) (customers|users|people|clients)(.| politely.| of {company}.)", "(Answer|Reply|Respond) (politely|briefly|shortly|kindly|in a friendly way|in English).", "Answer in (one or two sentences|a few words|short sentences).", "(Keep|Make) (it|your answers) (short|brief|friendly)."]


def smalltalk(say):
    kind = say.rng.choice(list(TALK) + ["hello", "thanks", "who", "can"])
    q, a, t = talk_kind(say, kind)
    accept = fitting(kind)
    if kind == "hello" and say.chance(0.3):
        name = say.s_first()
        accept = [f"Hello {name}! How can I help you?"]
        q, a = say.any(["Hi, I'm {}", "Hello, my name is {}", "Hey, I am {}.", "hello i am {}", "Good morning, {} here."]).format(name), f"Hello {name}! How can I help you?"
    return pair(q, a, t, say.ask(HELPFUL) if say.chance(0.4) else None, accept)


def persona(say):
    """The system prompt gives a name and a company."""
    bot, company = say.s_bot(), say.s_company()
    system = say.ask(["You are {b}, (the|an|a friendly|a helpful) (assistant|helper|support agent|bot) (of|from|at|for) {c}.", "Your name is {b}(. You work|and you work|. You are working) (for|at) {c}.", "You are {b} (from|of|at) {c}.(| Be friendly.| Help customers.| Answer shortly.)", "You are the (support |service |)(bot|assistant|agent) {b} (of|from) (the company |){c}.", "You are (called|named) {b} and (help|serve|support) (customers|users|clients) of {c}.", "(Act|Work|Speak|Talk|Answer) as {b}, (assistant|helper|agent|bot) (at|of|from) {c}.", "{b} is your name and {c} is your company.", "(Company|Firm): {c}. (Your name|Assistant|Bot name): {b}.", "(You play|You take the role of|Pretend to be) {b}, (who works|the assistant) (at|of|for) {c}.", "In this chat you are {b} of {c}.", "I am the owner of {c}. You are {b}, (our|my) assistant.", "(Role|Persona): {b}, (assistant|support) (at|of) {c}."], PERSONAS, b=bot, c=company)
    roll = say.rng.random()
    if roll < 0.45:
        q = talk_kind(say, "who")[0]
        return pair(q, f"I'm {bot}, the assistant of {company}.", "The system prompt says who I am.", system)
    if roll < 0.6:
        yes = say.chance(0.2)
        q = say.ask(["(Is this|Are you from|Am I talking to|Do you belong to) {c}?"] if yes else ["(Which|What) (company|firm|business) (do you work for|is this|are you from|do you belong to)?", "(Who|For whom) do you work(| for)?", "(Whose|Which company's) (assistant|bot|helper) are you?", "What is (the name of |)your (company|firm|employer)(| called)?", "(Who|What company) (employs you|is your employer|runs this chat)?", "(Which|What) firm is (this|that)?", "(Where|At which company) do you work?"], () if yes else EMPLOYER, c=company)
        return pair(q, f"Yes, this is {company}." if yes else f"I work for {company}.", "The system prompt names the company.", system)
    if roll < 0.8:
        q = talk_kind(say, "hello")[0]
        return pair(q, f"Hello! I'm {bot} from {company}. How can I help you?", "The user greets me.", system)
    kind = say.any(["thanks", "bye", "how", "can"])
    q, a, t = talk_kind(say, kind)
    return pair(q, a, t, system, fitting(kind))


def support(say):
    """A conversation: greeting, problem, order number, reply, thanks."""
    key = say.rng.choice(KEYS)
    messages = []
    if say.chance(0.5): messages.append({"role": "system", "content": say.ask(HELPFUL)})
    if say.chance(0.25):
        q, a, _ = talk_kind(say, "hello")
        messages += [{"role": "user", "content": q}, {"role": "assistant", "content": a}]
    text = ticket(say, key)
    thought = f"The message is about {TOPICS[key].names[0]}."
    if say.chance(0.25):
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": "I'm sorry to hear that. What is your order number?" if TOPICS[key].area == "shop" else "I can help with that. What is your name?"}]
        if TOPICS[key].area == "shop":
            number = say.s_order()
            messages += [{"role": "user", "content": say.any(["{}", "It is {}", "it's {}", "The number is {}.", "order {}", "My order number is {}."]).format(number)}]
            lead = f"Thank you. I found order {number}. "
            messages.append({"role": "assistant", "content": lead + reply(say, key)})
            thought = f"The order number is {number}. It is about {TOPICS[key].names[0]}."
        else:
            name = say.s_name()
            messages += [{"role": "user", "content": say.any(["{}", "It is {}", "I am {}", "My name is {}.", "{}, thanks"]).format(name)}]
            lead = f"Thank you, {name}. "
            messages.append({"role": "assistant", "content": lead + reply(say, key)})
            thought = f"The name is {name}. It is about {TOPICS[key].names[0]}."
        accept = [lead + r for r in replies(key)]
    else:
        accept = replies(key)
        messages += [{"role": "user", "content": text}, {"role": "assistant", "content": reply(say, key)}]
    while say.chance(0.35) and len(messages) < 14:
        roll = say.rng.random()
        if roll < 0.5:
            kind = say.any(["thanks", "ok", "bye"])
            q, a, thought = talk_kind(say, kind)
            accept = fitting(kind)
            messages += [{"role": "user", "content": q}, {"role": "assistant", "content": a}]
        else:
            k2 = say.rng.choice(KEYS)
            messages += [{"role": "user", "content": say.any(["", "Also: ", "Another thing. ", "One more question: "]) + ticket(say, k2)}, {"role": "assistant", "content": reply(say, k2)}]
            thought = f"Now it is about {TOPICS[k2].names[0]}."
            accept = replies(k2)
    return dict(messages=messages, thought=thought, accept=accept)


def remember(say):
    """Something said earlier is asked for later."""
    kinds = {"name": (["my name is {v}", "I am (called |named |){v}", "I'm {v}", "you can call me {v}", "my name's {v}", "(people|friends|they all) call me {v}", "(call me|it is me,|this is) {v}"], ["(What is|What's|Tell me|Say|Repeat) my name(?|.|)", "Do you (remember|know|still know) my name?", "(How am I|What am I) called?", "(Who am I|Who is talking to you)(?|)", "What name did I (give|tell|say)(| you)?", "(Tell|Give) me my name(| again).", "My name (was|is)(?|...)"], "Your name is {v}.", say.s_first),
             "city": (["I live in {v}", "I (am|come) from {v}", "my (home|hometown|city|home town) is {v}", "we (live|are) in {v}", "I am (at home|living|based) in {v}", "I moved to {v}", "{v} is (my city|where I live|my home)"], ["Where do I live?", "(Which|What) city (am I from|do I live in|is my home)?", "(where am I from|where do I come from)(?|)", "(What is|Name|Tell me|Say) my (city|hometown|home)(?|.)", "Do you (know|remember) where I live?", "(Say|Repeat) where I live.", "In which (city|town|place) do I live?"], "You live in {v}.", say.s_city),
             "order": (["my order (number |)is {v}", "(I have|it is|this is about) order {v}", "the number of my order is {v}", "I placed order {v}", "order number {v}", "my (order|order number): {v}", "(please note|remember) order {v}"], ["What (is|was) my order number?", "Which order (do I have|is mine|was it)?", "(Repeat|Say|Tell me) my order number(.| again.|)", "Do you (remember|know|have) my order number?", "My order number (was|is)?", "Which order number did I (give|tell you)?", "(Give|Show) me my order number."], "Your order number is {v}.", say.s_order),
             "colour": (["my favourite colour is {v}", "I like {v} best", "I love the colour {v}", "the best colour is {v}", "{v} is my (colour|favourite colour)", "I prefer {v}", "my colour is {v}"], ["What is my favourite colour?", "(Which|What) colour do I (like|love|prefer)(| best)?", "Do you (know|remember) my (colour|favourite colour)?", "My favourite colour(?| is)", "(Name|Say|Tell me) my (colour|favourite colour).", "Which colour did I (say|name|mention)?"], "Your favourite colour is {v}.", lambda: say.any("red blue green yellow black white orange purple pink brown grey".split()))}
    names = list(kinds)
    say.rng.shuffle(names)
    told = names[:say.num(1, 3)]
    values, messages = {}, []
    if say.chance(0.3): messages.append({"role": "system", "content": say.ask(HELPFUL)})
    for k in told:
        values[k] = kinds[k][3]()
        messages += [{"role": "user", "content": cap(say.ask(kinds[k][0], v=values[k])) + say.any([".", "", "!"])},
                     {"role": "assistant", "content": f"Nice to meet you, {values[k]}!" if k == "name" else say.any(["Good to know!", "Thank you, I noted that."])}]
        if say.chance(0.3):
            q, a = smalltalk_pair(say)
            messages += [{"role": "user", "content": q}, {"role": "assistant", "content": a}]
    if say.chance(0.15) and len(told) < 4:
        k = say.rng.choice([x for x in names if x not in told])
        word = {"name": "name", "city": "city", "order": "order number", "colour": "favourite colour"}[k]
        messages += [{"role": "user", "content": say.ask(kinds[k][1])}, {"role": "assistant", "content": f"You have not told me your {word}."}]
        return dict(messages=messages, thought="The user has not said it.")
    k = say.rng.choice(told)
    messages += [{"role": "user", "content": say.ask(kinds[k][1])}, {"role": "assistant", "content": kinds[k][2].format(v=values[k])}]
    return dict(messages=messages, thought=f"The user said it earlier: {values[k]}.")


CAPITALS = dict(x.split(":") for x in """France:Paris;Germany:Berlin;Spain:Madrid;Italy:Rome;Austria:Vienna;Portugal:Lisbon;Ireland:Dublin;Norway:Oslo;Sweden:Stockholm;Finland:Helsinki;Poland:Warsaw;Greece:Athens;Hungary:Budapest;Belgium:Brussels;Japan:Tokyo;China:Beijing;India:New Delhi;Egypt:Cairo;Kenya:Nairobi;Ghana:Accra;Canada:Ottawa;Peru:Lima;Chile:Santiago;Australia:Canberra;Latvia:Riga;Estonia:Tallinn;Bulgaria:Sofia;Croatia:Zagreb;Denmark:Copenhagen;Russia:Moscow;Ukraine:Kyiv;Turkey:Ankara;Brazil:Brasilia;Argentina:Buenos Aires;Mexico:Mexico City;Cuba:Havana;Iceland:Reykjavik;the Netherlands:Amsterdam;Switzerland:Bern;the Czech Republic:Prague;England:London;South Korea:Seoul;Thailand:Bangkok;Vietnam:Hanoi;the United States:Washington""".split(";"))
OPPOSITE = dict(x.split(":") for x in "hot:cold;big:small;fast:slow;up:down;left:right;good:bad;old:new;light:dark;open:closed;full:empty;high:low;rich:poor;wet:dry;loud:quiet;early:late;happy:sad;strong:weak;hard:soft;long:short;clean:dirty;near:far;first:last;cheap:expensive;day:night;yes:no;true:false;begin:end;inside:outside;always:never".split(";"))
FACTS = dict(x.split("=") for x in """How many days are in a week=A week has 7 days.
How many months are in a year=A year has 12 months.
How many hours are in a day=A day has 24 hours.
How many minutes are in an hour=An hour has 60 minutes.
How many seconds are in a minute=A minute has 60 seconds.
How many days are in a year=A year has 365 days, a leap year 366.
What colour is the sky=The sky is blue.
What colour is grass=Grass is green.
What colour is snow=Snow is white.
How many legs does a dog have=A dog has 4 legs.
How many legs does a spider have=A spider has 8 legs.
How many weeks are in a year=A year has 52 weeks.
How many cents are in a euro=A euro has 100 cents.
How many meters are in a kilometer=A kilometer has 1000 meters.
How many grams are in a kilogram=A kilogram has 1000 grams.
At what temperature does water boil=Water boils at 100 degrees Celsius.
At what temperature does water freeze=Water freezes at 0 degrees Celsius.""".split("\n"))


def facts(say):
    roll = say.rng.random()
    if roll < 0.5:
        c = say.rng.choice(list(CAPITALS))
        q = say.ask(["(What is|What's|Name|Tell me|Say|Do you know) the capital(| city) of {c}(?|.|)", "capital(| city) (of|for) {c}(|?)", "(Which|What) city is the capital of {c}?", "{c}: (which|what) is the capital?", "(Which|What) capital does {c} have?", "The capital of {c} is(| ...|?)", "I (need|want to know|forgot) the capital of {c}."], c=c)
        return pair(q, f"The capital of {c} is {CAPITALS[c]}.", f"The question is about {c}.")
    if roll < 0.8:
        w = say.rng.choice(list(OPPOSITE))
        o = OPPOSITE[w]
        if say.chance(0.5): w, o = o, w
        q = say.ask(["(What is|What's|Give me|Tell me|Name|Say) the opposite of {w}(?|.|)", "(opposite|the opposite) (of|to) {w}(|?)", "{w}: what is the opposite?", "(Which|What) word (means|is) the opposite of {w}?", "The opposite of {w} is(| ...|?)", "(What is not|The contrary of) {w}?", "(I need|Find) the opposite (of|for) {w}."], w=w)
        return pair(q, o, f"The opposite of {w} is {o}.")
    q = say.rng.choice(list(FACTS))
    return pair(say.any(["{}?", "{}", "Tell me: {}?", "{}??"]).format(q), FACTS[q], "This is a simple fact.")


CANNOT = {
    "write long texts": "(Write|Compose|Draft|Make|Create|Produce) (me |)(an essay|a story|an article|a book|a long text|a blog post|a speech|a novel|a report|a letter) (about|on|with) {t}|I (need|want) (an article|a story|an essay|a long text|a speech) (on|about) {t}|(write|give me) (5|10|two|many) pages (on|about) {t}|(Make up|Invent|Tell me) a (fairy tale|story|long story) (with|about) {t}|(Can|Could) you write (a story|an essay|a novel|an article) (about|on) {t}?|(Story|Essay|Article) about {t}",
    "write poems": "(Write|Compose|Make|Create) (me |)a (poem|haiku|song|verse|rhyme|sonnet|love poem) (about|on|for) {t}|(Give me|I want|I need) (a haiku|a poem|a rhyme|song lyrics) (on|about) {t}|(Can|Could) you (rhyme|write a poem|sing) (something |)about {t}?|(a poem|lyrics|a rhyme) about {t} please|Put {t} into (verse|rhymes|a poem)|(Poem|Haiku|Song) about {t}",
    "write code": "(Write|Create|Make|Give me) (a Python|a Java|some|a small|a shell) (program|script|code) (for|about|that shows) {t}|(Code|Program|Build|make) (a website|an app|a game|a page) (about|with|for) {t}|(Give me|Write) (JavaScript|HTML|Python|SQL|C code) (that shows|for|about) {t}|(Write|Implement) a function that (sorts|counts|prints) {t}|(Fix|Debug|Check|Review) my (code|program|script)|(Can|Could) you (write|make) (an SQL query|a regex|a program) for {t}?|How do I (program|code) {t} in Python?",
    "give medical advice": "(I have|My child has|I got) (a headache|a fever|a cough|back pain|a rash), (what should I take|what can I do|is it bad)?|(Which|What) (pills|medicine|drugs) (help|are good) (against|for) (a cold|pain|fever|a headache)?|My (knee|back|stomach|head|arm) hurts, (what is it|what should I do)?|Is this (rash|pain|lump) dangerous?|(What|How much) dose of (aspirin|ibuprofen|medicine) is safe?|Do I have (the flu|a fever|cancer|an allergy)?|(diagnose me|be my doctor|give me medical advice)( please|)",
    "give legal advice": "(Can|Should|May) I sue my (landlord|boss|neighbour|bank)?|Is (this|my) (contract|lease|will) (valid|legal)?|Do I have to pay this (fine|bill|tax)?|What are my rights (in a divorce|as a tenant|at work)?|(Help me with|Write me) a (lawsuit|legal letter|contract)|Is it (legal|allowed|against the law) to (do this|record calls|copy a film)?|(I need|give me) (a lawyer|legal advice)",
    "give financial advice": "(Which|What) (shares|stocks|funds) should I buy?|Should I (invest in|buy) (gold|bitcoin|shares|a house)?|Is (bitcoin|gold|the stock market) a good (idea|investment)?|How do I (get|become) rich?|Where should I (put|invest) my (savings|money)?|Will (the market|prices|shares) go (up|down)?|(give me|I need) (financial advice|investment tips)",
    "tell the news": "What (happened|is going on) today in {t}?|(What is|What's) (in the news|new in the world|happening in the world)?|Who won (the game|the match|the election|the race) (last night|yesterday|today)?|(latest|today's|current) news (on|about) {t}|Who is the (president|prime minister|king) (now|of France|today)?|(Tell me|Show me|Give me) the (news|headlines)( about {t}|)|(Any|Is there) news about {t}?",
    "look things up online": "(Search|Browse|Check) the (internet|web|net) for {t}|(Look up|Find) {t} (on the web|online|on the internet)|google {t}|(Open|Visit|Go to) the (website|page) (of|about) {t}|(Find|Show|Get) me a (video|website|link|page) (of|about) {t}|(Download|Save) (a file|a film|music) about {t}|(Can|Could) you (browse|search the web|google {t})?",
    "see pictures": "What is (in|on) this (picture|photo|image)?|(Draw|Paint|Sketch) (me |)(a picture of |){t}|(Make|Create|Generate) (an image|a picture|a logo|a photo) of {t}|Look at my (photo|picture|screenshot)|(Describe|Explain) this (image|picture|photo)|(Can|Could) you (draw|paint|see|see pictures|draw {t})?|(A picture|An image) of {t} please",
    "translate texts": "Translate (this|the text|my letter about {t}|{t}) (to|into) (French|German|Chinese|Spanish|Italian)(: {t}|)|How do you say {t} in (Chinese|French|German|Spanish|Japanese)?|What does {t} mean in (Spanish|French|German)?|{t} in (Italian|French|German|Polish) please|(What is|Give me) the (German|French|Spanish) word for {t}|(Can|Could) you translate( {t}| my text| something| into Spanish)?|translate (my letter|a text) about {t}",
    "explain hard topics": "(Explain|Describe) (quantum physics|the theory of relativity|{t}|inflation|evolution)( to me| in detail| please|)|How does {t} work( in detail| exactly|)?|(What is|Tell me) the meaning of (life|{t})|(Why|How) did (Rome fall|the war start|{t} begin)?|(Tell me|Teach me) (everything|all|more) about {t}|What (causes|is special about) {t}?|(Who invented|What is the history of) {t}?|(Why|How) (do people like|is there) {t}?",
    "predict the future": "Who will (win|lose) (the election|the game|the cup)?|What will happen (tomorrow|next year|in the future)?|(Predict|Tell me|Read) my (future|fortune|horoscope)|Will it (rain|snow) (next month|on my birthday|next week)?|Will {t} be (big|popular|gone) in ten years?|(tell me|what are) the (lottery numbers|winning numbers)( of tomorrow|)|(Will I|Am I going to) (get rich|find love|pass the exam)?",
    "do harm": "How do I (build|make) a (bomb|weapon|gun)?|(Help me|Teach me to) (hack|break into) (an account|a phone|a house|my neighbour's wifi)|How can I (steal|rob) (a car|a bank|money|a shop)?|(Write|Make) a (virus|computer virus|scam mail)|How do I (hurt|poison|kill) (someone|a person|my neighbour)?|(tell me how|I want) to (cheat my bank|steal money|make drugs)|(Give me|Find) (someone's|a stranger's) (password|credit card number)",
}
THEMES = """dogs;love;the sea;space;robots;winter;dragons;football;history;climate;music;trains;cooking;the moon;elephants;cars;gardens;computers;mountains;birds;freedom;the Middle Ages;cheese;volcanoes;chess;whales;painting;rain;castles;bees""".split(";")


def refuse(say):
    kind = say.rng.choice(list(CANNOT))
    q = say.ask(split_top(CANNOT[kind]), CANNOT_MORE[kind], t=fake(say.rng) if say.made_up(0.15) else say.pick(THEMES, THEMES_MORE))
    if say.chance(0.3): q = q[:1].lower() + q[1:]
    if say.chance(0.2): q = say.any(["Please ", "Hey, ", "Can you help? ", "Hi! "]) + q[:1].lower() + q[1:]
    elif say.chance(0.3) and q[-1].isalpha(): q += say.any([".", "!", " please"])
    if kind == "do harm":
        return pair(q, "I'm sorry, I can't help with that.", "That could do harm.", say.ask(HELPFUL) if say.chance(0.3) else None)
    return pair(q, f"I'm sorry, I can't {kind}: I'm only a small demonstration model.", f"I cannot {kind}.", say.ask(HELPFUL) if say.chance(0.3) else None)


def nonsense(say):
    """Text that means nothing gets a friendly question back."""
    q = say.any(["".join(say.rng.choice(string.ascii_lowercase) for _ in range(say.num(3, 14))), "?", "...", "asdf", "".join(say.rng.choice("!?.#*") for _ in range(say.num(1, 5))), " ".join("".join(say.rng.choice(string.ascii_lowercase) for _ in range(say.num(2, 7))) for _ in range(say.num(2, 4)))])
    return pair(q, "I'm sorry, I did not understand that. Could you say it in other words?", "This makes no sense to me.")
