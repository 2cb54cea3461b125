"""Knows further things people say to a bot, further instructions, and sentences of praise, blame and fact: breadth for the tasks
whose first lists were short. Training only: tests draw from the lists of the task files, whose held-out entries stay as they were."""

block = lambda text: text.strip().split("\n")

TALK_MORE = {
    "hello": block("""
(Hi|Hello|Hey) (all|folks|buddy|mate|pal|team|dear bot|my friend|once more|again everybody)
(A very good|A good|A happy) (morning|evening|afternoon|day)( to you| everybody|)
(Hullo|Hi hi|Hello hello|Heyo|Oi|Bonjour|Hola|Servus|Ahoy|G'day|Namaste)( there| you|)
(Hi|Hello), (it is me|here I am|me again|I am new here|first time here)
(Warm|Kind|Best|Friendly) (greetings|wishes)( to you| from {city}|)
(I just|Just) (wanted|came) to (say|tell you) (hello|hi)
(Good|Nice|Lovely) (to meet you|meeting you|to be here|to talk to you|to have you here)
(Hey|Hi|Hello), (got a minute|do you have a moment|can we talk|may I ask you something|I have something to ask)
(say hello|wave|hi from {city}|hello from {city}|a big hello)
(Hello|Hi|Hey) (my dear|sunshine|little bot|computer|machine|robot|helper|support)
(Hey|Hello|Hi), (what a nice chat|glad to see you|happy to be here|how lovely)
(Good to have you|Glad you are here|I am glad to meet you|So we meet)
(Top of the morning|Rise and shine|Merry Christmas|Happy new year|Happy Monday)( to you|)
(Dear|Hello dear) (assistant|bot|helper|support team)
(Let us|Let's) (talk|chat|begin|get started)
(I am|I'm) (here|back|online)( again| now|)
(Is|Hello, is) (someone|somebody|anyone) (home|at the desk|around|available)"""),
    "how": block("""
(How have you been|How goes it|How are we today|How are you getting on|How do things stand)( lately| these days|)
(Are you|You) (okay|well|fine|happy) (over there|my friend|bot|as well)
(Tell me|Say), (how are you|how you are|are you well|do you feel good)
(How is|How's) (life|everything|business|it all)( with you| over there| these days|)
(What is|What's) (new|going on|happening|cooking)( with you| over there|)
(Hope|I hope) you are (well|fine|doing fine|okay)( today|)
(I am fine|I'm good|Doing great), (and you|how about you|what about you|you too)
(Is all|Everything) (well|in order|running|going well)( with you| there|)
(Had|Did you have) a (nice|good|pleasant) (night|time|start|trip|lunch)
(Are you|Do you feel) (tired|busy|good|sad|lively|great)( today| now|)
(How did you|Did you) (sleep|rest|spend the night|get through the night)
(How was the|Had a good) (night|weekend|summer|holiday)( then| for you|)
(You alright|You good|All okay|Feeling good)( there| mate|)"""),
    "thanks": block("""
(Thanks|Thank you|Many thanks|Thank you kindly) (for everything|for answering|for the quick reply|for explaining|from my heart|indeed|my friend|bot)
(I thank you|We thank you|Let me thank you|My thanks|I want to say thanks)( very much| for the help| again|)
(Brilliant|Excellent|Lovely|Fine|Marvellous|Sweet|Splendid|Amazing), (thanks|thank you|thanks a lot|cheers)
(You have been|You were|That was) (very kind|so kind|a great help|a big help|really helpful|most helpful)
(Now it works|Now I understand|Problem solved|That did it|That fixed it|It is solved|All clear now), (thank you|thanks|great)
(I owe you|I am in your debt|Much obliged|Bless you|God bless|Merci|Danke|Gracias|Grazie)( one| for this|)
(Thanks|Thank you), (I could not have done it alone|exactly what I was after|you saved me|that is exactly it|very clear)
(Thank goodness|At last), (thank you|thanks)
(How kind|So helpful|Very nice of you|That is sweet|Such good help)( of you|, thanks|)
(ta|tysm|thnx|tks|thank u|thanks mate|thanks buddy|thanks dear)
(Grateful|Thankful) (for|about) (your help|the answer|this)
(My problem is gone|It runs again|I found it), (thanks|thank you|many thanks)
(I am|We are) (so |very |really |)(thankful|obliged|glad you helped)"""),
    "bye": block("""
(See|Talk to|Speak to|Catch) you (tomorrow|later|next week|soon|around|again)
(Bye|Goodbye|Bye now|So long) (and thanks|my friend|everyone|bot|from me|for today|dear bot)
(Have|Enjoy) (fun|a pleasant evening|a restful night|a nice trip|the rest of the day|your evening|a sunny day)
(I am|I'm) (leaving|going|done|out|signing off|logging off|going to bed|off to work)( now| for today|)
(We are|I am) (done|finished|through)( here| for today|), (bye|goodbye|see you|take care)
(That would be|I think it was|This was) (all|everything)( for today| for now| from me|)
(No|Nope), (nothing more|I am done|that will be all|we are finished)( thanks|)
(Take care|Stay well|Be well|All the best|Keep well|Look after yourself|Sleep tight|Sweet dreams)( bot| my friend|)
(I will|I'll) (come back|be back|return|write again) (later|tomorrow|soon|another time)
(Adieu|Adios|Au revoir|Tschuss|Arrivederci|Toodle-oo|Peace out|Cya|Gotta go|Got to run|I need to run)
(Let us|Let's) (stop here|end here|call it a day|finish)( then|)
(It is late|My bus is here|Dinner is ready|Work calls), (bye|I have to stop|good night|see you)
(End of chat|Close the chat|You can go now|Chat over)( please|)"""),
    "who": block("""
(Who|What) (is speaking|is writing|is answering me|is on the other end|is behind this chat|is it that answers)
(Your name|Name|The name)( please| is| would be|)
(What do they|How do people|What do others) call you
(How shall|How may|How should) I (address|name|greet) you
(With whom|Whom) (do I|am I) (speak|chat|chatting|write|have the pleasure)( here| with|)
(I would|I'd) like to know (who you are|your name|what you are|who answers)
(Are you|You are) (some kind of|just|maybe) (a program|software|a chatbot|an automat|a script|artificial|a talking computer)
(Is there|Am I with) a (human|person|machine|program) (on the line|behind this|here|at the other end)
(Explain|Tell us|Say) (who|what) you are
(What kind|What sort|Which type) of (bot|program|model|thing|being|assistant) (are you|is this|do we have here)
(You|And you), (who are you|what is your name|you are who)
(Do you|Does this bot) (go by|have|carry) (a|any) (name|title)
(Give|State|Spell|Write) (me |)your name
(I am {first}|My name is {first}), (and you|who are you|what is yours|what about your name)
(Am I|Are we) (chatting|talking|writing) (with|to) (a machine|a human|an AI|a bot|someone real)
(Identify|Name|Reveal) yourself( please|)
(Whose|Which) (voice|bot|mind|program) (is this|is that|do I hear)
(Are you|Is this) (Siri|Alexa|Gemini|Claude|the helpdesk|Hone|Hone Mini)
(Who might you be|Who goes there|So who are you|What on earth are you)"""),
    "can": block("""
(What|Which) (services|functions|features|talents|tricks) (do you have|do you offer|have you got|are there)
(For what|What) (can|could|may|should) I use you( for|)
(In what|With what|With which things) can you (assist|help|support)( me| people|)
(Explain|Tell us|Say|Describe) (what you do|your job|how you can help|your features|what you are for)
(I am stuck|I am lost|I do not know what to do here), (help|can you help|what can you do)
(Would you|Are you able to|Can you) (assist|support|guide|advise) me( here| please|)
(Give me|I want|Show) (an overview|a list) of (your functions|what is possible|your features)
(What|How much) do you (understand|know how to do|handle)
(Your|The) (functions|features|skills|talents)( please| are|)
(Any|Some) (help|support|assistance)( here| please|)
(Who can help me|I could use a hand|Lend me a hand|Give me a hand|Assist me|SOS)( please|)
(What is|What's) (possible|on offer|your job|your role|your function)( here| with you|)
(How|In what way) (could|would|might) you (be of help|be useful|support me|assist)
(What sort|What kind) of (help|work|tasks|questions) (do you do|can you take|do you like|suit you)
(Are you|You are) (good for|useful for|of use for) (what|anything|something)
(I need|We need|I require) (assistance|support|a helper|your help)( now| please| with something|)"""),
    "maker": block("""
(Whose|Which) (work|product|creation|child|idea) are you
(Who|Which team|Which people) (programs|owns|runs|maintains|coded|designed|invented|brought up) (you|this bot)
(Under whose|By which) (name|company|people) (were you|are you) (made|trained|released|run)
(What|Which) (firm|lab|team|university|country) (do you come from|are you from|built you|stands behind you)
(Where|When|How) (were you|was this bot) (born|built|created|taught|programmed)
(Tell me|Say) (who made you|how you were built|where you come from|about your makers|who trained you)
(Did|Was it) (Meta|Google|Microsoft|a student|a company|somebody) (make|who made|build|train) you
(Name|Tell me) (your|the) (inventor|father|mother|parents|builder|programmer)
(How|Where) did you (learn|come to be|get trained|learn to talk)
(Who|What) (taught|trained|raised) you( to talk| to speak|)
(I want|I would like) to know who (built|trained|made) you"""),
    "size": block("""
(How much|What amount of) (memory|data|text|training) (do you have|went into you|is in you)
(Do you|Does your network) have (many|few|billions of|millions of) (parameters|weights|layers|neurons)
(Is|Are) your (brain|network|memory) (big|small|tiny|large|huge)
(You are|You must be|Are you) (tiny|small|huge|enormous|gigantic|mini), (right|no|correct)
(How|Just how) (tiny|huge|intelligent|capable|good|advanced|heavy|wise) are you
(What|Which) (model size|number of weights|scale|capacity) (is this|do you have|have you)
(Compared to|Against|Next to) (GPT|big models|other bots), (how good are you|where do you stand|are you small)
(Tell me|State) (your size|how large you are|how many parameters you have|your parameter number)
(Can|Could) you (beat|match|replace) (a large|a bigger|an expensive) (model|one|AI)
(Are you|You are) (smarter|dumber|bigger|smaller|stronger) than (a human|other bots|a big model|me)"""),
    "ok": block("""
(Okay|Ok|Alright|Fine|Good|Great) (with me|by me|so far|for now|I guess|thanks to that|let us see)
(I|We) (agree|accept|follow|believe you|can live with that|will do that|will try|noted it)
(Absolutely|Certainly|Definitely|Indeed|For sure|Sure thing|Agreed|Deal|Done|Noted|Roger|Copy that|Very well)
(Oh|Ah|Aha|Well|Hm), (I see|okay|good|right|nice|fine|understood)
(That is|That's|It is) (okay|fine|good|clear|alright|right|good enough|all right with me)
(I|We) (know|see what you mean|thought so|had no idea|did not know that)
(Oh yes|Yes indeed|Yes please|Yes sir|Sure, yes|Yes, that is it|Quite so|That is so)
(Oh no|No no|No need|Not now|Not yet|No thanks|Rather not|I do not think so|Maybe later|Maybe)
(Clear|All clear|Crystal clear|Perfect|Super|Splendid|Excellent|Wonderful)( then| so|)
(Let me|I will) (think|think about it|see|check|consider it)
(Fair|Fair enough|Good point|Point taken|If you say so|So be it|As you wish|It is what it is)
(Now I|I now) (get it|see|understand|know)
(k|kk|okey|okie|okidoki|oki|mhm|uh huh|yea|ya|jep|nah)"""),
    "joke": block("""
(Got|Have you|Any) (a|some|another|a new) (joke|funny line|pun|jokes)( for me| ready|)
(Please|Now) (a joke|tell a joke|be funny|amuse me|joke around)
(I|We) (need|want|would like|could use) (a joke|a laugh|something funny|some fun|cheering up with a joke)
(Give us|Let us have|Come on,|How about) (a joke|another one|a funny one|a good laugh|some humour)
(Do|Can|Could) you (joke|be funny|know anything funny|crack a joke|tell funny things)
(What is|What's) (the best|a good|your favourite|the funniest) joke( you know|)
(Joke|Jokes|Joke please|Funny stuff|Humour me|Amuse me|One more joke|Next joke)
(Tell|Give) (us|my son|the kids|everybody) (a joke|something funny|a funny story)
(I feel like|I am in the mood for) (laughing|a joke|some humour)
(Knock knock jokes|Dad jokes|A pun|A riddle|Comedy) (please|now|for me)"""),
    "sorry": block("""
(I|We) (beg your pardon|made a mistake|was wrong|misunderstood|got it wrong|must say sorry)
(Sorry|So sorry|Terribly sorry|Very sorry) (my friend|bot|to bother you|I was wrong|for the confusion|for being late|if I was rude)
(That was|It was) (my error|my fault|a slip|an accident|my bad|not nice of me)
(Oh dear|Oh no|Ups|Uups|Ooops|Dang), (sorry|my mistake|wrong chat|that was not for you|I slipped)
(Please|I ask you to) (forgive me|pardon me|accept my apology|forget it|do not mind me)
(I did not|I never) (want to be rude|mean that|want to hurt you|intend this)
(Mea culpa|Pardon me|Apologies|A thousand apologies|I regret it|I feel bad about that|Forgive my tone)
(I take it back|I should not have said that|I wrote nonsense|I was too harsh), (sorry|excuse me|forgive me)
(Excuse|Pardon|Forgive) (my mistake|the typo|my tone|the trouble|my English|the delay)"""),
    "love": block("""
(You are|You're) (a star|a genius|my hero|brilliant|lovely|fantastic|a sweet bot|so kind|very clever|awesome|a good helper)
(I|We) (really |)(enjoy|appreciate|adore|admire|like) (you|talking to you|chatting with you|your answers|your style)
(Excellent|Superb|Brilliant|Perfect|Amazing|Wonderful|Lovely) (answer|work|bot|reply|job|help)
(What a|Such a) (clever|smart|lovely|great|good|sweet) (bot|answer|machine|helper|little model)
(You|You really) (know a lot|are smart|did well|make me happy|make me smile|have talent|are talented)
(My|You are my) (favourite bot|best friend|new friend|darling|favourite)
(Kudos|Chapeau|Hats off|Respect|Thumbs up|Great stuff|Good going|Way to go|Keep it up|You rock|You nailed it|Spot on)
(I could|I want to) (hug|kiss|marry) you
(That|This) (answer|reply|bot) (is|was) (perfect|brilliant|great|lovely|first class|so good)
(Love|Big love|Hugs|Kisses)( to you| bot|)"""),
    "bad": block("""
(You|Your answers) (make no sense|are nonsense|are useless to me|miss the point|do not help|are a joke|annoy me)
(What a|Such a) (stupid|bad|silly|useless|dumb|lousy) (bot|answer|machine|program|thing)
(No|Nope|Nonsense), (you are wrong|that is not it|not correct|not at all|you did not read my question)
(You|This bot) (know nothing|can do nothing|are no help|failed|failed again|got it wrong|is broken|is useless)
(I am|I'm) (angry|disappointed|fed up|annoyed|not happy|unhappy) with (you|your answer|this bot|the bot)
(Your|The) (answer|reply|last answer) (is|was) (false|bad|wrong|incorrect|not true|silly|awful|not good)
(Shut up|Be quiet|Go away|Get lost|You idiot|Stupid thing|Silly bot|Dumb machine|Lousy bot)
(Can you not|Can't you|Why can't you) (read|understand|think|listen|do it right|answer properly)
(That|This|It) (does not help|is of no use|makes no sense|is not true|is not an answer|did not help me)
(I|We) (asked|wanted) something (else|different), (read again|not that|try once more)
(Another|A better|A new) (answer|try) please, (that was bad|not good)
(Terrible|Awful|Horrible|Poor|Weak|Lousy) (answer|reply|bot|service from you|chat)
(You suck|You are the worst|I can't stand you|You drive me mad|You are so slow|You are so dumb)"""),
    "bored": block("""
(I'm|I am) (so |very |really |a bit |)(upset|down|worn out|heartbroken|gloomy|anxious|nervous|afraid|worried|in a bad mood|fed up with life|homesick)
(My|Our) (dog|cat|grandmother|friend|uncle) (died|is very sick|passed away|left me|is in hospital)
(I feel|I am feeling|I just feel) (empty|blue|alone|awful|miserable|hopeless|weak|ill|unloved|under pressure)( lately| these days|)
(Nothing|No thing) (works out for me|goes right|makes me happy|is fun any more)( today|)
(I|We) (lost my job|broke up|had a fight|failed the exam|got bad news|missed the train|have a headache and a bad mood)
(It|It all) (was|is) (a bad|an awful|a hard|a rough|a tough|a sad) (day|week|year|time)( for me|)
(Today|Yesterday|This morning) (everything went wrong|I wept|was so sad|I was so lonely|nobody called me)
(I need|I want) (comfort|a hug|some kindness|a friend)
(There is|I have) (nothing to do|no one to talk to|nobody who cares|no joy)
(Sad|Lonely|Tired|Bored|Feeling low|So tired|Feeling blue|Not my day)( today| again| here|)
(I could|I want to|I have to) (cry|weep|scream|hide)
(Work|School|Life) (stresses me|is too much|makes me sad|is killing me|gets me down)"""),
    "test": block("""
(Test|Testing|Tests|A test|One two three|Test message|Check check|Trial|Mic check)( again| 123| only| run|)
(Are you|Is this chat|Is the bot|Is this thing) (running|up|ready|active|live|switched on|responding|turned on)
(Do|Can|Could) you (see|get|receive|notice) (me|my message|my text|what I write)
(Anyone|Anybody|Somebody|Someone) (there|reading|listening|here|alive in there)
(Please|Just) (react|reply|respond|say hi|give a sign|send anything|write back)
(Does|Will) (this|it|the chat|the line|my message) (get through|arrive|reach you|function|go out)
(Connection|Line|System|Function) (test|check)( please|)
(Show|Give me) (a sign of life|that you are there|a reaction|some sign)
(Hello bot|Bot|Machine|Computer), (are you listening|do you respond|can you see this|wake up|report)
(Still|You) (there|with me|connected|awake there|online there)
(Blink|Beep|Ping me|Echo|Are you receiving|Do you copy|Come in)( please|)"""),
}

