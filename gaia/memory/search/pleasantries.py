"""Messages that say nothing to search for: greetings, thanks, an "ok", emoji alone.

A question is never one. That needs no grammar: a message counts as a pleasantry only
when every word of it stands in the list below, which has no interrogative in it, and
when no mark asks, in whatever script.
"""
# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

from functools import cache

import regex

from gaia.memory.text import bare_words

QUESTION_MARKS = regex.compile(
    r"[?\u037e\u055e\u061f\u1367\u203d\u2047-\u2049\u2cfa\u2cfb\u2e2e\u2e54\ua60f\ua6f7\ufe56\uff1f]"
    r"|[\u2753\u2754]|\p{Greek}\s*;"
)
"""Among them the emoji, and the Greek one, which many type as a semicolon."""

_PHRASES = """
hi, hey, hello, hallo, helo, hiya, howdy, yo, greetings, welcome, hi there, hello there, hey there
good morning, morning, good afternoon, good evening, evening, good night, goodnight, night
sleep well, sweet dreams, bye, bye bye, goodbye, see you, see ya, see you later, see you soon
see you tomorrow, cya, take care, later, cheers, thanks, thank you, thx, ty, tysm, thanks a lot
thank you so much, thank you very much, many thanks, thanks so much, thanks again, much appreciated
ok, okay, okey, okey dokey, k, kk, oki, alright, all right, right, sure, fine, great, cool, nice
perfect, awesome, excellent, wonderful, super, got it, i see, understood, sounds good, good
very good, well done, no problem, no worries, you are welcome, you're welcome, welcome back
lol, haha, hahaha, hehe, ha, wow, oh, ah, aha, hm, hmm, hmmm, mhm, uh, yay, gaia, please, dear, and
moin, moin moin, servus, grüß gott, grüezi, guten tag, guten morgen, guten abend, gute nacht
tschüss, tschüs, ciao, auf wiedersehen, bis bald, bis später, bis morgen, schlaf gut, danke
danke schön, dankeschön, danke sehr, vielen dank, besten dank, herzlichen dank, alles klar
in ordnung, passt, gut, sehr gut, prima, toll, klasse, genau, bitte, bitte schön, verstanden
hola, buenas, buenos días, buenas tardes, buenas noches, adiós, hasta luego, hasta mañana, chao
gracias, muchas gracias, mil gracias, vale, de acuerdo, perfecto, genial, bien, muy bien, claro
de nada, entendido, listo
bonjour, salut, coucou, bonsoir, bonne nuit, bonne journée, au revoir, à bientôt, à demain, merci
merci beaucoup, d'accord, parfait, très bien, bien reçu, de rien, ça marche, entendu
ciao, buongiorno, buonasera, buonanotte, arrivederci, a presto, a domani, grazie, grazie mille
va bene, perfetto, ottimo, certo, prego, capito, d'accordo
olá, oi, bom dia, boa tarde, boa noite, tchau, até logo, até amanhã, obrigado, obrigada
muito obrigado, muito obrigada, valeu, tudo bem, beleza, certo, perfeito, ótimo, de nada, entendi
hoi, dag, goedemorgen, goedemiddag, goedenavond, welterusten, doei, tot ziens, dank je, dank u
dankjewel, bedankt, oké, prima, top, hej, hejsan, god morgon, god kväll, god natt, hej då, tack
tack så mycket, bra, godmorgen, god morgen, god aften, farvel, tak, mange tak, hei, takk, tusen takk
ha det, moi, terve, huomenta, hyvää yötä, kiitos, kiitti, hyvä, selvä
cześć, hejka, dzień dobry, dobry wieczór, dobranoc, do widzenia, dzięki, dziękuję, dobrze, jasne
ahoj, dobrý den, dobré ráno, dobrou noc, na shledanou, díky, děkuji, dobře, szia, helló
jó reggelt, jó napot, jó éjszakát, köszönöm, köszi, rendben, salut, bună, bună ziua, mulțumesc
bine, merhaba, selam, günaydın, iyi geceler, iyi akşamlar, teşekkürler, teşekkür ederim, sağ ol
tamam, peki, xin chào, chào, cảm ơn, tạm biệt, halo, selamat pagi, selamat malam, terima kasih
makasih, oke, baik, habari, asante, sawa, kamusta, salamat, sige
tere, tere hommikust, head aega, aitäh, labas, labas rytas, ačiū, labdien, sveiki, paldies
zdravo, dobar dan, dobro jutro, laku noć, hvala, hvala lepa, živjo, dober dan, mirëdita
faleminderit, bună dimineața, bună seara, noapte bună, salam, salom, rahmat, halló, takk fyrir
góðan daginn, dia duit, bore da, diolch, kaixo, eskerrik asko, sannu, sawubona, aloha, mahalo
danke dir, vielen lieben dank, sure thing, good to know, will do, np, gm, gn
привет, здравствуйте, здравствуй, доброе утро, добрый день, добрый вечер, спокойной ночи, пока
до свидания, до завтра, спасибо, большое спасибо, спасибо большое, спс
ок, окей, хорошо, ладно, понятно, понял
поняла, отлично, супер, пожалуйста, привіт, добрий день, доброго ранку, на добраніч, дякую
добре, гаразд, здравей, добро утро, благодаря, γεια, γεια σου, γεια σας, καλημέρα, καλησπέρα
καληνύχτα, ευχαριστώ, ευχαριστώ πολύ, εντάξει, გამარჯობა, მადლობა, բարեւ, շնորհակալություն
сәлем, рақмет, салам, рахмат, ሰላም, አመሰግናለሁ
שלום, היי, בוקר טוב, ערב טוב, לילה טוב, ביי, להתראות, תודה, תודה רבה, בסדר, אוקיי, מעולה
مرحبا, أهلا, اهلا, أهلا وسهلا, السلام عليكم, سلام, صباح الخير, صباح النور, مساء الخير
تصبح على خير, مع السلامة, شكرا, شكرا جزيلا, شكراً, حسنا, تمام, طيب, ممتاز
سلام, درود, صبح بخیر, شب بخیر, ممنون, مرسی, متشکرم, باشه, خداحافظ, شکریہ
नमस्ते, नमस्कार, सुप्रभात
शुभ रात्रि, धन्यवाद, शुक्रिया
ठीक है, अच्छा
হ্যালো, নমস্কার, ধন্যবাদ
నమస్కారం, ధన్యవాదాలు, ನಮಸ್ಕಾರ, ಧನ್ಯವಾದ, നമസ്കാരം, നന്ദി, ਧੰਨਵਾਦ, નમસ્તે, આભાર
မင်္ဂလာပါ, ကျေးဇူးတင်ပါတယ်, សួស្តី, អរគុណ, ສະບາຍດີ, ຂອບໃຈ
வணக்கம், நன்றி, สวัสดี, สวัสดีครับ, สวัสดีค่ะ, ขอบคุณ, ขอบคุณครับ, ขอบคุณค่ะ, โอเค
你好, 您好, 嗨, 哈喽, 早, 早安, 早上好, 下午好, 晚上好
晚安, 再见, 拜拜, 谢谢, 謝謝, 谢谢你, 谢了, 多谢
好, 好的, 好啊, 行, 嗯, 嗯嗯, 哦, 哈哈, 哈哈哈, 知道了, 明白, 明白了, 收到, 没问题, 不客气, 辛苦了
こんにちは, こんばんは, おはよう, おはようございます, おやすみ
おやすみなさい, さようなら, またね
ありがとう, ありがとうございます, どうも, 了解, 了解です, わかりました, はい, うん, オッケー, いいね
안녕, 안녕하세요, 안녕히 주무세요
잘 자, 좋은 아침, 고마워, 고마워요, 감사합니다, 네, 응
알겠어, 알겠습니다
좋아, 좋아요, 오케이, ㅋㅋ, ㅋㅋㅋ, ㅎㅎ
"""

