"""Words by which `certainty` tells what a sentence does with what it says, in many
languages: deny it, end it, leave it open, ask. In the form of `text.normalise`.

None of the lists is complete, and none has to be: what they miss is the model's to see.
"""

from __future__ import annotations

NEGATORS = r"""
not no never nor neither without none nobody nothing cannot \w+n't dont doesnt didnt cant wont
isnt nicht kein\w* nie niemals ohne weder niet geen nooit zonder inte aldrig ikke nigdy bez pas
jamais sans aucun\w* ni nunca jamás sin tampoco non senza não sem değil yok не нет никогда без
ни ні ніколи لا لم لن ليس ليست لست بدون לא אין בלי नहीं
"""
UNSPACED_NEGATORS = "不 没 沒 無 无 别 未 ない ません なかっ 않 없 못 안 ไม่"

TURNS = r"""
stop stopped quit avoid\w* hate\w* dislike\w* detest\w* refus\w* former\w* ex anymore used.to
cancel\w* is.over it's.over forget ended sold lost died divorced allerg\w* vegetarian vegan
intoleran\w* hass\w* aufgehört vermeid\w* meide\w* früher ehemal\w* abgesagt vergiss vegetari\w*
détest\w* arrêt\w* évit\w* odi\w* dej\w* evit\w* cancelad\w* annul\w* ненави\w* бросил\w*
перестал\w* аллерг\w* отмен\w* забудь вегетариан\w* веган\w* حساسية نباتي نباتية توقفت أكره
אלרגי\w* צמחוני\w* שונא\w*
"""
UNSPACED_TURNS = """
讨厌 戒 过敏 素食 取消 不再 嫌い アレルギー ベジタリアン やめ キャンセル 싫 알레르기 채식 취소
แพ้ เลิก
"""

CONDITIONS = r"""
if unless suppose supposing imagine pretend hypothetically kidding joking joke jk falls wenn
angenommen wäre hätte scherz imaginons serait aurais ojalá fuera tuviera magari если бы шучу
якщо لو إذا اذا אם
"""
"""What holds for the whole of a sentence. Not among them are words that elsewhere mean
something else, as `si` and `se` do in Italian and Spanish."""
UNSPACED_CONDITIONS = "如果 要是 假如 开玩笑 もし 冗談 만약 농담 ถ้า"

GUESSES = r"""
maybe perhaps might probably i.wish vielleicht eventuell wahrscheinlich peut-être quizás quizá
talvez forse наверное возможно можливо ربما אולי misschien kanske
"""
UNSPACED_GUESSES = "可能 也许 也許 かもしれ たぶん 아마"

REPORTS = r"""
says said writes wrote reads translate\w* summari\w* proofread rephrase rewrite write sagt\w*
schreibt schrieb steht übersetz\w* schreib\w* dit écrit\w* tradui\w* dice dijo escri\w* traduc\w*
scrive scritto traduci diz disse escreve\w* traduz\w* пишет написал\w* сказал\w* переведи
"""
UNSPACED_REPORTS = "说 說 写道 翻译 翻譯 言った 書いた 訳して 번역"

ADDITIONS = r"""
(?<=\w.)also as.well auch außerdem aussi también anche também ook också тоже также також أيضا
أيضاً גם
"""
UNSPACED_ADDITIONS = "也 还有 ด้วย"

TIMES = r"""
today tonight tomorrow yesterday morning noon midday evening night afternoon weekend day\w*
week\w* month\w* year\w* hour\w* minute\w* next last ago since soon later spring summer autumn
winter christmas easter \w+day mon tue wed thu fri heute morgen übermorgen gestern abend früh
mittag woche\w* monat\w* jahr\w* stunde\w* nächst\w* seit letzt\w* \w+tag \w+woch sommer
frühling herbst aujourd'hui demain hier soir matin semaine mois an ans année prochain\w* dernier
lundi mardi mercredi jeudi vendredi samedi dimanche hoy mañana ayer noche tarde semana\w* mes
meses año\w* próxim\w* pasad\w* lunes martes miércoles jueves viernes sábado domingo hoje amanhã
ontem noite ano\w* mês \w+-feira oggi domani ieri sera mattina settimana mese anno prossim\w*
lunedì martedì mercoledì giovedì venerdì sabato domenica сегодня завтра послезавтра вчера утром
вечером недел\w* месяц\w* год\w* лет час\w* понедельник\w* вторник\w* сред\w* четверг\w*
пятниц\w* суббот\w* воскресень\w* следующ\w* прошл\w* اليوم غدا غداً أمس صباحا مساء الأسبوع
الشهر السنة القادم القادمة היום מחר אתמול שבוע חודש שנה
"""
UNSPACED_TIMES = "今 明 昨 天 年 月 日 週 周 点 時 时 晚 早 내일 오늘 어제 주 달 년 시 พรุ่งนี้ วัน"