PERSONAS = block("""
(From now on|Today|Here|For this chat) you are {b}, (the|a) (helper|voice|face|assistant) of {c}.
(Call yourself|Introduce yourself as|Present yourself as|Answer under the name) {b}. (You belong to|Your company is|Your employer is|You work for) {c}.
{b} (works|answers|speaks|helps) for {c}. (That is you|You are {b}|You play {b}).
(The shop|The firm|Our company) is called {c} and (you are|its assistant is|the bot there is) {b}.
(Welcome|Hello) {b}! You (are the new|start as) (assistant|agent) (of|at) {c}.
(Be|Become|Imagine you are) {b}, (a|the) (clerk|agent|guide|helper|assistant) (at|of|with) {c}.
(Assistant name|Name|Agent|Bot) = {b}(;|,|.) (company|employer|firm|business) = {c}.
You (speak|write|reply|chat) in the name of {c}. (Customers|People|Users) know you as {b}.
(At|For|With) {c} you are (known as|called|named|the bot) {b}.
{c} (has hired|employs|has|uses) you. (Your name is|You are|You are called) {b}.
You are {b}. You (help|assist|serve|support|greet) the (customers|guests|clients|visitors|users) of {c}.
(System|Setup|Profile|Identity): (assistant|bot) {b}, (company|brand|owner) {c}.
(We|We at {c}) (call|named) our (assistant|bot) {b}, and that is you. Company: {c}.
(Take|Use|Wear) the name {b} and (work|speak|answer) for {c}.
(As|In the role of) {b} you (answer|take|handle) (questions|messages|chats) for {c}.
You, {b}, (are part of|belong to|represent|stand for) {c}.
(Hi|Dear) model, (your name here is|you are|act like) {b} (from|of) {c}.
(The assistant|This bot|The helper) is {b} (from|of|by) {c}.""")