_LAUGHTER = (
    r"a?(?:[hjx][aei]){2,}h?|(?:ah){2,}|(?:[хг][аеи]){2,}|(?:rs){2,}|p?t?mdr|xd|w|ه|5{3,}|笑"
)
"""As people write it who laugh, drawn out or not; the rest stands among the phrases."""

_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]"
LONGEST = 120
"""Characters of a pleasantry, at most: who writes more has something to say."""


def _key(text: str) -> str:
    """The words alone, with drawn-out letters (`heyyy`) as one."""
    return regex.sub(r"(\p{L})\1{2,}", r"\1", bare_words(text))


@cache
def _only_phrases() -> regex.Pattern[str]:
    """Matches what consists of phrases; to compile it takes a tenth of a second."""
    keys = {_key(phrase) for phrase in regex.split(r"[,\n]", _PHRASES)} - {""}
    phrases = "|".join(map(regex.escape, sorted(keys, key=len, reverse=True)))
    return regex.compile(rf"(?:(?:{phrases}|{_LAUGHTER})(?:\s+|$|(?<={_UNSPACED})))*+")


def is_pleasantry(text: str) -> bool:
    """Whether a message is but a greeting, thanks, an acknowledgement, or emoji."""
    if QUESTION_MARKS.search(text) or len(text) > LONGEST:
        return False
    return _only_phrases().fullmatch(_key(text)) is not None
