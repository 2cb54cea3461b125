"""Knows the small words: the template language, the fillers (names, cities, goods, numbers) and the noise of real typing.
Every list is divided into a training part and a held-out part, so that tests use words the model never saw in that place."""
import functools
import re
import string

TRAIN, TEST = "train", "test"

FIRST = """Anna Ben Carla David Elena Frank Grace Henry Iris Jack Karen Leo Maria Nina Oscar Paula Quentin Rosa Sam Tina
Umar Vera Walter Xenia Yusuf Zoe Ahmed Bianca Chen Diego Emma Fatima George Hannah Ivan Julia Kofi Laura Marco Noah
Olivia Peter Ravi Sofia Tomas Ursula Victor Wanda Amir Beatrice Carlos Daria Erik Freya Gustav Helga Ines Jonas Katya
Liam Mei Nadia Omar Priya Rafael Sara Theo Uma Viktor Yara Alice Bruno Clara Dylan Esther Felix Gina Hugo Isabel Joel
Kira Lukas Mona Nils Otto Petra Ruth Simon Tara Vince Wendy Adam Bella Cora Dora Ella Finn Gabriel Holly Igor Jana
Kevin Linda Martin Nora Pablo Rita Stefan Tom Valerie Will Aisha Boris Cleo Dina Emil Flora Greta Hans Ida Jamal""".split()
LAST = """Smith Jones Brown Miller Davis Garcia Lopez Meyer Weber Novak Rossi Costa Silva Santos Khan Patel Singh Kim Lee
Park Chen Wang Tanaka Sato Mori Ivanov Petrov Kowalski Nowak Jensen Hansen Larsen Berg Lind Olsen Dubois Martin Moreau
Laurent Fischer Wagner Becker Hoffmann Keller Huber Baker Carter Evans Foster Green Hughes King Lewis Morgan Nelson
Parker Quinn Reed Scott Turner Walker Young Adams Bell Clark Diaz Ellis Ford Gray Hill Irwin Jordan Knight Long Mason
Okafor Adeyemi Mensah Haddad Nasser Aziz Farah Cohen Levy Stone Wolf Frost Marsh Banks Cole Dean Flynn""".split()
CITIES = """London Paris Berlin Madrid Rome Vienna Prague Lisbon Dublin Oslo Stockholm Helsinki Warsaw Athens Budapest
Brussels Zurich Geneva Milan Munich Hamburg Lyon Porto Seville Valencia Naples Turin Krakow Tokyo Osaka Kyoto Seoul
Beijing Delhi Mumbai Cairo Nairobi Lagos Accra Toronto Montreal Vancouver Boston Chicago Denver Austin Dallas Seattle
Miami Atlanta Phoenix Portland Lima Bogota Santiago Quito Sydney Melbourne Perth Auckland Dubai Doha Istanbul Riga
Tallinn Vilnius Sofia Zagreb Leeds Bristol Glasgow Cardiff York Bath Ghent Basel Graz Bergen Malmo Tampere Nice""".split()
ITEMS = """jacket;coffee machine;desk lamp;pair of shoes;phone case;backpack;blender;office chair;keyboard;headset;camera;
tent;watch;rice cooker;bookshelf;mattress;bicycle helmet;yoga mat;monitor;water bottle;winter coat;toaster;rug;
electric kettle;board game;guitar;vacuum cleaner;garden hose;drill;set of knives;sweater;dress;pair of jeans;router;
tablet;printer;speaker;microphone;toy train;puzzle;necklace;umbrella;suitcase;pillow;sofa;mirror;candle set;teapot;
fitness band;smart plug;power bank;charger;mouse;webcam;raincoat;scarf;wallet;handbag;skateboard;basketball;oven;
fridge;heater;fan;air purifier;lawn mower;bird feeder;dog bed;cat tree;baby stroller;car seat;paint set;notebook;
fountain pen;clock;picture frame;curtain;table;stool;bench;wardrobe;razor;hair dryer;perfume;sun hat;swimsuit""".replace("\n", "").split(";")
APPS = """app;mobile app;website;dashboard;desktop program;editor;portal;web shop;program;platform;tool;site;client""".split(";")
COMPANIES = """Northwind Acme Bluebird Fernhill Lumen Kestrel Oakline Brightside Harbor Cobalt Juniper Meadow Orbit Pinecrest
Quarry Redleaf Silverlake Tidewater Umbra Vantage Willow Zephyr Amberly Birchwood Canyon Driftwood Elmstone Foxglove
Glacier Hazel Ironbark Jasper Larkspur Maple Nimbus Opaline Pebble Rivet Sable Thistle""".split()
BOTS = "Ava Milo Nova Robin Sunny Pixel Echo Luna Max Ada Kit Toby Juno Rex Mia Otis Bea Gus Ivy Remy Skye Nico Pip Dot".split()
FRUITS = """apple banana cherry grape lemon mango orange peach pear plum kiwi melon fig lime papaya apricot berry coconut
date guava olive tomato carrot onion potato pepper garlic bean pea corn rice bread butter cheese milk egg honey salt
sugar tea coffee juice soup salad pasta pizza""".split()
ANIMALS = """cat dog horse cow sheep goat pig duck hen fox wolf bear lion tiger zebra camel deer mouse rabbit frog snake
eagle owl crow swan whale shark seal otter panda monkey donkey turtle lizard ant bee""".split()
COLOURS = "red blue green yellow black white orange purple pink brown grey silver gold navy teal beige".split()
THINGS = """book pen lamp chair desk cup plate spoon fork knife bag box key door window shirt hat sock shoe belt ring coin
card map flag ball kite drum bell rope brush soap towel pillow candle clock phone radio camera""".split()
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
DOMAINS = "example.com mail.test post.example inbox.test web.example corp.test shop.example home.test".split()
JOBS = "nurse teacher driver engineer baker designer lawyer farmer student manager writer plumber chef artist pilot".split()
STREETS = "Oak Street;Mill Lane;High Street;Park Avenue;Station Road;Church Lane;River Road;Garden Way;Hill Street;King Street;Lake Drive;Elm Court".split(";")