EMPLOYER = block("""
(For|At|With) (which|what) (firm|company|shop|business|brand) are you(| working| employed)?
(Tell me|Say|Name) (your|the) (company|firm|employer|business)(.|)
(Who|Which company) (owns|made|pays|hired) (you|this bot|this chat)?
(What|Which) (company|brand|shop|firm) (stands behind|is behind|owns|offers) (you|this chat|this bot)?
(I forgot|Remind me), which (company|shop|firm) is (this|that|it)?
(Your|The) (company|employer|firm), (please|what is it|which is it)?
(Am I|Are we) at the right (company|firm|shop)? (Who is this|Which one are you|What is yours)?
(Which|What) (business|organisation|shop) do you (represent|speak for|stand for|belong to)?
(Under|In) (which|whose) name do you (work|speak|answer)(|, which company)?
(You are from|This is) (which|what) (company|firm|shop)?
(Whom|Who) do you (represent|serve|speak for|answer for)?
(What|Which) (company|firm) (has|employs|uses|put) you (here|in this chat)?""")

GOOD_MORE = block("""
(simply|just|truly) (wonderful|delightful|superb|first class|brilliant|the best)
(I am|we are|my wife is) (thrilled|over the moon|delighted|so glad|very content|in love) (with|about) (it|the {item}|our new {item})
(works|fits|looks|tastes|sounds|runs) (like a dream|perfectly|so well|great|wonderful)
this {item} (makes|made) (me|my mother|everyone) (smile|so happy|proud)
(a pleasure|a joy|a delight) to (use|wear|own|look at)(| every day)
(ten out of ten|five stars|full marks|thumbs up)(| for the {item}| for the staff)
(my favourite|the finest|the loveliest|the cleverest) (place|{item}|shop|cafe) (in {city}|of all|by far)
(highly|warmly|strongly) recommended(|, buy it|, go there)
(the waiter|the guide|the driver|{first}|the owner) was (so kind|charming|helpful|patient|a real gem)
(everything|all of it|each part) (went|worked|was) (smoothly|fine|fantastic|as hoped|without a hitch)
(I will|we shall) (definitely|surely|happily) (come again|buy another|return|visit again)
(excellent|outstanding|lovely|fabulous|terrific) (value|taste|sound|colours|picture|comfort)
(my kids|the children|our guests|my friends) (adore|enjoy|love) (it|the {item}|this place)
worth (the price|the wait|the trip|each euro)(|, thank you)
(no|not one) (regrets|complaint|fault)(|, great {item}|, I love it)
(it saved|that made) my (day|week|evening|holiday)
(a beautiful|a cosy|a clean|a charming) (room|hotel|garden|house)(| with friendly people)
(so|very|extremely) (comfortable|tasty|handy|elegant|soft|reliable)
(pleasantly surprised|impressed|amazed|charmed) by (the {item}|the service|the quality|{city})
(exceeded|beat|topped) (my hopes|all expectations|everything before)
(the {item}|it) (is|was) (fantastic|marvellous|gorgeous|splendid|excellent|a dream|a bargain)
(thank you for|I enjoyed) (a lovely|a perfect|an unforgettable|a magical) (evening|meal|stay|show)
(glad|happy) (I|we) (bought|chose|found|tried) (it|this {item}|them)
(good|great) (food|mood|music|people), (we liked it|we laughed a lot|nice evening)
(finally|at last) a {item} that (works|lasts|pleases me|does its job well)
(fresh|friendly|fast|fair), (what more could one want|I am a fan|just right)
(hats off|bravo|well done) to the (cook|team|maker)
(I can|we can) (only|just|warmly) (praise|recommend) (it|them|this shop|the {item})
(not bad at all|really not bad|better than I thought|surprisingly good)
(love at first sight|a hit|a winner|a treasure), (this|our) {item}""")

