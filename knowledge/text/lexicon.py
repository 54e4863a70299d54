"""Words that carry no content, particles and endings, by language. Written for the platform, not taken from data."""

from __future__ import annotations

import re

# Left out of queries (never of what is indexed). Question words are here too: they say what is asked, not of what.
STOP_WORDS: dict[str, str] = {
    "en": "a an the of in on at to for from by with about as into is are was were be been being do does did has have had "
    "and or but not it its this that these those there their them they he she his her we our you your i my me us what "
    "which who whom whose when where why how many much can could should would will may might must if than then so such "
    "any some all most more other no yes please tell give also between during after before over under per",
    "ko": "은 는 이 가 을 를 의 에 에서 로 으로 와 과 도 만 까지 부터 그 저 이것 그것 무엇 무엇인가 무엇인가요 무엇입니까 누구 누구인가 "
    "누구인가요 누구입니까 언제 언제인가 언제인가요 언제입니까 어디 어디인가 어디인가요 어디입니까 왜 어떻게 얼마 얼마인가 얼마인가요 "
    "얼마입니까 몇 어느 어떤 무슨 것 수 등 및 또는 그리고 하는 한 된 되는 있는 있나요 있습니까 인가요 입니까 인가 했나요 하나요 대해 "
    "대한 대하여 알려줘 알려주세요 뭐야 뭐 무엇을 무엇이 누가 것은 것을 것이 때 중",
    "zh": "的 了 是 在 和 与 或 吗 呢 什么 谁 哪 哪里 哪个 哪些 哪位 何 何时 何地 如何 怎么 怎样 为什么 多少 几 几个 有 被 把 对 从 到 "
    "这 那 这个 那个 其 中 请问 请 时候 哪年 哪一年",
    "ja": "の は が を に へ と で も や から まで より か ね よ です ます でした ました である だ ある いる する した して 何 誰 いつ どこ "
    "なぜ どう どの どれ どんな いくつ いくら この その あの これ それ あれ こと もの ため という について ですか ますか か 何ですか "
    "誰ですか 何年 何人",
    "de": "der die das den dem des ein eine einer eines einem einen und oder aber nicht kein keine in im an am auf zu zum zur von "
    "vom mit bei für aus nach über unter ist sind war waren wird werden wurde wurden hat haben hatte es er sie wir ihr "
    "sich dass was wer wen wem wann wo warum wie viel viele welche welcher welches wessen als auch durch um vor",
    "es": "el la los las un una unos unas de del en a al con por para sin sobre entre y o pero no es son era eran fue fueron ser "
    "ha han había se su sus lo le les que qué quién quiénes cuándo dónde por cuál cuáles cuánto cuántos cuánta cuántas "
    "cómo como más este esta estos estas ese esa durante",
    "fr": "le la les l un une des de du d en à au aux avec par pour sans sur dans entre et ou mais ne pas est sont était étaient "
    "fut être a ont avait se son sa ses ce cette ces il elle ils elles on que qu qui quoi quand où pourquoi comment "
    "combien quel quelle quels quelles plus y c s n j t m",
}
STOP = frozenset(word for words in STOP_WORDS.values() for word in words.split())

# Korean particles and endings that hide a stem, the longest first. A stem keeps at least two syllables, or one
# before a particle of two.
_ENDINGS = (
    "은 는 이 가 을 를 의 에 에서 에게 께서 에는 에도 에서는 에서의 로 으로 로서 으로서 로써 으로써 로는 으로는 와 과 도 만 까지 부터 "
    "까지는 부터는 보다 처럼 마다 조차 밖에 이나 나 이며 며 이고 고 이란 란 이라 라 이라고 라고 이라는 라는 이라도 라도 에서도 "
    "인가 인가요 입니까 입니다 이다 였다 이었다 하다 한다 했다 하는 하여 해서 하고 하면 되다 된다 됐다 되는 되어 된 한 할 했던 하던 "
    "하였다 되었다 들은 들이 들을 들의 들에 이었던 이었는데 인데 이지만 지만 님 께"
)
KOREAN_ENDINGS = tuple(sorted(_ENDINGS.split(), key=len, reverse=True))

# Endings folded away, the longest first, by the letters a stem must keep. Light on purpose: two words that mean
# different things must stay two.
SUFFIXES: tuple[tuple[str, str, int], ...] = (
    ("iness", "y", 4), ("ational", "ate", 5), ("ations", "ate", 5), ("ation", "ate", 5), ("ements", "e", 5),
    ("ies", "y", 3), ("ied", "y", 3), ("ings", "", 4), ("ing", "", 4), ("edly", "", 4), ("ed", "", 4),
    ("sses", "ss", 3), ("ches", "ch", 3), ("shes", "sh", 3), ("xes", "x", 3),
    ("os", "", 4), ("as", "", 4), ("es", "", 4), ("s", "", 3),
    ("ungen", "ung", 4), ("heiten", "heit", 4), ("keiten", "keit", 4), ("innen", "in", 4), ("ern", "", 5), ("en", "", 4),
    ("er", "", 5), ("em", "", 5), ("e", "", 4), ("ciones", "cion", 4), ("amente", "", 4), ("aux", "al", 3),
    ("o", "", 4), ("a", "", 4),
)  # fmt: skip

# Cut out of a Chinese or Japanese question before it is paired: they ask, and name nothing.
_PHRASES = (
    "什么时候 什么 为什么 多少 哪里 哪儿 哪个 哪些 哪位 哪一年 哪年 哪一 哪种 何时 何地 何种 如何 怎么样 怎么 怎样 是谁 谁是 几个 几年 有哪些 "
    "请问 是不是 有没有 叫做 名为 何ですか 何でした 誰ですか 誰でした いつですか どこですか でしょうか ですか でしたか ましたか ますか ましょうか "
    "何という という どこ いつ なぜ どの どのような いくつ いくら 何年 何人 何月 何日 何"
)
ASKING_PHRASES = tuple(_PHRASES.split())
EMPTY_HAN = frozenset("的了是在和与或吗呢被把对从到这那其请也于之而以及")

# Likewise the word of measure in "how long": an answer says "24 months", not "long".
MEASURES_ASKED = re.compile(
    r"\bhow (?:long|old|far|tall|large|big|fast|often|high|deep|wide|soon|heavy|late|early)\b"
    r"|\bwie (?:lange|alt|weit|hoch|groß|gross|oft|schnell|tief|breit|schwer)\b"
    r"|\bcuánto tiempo\b|\bcombien de temps\b|얼마나 (?:오래|자주|많이|멀리)?"
)