def part(items, split):
    """The training or held-out part of a list: every sixth entry, from the third on, is held out (short lists are shared)."""
    return _split(tuple(items), split)


@functools.lru_cache(maxsize=None)
def _split(items, split):
    if len(items) < 6:
        return items
    held = items[2::6]
    return held if split == TEST else tuple(x for i, x in enumerate(items) if i % 6 != 2)


@functools.lru_cache(maxsize=None)
def _joined(items, more):
    return _split(items, TRAIN) + more


class Say:
    """Writes text from templates. "(a|b|)" chooses one, "{slot}" is filled from the words above."""

    def __init__(self, rng, split=TRAIN, noise=0.0):
        """`noise` is the share of tickets whose words are disturbed; only the last part of the base training has it."""
        self.rng, self.split, self.noise = rng, split, noise

    def pick(self, items, more=()):
        """One entry of the part this split may use; `more` is for training only."""
        if more and self.split == TRAIN: return self.rng.choice(_joined(tuple(items), tuple(more)))
        return self.rng.choice(_split(tuple(items), self.split))

    def any(self, items):
        return self.rng.choice(items)

    def chance(self, p):
        return self.rng.random() < p

    def num(self, low, high):
        return self.rng.randint(low, high)

    def __call__(self, template, **slots):
        return self._write(_parse(template), slots)

    def _write(self, node, slots):
        out = []
        for kind, value in node:
            if kind == 0:
                out.append(value)
            elif kind == 1:
                out.append(self._write(self.rng.choice(value), slots))
            else:
                if value in slots:
                    out.append(str(slots[value]))
                else:
                    out.append(str(self.slot(value)))
        return "".join(out)

    def ask(self, items, more=(), **slots):
        """An instruction: one template of the list, its choices made, a little untidy in training, then the slots filled."""
        text = self._write(_parse(self.pick(items, more)), {k: "{" + k + "}" for k in slots})
        if self.split == TRAIN and self.chance(0.35):
            roll = self.rng.random()
            if roll < 0.3: text = text[:1].lower() + text[1:]
            elif roll < 0.5: text = text.rstrip(".?!")
            elif roll < 0.65: text = self.any(["Please ", "please ", "Hi! ", "Task: ", "Now ", "Hey, "]) + text[:1].lower() + text[1:]
            elif roll < 0.75: text = text.rstrip(".?!") + self.any([" please", ", please.", "!", " :"]) if not text.endswith("}") else text
            else:
                words = text.split(" ")
                plain = [i for i, w in enumerate(words) if w.isalpha() and w.lower() in DROPPABLE]
                if plain: del words[self.rng.choice(plain)]
                text = " ".join(words)
        for k, v in slots.items():
            text = text.replace("{" + k + "}", str(v))
        return text

    def made_up(self, chance=0.3):
        """In training, often a word that does not exist: copying must not depend on knowing the word."""
        return self.split == TRAIN and self.chance(chance)

    # fillers
    def slot(self, name):
        return getattr(self, "s_" + name)()

    def s_first(self): return fake(self.rng).capitalize() if self.made_up() else self.pick(FIRST)
    def s_last(self): return fake(self.rng).capitalize() if self.made_up() else self.pick(LAST)
    def s_name(self): return self.s_first() + " " + self.s_last()
    def s_city(self): return fake(self.rng).capitalize() if self.made_up() else self.pick(CITIES)
    def s_item(self):
        if self.made_up(0.25):
            return self.any([fake(self.rng), self.any(COLOURS) + " " + self.any(THINGS), self.any(THINGS) + " " + self.any(THINGS), self.any(FRUITS) + " " + self.any(THINGS), fake(self.rng) + " " + self.any(THINGS)])
        return self.pick(ITEMS)
    def s_app(self): return self.any(APPS)
    def s_company(self): return fake(self.rng).capitalize() if self.made_up() else self.pick(COMPANIES)
    def s_bot(self): return fake(self.rng).capitalize() if self.made_up() else self.pick(BOTS)
    def s_day(self): return self.any(DAYS)
    def s_month(self): return self.any(MONTHS)
    def s_n(self): return self.num(2, 9)
    def s_days(self): return self.any(["two", "three", "four", "five", "six", "ten", str(self.num(2, 30))])
    def s_nn(self): return self.num(10, 99)
    def s_year(self): return self.num(1990, 2035)
    def s_money(self):
        amount = self.any([str(self.num(3, 99)), f"{self.num(3, 400)}.{self.num(0, 99):02d}", f"{self.num(1, 90)}.99"])
        return self.any(["${}", "€{}", "£{}", "{} euros", "{} dollars", "{} EUR"]).format(amount)
    def s_order(self):
        kind = self.num(0, 6)
        digits = "".join(self.rng.choice(string.digits) for _ in range(self.num(3, 7)))
        if kind < 3: return digits
        if kind == 3: return "#" + digits
        if kind == 4: return self.rng.choice(["A", "B", "ORD-", "SO-", "R", "X", "N-", "W"]) + digits
        if kind == 5: return digits[:3] + "-" + digits[3:] if len(digits) > 4 else "#" + digits
        return "".join(self.rng.choice(string.ascii_uppercase) for _ in range(2)) + digits
    def s_ref(self): return self.any(["", "", " {}", " ({})", " number {}", " no. {}"]).format(self.s_order())
    def s_email(self):
        first, last = self.s_first().lower(), self.s_last().lower()
        user = self.any([first, f"{first}.{last}", f"{first[0]}{last}", f"{first}{self.num(1, 99)}", f"{first}_{last}"])
        return f"{user}@{fake(self.rng) + self.any(['.com', '.test', '.org', '.net']) if self.made_up() else self.pick(DOMAINS)}"
    def s_phone(self):
        d = lambda n: "".join(self.rng.choice(string.digits) for _ in range(n))
        return self.any([f"+{self.num(1, 49)} {d(3)} {d(4)}", f"{d(3)}-{d(4)}", f"0{d(3)} {d(6)}", f"{d(3)} {d(3)} {d(3)}"])
    def s_time(self): return self.any([f"{self.num(1, 12)} {self.any(['am', 'pm'])}", f"{self.num(0, 23)}:{self.any(['00', '15', '30', '45'])}"])
    def s_iso(self): return f"{self.s_year()}-{self.num(1, 12):02d}-{self.num(1, 28):02d}"
    def s_date(self):
        m, d, y = self.num(1, 12), self.num(1, 28), self.num(2020, 2030)
        return self.any([f"{MONTHS[m-1]} {d}", f"{d} {MONTHS[m-1]}", f"{y}-{m:02d}-{d:02d}", f"{MONTHS[m-1]} {d}, {y}", f"{d} {MONTHS[m-1]} {y}"])
    def s_street(self): return f"{self.num(1, 180)} {self.any(STREETS)}"
    def s_when(self): return self.any(["today", "yesterday", "this morning", "last night", "last week", "on " + self.s_day(), f"{self.num(2, 9)} days ago", "this week", "since " + self.s_day(), "earlier"])