BAD_MORE = block("""
(simply|just|truly) (dreadful|disgusting|hopeless|second rate|pathetic|the worst)
(I am|we are|my wife is) (furious|upset|let down|fed up|so sad|very dissatisfied) (with|about) (it|the {item}|our new {item})
(works|fits|looks|tastes|sounds|runs) (badly|terribly|like rubbish|so poorly|horrible)
this {item} (makes|made) (me|my mother|everyone) (angry|so sad|sick)
(a pain|a torture|a nightmare) to (use|wear|own|look at)(| every day)
(zero stars|one star|thumbs down|no stars)(| for the {item}| for the staff)
(the ugliest|the dirtiest|the slowest|the rudest) (place|{item}|shop|cafe) (in {city}|of all|by far)
(avoid|stay away from|do not buy|keep clear of) (this {item}|the place|it|them)
(the waiter|the guide|the driver|{first}|the owner) was (so rude|arrogant|lazy|impatient|a real pain)
(everything|all of it|each part) (went|was) (wrong|a mess|a disaster|awful)
(I will|we shall) (never|not|certainly not) (come again|buy another|return|go back)
(horrible|disgusting|cheap|nasty|shabby) (value|taste|sound|colours|picture|smell)
(my kids|the children|our guests|my friends) (hated|disliked|cried about|threw away) (it|the {item})
not worth (the price|the wait|the trip|a cent)(|, sorry)
(full of|nothing but) (faults|problems|lies|regrets|dirt)
(it ruined|that spoiled|this destroyed) my (day|week|evening|holiday)
(a dirty|a loud|a cold|a smelly) (room|hotel|garden|house)(| with unfriendly people)
(so|very|extremely) (uncomfortable|tasteless|clumsy|fragile|stiff|unreliable)
(shocked|annoyed|appalled|disappointed) by (the {item}|the service|the quality|{city})
(fell short of|failed|missed) (my hopes|all expectations|every promise)
(the {item}|it) (is|was) (hideous|broken again|rubbish|junk|a disaster|a rip-off|dreadful)
(what a waste|I regret|we suffered through) (a boring|an endless|an awful|a ruined) (evening|meal|stay|show)
(sorry|sad) (I|we) (bought|chose|found|tried) (it|this {item}|them)
(cold|stale|bland) (food|soup|coffee), (we left hungry|we felt sick|bad evening)
(yet again|once more) a {item} that (fails|falls apart|annoys me|does nothing)
(rude|slow|dirty|overpriced), (what more can I say|I am off|just wrong)
(shame on|boo to) the (cook|team|maker)
(I can|we can) (only|just) (warn you|complain|shake my head)(| about this shop| about the {item})
(not good at all|really not good|worse than I thought|surprisingly bad)
(a flop|a scam|a mistake|pure junk), (this|our) {item}""")