FIRST_PERSON = r"""
i i'm i've i'd i'll im me my mine we our us ich mich mir mein\w* wir unser\w* je j'\w+ moi mon
ma mes nous notre yo me mi mis nosotros nuestr\w* io mio mia miei mie noi eu meu minha meus
minhas nós ik mijn wij jag min mitt mina я мне меня мой моя мое моё мои мною мы нас наш\w* мій
моя أنا انا نحن אני שלי אנחנו benim mój moja moje मैं मेरा मेरी
"""
UNSPACED_FIRST_PERSON = "我 咱 俺 私 僕 俺 わたし ぼく うち 나는 나 저는 저 내 제 우리 ฉัน ผม ดิฉัน"

ADDRESSING = r"""
you your yours yourself gaia please always never answer reply respond speak talk write use call
remind keep avoid tell send ask address be don't dont do stop give show explain start du dich
dir dein\w* bitte immer nie antworte\w* sprich schreib\w* nenn\w* sag\w* benutze verwende sie
ihnen tu te toi ton ta vous votre toujours jamais réponds répondez parle parlez écris appelle\w*
utilise tú ti contigo siempre nunca responde\w* contesta\w* habla\w* escribe llámame usa sempre
mai rispondi parla scrivi chiamami usa responda fala chama\w* escreva ты вы тебя тебе всегда
никогда отвечай\w* говори\w* пиши\w* называй\w* зови\w* используй\w* пожалуйста دائما دائماً أجب
تكلم اكتب نادني من فضلك תמיד ענה דבר תקרא
"""
UNSPACED_ADDRESSING = """
你 您 请 請 总是 總是 一直 叫我 用 回答 あなた いつも ください 呼んで 答えて 항상 주세요 불러
대답 해줘
"""

COMMANDS = r"""
tell give show find write send remind help explain translate make please let search list answer
forget sag gib
zeig such schreib schick erinner\w* hilf erklär\w* übersetz\w* mach bitte lass kannst könntest
dis donne montre trouve écris envoie rappelle aide explique traduis fais peux pourrais dime dame
muéstrame busca escribe envía recuérda\w* ayúda\w* explica traduce haz puedes podrías dimmi
dammi mostra\w* trova scrivi ricorda\w* aiuta\w* spiega\w* traduci fai puoi diga dê mostre
encontre escreva lembre ajude explique traduza pode скажи дай покажи найди напиши напомни помоги
объясни переведи сделай можешь расскажи
"""
UNSPACED_COMMANDS = "请 請 帮 告诉 告訴 教えて 手伝 알려 도와"

SPEAKERS = r"""
i i'm i've i'd my mine we we're we've our ich mein\w* wir unser\w* je j'\w+ mon ma mes nous
notre yo mi mis soy tengo vivo trabajo estoy nosotros nuestr\w* io mio mia miei ho lavoro abito
eu meu minha meus minhas sou tenho moro trabalho ik mijn wij jag jeg я мой моя мое моё мои мы
наш\w* меня мне أنا انا أعيش أعمل اسمي نحن אני שלי שמי ja mam mieszkam мене мій моя मैं मेरा
मेरी benim
"""
"""Words of somebody who tells of themselves, rather than asks for something for themselves."""
UNSPACED_SPEAKERS = "我 咱 俺 私 僕 나는 저는 제 내 우리 ฉัน ผม"