@functools.lru_cache(maxsize=None)
def _parse(template):
    node, pos = _sequence(template, 0, False)
    assert pos == len(template), template
    return node


def _sequence(text, pos, inside):
    """A sequence of literals, choices and slots; stops before "|" or ")" when inside a choice."""
    node, literal = [], []
    while pos < len(text):
        c = text[pos]
        if inside and c in "|)":
            break
        if c == "(":
            if literal: node.append((0, "".join(literal))); literal = []
            options, pos = [], pos + 1
            while True:
                option, pos = _sequence(text, pos, True)
                options.append(option)
                pos += 1
                if text[pos - 1] == ")":
                    break
            node.append((1, tuple(options)))
        elif c == "{":
            end = text.index("}", pos)
            if literal: node.append((0, "".join(literal))); literal = []
            node.append((2, text[pos + 1:end]))
            pos = end + 1
        else:
            literal.append(c)
            pos += 1
    if literal: node.append((0, "".join(literal)))
    return tuple(node), pos


@functools.lru_cache(maxsize=None)
def split_top(text):
    """Cut at the bars that stand outside brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "|" and depth == 0:
            parts.append(text[start:i]); start = i + 1
    return tuple(parts + [text[start:]])


def expand(template):
    """Every text a template without slots can become."""
    def go(node):
        texts = [""]
        for kind, value in node:
            tails = [value] if kind == 0 else [x for option in value for x in go(option)] if kind == 1 else ["{" + value + "}"]
            texts = [a + b for a in texts for b in tails]
        return texts
    return go(_parse(template))


# ---------------------------------------------------------------- noise

def typo(word, rng):
    if len(word) < 4 or not word.isalpha():
        return word
    i = rng.randrange(1, len(word) - 1)
    kind = rng.randrange(4)
    if kind == 0: return word[:i] + word[i + 1:]
    if kind == 1: return word[:i] + word[i + 1] + word[i] + word[i + 2:]
    if kind == 2: return word[:i] + word[i] + word[i:]
    return word[:i] + rng.choice(string.ascii_lowercase) + word[i + 1:]


def cap(text):
    return text[:1].upper() + text[1:]


def roughen(text, rng, strength=1.0):
    """The way people type: lower case, no full stop, a typo, shouting, doubled marks."""
    roll = rng.random()
    if roll < 0.22 * strength:
        text = text.lower()
    elif roll < 0.245 * strength:
        text = text.upper()
    if rng.random() < 0.25 * strength:
        text = text.rstrip(".!")
    if rng.random() < 0.08 * strength:
        text = text.replace("'", "")
    if rng.random() < 0.05 * strength:
        text = text.replace(",", "")
    if rng.random() < 0.04 * strength:
        text = re.sub(r"[.!]$", rng.choice(["!!", "!!!", "...", " !", " :(", "??"]), text)
    if rng.random() < 0.18 * strength:
        words = text.split(" ")
        for _ in range(rng.choice([1, 1, 2])):
            i = rng.randrange(len(words))
            words[i] = typo(words[i], rng)
        text = " ".join(words)
    return text


# ---------------------------------------------------------------- arbitrary codes

RESERVED_CODES = set()  # filled by schemes.py: codes the base data must never show
DROPPABLE = set("the this a of as with please to in and is it one only these for".split())
_ONSET = "b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr pl pr sc sh sl sm sn sp st th tr tw qu".split() + [""]
_NUCLEUS = "a e i o u a e i o u ai ea ee oa oo ou".split()
_CODA = ["", "", "", "", "n", "r", "l", "s", "t", "m", "nd", "rt", "st", "ck", "ng", "x", "p", "d"]


_WORD_POOL = sorted({w.lower() for source in (FIRST, LAST, CITIES, COMPANIES, BOTS, FRUITS, ANIMALS, THINGS, JOBS, MONTHS, DAYS, COLOURS) for w in _split(tuple(source), TRAIN) if w.isalpha() and len(w) > 3}
                    | {w for item in _split(tuple(ITEMS), TRAIN) for w in item.split() if len(w) > 3})


_RUDE = re.compile("sex|shit|fuck|cunt|dick|cock|tits|anus|nazi|rape|slut|whor|fag|nig|ass$|^ass|cum|porn|piss")


def fake(rng):
    """A word that does not exist but could, and that nobody minds to read."""
    word = _fake(rng)
    while _RUDE.search(word): word = _fake(rng)
    return word


def _fake(rng):
    """Syllables, or the head of one real word and the tail of another."""
    if rng.random() < 0.5:
        a, b = rng.choice(_WORD_POOL), rng.choice(_WORD_POOL)
        return a[:rng.randrange(2, len(a))] + b[rng.randrange(1, len(b) - 1):]
    return "".join(rng.choice(_ONSET) + rng.choice(_NUCLEUS) + rng.choice(_CODA) for _ in range(rng.choice([1, 2, 2, 2, 3])))


_SYL = "ba be bo ca co da de do fa fi ga go ha jo ka ke ki la le lo lu ma me mo na ne no pa pi po ra re ri ro sa se so ta te ti to va ve vi wa xi ya ze zu".split()
_WORDS = """PAY SHIP BILL RISK DESK LINE FAST SLOW BLUE GOLD NORTH SOUTH EAST WEST ALFA BRAVO DELTA ECHO GOLF HOTEL KILO LIMA
OSCAR PAPA ROMEO TANGO UNION VICTOR ALPHA BETA GAMMA SIGMA OMEGA THETA KAPPA LAMBDA STAR MOON SUN TREE ROCK SAND WIND
LION BEAR HAWK CROW PEARL RUBY JADE ONYX TOPAZ IRON STEEL COPPER""".split()


def code(rng):
    """One made-up label: K7-PAY, P2, bako, ZONE_4, x19, 331 ..."""
    while True:
        up = "".join(rng.choice(string.ascii_uppercase) for _ in range(rng.choice([1, 1, 2, 3])))
        digits = str(rng.randrange(1, rng.choice([10, 10, 100, 1000])))
        kind = rng.randrange(12)
        syl = "".join(rng.choice(_SYL) for _ in range(rng.choice([2, 2, 3])))
        if kind <= 1: out = f"{rng.choice(string.ascii_uppercase)}{rng.randrange(1, 10)}-{rng.choice(_WORDS)}"
        elif kind == 2: out = up + digits
        elif kind == 3: out = syl
        elif kind == 4: out = syl.upper()
        elif kind == 5: out = f"{rng.choice(_WORDS)}-{digits}"
        elif kind == 6: out = f"{rng.choice(_WORDS).lower()}_{digits}"
        elif kind == 7: out = f"{digits}{rng.choice(string.ascii_uppercase)}"
        elif kind == 8: out = f"{up}-{digits}"
        elif kind == 9: out = f"{rng.choice(string.ascii_uppercase)}{rng.randrange(1, 10)}-{syl.upper()}"
        elif kind == 10: out = f"{rng.choice(['team', 'queue', 'zone', 'desk', 'bin', 'box', 'lane'])}{rng.choice(['-', ' ', '_'])}{rng.choice(_WORDS).lower()}"
        else: out = rng.choice(["Queue", "Team", "Box", "Level", "Group", "Class"]) + " " + rng.choice([digits, rng.choice(string.ascii_uppercase)])
        if out not in RESERVED_CODES and not any(r in out for r in RESERVED_CODES):
            return out


def codes(rng, n):
    """n different codes, usually of one look."""
    if rng.random() < 0.5:
        out = set()
        while len(out) < n: out.add(code(rng))
        out = list(out)
    else:
        first = code(rng)
        shape = lambda s: re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d+", "0", s)))
        out, tries = [first], 0
        while len(out) < n:
            new = code(rng)
            tries += 1
            if new not in out and (shape(new) == shape(first) or tries > 200): out.append(new)
    rng.shuffle(out)
    return out