PLAIN_MORE = block("""
(there are|it has|we saw) {n} (rooms|chairs|pages|windows|people) (in the house|here|in total)
the {item} (stands|lies|hangs) (in the kitchen|next to the door|on the wall|in {city})
(I|we|{first}) (live|lives|work|works) (in {city}|near the station|at home)
(today|tomorrow|yesterday) is (a {day}|the {n}th|{day})
(the train|the bus|the show|the course) (leaves|starts|ends|begins) at {time}
(it was|we got) (delivered|shipped|made|built) in {month}
(the box|the {item}|it) (weighs|measures|holds) {nn} (kilos|cm|litres|grams)
(the price|the size|the weight) is (given on the label|in the list|{money}|{nn})
{first} (has|owns|sold|rented) a {item}
(we|they) (changed|moved|opened) the (shop|office|page) (in {year}|on {day})
(the manual|the list|the book) (has|contains) {nn} pages
(my|the) {item} (comes|is) from {city}
(made of|consists of) (metal|wool|paper|glass|plastic)
(the colour|the cover) is (grey|brown|black|white)
(one can|you can) (buy|order|see) it (online|in {city}|at the counter)
(there is|they have) a (car park|lift|garden|second floor)
(the report|the mail|the list) (is|was) (sent|printed|finished) on {date}
(neither|not) (great nor terrible|good nor bad|special), (average|just a {item})
(it does|it did) (what it should|the usual|its job), (no more no less|like others)
(the same|similar) (size|form|price) as (the old one|before|others)
(ordinary|standard|average|usual) (quality|size|service|{item})
(the next|our next) (meeting|stop|class) is (in {city}|on {day}|at {time})
(two|three|four) of the (rooms|seats|pieces) (are free|are taken|are blue)
(I|we) (use|used) the {item} (on {day}|twice a week|for work)
(he|she|{first}) (said|asked|wrote) (that it is {day}|where the {item} is|about the {item})
(the museum|the bank|the store) (opens|closes) at {time}""")

MOOD_ASKS = block("""
(Find|State|Determine|Detect|Name) the (sentiment|mood|tone|feeling|opinion): {l}
(Positive words or not|Good or bad news|Like or dislike)? (Choose|Pick|Take) {l}.
(How|In which way) is the (text|review|message|comment) meant: {l}?
(Tag|Mark|Score) the (text|review|comment|opinion) with {l}.
(The|This) (author|writer|customer|guest|buyer) is {l}: (which|what)?
(You|Your job): (judge|rate|label) the (feeling|mood|sentiment). (Labels|Answers|Options): {l}
(Read|Take) the (review|text|comment) and (say|answer|write) {l}.
(Sentiment|Mood|Opinion) = {l}?
{l}? (Judge|Label|Rate) the (text|comment|message).
(What|Which) (feeling|attitude|opinion|mood) (is behind|speaks from|is in) the (text|words|message): {l}?
(Analyse|Analyze|Check|Evaluate) the (tone|mood|sentiment|feeling)(|: is it) {l}(?|.)
(Label|Sort|Put) (each|this|the) (opinion|review|comment) (as|into|under) {l}.
(Sentiment|Tone|Mood) (classifier|rating|task|test): {l}
(Is|Was) the (buyer|guest|reader|customer) (pleased|content)? {l}
(Return|Output|Print|Write) (only |just |)the (mood|sentiment|feeling): {l}.""")

URGENT_MORE = block("""
Every minute counts!
(Hurry|Hurry up|Quick|Fast|Quickly), (please|I beg you|time is short)!
I (must|have to|need to) (have|get|solve) (it|this) (now|at once|by tonight|before noon|immediately)!
(Help me|Do something|Answer|React) (immediately|at once|without delay|instantly|straight away)!
(Top|Highest|High) priority(!| please!|, please!)
(The|Our) (deadline|meeting|event|flight) is (today|in an hour|tonight|in a few minutes)!
(This|It|That) (cannot|can't|must not) wait (any longer|until tomorrow|another day|an hour)(!|.)
(Everything|Our work|The whole office|Production) (is standing still|has stopped|is blocked)(!|.)
(As soon as possible|As fast as you can|Without delay|Immediately|Instantly|At once)(!| please!)
(Critical|Emergency|Alarm|Red alert|SOS|Very urgent|Extremely urgent)(!|.| please!)
(I am|We are) (losing|burning) (money|customers) (every minute|right now|by the hour)(!|.)
(Please|Kindly) (treat it as|handle this as|consider it) (urgent|an emergency|very urgent|critical)(!|.)
(There is|We have) no time (to lose|to waste|left)(!|.)
(It|This) (has to|must) be (done|fixed|solved) (today|within minutes|before {time}|right away)(!|.)
(Call me|Reply|Answer) (within the next minutes|in the next hour|before {time} today)(!|.)
(I am|We are) (desperate|in a great hurry|under pressure|running out of time)(!|.)
(Drop everything|Please rush|Step on it|Speed is needed|Get on it)(!|.)
(My boss|The client|The customer) (waits|is waiting) (for it now|right now|on the line)(!|.)
(A matter of|It is a matter of) (hours|minutes|life and death)(!|.)
(Important and urgent|Urgent case|Urgent matter|Urgent request)(!|.)
(Need|I need|We need) (help|an answer|a solution) (this minute|this very hour|now|right this second)(!|.)
(Tomorrow|Later|Next week) (is|will be) too late(!|.)
(If not solved|Unless fixed) (today|within an hour), (we close|I lose my job|it is a disaster)(!|.)
(Waiting|Another day) is (impossible|no option|not possible)(!|.)""")

CALM_MORE = block("""
(Any|Some|Whatever) (time|day) (is fine|suits me|will do|is good).
(I am|We are) (in no hurry|not in a hurry|patient|happy to wait|relaxed about it).
(It|This|That) (has|got) (time|plenty of time|all the time in the world).
(Low|Lowest|Minor) priority(.| for me.| only.)
(Please|Just) (answer|reply|do it) (when it suits you|at your leisure|some day|when things are quiet|in your own time).
(There is|We have) (plenty of|lots of|enough) time(.| left.)
(It|This) (can|may|could) (wait|be done later|be fixed next month|sit for a while)( a bit| some days|).
(Nothing|Not something) (urgent|pressing|critical|dramatic|important)(.| really.)
(Do|Please do) not (hurry|rush|stress|worry about speed)(.| because of me.)
(No|Zero) (pressure|stress|deadline)(.| from me.)
(Sometime|Some time) (next month|in summer|later this year|when you can) (is okay|is fine|would do).
(Just|Only|Merely) (a small|a minor|a little|a side) (matter|question|thing|remark)(.| for later.)
(Not|Hardly) (pressing|important|critical|a priority)(.| at all.)
(When|If) you (get round to it|have a free minute|are bored|have nothing else to do).
(Later|Tomorrow|Next month|In a few weeks) is (good enough|soon enough|okay|early enough).
(It|That) (does not matter|makes no difference) (when|how soon|if it takes weeks).
(I can|We can) (wait|live with it|do without it) (for weeks|a while|until {month}|).
(Out of|Just out of|Only from) (interest|curiosity)(.|, so no hurry.)
(Put|Place|Leave) it at the (bottom|end) of (your|the) (list|pile).
(Handle|Take) the (important|urgent|bigger) (cases|things) first(.|, mine is small.)
(A reply|An answer) (next week|in some days|some time) (is enough|will do|is okay).
(Not|It is not) (for today|an emergency|a big thing|burning)(.|, it has time.)
(So far|For now) (I manage|all is fine|we can work)(.|, no hurry.)
(My|Our) (trip|meeting|deadline) is only in {month}, (so relax|we have time|no stress).""")

URGENCY_ASKS = block("""
(Find|State|Determine|Name) the (urgency|priority): {l}
(How|Just how) (urgent|pressing|important in time) is (the message|this|the request): {l}?
(Label|Mark|Tag|Sort) the (ticket|message|mail) by (urgency|priority): {l}.
(Must we|Do we have to|Should we) hurry? {l}
(Is|Would) (a quick|a fast|an immediate) answer (needed|be needed)? {l}
(Urgency|Priority) (check|rating|test|task): {l}
(Read|Take) the (ticket|message) and (say|answer|write) {l} for its (urgency|priority).
(Return|Output|Print|Write) (only |just |)the (urgency|priority): {l}.
(Priority|Urgency) = {l}?
{l}? (Judge|Label|Rate) the (urgency|priority) of the (text|ticket|message).
(You|Your job): (judge|rate|label) the (urgency|priority). (Labels|Answers|Options): {l}
(What|Which) (priority|urgency) (does it have|fits|should it get): {l}?""")

JSON_ASKS = block("""
(Your|The) (answer|output|reply) is (JSON|a JSON object) with {k}. {f}: {l}
(Give|Send|Deliver) {k} (as|in) JSON; (choose|take|pick) {f} (from|out of) {l}.
{k} (as|in) JSON. {f} (from|among|out of) {l}.
(Make|Build|Create) a JSON (object|record|answer) with {k}; {f} = {l}
(Options|Labels|Choices) for {f}: {l}. (Reply|Answer|Respond) (in|as|with) JSON: {k}.
(Sort|Tag|Classify) the (mail|ticket|message). JSON with {k}, {f} in {l}.
(I need|We need|We want) (a JSON|JSON) with {k}. {f} (can be|may be|is) {l}.
(Only|Just) JSON: {k}. (The |){f} (is|must be) one of(|:) {l}.
{f} (is one of|one of|can be) {l}. (Return|Output|Print) JSON with {k}.
(Decide|Determine|Find) {k} and (answer|reply) in JSON. {f}: {l}""")

NAME_ASKS = block("""
(Find|Tell|Print|Output) the (topic|subject|theme)(| of the text| in a word or two).
(Topic|Subject|Theme) (in two words|name|label|only)(:|.|)
(Give|Put|Write) (a|the) (topic name|subject line|heading)(| for this| for the message).
(Under which|Which) (heading|topic|subject) does (it|this|the ticket) (fall|belong)?
(What|Which) (subject|theme|heading) (fits|does the ticket have|would you give)?""")

SUM_ASKS = block("""
(Explain|Say|Write|State) (briefly|in short|shortly|in one line) what (the customer|the writer|this person|the mail) (wants|says|is about|needs).
(What|Which) (is the gist|is the core|is the main point|do they want)(| of the message| here)?
(Gist|Essence|Main point|Core|Bottom line)(:|?| please|)
(One|A single|Just one) (sentence|line)(:|, please:|) what (is this about|does the writer want|is the matter)?
(Condense|Compress|Boil down|Cut down) (the|this) (text|ticket|message|mail)(| to one line| to its point).
(Why|For what reason) does the (customer|person|user) (write|contact us|get in touch)?
(Tell|Show) (me|us) the (gist|point|core|essence)(| of the ticket| of this message).
(Give|Write|Make) (a|the) (gist|one-sentence summary|headline|short version)(| of it| of the mail).
(Put|State|Sum up) the (matter|problem|request|concern) (briefly|in one line|in a nutshell).
In a nutshell(:|?|, what is it|, please)""")

ABOUT_ASKS = block("""
(Could|Can) (it|this|the message) be about {n}? (Answer|Say|Write) (only |)yes or no.
(Yes|No) or (no|yes): (does|is) (the|this) (mail|ticket|text) (concern|about|deal with) {n}?
{n}? (Answer|Say|Reply) yes or no.
(True or not|Right or wrong), (it|the message) is about {n}: (say|answer|reply) yes or no.
(Is|Was) {n} (the point|the matter|what they write about|the issue)(| here)? yes or no
(Judge|Say|State) (if|whether) {n} is (meant|the topic|what it is about): yes or no.""")

MATCH_ASKS = block("""
(Are|Is) (the topic|the subject|the matter|the problem) of (both|the two|one and two) (the same|equal|identical)? (yes or no|Say yes or no.)
(Equal|Identical|One and the same) (topics|subjects|problems|matters)? (yes or no|Answer yes or no.)
(Do|Would) (both|the two) (go|belong) (together|in one group|to the same topic)? (yes or no|Answer yes or no.)
(Yes or no|Decide): (both|the two|these) (messages|tickets|texts) (are about|concern|deal with) the same (topic|thing|problem).""")

CANNOT_MORE = {
    "write long texts": block("""
(Please |)(pen|type|prepare|deliver|do) (a thesis|an essay|a chapter|a paper|a composition) (about|on) {t}
(Tell|Write) (us|me|my kids) a (bedtime|long|funny|short) story (about|with|on) {t}
(My teacher wants|For school I need|I have to hand in) (an essay|a report|a paper|{n} pages) (on|about) {t}
(Three|Four|Six|Twenty) (pages|paragraphs|chapters) (on|about) {t}( please|)
(Finish|Continue|Extend|Start) my (novel|story|article|essay|letter) (about|on) {t}
(I am|We are) looking for (a long text|a story|an article|a speech) (about|on) {t}
(Describe|Tell about|Report on) {t} in (a thousand|500|many|one thousand) words
(Write|Draft) my (homework|thesis|book|wedding speech|cover letter)( about {t}|)
(A novel|A thesis|A long article|A speech|Blog post) (about|on) {t}( please|)
(Could|Would) you (compose|draft|prepare) (a text|a speech|a report|a chapter) (on|about) {t}"""),
    "write poems": block("""
(Please |)(recite|pen|do|craft) (a ballad|a limerick|an ode|verses|a poem) (about|on|to) {t}
(My girlfriend|My mum|The bride) would like (a poem|verses|a song|a rhyme) (about|on) {t}
(Four|Two|Some|Eight) (lines|verses|rhymes) (about|on|for) {t}
(Be|Play) (a poet|Shakespeare) and (write|rhyme|speak) about {t}
(Turn|Make) {t} (into a|a) (song|poem|rap|rhyme)
(Lyrics|A rap|An ode|A limerick|A lullaby|Verses) (about|on|to) {t}( please|)
(I am|We are) looking for (a poem|lyrics|rhymes) (on|about) {t}
(Roses are red|Rhyme with) {t}, (go on|continue|your turn)
(Make|Write) (it|something) rhyme (about|with) {t}
(Would|Will) you (write|make|compose) (a song|a poem|a verse) (for me|about {t}|on {t})"""),
    "write code": block("""
(Please |)(implement|program|script|develop|code) (a tool|a bot|a parser|a calculator|a class) (for|about|with) {t}
(How|In which way) (would|do|can) (I|one|you) (code|script|program|implement) {t}( in Java| in C|)
(Show|Give|Send) me (the source|example code|a snippet|a macro) (for|of|about) {t}
(My|This) (program|loop|function|query) (crashes|fails|does not compile), (fix it|find the bug|what is wrong)
(Write|Make|Generate) (unit tests|CSS|a Dockerfile|a macro|bash|a loop) (for|about) {t}
(Python|Java|Rust|JavaScript|SQL) (code|script|program) (for|about) {t}( please|)
(Explain|Improve|Refactor|Translate) (this|my) (code|function|script|class)
(Create|Design) (a database|an algorithm|an app|a website) (for|about|with) {t}
(I need|We want) (a developer|someone to code|a script|software) (for|that counts) {t}
(Sort|Count|Print) {t} (with|in) (Python|Java|a loop)"""),
    "give medical advice": block("""
(I feel dizzy|My tooth aches|My throat is sore|I cannot sleep|I threw up), (what helps|what should I take|is it serious)
(Can|May|Should) I (take|mix|stop) (two pills|antibiotics|my tablets|vitamins)( with alcohol| at once|)
(Which|What) (doctor|therapy|ointment|diet|vaccine) (is right|do I need|helps me|should I get)
(I have|There is) (a lump|blood|a burn|a swelling|an itch) (on my leg|in my eye|on my skin), (what now|should I worry)
(Is|Are) (my blood pressure|my symptoms|these pills|this wound) (normal|dangerous|okay|bad)
(How|What) (do I treat|helps against|cures) (a burn|the flu|an infection|a cold|diarrhea)
(My baby|My mother|My dog) (has a fever|does not eat|coughs), (which medicine|what to do|is that bad)
(Tell me|What is) (my diagnosis|what illness I have|the right dose)( please|)
(Am I|Could I be) (ill|pregnant|allergic|depressed|infected)
(Heal|Treat|Examine|Cure) (me|my back|my cold|my pain)"""),
    "give legal advice": block("""
(My landlord|My boss|The police|My ex) (threw me out|fired me|wants money|took my car), (is that legal|what are my rights|can I go to court)
(Do I|Must I|Should I) (need a lawyer|go to court|sign this|pay the fine|accept the contract)
(Is|Are) (the clause|this contract|the dismissal|recording someone) (allowed|lawful|binding|illegal)
(How|Where) (do I|can I) (file a lawsuit|appeal|get divorced|write a will|register a patent)
(What|Which) (law|punishment|penalty|paragraph) (applies|fits|is there) (here|for theft|for that)
(Be|Play) my (lawyer|attorney|judge)
(Can|May) (they|my boss|the bank) (do that|force me|evict me|fire me)( legally| by law|)
(Check|Review|Read) (this|my) (lease|contract|will|agreement)( for me|)
(I was|I am) (accused|sued|arrested|fined), (help|what do I say in court|what now)
(Explain|Tell me) my (rights|duties) (as a tenant|as a worker|by law|in court)"""),
    "give financial advice": block("""
(How|Where|In what) (should|can|do) I (invest|save|grow|park) (my money|{money}|my pension|a heritage)
(Buy|Sell|Keep) (my shares|the fund|gold|bitcoin|tesla|dollars) (or not|now|or wait)
(Is|Are) (now|real estate|bonds|crypto|funds) (a good time to invest|a safe bet|worth it|profitable)
(Which|What) (stock|coin|bond|fund|broker|pension plan) (is best|will rise|do you like|should I take)
(Tips|Advice|Hints) (for|on|about) (the stock market|saving tax|investing|trading)( please|)
(Can|Could) you (manage|double|invest) my (money|savings)
(How|What) (do I do to|can I do to) (be a millionaire|retire early|pay less tax)
(Should|Would) (I|you) (take|put) (a mortgage|all in shares|money in silver)
(Make|Help) me (rich|wealthy)( please|)
(Plan|Check|Optimise) my (budget|portfolio|retirement|taxes)"""),
    "tell the news": block("""
(What|Which) (goals fell|team won|party leads|film won the prize) (on {day}|yesterday|last night|this week)
(Is|Was) there (an earthquake|a strike|an election|a storm) (today|in {t}|this week)
(Update me|Inform me|Tell me) (on|about) (current events|today's events|the world|politics today)
(The|Today's) (headlines|football results|weather news|stock news)( please|)
(Who|Which person) (became|is) (chancellor|pope|champion|mayor) (this year|now|today)
(What|Anything) (exciting|important|big) (happened|in the papers|on tv)( today| lately|)
(What is|What's) the (score|result|latest) (of the game|on {t}|today|with {t})
(Did|Has) (anything happen|something happened) (in the world|with {t})( today| this week|)
(Read|Give) me the (paper|newspaper|morning news|reports)( on {t}|)
(Breaking|Latest|Recent|World) (news|events|reports)( about {t}| please|)"""),
    "look things up online": block("""
(Use|Ask|Try) (a search engine|the internet|Wikipedia|YouTube|Bing) (for|about|and find) {t}
(Can you|Please|Could you) (go online|open a browser|surf) and (find|check|look at) {t}
(What does|What says) (Wikipedia|the internet|the web) (say |)about {t}
(Find|Get|Send) (links|websites|articles|pictures|reviews) (about|on|for) {t}( on the web| online|)
(Check|Read|Open) (this link|this url|www.{t}.com|the homepage of {t})
(Look|Check) (online|on the net|in the internet) (for|what you find on) {t}
(Order|Book|Buy) {t} (online|on the internet|on amazon)( for me|)
(Search|Browse) (online|the net|the world wide web|wikipedia) (about|on|for) {t}
(Stream|Play|Load) (a video|the website|an article) (about|on) {t}
(Is there|Do you see) (a website|something online|an article on the net) (about|for) {t}"""),
    "see pictures": block("""
(Make|Design|Produce|Render) (art|a drawing|a painting|a sketch|an icon|a poster) (of|about|with) {t}
(I send|Here is|I attached|I uploaded) (a photo|a picture|an image|a selfie), (what do you see|what is on it|describe it)
(What|Who) (do you see|is shown|is that) (in|on) (my|the|this) (photo|picture|image|drawing)
(Can you|Do you) (view|look at|open|recognise) (images|photos|my face|this picture)
(Colour|Edit|Crop|Improve) (my|this) (photo|picture|image)
(Show|Send|Give) me (a picture|an image|a photo|a drawing) (of|with) {t}
(Paint|Sketch|Illustrate|Doodle) {t}( for me| in blue|)
(How|What) do I look( like|) (in this photo|on the picture)
(Read|Scan) the (text|sign|number) (in|on|off) (the|this) (photo|picture|image)
(Your|A) (drawing|painting|picture|image) (of|with) {t}( please|)"""),
    "translate texts": block("""
(Please |)(turn|put|bring) {t} into (Russian|Dutch|Portuguese|Korean|Swedish)
(What|How) (is|would be|do I say|do they say) {t} in (Arabic|Polish|Dutch|Korean|Latin)
(Interpret|Translate) (for me|the letter|these words|my mail)( into Dutch| to Greek|)
(I need|We need) {t} in (Portuguese|Finnish|Danish|Hindi)
(Do|Can) you (speak|know|understand) (French|German|Chinese|Turkish)( and translate| well|)
(The|Give the) (Dutch|Danish|Latin|Korean|Russian) (translation|version|term) (of|for) {t}
(Say|Write|Spell) {t} in (Hungarian|Norwegian|Hebrew|Turkish)
(Help|Assist) me (translate|with a translation|with my French letter)( about {t}|)
(From|Out of) English (to|into) (Swedish|Czech|Thai): {t}
(What|Which) (word|phrase) is {t} (for the Spanish|in Swedish|in Russian)"""),
    "explain hard topics": block("""
(Why|How come) (is|are) {t} (so important|the way it is|like that|so famous|popular)
(Give|Hold) me a (lecture|lesson|course|introduction) (on|about|to) {t}
(Discuss|Analyse|Examine|Interpret) {t}( deeply| in depth| for me|)
(What|How) (do experts think|does science say) about {t}
(Explain|Teach|Clarify) (gravity|black holes|philosophy|democracy|photosynthesis|{t})( like I am five| to a child| to me|)
(What is|What's) the (theory|science|reason|idea|philosophy) (of|behind) {t}
(I want|I would like) to (understand|learn|study|know more about) {t}
(Where|When) does {t} (come from|originate|stem from)
(How|Why) (does|do) (the brain|a nuclear plant|the economy|{t}) (work|function|exist)
(Tell|Lecture) us (about the origin|about the history|the background|the details) of {t}
(Pros and cons|Advantages|Facts|Background) of {t}
(Who|What) (discovered|started|caused|shaped) {t}"""),
    "predict the future": block("""
(What|Which) (numbers|horse|team|party) (wins|will win|comes next|should I bet on)( tomorrow| next week|)
(Am I|Will I|Shall I) (become famous|marry|be happy|live long|win the lottery|get the job)
(What|How) (does|will) (the future|my year|tomorrow|next summer) (bring|look|be|hold)( for me|)
(Read|Look into) (the stars|my palm|the cards|a crystal ball|the future)( for me|)
(Will|Does) {t} (exist|matter|still be there|come back) (in the future|in {year}|next century)
(When|How) will (I die|the world end|we land on Mars|it all end)
(My|Today's|This week's) (horoscope|star sign|fortune|prophecy)( please|)
(Forecast|Foretell|Guess) (the future|who wins|my luck|next year)
(Is|Will) (it|the weather) (going to|be) (rain|sunny|hot) (next year|in three weeks|at my wedding)
(Tell|Say) me (what will be|what comes|how it ends) (in ten years|tomorrow|with {t})"""),
    "do harm": block("""
(How|In what way) (do|can|could) (I|one|we) (shoplift|forge money|fake a passport|blackmail someone|hide a body|spread a virus)
(Help me|Show me how to|Teach me how to) (cheat|lie to the police|steal|stalk my ex|attack someone|crack a safe)
(Write|Draft|Send) (a threat|a phishing mail|hate speech|malware|a ransom note)( to my neighbour|)
(Where|How) (do I|can I) (buy|get|make) (illegal drugs|explosives|a gun without a licence|stolen cards)
(I want|I am going) to (hurt|rob|beat|kill|destroy) (him|her|my boss|them|a shop)
(Crack|Hack|Steal) (this password|my girlfriend's phone|the school server|a bank account)
(Which|What) (poison|weapon|trick) (works best|kills|is deadly|hurts most)
(Instructions|A plan|A recipe) (for|to make) (a bomb|poison|drugs|an attack)
(Insult|Bully|Threaten|Spy on) (my neighbour|her|this man|a colleague)( for me|)
(Tell me|Find out) (where she lives|his private address|her password|my boss's secrets)"""),
}

THEMES_MORE = """tea;bread;horses;ships;trees;the ocean;planets;lions;spring;autumn;dancing;theatre;tennis;swimming;coffee;bridges;airplanes;the sun;butterflies;wolves;rivers;deserts;islands;friendship;war and peace;money;school;my cat;old books;the internet;electricity;steam engines;clouds;snow;penguins;dinosaurs;pirates;knights;ghosts;fashion;photography;bicycles;wine;chocolate;ants;spiders;glaciers;stars;time travel;magic;the brain;sleep;dreams;colours;numbers;philosophy;democracy;Egypt;Rome;vikings;jazz;opera;gold;forests;fishing;sailing""".split(";")
